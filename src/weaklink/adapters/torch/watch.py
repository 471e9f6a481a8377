"""Torch modules watched from outside: their gradients, calls, modes and state, and everything put back afterwards."""

from __future__ import annotations

import contextlib
import copy
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import torch
from torch import nn

from weaklink.adapters.torch.generators import keep_draws
from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.survey import SurveyFault

Result = TypeVar("Result")

TARGETS = "target"
"""What every library calls the slow copy of a network that no gradient may reach."""

TWO_MODES = ("Dropout", "BatchNorm", "BatchRenorm", "InstanceNorm", "AlphaDropout")
"""Parts of class names whose modules act differently in training and in evaluation."""


@contextlib.contextmanager
def leave_undisturbed(seed: int) -> Iterator[None]:
    """Seeds all draws inside; the caller's generators and torch's settings come out as they went in. No warnings."""
    cudnn = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    try:
        with keep_draws(seed), torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = cudnn


@contextlib.contextmanager
def _allow_copying_results() -> Iterator[None]:
    """Lets deepcopy pass tensors that were computed, detached: a policy keeps its last distribution."""
    strict = torch.Tensor.__deepcopy__

    def lenient(tensor: Any, memo: dict[int, Any]) -> Any:
        if tensor.is_leaf:
            return strict(tensor, memo)
        memo[id(tensor)] = tensor.detach().clone()
        return memo[id(tensor)]

    torch.Tensor.__deepcopy__ = lenient
    try:
        yield
    finally:
        torch.Tensor.__deepcopy__ = strict


def copy_deeply(thing: Result, *shared: Any) -> Result:
    """A deep copy; the things in `shared` (an environment, say) are not copied but referred to."""
    with _allow_copying_results():
        return copy.deepcopy(thing, {id(each): each for each in shared})


class KeptWeights:
    """The weights, buffers and gradients of the user's own modules, to see that nothing touched them."""

    def __init__(self, tensors: Mapping[str, Any]) -> None:
        self._tensors = dict(tensors)
        self._values = {name: tensor.detach().clone() for name, tensor in self._tensors.items()}
        self._norms = {name: _clone_tensor(tensor.grad) for name, tensor in self._tensors.items() if tensor.is_leaf}

    def restored(self) -> tuple[str, ...]:
        """Puts back what changed and names it."""
        changed = []
        with torch.no_grad():
            for name, tensor in self._tensors.items():
                if not _same(tensor, self._values[name]):
                    tensor.copy_(self._values[name])
                    changed.append(name)
                before = self._norms.get(name)
                if name in self._norms and not _same(tensor.grad, before):
                    tensor.grad = before
                    changed.append(name)
        return tuple(changed)


def _clone_tensor(tensor: Any) -> Any:
    return None if tensor is None else tensor.detach().clone()


def _same(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    if first.shape != second.shape:
        return False
    one, other = first.detach(), second.detach().to(first.device)
    return bool(((one == other) | ((one != one) & (other != other))).all())


class NetworkWatch:
    """Hooks on every parameter and module of some networks, while they are trained."""

    def __init__(self, modules: Mapping[str, nn.Module], loose: Mapping[str, Any] | None = None) -> None:
        self.parameters: dict[str, Any] = dict(loose or {})
        self._owners: dict[int, nn.Module] = {}
        named = [(prefix, module) for prefix, module in modules.items() if isinstance(module, nn.Module)]
        for prefix, module in named:
            for name, owner in module.named_modules():
                for short, parameter in owner.named_parameters(recurse=False):
                    self._owners.setdefault(id(parameter), owner)
                    self.parameters.setdefault(".".join(filter(None, (prefix, name, short))), parameter)
        self.parameters = _drop_shared(self.parameters)
        self._before = {name: parameter.detach().clone() for name, parameter in self.parameters.items()}
        self._norms: dict[str, float] = {}
        self._called: set[int] = set()
        self._handles: list[Any] = []
        self.arrived = 0
        self._hooked(named)

    def _hooked(self, named: list[tuple[str, nn.Module]]) -> None:
        for name, parameter in self.parameters.items():
            if parameter.requires_grad:
                self._handles.append(parameter.register_hook(self._arrival(name)))
        for _, module in named:
            for inner in module.modules():
                self._handles.append(inner.register_forward_hook(self._call))

    def _arrival(self, name: str) -> Callable[[Any], None]:
        def arrive(gradient: Any) -> None:
            norm = float(gradient.detach().norm())
            before = self._norms.get(name, 0.0)
            self._norms[name] = norm if norm != norm else max(norm, before)
            self.arrived += 1

        return arrive

    def _call(self, module: nn.Module, *_: Any) -> None:
        if torch.is_grad_enabled():
            self._called.add(id(module))

    def closed(self) -> None:
        """Takes every hook away."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def seen(
        self, optimizers: list[Any] | None, excused: Callable[[str], str], *, calls: bool = True
    ) -> tuple[Parameter, ...]:
        """What became of each parameter."""
        held = {id(each) for one in optimizers or () for group in one.param_groups for each in group["params"]}
        return tuple(
            Parameter(
                name=name,
                size=int(parameter.numel()),
                trainable=bool(parameter.requires_grad),
                gradient=self._norms.get(name),
                in_optimizer=None if optimizers is None else id(parameter) in held,
                changed=None if optimizers is None else _measure_change(self._before[name], parameter.detach()),
                used=self._used(parameter) if calls else None,
                excused="target network" if TARGETS in name else excused(name),
            )
            for name, parameter in self.parameters.items()
        )

    def _used(self, parameter: Any) -> bool | None:
        owner = self._owners.get(id(parameter))
        if owner is None:
            return None
        if id(owner) not in self._called:
            return None if any(True for _ in owner.children()) else False
        return True


def _drop_shared(named: dict[str, Any]) -> dict[str, Any]:
    """Each tensor under its first name only: networks share modules."""
    first: dict[int, str] = {}
    for name, tensor in named.items():
        first.setdefault(id(tensor), name)
    return {name: named[name] for name in first.values()}


def _measure_change(before: Any, after: Any) -> float:
    moved = float((after - before).norm())
    size = max(float(before.norm()), 1e-3 * float(before.numel() ** 0.5))
    return moved / size


def find_two_modes(module: nn.Module) -> dict[str, nn.Module]:
    """The modules inside that act differently in training mode, by name."""
    return {
        name: inner
        for name, inner in module.named_modules()
        if any(part in ancestor.__name__ for ancestor in type(inner).__mro__ for part in TWO_MODES)
        and getattr(inner, "p", 1.0) != 0.0
    }


def list_differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of tensors in one mapping that are not the same in the other."""
    names = [name for name, value in first.items() if isinstance(value, torch.Tensor)]
    return tuple(name for name in names if name not in second or not _same(first[name], second[name]))


class ExaminationStages:
    """Runs one part of an examination after the other; what one raises is kept and the next goes on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._begun = time.monotonic()
        self.notes: list[str] = []
        self.faults: list[SurveyFault] = []

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self._end

    @property
    def seconds(self) -> float:
        """Time used so far."""
        return time.monotonic() - self._begun

    def run(self, stage: str, part: Callable[[], Result]) -> Result | None:
        """The result of a part, None where it raised or came too late."""
        if self.late:
            self.notes.append(f"{stage}: not examined, the time was up")
            return None
        try:
            return part()
        except Exception as error:  # whatever the user's code raises must not end the examination
            self.faults.append(
                SurveyFault(kind="raised", stage=stage, message=format_error(error), where=(find_place(error),)),
            )
            return None


def format_error(error: BaseException) -> str:
    """An exception in one line."""
    first = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def find_place(error: BaseException) -> str:
    """The innermost place that an exception came from."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
