from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

CHOSEN, REJECTED = "reward.chosen", "reward.rejected"
MOVED = ("policy.log_prob_chosen", "policy.log_prob_rejected", "optimizer.gradient_norm")

# what rounding leaves of a difference of two equal sums
NOTHING = 1e-6


@rule(
    "LLM377",
    link=Link.POLICY,
    level=Level.WARN,
    needs=(CHOSEN, REJECTED),
    leads_to=("LLM303", "LLM307", "LLM310", "REW301", "EVA305"),
)
def reference_follows(run: Run) -> Answer:
    """The reference of a preference training is the policy itself: all implicit rewards are exactly 0.

    ## What it sees
    The implicit rewards of chosen and of rejected answers are 0 in every row, while gradients flow or the
    log-probabilities of the answers move.

    ## Why it is bad
    The implicit reward is how much likelier an answer became than under the reference. Where both are one model that
    is trained, it stays 0, the loss stays at log 2, and nothing holds the policy back: its log-probabilities run away.

    ## What to do
    1. Load the reference as a model of its own and freeze it (`requires_grad_(False)`, `eval()`).
    2. With adapters, the reference is the base model with the adapter switched off; check that it is.
    3. Print log-probabilities of one answer under both after ten steps: they must differ.

    ## How to prove it
    Compare one weight of both models after a step.

    ## When it is wrong
    A learning rate of 0, for a dry run: then nothing moves, and nothing is said.

    ## References
    Rafailov et al., Direct Preference Optimization, 2023.
    """
    chosen, rejected = run[CHOSEN], run[REJECTED]
    if min(len(chosen), len(rejected)) < FEWEST:
        return CannotTell((CHOSEN,), f"fewer than {FEWEST} points")
    largest = max(float(np.abs(series.values).max()) for series in (chosen, rejected))
    if largest > NOTHING or not any(_is_moving(run, name) for name in MOVED):
        return None
    return Finding(
        message=f"The implicit rewards of chosen and rejected answers are 0 in all {len(chosen)} rows while the policy "
        "is trained: the reference is the policy itself.",
        onset=chosen.first_step,
        onset_within=chosen.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=CHOSEN, value=largest, limit=NOTHING, step=chosen.first_step),),
    )


def _is_moving(run: Run, name: str) -> bool:
    """Whether a gradient flows, or a log-probability ends elsewhere than it began."""
    series = run.get(name)
    if series is None or len(series) < FEWEST:
        return False
    fifth = max(len(series) // 5, 2)
    if name.startswith("optimizer"):
        return level(series.values) > 0
    before, after = level(series.values[:fifth]), level(series.values[-fifth:])
    return abs(after - before) > float(np.std(series.values[:fifth]))
