from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB110", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("continuous-target",))
def continuous_target(outcome: Outcome) -> Answer:
    """A continuous action does not reach the target that is observed.

    ## What it sees
    The observation is a target between -0.8 and 0.8, and the reward falls with the distance of the action from it,
    within bounds of -1 and 1. For each of five targets the trained action must come within 0.3 of it, in units of half
    the range, on nearly every seed.

    ## Why it is bad
    Continuous policies have parts that discrete ones lack: a density, squashing with its correction, clipping, a
    standard deviation, or a gradient through the critic. A mistake in them leaves the mean where it was or drives it to
    the bounds.

    ## What to do
    1. Read the distances over the targets. Small at 0 and growing with the target: the policy takes the middle whatever
       it observes. Twice as large as the target: it moves away, so a sign is wrong. Large everywhere, with actions on
       the bounds: the log-probability of squashed or clipped actions is wrong.
    2. The log-probability must be that of the action before clipping; with tanh subtract log(1 - tanh(u)^2), summed
       over the action's dimensions only.
    3. With a gradient through the critic: the actor maximises Q, the actor's optimizer holds only the actor, and the
       critic gets actions in the units in which they are stored.
    4. Check that the standard deviation can shrink: it is a parameter with a gradient, and the entropy bonus is small.
       For an agent that exposes `sample` and `temperature` (SAC), the finding says when the temperature has run away:
       the policy then takes the middle because entropy pays more than the reward, so check the sign of the
       temperature's loss first.

    ## How to prove it
    `weaklink probe TRAINER --only continuous-target` after the change: every target is met.

    ## When it is wrong
    The answers of an agent whose `act` samples with a wide standard deviation are averaged over a dozen draws, which
    may not be enough: return the mean. Too few updates, or a standard deviation that is annealed slowly; a larger
    `--steps` shows which. Actions in -1 to 1 are right here, where the environment has these bounds, and wrong on the
    next rung.

    ## References
    Haarnoja et al., "Soft Actor-Critic Algorithms and Applications", arXiv 1812.05905; autonomous-learning-library
    issue 139 (the tanh term); Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", 2022
    (clipped actions).
    """
    return broken(
        outcome,
        "continuous-target",
        Link.POLICY,
        "the density or the gradient of continuous actions is wrong",
        "the log-probability with its squashing and clipping, and the gradient of the actor",
    )
