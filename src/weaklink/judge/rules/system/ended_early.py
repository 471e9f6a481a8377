from __future__ import annotations

from weaklink.base.evidence.run import CUT_OFF, Run
from weaklink.judge.rules._hyperparameters import find_key
from weaklink.judge.rules.writing import LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the budget: what comes so near to it may have been ended on purpose
NEARLY = 0.9


@rule("SYS304", link=Link.SYSTEM, level=Level.INFO, on=Run, marks=("suspect",))
def ended_early(run: Run, *, nearly: float = NEARLY) -> Answer:
    """The log ends in the middle of a line, before the steps of its configuration are done.

    ## What it sees
    The last line of the log is cut off, and its last step lies below nine tenths of the steps that the configuration
    asks for. Where it lies below a third of them, the run is not called healthy.

    ## Why it is bad
    A trainer that ends by itself writes its last line whole. This one was killed (out of memory, out of disk, out of
    time), or it is still running and has not written the rest. What it would have learned is not known.

    ## What to do
    1. Look whether the process is still running. If it is, look again later.
    2. Look at the end of its console output and at the system's log for the reason that it ended for.
    3. Save checkpoints, and resume from the last one.

    ## How to prove it
    Look at the time at which the log was last written: one that grows belongs to a training that runs.

    ## When it is wrong
    Logs that are copied, or written in blocks, end in the middle of a line while the training goes on; so this is info.

    ## References
    Practice.
    """
    total = run.config.number("total_steps")
    if total is None or total <= 0 or not run.last_step:
        return CannotTell(("total_steps",), "how long the training was meant to be is not known")
    if run.last_step >= nearly * total or not any(CUT_OFF in note for note in run.notes):
        return None
    return Finding(
        message=f"The log ends in the middle of a line at step {run.last_step:,.0f}, after {run.last_step / total:.0%} "
        f"of the {total:,.0f} of {find_key(run.config, 'total_steps')}: the training was killed, or is still running.",
        confidence=LOW,
        evidence=(Evidence(metric="total_steps", value=run.last_step, limit=total),),
    )
