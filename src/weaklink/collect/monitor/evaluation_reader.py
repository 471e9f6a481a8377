"""Listens to environments that are played beside the one that is trained in, and looks at what is done there."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading, strip_numbers
from weaklink.collect.monitor.evaluations import Evaluations, read_evaluation
from weaklink.collect.monitor.governor import EVALUATION, Governor
from weaklink.collect.monitor.parts import PartRunner

STEPS_ASIDE, STEPS_BESIDE = 256, 32
"""Steps of an evaluation that networks are listened to in, and of the training after it, for what a normaliser makes of
observations by then."""


@dataclass(slots=True)
class AsidePlay:
    """An evaluation that is being looked at.

    Attributes:
        stream: of its environment.
        since: the steps that this had made before.
        steps: of every environment by then.
        stamp: of all environments together.
        rested: whether steps were not kept before.
        alone: whether networks are listened to for this alone.
        ends: after how many steps of all environments enough was seen of it, or of the training after it.
        trains: whether training goes on again.
        over: of all environments together, the steps by the end of it.
    """

    stream: Any
    since: int
    steps: dict[int, int]
    stamp: int
    rested: bool
    alone: bool
    ends: float
    trains: bool = False
    over: float = math.inf


class EvaluationReader:
    """Looks at the first evaluation, the second, the fourth and so on, whether an update is captured or not.

    Args:
        recorder: of the environments.
        parts: under whose guard all of this is done.
        governor: whose budget it keeps to.

    Attributes:
        capture: of the networks, once torch is there.
    """

    def __init__(self, recorder: Any, parts: PartRunner, governor: Governor) -> None:
        self._recorder, self._parts, self._governor = recorder, parts, governor
        self.capture: Any = None
        self._evaluations, self._played = Evaluations(), 0
        self._heads: set[str] = set()
        self._update: UpdateReading | None = None
        self._aside: AsidePlay | None = None
        self._beside: Any = None
        self._begun = self._taken = 0
        self._episodes: list[tuple[int, int]] = [(0, 0), (0, 0)]
        recorder.on_switch = self._switch

    @property
    def has_enough(self) -> bool:
        """Whether enough was seen of the evaluation that is being looked at, or of the training after it."""
        return self._aside is not None and self._recorder.count >= self._aside.ends

    def rest(self) -> None:
        """Listens no longer, before training goes on or at all."""
        if self._aside is None or self._aside.trains:
            self.finish()
        else:
            self._compare_numbers()
            self._aside.ends = math.inf
            if self._aside.alone:
                self.capture.stop()

    def turn(self) -> None:
        """Optimizers have stepped: reads what was seen, and looks anew at which environment is stepped next."""
        self.finish()
        self._recorder.expect_training()

    def note(self, reading: UpdateReading, *, trains: bool) -> None:
        """Takes an update: which layers learn, and, where its rows were found, from which environments."""
        self._heads.update(reading.heads)
        self._update = reading if trains else self._update
        self._evaluations.note_learning(reading, self.capture.taken)
        if trains:
            self._recorder.mark_training(reading.tape)
            beside = self._recorder.find_beside(reading.tape.environment)
            if self._beside is None and beside is not None:  # an evaluation came before all training
                self._beside = beside
                self._compare_numbers()

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is wrong with the evaluations, and the kinds that would have shown."""
        return self._evaluations.find_flaws()

    def finish(self) -> None:
        """Reads the evaluation that is being looked at, where there is one."""
        began, aside = time.thread_time(), self._aside
        self._aside = None
        if aside is None:
            return
        answers, weights = self.capture.look(frozenset(map(strip_numbers, self._heads)), aside.stamp)
        until = min(aside.over, aside.stamp + STEPS_ASIDE)
        asked = self.capture.count_moments(aside.stamp, until)
        if aside.alone:
            self.capture.drop()
            self._recorder.resting = aside.rested
        evaluated = self._recorder.read_stream(aside.stream, aside.since)
        trained = self._recorder.read_training(aside.steps)
        learning = {name: each for name, each in self.capture.read_layers().items() if name in self._heads}
        look = read_evaluation(answers, weights, learning, (evaluated, trained), self.capture.taken, self._update)
        played = 0 if evaluated is None else min(evaluated.times, int(min(until, self._recorder.count)) - aside.stamp)
        self._evaluations.add(replace(look, unasked=played if self._heads and not asked else 0))
        spent, self.capture.seconds = time.thread_time() - began + self.capture.seconds, 0.0
        self._governor.spent(EVALUATION, spent)

    def _switch(self, stream: Any) -> None:
        """After a step of an environment that is trained in where the one before was not, or the other way round."""
        self._parts.attempt(
            "reading evaluations", lambda: self._go_on(stream) if stream.trains else self._begin(stream)
        )

    def _begin(self, stream: Any) -> None:
        trained, learned = self._recorder.find_training(), self.capture.taken != self._taken
        if trained is None or trained.name != stream.name:
            return
        resumed, before = stream is self._beside and stream.begun == self._begun, self._begun
        self._begun, self._taken = stream.begun, self.capture.taken
        if resumed and learned:  # optimizers stepped in the middle of an episode: it is trained in as well
            stream.trains = True
            self._evaluations.forget_numbers()
            return
        if stream is self._beside:
            self._evaluations.note_starts(stream.begun - before, stream.begun, stream.reseeded)
        self._played, self._beside = self._played + 1, stream
        self._compare_numbers()
        due, alone = self._played & (self._played - 1) == 0, not self.capture.open
        if not due or not self._governor.allows(EVALUATION) or not self.capture.begin():
            return
        steps, stamp = self._recorder.steps, self._recorder.count - 1
        ends = stamp + STEPS_ASIDE
        self._aside = AsidePlay(stream, stream.steps - 1, steps, stamp, self._recorder.resting, alone, ends)
        self._recorder.resting = False

    def _go_on(self, stream: Any) -> None:
        self._compare_numbers()
        if self._aside is not None:
            count = self._recorder.count
            self._aside.over, self._aside.ends, self._aside.trains = count - 1, count + STEPS_BESIDE, True
            if not self.capture.open:
                self.capture.resume()

    def _compare_numbers(self) -> None:
        """Notes the numbers of both environments where both began another episode since they were noted last."""
        streams = self._recorder.find_training(), self._beside
        if any(stream is None or stream.env() is None for stream in streams) or not self._evaluations.lacks_notes:
            return
        episodes = [(id(stream), stream.begun) for stream in streams]
        if all(now != before for now, before in zip(episodes, self._episodes, strict=True)):
            self._episodes = episodes
            read = import_module("weaklink.adapters.gymnasium.innermost").read_numbers
            self._evaluations.note_numbers(*([stream.numbers, read(stream.env())] for stream in streams))
