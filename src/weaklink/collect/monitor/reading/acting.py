"""What chose the actions: for every step that was collected, what the networks had answered right before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.choices import ActedChoices
from weaklink.base.evidence.flaw_kinds import DROWNED, NO_NOISE, SAME_NOISE
from weaklink.base.evidence.recovered import OF_EACH_ACTION, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.valued_choices import make_scorer

FEWEST, FEWEST_AT_FIRST = 8, 32
"""Steps that must tell: of any update, and of the first one, for which more is collected."""

FEWEST_DROWNED, MOSTLY_CLIPPED, UNFOLLOWED = 8, 0.8, 0.9
"""Steps that must tell, the share of actions at a bound, and what a line in the actor's answers must leave of their
spread, for noise to be all that is left: with a spread of a tenth to a half of the space none of it holds."""

NEARLY_ALL = 0.9
"""The share of the steps of the first update that must be an actor's own; a single random one may come before."""

RECENT = 1_000
"""Steps after which an action tells nothing of the network as it is now."""

BEYOND_CHANCE = 3.0
"""Standard errors by which actions must agree with a network more often than chance has it."""

EXACTLY = 1e-5
"""What may be left of the range of an action that is a network's answer in single precision."""

FEWEST_INSIDE, MOVED = 6, 0.01
"""Actions within the bounds that must lie on one line; and how far noise that never changes moves them off the middle
of their space, as a share of its range."""

STILL = 1e-3
"""The range below which answers, or actions, are all alike."""


def read_choices(
    reading: UpdateReading, taken: TakenActions, critics: Sequence[RecoveredValues]
) -> ActedChoices | None:
    """The actions that were collected, and how many of them were drawn at random instead of being the best one.

    Where a network was asked, a random action is the best one by chance now and then; where none was, it is random.
    None where that cannot be told, as where something else than the networks that were heard chooses.
    """
    heads = [each for each in critics if each.kind in OF_EACH_ACTION]
    rows = _find_collected(reading)
    score = make_scorer(reading, heads[0]) if heads and taken.discrete and len(rows) >= FEWEST else None
    if score is None:
        return None
    size = reading.of_head(heads[0].head)[0].outputs.shape[1]
    width = score(reading.of_head(heads[0].head)[0].outputs[:1]).shape[1]
    actions = taken.table[:, 0]
    followed, asked = np.zeros(reading.tape.rows, bool), np.zeros(reading.tape.rows, bool)
    best, least = np.zeros_like(actions), np.zeros_like(actions)
    for stamp, outputs in _list_asked(reading):
        there = rows[reading.tape.stamps[rows] == stamp]
        if len(there) == len(outputs) and outputs.shape[1] == size:
            values = score(outputs)
            best[there], least[there] = values.argmax(axis=1), values.argmin(axis=1)
            asked[there] = True
            followed[there] |= best[there] == actions[there]
    if not asked.any() and any(_agrees(reading, taken, each) for each in heads):
        return None
    drawn = _measure_random(asked[rows], followed[rows], width) * len(rows)
    unasked = int(np.count_nonzero(~asked[rows] & np.maximum.accumulate(asked[rows])))
    best = np.where(followed, actions, best)
    parts = np.array_split(rows, 4)
    whole = reading.update == 1 and reading.tape.is_whole and len(parts[0]) >= FEWEST_AT_FIRST
    course = [_measure_random(asked[part], followed[part], width) for part in (parts[0], parts[-1])]
    width = max(width, reading.tape.choices)
    return ActedChoices(
        float(drawn) / len(rows), len(rows), unasked, actions[asked], best[asked], least[asked],
        (course[0], course[1]) if whole else None,
        *_count_drawn(actions[rows], np.where(asked, best, -1)[rows], width),
    )  # fmt: skip


def _count_drawn(actions: Array, best: Array, width: int) -> tuple[Array, Array]:
    """(width,) how often each action was taken where it was not the best one, and how often it would be by chance.

    Args:
        actions: (n,) that were taken.
        best: (n,) by the network that was asked, -1 where none was.
        width: how many actions there are.
    """
    drawn = actions != best
    counts = np.bincount(actions[drawn], minlength=width)[:width]
    unasked = int(np.count_nonzero(best < 0))
    others = np.bincount(best[drawn & (best >= 0)], minlength=width)[:width]
    return counts, unasked / width + (others.sum() - others) / max(width - 1, 1)


def _measure_random(asked: Array, followed: Array, width: int) -> float:
    """The share of steps that were drawn at random; of those of which the network was asked, some are the best one."""
    count = int(np.count_nonzero(asked))
    other = int(np.count_nonzero(asked & ~followed)) * width / (width - 1)
    return (len(asked) - count + min(other, count)) / max(len(asked), 1)


def find_noise_flaws(reading: UpdateReading, taken: TakenActions) -> tuple[RecoveredFlaw, ...]:
    """Actors that climb a critic and whose actions have no noise at all from the start, always the same, or are nothing
    but noise."""
    for head, answers, actions in _list_acted(reading, taken):
        for kind, shows in ((NO_NOISE, _lacks_noise), (DROWNED, _is_drowned), (SAME_NOISE, _has_same_noise)):
            if shows(reading, answers, actions):
                return (RecoveredFlaw(kind=kind, head=head, count=len(actions), of=reading.tape.rows),)
    return ()


def count_exact(reading: UpdateReading, taken: TakenActions) -> int | None:
    """How many steps were collected with exactly what an actor that climbs a critic answered, 0 where they were not."""
    counts = [
        len(actions) if _find_line(reading, answers, actions) is not None else 0
        for _, answers, actions in _list_acted(reading, taken)
        if len(actions) >= FEWEST and not _are_still(answers, actions)
    ]
    return max(counts, default=None)


def count_noise(reading: UpdateReading, taken: TakenActions) -> tuple[int, int] | None:
    """Of how many actions of an actor that climbs a critic the noise pushes up, and down; None where it is not known.

    The noise is what is left of actions within their bounds beside what the actor answered, in the units that leave
    least of it.
    """
    bounds = reading.tape.bounds
    for _, answers, actions in _list_acted(reading, taken):
        if bounds is None or not len(actions) or not np.isfinite(bounds).all():
            continue
        middle, half = bounds.mean(axis=0), np.ptp(bounds, axis=0) / 2.0
        inside = (actions > bounds[0]) & (actions < bounds[1])
        squashed = np.tanh(answers)
        left = [actions - made for made in (answers, squashed, middle + half * answers, middle + half * squashed)]
        noise = min((each[inside] for each in left), key=lambda each: float(each.std()) if each.size else np.inf)
        return int(np.count_nonzero(noise > 0.0)), int(np.count_nonzero(noise < 0.0))
    return None


def _list_acted(reading: UpdateReading, taken: TakenActions) -> Iterator[tuple[str, Array, Array]]:
    """Actors that climb a critic: what each answered right before the steps that were collected, and the actions."""
    rows = _find_collected(reading)
    climbs = any(call.climbed for call in reading.calls)
    if taken.discrete or not climbs or len(rows) < FEWEST_DROWNED:
        return
    width = reading.tape.observations.shape[1]
    actors = {call.head for call in reading.calls if not call.climbed and call.inputs.shape[1] == width}
    for head in sorted(actors):
        answers = _read_answered(reading, head, rows, taken.table.shape[1])
        known = rows[np.isfinite(answers[rows]).all(axis=1)]
        yield head, answers[known], taken.table[known]


def _read_answered(reading: UpdateReading, head: str, rows: Array, dimensions: int) -> Array:
    """(rows of the tape, dimensions) what an actor answered right before each step; NaN where it was not asked."""
    answers = np.full((reading.tape.rows, dimensions), np.nan)
    for answer in (each for each in reading.answers if each.head == head and each.outputs.shape[1] >= dimensions):
        there = rows[reading.tape.stamps[rows] == answer.stamp]
        if len(there) == len(answer.outputs):
            answers[there] = answer.outputs[:, :dimensions]
    return answers


def _lacks_noise(reading: UpdateReading, answers: Array, actions: Array) -> bool:
    """Whether an actor's own answers, but for a scale and an offset, are the actions from the start.

    A deterministic actor explores by noise alone, and an actor that draws its actions never gives the mean of them.
    Some trainers begin with random actions instead, so only what was collected for the first update is judged.
    """
    enough = len(actions) >= max(FEWEST_AT_FIRST, NEARLY_ALL * reading.tape.rows)
    return enough and reading.update == 1 and reading.tape.is_whole and _are_answers(answers, actions)


def _has_same_noise(reading: UpdateReading, answers: Array, actions: Array) -> bool:
    """Whether actions are an actor's own answers and one and the same number, which moves them off their middle."""
    bounds = reading.tape.bounds
    lines = None if bounds is None or _are_still(answers, actions) else _find_line(reading, answers, actions)
    if bounds is None or lines is None:
        return False
    return bool(np.any(np.abs(lines - bounds.mean(axis=0)) > MOVED * np.ptp(bounds, axis=0)))


def _find_line(reading: UpdateReading, answers: Array, actions: Array) -> Array | None:
    """(dimensions,) the offsets with which actions follow from answers, with or without a tanh; None where they do not.

    Actions at a bound of their space were clipped there, and are not asked.
    """
    bounds = reading.tape.bounds
    for made in (answers, np.tanh(answers)):
        offsets = []
        for place, (given, action) in enumerate(zip(made.T.astype(np.float64), actions.T, strict=True)):
            ends = (-np.inf, np.inf) if bounds is None else bounds[:, place]
            inside = (action > ends[0]) & (action < ends[1])
            if inside.sum() < FEWEST_INSIDE or np.ptp(given[inside]) < STILL:
                break
            line = fit_column_lines(given[inside, None], action[inside, None])
            left = np.abs(action[inside] - line.scales * given[inside] - line.offsets)
            if left.max() > EXACTLY * np.ptp(action[inside]):
                break
            offsets.append(float(line.offsets[0]))
        if len(offsets) == actions.shape[1]:
            return np.array(offsets)
    return None


def _is_drowned(reading: UpdateReading, answers: Array, actions: Array) -> bool:
    """Whether nearly all actions lie exactly at a bound of their space and do not follow the actor's answers.

    Noise that is wider than the space leaves of an action only the side that it is clipped at.
    """
    bounds = reading.tape.bounds
    if bounds is None or bounds.shape[1] != actions.shape[1] or len(actions) < FEWEST_DROWNED:
        return False
    clipped = (actions == bounds[0]) | (actions == bounds[1])
    both = np.any(actions == bounds[0], axis=0) & np.any(actions == bounds[1], axis=0)
    left = fit_column_lines(answers.astype(np.float64), actions.astype(np.float64)).left
    return bool(np.all(clipped.mean(axis=0) >= MOSTLY_CLIPPED) and np.all(both) and np.all(left >= UNFOLLOWED))


def _find_collected(reading: UpdateReading) -> Array:
    """The rows of the tape that were collected while networks were listened to."""
    stamps = [*(call.stamp for call in reading.calls), *(answer.stamp for answer in reading.answers)]
    return np.flatnonzero(reading.tape.stamps >= min(stamps, default=0)) if stamps else np.zeros(0, np.int64)


def _list_asked(reading: UpdateReading) -> Iterator[tuple[int, Array]]:
    for answer in reading.answers:
        yield answer.stamp, answer.outputs
    for call in reading.calls:
        yield call.stamp, call.outputs


def _agrees(reading: UpdateReading, taken: TakenActions, critic: RecoveredValues) -> bool:
    """Whether actions that were taken lately are the best ones of a head that learns, more often than by chance."""
    newest, score = int(reading.tape.stamps[-1]), make_scorer(reading, critic)
    if score is None:
        return True
    calls = reading.of_head(critic.head)
    rows = np.concatenate([call.rows for call in calls])
    values = score(np.concatenate([call.outputs for call in calls]))
    known = rows != UNMATCHED
    known[known] = reading.tape.stamps[rows[known]] > newest - RECENT
    rows, places = np.unique(rows[known], return_index=True)
    best, actions = values.argmax(axis=1)[known][places], taken.table[rows, 0]
    if len(rows) < FEWEST:
        return True
    width = values.shape[1]
    shares = [np.bincount(each, minlength=width)[:width] / len(rows) for each in (best, actions)]
    chance = float(shares[0] @ shares[1])
    error = np.sqrt(max(chance * (1.0 - chance), 1e-6) / len(rows))
    return bool(np.mean(best == actions) > chance + BEYOND_CHANCE * error)


def _are_answers(answers: Array, actions: Array) -> bool:
    """Whether actions follow from answers, each dimension by one scale and offset, with or without a tanh."""
    spread = np.ptp(actions, axis=0)
    if _are_still(answers, actions):
        return False
    return any(_follow(made, actions, EXACTLY * spread) for made in (answers, np.tanh(answers)))


def _are_still(answers: Array, actions: Array) -> bool:
    """Whether a dimension of the answers, or of the actions, hardly moves."""
    return not len(actions) or bool(np.any(np.ptp(actions, axis=0) < STILL) or np.any(np.ptp(answers, axis=0) < STILL))


def _follow(made: Array, actions: Array, allowed: Array) -> bool:
    lines = fit_column_lines(made.astype(np.float64), actions.astype(np.float64))
    left = np.abs(actions - lines.scales * made - lines.offsets)
    return bool(np.all(left.max(axis=0) <= allowed))
