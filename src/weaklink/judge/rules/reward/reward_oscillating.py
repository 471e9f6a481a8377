from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import block_means, count_swings, quantile
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW303",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(("reward.episode_return", "evaluation.return", "reward.mean"),),
    leads_to=("REW301",),
    tree=89,
    symptoms={"reward oscillates": 1},
    marks=("course of the return",),
)
def reward_oscillating(run: Run, *, reversals: int = 6, size: float = 0.5) -> Answer:
    """The return swings up and down without lasting progress.

    ## What it sees
    At least six swings, each over half of the whole range of the return and far beyond its noise from point to point,
    in a run that ends no better than it started.

    ## Why it is bad
    The policy learns and forgets in turns: updates that are too large for the information in a batch, or a reward so
    noisy that each batch points in another direction.

    ## What to do
    1. Lower the learning rate, or enlarge the batch or the replay buffer.
    2. Compare the mean of the reward with its standard deviation; remove noisy bonus terms.
    3. Run 100 steps of the zero action: if the state drifts, the environment itself is unstable.

    ## How to prove it
    Evaluate one fixed checkpoint ten times: if its return varies as much as the curve, the evaluation is noisy, not the
    learner.

    ## When it is wrong
    Curves of few episodes per point swing by chance; the rule measures this noise first and requires swings beyond it.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018.
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "fewer than 8 points")
    series = run[course.metric]
    if len(series) < 60:
        return CannotTell((course.metric,), "fewer than 60 points")
    if course.improved:
        return None
    count = min(len(series) // 3, 120)
    means = block_means(series.values, count)
    reach = quantile(means, 0.95) - quantile(means, 0.05)
    chance = _measure_chance(series.values, count)
    found = count_swings(means, max(size * reach, 6 * chance))
    if found.count < reversals or reach < 0.3 * max(abs(course.best), abs(course.lowest)):
        return None
    step = float(series.steps[min((found.start * len(series)) // len(means), len(series) - 1)])
    return Finding(
        message=f"{course.metric} swings by about {found.size:.4g} {found.count} times from step {step:,.0f} on and "
        f"ends at {course.final:.4g}, having started at {course.start:.4g}.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=course.metric, value=found.size, limit=max(size * reach, 6 * chance), step=step),),
    )


def _measure_chance(values: Array, count: int) -> float:
    """The standard error of a block mean; returns have heavy tails, so outliers count in full.

    Second differences have six times the variance of the noise, and no slow trend is left in them.
    """
    bends = values[2:] - 2 * values[1:-1] + values[:-2]
    return float(bends.std() / np.sqrt(6.0 * max(len(values) / count, 1.0)))
