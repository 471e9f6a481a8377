"""Signs that a reward pays for the opposite of the task, and those that random play alone gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from weaklink.base.evidence.survey import Play
from weaklink.base.finding import HIGH, Evidence, Level
from weaklink.judge.rules.reward._books import find_turned_part
from weaklink.judge.rules.reward._costs import find_added_cost, find_paid_cost, find_paid_growth
from weaklink.judge.rules.reward._sides import find_equal_sides


class Sign(NamedTuple):
    """What was seen, in words, with its evidence."""

    words: str
    evidence: Evidence
    confidence: float
    level: Level = Level.ERROR


def list_signs_of_play(play: Play) -> Iterator[Sign]:
    """What the rewards of random play say beside what the info and the board tell."""
    yield from _compare_with_books(play)
    yield from _compare_with_named_costs(play)
    yield from _compare_sides(play)


def _compare_with_books(play: Play) -> Iterator[Sign]:
    """A reward with one part of the other sign than in a net of the same parts that the info tells."""
    found = find_turned_part(play)
    if found is not None:
        did, does = ("subtracts", "adds") if found.weight > 0 else ("adds", "subtracts")
        yield Sign(
            f"it {does} info['{found.part}'], which info['{found.net}'], a net of the same parts, {did}",
            Evidence(metric=f"weight of {found.part}", value=found.weight, limit=-found.weight),
            HIGH,
            Level.WARN,
        )


def _compare_with_named_costs(play: Play) -> Iterator[Sign]:
    """A cost that the info tells of and that the reward pays."""
    found = find_paid_cost(play) or find_added_cost(play) or find_paid_growth(play)
    if found is not None:
        yield Sign(
            found.words,
            Evidence(metric=f"weight of {found.name}", value=found.weight, limit=-found.weight),
            HIGH,
            Level.WARN,
        )


def _compare_sides(play: Play) -> Iterator[Sign]:
    """A game that pays for the winning move of the other side what it pays for one's own."""
    found = find_equal_sides(play)
    if found is not None:
        yield Sign(
            f"{found.replied:,} games that are decided by a move of the other side pay {found.paid:.3g}, just as "
            f"{found.own:,} that are decided by one's own",
            Evidence(metric="reward of a lost game", value=found.paid, limit=0.0),
            HIGH,
            Level.WARN,
        )
