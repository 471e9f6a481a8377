from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, POLICY, RANDOM, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.task._standing import (
    KNOWING,
    find_success_key,
    has_gradient,
    is_better,
    list_goal_plays,
    mark_goal,
    read_returns,
    select_recorded,
    terminates,
)
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "TSK106",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("TSK101", "TSK102", "TSK103", "TSK104", "REW301"),
    marks=("excused by learning",),
)
def goal_never_visited(survey: Survey, *, episodes: int = 20, spreads: float = 5.0, left: float = 0.5) -> Answer:
    """No exploring policy ever reaches the goal.

    ## What it sees
    The goal is where the info says so (the goal metric, or a success flag). Without one it is inferred: from a reward
    far above all others that only a given or exact policy gets, or from episodes that only such a policy ends. Random
    play and the search never reach it. With a trained policy given: that it reaches the goal and leaves it again before
    the episode ends.

    ## Why it is bad
    What is never seen is never learned. As long as exploration does not reach the goal, its reward does not exist for
    the learner, however large it is. A goal that is left again counts as failure wherever only the final state counts.

    ## What to do
    1. Start some episodes near the goal, or make the goal larger, and shrink it later.
    2. Reward progress with a difference of potentials, such as the distance to the goal.
    3. For goal tasks use hindsight experience replay: it learns from goals reached by accident.
    4. If the policy leaves the goal again, reward staying, or end the episode there.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that succeeds shows that the goal exists and pays;
    then place the start next to the goal: random play must reach it.

    ## When it is wrong
    Where the reward leads to the goal step by step, a learner reaches it although random play does not; then this is
    info, as it is in tasks small enough to be solved exactly. Repeated goals (deliveries) are left by design.

    ## References
    Andrychowicz et al., Hindsight Experience Replay, 2017; Ecoffet et al., First Return, Then Explore, 2021.
    """
    if len(read_returns(survey.plays.get(RANDOM))) < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    key = find_success_key(survey)
    if not key:
        return _infer_goal(survey, spreads)
    found = list_goal_plays(survey, key)
    if POLICY in found:
        return _judge_leaving(survey, key, left)
    if RANDOM in found:
        return None
    return _describe_unseen(survey, found, f"'{key}' is never true", MEDIUM)


def _describe_unseen(survey: Survey, found: list[str], what: str, sure: float) -> Answer:
    """The finding, by who reaches the goal: nobody, plays with knowledge, or the search."""
    explorers = [name for name in found if name not in KNOWING]
    count = sum(play.episodes for name, play in survey.baselines.items() if name not in found)
    ways = [one.nearest for one in survey.reached if one.nearest is not None]
    if ways:
        known, level = f"a course of about {min(ways)} steps leads there", Level.INFO
    elif explorers:
        known, level = f"it is reached by {join_names(found)} only", Level.INFO
    elif found == ["tabular"]:
        known, level = "the exact solution reaches it, in a task small enough to explore", Level.INFO
    elif has_gradient(survey):
        known, level = "the reward leads part of the way", Level.INFO
    elif found:
        known, level = f"it can be reached, but only by {join_names(found)}", Level.WARN
    else:
        known, level = "no other play shows that it can be reached", Level.WARN
    return Finding(
        message=f"The goal is never reached in {count} episodes ({what}); {known}.",
        level=level,
        confidence=sure if level >= Level.WARN else LOW,
        evidence=(Evidence(metric="task.goal_visits", value=0.0, limit=1.0),),
    )


def _judge_leaving(survey: Survey, key: str, left: float) -> Answer:
    """Whether the trained policy reaches the goal and has left it at the end."""
    play = survey.plays[POLICY]
    at_goal = mark_goal(play, key)
    whole = (play.ends != CUT) & (play.lengths > 0)
    spans = list(zip(play.starts[whole].tolist(), play.lengths[whole].tolist(), strict=True))
    visits = [(start, length) for start, length in spans if at_goal[start : start + length].any()]
    gone = sum(not at_goal[start + length - 1] for start, length in visits)
    if not visits or gone / len(visits) <= left:
        return None
    holds = survey.observation is not None and survey.observation.is_goal
    return Finding(
        message=f"The policy visits the goal in {len(visits)} of {len(spans)} episodes and has left it at the end of "
        f"{gone} of them.",
        level=Level.WARN if holds else Level.INFO,
        confidence=HIGH if holds else LOW,
        evidence=(Evidence(metric="task.goal_left_share", value=gone / len(visits), limit=left),),
    )


def _infer_goal(survey: Survey, spreads: float) -> Answer:
    """Infers the goal from plays with knowledge: a reward or a termination that the others never meet."""
    untrained = read_returns(survey.plays[RANDOM])
    simple = [play for name, play in survey.baselines.items() if name not in (*KNOWING, "search")]
    given = (name for name in KNOWING if name in survey.plays)
    name = next((name for name in given if is_better(read_returns(survey.plays[name]), untrained)), None)
    if name is None:
        why = "the goal is unknown: no success flag, and no policy that is known to do well"
        return CannotTell(("goal_metric", *KNOWING), why)
    prize = _find_prize(survey.plays[name], simple, spreads)
    if prize is None and (not terminates(survey.plays[name]) or any(map(terminates, simple))):
        return None
    plays = select_recorded(survey)
    found = [name, *(each for each in ("search", POLICY) if _meets(plays.get(each), prize))]
    what = "no episode terminates" if prize is None else f"a reward of {prize:g} or more is never paid"
    return None if POLICY in found else _describe_unseen(survey, found, what, LOW)


def _meets(play: Play | None, prize: float | None) -> bool:
    """Whether a play earns the prize or, where there is none, terminates."""
    if play is None:
        return False
    return terminates(play) if prize is None else bool((play.rewards >= prize).any())


def _find_prize(play: Play, others: list[Play], spreads: float) -> float | None:
    """The smallest of the rewards far above all that the other plays earned, paid at most once an episode."""
    paid = np.concatenate([_keep_finite(other.rewards) for other in others])
    own = _keep_finite(play.rewards)
    if not len(paid) or not len(own):
        return None
    above = np.sort(own[own > paid.max()])
    if not len(above):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        distances = np.diff(above, prepend=paid.max())
        place = int(np.argmax(distances))
        prize = float(above[place])
        spread = float(np.concatenate([paid, own[own < prize]]).std())
    seldom = len(above) - place <= len(play.lengths)
    return prize if seldom and distances[place] > spreads * spread else None


def _keep_finite(values: Array) -> Array:
    return np.asarray(values[np.isfinite(values)])
