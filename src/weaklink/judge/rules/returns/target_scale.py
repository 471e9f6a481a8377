from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import find_lasting_above, level
from weaklink.judge.rules._allowance import compute_largest_value
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("returns.target_mean", "returns.target_max", "returns.target_min")


@rule(
    "RET302",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Run,
    needs=(METRICS,),
    leads_to=("RET301", "VAL301", "VAL302", "VAL304", "VAL305", "OPT300", "OPT301", "REW303", "REW304"),
)
def target_scale(run: Run, *, usual: float = 10.0, growth: float = 20.0, margin: float = 3.0) -> Answer:
    """The value targets blow up, or lie outside the range that networks learn easily.

    ## What it sees
    Value targets grow to more than twenty times their early size, stay there to the end of the log, and exceed three
    times the largest return that the rewards allow. Without logged rewards they must also double late in the run.
    Targets that merely lie outside [-10, 10] are only information.

    ## Why it is bad
    Targets bootstrap from values, and values learn from targets. If sums are not cut at terminations, or gamma is too
    close to 1, both grow without limit. Targets that are large but steady only make the value loss, and with it the
    gradient of shared layers, large.

    ## What to do
    1. Check the discounting at episode ends: a termination must cut the sum.
    2. Check that gamma is below 1 and is applied once per step.
    3. Lower gamma, or bootstrap after more steps of real reward.
    4. If the targets are large but steady, scale rewards until returns lie within [-3, 3].

    ## How to prove it
    Train the same agent on a task that pays 1 per step and terminates after ten: values must settle at the finite sum.

    ## When it is wrong
    Returns of 69 on CartPole or -51 on Acrobot are healthy, so size alone never raises an alarm. While a policy
    improves, its returns and targets grow, up to what the rewards allow.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; van Hasselt et al., the deadly triad, 2018.
    """
    known = [run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST]
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    bound = compute_largest_value(run)
    for series in known:
        found = _find_blow_up(series, bound, usual, growth, margin)
        if found is not None:
            return found
    widest = max(known, key=lambda series: level(np.abs(series.values)))
    held = find_lasting_above(np.abs(widest.values), usual)
    if held is None:
        return None
    step = float(widest.steps[held.start])
    return Finding(
        message=f"Value targets stay at an absolute size of {held.level:,.4g} from step {step:,.0f} on; up to "
        f"{usual:g} is usual.",
        level=Level.INFO,
        onset=step,
        onset_within=widest.interval,
        confidence=LOW,
        evidence=(Evidence(metric=widest.name, value=held.level, limit=usual, step=step),),
    )


def _find_blow_up(series: Series, bound: float | None, usual: float, growth: float, margin: float) -> Finding | None:
    """Targets that outgrow their early size and every possible return."""
    size = np.abs(series.values)
    count = len(size)
    start, end = level(size[: max(count // 5, 1)]), level(size[-max(count // 10, 1) :])
    middle = level(size[count // 2 : max(2 * count // 3, count // 2 + 1)])
    # without rewards to compare with, a start near zero would make any healthy growth look huge
    limit = (
        max(usual, growth * start, margin * bound) if bound is not None else max(10 * usual, growth * max(start, 1.0))
    )
    held = find_lasting_above(size, limit, window=0.1)
    if held is None or end < limit or (bound is None and end < 2 * middle):
        return None
    step = float(series.steps[held.start])
    known = "no reward is logged to compare with" if bound is None else f"the rewards allow about {bound:,.3g}"
    return Finding(
        message=f"Value targets grow from an absolute size of {start:,.3g} to {end:,.4g}, past {limit:,.3g} at step "
        f"{step:,.0f}; {known}.",
        onset=step,
        onset_within=series.interval,
        confidence=LOW if bound is None else MEDIUM,
        evidence=(Evidence(metric=series.name, value=end, limit=limit, step=series.last_step),),
    )
