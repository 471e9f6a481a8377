from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM335",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("padding",),
    leads_to=("LLM302", "LLM303", "LLM309", "LLM333"),
)
def padded_completions(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Completions hold padding and other special tokens, which are graded and trained on with them.

    ## What it sees
    In more than 0.05 of the last completions, or of all where that share does not change, a padding token stands in the
    text (`<pad>`, `[PAD]`, `<|pad|>`), or several tokens in a row that each end a sequence. A single end-of-sequence
    token at the end is fine.

    ## Why it is bad
    A text that was decoded with its padding is not what the model said. A reward model reads the padding and scores it,
    lengths count it, and where the mask of the loss comes from the text, the model is trained to write it.

    ## What to do
    1. Decode with `skip_special_tokens=True` before a text goes to the reward function.
    2. Cut each completion at its first end-of-sequence token, and build the mask of the loss from that place.
    3. Give padding a token of its own where it is the end-of-sequence token.

    ## How to prove it
    Score ten completions with and without their padding: the rewards must be the same, and no masked token may change
    the loss.

    ## When it is wrong
    Logs that are written with special tokens while reward and loss get clean texts; tasks about tokenizers.

    ## References
    Huang et al., The N Implementation Details of RLHF with PPO, 2023 (padding and end-of-sequence tokens).
    """
    found = measure_marked(samples, "padding")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"{found.share:.0%} of the completions hold padding or other special tokens, such as <pad> or several "
        f"end-of-sequence tokens in a row (limit {limit:.0%}{found.since}).",
        onset=found.onset,
        confidence=HIGH if found.over(2 * limit) else MEDIUM,
        evidence=(Evidence(metric="padding", value=found.share, limit=limit),),
    )
