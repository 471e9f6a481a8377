from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import find_lasting_above, level
from weaklink.judge.rules._allowance import compute_largest_value
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import (
    LOW,
    MEDIUM,
    Answer,
    BareLimit,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    rule,
)


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
    """The twin critics disagree about the value of actions.

    ## What it sees
    The distance between the two critics (or between their means) stays above 100 and above a quarter of the absolute Q
    value (or, where that is not logged, of the largest return that the rewards allow). A distance above 100 that is
    small compared with the values is only information.

    ## Why it is bad
    Both critics learn the same target from the same data. When they diverge, at least one of them does not learn it,
    and the minimum of the two is whichever errs lower: the policy follows that error.

    ## What to do
    1. Check that both critics are in the optimizer, and that both learn the same target, with no gradient through it.
    2. Compare their losses: the one that does not fall is the broken one.
    3. Lower the critic's learning rate, scale the rewards down, and clip the gradient.

    ## How to prove it
    Train both critics on one fixed batch with fixed targets: their outputs on it must converge.

    ## When it is wrong
    With values of several thousand a spread of a few hundred is harmless, so the spread is judged relative to the
    values. Ensembles for exploration are meant to differ.

    ## References
    Fujimoto et al., Addressing Function Approximation Error in Actor-Critic Methods, 2018.
    """
    series = run.get("value.q_twin_spread", "value.q2_mean")
    quality = run.get("value.q_mean", "value.mean")
    if series is None or len(series) < FEWEST:
        return CannotTell(("value.q_twin_spread",), f"fewer than {FEWEST} points")
    spread = _measure_distance(series, quality)
    if spread is None:
        return CannotTell(("value.q_twin_spread",), "only one of the two critics is logged")
    scale = _measure_scale(run, series, quality)
    apart = find_lasting_above(spread - np.maximum(alert, relative * scale), 0.0)
    held = apart or find_lasting_above(spread, alert)
    if held is None:
        return None
    step = float(series.steps[held.start])
    size, against = (level(values[held.start : held.end + 1]) for values in (spread, scale))
    known = "no Q value is logged" if np.isnan(against) else f"the values themselves are about {against:,.3g}"
    return Finding(
        message=f"The twin critics are {size:,.4g} apart from step {step:,.0f} on; {known}.",
        level=Level.WARN if apart else Level.INFO,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM if apart else LOW,
        evidence=(Evidence(metric=series.name, value=size, limit=alert, step=step),),
    )


def _measure_distance(series: Series, quality: Series | None) -> Array | None:
    """The distance between the critics, as logged or between their means."""
    if series.name != "value.q2_mean":
        return np.abs(series.values)
    if quality is None:
        return None
    return np.abs(series.values - np.interp(series.steps, quality.steps, quality.values))


def _measure_scale(run: Run, series: Series, quality: Series | None) -> Array:
    """The size of the values at each point; not a number where neither values nor rewards are logged."""
    bound = compute_largest_value(run)
    if quality is None:
        return np.full(len(series), np.nan if bound is None else bound)
    # a mean Q value near 0 may hide large values of both signs
    return np.maximum(np.interp(series.steps, quality.steps, np.abs(quality.values)), (bound or 0.0) / 4)
