"""What came out beside what should have: two fields whose names differ in that alone, such as `rows_expected`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from weaklink.collect.readers.samples.names import split_words

EXPECTED = frozenset(("expected", "wanted", "reference", "gold", "golden"))
GIVEN = frozenset(("returned", "got", "actual", "obtained", "observed", "received", "produced"))
DIGITS = 4
"""Digits of a number that count: more are a matter of rounding."""
MOST_LEAVES, DEEPEST = 1_000, 6
"""Values that are compared, and objects within each other that are looked into."""
KEPT = 256
"""Rows by their names whose fields are remembered."""


def compare_results(row: Mapping[str, Any]) -> float | None:
    """Right where a list or object that came out holds what it should, wrong where it holds nothing of that.

    None where it holds a part: a grader may leave columns, or the order of rows, alone.
    """
    for given, expected in _find_pairs(tuple(filter(_is_text, row))):
        both = row[given], row[expected]
        if not all(isinstance(one, list | dict) for one in both) or not both[1]:
            continue
        got, right = (frozenset(_list_leaves(one)) for one in both)
        if len(got) >= MOST_LEAVES or not right:
            return None
        return 1.0 if got == right else 0.0 if not got & right else None
    return None


@lru_cache(KEPT)
def _find_pairs(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The fields of what came out, and of what should have, whose names have all other words in common."""
    words = {name: frozenset(split_words(name)) for name in names}
    wanted = {told - EXPECTED: name for name, told in words.items() if told & EXPECTED and told - EXPECTED}
    pairs = ((name, wanted.get(told - GIVEN)) for name, told in words.items() if told & GIVEN)
    return tuple((name, other) for name, other in pairs if other is not None)


def _is_text(name: object) -> bool:
    return isinstance(name, str)


def _list_leaves(value: Any, depth: int = DEEPEST, most: int = MOST_LEAVES) -> Iterator[str]:
    """The values in a list or object, in a plain form, without their places."""
    if isinstance(value, list | dict) and depth:
        for inner in list(value.values() if isinstance(value, dict) else value)[:most]:
            yield from _list_leaves(inner, depth - 1, most)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:.{DIGITS}g}" if abs(value) < 1e300 else "inf"
    elif value is not None:
        yield " ".join(str(value).lower().split())
