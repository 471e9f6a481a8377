"""Why values are wrong: the known mistake in making targets that would have given them."""

from __future__ import annotations

import math
from statistics import median

from weaklink.base.evidence.outcome import RIGHT, WRONG, Measure, Outcome, Rung, Trial
from weaklink.base.finding import HIGH, MEDIUM
from weaklink.base.loop import Link
from weaklink.base.reference.backups import MISTAKES, Mistake
from weaklink.judge.rules.probe._actions import never_handed_over
from weaklink.judge.rules.probe._cause import (
    LAST_DIGIT,
    MATCHING,
    NEAR,
    NEARLY,
    ONE_PLACE,
    ONE_STEP,
    SLIGHTLY,
    Cause,
    by_state,
    closed,
    distances,
    grown,
    in_one_place,
    measured,
    missed,
    typical,
)
from weaklink.judge.rules.probe._constant import beside_the_first, drawn_to_zero, shifted

FAR = 2.0
"""A prediction that many times the right answer is approached slowly: being on the way there is enough."""

AS_GOOD, EXACT = NEAR / 4, NEAR / 24
"""How much worse a mistake may fit than the best one and still be told; less where the best one fits exactly."""

BEYOND, HALF_WAY = 3.0, 0.6
NOT_MUCH_LESS, NOT_MUCH_MORE = 0.75, 1.35
CLIPPED, EVERYWHERE = "reward clipped", "the same value everywhere"
UNTOUCHED = "never learned"
FIRST_KEPT, REMEMBERS = "first observation kept", "reset"
RUNAWAY = 30.0
"""So many times the largest value that rewards can add up to is out of reach of any mistake in the targets."""
IMMEDIATE = "only the immediate reward"
RESTING = 0.1
"""Which share of its way to the right answer a value that has settled may still make with a larger budget."""


def wrong_values(outcome: Outcome, rung: Rung, trials: list[Trial]) -> Cause | None:
    """The mistake in making targets that fits the values of this rung and breaks none that holds."""
    # the values of a wrong policy are others even where nothing is wrong with them
    if not missed(trials, "value", "q") or missed(trials, "action", "behaviour"):
        return None
    measures = typical(measured(trials, "value", "q"))
    size = max(1.0, *(abs(measure.right) for measure in measures))
    held, beside = _held(outcome, rung), beside_the_first(outcome, rung)
    able = [name for name in MISTAKES if _breaks(name, measures, -NEAR / 4) and not _breaks(name, held, NEAR)]
    able = [name for name in able if name == UNTOUCHED or _misfit(name, beside, size, moving=True) <= 2 * NEAR]
    frozen = _is_frozen(rung, trials)
    fits = {name: _misfit(name, measures, size, moving=not frozen) for name in able}
    best = min(fits.values(), default=math.inf)
    if best > NEAR:
        return (
            _diluted(measures, held)
            or (_ran_away(trials, measures) if held else None)
            or _later_steps(outcome, measures)
            or (_stopped(trials) if frozen and not in_one_place(trials) else None)
            or (None if held else _of_another_size(rung, trials, measures, beside))
        )
    if fits.get(EVERYWHERE, math.inf) <= best + AS_GOOD and _policy_is_blind_too(outcome):
        return _nothing_seen() if _same_to_the_last_digit(trials) else _mixed_up()
    room = AS_GOOD if best > EXACT else EXACT
    likely = [MISTAKES[name] for name, misfit in fits.items() if misfit <= min(best + room, NEAR)]
    if MISTAKES[UNTOUCHED] in likely:
        return never_handed_over(outcome) or _cause_of(likely, best)
    if frozen and _apart_by_seed(trials):
        return _stopped(trials)  # a mistake in the targets takes every seed to the same place
    if likely[0] is MISTAKES[FIRST_KEPT] and REMEMBERS in outcome.shows:
        return _remembered_otherwise()
    return _cause_of(likely, best)


def _held(outcome: Outcome, rung: Rung) -> list[Measure]:
    """The values that are right on other rungs, and clear the mistakes that would have spoiled them.

    Where the first rung of all breaks nothing is cleared: a mistake in a part of the rows may spare those above it.
    """
    others = () if rung is outcome.rungs[0] else outcome.rungs
    return [value for other in others if other.verdict == RIGHT for value in measured(other.final, "value", "q")]


def _cause_of(likely: list[Mistake], best: float) -> Cause:
    told = ", or ".join(mistake.told for mistake in likely[:3])
    sure = len(likely) == 1 and best < NEAR / 2
    return Cause(likely[0].link, told, likely[0].look, HIGH if sure else MEDIUM)


def _policy_is_blind_too(outcome: Outcome) -> bool:
    """Whether the policy fails to match what is seen as well, on the rung that was climbed to tell these apart.

    Where the policy is read off the values, as with action values, it fails with them and tells nothing.
    """
    return "value" in outcome.shows and any(
        rung.verdict == WRONG and not all(trial.failure for trial in rung.failed) for rung in outcome.of(MATCHING)
    )


def _same_to_the_last_digit(trials: list[Trial]) -> bool:
    """Whether no two answers of an agent differ at all, which rows that are mixed up do not bring about."""
    values = [[measure.measured for measure in measured([trial], "value")] for trial in trials]
    return all(max(same) - min(same) <= LAST_DIGIT for same in values)


def _nothing_seen() -> Cause:
    return Cause(
        Link.OBSERVATION,
        "the value is the same to the last digit whatever is seen, and the policy does not tell it apart either: what "
        "is seen is lost before the networks",
        "what is done to an observation before the networks: a slice, a mask, a cast to an integer, a normaliser that "
        "divides by too much; print what the first layer gets for two observations",
        HIGH,
    )


def _mixed_up() -> Cause:
    return Cause(
        Link.DATA,
        "neither the value nor the policy learns anything of what is seen: rows are mixed up, or hold other "
        "observations than those that were seen",
        "whether the observation of a row is stored as it was (a copy, not the array that the next step writes into), "
        "and whether observations, actions, rewards and ends of one row and one member stay together up to the batch",
        MEDIUM,
    )


def _misfit(name: str, measures: list[Measure], size: float, *, moving: bool) -> float:
    """How far from the prediction the worst measure lies, relative to the right answers."""
    worst = 0.0
    for measure in measures:
        if name not in measure.mistakes:
            return math.inf
        predicted = measure.mistakes[name]
        if math.isnan(predicted):  # nothing is learned there, so any answer may come
            continue
        if moving and abs(predicted - measure.right) > FAR * size and _between(measure, predicted):
            misfit = 0.9 * NEAR  # on its way there: fits, but less well than one that is reached
        else:
            misfit = math.inf
        reached = abs(measure.measured - predicted) / max(size, abs(predicted))
        worst = max(worst, min(misfit, reached))
    return worst


def _between(measure: Measure, predicted: float) -> bool:
    """Whether it left the band towards the prediction, by as much again; memory or noise may carry it beyond."""
    if predicted > measure.right:
        return 2.0 * measure.high - measure.right < measure.measured <= BEYOND * predicted
    return BEYOND * predicted <= measure.measured < 2.0 * measure.low - measure.right


def _breaks(name: str, measures: list[Measure], room: float) -> bool:
    """Whether this mistake leaves the band anywhere: it must on a rung that fails, and must not on one that holds."""
    return any(
        not measure.low - room <= measure.mistakes[name] <= measure.high + room
        for measure in measures
        if name in measure.mistakes
    )


def _diluted(measures: list[Measure], held: list[Measure]) -> Cause | None:
    """Values of both signs, each resting between its right place and zero, though another rung shows the right size."""
    signs = {measure.right > 0.0 for measure in measures if abs(measure.right) > 0.05}
    ratios = [measure.measured / measure.right for measure in measures if abs(measure.right) > 0.05]
    if len(signs) < 2 or not held or not all(SLIGHTLY < ratio < NEARLY for ratio in ratios):
        return None
    return Cause(
        Link.DATA,
        f"values rest at {median(ratios):.0%} of the right ones, as if a part of the rows belonged to something else",
        "how rows get into the buffer and out of it: rewards, observations and ends of other steps or members, rows "
        "that only reset, slots that were written over",
        MEDIUM,
    )


def _later_steps(outcome: Outcome, measures: list[Measure]) -> Cause | None:
    """Even the last step is wrong, whose target is its reward alone, though episodes of one step are learned."""
    alone = [abs(measure.mistakes.get(IMMEDIATE, math.inf) - measure.right) <= LAST_DIGIT for measure in measures]
    last = [measure for measure, is_alone in zip(measures, alone, strict=True) if is_alone]
    if all(alone) or not last or any(measure.holds for measure in last):
        return None
    if not any(rung.verdict == RIGHT for rung in outcome.of(ONE_STEP)):
        return None
    if REMEMBERS in outcome.shows:
        return _remembered_otherwise()
    return Cause(
        Link.ENVIRONMENT,
        "the last step is wrong as well, whose target is its reward alone and which is right where episodes have one "
        "step: what is seen after the first step does not reach the learner",
        "the line that makes the next observation the current one, after each step, and what is stored of later steps",
        MEDIUM,
    )


def _remembered_otherwise() -> Cause:
    return Cause(
        Link.DATA,
        "episodes of one step are right and later steps are not: the agent remembers something else there than it "
        "learned with, or what is seen after the first step does not reach the learner",
        "the memory at each step: kept through an episode, emptied at its start, and the same when collecting, "
        "learning and playing; and the line that makes the next observation the current one",
        MEDIUM,
    )


def _ran_away(trials: list[Trial], measures: list[Measure]) -> Cause | None:
    """Values beyond all that rewards of this size can add up to."""
    gamma, size = trials[0].gamma, max(1.0, *(abs(measure.right) for measure in measures))
    if gamma >= 1.0 or max(abs(measure.measured) for measure in measures) < RUNAWAY * size / (1.0 - gamma):
        return None
    return Cause(
        Link.OPTIMIZER,
        "the values have run away, beyond all that its rewards can add up to",
        "the learning rates, how slowly the target network follows, the clipping of gradients, and what else is added "
        "to the target, such as an entropy bonus with its temperature",
        MEDIUM,
    )


def _is_frozen(rung: Rung, trials: list[Trial]) -> bool:
    """Whether a larger budget did not change one digit of what is wrong."""
    pairs = grown(rung, trials, "value", "q")
    return bool(pairs) and all(abs(after.measured - before.measured) <= LAST_DIGIT for before, after in pairs)


def _apart_by_seed(trials: list[Trial]) -> bool:
    """Whether seeds have come to rest at places of their own."""
    return max(distances(trials), default=0.0) > ONE_PLACE


def _stopped(trials: list[Trial]) -> Cause:
    """Nothing moves any more: where some values are right to the last digits, learning itself did not stop."""
    exact = ([abs(value.measured - value.right) for value in same] for same in by_state(measured(trials, "value", "q")))
    return _target_stands_still() if any(max(off) <= ONE_PLACE for off in exact) else _learning_stopped()


def _target_stands_still() -> Cause:
    return Cause(
        Link.VALUE,
        "values that need no other are right to the last digit, and what the others take in differs with each seed and "
        "never changes: the network that makes the targets stands still",
        "whether the target network is ever updated, and the right way round: from the network that is trained",
        MEDIUM,
    )


def _learning_stopped() -> Cause:
    return Cause(
        Link.OPTIMIZER,
        "a larger budget changes no digit of the value: learning has stopped",
        "a schedule that takes the learning rate to zero early, updates that end after a number of rounds, gradients "
        "that are clipped to nothing",
        MEDIUM,
    )


def clipped_rewards(trials: list[Trial]) -> Cause | None:
    """Actions that differ only by how large their rewards are cannot be told apart, and their value is the clip's."""
    values = typical(measured(trials, "value"))
    if not missed(trials, "action", "behaviour") or not values:
        return None
    if not all(_is_clipped(measure) for measure in values):
        return None
    mistake = MISTAKES[CLIPPED]
    return Cause(mistake.link, mistake.told, mistake.look, HIGH)


def _is_clipped(measure: Measure) -> bool:
    clip = measure.mistakes.get(CLIPPED, math.nan)
    return abs(measure.measured - clip) <= NEAR * max(1.0, abs(clip)) and abs(clip - measure.right) > abs(clip)


def _of_another_size(rung: Rung, trials: list[Trial], measures: list[Measure], beside: list[Measure]) -> Cause | None:
    """What the size of the values says, asked where no rung shows a right one."""
    return drawn_to_zero(measures, beside) or shifted(measures, beside) or _size_only(rung, trials, beside)


def _size_only(rung: Rung, trials: list[Trial], beside: list[Measure]) -> Cause | None:
    """Values that came to rest at one multiple of the right ones, with every seed."""
    every = [*measured(trials, "value", "q"), *beside]
    ratios = [measure.measured / measure.right for measure in every if abs(measure.right) > 0.05]
    sizes = [abs(ratio) for ratio in ratios]
    if min(sizes, default=0.0) <= 0.0 or min(ratios) * max(ratios) < 0.0 or max(sizes) > 1.25 * min(sizes):
        return None
    if NOT_MUCH_LESS < median(ratios) < NOT_MUCH_MORE or max(closed(rung, trials, "value", "q"), default=0.0) > RESTING:
        return None
    factor = median(ratios)
    return _stopped_short(factor) if HALF_WAY < factor < 1.0 else _scaled(factor)


def _stopped_short(factor: float) -> Cause:
    return Cause(
        Link.OPTIMIZER,
        f"learning stops at {factor:.0%} of the right value and does not go on with a larger budget",
        "a schedule that takes the learning rate to zero early, gradients that are clipped to nothing, an optimizer "
        "that is made anew",
        MEDIUM,
    )


def _scaled(factor: float) -> Cause:
    return Cause(
        Link.REWARD,
        f"every value is about {factor:.3g} times the right one",
        "where rewards or values are scaled, normalised or replaced by others: what `value` returns must be in the "
        "units of the reward",
        MEDIUM,
    )
