"""The columns of prompts and completions under names that say nothing: texts, or lists of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import is_chat
from weaklink.collect.readers.samples.speakers import ASSISTANT, name_speakers
from weaklink.collect.readers.samples.steps import is_steps

FEWEST_WORDS = 2.0
"""Words of a prompt on average."""
OFTEN = 0.8
"""The share of rows in which a column must hold one kind of value."""
REPEATED = 0.9
"""Prompts are asked several times where there are at most this many different ones a row."""
ALIKE = 2.0
"""Times as many words as a second text that a completion must have, for the second to be something about it."""
MET = 0.05
"""The share of rows in which what was written must be the reference, where nothing else tells it."""
LONGEST_KEY = 2_000
"""Characters by which the question of a conversation is told from another."""

Column = list[Any]
Columns = Mapping[str, Column]


def find_dialogue(columns: Columns, told: Mapping[str, str]) -> dict[str, str]:
    """The names of columns that must be prompts, completions, messages or steps; `told` has those known by name."""
    free = {name: column for name, column in columns.items() if name not in told.values()}
    if "messages" in told or "steps" in told:
        return {}
    found = _find_chats(free) if "completion" not in told else {}
    if "messages" in found.values() or "steps" in found.values():
        return found
    known = {**{field: name for name, field in found.items()}, **told}
    texts = {name: column for name, column in free.items() if holds(column, str)}
    return {**found, **_find_texts(columns, texts, known)}


def list_asked(columns: Columns, names: Mapping[str, str]) -> Column:
    """What was asked in each row, comparable: the prompt, or a conversation up to its first answer."""
    if "prompt" in names:
        return [make_key(value) for value in columns[names["prompt"]]]
    body = names.get("messages") or names.get("steps")
    return [_read_question(value) for value in columns[body]] if body else []


def list_given(columns: Columns, names: Mapping[str, str]) -> list[str]:
    """What was written in each row, as text."""
    name = next((names[field] for field in ("completion", "messages", "steps") if field in names), "")
    return [value if isinstance(value, str) else make_key(value) for value in columns.get(name, ())]


def holds(column: Column, kind: type | tuple[type, ...]) -> bool:
    """Whether nearly all values are of a kind."""
    return sum(isinstance(value, kind) for value in column) >= OFTEN * len(column)


def differs_within(keys: Column, column: Column) -> bool:
    """Whether values differ among rows of one key."""
    seen: dict[Any, set[Any]] = {}
    for key, value in zip(keys, column, strict=True):
        if isinstance(value, str | int | float):
            seen.setdefault(key if isinstance(key, str | int | float) else None, set()).add(value)
    return any(len(values) > 1 for values in seen.values())


def make_key(value: object) -> str:
    """A text that is equal where the value is."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _find_chats(free: Columns) -> dict[str, str]:
    """Lists of messages: those of the agent alone are completions, those of others alone prompts."""
    found: dict[str, str] = {}
    for name, column in free.items():
        lists = [value for value in column if isinstance(value, list) and value]
        if len(lists) < OFTEN * len(column):
            continue
        if all(map(is_chat, lists)):
            speakers = {role for value in lists for role in name_speakers(value)}
            own = ASSISTANT in speakers
            field = "completion" if speakers == {ASSISTANT} else "messages" if own else "prompt"
        else:
            field = "steps" if all(map(is_steps, lists)) else ""
        if field and field not in found.values():
            found[name] = field
    return found


def _read_question(value: object) -> str:
    if not isinstance(value, list) or not is_chat(value):
        return ""
    roles = name_speakers(value)
    end = roles.index(ASSISTANT) if ASSISTANT in roles else len(roles)
    return make_key(value[:end])[:LONGEST_KEY]


def _find_texts(columns: Columns, texts: Columns, known: Mapping[str, str]) -> dict[str, str]:
    """Texts that must be prompts or completions, as far as those are not known."""
    if "completion" in known:
        given = [make_key(value) for value in columns[known["completion"]]]
        return {} if "prompt" in known else _find_prompt(texts, given)
    if "prompt" in known:
        pairs = {"": [make_key(value) for value in columns[known["prompt"]]]}
        compared = _find_compared(columns, texts, known)
        completion = compared or _find_answered(pairs, texts)[1]
        return {completion: "completion"} if completion else {}
    long = {name: column for name, column in texts.items() if _count_words(column) >= FEWEST_WORDS}
    prompt, completion = _find_answered(long, texts)
    if not completion and len(long) == 2:
        prompt, completion = long
    return {prompt: "prompt", completion: "completion"} if completion else {}


def _find_compared(columns: Columns, texts: Columns, known: Mapping[str, str]) -> str:
    """The only text that is, but for spacing, the reference of its row in some rows and not in all."""
    reference = [" ".join(make_key(value).split()) for value in columns.get(known.get("answer", ""), ())]
    alike = {
        name: sum(" ".join(make_key(value).split()) == right for value, right in zip(column, reference, strict=True))
        for name, column in texts.items()
        if reference
    }
    found = [name for name, count in alike.items() if count >= MET * len(reference)]
    return found[0] if len(found) == 1 and alike[found[0]] < len(reference) else ""


def _find_answered(asked: Columns, texts: Columns) -> tuple[str, str]:
    """A text that comes several times, and the longest of those that differ where it is the same."""
    for prompt, column in asked.items():
        if len(set(column)) > REPEATED * len(column):
            continue
        varied = [name for name in texts if name != prompt and differs_within(column, texts[name])]
        varied.sort(key=lambda name: _count_words(texts[name]), reverse=True)
        if varied and not _are_alike(*(texts[name] for name in varied[:2])):
            return prompt, varied[0]
    return "", ""


def _are_alike(first: Column, *others: Column) -> bool:
    """Whether another text is about as long: then it is a pair, and nothing says which is meant."""
    return any(_count_words(first) < ALIKE * _count_words(other) for other in others)


def _find_prompt(texts: Columns, given: Column) -> dict[str, str]:
    """The text that comes several times with different completions; else the only long one."""
    long = {name: column for name, column in texts.items() if _count_words(column) >= FEWEST_WORDS}
    repeated = (
        name
        for name, column in long.items()
        if len(set(column)) <= REPEATED * len(column) and differs_within(column, given)
    )
    name = next(repeated, "") or _find_only(long)
    return {name: "prompt"} if name else {}


def _find_only(texts: Columns) -> str:
    long = [name for name, column in texts.items() if _count_words(column) >= FEWEST_WORDS]
    return long[0] if len(long) == 1 else ""


def _count_words(column: Column) -> float:
    texts = [value for value in column if isinstance(value, str)]
    return sum(len(text.split()) for text in texts) / max(len(texts), 1)
