from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.rollout import Movement, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

MOST_NAMED = 4
ENOUGH_STEPS = 8
"""Single layers are judged after as many optimizer steps, because delayed updates leave some out at times; before that
only those that were seen to be called, and only where every optimizer is known."""


@rule(
    "OPT201",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Rollout,
    needs=("movement",),
    leads_to=(
        "VAL202", "POL302", "POL308", "VAL301", "VAL304", "VAL305", "EXP303", "OPT302", "OPT303", "REW301", "REW302",
    ),
)  # fmt: skip
def no_parameter_change(rollout: Rollout) -> Answer:
    """An update ran, and weights that should learn did not move.

    ## What it sees
    Every weight before and after an update, its gradient, and which optimizer holds it. Nothing moved at all; or some
    weights get gradients and are in no optimizer, or are in one and never get a gradient, or have both and stay.

    ## Why it is bad
    What does not move does not learn. The other half of the network trains on, so that curves move and only the level
    they reach is wrong.

    ## What to do
    1. Build the optimizer from the parameters of the networks in use, after the last of them is made or moved.
    2. Look for `detach()`, `no_grad`, `.numpy()` or `.data` between the loss and the layers named.
    3. Check the learning rate of each parameter group, and a gradient norm limit of zero.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` makes a few updates of a copy and lists the weights that stay.

    ## When it is wrong
    A schedule that has come to zero, or a layer that is used now and then, moves nothing by right; target networks and
    layers frozen on purpose are not counted. A layer of dead ReLU units has no gradient either, which is an illness of
    its own.

    ## References
    Nikanjam et al., Faults in deep reinforcement learning programs (2022), wrong network update; PyTorch documentation,
    autograd mechanics.
    """
    movement = rollout.movement
    if movement is None or not movement.parameters:
        return CannotTell(("movement",), "no weights were seen")
    judged = [each for each in movement.parameters if each.trainable and not each.excused]
    if not judged:
        return _all_frozen(movement)
    if movement.optimizer_steps < 1:
        return CannotTell(("movement",), "no optimizer made a step in this update")
    held = [each for each in judged if each.in_optimizer is not False and each.changed is not None]
    if held and all(each.changed == 0.0 for each in held):
        return _nothing_moved(held, movement)
    if movement.optimizer_steps < ENOUGH_STEPS:
        if not movement.all_optimizers:
            return None
        judged = [each for each in judged if each.used or each.reached]
    found = tuple(_parts(judged))
    return found if len(found) > 1 else found[0] if found else None


def _all_frozen(movement: Movement) -> Answer:
    own = [each for each in movement.parameters if not each.excused]
    if not own:
        return CannotTell(("movement",), "no weights but those of slow copies were seen")
    size = sum(each.size for each in own)
    return Finding(
        message=f"All {size:,} weights are frozen (requires_grad is False): nothing can learn.",
        confidence=HIGH,
        evidence=(Evidence(metric="weights", value=float(size), limit=0.0),),
    )


def _nothing_moved(held: Sequence[Parameter], movement: Movement) -> Finding:
    size, rate = sum(each.size for each in held), movement.learning_rate
    steps = f"{movement.optimizer_steps} optimizer step" + ("s" if movement.optimizer_steps > 1 else "")
    if rate == 0.0:
        return Finding(
            message=f"{steps} moved none of {size:,} weights: the learning rate is 0.",
            level=Level.INFO,
            confidence=HIGH,
            evidence=(Evidence(metric="learning_rate", value=0.0, limit=0.0),),
        )
    at = f" at a learning rate of {rate:g}" if rate is not None else ""
    none_arrived = not any(each.reached for each in held)
    why = ": no gradient arrives" if none_arrived else ""
    return Finding(
        message=f"{steps} moved none of {size:,} trainable weights{at}{why}.",
        confidence=HIGH,
        evidence=(Evidence(metric="change", value=0.0, limit=0.0),),
    )


def _parts(judged: Sequence[Parameter]) -> Iterator[Finding]:
    """Layers that do not learn while others do."""
    orphans = [each for each in judged if each.reached and each.in_optimizer is False]
    if orphans:
        yield _finding(orphans, judged, "get a gradient but no optimizer holds them", Level.ERROR, HIGH)
    living = {each.module for each in judged if each.reached}
    missed = [each for each in judged if not each.reached and each.module not in living and each.used is not False]
    blocked = [each for each in missed if each.gradient is None and each.in_optimizer is not False]
    if blocked and living:
        sure = HIGH if any(each.used for each in blocked) else MEDIUM
        level = Level.ERROR if sure == HIGH else Level.WARN
        yield _finding(blocked, judged, "never get a gradient", level, sure)
    still = [each for each in judged if each.reached and each.in_optimizer and each.changed == 0.0]
    moved = {each.module for each in judged if each.changed}
    stuck = [each for each in still if each.module not in moved]
    if stuck and moved:
        yield _finding(stuck, judged, "get a gradient, are in an optimizer and do not move", Level.WARN, MEDIUM)


def _finding(which: Sequence[Parameter], among: Sequence[Parameter], words: str, level: Level, sure: float) -> Finding:
    size, total = sum(each.size for each in which), sum(each.size for each in among)
    names = list(dict.fromkeys(each.module for each in which))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return Finding(
        message=f"{size:,} of {total:,} trainable weights {words}: {', '.join(names[:MOST_NAMED])}{more}.",
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="weights", value=float(size), limit=0.0),),
    )
