from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, GIVEN, RANDOM, TERMINATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._plays import names
from weaklink.judge.rules.reward._task_metric import SUCCESS


@rule(
    "REW101",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW102", "REW103", "REW105", "REW107", "TSK101", "TSK102", "TSK103", "ENV108", "OBS108", "REW301"),
    checks={"reward histogram": "decides"},
)
def all_zero(survey: Survey, *, steps: int = 500) -> Answer:
    """Every reward is zero, whatever was done.

    ## What it sees
    Over the whole survey no policy ever got a reward other than zero: not random play, not doing nothing, not the
    search for a better policy, not a policy of your own. Parts of the reward that are not zero, a reward inside that a
    wrapper swallows, and successes that pay nothing are named.

    ## Why it is bad
    Nothing can be learnt from it. Every policy is as good as every other, and whatever moves the policy is noise.

    ## What to do
    1. Print the reward inside `step` where it is computed, and where it is returned.
    2. Look for whole-number division, a variable that is set too late, and a wrapper that returns its own reward.
    3. If the reward comes only with a goal that nobody reached, give a policy that reaches it, start episodes nearer
       to the goal, or shape the reward with a potential.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that should earn something: if it earns nothing,
    the reward is broken.

    ## When it is wrong
    Where only a distant goal pays (mazes with keys and doors), no baseline may have got there. The rule warns only,
    then, where every episode ran into its time limit or the environment speaks of a goal: a threshold to reach, a goal
    in the observation, an info key for success. An environment without a reward of its own, for imitation or
    exploration, is meant to be so.

    ## References
    Practice; Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    rewards = survey.rewards
    if len(rewards) < steps:
        return CannotTell((RANDOM,), f"fewer than {steps} steps")
    if np.any(rewards != 0.0):
        return None
    proof = _proof(survey)
    given = [name for name in GIVEN if name in survey.plays]
    unmet = not proof and not given and (_speaks_of_a_goal(survey) or not _ever_ended(survey))
    doubt = ": it is not wired, or only what nobody reached is paid for" if unmet else ""
    return Finding(
        message=f"Each of the {len(rewards):,} rewards of {names(survey.plays)} is zero{proof or doubt}.",
        level=Level.WARN if unmet else Level.ERROR,
        confidence=HIGH if proof or given else MEDIUM,
        evidence=(Evidence(metric="reward.nonzero_fraction", value=0.0, limit=0.0),),
    )


def _proof(survey: Survey) -> str:
    """What shows that there was something to pay for, or nothing."""
    for name, play in survey.plays.items():
        paid = next((key for key, values in play.components.items() if np.any(values != 0.0)), None)
        if paid is not None:
            return f", although its component '{paid}' is not"
        if play.raw_rewards is not None and np.any(play.raw_rewards != 0.0):
            return ", although the environment inside the wrappers pays: a wrapper swallows it"
        key = next((key for key in (survey.goal_metric, *SUCCESS) if _succeeded(play, key)), None)
        if key is not None:
            return f", although {name} play reaches '{key}'"
    return ""


def _succeeded(play: Play, key: str) -> bool:
    values = play.metrics.get(key)
    return values is not None and set(values[np.isfinite(values)].tolist()) == {0.0, 1.0}


def _ever_ended(survey: Survey) -> bool:
    """Whether some episode came to an end of its own, as it would at a goal."""
    return any(bool(np.any((play.ends == TERMINATED) | (play.ends == BOTH))) for play in survey.plays.values())


def _speaks_of_a_goal(survey: Survey) -> bool:
    threshold = survey.facts.get("reward_threshold")
    goal = survey.observation is not None and survey.observation.is_goal
    keys = {key for play in survey.plays.values() for key in play.metrics}
    return bool(threshold) or goal or bool(keys & set(SUCCESS)) or survey.goal_metric in keys
