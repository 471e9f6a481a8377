from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, POLICY, RANDOM, Play, Survey
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.task._standing import (
    KNOWING,
    climbed,
    duel,
    finite_returns,
    goal_reached_by,
    listed,
    reached,
    stepped,
    success_key,
    terminates,
)


@rule(
    "TSK106",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("TSK101", "TSK102", "TSK103", "TSK104", "REW301"),
)
def goal_never_visited(survey: Survey, *, episodes: int = 20, spreads: float = 5.0, left: float = 0.5) -> Answer:
    """Nobody who explores ever gets to the goal.

    ## What it sees
    The goal is where the info says so (the goal metric, or a success flag). Without one it is inferred: from a reward
    far above all others that only a given or exact policy gets, or from episodes that only such a policy brings to an
    end. Random play and the search never get there. With a trained policy given: that it gets to the goal and leaves
    it again before the episode ends.

    ## Why it is bad
    What is never seen is never learned. As long as exploration does not touch the goal, its reward does not exist for
    the learner, however large it is. A goal that is left again counts as failure wherever only the end counts.

    ## What to do
    1. Start some episodes near the goal, or make the goal larger, and shrink it later.
    2. Reward the way there with a difference of a potential, such as the distance to the goal.
    3. For goal tasks use hindsight replay: it learns from goals reached by accident.
    4. If the policy leaves the goal again, reward staying, or end the episode there.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that succeeds shows that the goal exists and pays;
    then place the start next to the goal: random play must get there.

    ## When it is wrong
    Where the reward leads the way step by step, a learner gets there although random play does not; then this is only
    worth knowing, as it is in tasks small enough to be solved exactly. Goals that come again and again (deliveries) are
    left by design.

    ## References
    Andrychowicz et al., Hindsight Experience Replay, 2017; Ecoffet et al., First Return, Then Explore, 2021.
    """
    if len(finite_returns(survey.plays.get(RANDOM))) < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    key = success_key(survey)
    if not key:
        return _inferred(survey, spreads)
    found = goal_reached_by(survey, key)
    if POLICY in found:
        return _left_again(survey, key, left)
    if RANDOM in found:
        return None
    return _unseen(survey, found, f"'{key}' is never true", MEDIUM)


def _unseen(survey: Survey, found: list[str], what: str, sure: float) -> Answer:
    """The finding, by who gets to the goal: nobody, those who know the way, or the search."""
    explorers = [name for name in found if name not in KNOWING]
    count = sum(play.episodes for name, play in survey.baselines.items() if name not in found)
    if explorers:
        known, level = f"only {listed(found)} gets there", Level.INFO
    elif found == ["tabular"]:
        known, level = "the exact answer gets there, in a task small enough to be explored at length", Level.INFO
    elif climbed(survey):
        known, level = "but the reward leads some of the way", Level.INFO
    elif found:
        known, level = f"only {listed(found)} gets there, so it can be reached", Level.WARN
    else:
        known, level = "and no other play shows that it can be reached", Level.WARN
    return Finding(
        message=f"The goal is not visited in {count} episodes ({what}); {known}.",
        level=level,
        confidence=sure if level >= Level.WARN else LOW,
        evidence=(Evidence(metric="task.goal_visits", value=0.0, limit=1.0),),
    )


def _left_again(survey: Survey, key: str, left: float) -> Answer:
    """Whether the trained policy gets to the goal and is elsewhere at the end."""
    play = survey.plays[POLICY]
    at_goal = reached(play, key)
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


def _inferred(survey: Survey, spreads: float) -> Answer:
    """The goal as those show it who know the way: a reward, or an end, that play without knowledge never meets."""
    untrained = finite_returns(survey.plays[RANDOM])
    simple = [play for name, play in survey.baselines.items() if name not in (*KNOWING, "search")]
    for name in KNOWING:
        play = survey.plays.get(name)
        held = duel(finite_returns(play), untrained)
        if play is None or held is None or not held.better:
            continue
        prize = _prize(play, simple, spreads)
        if prize is None and (not terminates(play) or any(map(terminates, simple))):
            return None
        plays = stepped(survey)
        found = [name, *(each for each in ("search", POLICY) if _meets(plays.get(each), prize))]
        what = "no episode terminates" if prize is None else f"a reward of {prize:g} and more is never paid"
        return None if POLICY in found else _unseen(survey, found, what, LOW)
    return CannotTell(
        ("goal_metric", *KNOWING), "nothing says where the goal is: no success flag, no policy that is known to do well"
    )


def _meets(play: Play | None, prize: float | None) -> bool:
    """Whether a play gets the prize or, where there is none, terminates."""
    if play is None:
        return False
    return terminates(play) if prize is None else bool((play.rewards >= prize).any())


def _prize(play: Play, others: list[Play], spreads: float) -> float | None:
    """The least of the rewards that stand far above all that was paid to the others, once an episode at most."""
    paid = np.concatenate([_finite(other.rewards) for other in others])
    own = _finite(play.rewards)
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


def _finite(values: Array) -> Array:
    return np.asarray(values[np.isfinite(values)])
