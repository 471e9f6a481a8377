from __future__ import annotations

from weaklink.base.evidence.recovered import RecoveredPolicy
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows fit three numbers too easily
FEWEST_ROWS = 64


@rule(
    "RET204",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("RET301", "POL302", "POL308", "REW301", "REW302", "REW304"),
)
def baseline_rescaled(rollout: Rollout, *, apart: float = 0.1, nothing: float = 0.005) -> Answer:
    """The policy's advantages subtract the critic's value in other units than those of the return.

    ## What it sees
    The weight of every row in the policy's loss, read off its gradient, beside the targets that the critic learns and
    the values that it answered. Weights are, exactly, a return less some number of times the value: reported is a
    number further than `apart` from 1. A critic that is not subtracted at all (below `nothing`) is left to its author.

    ## Why it is bad
    A value in units that are far too small takes hardly anything away, and the gradient is as noisy as without a
    critic. One in units that are too large drowns the return. Either way the critic's own loss looks fine.

    ## What to do
    1. Where the critic learns scaled or normalised returns, scale its answers back before they are subtracted.
    2. Or compute returns, values and advantages in the same scaled units.

    ## How to prove it
    Print the spread of the returns and of the values that are subtracted from them: they must be alike.

    ## When it is wrong
    A control variate with a coefficient of its own, fitted to the least variance, is one on purpose.

    ## References
    Williams, Simple statistical gradient-following algorithms (1992); van Hasselt et al., Learning values across many
    orders of magnitude (2016).
    """
    part = rollout.recovered
    judged = [each for each in part.policies if each.correlation is not None] if part is not None else []
    if not judged:
        return CannotTell(("recovered",), "no policy's weights could be compared with advantages")
    return answer_with(each for each in (_judge(policy, apart, nothing) for policy in judged) if each is not None)


def _judge(part: RecoveredPolicy, apart: float, nothing: float) -> Finding | None:
    times = part.baseline
    if times is None or part.weighed < FEWEST_ROWS or abs(times - 1.0) <= apart or abs(times) < nothing:
        return None
    return Finding(
        message=f"The weights of {part.weighed:,} rows in the loss at {part.head} are a return less {times:.3g} times "
        "the critic's value, in the units that the critic learns: value and return have different units.",
        link=Link.VALUE,
        confidence=HIGH,
        evidence=(Evidence(metric="times the value is subtracted", value=times, limit=1.0),),
    )
