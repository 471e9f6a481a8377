from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import find_departure, find_lasting_above, level
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# times its start: a temperature that has come so far without ever slowing meets no target
ENDLESS = 20.0

# the share of the steps in which it must have climbed, and of its pace that it must have left at the end
STEADILY, PACE = 0.95, 0.7

# natural logarithm of the smallest weight that is told from 0
TINIEST = -60.0


@rule(
    "EXP307",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.temperature", "exploration.entropy_coefficient"),),
    leads_to=("EXP301", "EXP302", "EXP303", "EXP306", "VAL302", "VAL303", "VAL304", "REW301", "REW303", "REW304"),
    checks={"exploration": "fails"},
)
def temperature_runaway(run: Run, *, up: float = 100.0, down: float = 1e-4) -> Answer:
    """The weight of the entropy runs away by orders of magnitude.

    ## What it sees
    The entropy temperature (alpha) or the entropy coefficient grows to a hundred times its start, or falls to a
    ten-thousandth of it, is there at the end of the log, and the return does not improve. A temperature that grows by
    the same factor all the time, and still does at the end, counts from twenty times its start on, whatever the return
    does: it met its target at no time.

    ## Why it is bad
    The temperature should settle where the entropy meets its target. A temperature that only grows makes the entropy
    bonus all that the critic predicts and all that the policy learns; one that only falls ends exploration. Either
    means that the entropy never gets to its target: the target is out of reach, a sign is flipped, or the
    log-probability is wrong.

    ## What to do
    1. Check the target entropy: minus the number of action dimensions for continuous actions, a share of log(n) for n
       choices. A positive target for continuous actions is mostly a missing minus.
    2. Check the sign of each part of the loss: -log_alpha x (log_prob + target_entropy), with the bracket detached.
    3. Subtract the change-of-variables term log(1 - tanh(u)^2) from the log-probability of a squashed action.
    4. Fix the temperature at 0.2 for a short run: what then goes well was spoilt by its tuning.

    ## How to prove it
    `weaklink probe TRAINER --only entropy-temperature`: the temperature must bring the entropy to its target.

    ## When it is wrong
    A temperature that starts at 1 falls to 0.001 in many healthy runs, so a fall counts from a factor of 10,000 on, and
    only under a return that does not improve. A coefficient that is annealed to 0 by schedule ends exactly there and is
    not reported.

    ## References
    Haarnoja et al., Soft Actor-Critic Algorithms and Applications, 2018, section 5; Stable-Baselines3 issues #36 and
    #2013.
    """
    series = run.get("exploration.temperature", "exploration.entropy_coefficient")
    assert series is not None
    if len(series) < FEWEST:
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    start, end = start_of(series.values), level(series.values[-max(len(series) // 10, 3) :])
    if start <= 0 or end <= 0 or float(series.values[-1]) <= 0:
        return None
    sizes = np.log(np.maximum(series.values, np.exp(TINIEST)))
    grows = end > start
    if course.improved and not (grows and _never_slows(sizes)):
        return None
    limit = (min(up, ENDLESS) if _never_slows(sizes) else up) * start if grows else down * start
    held = _find_beyond(sizes, float(np.log(limit)), 1.0 if grows else -1.0)
    if held is None:
        return None
    step = float(series.steps[find_departure(sizes, held)])
    return Finding(
        message=f"From step {step:,.0f} on {series.name} {'grows' if grows else 'falls'} from {start:.3g} to {end:.3g} "
        f"(limit {limit:.3g}), while {course.told}.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if grows else MEDIUM,
        evidence=(Evidence(metric=series.name, value=end, limit=limit, step=series.last_step),),
    )


def _never_slows(sizes: Array) -> bool:
    """Whether the logarithm climbs in nearly every step, in the last quarter as fast as in the whole.

    It stands still before learning starts.
    """
    moved = np.flatnonzero(np.diff(sizes) != 0)
    sizes = sizes[moved[0] :] if len(moved) and moved[0] < len(sizes) // 4 else sizes
    last = sizes[-max(len(sizes) // 4, 3) :]
    pace = float(sizes[-1] - sizes[0]) / (len(sizes) - 1)
    return bool(np.mean(np.diff(sizes) > 0) > STEADILY) and float(last[-1] - last[0]) / (len(last) - 1) > PACE * pace


def _find_beyond(sizes: Array, limit: float, side: float) -> int | None:
    """The index from which on the logarithm lies beyond the limit, if it still does at the end."""
    held = find_lasting_above(side * sizes, side * limit, window=0.1)
    return held.start if held is not None and held.to_end else None
