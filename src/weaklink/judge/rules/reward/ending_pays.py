from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import CUT, RANDOM, TERMINATED, TRUNCATED, Play, Survey
from weaklink.judge.rules.reward._plays import is_sound, mark_last_steps, mark_terminations, select_sound_baselines
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ENDS, FEWEST_STEPS = 20, 1000  # episodes that terminated, and steps that did not end one

# what a step earns where all goes well: the best twentieth of all steps that any policy made
GOES_WELL = 0.95

# the share of ends that must cost more than this quantile of all other steps, and this many times the usual one: where
# it ends, it goes worst, which is said of no goal
FINED, BELOW, COSTLIER = 0.75, 0.25, 1.1

QUICK = 0.25  # the shortest quarter of the episodes that terminated shows what ending at once returns


@rule(
    "REW115",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("TSK101", "TSK102", "TSK103", "TSK105", "ENV108"),
)
def ending_pays(survey: Survey) -> Answer:
    """Failing at once returns more than playing on as well as anybody does.

    ## What it sees
    Every step costs something, and episodes terminate where it goes worst: most last rewards cost more than three
    quarters of all other steps do, and more than the usual one. Yet the episodes that terminate soonest return more
    than an episode that lasts to its time limit and earns at each step what the best twentieth of all steps earn.

    ## Why it is bad
    The best policy is the one that fails as fast as it can. A learner finds it, the return rises, episodes get shorter
    and shorter, and nothing in the curves says that the task is not being learned.

    ## What to do
    1. Pay for staying alive or for progress, so that a good step earns something, or make the fine larger than the
       whole cost of an episode that goes well.
    2. Multiply it out: the cost of a good step times the time limit, against the fine.

    ## How to prove it
    `weaklink preflight ENV --select REW115` after the change.

    ## When it is wrong
    Where far better steps exist than any that were seen: with a policy of yours (`--automaton`) it is judged by those.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016, section 4; practice.
    """
    plays = [play for play in select_sound_baselines(survey).values() if not play.returns_only]
    limit = _find_limit(survey, plays)
    if not plays or limit is None:
        return CannotTell((RANDOM,), "too few whole episodes with finite rewards, or no time limit is known")
    fines = np.concatenate([play.rewards[mark_terminations(play)] for play in plays])
    steps = np.concatenate([play.rewards[~mark_last_steps(play)] for play in plays])
    if len(fines) < FEWEST_ENDS or len(steps) < FEWEST_STEPS or not is_sound(steps):
        why = f"fewer than {FEWEST_ENDS} episodes terminated, or fewer than {FEWEST_STEPS:,} steps"
        return CannotTell((RANDOM,), why)
    good = float(np.quantile(steps, GOES_WELL))
    fined = float(np.mean((fines < np.quantile(steps, BELOW)) & (fines < COSTLIER * np.median(steps))))
    quick = _measure_quick_return(plays)
    if good >= 0.0 or fined < FINED or good * limit >= quick:
        return None
    return Finding(
        message=f"Every step costs something: {-good:.3g} where it goes well, {-good * limit:.3g} over the {limit:,} "
        f"steps of the time limit. Episodes that terminate soonest return {quick:.3g}, their end of "
        f"{float(np.median(fines)):.3g} included: failing at once is better than playing on.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="return of ending at once", value=quick, limit=good * limit),),
    )


def _find_limit(survey: Survey, plays: list[Play]) -> int | None:
    """The time limit: the declared one, or the longest episode that was truncated."""
    declared = survey.facts.get("max_episode_steps")
    if isinstance(declared, int) and declared > 0:
        return declared
    cut = [int(play.lengths[play.ends != TERMINATED].max(initial=0)) for play in plays]
    return max(cut, default=0) or None


def _measure_quick_return(plays: list[Play]) -> float:
    """The median return of the shortest episodes that terminated."""
    over = [play.ends[play.ends != CUT] != TRUNCATED for play in plays]
    lengths = np.concatenate([play.ended_lengths[ends] for play, ends in zip(plays, over, strict=True)])
    returns = np.concatenate([play.returns[ends] for play, ends in zip(plays, over, strict=True)])
    return float(np.median(returns[lengths <= np.quantile(lengths, QUICK)]))
