from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_TASKS = 20, 5
"""Trajectories, and different tasks, in which nothing changes from a step on, and trajectories before it."""
ALIKE = 0.8
"""The share of the trajectories without a change whose calls are those of trajectories that changed something."""


@rule(
    "AGT322",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Samples,
    needs=("state_changed", "step", "path", "task"),
    leads_to=("AGT301", "AGT302", "AGT304", "AGT305", "LLM301", "LLM308", "LLM311", "LLM359", "REW301", "REW304"),
)
def frozen_state(samples: Samples, *, changed: float = 0.5) -> Answer:
    """From one step on no trajectory changes the state of the environment, though all make the calls that did before.

    ## What it sees
    Initial and final states. From some step to the end of the file they are equal in every trajectory, twenty of five
    tasks or more, while half of those before changed something; and four in five of them call the tools, in the order,
    by which trajectories before did change it.

    ## Why it is bad
    What the agent does has no effect, so every trajectory fails, right or wrong, and nothing can be learned from then
    on. A tool that answers `ok` hides it.

    ## What to do
    1. Make one of these calls by hand after that step, and read the state.
    2. Look for a backend that lost its disk or its connection, and for a tool that swallows the error and says `ok`.
    3. Compare what the tools answer before and after: an id that is empty, a count that is 0.

    ## How to prove it
    Replay a trajectory from before that step that reached its state: it must reach it again.

    ## When it is wrong
    Tasks that only read from one step on; and final states that are no longer logged and repeat the initial ones.

    ## References
    Reinforcement Learning Training Debug Guide, on environments that fail silently.
    """
    rows = select_complete(samples, "state_changed", "step", "path", "task")
    did: Flags = rows["state_changed"] == 1.0
    if did.sum() < FEWEST:
        return CannotTell(("final_state",), f"fewer than {FEWEST} trajectories change their state")
    last = float(rows["step"][did].max())
    after, before = rows["step"] > last, rows["step"] <= last
    share = float(did[before].mean())
    tasks = len(np.unique(rows.codes["task"][after]))
    if after.sum() < FEWEST or tasks < FEWEST_TASKS or share < changed:
        return None
    usual = float(np.isin(rows.codes["path"][after], rows.codes["path"][did]).mean())
    if usual < ALIKE:
        return None
    return Finding(
        message=f"From step {float(rows['step'][after].min()):,.0f} on tools have no effect: none of "
        f"{int(after.sum()):,} trajectories changes the state, though {usual:.0%} make the calls that changed it "
        f"before, when {share:.0%} did (limit {changed:.0%}): what they do is not stored.",
        confidence=HIGH,
        evidence=(Evidence(metric="state_changed", value=0.0, limit=share),),
    )
