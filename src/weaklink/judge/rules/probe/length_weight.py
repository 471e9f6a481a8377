from __future__ import annotations

from statistics import median

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

NEAR = 0.3
"""How far the power may lie from -1; the band around 0 that counts as right is as wide."""


@rule("PRB212", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("length-weight",))
def length_weight(outcome: Outcome) -> Answer:
    """The weight of a token depends on the length of its completion.

    ## What it sees
    The gradient of the first update, in units of each completion's advantage, against the completion's length. Where
    all tokens have the same weight, it does not depend on the length (a power of 0). One over the length (a power of
    -1), as in the original GRPO, is reported as information; anything outside -1.3 to 0.3 is an error.

    ## Why it is bad
    With one over the length, a long wrong answer is penalised less per token than a short one, and a long right answer
    is rewarded less: wrong answers grow longer without becoming better. A weight that grows with the length lets the
    longest completions dominate the gradient.

    ## What to do
    1. Divide the sum over all tokens of the batch by their number (DAPO), or by a constant (Dr. GRPO).
    2. In TRL that is `loss_type="dapo"` or `"dr_grpo"`.
    3. Keep one over the length if long answers should count no more than short ones, and watch the lengths of wrong
       answers.

    ## How to prove it
    `weaklink probe TRAINER --only length-weight` after the change: a power of 0.

    ## When it is wrong
    One over the length is a design choice, not a bug; it is therefore information only.

    ## References
    Liu et al., "Understanding R1-Zero-Like Training" (Dr. GRPO), 2025; Yu et al., "DAPO", 2025.
    """
    power = _typical(outcome)
    if power is not None and abs(power + 1.0) < NEAR:
        return Finding(
            message=f"The weight of a token goes with the power {power:.2g} of its completion's length: with the mean "
            "over each response wrong answers tend to grow longer; the mean over all tokens (DAPO) avoids that.",
            level=Level.INFO,
            confidence=HIGH,
            evidence=(Evidence(metric="power of the length (in a token's weight)", value=power, limit=0.0),),
        )
    return broken(
        outcome,
        "length-weight",
        Link.POLICY,
        "the weight of a token depends on the length of its completion in no known way",
        "the normalisation of the loss: what the sum over tokens is divided by",
        None,
    )


def _typical(outcome: Outcome) -> float | None:
    """The power of the length in the middle of all trials."""
    rungs = outcome.of("length-weight")
    found = [m.measured for rung in rungs for trial in rung.final for m in trial.measures]
    return median(found) if found else None
