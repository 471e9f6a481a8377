from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SIZE = "data.buffer_size"

# steps of a log that is long enough for what it forgets to matter
LONG = 2_000.0


@rule(
    "DAT305",
    link=Link.DATA,
    level=Level.WARN,
    needs=(SIZE,),
    leads_to=(*BEARS_OUT, "RET306", "VAL304"),
)
def hardly_any_replay(run: Run, *, share: float = 0.05, most: float = 1000.0) -> Answer:
    """The replay buffer holds only the last moments.

    ## What it sees
    The number of transitions in the buffer is one and the same from the first row to the last, at most 1,000 and less
    than a twentieth of the steps that were collected by the end, and the return does not improve.

    ## Why it is bad
    Neighbouring transitions are alike, and a network that sees nothing else forgets what it knew of all other states.
    Values chase the latest episode, and the return swings or falls.

    ## What to do
    1. Look for a buffer that is emptied after each update, or that is made anew at each episode.
    2. Raise its size to a tenth of the budget or more.
    3. Check that it counts transitions and not episodes or batches.

    ## How to prove it
    Run with a buffer of 50,000 transitions and nothing else changed: the return must fall less often.

    ## When it is wrong
    Learners that replay nothing on purpose, such as SARSA with traces, have no buffer to log. Where the return improves
    nothing is said.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015; Fedus et al., 2020.
    """
    size = run[SIZE]
    if len(size) < FEWEST or run.performance is None:
        return CannotTell((SIZE,), f"fewer than {FEWEST} points, or no return to compare with")
    steps = run.get("system.env_steps")
    collected = size.last_step if steps is None else float(steps.values[-1])
    held = float(size.values[-1])
    still = float(np.ptp(size.values[1:])) == 0
    if not still or held > min(most, share * collected) or collected < LONG or has_improved(run):
        return None
    return Finding(
        message=f"The replay buffer holds {held:,.0f} transitions in all rows, {held / collected:.1%} of the "
        f"{collected:,.0f} steps that were collected, and {run.performance.told}.",
        onset=size.first_step,
        onset_within=size.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=SIZE, value=held, limit=min(most, share * collected), step=size.last_step),),
    )
