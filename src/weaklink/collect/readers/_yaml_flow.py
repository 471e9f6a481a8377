"""What stands on one line of YAML: scalars, quoted text, `[lists]` and `{maps}`."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from weaklink.base.limits import DEEPEST_TEXT
from weaklink.base.patterns import compile_late

_INTEGER = compile_late(r"[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|\d[\d_]*)")
_FLOAT = compile_late(r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?")
_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "true": True, "yes": True, "on": True, "false": False, "no": False, "off": False,
    ".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf,
}  # fmt: skip


class UnclosedFlow(msgspec.Struct):
    """What is still open at the end of a line: so many brackets, or a quote."""

    brackets: int = 0
    quote: str = ""


def parse_scalar(text: str) -> Any:
    """A plain or quoted scalar as the value that YAML gives it."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _parse_double_quoted(text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if len(text) < 400 and _INTEGER.fullmatch(text):
        digits = text.replace("_", "")
        based = digits.lstrip("+-")[:2] in ("0x", "0o")
        return int(digits, 0 if based else 10)
    if len(text) < 400 and _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def find_unclosed(text: str, before: UnclosedFlow | None = None) -> UnclosedFlow | None:
    """What is open after this line, or None where all is closed."""
    brackets = before.brackets if before is not None else 0
    quote = before.quote if before is not None else ""
    index = 0
    while index < len(text):
        character = text[index]
        if quote:
            if character == "\\" and quote == '"':
                index += 1
            elif character == quote:
                quote = ""
        elif character in "\"'" and (index == 0 or text[index - 1] in " [{,:"):
            quote = character
        else:
            brackets += (character in "[{") - (character in "]}")
        index += 1
    return UnclosedFlow(brackets, quote) if brackets > 0 or quote else None


def parse_flow(text: str) -> Any:
    """A value in flow style: a list, a map or a scalar."""
    reader = _FlowParser(text.strip())
    value = reader.value(0)
    if reader.rest:
        raise ValueError(f"cannot make sense of {reader.rest[:40]!r}")
    return value


class _FlowParser:
    """Reads one value in flow style from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def rest(self) -> str:
        return self._text[self._at :].strip()

    def value(self, depth: int, ends: str = "") -> Any:
        if depth > DEEPEST_TEXT:
            raise ValueError("nested too deep")
        character = self._peek()
        if character == "[":
            return self._list(depth)
        if character == "{":
            return self._map(depth)
        if character in ("!", "&", "*") and ends:
            start = self._at
            self._word(" " + ends)
            if character == "*":
                return self._text[start : self._at].strip()
            return self.value(depth + 1, ends)
        return parse_scalar(self._word(ends))

    def _list(self, depth: int) -> list[Any]:
        self._at += 1
        items: list[Any] = []
        while self._peek() != "]":
            item = self.value(depth + 1, ",]:")
            if self._peek() == ":":
                self._at += 1
                item = {str(item): self.value(depth + 1, ",]")}
            items.append(item)
            self._comma("]")
        self._at += 1
        return items

    def _map(self, depth: int) -> dict[str, Any]:
        self._at += 1
        found: dict[str, Any] = {}
        while self._peek() != "}":
            key = str(self.value(depth + 1, ",}:"))
            value = None
            if self._peek() == ":":
                self._at += 1
                value = None if self._peek() in ",}" else self.value(depth + 1, ",}")
            found[key] = value
            self._comma("}")
        self._at += 1
        return found

    def _comma(self, end: str) -> None:
        if self._peek() == ",":
            self._at += 1
        elif self._peek() != end:
            raise ValueError(f"expected , or {end} before {self._text[self._at : self._at + 20]!r}")

    def _peek(self) -> str:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        if self._at >= len(self._text):
            raise ValueError("a list or map is not closed")
        return self._text[self._at]

    def _word(self, ends: str) -> str:
        start = self._at
        if start < len(self._text) and self._text[start] in "\"'":
            return self._quoted(self._text[start])
        while self._at < len(self._text):
            character = self._text[self._at]
            colon = character == ":" and self._text[self._at + 1 : self._at + 2] not in ("", " ", ",", "]", "}")
            if character in ends and not colon:
                break
            self._at += 1
        return self._text[start : self._at]

    def _quoted(self, quote: str) -> str:
        start = self._at
        self._at += 1
        while self._at < len(self._text):
            character = self._text[self._at]
            doubled = quote == "'" and self._text[self._at : self._at + 2] == "''"
            self._at += 2 if doubled or (character == "\\" and quote == '"') else 1
            if character == quote and not doubled:
                return self._text[start : self._at]
        raise ValueError("a quote is not closed")


def _parse_double_quoted(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:-1]
