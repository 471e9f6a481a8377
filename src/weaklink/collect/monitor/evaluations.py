"""Evaluations: what is done in environments that are played beside the one that is trained in.

An environment that no update learns from is played to see how good the policy is. That says something only where the
policy is the one that learns, is given the same observations, and plays the same task to its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.flaw_kinds import (
    CUT_EVALUATION,
    NO_MEMORY,
    OTHER_ENVIRONMENT,
    OTHER_INPUTS,
    RANDOM_EVALUATION,
    SAME_EPISODE,
    STALE_POLICY,
)
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, HeadAnswer, Tape, UpdateReading, strip_numbers
from weaklink.collect.monitor.matching import RowFinder
from weaklink.collect.monitor.reading.evaluating import PlayedRows, is_forgetful, measure_apart

FEWEST_STEPS = 100
"""Optimizer steps after which a copy that is evaluated still has the weights of before: it is never written to."""

FEWEST_CUT, LONGER = 3, 1.2
"""Episodes that an evaluation gives up after the same number of steps, and how many times as long they are in training
from which on that matters."""

FEWEST_NOTES, MOST_NOTES = 2, 8
"""Episodes in which a number of an environment must have been what it was when it was first heard to be a constant, and
those after which nobody looks any more."""

FEWEST_EPISODES, NEARLY_ALL = 3, 0.9
"""Episodes of one evaluation that are meant to be several, and the share of all resets that must have the same seed."""

FEWEST_LOOKS, FEWEST_UNASKED = 2, 8
"""Evaluations, and steps of each, in which no network is asked at all; one of random play may be there to compare."""

VISIBLE = 0.01
"""The share by which two constants must differ."""

APART, ALWAYS = 0.3, 0.2
"""How far inputs must lie from what training makes of the same observations, in spreads of their column: in the usual
look, and in every one."""


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationLook:
    """What was seen of one evaluation.

    Attributes:
        taken: optimizer steps of the run by then.
        weights: some weights of the layers that were asked, by the name of the layer without that of its network.
        learning: those of the networks that learn, by the same names.
        apart: how far what layers were given lies from what training makes of the same observations, by name.
        forgetful: the layers that were always given a memory of zeros, though not in training.
        unasked: steps of an evaluation in which no network was asked at all, 0 where one was.
        ended: lengths of episodes that were played to their end.
        cut: lengths of those that were given up.
    """

    taken: int
    weights: Mapping[str, Array] = field(default_factory=dict)
    learning: Mapping[str, Array] = field(default_factory=dict)
    apart: Mapping[str, float] = field(default_factory=dict)
    forgetful: tuple[str, ...] = ()
    unasked: int = 0
    ended: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()


def read_evaluation(
    answers: Sequence[HeadAnswer],
    weights: Mapping[str, Array],
    learning: Mapping[str, Array],
    tapes: tuple[Tape | None, Tape | None],
    taken: int,
    update: UpdateReading | None = None,
) -> EvaluationLook:
    """What an evaluation and the steps of training right after it show.

    Args:
        answers: of layers like those that learn, in both.
        weights: of the same layers, by name.
        learning: of the layers that learn, by name.
        tapes: of the evaluation, and of the training after it.
        taken: optimizer steps of the run so far.
        update: the last one of training that was read, for an evaluation after which nothing is trained. Its normaliser
            has moved on since, so all it can tell is whether observations are prepared at all.
    """
    evaluated, trained = (_gather_rows(answers, tape) for tape in tapes)
    apart = {name: measure_apart(rows, trained[name]) for name, rows in evaluated.items() if name in trained}
    if not trained and update is not None:
        before = _gather_rows([each for each in update.answers if each.when == COLLECTING], update.tape)
        both = ((name, rows, before[name]) for name, rows in evaluated.items() if name in before)
        apart = {name: measure_apart(rows, other) for name, rows, other in both if rows.are_raw and not other.are_raw}
    ended, cut, _ = _measure_episodes(tapes[0])
    played = {name for rows in evaluated.values() for name in rows.heads}
    asked = {strip_numbers(name): each for name, each in weights.items() if name in played}
    return EvaluationLook(
        taken=taken,
        weights=asked,
        learning={strip_numbers(name): each for name, each in learning.items()},
        apart={name: share for name, share in apart.items() if share is not None},
        forgetful=tuple(
            name for name, rows in evaluated.items() if name in trained and is_forgetful(rows, trained[name])
        ),
        ended=ended,
        cut=cut,
    )


def _gather_rows(answers: Sequence[HeadAnswer], tape: Tape | None) -> dict[str, PlayedRows]:
    """What each layer was given, beside the observations of the same steps."""
    if tape is None:
        return {}
    finder = RowFinder(tape)
    parts: dict[str, list[tuple[HeadAnswer, Array]]] = {}
    for answer in answers:
        rows = finder.find_asked(answer)
        if rows is not None:
            parts.setdefault(strip_numbers(answer.head), []).append((answer, rows))
    found = {}
    for name, several in parts.items():
        rows = np.concatenate([each for _, each in several])
        inputs = np.concatenate([one.inputs for one, _ in several])
        found[name] = PlayedRows(frozenset(one.head for one, _ in several), inputs, tape.observations[rows])
    return found


def _measure_episodes(tape: Tape | None) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Lengths of episodes that ended, of those that were given up, and of the longest stretch of one.

    The first of each member may have begun before the tape, and counts as a stretch only.
    """
    ended: list[int] = []
    cut: list[int] = []
    longest = 0
    if tape is None or tape.resets is None:
        return (), (), 0
    over = np.asarray(tape.terminated | tape.truncated, bool)
    for member in range(tape.members):
        ends = over[member :: tape.members]
        bounds = np.flatnonzero(ends | np.asarray(tape.resets, bool)[member :: tape.members])
        lengths = np.diff(bounds)
        longest = max(longest, *lengths, *np.diff([-1, *bounds, len(ends) - 1]))
        ended += lengths[ends[bounds[1:]]].tolist()
        cut += lengths[~ends[bounds[1:]]].tolist()
    return tuple(ended), tuple(cut), int(longest)


class EnvironmentConstants:
    """Numbers of one environment, or of several made alike, that were the same whenever they were looked at."""

    def __init__(self) -> None:
        self.notes = 0
        self._numbers: dict[str, float] = {}

    def note(self, moments: Sequence[Mapping[str, float]]) -> None:
        """Takes all numbers of some moments, the last of them now."""
        self._numbers = dict(self._numbers if self.notes else moments[0])
        for numbers in moments:
            self._numbers = {name: one for name, one in self._numbers.items() if numbers.get(name) == one}
        self.notes += 1

    def list_different(self, other: EnvironmentConstants) -> dict[str, tuple[float, float]]:
        """The constants in which another environment differs."""
        if min(self.notes, other.notes) < FEWEST_NOTES:
            return {}
        both = ((name, one, other._numbers.get(name, one)) for name, one in self._numbers.items())
        return {
            name: (one, two) for name, one, two in both if abs(one - two) > VISIBLE * max(abs(one), abs(two), 1e-30)
        }


class Evaluations:
    """All evaluations that were looked at, and what they show together."""

    def __init__(self) -> None:
        self.forget_numbers()
        self._looks: list[EvaluationLook] = []
        self._first: dict[str, tuple[Array, int]] = {}
        self._longest = 0
        self._episodes, self._begun, self._reseeded = 0, 0, 0

    @property
    def lacks_notes(self) -> bool:
        """Whether the numbers of environments are still to be noted."""
        return self._trained.notes < MOST_NOTES

    def note_numbers(self, trained: Sequence[Mapping[str, float]], evaluated: Sequence[Mapping[str, float]]) -> None:
        """Takes the numbers of both environments, those with which they were first heard and those of this moment."""
        for constants, moments in ((self._trained, trained), (self._evaluated, evaluated)):
            constants.note(moments)

    def forget_numbers(self) -> None:
        """Forgets the numbers: what was taken for an evaluation is trained in as well."""
        self._trained, self._evaluated = EnvironmentConstants(), EnvironmentConstants()

    def note_learning(self, reading: UpdateReading, taken: int) -> None:
        """Keeps the weights that each layer that learns had at first, and how long episodes last in training."""
        self._longest = max(self._longest, _measure_episodes(reading.tape)[2])
        for trace in reading.layers:
            if trace.learns:
                self._first.setdefault(strip_numbers(trace.head), (trace.weights, taken))

    def note_starts(self, episodes: int, begun: int, reseeded: int) -> None:
        """Takes how many episodes the evaluation before had, how many all had, and how many had the seed of before."""
        self._episodes, self._begun, self._reseeded = episodes, begun, reseeded

    def add(self, look: EvaluationLook) -> None:
        """Takes one more look."""
        self._looks.append(look)

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is wrong with the evaluations, and the kinds that would have shown."""
        looks = self._looks
        found = (
            (
                self._find_stale(),
                self._find_other_inputs(),
                self._find_forgetful(),
                self._find_random(),
                self._find_same(),
                self._find_cut(),
            )
            if looks
            else ()
        )
        flaws = [*self._list_environments()[:1], *(each for each in found if each is not None)]
        kinds = {
            OTHER_ENVIRONMENT: min(self._trained.notes, self._evaluated.notes) >= FEWEST_NOTES,
            OTHER_INPUTS: any(look.apart for look in looks),
            STALE_POLICY: bool(looks),
            NO_MEMORY: bool(looks),
            RANDOM_EVALUATION: len(looks) >= FEWEST_LOOKS,
            CUT_EVALUATION: bool(looks),
            SAME_EPISODE: self._begun > FEWEST_EPISODES,
        }
        return tuple(flaws), frozenset(kind for kind, shown in kinds.items() if shown)

    def _list_environments(self) -> list[RecoveredFlaw]:
        different = self._evaluated.list_different(self._trained)
        count = len(different)
        return [
            RecoveredFlaw(kind=OTHER_ENVIRONMENT, head=name, count=count, of=count, number=here, other=there)
            for name, (here, there) in different.items()
        ]

    def _find_stale(self) -> RecoveredFlaw | None:
        """A layer that is evaluated with the weights that the one that learns began with, or with those of before."""
        last = self._looks[-1]
        for name, weights in last.weights.items():
            before = [(look.weights[name], look.taken) for look in self._looks[:-1] if name in look.weights]
            before += [self._first[name]] if name in self._first else []
            steps = max((last.taken - taken for each, taken in before if np.array_equal(each, weights)), default=0)
            now = last.learning.get(name)
            if steps >= FEWEST_STEPS and now is not None and not np.array_equal(now, weights):
                return RecoveredFlaw(kind=STALE_POLICY, head=name, count=len(self._looks), of=steps)
        return None

    def _find_other_inputs(self) -> RecoveredFlaw | None:
        """A layer that was given other observations in every look that tells."""
        told = [look.apart for look in self._looks if look.apart]
        for name in told[0] if told else ():
            shares = [each[name] for each in told if name in each]
            if min(shares) >= ALWAYS and np.median(shares) >= APART:
                return RecoveredFlaw(
                    kind=OTHER_INPUTS, head=name, count=len(shares), of=len(shares), number=float(np.median(shares))
                )
        return None

    def _find_forgetful(self) -> RecoveredFlaw | None:
        """A layer that remembers nothing in the last evaluation that was looked at."""
        forgetful = self._looks[-1].forgetful
        return RecoveredFlaw(kind=NO_MEMORY, head=forgetful[0], count=1, of=1) if forgetful else None

    def _find_random(self) -> RecoveredFlaw | None:
        """Evaluations, all that were looked at, that no network takes part in."""
        steps = [look.unasked for look in self._looks]
        if len(steps) < FEWEST_LOOKS or min(steps) < FEWEST_UNASKED:
            return None
        return RecoveredFlaw(kind=RANDOM_EVALUATION, head="", count=sum(steps), of=len(steps))

    def _find_same(self) -> RecoveredFlaw | None:
        """Evaluations of several episodes that are all the same one."""
        others = self._begun - 1
        if self._episodes < FEWEST_EPISODES or self._reseeded < max(FEWEST_EPISODES, NEARLY_ALL * others):
            return None
        return RecoveredFlaw(kind=SAME_EPISODE, head="", count=self._reseeded, of=self._begun, number=self._episodes)

    def _find_cut(self) -> RecoveredFlaw | None:
        """Evaluations that give episodes up after so many steps although in training they last longer."""
        cut = [length for look in self._looks for length in look.cut]
        ended = [length for look in self._looks for length in look.ended]
        if len(cut) < FEWEST_CUT or len(set(cut)) > 1 or max(ended, default=0) > cut[0]:
            return None
        if self._longest < LONGER * cut[0]:
            return None
        return RecoveredFlaw(kind=CUT_EVALUATION, head="", count=len(cut), of=self._longest, number=float(cut[0]))
