"""Columns of inputs found on the tape, whatever they were scaled with and in whatever order rows were drawn."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.collect.monitor.column_fits import fit_column, fit_columns


def walk(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Observations as an environment gives them: neighbours are alike, all differ."""
    steps = np.random.default_rng(seed).normal(size=(rows, columns))
    return (np.cumsum(steps, axis=0) * 0.1 + np.sin(np.arange(rows))[:, None]).astype(np.float32)


def drawn(table: np.ndarray, count: int, seed: int = 1) -> np.ndarray:
    return table[np.random.default_rng(seed).integers(0, len(table), count)]


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (0.125, 0.0), (3.0, -7.0), (-0.5, 1.0), (1e-3, 0.02)])
@pytest.mark.parametrize(("rows", "count"), [(1000, 100), (300, 300), (5000, 1600)])
def test_a_scale_and_an_offset_are_found(scale, offset, rows, count):
    table = walk(rows, 1)
    given = drawn(table[:, 0], count) * np.float32(scale) + np.float32(offset)
    found = fit_column(given, table[:, 0])
    assert found is not None
    assert found == pytest.approx((scale, offset), rel=1e-4, abs=1e-5)


def test_a_column_that_was_clipped_is_found_by_the_rest():
    table = walk(1000, 1)[:, 0]
    given = np.clip((drawn(table, 600) - table.mean()) / table.std(), -1.9, 1.9).astype(np.float32)
    found = fit_column(given, table)
    assert found is not None
    assert found[0] == pytest.approx(1.0 / table.std(), rel=1e-4)


@pytest.mark.parametrize("change", [np.tanh, np.square, np.cumsum], ids=["squashed", "squared", "summed"])
def test_what_is_no_line_fits_nothing(change):
    table = walk(1000, 1)[:, 0]
    assert fit_column(change(drawn(table, 200)).astype(np.float32), table) is None


def test_other_numbers_fit_nothing():
    table, other = walk(1000, 1)[:, 0], walk(1000, 1, seed=5)[:, 0]
    assert fit_column(drawn(other, 200), table) is None
    assert fit_column(np.repeat(table[:3], 100), table) is None, "three numbers fit anywhere"


def test_a_long_tape_tells_nothing_by_itself():
    table = np.linspace(0.0, 1.0, 2_000_000)
    assert fit_column(drawn(table, 100) * 2.0, table) is None


def test_actions_beside_the_observations_are_passed_over_on_either_side():
    table = walk(1000, 3)
    places = np.random.default_rng(2).integers(0, 1000, 200)
    scaled = table[places] * np.array([1.0, 1.0, 0.125], np.float32)
    actions = np.random.default_rng(3).uniform(-1.0, 1.0, (200, 2)).astype(np.float32)
    behind = fit_columns(np.hstack([scaled, actions]), table)
    before = fit_columns(np.hstack([actions, scaled]), table)
    assert {column: fit.column for column, fit in behind.items()} == {0: 0, 1: 1, 2: 2}
    assert {column: fit.column for column, fit in before.items()} == {2: 0, 3: 1, 4: 2}
    assert behind[2].scale == pytest.approx(0.125, rel=1e-4)
    assert np.allclose(behind[2].apply(table[places]), scaled[:, 2], atol=1e-5)
