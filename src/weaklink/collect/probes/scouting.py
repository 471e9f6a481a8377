"""How a training script is put on the ladder: which command trains it, and in which shape it takes a probe.

Its options are read (`script_options.py`), and the command is tried up to its first step, so that nothing is assumed:
with the probe named by its option, with discrete and with continuous actions, and in place of what it makes.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE
from weaklink.base.outside.child import ChildProcess, Supervisor
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.command import ENVIRONMENT, GAMMA, OUT, SEED, STEPS, WARMUP, Command
from weaklink.collect.probes.first_look import LOOK, ScriptLook, read_look
from weaklink.collect.probes.injection import inject_stand_in
from weaklink.collect.probes.plan import AUTO, ProbePlan
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.script_options import (
    EVERY,
    MEMBERS,
    ROLLOUT,
    ScriptOption,
    find_options,
    may_have_options,
    read_help,
)
from weaklink.collect.probes.script_trial import explain_version
from weaklink.collect.probes.stand_in import TITLE
from weaklink.collect.probes.trial import GAMMA as ASKED_GAMMA
from weaklink.collect.probes.work_folder import WorkFolder

LOADING = 180.0
"""Seconds that a script may take up to its first step: importing torch alone takes ten on a busy machine."""

TITLES = {DISCRETE: "TwoActions", CONTINUOUS: "TwoActionsContinuous"}
"""The probe that a command is tried with, for each kind of action."""

FIRST_STEPS = 4000
"""Steps of the first training of a rung: many right scripts solve the easy ones by then; the others get more."""

FIRST_UPDATES = 1000
"""Updates of the first training of a learner from a replay, which may make one at each step: of two critics with a
batch of 256 a processor makes a hundred in a second. Many right ones solve the easy rungs by then."""

ROLLOUTS = 8
"""How many rollouts a first training has at the least, so that a log has enough points to show where it ends."""

SHOWN = 300
REFUSED = 2
"""What argparse, click and tyro end with where they do not know an option."""

FILLED = (STEPS, SEED, GAMMA, WARMUP)
CURES = {
    ENVIRONMENT: "environment: no option found, so probes take the place of what it makes",
    STEPS: "total steps: no option found, so each training is ended when its budget is spent",
    SEED: "seed: no option found, so a script with a fixed seed is trained the same way each time",
}
_ACTS_CONTINUOUSLY = re.compile(r"spaces\.Box\b[^\n]*only|action_space\.(?:high|low)|MultivariateNormal|Normal\(")
_ERROR = re.compile(r"(?m)^(?:\w+\.)*(\w*(?:Error|Exception|NotFound|Exit)\b.*)$")


class TrialCommand(NamedTuple):
    """One way to start the script: with which words, and which kind of action the probe has."""

    words: tuple[str, ...]
    kind: str
    named: bool


class ScriptSetup(msgspec.Struct, frozen=True, kw_only=True):
    """How a script is put on the ladder.

    `command` has places to fill in. `in_place` says that probes take the place of its environments and have their
    shape; `numbers` and `looks` are how much of a look that shape can show (0: all). `asked` are the environments that
    it makes by itself, `steps` the first budget, `gamma` the discount where the user's words set it, and `notes` what
    was not found.
    """

    command: str
    kind: str
    in_place: bool
    numbers: int = 0
    looks: int = 0
    asked: tuple[str, ...] = ()
    steps: int = FIRST_STEPS
    gamma: float | None = None
    notes: tuple[str, ...] = ()


def set_up_script(script: str, arguments: Sequence[str], plan: ProbePlan) -> ScriptSetup:
    """Finds out how a script is trained on probes.

    Args:
        script: its file.
        arguments: the user's words after it.
        plan: the kind of action, where the user names one.

    Raises:
        UsageError: it does not come to its first step, in any way that was tried.
    """
    file = Path(script).absolute()
    if not file.is_file():
        raise UsageError(f"There is no script {script}. Give the path of a file that trains.")
    with _Scout(file, arguments, plan) as scout:
        return scout.set_up()


def explain_no_room(probe: Probe, setup: ScriptSetup) -> str:
    """Why a probe cannot have the shape of the script's environment; empty where it can."""
    if not setup.in_place:
        return ""
    if probe.name == "wide-action":
        return "the bounds of the actions are those of the script's own environment"
    if setup.numbers and len(probe.world.looks[0]) > setup.numbers:
        return (
            f"it shows {len(probe.world.looks[0])} numbers, and the script's environment has room for {setup.numbers}"
        )
    if setup.looks and len(set(probe.world.looks)) > setup.looks:
        return f"it shows {len(set(probe.world.looks))} things, and the script's environment has {setup.looks}"
    return ""


class _Scout:
    """Tries commands, each in a process of its own, up to the first step."""

    def __init__(self, file: Path, arguments: Sequence[str], plan: ProbePlan) -> None:
        self._file, self._arguments, self._plan = file, tuple(arguments), plan
        self._began = time.monotonic()
        self._scratch = ScratchFolder()
        self._tried = 0
        self._told: dict[str, str] = {}

    @property
    def _patience(self) -> float:
        """Seconds that one more try may take."""
        left = self._plan.seconds - (time.monotonic() - self._began)
        return min(LOADING, max(left, 1.0)) if self._plan.seconds else LOADING

    def __enter__(self) -> _Scout:
        return self

    def __exit__(self, *error: object) -> None:
        self._scratch.close()

    def set_up(self) -> ScriptSetup:
        options = find_options(self._file)
        if ENVIRONMENT not in options and may_have_options(self._file):
            options = {**self._read_own_help(), **options}
        kinds = self._order_kinds()
        for trial in self._list_trials(options, kinds):
            look = self._look(trial)
            if look.stepped and trial.named and not look.asked:
                return self._make_setup(trial, options, ScriptLook(stepped=True))
            if look.stepped and not trial.named and look.kind in ("", trial.kind):
                return self._make_setup(trial, options, look)
            if not look.made and not self._refused:
                break  # it would end in the same way with any environment
        raise UsageError(self._told[kinds[0]])

    def _order_kinds(self) -> tuple[str, ...]:
        """The kinds of action to try; what the source looks like only says which comes first."""
        if self._plan.actions not in (AUTO, "both"):
            return (self._plan.actions,)
        text = self._file.read_text(encoding="utf-8", errors="replace")
        first = CONTINUOUS if _ACTS_CONTINUOUSLY.search(text) and "Categorical" not in text else DISCRETE
        return (first, DISCRETE if first == CONTINUOUS else CONTINUOUS)

    def _list_trials(self, options: dict[str, ScriptOption], kinds: tuple[str, ...]) -> Iterator[TrialCommand]:
        """Named by its option, then in place with the options that were found, then as the user starts it."""
        if ENVIRONMENT in options:
            yield from (TrialCommand(self._words(options, named=True), kind, True) for kind in kinds)
        ways = dict.fromkeys((self._words(options, named=False), self._words({}, named=False)))
        yield from (TrialCommand(words, kind, False) for words in ways for kind in kinds)

    def _words(self, options: dict[str, ScriptOption], *, named: bool) -> tuple[str, ...]:
        """The command with its places: the user's own words win where they set the discount or random first steps."""
        filled = [purpose for purpose in FILLED if purpose in options]
        own = [purpose for purpose in filled if purpose in (GAMMA, WARMUP) and self._find_given(options[purpose])]
        placed = [purpose for purpose in ((ENVIRONMENT,) if named else ()) + tuple(filled) if purpose not in own]
        kept = self._arguments
        for purpose in placed:
            kept = _drop_option(kept, options[purpose])
        set_words = (word for purpose in placed for word in options[purpose].words(f"{{{purpose}}}"))
        return (sys.executable, "-u", str(self._file), *kept, *set_words)

    def _find_given(self, option: ScriptOption) -> str:
        """What the user's words set an option to."""
        for place, word in enumerate(self._arguments):
            flag, equals, value = word.partition("=")
            if f"{flag}{equals if option.flag.endswith('=') else ''}".replace("_", "-") == option.flag.replace(
                "_", "-"
            ):
                return value if equals else next(iter(self._arguments[place + 1 :]), "")
        return ""

    def _read_own_help(self) -> dict[str, ScriptOption]:
        child, _ = self._run((sys.executable, "-u", str(self._file), "--help"), DISCRETE)
        return read_help(child.printed) if not child.code else {}

    def _look(self, trial: TrialCommand) -> ScriptLook:
        probe = find_probe(TITLES[trial.kind])
        values = {
            ENVIRONMENT: probe.id,
            STEPS: str(FIRST_STEPS),
            SEED: "0",
            GAMMA: f"{ASKED_GAMMA:g}",
            WARMUP: str(FIRST_STEPS),
            OUT: str(self._scratch.path),
        }
        template = shlex.join(trial.words)
        child, look = self._run(Command(template, names_environment=False).filled(values), trial.kind)
        self._refused = child.code == REFUSED
        if not look.stepped or look.kind not in ("", trial.kind):
            self._told.setdefault(trial.kind, self._explain(child, look, template))
        return look

    def _run(self, words: Sequence[str], kind: str) -> tuple[ChildProcess[None], ScriptLook]:
        self._tried += 1
        file = self._scratch.path / f"look-{self._tried}.json"
        work = WorkFolder(self._scratch.path / f"work-{self._tried}", Path.cwd())
        told = {"WANDB_MODE": "offline", **os.environ, LOOK: str(file), TITLE: TITLES[kind]}
        with Supervisor[None]() as supervisor:
            child = supervisor.start(
                words,
                seconds=self._patience,
                environment=inject_stand_in(told),
                folder=str(work.path),
                interrupted=True,
            )
            while supervisor.children:
                supervisor.wait()
        return child, read_look(file)

    def _explain(self, child: ChildProcess[None], look: ScriptLook, template: str) -> str:
        """Why it did not come to its first step, and what to do."""
        name = self._file.name
        raised = _ERROR.findall(child.printed)
        why = explain_version(" ".join((raised[-1] if raised else child.last_words()).split())[:SHOWN])
        started = f"The command was: {template}"
        if child.late:
            return (
                f"{name} made no step within its time. Does it wait for something, or need more `--seconds`? {started}"
            )
        if "ModuleNotFoundError" in why or "ImportError" in why:
            return f"{name} does not start: {why}. Install that for {sys.executable}. {started}"
        if not look.asked and not child.code:
            return (
                f"{name} ended without making an environment by gymnasium.make, gymnasium.make_vec or gym.make. Have "
                "it make one of these, or probe a function train(make_env, steps, seed): weaklink probe file.py:train."
            )
        shape = f" ({look.misfit})" if look.misfit else ""
        return (
            f"{name} does not come to its first step with a probe environment{shape}: {why}. If it runs by itself, "
            f'give the command: weaklink probe --cmd "python {name} ... {{env}}", or probe a function of it. {started}'
        )

    def _make_setup(self, trial: TrialCommand, options: dict[str, ScriptOption], look: ScriptLook) -> ScriptSetup:
        command = Command(shlex.join(trial.words), names_environment=False)
        given = self._find_given(options[GAMMA]) if GAMMA in options else ""
        rollout = _multiply(options.get(ROLLOUT), options.get(MEMBERS))
        return ScriptSetup(
            command=shlex.join(trial.words),
            kind=trial.kind,
            in_place=not trial.named,
            numbers=look.numbers,
            looks=look.looks,
            asked=tuple(dict.fromkeys(look.asked)),
            steps=max(_count_first_steps(options), ROLLOUTS * rollout if command.takes(STEPS) else 0),
            gamma=_read_number(given),
            notes=tuple(CURES[place] for place in CURES if not command.takes(place)),
        )


def _count_first_steps(options: dict[str, ScriptOption]) -> int:
    """Steps of the first training: fewer where the options tell of a replay, and of how often one learns from it."""
    if WARMUP not in options or ROLLOUT in options:
        return FIRST_STEPS
    every = options[EVERY].number if EVERY in options else None
    return int(min(FIRST_STEPS, FIRST_UPDATES * max(every or 1, 1)))


def _multiply(rollout: ScriptOption | None, members: ScriptOption | None) -> int:
    """The steps of one rollout, as far as defaults tell."""
    length = rollout.number if rollout else None
    return int((length or 0) * ((members.number if members else None) or 1))


def _read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _drop_option(words: tuple[str, ...], option: ScriptOption) -> tuple[str, ...]:
    """The words without those that set an option."""
    kept: list[str] = []
    dropped = False
    for word in words:
        if dropped:
            dropped = False
        elif option.flag.endswith("="):
            kept += [] if word.startswith(option.flag) else [word]
        elif word.replace("_", "-").partition("=")[0] == option.flag.replace("_", "-"):
            dropped = "=" not in word
        else:
            kept.append(word)
    return tuple(kept)
