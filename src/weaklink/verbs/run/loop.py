"""A training loop that a script has written itself, watched from outside: its environments, optimizers and log."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weaklink.adapters.framework import list_frameworks
from weaklink.adapters.gymnasium.libraries import has_library
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Rollout
from weaklink.collect.monitor.mailbox import print_on_stderr
from weaklink.collect.monitor.told_scores import ToldScores
from weaklink.collect.monitor.trained_scores import TrainedScores, has_other_rewards

if TYPE_CHECKING:
    from weaklink.adapters.gymnasium.played import Episode, PlayedEnvironment, Playground
    from weaklink.adapters.trackers.rows import LoggedRow
    from weaklink.verbs.attach import Monitor

EPISODES, OPTIMIZERS, LOG = "episodes", "optimizers", "log"
"""What a loop can be heard by."""

UPDATES, RATE = "optimizer.updates", "optimizer.learning_rate"

HEARD = "heard"
"""The key of a recording's context under which it says which of them it was."""

LATE = 5_000
"""Steps after which it is asked once whether there is an optimizer that has not stepped yet, and up to which what was
played is held back until the first update: before that nobody knows which environment is trained in."""

ALONE = 2
"""Optimizer steps from which on a script without environments and logs trains something."""

ROW_GROWTH = 0.01
"""A row is written whenever the steps have grown by this share: some hundred rows for a training of any length."""


FEWEST_PAST, LASTING_PAST = 8, 0.01
"""Steps past a time limit that are no look at an episode that is over, and the share of all steps that matters."""

MOST_EPISODES = 10_000
"""Episodes that are kept as long as it is not plain that this is a training."""


@dataclass
class HeldTurn:
    """Steps of one environment before the first update: how many, and the episodes that ended after so many."""

    played: PlayedEnvironment
    steps: int = 0
    episodes: list[tuple[int, Episode]] = field(default_factory=list)


class HandWrittenLoop:
    """What is heard of a loop. Its recording begins once it is plain that the script trains without a framework.

    Attributes:
        read_rate: gives the learning rate of the main optimizer, where torch is heard.
        count_optimizers: says how many optimizers there are, whether they have stepped or not.

    Args:
        make: makes the monitor.
        spread: the script is one rank of several. Of those often only the first logs, so that steps of an optimizer are
            enough to know a training by.
    """

    def __init__(self, make: Callable[[], Monitor], *, spread: bool = False) -> None:
        self.monitor: Monitor | None = None
        self._make, self._spread = make, spread
        self._closed = False
        self._playground: Playground | None = None
        self._heard = set[str]()
        self._steps, self._written, self._due, self._updates = 0, 0, 1.0, 0
        self._stepped: PlayedEnvironment | None = None
        self._episodes: deque[tuple[int, Episode]] = deque(maxlen=MOST_EPISODES)
        self._evaluated: list[Episode] = []
        self._held: list[HeldTurn] | None = []
        self._row: dict[str, float] = {}
        self._told, self._trained, self._plain = ToldScores(), TrainedScores(), True
        self._logged = 0.0
        self._past_told = False
        self._name = ""
        self._idle: int | None = None
        self.read_rate: Callable[[], float | None] = lambda: None
        self.count_optimizers: Callable[[], int] = lambda: 0

    # what the environments tell, at the outermost call

    def reset(self, env: Any, result: Any, *, vector: bool, seed: object = None) -> None:
        """An environment begins anew; which seed it is given does not matter here."""
        if not self._closed:
            self._plain = self._plain and not has_other_rewards(env)
            self._find_playground().find(env, vector=vector).begin()

    def step(self, env: Any, action: Any, result: Any, *, vector: bool) -> None:
        """A step was made. This runs at every step: what need not be done each time is done elsewhere."""
        played = self._stepped
        if played is None or played.updates != self._updates or played.reference() is not env:
            played = self._find_stepped(env, result, vector)
            if played is None:
                return
        self._steps += played.members
        ended = played.add(result)
        if ended or self._steps >= self._due:
            self._take(ended)

    def _find_stepped(self, env: Any, result: Any, vector: bool) -> PlayedEnvironment | None:
        """The environment that is stepped where it is one for training; an episode of another is an evaluation."""
        if self._closed:
            return None
        if self._row:  # what was logged since the last step belongs to that one
            self._write_row()
        playground = self._find_playground()
        if self.monitor is not None:
            playground.teach(self.monitor.learned_in)
        played = playground.step(env, self._updates, vector=vector)
        if self._held is not None:
            self._hold(self._held, played, result)
            return None
        self._stepped = played if playground.is_training(played) else None
        if self._stepped is None:
            self._evaluated.extend(played.add(result))
        return self._stepped

    def _hold(self, held: list[HeldTurn], played: PlayedEnvironment, result: Any) -> None:
        """Keeps a step that was made before the first update, as long as one is to be expected."""
        self._name = self._name or played.name
        self._begin_if_training(steps=True)
        if not held or held[-1].played is not played:
            held.append(HeldTurn(played))
        held[-1].steps += played.members
        held[-1].episodes += [(held[-1].steps, episode) for episode in played.add(result)]
        self._steps += played.members if self._find_playground().is_training(played) else 0
        if self._steps >= LATE or "torch" not in sys.modules:
            self._settle()

    def _settle(self) -> None:
        """Takes what was held back, once it is known in which environment is trained."""
        turns, self._held, self._steps = self._held or (), None, 0
        playground = self._find_playground()
        for turn in turns:
            if playground.is_training(turn.played):
                self._tell_evaluation()
                self._episodes.extend((self._steps + after, episode) for after, episode in turn.episodes)
                for _, episode in turn.episodes:
                    self._trained.add(episode.total)
                self._steps += turn.steps
            else:
                self._evaluated.extend(episode for _, episode in turn.episodes)
        if self._episodes:
            self._heard.add(EPISODES)
        self._take(())

    def _find_playground(self) -> Playground:
        if self._playground is None:
            from weaklink.adapters.gymnasium.played import Playground

            self._playground = Playground()
        return self._playground

    def _take(self, ended: Sequence[Episode]) -> None:
        """Takes the episodes that a step ended, and writes a row where one is due."""
        self._due = self._steps + max(ROW_GROWTH * self._steps, 1.0)
        if ended:
            self._heard.add(EPISODES)
            self._episodes.extend((self._steps, episode) for episode in ended)
            for episode in ended:
                self._trained.add(episode.total)
        if self.monitor is None:
            return
        watcher = self.monitor.watcher
        watcher.rows.step = float(self._steps)
        self._tell_evaluation()
        for step, episode in self._episodes:
            watcher.hear_episode(step, episode.total, episode.length)
            self._write_if_due(step)
        self._episodes.clear()
        self._tell_past_ends(self.monitor)
        self._stop_if_asked()

    def _tell_past_ends(self, monitor: Monitor) -> None:
        """Says once that an environment is stepped on behind its time limit, whichever updates are read."""
        past = 0 if self._past_told else self._find_playground().count_past_ends()
        if past >= max(FEWEST_PAST, LASTING_PAST * self._steps):
            self._past_told = True
            read = RecoveredUpdate(past_end=past, stepped=self._steps)
            monitor.watcher.take_reading(Rollout(step=float(self._steps), update=0, recovered=read), told=True)

    def _write_if_due(self, step: int) -> None:
        if self.monitor is not None and step >= self._written + ROW_GROWTH * step:
            self._written = step
            self.monitor.watcher.metrics(step, self._list_numbers())

    def _list_numbers(self) -> dict[str, float]:
        """What is known of the optimizers at no cost."""
        if OPTIMIZERS not in self._heard:
            if self._idle is None and self._steps >= LATE:
                self._idle = self.count_optimizers()
            return {}
        rate = self.read_rate()
        return {UPDATES: float(self._updates)} | ({} if rate is None else {RATE: rate})

    def _tell_evaluation(self) -> None:
        if self._evaluated and self.monitor is not None:
            totals, lengths, _ = zip(*self._evaluated, strict=True)
            self._evaluated.clear()
            self.monitor.watcher.evaluation(self._steps, totals, lengths)

    # what torch and the script's own log tell

    def learn(self) -> None:
        """An optimizer made a step."""
        if self._closed:
            return
        self._updates += 1
        if self._updates == 1:
            self._heard.add(OPTIMIZERS)
        if self.monitor is None:
            self._begin_if_training()
        if self._held:
            self._find_playground().learn(self._updates)
            self._settle()
        if self.monitor is not None and not self._steps and LOG not in self._heard:
            self.monitor.watcher.rows.step = float(self._updates)

    def log(self, read: Callable[..., LoggedRow], *given: Any, **named: Any) -> None:
        """The script writes numbers into a log of its own; its steps count where no environment is heard."""
        if self._closed:
            return
        row = read(*given, **named)
        if not row.numbers:
            return
        self._heard.add(LOG)
        if row.numbers.keys() & self._row.keys():
            self._write_row()
        self._row.update(row.numbers)
        self._stepped = None  # the next step is to write it
        self._logged = self._logged + 1 if row.step is None else row.step
        self._begin_if_training()

    def hear_line(self, line: str) -> None:
        """The script prints a line; of an evaluation, where one was just played, else of its training."""
        if self._held is not None:
            return
        if self._evaluated:
            self._told.note(line, self._evaluated)
        else:
            self._trained.note(line)

    def _judge_told(self, monitor: Monitor) -> None:
        """At the end: whether the scores that were printed are those of what was played."""
        flaws, looked = self._told.find_flaws()
        trained, printed = self._trained.find_flaws() if self._plain else ((), frozenset[str]())
        if looked or printed:
            read = RecoveredUpdate(flaws=(*flaws, *trained), looked=looked | printed)
            monitor.watcher.take_reading(Rollout(step=float(self._steps), update=0, recovered=read), told=True)

    def _write_row(self) -> None:
        row, self._row = self._row, {}
        if self.monitor is not None:
            self.monitor.watcher.metrics(self._steps or self._logged, row)

    # from the beginning to the end

    def _begin_if_training(self, *, steps: bool = False) -> None:
        """Begins to record with the first step or row; where a framework could train, once an optimizer steps too.

        A loop that has neither environments nor a log, such as one over tokens, is known by its optimizer alone.
        """
        alone = self._updates >= ALONE and not has_library() and not _has_trainer()
        heard = steps or self._steps or LOG in self._heard or alone or (self._spread and OPTIMIZERS in self._heard)
        if self.monitor is not None or self._closed or not heard:
            return
        if OPTIMIZERS in self._heard or not _has_trainer():
            self.monitor = self._make()
            if self._name:
                self.monitor.config.setdefault("env_id", self._name)

    def _stop_if_asked(self) -> None:
        """Ends the training as Ctrl-C does, which is what a script knows how to end on."""
        if self.monitor is not None and self.monitor.stop:
            self.close()
            print_on_stderr("the training is stopped as by Ctrl-C, for the error above.")
            os.kill(os.getpid(), signal.SIGINT)

    def flush(self) -> None:
        """Has all that was heard written now."""
        if self.monitor is not None and not self._closed:
            if self._held:
                self._settle()
            self._write_row()
            self.monitor.flush()

    def close(self) -> None:
        """Ends the recording, where there is one; nothing is heard any more."""
        if self._closed:
            return
        if self._held:
            self._settle()
        self._closed, self._stepped = True, None
        if self.monitor is not None:
            self._tell_evaluation()
            self._write_row()
            self._judge_told(self.monitor)
            if self._idle and not self._updates:
                self.monitor.watcher.metrics(self._steps, {UPDATES: 0.0})
            self.monitor.watcher.record("context", {HEARD: sorted(self._heard)})
            self.monitor.close()


def _has_trainer() -> bool:
    """Whether the script has loaded a framework that trains, so that a few steps by hand are no training."""
    return any(module in sys.modules for framework in list_frameworks() for module, _, _ in framework.begins)
