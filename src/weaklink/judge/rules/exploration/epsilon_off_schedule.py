from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the budget: the steps of a log that ends far from it are counted in another unit, or it was stopped early
ENDS = (0.5, 1.2)

# of the schedule: what ends before has not followed it
SOON = 0.1


@rule(
    "EXP311",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=("exploration.epsilon",),
    leads_to=(*BEARS_OUT, "EXP309"),
    checks={"exploration": "fails"},
)
def epsilon_off_schedule(run: Run, *, apart: float = 0.4, much: float = 0.5) -> Answer:
    """Epsilon does not follow the schedule that is configured.

    ## What it sees
    The configuration gives the first and the last epsilon and the share of the training over which it falls. Over half
    of the log, epsilon is further than 0.4 from the line that this gives; or it is at its last value, or below it,
    before a tenth of that time is over.

    ## Why it is bad
    The schedule that was meant is not the one in force: its counter does not move, counts in another unit, or counts
    everything several times. Epsilon that ends at once leaves all but the first guess untried; epsilon that never
    falls hides what was learned and gathers the data of random play.

    ## What to do
    1. Print the counter that drives the schedule beside the number of environment steps.
    2. With several environments, count steps of all of them, or of one, on both sides alike.

    ## How to prove it
    Print epsilon at the start, in the middle and at the end of the schedule: it must be what was configured.

    ## When it is wrong
    A schedule of another shape (steps, an exponential) is allowed for up to the limit. Where the training was meant to
    be much longer than the log, or its budget is not in environment steps, nothing is said.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015.
    """
    epsilon = run["exploration.epsilon"]
    names = ("exploration_initial_epsilon", "exploration_final_epsilon")
    first, last = (run.config.number(name) for name in names)
    share, total = (read_positive(run.config, name) for name in ("exploration_fraction", "total_steps"))
    if first is None or last is None or share is None or total is None or not last < first <= 1 or share > 1:
        return CannotTell((*names, "exploration_fraction", "total_steps"), "no whole schedule is configured")
    if len(epsilon) < FEWEST or not ENDS[0] * total <= epsilon.last_step <= ENDS[1] * total:
        return CannotTell((epsilon.name,), f"fewer than {FEWEST} points, or not of the whole training")
    line = first + (last - first) * np.minimum(epsilon.steps / (share * total), 1.0)
    off = np.abs(epsilon.values - line) > apart
    begun = epsilon.steps >= SOON * share * total
    ended = bool((epsilon.highs[begun] <= last).all()) and bool(off[begun].any())
    if not ended and float(off.mean()) < much:
        return None
    place = int(np.argmax(off))
    step, is_now, meant = float(epsilon.steps[place]), float(epsilon.values[place]), float(line[place])
    return Finding(
        message=f"Epsilon is {is_now:.3g} at step {step:,.0f} where the schedule, from {first:g} to {last:g} over "
        f"{share * total:,.0f} steps, gives {meant:.3g}.",
        onset=step,
        onset_within=epsilon.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=epsilon.name, value=is_now, limit=meant, step=step),),
    )
