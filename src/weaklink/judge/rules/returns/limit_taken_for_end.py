from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import never_ends
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule

STORED, ENDED, CUT = "data.terminal_fraction", "task.terminations", "task.truncations"

# times one end an episode: how far the share of ends in a batch may be from it
ABOUT = 3.0


@rule(
    "RET303",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=(STORED,),
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def limit_taken_for_end(run: Run, *, share: float = 0.5) -> Answer:
    """Sampled transitions count as ends of episodes although no episode ever ended by itself.

    ## What it sees
    The log has the share of ends among the sampled transitions, and it is above 0 in most rows, about one in the length
    of an episode; and the environment never ended an episode: its terminations are logged and are 0 throughout, or the
    task of that name has no end. It is a warning where the name of the column speaks of terminals, or where the return
    does not improve; a share of `done` beside a rising return is info, since it may count truncations that targets
    leave out.

    ## Why it is bad
    After a time limit the world goes on, so the value of the next state belongs into the target. Taken for an end, it
    tells the critic that the same state is worth everything or nothing, depending on a clock that it does not see.

    ## What to do
    1. Store `terminated` alone, never `terminated or truncated`, and multiply the next value by what it says.
    2. Vector environments hand out the first observation of the next episode: take the last one from `info`.

    ## How to prove it
    Train on the task without a time limit of its own, once with the flag as it is and once with truncations left out.

    ## When it is wrong
    A log that counts truncations among terminals while the targets leave them out.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018.
    """
    stored, ended, cut = run[STORED], run.get(ENDED), run.get(CUT)
    counted = ended is not None and cut is not None and len(ended) >= FEWEST and float(cut.values.sum()) > 0
    endless = never_ends(str(run.config.values.get("environment", "")))
    if len(stored) < FEWEST or not (counted or endless):
        return CannotTell((ENDED,), "whether the task ever ends an episode is not known")
    if counted and ended is not None and float(ended.highs.max()) > 0:
        return None
    lengths = run.get("task.episode_length")
    held, usual = level(stored.values), 0.0 if lengths is None else 1.0 / max(level(lengths.values), 1.0)
    if float(np.mean(stored.values > 0)) <= share or held <= 0 or (usual and not 1 / ABOUT < held / usual < ABOUT):
        return None
    course = run.performance
    sure = "termin" in stored.provenance.key.lower() or course is None or not course.improved
    told = "the time limit is taken for an end" if sure else "if targets go by it, the time limit is taken for an end"
    return Finding(
        message=f"{held:.2%} of the sampled transitions count as the end of an episode, although the task ended none: "
        f"{told}, and no value is added after it.",
        level=Level.WARN if sure else Level.INFO,
        onset=stored.first_step,
        onset_within=stored.interval,
        confidence=HIGH if sure else LOW,
        evidence=(Evidence(metric=STORED, value=held, limit=0.0, step=stored.first_step),),
    )
