from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import block_means, count_swings, quantile
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 60
"""Points of a curve in which six swings can be told from noise."""

SHORTEST_ROUND, FEWEST_ROUNDS, IN_STEP = 4, 8, 5.0
"""Points of a round of collecting and rounds that tell how the curve moves within one, and standard errors from which
on it does so in step with them."""


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
    Where the curve moves the same way within every round of collecting, as where short episodes are over first, one
    mean of each round is judged.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018.
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "fewer than 8 points")
    series = run[course.metric]
    if len(series) < FEWEST:
        return CannotTell((course.metric,), f"fewer than {FEWEST} points")
    if course.improved:
        return None
    values = _leave_rounds_out(run, series)
    if len(values) < FEWEST:
        return CannotTell((course.metric,), f"fewer than {FEWEST} rounds of collecting, within each of which it swings")
    count = min(len(values) // 3, 120)
    means = block_means(values, count)
    reach = quantile(means, 0.95) - quantile(means, 0.05)
    chance = _measure_chance(values, count)
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


def _leave_rounds_out(run: Run, series: Series) -> Array:
    """The values, one for each round of collecting where they move the same way within nearly all of these.

    Where many episodes begin at once, the short ones are over first: a curve of their returns then has a tooth for
    every update, whatever is learned.
    """
    updates = run.series.get("optimizer.updates")
    if updates is None or not len(updates):
        return series.values
    last = np.searchsorted(updates.steps, series.steps, side="right") - 1
    rounds = np.split(series.values, np.flatnonzero(np.diff(updates.values[np.maximum(last, 0)])) + 1)
    long = [each for each in rounds if len(each) >= SHORTEST_ROUND]
    if len(long) < FEWEST_ROUNDS:
        return series.values
    moves = np.array([each[len(each) // 2 :].mean() - each[: len(each) // 2].mean() for each in long])
    if abs(moves.mean()) <= IN_STEP * moves.std() / np.sqrt(len(moves)):
        return series.values
    return np.array([each.mean() for each in rounds])


def _measure_chance(values: Array, count: int) -> float:
    """The standard error of a block mean; returns have heavy tails, so outliers count in full.

    Second differences have six times the variance of the noise, and no slow trend is left in them.
    """
    bends = values[2:] - 2 * values[1:-1] + values[:-2]
    return float(bends.std() / np.sqrt(6.0 * max(len(values) / count, 1.0)))
