from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.action._effects import NOTHING, changes_observation, changes_reward, is_swept
from weaklink.judge.rules.action._random_play import shows_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MOST_NAMED = 4  # dimensions that a message names before it counts the rest

UNUSED = "change neither the observation nor the reward"


@rule(
    "ACT102",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("ACT103", "ENV108", "OBS102", "TSK102", "TSK103", "TSK106"),
    checks={"observations change with actions": "fails"},
)
def dead_action_dimension(survey: Survey) -> Answer:
    """One action dimension changes nothing, from one end of its range to the other.

    ## What it sees
    The dimension is swept through its whole range from several states, everything else equal, and neither observation
    nor reward changes, while another dimension has an effect. Random play shows no effect either. A dimension that
    costs reward but changes no observation is a warning where every other dimension changes something.

    ## Why it is bad
    Part of the action has no effect. Its noise hides the effect of the rest, its entropy counts as exploration although
    it is not, and what it was meant to control cannot be learned.

    ## What to do
    1. Follow this entry of the action through `step` to the simulation: an index off by one, an actuator with strength
       0 and a later line that overwrites it are the usual causes.
    2. Remove the dimension from the space if it has no use.

    ## How to prove it
    Reset twice with the same seed and step with the lowest and with the highest value of this entry alone: the
    observations must differ. `weaklink preflight ENV` does this from several states.

    ## When it is wrong
    A dimension that matters only in states that were not visited, such as a gripper with nothing near it, or only
    together with a rare value of another. An effect on something that is neither observed nor rewarded.

    ## References
    Practice; Nikanjam et al., Faults in Deep Reinforcement Learning Programs, 2022.
    """
    if survey.action is None or survey.action.kind == "discrete" or survey.same_whatever_done:
        return None  # ACT101 reports actions without any effect
    sweeps = [sweep for sweep in survey.sweeps if is_swept(sweep, 1)]
    still = [sweep for sweep in sweeps if not changes_observation(sweep) and not changes_reward(sweep)]
    if len(still) == len(survey.sweeps):
        return _judge_without_effects(survey, still)
    dead = [sweep for sweep in still if _is_confirmed(survey, sweep)]
    if dead:
        return _describe(dead, UNUSED, len(survey.sweeps), _rate(survey, dead))
    return _find_costs_only(survey, sweeps)


def _is_confirmed(survey: Survey, sweep: ActionSweep) -> bool:
    """Whether random play shows no effect either; without random play, several states must agree.

    One state alone says little: a brake does nothing to a car at rest.
    """
    shown = shows_effect(survey, sweep.dimension)
    return is_swept(sweep) if shown is None else not shown and is_swept(sweep, 2)


def _judge_without_effects(survey: Survey, dead: Sequence[ActionSweep]) -> Answer:
    """Where no sweep shows an effect, actions may still matter later; only a single dimension is blamed."""
    if survey.same_whatever_done is None and len(dead) == 1 and is_swept(dead[0]):
        return _describe(dead, UNUSED, 1, _rate(survey, dead))
    return CannotTell(("sweeps",), "no dimension has an effect within the steps of a sweep")


def _rate(survey: Survey, dead: Sequence[ActionSweep]) -> Level:
    """An error, unless only some columns of a wide observation were kept, or few states swept."""
    return Level.ERROR if survey.seen_columns is None and is_swept(dead[0]) else Level.WARN


def _find_costs_only(survey: Survey, sweeps: Sequence[ActionSweep]) -> Answer:
    """Dimensions that change the reward but no observation, where others do."""
    moving = [sweep for sweep in sweeps if changes_observation(sweep)]
    paid = [sweep for sweep in sweeps if not changes_observation(sweep) and changes_reward(sweep)]
    paid = [sweep for sweep in paid if shows_effect(survey, sweep.dimension, reward=False) is False]
    if not moving or not paid:
        return None
    level = Level.WARN if len(moving) + len(paid) == len(survey.sweeps) and len(moving) >= len(paid) else Level.INFO
    return _describe(paid, "change the reward but no observation", len(survey.sweeps), level)


def _describe(ill: Sequence[ActionSweep], told: str, of: int, level: Level) -> Finding:
    first, named = ill[0], name_some((sweep.label for sweep in ill), MOST_NAMED)
    return Finding(
        message=f"{len(ill)} of {of} action dimensions {told}, from {first.values.min():g} to {first.values.max():g} "
        f"in each of {len(first.motion)} states: {named}.",
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{sweep.label} effect", value=float(sweep.far.max()), limit=NOTHING)
            for sweep in ill[:MOST_NAMED]
        ),
    )
