from __future__ import annotations

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.judge.rules._wrappers import list_stale_layers
from weaklink.judge.rules.observation._memory import MemoryFit, compare_outcomes, fit_memory
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OBS110",
    link=Link.OBSERVATION,
    level=Level.INFO,
    on=Survey,
    needs=("observation", RANDOM),
)
def hidden_state(survey: Survey, *, open_share: float = 0.25, closed: float = 0.25, gain: float = 0.05) -> Answer:
    """The next step depends on state that the observation does not contain.

    ## What it sees
    Whether the previous step improves the prediction of the next observation and reward beyond the present observation
    and action. Where observations repeat exactly, the outcomes of the same observation and action are compared, and
    knowing the previous step removes over 5 % of their entropy, beyond chance. Elsewhere small fits are compared: the
    present leaves over 25 % of some column's variance unexplained, and the previous step reduces that to a quarter or
    less. Both are info. A wrapper that hands out the observation of the step before is a warning, unless it is
    Gymnasium's own.

    ## Why it is bad
    States that look the same and need different actions cannot be distinguished. A policy without memory settles for
    what is right on average, and its critic cannot do better either.

    ## What to do
    1. Add what is missing: velocities beside positions, the goal, the last action where it acts with a delay.
    2. Or stack the last few observations.
    3. Or use a recurrent policy, such as `RecurrentPPO`.

    ## How to prove it
    Stack two observations (`FrameStackObservation` in Gymnasium) and run `weaklink preflight ENV` again: the finding
    must disappear. Then train both briefly.

    ## When it is wrong
    Randomness alone is not hidden state, and this rule ignores it: the past does not predict dice. Very abrupt
    dynamics, such as hard contacts, may be easier to fit with the previous step although nothing is missing.

    ## References
    Kaelbling, Littman and Cassandra, Planning and Acting in Partially Observable Stochastic Domains, 1998; practice.
    """
    play = survey.plays[RANDOM]
    stale = [layer for layer in list_stale_layers(survey) if layer.package != "gymnasium"]
    if stale:
        return _describe_stale(stale[0])
    memory = compare_outcomes(play)
    if memory is not None:
        told = 1.0 - memory.still_open
        return None if told <= gain or memory.open <= 0 else _describe_comparison(memory, told, gain)
    memory = fit_memory(survey, play, closed)
    if memory is None:
        why = "the observation is too wide, or the episodes are too short, to measure what the previous step would add"
        return CannotTell((RANDOM,), why)
    if memory.open <= open_share or memory.still_open >= closed * memory.open:
        return None
    return _describe_fit(memory, open_share)


def _describe_stale(layer: WrapperLayer) -> Finding:
    return Finding(
        message=f"The wrapper `{layer.name}` hands out the observation of the step before, in {layer.stale:,} of "
        f"{layer.moved:,} steps in which it changed: what the last action did is not seen.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric=f"{layer.name}: stale observations", value=float(layer.stale), limit=0.0),),
    )


def _describe_comparison(memory: MemoryFit, told: float, limit: float) -> Finding:
    return Finding(
        message="The same observation and action are followed by different outcomes, and knowing the previous step "
        f"removes {told:.0%} of that uncertainty (limit {limit:.0%}, {memory.steps:,} steps): part of the state is "
        "hidden.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.told_by_the_past", value=told, limit=limit),),
    )


def _describe_fit(memory: MemoryFit, limit: float) -> Finding:
    return Finding(
        message=f"Observation and action leave {memory.open:.0%} of {memory.what} unexplained, and with the previous "
        f"step it is {memory.still_open:.0%} (limit {limit:.0%}, {memory.steps:,} steps): part of the state is hidden.",
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="observation.left_open", value=memory.open, limit=limit),
            Evidence(metric="observation.left_open_with_the_past", value=memory.still_open),
        ),
    )
