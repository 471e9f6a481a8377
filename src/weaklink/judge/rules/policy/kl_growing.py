from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level, mann_kendall
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the last fifth lies this much above the middle one where the KL still grows
STILL_GROWING = 1.25

# growth is steady where Mann-Kendall's tau exceeds 0.6 and no two steps make up 60 % of it
TREND, ONE_JUMP = 0.6, 0.6


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
    """The policy drifts further from its data with every update.

    ## What it sees
    The KL between the policy that collected the data and the updated policy grows steadily, to at least four times its
    early level and above 0.02, and still grows in the second half, while the return does not improve. Without a logged
    return it must reach 0.1.

    ## Why it is bad
    Each update should start from data of the current policy, so the KL should stay level. A KL that only grows means
    that the data gets older: the same early experience is used again and again, or the collecting policy no longer
    receives the new weights.

    ## What to do
    1. Check that the buffer is emptied after each update and that every row is overwritten.
    2. Check that the collectors get the new weights: log a checksum of their weights next to the learner's.
    3. Tag every sample with the version of the policy that made it, and log the age of samples (`data.staleness`).
    4. If the data is fresh, the step is too large for a policy that has become more deterministic: lower the learning
       rate or stop at a target KL.

    ## How to prove it
    Before the first gradient step on a new batch, recompute its log-probabilities: the ratio must be 1 everywhere. If
    it is not, the data is old.

    ## When it is wrong
    A policy that becomes more deterministic as it learns moves further per step, so runs whose return improves are
    never reported. A jump to a new level is a spike, not growth. A learning-rate warm-up makes the KL grow for a while.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; Schulman et al., Proximal Policy Optimization, 2017.
    """
    kl = run["policy.kl"]
    if len(kl) < FEWEST:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST} points")
    performance = run.performance
    if performance is not None and not performance.stuck:
        return None
    values, count = kl.values, len(kl)
    start, middle, end = (
        level(part) for part in (values[: count // 5], values[2 * count // 5 : 3 * count // 5], values[-count // 5 :])
    )
    limit = max(floor if performance is not None else alone, factor * max(start, 0.0))
    if end < limit or end < STILL_GROWING * middle or not _is_steady(values):
        return None
    step = float(kl.steps[_find_onset(values, max(2 * start, floor / 4))])
    outcome = "and the return does not improve" if performance is not None else "and no return is logged"
    return Finding(
        message=f"The KL grows steadily from {start:.3g} to {end:.3g}, clearly from step {step:,.0f} on, {outcome}.",
        onset=step,
        onset_within=kl.interval,
        confidence=MEDIUM if performance is not None else LOW,
        evidence=(Evidence(metric=kl.name, value=end, limit=limit, step=kl.last_step),),
    )


def _split(values: Array) -> list[Array]:
    return np.array_split(values, min(20, len(values) // 2))


def _is_steady(values: Array) -> bool:
    """Whether the growth on a log scale is spread over the run and not mostly one jump."""
    course = np.log(np.maximum([level(part) for part in _split(values)], 1e-4))
    jump = float((course[2:] - course[:-2]).max())
    return mann_kendall(course)[0] > TREND and jump < ONE_JUMP * float(course.max() - course[0])


def _find_onset(values: Array, limit: float) -> int:
    """The index from which on four in five parts of the curve lie above the limit."""
    parts = _split(values)
    above = np.array([level(part) > limit for part in parts])
    first = next((index for index in range(len(above)) if above[index] and above[index:].mean() >= 0.8), len(above) - 1)
    return sum(len(part) for part in parts[:first])
