from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "AGT318",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=("asks_again",),
    leads_to=("AGT305", "AGT308", "LLM303"),
)
def repeated_questions(samples: Samples, *, limit: float = 0.2) -> Answer:
    """The agent asks again, word for word, what it has asked before: it has no memory of the conversation.

    ## What it sees
    In more than 0.2 of the last conversations, beyond chance, the agent ends two messages or more with a question that
    it has asked before in the same conversation, to the letter.

    ## Why it is bad
    Every turn that repeats another costs the user time and tells the agent nothing. A reward for the end alone pays for
    it, and where turns are paid it is worth money.

    ## What to do
    1. Print what the model is given in the turn that repeats: are the earlier turns in it, answers of the user too?
    2. Check the limit on the length of the context, and which end it cuts off.
    3. Take something off for each turn, or for a slot that is asked for twice.

    ## How to prove it
    Replay one conversation up to the repeated question with the whole history in the context: another must follow.

    ## When it is wrong
    Quizzes and forms that ask each of several people the same.

    ## References
    Budzianowski et al., MultiWOZ, 2018 (dialogues in which slots are asked for once).
    """
    found = measure_marked(samples, "asks_again")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"In {found.share:.0%} of the conversations the agent asks again what it has already asked, word for "
        f"word, twice or more (limit {limit:.0%}{found.since}): it repeats itself as if it had no memory.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="asks_again", value=found.share, limit=limit),),
    )
