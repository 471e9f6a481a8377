"""Heads with more numbers than rewards tell of: value distributions, and action values that all have one target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import (
    ACTION_VALUES,
    ATOMS,
    LIMIT,
    NEXT_VALUE,
    NOTHING,
    OWN_NEXT,
    QUANTILES,
    TERMINAL,
    RecoveredEnd,
    RecoveredValues,
)
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, Tape, UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.atoms import LOWER_ALONE, AtomRows, are_single, fit_targets
from weaklink.collect.monitor.reading.continuing import FEWEST_ENDS, NEARLY_ALL
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE
from weaklink.collect.monitor.reading.moved_entries import FEWEST_KNOWN
from weaklink.collect.monitor.reading.state_values import fit_repeated
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_following, join_strays
from weaklink.collect.monitor.reading.value_distributions import (
    compute_quantile_pull,
    find_blocks,
    fit_atoms,
    fit_quantiles,
)
from weaklink.collect.monitor.reading.values import EXPLAINED, FEWEST, MOSTLY, ValueRecovery

GAMMAS = np.array([0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1.0])
"""Discounts from which the one of quantiles is refined."""

LOST_AT_ENDS, TWICE = "no probability at ends", "softmax applied twice"
"""What is wrong with the loss of a categorical distribution, as rules name it."""

FEWEST_SILENT = 8
"""Rows with which episodes ended of which nothing is asked, so that none was left out by chance."""

MAX, DOUBLE = "max", "double"
"""Which next value a target is made of: the largest of one network, or that of the action which another one prefers."""


def recover_all_alike(calls: Sequence[HeadCall]) -> ValueRecovery | None:
    """Reads action values that are all pulled towards one target a row; None where they are not."""
    joined = join_calls(calls)
    rows = np.repeat(np.arange(len(joined.rows)), joined.outputs.shape[1])
    fit = fit_repeated(rows, joined.outputs.ravel(), joined.asked.ravel())
    if fit is None or fit.unexplained > EXPLAINED or fit.silent > 0.0:
        return None
    return ValueRecovery(
        RecoveredValues(
            head=calls[0].head,
            kind=ACTION_VALUES,
            loss=fit.loss,
            weight=fit.weight,
            unexplained=fit.unexplained,
            compared=len(joined.rows),
            other=1.0,
            all_alike=True,
        )
    )


def recover_distribution(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, choices: int
) -> ValueRecovery | None:
    """Reads a head of value distributions: the atoms of a categorical one, or quantiles."""
    joined = join_calls(calls)
    blocks = find_blocks(joined.asked, choices)
    if blocks is None:
        return None
    outputs, asked, moved = blocks.shape(joined.outputs), blocks.shape(joined.asked), blocks.moved
    known = (joined.rows >= 0) & (moved >= 0)
    found = RecoveredValues(head=calls[0].head, kind=ATOMS)
    if known.any() and np.mean(joined.rows >= 0) >= FEWEST_KNOWN:
        other = float(np.mean(moved[known] != taken.table[joined.rows[known], 0]))
        found = replace(found, compared=int(known.sum()), other=other)
    index = np.flatnonzero(known)
    outputs, asked = outputs[index, moved[index]], asked[index, moved[index]]
    rows = DistributionRows(reading.tape, joined.rows[index], outputs, asked, join_strays(reading, calls, known))
    tables = [blocks.shape(each)[index] for each in _list_tables(reading, calls, len(joined.rows))]
    atoms = fit_atoms(outputs, asked)
    if atoms is not None:
        weighed = replace(found, weight=atoms.weight)
        if _is_lost_at_ends(reading.tape, joined):
            return ValueRecovery(replace(weighed, source=LOST_AT_ENDS, unexplained=0.0))
        following = [np.exp(log_softmax(each)) for each in tables]
        read = rows.read_atoms(weighed, following)
        if read.gamma is None:
            twice = rows.take_as_logits().read_atoms(weighed, following)
            read = read if twice.gamma is None else replace(twice, source=TWICE, ends=())
        if read.gamma is None:
            read = rows.name_split(weighed, following) or read
        if read.gamma is not None or atoms.valid >= MOSTLY:
            return ValueRecovery(read)
    return ValueRecovery(rows.read_quantiles(replace(found, kind=QUANTILES), tables))


@dataclass(frozen=True, slots=True, eq=False)
class DistributionRows:
    """Rows of a head of value distributions at the action that is moved.

    Attributes:
        rows: (n,) on the tape.
        outputs: (n, m) what the head puts out.
        asked: (n, m) the gradient, times the rows of its minibatch.
        strays: (n,) whether the next value is that of the first observation of the next episode.
    """

    tape: Tape
    rows: Array
    outputs: Array
    asked: Array
    strays: Array

    def take_as_logits(self) -> DistributionRows:
        """The rows of a loss that takes probabilities for logits: these, and the gradient at them.

        Behind a softmax a gradient `g` is `p * (g - sum(p * g))`, and that of a second one adds up to zero.
        """
        chances = np.exp(log_softmax(self.outputs))
        pulled = self.asked / np.maximum(chances, 1e-30)
        return replace(self, outputs=chances, asked=pulled - pulled.mean(axis=1, keepdims=True))

    def read_atoms(self, found: RecoveredValues, tables: Sequence[Array]) -> RecoveredValues:
        """With how the targets of atoms are made, where that is known; tables are what networks say of next actions."""
        chances, rewards = np.exp(log_softmax(self.outputs)), self.tape.rewards[self.rows]
        for source, following in _choose_next(tables, np.arange(self.outputs.shape[1])):
            rows = AtomRows(chances, self.asked, rewards, following)
            inner = ~self.ended & np.isfinite(following).all(axis=1) & np.isfinite(rewards)
            if inner.sum() < FEWEST:
                continue
            line, left = fit_targets(rows.take(inner))
            if left <= EXPLAINED and line.gamma > VISIBLE:
                ends = self._read_ends(are_single(rows), rows.measure_left(line) <= EXPLAINED)
                weight = rows.take(inner).weigh(line)
                means = (chances - self.asked / weight) @ np.arange(chances.shape[1])
                beyond = line.measure_beyond(rewards[inner], following[inner])
                found = replace(found, gamma=line.gamma, weight=weight, unexplained=left, targets=means, beyond=beyond)
                return replace(found, source=source, ends=ends, terminals=int(self.terminated.sum()))
        return found

    def name_split(self, found: RecoveredValues, tables: Sequence[Array]) -> RecoveredValues | None:
        """With the wrong way in which targets are split between two atoms; None where none explains them."""
        chances, rewards = np.exp(log_softmax(self.outputs)), self.tape.rewards[self.rows]
        for _, following in _choose_next(tables, np.arange(self.outputs.shape[1])):
            inner = ~self.ended & np.isfinite(following).all(axis=1) & np.isfinite(rewards)
            if inner.sum() < FEWEST:
                continue
            line, left = fit_targets(AtomRows(chances, self.asked, rewards, following).take(inner), LOWER_ALONE)
            if left <= EXPLAINED and line.gamma > VISIBLE:
                return replace(found, gamma=line.gamma, unexplained=left, source=LOWER_ALONE)
        return None

    def read_quantiles(self, found: RecoveredValues, tables: Sequence[Array]) -> RecoveredValues:
        """The same for quantiles."""
        rewards = self.tape.rewards[self.rows]
        for source, following in _choose_next(tables, np.ones(self.outputs.shape[1])):
            fit = fit_quantiles(self.outputs, self.asked, rewards, self.ended, following, GAMMAS)
            if fit is not None and fit[2] <= EXPLAINED:
                gamma, weight, left = fit
                stops, goes_on = (
                    self._fit_ends(weight, rewards[:, None] + each)
                    for each in (np.zeros_like(following), gamma * following)
                )
                ends = self._read_ends(stops, goes_on)
                found = replace(found, gamma=gamma, weight=weight, unexplained=left)
                return replace(found, source=source, ends=ends, terminals=int(self.terminated.sum()))
        return found

    @property
    def terminated(self) -> Array:
        """(n,) whether the episode ended there otherwise than by a time limit."""
        return np.asarray(self.tape.terminated, bool)[self.rows]

    @property
    def ended(self) -> Array:
        """(n,) whether the episode ended there."""
        return np.asarray(self.tape.terminated | self.tape.truncated, bool)[self.rows]

    def _fit_ends(self, weight: float, targets: Array) -> Array:
        """(n,) whether quantiles with which an episode ended are pulled towards these targets, (n, m)."""
        found, ended = np.zeros(len(self.rows), bool), np.flatnonzero(self.ended)
        asked = self.asked[ended]
        left = np.linalg.norm(asked - weight * compute_quantile_pull(self.outputs[ended], targets[ended]), axis=1)
        found[ended] = left <= EXPLAINED * np.linalg.norm(asked, axis=1)
        return found

    def _read_ends(self, stops: Array, goes_on: Array) -> tuple[RecoveredEnd, ...]:
        """What targets go on with at ends: nothing, or the next distribution, its own or the next episode's."""
        known = np.asarray(self.tape.known, bool)[self.rows]
        places = {TERMINAL: self.terminated, LIMIT: self.ended & ~self.terminated & known}
        kinds = {NOTHING: stops, OWN_NEXT: goes_on & ~self.strays, NEXT_VALUE: goes_on & self.strays}
        found = []
        for place, there in places.items():
            for kind, fits in kinds.items():
                if there.sum() >= FEWEST_ENDS and np.mean(fits[there]) >= NEARLY_ALL:
                    reward = float(self.tape.rewards[self.rows[there][0]])
                    target = reward if kind == NOTHING else np.nan
                    found.append(
                        RecoveredEnd(
                            place=place, goes_on_with=kind, rows=int(there.sum()), reward=reward, target=target
                        )
                    )
                    break
        return tuple(found)


def _is_lost_at_ends(tape: Tape, joined: JoinedCalls) -> bool:
    """Whether nothing is asked of rows with which an episode ended, and of all others something.

    A distribution is never its target exactly: these targets hold no probability at all.
    """
    known = joined.rows >= 0
    asked, ended = np.any(joined.asked[known] != 0.0, axis=1), np.asarray(tape.terminated, bool)[joined.rows[known]]
    if ended.sum() < FEWEST_SILENT or asked[ended].any():
        return False
    return float(np.mean(asked[~ended])) >= MOSTLY if not ended.all() else False


def _list_tables(reading: UpdateReading, calls: Sequence[HeadCall], count: int) -> list[Array]:
    """What networks answered of the next observations, each over all rows of all calls; the last asked comes first.

    A network may be asked twice, and answers the same as the layer inside it: each table comes once.
    """
    answers = [[a for a in find_following(reading, call) if a.outputs.shape == call.outputs.shape] for call in calls]
    least = min(map(len, answers), default=0)
    tables = [np.concatenate([each[-1 - place].outputs for each in answers]) for place in range(least)]
    found: list[Array] = []
    for each in (table for table in tables if len(table) == count):
        if not any(np.array_equal(each, other) for other in found):
            found.append(np.asarray(each, np.float64))
    return found


def _choose_next(tables: Sequence[Array], scores: Array) -> Iterator[tuple[str, Array]]:
    """The distributions of the next action, by which network values it and which chooses it.

    Args:
        tables: (n, actions, m) what each network says.
        scores: (m,) with which the outputs of an action are added up to compare it with others.
    """
    index = np.arange(len(tables[0])) if tables else np.arange(0)
    for judging in tables:
        yield MAX, judging[index, (judging @ scores).argmax(axis=1)]
    for judging in tables:
        for choosing in (each for each in tables if each is not judging):
            yield DOUBLE, judging[index, (choosing @ scores).argmax(axis=1)]
