from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import is_missed
from weaklink.judge.rules.writing import HIGH, Answer, Level, Link, rule


@rule("PRB203", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("token-mask",))
def token_mask(outcome: Outcome) -> Answer:
    """Prompt or padding tokens are part of the loss of a language model.

    ## What it sees
    Prompts of different lengths and completions that end early, so that rows are padded on both sides. In the first
    update the loss must have no gradient on the logits of prompt tokens and of padding (a thousandth is noise), and the
    log-probabilities in the padded batch must equal those of the same tokens without padding.

    ## Why it is bad
    The model is trained to generate prompts, or to continue after the end. Both take a share of the gradient, hide in
    the mean over tokens, and grow with the differences in length. Padding that is attended to changes every ratio.

    ## What to do
    1. Multiply the loss of each token by a mask that is 1 from the first completion token to the EOS token, and divide
       by the sum of the same mask.
    2. Pass the attention mask, 0 on padding, in every forward pass: generation, scoring, reference.
    3. With left padding and learned position embeddings, pass `position_ids` made from the attention mask.

    ## How to prove it
    `weaklink probe TRAINER --only token-mask` after the change: both shares are zero.

    ## When it is wrong
    A language-modelling loss on the prompts may be mixed in on purpose: switch it off for the probe.

    ## References
    Practice (prompt tokens in the loss); Huang et al., "The N Implementation Details of RLHF with PPO", 2023 (padding
    and position ids).
    """
    return broken(
        outcome,
        "token-mask",
        Link.DATA,
        "tokens that the model did not generate are part of the loss",
        "the loss mask and the attention mask",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    for what, where, reason, look in _KNOWN:
        if is_missed(trials, what, where):
            return Cause(Link.DATA, reason, look, HIGH)
    return None


_KNOWN = (
    (
        "gradient share",
        "prompt tokens",
        "the loss mask includes prompt tokens",
        "where the loss mask is built: 0 up to the last token of the prompt",
    ),
    (
        "gradient share",
        "padding",
        "the loss mask includes padding",
        "where the loss mask is built: 0 after the EOS token, and before the prompt",
    ),
    (
        "log-probability off",
        "with padding against without",
        "padding changes the log-probabilities, so the attention mask does not hide it",
        "the attention mask and the position ids of the forward pass of the update",
    ),
)
