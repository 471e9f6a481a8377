from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, GIVEN, RANDOM, TERMINATED, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._task_metric import SUCCESS
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW101",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW102", "REW103", "REW105", "REW107", "TSK101", "TSK102", "TSK103", "ENV108", "OBS108", "REW301"),
    checks={"reward histogram": "decides"},
)
def all_zero(survey: Survey, *, steps: int = 500, episodes: int = 20) -> Answer:
    """Every reward is zero, whatever the actions.

    ## What it sees
    Over the whole survey no policy ever got a reward other than zero: not random play, not the zero action, not the
    search for a better policy, not a policy that you gave. Components that are not zero, an inner reward that a wrapper
    drops, and successes without reward are named. Where every step of every policy is a success, the task is at fault.

    ## Why it is bad
    Nothing can be learned from it. Every policy is as good as every other, and the policy moves by noise alone.

    ## What to do
    1. Print the reward inside `step` where it is computed, and where it is returned.
    2. Look for integer division, a variable that is set too late, and a wrapper that replaces the reward.
    3. If only a goal that nobody reached is rewarded, give a policy that reaches it, start episodes nearer to the goal,
       or shape the reward with a potential.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that should earn something: if it earns nothing,
    the reward is broken.

    ## When it is wrong
    Where only a distant goal is rewarded (mazes with keys and doors), no baseline may have reached it. The rule then
    only warns if every episode ran into its time limit or the environment declares a goal: a reward threshold, a goal
    in the observation, an info key for success. An environment without a reward, for imitation or exploration, is
    intended.

    ## References
    Practice; Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    rewards = survey.rewards
    if len(rewards) < steps:
        return CannotTell((RANDOM,), f"fewer than {steps} steps")
    if np.any(rewards != 0.0):
        return None
    solved = next((key for key in (survey.goal_metric, *SUCCESS) if _is_always_true(survey, key)), None)
    if solved is not None:
        return _describe_solved(survey, solved)
    proof = _find_proof(survey)
    given = bool(set(GIVEN) & set(survey.plays))
    unmet = not proof and not given and (_declares_goal(survey) or not _has_termination(survey))
    if unmet and len(survey.plays) == 1 and sum(play.episodes for play in survey.plays.values()) < episodes:
        return CannotTell(("search",), f"random play alone was seen, in fewer than {episodes} episodes")
    doubt = ": the reward is not connected, or no policy reached what is rewarded" if unmet else ""
    return Finding(
        message=f"All {len(rewards):,} rewards of {join_names(survey.plays)} are zero{proof or doubt}.",
        level=Level.WARN if unmet else Level.ERROR,
        confidence=HIGH if proof or given else MEDIUM,
        evidence=(Evidence(metric="reward.nonzero_fraction", value=0.0, limit=0.0),),
    )


def _is_always_true(survey: Survey, key: str) -> bool:
    """Whether every step of every policy is a success."""
    told = [play.metrics[key] for play in survey.plays.values() if key in play.metrics]
    return len(told) == len(survey.plays) and all(len(values) and bool(np.all(values == 1.0)) for values in told)


def _describe_solved(survey: Survey, key: str) -> Finding:
    return Finding(
        message=f"All {len(survey.rewards):,} rewards of {join_names(survey.plays)} are zero, and '{key}' is true at "
        "every step: the task is solved whatever is done.",
        link=Link.TASK,
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="reward.nonzero_fraction", value=0.0, limit=0.0),),
    )


def _find_proof(survey: Survey) -> str:
    """The sign that something should have been rewarded; empty where there is none."""
    for name, play in survey.plays.items():
        paid = next((key for key, values in play.components.items() if np.any(values != 0.0)), None)
        if paid is not None:
            return f", although its component '{paid}' is not"
        if play.raw_rewards is not None and np.any(play.raw_rewards != 0.0):
            return ", although the environment inside the wrappers pays: a wrapper drops it"
        key = next((key for key in (survey.goal_metric, *SUCCESS) if _has_success(play, key)), None)
        if key is not None:
            return f", although {name} play reaches '{key}'"
    return ""


def _has_success(play: Play, key: str) -> bool:
    values = play.metrics.get(key)
    return values is not None and set(values[np.isfinite(values)].tolist()) == {0.0, 1.0}


def _has_termination(survey: Survey) -> bool:
    """Whether any episode terminated, as it would at a goal."""
    return any(bool(np.any((play.ends == TERMINATED) | (play.ends == BOTH))) for play in survey.plays.values())


def _declares_goal(survey: Survey) -> bool:
    threshold = survey.facts.get("reward_threshold")
    goal = survey.observation is not None and survey.observation.is_goal
    keys = {key for play in survey.plays.values() for key in play.metrics}
    return bool(threshold) or goal or bool(keys & set(SUCCESS)) or survey.goal_metric in keys
