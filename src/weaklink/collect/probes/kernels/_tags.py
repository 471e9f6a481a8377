"""Transitions whose numbers say where they come from, and what a buffer may make of them.

A row is observation, action, reward, next observation, done, value and log-probability; fields that a buffer does not
give back are not a number and not compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.collect.probes.kernels._arrays import Array, Unreadable
from weaklink.collect.probes.kernels._kernel import AnswerForm
from weaklink.collect.probes.kernels._objects import split_columns

FIELDS = ("obs", "action", "reward", "next_obs", "done", "value", "log_prob")
OBS, ACTION, REWARD, NEXT, DONE, VALUE, LOG_PROB = range(len(FIELDS))
USUAL = (OBS, ACTION, REWARD, NEXT, DONE)
"""The order of fields without names, once the first three of them are recognised."""

OFFSETS = {OBS: 1000.0, ACTION: 3000.0, REWARD: 5000.0, VALUE: 7000.0, LOG_PROB: 9000.0}
WIDTH = 1000.0

NAMES: dict[str, tuple[str, ...]] = {
    "obs": ("observation", "state", "s", "o", "observations", "states", "obses", "ob", "obs_t"),
    "action": ("actions", "a", "act", "acts"),
    "reward": ("rewards", "r", "rew", "rews"),
    "next_obs": (
        "next_observation", "next_state", "next_observations", "next_states", "obs2", "o2", "s2", "s_", "ns", "s_next",
        "next_o", "new_obs", "next_obses",
    ),
    "done": ("dones", "d", "terminated", "terminal", "terminals", "terminations", "terminateds", "finished"),
    "value": ("values", "v", "val", "vals", "old_values"),
    "log_prob": ("log_probs", "logp", "logprob", "logprobs", "old_log_prob", "old_log_probs"),
}  # fmt: skip

WHOLE_ROWS, BY_COLUMN, ONCE_EACH = 0.0, 1.0, 2.0
"""What is asked of rows: each is allowed, each field of it is, or each is allowed and all of them come exactly once."""


def read_rows(batches: list[Any]) -> Array:
    """Batches of a buffer as rows of tags."""
    return np.concatenate([_read_batch(batch) for batch in batches])


def _read_batch(batch: object) -> Array:
    named, unnamed = split_columns(batch)
    found: dict[int, Array] = {}
    for word, column in named.items():
        place = next((i for i, name in enumerate(FIELDS) if word in (name, *NAMES[name])), None)
        if place is not None and column.size:
            found[place] = column.reshape(-1).astype(np.float64)
    for number, column in enumerate(unnamed):
        usual = len(unnamed) >= len(USUAL) > number and {OBS, ACTION, REWARD} <= set(found)
        place = USUAL[number] if usual else _recognise_field(column, found)
        if place is not None:
            found[place] = column.reshape(-1).astype(np.float64)
    lengths = {len(column) for column in found.values()}
    if OBS not in found or len(lengths) != 1:
        raise Unreadable("its batches have no recognisable observations, or fields of different length")
    made = np.full((lengths.pop(), len(FIELDS)), np.nan)
    for place, column in found.items():
        made[:, place] = column
    return made


def _recognise_field(column: Array, found: dict[int, Array]) -> int | None:
    """The field that a column without a name must be, from the range of its tags."""
    if column.dtype.kind not in "fiub" or not column.size:
        return None
    top = float(np.max(column))
    for place, offset in OFFSETS.items():
        if offset < top < offset + WIDTH:
            return NEXT if place == OBS and OBS in found else place
    return DONE if DONE not in found and set(np.unique(column).tolist()) <= {0.0, 1.0} else None


def make_tags(place: int, number: Array) -> Array:
    """The tags of a field of these transitions."""
    return OFFSETS[place] + number


def measure_strays(outputs: tuple[Array, ...], form: AnswerForm) -> float:
    """One where some row is not allowed, nothing where all are."""
    rows, allowed, mode = outputs[0], form.arrays[0], float(form.arrays[1])
    seen = [place for place in range(len(FIELDS)) if not np.isnan(rows[:, place]).all()]
    if mode == BY_COLUMN:
        fine = all(np.isin(rows[:, place], allowed[:, place]).all() for place in seen if not _open(allowed, place))
        return 0.0 if fine else 1.0
    if mode == ONCE_EACH and len(rows) != len(allowed):
        return 1.0
    agree = np.ones((len(rows), len(allowed)), dtype=bool)
    for place in seen:
        wanted = allowed[None, :, place]
        agree &= (rows[:, None, place] == wanted) | np.isnan(wanted)
    if not agree.any(axis=1).all():
        return 1.0
    return 0.0 if mode != ONCE_EACH or bool(np.all(agree.sum(axis=0) == 1)) else 1.0


def describe_stray(outputs: tuple[Array, ...], form: AnswerForm) -> str:
    """The first row that is not allowed, by its fields; or that the rows are not each there once."""
    for row in outputs[0]:
        if measure_strays((row[None],), AnswerForm((form.arrays[0], np.asarray(WHOLE_ROWS)))):
            fields = ", ".join(f"{name} {value:g}" for name, value in zip(FIELDS, row, strict=True) if value == value)
            return f"it gives {fields}, which was not stored like this"
    return f"it gives {len(outputs[0])} rows for {len(form.arrays[0])} that were stored, not each of them once"


def _open(allowed: Array, place: int) -> bool:
    return bool(np.isnan(allowed[:, place]).any())
