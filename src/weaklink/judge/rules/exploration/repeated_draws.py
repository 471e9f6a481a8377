from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import SAME_DRAWS
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    SAME_DRAWS: FlawWords(
        "In {count:,} of {of:,} updates that were looked at, the random generator `{head}` is in the very same states "
        "at the steps of the environments: it is seeded anew before every rollout, and the same random numbers come "
        "back each time.",
        "Seed once, before the training begins. Give an evaluation that must be repeatable a generator of its own.",
        Link.EXPLORATION,
    ),
}


@rule(
    "EXP207",
    link=Link.EXPLORATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EXP301", "EXP303", "REW301", "REW302", "REW303"),
)
def repeated_draws(rollout: Rollout) -> Answer:
    """The same random numbers draw the actions of every rollout.

    ## What it sees
    The states of the random generators of Python, NumPy and torch whenever a network was asked before a step of the
    environments. A generator that is drawn from and left alone is never twice in one state. Reported is one whose
    states at the steps of an update come back in at least three updates.

    ## Why it is bad
    Every rollout explores with the same noise. What other draws would have shown is never seen, and the averages over
    rollouts do not get any better.

    ## What to do
    1. Look for `torch.manual_seed`, `np.random.seed`, `random.seed` or a helper such as `set_seed` inside of the loop,
       in an evaluation or in the reset of an environment, and call it once before the training.
    2. Where an evaluation is to be repeatable, keep the state of the generator and put it back afterwards, or use a
       generator of its own.

    ## How to prove it
    Print `torch.rand(1)` before every rollout, in a run of its own: the numbers must differ.

    ## When it is wrong
    Common random numbers on purpose, as in evolution strategies that compare policies with the same noise.

    ## References
    PyTorch documentation, reproducibility; practice.
    """
    return judge_flaws(rollout, WORDS)
