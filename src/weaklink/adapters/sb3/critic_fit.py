"""Whether the critic of a Stable-Baselines3 model can fit returns at all: a copy of it alone, on one fixed rollout."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import is_torch
from weaklink.adapters.sb3.rollout import take_rows
from weaklink.adapters.torch import fit
from weaklink.base.evidence.rollout import Array, CriticCopyFit

MOST_ROWS = 2048


def fit_critic(
    model: Any,
    buffer: Any = None,
    observations: Any = None,
    returns: Array | None = None,
    *,
    seconds: float = 2.0,
    seed: int = 0,
) -> CriticCopyFit | None:
    """Trains a copy of the critic alone on the returns of one rollout.

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
        observations, returns = _read_rows(model.rollout_buffer if buffer is None else buffer)
    returns = np.asarray(returns, dtype=np.float64).reshape(-1)
    if not np.isfinite(returns).all():
        return None
    seen, _ = policy.obs_to_tensor(observations)
    return fit.fit_critic(lambda twin, rows: twin.predict_values(rows), policy, seen, returns, seconds, seed=seed)


def _read_rows(buffer: Any) -> tuple[Any, Array]:
    if getattr(buffer, "generator_ready", False):  # flattened for learning: environment after environment
        count = len(buffer.returns)
        rows = np.unique(np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(np.int64))
        seen = buffer.observations
        cut = {key: part[rows] for key, part in seen.items()} if isinstance(seen, dict) else seen[rows]
        return cut, buffer.returns.reshape(-1)[rows]
    rows = np.unique(np.linspace(0, buffer.returns.size - 1, min(buffer.returns.size, MOST_ROWS)).astype(np.int64))
    return take_rows(buffer.observations, rows), take_rows(buffer.returns, rows)
