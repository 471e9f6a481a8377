from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB204", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("tool-mask",))
def tool_mask(outcome: Outcome) -> Answer:
    """The output of a tool is part of the loss of a language model.

    ## What it sees
    Completions with tool output after the model's second word. In the first update the loss must have no gradient on
    the logits of the tool's tokens (a thousandth is noise).

    ## Why it is bad
    The model is trained to generate the tool's output itself. It then invents results instead of calling the tool, and
    the tool's tokens, which the model finds unlikely, have the largest ratios of the batch.

    ## What to do
    1. Keep a mask beside the tokens of a trajectory, 1 for the model's tokens and 0 for the tool's, and multiply the
       loss mask by it.
    2. Divide by the sum of that product, and not by the length of the whole completion.
    3. Build the mask where tokens are concatenated, by counting tokens: text that is tokenized again may split
       elsewhere.

    ## How to prove it
    `weaklink probe TRAINER --only tool-mask` after the change: the tool's share of the gradient is 0.

    ## When it is wrong
    Imitating the tool is sometimes intended, as in a world model.

    ## References
    Practice: discussions of masks for tool output in verl and slime; Jin et al., "Search-R1", 2025.
    """
    return broken(
        outcome,
        "tool-mask",
        Link.DATA,
        "the loss mask includes tokens of tools",
        "where the loss mask is built from the turns of a trajectory",
        None,
    )
