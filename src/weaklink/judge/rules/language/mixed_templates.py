from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM336",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("mixed_template",),
    leads_to=("LLM318", "LLM302", "LLM303"),
)
def mixed_templates(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Prompts are wrapped in two chat templates, or in one of them twice.

    ## What it sees
    In more than 0.05 of the prompts stand marks of turns of two families of models (ChatML, Llama 2, Llama 3, Gemma,
    Zephyr, DeepSeek), or the header of an answer stands twice in a row, or a turn of the user begins with the header of
    another, or the prompt begins with two beginnings of a sequence. Prompts that speak of chat templates or of
    tokenizers do not count.

    ## Why it is bad
    The model has never seen such a prompt. It does not know who speaks and where its turn begins, so it answers worse,
    plays the user or writes control tokens, and training starts far from what the model can do.

    ## What to do
    1. Print one prompt as the model gets it, with its special tokens, and compare it with `apply_chat_template`.
    2. Apply the template in one place only: in the data, in the trainer or in the inference server.
    3. Take the template of the tokenizer that is trained, not that of another model.

    ## How to prove it
    Sample fifty prompts with the template applied once, and compare the scores at step 0.

    ## When it is wrong
    Data in which users paste prompts of other models.

    ## References
    Hugging Face transformers, Chat templates: templates that are applied twice.
    """
    found = measure_marked(samples, "mixed_template")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"{found.share:.0%} of the prompts mix chat templates: marks of turns of two models stand in one "
        "prompt, or one template was applied twice, with a header or the beginning of a sequence within another turn "
        f"(limit {limit:.0%}{found.since}).",
        onset=found.onset,
        confidence=HIGH if found.over(2 * limit) else MEDIUM,
        evidence=(Evidence(metric="mixed_template", value=found.share, limit=limit),),
    )
