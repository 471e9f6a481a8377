from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._failures import failing, place, why
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB121", link=Link.SYSTEM, level=Level.ERROR, on=Outcome)
def trainer_hangs(outcome: Outcome) -> Answer:
    """A training on a tiny environment does not finish.

    ## What it sees
    A training was still running at its timeout (`--timeout`) and was killed, with everything that it had started. The
    finding says how many steps it had made by then, as far as that is known, and where it was.

    ## Why it is bad
    A few thousand steps of an environment that costs nothing take seconds. A trainer that does not finish them waits
    for something that never happens, does not count its steps, or is so slow that no real task can be trained with it.

    ## What to do
    1. Few steps and the same place every time: look there for a lock, a queue, a worker that died, or a loop that waits
       for an episode to become longer.
    2. As many steps as were asked for or more: the loop does not stop. Look at its stopping condition, and whether
       steps are counted over all members of a vector environment.
    3. The step count still grows: it is slow. Raise `--timeout` or lower `--steps`, and look at what is done each step.

    ## How to prove it
    `weaklink probe TRAINER --only RUNG --seeds 1 --timeout 60` with the rung that the finding names.

    ## When it is wrong
    A trainer that compiles its networks first, a machine that is busy with other work, or an algorithm that makes
    hundreds of updates for each step can need a longer timeout.

    ## References
    Practice.
    """
    return failing(outcome, ("hung",), _describe)


def _describe(rung: Rung, trial: RungTrial) -> str:
    return f"The training on {rung.environment} did not finish: {why(trial)}{place(trial)}"
