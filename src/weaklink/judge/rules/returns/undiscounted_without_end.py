from __future__ import annotations

from weaklink.base.evidence.recovered import LIMIT, OWN_NEXT, RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the last digits of a discount that was worked out
ROUNDING = 1e-5

# ends by a time limit, among the rows of an update, from which on one that really ends would have been there
FEWEST_LIMITS = 3


@rule(
    "RET205",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "RET302", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "OPT301", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def undiscounted_without_end(rollout: Rollout) -> Answer:
    """The targets of a critic go on without a discount in a task in which nothing ever ends.

    ## What it sees
    The discount that follows from what the loss of a replayed critic pulls its values towards: it is 1, the rows hold
    episodes that a time limit cut and none that ended, and targets go on behind the limit.

    ## Why it is bad
    The value of a state is then the sum of infinitely many rewards. There is no such number: each update moves the
    critic's values on by about one reward, and they never settle.

    ## What to do
    1. Multiply the next value by gamma, 0.99 for a start.
    2. Where the sum of all rewards up to the limit is what counts, give the time that is left as an observation, and
       let targets end at the limit.

    ## How to prove it
    Watch the mean of the critic's values: it moves on by a reward with every few hundred updates. With a gamma of 0.99
    it levels out at about a hundred rewards.

    ## When it is wrong
    Rewards that are 0 from some state on need no discount, if every policy gets there.

    ## References
    Sutton and Barto, Reinforcement Learning: An Introduction, 2018, section 3.3.
    """
    part = rollout.recovered
    known = [each for each in part.values if _count_limits(each) >= FEWEST_LIMITS] if part is not None else []
    if not known:
        return CannotTell(("recovered",), "no critic is seen to go on behind a time limit")
    endless = (each for each in known[:1] if not each.terminals and _read_gamma(each) >= 1.0 - ROUNDING)
    return answer_with(map(_describe, endless))


def _read_gamma(part: RecoveredValues) -> float:
    return 0.0 if part.gamma is None else part.gamma


def _count_limits(part: RecoveredValues) -> int:
    """Rows that a time limit cut and whose targets go on behind it."""
    return sum(end.rows for end in part.ends if (end.place, end.goes_on_with) == (LIMIT, OWN_NEXT))


def _describe(part: RecoveredValues) -> Finding:
    gamma = _read_gamma(part)
    return Finding(
        message=f"The targets at {part.head} go on with the next value times {gamma:.4g}, also behind the time limit "
        f"({_count_limits(part)} rows), and no episode ends otherwise: the value of a state is a sum without end.",
        confidence=HIGH,
        evidence=(Evidence(metric="gamma", value=gamma, limit=1.0),),
    )
