"""Whether a run is far enough to be judged: an early run cannot be called flat."""

from __future__ import annotations

import re

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series

# where the budget is not known: most tasks with vector observations show some progress by then
ENV_STEPS = 150_000

# times as many steps from pixels: Atari agents play at random level for a million steps and more
ON_PIXELS = 10

# for logs that count updates
UPDATES = 200

# the last rollout may exceed the budget; a run far beyond it had a different budget
OVERSHOOT = 1.2

_ATARI = re.compile(r"^ALE/|NoFrameskip|-ram-v|^(?:Pong|Breakout|Qbert|Seaquest|Enduro|SpaceInvaders|BeamRider)-v")


def has_come_far_enough(
    run: Run, series: Series, budget: float, env_steps: float = ENV_STEPS, updates: float = UPDATES
) -> bool:
    """Whether a run has used this share of its budget or, where the budget is not known, enough steps."""
    total = run.config.number("total_steps")
    if total and series.last_step <= OVERSHOOT * total and series.provenance.axis != "updates":
        return series.last_step >= budget * total
    if series.provenance.axis != "env_steps":
        return series.last_step >= updates
    environment = str(run.config.values.get("environment", ""))
    return series.last_step >= env_steps * (ON_PIXELS if _ATARI.search(environment) else 1)
