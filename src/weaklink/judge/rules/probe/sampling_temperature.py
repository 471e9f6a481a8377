from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import is_missed, typical
from weaklink.judge.rules.writing import HIGH, Answer, Level, Link, rule

NEAR = 0.1
"""A measured temperature this close to 1 is one that was never applied; the probe samples at 0.6."""


@rule("PRB205", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("sampling-temperature",))
def sampling_temperature(outcome: Outcome) -> Answer:
    """Completions are sampled at one temperature and scored at another.

    ## What it sees
    Completions are sampled at a temperature of 0.6. The gradient of the first update shows the temperature of the
    log-probabilities in the loss: it must be 0.6, within a tenth. On the first update old and new log-probabilities are
    the same, so all tokens of a completion must have the same weight, within 5 %.

    ## Why it is bad
    Log-probabilities at another temperature are those of another policy. The gradient is no longer that of the expected
    reward, ratios start between 0.5 and 2 instead of at 1, and clipping drops tokens at random.

    ## What to do
    1. Divide logits by the sampling temperature before the log-softmax: policy, old policy and reference alike.
    2. Take old log-probabilities from the same code as the new ones, or correct for the difference.
    3. Apply top-p and top-k in both places or in none.

    ## How to prove it
    `weaklink probe TRAINER --only sampling-temperature` after the change: 0.6, and equal weights.

    ## When it is wrong
    A trainer may score at temperature 1 on purpose and correct by importance weights. Per-token advantages, as in PPO
    with a value model, make weights uneven by themselves.

    ## References
    TRL pull requests 3029 and 4159 (ratio of 2 at temperature 0.6); OpenRLHF issue 853; NeMo-RL issue 935.
    """
    return broken(
        outcome,
        "sampling-temperature",
        Link.POLICY,
        "log-probabilities are not those of the policy that sampled",
        "where logits become log-probabilities, for the new and the old policy",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    found = typical(trials, "temperature", "of the scored log-probabilities")
    if found is not None and abs(found - 1.0) < NEAR:
        return Cause(
            Link.POLICY,
            "the sampling temperature is left out of the log-probabilities",
            "where logits become log-probabilities: divide them by the temperature first",
            HIGH,
        )
    if is_missed(trials, "unevenness of weights", "first update"):
        return Cause(
            Link.POLICY,
            "the old log-probabilities are not at the sampling temperature, so ratios do not start at 1",
            "where old log-probabilities are computed or copied from the sampler",
            HIGH,
        )
    return None
