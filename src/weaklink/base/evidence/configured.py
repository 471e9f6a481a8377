"""Hyper-parameters seen together with the environment that they are for."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.survey import Survey


def complete_config(survey: Survey) -> Config:
    """The hyper-parameters with what the survey knows and rules about them ask for; none where none were given."""
    given = survey.config
    if not given:
        return given
    stated = {*given.values, *(key.replace("/", ".").rpartition(".")[2].lower() for key in given.raw)}
    known = {name: value for name, value in _collect_known(survey).items() if value is not None and name not in stated}
    return Config({**given.values, **known}, given.raw, given.source)


def _collect_known(survey: Survey) -> dict[str, Any]:
    """Sizes of the spaces, and of the returns and rewards that were met."""
    action, observation = survey.action, survey.observation
    returns = [play.discounted(survey.gamma) for play in survey.baselines.values()]
    scale = max((float(np.abs(one[np.isfinite(one)]).max(initial=0.0)) for one in returns), default=0.0)
    rewards = survey.rewards[np.isfinite(survey.rewards)]
    return {
        "observation_size": observation.size if observation is not None and observation.size else None,
        "actions": action.choices[0] if action is not None and action.kind == "discrete" else None,
        "action_dimensions": action.size if action is not None and action.kind == "box" else None,
        "return_scale": scale or None,
        "reward_max": float(np.abs(rewards).max()) if len(rewards) else None,
        "max_episode_steps": survey.facts.get("max_episode_steps"),
    }
