from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.fleet import Fleet, Group, Peer
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

MOST_TOLD = 4


@rule(
    "EVA302",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=Fleet,
    leads_to=("EVA303",),
    marks=("bars comparison",),
)
def protocol_drift(fleet: Fleet) -> Answer:
    """Evaluations are compared that were not made in the same way.

    ## What it sees
    Runs of one algorithm in one environment, or whatever is given to `weaklink compare`, whose evaluation settings
    differ: temperature, top-p, longest answer, prompt template, tools, timeout, pass@k, number of episodes,
    deterministic or sampled actions, split, measure, or the version of the environment. Only settings that both state
    are compared.

    ## Why it is bad
    A change of temperature, of the number of tries or of the environment's version moves scores by more than most
    improvements do. The difference between the runs then says nothing about what was trained.

    ## What to do
    1. Write the protocol down once, store it with every result, and change it only together with a new baseline.
    2. Evaluate all checkpoints that are compared again, under one protocol.
    3. Keep sampling settings of training and of evaluation apart.

    ## How to prove it
    Evaluate one checkpoint under both protocols: the difference between the two numbers is what the protocol alone is
    worth.

    ## When it is wrong
    Where the protocol itself is being compared, the difference is the point. Settings that the trainer ignores may
    differ without harm.

    ## References
    Machado et al., Revisiting the Arcade Learning Environment, 2018.
    """
    if len(fleet) < 2:
        return CannotTell(("a second run",), "there is nothing to compare")
    if not fleet.groups:
        return CannotTell(("environment",), "which runs may be compared is not known")
    found = [(group, *difference) for group in fleet.groups for difference in _differences(group)]
    if not found:
        known = any(peer.protocol or peer.version for peer in fleet)
        return None if known else CannotTell(("evaluation settings",), "no configuration states them")
    told = "; ".join(
        f"{key} is {_of(values[0])} and {_of(values[1])} among {group.members}"
        for group, key, values in found[:MOST_TOLD]
    )
    more = f", and {len(found) - MOST_TOLD} more settings differ" if len(found) > MOST_TOLD else ""
    return Finding(
        message=f"Evaluations are compared under different settings: {told}{more}.",
        confidence=HIGH if any(key != "environment version" for _, key, _ in found) else MEDIUM,
        evidence=tuple(Evidence(metric=key, value=float(len(values)), limit=1.0) for _, key, values in found),
    )


def _differences(group: Group) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each setting that has several values within the group, with the first run of each value."""
    versions = _values((peer, peer.version) for peer in group.peers)
    if len(versions) > 1:
        yield "environment version", versions
    evaluated = [peer for peer in group.peers if peer.evaluated]
    for key in sorted({key for peer in evaluated for key in peer.protocol}):
        values = _values((peer, peer.protocol.get(key, "")) for peer in evaluated)
        if len(values) > 1:
            yield key, values


def _values(stated: Iterator[tuple[Peer, str]]) -> list[tuple[str, str]]:
    first: dict[str, str] = {}
    for peer, value in stated:
        if value:
            first.setdefault(value, peer.name)
    return list(first.items())


def _of(value: tuple[str, str]) -> str:
    return f"{value[0]} ({value[1]})"
