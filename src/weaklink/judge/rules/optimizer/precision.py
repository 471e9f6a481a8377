from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import lasting_above, lasting_below, level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._registry import rule

METRICS = ("optimizer.loss_scale", "optimizer.skipped_steps", "policy.log_prob_min")


@rule(
    "OPT305",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Run,
    needs=(METRICS,),
    leads_to=("OPT300", "OPT301", "OPT302", "POL302", "REW301", "REW304"),
    symptoms={"nan": 3},
)
def precision(
    run: Run, *, collapse: float = 1000.0, small: float = 1024.0, skipped: float = 0.05, extreme: float = -1000.0
) -> Answer:
    """Numbers leave the range that their precision can hold.

    ## What it sees
    One of three signs, once the first tenth of the run is over: the loss scale of mixed precision falls to a
    thousandth of its early level and below 1,024, up to the end; one optimizer step in twenty or more is skipped for
    non-finite gradients; or the smallest log-probability of a taken action stays below -1,000.

    ## Why it is bad
    A loss scale that only falls says that gradients overflow again and again, each time at the price of a step. An
    action with a log-probability of -1,000 could not have been drawn: it was cut, masked or computed in too few bits,
    and its ratio overflows at the next update. NaN usually comes next.

    ## What to do
    1. Train in bfloat16 or float32; compute log-probabilities, losses and softmax in float32 in any case.
    2. Clip gradients after unscaling them, and find the first layer whose gradient is not finite.
    3. For extreme log-probabilities: check masks and clipped actions, bound the log of the standard deviation, and
       clamp the argument of every logarithm.

    ## How to prove it
    Repeat the last hundred steps before the fall in float32 from a checkpoint: if the gradients stay finite, it was
    the precision.

    ## When it is wrong
    A dynamic loss scale starts high on purpose and falls during its first steps; and it tries to double every few
    thousand steps, which skips one. Summed log-probabilities of long texts reach -1,000 without harm, so those of
    language models are not judged.

    ## References
    Micikevicius et al., Mixed Precision Training, 2018.
    """
    known = {name: run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST}
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    found: Finding | None = None
    if METRICS[0] in known:
        found = _collapsed(known[METRICS[0]], collapse, small)
    if found is None and METRICS[1] in known:
        found = _skipping(run, known[METRICS[1]], skipped)
    if found is None and METRICS[2] in known and run.family != "language":
        found = _improbable(run, known[METRICS[2]], extreme)
    return found


def _collapsed(series: Series, collapse: float, small: float) -> Finding | None:
    """A loss scale that fell far below where it had settled."""
    warm = len(series) // 10
    start = level(series.values[warm : max(3 * len(series) // 10, warm + 1)])
    limit = min(start / collapse, small)
    held = lasting_below(series.values[warm:], limit)
    if held is None or not held.to_end:
        return None
    step = float(series.steps[warm + held.start])
    return Finding(
        message=f"The loss scale falls from {start:,.0f} to {held.level:,.3g} and stays there from step {step:,.0f} "
        "on.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _skipping(run: Run, series: Series, skipped: float) -> Finding | None:
    """Many optimizer steps skipped, in a count since the start or in one per interval."""
    updates = run.get("optimizer.updates")
    done = series.steps if updates is None else np.interp(series.steps, updates.steps, updates.values)
    rising = bool(np.all(np.diff(series.values) >= 0)) and float(series.values[-1]) > 1
    counts = np.diff(series.values) if rising else series.values[1:]
    share = counts / np.maximum(np.diff(done), 1.0)
    warm = len(share) // 10
    held = lasting_above(share[warm:], skipped, window=0.3)
    if held is None:
        return None
    step = float(series.steps[1:][warm + held.start])
    return Finding(
        message=f"{min(held.level, 1.0):.0%} of the optimizer's steps are skipped for non-finite gradients from "
        f"step {step:,.0f} on.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=skipped, step=step),),
    )


def _improbable(run: Run, series: Series, extreme: float) -> Finding | None:
    """Actions taken that the policy could not have drawn."""
    warm = len(series) // 10
    held = lasting_below(series.values[warm:], extreme)
    if held is None:
        return None
    step = float(series.steps[warm + held.start])
    improved = run.performance is not None and run.performance.improved
    return Finding(
        message=f"The smallest log-probability of a taken action holds at {held.level:,.4g} from step {step:,.0f} on.",
        level=Level.INFO if improved else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=extreme, step=step),),
    )
