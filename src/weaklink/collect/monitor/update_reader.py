"""Reads updates from outside: captures one, finds its rows on the tape, hands it on; how often, the budget says."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.adapters.gymnasium.libraries import has_library
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, Tape, UpdateReading
from weaklink.collect.monitor.alike_steps import settle_alike
from weaklink.collect.monitor.beside_rows import place_beside
from weaklink.collect.monitor.evaluation_reader import EvaluationReader
from weaklink.collect.monitor.governor import FIRST_READING, Governor
from weaklink.collect.monitor.joining import join_collected, join_unrolled
from weaklink.collect.monitor.matching import RowFinder, list_asked, list_collected, match_calls
from weaklink.collect.monitor.numbered_observations import rewrite_states
from weaklink.collect.monitor.parts import PartRunner
from weaklink.collect.monitor.placing import match_answers

READ = "read"
"""What time is spent on for updates after the first ones."""

LATER = 3
"""After the first updates, one is read whenever their number has grown this many times: the last one is then never
long before the end."""

REPLAYED_STEPS = 16
"""Optimizer steps that are read together where each has few rows: minibatches of a replay buffer, short rollouts."""

FEWEST_ROWS = 128
"""An update of fewer rows tells little: some loops learn after every five steps, others after an episode. Then several
are read together."""

MOST_STEPS = 512
"""Optimizer steps that are read together at most, where each has a row or two: a loop that learns after every step."""

MOST_FOR_ENDS = 3
"""Updates that are read besides because they have a kind of end that none had before: what targets go on with there is
what most mistakes are about, and the first updates of a loop may be over before the first episode is."""

FEWEST_ENDS, FEWEST_REPLAYED = 2, 32
"""Ends of a kind in an update from which on they are judged; of a replay buffer, few of them come back at a time."""

MOST_ROWS = 0.75
"""The share of rows on a tape from which on no other one is tried; those that a minibatch has twice count once."""

FEWEST_MATCHED = 0.5
"""Below this share of rows on the newest part of the tape, the whole of it is searched."""


_NO_ROWS = np.zeros(0)
NO_TAPE = Tape(
    observations=np.zeros((0, 0)), actions=_NO_ROWS, rewards=_NO_ROWS, terminated=_NO_ROWS, truncated=_NO_ROWS,
    next_observations=np.zeros((0, 0)), fillers=_NO_ROWS, known=_NO_ROWS, stamps=np.zeros(0, np.int64), members=1,
)  # fmt: skip
"""Of a loop that steps no environment."""


class UpdateReader:
    """Listens to environments, networks and optimizers, and reads an update now and then.

    An update is everything from one optimizer step after which an environment is stepped to the next such one.

    Args:
        take: is handed each reading.
        parts: under whose guard all of this is done.
        governor: whose budget it keeps to.
        looks: how many updates are read at the start.
        complain: is told in one line why nothing is read.

    Attributes:
        learned_in: the environments whose steps the losses of the last update were given, by their identity.
    """

    def __init__(
        self,
        take: Callable[[UpdateReading], object],
        parts: PartRunner,
        governor: Governor,
        looks: int,
        complain: Callable[[str], None],
    ) -> None:
        self._take, self._parts, self._governor, self._looks = take, parts, governor, looks
        self._complain, self._told = complain, False
        self.recorder = import_module("weaklink.adapters.gymnasium.tape").TapeRecorder()
        self.recorder.on_step = self._stepped
        self.evaluations = EvaluationReader(self.recorder, parts, governor)
        self._capture: Any = None
        self._undo: list[Callable[[], object]] = []
        self._update, self._next = 1, max(looks, 1) * LATER
        self._steps, self._together = 0, 1
        self._since: dict[int, int] = {}
        self._begun_at, self._warms = 0, False
        self._listens = False
        self._learns_newest = False
        self._for_ends, self._waits, self._kind = MOST_FOR_ENDS, False, FIRST_READING
        self._ends_read, self._ends_replayed = np.zeros(2, np.int64), np.zeros(2, np.int64)
        self.learned_in: frozenset[int] = frozenset()

    def listen(self) -> None:
        """Hears environments and networks from now on, as far as their libraries are loaded."""
        if not self._listens and has_library():
            self._listens = True
            self._undo.append(import_module("weaklink.adapters.gymnasium.listening").listen(self.recorder))
        if self._capture is None and "torch" in sys.modules:
            capture = import_module("weaklink.adapters.torch.capture").UpdateCapture
            self._capture = self.evaluations.capture = capture(lambda: self.recorder.count)
            self._capture.when_full = lambda: self._parts.attempt("reading updates", self._finish)
            self._undo.append(self._capture.close)
            self._begin()

    @property
    def reading(self) -> bool:
        """Whether an update is being captured."""
        return self._capture is not None and self._capture.open

    def read_tape(self) -> Tape | None:
        """What was collected for the update that is being captured; None where there are several tapes, or none."""
        tapes: tuple[Tape, ...] = self.recorder.read(self._since) if self.reading else ()
        return tapes[0] if len(tapes) == 1 else None

    @property
    def taken(self) -> int:
        """Steps of all optimizers so far."""
        return 0 if self._capture is None else int(self._capture.taken)

    def read_layers(self) -> dict[str, Array]:
        """The weights of the last layers of all networks that an update that was read asked, as they are now."""
        return {} if self._capture is None else dict(self._capture.read_layers())

    def wrap(self, env: Any) -> Any:
        """An environment that is heard: as it is where its class is, else in a wrapper."""
        self.listen()
        return import_module("weaklink.adapters.gymnasium.taped").wrap(env, self.recorder)

    def close(self) -> None:
        """Reads what is under way, and listens no longer."""
        self._parts.attempt("reading evaluations", self.evaluations.finish)
        if self._capture is not None and self._capture.open and self._capture.steps and not self._warms:
            self._parts.attempt("reading updates", self._finish)
        for undo in reversed(self._undo):
            undo()
        self._undo = []

    def _stepped(self) -> None:
        """Before every step of an environment: learning is over if an optimizer has stepped since."""
        if self._capture is None:
            if "torch" in sys.modules:
                self._parts.attempt("reading updates", self.listen)
        elif self._capture.taken != self._steps:
            self._steps = self._capture.taken
            self._parts.attempt("reading updates", self._turn)
        elif self.evaluations.has_enough:
            self._parts.attempt("reading evaluations", self.evaluations.rest)

    def _turn(self) -> None:
        self.evaluations.turn()
        if self._capture.open and self._capture.steps < self._together:
            return
        if self._capture.open and self.recorder.count == self._begun_at:
            self._capture.end()  # it began in the middle of an update, whose rows are not on the tape
        elif self._capture.open and self._warms:
            self._capture.end()
        elif self._capture.open:
            self._finish()
        elif self._waits:  # it was dropped before its first optimizer step
            spent, self._capture.seconds = self._capture.seconds, 0.0
            self._governor.spent(self._kind, spent)
        self._update += 1
        self._begin()
        self._capture.forget()

    def _begin(self) -> None:
        first = self._update <= self._looks
        due = first or self._update >= self._next
        # what a network is asked before the first step is asked before it is plain that the last update is over
        self._warms = not first and self._update == self._next - 1
        self._kind = FIRST_READING if first or self._governor.allows(FIRST_READING) else READ
        allowed = self._governor.allows(self._kind)
        listens = (due or self._warms) and allowed
        self._waits = not listens and allowed and self._lacks_ends()
        if self._waits and not self._learns_newest:  # what a replay buffer gives does not depend on this update
            self._waits = self._has_new_end()
            self._since = self.recorder.steps
        listens = listens or self._waits
        # what a rollout is learned from was collected just before; a replay buffer needs all that came
        self.recorder.resting = not listens and self._learns_newest
        if not listens:
            return
        if due and not first:
            self._next = self._update * LATER
        self._since, self._begun_at = self.recorder.steps, self.recorder.count
        waits = self._waits and self._learns_newest
        if not self._capture.begin(self._is_wanted if waits else None) and not self._told:
            self._told = True
            self._complain("updates are not read: networks are compiled.")

    def _lacks_ends(self) -> bool:
        """Whether a kind of end is still to be read, and an update may be read for it."""
        return self._for_ends > 0 and bool(np.any(self._ends_read < FEWEST_ENDS))

    def _is_wanted(self) -> bool:
        """Whether an update that is captured for its ends has any; what was seen of an evaluation is read before."""
        self.evaluations.finish()
        return self._has_new_end()

    def _has_new_end(self) -> bool:
        """Whether an update may have enough ends of a kind that no update that was read had."""
        fresh = self.recorder.count_ends(self._since)
        self._ends_replayed += fresh
        there = fresh >= FEWEST_ENDS if self._learns_newest else self._ends_replayed >= FEWEST_REPLAYED
        return bool(np.any(there & (self._ends_read < FEWEST_ENDS)))

    def _finish(self) -> None:
        began = time.thread_time()
        reading = self._read()
        if reading is not None:
            self._count_ends(reading)
            self.evaluations.note(reading, trains=_count_matched(reading) >= FEWEST_MATCHED)
            self._take(reading)
        self._for_ends -= self._waits
        spent, self._capture.seconds = time.thread_time() - began + self._capture.seconds, 0.0
        self._governor.spent(self._kind, spent)

    def _count_ends(self, reading: UpdateReading) -> None:
        """Keeps how many ends of each kind were learned from in one update, the most so far."""
        rows = np.concatenate([call.rows for call in reading.calls] or [np.zeros(0, np.int64)])
        rows = np.unique(rows[rows != UNMATCHED])
        ended = np.asarray(reading.tape.terminated, bool)[rows]
        cut = np.asarray(reading.tape.truncated, bool)[rows] & ~ended
        self._ends_read = np.maximum(self._ends_read, [int(ended.sum()), int(cut.sum())])

    def _match_best(self, captured: Any, tapes: Sequence[Tape]) -> UpdateReading | None:
        """What was captured, beside the tape that has most of its rows; the one stepped last comes first."""
        best: UpdateReading | None = None
        for tape in sorted(tapes, key=lambda each: -int(each.stamps.max(initial=-1))):
            found = _match(captured, tape, tapes, self._update)
            if best is None or _count_matched(found) > _count_matched(best):
                best = found
            if _count_matched(best) >= MOST_ROWS:
                break
        return best

    def _read(self) -> UpdateReading | None:
        captured = self._capture.end()
        if not captured.calls and not captured.head_steps and not captured.unmoved:
            return None
        tapes = self.recorder.read(self._since)
        if not tapes and not self.recorder.count:
            return _read_alone(captured, self._update)
        matched = self._match_best(captured, tapes)
        found = 0.0 if matched is None else _count_matched(matched)
        self._learns_newest = self._update > 1 and found >= FEWEST_MATCHED  # at first all is new to a buffer too
        if found < FEWEST_MATCHED:
            tapes = self.recorder.read()
            older = self._match_best(captured, tapes)
            if older is not None:  # what fits only as long as the rest of the tape is left out fits nothing
                self._together = REPLAYED_STEPS if _count_matched(older) > found else self._together
                matched = older
        rows = FEWEST_ROWS if matched is None else _count_rows(matched)
        if matched is not None and rows < FEWEST_ROWS:
            needed = -(-matched.steps * FEWEST_ROWS // rows) if rows else 0
            self._together = min(max(needed, REPLAYED_STEPS), MOST_STEPS)
        if matched is not None and _count_matched(matched) >= FEWEST_MATCHED:
            self.learned_in = frozenset(matched.tape.places)
        return matched


def _drop_foreign(answers: Sequence[HeadAnswer], tape: Tape, tapes: Sequence[Tape]) -> list[HeadAnswer]:
    """The answers without those that were given for the steps of other environments, such as an evaluation's.

    The first of these steps may come right after a question about the last step of this tape.
    """
    elsewhere = {int(stamp) for each in tapes if each is not tape for stamp in each.stamps} - set(tape.stamps.tolist())
    return [
        each
        for each in answers
        if each.when != COLLECTING or each.stamp not in elsewhere or each.stamp - 1 not in elsewhere
    ]


def _match(captured: Any, tape: Tape, tapes: Sequence[Tape], update: int) -> UpdateReading:
    given = _drop_foreign(captured.answers, tape, tapes)
    tape = rewrite_states(tape, [call.inputs for call in captured.calls], list_asked(given, tape))
    finder = RowFinder(tape, given)
    answers = [*list_collected(captured.calls, finder), *given]
    calls = join_collected(match_calls(join_unrolled(captured.calls, finder), finder), finder)
    calls, placed = settle_alike(calls, match_answers(answers, finder, tape), tape)
    placed = place_beside(calls, placed, tape)
    lost = {call.head: int((call.rows == UNMATCHED).sum()) for call in calls if (call.rows == UNMATCHED).any()}
    notes = [f"{count:,} rows of {head} were not found on the tape." for head, count in lost.items()]
    return UpdateReading(
        update=update,
        steps=captured.steps,
        tape=tape,
        calls=calls,
        answers=placed,
        parameters=captured.parameters,
        left_out=(*captured.left_out, *notes),
        losses=captured.losses,
        layers=captured.layers,
        head_steps=captured.head_steps,
        unmoved=match_calls(join_unrolled(captured.unmoved, finder), finder),
        unasked=captured.unasked,
        shared=captured.shared,
        limited=captured.limited,
        settings=captured.settings,
        draws=captured.draws,
        memories=captured.memories,
    )


def _read_alone(captured: Any, update: int) -> UpdateReading | None:
    """What was captured where no environment was ever stepped: losses over tokens tell by themselves."""
    calls = [call for call in captured.calls if call.tokens is not None]
    if not calls:
        return None
    return UpdateReading(
        update=update,
        steps=captured.steps,
        tape=NO_TAPE,
        calls=tuple(calls),
        answers=captured.answers,
        left_out=captured.left_out,
        head_steps=captured.head_steps,
    )


def _count_rows(reading: UpdateReading) -> int:
    """The rows of the head that has most of them, without those in which an actor climbs it."""
    own = [[len(call.rows) for call in reading.of_head(head) if not call.climbed] for head in reading.heads]
    return max(map(sum, own), default=0)


def _count_matched(reading: UpdateReading) -> float:
    """The share of the rows of all calls that are on the tape, each once a call.

    Where observations repeat, many rows of a replayed minibatch look like the few that were just collected.
    """
    rows = [call.rows for call in reading.calls]
    count = sum(map(len, rows))
    return sum(len(np.unique(each[each != UNMATCHED])) for each in rows) / count if count else 0.0
