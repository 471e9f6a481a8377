from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OPT306",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Run,
    needs=("optimizer.updates",),
    leads_to=("OPT303", "POL302", "VAL304", "EXP303", "REW301", "REW302", "REW304"),
    symptoms={"reward flat": 5, "about as good as random": 4},
    checks={"updates happen": "fails"},
)
def no_optimizer_step(run: Run, *, steps: float = 5_000) -> Answer:
    """The environment is stepped thousands of times, and no optimizer ever steps.

    ## What it sees
    The count of optimizer steps is zero at the end of a run of at least `steps` environment steps, although the script
    has made an optimizer.

    ## Why it is bad
    Nothing is learned. What looks like a hard task or a bad reward is a policy that was never changed.

    ## What to do
    1. Follow the code from the end of a rollout to `optimizer.step()`. A condition on the way is never met.
    2. An early stop by KL: stop when the KL is *above* its limit. Where the KL is far above it before the first step,
       the probabilities that were stored are not those of the policy that learns.
    3. A warm-up of a replay buffer must be shorter than the training.

    ## How to prove it
    Print a line beside `optimizer.step()`.

    ## When it is wrong
    A script that only plays a trained policy needs no optimizer, and seldom makes one.

    ## References
    Jones, Debugging reinforcement learning systems (2021).
    """
    series = run["optimizer.updates"]
    if run.last_step < steps:
        return CannotTell(("optimizer.updates",), f"the run has fewer than {steps:,.0f} steps")
    if float(series.highs.max()) > 0.0:
        return None
    return Finding(
        message=f"In {run.last_step:,.0f} environment steps no optimizer has stepped once, although there is one: "
        "nothing is learned.",
        onset=0.0,
        confidence=HIGH,
        evidence=(Evidence(metric="optimizer.updates", value=0.0, limit=1.0, step=run.last_step),),
    )
