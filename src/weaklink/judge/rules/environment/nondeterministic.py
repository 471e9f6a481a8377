from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.environment._comparing import (
    describe_difference,
    is_declared_nondeterministic,
    name_global_generators,
    select_differing,
    select_kinds,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_KINDS = {
    "fresh": ("two new instances diverge", HIGH),
    "repeated": ("one instance does not repeat itself", MEDIUM),
}


@rule(
    "ENV102",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("comparisons",),
    leads_to=("OBS110",),
    marks=("left to trainers",),
)
def nondeterministic(survey: Survey) -> Answer:
    """The same seed and the same actions give different trajectories.

    ## What it sees
    Two new instances get the same seed and the same actions, and one instance gets its seed again. Observations,
    rewards and flags are compared step by step. Where the environment draws from a global random generator, that is
    named as the cause. For environments registered as nondeterministic this is info only.

    ## Why it is bad
    A run cannot be repeated, so bugs cannot be reproduced and settings cannot be compared. A generator that the seed
    does not reach also depends on everything else that draws from it: the trainer, other environments, the number of
    workers.

    ## What to do
    1. Call `super().reset(seed=seed)` in `reset` and draw only from `self.np_random`; never from `np.random`, `random`
       or a generator created on the spot.
    2. Seed everything else from it: simulators, wrappers, torch.
    3. Take time from the simulation, not from the clock of the machine; sort sets before iterating over them.

    ## How to prove it
    `weaklink preflight ENV --select ENV102` after the change: the trajectories must be identical.

    ## When it is wrong
    Simulators on accelerators or many threads sum in a different order each time and diverge after some steps; register
    such an environment as nondeterministic. Real hardware cannot be repeated at all.

    ## References
    Gymnasium documentation, Env.reset and `self.np_random`; openai/gym issue #1478; practice.
    """
    fresh, repeated = select_kinds(survey, "fresh"), select_kinds(survey, "repeated")
    if not fresh and not repeated:
        return CannotTell(("comparisons",), "the same seed was never played twice")
    cause = name_global_generators(survey)
    compared, different = fresh, select_differing(fresh)
    if not different and (cause or not fresh):
        compared, different = repeated, select_differing(repeated)
    if not different:
        return None
    first = different[0]
    who, sure = _KINDS[first.kind]
    why = f"; it draws from {cause} instead of `self.np_random`" if cause else ""
    return Finding(
        message=f"With the same seed and the same actions {who} in {len(different)} of {len(compared)} comparisons: "
        f"{describe_difference(first)}{why}.",
        level=Level.INFO if is_declared_nondeterministic(survey) else Level.WARN,
        confidence=sure,
        evidence=(Evidence(metric="difference", value=first.gap, limit=0.0, step=float(first.differs_at or 0)),),
    )
