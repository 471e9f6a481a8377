from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, RANDOM, TERMINATED, Survey
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.task._standing import KNOWING, ends_better, goal_reached_by, listed, success_key, terminates


@rule("TSK104", link=Link.TASK, level=Level.INFO, on=Survey, needs=(RANDOM,), leads_to=("TSK101", "TSK102", "REW301"))
def always_truncated(survey: Survey, *, episodes: int = 10) -> Answer:
    """Every episode runs into the time limit.

    ## What it sees
    All episodes of all plays that know nothing of the task are truncated, none terminates, the search's included. It is
    an alarm where the environment can do otherwise: a policy of yours terminates and does better, or there is a goal (a
    goal in the observation, a success flag in the info) that nobody reaches. Otherwise the task has no end by design,
    and that is only worth knowing.

    ## Why it is bad
    If the way to success ends the episode, nobody has seen success. All data is of the same kind: wandering until the
    clock runs out. And where every episode is cut, a learner that treats the cut as a real end learns wrong values
    for every last state.

    ## What to do
    1. Ask how an episode should end, and check that this ever happens: a threshold may be out of reach.
    2. Give more time, or start closer to the goal.
    3. In a task without an end, make sure that the learner goes on from the last state (bootstraps) when an episode is
       truncated, and does not take it as an end.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that reaches the goal: some of its episodes must
    terminate.

    ## When it is wrong
    Goal tasks that go on after the goal is reached, so that it has to be held, never terminate by design; they are no
    alarm once anybody reaches the goal. In tasks of survival the time limit is success.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018.
    """
    explorers = {name: play for name, play in survey.baselines.items() if name not in KNOWING}
    if RANDOM not in explorers or explorers[RANDOM].episodes < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    if any(map(terminates, explorers.values())):
        return None
    ends = np.concatenate([play.ends[play.ends != CUT] for play in explorers.values()])
    if bool(np.all(ends == LIMITED)):
        return None  # there is no time limit at all
    why, level, sure = _meaning(survey)
    return Finding(
        message=f"All {len(ends)} episodes of {listed(list(explorers))} run into the time limit{why}.",
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="task.truncated_share", value=1.0, limit=1.0),),
    )


def _meaning(survey: Survey) -> tuple[str, Level, float]:
    """What it means, by what else is known of ends and goals."""
    key, ending = success_key(survey), ends_better(survey)
    found = goal_reached_by(survey, key) if key else []
    if found and not ending:
        return f", the goal is reached by {listed(found)} and does not end them", Level.INFO, MEDIUM
    if set(ending) - {"tabular"}:
        return f", although {listed(ending)} terminates and does better", Level.WARN, HIGH
    if ending:
        return ", although the exact answer to this small task terminates and does better", Level.INFO, MEDIUM
    if any(each.end in (TERMINATED, BOTH) for each in survey.endings):
        return ", although the environment was seen to terminate", Level.WARN, LOW
    if key or (survey.observation is not None and survey.observation.is_goal):
        return ", and the goal is reached in none of them", Level.WARN, MEDIUM if key else LOW
    return (
        ", and nothing says that they could end otherwise: the task has no end by design, or nobody finds it",
        Level.INFO,
        LOW,
    )
