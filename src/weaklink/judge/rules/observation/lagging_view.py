from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._latency import find_delay, is_view_late
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule


@rule(
    "OBS111",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("latency",),
    leads_to=("OBS108", "OBS110", "ACT103", "ENV108", "TSK102", "TSK103", "TSK106"),
)
def lagging_view(survey: Survey, *, longest: float = 2.0) -> Answer:
    """Observations lag behind the state that is rewarded.

    ## What it sees
    From the same states, one single action is changed and all others stay the same. The rewards of later steps differ
    before any observation does, and in no state does an observation differ within 2 steps. So the action had acted
    already, and what is shown is older than what is paid for. In every healthy environment measured the very next
    observation differs.

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
