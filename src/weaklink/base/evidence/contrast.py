"""Evaluations side by side: who takes part, what each states of its protocol, and what they have in common."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from weaklink.base.evidence.fleet import Fleet, PeerRun
from weaklink.base.evidence.ledger import SplitLooks
from weaklink.base.evidence.manifest import ITEM, Manifest

MIXED = " / "
UNNAMED = "the evaluation"
VERSION = "environment version"


@dataclass(frozen=True, slots=True)
class EvaluationEntry:
    """One evaluation, or one run as an evaluation.

    Of a run `peer` sums it up, `finals` has its measures at the end, and `lost` those that have no number there, each
    with since when.
    """

    manifest: Manifest
    peer: PeerRun | None = None
    finals: Mapping[str, float] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_run(self) -> bool:
        """Whether this is a run, scored by a measure of its training."""
        return bool(self.finals or self.lost)


@dataclass(frozen=True, slots=True)
class EvaluationParty:
    """One side of a comparison: an evaluation, or a group of them over seeds and tasks.

    `ended` tells of each run that was left out because it has no level at its end.
    """

    name: str
    entries: tuple[EvaluationEntry, ...] = ()
    notes: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        """What was evaluated on, in the order of first mention."""
        return tuple(dict.fromkeys(entry.manifest.task for entry in self.entries))

    def on(self, task: str) -> tuple[EvaluationEntry, ...]:
        """The evaluations on one task."""
        return tuple(entry for entry in self.entries if entry.manifest.task == task)


class ProtocolSetting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of the protocol: what each party states, empty where one does not, and whether they differ."""

    name: str
    values: tuple[str, ...]
    differs: bool = False


@dataclass(frozen=True)
class Contrast:
    """All parties of a comparison; the first is what the others are compared with."""

    parties: tuple[EvaluationParty, ...]
    measure: str = ""
    target: float | None = None
    looks: tuple[SplitLooks, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that every party was evaluated on."""
        first, *others = self.parties
        return tuple(task for task in first.tasks if all(task in party.tasks for party in others))

    @property
    def whole(self) -> bool:
        """Whether no run had to be left out."""
        return not any(party.ended for party in self.parties)

    @property
    def by_item(self) -> bool:
        """Whether every evaluation gives a score for each item."""
        entries = [entry for party in self.parties for task in self.tasks for entry in party.on(task)]
        return bool(entries) and all(entry.manifest.per == ITEM for entry in entries)

    @property
    def fleet(self) -> Fleet:
        """Every evaluation in short, grouped by task alone: comparing algorithms is the point."""
        return Fleet(
            tuple(_make_peer(party, entry) for party in self.parties for task in self.tasks for entry in party.on(task))
        )

    @property
    def protocol(self) -> tuple[ProtocolSetting, ...]:
        """Every setting that any party states, those that differ first."""
        peers = self.fleet.peers
        names = dict.fromkeys(name for peer in peers for name in peer.protocol if peer.evaluated)
        rows: list[ProtocolSetting] = []
        for name in (VERSION, *names):
            values = tuple(_list_stated(name, party.name, peers) for party in self.parties)
            stated = {one for value in values for one in value}
            if stated:
                told = tuple(MIXED.join(value) for value in values)
                rows.append(ProtocolSetting(name=name, values=told, differs=len(stated) > 1))
        return tuple(sorted(rows, key=lambda row: not row.differs))


def _list_stated(name: str, party: str, peers: tuple[PeerRun, ...]) -> tuple[str, ...]:
    """The values that the evaluations of one party state, each once."""
    own = [peer for peer in peers if peer.name == party]
    values = [peer.version if name == VERSION else peer.protocol.get(name, "") for peer in own]
    return tuple(dict.fromkeys(value for value in values if value))


def _make_peer(party: EvaluationParty, entry: EvaluationEntry) -> PeerRun:
    manifest = entry.manifest
    tries = [one for each in manifest.scores.values() for one in each]
    known = entry.peer
    return PeerRun(
        name=party.name,
        environment=manifest.task or UNNAMED,
        version=manifest.env_version,
        seed=known.seed if known else "/".join(manifest.seeds),
        settings=zlib.crc32(party.name.encode("utf-8", "replace")),
        protocol=manifest.protocol,
        evaluated=True,
        metric=manifest.settings.get("measure", "score"),
        start=known.start if known else None,
        final=sum(tries) / len(tries) if tries else None,
        noise=known.noise if known else 0.0,
        steps=known.steps if known else 0.0,
        items=len(manifest.scores) if manifest.per == ITEM or len(manifest.scores) > 1 else 0,
    )
