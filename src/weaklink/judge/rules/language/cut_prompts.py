from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM337",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("cut_prompt",),
    leads_to=("LLM308", "LLM327"),
)
def cut_prompts(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Prompts are cut at a maximum length, and what is asked is missing.

    ## What it sees
    More than 0.05 of the prompts stop in the middle of a sentence, and those are of about one length, which hardly any
    other prompt exceeds: a limit cut them. Prompts without full stops, such as queries of keywords, do not count. It is
    an alarm too where most prompts begin in the middle of a sentence, each in another way, and all are of one length: a
    limit cut them from the left.

    ## Why it is bad
    The question mostly stands at the end. The model answers something else or guesses, the reward still compares with
    the answer to the whole question, and the best that can be learned is to guess what was cut.

    ## What to do
    1. Raise the limit on the length of prompts (`max_prompt_length`), or drop prompts that exceed it.
    2. Where cutting is needed, cut the text and keep the question: truncate on the left, or in the middle.
    3. Count at load time how many prompts are cut, and stop where any is.

    ## How to prove it
    Look up ten of these prompts in the data: they must go on there.

    ## When it is wrong
    Tasks that ask to go on with a text that breaks off, with excerpts of one length.

    ## References
    TRL, GRPOConfig: `max_prompt_length` truncates prompts silently.
    """
    found = measure_marked(samples, "cut_prompt")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    if "headless_prompt" in samples:
        return Finding(
            message=f"The beginning of the prompts is cut off: {found.share:.0%} of the prompts start in the middle of "
            f"a sentence, and all are of about the same length (limit {limit:.0%}). What stood before is missing.",
            confidence=HIGH,
            evidence=(Evidence(metric="cut_prompt", value=found.share, limit=limit),),
        )
    return Finding(
        message=f"{found.share:.0%} of the prompts are cut short: they stop in the middle of a sentence, all at about "
        f"the same length, the longest of all (limit {limit:.0%}).",
        confidence=HIGH if found.over(0.2) else MEDIUM,
        evidence=(Evidence(metric="cut_prompt", value=found.share, limit=limit),),
    )
