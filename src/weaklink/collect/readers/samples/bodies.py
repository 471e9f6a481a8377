"""The completion of a row that names none: known by what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers.samples.drafts import SampleDraft
from weaklink.collect.readers.samples.names import TEXTS, find_field, is_grade

EITHER = ("answer", "solution")
"""Names of what a model wrote as well as of what it should have written; beside a sure reference it is the former."""

JUDGED = frozenset(("reward", "gold", "human_score", "success"))
"""A row that has one of these was sampled: data sets that nobody answered yet have none."""

FEWEST_WORDS = 2
"""Words of a text under a name that nobody knows: a single one is a name, an id or a label."""


def find_written(row: Mapping[str, Any], values: Mapping[str, Any], unknown: Mapping[str, None]) -> str:
    """The field that must be the completion where none is called so; empty where that is not certain.

    The row must have been judged, and must say what was asked: then it holds what was judged. That is an answer or a
    solution where another field gives the reference, a judge scored the row, or there is no other text; else it is the
    only text of a name that nobody knows.
    """
    graded = any(is_grade(name) and isinstance(value, int | float) for name, value in row.items())
    if "prompt" not in values or (JUDGED.isdisjoint(values) and not graded):
        return ""
    told = [name for name in EITHER if isinstance(row.get(name), str)]
    texts = [name for name, value in row.items() if name in unknown and isinstance(value, str)]
    long = [name for name in texts if len(row[name].split()) >= FEWEST_WORDS]
    if len(told) == 1 and (graded or not long or find_reference(row)):
        return told[0]
    return long[0] if len(long) == 1 else ""


def find_reference(row: Mapping[str, Any]) -> str:
    """The field that holds the reference and cannot be anything else."""
    sure = (name for name, value in row.items() if value is not None and name not in EITHER)
    return next((name for name in sure if name in TEXTS["answer"] or find_field(name) == "answer"), "")


def take_arguments(draft: SampleDraft, value: object) -> None:
    """Takes what a harness asked a model with: the prompt is the first text of it."""
    if text := _find_text(value):
        draft.values.setdefault("prompt", text)


def _find_text(value: object, depth: int = 4) -> str:
    """The first text in lists and objects that hold each other."""
    if isinstance(value, str):
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, (_find_text(part, depth - 1) for part in inner)), "") if depth else ""


def take_safe(draft: SampleDraft, value: object) -> None:
    """Takes how safe a completion is, which tells how unsafe."""
    if isinstance(value, bool | int | float) and 0.0 <= value <= 1.0:
        draft.values.setdefault("unsafe", 1.0 - value)


def take_truncated(draft: SampleDraft, value: object) -> None:
    """Takes whether a limit cut a completion off, as the reason of its end."""
    if isinstance(value, bool | int | float):
        draft.values.setdefault("finish_reason", "length" if value else "stop")
