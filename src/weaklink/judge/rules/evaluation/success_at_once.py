from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import start_of
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EVALUATED, TRAINED = "evaluation.success_rate", "task.success_rate"

# evaluations: a policy that succeeds in nine of ten episodes has so many without a failure by chance
FEWEST = 10

# of the run: an evaluation that comes later may be of a policy that has learned
AT_ONCE = 0.05


@rule(
    "EVA307",
    link=Link.EVALUATION,
    level=Level.WARN,
    needs=(EVALUATED, TRAINED),
    symptoms={"evaluation worse than training": 5},
)
def success_at_once(run: Run, *, most: float = 0.5) -> Answer:
    """Every evaluation is a full success from the first one on, before anything was learned.

    ## What it sees
    The success rate of the evaluations is exactly 100 % in all of them, the first of which comes within the first
    twentieth of the run, while fewer than half of the training episodes succeed at first and more and more do later.

    ## Why it is bad
    The policy cannot yet do what the evaluation says that it does. So it counts something else, and neither checkpoints
    nor the end of the training should be chosen by it.

    ## What to do
    1. Check what counts as a success: an episode that was cut off by the time limit is none, nor is one that merely
       ended.
    2. Read the flag from the `info` of the last step, and before the reset.
    3. Evaluate a policy that acts at random: its success must be about that of the first training episodes.

    ## How to prove it
    Evaluate random actions over 20 episodes: a full success again shows that the count is wrong.

    ## When it is wrong
    A policy that fails by its exploration alone, and not at all without it, from the first update on.

    ## References
    Practice.
    """
    evaluated, trained = run[EVALUATED], run[TRAINED]
    course = measure_course(trained)
    if min(len(evaluated), len(trained)) < FEWEST or course is None:
        return CannotTell((EVALUATED,), f"fewer than {FEWEST} evaluations")
    top = 100.0 if max(evaluated.highs.max(), trained.highs.max()) > 1.5 else 1.0
    always = bool(np.all(evaluated.lows == top) and np.all(evaluated.highs == top))
    began = start_of(trained.values) / top
    if not always or run.progress(EVALUATED, evaluated.first_step) > AT_ONCE or began >= most or not course.improved:
        return None
    ends = level(trained.values[-max(len(trained) // 5, 3) :]) / top
    return Finding(
        message=f"All {len(evaluated)} evaluations report full success from step {evaluated.first_step:,.0f} on, while "
        f"{began:.0%} of the training episodes succeed at first and {ends:.0%} at the end: the evaluation counts "
        "something else as success.",
        onset=evaluated.first_step,
        onset_within=evaluated.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric=EVALUATED, value=top, step=evaluated.first_step),
            Evidence(metric=TRAINED, value=began * top, limit=most * top, step=trained.first_step),
        ),
    )
