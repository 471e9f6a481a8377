from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.base.evidence.model import ModelCheck, Parameter
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

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
    """Weights that should learn get no gradient, or no optimizer holds them.

    ## What it sees
    A copy of the model is trained for a few updates with its own losses. Weights are named that can be trained and
    whose layer is used, and which got no gradient or one of exactly zero; and weights that did get one and that no
    optimizer holds. Layers that are never used and weights that are frozen on purpose are only mentioned.

    ## Why it is bad
    Such weights stay as they were drawn. A features extractor that is cut off is a random projection: the rest of the
    network may still learn a little from it, so the loss falls and nothing tells that most of the model is dead.

    ## What to do
    1. Look in the module named for `.detach()`, `torch.no_grad()`, `.data`, `.item()`, a detour through numpy, or a
       step that has no gradient (argmax, rounding, comparison).
    2. Give every weight to the optimizer: build it after the last module is added, from `policy.parameters()`; in
       TorchRL from `loss.parameters()`, because a loss may keep copies of its own.
    3. Freeze on purpose with `requires_grad_(False)`, so that it shows.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` lists the weights again after the change: none may be named.

    ## When it is wrong
    A layer that is used only now and then (an auxiliary head, a branch for a rare kind of observation) can miss out
    in so few updates. A layer of dead ReLU units passes exactly zero as well: that is an illness too, but its cause is
    the learning rate or the initialisation.

    ## References
    PyTorch documentation, autograd mechanics; Stable-Baselines3 documentation, custom policies; practice.
    """
    found = tuple(_findings(check.parameters or ()))
    return found if len(found) > 1 else found[0] if found else None


def _findings(parameters: Sequence[Parameter]) -> Iterator[Finding]:
    judged = [each for each in parameters if each.trainable and not each.excused]
    living = {each.module for each in judged if each.reached}
    # a bias before a normalising layer has no gradient by right: zero counts only where the whole module has none
    missed = [each for each in judged if not each.reached and (each.gradient is None or each.module not in living)]
    blocked = [each for each in missed if each.used is not False]
    if blocked:
        words = (
            "get no gradient" if any(each.gradient is None for each in blocked) else "get a gradient of exactly zero"
        )
        sure = HIGH if any(each.used for each in blocked) else MEDIUM
        yield _finding(blocked, judged, words, Level.ERROR, sure)
    orphans = [each for each in judged if each.reached and each.in_optimizer is False]
    if orphans:
        yield _finding(orphans, judged, "get a gradient but no optimizer holds them", Level.ERROR, HIGH)
    idle = [each for each in missed if each.used is False]
    if idle:
        yield _finding(idle, judged, "belong to layers that are never used", Level.INFO, MEDIUM)
    frozen = [each for each in parameters if not each.trainable and not each.excused]
    if frozen:
        yield _finding(frozen, parameters, "are frozen (requires_grad is False)", Level.INFO, LOW)


def _finding(which: list[Parameter], among: Sequence[Parameter], words: str, level: Level, sure: float) -> Finding:
    size, total = sum(each.size for each in which), sum(each.size for each in among)
    names = _places(which, among)
    shown = ", ".join(names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    what = "weights" if level is Level.INFO else "trainable weights"
    return Finding(
        message=f"{size:,} of {total:,} {what} {words}: {shown}{more}.",
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="weights", value=float(size), limit=0.0 if level is Level.ERROR else None),),
    )


def _places(which: list[Parameter], among: Sequence[Parameter]) -> list[str]:
    """The largest modules all of whose weights are meant, and single weights where a module is only partly meant."""
    meant = {each.name for each in which}
    places: dict[str, None] = {}
    for each in which:
        parts = each.name.split(".")
        prefixes = [".".join(parts[:count]) for count in range(1, len(parts))]
        whole = (prefix for prefix in prefixes if all(one.name in meant for one in _below(prefix, among)))
        places[next(whole, each.name)] = None
    return list(places)


def _below(prefix: str, among: Sequence[Parameter]) -> list[Parameter]:
    return [each for each in among if each.name.startswith(f"{prefix}.")]
