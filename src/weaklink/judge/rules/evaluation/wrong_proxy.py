from __future__ import annotations

from weaklink.base.evidence.performance import Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_first_lasting
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

REWARDS = ("reward.episode_return", "reward.mean")
TRUTHS = (
    "evaluation.score",
    "reward.human_score",
    "evaluation.success_rate",
    "evaluation.win_rate",
    "task.success_rate",
)

FEWEST = 10  # points below which neither noise nor trend can be estimated


@rule(
    "EVA305",
    link=Link.EVALUATION,
    level=Level.INFO,
    on=Run,
    needs=(REWARDS, TRUTHS),
    symptoms={"high reward, bad behaviour": 6},
)
def wrong_proxy(run: Run) -> Answer:
    """The reward falls while the true score rises: the reward is wrong.

    ## What it sees
    The training reward falls beyond its noise over the run, and a held-out score, a human judgement or a success rate
    rises beyond its noise.

    ## Why it is bad
    The two should move together. If the policy gets better at the task while it earns less, the reward pays for
    something else, and stopping the run because of its falling reward would throw the better policy away.

    ## What to do
    1. Choose checkpoints by the score, not by the reward, and do not stop the run because of its reward.
    2. Read samples from before and after: what did the policy give up that the reward paid for?
    3. Fix the reward, then check its correlation with the score on existing samples.

    ## How to prove it
    Score 50 samples of an early and of a late checkpoint by hand, without knowing which is which: the late ones must
    win if the score is right.

    ## When it is wrong
    Rewards whose scale changed during training (a curriculum, a growing penalty, a harder data set) fall for that
    reason. A score that was used to choose settings rises by selection.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022.
    """
    reward, truth = run.get(*REWARDS), run.get(*TRUTHS)
    pairs = ((reward, REWARDS[0]), (truth, TRUTHS[0]))
    short = next((name for series, name in pairs if series is None or len(series) < FEWEST), None)
    if short is not None or reward is None or truth is None:
        return CannotTell((short or "",), f"fewer than {FEWEST} points")
    paid, scored = measure_course(reward), measure_course(truth)
    if paid is None or scored is None or not (_falls(paid) and scored.improved and scored.trend.rises):
        return None
    begin = find_first_lasting(reward.values < paid.start - 0.25 * (paid.start - paid.final)) or 0
    step = float(reward.steps[begin])
    return Finding(
        message=f"{reward.name} falls from {paid.start:,.4g} to {paid.final:,.4g} from step {step:,.0f} on while "
        f"{truth.name} rises from {scored.start:,.4g} to {scored.final:,.4g}.",
        onset=step,
        onset_within=reward.interval,
        confidence=MEDIUM if truth.name in TRUTHS[:2] else LOW,
        evidence=(
            Evidence(metric=reward.name, value=paid.final, limit=paid.start, step=reward.last_step),
            Evidence(metric=truth.name, value=scored.final, limit=scored.start, step=truth.last_step),
        ),
    )


def _falls(course: Performance) -> bool:
    """Whether a reward falls by more than three times its noise."""
    return course.declined and course.trend.falls and course.start - course.final > 3 * course.noise
