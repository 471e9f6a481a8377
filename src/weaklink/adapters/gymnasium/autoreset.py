"""How a vector of Gymnasium resets a member whose episode has ended, and where the last observation is then."""

from __future__ import annotations

from typing import Any

NEXT_STEP = "next_step"
"""The next step resets and does nothing else: it is no step of an episode."""

DISABLED = "disabled"
"""Members are reset by whoever steps them, so that each step gives its own last observation."""

FINALS = ("final_obs", "final_observation", "terminal_observation")
"""The keys of `info` with the last observations of members that were reset in the same step."""


def read_autoreset(env: Any) -> str:
    """What the vector declares: `next_step`, `same_step`, `disabled`, or nothing."""
    mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
    value = getattr(mode, "name", mode)
    return "" if value is None else str(value).lower()
