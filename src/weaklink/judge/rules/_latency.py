"""When a changed action first shows, judged alike for actions that act late and observations that come late."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionLatency
from weaklink.base.evidence.survey import Survey

FEWEST_STATES = 5  # half of those tried; in a few states alone any action may do nothing for a while, as at a wall


def find_delay(survey: Survey, longest: float) -> ActionLatency | None:
    """The latency where an action shows in several states and in none of them within so many steps."""
    latency = survey.latency
    if latency is None or np.count_nonzero(np.isfinite(latency.seen)) < FEWEST_STATES:
        return None
    return latency if latency.first_seen > longest else None


def is_view_late(latency: ActionLatency) -> bool:
    """Whether rewards know of an action before observations do: then it acted, and the view is late."""
    return latency.first_paid < latency.first_seen
