from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.model import ModelCheck
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OPT111",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("parameters", "updates"),
    leads_to=("POL302", "VAL304", "REW301", "REW302"),
    checks={"gradient flow": "fails"},
)
def update_without_change(check: ModelCheck) -> Answer:
    """Updates run but do not change any weight.

    ## What it sees
    A copy of the model makes a few real updates with the given settings, at the start of its schedules. After them
    every trainable weight in an optimizer is unchanged to the last bit.

    ## Why it is bad
    Nothing is learned, however long it runs, and no error is raised: losses are logged and updates are counted.

    ## What to do
    1. Check the learning rate: zero, a schedule that starts at zero, or too small for 32-bit weights to change.
    2. Check that the optimizer holds the weights of the networks in use and not those of an earlier copy.
    3. Check the gradient norm limit: zero discards every gradient.
    4. Check that `optimizer.step()` is called, and that it comes after `backward()`.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` with a learning rate of 1e-3 and nothing else changed: weights move.

    ## When it is wrong
    A learning rate that warms up from zero moves nothing in the first updates.

    ## References
    PyTorch documentation, `torch.optim`.
    """
    updates, parameters = check.updates, check.parameters or ()
    if updates is None or not updates.count:
        return CannotTell(("updates",), "no update was completed")
    held = [each for each in parameters if each.trainable and each.in_optimizer and each.changed is not None]
    if not held:
        return CannotTell(("parameters",), "no trainable weight is known to be in an optimizer")
    if any(each.changed != 0.0 for each in held):
        return None
    cause, evidence = _explain(updates.learning_rates)
    size = sum(each.size for each in held)
    return Finding(
        message=f"{updates.count} updates moved none of {size:,} trainable weights{cause}.",
        confidence=HIGH,
        evidence=(Evidence(metric="change", value=0.0, limit=0.0), *evidence),
    )


def _explain(rates: Sequence[float]) -> tuple[str, tuple[Evidence, ...]]:
    """What the learning rate has to do with it, for the message and as evidence."""
    if not rates:
        return "", ()
    largest = max(rates)
    cause = f" at a learning rate of {largest:g}" if largest else ": the learning rate is 0"
    return cause, (Evidence(metric="learning_rate", value=largest),)
