"""The targets of off-policy models of Stable-Baselines3, worked out again at the moment when they are used."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np
import torch

from weaklink.adapters.sb3.quiet import keep_statistics
from weaklink.adapters.torch.generators import put_torch_states, read_torch_states, same_states
from weaklink.base.evidence.rollout import Array, Targets, Temperature


class _TargetValues(NamedTuple):
    """Values of a batch, a number a row: after the step by the slow and by the learning networks, and before it; the
    entropy; other values after the step that are right, and those of known mistakes."""

    following: Any
    own: Any
    online: Any
    entropy: Any = None
    also_right: tuple[Any, ...] = ()
    mistaken: dict[str, Any] = {}  # noqa: RUF012


class TargetCheck:
    """The first batch of an update and the first loss on it, with the target that should have been there.

    Draws of the trainer between the two are repeated from the state of torch's generators, in the library's own order;
    they were the same where the generators end in the state in which the trainer had left them.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._batch: Any = None
        self._state: dict[str, Any] = {}
        self._log_temperature: Any = None
        self._done = self._exact = False
        self.targets: Targets | None = None
        self.temperature: Temperature | None = None

    def sampled(self, batch: Any) -> None:
        """Takes the batch that the trainer has just drawn."""
        if self._batch is None:
            self._batch = batch
            self._state = read_torch_states()
            learned = getattr(self._model, "log_ent_coef", None)
            self._log_temperature = None if learned is None else learned.detach().clone()

    def met(self, left: Any, right: Any) -> None:
        """Takes the two sides of the first loss."""
        if self._batch is None or self._done:
            return
        self._done = True
        used = left if right.requires_grad else right
        now = read_torch_states()
        with keep_statistics(self._model.policy), torch.no_grad():
            try:
                put_torch_states(self._state)
                worked = self._worked(lambda: self._settled(now))
            finally:
                put_torch_states(now)
        if worked is not None:
            self.targets = self._compared(used.detach(), worked)
            self.temperature = self._tempered(worked) if self._exact else None

    def _settled(self, now: dict[str, Any]) -> None:
        """Compares the generators at the point where the trainer calls its loss."""
        self._exact = same_states(read_torch_states(), now)

    def _worked(self, settled: Callable[[], None]) -> _TargetValues | None:
        model = self._model
        if hasattr(model, "q_net_target"):
            return _compute_greedy(model, self._batch, settled)
        if hasattr(model, "quantile_net_target"):
            return _compute_quantile(model, self._batch, settled)
        if not hasattr(model, "critic_target"):
            return None
        if hasattr(model, "actor_target"):
            return _compute_smoothed(model, self._batch, settled)
        return _compute_soft(model, self._batch, settled, self._temperature()) if hasattr(model, "ent_coef") else None

    def _temperature(self) -> Any:
        return self._model.ent_coef_tensor if self._log_temperature is None else self._log_temperature.exp()

    def _compared(self, used: Any, worked: _TargetValues) -> Targets | None:
        batch = self._batch
        rows, discounts = len(batch.rewards), getattr(batch, "discounts", None)
        gammas = {float(self._model.gamma)} if discounts is None else set(_to_array(discounts).tolist())
        if used.numel() % rows or len(gammas) != 1:
            return None
        return Targets(
            rewards=_to_array(batch.rewards),
            terminated=_to_array(batch.dones) > 0.5,
            next_values=_to_array(worked.following),
            own_values=_to_array(worked.own),
            online_values=_to_array(worked.online),
            also_right=tuple(_to_array(each) for each in worked.also_right),
            mistaken={name: _to_array(each) for name, each in worked.mistaken.items()},
            targets=_to_array(used.reshape(rows, -1).double().mean(dim=1)),
            gamma=gammas.pop(),
            exact=self._exact,
        )

    def _tempered(self, worked: _TargetValues) -> Temperature | None:
        if self._log_temperature is None or worked.entropy is None:
            return None
        target, entropy = float(self._model.target_entropy), _to_array(worked.entropy)
        return Temperature(
            before=float(self._log_temperature),
            after=float(self._model.log_ent_coef.detach()),
            entropy_excess=float(entropy.mean()) - target,
            target_entropy=target,
            largest_entropy=int(np.prod(self._model.action_space.shape)) * log(2.0),  # evenly between -1 and 1
            entropy_error=float(entropy.std()) / max(1.0, len(entropy)) ** 0.5,
        )


def _to_array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(-1))


def _compute_greedy(model: Any, batch: Any, settled: Callable[[], None]) -> _TargetValues:
    """DQN: the largest value of the slow network."""
    slow, fast = model.q_net_target, model.q_net
    values = slow(batch.next_observations)
    fast(batch.observations)
    settled()
    own, online = slow(batch.observations).max(dim=1).values, fast(batch.next_observations)
    double = values.gather(1, online.argmax(dim=1, keepdim=True))
    return _TargetValues(
        values.max(dim=1).values,
        own,
        online.max(dim=1).values,
        also_right=(double,),
        mistaken={
            "mean over actions instead of the maximum": values.mean(dim=1),
            "minimum over actions instead of the maximum": values.min(dim=1).values,
        },
    )


def _compute_quantile(model: Any, batch: Any, settled: Callable[[], None]) -> _TargetValues:
    """QR-DQN: the same of the mean over quantiles, which the mean of its targets follows."""

    def best(net: Any, observations: Any) -> Any:
        return net(observations).double().mean(dim=1).max(dim=1).values

    slow, fast = model.quantile_net_target, model.quantile_net
    following = best(slow, batch.next_observations)
    fast(batch.observations)
    settled()
    return _TargetValues(following, best(slow, batch.observations), best(fast, batch.next_observations))


def _compute_smoothed(model: Any, batch: Any, settled: Callable[[], None]) -> _TargetValues:
    """TD3 and DDPG: the smaller of the slow critics at the slow actor's action with clipped noise."""
    noise = batch.actions.clone().normal_(0, model.target_policy_noise)
    noise = noise.clamp(-model.target_noise_clip, model.target_noise_clip)
    acted = (model.actor_target(batch.next_observations) + noise).clamp(-1, 1)
    following = _take_smaller(model, model.critic_target, batch.next_observations, acted)
    model.critic(batch.observations, batch.actions)
    settled()
    return _TargetValues(
        following,
        _take_smaller(model, model.critic_target, batch.observations, model.actor_target(batch.observations)),
        _take_smaller(model, model.critic, batch.next_observations, acted),
        mistaken=_take_larger(model.critic_target, batch.next_observations, acted),
    )


def _compute_soft(model: Any, batch: Any, settled: Callable[[], None], temperature: Any) -> _TargetValues:
    """SAC and TQC: two draws of the actor, the first for the observations, and the entropy taken off."""
    own, own_log_prob = model.actor.action_log_prob(batch.observations)
    acted, log_prob = model.actor.action_log_prob(batch.next_observations)
    entropy = temperature * log_prob.reshape(-1)
    bare = _take_smaller(model, model.critic_target, batch.next_observations, acted)
    model.critic(batch.observations, batch.actions)
    settled()
    larger = _take_larger(model.critic_target, batch.next_observations, acted)
    return _TargetValues(
        bare - entropy,
        _take_smaller(model, model.critic_target, batch.observations, own) - temperature * own_log_prob.reshape(-1),
        _take_smaller(model, model.critic, batch.next_observations, acted) - entropy,
        -own_log_prob,
        mistaken={name: each - entropy for name, each in larger.items()}
        | {"entropy with the sign turned": bare + entropy, "entropy left out": bare},
    )


def _take_smaller(model: Any, critic: Any, observations: Any, actions: Any) -> Any:
    """The smallest of twin critics; of quantiles the mean of those that are kept."""
    values = critic(observations, actions)
    if not isinstance(values, torch.Tensor):
        return torch.cat(values, dim=1).min(dim=1).values
    kept = critic.quantiles_total - model.top_quantiles_to_drop_per_net * critic.n_critics
    return values.reshape(len(values), -1).sort(dim=1).values[:, :kept].double().mean(dim=1)


def _take_larger(critic: Any, observations: Any, actions: Any) -> dict[str, Any]:
    """What becomes of twins by mistake; nothing where there are none, or quantiles in their place."""
    values = critic(observations, actions)
    if isinstance(values, torch.Tensor) or len(values) < 2:
        return {}
    joined = torch.cat(values, dim=1)
    return {
        "larger of the twin critics": joined.max(dim=1).values,
        "mean of the twin critics": joined.mean(dim=1),
        "one of the twin critics alone": joined[:, 0],
    }
