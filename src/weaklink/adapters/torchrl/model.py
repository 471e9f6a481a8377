"""TorchRL actors, critics and losses, examined. Weights, optimizer and modes are put back as they were."""

from __future__ import annotations

import contextlib
import copy
import io
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn

from weaklink.adapters.answers import Asked, find_worst_gap, measure_gaps, measure_sensitivity, pick_rows
from weaklink.adapters.torch.watch import (
    ExaminationStages,
    KeptWeights,
    NetworkWatch,
    copy_deeply,
    find_two_modes,
    format_error,
    leave_undisturbed,
    list_differing,
)
from weaklink.adapters.torchrl.tensors import ActorInputs, ask_modules, examine_memory, find_normalisers, make_asker
from weaklink.adapters.torchrl.updates import make_updates
from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import GIVEN, SAMPLED, ModelCheck, ModelModes, SavedCopy
from weaklink.base.evidence.series import Array

FEW = 16


@dataclass(frozen=True)
class TorchRLModel:
    """What of a TorchRL training is at hand; only the actor is needed, each further part shows more.

    Attributes:
        actor: the policy, a TensorDictModule such as ProbabilisticActor or QValueActor.
        critic: the value network, such as ValueOperator.
        loss: the loss module that trains them, such as ClipPPOLoss or SACLoss.
        optimizer: one optimizer, or several.
        env: the environment, whose specs and normalising transforms are read; it is never stepped.
    """

    actor: Any
    critic: Any = None
    loss: Any = None
    optimizer: Any = None
    env: Any = None

    @property
    def optimizers(self) -> list[Any] | None:
        """Every optimizer; None where none was given."""
        if self.optimizer is None or hasattr(self.optimizer, "param_groups"):
            return None if self.optimizer is None else [self.optimizer]
        several = self.optimizer.values() if isinstance(self.optimizer, Mapping) else self.optimizer
        return list(several) if isinstance(several, Iterable) else None

    @property
    def modules(self) -> dict[str, nn.Module]:
        """The modules by their role."""
        named = {"actor": self.actor, "critic": self.critic, "loss": self.loss}
        return {name: module for name, module in named.items() if module is not None}


def bundle_parts(model: Any) -> TorchRLModel:
    """The parts of a model, from whatever way of naming them is accepted."""
    if isinstance(model, TorchRLModel):
        made = model
    elif isinstance(model, Mapping):
        known = {each.name for each in fields(TorchRLModel)}
        wrong = [str(key) for key in model if key not in known]
        if wrong or "actor" not in model:
            raise UsageError(
                f"A TorchRL model as a dict has the keys {', '.join(sorted(known))}, of which only actor is needed; "
                f"this one has {', '.join(map(str, model)) or 'none'}."
            )
        made = TorchRLModel(**model)
    elif isinstance(model, tuple | list):
        if len(model) > len(fields(TorchRLModel)):
            raise UsageError(
                f"A TorchRL model as a tuple is (actor, critic, loss, optimizer, env), not {len(model)} parts."
            )
        made = TorchRLModel(*model)
    else:
        made = TorchRLModel(model)
    if not hasattr(made.actor, "in_keys") or not isinstance(made.actor, nn.Module):
        raise UsageError(
            f"A TorchRL actor is a TensorDictModule with in_keys and out_keys, not {type(made.actor).__name__}. Wrap a "
            "plain network: TensorDictModule(network, in_keys=['observation'], out_keys=['action'])."
        )
    return made


def examined(
    model: Any, observations: Array | None = None, *, seed: int = 0, updates: int = 3, seconds: float = 20.0
) -> ModelCheck:
    """Looks at one model from all sides.

    Args:
        model: a `TorchRLModel`, a dict or a tuple of its parts in its order, or an actor alone.
        observations: flattened observations, a row each, as the actor's input has them; draws where they are missing.
        seed: of every random choice.
        updates: how many updates are made, and undone.
        seconds: after which no further part is begun.

    Returns:
        What was seen; a part that failed or that the bundle lacks is None, with the reason among `faults` or `notes`.
    """
    parts, stages = bundle_parts(model), ExaminationStages(seconds)
    with leave_undisturbed(seed), _put_back(parts):
        found = _Examination(parts, observations, updates, stages).parts()
    name = parts.loss if parts.loss is not None else parts.actor
    return ModelCheck(
        algorithm=type(name).__name__,
        framework="torchrl",
        notes=tuple(stages.notes),
        faults=tuple(stages.faults),
        seconds=stages.seconds,
        **found,
    )


@contextlib.contextmanager
def _put_back(parts: TorchRLModel) -> Iterator[None]:
    """Weights, buffers, gradients, modes, optimizers and what a loss keeps about itself come out as they went in."""
    tensors = {f"{name}.{key}": value for name, module in parts.modules.items() for key, value in _list_tensors(module)}
    kept = KeptWeights(tensors)
    modes = [(each, each.training) for module in parts.modules.values() for each in module.modules()]
    states = [(each, copy.deepcopy(each.state_dict())) for each in parts.optimizers or ()]
    about = {} if parts.loss is None else {key: (value, _copy_dict(value)) for key, value in vars(parts.loss).items()}
    try:
        yield
    finally:
        if parts.loss is not None:
            vars(parts.loss).clear()
            vars(parts.loss).update({key: value for key, (value, _) in about.items()})
            for value, held in about.values():
                if held is not None:
                    value.clear()
                    value.update(held)
        kept.restored()
        for each, mode in modes:
            each.training = mode
        for optimizer, state in states:
            optimizer.load_state_dict(state)


def _list_tensors(module: nn.Module) -> Iterator[tuple[str, Any]]:
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if torch.is_tensor(tensor) and not torch.nn.parameter.is_lazy(tensor):
            yield name, tensor


def _copy_dict(value: Any) -> dict[Any, Any] | None:
    """What a plain dict holds, to be put back into the very same dict: handles of hooks refer to it."""
    return dict(value) if type(value) in (dict, OrderedDict) else None


class _Examination:
    def __init__(
        self, parts: TorchRLModel, observations: Array | None, updates: int, stages: ExaminationStages
    ) -> None:
        self.model, self.updates, self.stages = parts, updates, stages
        width = None if observations is None else int(observations.shape[1])
        self.inputs = ActorInputs(parts.actor, parts.env, width)
        first = next(parts.actor.parameters(), None)
        self.device = torch.device("cpu") if first is None else first.device
        self.given = observations
        self.rows: Array = np.empty((0, 0))

    def parts(self) -> dict[str, Any]:
        """Every part by its name."""
        run, model = self.stages.run, self.model
        found: dict[str, Any] = {"recurrent": bool(self.inputs.states)}
        if model.env is not None:
            found["normalisers"] = run("normaliser", lambda: find_normalisers(model.env))
        else:
            self.stages.notes.append("no environment was given: its normalisers were not seen")
        if not self._shown(found):
            return found
        asked = make_asker(model.actor, model.critic, self.inputs, self.device)
        found["sensitivity"] = run("sensitivity", lambda: measure_sensitivity(asked, self.rows, self.inputs.columns))
        found["modes"] = run("modes", self._modes)
        if self.inputs.states:
            found["memory"] = run("memory", self._memory)
        found["saved"] = run("save and load", lambda: self._saved(asked))
        trained: dict[str, Any] = run("updates", self._updated) or {}
        return found | trained

    def _shown(self, found: dict[str, Any]) -> bool:
        if not self.inputs.known:
            self.stages.notes.append(f"the shapes of {list(self.inputs.shapes)} are not known: give the environment")
            return False
        self.rows, found["observations"] = np.empty((0, 0)), GIVEN
        if self.given is not None and self.given.shape[1] == self.inputs.size:
            self.rows = self.given[np.isfinite(self.given).all(axis=1)]
        elif self.given is not None:
            self.stages.notes.append(
                f"the given observations have {self.given.shape[1]} columns and the actor takes {self.inputs.size}"
            )
        if not len(self.rows):
            self.rows, found["observations"] = self.inputs.drawn(), SAMPLED
            self.stages.notes.append("no real observations were at hand: the model was shown random ones")
        return True

    def _modes(self) -> ModelModes:
        actor, critic = self.model.actor, self.model.critic
        batch = self.inputs.tensordict(pick_rows(self.rows, FEW), self.device)
        modules = [each for each in (actor, critic) if each is not None]
        for each in modules:
            each.eval()
        layers = {name: layer for each in modules for name, layer in find_two_modes(each).items()}
        active = tuple(name for name, layer in layers.items() if layer.training)
        first, second = (ask_modules(actor, critic, batch) for _ in range(2))
        for each in modules:
            each.train()
        return ModelModes(
            repeat_gap=find_worst_gap(first, second),
            training_gap=find_worst_gap(first, ask_modules(actor, critic, batch)),
            layers=tuple(layers),
            active=active,
        )

    def _memory(self) -> Any:
        found = examine_memory(self.model.actor, self.inputs, pick_rows(self.rows, FEW), self.device)
        if found is None:
            self.stages.notes.append("no is_init flag reaches the actor: where its state is reset was not seen")
        return found

    def _saved(self, asked: Asked) -> SavedCopy:
        """Weights saved, loaded into copies with spoilt weights, and compared."""
        rows, copies = pick_rows(self.rows, FEW), {}
        for name in ("actor", "critic"):
            module = getattr(self.model, name)
            if module is None:
                continue
            held = io.BytesIO()
            torch.save(module.state_dict(), held)
            held.seek(0)
            copies[name] = _spoil_weights(copy_deeply(module))
            try:
                copies[name].load_state_dict(torch.load(held, weights_only=True))
            except RuntimeError as error:
                return SavedCopy(error=format_error(error))
        before = asked(rows)
        after = make_asker(copies["actor"], copies.get("critic"), self.inputs, self.device)(rows)
        policy, value = measure_gaps(before, after)
        lost = [
            f"{name}.{key}"
            for name, module in copies.items()
            for key in list_differing(dict(_list_tensors(getattr(self.model, name))), dict(_list_tensors(module)))
        ]
        return SavedCopy(policy_gap=policy, value_gap=value, differing=tuple(lost))

    def _updated(self) -> dict[str, Any]:
        model = self.model
        if model.loss is None:
            self.stages.notes.append("no loss was given: gradients are those of log-probabilities and values instead")
        watched = {"": model.loss, "actor": model.actor} if model.loss is not None else model.modules
        for each in model.modules.values():
            each.train()
        watch = NetworkWatch(watched)
        try:
            made = make_updates(model, self.inputs, self.rows, self.device, self.updates)
        finally:
            watch.closed()
        parameters = watch.seen(model.optimizers, lambda name: "", calls=False)
        known = {"parameters": parameters, "gradients": watch.arrived if made.count else None}
        if model.optimizers is None:
            self.stages.notes.append("no optimizer was given: whether weights move was not seen")
            return known
        return known | {"updates": made}


def _spoil_weights(module: Any) -> Any:
    """A module with other weights, so that what a file does not hold shows."""
    with torch.no_grad():
        for _, tensor in _list_tensors(module):
            if tensor.is_floating_point():
                tensor.add_(torch.ones_like(tensor))
    return module
