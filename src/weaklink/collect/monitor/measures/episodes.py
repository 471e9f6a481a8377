"""Whole episodes inside a rollout: how long they were, and the trace of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.collect.monitor.measures.numbers import Array, arrange_in_time

LONGEST_TRACE = 1000
"""Of a longer episode, the last so many steps are traced."""


def find_whole_episodes(ended: Any) -> tuple[Array, Array, Array]:
    """First step, last step and environment of every episode that began and ended within the rollout.

    What came before the first end of an environment may have begun earlier, and is left out.
    """
    table = np.asarray(ended, bool)
    columns, steps = np.nonzero(table.reshape(len(table), -1).T)
    same = columns[1:] == columns[:-1]
    return steps[:-1][same] + 1, steps[1:][same], columns[1:][same]


def measure_episode_lengths(ended: Any) -> Array:
    """Lengths of the whole episodes; long ones are rarer here than in the training, since they fit in less often."""
    table = arrange_in_time(ended)
    if table is None:
        return np.array([], int)
    first, last, _ = find_whole_episodes(table[0])
    return last - first + 1


def trace_last_episode(values: Any, rewards: Any, ended: Any) -> dict[str, Any] | None:
    """The values and rewards of the whole episode that ended last, or None where there was none.

    `length` is that of the episode; a long one is traced from step `first` on.
    """
    tables = arrange_in_time(values, rewards, ended)
    if tables is None:
        return None
    starts, ends, columns = find_whole_episodes(tables[2])
    if ends.size == 0:
        return None
    latest = int(ends.argmax())
    start, end, column = int(starts[latest]), int(ends[latest]), int(columns[latest])
    length = end - start + 1
    shown = slice(max(start, end + 1 - LONGEST_TRACE), end + 1)
    return {
        "values": _round_digits(tables[0][shown, column]),
        "rewards": _round_digits(tables[1][shown, column]),
        "length": length,
        "first": shown.start - start,
    }


def _round_digits(numbers: Array) -> list[float]:
    """Six digits, which is what a picture can show."""
    return [float(f"{number:.6g}") for number in numbers.tolist()]
