from __future__ import annotations

from weaklink.base.evidence.run import ENDED_BY, Run
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "SYS308",
    link=Link.SYSTEM,
    level=Level.ERROR,
    on=Run,
    leads_to=("REW301", "REW302", "REW305", "TSK301", "EVA304", "POL308"),
)
def ended_by_exception(run: Run) -> Answer:
    """The training was ended by an exception.

    ## What it sees
    What the training printed ends with a traceback and the exception that nobody caught.

    ## Why it is bad
    The training did not end by itself: what it would have learned is not known, and what it has not learned yet says
    nothing about the rest of the loop. The last checkpoint may be old.

    ## What to do
    1. Read the traceback, which names the line.
    2. Of memory: lower the size of the replay buffer, of the batch or of the number of environments.
    3. Save checkpoints, and resume from the last one.

    ## How to prove it
    Run again with the same seed: it ends at the same place where the program is wrong, at another one where the machine
    is.

    ## When it is wrong
    Output of a program that prints its traceback after all the work is done, in cleaning up.

    ## References
    Practice.
    """
    if not run.series:
        return CannotTell(("any metric",))
    note = next((note for note in run.notes if note.startswith(ENDED_BY)), None)
    if note is None:
        return None
    return Finding(
        message=f"The training ends at step {run.last_step:,.0f} with {note.removeprefix(ENDED_BY).strip()}, which "
        "nothing caught.",
        confidence=HIGH,
        evidence=(Evidence(metric="last step", value=run.last_step),),
    )
