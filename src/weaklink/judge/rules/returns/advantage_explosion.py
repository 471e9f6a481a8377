from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import FALLS, MEAN, Change, Intervention, Promise
from weaklink.base.stats import Held, lasting_above, level
from weaklink.judge.rules._allowance import largest_value
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule


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
    """Advantages are far too large, or do not centre on zero.

    ## What it sees
    The largest absolute advantage stays above 100 and, besides, above 50 standard deviations of the advantages, above
    three times what the rewards allow a return to be, or at ten times its own start without returns that grew with
    it. Or normalised advantages (their spread is 1) whose mean stays more than 0.1 away from 0. A largest advantage
    above 20 that is nothing else is only worth knowing.

    ## Why it is bad
    The advantage is the weight of every sample in the policy's gradient. A few huge ones decide the whole update and
    drive the policy to the edge of its trust region. And a mean away from zero praises or blames every action alike:
    by their construction advantages must cancel out.

    ## What to do
    1. Divide the rewards by 10, or normalise them; aim at discounted returns within [-3, 3].
    2. Normalise advantages per batch, with the mean taken off before the division.
    3. Look for single huge rewards (terminal bonus, penalty, a simulator that blew up) and clip them.
    4. Check the mask at the ends of episodes: a sum that runs on into the next episode grows without limit.

    ## How to prove it
    Repeat a short run with rewards divided by 10 and nothing else changed: the clip fraction and the KL must fall if
    the advantages were the cause. `weaklink confirm RET301 my_project.py` does this.

    ## When it is wrong
    Tasks with large returns have large advantages (PPO on Pendulum with default settings reaches 148), which is why
    the bare number is never an alarm. Token-weighted advantages of language models need not cancel out, because
    longer answers count more; their mean is not judged.

    ## References
    Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016; Jones, Debugging
    RL, Without the Agonizing Pain, 2021.
    """
    largest, mean = _long(run, "returns.advantage_abs_max"), _long(run, "returns.advantage_mean")
    if largest is None and mean is None:
        return CannotTell(("returns.advantage_abs_max",), "fewer than 10 points")
    found = None if largest is None else _exploded(run, largest, alert, tail, growth)
    if found is None and mean is not None:
        found = _off_centre(run, mean, bias)
    return _large(largest, notable) if found is None and largest is not None else found


def _long(run: Run, name: str) -> Series | None:
    """The series, where it has points enough to judge."""
    series = run.get(name)
    return series if series is not None and len(series) >= 10 else None


def _exploded(run: Run, largest: Series, alert: float, tail: float, growth: float) -> Finding | None:
    """A largest advantage that is huge by itself and by one of its scales."""
    values = np.abs(largest.values)
    spread = run.get("returns.advantage_std")
    bound = largest_value(run)
    reasons: list[tuple[float, Held, str]] = []
    if spread is not None:
        width = np.interp(largest.steps, spread.steps, np.abs(spread.values))
        held = lasting_above(values - np.maximum(alert, tail * width), 0.0)
        if held is not None and float(width.max()) > 0:
            reasons.append((alert, held, f"over {tail:g} times the spread of the advantages"))
    if bound is not None:
        held = lasting_above(values, max(alert, 3 * bound))
        if held is not None:
            reasons.append((max(alert, 3 * bound), held, f"the rewards allow returns of about {bound:,.3g}"))
    start, grown = level(values[: len(values) // 5]), _grown(run)
    if grown is not None:
        limit = max(alert, growth * start * grown)
        held = lasting_above(values, limit)
        if held is not None and held.to_end:
            reasons.append((limit, held, f"it began at {start:,.3g} and no return grew with it"))
    if not reasons:
        return None
    limit, held, why = min(reasons, key=lambda reason: reason[1].start)
    step = float(largest.steps[held.start])
    size = level(values[held.start : held.end + 1])
    return Finding(
        message=f"The largest absolute advantage holds at {size:,.4g} from step {step:,.0f} on; {why}.",
        onset=step,
        onset_within=largest.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=largest.name, value=size, limit=limit, step=step),),
    )


def _grown(run: Run) -> float | None:
    """By what factor the size of the return grew, at least 1; 3 where no return is logged, None where it began at 0."""
    returns = run.get("reward.episode_return", "evaluation.return", "reward.mean")
    if returns is None or len(returns) < 10:
        return 3.0
    start = abs(level(returns.values[: len(returns) // 5]))
    most = float(np.abs(returns.values).max())
    return max(most / start, 1.0) if start > 1e-6 * most else None


def _off_centre(run: Run, mean: Series, bias: float) -> Finding | None:
    """Normalised advantages whose mean is not near 0."""
    spread = run.get("returns.advantage_std")
    if spread is None or run.family == "language":
        return None
    normalised = float(np.mean(np.abs(spread.values - 1.0) < 0.03)) >= 0.9
    size = np.abs(mean.values)
    held = lasting_above(size, bias, share=0.9, window=0.5)
    if not normalised or held is None:
        return None
    inside = mean.values[held.start : held.end + 1]
    if float(np.mean(np.sign(inside) == np.sign(level(inside)))) < 0.9:
        return None
    step = float(mean.steps[held.start])
    return Finding(
        message=f"The mean of the normalised advantages holds at {level(inside):.3g} from step {step:,.0f} on; it "
        "should be 0.",
        onset=step,
        onset_within=mean.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=mean.name, value=level(inside), limit=bias, step=step),
            Evidence(metric=spread.name, value=level(spread.values), step=step),
        ),
    )


def _large(largest: Series, notable: float) -> Finding | None:
    """A largest advantage outside the usual range, and nothing more."""
    held = lasting_above(np.abs(largest.values), notable)
    if held is None:
        return None
    step = float(largest.steps[held.start])
    return Finding(
        message=f"The largest absolute advantage holds at {held.level:,.4g} from step {step:,.0f} on; up to "
        f"{notable:g} is usual.",
        level=Level.INFO,
        onset=step,
        onset_within=largest.interval,
        confidence=LOW,
        evidence=(Evidence(metric=largest.name, value=held.level, limit=notable, step=step),),
    )
