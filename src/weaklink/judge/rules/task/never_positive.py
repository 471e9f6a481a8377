from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import EXPERTS, GIVEN, LIMITED, RANDOM, TRUNCATED, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.task._standing import FEWEST, read_returns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EQUAL = 1e-9  # returns that differ by a smaller share are equal but for rounding


@rule(
    "TSK103",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM, EXPERTS),
    leads_to=("TSK101", "TSK102", "OBS108", "REW301"),
    marks=("excused by learning",),
)
def never_positive(survey: Survey, *, episodes: int = 20) -> Answer:
    """No baseline ever does better than the lowest return.

    ## What it sees
    Every episode of every baseline, including the search for a better policy, has the same return; or none does better
    than an episode in which nothing happens until the time limit.

    ## Why it is bad
    A learner improves by comparing better with worse. Where no episode is better than another, there is nothing to
    compare, and the gradient is noise. Random exploration has to find the first success by luck, and a search over
    whole policies did not find it either.

    ## What to do
    1. Start episodes close to the goal and move the start away as the policy improves.
    2. Add a reward for progress (a difference of potentials, so that the optimal policy stays the same).
    3. Check with a hand-written policy that the goal can be reached at all and pays.
    4. If the reward must stay as it is, use demonstrations, hindsight goals or a bonus for new states.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that you know to succeed: if it does better, the
    task is only hard to explore; if not, the reward or the environment is broken.

    ## When it is wrong
    The search is short and uninformed. A task that a patient learner solves by luck after a million steps (mountain
    car) may look like this. Where standing still is the right answer, nothing does better than it.

    ## References
    Andrychowicz et al., Hindsight Experience Replay, 2017; Florensa et al., Reverse Curriculum Generation, 2017.
    """
    baselines = {name: read_returns(play) for name, play in survey.baselines.items()}
    baselines = {name: returns for name, returns in baselines.items() if len(returns)}
    if len(baselines.get(RANDOM, ())) < episodes or not set(EXPERTS) & set(baselines):
        return CannotTell((RANDOM, "search"), f"fewer than {episodes} whole episodes, or no expert with one")
    returns = np.concatenate(list(baselines.values()))
    worst, best = float(returns.min()), float(returns.max())
    tolerance = EQUAL * max(abs(worst), abs(best))
    idle = max((pay for play in survey.baselines.values() if (pay := _measure_idle(play)) is not None), default=-np.inf)
    same = best - worst <= tolerance
    if not same and best > idle + tolerance:
        return None
    ways = [one.nearest for one in survey.reached if one.prize > 0.0]
    floor = "the return of every episode" if same else "the return of waiting for the time limit"
    return Finding(
        message=f"None of {len(returns)} episodes of {join_names(baselines)} does better than {best:.4g}, {floor}"
        f"{f'; a course of about {ways[0]} steps does' if ways else ''}.",
        level=Level.INFO if ways else Level.WARN,
        confidence=HIGH if set(GIVEN) & set(baselines) else MEDIUM,
        evidence=(Evidence(metric="reward.episode_return", value=best, limit=max(worst, idle)),),
    )


def _measure_idle(play: Play) -> float | None:
    """The return of an episode in which nothing happens until the time limit, where that is constant; else None."""
    pays = []
    for start, length, end in zip(play.starts.tolist(), play.lengths.tolist(), play.ends.tolist(), strict=True):
        rewards = play.rewards[start : start + length]
        quiet = length > 0 and bool(np.all(rewards == rewards[0]))
        # an episode that the survey itself ended could have continued: only a zero return would not change
        if quiet and (rewards[0] == 0.0 or (end == TRUNCATED and rewards[0] < 0.0)) and end in (TRUNCATED, LIMITED):
            pays.append(float(rewards[0]) * length)
    return pays[0] if len(pays) >= FEWEST and max(pays) - min(pays) <= EQUAL * abs(pays[0]) else None
