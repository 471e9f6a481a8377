"""Why values are wrong: the known mistake in computing targets that would have given them."""

from __future__ import annotations

import math
from statistics import median

from weaklink.base.evidence.outcome import RIGHT, WRONG, Measure, Rung
from weaklink.base.reference.backups import MISTAKES
from weaklink.judge.rules.probe._cause import (
    LAST_DIGIT,
    MATCHING,
    NEAR,
    NEARLY,
    ONE_PLACE,
    ONE_STEP,
    SLIGHTLY,
    BrokenRung,
    Cause,
    Hypothesis,
    by_state,
    closed,
    distances,
    explain,
    in_one_place,
    measured,
    typical,
)
from weaklink.judge.rules.probe._constant import find_decay, find_shift
from weaklink.judge.rules.probe._fit import AS_GOOD, ValueFit
from weaklink.judge.rules.probe._handover import OTHER_AGENT, find_untrained_agent
from weaklink.judge.rules.writing import HIGH, MEDIUM, Link

HALF_WAY, NOT_MUCH_LESS, NOT_MUCH_MORE = 0.6, 0.75, 1.35
"""Shares of the right value: between the first and 1 learning stopped early; between the others it is about right."""

SAME_FACTOR = 1.25
"""The largest and the smallest ratio to the right values differ by less where one factor scales them all."""

NOT_ZERO = 0.05
"""Right answers below this are too small to divide by."""

RUNAWAY = 30.0
"""Times the largest value that the rewards can add up to: out of reach of any mistake in the targets."""

RESTING = 0.1
"""A value that has converged loses at most this share of its error with the larger budget."""

CLIPPED, EVERYWHERE = "reward clipped", "the same value everywhere"
IMMEDIATE, REMEMBERS = "only the immediate reward", "reset"


def explain_values(broken: BrokenRung) -> Cause | None:
    """The mistake in computing targets that fits the values of this rung and contradicts none that holds."""
    # the values of a wrong policy differ even where nothing is wrong with them
    if not broken.missed("value", "q") or broken.missed("action", "behaviour"):
        return None
    fit = ValueFit(broken)
    if fit.best > NEAR:
        return explain(fit, _NO_MISTAKE_FITS)
    return explain(fit, _BESIDES_MISTAKES) or _name_mistakes(fit)


def _name_mistakes(fit: ValueFit) -> Cause:
    reason = ", or ".join(mistake.told for mistake in fit.likely[:3])
    sure = len(fit.likely) == 1 and fit.best < NEAR / 2
    return Cause(fit.likely[0].link, reason, fit.likely[0].look, HIGH if sure else MEDIUM)


def _divide(measures: list[Measure]) -> list[float]:
    """The ratio of each value to the right one, where that is not about zero."""
    return [measure.measured / measure.right for measure in measures if abs(measure.right) > NOT_ZERO]


def _find_dilution(fit: ValueFit) -> float | None:
    """Values of both signs, each between the right one and zero, though another rung shows the right size."""
    signs = {measure.right > 0.0 for measure in fit.measures if abs(measure.right) > NOT_ZERO}
    ratios = _divide(fit.measures)
    diluted = len(signs) == 2 and bool(fit.held) and all(SLIGHTLY < ratio < NEARLY for ratio in ratios)
    return median(ratios) if diluted else None


def _runs_away(fit: ValueFit) -> bool:
    """Values beyond everything that rewards of this size can add up to, though another rung shows right ones."""
    gamma, largest = fit.broken.trials[0].gamma, max(abs(measure.measured) for measure in fit.measures)
    return bool(fit.held) and gamma < 1.0 and not largest < RUNAWAY * fit.size / (1.0 - gamma)


def _misses_last_step(fit: ValueFit) -> bool:
    """Even the last step is wrong, whose target is its reward alone, though one-step episodes are learned."""
    alone = [abs(each.mistakes.get(IMMEDIATE, math.inf) - each.right) <= LAST_DIGIT for each in fit.measures]
    last = [measure for measure, is_alone in zip(fit.measures, alone, strict=True) if is_alone]
    if all(alone) or not last or any(measure.holds for measure in last):
        return False
    return any(rung.verdict == RIGHT for rung in fit.broken.outcome.of(ONE_STEP))


def _remembers(fit: ValueFit) -> bool:
    return REMEMBERS in fit.broken.outcome.shows


def _has_exact_values(fit: ValueFit) -> bool:
    """Some values are right to the last digits with every seed, so learning itself did not stop."""
    states = by_state(fit.broken.measured("value", "q"))
    return any(max(abs(value.measured - value.right) for value in same) <= ONE_PLACE for same in states)


def _stops_anywhere(fit: ValueFit) -> bool:
    """A larger budget changes nothing, and seeds have not converged to one place."""
    return fit.frozen and not in_one_place(fit.broken.trials)


def _stops_by_seed(fit: ValueFit) -> bool:
    """A larger budget changes nothing, and seeds differ: a mistake in the targets takes every seed to one place."""
    return not fit.untrained and fit.frozen and max(distances(fit.broken.trials), default=0.0) > ONE_PLACE


def _is_blind(fit: ValueFit) -> bool:
    """One value for all states fits, and the policy does not match the observation either.

    Where the policy follows from the values, as with action values, it fails with them and proves nothing.
    """
    blind = fit.misfits.get(EVERYWHERE, math.inf) <= fit.best + AS_GOOD and "value" in fit.broken.outcome.shows
    return blind and any(map(_fails_with_answers, fit.broken.outcome.of(MATCHING)))


def _fails_with_answers(rung: Rung) -> bool:
    return rung.verdict == WRONG and not all(trial.failure for trial in rung.failed)


def _is_blind_to_the_last_digit(fit: ValueFit) -> bool:
    """No two answers of an agent differ at all, which mixed-up rows would not bring about."""
    values = [[value.measured for value in measured([trial], "value")] for trial in fit.broken.trials]
    return _is_blind(fit) and all(max(same) - min(same) <= LAST_DIGIT for same in values)


def _find_factor(fit: ValueFit) -> float | None:
    """The one multiple of the right values at which every seed converged, asked where no rung shows right ones."""
    broken = fit.broken
    ratios = _divide([*broken.measured("value", "q"), *fit.beside])
    sizes = [abs(ratio) for ratio in ratios]
    if fit.held or min(sizes, default=0.0) <= 0.0 or min(ratios) * max(ratios) < 0.0:
        return None
    if max(sizes) > SAME_FACTOR * min(sizes) or NOT_MUCH_LESS < median(ratios) < NOT_MUCH_MORE:
        return None
    return None if max(closed(broken.rung, broken.trials, "value", "q"), default=0.0) > RESTING else median(ratios)


def _find_stop(fit: ValueFit) -> float | None:
    """Values that converged somewhat below the right ones."""
    factor = _find_factor(fit)
    return factor if factor is not None and HALF_WAY < factor < 1.0 else None


def _format_decay(fit: ValueFit) -> str | None:
    """Of a constant reward more is learned than of rewards that differ."""
    shares = None if fit.held else find_decay(fit.measures, fit.beside)
    return None if shares is None else f"{shares[0]:.0%} of a constant reward and at {shares[1]:.0%} of"


def explain_clipped_rewards(broken: BrokenRung) -> Cause | None:
    """Actions that differ only in the size of their rewards are not separated, and their value is that of the clip."""
    values = typical(broken.measured("value"))
    if not broken.missed("action", "behaviour") or not values or not all(map(_is_clipped, values)):
        return None
    mistake = MISTAKES[CLIPPED]
    return Cause(mistake.link, mistake.told, mistake.look, HIGH)


def _is_clipped(measure: Measure) -> bool:
    clip = measure.mistakes.get(CLIPPED, math.nan)
    return abs(measure.measured - clip) <= NEAR * max(1.0, abs(clip)) and abs(clip - measure.right) > abs(clip)


_LATER_OBSERVATIONS = "the line that makes the next observation the current one, after each step"
_DECAYED_EARLY = "a schedule that decays the learning rate to zero early, gradients that are clipped to nothing"
_MEMORY = (
    Link.DATA,
    "one-step episodes are right and later steps are not: the recurrent state there differs from the one in training, "
    "or observations after the first step do not reach the learner",
    "the recurrent state at each step: kept during an episode, reset at its start, and the same when collecting, "
    f"learning and evaluating; and {_LATER_OBSERVATIONS}",
    MEDIUM,
)
_FROZEN_TARGET = (
    Link.VALUE,
    "values that need no bootstrapping are right to the last digit, and what the others bootstrap from differs with "
    "each seed and never changes: the target network is never updated",
    "whether the target network is ever updated, and in the right direction: from the network that is trained",
    MEDIUM,
)
_STOPPED = (
    Link.OPTIMIZER,
    "a larger budget changes no digit of the value: learning has stopped",
    f"{_DECAYED_EARLY}, updates that end after a number of iterations",
    MEDIUM,
)
_NO_MISTAKE_FITS: tuple[Hypothesis[ValueFit], ...] = (
    Hypothesis(
        _find_dilution,
        Link.DATA,
        "values converge at {:.0%} of the right ones, as if some of the rows belonged to something else",
        "how rows enter and leave the buffer: rewards, observations and done flags of other steps or other "
        "environments, rows that only reset, slots that were overwritten",
        MEDIUM,
    ),
    Hypothesis(
        _runs_away,
        Link.OPTIMIZER,
        "the values have run away, beyond everything that the rewards can add up to",
        "the learning rates, how slowly the target network follows, gradient clipping, and what else is added to the "
        "target, such as an entropy bonus with its temperature",
        MEDIUM,
    ),
    Hypothesis(lambda fit: _misses_last_step(fit) and _remembers(fit), *_MEMORY),
    Hypothesis(
        _misses_last_step,
        Link.ENVIRONMENT,
        "the last step is wrong as well, whose target is its reward alone and which is right in one-step episodes: "
        "observations after the first step do not reach the learner",
        f"{_LATER_OBSERVATIONS}, and what is stored of later steps",
        MEDIUM,
    ),
    Hypothesis(lambda fit: _stops_anywhere(fit) and _has_exact_values(fit), *_FROZEN_TARGET),
    Hypothesis(_stops_anywhere, *_STOPPED),
    Hypothesis(
        _format_decay,
        Link.OPTIMIZER,
        "values converge at {} rewards that differ: something shrinks the weights",
        "weight decay and other penalties (a positional argument may have landed there), and the order of the "
        "optimizer's arguments",
        MEDIUM,
    ),
    Hypothesis(
        lambda fit: None if fit.held else find_shift(fit.measures, fit.beside),
        Link.POLICY,
        "every value is off by {:.3g}, whatever is observed: something besides the value loss moves it",
        "whether the advantage in the policy loss is detached from the critic (detach, no_grad), and which other "
        "terms of the loss reach it",
        MEDIUM,
    ),
    Hypothesis(
        _find_stop,
        Link.OPTIMIZER,
        "learning stops at {:.0%} of the right value and does not continue with a larger budget",
        f"{_DECAYED_EARLY}, an optimizer that is created anew",
        MEDIUM,
    ),
    Hypothesis(
        _find_factor,
        Link.REWARD,
        "every value is about {:.3g} times the right one",
        "where rewards or values are scaled, normalised or replaced: what `value` returns must be in units of the "
        "reward",
        MEDIUM,
    ),
)
_BESIDES_MISTAKES: tuple[Hypothesis[ValueFit], ...] = (
    Hypothesis(
        _is_blind_to_the_last_digit,
        Link.OBSERVATION,
        "the value is the same to the last digit for every observation, and the policy ignores the observation too: it "
        "is lost before the networks",
        "what is done to an observation before the networks: a slice, a mask, a cast to an integer, a normaliser that "
        "divides by too much; print the input of the first layer for two observations",
        HIGH,
    ),
    Hypothesis(
        _is_blind,
        Link.DATA,
        "neither the value nor the policy depends on the observation: rows are mixed up, or store other observations "
        "than the agent saw",
        "whether each row stores a copy of its observation (not the array that the next step writes into), and whether "
        "observations, actions, rewards and done flags of one row stay together up to the minibatch",
        MEDIUM,
    ),
    Hypothesis(lambda fit: find_untrained_agent(fit.broken.outcome) if fit.untrained else None, *OTHER_AGENT),
    Hypothesis(lambda fit: _stops_by_seed(fit) and _has_exact_values(fit), *_FROZEN_TARGET),
    Hypothesis(_stops_by_seed, *_STOPPED),
)
