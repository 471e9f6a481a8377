"""A small, safe reader of the YAML in which hyper-parameters are written; nothing is ever constructed.

Block and flow maps and lists, quoted, folded and literal scalars, comments and documents (the first one) are read.
Tags and anchors are passed over, except that what Python writes for an OrderedDict becomes a mapping and for a class
its name. Anything else raises ValueError.
"""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.limits import DEEPEST_TEXT
from weaklink.base.patterns import compile_late
from weaklink.collect.readers._yaml_flow import find_unclosed, parse_flow, parse_scalar

LONGEST_LINE = MOST_LINES = 100_000
_KEY = compile_late(
    r"""((?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*(?:''[^']*)*')\s*|[^\s\[\]{},"'#&*!|>%@`-][^#]*?|-[^\s#][^#]*?):(?=\s|$)"""
)
_PROPERTY = compile_late(r"([!&]\S*)(?:\s+|$)")
_BLOCK_SCALAR = compile_late(r"[|>][-+0-9]*\s*$")


class _YamlLine(msgspec.Struct):
    indent: int
    text: str


def load(content: str) -> Any:
    """The value of the first YAML document."""
    try:
        return _YamlParser(content).document()
    except (IndexError, RecursionError) as error:
        raise ValueError(f"beyond the YAML that is read here: {error}") from error


class _YamlParser:
    """Reads block structure by indentation; what stands on one line is left to the flow reader."""

    def __init__(self, content: str) -> None:
        self._raw = _take_first_document(content)
        if any(len(line) > LONGEST_LINE for line in self._raw) or len(self._raw) > MOST_LINES:
            raise ValueError(f"it may have {MOST_LINES:,} lines of {LONGEST_LINE:,} characters at most")
        self._lines = [_parse_line(raw) for raw in self._raw]
        self._at = 0

    def document(self) -> Any:
        self._skip_blank()
        value = self._node(-1, 0)
        self._skip_blank()
        if self._at < len(self._lines):
            raise ValueError(f"cannot make sense of {self._lines[self._at].text[:40]!r}")
        return value

    def _node(self, parent: int, depth: int, *, tag: str = "") -> Any:
        """The node that starts at this line, which is indented further than its parent."""
        self._skip_blank()
        if depth > DEEPEST_TEXT:
            raise ValueError("nested too deep")
        if self._at >= len(self._lines) or self._lines[self._at].indent <= parent:
            return apply_tag(None, tag)
        line = self._lines[self._at]
        own, rest = _split_properties(line.text)
        if own:
            if not rest:
                self._at += 1
                return self._node(self._child_parent(parent), depth + 1, tag=own)
            line.indent += len(line.text) - len(rest)
            line.text = rest
            return self._node(parent, depth + 1, tag=own)
        if line.text == "-" or line.text.startswith("- "):
            return apply_tag(self._sequence(line.indent, depth), tag)
        if _KEY.match(line.text) is not None:
            return apply_tag(self._mapping(line.indent, depth), tag)
        self._at += 1
        return apply_tag(self._value(line.text, parent, depth), tag)

    def _child_parent(self, parent: int) -> int:
        """After a tag on a line of its own, a list may stand at the indentation of its parent."""
        self._skip_blank()
        if self._at < len(self._lines) and self._lines[self._at].text.startswith("-"):
            return min(parent, self._lines[self._at].indent - 1)
        return parent

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while self._here(indent) and (self._text == "-" or self._text.startswith("- ")):
            line = self._lines[self._at]
            rest = line.text[1:].lstrip()
            if rest and not _BLOCK_SCALAR.match(rest):
                line.indent, line.text = indent + len(line.text) - len(rest), rest
                items.append(self._node(indent, depth + 1))
            else:
                self._at += 1
                items.append(self._literal(indent) if rest else self._node(indent, depth + 1))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._here(indent):
            match = _KEY.match(self._text)
            if match is None:
                raise ValueError(f"expected a key, found {self._text[:40]!r}")
            key = str(parse_scalar(match.group(1).strip()))
            tag, rest = _split_properties(self._text[match.end() :].strip())
            self._at += 1
            if rest:
                value = self._value(rest, indent, depth)
                found[key] = apply_tag(value, tag)
            else:
                self._skip_blank()
                beside = self._here(indent) and (self._text == "-" or self._text.startswith("- "))
                found[key] = self._node(indent - 1 if beside else indent, depth + 1, tag=tag)
        return found

    def _value(self, text: str, parent: int, depth: int) -> Any:
        """A value that starts on the line just passed and may go on over lines indented further."""
        if _BLOCK_SCALAR.match(text):
            return self._literal(parent)
        if text[0] in "[{\"'":
            pieces = [text]
            state = find_unclosed(text)
            while state is not None and self._at < len(self._lines):
                piece = self._raw[self._at].strip() if state.quote else self._lines[self._at].text
                pieces.append(piece)
                state = find_unclosed(piece, state)
                self._at += 1
            return parse_flow(" ".join(pieces))
        pieces = [text]
        while self._at < len(self._lines) and self._lines[self._at].indent > parent and self._lines[self._at].text:
            pieces.append(self._lines[self._at].text)
            self._at += 1
        return parse_scalar(" ".join(pieces))

    def _literal(self, parent: int) -> str:
        pieces: list[str] = []
        while self._at < len(self._raw):
            raw = self._raw[self._at]
            if raw.strip() and len(raw) - len(raw.lstrip()) <= parent:
                break
            pieces.append(raw.strip())
            self._at += 1
        return "\n".join(pieces).strip()

    def _here(self, indent: int) -> bool:
        self._skip_blank()
        return self._at < len(self._lines) and self._lines[self._at].indent == indent

    @property
    def _text(self) -> str:
        return self._lines[self._at].text

    def _skip_blank(self) -> None:
        while self._at < len(self._lines) and not self._lines[self._at].text:
            self._at += 1


def apply_tag(value: object, tag: str) -> Any:
    """A value with its tag applied: pairs of an OrderedDict to a mapping, a Python name to itself."""
    if "OrderedDict" in tag and isinstance(value, list):
        pairs = value[0] if len(value) == 1 and isinstance(value[0], list) else value
        if all(isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], list | dict) for pair in pairs):
            return {str(key): part for key, part in pairs}
    if "python/name:" in tag or "python/module:" in tag:
        return tag.partition(":")[2]
    return value


def _split_properties(text: str) -> tuple[str, str]:
    """The tag of a node (an anchor is dropped) and what follows it."""
    tag = ""
    while (match := _PROPERTY.match(text)) is not None:
        if match.group(1).startswith("!"):
            tag = match.group(1)
        elif not tag:
            tag = "&"
        text = text[match.end() :]
    return tag, text


def _take_first_document(content: str) -> list[str]:
    lines = [line for line in content.expandtabs(4).splitlines() if not line.startswith("%")]
    start = next((index + 1 for index, line in enumerate(lines) if line.rstrip() == "---"), 0)
    if any(line.strip() and not line.lstrip().startswith("#") for line in lines[: max(start - 1, 0)]):
        start = 0
    lines = [line[4:] if line.startswith("--- ") else line for line in lines[start:]]
    end = next((index for index, line in enumerate(lines) if line.rstrip() in ("---", "...")), len(lines))
    return lines[:end]


def _parse_line(raw: str) -> _YamlLine:
    text = strip_comment(raw)
    return _YamlLine(len(raw) - len(raw.lstrip()), text.strip())


def strip_comment(text: str) -> str:
    """A line up to its comment, which begins at a `#` after a space and outside of quotes."""
    quote = ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and (index == 0 or text[index - 1] in " [{,:("):
            quote = character
        elif character == "#" and (index == 0 or text[index - 1].isspace()):
            return text[:index]
    return text
