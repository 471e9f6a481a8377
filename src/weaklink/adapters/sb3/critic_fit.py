"""Whether the critic of a Stable-Baselines3 model can fit returns at all: a copy of it alone, on one fixed rollout."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import draws_kept, is_torch
from weaklink.adapters.sb3.rollout import flattened, taken
from weaklink.adapters.torch.watch import twin_of
from weaklink.evidence.rollout import Array, Fit

MOST_ROWS = 2048
MOST_UPDATES = 2000
BATCH = 256
RATE = 1e-3
ASKED_EVERY = 25
GOOD_ENOUGH = 0.01


def fit_critic(
    model: Any,
    buffer: Any = None,
    observations: Any = None,
    returns: Array | None = None,
    *,
    seconds: float = 2.0,
    seed: int = 0,
) -> Fit | None:
    """Trains a copy of the critic alone on the returns of one rollout.

    The returns are brought to zero mean and unit spread: the question is whether what the critic sees tells them apart,
    and not how long a badly scaled one takes.

    Args:
        model: an on-policy model; it comes out as it went in.
        buffer: a full rollout buffer, in the order of time; the model's own where nothing is given.
        observations: instead of a buffer, observations as the policy takes them, a row each.
        returns: the return of each of them.
        seconds: after which the fitting ends.
        seed: of every draw.

    Returns:
        Residual variances before and after; None where the model has no critic of states, or the returns do not differ.
    """
    policy = model.policy
    if not is_torch(policy) or is_recurrent(policy) or not hasattr(policy, "predict_values"):
        return None
    if observations is None or returns is None:
        observations, returns = _rows_of(model.rollout_buffer if buffer is None else buffer)
    returns = np.asarray(returns, dtype=np.float64).reshape(-1)
    if len(returns) < 2 or not np.isfinite(returns).all() or returns.std() < 1e-8 * max(1.0, np.abs(returns).max()):
        return None
    with draws_kept(policy.device):
        return _fitted(twin_of(policy), observations, returns, seconds, seed)


def _rows_of(buffer: Any) -> tuple[Any, Array]:
    if getattr(buffer, "generator_ready", False):  # flattened for learning: environment after environment
        count = len(buffer.returns)
        rows = np.unique(np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(np.int64))
        seen = buffer.observations
        cut = {key: part[rows] for key, part in seen.items()} if isinstance(seen, dict) else seen[rows]
        return cut, buffer.returns.reshape(-1)[rows]
    rows = np.unique(np.linspace(0, buffer.returns.size - 1, min(buffer.returns.size, MOST_ROWS)).astype(np.int64))
    return taken(buffer.observations, rows), taken(buffer.returns, rows)


def _fitted(policy: Any, observations: Any, returns: Array, seconds: float, seed: int) -> Fit:
    end = time.monotonic() + seconds
    policy.set_training_mode(False)
    seen, _ = policy.obs_to_tensor(observations)
    spread = returns.std()
    wanted = torch.as_tensor((returns - returns.mean()) / spread, dtype=torch.float32, device=policy.device)
    with torch.no_grad():
        before = _residual(policy.predict_values(seen), wanted * spread)
    optimizer = torch.optim.Adam((each for each in policy.parameters() if each.requires_grad), lr=RATE)
    generator = np.random.default_rng(seed)
    best, after, updates = before, before, 0
    while updates < MOST_UPDATES and time.monotonic() < end and best > GOOD_ENOUGH:
        rows = torch.as_tensor(generator.integers(0, len(returns), min(BATCH, len(returns))), device=policy.device)
        _step(policy, optimizer, _cut(seen, rows), wanted[rows])
        updates += 1
        if updates % ASKED_EVERY == 0:
            with torch.no_grad():
                after = _residual(policy.predict_values(seen), wanted)
            best = min(best, after)
    table = _table(flattened(observations, 1), returns)
    return Fit(before=before, after=after, updates=updates, rows=len(returns), table=table, best=best)


def _step(policy: Any, optimizer: Any, seen: Any, wanted: Any) -> None:
    with torch.enable_grad():
        loss = ((policy.predict_values(seen).reshape(-1) - wanted) ** 2).mean()
        optimizer.zero_grad()
        if loss.requires_grad:
            loss.backward()
            optimizer.step()


def _cut(seen: Any, rows: Any) -> Any:
    return {key: part[rows] for key, part in seen.items()} if isinstance(seen, dict) else seen[rows]


def _residual(values: Any, wanted: Any) -> float:
    error = values.reshape(-1).double() - wanted.double()
    return float(error.var(unbiased=False) / wanted.double().var(unbiased=False))


def _table(observations: Array, returns: Array) -> float | None:
    """The residual variance of the mean return of each observation that was met; None where none was met twice."""
    _, which, times = np.unique(observations, axis=0, return_inverse=True, return_counts=True)
    if times.max() < 2:
        return None
    which = which.reshape(-1)
    means = np.bincount(which, weights=returns) / times
    return float(np.var(returns - means[which]) / np.var(returns))
