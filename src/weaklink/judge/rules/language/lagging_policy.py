from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WINDOW, AS_FAST = 5.0, 0.8
"""Steps over which, and how fast at least, versions must once have advanced to count steps: a counter of anything
slower (one version every second step or fewer) never does."""

LATE = 0.2
"""The last share of the steps, at which the lag is measured."""


@rule(
    "LLM321",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("step", "policy_version"),
    leads_to=("POL302", "POL303", "LLM307", "LLM310"),
)
def lagging_policy(samples: Samples, *, limit: float = 16.0) -> Answer:
    """Completions come from a policy that is many steps behind the one that learns from them.

    ## What it sees
    At the end of training the median completion was sampled by a version over 16 steps behind, and further behind than
    at the start. Versions must count training steps: somewhere in the rows they advance nearly as fast as the steps do.
    Where they never do, they count something else, such as pushes of weights every few steps, and the rule does not
    judge.

    ## Why it is bad
    The gradient is taken at completions that the present policy would not write. Importance ratios leave the clip
    range, most of the batch teaches nothing, and the rest pulls towards an old policy.

    ## What to do
    1. Check that the sampler gets new weights: log their version when they arrive, not when they are sent.
    2. Bound the queue between sampling and training, and drop what is older than a few steps.
    3. Give sampling more machines, or training fewer steps a batch.

    ## How to prove it
    Compare log-probabilities of twenty late completions under the sampler's and the trainer's weights: with equal
    weights they agree to rounding.

    ## When it is wrong
    Versions that count something else and once advanced as fast as the steps, such as after a restart from a later
    checkpoint. Methods that learn from old samples by design.

    ## References
    Fu et al., AReaL, 2025, which trains well at a staleness of up to eight steps; the limit is twice that.
    """
    rows = select_complete(samples, "step", "policy_version")
    steps, newest = _find_newest(rows)
    lag = rows["step"] - rows["policy_version"]
    if len(rows) < 2 * FEWEST_ROWS or len(steps) < 4:
        return CannotTell(("policy_version",), "too few rows or steps with a version")
    if lag.min() < 0 or not _counts_steps(steps, newest):
        return CannotTell(("policy_version",), "versions do not count training steps")
    place = (rows["step"] - steps[0]) / (steps[-1] - steps[0])
    first, last = float(np.median(lag[place <= LATE])), float(np.median(lag[place >= 1 - LATE]))
    if last <= limit or last < 1.5 * first:
        return None
    late = steps[np.array([np.median(lag[rows["step"] == step]) > limit for step in steps])]
    return Finding(
        message=f"Completions come from ever older versions of the policy: the median one is {last:,.0f} steps behind "
        f"at the end, {first:,.0f} at the start (limit {limit:g}).",
        onset=float(late[0]),
        confidence=HIGH if last > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="policy_version", value=last, limit=limit, step=float(late[0])),),
    )


def _find_newest(rows: Samples) -> tuple[Array, Array]:
    """The newest version up to each step."""
    steps, owner = np.unique(rows["step"], return_inverse=True)
    newest = np.full(len(steps), -np.inf)
    np.maximum.at(newest, owner, rows["policy_version"])
    return steps, np.maximum.accumulate(newest)


def _counts_steps(steps: Array, newest: Array) -> bool:
    """Whether versions advanced nearly as fast as the steps over any window, and never faster."""
    for start, step in enumerate(steps):
        end = int(np.searchsorted(steps, step + WINDOW))
        if end < len(steps) and AS_FAST <= (newest[end] - newest[start]) / (steps[end] - step) <= 1.0:
            return True
    return False
