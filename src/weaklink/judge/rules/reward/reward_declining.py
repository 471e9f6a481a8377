from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import BLOCKS, FEWEST_POINTS, LOST, MEASURES, Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.patterns import compile_late
from weaklink.base.stats import block_means, level
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import may_be_luck
from weaklink.judge.rules._jumps import OF_THE_POLICY, find_cliff, measure_jump
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 15  # points below which a fall cannot be told from noise
TOGETHER = 2  # signs of the policy that must be logged to say that it did not move
JUMP, AROUND = 4.0, 3.0  # times their usual scatter, within so many points of the fall
SURPRISE = 2.0  # times its value before: a critic's loss in a world that it does not know
NEAR, MOVED = 3, 0.1  # rows on either side of a fall, and the share of its entropy by which a policy changed there
AS_BEST, AS_GOOD = 0.5, 0.8  # of the actions, of as many before: with fewer best ones a fall may be the policy's
STAGE = compile_late(r"curricul|difficult|(?:^|[/_.])(?:stage|level|phase)(?:$|[/_.])")


@rule(
    "REW304",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(
        ("reward.episode_return", "evaluation.return", "evaluation.success_rate", "task.success_rate", "reward.mean"),
    ),
    tree=93,
    symptoms={"reward declines": 3},
    marks=("course of the return",),
)
def reward_declining(run: Run, *, budget: float = 0.3, env_steps: float = 20_000) -> Answer:
    """The return has fallen below its past level and stays there.

    ## What it sees
    The end of the run has lost a good part of what the run had gained, or lies below its start, by much more than the
    noise of the curve and than a lucky best stretch; so does its last quarter beside its best quarter, because returns
    swing. Curves are compared in blocks, so that a few bad episodes do not count. Where all that was won is lost within
    a few points, while entropy, KL and clip fraction (two of them at least) stay as they were, the environment is
    blamed: what stands between policy and task has changed. The rule does not judge before three tenths of the budget
    (20,000 steps where it is unknown).

    ## Why it is bad
    The policy was better than it is. More training makes it worse, and the last checkpoint is not the one to keep.

    ## What to do
    1. Keep the checkpoint from around the best step, not the last one.
    2. Look at entropy, KL and losses from that step on: whichever moved first is the cause.
    3. If none of them moved, compare the reward with the true task metric: the policy may have found another way to
       score.

    ## How to prove it
    Evaluate the checkpoint of the best step and the last one over 20 episodes each: the difference must exceed both
    intervals.

    ## When it is wrong
    A harder stage of a curriculum, a new opponent or a growing penalty lowers the return by design. Where a stage or
    difficulty is logged and rose around the fall, it is info only. Where the share of best actions is logged, is more
    than a half and as high as before, the world pays less for them (a drifting bandit), and nothing is said.
    Value-based learners (DQN) fluctuate for long before they settle: there the return may recover.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018.
    """
    named = [name for name in MEASURES if name in run]
    courses = list(filter(None, (measure_course(run[name]) for name in named if len(run[name]) >= FEWEST)))
    if not courses:
        missing = next(iter(named), "reward.episode_return")
        return CannotTell((missing,), f"fewer than {max(FEWEST, FEWEST_POINTS)} points")
    fallen = [course for course in courses if course.declined and not may_be_luck(run[course.metric], course)]
    if fallen and fallen[0].metric in ("reward.mean", "policy.optimal_share") and _pays_less(run):
        return None
    rewarded = fallen and fallen[0].metric == "reward.episode_return"  # then a reward that rises is no success
    if not fallen or any(course.improved for course in courses if not (rewarded and course.metric == "reward.mean")):
        return None
    if not has_come_far_enough(run, run[fallen[0].metric], budget, env_steps, updates=FEWEST):
        return CannotTell((fallen[0].metric,), "it is early: many learners get worse before they improve")
    if not _is_lost_for_long(run[fallen[0].metric]):
        return CannotTell(
            (fallen[0].metric,), "over a quarter of the log the return kept most of its gain: it may swing"
        )
    return _describe(run, fallen[0])


def _pays_less(run: Run) -> bool:
    """Whether most actions are the best there are, hardly fewer than before: then the world pays less for the best."""
    series = run.get("policy.optimal_share")
    if series is None or len(series) < FEWEST:
        return False
    top = 100.0 if series.highs.max() > 1.5 else 1.0
    last, end = level(series.values[-len(series) // 5 :]), level(series.values[-3:])
    return min(last, end) > max(AS_BEST * top, AS_GOOD * level(series.values))


def _is_lost_for_long(series: Series) -> bool:
    """Whether the last quarter of a run lost a good part of what its best quarter had won, or lies below the first."""
    means = block_means(series.values, min(len(series), BLOCKS))
    quarter = max(len(means) // 4, 2)
    smooth = np.convolve(means, np.ones(quarter) / quarter, mode="valid")
    return bool(smooth.max() - smooth[-1] > LOST * (smooth.max() - smooth[0]))


def _describe(run: Run, course: Performance) -> Finding:
    series = run[course.metric]
    gained = course.best - course.start
    began, half = _find_fall(series, course)
    below = course.final < course.start - 2 * course.noise
    harder = _find_harder_task(run, began)
    outside = "" if harder or not below else _tell_unmoved_policy(run, course)
    return Finding(
        link=Link.ENVIRONMENT if outside else Link.REWARD,
        message=f"{course.metric} falls from {course.best:.4g} around step {course.best_step:,.0f} to "
        f"{course.final:.4g} at the end"
        + (f", below the {course.start:.4g} it started at" if below else f"; {1 - course.kept:.0%} of its gain is lost")
        + (f", while {harder} rose." if harder else f"{outside}."),
        level=Level.INFO if harder else Level.WARN,
        onset=began,
        onset_within=max(series.interval, half - began),
        confidence=HIGH if course.best - course.final > max(gained, 8 * course.noise) else MEDIUM,
        evidence=(Evidence(metric=course.metric, value=course.final, limit=course.best, step=series.last_step),),
    )


def _find_fall(series: Series, course: Performance) -> tuple[float, float]:
    """The steps between which the fall began: the last near the top, and the first with half of the loss."""
    count = min(len(series), 25)
    means = block_means(series.values, count)
    ends = series.steps[((np.arange(count) + 1) * len(series)) // count - 1]
    lost = (course.best - means) / (course.best - course.final)
    low = np.flatnonzero((lost > 0.5) & (ends > course.best_step))
    half = float(ends[low[0]]) if len(low) else series.last_step
    near = ends[(lost < 0.25) & (ends < half)]
    return (float(near[-1]) if len(near) else course.best_step), half


def _tell_unmoved_policy(run: Run, course: Performance) -> str:
    """That all was lost at once and the policy did not move there, in words; nothing where it moved or is not known."""
    series = run[course.metric]
    step = find_cliff(series, course.best - course.final)
    signs = [run[name] for name in OF_THE_POLICY if name in run and len(run[name]) >= FEWEST]
    if step is None or len(signs) < TOGETHER:
        return ""
    slack = AROUND * series.interval
    if any(measure_jump(sign, step, slack, JUMP) is not None for sign in signs) or _has_decided(run, step):
        return ""
    if not _is_surprised(run, step):
        return ""
    names = ", ".join(sign.name for sign in signs)
    where = f"; it drops within a few points at step {step:,.0f}"
    return f"{where}, where {names} stay as they were: the policy did not change"


def _has_decided(run: Run, step: float) -> bool:
    """Whether the policy has become another over the rows around a step: by a tenth of its entropy."""
    entropy = run.get("exploration.entropy")
    if entropy is None:
        return False
    at = int(np.searchsorted(entropy.steps, step))
    before, after = entropy.values[max(at - NEAR, 0) : at], entropy.values[at : at + NEAR]
    if not len(before) or not len(after):
        return False
    return abs(level(after) - level(before)) > MOVED * abs(level(before))


def _is_surprised(run: Run, step: float) -> bool:
    """Whether the critic's loss is a multiple of what it was when the fall came, or no loss is logged.

    Another world pays what no value foresaw; of a policy that gets worse by itself the critic hears row by row.
    """
    loss = run.get("value.loss")
    at = 0 if loss is None else int(np.searchsorted(loss.steps, step))
    if loss is None or at < NEAR:
        return True
    usual, then = level(loss.values[max(at - 2 * NEAR, 0) : at - 1]), float(loss.values[at - 1 : at + NEAR].max())
    return then > SURPRISE * usual


def _find_harder_task(run: Run, began: float) -> str:
    """The key of a logged stage or difficulty that rose around the fall; empty where there is none."""
    known = {key: series for key, series in run.series.items() if key == "task.difficulty"}
    for key, series in {**run.unknown, **known}.items():
        if STAGE.search(key.lower()) and len(series) > 1:
            nearby = series.steps >= began - 0.05 * series.last_step
            if nearby.any() and series.values[nearby].max() > series.values[~nearby].max(initial=series.values[0]):
                return key
    return ""
