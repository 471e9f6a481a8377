from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._tokens import no_numbers
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB210", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("prompt-token",))
def prompt_token(outcome: Outcome) -> Answer:
    """A token that depends on the prompt is not learned.

    ## What it sees
    Each of four prompts rewards a different first word. After a few dozen updates these words must have a probability
    of at least 40 % on average; a model that answers all prompts alike reaches 25 %.

    ## Why it is bad
    A policy that earns the mean over all prompts looks like one that learns slowly. Where rewards, prompts and
    completions are paired wrongly, or prompts are truncated, more training does not help.

    ## What to do
    1. Check that each reward is computed with the prompt of its completion.
    2. Check that the prompt is still there when completions are scored, and not truncated on the left, replaced by
       padding, or hidden by the attention mask.
    3. If the rungs before this one hold, look for rows that are gathered or sorted between generation and scoring.

    ## How to prove it
    `weaklink probe TRAINER --only prompt-token` after the change.

    ## When it is wrong
    With a large learning rate a model may settle on one word before it has tried the others: `--steps 200` separates
    slow from wrong.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments).
    """
    return broken(
        outcome,
        "prompt-token",
        Link.DATA,
        "prompts are not paired with their completions and rewards",
        "the pairing of prompts, completions and rewards",
        no_numbers,
    )
