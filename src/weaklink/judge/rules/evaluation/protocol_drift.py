from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.fleet import Fleet, PeerRun, RunGroup
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MOST_TOLD = 4  # settings that a message names before it counts the rest


@rule(
    "EVA302",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=Fleet,
    leads_to=("EVA303",),
    marks=("bars comparison",),
)
def protocol_drift(fleet: Fleet) -> Answer:
    """Evaluations with different protocols are compared.

    ## What it sees
    Runs of one algorithm in one environment, or the inputs of `weaklink compare`, whose evaluation settings differ:
    temperature, top-p, maximum length, prompt template, tools, timeout, pass@k, number of episodes, deterministic or
    sampled actions, split, metric, or the version of the environment. Only settings that both state are compared.

    ## Why it is bad
    A change of temperature, of the number of attempts or of the environment's version changes scores by more than most
    improvements do. The difference between the runs then says nothing about the training.

    ## What to do
    1. Write the protocol down once, store it with every result, and change it only together with a new baseline.
    2. Re-evaluate all checkpoints that are compared, under one protocol.
    3. Keep the sampling settings of training and of evaluation apart.

    ## How to prove it
    Evaluate one checkpoint under both protocols: the difference between the two scores is the effect of the protocol
    alone.

    ## When it is wrong
    Where the protocol itself is compared, the difference is intended. Settings that the trainer ignores may differ
    without harm.

    ## References
    Machado et al., Revisiting the Arcade Learning Environment, 2018.
    """
    if len(fleet) < 2:
        return CannotTell(("a second run",), "there is nothing to compare")
    if not fleet.groups:
        return CannotTell(("environment",), "it is not known which runs belong together")
    found = [(group, *difference) for group in fleet.groups for difference in _find_differences(group)]
    if not found:
        known = any(peer.protocol or peer.version for peer in fleet)
        return None if known else CannotTell(("evaluation settings",), "no configuration states them")
    told = "; ".join(_describe(*each) for each in found[:MOST_TOLD])
    more = f", and {len(found) - MOST_TOLD} more settings differ" if len(found) > MOST_TOLD else ""
    return Finding(
        message=f"Evaluations are compared under different settings: {told}{more}.",
        confidence=HIGH if any(key != "environment version" for _, key, _ in found) else MEDIUM,
        evidence=tuple(Evidence(metric=key, value=float(len(values)), limit=1.0) for _, key, values in found),
    )


def _find_differences(group: RunGroup) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each setting with several values within the group, and the first run of each value."""
    versions = _list_values((peer, peer.version) for peer in group.peers)
    if len(versions) > 1:
        yield "environment version", versions
    evaluated = [peer for peer in group.peers if peer.evaluated]
    for key in sorted({key for peer in evaluated for key in peer.protocol}):
        values = _list_values((peer, peer.protocol.get(key, "")) for peer in evaluated)
        if len(values) > 1:
            yield key, values


def _list_values(stated: Iterator[tuple[PeerRun, str]]) -> list[tuple[str, str]]:
    first: dict[str, str] = {}
    for peer, value in stated:
        if value:
            first.setdefault(value, peer.name)
    return list(first.items())


def _describe(group: RunGroup, key: str, values: list[tuple[str, str]]) -> str:
    (one, its_run), (other, other_run) = values[:2]
    return f"{key} is {one} ({its_run}) and {other} ({other_run}) among {group.members}"
