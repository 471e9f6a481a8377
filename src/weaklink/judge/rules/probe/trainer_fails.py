from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung, Trial
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._failures import failing, place, why


@rule("PRB120", link=Link.SYSTEM, level=Level.ERROR, on=Outcome)
def trainer_fails(outcome: Outcome) -> Answer:
    """The trainer raises, or its script ends with an error, on a tiny environment.

    ## What it sees
    A training on a probe environment raised an exception, ended with a code other than 0, or took its whole process
    down. The finding gives what was said and the innermost place in code that is not a library's.

    ## Why it is bad
    The environments are small and keep to Gymnasium's contract, and every one passes its checker. What fails on them
    is the trainer: shapes, types, a space that it does not take, a rollout that does not divide. On a real task the
    same place may wait for a rare episode to fail at.

    ## What to do
    1. Go to the place that the finding names. Episodes of one step, observations of one number and a single action are
       the corners that the first rungs reach.
    2. If the trainer takes continuous actions only, say so: `--actions continuous`, or `train.actions = "continuous"`.
    3. Of a script, read what it printed: the report names the file in which it is kept.

    ## How to prove it
    `weaklink probe TRAINER --only RUNG` with the rung that the finding names.

    ## When it is wrong
    A trainer made for one kind of space fails on another, and that is no bug. A script that evaluates or draws after
    training may fail there on a tiny environment, though its training is right. No memory left or a missing package is
    the machine's fault.

    ## References
    Practice.
    """
    return failing(outcome, ("raised", "crashed", "died"), _told)


def _told(rung: Rung, trial: Trial) -> str:
    after = f" after {trial.taken:,} steps" if trial.taken else ""
    return f"The trainer fails on {rung.environment}{after}: {why(trial)}{place(trial)}"
