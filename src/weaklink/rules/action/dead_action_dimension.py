from __future__ import annotations

from collections.abc import Sequence

from weaklink.evidence.survey import Survey, Sweep
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._registry import rule
from weaklink.rules.action._effects import NOTHING, enough, moves, pays
from weaklink.rules.action._random_play import shows

MOST_NAMED = 4
FEWEST = 2


@rule(
    "ACT102",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("ACT103", "ENV108", "TSK102", "TSK103", "TSK106"),
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
    sweeps = [sweep for sweep in survey.sweeps if enough(sweep, FEWEST)]
    if not sweeps:
        return CannotTell(("sweeps",), f"no dimension was tried from {FEWEST} states or more")
    still = [sweep for sweep in sweeps if not moves(sweep) and not pays(sweep)]
    shown = {sweep.dimension: shows(survey, sweep.dimension) for sweep in still}
    # where random play cannot be asked, more states have to agree
    dead = [
        sweep
        for sweep in still
        if shown[sweep.dimension] is False or (shown[sweep.dimension] is None and enough(sweep))
    ]
    if len(dead) == len(survey.sweeps):
        return _nothing_at_all(survey, dead)
    if dead:
        return _finding(dead, "change neither the observation nor the reward", len(survey.sweeps), _worst(survey))
    return _only_paid(survey, sweeps)


def _nothing_at_all(survey: Survey, dead: Sequence[Sweep]) -> Answer:
    """Where no sweep shows anything, an action may still matter later; only one that nobody compared can be blamed."""
    if survey.same_whatever_done is None and len(dead) == 1:
        return _finding(dead, "change neither the observation nor the reward", 1, _worst(survey))
    return CannotTell(("sweeps",), "no dimension has an effect within the horizon of a sweep")


def _worst(survey: Survey) -> Level:
    """Of very wide observations only some columns are looked at, and the effect may be in the others."""
    return Level.ERROR if survey.seen_columns is None else Level.WARN


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
        f"and in each of {len(first.motion)} states: {named}{more}.",
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{sweep.label} effect", value=float(sweep.far.max()), limit=NOTHING)
            for sweep in ill[:MOST_NAMED]
        ),
    )
