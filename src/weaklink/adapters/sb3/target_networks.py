"""The slow copies of networks in off-policy models of Stable-Baselines3: how far behind, and how far they move."""

from __future__ import annotations

from typing import Any

import torch

from weaklink.base.evidence.rollout import TargetNetwork

PAIRS = ("critic", "actor", "q_net", "quantile_net")
MOST_WEIGHTS = 20_000_000
MOST_LOOKS = 8
SMALL = 1e-12


def find_pairs(model: Any) -> dict[str, tuple[Any, Any]]:
    """Every network of a model that has a slow copy: the network and the copy."""
    named = ((name, getattr(model, name, None), getattr(model, f"{name}_target", None)) for name in PAIRS)
    return {name: (fast, slow) for name, fast, slow in named if fast is not None and slow is not None}


def _flatten_weights(module: Any) -> Any:
    return torch.cat([each.detach().reshape(-1) for each in module.parameters()])


def measure_distance(model: Any) -> float | None:
    """How far the slow copies lie from their networks, relative to the size of these: the largest of all."""
    return max((_measure_distance(fast, slow) for fast, slow in find_pairs(model).values()), default=None)


def _measure_distance(fast: Any, slow: Any) -> float:
    online = _flatten_weights(fast)
    return float((online - _flatten_weights(slow)).norm()) / max(float(online.norm()), SMALL)


class SlowCopies:
    """Looks at the slow copies one after the other; between two looks a copy of the weights is kept."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Any, Any]] = {}
        self._looks: dict[str, list[tuple[float, ...]]] = {}
        self._first: int | None = None

    def begin(self, model: Any) -> None:
        """Takes note before the first update that is looked at."""
        if self._first is None:
            self._first = int(model._n_updates)
            for name, (fast, slow) in find_pairs(model).items():
                if sum(each.numel() for each in fast.parameters()) <= MOST_WEIGHTS:
                    self._kept[name] = (_flatten_weights(fast), _flatten_weights(slow))

    def looked(self, model: Any) -> tuple[TargetNetwork, ...] | None:
        """What became of each copy since the last look, and at the looks before."""
        found = tuple(self._look(model, name, *pair) for name, pair in find_pairs(model).items() if name in self._kept)
        return found or None

    def _look(self, model: Any, name: str, fast: Any, slow: Any) -> TargetNetwork:
        online_before, target_before = self._kept[name]
        online, target = _flatten_weights(fast), _flatten_weights(slow)
        size = max(float(online.norm()), SMALL)
        moves = (online - target, target - target_before, online - online_before)
        looks = self._looks.setdefault(name, [])
        looks.append(tuple(float(move.norm()) / size for move in moves))
        del looks[:-MOST_LOOKS]
        self._kept[name] = (online, target)
        places = {each.data_ptr() for each in fast.parameters() if each.numel()}
        return TargetNetwork(
            name=name,
            distances=tuple(each[0] for each in looks),
            moved=tuple(each[1] for each in looks),
            online_moved=tuple(each[2] for each in looks),
            shared=any(each.data_ptr() in places for each in slow.parameters()),
            interval=read_interval(model),
            rate=float(model.tau) if hasattr(model, "tau") else None,
            updates=int(model._n_updates) - (self._first or 0),
        )


def read_interval(model: Any) -> int | None:
    """After how many gradient steps the slow copies follow."""
    every = getattr(model, "target_update_interval", None)
    if every is None:
        return int(model.policy_delay) if hasattr(model, "policy_delay") else None
    gradients = int(model.gradient_steps)
    if not (hasattr(model, "q_net") or hasattr(model, "quantile_net")):
        return int(min(every, gradients) if gradients > 0 else every)  # counted anew in every training
    # those that only learn values count steps played, and copy while they play: never in the middle of a training
    steps = max(1, int(model.train_freq.frequency)) * model.n_envs
    training = gradients if gradients > 0 else steps
    return int(max(1, training, round(every / steps * training)))
