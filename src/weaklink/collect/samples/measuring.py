"""All that is measured of one completion; `python -m weaklink.collect.samples.measuring` measures for another process.

It reads frames of a length and a list of texts from standard input, and answers each with a frame of measures.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import IO, Any

import msgspec

from weaklink.collect.samples.phrases import final_answer
from weaklink.collect.samples.text import STYLES, features

COLUMNS = ("words", "repetition", "density", "refusal", *STYLES)
"""What the numbers of a measure are, in their order."""

Measure = tuple[Sequence[float], str, str, str]
"""The numbers of a text, its template, its opening and its final answer."""


def measure(text: str) -> Measure:
    """Measures a completion."""
    seen = features(text)
    numbers = (seen.length, seen.repetition, seen.density, seen.refusal, *seen.style)
    return numbers, seen.template, seen.opening, final_answer(text)


def written(stream: IO[bytes], value: object) -> None:
    """Writes one frame."""
    content = msgspec.msgpack.encode(value)
    stream.write(len(content).to_bytes(4, "little"))
    stream.write(content)
    stream.flush()


def frame(stream: IO[bytes]) -> Any:
    """Reads one frame.

    Raises:
        EOFError: there is none.
    """
    size = stream.read(4)
    if len(size) < 4:
        raise EOFError
    content = stream.read(int.from_bytes(size, "little"))
    return msgspec.msgpack.decode(content)


def main() -> None:
    """Measures until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked decides when to stop
    try:
        while True:
            written(sys.stdout.buffer, [measure(text) for text in frame(sys.stdin.buffer)])
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
