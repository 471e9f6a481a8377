"""Stable-Baselines3 and sb3-contrib models, examined: on a copy, and without a step of the user's environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm

from weaklink.adapters.answers import (
    Asked,
    ModelAnswers,
    find_worst_gap,
    measure_gap,
    measure_gaps,
    measure_sensitivity,
    pick_rows,
)
from weaklink.adapters.described import describe_space
from weaklink.adapters.sb3.observations import find_normalisers, pick_observations
from weaklink.adapters.sb3.policy import ask_policy, examine_memory, is_recurrent, make_asker, make_batch
from weaklink.adapters.sb3.stand_in import StandInEnvironment, copy_model, find_optimizers, prepare_copy, update_copy
from weaklink.adapters.torch.watch import (
    ExaminationStages,
    KeptWeights,
    NetworkWatch,
    find_two_modes,
    format_error,
    leave_undisturbed,
    list_differing,
)
from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import ModelCheck, ModelModes, ModelUpdates, Parameter, SavedCopy
from weaklink.base.evidence.series import Array
from weaklink.base.outside.ownership import ScratchFolder

FEW = 16
SMALL_BUFFER = 64


def examined(
    model: Any, observations: Array | None = None, *, seed: int = 0, updates: int = 3, seconds: float = 20.0
) -> ModelCheck:
    """Looks at one model from all sides.

    Args:
        model: a Stable-Baselines3 or sb3-contrib model. It comes out as it went in: everything happens on a copy.
        observations: flattened observations, a row each, as the innermost environment gives them, in the order of the
            space's columns; without them those of the model's buffers are taken, or draws from its space.
        seed: of every random choice.
        updates: how many updates the copy makes.
        seconds: after which no further part is begun.

    Returns:
        What was seen; a part that failed is None, with the reason among `faults` or `notes`.
    """
    if not isinstance(model, BaseAlgorithm):
        raise UsageError(
            f"A Stable-Baselines3 model is wanted (`PPO(...)`, `SAC.load(...)`), not {type(model).__name__}."
        )
    stages = ExaminationStages(seconds)
    with leave_undisturbed(seed):
        kept = KeptWeights(_collect_tensors(model))
        try:
            found = _Examination(model, observations, seed, updates, stages).parts()
        finally:
            touched = kept.restored()
    if touched:
        stages.notes.append("the copy shares weights with the model (a closure?): gradients and updates are not judged")
        found |= {"parameters": None, "gradients": None, "updates": None}
    return ModelCheck(
        algorithm=type(model).__name__,
        framework="sb3",
        steps=int(model.num_timesteps),
        recurrent=is_recurrent(model.policy),
        notes=tuple(stages.notes),
        faults=tuple(stages.faults),
        seconds=stages.seconds,
        **found,
    )


def _collect_tensors(model: Any) -> dict[str, Any]:
    """Every weight and buffer of the policy, and those beside it."""
    return dict(model.policy.state_dict(keep_vars=True)) | _find_loose_weights(model)


def _find_loose_weights(model: Any) -> dict[str, Any]:
    """Weights that belong to no network: the logarithm of SAC's entropy coefficient."""
    return {name: value for name, value in vars(model).items() if getattr(value, "requires_grad", False) is True}


class _Examination:
    """The parts of a check, one after the other; training comes last because it changes the copy."""

    def __init__(
        self, model: Any, observations: Array | None, seed: int, updates: int, stages: ExaminationStages
    ) -> None:
        self.model, self.seed, self.updates, self.stages = model, seed, updates, stages
        self.space = describe_space(model.observation_space)
        self.shown = pick_observations(model, observations, seed, stages.notes)

    def parts(self) -> dict[str, Any]:
        """Every part by its name."""
        run = self.stages.run
        found: dict[str, Any] = {"observations": self.shown.source}
        found["normalisers"] = run("normaliser", lambda: find_normalisers(self.model, self.shown))
        if any(each.kind == "VecNormalize" for each in found["normalisers"] or ()):
            self.stages.notes.append("model.save does not keep VecNormalize's statistics: save them beside the model")
        twin = run("copy", self._twin)
        if twin is None:
            return found
        asked = make_asker(twin.policy, self.space)
        columns = self.space.columns
        found["sensitivity"] = run("sensitivity", lambda: measure_sensitivity(asked, self.shown.rows, columns))
        found["modes"] = run("modes", lambda: self._modes(twin))
        if is_recurrent(twin.policy):
            found["memory"] = run("memory", lambda: examine_memory(twin, self._batch(FEW), self.seed))
        found["saved"] = run("save and load", lambda: self._saved(twin, asked))
        trained = run("updates", lambda: self._updated(twin))
        return found | (trained or {})

    def _batch(self, count: int) -> Any:
        return make_batch(self.space, pick_rows(self.shown.rows, count))

    def _twin(self) -> Any:
        try:
            twin = copy_model(self.model)
        except Exception as error:
            self.stages.notes.append(f"copied by saving and loading, because a plain copy raised {format_error(error)}")
            with ScratchFolder() as folder:
                self.model.save(folder.path / "model.zip")
                twin = self._loaded(folder.path / "model.zip")
        lost = list_differing(self.model.policy.state_dict(), twin.policy.state_dict())
        if lost:
            self.stages.notes.append(f"the copy that was examined differs from the model in {', '.join(lost[:3])}")
        return twin

    def _loaded(self, file: Path) -> Any:
        model = self.model
        env = StandInEnvironment(self._batch(FEW), model.observation_space, model.action_space, 1, self.seed)
        more = {"buffer_size": SMALL_BUFFER} if hasattr(model, "buffer_size") else {}
        return type(model).load(file, env=env, device=model.device, **more)

    def _saved(self, twin: Any, asked: Asked) -> SavedCopy:
        rows = pick_rows(self.shown.rows, FEW)
        with ScratchFolder() as folder:
            try:
                twin.save(folder.path / "model.zip")
                loaded = self._loaded(folder.path / "model.zip")
            except Exception as error:
                return SavedCopy(error=format_error(error))
        policy, value = measure_gaps(asked(rows), make_asker(loaded.policy, self.space)(rows))
        before = twin.policy.state_dict() | _find_loose_weights(twin)
        after = loaded.policy.state_dict() | _find_loose_weights(loaded)
        return SavedCopy(policy_gap=policy, value_gap=value, differing=list_differing(before, after))

    def _modes(self, twin: Any) -> ModelModes:
        policy, batch = twin.policy, self._batch(FEW)
        first, second = (twin.predict(batch, deterministic=True)[0] for _ in range(2))
        layers = {name: layer for name, layer in find_two_modes(policy).items() if "target" not in name}
        active = tuple(name for name, layer in layers.items() if layer.training)
        again: list[ModelAnswers] = [ask_policy(policy, batch) for _ in range(2)]
        repeat = max(measure_gap(np.asarray(first, float), np.asarray(second, float)), find_worst_gap(*again))
        return ModelModes(
            repeat_gap=repeat,
            training_gap=_measure_training_gap(policy, batch),
            layers=tuple(layers),
            active=active,
        )

    def _updated(self, twin: Any) -> dict[str, Any] | None:
        if not hasattr(twin, "train"):
            self.stages.notes.append(f"{type(twin).__name__} makes no gradient updates that could be watched")
            return None
        prepare_copy(twin, self.model, make_batch(self.space, self.shown.rows), self.seed)
        watch = NetworkWatch({"": twin.policy}, _find_loose_weights(twin))
        try:
            made: ModelUpdates = update_copy(twin, self.updates, lambda: self.stages.late)
        finally:
            watch.closed()
        if not made.count and not made.error:
            self.stages.notes.append("updates: the time was up before the first one")
            return None
        parameters: tuple[Parameter, ...] = watch.seen(find_optimizers(twin), _make_excuse(twin))
        return {"updates": made, "parameters": parameters, "gradients": watch.arrived if made.count else None}


def _measure_training_gap(policy: Any, batch: Any) -> float:
    """The outputs of the two modes apart; running statistics that training mode moves are put back."""
    kept = {name: value.clone() for name, value in policy.state_dict().items()}
    policy.set_training_mode(False)
    calm = ask_policy(policy, batch)
    policy.set_training_mode(True)
    training = ask_policy(policy, batch)
    policy.set_training_mode(False)
    policy.load_state_dict(kept)
    return find_worst_gap(calm, training)


def _make_excuse(model: Any) -> Callable[[str], str]:
    # TRPO has a weight of zero too, and trains its critic apart
    unvalued = getattr(model, "vf_coef", 1.0) == 0.0 and "TRPO" not in type(model).__name__

    def excused(name: str) -> str:
        return "vf_coef is 0" if unvalued and any(word in name for word in ("value", "vf", "critic")) else ""

    return excused
