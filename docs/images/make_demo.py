"""Records `weaklink debug` in a terminal and draws it as a moving picture.

    python docs/images/make_demo.py [docs/images/demo.svg]

The command runs in a pseudo-terminal of 80 columns; what its screen shows is kept whenever it changes, and drawn as
one SVG whose frames follow each other by CSS alone. Waiting is cut short.
"""

from __future__ import annotations

import argparse
import html
import os
import pty
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import pyte

COLUMNS, ROWS = 80, 42
TICK = 0.1
"""Seconds between two looks at the screen."""
EVERY, WORKING, LAST = 0.5, 14.0, 8.0
"""Seconds between two frames that are kept, for which all but the last are shown together, and for which that is."""
WIDE, HIGH, EDGE = 8.43, 18.0, 14
"""Pixels of a character, of a line, and around all of it."""
PAPER = "#1c2128"
INK = {
    "default": "#d6d9de", "black": "#5c6370", "red": "#f47067", "green": "#6bc46d", "brown": "#daaa3f",
    "yellow": "#daaa3f", "blue": "#6cb6ff", "magenta": "#dcbdfb", "cyan": "#56d4dd", "white": "#d6d9de",
}  # fmt: skip


class ScreenSpan(NamedTuple):
    """A run of characters of one look."""

    row: int
    column: int
    text: str
    ink: str
    paper: str
    bold: bool


Frame = tuple[ScreenSpan, ...]


def record(command: list[str]) -> list[tuple[float, Frame]]:
    """Every different screen of a command, and for how long it stood."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    parent, child = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm-256color"}
        process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, cwd=folder, env=environment)
        os.close(child)
        frames: list[tuple[float, Frame]] = [(time.monotonic(), ())]
        while read_output(parent, stream):
            shown = take_frame(screen)
            if shown != frames[-1][1]:
                frames.append((time.monotonic(), shown))
        process.wait()
    return thin(frames, time.monotonic())


def thin(frames: list[tuple[float, Frame]], end: float) -> list[tuple[float, Frame]]:
    """Frames that stood long enough to be seen, each with its seconds; the last in any case."""
    kept: list[tuple[float, Frame]] = []
    for began, shown in frames[1:]:
        if kept and began - kept[-1][0] < EVERY:
            kept[-1] = kept[-1][0], shown
        else:
            kept.append((began, shown))
    ends = [began for began, _ in kept[1:]] + [end]
    return [(until - began, shown) for (began, shown), until in zip(kept, ends, strict=True)]


def read_output(parent: int, stream: pyte.ByteStream) -> bool:
    """Feeds what was printed within a tick; false when the command has ended."""
    if not select.select([parent], [], [], TICK)[0]:
        return True
    try:
        got = os.read(parent, 1 << 16)
    except OSError:  # how Linux says that the other side is closed
        return False
    stream.feed(got)
    return bool(got)


def take_frame(screen: pyte.Screen) -> Frame:
    """What a screen shows, in runs of one look."""
    spans: list[ScreenSpan] = []
    for row in range(ROWS):
        line = screen.buffer[row]
        column = 0
        while column < COLUMNS:
            first = line[column]
            end = column
            while end < COLUMNS and line[end][1:] == first[1:]:
                end += 1
            text = "".join(line[place].data for place in range(column, end))
            if text.strip():
                ink, paper = (first.bg, first.fg) if first.reverse else (first.fg, first.bg)
                spans.append(ScreenSpan(row, column, text.rstrip(), ink, paper, first.bold))
            column = end
    return tuple(spans)


def draw(frames: list[tuple[float, Frame]]) -> str:
    """The picture."""
    worked = sum(seconds for seconds, _ in frames[:-1])
    times = [WORKING * seconds / worked for seconds, _ in frames[:-1]] + [LAST]
    whole = sum(times)
    rows = max(span.row for _, frame in frames for span in frame) + 1
    width, height = COLUMNS * WIDE + 2 * EDGE, rows * HIGH + 2 * EDGE
    style, drawn, began = [], [], 0.0
    for number, (seconds, (_, frame)) in enumerate(zip(times, frames, strict=True)):
        start, end = 100 * began / whole, 100 * (began + seconds) / whole
        began += seconds
        gone = f"{end:.3f}%{{visibility:hidden}}" if number < len(frames) - 1 else ""
        style.append(
            f"@keyframes f{number}{{0%{{visibility:hidden}}{start:.3f}%{{visibility:visible}}{gone}}}"
            f"#f{number}{{visibility:hidden;animation:f{number} {whole:.1f}s step-end infinite}}"
        )
        drawn.append(f'<g id="f{number}">{"".join(map(draw_span, frame))}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">'
        "<title>weaklink debug, on a project with one wrong number</title>"
        f"<style>text{{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}{''.join(style)}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>{"".join(drawn)}</svg>\n'
    )


def draw_span(span: ScreenSpan) -> str:
    """A run of characters, each in its own place whatever font there is."""
    x, y, wide = EDGE + span.column * WIDE, EDGE + span.row * HIGH, len(span.text) * WIDE
    paper = "" if span.paper == "default" else find_color(span.paper)
    behind = f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HIGH:g}" fill="{paper}"/>' if paper else ""
    ink = PAPER if paper and span.ink == "default" else find_color(span.ink)
    bold = ' font-weight="bold"' if span.bold else ""
    place = f'x="{x:.1f}" y="{y + 0.75 * HIGH:.1f}" textLength="{wide:.1f}" fill="{ink}"{bold}'
    return f"{behind}<text {place}>{html.escape(span.text)}</text>"


def find_color(name: str) -> str:
    """A colour of the terminal; it may be one of the 16 by name, or any by its digits."""
    return INK.get(name.removeprefix("bright")) or (f"#{name}" if len(name) == 6 else INK["default"])


def main() -> None:
    """Records and draws."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", default=Path(__file__).with_name("demo.svg"))
    file = parser.parse_args().file
    frames = record([sys.executable, "-m", "weaklink", "debug", "--fail-on", "never"])
    file.write_text(draw(frames), encoding="utf-8")
    print(f"{file}: {len(frames)} frames, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
