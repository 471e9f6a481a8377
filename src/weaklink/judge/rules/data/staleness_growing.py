from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import find_lasting_above, level
from weaklink.judge.rules._course import FEWEST, find_rise, has_improved
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the samples: so many clipped ones tell that the data are no longer those of the policy
CLIPPED = 0.2

# of the run: what lasts so long is how the training works and no queue that fills
HALF = 0.5

# of the rows that a lag must grow through, and the lag that it must reach
ROWS, FROZEN = 0.2, 8.0


@rule(
    "DAT301",
    link=Link.DATA,
    level=Level.WARN,
    on=Run,
    needs=("data.staleness",),
    leads_to=("DAT302", "POL301", "POL303", "POL305", "VAL301", "REW301", "REW303", "REW304", "LLM310"),
)
def staleness_growing(
    run: Run, *, factor: float = 3.0, least: float = 2.0, oldest: float = 16.0, apart: float = 0.1
) -> Answer:
    """Samples grow older and older before the learner uses them, or are old from the start.

    ## What it sees
    The number of learner steps between collecting a sample and learning from it rises above three times its early
    level and above 2, and stays there to the end. If the return improves all the same, this is only information, unless
    the share of clipped samples has doubled with it, to a fifth and more. Or, for learners without a replay buffer, it
    stays above 16 over half of the run while the KL to the policy that collected them stays above 0.1: an alarm
    whatever the return does. Or it grows by the same number in every row up to the end, over a fifth of the log and
    more: each update makes the data one older, so the policy that collects gets no weights any more.

    ## Why it is bad
    On-policy updates assume data from the current policy. The older the data, the more samples are clipped or
    down-weighted, and the less the update fits the current policy.

    ## What to do
    1. Bound the queue between actors and learner; when it is full, drop samples or wait.
    2. Balance the two sides: more or faster actors when the learner waits, fewer when samples pile up.
    3. Check that actors fetch new weights after each update, and that fetching does not fail silently.
    4. Correct the rest with importance weights (V-trace, truncated ratios).

    ## How to prove it
    Log the policy version with each sample. Then run with one actor that is synchronous with the learner: if the return
    recovers, the age of the data was the cause.

    ## When it is wrong
    Samples of a replay buffer grow older until it is full, so off-policy runs are judged only from then on, and only
    where the buffer size is logged. The initial filling of a pipeline is left out.

    ## References
    Espeholt et al., IMPALA, 2018; Jones, Debugging RL, Without the Agonizing Pain, 2021; Fu et al., AReaL, 2025 (which
    bounds the staleness by 8 and less).
    """
    series = run["data.staleness"]
    first = 0
    if run.family == "off-policy":
        full = _find_full_step(run)
        if full is None:
            return CannotTell(("data.buffer_size",), "samples of a replay buffer grow older until it is full")
        first = int(np.searchsorted(series.steps, full))
    values, steps = series.values[first:], series.steps[first:]
    if len(values) < FEWEST:
        return CannotTell(("data.staleness",), f"fewer than {FEWEST} points")
    frozen = None if run.family == "off-policy" else _find_frozen(series)
    if frozen is not None:
        return frozen
    old = None if run.family == "off-policy" else _find_old(run, series, oldest, apart)
    if old is not None:
        return old
    warm = len(values) // 10  # a pipeline fills first, so the early level is that of the second and third tenth
    start = level(values[warm : max(3 * len(values) // 10, warm + 2)])
    limit = max(factor * start, least)
    held = find_lasting_above(values, limit)
    if held is None or not held.to_end:
        return None
    step = float(steps[held.start])
    clipped = run.get("policy.clip_fraction")
    rise = None if clipped is None else find_rise(clipped, factor=2.0)
    harmful = rise is not None and rise.end >= CLIPPED
    told = f", while the share of clipped samples grows from {rise.start:.0%} to {rise.end:.0%}" if rise else ""
    return Finding(
        message=f"Samples are {held.level:.3g} learner steps old when they are used from step {step:,.0f} on, against "
        f"{start:.3g} early in the run{told}.",
        level=Level.INFO if has_improved(run) and not harmful else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _find_frozen(series: Series) -> Finding | None:
    """A lag that grows by the same number in every row up to the end: nothing new has reached the actors since."""
    growth = np.diff(series.values)
    other = np.flatnonzero(growth != growth[-1]) if len(growth) else growth
    start = int(other[-1]) + 1 if len(other) else 0
    rows = len(growth) - start
    if rows < max(FEWEST, ROWS * len(series)) or growth[-1] <= 0 or series.values[-1] < FROZEN:
        return None
    if series.values[-1] <= float(series.values[: start + 1].max()):
        return None  # it has been as old before, and weights came
    step, last = float(series.steps[start]), float(series.values[-1])
    return Finding(
        message=f"From step {step:,.0f} on samples grow older by {growth[-1]:g} with every row, to {last:,.0f} learner "
        "steps at the end: the policy that collects gets no new weights any more.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=last, limit=FROZEN, step=step),),
    )


def _find_old(run: Run, series: Series, oldest: float, apart: float) -> Finding | None:
    """Samples that are many updates old nearly throughout, of a policy that is far from the one that learns."""
    divergence = run.get("policy.kl")
    held = find_lasting_above(series.values, oldest, window=HALF)
    moved = None if divergence is None else find_lasting_above(divergence.values, apart, window=HALF)
    if held is None or divergence is None or moved is None:
        return None
    step = float(series.steps[held.start])
    return Finding(
        message=f"Samples are {held.level:.3g} learner steps old when they are used from step {step:,.0f} on (limit "
        f"{oldest:g}), and the policy that learns is {moved.level:.2g} nats away from the one that collected them.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=held.level, limit=oldest, step=step),
            Evidence(metric=divergence.name, value=moved.level, limit=apart, step=float(divergence.steps[moved.start])),
        ),
    )


def _find_full_step(run: Run) -> float | None:
    """The step from which the replay buffer no longer grows; None where that is not known or too late."""
    size = run.get("data.buffer_size")
    if size is None or len(size) < FEWEST:
        return None
    full = np.flatnonzero(size.values >= 0.999 * size.values.max())
    return float(size.steps[full[0]]) if full[0] < len(size) - 5 else None
