"""What may stand in a text for strangers: names made of known words, numbers, switches; everything else is hidden.

It is the first lock; `redaction.py` is the second, and looks at whole sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from weaklink.base.evidence.config import ALIASES, find_canonical_name, parse_value
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.privacy import PEOPLE, WORD, is_private, is_secret, names_secret, split_name
from weaklink.show.known_words import WORDS
from weaklink.show.redaction import HIDDEN

LONGEST_VALUE = 60
LONGEST_LIST = 16
DEEPEST = 3
LONGEST_NUMBER = 8
"""Digits of a number inside a name: a date has eight, a moment in time or a telephone number more."""

_SEGMENT = re.compile(r"[^\W_]+")
_COUNTED = re.compile(
    rf"[A-Za-z]?\d{{1,{LONGEST_NUMBER}}}|\d{{1,4}}[A-Za-z]{{1,2}}|\d{{1,4}}[xX]\d{{1,4}}|[A-Za-z]\d[A-Za-z]?"
)
_SEVERAL = re.compile(rf"{re.escape(HIDDEN)}(?:[^\w\s]?{re.escape(HIDDEN)})+")
_SHORTEST_NAME = 4


@cache
def list_known_words() -> frozenset[str]:
    """Every word that may be part of a name: those listed, those of hyper-parameters and of the vocabulary."""
    named = (*ALIASES, *(alias for aliases in ALIASES.values() for alias in aliases), *METRICS)
    return WORDS | {word.lower() for name in named for word in _SEGMENT.findall(name.replace("_", " "))}


@lru_cache(4096)
def allow_name(text: str) -> str:
    """A name with each part hidden that is not made of known words."""
    shown = _SEGMENT.sub(lambda found: found[0] if _is_known(found[0]) else HIDDEN, text)
    return _SEVERAL.sub(HIDDEN, shown)


def is_allowed_name(text: str) -> bool:
    """Whether nothing of a name needs hiding."""
    return allow_name(text) == text


def _is_known(segment: str) -> bool:
    words = list_known_words()
    if segment.lower() in words or _COUNTED.fullmatch(segment):
        return True
    pieces = WORD.findall(segment)
    if "".join(pieces) != segment:
        return False
    return all(
        len(piece) <= LONGEST_NUMBER if piece.isdigit() else len(piece) > 1 and piece.lower() in words
        for piece in pieces
    )


def allow_setting(name: str, value: Any) -> str | None:
    """The value of a hyper-parameter as a text; None where the name is not known or the value may not be shown."""
    if not is_allowed_name(name) or _is_hidden_by_name(name, value):
        return None
    return _allow_value(value)


def _is_hidden_by_name(name: str, value: Any) -> bool:
    if find_canonical_name(name) is not None:
        return names_secret(name)
    parsed = parse_value(value)
    return is_secret(name, value) if isinstance(parsed, bool | int | float) else is_private(name)


def _allow_value(value: Any, depth: int = 0) -> str | None:
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        word = value.strip()
        plain = len(word) <= LONGEST_VALUE and not word.startswith(("/", "~", "."))
        numeric = isinstance(parse_value(word), bool | int | float) and len(word) < 2 * LONGEST_NUMBER
        return value if numeric or (plain and is_allowed_name(word)) else None
    if isinstance(value, list | tuple) and depth < DEEPEST and len(value) <= LONGEST_LIST:
        parts = [_allow_value(one, depth + 1) for one in value]
        return None if None in parts else f"[{', '.join(part for part in parts if part is not None)}]"
    return None


def allow_argument(word: str) -> str:
    """One word of a command line: an option by its known name, `name=value` of known ones, a number, a known word."""
    name, equals, value = word.partition("=")
    if equals:
        shown = allow_setting(name.lstrip("-"), value)
        return f"{allow_name(name)}={HIDDEN if shown is None else shown}"
    if word.startswith("-") and not isinstance(parse_value(word), int | float):
        return allow_name(word)
    shown = _allow_value(word)
    return HIDDEN if shown is None else shown


def allow_arguments(words: Iterable[str]) -> Iterator[str]:
    """A command line word by word; what follows an option is shown where the option is a known setting."""
    option = ""
    for word in words:
        is_option = word.startswith("-") and not isinstance(parse_value(word), int | float)
        if option and not is_option:
            shown = allow_setting(option, word)
            yield HIDDEN if shown is None else shown
        else:
            yield allow_argument(word)
        option = word.lstrip("-") if is_option and "=" not in word else ""


def find_private_names(settings: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of people, teams, projects and machines that a configuration, a command and a context give away."""
    found = [value for name, value in settings.items() if isinstance(value, str) and PEOPLE & split_name(str(name))]
    git = context.get("git")
    found += [
        context.get("host", ""),
        context.get("folder", ""),
        git.get("branch", "") if isinstance(git, Mapping) else "",
    ]
    command = context.get("command")
    found += _find_in_command(command) if isinstance(command, list | tuple) else []
    return tuple(dict.fromkeys(part for value in found if isinstance(value, str) for part in split_private(value)))


def _find_in_command(command: Iterable[object]) -> list[str]:
    found, words = [], [str(word) for word in command]
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if PEOPLE & split_name(name) and (equals or word.startswith("-")):
            found.append(value if equals else following)
    return found


def split_private(value: str) -> Iterator[str]:
    """A text that names somebody, whole and in its parts, where these are names."""
    parts = re.split(r"[/\\\s,;:@]+", value.strip())
    for part in (value.strip(), *parts, *(piece for one in parts for piece in re.split(r"[._-]+", one))):
        if len(part) >= _SHORTEST_NAME - 1 and not is_allowed_name(part):
            yield part


def list_unknown_parts(names: Iterable[str]) -> set[str]:
    """The parts of names that are not made of known words and long enough to be somebody's name."""
    return {
        segment
        for name in names
        for segment in _SEGMENT.findall(name.replace("_", " "))
        if len(segment) >= _SHORTEST_NAME and not _is_known(segment)
    }
