"""A few updates of TorchRL modules on stand-in data: observations that were seen, random rewards, random ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from tensordict import TensorDictBase
from torchrl.envs.utils import ExplorationType, set_exploration_type

from weaklink.adapters.torch.watch import find_place, format_error
from weaklink.adapters.torchrl.tensors import ActorInputs
from weaklink.base.evidence.model import ModelUpdates
from weaklink.base.evidence.series import Array

BATCH = 64
EPISODE_END = 0.1


def make_updates(model: Any, inputs: ActorInputs, rows: Array, device: Any, wanted: int) -> ModelUpdates:
    """Makes some updates. What the optimizers raise is part of the evidence.

    What the losses raise is not, as long as the weights are numbers: more likely than not the stand-in batch lacks
    something that the real ones have.
    """
    losses: dict[str, Any] = {}
    optimizers = model.optimizers or []
    for done in range(wanted):
        try:
            batch = _make_batch(
                model.actor, inputs, rows[np.random.default_rng(done).integers(0, len(rows), BATCH)], device
            )
            losses = (
                _compute_own_losses(model.loss, batch)
                if model.loss is not None
                else _compute_stand_in_losses(model, batch)
            )
        except Exception as error:
            if _finite(model.actor):
                raise
            return ModelUpdates(count=done, error=format_error(error), where=find_place(error))
        try:
            _step(optimizers, losses)
        except RuntimeError as error:
            return ModelUpdates(count=done, error=format_error(error), where=find_place(error))
    values = {name: float(value.detach().sum()) for name, value in losses.items()}
    return ModelUpdates(
        count=wanted,
        losses=values,
        non_finite=tuple(name for name, value in values.items() if not np.isfinite(value)),
        learning_rates=tuple(float(group["lr"]) for one in optimizers for group in one.param_groups),
    )


def _step(optimizers: list[Any], losses: dict[str, Any]) -> None:
    for optimizer in optimizers:
        optimizer.zero_grad()
    torch.stack([value.sum() for value in losses.values()]).sum().backward()
    for optimizer in optimizers:
        optimizer.step()


def _finite(actor: Any) -> bool:
    return all(bool(torch.isfinite(tensor).all()) for tensor in actor.parameters())


def _make_batch(actor: Any, inputs: ActorInputs, rows: Array, device: Any) -> Any:
    """Transitions with the actor's own actions."""
    batch, after = (inputs.going(each, device) for each in (rows, np.roll(rows, -1, axis=0)))
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
        batch = actor(batch)
    ended = torch.rand(BATCH, 1, device=device) < EPISODE_END
    after["reward"] = torch.randn(BATCH, 1, device=device)
    after["done"], after["terminated"], after["truncated"] = ended, ended, torch.zeros_like(ended)
    if "next" in batch.keys(True):
        after.update(batch["next"])
    batch["next"] = after
    return batch


def _compute_own_losses(loss: Any, batch: Any) -> dict[str, Any]:
    found = loss(batch)
    named = found if isinstance(found, TensorDictBase) else dict(zip(loss.out_keys, found, strict=False))
    return {str(name): value for name, value in named.items() if str(name).startswith("loss")}


def _compute_stand_in_losses(model: Any, batch: Any) -> dict[str, Any]:
    """Without the algorithm's own losses: a policy gradient with random returns, and the error of the values."""
    actor, critic = model.actor, model.critic
    weights = batch["next", "reward"].reshape(-1)
    if hasattr(actor, "get_dist"):
        chances = actor.get_dist(batch.clone()).log_prob(batch["action"]).reshape(BATCH, -1).sum(dim=1)
        losses = {"loss_actor": -(weights * chances).mean()}
    else:
        after = actor(batch.select(*actor.in_keys).clone())
        outs = [after[key].reshape(BATCH, -1) for key in actor.out_keys if after[key].is_floating_point()]
        losses = {"loss_actor": (weights.reshape(-1, 1) * torch.cat(outs, dim=1)).mean()}
    if critic is not None:
        values = critic(batch.clone())[list(critic.out_keys)[-1]].reshape(BATCH, -1)
        losses["loss_critic"] = ((values - weights.reshape(-1, 1)) ** 2).mean()
    return losses
