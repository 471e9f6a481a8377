from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB110", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("continuous-target",))
def continuous_target(outcome: Outcome) -> Answer:
    """A continuous action does not come to the target that is seen.

    ## What it sees
    A target between -0.8 and 0.8 is seen, and the reward falls with the distance of the action from it, within bounds
    of -1 and 1. For each of five targets the trained action must come within 0.3 of it, half of the range being 1, on
    nearly every seed.

    ## Why it is bad
    Continuous policies have parts that discrete ones lack: a density, squashing with its correction, clipping, a
    spread of their own, or a gradient through the critic. A mistake in them leaves the mean where it was or drives it
    to the bounds.

    ## What to do
    1. Read the distances over the targets. Small at 0 and growing with the target: the middle, whatever is seen.
       Twice as large as the target: away from it, so a sign. Large everywhere, with actions on the bounds: squashed
       or clipped actions are scored wrongly.
    2. The log-probability must be that of the action before clipping; with tanh subtract log(1 - tanh(u)^2), summed
       over the action's dimensions only.
    3. With a gradient through the critic: the actor maximises Q, the actor's optimizer holds only the actor, and
       actions go into the critic in the units in which they are stored.
    4. See that the spread can shrink: it is a parameter with a gradient, and the entropy bonus is small. A soft agent
       that shows `sample` and `temperature` is told when its temperature has run away: then it is the middle because
       being random pays more than the reward, and the sign of the temperature's loss is to be looked at first.

    ## How to prove it
    `weaklink probe TRAINER --only continuous-target` after the change: each target is met.

    ## When it is wrong
    An agent whose `act` draws with a wide spread is averaged over a dozen draws, which may not be enough: hand over
    the mean. Too few updates, or a spread that is annealed slowly; `--steps` tells. Actions in units of -1 to 1 where
    the environment has the same bounds are right here and wrong on the next rung.

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
