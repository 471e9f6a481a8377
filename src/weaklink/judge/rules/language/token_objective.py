from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import AWAY_FROM_REFERENCE, ONE_SIGN, OWN_PLACE, PADDED_LOSS
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    OWN_PLACE: FlawWords(
        "The loss at {head} scores each token by the logits at its own place, in {count:,} of {of:,} places: these "
        "predict the token that follows, so logits and labels are off by one.",
        "Score tokens[:, 1:] by logits[:, :-1].",
        Link.POLICY,
        Level.ERROR,
    ),
    PADDED_LOSS: FlawWords(
        "The loss at {head} includes {count:,} of {of:,} padding tokens (token {number:.0f}): they fill sequences up "
        "behind their ends, and the policy did not write them.",
        "Multiply the loss of each token by the mask of the completion, up to and including its end-of-sequence token, "
        "and divide by the sum of the mask.",
        Link.POLICY,
        Level.ERROR,
    ),
    ONE_SIGN: FlawWords(
        "The loss at {head} pushes {count:,} of {of:,} completions of {number:.0f} prompts the same way, good and bad "
        "ones alike: no baseline, such as the mean of the group, was subtracted from the rewards.",
        "Subtract the mean reward of the group before dividing by anything.",
        Link.RETURNS,
        Level.ERROR,
    ),
    AWAY_FROM_REFERENCE: FlawWords(
        "The KL penalty at {head} has the wrong sign: within sequences, tokens that the policy already writes more "
        "often than the reference model does are made likelier still ({number:.0%} of the variance of {of:,} weights).",
        "Add beta times the KL to the loss, or subtract it from the reward.",
        Link.POLICY,
        Level.ERROR,
    ),
}


@rule(
    "LLM206",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "POL301", "POL302", "POL303", "POL305", "LLM302", "LLM303", "LLM307", "LLM309", "LLM310", "EXP301", "REW301",
        "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def token_objective(rollout: Rollout) -> Answer:
    """The loss over tokens asks for something else than a policy gradient does.

    ## What it sees
    The gradient at the logits of a network over sequences, in a loop written by hand. It points from the probabilities
    to the token that is scored, so each place tells which token that is and with which weight. Seen are: tokens scored
    by the logits at their own place; tokens of padding that count; completions of the same prompts that are all pushed
    the same way; and weights within sequences that grow with the distance from a reference model.

    ## Why it is bad
    Logits that are off by one teach the model to repeat what it was just given. Padding drowns the tokens that were
    written. Without a baseline bad completions are made likelier too, only less so. A KL penalty with the wrong sign
    pays for leaving the reference model.

    ## What to do
    1. Score `tokens[:, 1:]` by `logits[:, :-1]`.
    2. Apply the mask of the completion to the loss of each token, before the mean.
    3. Subtract the mean reward of the group.
    4. Add the KL to the loss: loss = -surrogate + beta * kl.

    ## How to prove it
    Take the gradient of the loss with respect to the logits of one sequence: at each place the entry of the token that
    follows must be the one of opposite sign, and places behind the end must have none.

    ## When it is wrong
    REINFORCE without a baseline on purpose, with rewards of one sign. Completions that all have one weight, as where
    the best ones are imitated, are not reported. Heads with more than 1,024 outputs are not read.

    ## References
    Shao et al., DeepSeekMath, 2024 (GRPO); Schulman, Approximating KL divergence, 2020; TRL issue #4975.
    """
    return judge_flaws(rollout, WORDS)
