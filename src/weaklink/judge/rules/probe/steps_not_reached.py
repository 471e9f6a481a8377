from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._failures import failing
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB123", link=Link.DATA, level=Level.ERROR, on=Outcome)
def steps_not_reached(outcome: Outcome) -> Answer:
    """The training finishes without an error, long before the steps that it was given.

    ## What it sees
    The probe environments count their steps. A training finished without an error and had made fewer than half of the
    steps it was asked for.

    ## Why it is bad
    An unused budget looks like an algorithm that learns slowly. Often steps are counted wrongly, and then every
    schedule that depends on them is wrong as well: learning rate, exploration, evaluation.

    ## What to do
    1. Look at the size of one rollout: where steps times environments is more than the budget, the budget may round
       down to no rollout at all. Raise `--steps`, or give the script a smaller rollout.
    2. Look at what is counted: steps of one environment or of all, updates, episodes, frames before a frame skip.
    3. Look for what ends a training early: a solved-reward threshold, early-stopping patience, a maximum number of
       episodes.

    ## How to prove it
    `weaklink probe TRAINER --only RUNG --steps N` with an N of several rollouts.

    ## When it is wrong
    A script may stop on purpose when the return no longer rises; on environments this small it does so at once.

    ## References
    Practice.
    """
    return failing(outcome, ("short",), _describe)


def _describe(rung: Rung, trial: RungTrial) -> str:
    return f"The training on {rung.environment} ended after {trial.taken:,} of {trial.steps:,} steps"
