"""What was seen of an update, by row of the tape: actions, answers of networks, steps of the rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import LEARNING, UNMATCHED, HeadAnswer, HeadCall, Tape, UpdateReading, strip_numbers
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.moved_rewards import find_units

ROUNDED = 1e-4
"""How far two answers of one network to one row may lie apart, as a share of the largest, in single precision."""

ALIGNED = 0.9
"""The share of rows that must belong together before two passes count as made of the same rows."""


@dataclass(frozen=True, slots=True, eq=False)
class TakenActions:
    """The actions of the tape as (rows, dimensions).

    Attributes:
        discrete: whether they are choices.
    """

    table: Array
    discrete: bool


def read_actions(tape: Tape) -> TakenActions:
    """The actions as a table; whole numbers are choices."""
    whole = np.issubdtype(tape.actions.dtype, np.integer) or tape.actions.dtype == bool
    table = tape.actions.reshape(tape.rows, -1)
    return TakenActions(table.astype(np.int64 if whole else np.float64), bool(whole))


def drop_masked(reading: UpdateReading) -> UpdateReading:
    """The reading without rows that only reset an environment where the loss leaves all of them out.

    A mean over the others then has the same weight in every minibatch.
    """
    fillers = np.asarray(reading.tape.fillers, bool)
    if not fillers.any():
        return reading
    first = np.arange(reading.tape.rows) < reading.tape.members  # whether an episode ended before is not on the tape
    return replace(reading, calls=tuple(_drop_masked(call, fillers, first) for call in reading.calls))


def _drop_masked(call: HeadCall, fillers: Array, first: Array) -> HeadCall:
    known, silent = call.rows != UNMATCHED, ~np.any(call.gradients != 0.0, axis=1)
    resets = known & fillers[call.rows]
    if not np.all(silent[resets]):
        return call
    kept = ~(resets | (known & first[call.rows] & silent))
    parts = {name: getattr(call, name)[kept] for name in ("inputs", "outputs", "gradients", "rows")}
    return replace(call, **parts)


def read_answers(reading: UpdateReading, head: str, *, following: bool = False) -> Array | None:
    """What a head answered of each row of the tape before anything was learned since; NaN where it was not asked.

    The first pass of a loss is such an answer too: nothing was learned before it. Where a trainer acts with a copy of
    the network that learns, it is the only one. What was asked right before a step is about that step, whatever else
    looks the same: a network with a memory answers otherwise elsewhere.
    """
    own = [answer for answer in reading.answers if answer.head == head]
    if not following:
        # one about all members counts more than one that is asked between their steps, about an end
        own.sort(key=lambda answer: (_is_of_its_step(reading.tape, answer), len(answer.rows)))
    asked = [(answer.next_rows if following else answer.rows, answer.outputs, answer.step) for answer in own]
    if not following:
        first = [(call.rows, call.outputs, call.moment) for call in reading.of_head(head)]
        asked = first + asked  # what was answered while collecting counts more, and is written last
    if not asked:
        return None
    collected = count_steps_before(reading)
    found = np.full((reading.tape.rows, asked[-1][1].shape[1]), np.nan)
    for rows, outputs, step in asked:
        known = rows != UNMATCHED
        known[known] = collected[rows[known]] == step
        if outputs.shape[1] == found.shape[1]:
            found[rows[known]] = outputs[known]
    return found


def _is_of_its_step(tape: Tape, answer: HeadAnswer) -> bool:
    """Whether an answer is about the very steps that were made next, of one environment after the other."""
    stamps = tape.stamps[answer.rows[answer.rows != UNMATCHED]]
    return bool(np.all((stamps >= answer.stamp) & (stamps < answer.stamp + len(answer.rows))))


def list_acted(reading: UpdateReading, head: str) -> tuple[Array, Array]:
    """(n,) the rows that a head was asked about right before their steps, by their moment, and (n, d) its inputs."""
    width = reading.tape.observations.shape[1]
    rows, given = [np.zeros(0, np.int64)], [np.zeros((0, width))]
    for answer in (each for each in reading.answers if each.head == head and each.inputs.shape[1] == width):
        there = _list_stepped(reading.tape, answer.stamp)
        if len(there) == len(answer.inputs):
            rows.append(there)
            given.append(answer.inputs.astype(np.float64))
    return np.concatenate(rows), np.concatenate(given)


def _list_stepped(tape: Tape, stamp: int) -> Array:
    """The rows of the step of all members that is made next, together or one environment after the other."""
    there = np.flatnonzero(tape.stamps == stamp)
    if len(there) != 1 or tape.members == 1 or there[0] % tape.members:
        return there
    rows = there[0] + np.arange(tape.members)
    return rows if np.array_equal(tape.stamps[rows], stamp + np.arange(tape.members)) else there


def count_steps_before(reading: UpdateReading) -> Array:
    """(rows,) how many optimizer steps of the reading were made before each row of the tape was collected.

    None, unless several short rollouts are read together.
    """
    stamps = reading.tape.stamps
    found = np.zeros(reading.tape.rows, np.int64)
    for call in reading.calls:
        known = call.rows[call.rows != UNMATCHED]
        # what is learned from was collected before; a pass that a trainer keeps from collecting has no later stamp
        newest = max(call.stamp - 1, int(stamps[known].max(initial=-1)))
        found = np.where(stamps > newest, np.maximum(found, call.step + 1), found)
    return found


def name_acting(reading: UpdateReading, head: str) -> str:
    """The head that acted: a head itself where it was asked before it learned, else the same layer of a copy.

    One that was asked about a whole rollout at once was asked for its targets, and acted only where no other did.
    """
    width = next((call.outputs.shape[1] for call in reading.of_head(head)), 0)
    layer = strip_numbers(head)
    told: dict[str, bool] = {}
    for each in (answer for answer in reading.answers if strip_numbers(answer.head) == layer and answer.step == 0):
        if each.outputs.shape[1] == width and np.any(each.rows != UNMATCHED):
            told[each.head] = told.get(each.head, False) or _is_of_its_step(reading.tape, each)
    return max(told, key=lambda name: (told[name], name == head), default=head)


def read_acting(reading: UpdateReading, head: str) -> Array | None:
    """What the policy that acted answered of each row: a head itself, or the same layer in a copy of its network."""
    return read_answers(reading, name_acting(reading, head))


def sees_as_acted(reading: UpdateReading, head: str) -> bool:
    """Whether the first pass of a loss was given what the policy that acted was given, to the last bit, or answers the
    same: a network with a memory is given that memory too when it acts.

    A normaliser that has moved on since makes another policy of the same weights, and nobody knows what was stored.
    """
    acted: dict[int, bytes] = {}
    acting = name_acting(reading, head)
    for answer in reading.answers:
        if answer.step == 0 and answer.head == acting:
            acted.update({int(row): given.tobytes() for row, given in zip(answer.rows, answer.inputs, strict=True)})
    first = next((call for call in reading.of_head(head) if len(call.rows)), None)
    if first is None:
        return False
    pairs = zip(first.rows, first.inputs, strict=True)
    return all(acted.get(int(row)) == given.tobytes() for row, given in pairs if row != UNMATCHED) or _answers_as_acted(
        reading, acting, first
    )


def _answers_as_acted(reading: UpdateReading, acting: str, first: HeadCall) -> bool:
    """Whether a pass gives the answers that were given when acting, but for rounding in batches of other sizes."""
    collected = [each for each in reading.answers if each.head == acting]
    before = read_answers(replace(reading, calls=(), answers=tuple(collected)), acting)
    known = first.rows[first.rows != UNMATCHED]
    if before is None or not len(known) or before.shape[1] != first.outputs.shape[1]:
        return False
    now = first.outputs[first.rows != UNMATCHED]
    return bool(np.all(np.abs(before[known] - now) <= ROUNDED * float(np.abs(now).max())))


def read_renewed(reading: UpdateReading, head: str, rows: Array, steps: Array) -> tuple[Array, Array] | None:
    """(n, k) what a head answered of rows between optimizer steps, the last time before each pass, and (n,) after how
    many of them; NaN and 0 where it was not asked.

    Args:
        reading: of the update.
        head: that is asked.
        rows: (n,) of the tape.
        steps: (n,) the optimizer step of the pass that a row was part of.
    """
    asked = [each for each in reading.answers if each.head == head and each.step > 0 and each.when == LEARNING]
    if not asked:
        return None
    latest = np.full((reading.tape.rows, asked[0].outputs.shape[1]), np.nan)
    moments = np.zeros(reading.tape.rows, np.int64)
    found, when = np.full((len(rows), latest.shape[1]), np.nan), np.zeros(len(rows), np.int64)
    waiting = sorted(asked, key=lambda each: -each.step)
    for step in np.unique(steps).tolist():
        while waiting and waiting[-1].step <= step:
            answer = waiting.pop()
            known = answer.rows != UNMATCHED
            if answer.outputs.shape[1] == latest.shape[1]:
                latest[answer.rows[known]], moments[answer.rows[known]] = answer.outputs[known], answer.step
        there = steps == step
        found[there], when[there] = latest[rows[there]], moments[rows[there]]
    return found, when


def find_past_ends(tape: Tape) -> Array:
    """The rows that ended an episode and that the next step of the same environment went on from, without a reset."""
    ended = np.asarray(tape.terminated | tape.truncated, bool)
    if tape.resets is None or tape.rows <= tape.members or ended.all():
        return np.zeros(0, np.int64)
    before, after = slice(None, -tape.members), slice(tape.members, None)
    same = np.all(tape.next_observations[before] == tape.observations[after], axis=1)
    return np.flatnonzero(ended[before] & ~np.asarray(tape.resets, bool)[before] & same)


def find_cuts(tape: Tape) -> Array:
    """(rows,) the steps after which a loop began another episode, though the environment had not ended this one."""
    if tape.resets is None:
        return np.zeros(tape.rows, bool)
    return np.asarray(np.asarray(tape.resets, bool) & ~np.asarray(tape.terminated | tape.truncated, bool))


def read_steps(reading: UpdateReading, head: str, targets: Array) -> TapeSteps:
    """The tape by time and member, with what a critic answered while collecting; of action values the largest."""
    tape = reading.tape
    shape = (tape.times, tape.members)
    nothing = np.full((tape.rows, 1), np.nan)
    values, following = read_answers(reading, head), read_answers(reading, head, following=True)
    values = (nothing if values is None else values).max(axis=1).reshape(shape)
    following = (nothing if following is None else following).max(axis=1).reshape(shape)
    units = _find_units(reading, head)
    values, following = (units[0] * each + units[1] for each in (values, following))
    # the observation that follows is that of the next row, unless that begins another episode
    same = np.zeros(tape.rows, bool)
    same[: -tape.members] = np.all(tape.next_observations[: -tape.members] == tape.observations[tape.members :], axis=1)
    steps = TapeSteps(
        rewards=np.where(tape.fillers, np.nan, tape.rewards).reshape(shape),
        values=values,
        next_values=following,
        terminated=np.asarray(tape.terminated, bool).reshape(shape),
        truncated=np.asarray((tape.truncated | find_cuts(tape)) & ~tape.terminated, bool).reshape(shape),
        targets=targets.reshape(shape),
        rows=np.arange(tape.rows).reshape(shape),
    )
    later = np.where(same.reshape(shape), steps.shift(values), np.nan)
    return replace(steps, next_values=np.where(np.isnan(following), later, following))


def _find_units(reading: UpdateReading, head: str) -> tuple[float, float]:
    """The factor and offset of the units that a critic learns in, if it was given others since it was asked."""
    first = next((call for call in reading.of_head(head) if call.moment == 0 and len(call.rows)), None)
    asked = read_answers(replace(reading, calls=()), head)
    if first is None or asked is None or first.outputs.shape[1] != 1 or asked.shape[1] != 1:
        return 1.0, 0.0
    before, now = asked[first.rows, 0], first.outputs[:, 0]
    known = (first.rows != UNMATCHED) & np.isfinite(before)
    return find_units(before[known], now[known]) or (1.0, 0.0)


def find_following(reading: UpdateReading, call: HeadCall) -> list[HeadAnswer]:
    """What networks answered, for the same optimizer step, of the observations that followed the rows of a call.

    Critics with an optimizer each learn one after the other from targets that were made once: where nothing was asked
    for a step itself, it is what was asked last about what followed these very rows.
    """
    own = [each for each in _list_beside(reading, call) if _agree(each.next_rows, call.rows)]
    if own or not len(call.rows) or np.all(call.rows == UNMATCHED):
        return own
    earlier = [each for each in reading.answers if _is_asked_before(each, call) and _agree(each.next_rows, call.rows)]
    last = max((each.step for each in earlier), default=0)
    return [each for each in earlier if each.step == last]


def list_bootstrapped(reading: UpdateReading, call: HeadCall) -> list[HeadAnswer]:
    """What the targets of a call may be made of: answers about what followed its rows, or, where that lies several
    steps ahead, answers of the same form by networks that do not learn."""
    following = find_following(reading, call)
    if following:
        return following
    beside = (each for each in _list_beside(reading, call) if each.head not in reading.heads)
    return [each for each in beside if each.outputs.shape == call.outputs.shape]


def find_beside(reading: UpdateReading, call: HeadCall) -> list[HeadAnswer]:
    """What networks answered, for the same optimizer step, of the rows of a call themselves."""
    return [each for each in _list_beside(reading, call) if _agree(each.rows, call.rows)]


def find_unplaced(reading: UpdateReading, call: HeadCall) -> list[HeadAnswer]:
    """What networks answered, for the same optimizer step and as many rows, of inputs that are not on the tape."""
    nowhere = [each for each in _list_beside(reading, call) if np.all(each.next_rows == UNMATCHED)]
    return [each for each in nowhere if np.all(each.rows == UNMATCHED)]


def find_strays(reading: UpdateReading, call: HeadCall) -> Array:
    """The rows of a call for whose next value a network was asked about the first observation of the next episode."""
    found = np.zeros(len(call.rows), bool)
    for answer in find_following(reading, call):
        first = (answer.rows == call.rows + reading.tape.members) & (answer.next_rows == UNMATCHED)
        found |= first & (call.rows != UNMATCHED)
    return found


def join_strays(reading: UpdateReading, calls: Sequence[HeadCall], kept: Array) -> Array:
    """The same of some rows of all calls of one head, (n,); none where calls were left out of those rows."""
    alike = [call for call in calls if call.outputs.shape[1] == calls[0].outputs.shape[1]]
    found = np.concatenate([find_strays(reading, call) for call in alike])
    return np.asarray(found[kept] if len(found) == len(kept) else np.zeros(int(kept.sum()), bool))


def _list_beside(reading: UpdateReading, call: HeadCall) -> list[HeadAnswer]:
    return [answer for answer in reading.answers if call.goes_with(answer) and len(answer.outputs) == len(call.outputs)]


def _is_asked_before(answer: HeadAnswer, call: HeadCall) -> bool:
    """Whether an answer to as many rows came before an earlier optimizer step of the same update."""
    return answer.step < call.moment and len(answer.outputs) == len(call.outputs)


def _agree(rows: Array, others: Array) -> bool:
    """Whether rows that are known on both sides are the same."""
    known = (rows != UNMATCHED) & (others != UNMATCHED)
    return bool(known.any()) and float(np.mean(rows[known] == others[known])) >= ALIGNED
