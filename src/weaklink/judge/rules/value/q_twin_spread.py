from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import lasting_above, level
from weaklink.judge.rules._allowance import largest_value
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule


@rule(
    "VAL303",
    link=Link.VALUE,
    level=Level.WARN,
    on=Run,
    needs=(("value.q_twin_spread", "value.q2_mean"),),
    leads_to=("VAL302", "OPT301", "EXP301", "REW303", "REW304"),
    symptoms={"q-values diverge": 2},
    alert=BareLimit(
        side="above",
        limit=100.0,
        metrics=("value.q_twin_spread", "q_value_spread"),
        meaning="the twin critics disagree",
    ),
)
def q_twin_spread(run: Run, *, alert: float = 100.0, relative: float = 0.25) -> Answer:
    """The twin critics disagree about what actions are worth.

    ## What it sees
    The distance between the two critics (or between their means) stays above 100 and above a quarter of the absolute Q
    value (or, where that is not logged, of the largest return that the rewards allow). Above 100 but small against
    the values it is only worth knowing.

    ## Why it is bad
    Both critics learn the same target from the same data. When they part, at least one of them is not learning it, and
    the minimum of the two is decided by whichever fails lower: the policy follows the noise between them.

    ## What to do
    1. Check that both critics are in the optimizer, and that both learn the same target without a gradient into it.
    2. Compare their losses: the one that does not fall is the broken one.
    3. Lower the critic's learning rate, bring the rewards into a smaller range, and clip the gradient.

    ## How to prove it
    Train both critics on one fixed batch with fixed targets: their outputs on it must meet.

    ## When it is wrong
    Values of several thousands carry a spread of some hundred without harm, which is why the spread is judged
    relative to them. Critics that are meant to differ (ensembles for exploration) may.

    ## References
    Fujimoto et al., Addressing Function Approximation Error in Actor-Critic Methods, 2018.
    """
    series = run.get("value.q_twin_spread", "value.q2_mean")
    quality = run.get("value.q_mean", "value.mean")
    if series is None or len(series) < 10:
        return CannotTell(("value.q_twin_spread",), "fewer than 10 points")
    spread = np.abs(series.values)
    if series.name == "value.q2_mean":
        if quality is None:
            return CannotTell(("value.q_twin_spread",), "only one of the two critics is logged")
        spread = np.abs(series.values - np.interp(series.steps, quality.steps, quality.values))
    bound = largest_value(run)
    scale = np.full(len(series), np.nan if bound is None else bound)
    if quality is not None:
        # a mean Q value near 0 may stand for large values of both signs
        scale = np.maximum(np.interp(series.steps, quality.steps, np.abs(quality.values)), (bound or 0.0) / 4)
    limits = np.maximum(alert, relative * scale)
    held = lasting_above(spread - limits, 0.0)
    ill = held is not None
    held = held or lasting_above(spread, alert)
    if held is None:
        return None
    step = float(series.steps[held.start])
    size = level(spread[held.start : held.end + 1])
    against = level(scale[held.start : held.end + 1])
    told = (
        "there is no Q value to compare with"
        if np.isnan(against)
        else f"the values themselves are about {against:,.3g}"
    )
    return Finding(
        message=f"The twin critics lie {size:,.4g} apart from step {step:,.0f} on; {told}.",
        level=Level.WARN if ill else Level.INFO,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM if ill else LOW,
        evidence=(Evidence(metric=series.name, value=size, limit=alert, step=step),),
    )
