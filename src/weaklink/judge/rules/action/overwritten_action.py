from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ACT112",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    leads_to=("ENV102", "ENV103", "OBS104", "OBS105", "REW111", "POL301", "REW301"),
)
def overwritten_action(survey: Survey) -> Answer:
    """A step writes into the array of the action that it is given.

    ## What it sees
    The array that was handed to `step` holds other numbers after the call.

    ## Why it is bad
    The trainer stores the action after the step, or trains on the array that it handed over: what is learned from is
    not what the policy chose. The ratio of a PPO is off from the first epoch, a replay buffer holds actions in the
    units of the simulator, and nothing crashes.

    ## What to do
    1. Work on a copy: `action = np.clip(action, low, high)` makes one; `np.clip(..., out=action)`, `action *= scale`
       and `action[0] = 0` do not.
    2. Look through wrappers as well.

    ## How to prove it
    Keep a copy of an action, take a step with the action, and compare the two. `weaklink preflight ENV` does this.

    ## When it is wrong
    A trainer that copies every action before the step is not affected. Others are.

    ## References
    Practice; NumPy, in-place operators and the `out` argument.
    """
    if survey.overwritten is None:
        return CannotTell(("overwritten",), "actions were not compared with what was handed to a step")
    if not survey.overwritten:
        return None
    return Finding(
        message=f"A step wrote into the array of the action that it was given, in {survey.overwritten}.",
        confidence=HIGH,
        evidence=(Evidence(metric="action.overwritten", value=1.0, limit=0.0),),
    )
