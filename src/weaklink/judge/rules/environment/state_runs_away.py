from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import find_departure, level
from weaklink.judge.rules._course import FEWEST, find_still_above
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SIZES = ("observation.max", "observation.std", "observation.min")

# of the run: its beginning, whose level is compared with
BEGINNING = 0.2


@rule(
    "ENV304",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    needs=(SIZES,),
    leads_to=(*BEARS_OUT, "OBS303"),
)
def state_runs_away(run: Run, *, times: float = 30.0) -> Answer:
    """The observations grow by orders of magnitude, and the return falls with them.

    ## What it sees
    The largest observation, or their spread, rises to more than thirty times its level at the beginning of the run,
    stays there to the end, and the return has declined.

    ## Why it is bad
    Another policy visits other states, of about the same size. States that are so much larger are not visited but made:
    the simulation is numerically unstable, a counter or a sum is never reset, or a unit was changed. Rewards, values
    and gradients follow, so they look like the cause.

    ## What to do
    1. Play the first checkpoint in the environment as it is now: does it see the large numbers too?
    2. Halve the time step of the simulation, and look at the velocities of a state without actions.
    3. End the episode where a state leaves its physical range, and say so in the log.

    ## How to prove it
    Step the environment without any action from a usual state: nothing may grow.

    ## When it is wrong
    Worlds without bounds (a position on a line) where a policy that fell apart runs away by itself: then its entropy or
    KL moved before.

    ## References
    Practice.
    """
    course = run.performance
    known = [run[name] for name in SIZES if name in run and len(run[name]) >= 2 * FEWEST]
    if not known or course is None:
        return CannotTell(SIZES[:1], f"fewer than {2 * FEWEST} points, or no return to compare with")
    if not course.declined:
        return None
    found = [one for series in known if (one := _find_growth(series, times)) is not None]
    if not found:
        return None
    series, step, start, end = max(found, key=lambda one: one[3] / one[2])
    return Finding(
        message=f"From step {step:,.0f} on {series.name} grows from {start:.3g} to {end:,.4g}, {end / start:,.0f} "
        f"times as much, and {course.told}: the simulation diverges, which no policy can make up for.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=end, limit=times * start, step=step),),
    )


def _find_growth(series: Series, times: float) -> tuple[Series, float, float, float] | None:
    """The step from which a size grows so far and stays, and its levels before and at the end."""
    sizes = np.maximum(np.abs(series.values), 1e-300)
    start = level(sizes[: max(int(BEGINNING * len(sizes)), 3)])
    held = find_still_above(sizes, times * start)
    if held is None or start <= 1e-12:
        return None
    place = find_departure(np.log(sizes), held.start)
    return series, float(series.steps[place]), start, held.level
