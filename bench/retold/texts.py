"""The same texts as chat messages or as strings, and with other words for what they are about."""

from __future__ import annotations

import random
import re
from typing import Any

from weaklink.collect.readers.samples.names import find_field

Row = dict[str, Any]
Rows = list[Row]

ROLES = {"completion": "assistant", "prompt": "user"}
CONTENT = re.compile(r'(?<!"name": ")(?<!"name":")(?<![A-Za-z_])[A-Za-z]{4,}(?![A-Za-z_]|\d*"\s*:)')
"""Words, but for those that are parts of identifiers, names of fields in JSON, or names of tools."""
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
GRAMMAR = frozenset((
    "that", "this", "with", "from", "have", "will", "would", "could", "should", "there", "their", "they", "them",
    "then", "than", "what", "when", "where", "which", "while", "your", "yours", "been", "being", "were", "does",
    "done", "into", "onto", "over", "under", "about", "after", "before", "because", "between", "each", "every",
    "more", "most", "some", "such", "only", "also", "just", "very", "much", "many", "both", "other", "another",
    "same", "here", "these", "those", "must", "shall", "might", "upon", "within", "without", "through", "during",
    "against", "since", "until", "though", "although", "however", "therefore", "thus", "else", "once", "again",
    "below", "above", "itself", "himself", "herself", "themselves", "ourselves", "yourself", "whose", "whom",
    "like", "unlike", "never", "always", "often", "boxed", "frac", "sqrt", "text", "left", "right", "times", "cdot",
    "begin", "think", "answer", "final", "true", "false", "null", "none", "return", "import", "class", "print",
    "assert", "elif", "except", "raise", "yield", "lambda", "pass", "break", "continue", "json", "https", "http",
))  # fmt: skip
"""Words that any text has, and those of notations: without them no text would be of any language, nor any program."""
KEPT = frozenset(("role", "name", "type", "tool", "tool_call_id", "id", "from", "function_name", "tool_name", "finish"))
"""Fields of messages that say what a message is, and not what is said."""


def wrap_in_messages(rows: Rows, rng: random.Random) -> Rows:
    """Prompts and completions as lists of one message."""
    return [{name: _wrap(name, value) for name, value in row.items()} for row in rows]


def _wrap(name: str, value: object) -> object:
    role = ROLES.get(find_field(name) or "")
    return [{"role": role, "content": value}] if role and isinstance(value, str) else value


def unwrap_messages(rows: Rows, rng: random.Random) -> Rows:
    """Lists of one plain message as the text in it, and a question with its answer as two fields."""
    return [dict(part for name, value in row.items() for part in _unwrap(name, value, row)) for row in rows]


def _unwrap(name: str, value: object, row: Row) -> list[tuple[str, object]]:
    texts = _list_plain(value)
    if len(texts) == 1:
        return [(name, texts[0][1])]
    if [role for role, _ in texts] == ["user", "assistant"] and not {"prompt", "completion"} & row.keys():
        return [("prompt", texts[0][1]), ("completion", texts[1][1])]
    return [(name, value)]


def _list_plain(value: object) -> list[tuple[str, str]]:
    """The roles and texts of messages; none where a message says more than that."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return []
    plain = all(one.keys() == {"role", "content"} and isinstance(one["content"], str) for one in value)
    return [(one["role"], one["content"]) for one in value] if plain else []


def replace_words(rows: Rows, rng: random.Random) -> Rows:
    """Each word of content by a word that does not exist, the same one everywhere and no other by it."""
    words: dict[str, str] = {}
    taken: set[str] = set()

    def invent(match: re.Match[str]) -> str:
        word = match[0]
        plain = word.lower()
        if plain in GRAMMAR:
            return word
        if plain not in words:
            words[plain] = _invent_word(len(plain), taken, rng)
        other = words[plain]
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    bodies = {name for row in rows for name in row if find_field(name) not in _NAMES}
    return [
        {name: _map_texts(value, invent) if name in bodies else value for name, value in row.items()} for row in rows
    ]


_NAMES = ("id", "group", "split", "prompt_kind", "finish_reason", "allowed_tools", "reward", "rewards")


def _invent_word(length: int, taken: set[str], rng: random.Random) -> str:
    while True:
        word = "".join(rng.choice(CONSONANTS if place % 2 == 0 else VOWELS) for place in range(length))
        if word not in taken:
            taken.add(word)
            return word


def _map_texts(value: Any, invent: Any) -> Any:
    if isinstance(value, str):
        return CONTENT.sub(invent, value) if " " in value or "\n" in value or value.isalpha() else value
    if isinstance(value, list):
        return [_map_texts(one, invent) for one in value]
    if isinstance(value, dict):
        return {name: one if name in KEPT else _map_texts(one, invent) for name, one in value.items()}
    return value
