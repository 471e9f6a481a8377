from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._course import is_language_run
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# rows of one and the same reward: averages of a reward that pays now and then differ
FEWEST_POINTS = 20

# of the episodes: so many succeed, and the share of them changes by so much, that a reward for it must show it
SOME = 0.02

# what is 0 as well where every episode was paid the same
SILENT = ("reward.std", "reward.group_std", "optimizer.gradient_norm", "policy.loss")


@rule(
    "REW310",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(("reward.episode_return", "reward.mean"), "task.success_rate"),
    leads_to=("REW301", "LLM308", "LLM310", "POL302", "POL308", "EXP303", "VAL304"),
    symptoms={"reward flat": 21},
)
def blind_to_success(run: Run, *, some: float = SOME) -> Answer:
    """Some episodes succeed, and all of them are paid the same.

    ## What it sees
    The return (of a language model the mean reward) is one and the same number in every row, while the share of
    successes among the same episodes is above 2 % and differs from row to row. Where that number is 0, a spread of the
    rewards, the norm of the gradient or the loss of the policy must be 0 throughout as well.

    ## Why it is bad
    What the task asks for is counted and not paid. Without a difference in the reward no action has an advantage, and
    nothing is learned.

    ## What to do
    1. Compute the reward of one success by hand, from the very text or state that was counted as a success.
    2. Compare how both are computed: a parser that never matches, a flag that is read before it is set, another key.
    3. Look for an error that is caught and turned into a reward of 0.

    ## How to prove it
    Print reward and success of fifty episodes side by side: both must go together.

    ## When it is wrong
    A success that is counted and not meant to be paid. A reward that is centred before it is logged is 0 in every row;
    then neither the loss nor the gradient is.

    ## References
    Practice.
    """
    paid = run.get("reward.mean") if is_language_run(run) else run.get("reward.episode_return")
    success = run["task.success_rate"]
    if paid is None or min(len(paid), len(success)) < FEWEST_POINTS:
        return CannotTell(("reward.episode_return",), f"fewer than {FEWEST_POINTS} points")
    value = float(paid.values[0])
    if not _is_always(paid, value) or level(success.values) < some or float(np.ptp(success.values)) < some:
        return None
    witness = next((one for name in SILENT if (one := run.get(name)) is not None and _is_always(one, 0.0)), None)
    if value == 0.0 and witness is None:
        return CannotTell(SILENT[:1], "a reward that is centred is 0 in every row as well")
    low, high = float(success.values.min()), float(success.values.max())
    return Finding(
        message=f"{paid.name} is exactly {value:.4g} in all {len(paid)} rows, although {low:.0%} to {high:.0%} of the "
        "episodes succeed: success is not rewarded.",
        onset=paid.first_step,
        onset_within=paid.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric=paid.name, value=value, step=paid.last_step),
            Evidence(metric=success.name, value=level(success.values), limit=some, step=success.last_step),
        ),
    )


def _is_always(series: Series, value: float) -> bool:
    """Whether a curve is this very number throughout."""
    return float(series.lows.min()) == float(series.highs.max()) == value
