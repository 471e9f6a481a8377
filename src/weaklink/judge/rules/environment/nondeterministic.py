from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._comparing import (
    declared_nondeterministic,
    differing,
    global_generators,
    of_kind,
    parting,
)


@rule(
    "ENV102",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("comparisons",),
    leads_to=("OBS110",),
)
def nondeterministic(survey: Survey) -> Answer:
    """The same seed and the same actions give another trajectory.

    ## What it sees
    Two new instances get the same seed and the same actions, and one instance gets its seed again. Observations,
    rewards and flags are compared step by step. Where the environment draws from a global random generator, that is
    named as the cause. Where the environment says of itself that it is not deterministic, this is only worth knowing.

    ## Why it is bad
    A run cannot be repeated, so no bug can be chased and no two settings compared. What the seed does not reach also
    depends on whatever else draws from the same generator: the trainer, another environment, the number of workers.

    ## What to do
    1. Call `super().reset(seed=seed)` in `reset` and draw from `self.np_random` only; never from `np.random` or
       `random`, and never from a generator made on the spot.
    2. Seed what lives elsewhere from it: simulators, wrappers, torch.
    3. Take time from the simulation and not from the clock of the machine; sort sets before going through them.

    ## How to prove it
    `weaklink preflight ENV --select ENV102` after the change: the trajectories must be the same.

    ## When it is wrong
    Simulators on accelerators or many threads sum in another order each time and drift apart after some steps; declare
    such an environment as nondeterministic when it is registered. Real hardware cannot be repeated at all.

    ## References
    Gymnasium documentation, Env.reset and `self.np_random`; openai/gym issue #1478; practice.
    """
    fresh, repeated = of_kind(survey, "fresh"), of_kind(survey, "repeated")
    if not fresh and not repeated:
        return CannotTell(("comparisons",), "the same seed was never played twice")
    cause = global_generators(survey)
    ill = differing(fresh)
    compared = fresh
    if not ill and (cause or not fresh):
        ill, compared = differing(repeated), repeated
    if not ill:
        return None
    first = ill[0]
    who = "two new instances part" if first.kind == "fresh" else "one instance parts from itself"
    why = f"; it draws from {cause} instead of `self.np_random`" if cause else ""
    return Finding(
        message=f"With the same seed and the same actions {who} in {len(ill)} of {len(compared)} comparisons: "
        f"{parting(first)}{why}.",
        level=Level.INFO if declared_nondeterministic(survey) else Level.WARN,
        confidence=HIGH if first.kind == "fresh" else MEDIUM,
        evidence=(Evidence(metric="difference", value=first.gap, limit=0.0, step=float(first.differs_at or 0)),),
    )
