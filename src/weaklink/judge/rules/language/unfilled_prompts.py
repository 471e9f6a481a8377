from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_DRAWS, FEWEST_ROWS, average_by_draw
from weaklink.judge.rules._samples import LIKELY
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM324",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("unfilled_prompt",),
    leads_to=("LLM301", "LLM302", "LLM305", "LLM307", "LLM308", "LLM322"),
)
def unfilled_prompts(samples: Samples, *, share: float = 0.02) -> Answer:
    """Prompts are templates that were never filled in.

    ## What it sees
    Prompts with a placeholder where the question should stand (`{question}`, `{{ input }}`, `${prompt}`,
    `[INSERT ...]`), with `None` or `nan` after the label of the question, or with nothing between the tokens of a chat
    template: in more than 0.02 of the draws, beyond chance. Prompts that speak of templates or hold code do not count.

    ## Why it is bad
    The model is trained on, or judged by, a question that it was never asked. It learns to answer the template: to ask
    back, to guess, or to say the same to everything.

    ## What to do
    1. Print one prompt as the model gets it.
    2. Compare the names in the template with the columns of the data: a renamed column, doubled braces, a template that
       is applied twice or not at all.
    3. Fail where a placeholder is left after formatting, and where a field is missing.

    ## How to prove it
    Count the prompts of the data that are different from each other, before and after the template is applied: both
    numbers must agree.

    ## When it is wrong
    Tasks about writing templates whose prompts name none of the usual words for them.

    ## References
    The placeholders are those of Python, Jinja and shell templates.
    """
    found = average_by_draw(samples, "unfilled_prompt")
    if found is None:
        return CannotTell(("prompt",), f"fewer than {FEWEST_ROWS} rows with a prompt")
    met = int((found.means > 0).sum())
    if met < FEWEST_DRAWS or found.mean - LIKELY * found.error <= share:
        return None
    rows = int((samples["unfilled_prompt"] == 1.0).sum())
    return Finding(
        message=f"{rows:,} of {len(samples):,} prompts are an unfilled template: a placeholder stands where the "
        f"question should be ({found.mean:.0%} of the draws, limit {share:.0%}).",
        confidence=HIGH,
        evidence=(Evidence(metric="unfilled_prompt", value=found.mean, limit=share),),
    )
