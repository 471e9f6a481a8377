"""Can this critic learn these returns? A copy of it alone is trained on one fixed rollout."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from weaklink.adapters.torch.hooks import pause_hooks
from weaklink.adapters.torch.loop import MOST_ROWS, chosen
from weaklink.adapters.torch.watch import copy_deeply, leave_undisturbed
from weaklink.base.evidence.rollout import Array, CriticCopyFit

BATCH, RATE, MOST_UPDATES = 256, 3e-3, 600
MOST_PATIENCE = 4.0
"""Times its seconds: no longer than that the training of a copy takes, however busy the machine is."""

FITTED = 0.02
"""Share of the variance left at which more training would show nothing new."""

METHODS = ("get_value", "predict_values")


def fit_critic(
    value_function: Any,
    module: nn.Module,
    observations: Any,
    returns: Any,
    seconds: float = 2.0,
    *,
    seed: int = 0,
    fresh: bool = False,
    course: list[float] | None = None,
) -> CriticCopyFit | None:
    """Trains a copy of a critic on one rollout's returns.

    The returns are brought to the scale of the critic's own answers first: their scale is another question.

    Args:
        value_function: of observations to values: the module itself, one of its methods, or a function of module and
            observations. None for the module's `get_value` or `predict_values`, or else its call.
        module: what is copied and trained; the user's own is not touched.
        observations: a row each, a tensor or a dictionary of them.
        returns: a number a row.
        seconds: how long the training may take, of a core; on a machine that others use it may pass several times over.
        seed: of the minibatches.
        fresh: whether the copy forgets what it learned: a new network of the same shape.
        course: takes the residual variance after every few updates.

    Returns:
        Residual variance before and after, or None where the returns do not vary.
    """
    rows = chosen(len(returns), MOST_ROWS)
    goal = torch.as_tensor(np.asarray(returns, dtype=np.float32).reshape(len(returns), -1)[rows, 0])
    spread = float(goal.std())
    if len(goal) < 2 or not spread > 1e-8:
        return None
    is_up = _make_limit(seconds)
    with pause_hooks(), leave_undisturbed(seed):
        twin = copy_deeply(module)
        if fresh:
            _forget(twin)
        for parameter in twin.parameters():
            parameter.requires_grad_(True)
        device = next(iter(twin.parameters())).device
        seen, goal = _take_rows(observations, rows, device), goal.to(device)
        critic = _replace_module(value_function, module, twin)
        values = critic(seen).detach().reshape(-1).float()
        before = float((goal - values).var() / goal.var())
        wanted = values.mean() + (goal - goal.mean()) * (_scale(float(values.std()), spread) / spread)
        residuals, updates = _train_copy(twin, critic, seen, wanted, is_up)
        if course is not None:
            course.extend(residuals)
    return CriticCopyFit(
        before=before,
        after=residuals[-1],
        best=min(residuals),
        updates=updates,
        rows=len(goal),
        table=_measure_table_residual(seen, goal),
    )


def _forget(twin: nn.Module) -> None:
    for part in twin.modules():
        begin = getattr(part, "reset_parameters", None)
        if callable(begin):
            begin()


def _scale(own: float, wanted: float) -> float:
    """A spread that the critic can reach in few updates: that of its own answers, or 1 where they hardly vary."""
    return wanted if wanted <= 1.0 else min(max(own, 1.0), wanted)


def _make_limit(seconds: float) -> Callable[[], bool]:
    """Whether the time is up: by what this thread used of a core, since a copy that could not train shows nothing."""
    used, last = time.thread_time() + seconds, time.monotonic() + MOST_PATIENCE * seconds
    return lambda: time.thread_time() > used or time.monotonic() > last


def _train_copy(
    twin: nn.Module, critic: Callable[[Any], Any], seen: Any, wanted: Any, is_up: Callable[[], bool]
) -> tuple[list[float], int]:
    optimizer = torch.optim.Adam([each for each in twin.parameters() if each.is_floating_point()], lr=RATE)
    count, updates = len(wanted), 0
    residuals: list[float] = []
    variance = wanted.var()
    while True:
        with torch.no_grad():
            residuals.append(float((wanted - critic(seen).reshape(-1).float()).var() / variance))
        if residuals[-1] < FITTED or updates >= MOST_UPDATES or is_up():
            return residuals, updates
        for _ in range(4):
            for batch in torch.randperm(count).split(BATCH):
                optimizer.zero_grad()
                error = (
                    critic(_take_rows(seen, batch, wanted.device)).reshape(-1).float() - wanted[batch.to(wanted.device)]
                )
                (error.square().mean() / variance).backward()
                optimizer.step()
                updates += 1


def _replace_module(value_function: Any, module: nn.Module, twin: nn.Module) -> Callable[[Any], Any]:
    """The value function, with the copy in the place of the module."""
    if value_function is None:
        name = next((each for each in METHODS if hasattr(twin, each)), "__call__")
        found: Callable[[Any], Any] = getattr(twin, name)
        return found
    if value_function is module:
        whole: Callable[[Any], Any] = twin
        return whole
    if getattr(value_function, "__self__", None) is module:
        method: Callable[[Any], Any] = getattr(twin, value_function.__name__)
        return method
    return lambda seen: value_function(twin, seen)


def _take_rows(observations: Any, rows: Any, device: Any) -> Any:
    if hasattr(observations, "items") and not torch.is_tensor(observations):
        return {key: _take_rows(value, rows, device) for key, value in observations.items()}
    held = observations if torch.is_tensor(observations) else torch.as_tensor(np.asarray(observations))
    held = held.float() if held.dtype == torch.float64 else held
    return held.detach()[rows].to(device)


def _measure_table_residual(seen: Any, goal: Any) -> float | None:
    """What is left of the variance by a table of the observations, None where none repeats."""
    parts = list(seen.values()) if isinstance(seen, dict) else [seen]
    flat: Array = np.concatenate([part.cpu().numpy().reshape(len(goal), -1) for part in parts], axis=1)
    values: Array = goal.cpu().numpy().astype(np.float64)
    _, places, counts = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    if counts.max() < 2:
        return None
    places = places.reshape(-1)
    means = np.bincount(places, values) / counts
    return float(np.var(values - means[places]) / np.var(values))
