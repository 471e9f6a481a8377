"""The page as pictures, desktop and phone, light and dark, held against references that were looked at."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.browser.pictures import (
    FOLDER,
    SCREENS,
    compare,
    find_reference,
    list_documents,
    read_picture,
    start_browser,
    take_picture,
    write_picture,
)
from tests.sparing import spare

MOST_BYTES = 600_000
RENEW = "it lies in build/pictures; where that is meant, `make pictures` renews the references"
ROW = 100
"""Squares from the top of the desktop's picture: within what broke."""


@pytest.fixture(scope="module")
def bars(driver):
    """A browser whose letters are bars."""
    with start_browser(driver) as started:
        yield started


SEEN = {"run": ("desktop-light", "phone-dark"), "runs": ("desktop-dark", "phone-light")}
"""Each document in both sizes and both schemes, and each size in both schemes; `make test-whole` takes all others."""


@pytest.mark.parametrize(
    ("name", "screen"), spare(product(list_documents(), SCREENS), lambda one: one[1] in SEEN[one[0]])
)
def test_the_page_looks_as_it_did(bars, name, screen, pytestconfig):
    seen = take_picture(bars, list_documents()[name], SCREENS[screen])
    differs = compare(seen, read_picture(find_reference(name, screen)))
    if differs:
        write_picture(seen, pytestconfig.rootpath / "build" / "pictures" / find_reference(name, screen).name)
    assert not differs, f"{name} on {screen}: {'; '.join(differs[:5])}; {RENEW}"


def test_references_are_small_and_none_is_left_over():
    files = sorted(FOLDER.iterdir())
    assert files == sorted(find_reference(name, screen) for name in list_documents() for screen in SCREENS)
    assert sum(file.stat().st_size for file in files) < MOST_BYTES


CHANGES = {
    "a block moves": ".todo { position: relative; top: 3px }",
    "a block is wider": ".loop { margin-left: 12px }",
    "labels lie over their neighbours": ".finding summary * { margin-left: -5px }",
    "cards overlap": ".charts > * + * { margin-left: -24px }",
    "a colour of a state is another": ":root { --broken: #7c3aed !important }",
    "the paper is another": "body { background: #fff7ed }",
    "curves are gone": "canvas { visibility: hidden }",
    "letters are larger": ".finding { font-size: 17px }",
}
KEPT = ("a block moves", "a colour of a state is another")


@pytest.mark.parametrize("change", spare(CHANGES, keep=lambda change: change in KEPT))
def test_a_change_that_can_be_seen_is_told(bars, change):
    seen = take_picture(bars, list_documents()["run"], SCREENS["desktop-light"], CHANGES[change])
    assert compare(seen, read_picture(find_reference("run", "desktop-light")))


def test_letters_that_are_placed_otherwise_are_not_told(bars):
    style = "* { text-rendering: optimizeLegibility }"
    seen = take_picture(bars, list_documents()["run"], SCREENS["desktop-light"], style)
    assert compare(seen, read_picture(find_reference("run", "desktop-light"))) == []


def test_noise_of_drawing_is_not_told_and_a_missing_word_is():
    kept = read_picture(find_reference("run", "desktop-light"))
    noise = np.random.default_rng(0).uniform(-8, 8, kept.shape)
    assert compare(kept + noise, kept) == []
    dark = np.argwhere(kept[ROW:].min(axis=2) < 110)
    row, column = dark[len(dark) // 2] + (ROW, 0)
    blank = kept.copy()
    blank[row - 1 : row + 2, column - 4 : column + 5] = 255
    assert compare(blank, kept)


def test_a_page_that_is_taller_is_told_with_its_pixels():
    kept = np.zeros((100, 80, 3))
    assert compare(np.zeros((103, 80, 3)), kept) == ["the page is 12 pixels taller than it was"]
    assert compare(np.zeros((90, 80, 3)), kept) == ["the page is 40 pixels shorter than it was"]
    assert compare(np.zeros((101, 80, 3)), kept) == []
