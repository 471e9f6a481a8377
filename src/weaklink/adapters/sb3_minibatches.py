"""The minibatches that an update of Stable-Baselines3 draws, beside the rows of the rollout that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from weaklink.adapters.sb3_rollout import Held, flattened, taken
from weaklink.adapters.torch_arrays import array
from weaklink.evidence.rollout import Array, Minibatch

MOST_BATCHES = 4
MOST_ROWS = 2048


class Minibatches:
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

        vars(buffer)["get"] = passing
        undo.callback(vars(buffer).pop, "get", None)

    def pairing(self, rollout: Held) -> Minibatch | None:
        """What was drawn beside what was stored in the same rows; None where rows cannot be told apart."""
        drawn = [_columns(each) for each in self._drawn if hasattr(each, "old_log_prob")]
        if not drawn:
            return None
        found = {name: np.concatenate([each[name] for each in drawn])[:MOST_ROWS] for name in drawn[0]}
        stored = _flat(rollout)
        rows = _matched(found, stored, ("log_probs", "values"))
        if (rows >= 0).mean() <= 0.5:
            rows = _matched(found, stored, ("log_probs",))
        known = rows >= 0
        if not known.any():
            return None
        expected = {name: values[rows[known]] for name, values in stored.items()} | _sums(rollout, rows[known])
        names = (name for name in found if name != "log_probs")
        return Minibatch(columns={name: (found[name][known], expected[name]) for name in names})


def _flat(rollout: Held) -> dict[str, Array]:
    names = ("log_probs", "values", "advantages", "returns")
    return {name: np.asarray(getattr(rollout, name)).reshape(-1) for name in names}


def _sums(rollout: Held, rows: Array) -> dict[str, Array]:
    """Observations and actions of rows, each row as one number."""
    return {
        "observations": flattened(taken(rollout.observations, rows), 1).astype(np.float64).sum(axis=1),
        "actions": flattened(taken(rollout.actions, rows), 1).astype(np.float64).sum(axis=1),
    }


def _columns(drawn: Any) -> dict[str, Array]:
    real = array(drawn.mask).reshape(-1) > 0.5 if hasattr(drawn, "mask") else slice(None)
    observations = drawn.observations
    parts = {key: array(part) for key, part in observations.items()} if isinstance(observations, dict) else None
    seen = flattened(array(observations) if parts is None else parts, 1)
    return {
        "log_probs": array(drawn.old_log_prob).reshape(-1)[real],
        "values": array(drawn.old_values).reshape(-1)[real],
        "advantages": array(drawn.advantages).reshape(-1)[real],
        "returns": array(drawn.returns).reshape(-1)[real],
        "observations": seen.astype(np.float64).sum(axis=1)[real],
        "actions": flattened(array(drawn.actions), 1).astype(np.float64).sum(axis=1)[real],
    }


def _matched(found: dict[str, Array], stored: dict[str, Array], names: tuple[str, ...]) -> Array:
    """For each row drawn the number of the only stored row with the same entries, or -1."""
    keys = list(zip(*(stored[name].astype(np.float32).tolist() for name in names), strict=True))
    places: dict[tuple[float, ...], int] = {}
    for place, key in enumerate(keys):
        places[key] = -1 if key in places else place
    wanted = zip(*(found[name].astype(np.float32).tolist() for name in names), strict=True)
    return np.array([places.get(key, -1) for key in wanted], dtype=np.int64)
