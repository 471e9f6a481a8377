"""Flattened observations as tensordicts for TorchRL modules, and what these answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict
from torch import nn
from torchrl.envs.utils import ExplorationType, set_exploration_type

from weaklink.adapters.answers import ModelAnswers, find_worst_gap
from weaklink.base.evidence.model import Normaliser, RecurrentMemory
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column

START = "is_init"
DRAWN = 128


class ActorInputs:
    """The inputs of an actor: which keys are observations, of what shape, and which carry a recurrent state."""

    def __init__(self, actor: Any, env: Any, width: int | None) -> None:
        outs = list(actor.out_keys)
        self.states = [key for key in actor.in_keys if ("next", *_to_path(key)) in [_to_path(out) for out in outs]]
        self.starts = START in actor.in_keys
        keys = [key for key in actor.in_keys if key not in self.states and key != START]
        self.specs = {key: _find_spec(env, key) for key in keys}
        self.shapes = {key: _read_shape(self.specs[key]) for key in keys}
        if len(keys) == 1 and self.shapes[keys[0]] is None:
            known = width or _find_first_width(actor)
            self.shapes[keys[0]] = (known,) if known else None
        self.state_shapes = {key: _find_state_shape(actor) for key in self.states}

    @property
    def known(self) -> bool:
        """Whether every observation has a shape."""
        return bool(self.shapes) and all(shape is not None for shape in self.shapes.values())

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return sum(int(np.prod(shape or ())) for shape in self.shapes.values())

    @property
    def columns(self) -> tuple[Column, ...]:
        """What each of them is called."""
        image = [len(shape or ()) == 3 for shape in self.shapes.values()]
        return tuple(
            Column(f"{_format_key(key)}[{place}]", "pixel" if pixels else "number", -np.inf, np.inf)
            for (key, shape), pixels in zip(self.shapes.items(), image, strict=True)
            for place in range(int(np.prod(shape or ())))
        )

    def drawn(self) -> Array:
        """Observations drawn from the specs, or normal ones, for want of real ones."""
        parts = []
        for key, shape in self.shapes.items():
            spec = self.specs[key]
            if spec is None:
                values = torch.randn(DRAWN, *(shape or ()))
            else:
                values = spec.expand(DRAWN, *spec.shape).rand().cpu()
            parts.append(values.double().reshape(DRAWN, -1).numpy())
        return np.concatenate(parts, axis=1)

    def tensordict(self, rows: Array, device: Any) -> Any:
        """Rows as a batch in which every observation begins an episode with an empty state."""
        count, at, held = len(rows), 0, {}
        for key, shape in self.shapes.items():
            size = int(np.prod(shape or ()))
            piece = torch.as_tensor(rows[:, at : at + size]).reshape(count, *(shape or ()))
            spec = self.specs[key]
            held[key] = piece.to(torch.float32 if spec is None else spec.dtype)
            at += size
        for key, shape in self.state_shapes.items():
            held[key] = torch.zeros(count, *(shape or ()))
        if self.starts:
            held[START] = torch.ones(count, 1, dtype=torch.bool)
        return TensorDict(held, batch_size=[count]).to(device)

    def going(self, rows: Array, device: Any) -> Any:
        """Rows as a batch from the middle of episodes, with states that are not empty."""
        batch = self.tensordict(rows, device)
        for key in self.states:
            batch[key] = torch.tanh(torch.randn_like(batch[key]))
        if self.starts:
            batch[START] = torch.rand_like(batch[START], dtype=torch.float32) < 0.1
        return batch


def _to_path(key: Any) -> tuple[str, ...]:
    return (key,) if isinstance(key, str) else tuple(key)


def _format_key(key: Any) -> str:
    return ".".join(_to_path(key))


def _find_spec(env: Any, key: Any) -> Any:
    """What the environment says of an observation; a transform without statistics cannot even say that."""
    try:
        return getattr(env, "observation_spec_unbatched", env.observation_spec)[key]
    except (AttributeError, KeyError, TypeError, RuntimeError):
        return None


def _read_shape(spec: Any) -> tuple[int, ...] | None:
    return None if spec is None else tuple(spec.shape)


def _find_first_width(actor: Any) -> int | None:
    linear = next((each for each in actor.modules() if isinstance(each, nn.Linear)), None)
    return None if linear is None else int(linear.in_features)


def _find_state_shape(actor: Any) -> tuple[int, ...] | None:
    for module in actor.modules():
        if hasattr(module, "hidden_size") and hasattr(module, "num_layers"):
            return int(module.num_layers), int(module.hidden_size)
    return None


def ask_modules(actor: Any, critic: Any, batch: Any) -> ModelAnswers:
    """Distribution parameters and values in the mode that the modules are in, without any draw."""
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        after = actor(batch.clone())
        value = None
        if critic is not None:
            asked = after.clone()
            if "action" in critic.in_keys:  # the same action everywhere: only the observation may matter
                asked["action"] = torch.zeros_like(after["action"])
            asked = critic(asked)
            value = _join_outputs(asked, list(critic.out_keys))
    outs = [key for key in actor.out_keys if _to_path(key)[0] != "next" and "log_prob" not in _format_key(key)]
    numbers = [key for key in outs if after[key].is_floating_point() and _format_key(key) != "action"]
    return ModelAnswers(_join_outputs(after, numbers or outs), value)


def _join_outputs(held: Any, keys: list[Any]) -> Array:
    parts = [held[key] for key in keys if key in held.keys(True)]
    return np.concatenate([part.detach().double().cpu().numpy().reshape(len(part), -1) for part in parts], axis=1)


def make_asker(actor: Any, critic: Any, inputs: ActorInputs, device: Any) -> Callable[[Array], ModelAnswers]:
    """A function from flattened rows to answers in evaluation mode."""

    def asked(rows: Array) -> ModelAnswers:
        for module in (actor, critic):
            if module is not None:
                module.eval()
        return ask_modules(actor, critic, inputs.tensordict(rows, device))

    return asked


def examine_memory(actor: Any, inputs: ActorInputs, rows: Array, device: Any) -> RecurrentMemory | None:
    """Whether the state matters and whether `is_init` wipes it out; None where no such flag reaches the actor."""
    if not inputs.starts or any(shape is None for shape in inputs.state_shapes.values()):
        return None
    actor.eval()

    def ran(*, full: bool, start: bool) -> ModelAnswers:
        batch = inputs.tensordict(rows, device)
        generator = torch.Generator().manual_seed(0)
        for key in inputs.states if full else ():
            batch[key] = torch.tanh(torch.randn(batch[key].shape, generator=generator)).to(device)
        batch[START] = torch.full_like(batch[START], start)
        return ask_modules(actor, None, batch)

    return RecurrentMemory(
        influence=find_worst_gap(ran(full=True, start=False), ran(full=False, start=False)),
        reset_gap=find_worst_gap(ran(full=True, start=True), ran(full=False, start=True)),
    )


def find_normalisers(env: Any) -> tuple[Normaliser, ...]:
    """The normalising transforms of an environment."""
    found = []
    for transform in _list_transforms(getattr(env, "transform", None)):
        if type(transform).__name__ == "ObservationNorm":
            found.append(_describe_observation_norm(transform))
        elif type(transform).__name__ in ("VecNorm", "VecNormV2"):
            found.append(_describe_vec_norm(transform))
    return tuple(found)


def _list_transforms(transform: Any) -> list[Any]:
    if transform is None:
        return []
    inner = getattr(transform, "transforms", None)
    return [transform] if inner is None else [each for one in inner for each in _list_transforms(one)]


def _describe_observation_norm(transform: Any) -> Normaliser:
    kind = "ObservationNorm"
    if not transform.initialized:
        return Normaliser(kind=kind, samples=0.0, training=False)
    location, scale = (np.reshape(np.asarray(part.cpu(), dtype=float), -1) for part in (transform.loc, transform.scale))
    spread = scale if transform.standard_normal else 1.0 / np.where(scale == 0.0, np.nan, scale)
    return Normaliser(
        kind=kind,
        training=False,
        mean_largest=float(np.abs(location).max()),
        variance_smallest=float((spread**2).min()),
        variance_largest=float((spread**2).max()),
    )


def _describe_vec_norm(transform: Any) -> Normaliser:
    count = getattr(transform, "_count", None)
    if count is None and getattr(transform, "_td", None) is not None:
        count = next((value for key, value in transform._td.items() if str(key).endswith("_count")), None)
    values = [] if count is None else [count] if torch.is_tensor(count) else list(count.values(True, True))
    samples = [float(value.max()) for value in values]
    return Normaliser(
        kind=type(transform).__name__,
        samples=min(samples) if samples else 0.0,
        training=not bool(getattr(transform, "frozen", False)),
    )
