from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule


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
    """An update raises, or its loss is not a number.

    ## What it sees
    A copy of the model makes a few real updates on observations that were seen, with random rewards of ordinary size.
    One of them raised an exception, or a loss came out as NaN or infinite.

    ## Why it is bad
    The same happens in training, perhaps only after the first long rollout. One loss that is not a number makes every
    weight it reaches one too, for good.

    ## What to do
    1. Read the exception and its place: shapes, devices and data types of a custom network are the usual cause.
    2. For losses that are not numbers look for NaN weights (a damaged checkpoint), a logarithm or a square root of
       zero, a division by a spread of zero, and observations of huge size.
    3. Switch on `torch.autograd.set_detect_anomaly(True)` for one update to see the first bad step.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` makes the same few updates again in seconds.

    ## When it is wrong
    An algorithm of your own that reads more from its environment than a stand-in can give may fail here and not in
    training; the place of the exception tells.

    ## References
    Stable-Baselines3 documentation, dealing with NaNs and infs; practice.
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
        names = ", ".join(updates.non_finite[:4])
        return Finding(
            message=f"After {updates.count} updates these losses are not finite: {names}.",
            confidence=HIGH,
            evidence=tuple(Evidence(metric=name, value=updates.losses[name]) for name in updates.non_finite[:4]),
        )
    return None if updates.count else CannotTell(("updates",), "no update was finished")
