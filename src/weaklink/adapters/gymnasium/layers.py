"""Listens at every wrapper of a Gymnasium environment: what each is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import LayerCall, LayerLog, Stepped


@contextmanager
def listen_at_layers(env: Any) -> Iterator[list[LayerLog]]:
    """The logs of all layers, the outermost first; what was put in place is taken away again at the end.

    Where a layer cannot be listened at (it has slots, or hands attributes on), there are no logs.
    """
    layers = list(_list_layers(env))
    logs = [
        LayerLog(type(layer).__name__, type(layer).__module__.partition(".")[0], _read_bounds(layer))
        for layer in layers
    ]
    inner = [*(log.calls for log in logs[1:]), []]
    kept: list[tuple[Any, str, Any]] = []
    try:
        for layer, log, calls in zip(layers, logs, inner, strict=True):
            for name, hear in (("step", _hear_step), ("reset", _hear_reset)):
                kept.append((layer, name, layer.__dict__.get(name)))
                setattr(layer, name, hear(getattr(layer, name), log.calls, calls))
    except AttributeError:
        logs = []
    try:
        yield logs
    finally:
        for layer, name, own in kept:
            if own is None:
                layer.__dict__.pop(name, None)
            else:
                setattr(layer, name, own)


def _list_layers(env: Any) -> Iterator[Any]:
    inner = getattr(env, "unwrapped", env)
    while env is not inner and hasattr(env, "env"):
        yield env
        env = env.env
    yield env


def _hear_step(step: Callable[[Any], Stepped], calls: list[LayerCall], inner: list[LayerCall]) -> Callable[..., Any]:
    @wraps(step)  # Gymnasium's checker looks at the signature
    def heard(action: Any) -> Stepped:
        given, first = deepcopy(action), len(inner)
        result = step(action)
        calls.append(LayerCall(given, deepcopy(result[0]), result[1], result[2], result[3], first, len(inner)))
        return result

    return heard


def _hear_reset(reset: Callable[..., Any], calls: list[LayerCall], inner: list[LayerCall]) -> Callable[..., Any]:
    @wraps(reset)
    def heard(*given: Any, **named: Any) -> Any:
        first = len(inner)
        result = reset(*given, **named)
        calls.append(LayerCall(None, deepcopy(result[0]), None, False, False, first, len(inner)))
        return result

    return heard


def _read_bounds(layer: Any) -> Any:
    """The lowest and the highest actions of a box; None where actions are something else."""
    space = getattr(layer, "action_space", None)
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if low is None or high is None or np.shape(low) != np.shape(high):
        return None
    return np.stack([np.asarray(low, dtype=float).reshape(-1), np.asarray(high, dtype=float).reshape(-1)])
