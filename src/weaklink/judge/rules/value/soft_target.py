from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import ENTROPY_SIGN, NO_ENTROPY, UNCORRECTED_LOG_PROB
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    ENTROPY_SIGN: FlawWords(
        "The targets at {head} add the log-probability of the next action with a weight of {number:.3g} instead of "
        "subtracting it, exactly so in {count:,} rows: the sign of the entropy term is wrong.",
        "Subtract it: next value - alpha * log_prob.",
        Link.VALUE,
    ),
    NO_ENTROPY: FlawWords(
        "The targets at {head} hold no entropy term, exactly, although the actor beside it is paid for entropy: about "
        "{number:.3g} a step, where targets are spread by {other:.3g}.",
        "The next value of a soft critic is min(q1, q2) - alpha * log_prob. Some leave the term out on purpose.",
        Link.VALUE,
        Level.WARN,
    ),
    UNCORRECTED_LOG_PROB: FlawWords(
        "The log-probabilities in the targets at {head} are those of actions before tanh, exactly so in {count:,} "
        "rows: the correction for tanh is missing.",
        "Subtract log(1 - tanh(u)^2), summed over the action, from the log-probability of u.",
        Link.POLICY,
    ),
}


@rule(
    "VAL208",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "EXP301", "EXP303", "EXP304", "EXP305", "REW301",
        "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def soft_target(rollout: Rollout) -> Answer:
    """The entropy term in the targets of a soft critic is missing, or has the wrong sign or log-probability.

    ## What it sees
    The target of every row, read off the gradients of the critics' losses, and the log-probability of the next action,
    computed from what the actor gave and the action that the target critics were given. The line that fits exactly has
    the log-probability with the wrong sign, or without what squashing by tanh does to it; or it has none, although a
    temperature is learned beside it and would show in the targets.

    ## Why it is bad
    With the wrong sign the policy is paid for being certain and collapses. Without the correction entropies are those
    of another distribution, actions run to their bounds, and the temperature follows a number that means nothing.
    Without the term the critic values another policy than the one that its actor is made to be.

    ## What to do
    1. The next value is min(q1, q2) - alpha * log_prob.
    2. The log-probability of a = tanh(u) is that of u less the sum of log(1 - a^2).

    ## How to prove it
    Compute one target by hand from the tensors of one minibatch.

    ## When it is wrong
    Nothing is reported where another reading of the log-probability fits as well. Some leave the term out of targets on
    purpose, as with few demonstrations and many updates a step.

    ## References
    Haarnoja et al., Soft actor-critic (2018), equation 3 and appendix C.
    """
    return judge_flaws(rollout, WORDS)
