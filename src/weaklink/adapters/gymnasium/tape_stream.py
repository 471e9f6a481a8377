"""The steps of one environment, kept as they came and put into rows when they are read."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from weaklink.adapters.gymnasium.autoreset import DISABLED, FINALS, NEXT_STEP, read_autoreset
from weaklink.adapters.gymnasium.heard import refer_to
from weaklink.adapters.gymnasium.innermost import find_innermost, read_numbers
from weaklink.adapters.gymnasium.told_masks import MaskReader
from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.base.evidence.rollout import Array

MOST_BYTES = 64 * 2**20
"""Memory for the observations of one environment; a replay buffer is larger, and what is older is forgotten."""

MOST_BESIDE, FEWEST_STEPS = 512, 64
"""Bytes that a step takes beside its observation, and steps that are kept however large they are."""

PLAIN = frozenset((float, int, bool, np.bool_, np.float64, np.float32, np.int64, np.int32, type(None)))
"""Values that cannot change."""


class TapeStream:
    """The steps of one environment or vector; `steps` counts them all, the newest are kept as they came.

    Attributes:
        vector: whether it steps several members at a time.
        bounds: of the actions of one member, (2, dimensions); None where there are none.
        choices: how many actions one member has to choose from; 0 where its space is none such.
        unread: why nothing could be written down, empty where all was.
        begun: how often it was reset.
        reseeded: how often with the seed of the reset before.
        trains: whether an update was seen to learn from its steps.
        numbers: that the environment had when it was first heard.
    """

    def __init__(self, env: Any, *, vector: bool) -> None:
        self.env = refer_to(env)
        self.name = type(find_innermost(env)).__name__
        self.vector = vector
        self.members = int(getattr(env, "num_envs", 1)) if vector else 1
        mode = read_autoreset(env) if vector else DISABLED
        self.next_step, self.same_step = mode == NEXT_STEP, mode not in (NEXT_STEP, DISABLED)
        self.bounds, self.choices = read_bounds(env, vector=vector), count_choices(env, vector=vector)
        self.steps = 0
        self.unread = ""
        self.begun = self.reseeded = 0
        self.trains = False
        self.numbers = read_numbers(env)
        self._seed: Any = None
        self._last: Any = None
        self._masks = MaskReader(self.members, vector=vector)
        self._kept: deque[tuple[Any, ...]] = deque()

    def count_reset(self, env: Any, seed: Any) -> None:
        """Counts a reset, and whether it was given the seed of the one before although the environment draws."""
        self.begun += 1
        again = seed is not None and type(seed) is type(self._seed) and bool(np.all(seed == self._seed))
        self.reseeded += again and _has_drawn(env, seed)
        self._seed = seed

    def begin(self, observation: Any, info: Any = None) -> None:
        """Takes what a reset gave."""
        before, self._last = self._last, copy_values(observation)
        self._masks.look(observation, info)
        if self._kept:
            self._kept[-1] = (*self._kept[-1][:-1], self._find_reset(before))

    def _find_reset(self, before: Any) -> Array:
        """(members,) which of them a reset began anew: with a mask it leaves the others where they were."""
        if not self.vector or before is None:
            return np.ones(self.members, bool)
        rows = [to_rows(each, self.members) for each in (before, self._last)]
        return np.any(rows[0] != rows[1], axis=1) if rows[0].shape == rows[1].shape else np.ones(self.members, bool)

    def add(self, action: Any, result: Any, stamp: int) -> None:
        """Takes one step of all members. This runs at every step: what can be done at reading is done there."""
        observation, reward, terminated, truncated, info = result
        last, mask = self._last, self._masks.now
        self._masks.look(observation, info)
        self._last = given = observation.copy() if type(observation) is np.ndarray else copy_values(observation)
        self.steps += 1
        if last is None:
            return
        finals = None
        if self.vector:
            reward, terminated, truncated = copy_values(reward), copy_values(terminated), copy_values(truncated)
            finals = next((copy_values(info[key]) for key in FINALS if key in info), None) if info else None
        if not self._kept:
            most = max(MOST_BYTES // (_count_bytes(given) + MOST_BESIDE), FEWEST_STEPS)
            self._kept = deque(maxlen=most)
        action = action if type(action) in PLAIN else copy_values(action)
        self._kept.append((last, action, reward, terminated, truncated, given, finals, stamp, mask, False))

    def pass_over(self) -> None:
        """Counts a step and keeps nothing, not even what came before it: a tape has no gap."""
        self.steps += 1
        self._last = None
        self._kept.clear()

    def read(self, steps: int | None = None, newer: int = 0) -> dict[str, Array]:
        """The newest steps but so many, the oldest first: arrays by the names of a tape, (times, members, ...)."""
        kept = list(self._kept)[: len(self._kept) - newer]
        kept = kept if steps is None else kept[max(len(kept) - steps, 0) :]
        if not kept:
            return {}
        before, actions, rewards, terminated, truncated, given, finals, stamps, masks, resets = zip(*kept, strict=True)
        lead = len(kept), self.members
        ends = [np.array(flags, bool).reshape(lead) for flags in (terminated, truncated)]
        after, known = stack_rows(given, self.members), np.ones(lead, bool)
        fillers, begun = np.zeros(lead, bool), np.stack([np.broadcast_to(each, self.members) for each in resets])
        if self.next_step:  # a reset of all members leaves none to be reset at the next step
            fillers[1:] = (ends[0] | ends[1])[:-1] & ~begun[:-1]
        elif self.same_step:
            known = _put_finals(finals, after, ends[0] | ends[1])
        shapes = {None if mask is None else mask.shape for mask in masks}
        told = {"masks": np.stack(masks)} if len(shapes) == 1 and None not in shapes else {}
        return {
            **told,
            "observations": stack_rows(before, self.members),
            "actions": stack_rows(actions, self.members),
            "rewards": np.array(rewards, np.float64).reshape(lead),
            "terminated": ends[0],
            "truncated": ends[1],
            "next_observations": after,
            "known": known,
            "fillers": fillers,
            "resets": (ends[0] | ends[1] if self.vector else np.zeros(lead, bool)) | begun,
            "stamps": np.repeat(np.array(stamps), self.members).reshape(lead),
        }

    def count_ends(self, steps: int) -> Array:
        """(2,) how many of the newest so many steps were terminal, and how many a time limit cut."""
        kept = itertools.islice(reversed(self._kept), steps)
        flags = [(np.sum(each[3]), np.sum(np.greater(each[4], each[3]))) for each in kept]
        return np.asarray(np.array(flags, np.int64).reshape(-1, 2).sum(axis=0))


def _put_finals(finals: Sequence[Any], after: Array, ended: Array) -> Array:
    """Puts the last observations of episodes where the vector gave the first ones of the next; says which are known."""
    known = ~ended
    for time, member in zip(*np.nonzero(ended), strict=True):
        final = None if finals[time] is None else _pick(finals[time], int(member))
        row = None if final is None else to_rows(final, 1)
        if row is not None and row.shape[1:] == after.shape[2:]:
            after[time, member], known[time, member] = row[0], True
    return known


def _pick(values: Any, member: int) -> Any:
    if isinstance(values, Mapping):
        return {key: part[member] for key, part in values.items()}
    return values[member]


def copy_values(values: Any) -> Any:
    """A copy that later writing does not change, in the form that it came in."""
    kind = type(values)
    if kind is np.ndarray:
        return values.copy()
    if kind in PLAIN:
        return values
    if isinstance(values, Mapping):
        return {key: copy_values(part) for key, part in values.items()}
    if isinstance(values, tuple | list):
        return tuple(map(copy_values, values))
    if torch_arrays.is_tensor(values):
        if values.is_cuda:
            raise TypeError("its observations or actions are tensors on an accelerator")
        return values.detach().numpy().copy()
    return values


def stack_rows(several: Sequence[Any], members: int) -> Array:
    """`to_rows` of many times, (times, members, columns)."""
    if type(several[0]) is np.ndarray or np.isscalar(several[0]):
        return np.array(several).reshape(len(several), members, -1)
    return np.stack([to_rows(values, members) for values in several])


def to_rows(values: Any, members: int) -> Array:
    """Observations or actions as one flat row for each member; the parts of mappings and tuples side by side."""
    parts = [np.array(part).reshape(members, -1) for part in _list_leaves(values, members)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _list_leaves(values: Any, members: int) -> Iterable[Any]:
    if isinstance(values, Mapping):
        return [leaf for part in values.values() for leaf in _list_leaves(part, members)]
    if isinstance(values, tuple) and not _are_rows(values, members):
        return [leaf for part in values for leaf in _list_leaves(part, members)]
    return [values]


def _are_rows(values: tuple[Any, ...], members: int) -> bool:
    """Whether a tuple is a list of numbers or of one row for each member, rather than the parts of a space."""
    return all(map(np.isscalar, values)) or (len(values) == members > 1)


def _count_bytes(values: Any) -> int:
    return sum(getattr(leaf, "nbytes", 64) for leaf in _list_leaves(values, 0))


def read_bounds(env: Any, *, vector: bool) -> Array | None:
    """(2, dimensions) the bounds of one member's actions, as the trainer sees them; None where the space has none."""
    with suppress(Exception):  # properties of a stranger's class may raise whatever they like
        single = getattr(env, "single_action_space", None) if vector else None
        space = env.action_space if single is None else single
        low, high = getattr(space, "low", None), getattr(space, "high", None)
        if low is not None and high is not None:
            return np.stack([np.ravel(low), np.ravel(high)]).astype(np.float64)
    return None


def count_choices(env: Any, *, vector: bool) -> int:
    """How many actions one member has to choose from; 0 where its space is none such."""
    with suppress(Exception):
        single = getattr(env, "single_action_space", None) if vector else None
        space = env.action_space if single is None else single
        count = getattr(space, "n", None)
        return int(count) if isinstance(count, int | np.integer) and type(space).__name__ == "Discrete" else 0
    return 0


def _has_drawn(env: Any, seed: Any) -> bool:
    """Whether an environment that was just given a seed drew from the library's generator for its first observation."""
    inner = find_innermost(env)
    drawn = getattr(inner, "_np_random", None)
    number = int(np.ravel(seed)[0])
    if drawn is None or not hasattr(drawn, "bit_generator"):
        return False
    fresh = np.random.PCG64(np.random.SeedSequence(number))  # as gymnasium.utils.seeding makes it
    return bool(drawn.bit_generator.state != fresh.state)
