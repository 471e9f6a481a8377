from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._failures import failing, place, why
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB120", link=Link.SYSTEM, level=Level.ERROR, on=Outcome)
def trainer_fails(outcome: Outcome) -> Answer:
    """The trainer raises, or its script ends with an error, on a tiny environment.

    ## What it sees
    A training on a probe environment raised an exception, ended with a code other than 0, or took its whole process
    down. The finding gives the message and the innermost frame of the traceback that is not in a library.

    ## Why it is bad
    The environments are small and keep to Gymnasium's contract, and every one passes its checker. So the fault is in
    the trainer: shapes, types, an unsupported space, a rollout that does not divide. On a real task the same line may
    fail only on a rare episode.

    ## What to do
    1. Go to the line that the finding names. One-step episodes, one-dimensional observations and a single action are
       the corner cases of the first rungs.
    2. If the trainer supports only continuous actions, say so: `--actions continuous`, or `train.actions =
       "continuous"`.
    3. For a script, read its output: the report names the file.

    ## How to prove it
    `weaklink probe TRAINER --only RUNG` with the rung that the finding names.

    ## When it is wrong
    A trainer made for one kind of space fails on another, which is no bug. A script that evaluates or plots after
    training may fail there on a tiny environment, though its training is right. Running out of memory or a missing
    package is the machine's fault.

    ## References
    Practice.
    """
    return failing(outcome, ("raised", "crashed", "died"), _describe)


def _describe(rung: Rung, trial: RungTrial) -> str:
    after = f" after {trial.taken:,} steps" if trial.taken else ""
    return f"The trainer fails on {rung.environment}{after}: {why(trial)}{place(trial)}"
