"""Which actions the environment itself calls valid, and how many random ones are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import ActionMasks
from weaklink.collect.survey.session import SurveySession

STATES = 300


def examine_masks(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Looks at the mask of each state on a random walk; nothing where there are none."""
    if environment.action.kind != "discrete":
        return {}
    first = environment.action.first[0]
    rows = sample_space(environment.action, STATES, session.rng)
    invalid, taken = [], []
    try:
        observation, info = environment.reset(session.plan.seed)
        for row, action in zip(rows, unflatten_rows(environment.action, rows), strict=True):
            source, mask = _mask(environment, observation, info)
            if mask is None or mask.size != environment.action.choices[0]:
                return {}
            invalid.append(1.0 - float(mask.mean()))
            taken.append(not bool(mask[int(row[0]) - first]))
            observation, _, terminated, truncated, info = environment.step(action)
            session.steps += 1
            session.tick()
            if terminated or truncated:
                observation, info = environment.reset(None)
            if session.over:
                break
    except Exception as error:
        session.blame(error, "step")
        return {}
    share = ActionMasks(
        source=source, invalid=float(np.mean(invalid)), invalid_taken=float(np.mean(taken)), states=len(invalid)
    )
    return {"masks": share}


def _mask(environment: Environment, observation: object, info: object) -> tuple[str, Any]:
    """The mask of the present state and where it came from: the info, the observation, or a method."""
    for source, place in (("info", info), ("observation", observation)):
        for key in ("action_mask", "action_masks", "legal_actions_mask"):
            if isinstance(place, Mapping) and key in place:
                return f"{source}['{key}']", np.asarray(place[key]).reshape(-1).astype(bool)
    method = getattr(environment.inner, "action_masks", None)
    if callable(method):
        return "action_masks()", np.asarray(method()).reshape(-1).astype(bool)
    return "", None
