"""Fields whose names say nothing, known by what they hold in many rows together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from weaklink.collect.readers.samples.chat import is_chat
from weaklink.collect.readers.samples.dialogues import (
    OFTEN,
    Column,
    Columns,
    differs_within,
    find_dialogue,
    holds,
    list_asked,
    list_given,
    make_key,
)
from weaklink.collect.readers.samples.names import find_component, find_field, find_side, is_grade, split_words

FEWEST_ROWS = 8
"""Rows from which on columns can be told apart."""
MET = 0.05
"""How much oftener a reference must stand in the completions to its own prompt than in those to others."""
SUMS_TO_ZERO = 1e-3
"""The mean of the advantages of a draw, as a share of their spread, which rounding leaves."""
FOLLOWS = 0.95
"""The correlation of a count of tokens with the characters that they make up."""
SHORTEST = 3
"""Letters of a name that is cut to its first ones, such as r or rwd."""
MEASURES = frozenset((
    "toxicity", "toxic", "perplexity", "ppl", "temperature", "temp", "latency", "time", "seconds", "ms", "duration",
    "timestamp", "prob", "probability", "logprob", "logprobs", "logp", "loss", "entropy", "kl", "ratio", "weight",
    "seed", "index", "idx", "count", "num", "number", "len", "length", "tokens", "words", "chars", "size", "rank",
    "similarity", "diversity", "novelty", "confidence", "uncertainty", "difficulty", "cost", "price", "version",
    "epoch", "lr", "var", "variance", "std", "norm", "top", "age", "level", "position",
))  # fmt: skip
"""Words of names that say a number is something else than a reward, although it may be the only one."""
JUDGED = frozenset(("reward", "rewards", "chosen", "rejected"))
"""A row with one of these has its reward, or none."""


def guess_fields(rows: Sequence[Mapping[str, Any]], components: frozenset[str] = frozenset()) -> dict[str, str]:
    """The names of columns and the fields that they must be; nothing where no completion can be told.

    A prompt comes several times with different completions; a number that differs among these is the reward, and one
    that sums to nothing among them the advantage; a short text that is the same for all completions of a prompt, and
    stands in them oftener than in others, is the reference; a whole number that only grows is the step where it covers
    several prompts, and the group where it covers one. What a name tells is never guessed at, nor what the layout of a
    file tells: its `components` of the reward.
    """
    if len(rows) < FEWEST_ROWS:
        return {}
    names = list(dict.fromkeys(name for row in rows for name in row if isinstance(name, str)))
    columns = {name: [row.get(name) for row in rows] for name in names}
    told = {field: name for name in reversed(names) if (field := _find_told(name, columns[name])) is not None}
    if "chosen" in told:
        return {}
    found = find_dialogue(columns, told)
    known = {**told, **{field: name for name, field in found.items()}}
    asked, given = list_asked(columns, known), list_given(columns, known)
    if not given:
        return {}
    taken = {*found, *told.values(), *components}
    rest = {name: column for name, column in columns.items() if name not in taken}
    return found | _guess_others(
        asked or given, given, rest, frozenset(known).union(("rewards",) if components else ())
    )


def _find_told(name: str, column: Column) -> str | None:
    """The field that a name tells; a body must have the form of one."""
    field = find_field(name)
    kinds: dict[str | None, tuple[type, ...]] = {"completion": (str, list), "messages": (list,), "steps": (list,)}
    return field if field not in kinds or holds(column, kinds[field]) else None


def _guess_others(asked: Column, given: list[str], rest: Columns, told: frozenset[str]) -> dict[str, str]:
    """The columns that are neither prompts nor completions."""
    found: dict[str, str] = {}

    def take(field: str, name: str) -> None:
        if name and field not in told and field not in found.values():
            found[name] = field

    numbers = {name: column for name, column in rest.items() if _holds_numbers(column) and not is_named(name)}
    clocks = {name: column for name, column in numbers.items() if _only_grows(column)}
    steps = [name for name, column in clocks.items() if differs_within(column, asked)]
    take("step", max(steps, key=lambda name: len(set(rest[name])), default=""))
    take("group", next((name for name in clocks if name not in steps and _repeats(rest[name])), ""))
    references = (name for name in rest if name not in clocks and is_reference(asked, given, rest[name]))
    take("answer", next(references, ""))
    _take_kinds(rest, take)
    free = {name: column for name, column in numbers.items() if name not in found and name not in clocks}
    lengths = [name for name, column in free.items() if _counts_length(column, given)]
    take("response_len", next(iter(lengths), ""))
    lengths += [name for name, column in free.items() if _counts_length(column, list(map(make_key, asked)))]
    said = [name for name, column in free.items() if _measure_lift(_write_out(column), given) >= MET]
    odd = {*lengths, *said}
    paid = [name for name in free if name not in odd and not _counts(free[name]) and len(set(free[name])) > 1]
    several = [name for name in paid if differs_within(asked, free[name])]
    centred = [name for name in several if _sums_to_zero(asked, free[name])]
    take("advantage", centred[0] if len(centred) == 1 and (len(several) > 1 or "reward" in told) else "")
    if not told & JUDGED and not any(is_named(name) for name in rest):
        left = (name for name in several or paid if name not in found)
        take("reward", _pick_reward([name for name in left if MEASURES.isdisjoint(split_words(name))]))
    return found


def is_named(name: str) -> bool:
    """Whether a name says that a number is a part of the reward, or a grade that may be all of it."""
    return find_component(name) is not None or is_grade(name)


def _take_kinds(rest: Columns, take: Any) -> None:
    """Texts of few values that say themselves what they are: splits of data, and schemas of tools."""
    for name, column in rest.items():
        if holds(column, str):
            values = {value for value in column if isinstance(value, str)}
            take("split", name if len(values) > 1 and all(map(find_side, values)) else "")
        elif holds(column, list):
            take("allowed_tools", name if all(map(_is_tools, filter(None, column))) else "")


def _is_tools(value: object) -> bool:
    """Whether a list has schemas of functions in it."""
    if not isinstance(value, list) or is_chat(value) or not all(isinstance(one, dict) for one in value):
        return False
    inner = (one["function"] if isinstance(one.get("function"), dict) else one for one in value)
    return all(isinstance(one.get("name"), str) and ("parameters" in one or "input_schema" in one) for one in inner)


def _pick_reward(names: Sequence[str]) -> str:
    """The only number that is left; of several the one whose short name begins as those of rewards do."""
    if len(names) == 1:
        return names[0]
    short = [name for name in names if len(name) <= SHORTEST]
    return next((name for first in "rs" for name in short if name[:1].lower() == first), "")


def _holds_numbers(column: Column) -> bool:
    return holds(column, (int, float)) and not any(isinstance(value, bool) for value in column)


def _counts(column: Column) -> bool:
    """Whether a column only counts rows, anew for each group or not."""
    steps = {later - earlier for earlier, later in _pair_up(column)}
    return 1 in steps and not any(0 < step < 1 or step > 1 for step in steps) and 0 not in steps


def _counts_length(column: Column, given: Sequence[str]) -> bool:
    """Whether whole numbers follow how long the completions are."""
    pairs = [(value, len(text)) for value, text in zip(column, given, strict=True) if isinstance(value, int | float)]
    numbers, lengths = np.asarray(pairs, float).T
    if not (np.mod(numbers, 1.0) == 0.0).all() or np.ptp(numbers) == 0.0 or np.ptp(lengths) == 0.0:
        return False
    return bool(np.corrcoef(numbers, lengths)[0, 1] >= FOLLOWS)


def _sums_to_zero(asked: Column, column: Column) -> bool:
    """Whether the numbers of nearly every draw add up to nothing although they differ."""
    draws: dict[str, list[float]] = {}
    for key, value in zip(asked, column, strict=True):
        if isinstance(value, int | float):
            draws.setdefault(make_key(key), []).append(float(value))
    spread = [np.asarray(draw) for draw in draws.values() if len(set(draw)) > 1]
    zero = sum(abs(draw.mean()) <= SUMS_TO_ZERO * draw.std() + 1e-4 * np.abs(draw).max() for draw in spread)
    return bool(spread) and bool(zero >= OFTEN * len(spread))


def is_reference(asked: Column, given: Sequence[str], column: Column) -> bool:
    """Whether short values, the same for a prompt, stand in its completions oftener than in those to other prompts."""
    told = _write_out(column)
    if len(set(told)) < 2 or differs_within(asked, column) or sum(map(bool, told)) < OFTEN * len(told):
        return False
    return _measure_lift(told, given) >= MET


def _write_out(column: Column) -> list[str]:
    return [str(value) if isinstance(value, str | int) else "" for value in column]


def _measure_lift(told: Sequence[str], given: Sequence[str]) -> float:
    """How much oftener values stand in their own texts than others do, beyond chance."""
    half = len(given) // 2
    own = sum(bool(value.strip()) and value in text for value, text in zip(told, given, strict=True))
    pairs = zip(told, (*given[half:], *given[:half]), (*told[half:], *told[:half]), strict=True)
    others = [value in text for value, text, right in pairs if value.strip() and value != right]
    chance = sum(others) / len(others) if others else 1.0
    share = own / len(told)
    return share - chance - 2.0 * math.sqrt(chance * (1.0 - chance) / len(told))


def _only_grows(column: Column) -> bool:
    pairs = list(_pair_up(column))
    whole = all(float(value).is_integer() for value in column if isinstance(value, int | float))
    return whole and len(set(column)) > 1 and all(later >= earlier for earlier, later in pairs)


def _repeats(column: Column) -> bool:
    """Whether most values come several times."""
    return 2 * len(set(column)) <= len(column)


def _pair_up(column: Column) -> Iterable[tuple[float, float]]:
    numbers = [value for value in column if isinstance(value, int | float)]
    return pairwise(numbers)
