from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, TRUNCATED, Flags, Play, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES = 20
LONGEST_WAY = 0.05  # the share of episodes that must come there: one may be a coincidence

FEWEST_STEPS = 100  # steps made in a state that none of them leaves

FEWEST_OTHERS = 3  # other observations, which are left: the world is more than this state

MANY_ACTIONS = 20  # different actions of a continuous space; of a discrete one each choice must have been made


@rule(
    "ENV116",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW102", "REW117", "TSK104", "TSK106", "TSK107"),
)
def goes_on_after_goal(survey: Survey) -> Answer:
    """Nothing can be done any more, each step pays the highest reward, and the episode does not end.

    ## What it sees
    Random play comes to an observation that no step ever leaves, whichever action is taken, and each of these steps
    pays one and the same reward, above zero and above that of every other step. Episodes go on there to the time limit.

    ## Why it is bad
    What should be paid once is paid for the rest of the time limit. Returns tell how early the goal was met, times the
    prize, the critic sees values of hundreds where one was meant, and most of the data is of a state in which nothing
    is to be decided.

    ## What to do
    1. Return `terminated=True` in the step that comes to the goal, and pay there.
    2. Where the state shall be held, let actions leave it.

    ## How to prove it
    Go to the goal, take every action there, and print observation, reward and flags.

    ## When it is wrong
    A task on a fixed clock that is meant to pay for the time spent in a final state.

    ## References
    Sutton and Barto, Reinforcement Learning, 2018, section 3.4: an absorbing state pays zero.
    """
    play = survey.plays[RANDOM]
    if play.observations is None or play.episodes < FEWEST_EPISODES or not np.isfinite(play.rewards).all():
        return CannotTell((RANDOM,), f"fewer than {FEWEST_EPISODES} whole episodes with observations")
    top = float(play.rewards.max())
    held = _find_held(play, top)
    if top <= 0.0 or held is None or not _tries_everything(survey, play, held):
        return None
    steps, episodes = int(held.sum()), len(np.unique(play.episode_of[: play.kept][held]))
    if steps < FEWEST_STEPS or episodes < max(3, LONGEST_WAY * play.episodes):
        return None
    return Finding(
        message=f"{episodes} episodes of random play come to an observation that none of {steps:,} steps leaves, "
        f"whatever the action; each pays {top:.4g}, more than any other step, and no episode ends there.",
        confidence=HIGH,
        evidence=(Evidence(metric="steps after the goal", value=float(steps), limit=float(FEWEST_STEPS)),),
    )


def _find_held(play: Play, top: float) -> Flags | None:
    """The steps that are made in the observation that is never left and pays most; None where there is none."""
    before, after = np.asarray(play.observations), np.asarray(play.successors)
    paid = play.rewards[: play.kept]
    first = int(np.argmax(paid == top))
    held = np.all(before == before[first], axis=1)
    others = len(np.unique(before[~held], axis=0)) if not held.all() else 0
    if paid[first] != top or others < FEWEST_OTHERS or np.any(paid[~held] >= top) or np.any(paid[held] != top):
        return None
    if not np.array_equal(after[held], before[held]):
        return None
    ended = play.ends[play.episode_of[: play.kept][held]]
    return held if bool(np.all((ended == TRUNCATED) | (ended == 0))) else None


def _tries_everything(survey: Survey, play: Play, held: Flags) -> bool:
    """Whether every choice, or many actions of a continuous space, were taken there."""
    if survey.action is None or play.actions is None:
        return False
    tried = len(np.unique(play.actions[: play.kept][held], axis=0))
    return tried >= (survey.action.choices[0] if survey.action.kind == "discrete" else MANY_ACTIONS)
