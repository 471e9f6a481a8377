from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._suspicions import find_outside
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule


@rule(
    "RET103",
    link=Link.RETURNS,
    level=Level.INFO,
    on=Config,
    leads_to=("EXP301", "EXP302", "EXP303", "POL308", "POL309", "REW301", "REW303", "REW304", "REW308"),
    marks=("suspect",),
)
def lambda_too_short(config: Config, *, least: float = 0.5) -> Answer:
    """The lambda of GAE lets advantages see hardly further than one step.

    ## What it sees
    A lambda below 0.5 for an on-policy algorithm. It is information, and a warning where the curves show what it leads
    to. A critic that does not fit is nothing of that: targets of one step are the easiest that there are.

    ## Why it is bad
    Advantages then rest on the critic nearly alone, which knows nothing at first: the policy follows its errors.

    ## What to do
    1. Take 0.9 to 0.98, and a lower value only with a critic that is known to be good.

    ## How to prove it
    Repeat a short run with 0.95 and nothing else changed: the return must rise earlier.

    ## When it is wrong
    A critic that learns fast makes up for it: one-step actor-critics train like this on purpose.

    ## References
    Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016 (figure 2).
    """
    if infer_family(config, ()) != "on-policy":
        return CannotTell(("algorithm",), "only on-policy algorithms estimate advantages this way")
    why = "advantages see hardly further than one step and rest on a critic that knows nothing at first"
    return find_outside(config, ("gae_lambda", least, None, why, ""))
