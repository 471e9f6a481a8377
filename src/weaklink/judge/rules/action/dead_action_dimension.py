from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.survey import Survey, Sweep
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.action._effects import NOTHING, enough, moves, pays
from weaklink.judge.rules.action._random_play import shows

MOST_NAMED = 4


@rule(
    "ACT102",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("ACT103", "ENV108", "TSK102", "TSK103", "TSK106"),
    checks={"observations change with actions": "fails"},
)
def dead_action_dimension(survey: Survey) -> Answer:
    """One dimension of the action changes nothing, from one end of its range to the other.

    ## What it sees
    The dimension is taken through its whole range from several states, all else equal, and neither observation nor
    reward changes, while another dimension has an effect. Random play shows no effect of it either. A dimension that
    costs reward and moves nothing that can be seen is a warning where every other dimension moves something.

    ## Why it is bad
    Part of what the policy decides goes nowhere. Its noise hides the effect of the rest, its entropy counts as
    exploration that is none, and what it was meant to control cannot be learned.

    ## What to do
    1. Follow this entry of the action through `step` to the simulation: an index off by one, an actuator with strength
       0 and a later line that overwrites it are the usual causes.
    2. Leave the dimension out of the space if it has no use.

    ## How to prove it
    Reset twice with the same seed and step with the lowest and with the highest value of this entry alone: the
    observations must differ. `weaklink preflight ENV` does this from several states.

    ## When it is wrong
    A dimension that matters only in states that were not met, such as a gripper with nothing near it, or only together
    with a rare value of another. An effect on something that is neither observed nor paid.

    ## References
    Practice; Nikanjam et al., Faults in Deep Reinforcement Learning Programs, 2022.
    """
    if survey.action is None or survey.action.kind == "discrete" or survey.same_whatever_done:
        return None  # where no action has any effect, ACT101 says so
    sweeps = [sweep for sweep in survey.sweeps if enough(sweep, 1)]
    still = [sweep for sweep in sweeps if not moves(sweep) and not pays(sweep)]
    if len(still) == len(survey.sweeps):
        return _nothing_at_all(survey, still)
    dead = [sweep for sweep in still if _agreed(survey, sweep)]
    if dead:
        return _finding(dead, "change neither the observation nor the reward", len(survey.sweeps), _worst(survey, dead))
    return _only_paid(survey, sweeps)


def _agreed(survey: Survey, sweep: Sweep) -> bool:
    """Whether random play shows no effect either; where it cannot be asked, several states have to agree.

    One state alone says little: a brake does nothing to a car that stands.
    """
    shown = shows(survey, sweep.dimension)
    return enough(sweep) if shown is None else not shown and enough(sweep, 2)


def _nothing_at_all(survey: Survey, dead: Sequence[Sweep]) -> Answer:
    """Where no sweep shows anything, an action may still matter later; only one that nobody compared can be blamed."""
    if survey.same_whatever_done is None and len(dead) == 1 and enough(dead[0]):
        return _finding(dead, "change neither the observation nor the reward", 1, _worst(survey, dead))
    return CannotTell(("sweeps",), "no dimension has an effect within the horizon of a sweep")


def _worst(survey: Survey, dead: Sequence[Sweep]) -> Level:
    """An error, unless only some columns of a wide observation were looked at, or few states."""
    return Level.ERROR if survey.seen_columns is None and enough(dead[0]) else Level.WARN


def _only_paid(survey: Survey, sweeps: Sequence[Sweep]) -> Answer:
    """Dimensions that cost reward and move nothing, in a task in which others do."""
    moving = [sweep for sweep in sweeps if moves(sweep)]
    paid = [sweep for sweep in sweeps if not moves(sweep) and pays(sweep)]
    paid = [sweep for sweep in paid if shows(survey, sweep.dimension, reward=False) is False]
    if not moving or not paid:
        return None
    level = Level.WARN if len(moving) + len(paid) == len(survey.sweeps) and len(moving) >= len(paid) else Level.INFO
    return _finding(paid, "change the reward and nothing that can be observed", len(survey.sweeps), level)


def _finding(ill: Sequence[Sweep], told: str, of: int, level: Level) -> Finding:
    named = ", ".join(sweep.label for sweep in ill[:MOST_NAMED])
    more = f" and {len(ill) - MOST_NAMED} more" if len(ill) > MOST_NAMED else ""
    first = ill[0]
    return Finding(
        message=f"{len(ill)} of {of} action dimensions {told}, from {first.values.min():g} to {first.values.max():g} "
        f"and in each of {len(first.motion)} states that were tried: {named}{more}.",
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{sweep.label} effect", value=float(sweep.far.max()), limit=NOTHING)
            for sweep in ill[:MOST_NAMED]
        ),
    )
