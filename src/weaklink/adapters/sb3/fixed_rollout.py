"""One rollout of a Stable-Baselines3 model whose policy stands still, and its critic fitted to it alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import is_torch, use_quietly
from weaklink.adapters.torch import fit
from weaklink.base.errors import UsageError
from weaklink.base.evidence.critic import PlayedRollout
from weaklink.base.evidence.rollout import Array, CriticCopyFit


def played(model: Any, steps: int, *, seed: int = 0) -> PlayedRollout:
    """Steps of the model's own environment under its policy as it is, sampling as it does in training.

    Raises:
        UsageError: the model has no environment, or a memory.
    """
    environment = model.get_env()
    if environment is None:
        raise UsageError("The model has no environment to play in: make it with one, or call set_env.")
    if not is_torch(model.policy) or is_recurrent(model.policy):
        raise UsageError(f"The critic of {type(model).__name__} cannot be fitted alone: it has a memory or no torch.")
    environment.seed(seed)
    seen, actions, rewards, ends, cuts = [], [], [], [], []
    with use_quietly(model.policy), _keep_statistics(environment):
        now = environment.reset()
        for _ in range(max(steps // environment.num_envs, 2)):
            taken, _ = model.predict(now, deterministic=False)
            seen.append(_copy(now))
            now, paid, done, infos = environment.step(taken)
            actions.append(np.asarray(taken))
            rewards.append(np.array(paid, dtype=np.float64))
            ends.append(np.array(done, dtype=bool))
            cuts.append(np.array([bool(info.get("TimeLimit.truncated", False)) for info in infos]))
    return PlayedRollout(
        observations=_stack(seen),
        actions=np.stack(actions),
        rewards=np.stack(rewards),
        ends=np.stack(ends),
        cuts=np.stack(cuts),
        gamma=float(getattr(model, "gamma", 0.99)),
    )


def fitted(
    model: Any, rollout: PlayedRollout, rows: Any, returns: Array, *, seconds: float = 5.0, seed: int = 0, **how: Any
) -> CriticCopyFit | None:
    """A copy of the critic trained on these rows; None where the returns do not differ. `how` is for `fit.fit_critic`.

    Raises:
        UsageError: the model has no critic of a kind that is known.
    """
    policy = model.policy
    flat = rollout.flat(rollout.observations)
    chosen = {key: part[rows] for key, part in flat.items()} if isinstance(flat, dict) else flat[rows]
    seen, _ = policy.obs_to_tensor(chosen)
    value, inputs = _make_critic(model, seen, rollout.flat(rollout.actions)[rows])
    return fit.fit_critic(value, policy, inputs, returns, seconds, seed=seed, **how)


def _make_critic(model: Any, seen: Any, actions: Any) -> tuple[Callable[[Any, Any], Any], Any]:
    """The critic as a function of a copy of the policy and of its inputs: of states, or of states and actions."""
    policy = model.policy
    if hasattr(policy, "predict_values"):
        return (lambda twin, rows: twin.predict_values(rows)), seen
    if getattr(policy, "q_net", None) is not None:
        taken = torch.as_tensor(actions.reshape(-1, 1), dtype=torch.int64)

        def of_choice(twin: Any, rows: Any) -> Any:
            return twin.q_net(rows["seen"]).gather(1, rows["action"])

        return of_choice, {"seen": seen, "action": taken}
    if getattr(policy, "critic", None) is not None:
        scaled = torch.as_tensor(policy.scale_action(actions), dtype=torch.float32)

        def of_pair(twin: Any, rows: Any) -> Any:
            found = twin.critic(rows["seen"], rows["action"])
            return (found[0] if isinstance(found, tuple) else found).mean(dim=-1)

        return of_pair, {"seen": seen, "action": scaled}
    raise UsageError(f"{type(model).__name__} has no critic that is known: a critic of states, q_net or critic.")


@contextlib.contextmanager
def _keep_statistics(environment: Any) -> Iterator[None]:
    """A normaliser around it does not learn from what is played here."""
    layer = environment
    held: list[Any] = []
    while layer is not None:
        if getattr(layer, "training", None) is True and hasattr(layer, "obs_rms"):
            held.append(layer)
            layer.training = False
        layer = getattr(layer, "venv", None)
    try:
        yield
    finally:
        for each in held:
            each.training = True


def _copy(seen: Any) -> Any:
    return {key: np.array(part) for key, part in seen.items()} if isinstance(seen, dict) else np.array(seen)


def _stack(seen: list[Any]) -> Any:
    if isinstance(seen[0], dict):
        return {key: np.stack([each[key] for each in seen]) for key in seen[0]}
    return np.stack(seen)
