"""The rung on which nothing is learned: the trainer's first updates are read there."""

from __future__ import annotations

from typing import ClassVar

from weaklink.collect.probes.probe import CONTINUOUS, DISCRETE


class ReadingProbe:
    """An environment in which every row can be told from every other; the attributes are those of any rung."""

    name: ClassVar[str] = "read-update"
    adds: ClassVar[str] = "what the losses ask for"
    effort: ClassVar[float] = 1.0
    asked: ClassVar[tuple[str, ...]] = ()
    told_apart_by: ClassVar[tuple[str, ...]] = ()
    stands_alone: ClassVar[bool] = True

    def __init__(self, title: str, acts: str) -> None:
        self.title = title
        self.acts = acts

    @property
    def id(self) -> str:
        """Under which Gymnasium makes it."""
        return f"weaklink/{self.title}-v0"

    @property
    def world(self) -> ReadingProbe:
        """The problem, which has no answer."""
        return self

    @property
    def continuous(self) -> bool:
        """Whether actions are numbers instead of choices."""
        return self.acts == CONTINUOUS


READING_PROBES = (ReadingProbe("ReadUpdate", DISCRETE), ReadingProbe("ReadUpdateContinuous", CONTINUOUS))


def find_reading_probe(title: str) -> ReadingProbe | None:
    """The one with this title; None where it is that of another rung."""
    return next((probe for probe in READING_PROBES if probe.title == title), None)
