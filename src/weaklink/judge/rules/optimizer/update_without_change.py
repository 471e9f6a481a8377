from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule


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
    """The updates run and move no weight.

    ## What it sees
    A copy of the model makes a few real updates with the settings as they are, at the start of its schedules. After
    them every trainable weight that an optimizer holds is the same to the last bit.

    ## Why it is bad
    Nothing is learned, however long it runs, and no error tells: losses are logged, the counter of updates rises.

    ## What to do
    1. Check the learning rate: zero, a schedule that starts at zero, or so small that 32-bit numbers cannot show it.
    2. Check that the optimizer holds the weights of the networks in use and not those of an earlier copy.
    3. Check the limit on the gradient norm: zero throws every gradient away.
    4. Check that `optimizer.step()` is called, and after `backward()`.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` with a learning rate of 1e-3 and nothing else changed: weights move.

    ## When it is wrong
    A learning rate that warms up from zero moves nothing in its very first updates.

    ## References
    Practice.
    """
    updates, parameters = check.updates, check.parameters or ()
    if updates is None or not updates.count:
        return CannotTell(("updates",), "no update was finished")
    held = [each for each in parameters if each.trainable and each.in_optimizer and each.changed is not None]
    if not held:
        return CannotTell(("parameters",), "no trainable weight is known to be in an optimizer")
    if any(each.changed != 0.0 for each in held):
        return None
    rates = updates.learning_rates
    largest = max(rates, default=None)
    cause = ""
    if largest == 0.0:
        cause = ": the learning rate is 0"
    elif largest is not None:
        cause = f" at a learning rate of {largest:g}"
    size = sum(each.size for each in held)
    return Finding(
        message=f"{updates.count} updates moved none of {size:,} trainable weights{cause}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="change", value=0.0, limit=0.0),
            *(() if largest is None else (Evidence(metric="learning_rate", value=largest),)),
        ),
    )
