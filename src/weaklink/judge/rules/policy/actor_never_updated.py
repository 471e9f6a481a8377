from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import read_number, read_positive
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

DELAYS = ("policy_delay", "policy_freq", "policy_update_delay", "actor_update_interval", "delayed_policy_update")


@rule(
    "POL102",
    link=Link.POLICY,
    level=Level.WARN,
    on=Config,
    leads_to=("POL302", "REW301", "REW303", "EXP303"),
    symptoms={"reward flat": 3, "about as good as random": 2},
)
def actor_never_updated(config: Config) -> Answer:
    """Training ends before the actor is updated once.

    ## What it sees
    Plain arithmetic on the configuration: the actor is updated once in so many updates of the critics, and the training
    has no more steps than that.

    ## Why it is bad
    The critics learn, their loss falls, and the policy stays as it was initialised.

    ## What to do
    1. Update the actor at every second update of the critics, as TD3 does.

    ## How to prove it
    Compare the weights of the actor before and after the training: they are equal.

    ## When it is wrong
    Several gradient steps for each step of the environment reach the delay sooner: then it is not judged.

    ## References
    Fujimoto, van Hoof and Meger, Addressing Function Approximation Error in Actor-Critic Methods, 2018.
    """
    delay, budget = read_number(config, *DELAYS), read_positive(config, "total_steps")
    if delay is None or budget is None:
        return CannotTell(("policy_delay", "total_steps"), "the step of the actor's first update is not known")
    if delay < budget * max(read_positive(config, "gradient_steps") or 1.0, 1.0):
        return None
    return Finding(
        message=f"The actor is updated at every {delay:,.0f}th update of the critics, and training ends after "
        f"{budget:,.0f} steps: it never learns.",
        confidence=HIGH,
        evidence=(Evidence(metric="policy_delay", value=delay, limit=budget),),
    )
