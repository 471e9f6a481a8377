from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, TERMINATED, Play, Survey
from weaklink.judge.rules._latency import find_delay, is_view_late
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

FEWEST_CHANGES = 30  # of the observation: as many that share a divisor by chance are not to be found

OFTEN, SOME = 0.9, 5  # the share of its steps at which a clock shows something new; ends that are no end of its round


@rule(
    "OBS111",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=(("latency", RANDOM),),
    leads_to=("OBS108", "OBS110", "ACT103", "ACT107", "ENV108", "TSK102", "TSK103", "TSK106"),
)
def lagging_view(survey: Survey, *, longest: float = 2.0) -> Answer:
    """Observations lag behind the state that is rewarded.

    ## What it sees
    From the same states, one single action is changed and all others stay the same. The rewards of later steps differ
    before any observation does, and in no state does an observation differ within 2 steps. So the action had acted
    already, and what is shown is older than what is paid for. In every healthy environment measured the very next
    observation differs. Or the whole observation changes at every n-th step of an episode and at no other, while
    rewards change or episodes terminate in between.

    ## Why it is bad
    The policy acts on the past, and the critic predicts the value of a state that is gone. Control that needs quick
    reactions becomes impossible, and the reward looks random.

    ## What to do
    1. Find where the observation waits: a buffer that is read at the wrong end, a frame stack of which only the oldest
       frame is returned, a sensor model, an observation computed before the simulation is stepped.
    2. If the lag is real, add the actions taken since, or use a recurrent policy.

    ## How to prove it
    Reset twice with the same seed, take the same actions except one, and compare step by step: rewards must not part
    before observations do. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    A reward that deliberately depends on something hidden, while actions reach the observed part slowly.

    ## References
    Katsikopoulos and Engelbrecht, Markov Decision Processes with Delays and Asynchronous Cost Collection, 2003;
    practice.
    """
    play = survey.plays.get(RANDOM)
    period = 0 if play is None else find_period(play)
    if period:
        return _describe_period(period)
    latency = find_delay(survey, longest)
    if latency is None or not is_view_late(latency):
        return None
    return Finding(
        message=f"A changed action changes rewards after {latency.first_paid:g} steps, but the first observation only "
        f"after {latency.first_seen:g} (limit {longest:g}; {len(latency.seen)} states): observations lag behind.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(
            Evidence(metric="observation.steps_to_effect", value=latency.first_seen, limit=longest),
            Evidence(metric="reward.steps_to_effect", value=latency.first_paid),
        ),
    )


def find_period(play: Play) -> int:
    """Every how many steps the observation changes, where something moves in between; 0 where there is no such clock.

    A world that stands still in between is shown rightly.
    """
    if play.observations is None or play.successors is None or not play.observations.shape[1]:
        return 0
    new = np.any(play.observations != play.successors, axis=1)
    times = play.time[: play.kept] + 1
    if int(new.sum()) < FEWEST_CHANGES:
        return 0
    period = int(np.gcd.reduce(times[new]))
    if period < 2 or float(new[times % period == 0].mean()) < OFTEN:
        return 0
    rewards = play.rewards[: play.kept]
    inside = np.flatnonzero((times[1:] % period != 0) & (times[1:] > 1)) + 1
    paid = bool(len(inside)) and float(np.mean(rewards[inside] != rewards[inside - 1])) > 1.0 - OFTEN
    ended = play.lengths[play.ends == TERMINATED]
    return period if paid or int(np.count_nonzero(ended % period)) >= SOME else 0


def _describe_period(period: int) -> Finding:
    return Finding(
        message=f"The observation changes at every {period}th step of an episode and stays exactly the same in "
        "between, while rewards change or episodes end there: what is shown is up to "
        f"{period - 1} step{'s' if period > 2 else ''} old.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.steps_between_changes", value=float(period), limit=1.0),),
    )
