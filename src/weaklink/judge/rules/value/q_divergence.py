from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import Held, lasting_above, level
from weaklink.judge.rules._allowance import largest_value
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule

METRICS = ("value.q_mean", "value.q_max")


@rule(
    "VAL302",
    link=Link.VALUE,
    level=Level.WARN,
    on=Run,
    needs=(METRICS,),
    leads_to=("VAL303", "VAL304", "OPT300", "OPT301", "OPT305", "POL307", "EXP301", "EXP302", "REW303", "REW304"),
    symptoms={"reward declines": 7, "nan": 4, "q-values diverge": 1},
    checks={"critic": "decides"},
    alert=BareLimit(
        side="further from 0 than",
        limit=1000.0,
        metrics=("value.q_mean", "value.q2_mean", "q_mean", "q1_mean", "q2_mean"),
        meaning="Q values may diverge",
    ),
)
def q_divergence(
    run: Run, *, alert: float = 1000.0, notable: float = 100.0, margin: float = 3.0, far: float = 10.0
) -> Answer:
    """The Q values have left what the rewards can ever pay.

    ## What it sees
    The absolute Q value stays above 1,000 and above three times the largest return that the rewards allow,
    r_max / (1 - gamma) or what the observed returns and episode lengths give; or above 100 and ten times that bound.
    Where neither rewards nor returns are logged: above 1,000 and still multiplying itself in the last third of the
    log. Everything else outside [-100, 100] is only worth knowing.

    ## Why it is bad
    A critic that learns from its own estimates can feed on itself: the target grows because the value did. The policy
    then climbs an invented landscape, and the numbers end in overflow.

    ## What to do
    1. Check that the target is cut at true terminations and that it uses the target network, not the online one.
    2. Check the sign and the scale of the reward; bring discounted returns into [-10, 10].
    3. Let the target network follow more slowly, lower the critic's learning rate, and clip its gradient.
    4. Take the minimum of twin critics; use spectral or layer normalisation in the critic.
    5. Where it still climbs, lower gamma.

    ## How to prove it
    Compare the Q value of a start state with the discounted return really collected from there: it must not exceed it
    by far.

    ## When it is wrong
    A solved HalfCheetah has Q values over 1,000, because its rewards allow them: large values inside the bound are
    never an alarm. A reward scaled inside the trainer and nowhere noted makes the bound too small.

    ## References
    van Hasselt et al., Deep Reinforcement Learning and the Deadly Triad, 2018; Fujimoto et al., TD3, 2018; rlkit
    issue #50.
    """
    known = [run[name] for name in METRICS if name in run and len(run[name]) >= 10]
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), "fewer than 10 points")
    series = known[0]
    size = np.abs(series.values)
    bound = largest_value(run)
    limit, held = _beyond(size, bound, alert, notable, margin, far)
    ill = held is not None
    held = held or lasting_above(size, notable, window=0.1)
    if held is None:
        return None
    step = float(series.steps[held.start])
    told = (
        "neither rewards nor returns are logged to compare with"
        if bound is None
        else f"the rewards allow about {bound:,.3g}"
    )
    return Finding(
        message=f"The absolute Q value holds at {held.level:,.4g} from step {step:,.0f} on; {told}.",
        level=Level.WARN if ill else Level.INFO,
        onset=step,
        onset_within=series.interval,
        confidence=LOW if bound is None else HIGH if ill and held.level > far * bound else MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit if ill else notable, step=step),),
    )


def _beyond(
    size: Array, bound: float | None, alert: float, notable: float, margin: float, far: float
) -> tuple[float, Held | None]:
    """The limit, and the stretch in which the values lie where no reward can bring them."""
    if bound is not None:
        limit = min(max(alert, margin * bound), max(notable, far * bound))
        return limit, lasting_above(size, limit, window=0.1)
    third = max(len(size) // 3, 1)
    early, middle, late = (level(part) for part in (size[:third], size[third:-third], size[-max(third // 3, 1) :]))
    runs_away = late > alert and late > 3 * middle and middle > 3 * early
    return alert, lasting_above(size, min(alert, late / 3), window=0.1) if runs_away else None
