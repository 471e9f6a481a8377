from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so many losses are named; the message stays one line
MOST_NAMED = 4


@rule(
    "OPT112",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("updates",),
    leads_to=("OPT111", "OPT300"),
    checks={"gradient flow": "fails"},
)
def update_fails(check: ModelCheck) -> Answer:
    """An update raises an error, or its loss is not finite.

    ## What it sees
    A copy of the model makes a few real updates on recorded observations, with random rewards of ordinary size. One of
    them raised an exception, or a loss was NaN or infinite.

    ## Why it is bad
    The same happens in training, perhaps only after the first long rollout. One non-finite loss makes every weight that
    it reaches non-finite for good.

    ## What to do
    1. Read the exception and its location: shapes, devices and data types of a custom network are the usual cause.
    2. For non-finite losses look for NaN weights (a damaged checkpoint), a logarithm or a square root of zero, a
       division by a standard deviation of zero, and huge observations.
    3. Enable `torch.autograd.set_detect_anomaly(True)` for one update to see the first bad operation.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` repeats these updates in seconds.

    ## When it is wrong
    A custom algorithm that needs more from its environment than the stand-in offers may fail here and not in training;
    the location of the exception shows it.

    ## References
    Stable-Baselines3 documentation, dealing with NaNs and infs.
    """
    updates = check.updates
    if updates is None:
        return CannotTell(("updates",))
    if updates.error:
        where = f" ({updates.where})" if updates.where else ""
        return Finding(
            message=f"Update {updates.count + 1} raised {updates.error.rstrip('.')}{where}.",
            confidence=MEDIUM,
            evidence=(Evidence(metric="updates", value=float(updates.count)),),
        )
    if updates.non_finite:
        named = updates.non_finite[:MOST_NAMED]
        return Finding(
            message=f"After {updates.count} updates these losses are not finite: {', '.join(named)}.",
            confidence=HIGH,
            evidence=tuple(
                Evidence(metric=name, value=updates.losses[name]) for name in updates.non_finite[:MOST_NAMED]
            ),
        )
    return None if updates.count else CannotTell(("updates",), "no update was completed")
