from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# one step may be the last look at an episode that is over
FEWEST_STEPS = 3


@rule(
    "ENV201",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("RET201", "RET202", "RET203", "VAL301", "VAL302", "VAL304", "REW301", "REW302", "REW304", "TSK301"),
)
def stepped_past_end(rollout: Rollout, *, share: float = 0.01) -> Answer:
    """The environment is stepped on after its episode has ended, without a reset.

    ## What it sees
    What the environment gave at every step, and every reset: after a step that was terminated or truncated, the next
    one goes on from the observation that the episode ended with and is an end again, and nobody called `reset`. Less
    than `share` of all steps is information: a step or two behind each time limit do little harm.

    ## Why it is bad
    What an environment does after its end is not defined. Behind a time limit every further step is truncated as well,
    so rollouts become one step long and the training never sees a new start.

    ## What to do
    1. Reset where `terminated or truncated`, not where `terminated` alone.
    2. Use a vector environment, which resets by itself.

    ## How to prove it
    Count calls of `reset` and episodes that ended: both must grow together.

    ## When it is wrong
    An environment that resets itself is not reported: its next step is no end. One whose episodes may be single
    steps, and which resets itself to the observation that they end with, would be.

    ## References
    Gymnasium documentation, `Env.step` and `Env.reset`.
    """
    part = rollout.recovered
    if part is None:
        return CannotTell(("recovered",))
    if part.past_end < FEWEST_STEPS:
        return None
    rare = part.past_end < share * part.stepped
    return Finding(
        message=f"{part.past_end:,} steps went on from the observation that an episode had ended with, without a "
        "reset.",
        level=Level.INFO if rare else Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="steps past an end", value=float(part.past_end), limit=0.0),),
    )
