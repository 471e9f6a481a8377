"""Words and numbers made fit to show; whatever came from a log passes through here first."""

from __future__ import annotations

import math
import re

from weaklink.base.finding import HIGH, MEDIUM
from weaklink.base.patterns import compile_late

_ESCAPE_SEQUENCE = compile_late(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
# only from the first of a run on, since thousands of backticks must not be tried from each of them
_CODE_SPAN = compile_late(r"((?<!`)`+[^`]+`+)")
_MARKDOWN = compile_late(r"([\\`*_\[\]<>|#~])")
_ASCII = str.maketrans(
    {"·": "-", "×": "x", "–": "-", "—": "-", "…": "...", "→": "->", "≤": "<=", "≥": ">=", "−": "-", "≈": "~"}
)


def clean(text: str) -> str:
    """One line without control characters, terminal sequences, hidden marks or halves of characters."""
    if text.isprintable():
        return text
    without = _ESCAPE_SEQUENCE.sub("", text)
    return " ".join("".join(_replace_unprintable(character) for character in without).split(" ")).strip()


def _replace_unprintable(character: str) -> str:
    if character.isprintable():
        return character
    if character.isspace():
        return " "
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def make_ascii(text: str) -> str:
    """The text in plain ASCII, for terminals that know nothing else."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def escape_prose(text: str) -> str:
    """A sentence as Markdown: code in backticks stays code, whatever else Markdown would read is escaped."""
    parts = _CODE_SPAN.split(clean(text))
    return "".join(
        format_code(part.strip("`")) if index % 2 else _MARKDOWN.sub(r"\\\1", part) for index, part in enumerate(parts)
    )


def format_code(text: str) -> str:
    """A name as a code span of Markdown, whatever it holds; it can stand in a table."""
    shown = clean(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}"


def format_number(value: float) -> str:
    """A value in four digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) < 1e7 and (value == int(value) or abs(value) >= 1000):
        return f"{value:,.0f}"
    return f"{value:.4g}"


def format_step(value: float) -> str:
    """A step with its thousands set apart."""
    if not math.isfinite(value):
        return format_number(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def describe_confidence(value: float) -> str:
    """Confidence in a word."""
    if value >= HIGH:
        return "high"
    return "medium" if value >= MEDIUM else "low"


def count_noun(count: int, noun: str) -> str:
    """`1 rule`, `2 rules`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """The text cut in its middle so that both its ends can still be read."""
    if len(text) <= width:
        return text
    kept = max(width - len(ellipsis), 2)
    return text[: kept // 2] + ellipsis + text[-(kept - kept // 2) :]
