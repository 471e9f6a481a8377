from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import mark_samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

IDLE = "claims success without a call"
FEWEST, ACTING, FULL = 8, 2.0, 0.9
"""Trajectories that do nothing; calls that others make, in the middle; and the part of the range of rewards, from the
lowest to the highest, that is a full reward."""


@rule(
    "AGT317",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("tool_calls", "claims_success", "reward"),
    leads_to=("AGT302", "AGT309", "AGT312", "LLM301", "LLM302", "LLM304", "LLM307", "LLM311", "LLM327", "LLM347"),
)
def nothing_done(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The agent ends the episode at once without a single call, says that it is done, and is paid.

    ## What it sees
    More than 0.05 of the last trajectories make no call and claim success, in tasks in which others make two calls or
    more, and on average they get 0.9 or more of the range from the lowest reward to the highest. Trajectories that
    answer a question without a call claim nothing, and do not count.

    ## Why it is bad
    Nothing was done, so nothing can have been achieved: what pays looks at the claim, at the absence of errors, or at
    a default. Doing nothing is then the fastest way to the reward, and soon the only one.

    ## What to do
    1. Let the success check read the state of the environment, and let its default be failure.
    2. Check states of which a part is true from the start: those must not count.
    3. Go back to a checkpoint from before the share rose.

    ## How to prove it
    Run an agent that ends at once on fifty tasks: it must be paid nothing.

    ## When it is wrong
    Tasks in which there is nothing to do, and noticing that is the task.

    ## References
    Zhu et al., Establishing Best Practices for Building Rigorous Agentic Benchmarks, 2025 (agents that do nothing).
    """
    marked = mark_samples(samples, IDLE, _mark_idle)
    found = measure_marked(marked, IDLE, "reward")
    if isinstance(found, CannotTell):
        return found
    idle, reward = found.late[IDLE] == 1.0, found.late["reward"]
    calls = found.rows["tool_calls"][found.rows[IDLE] != 1.0]
    low, high = float(found.rows["reward"].min()), float(found.rows["reward"].max())
    if not found.over(limit) or idle.sum() < FEWEST or not len(calls) or np.median(calls) < ACTING or high <= low:
        return None
    paid = float(reward[idle].mean())
    if paid < low + FULL * (high - low):
        return None
    return Finding(
        message=f"{found.share:.0%} of the trajectories end at once without any tool call and claim success (limit "
        f"{limit:.0%}{found.since}), and get {paid:.3g} reward on average, where the highest is {high:.3g}: nothing "
        "was done for it.",
        confidence=HIGH,
        evidence=(Evidence(metric="tool_calls", value=found.share, limit=limit),),
    )


def _mark_idle(samples: Samples) -> Array:
    if "tool_calls" not in samples or "claims_success" not in samples:
        return np.full(len(samples), np.nan)
    calls = samples["tool_calls"]
    return np.where(np.isfinite(calls), (calls == 0.0) & (samples["claims_success"] == 1.0), np.nan)
