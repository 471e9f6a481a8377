"""What every view of an experiment says the same way."""

from __future__ import annotations

import math

from weaklink.base.evidence.critic import CriticFit
from weaklink.base.proving import FALLS, RISES
from weaklink.show.text import number, several
from weaklink.verbs.confirm.critic import judged, meaning, share
from weaklink.verbs.confirm.experiment import Answer, Arm, Difference, Tried, Verdict

SEEDS_HEAD = ("arm", "seed", "finding", "measured", "steps", "seconds")
DIFFERENCES_HEAD = ("metric", "configured", "changed", "difference (95 %)", "by chance")
FIT_HEAD = ("what explains the returns", "share")
WAYS = {FALLS: "falls", RISES: "rises"}
SHADES = {Verdict.CONFIRMED: "broken", Verdict.REFUTED: "healthy", Verdict.UNDECIDED: "unclear"}
"""The verdict of a diagnosis that an answer is coloured as."""

CANNOT_FIT = {True: "cannot fit", False: "sound", None: "cannot tell"}
FIT_SHADES = {True: "broken", False: "healthy", None: "unclear"}


def facts(answer: Answer) -> list[str]:
    """What was done: target, kind, seeds, steps and cost."""
    tried = [one for arm in answer.arms for one in arm.tried]
    seeds = len({one.seed for one in tried})
    parts = [
        answer.target,
        answer.experiment.kind,
        several(seeds, "seed"),
        f"{answer.steps:,} steps" if answer.steps else "",
        f"{answer.seconds:.0f} s",
        "stopped" if answer.stopped else "",
    ]
    return [part for part in parts if part]


def design(answer: Answer) -> list[tuple[str, str]]:
    """The experiment in words."""
    told = answer.experiment
    rows = [("Question", told.question), ("Changed", told.changed), ("Measured", told.measured)]
    return [*rows, ("Confirmed would mean", told.if_confirmed), ("Refuted would mean", told.if_refuted)]


def seeds(answer: Answer) -> list[tuple[str, ...]]:
    """Every seed of every arm."""
    metric = answer.differences[0].metric if answer.differences else ""
    return [(arm.name, str(one.seed), fired(one), _measured(one, arm, metric), *cost(one)) for arm, one in _all(answer)]


def _all(answer: Answer) -> list[tuple[Arm, Tried]]:
    return [(arm, one) for arm in answer.arms for one in arm.tried]


def fired(one: Tried) -> str:
    """What became of the finding in one seed."""
    if one.failure:
        return "failed"
    return {True: "there", False: "gone", None: "cannot tell"}[one.fired]


def _measured(one: Tried, arm: Arm, metric: str) -> str:
    if one.failure:
        return one.failure
    name = metric if metric in one.values else next(iter(one.values), "")
    if name:
        return f"{name} {figure(one.values[name])}"
    return one.told if one.fired is None else ""


def cost(one: Tried) -> tuple[str, str]:
    """Steps and seconds."""
    return f"{one.steps:,}" if one.steps else "", f"{one.seconds:.1f}"


def differences(answer: Answer) -> list[tuple[str, ...]]:
    """Every metric that was compared."""
    return [_difference(one) for one in answer.differences]


def _difference(one: Difference) -> tuple[str, ...]:
    way = WAYS.get(one.then, "moves")
    return (
        one.metric,
        figure(one.configured),
        figure(one.changed),
        f"{figure(one.difference)} ({figure(one.low)} to {figure(one.high)})",
        f"{one.chance:.1%}{', ' if one.beyond_chance else ', not '}{way}",
    )


def figure(value: float) -> str:
    """A number in three digits."""
    return number(float(f"{value:.3g}")) if math.isfinite(value) else number(value)


def fit_rows(fit: CriticFit) -> list[tuple[str, str]]:
    """What explains how much of the returns, the critic first."""
    rows = [
        ("the critic as it is", fit.before),
        (f"the critic alone, after {fit.updates} updates", fit.after),
        ("a fresh network of the same shape", max(fit.fresh, default=None)),
        ("a line through the observations", fit.linear),
        ("a table of the observations", fit.table),
        ("the critic of a line through its own observations", max(fit.taught, default=None)),
    ]
    constant = ("a constant", "0%")
    return [*((name, share(value)) for name, value in rows if value is not None), constant]


def fit_facts(fit: CriticFit) -> list[str]:
    """What was fitted."""
    return [
        f"{fit.rows:,} rows of {several(fit.episodes, 'episode')}",
        f"after {fit.trained:,} steps of training" if fit.trained else "before any training",
        f"returns {figure(fit.mean)} +- {figure(fit.spread)}",
        f"gamma {fit.gamma:g}",
        f"{fit.seconds:.0f} s",
    ]


def fit_answer(fit: CriticFit) -> tuple[bool | None, str, str, str]:
    """Whether it cannot fit, the word for that, why, and what follows."""
    cannot, says = judged(fit)
    return cannot, CANNOT_FIT[cannot], says, meaning(fit, cannot)
