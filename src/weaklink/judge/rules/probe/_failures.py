"""Trainings that failed or did not finish."""

from __future__ import annotations

import re
from collections.abc import Callable

from weaklink.base.evidence.outcome import Outcome, Rung, RungTrial
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding

LONGEST = 250
"""Characters of an error message: a long one would hide the numbers around it."""

LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3\.\d+[/\\]|^<|\.(pyx|pxd|pxi)$")
"""Code that is not the trainer's own; Cython names its files by their place when the library was built."""

_FRAME = re.compile(r'File "(.+?)", line (\d+),? in (\S+)')


def failing(outcome: Outcome, kinds: tuple[str, ...], describe: Callable[[Rung, RungTrial], str]) -> Answer:
    """The first rung on which trainings fail in one of these ways, and how many do; or that none does."""
    if not any(rung.trials for rung in outcome.rungs):
        return CannotTell(("trainings",), "no training was started")
    hit = [(rung, [trial for trial in rung.trials if trial.kind in kinds]) for rung in outcome.rungs]
    hit = [(rung, trials) for rung, trials in hit if trials]
    if not hit:
        return None
    rung, trials = hit[0]
    others = len(hit) - 1
    more = f", and on {others} more rung{'s' if others > 1 else ''}" if others else ""
    count, total = len(trials), len(rung.trials)
    return Finding(
        message=f"{describe(rung, trials[0])}, in {count} of {total} training{'s' if total > 1 else ''}{more}.",
        confidence=HIGH if count == total else MEDIUM,
        evidence=(Evidence(metric="trainings that fail", value=float(count), limit=0.0),),
        verify=outcome.again(rung),
    )


def why(trial: RungTrial) -> str:
    """What it raised or ended with, on one line and without the last full stop."""
    said = " ".join(trial.failure.split()).rstrip(". :")
    return said if len(said) <= LONGEST else said[: LONGEST - 3].rstrip() + "..."


def place(trial: RungTrial) -> str:
    """The innermost place in the trainer's own code that the printed traceback names, in brackets; else nothing."""
    frames = _FRAME.findall(trial.printed)
    if not frames:
        return ""
    own = [frame for frame in frames if not LIBRARY.search(frame[0])]
    # faulthandler prints the most recent call first
    file, line, function = (own or frames)[0 if "most recent call first" in trial.printed else -1]
    return f" ({file}:{line} in {function})"
