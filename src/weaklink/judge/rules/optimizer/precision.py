from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import find_lasting_above, find_lasting_below, level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

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
    """Numbers exceed the range of their floating-point format.

    ## What it sees
    One of three signs after the first tenth of the run: the loss scale of mixed precision falls to a thousandth of its
    early level and below 1,024, and stays there; one optimizer step in twenty or more is skipped because of non-finite
    gradients; or the smallest log-probability of a taken action stays below -1,000.

    ## Why it is bad
    A loss scale that only falls means that gradients overflow again and again, and each overflow costs a step. An
    action with a log-probability of -1,000 cannot have been sampled: it was clipped, masked or computed with too little
    precision, and its ratio overflows at the next update. NaN usually follows.

    ## What to do
    1. Train in bfloat16 or float32; always compute log-probabilities, losses and softmax in float32.
    2. Clip gradients after unscaling them, and find the first layer whose gradient is not finite.
    3. For extreme log-probabilities: check masks and clipped actions, bound the log standard deviation, and
       clamp the argument of every logarithm.

    ## How to prove it
    Repeat the last hundred steps before the fall in float32 from a checkpoint: if the gradients stay finite, the
    precision was the cause.

    ## When it is wrong
    A dynamic loss scale starts high on purpose and falls during its first steps. Every few thousand steps it tries to
    double, which may skip a step. Summed log-probabilities of long texts reach -1,000 without harm, so language models
    are not judged by them.

    ## References
    Micikevicius et al., Mixed Precision Training, 2018.
    """
    known = {name: run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST}
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    found: Finding | None = None
    if METRICS[0] in known:
        found = _find_scale_collapse(known[METRICS[0]], collapse, small)
    if found is None and METRICS[1] in known:
        found = _find_skipped_steps(run, known[METRICS[1]], skipped)
    if found is None and METRICS[2] in known and run.family != "language":
        found = _find_impossible_actions(run, known[METRICS[2]], extreme)
    return found


def _find_scale_collapse(series: Series, collapse: float, small: float) -> Finding | None:
    """A loss scale that fell far below where it had settled."""
    warm = len(series) // 10
    start = level(series.values[warm : max(3 * len(series) // 10, warm + 1)])
    limit = min(start / collapse, small)
    held = find_lasting_below(series.values[warm:], limit)
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


def _find_skipped_steps(run: Run, series: Series, skipped: float) -> Finding | None:
    """Many skipped optimizer steps, counted since the start or per interval."""
    updates = run.get("optimizer.updates")
    done = series.steps if updates is None else np.interp(series.steps, updates.steps, updates.values)
    rising = bool(np.all(np.diff(series.values) >= 0)) and float(series.values[-1]) > 1
    counts = np.diff(series.values) if rising else series.values[1:]
    share = counts / np.maximum(np.diff(done), 1.0)
    warm = len(share) // 10
    held = find_lasting_above(share[warm:], skipped, window=0.3)
    if held is None:
        return None
    step = float(series.steps[1:][warm + held.start])
    return Finding(
        message=f"{min(held.level, 1.0):.0%} of the optimizer steps are skipped because of non-finite gradients from "
        f"step {step:,.0f} on.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=skipped, step=step),),
    )


def _find_impossible_actions(run: Run, series: Series, extreme: float) -> Finding | None:
    """Taken actions that the policy cannot have sampled."""
    warm = len(series) // 10
    held = find_lasting_below(series.values[warm:], extreme)
    if held is None:
        return None
    step = float(series.steps[warm + held.start])
    return Finding(
        message=f"The smallest log-probability of a taken action stays at {held.level:,.4g} from step {step:,.0f} on.",
        level=Level.INFO if has_improved(run) else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=extreme, step=step),),
    )
