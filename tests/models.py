"""Checks of models to build evidence from: a plausible healthy one, and its parts."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.model import (
    ModelCheck,
    ModelModes,
    ModelUpdates,
    Normaliser,
    Parameter,
    RecurrentMemory,
    SavedCopy,
    Sensitivity,
)

LAYERS = (
    "features_extractor.net.0",
    "mlp_extractor.policy_net.0",
    "mlp_extractor.value_net.0",
    "action_net",
    "value_net",
)


def parameter(name: str, **given: Any) -> Parameter:
    fields: dict[str, Any] = {
        "size": 64,
        "gradient": 0.3,
        "in_optimizer": True,
        "changed": 0.01,
        "used": True,
    }
    return Parameter(name=name, **(fields | given))


def network(**differing: dict[str, Any]) -> tuple[Parameter, ...]:
    """The weights of an actor and a critic; `differing` gives fields of those whose name holds a word."""
    made = []
    for layer in LAYERS:
        for kind in ("weight", "bias"):
            name = f"{layer}.{kind}"
            given = {key: value for word, fields in differing.items() if word in name for key, value in fields.items()}
            made.append(parameter(name, **given))
    return tuple(made)


def sensitivity(**given: Any) -> Sensitivity:
    fields: dict[str, Any] = {
        "rows": 64,
        "labels": ("observation[0]", "observation[1]", "observation[2]"),
        "spread": (1.0, 0.5, 2.0),
        "policy": (0.01, 0.002, 0.03),
        "value": (0.2, 0.1, 0.4),
        "policy_overall": 0.02,
        "value_overall": 0.5,
        "policy_far": 0.3,
        "value_far": 2.0,
    }
    return Sensitivity(**(fields | given))


def normaliser(**given: Any) -> Normaliser:
    fields: dict[str, Any] = {
        "kind": "VecNormalize",
        "samples": 100_000.0,
        "training": True,
        "clip": 10.0,
        "mean_largest": 2.0,
        "variance_smallest": 0.1,
        "variance_largest": 9.0,
        "clipped": 0.001,
        "centre": 0.5,
        "scale": 1.4,
    }
    return Normaliser(**(fields | given))


def checked(**given: Any) -> ModelCheck:
    """A healthy PPO model."""
    fields: dict[str, Any] = {
        "algorithm": "PPO",
        "framework": "sb3",
        "steps": 0,
        "recurrent": False,
        "observations": "given",
        "parameters": network(),
        "gradients": 120,
        "sensitivity": sensitivity(),
        "normalisers": (),
        "updates": ModelUpdates(count=3, losses={"loss": 1.2, "value_loss": 3.0}, learning_rates=(3e-4,)),
        "saved": SavedCopy(policy_gap=0.0, value_gap=0.0),
        "modes": ModelModes(repeat_gap=0.0, training_gap=0.0),
    }
    return ModelCheck(**(fields | given))


def recurrent(**given: Any) -> ModelCheck:
    """A healthy recurrent model."""
    fields = {"influence": 0.8, "reset_gap": 0.0, "sequence_gap": 0.0} | given
    return checked(algorithm="RecurrentPPO", recurrent=True, memory=RecurrentMemory(**fields))


def changed(check: ModelCheck, **fields: Any) -> ModelCheck:
    """The check with some fields replaced."""
    return msgspec.structs.replace(check, **fields)
