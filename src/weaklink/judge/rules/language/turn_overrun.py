from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import average_by_draw, select_complete
from weaklink.judge.rules._samples import LIKELY, find_onset, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WHOLE = 0.9
"""The share of rows from the first step on from which the rows are whole conversations, as some logs keep them."""


@rule(
    "LLM318",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("overrun",),
    leads_to=("LLM302", "LLM303", "LLM309"),
)
def turn_overrun(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Completions go on after the end of their turn: control tokens stand in the text, and the model plays the user.

    ## What it sees
    In more than 0.05 of the last completions, or of all where that share does not change, a user's turn begins
    (`<|im_start|>user` and the like), or text follows a token that ends a turn. Turns in plain words (`Human:` and
    `Assistant:` at the beginning of lines) count where an answer comes before them. A token at the very end is fine,
    and so are turns with results of tools.

    ## Why it is bad
    Sampling should have stopped there. What comes after is graded and trained on as if it were the answer, so the model
    learns to talk to itself, and the user sees control tokens.

    ## What to do
    1. Give the sampler every end-of-turn token of the chat template as a stop token.
    2. Check that the template is applied once, with the tokenizer's special tokens parsed as such and not as text.
    3. Cut completions at the first end token before they are graded, and keep that token in the loss.

    ## How to prove it
    Print the token ids of ten such completions: the id of the end-of-turn token must stand where the answer ends, and
    generation must end there.

    ## When it is wrong
    Answers about chat templates quote such tokens. Logs that keep a whole conversation in one text hold turns by
    design: where nearly every row has them from the start, the rule does not judge.

    ## References
    trl pull request #7039 (second end-of-sequence token); Hugging Face documentation on chat templates.
    """
    rows = select_complete(samples, "overrun")
    parts = split(rows, "overrun")
    late = average_by_draw(select_settled(rows, "overrun"), "overrun")
    if late is None:
        return CannotTell(("completion",), "too few rows, or too few prompts")
    first = late if parts is None or parts.baseline else average_by_draw(parts.before, "overrun")
    if first is not None and min(first.mean, late.mean) >= WHOLE:
        return CannotTell(("completion",), "nearly every row holds several turns, as a log of whole conversations does")
    if late.mean - LIKELY * late.error <= limit:
        return None
    shift = None if parts is None else parts.shift("overrun")
    rose = shift is not None and shift.rose
    return Finding(
        message=f"{late.mean:.0%} of the completions go on after their turn, where a stop token should have ended "
        f"them: a user's turn begins in the text, or text follows a control token (limit {limit:.0%}).",
        onset=find_onset(rows, "overrun", shift) if shift is not None and rose else None,
        confidence=HIGH if rose or late.mean < 0.5 else MEDIUM,
        evidence=(Evidence(metric="overrun", value=late.mean, limit=limit),),
    )
