from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

REWARDS = ("reward.episode_return", "reward.mean")
SUCCESS = "task.success_rate"

FEWEST_GONE, SHARE = 10, 0.1  # rows without any reward up to the end, by number and as a share of all
SOLVED = 0.05  # of the episodes, in those rows


@rule(
    "REW312",
    link=Link.REWARD,
    level=Level.ERROR,
    needs=(REWARDS, SUCCESS),
    leads_to=(*BEARS_OUT, "VAL301", "VAL302"),
)
def reward_gone(run: Run) -> Answer:
    """From some step on nothing is paid any more, although episodes still succeed.

    ## What it sees
    A return, or a mean reward, that differed from 0 in most rows is exactly 0 in every row from some step to the end:
    ten rows and a tenth of all or more, and so is every other of these that is logged. Over the same rows more than 5 %
    of the episodes are a success, as they had been when they paid.

    ## Why it is bad
    There is nothing to learn from any more. What was learned lasts for a while, which is why success looks well, and is
    forgotten as old experience leaves the buffer and noise moves the policy.

    ## What to do
    1. Look at what happened at that step: a curriculum, a wrapper, a schedule of a shaping weight that multiplied all
       of the reward, a reward model or a server that failed and was taken for 0.
    2. Stop where a whole rollout pays nothing although it had paid before.

    ## How to prove it
    Play one episode that succeeds with the environment as it is at the end, and print its rewards.

    ## When it is wrong
    Where a success is meant to pay nothing from then on, as in a phase without reward.

    ## References
    Practice.
    """
    told = [run[name] for name in REWARDS if name in run and len(run[name]) >= FEWEST]
    success = run.get(SUCCESS)
    if not told or success is None or len(success) < FEWEST:
        return CannotTell((SUCCESS,), f"fewer than {FEWEST} points of the return and of successes")
    paid = [int(np.flatnonzero(series.values != 0.0).max(initial=-1)) + 1 for series in told]
    series, begin = told[0], paid[0]
    if any(not _is_gone(each, first) for each, first in zip(told, paid, strict=True)):
        return None
    onset = float(series.steps[begin])
    before, after = success.values[success.steps < onset], success.values[success.steps >= onset]
    if not len(after) or not len(before) or float(np.mean(after)) <= SOLVED or float(np.max(before)) <= SOLVED:
        return None
    return Finding(
        message=f"{series.name} is exactly 0 in all {len(series) - begin} rows from step {onset:,.0f} on, where it had "
        f"been {float(np.mean(series.values[:begin])):.3g} on average, while {float(np.mean(after)):.0%} of the "
        "episodes still succeed: nothing is paid any more.",
        onset=onset,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=0.0, step=onset),),
    )


def _is_gone(series: Series, first: int) -> bool:
    """Whether nothing is paid from this row on, for long, after most rows before it had paid something."""
    gone = len(series) - first
    usual = float(np.mean(series.values[:first] != 0.0)) if first else 0.0
    return gone >= max(FEWEST_GONE, SHARE * len(series)) and first >= FEWEST_GONE and usual > 0.5
