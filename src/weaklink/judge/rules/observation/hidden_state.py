from __future__ import annotations

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.judge.rules._wrappers import list_stale_layers
from weaklink.judge.rules.observation._folding import FoldedAttribute, find_fold
from weaklink.judge.rules.observation._memory import MemoryFit, compare_outcomes, fit_memory
from weaklink.judge.rules.observation._steered import SteeredAttribute, find_steered
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OBS110",
    link=Link.OBSERVATION,
    level=Level.INFO,
    on=Survey,
    needs=("observation", RANDOM),
    marks=("excused by learning",),
)
def hidden_state(survey: Survey, *, open_share: float = 0.25, closed: float = 0.25, gain: float = 0.05) -> Answer:
    """The next step depends on state that the observation does not contain.

    ## What it sees
    Whether the previous step improves the prediction of the next observation and reward beyond the present observation
    and action. Where observations repeat exactly, the outcomes of the same observation and action are compared, and
    knowing the previous step removes over 5 % of their entropy, beyond chance. Elsewhere small fits are compared: the
    present leaves over 25 % of some column's variance unexplained, and the previous step reduces that to a quarter or
    less. Both are info. It is a warning where a column shows an attribute of the environment folded, as the sine of an
    angle does without the cosine: it rises with it and falls again, states of other episodes that look the same leave
    over 25 % of the variance of the reward open, and knowing the side of the fold reduces that to a quarter. It is one
    as well where an attribute that the actions move cannot be told from the observation, and knowing it reduces what is
    left open of the change of a column to a quarter: the speed of what is seen without it. Places and counts in whole
    numbers are left to tasks for memory. A wrapper that hands out the
    observation of the step before is a warning too, unless it is Gymnasium's own.

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
    Tasks that leave out speeds on purpose, as exercises for memory: beside a training that learned them all the same it
    is information. Randomness alone is not hidden state, and this rule
    ignores it: the past does not predict dice. Very abrupt
    dynamics, such as hard contacts, may be easier to fit with the previous step although nothing is missing.

    ## References
    Kaelbling, Littman and Cassandra, Planning and Acting in Partially Observable Stochastic Domains, 1998; practice.
    """
    play = survey.plays[RANDOM]
    stale = [layer for layer in list_stale_layers(survey) if layer.package != "gymnasium"]
    if stale:
        return _describe_stale(stale[0])
    fold = find_fold(survey.held, open_share, closed) if survey.held is not None else None
    if survey.held is not None and fold is not None:
        return _describe_fold(survey.labels[fold.column], survey.held.labels[fold.attribute], fold, open_share)
    steered = find_steered(survey, open_share, closed)
    if steered is not None:
        return _describe_steered(survey.labels[steered.column], steered, open_share)
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


def _describe_fold(column: str, attribute: str, fold: FoldedAttribute, limit: float) -> Finding:
    return Finding(
        message=f"{column} rises with `{attribute}` and falls again, so that two values of it look the same: states "
        f"that look alike leave {fold.left_open:.0%} of the reward open (limit {limit:.0%}), and {fold.known:.0%} "
        "where it is known on which side they are.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="observation.left_open", value=fold.left_open, limit=limit),
            Evidence(metric="observation.left_open_with_the_side", value=fold.known),
        ),
    )


def _describe_steered(column: str, steered: SteeredAttribute, limit: float) -> Finding:
    return Finding(
        message=f"The observation does not tell {steered.names}, moved by the actions and needed to foresee what is "
        f"seen next: observation and action leave {steered.left_open:.0%} of the change of {column} unexplained (limit "
        f"{limit:.0%}), and {steered.known:.0%} with it.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="observation.left_open", value=steered.left_open, limit=limit),
            Evidence(metric="observation.left_open_with_the_attribute", value=steered.known),
        ),
    )


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
