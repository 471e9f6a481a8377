"""All that is measured of one completion; `python -m weaklink.collect.samples.measuring` measures for another process.

It is sent batches of texts and answers each with their measures.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.samples.languages import find_language
from weaklink.collect.samples.phrases import find_final_answer
from weaklink.collect.samples.readability import measure_gibberish
from weaklink.collect.samples.text import STYLES, measure_text
from weaklink.collect.samples.turns import goes_on

LANGUAGE = "language"
"""The column of the language of a completion, which is compared with that of its prompt."""

COLUMNS = ("words", "repetition", "density", "refusal", "unfinished", "overrun", LANGUAGE, "gibberish", *STYLES)
"""What the numbers of a measure are, in their order."""

HALVES = "surrogatepass"
"""Half a character, as text from damaged files may hold, travels as it is."""

Measure = tuple[Sequence[float], str, str, str, str]
"""The numbers of a text, its template, its opening, its gist and its final answer."""


def measure(text: str) -> Measure:
    """Measures a completion."""
    seen = measure_text(text)
    numbers = (
        seen.length,
        seen.repetition,
        seen.density,
        seen.refusal,
        seen.unfinished,
        goes_on(text),
        find_language(text),
        measure_gibberish(text),
        *seen.style,
    )
    return numbers, seen.template, seen.opening, seen.gist, find_final_answer(text)


class TextBatch(msgspec.Struct, frozen=True):
    """Texts to be measured, in UTF-8."""

    number: int
    texts: list[bytes]


class TextMeasures(msgspec.Struct, frozen=True, omit_defaults=True):
    """One for each text of a batch, none where they cannot be sent; the first message says that there is a process."""

    rows: list[Measure] = []
    ready: bool = False


def main() -> None:
    """Measures until nothing more is asked for."""
    parent = ParentChannel()
    parent.say(TextMeasures(ready=True))
    for batch in parent.hear_all(TextBatch):
        try:
            parent.say(TextMeasures([measure(text.decode("utf-8", HALVES)) for text in batch.texts]))
        except UnicodeEncodeError:
            parent.say(TextMeasures())


if __name__ == "__main__":
    main()
