"""Fields whose names say nothing, known by what they hold in many rows together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from weaklink.collect.readers.samples.names import find_field

FEWEST_ROWS = 8
"""Rows from which on columns can be told apart."""
FEWEST_WORDS = 2.0
"""Words of a prompt on average."""
OFTEN = 0.8
"""The share of rows in which a column must hold one kind of value."""
MET = 0.05
"""The share of completions in which a reference must stand, for it to be one."""
REPEATED = 0.9
"""Prompts are asked several times where there are at most this many different ones a row."""

Column = list[Any]


def guess_fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The names of columns and the fields that they must be; nothing where no completion can be told.

    A prompt comes several times with different completions; a number that differs among these is the reward; a short
    text that is the same for all completions of a prompt, and stands in some, is the reference; a whole number that
    only grows is the step where it covers several prompts, and the group where it covers one.
    """
    if len(rows) < FEWEST_ROWS:
        return {}
    names = list(dict.fromkeys(name for row in rows for name in row if isinstance(name, str)))
    columns = {name: [row.get(name) for row in rows] for name in names}
    told = {field: name for name in reversed(names) if (field := find_field(name)) is not None}
    texts = {name: column for name, column in columns.items() if _holds(column, str) and name not in told.values()}
    prompt, completion = _find_dialogue({**texts, **_take_columns(columns, told.get("prompt"))}, told.get("prompt"))
    if not completion:
        return {}
    asked, given = columns[prompt], columns[completion]
    found = {prompt: "prompt", completion: "completion"}
    rest = {name: column for name, column in columns.items() if name not in found and name not in told.values()}
    guessed = _guess_others(asked, given, rest)
    return {name: field for name, field in (found | guessed).items() if field not in told}


def _take_columns(columns: Mapping[str, Column], name: str | None) -> dict[str, Column]:
    return {} if name is None else {name: columns[name]}


def _guess_others(asked: Column, given: Column, rest: Mapping[str, Column]) -> dict[str, str]:
    """The columns of rewards, references, steps and groups among those that are neither prompts nor completions."""
    found: dict[str, str] = {}
    numbers = {name: column for name, column in rest.items() if _holds(column, (int, float))}
    paid = [name for name, column in numbers.items() if _differs_within(asked, column) and not _counts(column)]
    if reward := _pick_reward(paid):
        found[reward] = "reward"
    references = (name for name in rest if _is_reference(asked, given, rest[name]))
    if reference := next(references, ""):
        found[reference] = "answer"
    clocks = {name: column for name, column in numbers.items() if name not in found and _only_grows(column)}
    for name, column in clocks.items():
        field = "step" if _covers_several(column, asked) else "group"
        if field not in found.values():
            found[name] = field
    return found


def _find_dialogue(texts: Mapping[str, Column], known: str | None) -> tuple[str, str]:
    """The columns of prompts, unless that is known, and completions; empty where they cannot be told apart."""
    if known is not None:
        texts = {known: texts[known], **texts}
    long = [name for name, column in texts.items() if _count_words(column) >= FEWEST_WORDS]
    for prompt in long if known is None else [known]:
        if len(set(texts[prompt])) > REPEATED * len(texts[prompt]):
            continue
        varied = [name for name in texts if name != prompt and _differs_within(texts[prompt], texts[name])]
        if varied:
            return prompt, max(varied, key=lambda name: _count_words(texts[name]))
    return (long[0], long[1]) if len(long) == 2 and known in (None, long[0]) else ("", "")


def _pick_reward(names: Sequence[str]) -> str:
    """The only number that differs within prompts; of several the one whose name begins as those of rewards do."""
    if len(names) == 1:
        return names[0]
    return next((name for name in names if name[:1].lower() == "r"), "") or next(
        (name for name in names if name[:1].lower() == "s"), ""
    )


def _holds(column: Column, kind: type | tuple[type, ...]) -> bool:
    return sum(isinstance(value, kind) for value in column) >= OFTEN * len(column)


def _count_words(column: Column) -> float:
    texts = [value for value in column if isinstance(value, str)]
    return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def _differs_within(keys: Column, column: Column) -> bool:
    """Whether values differ among rows of one key."""
    seen: dict[Any, set[Any]] = {}
    for key, value in zip(keys, column, strict=True):
        if isinstance(value, str | int | float):
            seen.setdefault(key if isinstance(key, str | int | float) else None, set()).add(value)
    return any(len(values) > 1 for values in seen.values())


def _counts(column: Column) -> bool:
    """Whether a column only counts rows, anew for each group or not."""
    steps = {later - earlier for earlier, later in _pair_up(column)}
    return 1 in steps and not any(0 < step < 1 or step > 1 for step in steps) and 0 not in steps


def _is_reference(asked: Column, given: Column, column: Column) -> bool:
    told = [(str(value), text) for value, text in zip(column, given, strict=True) if isinstance(value, str | int)]
    met = sum(value in text for value, text in told if value.strip() and isinstance(text, str))
    constant = len(set(map(str, column))) > 1 and not _differs_within(asked, column)
    grows = _holds(column, (int, float)) and _only_grows(column)
    return constant and not grows and len(told) >= OFTEN * len(column) and met >= MET * len(told)


def _only_grows(column: Column) -> bool:
    pairs = list(_pair_up(column))
    whole = all(float(value).is_integer() for value in column if isinstance(value, int | float))
    return whole and bool(pairs) and all(later >= earlier for earlier, later in pairs)


def _covers_several(column: Column, asked: Column) -> bool:
    """Whether one value of a clock covers several prompts."""
    return _differs_within(column, asked)


def _pair_up(column: Column) -> Iterable[tuple[float, float]]:
    numbers = [value for value in column if isinstance(value, int | float)]
    return pairwise(numbers)
