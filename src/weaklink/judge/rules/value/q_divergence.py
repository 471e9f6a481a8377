from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import HeldStretch, find_lasting_above, level
from weaklink.judge.rules._allowance import compute_largest_value
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import is_table
from weaklink.judge.rules.writing import (
    HIGH,
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

METRICS = ("value.q_mean", "value.q_max")

# A tenth of the run is enough: divergence is often followed by NaN soon after
WINDOW = 0.1

# without rewards to compare with, values must have tripled from each third of the log to the next
TRIPLED = 3.0


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
    """The Q values exceed any return that the rewards allow.

    ## What it sees
    The absolute Q value stays above 1,000 and above three times the largest return that the rewards allow (r_max / (1 -
    gamma), or a bound from observed returns and episode lengths), or above 100 and ten times that bound (three times
    where it has tripled from each third of the log to the next). Where neither rewards nor returns are logged, it must
    exceed 1,000 and have tripled from each third of the log to the next. In a table, values of one sign blame the
    discount: updates with one below 1 shrink every error. Anything else outside [-100, 100] is only
    information.

    ## Why it is bad
    A critic that bootstraps from its own estimates can diverge: the target grows because the value grew. The policy
    then maximises values that no reward backs, and the numbers end in overflow.

    ## What to do
    1. Check that the target is cut at true terminations and that it uses the target network, not the online one.
    2. Check the sign and the scale of the reward; bring discounted returns into [-10, 10].
    3. Update the target network more slowly, lower the critic's learning rate, and clip its gradient.
    4. Use the minimum of twin critics, and spectral or layer normalisation in the critic.
    5. If it still grows, lower gamma.

    ## How to prove it
    Compare the Q value of a start state with the discounted return collected from there: it must not be far larger.

    ## When it is wrong
    A solved HalfCheetah has Q values over 1,000, because its rewards allow them: large values inside the bound never
    raise an alarm. A reward that is scaled inside the trainer and not logged makes the bound too small.

    ## References
    van Hasselt et al., Deep Reinforcement Learning and the Deadly Triad, 2018; Fujimoto et al., TD3, 2018; rlkit issue
    #50.
    """
    known = [run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST]
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    series = known[0]
    size = np.abs(series.values)
    bound = compute_largest_value(run)
    limit, diverged = _find_divergence(size, bound, alert, notable, margin, far)
    held = diverged or find_lasting_above(size, notable, window=WINDOW)
    if held is None:
        return None
    step = float(series.steps[held.start])
    beyond = diverged is not None and is_table(run.settings) and _keeps_sign(series.values[held.start :])
    told = "; a table of values of one sign grows without end only where its discount is not below 1" if beyond else ""
    allowed = "neither rewards nor returns are logged" if bound is None else f"the rewards allow about {bound:,.3g}"
    return Finding(
        message=f"The absolute Q value stays at {held.level:,.4g} from step {step:,.0f} on; {allowed}{told}.",
        link=Link.RETURNS if beyond else None,
        level=Level.WARN if diverged else Level.INFO,
        onset=step,
        onset_within=series.interval,
        confidence=LOW if bound is None else HIGH if diverged and held.level > far * bound else MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit if diverged else notable, step=step),),
    )


def _keeps_sign(values: Array) -> bool:
    """Whether all values are of one sign: a step that is too long has them jump from one side to the other."""
    return bool((values > 0).all() or (values < 0).all())


def _find_divergence(
    size: Array, bound: float | None, alert: float, notable: float, margin: float, far: float
) -> tuple[float, HeldStretch | None]:
    """The limit, and the stretch in which values exceed what any reward allows."""
    third = max(len(size) // 3, 1)
    early, middle, late = (level(part) for part in (size[:third], size[third:-third], size[-max(third // 3, 1) :]))
    tripled = late > TRIPLED * middle and middle > TRIPLED * early
    if bound is not None:
        limit = min(max(alert, margin * bound), max(notable, (margin if tripled else far) * bound))
        return limit, find_lasting_above(size, limit, window=WINDOW)
    runs_away = late > alert and tripled
    return alert, find_lasting_above(size, min(alert, late / TRIPLED), window=WINDOW) if runs_away else None
