from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.rollout import Rollout, WeightMovement
from weaklink.judge.rules.optimizer._weights import describe_weights
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so many modules are named; the message stays one line
MOST_NAMED = 4

ENOUGH_STEPS = 8
"""Optimizer steps after which every layer is judged, since delayed updates skip some. Before that only layers in use
are judged, and only where every optimizer is known."""


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
    """An update ran, but trainable weights did not move.

    ## What it sees
    Every weight before and after an update, its gradient, and which optimizer holds it. No weight moved at all. Or some
    weights get gradients but are in no optimizer, or are in one but never get a gradient, or have both and do not move.

    ## Why it is bad
    Weights that do not move do not learn. The rest of the network keeps training, so curves still move and only the
    level that they reach is too low.

    ## What to do
    1. Create the optimizer from the parameters of the networks in use, after the last of them is created or moved.
    2. Look for `detach()`, `no_grad`, `.numpy()` or `.data` between the loss and the named layers.
    3. Check the learning rate of each parameter group, and that the gradient norm limit is not zero.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` makes a few updates of a copy and lists the weights that do not
    move.

    ## When it is wrong
    If a schedule has reached zero, or a layer is rarely used, its weights rightly do not move. Target networks and
    layers frozen on purpose do not count. A layer of dead ReLU units has no gradient either, which is a separate fault.

    ## References
    Nikanjam et al., Faults in deep reinforcement learning programs (2022), wrong network update; PyTorch documentation,
    autograd mechanics.
    """
    movement = rollout.movement
    if movement is None or not movement.parameters:
        return CannotTell(("movement",), "no weights were recorded")
    judged = [each for each in movement.parameters if each.trainable and not each.excused]
    if not judged:
        return _judge_frozen(movement)
    if movement.optimizer_steps < 1:
        return CannotTell(("movement",), "no optimizer took a step in this update")
    held = [each for each in judged if each.in_optimizer is not False and each.changed is not None]
    if held and all(each.changed == 0.0 for each in held):
        return _describe_still(held, movement)
    found = tuple(_judge_parts(_choose_judged(judged, movement)))
    return found if len(found) > 1 else found[0] if found else None


def _choose_judged(judged: list[Parameter], movement: WeightMovement) -> list[Parameter]:
    """The weights that can be judged after so many optimizer steps."""
    if movement.optimizer_steps >= ENOUGH_STEPS:
        return judged
    return [each for each in judged if movement.all_optimizers and (each.used or each.reached)]


def _judge_frozen(movement: WeightMovement) -> Answer:
    own = [each for each in movement.parameters if not each.excused]
    if not own:
        return CannotTell(("movement",), "only weights of target networks were recorded")
    size = sum(each.size for each in own)
    return Finding(
        message=f"All {size:,} weights are frozen (requires_grad is False): nothing can learn.",
        confidence=HIGH,
        evidence=(Evidence(metric="weights", value=float(size), limit=0.0),),
    )


def _describe_still(held: Sequence[Parameter], movement: WeightMovement) -> Finding:
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
    why = "" if any(each.reached for each in held) else ": no gradient arrives"
    return Finding(
        message=f"{steps} moved none of {size:,} trainable weights{at}{why}.",
        confidence=HIGH,
        evidence=(Evidence(metric="change", value=0.0, limit=0.0),),
    )


def _judge_parts(judged: Sequence[Parameter]) -> Iterator[Finding]:
    """Layers that do not learn while others do."""
    orphans = [each for each in judged if each.reached and each.in_optimizer is False]
    blocked, stuck = _find_blocked(judged), _find_stuck(judged)
    sure = HIGH if any(each.used for each in blocked) else MEDIUM
    level = Level.ERROR if sure == HIGH else Level.WARN
    for which, words, grave, confidence in (
        (orphans, "get a gradient but no optimizer holds them", Level.ERROR, HIGH),
        (blocked, "never get a gradient", level, sure),
        (stuck, "get a gradient and are in an optimizer but do not move", Level.WARN, MEDIUM),
    ):
        if which:
            names = list(dict.fromkeys(each.module for each in which))
            yield describe_weights(which, judged, words, names, MOST_NAMED, grave, confidence)


def _find_blocked(judged: Sequence[Parameter]) -> list[Parameter]:
    """Weights in modules that get no gradient while other modules do."""
    living = {each.module for each in judged if each.reached}
    missed = [each for each in judged if not each.reached and each.module not in living and each.used is not False]
    return [each for each in missed if living and each.gradient is None and each.in_optimizer is not False]


def _find_stuck(judged: Sequence[Parameter]) -> list[Parameter]:
    """Weights in modules that get a gradient and do not move while other modules do."""
    moved = {each.module for each in judged if each.changed}
    still = [each for each in judged if each.reached and each.in_optimizer and each.changed == 0.0]
    return [each for each in still if moved and each.module not in moved]
