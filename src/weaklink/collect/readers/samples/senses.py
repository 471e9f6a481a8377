"""Names that mean another field than usual: which one is told by the fields beside them and by what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weaklink.collect.readers.samples.bodies import FEWEST_WORDS, JUDGED
from weaklink.collect.readers.samples.dialogues import OFTEN, Column, holds
from weaklink.collect.readers.samples.guessing import is_named, is_reference
from weaklink.collect.readers.samples.names import find_field
from weaklink.collect.readers.samples.numbers import is_outcome

FEWEST_ROWS = 8
"""Rows from which on a column is known to hold another thing than its name says."""

SOURCES = ("source", "src", "source_text", "src_text", "source_sentence")
WRITTEN = ("hypothesis", "hyp", "mt", "translation", "hypothesis_text", "machine_translation")
"""Names of what is translated, and of what a model made of it."""

REFERENCES = {"ref": "reference", "ref_text": "reference"}
"""Short names of the reference of a translation."""

GOLD = "gold"
"""A score that is trusted, or, of some tools, the right answer itself."""


def find_senses(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The names that mean another field, and that field."""
    columns = {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ()) if isinstance(name, str)}
    return dict(_find_translated(columns)) | dict(_find_gold(columns))


def rename(row: Any, fields: Mapping[str, str]) -> Any:
    """The row with these names replaced; what is no object stays as it is."""
    if not isinstance(row, dict):
        return row
    free = {name: value for name, value in row.items() if name not in fields}
    return free | {fields[name]: value for name, value in row.items() if name in fields}


def _find_translated(columns: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """A source with a translation beside it that was compared with a reference, or judged."""
    fields = set(map(find_field, columns)) | {REFERENCES.get(name) for name in columns}
    source = next((name for name in SOURCES if name in columns and _are_sentences(columns[name])), "")
    written = [name for name in WRITTEN if name in columns and _are_sentences(columns[name])]
    if not source or not written or fields & {"prompt", "completion", "messages", "steps", "chosen"}:
        return
    if not fields & {"answer", "reference", *JUDGED} and not any(map(is_named, columns)):
        return
    yield source, "prompt"
    yield written[0], "completion"
    yield from ((name, field) for name, field in REFERENCES.items() if name in columns and field not in columns)


def _are_sentences(column: Column) -> bool:
    """Whether most values have several words: a name of a data set has one."""
    several = sum(isinstance(value, str) and len(value.split()) >= FEWEST_WORDS for value in column)
    return 2 * several > len(column)


def _find_gold(columns: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """A gold that is the right answer: a text that tells no outcome, or what stands in completions to its prompt.

    A file that writes its scores as numbers writes a gold score as one too: there even a text of digits is an answer.
    """
    gold = [value for value in columns.get(GOLD, ()) if value is not None]
    if len(gold) < FEWEST_ROWS or "ground_truth" in columns or all(map(is_outcome, gold)):
        return
    scored = any(find_field(name) in JUDGED and holds(column, (int, float)) for name, column in columns.items())
    if holds(gold, str) and (scored or sum(not _is_number(value) for value in gold) >= OFTEN * len(gold)):
        yield GOLD, "ground_truth"
        return
    asked = next((name for name in columns if find_field(name) == "prompt"), "")
    given = next((name for name in columns if find_field(name) == "completion" and holds(columns[name], str)), "")
    texts = [value if isinstance(value, str) else "" for value in columns.get(given, ())]
    if asked and given and is_reference(columns[asked], texts, columns[GOLD]):
        yield GOLD, "ground_truth"


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return is_outcome(value)
    return True
