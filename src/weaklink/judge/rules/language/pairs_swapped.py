from __future__ import annotations

from weaklink.base.evidence.performance import LOST, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LEARNED, SCORE = "reward.pair_accuracy", ("evaluation.score", "evaluation.success_rate")
CHOSEN, REJECTED = "policy.log_prob_chosen", "policy.log_prob_rejected"


@rule(
    "LLM378",
    link=Link.DATA,
    level=Level.WARN,
    needs=(LEARNED, SCORE),
    leads_to=("EVA305", "REW304", "LLM311"),
)
def pairs_swapped(run: Run, *, learned: float = 0.6, left: float = 0.5) -> Answer:
    """The better the preferences are learned, the worse the answers: chosen and rejected seem to be exchanged.

    ## What it sees
    Six tenths of the pairs and more are told right at the end, and the score of an evaluation, which never rose above
    its start, has lost half of it and more. That the untrained model already found the rejected answers likelier is
    said as well.

    ## Why it is bad
    Pairs that say which answer is better make answers better, if anything. Where the training succeeds by its own
    measure and the answers get worse from its first steps on, it learns to prefer the worse ones.

    ## What to do
    1. Read ten pairs: is the chosen answer the better one?
    2. Look at where the columns are named: an index of the winner that counts from 1, a score for which less is better.
    3. `weaklink audit` on the pairs compares them with scores and references, where there are any.

    ## How to prove it
    Train a few hundred steps with both columns exchanged: the score must rise.

    ## When it is wrong
    Preferences for something that the evaluation does not measure, such as a style, can cost correctness too. Training
    that goes on for too long loses what it had won first; here nothing was won.

    ## References
    Rafailov et al., Direct Preference Optimization, 2023; Razin et al., Unintentional Unalignment, 2024.
    """
    pairs, score = run[LEARNED], run.get(*SCORE)
    assert score is not None
    course = measure_course(score)
    if len(pairs) < FEWEST or course is None:
        return CannotTell((score.name,), f"fewer than {FEWEST} points")
    ends = level(pairs.values[-max(len(pairs) // 5, 3) :])
    top = 100.0 if pairs.highs.max() > 1.5 else 1.0
    won = course.best - course.start > LOST * (course.start - course.final)
    if ends < learned * top or not course.declined or won or course.final > left * course.start:
        return None
    before = _prefers_rejected(run)
    told = ", and the untrained model found the rejected answers likelier" if before else ""
    return Finding(
        message=f"{ends / top:.0%} of the pairs are ranked correctly at the end while {course.metric} falls from "
        f"{course.start:.3g} to {course.final:.3g} and never rises{told}: chosen and rejected may be exchanged.",
        onset=score.first_step,
        onset_within=course.best_step - score.first_step + score.interval,
        confidence=HIGH if before else MEDIUM,
        evidence=(
            Evidence(metric=score.name, value=course.final, limit=left * course.start, step=score.last_step),
            Evidence(metric=LEARNED, value=ends, limit=learned * top, step=pairs.last_step),
        ),
    )


def _prefers_rejected(run: Run) -> bool:
    """Whether the first rows say that rejected answers are likelier."""
    chosen, rejected = run.get(CHOSEN), run.get(REJECTED)
    return chosen is not None and rejected is not None and level(chosen.values[:3]) < level(rejected.values[:3])
