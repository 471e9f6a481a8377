from __future__ import annotations

import numpy as np

from tests.counting import count_lines


def test_loops_are_counted_and_arithmetic_on_arrays_is_not():
    numbers = np.arange(1000.0)
    assert count_lines(lambda: [number + 1 for number in numbers]) >= 1000
    assert count_lines(lambda: sum(map(lambda number: number + 1, numbers))) >= 1000  # noqa: C417
    assert count_lines(lambda: numbers + 1) < 10
