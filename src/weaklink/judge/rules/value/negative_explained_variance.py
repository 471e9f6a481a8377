from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_lasting_below
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    BareLimit,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    rule,
)

# explained variance is noisy: in a healthy A2C run on CartPole it is negative in a third of the updates
FEWEST_POINTS = 20

# A critic that predicts a constant has an explained variance of 0, up to this
ROUNDING = 1e-3


@rule(
    "VAL301",
    link=Link.VALUE,
    level=Level.WARN,
    needs=("value.explained_variance",),
    leads_to=("VAL304", "RET301", "POL305", "EXP303", "REW301", "REW303", "REW304"),
    tree=1,
    symptoms={"reward oscillates": 6, "q-values diverge": 4},
    checks={"critic": "decides"},
    experiment="the critic alone",
    alert=BareLimit(
        side="below",
        limit=-0.5,
        metrics=("value.explained_variance", "explained_variance"),
        meaning="values are worse than a constant would be",
    ),
)
def negative_explained_variance(run: Run, *, limit: float = 0.0, anti: float = -0.5, warm_up: float = 0.1) -> Answer:
    """The critic predicts worse than a constant.

    ## What it sees
    After the first tenth of the run, explained variance stays below 0 while the return does not improve. If no return
    is logged, it must stay below -0.5 to the end.

    ## Why it is bad
    Advantages are returns minus predictions. A critic that is worse than the mean adds noise to every advantage, and so
    to the policy gradient.

    ## What to do
    1. Bring value targets into [-3, 3]: scale or normalise the rewards.
    2. Check the targets themselves: done masks, bootstrapping at time limits, lambda.
    3. Try a smaller network or another learning rate for the critic, and a network separate from the policy.

    ## How to prove it
    Freeze the policy, take one fixed rollout and train only the critic on its returns: if it cannot fit them, the
    fault is in the critic or in its targets. `weaklink confirm VAL301 my_project.py` does this.

    ## When it is wrong
    Once a task is solved, returns hardly vary and explained variance loses its meaning: a perfect CartPole can show
    -1000. The rule does not fire while the return improves, or has improved and stayed there.

    ## References
    Schulman, Nuts and Bolts of Deep RL Research, 2016.
    """
    explained = run["value.explained_variance"]
    if len(explained) < FEWEST_POINTS:
        return CannotTell(("value.explained_variance",), f"fewer than {FEWEST_POINTS} points")
    course = run.performance
    if course is not None and not course.stuck:
        return None
    begin = int(warm_up * len(explained))
    bound = anti if course is None else limit
    held = find_lasting_below(explained.values[begin:], bound - ROUNDING, window=0.4)
    if held is None or not held.to_end:
        return None
    since = find_lasting_below(explained.values, bound - ROUNDING)
    step = float(explained.steps[begin + held.start if since is None else min(since.start, begin + held.start)])
    tail = "" if course is None else f", and {course.told}"
    return Finding(
        message=f"Explained variance stays at {held.level:.2f} from step {step:,.0f} on (limit {bound:g}){tail}.",
        onset=step,
        onset_within=explained.interval,
        confidence=HIGH if held.level < anti else MEDIUM,
        evidence=(Evidence(metric=explained.name, value=held.level, limit=bound, step=step),),
    )
