"""A trained Stable-Baselines3 model as an agent that can be asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from weaklink.adapters.sb3.policy import is_recurrent


def make_agent(model: Any, gamma: float | None = None) -> Any:
    """The agent that fits the model's kind."""
    policy = model.policy
    known = float(gamma if gamma is not None else getattr(model, "gamma", 0.99))
    if is_recurrent(policy):
        return RecurrentAgent(model, known)
    if getattr(policy, "q_net", None) is not None or getattr(policy, "quantile_net", None) is not None:
        return ValueBasedAgent(model, known)
    if getattr(policy, "critic", None) is not None:
        soft = getattr(model, "log_ent_coef", None) is not None or hasattr(model, "ent_coef_tensor")
        return SoftAgent(model, known) if soft else OffPolicyAgent(model, known)
    return OnPolicyAgent(model, known) if hasattr(policy, "predict_values") else ActingAgent(model, known)


class ActingAgent:
    """Any model: it acts."""

    def __init__(self, model: Any, gamma: float) -> None:
        self.model = model
        self.policy = model.policy
        self.gamma = gamma
        self.policy.set_training_mode(False)

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """The action without exploration."""
        return self._predicted(observation, action_mask, deterministic=True)

    def _predicted(self, observation: Any, mask: Any, *, deterministic: bool) -> Any:
        masked = {} if mask is None or not hasattr(self.policy, "evaluate_actions") else {"action_masks": mask}
        return self.model.predict(observation, deterministic=deterministic, **masked)[0]

    def _tensor(self, observation: Any) -> Any:
        return self.policy.obs_to_tensor(observation)[0]


class OnPolicyAgent(ActingAgent):
    """Actor and critic of states."""

    def sample(self, observation: Any) -> Any:
        """A draw from the policy."""
        return self._predicted(observation, None, deterministic=False)

    def value(self, observation: Any) -> float:
        """The critic's answer."""
        with torch.no_grad():
            return float(self.policy.predict_values(self._tensor(observation)).reshape(-1)[0])

    def log_prob(self, observation: Any, action: Any) -> float:
        """Of an action as the environment takes it."""
        with torch.no_grad():
            given = torch.as_tensor(np.asarray(action)[None])
            return float(self.policy.evaluate_actions(self._tensor(observation), given)[1].reshape(-1)[0])


class ValueBasedAgent(ActingAgent):
    """A value for each action."""

    def q(self, observation: Any) -> Any:
        """One number for each action."""
        with torch.no_grad():
            network = getattr(self.policy, "q_net", None)
            if network is not None:
                return network(self._tensor(observation)).reshape(-1).numpy()
            return self.policy.quantile_net(self._tensor(observation)).mean(dim=1).reshape(-1).numpy()


class OffPolicyAgent(ActingAgent):
    """Actor and critics of actions."""

    def q(self, observation: Any, action: Any) -> float:
        """The smallest answer of the critics, the mean of a distributional one."""
        with torch.no_grad():
            scaled = torch.as_tensor(self.policy.scale_action(np.asarray(action, np.float32))[None])
            answer = self.policy.critic(self._tensor(observation), scaled)
            if isinstance(answer, tuple | list):
                return float(min(float(each.reshape(-1)[0]) for each in answer))
            return float(answer.mean())


class SoftAgent(OffPolicyAgent):
    """With an entropy bonus."""

    def sample(self, observation: Any) -> Any:
        """A draw from the policy."""
        return self._predicted(observation, None, deterministic=False)

    @property
    def temperature(self) -> float:
        """The weight of the entropy."""
        learned = getattr(self.model, "log_ent_coef", None)
        return float(torch.exp(learned.detach()) if learned is not None else self.model.ent_coef_tensor)

    @property
    def target_entropy(self) -> float:
        """What the temperature is to hold."""
        return float(self.model.target_entropy)


class RecurrentAgent(ActingAgent):
    """A policy that carries a state from step to step."""

    def __init__(self, model: Any, gamma: float) -> None:
        super().__init__(model, gamma)
        self._states: Any = None
        self._start = 1.0
        self.reset()

    def reset(self) -> None:
        """Begins an episode."""
        recurrent = import_states()
        shape = self.policy.lstm_hidden_state_shape
        shape = (shape[0], 1, shape[2])
        self._states = recurrent(*(tuple(torch.zeros(shape) for _ in range(2)) for _ in range(2)))
        self._start = 1.0

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """The most likely action; the state moves on."""
        with torch.no_grad():
            tensor = self._tensor(observation)
            action, _, _, self._states = self.policy.forward(
                tensor, self._states, torch.tensor([self._start]), deterministic=True
            )
        self._start = 0.0
        return action.numpy()[0]

    def value(self, observation: Any) -> float:
        """The critic's answer; the state stays."""
        with torch.no_grad():
            answer = self.policy.predict_values(self._tensor(observation), self._states.vf, torch.tensor([self._start]))
        return float(answer.reshape(-1)[0])


def import_states() -> Any:
    """The class of sb3-contrib that holds the states of both networks."""
    from sb3_contrib.common.recurrent.type_aliases import RNNStates

    return RNNStates
