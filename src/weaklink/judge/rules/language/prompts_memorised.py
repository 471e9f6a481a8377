from __future__ import annotations

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import is_language_run
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

TESTED = ("evaluation.return", "evaluation.score", "evaluation.success_rate")

# evaluations, and points of the reward of training
FEWEST, FEWEST_PAID = 8, 15


@rule(
    "LLM362",
    link=Link.DATA,
    level=Level.WARN,
    needs=("reward.mean", TESTED),
    symptoms={"evaluation worse than training": 4},
)
def prompts_memorised(run: Run, *, solved: float = 0.9, apart: float = 0.4) -> Answer:
    """The prompts of training are solved and those of the evaluation no better than at first.

    ## What it sees
    In the training of a language model with rewards from 0 to 1, the reward of training stays above 0.9, while no
    evaluation is better in its second half than the best of its first half and all stay 0.4 and more below.

    ## Why it is bad
    The model has learned its prompts by heart: there are too few of them, or they are drawn again and again. What it
    learned says nothing about other prompts, and nothing is left to learn from.

    ## What to do
    1. Count the different prompts of training, and how often each was drawn.
    2. Compare one prompt of training with one of the evaluation, in the form in which the model gets them.
    3. Use more prompts, and stop by the evaluation.

    ## How to prove it
    Evaluate on a hundred fresh prompts of the kind that training has: the reward must be that of training.

    ## When it is wrong
    An evaluation of another, much harder task, or one that is scored more strictly than training.

    ## References
    Zhang et al., A Study on Overfitting in Deep Reinforcement Learning, 2018.
    """
    paid, tested = run["reward.mean"], [run[name] for name in TESTED if name in run and len(run[name]) >= FEWEST]
    if not is_language_run(run) or not tested or len(paid) < FEWEST_PAID:
        return CannotTell(TESTED[:1], f"fewer than {FEWEST} evaluations of a language model")
    course, now = measure_course(paid), level(paid.values[len(paid) // 2 :])
    in_range = all(series.lows.min() >= 0.0 and series.highs.max() <= 1.0 for series in (paid, *tested))
    if course is None or not in_range or now < solved:
        return None
    late = [series.values[len(series) // 2 :] for series in tested]
    early = [series.values[: len(series) // 2] for series in tested]
    gained = any(level(after) > before.max() for after, before in zip(late, early, strict=True))
    best = max(float(after.max()) for after in late)
    if gained or best > now - apart:
        return None
    above = paid.steps[paid.values >= solved]
    step = float(above[0]) if len(above) else paid.first_step
    return Finding(
        message=f"reward.mean is {now:.3g} in training, and {tested[0].name} {level(late[0]):.3g} and no better than "
        "at first: the prompts of training were memorised.",
        onset=step,
        onset_within=paid.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=paid.name, value=now, limit=solved, step=step),
            Evidence(metric=tested[0].name, value=level(late[0]), limit=now - apart, step=tested[0].last_step),
        ),
    )
