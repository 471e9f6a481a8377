from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.environment._comparing import (
    describe_difference,
    is_declared_nondeterministic,
    name_global_generators,
    scale_gap,
    select_differing,
    select_kinds,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SLIGHT = 1e-3  # a first difference below a thousandth of the standard deviation may be the rounding of an engine


@rule(
    "ENV114",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=("comparisons",),
    leads_to=("ENV102", "ENV103", "ENV109", "OBS110"),
)
def shared_state(survey: Survey) -> Answer:
    """Two instances of the environment in one process change each other.

    ## What it sees
    An instance plays one seed and one sequence of actions alone and gives the same trajectory each time. While a second
    instance, with another seed and other actions, is stepped in turn with it, the trajectory is another one. Where the
    environment draws from a global random generator, this is info: its numbers are shared, its state need not be.

    ## Why it is bad
    A vector environment in one process (`SyncVectorEnv`, `DummyVecEnv`) steps its members in turn: each overwrites the
    state of the others. What an agent sees follows from what another one did, and resetting one member resets all. The
    same happens to an evaluation environment beside the one trained in.

    ## What to do
    1. Look for attributes of the class, module variables and default arguments that are changed (`world = {}` in the
       body of the class, `def __init__(self, board=[])`), and create them in `__init__`.
    2. Check that the factory makes a new simulator, client or generator for each instance.
    3. Where the simulator can exist only once in a process, use `AsyncVectorEnv` or `SubprocVecEnv`.

    ## How to prove it
    `weaklink preflight ENV --select ENV114` after the change. By hand: reset two instances, step the second one, and
    compare the next step of the first with the step of an instance that is alone.

    ## When it is wrong
    Environments that are meant to meet in one shared world.

    ## References
    Python documentation, class and instance variables; Gymnasium documentation of vector environments.
    """
    alone = select_kinds(survey, "fresh", "repeated")
    beside = select_kinds(survey, "in_turn")
    if not beside:
        return CannotTell(("comparisons",), "no two instances were stepped in turn")
    if is_declared_nondeterministic(survey) or select_differing(alone):
        return CannotTell(("comparisons",), "the same seed does not give the same trajectory (ENV102)")
    different = select_differing(beside)
    if not different:
        return None
    first, generators = different[0], name_global_generators(survey)
    slight = all(one.differs_at and scale_gap(survey, one) < SLIGHT for one in different)
    return Finding(
        message=f"An instance that is stepped in turn with another one differs from the same instance alone in "
        f"{len(different)} of {len(beside)} comparisons: {describe_difference(first)}"
        f"{f'; both draw from {generators}' if generators else ''}.",
        level=Level.INFO if generators or slight else Level.ERROR,
        confidence=HIGH if len(different) > 1 else MEDIUM,
        evidence=(Evidence(metric="difference", value=first.gap, limit=0.0, step=float(first.differs_at or 0)),),
    )
