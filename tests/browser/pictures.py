"""Pictures of the page, and the references they are held against: `make pictures` draws these anew.

Text is drawn as bars (`bars.py`), a picture is kept as the means of squares of a few pixels, and squares are compared
by tiles, so that a picture survives another font, another browser and another edge of a curve. What moves, overlaps,
is missing or has another colour fills part of a tile.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.browser.bars import install_bars
from tests.browser.conftest import ARGUMENTS, PATIENCE_MILLISECONDS, executable
from tests.browser.documents import BLOCKS, CURVES, chart, document, line, page
from weaklink.base.evidence.series import Array
from weaklink.show.document import ChartLimit, ChartMark, Document, Section
from weaklink.show.renderers.html import write_document

FOLDER = Path(__file__).parent / "references"
CELL = 4
"""Pixels along the edge of a square of which the mean is kept."""

TILE = 8
"""Squares along the edge of a tile."""

OTHER = 24.0
"""Of 255: by how much the mean of a square differs where something else is drawn. A line of text that moves by one
square changes it by about 100, an edge that is smoothed otherwise by less than 10."""

MOST_OTHER = 0.15
"""The share of other squares that a tile may have: one row of it, as where the edge of a card falls between pixels. A
thin line in another place of its tile makes two."""

MOST_TINT = 4.0
"""Of 255: by how much the colour of a whole tile may differ. Two shades of paper differ by more."""

MOST_TALLER = 2
"""Squares by which a page may be taller or shorter."""

EVEN = ("--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb")
"""Switches of chromium by which letters have the same width everywhere, and colours the same numbers."""

ADD_STYLE = (
    "text => { const added = new CSSStyleSheet(); added.replaceSync(text); document.adoptedStyleSheets = [added] }"
)
"""The page's policy allows no other way."""

DRAWN = "[...document.querySelectorAll('.plot')].every(plot => plot.querySelector('canvas'))"
"""Whether every chart has come into view and was drawn, however busy the machine is."""

MOST_LOOKS = 100

SCREENS: dict[str, dict[str, Any]] = {
    f"{size}-{scheme}": {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    for size, width in (("desktop", 1280), ("phone", 390))
    for scheme in ("light", "dark")
}
MINOR = tuple(
    chart(f"minor.{number}", minor=True, lines=(line(f"minor.{number}", seed=number),)) for number in range(5)
)
CROWDED = chart(
    "crowded",
    limits=tuple(ChartLimit(at=at, label=f"limit {at}") for at in range(4)),
    marks=tuple(ChartMark(at=20_000 + 700 * at, label=f"POL30{at} some-name", code="") for at in range(3)),
)


def list_documents() -> dict[str, Document]:
    """The documents that are drawn: one run with every kind of block, and several runs with a choice among them."""
    curves = Section(id="curves", title="Curves", blocks=(CROWDED, *CURVES, *MINOR))
    blocks = Section(id="more", title="All else", blocks=BLOCKS)
    healthy = page(
        id="two", title="runs/eight", verdict="healthy", findings=(), sections=(), advice=("Try more seeds.",)
    )
    return {
        "run": document(page(says="The policy leaves its trust region.", sections=(curves, blocks))),
        "runs": document(healthy, page(), title="Two runs"),
    }


@contextmanager
def start_browser(driver: Any) -> Iterator[Any]:
    """A chromium that knows no font but the bars."""
    with TemporaryDirectory() as folder:
        told = {**os.environ, "FONTCONFIG_FILE": str(install_bars(Path(folder)))}
        started = driver.chromium.launch(executable_path=executable(), args=[*ARGUMENTS, *EVEN], env=told)
        yield started
        started.close()


def take_picture(browser: Any, shown: Document, screen: dict[str, Any], style: str = "") -> Array:
    """The whole page, every part of it unfolded and drawn, as means of squares; `style` is added to its own."""
    context = browser.new_context(**screen, reduced_motion="reduce")
    try:
        opened = context.new_page()
        opened.set_default_timeout(PATIENCE_MILLISECONDS)
        opened.set_content(write_document(shown))
        opened.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        if style:
            opened.evaluate(ADD_STYLE, style)
        return shrink(_photograph(opened))
    finally:
        context.close()


def _photograph(opened: Any) -> bytes:
    """As soon as two pictures in a row are the same: what is drawn when it comes into view has come into it."""
    before = b""
    for _ in range(MOST_LOOKS):
        height = opened.evaluate("document.documentElement.scrollHeight")
        opened.set_viewport_size({"width": opened.viewport_size["width"], "height": height})
        opened.wait_for_timeout(150)
        taken: bytes = opened.screenshot(full_page=True)
        if taken == before and opened.evaluate(DRAWN):
            break
        before = taken
    return before


def shrink(png: bytes) -> Array:
    """The means of squares: rows, columns, three colours."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)
    height, width = (length // CELL for length in pixels.shape[:2])
    return pixels[: height * CELL, : width * CELL].reshape(height, CELL, width, CELL, 3).mean(axis=(1, 3))


def compare(seen: Array, kept: Array) -> list[str]:
    """What differs, in words and with the place in pixels; nothing where the pictures show the same."""
    taller = len(seen) - len(kept)
    if abs(taller) > MOST_TALLER or seen.shape[1] != kept.shape[1]:
        return [f"the page is {abs(taller) * CELL} pixels {'taller' if taller > 0 else 'shorter'} than it was"]
    rows = min(len(seen), len(kept))
    apart = seen[:rows] - kept[:rows]
    differs = []
    for top in range(0, rows, TILE):
        for left in range(0, apart.shape[1], TILE):
            tile = apart[top : top + TILE, left : left + TILE]
            other = float((np.abs(tile).max(axis=2) > OTHER).mean())
            tint = float(np.abs(tile.mean(axis=(0, 1))).max())
            if other > MOST_OTHER or tint > MOST_TINT:
                differs.append(f"at {left * CELL}, {top * CELL}: {other:.0%} of it is other, its colour by {tint:.0f}")
    return differs


def find_reference(name: str, screen: str) -> Path:
    """Where it is kept."""
    return FOLDER / f"{name}-{screen}.png"


def write_picture(cells: Array, file: Path) -> None:
    """Writes means of squares, a pixel each."""
    from PIL import Image

    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.rint(cells).astype(np.uint8)).save(file, optimize=True)


def read_picture(file: Path) -> Array:
    """What was written."""
    from PIL import Image

    return np.asarray(Image.open(file).convert("RGB"), float)


def main() -> None:
    """Draws all references anew, to be looked at before they are committed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, start_browser(driver) as browser:
        for name, shown in list_documents().items():
            for screen, options in SCREENS.items():
                file = find_reference(name, screen)
                write_picture(take_picture(browser, shown, options), file)
                print(f"{file.relative_to(Path.cwd())}  {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
