from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM333",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("gibberish",),
    leads_to=("LLM301", "LLM307", "LLM310", "LLM311"),
)
def unreadable_completions(samples: Samples, *, growth: float = 0.1, multiple: float = 4.0) -> Answer:
    """Completions turn into strings that are no words.

    ## What it sees
    The share of words that are none (three or more consonants and nothing else, letters and digits mixed, rows of
    symbols, pieces of tokens, two scripts in a word) rises during training, or from a baseline, by 0.1 or more and to
    four times what it was, beyond chance. Code, formulas and names have some of these all along.

    ## Why it is bad
    A reward model says nothing sensible of text that nobody writes, and some of it gets high scores. Nothing but the KL
    term holds a policy back from it. Without a reward that pays for it, such text says that the policy is broken: a
    learning rate that is too high, or a tokenizer that is not the model's.

    ## What to do
    1. Read ten late completions with a high reward.
    2. Raise the KL coefficient, or lower the learning rate, and begin again before the onset.
    3. Check that sampler, trainer and reward model have one tokenizer and one chat template.
    4. Train the reward model with such texts as rejected ones.

    ## How to prove it
    Score these completions with the reward model: they must get less than any honest answer.

    ## When it is wrong
    A task that moves from prose to code, tables or another notation during training.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022.
    """
    parts = split(samples, "gibberish")
    shift = None if parts is None else parts.shift("gibberish")
    if parts is None or shift is None:
        return CannotTell(("step or baseline",), "no start to compare with")
    if not shift.rose or shift.change < growth or shift.after < multiple * shift.before:
        return None
    reward = parts.shift("reward")
    paid = reward if reward is not None and reward.rose else None
    told = "" if paid is None else f", while the reward rose from {paid.before:.3g} to {paid.after:.3g}"
    return Finding(
        message=f"{shift.after:.0%} of the words of late completions are none (symbols, unreadable strings: "
        f"gibberish), {shift.before:.0%} {parts.where}{told}.",
        onset=find_onset(samples, "gibberish", shift),
        confidence=MEDIUM if paid is None else HIGH,
        evidence=(Evidence(metric="gibberish", value=shift.after, limit=shift.before + growth),),
    )
