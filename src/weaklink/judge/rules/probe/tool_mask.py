from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB204", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("tool-mask",))
def tool_mask(outcome: Outcome) -> Answer:
    """What a tool says takes part in the loss of a language model.

    ## What it sees
    Completions in which a tool speaks after the model's second word. In the first update the loss must ask nothing of
    the logits for the tool's tokens (a thousandth is noise).

    ## Why it is bad
    The model is taught to write the tool's answers itself. It then invents results instead of calling the tool, and the
    tool's tokens, which the model finds unlikely, have the largest ratios of the batch.

    ## What to do
    1. Keep a mask beside the tokens of a trajectory, 1 for the model's own and 0 for the tool's, and multiply the
       mask of the loss by it.
    2. Divide by the sum of that product, and not by the length of the whole completion.
    3. Make the mask where tokens are joined, by counting tokens: texts that are tokenized again may split elsewhere.

    ## How to prove it
    `weaklink probe TRAINER --only tool-mask` after the change: no share of the gradient.

    ## When it is wrong
    Imitating the tool is sometimes wanted, as in a world model. The probe says so and no more.

    ## References
    Practice: discussions of masks for tool output in verl and slime; Jin et al., "Search-R1", 2025.
    """
    return broken(
        outcome,
        "tool-mask",
        Link.DATA,
        "the mask of the loss lets tokens of tools through",
        "where the mask of the loss is made from the turns of a trajectory",
        None,
    )
