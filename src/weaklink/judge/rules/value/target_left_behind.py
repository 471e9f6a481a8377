from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import mann_kendall
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

DISTANCE = "value.target_distance"

# rows, the rows that the first updates need, and how steadily a distance grows that nothing makes smaller
FEWEST, FIRST, STEADY = 20, 0.1, 0.8

# of the distance until then: what noise takes away; what the rest of the run adds; and the updates that were due
LESS, MORE, DUE = 0.8, 1.15, 5.0


@rule(
    "VAL312",
    link=Link.VALUE,
    level=Level.WARN,
    needs=(DISTANCE,),
    leads_to=(*BEARS_OUT, "RET305"),
)
def target_left_behind(run: Run) -> Answer:
    """The target network never comes any nearer to the network that learns.

    ## What it sees
    The distance between both networks grows to the end of the log and at no time falls below four fifths of what it had
    reached, although copies were due: an interval for hard updates is set, and the log is five of them long.

    ## Why it is bad
    Targets come from the target network. One that stays as it was initialised adds the same meaningless numbers to
    every reward, so values learn one step of reward and nothing of what follows.

    ## What to do
    1. Check that the copy is called at all, and in the right unit: steps of the environment, updates or episodes.
    2. Check its direction and its `tau`: `target = tau * online + (1 - tau) * target`, with 1 for a hard copy.
    3. Check that the target network was made as a copy of its own, and not of another network.

    ## How to prove it
    Print the distance right after a copy: it must be 0, and after a soft update smaller than before.

    ## When it is wrong
    An interval that is set and not used, because updates are soft: then the distance levels out.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015.
    """
    series = run[DISTANCE]
    values = series.values[np.argmax(series.values > 0) :] if len(series) else series.values
    later = values[max(int(FIRST * len(values)), 1) :]
    if len(later) < FEWEST:
        return CannotTell((DISTANCE,), f"fewer than {FEWEST} points")
    nearer = bool(np.any(later < LESS * np.maximum.accumulate(later)))
    grows = float(later[-1]) > MORE * float(later[0]) and mann_kendall(later)[0] > STEADY
    if nearer or not grows:
        return None
    interval = run.config.number("target_update_interval")
    if interval is None or interval <= 1:
        return CannotTell(("target_update_interval",), "how often the target network is to be copied is not known")
    if series.last_step < DUE * interval * max(run.config.number("train_frequency") or 1.0, 1.0):
        return None
    return Finding(
        message=f"The distance between target network and online network grows from {later[0]:.3g} to {later[-1]:.3g} "
        f"and never falls, although a copy is due every {interval:,.0f} steps: the target network is not updated.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=DISTANCE, value=float(later[-1]), limit=float(later[0]), step=series.last_step),),
    )
