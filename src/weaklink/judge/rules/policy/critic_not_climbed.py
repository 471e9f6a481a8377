from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import ENTROPY_ALONE, PUSHED_CRITIC, UNREACHED_ACTOR
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    UNREACHED_ACTOR: FlawWords(
        "The actor's loss looks at {head} in {count:,} rows, but its gradient reaches no weight of the actor: the "
        "action was drawn without a gradient, or is the one that was stored.",
        "Draw the action with rsample(), and hand it to the critic without detach or no_grad.",
        Link.POLICY,
    ),
    ENTROPY_ALONE: FlawWords(
        "The loss at {head} makes the drawn actions of {count:,} rows less likely, all with the same weight, and "
        "nothing else: critics are asked about these actions, but no gradient of their values reaches the actor.",
        "Draw the action with rsample(), and hand it to the critic without detach or no_grad.",
        Link.POLICY,
    ),
    PUSHED_CRITIC: FlawWords(
        "The loss of the actor moves {head} as well, in {count:,} optimizer steps: its values are raised wherever the "
        "actor goes, whatever is true.",
        "Give the optimizer of the actor the parameters of the actor alone, or stop their gradient in its loss.",
        Link.OPTIMIZER,
    ),
}


@rule(
    "POL208",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("POL301", "POL302", "EXP301", "EXP303", "EXP305", "VAL301", "VAL302", "REW301", "REW302", "REW304"),
)
def critic_not_climbed(rollout: Rollout) -> Answer:
    """No gradient of the critic's value reaches the actor that is to climb it, or the critic itself is moved by it.

    ## What it sees
    The gradient that the actor's loss has at the critic, which is one number in all rows, and where it goes from there:
    it ends at the action, and the optimizer moves the actor for its entropy alone, or nothing at all. Or it ends in the
    weights of the critic, which the same optimizer moves. Where the critics leave no gradient at all, it is the actor's
    own that tells: the log-probability of the action that they were asked about, with one weight in all rows.

    ## Why it is bad
    The actor never learns which actions are worth more. Losses look as usual, because the critic still learns. A critic
    that an actor's loss moves learns to praise whatever the actor does.

    ## What to do
    1. Draw actions with `rsample()`; `sample()` cuts the gradient.
    2. Hand the action to the critic outside of `no_grad`, without `detach`, and not the one of the buffer.
    3. Give each optimizer the parameters of one network.

    ## How to prove it
    Print `action.requires_grad` right before the critic is asked in the actor's loss: it must be True.

    ## When it is wrong
    Estimators that weigh the log-probability with a value need no such gradient, and ask nothing of the critic.

    ## References
    Haarnoja et al., Soft actor-critic (2018); Lillicrap et al., Continuous control with deep reinforcement learning
    (2016).
    """
    return judge_flaws(rollout, WORDS)
