from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM319",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("other_language",),
    leads_to=("LLM301", "LLM307"),
)
def wrong_language(samples: Samples, *, least: float = 0.1) -> Answer:
    """The model answers more and more in another language than that of the prompt.

    ## What it sees
    The share of completions whose language is not that of their prompt rises by 0.1 or more, beyond chance, from the
    start of training or the baseline to the end. Languages are told by their script, and by their commonest words where
    the script is Latin. A text that mixes in words of a script that its prompt does not have counts too. Prompts that
    speak of languages, such as translations, do not count. Rising success does not excuse it.

    ## Why it is bad
    A reward that checks only the answer pays for right answers in any language. The model drifts to the one that is
    easiest for it, users cannot read it, and whatever reads the text (a judge, a format check) fails.

    ## What to do
    1. Add a reward for the language of the prompt, or a check that pays nothing otherwise.
    2. Raise the KL coefficient to the reference policy.
    3. Look at the prompts: few-shot examples or a system prompt in another language pull the answers along.

    ## How to prove it
    Give the first and the last checkpoint the same twenty prompts and read in which language they answer.

    ## When it is wrong
    Prompts that ask for another language in words that are not recognised, and become more frequent in training.

    ## References
    DeepSeek-AI, DeepSeek-R1, 2025 (language mixing and the language consistency reward).
    """
    parts = split(samples, "other_language")
    shift = None if parts is None else parts.shift("other_language")
    if parts is None or shift is None:
        return CannotTell(("step or baseline",), "too few rows, early or late, whose language is known")
    if not shift.rose or shift.change < least:
        return None
    return Finding(
        message=f"{shift.after:.0%} of late completions are in another language than their prompt or mix one in, "
        f"{shift.before:.0%} "
        f"{parts.where}.",
        onset=find_onset(samples, "other_language", shift),
        confidence=HIGH if shift.change > 2 * least and not parts.better else MEDIUM,
        evidence=(Evidence(metric="other_language", value=shift.after, limit=shift.before + least),),
    )
