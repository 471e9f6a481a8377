from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM350",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("trains_on_prompt",),
    leads_to=("POL303", "POL305", "LLM302", "LLM309", "LLM310", "LLM338"),
)
def prompt_in_loss(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The loss mask covers the prompt, so its tokens are trained on.

    ## What it sees
    Rows give a mask of the loss, the tokens of the prompt and those of the completion, and the mask is as long as both
    together. In more than 0.05 of the last rows it is 1 on most tokens of the prompt.

    ## Why it is bad
    A reward for an answer then raises the probability of the question. Most tokens of a batch are often those of
    prompts, so the signal of the answers drowns in them, and ratios and KL are computed over what was never sampled.

    ## What to do
    1. Set the mask to 0 up to the first token of the completion.
    2. Build it from the lengths, before padding and packing, and not from the attention mask.
    3. Multiply by the mask of tool output where an agent is trained.

    ## How to prove it
    Take the gradient of the loss with respect to the log-probability of each token: it must be 0 on the prompt.

    ## When it is wrong
    Training on the prompt on purpose, with an additional language-modelling loss.

    ## References
    Search-R1 issue #21; verl issue #1037; TRL issue #4975.
    """
    found = measure_marked(samples, "trains_on_prompt")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"In {found.share:.0%} of the rows the loss mask covers the prompt (limit {limit:.0%}{found.since}): "
        "prompt tokens are trained on as if the model had written them.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="trains_on_prompt", value=found.share, limit=limit),),
    )
