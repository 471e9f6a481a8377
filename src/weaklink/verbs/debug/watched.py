"""A training of the target's own, watched inside the process that trains."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from importlib import import_module, util
from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.outside.own_code import describe_error
from weaklink.verbs.attach import Monitor, attach
from weaklink.verbs.debug.request import CaseRequest, Say, TrainingEnd, WorkerMessage
from weaklink.verbs.debug.target import LoadedTarget, takes
from weaklink.verbs.monitor_options import MonitorOptions

BUDGET = 0.05
"""The share of the time that watching may take: a short training is watched for the sake of the evidence."""

ROWS = 100
"""Into how many rows the steps of a training without a framework are divided."""

TOLD_EVERY = 0.5
PATIENCE = 5.0
"""Seconds after its time that a training may take to end by itself, at most; half of its time if that is less."""

STARVED, MOST_PATIENCE, MOVING = 0.4, 2.0, 2.0
"""A process that gets less than this share of a core is given up to so many times as long, if it moves at all: that is,
something moved in the last so many seconds."""

STILL = 0.3
"""The share of its time for which nothing may have moved in a training that was ended, or else it hangs."""

MOST_TRACE = 4000


class TimeUp(KeyboardInterrupt):
    """The time of the training is up."""


class TrainingClock:
    """Counts steps, tells of them now and then, and ends the training when its time is up.

    `idle` is how many seconds ago anything last moved: a step of an environment or of an optimizer.
    """

    def __init__(self, seconds: float, say: Say) -> None:
        self.steps = 0
        self.late = False
        self.idle = 0.0
        self._say = say
        self._monitor: Monitor | None = None
        self._began, self._spent = time.monotonic(), time.process_time()
        self._seconds = seconds
        self._moved, self._place = time.monotonic(), (-1, -1)
        self._over = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def up(self) -> bool:
        """Whether the time is up: where the machine is busy with other work, twice as long is given."""
        passed = time.monotonic() - self._began
        if passed >= self._seconds and not self.late:
            starved = self.idle < MOVING and time.process_time() - self._spent < STARVED * passed
            self.late = not starved or passed >= MOST_PATIENCE * self._seconds
        return self.late

    def follow(self, monitor: Monitor) -> None:
        """Has the monitor say how far a training is whose steps nobody counts here."""
        self._monitor = monitor

    def count(self) -> int:
        """How many steps were taken."""
        return self.steps if self._monitor is None else int(self._monitor.step)

    def planned(self) -> int:
        """How many steps a training that decides itself will take; 0 where it does not say."""
        config = Config() if self._monitor is None else Config.of(self._monitor.config)
        return max(int(config.number("total_steps") or 0), 0)

    def start(self) -> None:
        """Everything is made: from now on the time counts."""
        self._began, self._spent = time.monotonic(), time.process_time()

    def close(self) -> None:
        """The training has ended."""
        self._over.set()

    def _run(self) -> None:
        """Tells that all is well; where the training does not end by itself, it is interrupted as by Ctrl-C."""
        turned, patience = 0.0, compute_patience(self._seconds)
        while not self._over.wait(TOLD_EVERY):
            self._say(WorkerMessage(steps=self.count()))
            self._look()
            turned = turned or (time.monotonic() if self.up else 0.0)
            if turned and time.monotonic() > turned + patience:
                os.kill(os.getpid(), signal.SIGINT)
                return

    def _look(self) -> None:
        place = self.count(), _count_optimizer_steps()
        if place != self._place:
            self._place, self._moved = place, time.monotonic()
        self.idle = time.monotonic() - self._moved


def compute_patience(seconds: float) -> float:
    """How long a training may take to end by itself."""
    return min(PATIENCE, seconds / 2)


def _count_optimizer_steps() -> int:
    hooks = sys.modules.get("weaklink.adapters.torch.hooks")
    with contextlib.suppress(RuntimeError):  # an optimizer is added at this moment
        return int(hooks.steps_taken()) if hooks is not None else 0
    return 0


def train_watched(thing: LoadedTarget, request: CaseRequest, say: Say) -> None:
    """Trains once and tells how it ended; the recording lies in the folder of the request."""
    _seed_generators(request.seed, models=thing.make_model is not None)
    began, clock = time.monotonic(), TrainingClock(request.seconds, say)
    monitor, kind, message, trace = None, "", "", ""
    try:
        monitor, begin = _begin_training(thing, request, clock)
        clock.start()
        begin()
    except BaseException as error:  # an exit and an interruption are ends of a training too
        kind, message = _describe_end(error, clock, request.seconds)
        trace = traceback.format_exc()[-MOST_TRACE:] if kind else ""
        sys.stderr.write(trace)
    clock.close()
    if monitor is not None:
        monitor.close()
    ended = TrainingEnd(
        kind=kind,
        message=message,
        trace=trace,
        steps=clock.count(),
        asked=clock.planned() or request.steps,
        seconds=time.monotonic() - began,
        late=clock.late and not kind,
    )
    say(WorkerMessage(ended=ended))


def _describe_end(error: BaseException, clock: TrainingClock, seconds: float) -> tuple[str, str]:
    """The kind of an end and what to say of it; nothing where merely the time was up."""
    if isinstance(error, KeyboardInterrupt) and clock.up:
        still = clock.idle > max(STILL * seconds, compute_patience(seconds))
        return ("hung", f"nothing moved any more for {clock.idle:.0f} seconds") if still else ("", "")
    if isinstance(error, SystemExit):
        return "exited", f"sys.exit({error.code!r}) was called"
    return "raised", describe_error(error)


def _seed_generators(seed: int, *, models: bool) -> None:
    """Seeds whatever the target may draw from; a model may load torch only when it is made."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    if "torch" in sys.modules or (models and util.find_spec("torch") is not None):
        import_module("weaklink.adapters.torch.generators").seed_torch(seed)


def _begin_training(
    thing: LoadedTarget, request: CaseRequest, clock: TrainingClock
) -> tuple[Monitor, Callable[[], Any]]:
    """The monitor of the training, and a function that trains."""
    if thing.train is not None:
        return _begin_own_loop(thing, request, clock)
    model = thing.model()
    if hasattr(model, "set_random_seed") and getattr(model, "seed", None) is None:
        model.set_random_seed(request.seed)
    monitor = attach(model, request.folder, **_make_options(thing, request))
    if not hasattr(model, "learn"):
        clock.follow(monitor)
        return monitor, model.train

    def going(*_: object) -> bool:
        clock.steps = int(model.num_timesteps)
        return not clock.up

    return monitor, lambda: model.learn(request.steps, callback=lambda inner, outer: going())


def _make_options(thing: LoadedTarget, request: CaseRequest) -> MonitorOptions:
    return {
        "config": dict(thing.config),
        "name": request.target.name,
        "sinks": (),
        "tracker": "none",
        "budget": request.budget or BUDGET,
        "thresholds": request.thresholds,
    }


def _begin_own_loop(
    thing: LoadedTarget, request: CaseRequest, clock: TrainingClock
) -> tuple[Monitor, Callable[[], Any]]:
    """A loop of the user's: its environments are listened to, and it is handed the monitor where it takes one."""
    assert thing.train is not None
    monitor = Monitor(request.folder, **_make_options(thing, request))
    monitor.config.setdefault("total_timesteps", request.steps)
    keeper = StepKeeper(monitor, clock, max(request.steps // ROWS, 1))
    if "stable_baselines3" in sys.modules:
        monitor.until_closed(import_module("weaklink.adapters.sb3.watch").watch_next(monitor.watcher))
    train = thing.train
    given = {"monitor": monitor} if takes(train, "monitor") else {}

    def make_env() -> Any:
        return keeper.listened(thing.make_env())

    return monitor, lambda: train(make_env, request.steps, request.seed, **given)


class StepKeeper:
    """Hears of the steps and ends in all environments of a training."""

    def __init__(self, monitor: Monitor, clock: TrainingClock, every: int) -> None:
        self._monitor, self._clock, self._every = monitor, clock, every
        self._named = False

    def listened(self, environment: object) -> Any:
        """The environment, listened to; as it is, where that cannot be done."""
        name = getattr(getattr(environment, "spec", None), "id", None)
        if name and not self._named:
            self._named = True
            self._monitor.config.setdefault("env_id", name)
        return import_module("weaklink.adapters.gymnasium.episodes").listen_to(environment, self)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return DeafKeeper, ()

    def stepped(self) -> None:
        """One more step was taken in some environment."""
        clock = self._clock
        if clock.up:
            raise TimeUp
        clock.steps += 1
        if clock.steps % self._every == 0:
            self._monitor.watcher.metrics(clock.steps, {})

    def ended(self, total: float, length: int) -> None:
        """An episode ended with this return after so many steps."""
        self._monitor.watcher.hear_episode(self._clock.steps, total, length)


class DeafKeeper:
    """What becomes of a keeper in another process, such as that of one member of a vector: nothing is heard there."""

    def listened(self, environment: object) -> Any:
        """The environment as it is."""
        return environment
