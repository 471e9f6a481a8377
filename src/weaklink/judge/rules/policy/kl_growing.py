from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level, mann_kendall
from weaklink.judge.rules._registry import rule


@rule(
    "POL305",
    link=Link.POLICY,
    level=Level.WARN,
    on=Run,
    needs=("policy.kl",),
    leads_to=("POL301", "POL303", "POL307", "EXP301", "EXP302", "EXP304", "VAL301", "REW303", "REW304"),
    checks={"size of the updates": "decides"},
)
def kl_growing(run: Run, *, factor: float = 4.0, floor: float = 0.02, alone: float = 0.1) -> Answer:
    """The policy drifts further from its own data with every update.

    ## What it sees
    The KL from the policy that collected to the policy that learnt grows steadily, to at least four times its early
    level and above 0.02, and still grows in the second half, while the return does not improve. Without a logged
    return it must reach 0.1.

    ## Why it is bad
    Each update should start from data of the current policy, so its KL should stay where it is. A KL that only grows
    says that the data grows older: the same early experience comes back again and again, or the collecting policy no
    longer receives the new weights.

    ## What to do
    1. Check that the buffer is emptied after each update and that each row is written anew.
    2. Check that the collectors get the new weights: log a checksum of their weights beside the learner's.
    3. Tag every sample with the version of the policy that made it, and log the age of samples (`data.staleness`).
    4. If the data is fresh, the step is too large for a policy grown sharp: lower the learning rate or stop at a
       target KL.

    ## How to prove it
    Before the first gradient step on a new batch, recompute its log-probabilities: the ratio must be 1 everywhere. If
    it is not, the data is old.

    ## When it is wrong
    A policy that sharpens as it learns moves further per step, so a run whose return improves is never blamed. A jump
    to a new level is a spike and no growth. A learning rate that still warms up makes the KL grow for a while.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; Schulman et al., Proximal Policy Optimization, 2017.
    """
    kl = run["policy.kl"]
    if len(kl) < 10:
        return CannotTell(("policy.kl",), "fewer than 10 points")
    performance = run.performance
    if performance is not None and not performance.stuck:
        return None
    values, count = kl.values, len(kl)
    start, middle, end = (
        level(part) for part in (values[: count // 5], values[2 * count // 5 : 3 * count // 5], values[-count // 5 :])
    )
    limit = max(floor if performance is not None else alone, factor * max(start, 0.0))
    if end < limit or end < 1.25 * middle or not _steady(values):
        return None
    step = float(kl.steps[_onset(values, max(2 * start, floor / 4))])
    told = "and the return does not improve" if performance is not None else "and no return is logged beside it"
    return Finding(
        message=f"The KL grows steadily from {start:.3g} to {end:.3g}, clearly from step {step:,.0f} on, {told}.",
        onset=step,
        onset_within=kl.interval,
        confidence=MEDIUM if performance is not None else LOW,
        evidence=(Evidence(metric=kl.name, value=end, limit=limit, step=kl.last_step),),
    )


def _parts(values: Array) -> list[Array]:
    return np.array_split(values, min(20, len(values) // 2))


def _steady(values: Array) -> bool:
    """Whether the growth, in factors, is spread over the run, as opposed to one jump that makes up most of it."""
    course = np.log(np.maximum([level(part) for part in _parts(values)], 1e-4))
    jump = float((course[2:] - course[:-2]).max())
    return mann_kendall(course)[0] > 0.6 and jump < 0.6 * float(course.max() - course[0])


def _onset(values: Array, limit: float) -> int:
    """The index from which most parts of the curve lie above the limit."""
    parts = _parts(values)
    above = np.array([level(part) > limit for part in parts])
    first = next((index for index in range(len(above)) if above[index] and above[index:].mean() >= 0.8), len(above) - 1)
    return sum(len(part) for part in parts[:first])
