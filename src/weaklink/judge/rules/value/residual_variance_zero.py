from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import HeldStretch, find_lasting_above, find_lasting_below, level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL307",
    link=Link.VALUE,
    level=Level.WARN,
    on=Run,
    needs=(("value.residual_variance", "value.explained_variance"),),
    leads_to=("REW301", "REW302", "REW304", "POL302"),
    symptoms={"entropy collapsed": 3},
)
def residual_variance_zero(
    run: Run, *, vanished: float = 0.01, collapsed: float = 0.1, outlier: float = 20.0
) -> Answer:
    """The critic predicts everything, because the policy always does the same.

    ## What it sees
    The share of the targets' variance that the critic leaves unexplained stays below 0.01, the entropy (or the action
    standard deviation) has fallen to a tenth of its start, and the return has not improved. If entropy did not fall but
    the largest targets are over 20 standard deviations from the mean, this is only information.

    ## Why it is bad
    A policy that always does the same collects the same returns, which are easy to predict. Then advantages are zero
    and nothing is learned: the run is stuck with its first behaviour. Where a few scenarios pay vastly more than the
    rest, a critic that only separates those looks perfect.

    ## What to do
    1. Raise the entropy bonus, or lower the learning rate until the entropy falls slowly.
    2. Scale the rewards down, so that they do not drown the entropy bonus.
    3. Where a few scenarios dominate, clip or normalise rewards per scenario, and log the critic's fit for each.

    ## How to prove it
    Play ten episodes and print the actions: a collapsed policy repeats one of them. Then restart from a checkpoint
    before the fall with ten times the entropy bonus: the return must move again.

    ## When it is wrong
    A solved deterministic task looks just like this and is healthy. So runs whose return improved are never reported,
    and runs without a logged return are not judged.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = run.get("value.residual_variance", "value.explained_variance")
    if series is None or len(series) < FEWEST:
        return CannotTell(("value.residual_variance",), f"fewer than {FEWEST} points")
    if run.performance is None:
        return CannotTell(("reward.episode_return",), "without a return a solved task looks the same")
    if run.performance.improved:
        return None
    residual = series.values if series.name == "value.residual_variance" else 1.0 - series.values
    held = find_lasting_below(residual, vanished)
    if held is None:
        return None
    step = float(series.steps[held.start])
    fall = _find_collapse(run, collapsed)
    if fall is not None:
        metric, before, after, since = fall
        if since > float(series.steps[held.end]):
            return None
        return Finding(
            message=f"The critic leaves {held.level:.2g} of the variance unexplained from step {step:,.0f} on, with "
            f"{metric} down from {before:.3g} to {after:.3g}, and the return has not improved.",
            onset=step,
            onset_within=series.interval,
            confidence=MEDIUM,
            evidence=(
                Evidence(metric=series.name, value=level(series.values[held.start : held.end + 1]), step=step),
                Evidence(metric=metric, value=after, limit=collapsed * before, step=since),
            ),
        )
    return _find_outliers(run, series.name, series.steps, held, outlier)


def _find_collapse(run: Run, collapsed: float) -> tuple[str, float, float, float] | None:
    """The measure of exploration that fell to a small part of its start: its name, start, level and step."""
    for name in ("exploration.relative_entropy", "exploration.entropy", "exploration.action_std"):
        series = run.get(name)
        # the differential entropy of continuous actions has no zero to fall to
        if series is None or len(series) < FEWEST or series.lows.min() < 0:
            continue
        start = level(series.values[: max(len(series) // 10, 1)])
        held = find_lasting_below(series.values, collapsed * start)
        if start > 0 and held is not None:
            return name, start, held.level, float(series.steps[held.start])
    return None


def _find_outliers(run: Run, name: str, steps: Array, held: HeldStretch, outlier: float) -> Finding | None:
    """A few targets far away from the rest."""
    most, mean, spread = (run.get(f"returns.target_{word}") for word in ("max", "mean", "std"))
    if most is None or mean is None or spread is None:
        return None
    centre, width = np.interp(most.steps, mean.steps, mean.values), np.interp(most.steps, spread.steps, spread.values)
    reach = (most.values - centre) / np.maximum(width, 1e-12)
    far = find_lasting_above(reach, outlier)
    if far is None or float(width.max()) <= 0:
        return None
    step = float(steps[held.start])
    return Finding(
        message=f"The critic leaves {held.level:.2g} of the variance unexplained from step {step:,.0f} on, and the "
        f"largest targets are {far.level:.3g} standard deviations from the mean: a few scenarios pay far more than the "
        "rest.",
        level=Level.INFO,
        onset=step,
        confidence=LOW,
        evidence=(
            Evidence(metric=name, value=held.level, step=step),
            Evidence(metric=most.name, value=far.level, limit=outlier, step=float(most.steps[far.start])),
        ),
    )
