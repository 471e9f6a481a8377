"""The modules of any TorchRL training, as the agent that probes ask."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict
from torchrl.envs.utils import ExplorationType, set_exploration_type

from weaklink.base.errors import UsageError

START = "is_init"
ASSUMED_DISCOUNT = 0.99


class TorchRLAgent:
    """An agent made of tensordict modules; it has only those methods that its modules can answer.

    Attributes:
        gamma: the discount it was trained with.
        value: the state value of an observation, where there is a value module.
        q: the value of each action, or of a given one, where there is a q-value module.
        log_prob: the log-probability of an action, where the actor has a distribution.
        temperature: the entropy coefficient of soft algorithms, where it was given.
        target_entropy: what their entropy is brought to, where it was given.
        reset: forgets the state, where it has one.
    """

    value: Callable[[Any], float]
    q: Callable[..., Any]
    log_prob: Callable[[Any, Any], float]
    reset: Callable[[], None]
    temperature: float
    target_entropy: float

    def __init__(self, actor: Any, value: Any, qvalue: Any, *, gamma: float, codec: TensorCodec) -> None:
        self.actor, self.gamma, self._codec = actor, gamma, codec
        self._value, self._qvalue = value, qvalue
        self._modules = [module for module in (actor, value, qvalue) if module is not None]
        self._states = _list_state_keys(self._modules)
        self._kept: dict[Any, Any] = {}
        if value is not None:
            self.value = self._value_of
        if qvalue is not None:
            self.q = self._q_of
        if hasattr(actor, "get_dist"):
            self.log_prob = self._log_prob_of
        if self._states:
            self.reset = self._forget

    def _forget(self) -> None:
        self._kept = {}

    def act(self, observation: Any) -> Any:
        """The greedy action."""
        return self._chosen(observation, ExplorationType.DETERMINISTIC)

    def sample(self, observation: Any) -> Any:
        """An action drawn as in training."""
        return self._chosen(observation, ExplorationType.RANDOM)

    def _chosen(self, observation: Any, exploration: Any) -> Any:
        with _ask_quietly(self._modules), set_exploration_type(exploration):
            held = self.actor(self._seen(observation))
            if self._states:
                self._advance(observation, held)
        return self._codec.native_action(held[self._codec.action_key][0])

    def _advance(self, observation: Any, held: Any) -> None:
        """Keeps the states after this step, those of the critics too."""
        rest = [module for module in self._modules[1:] if _list_state_keys([module])]
        after = [held, *(module(self._completed(module, self._seen(observation))) for module in rest)]
        paths = {key: ("next", *_to_path(key)) for key in self._states}
        self._kept = {
            key: each[path] for each in after for key, path in paths.items() if path in each.keys(include_nested=True)
        }

    def _value_of(self, observation: Any) -> float:
        with _ask_quietly(self._modules):
            held = self._value(self._completed(self._value, self._seen(observation)))
        return float(held[_find_key(self._value, "value")].reshape(-1)[0])

    def _q_of(self, observation: Any, action: Any = None) -> Any:
        with _ask_quietly(self._modules), set_exploration_type(ExplorationType.DETERMINISTIC):
            held = self._seen(observation)
            takes_action = self._codec.action_key in self._qvalue.in_keys
            if takes_action and action is None:
                raise UsageError("The q-value module takes an action: call q(observation, action).")
            if takes_action:
                held[self._codec.action_key] = self._codec.action_tensor(action).unsqueeze(0)
            held = self._qvalue(self._completed(self._qvalue, held))
        found = held[_find_key(self._qvalue, "action_value")][0].double().cpu().numpy().reshape(-1)
        if takes_action:
            return float(found[0])
        return found if action is None else float(found[int(action)])

    def _log_prob_of(self, observation: Any, action: Any) -> float:
        with _ask_quietly(self._modules):
            distribution = self.actor.get_dist(self._seen(observation))
            one_hot = "OneHot" in type(distribution).__name__
            given = self._codec.action_tensor(action, one_hot=one_hot, like=distribution).unsqueeze(0)
            return float(distribution.log_prob(given).sum())

    def _seen(self, observation: Any) -> Any:
        held = self._codec.observed(observation)
        for key, state in self._kept.items():
            held[key] = state
        if self._states or any(START in module.in_keys for module in self._modules):
            held[START] = torch.full((1, 1), not self._kept, dtype=torch.bool, device=self._codec.device)
        return held

    def _completed(self, module: Any, held: Any) -> Any:
        """With what a head takes from layers that it shares with the actor."""
        present = held.keys(include_nested=True)
        states = {_to_path(key) for key in self._states}
        missing = [key for key in module.in_keys if key not in present and _to_path(key) not in states]
        return self.actor(held) if missing else held


class TensorCodec:
    """Between observations and actions as the environment has them, and tensors as the modules take them."""

    def __init__(
        self, modules: list[Any], env: Any, encode: Callable[[Any], Any] | None, keys: tuple[Any, Any]
    ) -> None:
        self.env, self.encode = env, encode
        self.observation_key, self.action_key = keys
        first = next((tensor for module in modules for tensor in _list_parameters(module)), None)
        self.device = torch.device("cpu") if first is None else first.device
        self._spec = _find_action_spec(modules[0], env, self.action_key)

    def observed(self, observation: Any) -> Any:
        """One observation as a batch of one."""
        if self.encode is not None:
            found = self.encode(observation)
            found = found if isinstance(found, Mapping) else {self.observation_key: found}
        elif isinstance(observation, Mapping):
            found = observation
        else:
            found = {self.observation_key: observation}
        if self.env is None or self.encode is not None:
            return TensorDict(_to_tensors(found), batch_size=[]).unsqueeze(0).to(self.device)
        return self._transformed(found)

    def _transformed(self, found: Mapping[str, Any]) -> Any:
        """As the environment hands it out, through those of its transforms that touch observations."""
        inner, transforms = _peel(self.env)
        spec = getattr(inner, "observation_spec_unbatched", inner.observation_spec)
        encoded = {key: spec[key].encode(value) if key in spec.keys() else value for key, value in found.items()}  # noqa: SIM118
        held = TensorDict(_to_tensors(encoded, narrow=False), batch_size=[]).unsqueeze(0)
        for transform in transforms:
            if any(key in held.keys(include_nested=True) for key in transform.in_keys or ()):
                with _freeze(transform):
                    held = transform._call(held)
        return held.to(self.device)

    def native_action(self, chosen: Any) -> Any:
        """An action for `env.step`."""
        if self._spec is not None and hasattr(self._spec, "to_numpy"):
            native = self._spec.to_numpy(chosen.to(self._spec.device or "cpu"))
            return (
                int(native) if np.ndim(native) == 0 and np.issubdtype(np.asarray(native).dtype, np.integer) else native
            )
        found = chosen.detach().cpu().numpy()
        if found.ndim == 1 and found.dtype.kind in "bi" and found.size > 1 and found.sum() == 1:
            return int(found.argmax())
        return int(found.reshape(-1)[0]) if found.dtype.kind in "iu" and found.size == 1 else found

    def action_tensor(self, action: Any, *, one_hot: bool = False, like: Any = None) -> Any:
        """An action of `env.step`, as the modules take it."""
        if self._spec is not None:
            return self._spec.encode(action).to(self.device)
        given = torch.as_tensor(np.asarray(action), device=self.device)
        if one_hot:
            return torch.nn.functional.one_hot(given.long().reshape(()), like.logits.shape[-1])
        return given.float() if given.is_floating_point() else given


def agent_of(
    actor: Any,
    value: Any = None,
    qvalue: Any = None,
    *,
    gamma: float = ASSUMED_DISCOUNT,
    temperature: float | None = None,
    target_entropy: float | None = None,
    env: Any = None,
    encode: Callable[[Any], Any] | None = None,
    observation_key: Any = None,
    action_key: Any = "action",
) -> TorchRLAgent:
    """The agent that probes ask, from the modules that a TorchRL training trains.

    Args:
        actor: the policy, such as ProbabilisticActor or QValueActor, with or without an exploration module behind it.
        value: the state-value module, such as ValueOperator.
        qvalue: the q-value module: of an observation for one number per action, or of an observation and an action. A
            QValueActor as the actor is one already.
        gamma: the discount of the training.
        temperature: the entropy coefficient of soft algorithms.
        target_entropy: what they bring the entropy of the actions to.
        env: the TorchRL environment of the training. Its specs and transforms turn an observation into what the modules
            see; it is never stepped. Needed where it has transforms that change observations.
        encode: instead of `env`, a function from an observation to a tensor, or to a dict of them by key.
        observation_key: under which an observation that is no dict is handed on; found where it is not given.
        action_key: under which the actor writes its action.

    Returns:
        The agent. Recurrent actors keep their state from `act` to `act` until `reset`.

    Raises:
        UsageError: where something given is not a tensordict module.
    """
    for name, module in (("actor", actor), ("value", value), ("qvalue", qvalue)):
        if module is not None and not hasattr(module, "in_keys"):
            raise UsageError(
                f"agent_of takes tensordict modules; the {name} is a {type(module).__name__} without in_keys. Wrap it: "
                "TensorDictModule(network, in_keys=['observation'], out_keys=[...])."
            )
    if qvalue is None and "action_value" in map(str, actor.out_keys):
        qvalue = actor
    modules = [module for module in (actor, value, qvalue) if module is not None]
    key = observation_key if observation_key is not None else _find_observation_key(modules, action_key, env)
    codec = TensorCodec(modules, env, encode, (key, action_key))
    agent = TorchRLAgent(actor, value, qvalue, gamma=gamma, codec=codec)
    if temperature is not None:
        agent.temperature = float(temperature)
    if target_entropy is not None:
        agent.target_entropy = float(target_entropy)
    return agent


@contextlib.contextmanager
def _ask_quietly(modules: list[Any]) -> Iterator[None]:
    """Evaluation mode without gradients; the mode is put back, for a training that goes on."""
    inner = [each for module in modules if hasattr(module, "modules") for each in module.modules()]
    modes = [(each, each.training) for each in inner]
    for each in inner:
        each.training = False
    try:
        with torch.no_grad():
            yield
    finally:
        for each, mode in modes:
            each.training = mode


def _to_path(key: Any) -> tuple[str, ...]:
    return (key,) if isinstance(key, str) else tuple(key)


def _list_state_keys(modules: list[Any]) -> list[Any]:
    """What a module takes and also hands to the next step."""
    outs = {_to_path(key)[1:] for module in modules for key in module.out_keys if _to_path(key)[0] == "next"}
    return [key for key in dict.fromkeys(key for module in modules for key in module.in_keys) if _to_path(key) in outs]


def _find_observation_key(modules: list[Any], action_key: Any, env: Any) -> Any:
    if env is not None:
        wanted = list(_peel(env)[0].observation_spec.keys())
    else:
        not_seen = {START, action_key, *_list_state_keys(modules)}
        wanted = [key for key in modules[0].in_keys if key not in not_seen]
    return "observation" if "observation" in wanted or not wanted else wanted[0]


def _peel(env: Any) -> tuple[Any, list[Any]]:
    """The innermost environment, and the transforms around it from the inside out."""
    layers: list[Any] = []
    while hasattr(env, "transform"):
        layers.insert(0, env.transform)
        env = env.base_env
    return env, [each for layer in layers for each in _list_leaves(layer)]


def _list_leaves(transform: Any) -> list[Any]:
    inner = getattr(transform, "transforms", None)
    return [transform] if inner is None else [each for one in inner for each in _list_leaves(one)]


@contextlib.contextmanager
def _freeze(transform: Any) -> Iterator[None]:
    """A normalising transform learns from whatever it sees, and must not learn from questions."""
    if type(transform).__name__ == "CatFrames":
        raise UsageError(
            "Stacked frames cannot be told from one observation. Give agent_of an `encode` instead of `env`."
        )
    freezes = hasattr(transform, "freeze") and not getattr(transform, "frozen", False)
    if freezes:
        transform.freeze()
    try:
        yield
    finally:
        if freezes:
            transform.unfreeze()


def _to_tensors(found: Mapping[Any, Any], *, narrow: bool = True) -> dict[Any, Any]:
    held = {}
    for key, value in found.items():
        if isinstance(value, Mapping):
            held[key] = _to_tensors(value, narrow=narrow)
            continue
        tensor = value if torch.is_tensor(value) else torch.as_tensor(np.asarray(value))
        held[key] = tensor.float() if narrow and tensor.dtype == torch.float64 else tensor
    return held


def _list_parameters(module: Any) -> Iterator[Any]:
    return iter(module.parameters()) if hasattr(module, "parameters") else iter(())


def _find_action_spec(actor: Any, env: Any, action_key: Any) -> Any:
    """What says how an action looks outside: the environment, or else the actor's own spec."""
    if env is not None:
        return getattr(env, "action_spec_unbatched", env.action_spec)
    spec = getattr(actor, "spec", None)
    with contextlib.suppress(KeyError, TypeError, AttributeError):
        return spec[action_key] if spec is not None else None
    return None


def _find_key(module: Any, word: str) -> Any:
    """The key of a module's answer: the one with this word in it, else the last."""
    keys = list(module.out_keys)
    exact = [key for key in keys if _to_path(key)[-1] == word]
    close = [key for key in keys if word in _to_path(key)[-1] and _to_path(key)[0] != "next"]
    return (exact or close or keys[-1:])[0]
