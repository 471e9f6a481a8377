from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM376",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("garbled",),
    leads_to=("LLM301", "LLM319", "LLM333", "LLM348"),
)
def garbled_texts(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Texts were decoded with the wrong character set: accents and umlauts stand there as two characters.

    ## What it sees
    In more than 0.05 of the rows a text, whether prompt, reference or completion, holds what UTF-8 looks like when it
    is read as Latin-1 or Windows-1252: a capital A with a tilde before a sign, where a letter with an accent was.

    ## Why it is bad
    A garbled reference can be matched by no right answer, so right answers lose reward in some languages alone. A model
    that is trained on garbled text writes it.

    ## What to do
    1. Open every file with `encoding="utf-8"`, and look where text is decoded twice.
    2. Mend what is stored: `text.encode("cp1252").decode("utf-8")`.
    3. Score right answers in each language.

    ## How to prove it
    Look at the bytes of one such text in its source: they must be those of the letter.

    ## When it is wrong
    A task about character sets.

    ## References
    The Unicode Standard, section 3.9 (UTF-8).
    """
    found = measure_marked(samples, "garbled")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"{found.share:.0%} of the rows have garbled text (limit {limit:.0%}{found.since}): UTF-8 was decoded "
        "with the wrong character set (mojibake), in the reference, the prompt or the completion.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="garbled", value=found.share, limit=limit),),
    )
