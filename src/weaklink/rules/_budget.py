"""How far a run has come: what is early cannot be called flat."""

from __future__ import annotations

from weaklink.evidence.run import Run
from weaklink.evidence.series import Series

ENV_STEPS = 500_000
UPDATES = 200
OVERSHOOT = 1.2  # the last rollout may go beyond the budget; a run far beyond it had another one


def far_enough(run: Run, series: Series, budget: float, env_steps: float = ENV_STEPS, updates: float = UPDATES) -> bool:
    """Whether a run has used up this share of its budget or, where the budget is not known, a good many steps."""
    total = run.config.number("total_steps")
    if total and series.last_step <= OVERSHOOT * total and series.provenance.axis != "updates":
        return series.last_step >= budget * total
    return series.last_step >= (env_steps if series.provenance.axis == "env_steps" else updates)
