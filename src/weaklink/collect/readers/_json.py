"""JSON of any size: values decoded one at a time out of a stream of text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from weaklink.base.limits import LONGEST_VALUE

_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder()


class TornJson(ValueError):
    """The text ends before the value does."""


class JsonScanner:
    """Walks through JSON text and decodes values as they come, holding one at a time.

    The standard decoder is used, since logs hold bare NaN and Infinity, which stricter ones refuse.
    """

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks = iter(chunks)
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self, skip: str = _SPACE) -> str:
        """The next character that is not to be skipped; empty at the end."""
        while True:
            while self._at < len(self._text):
                character = self._text[self._at]
                if character not in skip:
                    return character
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Passes over one expected character."""
        found = self.peek()
        if found != expected:
            raise TornJson(f"expected {expected}") if not found else ValueError(f"expected {expected}, found {found}")
        self._at += 1

    def value(self) -> Any:
        """Decodes the value at this place."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise ValueError("nested too deep") from error
            except ValueError as error:
                if self._grow():
                    continue
                raise (TornJson(str(error)) if self._ended else error) from error
            if end == len(self._text) and not isinstance(value, dict | list | str) and self._grow():
                continue
            self._at = end
            return value

    def values(self) -> Iterator[Any]:
        """The values from here on, with or without commas between them."""
        while self.peek(_SPACE + ","):
            yield self.value()

    def items(self) -> Iterator[Any]:
        """The items of the list at this place."""
        self.take("[")
        while (character := self.peek(_SPACE + ",")) != "]":
            if not character:
                raise TornJson("the list is not ended")
            yield self.value()
        self._at += 1

    def members(self) -> Iterator[str]:
        """The keys of the object at this place; after each one, its value is to be taken by the caller."""
        self.take("{")
        while (character := self.peek(_SPACE + ",")) != "}":
            if not character:
                raise TornJson("the object is not ended")
            key = self.value()
            self.take(":")
            yield str(key)
        self._at += 1

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            self._ended = True
            return False
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return True

    def _grow(self) -> bool:
        """Takes in as much again as is held, so that a long value costs few attempts."""
        held = len(self._text) - self._at
        if held > LONGEST_VALUE:
            return False
        pieces: list[str] = []
        added = 0
        while added <= held:
            chunk = next(self._chunks, None)
            if chunk is None:
                self._ended = True
                break
            pieces.append(chunk)
            added += len(chunk)
        self._text = self._text[self._at :] + "".join(pieces)
        self._at = 0
        return added > 0
