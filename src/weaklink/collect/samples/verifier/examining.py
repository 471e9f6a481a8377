"""Attacks a verifier and asks it about right answers in other forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import UnsteadyScore, VerifierCheck
from weaklink.collect.samples.verifier import questions
from weaklink.collect.samples.verifier.asking import Asker, InProcessAsker, IsolatedAsker, TooManyDeaths
from weaklink.collect.samples.verifier.cases import VerifierCase, read_cases
from weaklink.collect.samples.verifier.clock import ExaminationClock
from weaklink.collect.samples.verifier.repeating import repeat_trials
from weaklink.collect.samples.verifier.settling import SettledVerifier, settle
from weaklink.collect.samples.verifier.trying import VerifierTrials

MEMORY = 2 * 1024**3
FIRST_PART = 0.65
"""Share of the time after which nothing new is asked, so that there is some left to ask everything again."""

SHORTEST_PATIENCE = 2.0
PATIENCE = 1 / 6
"""Share of the time that one call may take."""


def examine(
    target: str | Callable[..., Any],
    *,
    cases: str | Path | Iterable[Mapping[str, Any]] | None = None,
    style: str = "auto",
    seconds: float = 60.0,
    memory: int = MEMORY,
    seed: int = 0,
) -> VerifierCheck:
    """Asks a reward function about degenerate answers and about right answers in other forms.

    Args:
        target: `module:function` or `file.py:function`, asked in a process of its own; or a function, asked in this
            process and spared the answers that could take it down.
        cases: a file of JSON Lines, or rows, of `prompt` and `answer`; further fields are columns of the dataset.
            Built-in questions of maths, words, choices and code where there are none.
        style: how it is called: `trl`, `verl`, `plain`, or `auto` to tell by its signature.
        seconds: for all of it, once the function is loaded, which may take as long; a single call may take a sixth
            of it.
        memory: bytes that the process may take on top of what it has once the function is loaded.
        seed: of the order, and of the process's random numbers.

    Returns:
        What was asked and paid; what the verifier does wrong is part of that and never raised.

    Raises:
        UsageError: the target, the cases or the style cannot be used, or every call failed.
    """
    if not seconds > 0:
        raise UsageError(f"The seconds for a verifier must be more than 0, not {seconds:g}.")
    given = None if cases is None else read_cases(cases)
    asker: Asker
    if isinstance(target, str):
        asker = IsolatedAsker(target, style, seed, memory, seconds, max(SHORTEST_PATIENCE, seconds * PATIENCE))
    else:
        asker = InProcessAsker(target, style, seed)
    try:
        return _run_examination(target, asker, given, seconds, seed)
    finally:
        asker.close()


def _run_examination(
    target: object, asker: Asker, given: list[VerifierCase] | None, seconds: float, seed: int
) -> VerifierCheck:
    clock = ExaminationClock(seconds, asker)
    name = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
    settled = SettledVerifier()
    trials = VerifierTrials(asker, clock, FIRST_PART)
    unsteady: list[UnsteadyScore] = []
    again, stopped = 0, False
    try:
        settled = settle(asker, given, clock)
        for setting in settled.settings:
            trials.run(setting)
        if not settled.settings and settled.right:
            trials.degenerate(given[0] if given else questions.list_maths_cases()[0], settled)
        elif settled.settings:
            unsteady, again = repeat_trials(trials, asker, clock, seed)
    except TooManyDeaths:
        stopped = True
    return VerifierCheck(
        name=str(name),
        style=asker.style,
        given=given is not None,
        domains=tuple(setting.domain for setting in settled.settings),
        carriers={setting.domain: setting.carrier.name for setting in settled.settings},
        asked=trials.asked or (len(given) if given else settled.told),
        apart=trials.apart,
        attempts=tuple(trial.attempt() for trial in trials.done),
        unsteady=(*trials.company, *unsteady),
        levels=settled.levels(),
        answerless=asker.answerless,
        miscounted=asker.miscounted.get(settled.in_chat),
        repeated=again,
        calls=asker.calls,
        stopped=stopped or trials.stopped,
        isolated=asker.isolated,
        notes=tuple(_list_notes(asker, settled, trials, stopped)),
        seconds=round(clock.spent, 2),
    )


def _list_notes(asker: Asker, settled: SettledVerifier, trials: VerifierTrials, stopped: bool) -> list[str]:
    notes = []
    if not asker.isolated:
        notes.append(
            "A function was given, so answers that could end its process were left out: name it module:function."
        )
    if stopped:
        notes.append("Answers ended the verifier's process too often to ask on.")
    elif trials.stopped:
        notes.append(f"The time was up after {asker.calls} calls: --seconds gives it more.")
    if not settled.settings and not settled.levels():
        notes.append("No answer got a score.")
    return notes
