from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RETURN, LENGTH = "reward.episode_return", "task.episode_length"
CHANCE = ("exploration.entropy", "exploration.epsilon", "exploration.action_std")
OTHERS = ("policy.loss", "value.loss", "value.q_loss", "policy.kl", "optimizer.gradient_norm", "optimizer.loss")

# points that repeat the last one, and the share of the log that they are
FEWEST_POINTS, SHARE = 10, 0.3

# of epsilon, of the entropy in nats, of the spread: with less, the same episode may be played again and again
LITTLE = 0.02

# episodes that must have ended while nothing changed
EPISODES = 5.0


@rule(
    "SYS305",
    link=Link.SYSTEM,
    level=Level.WARN,
    on=Run,
    needs=(RETURN, LENGTH, OTHERS, CHANCE),
    leads_to=("REW301", "REW302", "REW303", "REW304", "TSK301"),
)
def repeated_metrics(run: Run, *, share: float = SHARE) -> Answer:
    """Return and length of episodes repeat to the last digit while training goes on.

    ## What it sees
    Over the last three tenths of the log and ten points, both the return and the length of episodes are one and the
    same number. Lower and higher ones were seen before, so it is no limit of the task; the losses go on changing, the
    actions are still drawn by chance, and the steps since then hold many episodes of that length.

    ## Why it is bad
    A policy that changes does not play the same episodes for ever. What is logged are old numbers: the statistics are
    no longer updated, or the environments have stopped. Nothing that follows from the return can be trusted.

    ## What to do
    1. Print the returns of episodes where they end, and compare them with what is logged.
    2. Look for statistics that are filled only once, a wrapper that is no longer called, an exception that is passed
       over where episodes are counted.
    3. Log the number of episodes that ended since the last row.

    ## How to prove it
    Play ten episodes with the policy as it is: their mean return must be the one that is logged.

    ## When it is wrong
    A policy that hardly ever does anything but one thing, in an environment without chance.

    ## References
    Practice.
    """
    returns, lengths = run[RETURN], run[LENGTH]
    if min(len(returns), len(lengths)) < FEWEST_POINTS / share:
        return CannotTell((RETURN,), f"fewer than {FEWEST_POINTS / share:.0f} points")
    since = max(_find_repeating(returns), _find_repeating(lengths))
    last = float(returns.last_step)
    repeated = np.count_nonzero(returns.steps >= since)
    if repeated < max(FEWEST_POINTS, share * len(returns)) or not _is_within(returns, since):
        return None
    drawn = run.get(*CHANCE)
    if drawn is None or float(np.abs(drawn.values[-FEWEST_POINTS:]).min()) < LITTLE:
        return None
    moving = [name for name in OTHERS if name in run and _is_moving(run[name], since)]
    counted = returns.provenance.axis == "env_steps"
    if not moving or (counted and last - since < EPISODES * float(lengths.values[-1])):
        return None
    return Finding(
        message=f"From step {since:,.0f} on {RETURN} is {returns.values[-1]:.6g} and {LENGTH} {lengths.values[-1]:.6g} "
        f"to the last digit at all {repeated} points, while {moving[0]} goes on changing: these are old numbers.",
        onset=since,
        onset_within=returns.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=RETURN, value=float(returns.values[-1]), step=since),),
    )


def _find_repeating(series: Series) -> float:
    """The step from which on every point is the last one again."""
    other = np.flatnonzero((series.values != series.values[-1]) | (series.lows != series.highs))
    return float(series.steps[min(other[-1] + 1, len(series) - 1)]) if len(other) else series.first_step


def _is_within(series: Series, since: float) -> bool:
    """Whether both less and more than the repeated value had been seen before."""
    before = series.values[series.steps < since]
    return len(before) > 0 and bool(before.min() < series.values[-1] < before.max())


def _is_moving(series: Series, since: float) -> bool:
    after = series.values[series.steps >= since]
    return len(after) >= FEWEST_POINTS and bool(np.mean(np.diff(after) != 0) > SHARE)
