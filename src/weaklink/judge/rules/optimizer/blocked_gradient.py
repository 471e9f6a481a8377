from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.base.evidence.model import ModelCheck, Parameter
from weaklink.judge.rules.optimizer._weights import describe_weights
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, Finding, Level, Link, rule

# so many modules are named; the message stays one line
MOST_NAMED = 3


@rule(
    "OPT110",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("parameters", "gradients"),
    leads_to=("OPT111", "OPT302", "POL302", "VAL304", "REW301", "REW302"),
    checks={"gradient flow": "decides"},
)
def blocked_gradient(check: ModelCheck) -> Answer:
    """Trainable weights get no gradient, or are in no optimizer.

    ## What it sees
    A copy of the model is trained for a few updates with its own losses. The rule names trainable weights of used
    layers that got no gradient, or a gradient of exactly zero, and weights that got one but are in no optimizer. Unused
    layers and weights that are frozen on purpose are only information.

    ## Why it is bad
    Such weights keep their initial values. A feature extractor without gradient is a random projection: the rest of the
    network may still learn a little from it, so the loss falls and hides that most of the model does not learn.

    ## What to do
    1. Look in the named module for `.detach()`, `torch.no_grad()`, `.data`, `.item()`, a conversion to numpy, or an
       operation without gradient (argmax, rounding, comparison).
    2. Pass every weight to the optimizer: create it after the last module is added, from `policy.parameters()`; in
       TorchRL from `loss.parameters()`, because a loss may keep its own copies.
    3. Freeze weights with `requires_grad_(False)`, so that it is visible.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` repeats the check after the change: no weights may be named.

    ## When it is wrong
    A layer that is rarely used (an auxiliary head, a branch for a rare kind of observation) may get no gradient in so
    few updates. A layer of dead ReLU units also passes exactly zero: that is a fault too, but its cause is the learning
    rate or the initialisation.

    ## References
    PyTorch documentation, autograd mechanics; Stable-Baselines3 documentation, custom policies.
    """
    found = tuple(_judge(check.parameters or ()))
    return found if len(found) > 1 else found[0] if found else None


def _judge(parameters: Sequence[Parameter]) -> Iterator[Finding]:
    judged = [each for each in parameters if each.trainable and not each.excused]
    blocked, idle = _find_missed(judged)
    some_without = any(each.gradient is None for each in blocked)
    words = "get no gradient" if some_without else "get a gradient of exactly zero"
    orphans = [each for each in judged if each.reached and each.in_optimizer is False]
    frozen = [each for each in parameters if not each.trainable and not each.excused]
    sure = HIGH if any(each.used for each in blocked) else MEDIUM
    for which, among, what, level, confidence in (
        (blocked, judged, words, Level.ERROR, sure),
        (orphans, judged, "get a gradient but no optimizer holds them", Level.ERROR, HIGH),
        (idle, judged, "belong to layers that are never used", Level.INFO, MEDIUM),
        (frozen, parameters, "are frozen (requires_grad is False)", Level.INFO, LOW),
    ):
        if which:
            yield describe_weights(which, among, what, _name_modules(which, among), MOST_NAMED, level, confidence)


def _find_missed(judged: Sequence[Parameter]) -> tuple[list[Parameter], list[Parameter]]:
    """Weights without a gradient: those of layers in use, and those of layers that are never used."""
    living = {each.module for each in judged if each.reached}
    # a bias before a normalising layer rightly has none: zero counts only where the whole module has none
    missed = [each for each in judged if not each.reached and (each.gradient is None or each.module not in living)]
    return [each for each in missed if each.used is not False], [each for each in missed if each.used is False]


def _name_modules(which: Sequence[Parameter], among: Sequence[Parameter]) -> list[str]:
    """The largest modules all of whose weights are among these, and single weights of other modules."""
    meant = {each.name for each in which}
    places: dict[str, None] = {}
    for each in which:
        parts = each.name.split(".")
        prefixes = [".".join(parts[:count]) for count in range(1, len(parts))]
        whole = (prefix for prefix in prefixes if all(one.name in meant for one in _list_below(prefix, among)))
        places[next(whole, each.name)] = None
    return list(places)


def _list_below(prefix: str, among: Sequence[Parameter]) -> list[Parameter]:
    return [each for each in among if each.name.startswith(f"{prefix}.")]
