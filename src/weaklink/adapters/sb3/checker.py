"""What the environment checker of Stable-Baselines3 says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium

from weaklink.adapters.gymnasium.environment import NO_COMPLAINT, GymnasiumEnvironment, make_complaint
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.survey import CheckerComplaint
from weaklink.base.outside.loading import collect_rarely

SOURCE = "Stable-Baselines3's checker"


class GoalFinder(gymnasium.Wrapper):  # type: ignore[misc]
    """Finds `compute_reward` further in, as SB3's own vectors do.

    The checker asks the outermost wrapper for it, and the wrappers of Gymnasium 1 hand nothing on.
    """

    def compute_reward(self, *given: Any) -> Any:
        """What the environment inside computes."""
        return self.env.get_wrapper_attr("compute_reward")(*given)


def list_complaints(environment: Environment) -> Iterator[CheckerComplaint]:
    """Its errors as warnings, since other trainers may well take what it refuses; its advice as worth knowing."""
    if not isinstance(environment, GymnasiumEnvironment):
        return
    with collect_rarely():
        from stable_baselines3.common.env_checker import check_env

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check_env(GoalFinder(environment.env), warn=True, skip_render_check=True)
        except Exception as error:
            if any(word in str(error) for word in NO_COMPLAINT):
                return
            yield make_complaint(SOURCE, "error", str(error) or type(error).__name__)
    for warning in caught:
        text = str(warning.message)
        if issubclass(warning.category, UserWarning) and not any(word in text for word in NO_COMPLAINT):
            yield make_complaint(SOURCE, "info", text)
