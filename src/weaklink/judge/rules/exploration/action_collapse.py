from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_lasting_below
from weaklink.judge.rules._course import FEWEST, tell_unsolved
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


@rule(
    "EXP302",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.action_std_min", "exploration.action_std"),),
    leads_to=("POL302", "VAL301", "VAL304", "VAL307", "REW301", "REW302", "REW304"),
    tree=2,
    symptoms={"reward declines": 2, "entropy collapsed": 2},
    checks={"exploration": "decides"},
    alert=BareLimit(
        side="below",
        limit=0.01,
        metrics=("exploration.action_std_min", "action_std_min"),
        meaning="an action dimension has no spread left",
    ),
)
def action_collapse(run: Run, *, limit: float = 0.01) -> Answer:
    """An action dimension has become deterministic, and the return is poor.

    ## What it sees
    The smallest standard deviation of the action distribution (or their mean where only that is logged) stays below
    0.01 while the return does not improve, or while hardly any episode reaches the goal, no more than at first.

    ## Why it is bad
    Without variation in an action the policy gradient cannot tell which way to move it: the dimension stays frozen
    where it is.

    ## What to do
    1. Keep the log standard deviation above a floor (about -3), or raise the entropy coefficient.
    2. Check whether the rewards drown the entropy term; scale them down.
    3. Check that the environment gets the action in the right units: a dimension without effect collapses.

    ## How to prove it
    Sweep the collapsed dimension from -1 to 1 from a fixed state: if the reward changes, exploration ended
    too early.

    ## When it is wrong
    Precise tasks end with a small standard deviation once they are solved; runs whose return improved are not reported,
    unless their success is logged and says that the task is not solved.

    ## References
    Haarnoja et al., Soft Actor-Critic Algorithms and Applications, 2018 (why a policy stays stochastic).
    """
    deviation = run.get("exploration.action_std_min", "exploration.action_std")
    assert deviation is not None
    if len(deviation) < FEWEST:
        return CannotTell((deviation.name,), f"fewer than {FEWEST} points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    held = find_lasting_below(deviation.values, limit)
    if held is None or not held.to_end:
        return None
    unsolved = tell_unsolved(run)
    if course.improved and not unsolved:
        return None
    step = float(deviation.steps[held.start])
    return Finding(
        message=f"{deviation.name} stays at {held.level:.2g} from step {step:,.0f} on (limit {limit:g}), "
        f"and {unsolved or course.told}.",
        onset=step,
        onset_within=deviation.interval,
        confidence=HIGH if deviation.name.endswith("_min") else MEDIUM,
        evidence=(Evidence(metric=deviation.name, value=held.level, limit=limit, step=step),),
    )
