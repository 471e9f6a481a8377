from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import UNASKED_CRITIC
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    UNASKED_CRITIC: FlawWords(
        "No loss asks anything of {head}, although the advantages of the policy's loss are made of its values in all "
        "{count:,} rows: the critic stays as it was made.",
        "Add the value loss to what backward is called on, with the value itself and not value.detach() in it.",
        Link.VALUE,
    )
}


@rule(
    "VAL209",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "POL302", "EXP303", "REW301", "REW302", "REW304"),
)
def critic_not_asked(rollout: Rollout) -> Answer:
    """The critic that advantages are made of is never trained: no gradient of any loss reaches it.

    ## What it sees
    A head that an optimizer holds and that is asked within autograd's graph, at which no gradient ever arrives, while
    the weights of the policy's loss are the advantages that its values give, to the last digits.

    ## Why it is bad
    The baseline is a random function. Advantages are noisy for good, and bootstrapped returns are wrong. The
    value loss is computed and logged as usual, because its number does not show what it depends on.

    ## What to do
    1. Detach the target, never the prediction: `((target.detach() - value) ** 2).mean()`.
    2. Add the value loss to the loss that `backward` is called on.

    ## How to prove it
    Print `value.requires_grad` in the value loss, and the gradient of the critic's last layer after `backward`.

    ## When it is wrong
    Outputs that nobody uses are not reported, nor a critic beside another one that learns.

    ## References
    Mnih et al., Asynchronous methods for deep reinforcement learning (2016); PyTorch documentation,
    `torch.Tensor.detach`.
    """
    return judge_flaws(rollout, WORDS)
