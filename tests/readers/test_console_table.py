"""Tables that were printed with blanks between their columns."""

from __future__ import annotations

import pytest

import weaklink
from weaklink.base.errors import WeaklinkError

HEAD = "deep q on catch"
NAMES = ("Step", "AvgScore", "Eps")


def print_rows(names=NAMES, *, count=12, row=lambda n: (400 * n, -0.9 + 0.05 * n, 1.0 - 0.05 * n), width=12):
    """The lines of a table with right-aligned columns."""
    lines = ["".join(name.rjust(width) for name in names)]
    return [*lines, *("".join(f"{cell:{width}.4g}" for cell in row(n)) for n in range(1, count + 1))]


def read(tmp_path, *lines):
    (tmp_path / "out.txt").write_text("\n".join(lines) + "\n")
    return weaklink.read(tmp_path / "out.txt")


def lengths(run):
    return {name: len(series) for name, series in run.series.items()}


KNOWN = {"reward.episode_return": 12, "exploration.epsilon": 12}


def test_a_table_below_a_title_is_read_with_its_steps(tmp_path):
    run = read(tmp_path, HEAD, *print_rows())
    assert lengths(run) == KNOWN
    assert run.last_step == 4800
    assert run.series["exploration.epsilon"].values[-1] == pytest.approx(0.4)


def test_words_rules_and_a_header_between_rows_do_not_end_it(tmp_path):
    names, *rows = print_rows()
    lines = [names, "-" * 36, *rows[:5], "saved a checkpoint", *rows[5:8], names, *rows[8:]]
    assert lengths(read(tmp_path, HEAD, *lines)) == KNOWN


def test_names_of_several_words_and_bars_between_columns(tmp_path):
    names, *rows = print_rows(("Step", "mean score", "random share"), width=16)
    assert lengths(read(tmp_path, names, *rows)) == KNOWN
    barred = [" | ".join(line.split()) for line in print_rows()]
    assert lengths(read(tmp_path, HEAD, *barred)) == KNOWN


def test_a_missing_number_leaves_the_others(tmp_path):
    names, *rows = print_rows()
    rows[3] = rows[3].rsplit(maxsplit=1)[0] + "  -"
    assert lengths(read(tmp_path, names, *rows)) == {**KNOWN, "exploration.epsilon": 11}


@pytest.mark.parametrize(
    "lines",
    [
        ["three words here", "1 2 3"],  # a single row may be anything
        ["the words of one", "1 2 3", "4 5 6"],  # not as many numbers as words
        ["1 2 3", "4 5 6", "7 8 9"],
        ["twice twice", "1 2", "3 4"],
    ],
)
def test_numbers_that_nobody_named_are_none(tmp_path, lines):
    with pytest.raises(WeaklinkError):
        read(tmp_path, *lines)
