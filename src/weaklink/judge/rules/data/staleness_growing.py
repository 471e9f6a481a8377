from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.finding import MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import lasting_above, level
from weaklink.judge.rules._registry import rule


@rule(
    "DAT301",
    link=Link.DATA,
    level=Level.WARN,
    on=Run,
    needs=("data.staleness",),
    leads_to=("DAT302", "POL301", "POL303", "POL305", "VAL301", "REW301", "REW303", "REW304", "LLM310"),
)
def staleness_growing(run: Run, *, factor: float = 3.0, least: float = 2.0) -> Answer:
    """Samples are older and older when they are learnt from.

    ## What it sees
    The number of learner steps between collecting a sample and learning from it rises to over three times its early
    level and over 2, and stays there to the end. With a return that improves all the same it is only worth knowing.

    ## Why it is bad
    On-policy updates assume data of the current policy. The older the data, the more samples are clipped or weighted
    away, and the more the update answers a question that the policy no longer asks.

    ## What to do
    1. Bound the queue between actors and learner, and drop or wait instead of queueing.
    2. Balance the two sides: more or faster actors when the learner waits, fewer when samples pile up.
    3. Check that actors fetch the new weights after each update, and that nothing fails silently there.
    4. Correct for the rest with importance weights (V-trace, truncated ratios).

    ## How to prove it
    Log the policy's version with each sample. Then run with one actor in step with the learner: if the return recovers,
    it was the age of the data.

    ## When it is wrong
    Samples of a replay buffer grow older until it is full: off-policy runs are judged only from then on, and only
    where the buffer's size is logged. The first fill of a pipeline is left out.

    ## References
    Espeholt et al., IMPALA, 2018; Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = run["data.staleness"]
    first = 0
    if run.family == "off-policy":
        full = _full_from(run)
        if full is None:
            return CannotTell(("data.buffer_size",), "samples of a replay buffer age until it is full")
        first = int(np.searchsorted(series.steps, full))
    values, steps = series.values[first:], series.steps[first:]
    if len(values) < 10:
        return CannotTell(("data.staleness",), "fewer than 10 points")
    warm = len(values) // 10
    start = level(values[warm : max(3 * len(values) // 10, warm + 2)])
    limit = max(factor * start, least)
    held = lasting_above(values, limit)
    if held is None or not held.to_end:
        return None
    step = float(steps[held.start])
    improved = run.performance is not None and run.performance.improved
    return Finding(
        message=f"Samples are {held.level:.3g} learner steps old when learnt from, against {start:.3g} early on, "
        f"from step {step:,.0f} on.",
        level=Level.INFO if improved else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _full_from(run: Run) -> float | None:
    """The step from which the replay buffer no longer grows, or None."""
    size = run.get("data.buffer_size")
    if size is None or len(size) < 10:
        return None
    full = np.flatnonzero(size.values >= 0.999 * size.values.max())
    return float(size.steps[full[0]]) if full[0] < len(size) - 5 else None
