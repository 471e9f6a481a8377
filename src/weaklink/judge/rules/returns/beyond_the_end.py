from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, find_still_above
from weaklink.judge.rules._hyperparameters import read_flag, read_number
from weaklink.judge.rules._paid import find_pay_of_step
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

NAMES = ("returns.target_mean", "value.mean", "value.q_mean")
RETURN, LENGTH = "reward.episode_return", "task.episode_length"

# settings by which rewards are learned from in other units than they are logged in
RESCALED = ("norm_reward", "normalize_reward", "normalize_rewards", "normalize")
FACTORS = ("reward_scale", "reward_scaling", "reward_factor")

# of the longest episode, and of the last rows: so near to it, and so many, are those that a time limit ends
AT_LIMIT, MANY, LAST = 0.98, 0.5, 5


@rule(
    "RET306",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=(RETURN, LENGTH, NAMES),
    leads_to=(*BEARS_OUT, "VAL304"),
)
def beyond_the_end(run: Run, *, best: float = 1.2, now: float = 1.5) -> Answer:
    """Values go on beyond the end of an episode.

    ## What it sees
    The task pays the same for every step: return and length of episodes have one ratio, to a hundredth, in all rows,
    and lengths differ. From the middle of an episode less is left to be earned than its return. The mean of the value
    targets, or of the values, ends above 1.2 times the best mean return that was ever logged and above 1.5 times the
    returns of the end. Runs most of whose last episodes are as long as the longest are left out.

    ## Why it is bad
    What is counted beyond the end belongs to the next episode. The end costs nothing then, so nothing is learned about
    avoiding or reaching it.

    ## What to do
    1. Multiply the value of the next state by `1 - terminated` in every target.
    2. Cut sums of advantages and returns at the ends of episodes, also those in the middle of a rollout.
    3. Check the discount: it must be below 1.

    ## How to prove it
    Print the targets of the last three steps of one episode that terminated: they must be the rewards to its end.

    ## When it is wrong
    Episodes that a time limit cuts may be worth more than they paid, since their values go on. Rewards that are scaled
    up inside the trainer; where the configuration mentions it, nothing is judged.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018; skrl issue 449.
    """
    pay = find_pay_of_step(run)
    if pay is None:
        return CannotTell((RETURN,), "steps are paid differently, or episodes are all alike")
    soft = "exploration.temperature" in run or run.family == "language"
    if soft or read_flag(run.config, *RESCALED) or read_number(run.config, *FACTORS):
        return CannotTell(NAMES[:1], "values are in other units than returns")
    returns, lengths = run[RETURN], run[LENGTH]
    last = lengths.values[-max(len(lengths) // LAST, 3) :]
    if float(np.mean(last >= AT_LIMIT * float(lengths.highs.max()))) >= MANY:
        return None
    paid = np.sign(pay) * returns.values
    limit = max(best * float(paid.max()), now * level(paid[-max(len(paid) // LAST, 3) :]))
    known = (run[name] for name in NAMES if name in run and len(run[name]) >= FEWEST)
    return next((found for series in known if (found := _find_more(series, float(np.sign(pay)), limit, run))), None)


def _find_more(series: Series, sign: float, limit: float, run: Run) -> Finding | None:
    held = find_still_above(sign * series.values, limit)
    if held is None:
        return None
    step, ends = float(series.steps[held.start]), level(run[LENGTH].values[-max(len(run[LENGTH]) // LAST, 3) :])
    whole = level(run[RETURN].values[-max(len(run[RETURN]) // LAST, 3) :])
    return Finding(
        message=f"{series.name} stays at {sign * held.level:,.3g} from step {step:,.0f} on, although every step pays "
        f"the same and whole episodes pay {whole:,.3g} and end after {ends:,.3g} steps: it counts what comes after the "
        "end of an episode.",
        onset=series.first_step,
        onset_within=step - series.first_step,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=sign * held.level, limit=limit * sign, step=step),),
    )
