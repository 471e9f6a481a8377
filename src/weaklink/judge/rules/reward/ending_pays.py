from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, RANDOM, TERMINATED, TRUNCATED, Play, Survey
from weaklink.judge.rules.reward._plays import is_sound, mark_last_steps, mark_terminations, select_sound_baselines
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ENDS, FEWEST_STEPS = 20, 1000  # episodes that terminated, and steps that did not end one

# the share of ends that must cost more than this quantile of all other steps, and this many times the usual one: where
# it ends, it goes worst, which is said of no goal
FINED, BELOW, COSTLIER = 0.75, 0.25, 1.1

# the share of the usual cost that is left where it goes best; what falls further may fall to nothing where nobody was
FLOOR = 1 / 3

SIDE = 0.1  # the share of ends that must lie on either side of the range that is left

SAME = 1e-9  # of their size is how far costs differ by rounding

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
    Every step costs something, and episodes terminate by failing: most last rewards cost more than three quarters of
    all other steps do, and more than the usual one, or a column of the observation leaves its range there, on either
    side. Yet the episodes that terminate soonest return more than one that lasts to its time limit and earns at each
    step what the best of all steps that anybody made earns. Asked only where that is known: where costs have a floor, a
    third of the usual one or more, so that they are no distance that a controller takes to nothing; where no end pays
    more than a step, as a goal does; and where costs differ or failing has two sides, since a goal that nobody came to
    is not told by costs that are all the same.

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
    fines = np.concatenate([_read_own_rewards(play)[mark_terminations(play)] for play in plays])
    steps = np.concatenate([_read_own_rewards(play)[~mark_last_steps(play)] for play in plays])
    if len(fines) < FEWEST_ENDS or len(steps) < FEWEST_STEPS or not is_sound(steps):
        why = f"fewer than {FEWEST_ENDS} episodes terminated, or fewer than {FEWEST_STEPS:,} steps"
        return CannotTell((RANDOM,), why)
    good = float(steps.max())
    if good >= 0.0 or good * limit >= (quick := _measure_quick_return(plays)) or not _is_known(good, fines, steps):
        return None
    balanced = _leave_on_both_sides(plays)
    if not balanced and (not _are_fined(fines, steps) or np.ptp(steps) <= SAME * abs(good)):
        return None
    return Finding(
        message=f"Every step costs something: {-good:.3g} where it goes well, {-good * limit:.3g} over the {limit:,} "
        f"steps of the time limit. Episodes that terminate soonest return {quick:.3g}, their end of "
        f"{float(np.median(fines)):.3g} included: failing at once is better than playing on.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="return of ending at once", value=quick, limit=good * limit),),
    )


def _read_own_rewards(play: Play) -> Array:
    """What the environment inside of the wrappers pays: a potential that a wrapper takes back at the end is no fine."""
    raw = play.raw_rewards
    return play.rewards if raw is None or len(raw) != len(play.rewards) else raw


def _is_known(good: float, fines: Array, steps: Array) -> bool:
    """Whether the best step tells what the best policy could earn: costs have a floor, and no end is a goal."""
    return bool(good <= FLOOR * np.median(steps) and fines.max() <= good)


def _are_fined(fines: Array, steps: Array) -> bool:
    """Whether most ends cost more than most steps, and more than the usual one."""
    return float(np.mean((fines < np.quantile(steps, BELOW)) & (fines < COSTLIER * np.median(steps)))) >= FINED


def _leave_on_both_sides(plays: list[Play]) -> bool:
    """Whether episodes end where a column leaves the range of all other steps, some above it and some below.

    A goal lies somewhere; what must not be left has two sides.
    """
    known = [play for play in plays if play.successors is not None and play.successors.shape[1]]
    if not known:
        return False
    ends = [mark_terminations(play)[: play.kept] for play in known]
    last = np.concatenate([np.asarray(play.successors)[end] for play, end in zip(known, ends, strict=True)])
    inner = np.concatenate([np.asarray(play.successors)[~end] for play, end in zip(known, ends, strict=True)])
    if len(last) < FEWEST_ENDS or not len(inner):
        return False
    above, below = last > inner.max(axis=0), last < inner.min(axis=0)
    both = np.minimum(above.sum(axis=0), below.sum(axis=0)) >= SIDE * len(last)
    return bool(both.any()) and float(np.mean((above | below).any(axis=1))) >= FINED


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
