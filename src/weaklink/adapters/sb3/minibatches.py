"""The minibatches that an update of Stable-Baselines3 draws, beside the rows of the rollout that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from weaklink.adapters.sb3.rollout import HeldRollout, flatten_observations, take_rows
from weaklink.adapters.torch.arrays import to_array
from weaklink.base.evidence.rollout import Array, Minibatch, SampleAges

MOST_BATCHES = 4
MOST_ROWS = 2048
ENOUGH = 0.5
"""The share of rows drawn that must be found in the rollout."""


class FirstMinibatches:
    """The first minibatches of an update."""

    def __init__(self) -> None:
        self._drawn: list[Any] = []

    def watched(self, buffer: Any, undo: ExitStack) -> None:
        """Notes what `buffer.get` yields until `undo` is closed."""
        original: Callable[..., Iterator[Any]] = buffer.get

        def passing(*args: Any, **options: Any) -> Iterator[Any]:
            for drawn in original(*args, **options):
                if len(self._drawn) < MOST_BATCHES:
                    self._drawn.append(drawn)
                yield drawn

        put_on(buffer, "get", passing, undo)

    def pairing(self, rollout: HeldRollout) -> Minibatch | None:
        """What was drawn beside what was stored in the same rows; None where rows cannot be told apart."""
        found, stored = self._found(), _flatten_rollout(rollout)
        if found is None:
            return None
        rows = _match_rows(found, stored, ("log_probs", "values"))
        if (rows >= 0).mean() <= ENOUGH:
            rows = _match_rows(found, stored, ("log_probs",))
        known = rows >= 0
        if known.mean() <= ENOUGH:  # equal by chance, or of rows that are told apart by nothing
            return None
        expected = {name: values[rows[known]] for name, values in stored.items()} | _sum_rows(rollout, rows[known])
        names = (name for name in found if name != "log_probs")
        return Minibatch(columns={name: (found[name][known], expected[name]) for name in names})

    def _found(self) -> dict[str, Array] | None:
        drawn = [_read_columns(each) for each in self._drawn if hasattr(each, "old_log_prob")]
        return (
            {name: np.concatenate([each[name] for each in drawn])[:MOST_ROWS] for name in drawn[0]} if drawn else None
        )

    def ages(self, rollouts: Sequence[KnownRows]) -> SampleAges | None:
        """How old the rows drawn are, by the rollout that they lie in; None where not all lie in one that is known.

        Args:
            rollouts: those of this update and of earlier ones, the newest last.
        """
        found = self._found()
        if found is None or not rollouts:
            return None
        ages = np.full(len(found["log_probs"]), -1.0)
        for update, keys in rollouts:
            ages[[key in keys for key in _make_keys(found)]] = rollouts[-1].update - update
        return SampleAges(updates=ages, tolerated=0.0) if (ages >= 0.0).all() else None


class KnownRows(NamedTuple):
    """What tells the rows of a rollout from others."""

    update: int
    keys: frozenset[tuple[float, ...]]

    @classmethod
    def of(cls, update: int, rollout: HeldRollout) -> KnownRows:
        """The keys of a rollout that has been collected."""
        return cls(update, frozenset(_make_keys(_flatten_rollout(rollout))))


def _make_keys(columns: dict[str, Array], names: Sequence[str] = ("log_probs", "values")) -> list[tuple[float, ...]]:
    return list(zip(*(columns[name].astype(np.float32).tolist() for name in names), strict=True))


def put_on(thing: Any, name: str, method: Any, undo: ExitStack) -> None:
    """Has one object use another method until `undo` is closed; one of its own that it had comes back."""
    before = vars(thing).get(name)

    def put_back() -> None:
        if before is None:
            vars(thing).pop(name, None)
        else:
            vars(thing)[name] = before

    vars(thing)[name] = method
    undo.callback(put_back)


def _flatten_rollout(rollout: HeldRollout) -> dict[str, Array]:
    names = ("log_probs", "values", "advantages", "returns")
    return {name: np.asarray(getattr(rollout, name)).reshape(-1) for name in names}


def _sum_rows(rollout: HeldRollout, rows: Array) -> dict[str, Array]:
    """Observations and actions of rows, each row as one number."""
    return {
        "observations": flatten_observations(take_rows(rollout.observations, rows), 1).astype(np.float64).sum(axis=1),
        "actions": flatten_observations(take_rows(rollout.actions, rows), 1).astype(np.float64).sum(axis=1),
    }


def _read_columns(drawn: Any) -> dict[str, Array]:
    real = to_array(drawn.mask).reshape(-1) > 0.5 if hasattr(drawn, "mask") else slice(None)
    observations = drawn.observations
    parts = {key: to_array(part) for key, part in observations.items()} if isinstance(observations, dict) else None
    seen = flatten_observations(to_array(observations) if parts is None else parts, 1)
    return {
        "log_probs": to_array(drawn.old_log_prob).reshape(-1)[real],
        "values": to_array(drawn.old_values).reshape(-1)[real],
        "advantages": to_array(drawn.advantages).reshape(-1)[real],
        "returns": to_array(drawn.returns).reshape(-1)[real],
        "observations": seen.astype(np.float64).sum(axis=1)[real],
        "actions": flatten_observations(to_array(drawn.actions), 1).astype(np.float64).sum(axis=1)[real],
    }


def _match_rows(found: dict[str, Array], stored: dict[str, Array], names: tuple[str, ...]) -> Array:
    """For each row drawn the number of the only stored row with the same entries, or -1."""
    places: dict[tuple[float, ...], int] = {}
    for place, key in enumerate(_make_keys(stored, names)):
        places[key] = -1 if key in places else place
    return np.array([places.get(key, -1) for key in _make_keys(found, names)], dtype=np.int64)
