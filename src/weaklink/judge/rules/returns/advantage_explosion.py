from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.proving import FALLS, MEAN, Change, Intervention, Promise
from weaklink.base.stats import HeldStretch, find_lasting_above, level
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

# the rewards' bound on returns is rough: an advantage must exceed it so many times
BEYOND = 3.0

# by how much returns may have grown where none is logged
UNKNOWN_GROWTH = 3.0

# advantages are normalised where their standard deviation is within 3 % of 1 in nine of ten updates
UNIT, MOSTLY = 0.03, 0.9


@rule(
    "RET301",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Run,
    needs=(("returns.advantage_abs_max", "returns.advantage_mean"),),
    leads_to=("POL301", "POL303", "POL307", "OPT300", "OPT301", "EXP301", "EXP302", "VAL301", "REW303", "REW304"),
    tree=4,
    symptoms={"nan": 5},
    experiment=Intervention(
        change=Change(setting="reward_scale", times=0.1),
        promise=Promise(metrics=("policy.kl", "policy.clip_fraction"), then=FALLS, measure=MEAN),
        if_confirmed="The size of the advantages was the cause: scale or normalise the rewards.",
        if_refuted="The size of the rewards is not the cause: advantages are normalised, or the explosion comes from "
        "the critic.",
    ),
    alert=BareLimit(
        side="above",
        limit=100.0,
        metrics=("returns.advantage_abs_max", "advantage_abs_max"),
        meaning="advantages are far too large",
    ),
)
def advantage_explosion(
    run: Run,
    *,
    alert: float = 100.0,
    notable: float = 20.0,
    tail: float = 50.0,
    growth: float = 10.0,
    bias: float = 0.1,
) -> Answer:
    """Advantages are far too large, or their mean is not zero.

    ## What it sees
    The largest absolute advantage stays above 100 and also above 50 standard deviations of the advantages, above three
    times the largest return that the rewards allow, or at ten times its early level while returns did not grow as
    much. Or the mean of normalised advantages (standard deviation 1) stays more than 0.1 away from 0. A largest
    advantage above 20 without any of these is only information.

    ## Why it is bad
    The advantage is the weight of each sample in the policy gradient. A few huge ones decide the whole update and drive
    the policy to the edge of its trust region. A mean away from zero reinforces or discourages every action alike,
    although advantages should average to zero.

    ## What to do
    1. Divide the rewards by 10, or normalise them; aim for discounted returns within [-3, 3].
    2. Normalise advantages per batch: subtract the mean, then divide by the standard deviation.
    3. Look for single huge rewards (terminal bonus, penalty, a simulator that blew up) and clip them.
    4. Check the done mask: a sum that continues into the next episode grows without limit.

    ## How to prove it
    Repeat a short run with rewards divided by 10 and nothing else changed: the clip fraction and the KL must fall if
    the advantages were the cause. `weaklink confirm RET301 my_project.py` does this.

    ## When it is wrong
    Tasks with large returns have large advantages (PPO on Pendulum with default settings reaches 148), so the number
    alone never raises an alarm. Token-weighted advantages of language models need not average to zero, because longer
    answers count more; their mean is not judged.

    ## References
    Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016; Jones, Debugging
    RL, Without the Agonizing Pain, 2021.
    """
    largest, mean = _read(run, "returns.advantage_abs_max"), _read(run, "returns.advantage_mean")
    if largest is None and mean is None:
        return CannotTell(("returns.advantage_abs_max",), f"fewer than {FEWEST} points")
    found = None if largest is None else _find_explosion(run, largest, alert, tail, growth)
    if found is None and mean is not None:
        found = _find_bias(run, mean, bias)
    return _find_large(largest, notable) if found is None and largest is not None else found


def _read(run: Run, name: str) -> Series | None:
    """The series, where it has enough points to judge."""
    series = run.get(name)
    return series if series is not None and len(series) >= FEWEST else None


def _find_explosion(run: Run, largest: Series, alert: float, tail: float, growth: float) -> Finding | None:
    """A largest advantage that is huge in itself and by one of its scales."""
    values = np.abs(largest.values)
    reasons = [
        reason
        for reason in (
            _exceeds_spread(run, largest, alert, tail),
            _exceeds_returns(run, values, alert),
            _outgrows_returns(run, values, alert, growth),
        )
        if reason is not None
    ]
    if not reasons:
        return None
    limit, held, why = min(reasons, key=lambda reason: reason[1].start)
    step = float(largest.steps[held.start])
    size = level(values[held.start : held.end + 1])
    return Finding(
        message=f"The largest absolute advantage stays at {size:,.4g} from step {step:,.0f} on; {why}.",
        onset=step,
        onset_within=largest.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=largest.name, value=size, limit=limit, step=step),),
    )


def _exceeds_spread(run: Run, largest: Series, alert: float, tail: float) -> tuple[float, HeldStretch, str] | None:
    spread = run.get("returns.advantage_std")
    if spread is None:
        return None
    width = np.interp(largest.steps, spread.steps, np.abs(spread.values))
    held = find_lasting_above(np.abs(largest.values) - np.maximum(alert, tail * width), 0.0)
    if held is None or not float(width.max()) > 0:
        return None
    return alert, held, f"that is over {tail:g} standard deviations of the advantages"


def _exceeds_returns(run: Run, values: Array, alert: float) -> tuple[float, HeldStretch, str] | None:
    bound = compute_largest_value(run)
    if bound is None:
        return None
    limit = max(alert, BEYOND * bound)
    held = find_lasting_above(values, limit)
    return None if held is None else (limit, held, f"the rewards allow returns of about {bound:,.3g}")


def _outgrows_returns(run: Run, values: Array, alert: float, growth: float) -> tuple[float, HeldStretch, str] | None:
    start, grown = level(values[: len(values) // 5]), _measure_growth(run)
    if grown is None:
        return None
    limit = max(alert, growth * start * grown)
    held = find_lasting_above(values, limit)
    if held is None or not held.to_end:
        return None
    return limit, held, f"it began at {start:,.3g}, and no return grew as much"


def _measure_growth(run: Run) -> float | None:
    """By what factor the size of the return grew, at least 1; None where it began at 0."""
    returns = run.get("reward.episode_return", "evaluation.return", "reward.mean")
    if returns is None or len(returns) < FEWEST:
        return UNKNOWN_GROWTH
    start = abs(level(returns.values[: len(returns) // 5]))
    most = float(np.abs(returns.values).max())
    return max(most / start, 1.0) if start > 1e-6 * most else None


def _find_bias(run: Run, mean: Series, bias: float) -> Finding | None:
    """Normalised advantages whose mean is not near 0."""
    spread = run.get("returns.advantage_std")
    if spread is None or run.family == "language":
        return None
    normalised = float(np.mean(np.abs(spread.values - 1.0) < UNIT)) >= MOSTLY
    size = np.abs(mean.values)
    held = find_lasting_above(size, bias, share=MOSTLY, window=0.5)
    if not normalised or held is None:
        return None
    inside = mean.values[held.start : held.end + 1]
    if float(np.mean(np.sign(inside) == np.sign(level(inside)))) < MOSTLY:
        return None
    step = float(mean.steps[held.start])
    return Finding(
        message=f"The mean of the normalised advantages stays at {level(inside):.3g} from step {step:,.0f} on; it "
        "should be 0.",
        onset=step,
        onset_within=mean.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=mean.name, value=level(inside), limit=bias, step=step),
            Evidence(metric=spread.name, value=level(spread.values), step=step),
        ),
    )


def _find_large(largest: Series, notable: float) -> Finding | None:
    """A largest advantage outside the usual range without any further sign."""
    held = find_lasting_above(np.abs(largest.values), notable)
    if held is None:
        return None
    step = float(largest.steps[held.start])
    return Finding(
        message=f"The largest absolute advantage stays at {held.level:,.4g} from step {step:,.0f} on; up to "
        f"{notable:g} is usual.",
        level=Level.INFO,
        onset=step,
        onset_within=largest.interval,
        confidence=LOW,
        evidence=(Evidence(metric=largest.name, value=held.level, limit=notable, step=step),),
    )
