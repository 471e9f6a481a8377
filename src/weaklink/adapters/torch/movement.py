"""What an update did to weights: of the networks that learn, and of their slow copies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import optimizer as torch_optimizer

from weaklink.adapters.torch.sampling import sample_elements, take_local
from weaklink.adapters.torch.watch import TARGETS
from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.rollout import TargetNetwork, WeightMovement

LARGEST = 65_536
"""Elements of one parameter that are compared."""

STEPS_WATCHED = 4
"""Optimizer steps of an update whose gradients are looked at."""


class WeightsBefore:
    """The weights before an update, and from now on the gradients that optimizers get. Nothing is put on the modules.

    Args:
        modules: by name; parameters of a module within another keep their first name.
    """

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        self.parameters: dict[str, Any] = {}
        known: set[int] = set()
        for prefix, module in modules.items():
            for name, parameter in module.named_parameters():
                if id(parameter) not in known:
                    known.add(id(parameter))
                    self.parameters[".".join(filter(None, (prefix, name)))] = parameter
        self._names = {id(parameter): name for name, parameter in self.parameters.items()}
        self._kept = {name: _thin_parameter(parameter).clone() for name, parameter in self.parameters.items()}
        self._norms: dict[str, list[Any]] = {}
        self.optimizers: list[Any] = []
        self.steps = 0
        self._handle = torch_optimizer.register_optimizer_step_pre_hook(self._step)

    def _step(self, optimizer: Any, arguments: Any, options: Any) -> None:
        if not torch.compiler.is_compiling():
            with contextlib.suppress(Exception):  # nothing here may end a training
                self._noted(optimizer)

    def _noted(self, optimizer: Any) -> None:
        if not any(id(each) in self._names for group in optimizer.param_groups for each in group["params"]):
            return
        if not any(each is optimizer for each in self.optimizers):
            self.optimizers.append(optimizer)
        self.steps += 1
        if self.steps > STEPS_WATCHED * len(self.optimizers):
            return
        # those of other optimizers and of none among them: a weight may get a gradient that nobody uses
        reached = [each for each in self.parameters.values() if each.grad is not None and not each.grad.is_sparse]
        norms = torch._foreach_norm([take_local(each.grad) for each in reached]) if reached else []
        for parameter, norm in zip(reached, norms, strict=True):
            self._norms.setdefault(self._names[id(parameter)], []).append(norm)

    def close(self) -> None:
        """Ends the watching of gradients."""
        self._handle.remove()

    def changes(self) -> dict[str, float]:
        """How far each parameter moved, relative to its size."""
        found = {}
        for name, parameter in self.parameters.items():
            before, after = self._kept[name], _thin_parameter(parameter)
            size = torch.linalg.vector_norm(before.float()).clamp_min(1e-3 * max(before.numel(), 1) ** 0.5)
            found[name] = torch.linalg.vector_norm((after - before).float()) / size
        return _read(found)

    def gradients(self) -> dict[str, float]:
        """The largest norm of a gradient that reached each parameter."""
        largest = {name: torch.stack([norm.float() for norm in norms]).max() for name, norms in self._norms.items()}
        return _read(largest)


def measure_movement(before: WeightsBefore, optimizers: Iterable[Any] = ()) -> WeightMovement:
    """What became of each parameter since `before`, which is closed by this.

    Args:
        before: taken before the first optimizer step of the update.
        optimizers: further ones than those that stepped.
    """
    before.close()
    known = [*before.optimizers, *(each for each in optimizers if each not in before.optimizers)]
    held = {id(each) for one in known for group in one.param_groups for each in group["params"]}
    changes, gradients = before.changes(), before.gradients()
    rates = [group["lr"] for one in known for group in one.param_groups if "lr" in group]
    return WeightMovement(
        parameters=tuple(
            Parameter(
                name=name,
                size=int(parameter.numel()),
                trainable=bool(parameter.requires_grad),
                gradient=gradients.get(name),
                in_optimizer=id(parameter) in held if known else None,
                changed=changes[name],
                excused="target network" if TARGETS in name else "",
            )
            for name, parameter in before.parameters.items()
        ),
        optimizer_steps=before.steps,
        learning_rate=max(map(float, rates), default=None),
    )


class FollowedCopy:
    """A slow copy of a network, looked at after updates.

    Args:
        name: of the copy.
        online: the network that learns: a module, or its parameters in the order of the copy's.
        target: the copy.
        interval: after how many updates it is copied, where that is known.
        rate: the share that is copied each time.
    """

    def __init__(
        self, name: str, online: Any, target: Any, *, interval: int | None = None, rate: float | None = None
    ) -> None:
        self.name, self.interval, self.rate = name, interval, rate
        self._online, self._target = _list_weights(online), _list_weights(target)
        self.shared = _shared(self._online, self._target)
        self._distances: list[float] = []
        self._moved: list[float] = []
        self._online_moved: list[float] = []
        self._last: tuple[Any, Any] | None = None
        self._updates = 0

    @property
    def comparable(self) -> bool:
        """Whether the two have the same shapes."""
        return [each.shape for each in self._online] == [each.shape for each in self._target]

    def look(self, updates: int = 1) -> None:
        """Compares the two after some more gradient steps; the first look only remembers."""
        online, target = sample_elements(self._online), sample_elements(self._target)
        if self._last is not None:
            size = torch.linalg.vector_norm(online).clamp_min(1e-12)
            parts = {
                "distance": torch.linalg.vector_norm(online - target) / size,
                "moved": torch.linalg.vector_norm(target - self._last[1]) / size,
                "online": torch.linalg.vector_norm(online - self._last[0]) / size,
            }
            found = _read(parts)
            self._distances.append(found["distance"])
            self._moved.append(found["moved"])
            self._online_moved.append(found["online"])
            self._updates += updates
        self._last = online, target

    def seen(self) -> TargetNetwork | None:
        """What the looks showed, None before the second one."""
        if not self._distances:
            return None
        return TargetNetwork(
            name=self.name,
            distances=tuple(self._distances),
            moved=tuple(self._moved),
            online_moved=tuple(self._online_moved),
            shared=self.shared,
            interval=self.interval,
            rate=self.rate,
            updates=self._updates,
        )


def _list_weights(network: Any) -> list[Any]:
    if isinstance(network, nn.Module):
        found = list(network.parameters())
        return found or list(network.buffers())  # a copy that nothing may train can hold its weights as buffers
    return [each for each in network if torch.is_tensor(each)]


def _shared(online: list[Any], target: list[Any]) -> bool:
    places = {each.data_ptr() for each in online if each.numel()}
    return bool(places) and all(each.data_ptr() in places for each in target if each.numel())


def _thin_parameter(parameter: Any) -> Any:
    flat = take_local(parameter).reshape(-1)
    return flat[:: -(-flat.numel() // LARGEST) or 1]


def _read(numbers: dict[str, Any]) -> dict[str, float]:
    """Numbers of several devices, with one wait for all of a device."""
    if not numbers:
        return {}
    devices = {number.device for number in numbers.values()}
    found: dict[str, float] = {}
    for device in devices:
        names = [name for name, number in numbers.items() if number.device == device]
        found |= dict(zip(names, torch.stack([numbers[name].float() for name in names]).tolist(), strict=True))
    return found
