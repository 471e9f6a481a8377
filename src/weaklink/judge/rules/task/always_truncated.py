from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, RANDOM, TERMINATED, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.task._standing import (
    KNOWING,
    find_success_key,
    list_better_endings,
    list_goal_plays,
    terminates,
)
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule("TSK104", link=Link.TASK, level=Level.INFO, on=Survey, needs=(RANDOM,), leads_to=("TSK101", "TSK102", "REW301"))
def always_truncated(survey: Survey, *, episodes: int = 10) -> Answer:
    """Every episode ends at the time limit.

    ## What it sees
    All episodes of all plays without knowledge of the task, including the search, are truncated; none terminates. It is
    a warning where the environment can do otherwise: a policy that you gave terminates and does better, or there is a
    goal that nobody reaches, by a success flag in the info or, where the observation has a goal, because all steps are
    paid the same. Otherwise the task has no end by design, and that is info.

    ## Why it is bad
    If success ends the episode, nobody has seen success. All data is of the same kind: wandering until the time limit.
    And where every episode is truncated, a learner that treats truncation as termination learns a wrong value for every
    last state.

    ## What to do
    1. Ask how an episode should end, and check that this ever happens: a threshold may be out of reach.
    2. Raise the time limit, or start closer to the goal.
    3. In a task without an end, make sure that the learner bootstraps from the last state when an episode is truncated.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that reaches the goal: some of its episodes must
    terminate.

    ## When it is wrong
    Goal tasks that continue after the goal is reached, so that it has to be held, never terminate by design; they are
    not reported once any play reaches the goal. In survival tasks the time limit is success.

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
        return None  # there is no time limit
    why, level, sure = _explain(survey)
    return Finding(
        message=f"All {len(ends)} episodes of {join_names(explorers)} end at the time limit{why}.",
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="task.truncated_share", value=1.0, limit=1.0),),
    )


def _explain(survey: Survey) -> tuple[str, Level, float]:
    """What it means: the first explanation that fits what else is known of ends and goals."""
    key, ending = find_success_key(survey), list_better_endings(survey)
    found = list_goal_plays(survey, key) if key else []
    is_goal = survey.observation is not None and survey.observation.is_goal
    ended = any(each.end in (TERMINATED, BOTH) for each in survey.endings)
    explanations = (
        (found and not ending, f", and {join_names(found)} play continues at the goal", Level.INFO, MEDIUM),
        (
            set(ending) - {"tabular"},
            f", although episodes of {join_names(ending)} terminate and do better",
            Level.WARN,
            HIGH,
        ),
        (ending, ", although the exact solution of this small task terminates and does better", Level.INFO, MEDIUM),
        (ended, ", although the environment was seen to terminate", Level.WARN, LOW),
        (key, ", and none of them reaches the goal", Level.WARN, MEDIUM),
        (is_goal and _pays_alike(survey), ", and no step is paid as if it reached the goal", Level.WARN, LOW),
        (is_goal, ", and nothing tells whether they reach the goal: put is_success into the info", Level.INFO, LOW),
        (
            True,
            ", and nothing shows that they could terminate: the task has no end by design, or nobody finds it",
            Level.INFO,
            LOW,
        ),
    )
    return next((words, level, sure) for fits, words, level, sure in explanations if fits)


def _pays_alike(survey: Survey) -> bool:
    """Whether each step of each play pays the same, so that a goal that is paid for was never reached."""
    rewards = np.concatenate([play.rewards for play in survey.baselines.values()])
    return bool(np.ptp(rewards) == 0.0)
