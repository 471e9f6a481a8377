"""The words about a climb that every view uses."""

from __future__ import annotations

from weaklink.base.evidence.outcome import RIGHT, Measure, Outcome, Rung
from weaklink.show.text import number, several

FEW = 3
LETTERS = {"value": "V", "q": "Q", "action": "right", "behaviour": "right", "distance": "off target"}
COUNTED = {
    "action": "at least", "behaviour": "at least", "distance": "at most", "guesses": "at most",
    "probability": "at least", "drift": "at most", "KL left": "at most", "gradient share": "at most",
}  # fmt: skip


def climbed(outcome: Outcome) -> str:
    """How far it got, where nothing is broken."""
    held = sum(rung.verdict == RIGHT for rung in outcome.rungs)
    if not outcome.rungs:
        return "nothing could be trained"
    if held == len(outcome.rungs):
        if held < FEW:
            return f"{several(held, 'rung')} climbed and right, too few for a verdict"
        return f"all {held} rungs hold: no fault of the implementation shows"
    return f"{held} of {several(len(outcome.rungs), 'rung')} right, the others could not be judged or are not sure"


def trained(outcome: Outcome) -> str:
    """What was trained, how often and how long."""
    trials = [trial for rung in outcome.rungs for trial in rung.trials]
    # where environments live in other processes, nobody counts
    steps = sum(trial.taken or (0 if trial.failure else trial.steps) for trial in trials)
    unit = "updates" if outcome.shows == ("tokens",) else "steps"
    parts = [outcome.trainer, several(len(trials), "training"), f"{steps:,} {unit}", f"{outcome.seconds:.0f} s"]
    gammas = sorted({trial.gamma for trial in trials if not trial.failure})
    if len(gammas) == 1 and gammas[0] < 1.0:  # policies over tokens are not discounted
        parts.append(f"gamma {number(gammas[0])}")
    return " · ".join(parts)


def answered(rung: Rung) -> str:
    """The measure that says most about a rung: the worst of those that missed, else the last."""
    failures = [trial.failure for trial in rung.final if trial.failure]
    if failures:
        return failures[0]
    missed = [measure for trial in rung.failed for measure in trial.missed]
    shown = missed or [measure for trial in rung.final for measure in trial.measures]
    return told(max(shown, key=_gap)) if shown else "nothing to see"


def _gap(measure: Measure) -> float:
    """How far from right, in units of the band; what is no number is furthest."""
    gap = abs(measure.measured - measure.right) / max(measure.high - measure.low, 1e-9)
    return gap if gap == gap else float("inf")


def told(measure: Measure) -> str:
    """A measure in a few words."""
    name = LETTERS.get(measure.what, measure.what)
    if measure.what in COUNTED:
        limit = measure.low if COUNTED[measure.what] == "at least" else measure.high
        return f"{name} {number(measure.measured)}, {COUNTED[measure.what]} {number(limit)} ({measure.where})"
    return f"{name} {number(measure.measured)}, right {number(measure.right)} ({measure.where})"


def left_out(outcome: Outcome) -> list[str]:
    """Why rungs were not climbed, those with one reason in one line."""
    by_reason: dict[str, list[str]] = {}
    for title, reason in outcome.left.items():
        by_reason.setdefault(reason, []).append(title)
    return [f"Not climbed: {', '.join(titles)}: {reason}." for reason, titles in by_reason.items()]
