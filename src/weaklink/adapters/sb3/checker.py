"""What the environment checker of Stable-Baselines3 says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from weaklink.adapters.gymnasium.environment import NO_COMPLAINT, GymnasiumEnvironment, make_complaint
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.survey import CheckerComplaint

SOURCE = "Stable-Baselines3's checker"


def list_complaints(environment: Environment) -> Iterator[CheckerComplaint]:
    """Its errors as warnings, since other trainers may well take what it refuses; its advice as worth knowing."""
    if not isinstance(environment, GymnasiumEnvironment):
        return
    from stable_baselines3.common.env_checker import check_env

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check_env(environment.env, warn=True, skip_render_check=True)
        except Exception as error:
            if any(word in str(error) for word in NO_COMPLAINT):
                return
            yield make_complaint(SOURCE, "error", str(error) or type(error).__name__)
    for warning in caught:
        text = str(warning.message)
        if issubclass(warning.category, UserWarning) and not any(word in text for word in NO_COMPLAINT):
            yield make_complaint(SOURCE, "info", text)
