"""What networks answered without a gradient, placed on the tape: at the steps that it is about, or behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, Tape
from weaklink.collect.monitor.matching import RowFinder, pick_found

NEARLY_ALIKE = 0.2
"""How far a normaliser moves a row between two steps, as a share of the spread of rows; at its start it moves most."""


def match_answers(answers: Sequence[HeadAnswer], finder: RowFinder, tape: Tape) -> tuple[HeadAnswer, ...]:
    """The answers with their rows, and with those that they follow; all inputs of one form are looked for at once."""
    found: dict[int, tuple[Array, Array]] = {}
    groups: dict[tuple[int, str], list[HeadAnswer]] = {}
    learned: dict[tuple[str, int, str], list[Array]] = {}
    for answer in answers:
        form = answer.inputs.shape[1], str(answer.inputs.dtype)
        groups.setdefault(form, []).append(answer)
        if answer.when != COLLECTING:
            learned.setdefault((answer.head, *form), []).append(answer.inputs)
    for parts in learned.values():  # a target network is asked about next observations alone
        finder.fit(np.concatenate(parts), following=True)
    for group in groups.values():
        inputs, ends = np.concatenate([answer.inputs for answer in group]), np.cumsum([len(a.inputs) for a in group])
        rows, following = finder.find(inputs), finder.find(inputs, following=True)
        placed = zip(group, np.split(rows, ends[:-1]), np.split(following, ends[:-1]), strict=True)
        found.update({id(answer): (own, after) for answer, own, after in placed})
    whole = [_place_answer(answer, *found[id(answer)], finder) for answer in answers]
    return tuple(_place_last(_place_following(whole, tape), tape))


def _place_answer(answer: HeadAnswer, rows: Array, following: Array, finder: RowFinder) -> HeadAnswer:
    asked = finder.find_asked(answer) if answer.when == COLLECTING else None
    found = pick_found(_add_newest(answer, rows, finder, following=False), asked)
    return replace(answer, rows=found, next_rows=_add_newest(answer, following, finder, following=True))


def _add_newest(answer: HeadAnswer, rows: Array, finder: RowFinder, *, following: bool) -> Array:
    """The rows, where some are not known with those of the steps that were just made."""
    if np.all(rows != UNMATCHED):
        return rows
    whole = finder.newest.find_whole(answer.inputs, answer.stamp, following=following)
    if whole is not None:
        return whole
    return pick_found(rows, finder.newest.find_step(answer.inputs, answer.stamp, following=following))


def _place_following(answers: Sequence[HeadAnswer], tape: Tape) -> list[HeadAnswer]:
    """The answers; of those between two steps, one to nearly the same inputs as the last is about what followed.

    So it is where a running normaliser moves on between the value of what followed and what is asked for the next step,
    and where a memory is among the inputs.
    """
    asked: dict[int, list[HeadAnswer]] = {}
    for answer in answers:
        if answer.when == COLLECTING and np.all(answer.rows >= tape.members) and np.all(answer.next_rows == UNMATCHED):
            asked.setdefault(answer.stamp, []).append(answer)
    before = {id(each) for group in asked.values() for each in _list_following(group, tape)}
    return [
        replace(each, rows=np.full(len(each.rows), UNMATCHED), next_rows=each.rows - tape.members)
        if id(each) in before
        else each
        for each in answers
    ]


def _list_following(group: Sequence[HeadAnswer], tape: Tape) -> Iterator[HeadAnswer]:
    """Of what was asked between two steps, the answers that are about what followed the first of them."""
    latest = {each.head: each for each in group}
    for each in group[:-1]:
        # a critic that was asked once is compared with what acts next
        again = group[-1] if latest[each.head] is each else latest[each.head]
        if _are_near(each, group[-1], tape) or _differ_at_ends(each, again, tape):
            yield each


def _are_near(one: HeadAnswer, other: HeadAnswer, tape: Tape) -> bool:
    """Whether two answers are about the same rows, given nearly alike where no episode ended, and not quite."""
    if not np.array_equal(one.rows, other.rows) or one.inputs.shape != other.inputs.shape:
        return False
    on = ~_find_ended(one, tape)
    apart = np.abs(one.inputs - other.inputs)[on].astype(np.float64)
    spread = float(other.inputs.astype(np.float64).std())
    return bool(on.any() and apart.any() and float(apart.mean()) < NEARLY_ALIKE * spread)


def _differ_at_ends(one: HeadAnswer, other: HeadAnswer, tape: Tape) -> bool:
    """Whether two answers are about the same rows, given the same but where an episode ended."""
    if not np.array_equal(one.rows, other.rows) or one.inputs.shape != other.inputs.shape:
        return False
    apart, ended = np.any(one.inputs != other.inputs, axis=1), _find_ended(one, tape)
    return bool(apart.any() and not np.any(apart & ~ended))


def _find_ended(answer: HeadAnswer, tape: Tape) -> Array:
    """(n,) whether an episode ended in the step before the one that each row is about."""
    return np.asarray(np.asarray(tape.terminated | tape.truncated, bool)[answer.rows - tape.members])


def _place_last(answers: Sequence[HeadAnswer], tape: Tape) -> Iterator[HeadAnswer]:
    """The answers, those about what followed the last step placed by their moment, where nothing else tells.

    That is so where a normaliser has moved on. A head that was asked for several such answers was asked about something
    else too, and nobody knows which of them is which.
    """
    last = tape.stamps[-1] if tape.rows else 0
    unknown = [
        answer
        for answer in answers
        if answer.when == COLLECTING
        and answer.stamp > last
        and len(answer.rows) == tape.members
        and np.all(answer.rows == UNMATCHED)
        and np.all(answer.next_rows == UNMATCHED)
    ]
    asked = Counter(answer.head for answer in unknown)
    ended = (tape.terminated | tape.truncated)[-tape.members :]
    after = np.where(ended, UNMATCHED, np.arange(tape.rows - tape.members, tape.rows))
    alone = {id(answer) for answer in unknown if asked[answer.head] == 1}
    for answer in answers:
        yield replace(answer, next_rows=after) if id(answer) in alone else answer
