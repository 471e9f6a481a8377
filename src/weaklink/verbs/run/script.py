"""Inside the process of a script: what it imports is listened to, and its trainings are watched as they begin.

The start-up of the process (`base/outside/injection.py`) calls `hear` after certain imports and imports nothing else.
So a script without a training costs nothing, and a framework is loaded only by the script itself.
"""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from weaklink.adapters.framework import list_frameworks, recognise_framework
from weaklink.adapters.gymnasium.libraries import NAMES
from weaklink.base.outside.injection import FIRST_PROCESS
from weaklink.collect.monitor.mailbox import keep_quiet, print_on_stderr
from weaklink.collect.monitor.rank import find_place
from weaklink.verbs.run.disguise import call_first, hide_frames
from weaklink.verbs.run.loop import HandWrittenLoop
from weaklink.verbs.run.printed import PrintedLines
from weaklink.verbs.run.request import ScriptRequest, read_request

if TYPE_CHECKING:
    from weaklink.verbs.attach import Monitor
    from weaklink.verbs.monitor_options import MonitorOptions
    from weaklink.verbs.run.environment import ScriptSurvey

CALL = "weaklink.verbs.run.script:hear"

LOGS = {
    "torch.utils.tensorboard.writer": ("SummaryWriter", "add_scalar", "read_scalar"),
    "tensorboardX.writer": ("SummaryWriter", "add_scalar", "read_scalar"),
    "wandb.sdk.wandb_run": ("Run", "log", "read_row"),
}
"""The log that a script writes itself: by module, the class and method, and what reads the arguments."""

ENDS = ("_exit", "execv", "execve")
"""Functions of `os` that end this program without a word to anybody."""


def list_calls() -> dict[str, str]:
    """The modules after whose import `hear` is called."""
    trainers = (module for framework in list_frameworks() for module, _, _ in framework.begins)
    return dict.fromkeys((*trainers, *NAMES, "torch", *LOGS), CALL)


def hear(module: ModuleType) -> None:
    """Listens to a module that the script has just imported; in the process of the script itself and no other."""
    global _watch
    if os.environ.get(FIRST_PROCESS) != str(os.getpid()):
        return
    try:
        _watch = _watch or ScriptWatch(read_request())
        _watch.hear(module)
    except Exception as error:  # whatever it is, the script goes on
        print_on_stderr(f"{module.__name__} is not listened to: {type(error).__name__}: {error}")


_watch: ScriptWatch | None = None


@dataclass(frozen=True)
class EnvironmentEar:
    """What hears the environments of the script: two functions that never raise."""

    step: Callable[..., None]
    reset: Callable[..., None]

    def on_step(self) -> None:
        """Before a step there is nothing to do."""


class WatchedTrainer:
    """A trainer of a framework and its monitor; the trainer is not kept alive."""

    def __init__(self, trainer: object, monitor: Monitor) -> None:
        self.trainer = weakref.ref(trainer)
        self.monitor = monitor


class ScriptWatch:
    """All that is watched in the process of one script."""

    def __init__(self, request: ScriptRequest) -> None:
        self._request = request
        self._process = os.getpid()
        self._watched: list[WatchedTrainer] = []
        self._failed = set[str]()
        self._place = find_place()
        self._used = set[Path]()
        self._survey: ScriptSurvey | None = None
        self._hears = False
        if not self._place.leads:
            keep_quiet()
        self.loop = HandWrittenLoop(self._make_monitor, spread=self._place.shares)
        hide_frames()
        for name in ENDS:
            self._flush_before(name)

    def hear(self, module: ModuleType) -> None:
        """Listens to a module: to the trainers, environments, optimizers or logs in it."""
        for framework in list_frameworks():
            for name, kind, method in framework.begins:
                if name == module.__name__:
                    call_first(getattr(module, kind), method, self._guarded(self._begin))
        if module.__name__ in LOGS:
            kind, method, reader = LOGS[module.__name__]
            read = getattr(import_module("weaklink.adapters.trackers.rows"), reader)
            call_first(getattr(module, kind), method, self._guarded(partial(self.loop.log, read)))
        elif module.__name__ in NAMES:
            self._hear_environments()
        elif module.__name__ == "torch":
            if self._place.shares:  # before the first step, which a monitor may come too late for
                import_module("weaklink.adapters.torch.rank_looks").begin_looks().stays = True
            stepping = import_module("weaklink.adapters.torch.stepping")
            self.loop.read_rate = stepping.SteppedOptimizers(self._learn).read_rate
            living = import_module("weaklink.adapters.torch.living")
            self.loop.count_optimizers = lambda: len(living.list_living(module.optim.Optimizer))

    def _hear_environments(self) -> None:
        """Listens to the environments of the libraries that are loaded by now."""
        listening = import_module("weaklink.adapters.gymnasium.listening")
        if not self._hears:
            self._hears = True
            PrintedLines(self._guarded(self.loop.hear_line)).listen()
            if self._request.survey and self._place.leads and hasattr(os, "fork"):
                environment = import_module("weaklink.verbs.run.environment")
                self._survey = environment.ScriptSurvey(self._request.survey)
            ear = EnvironmentEar(step=self._without_raising(self.loop.step), reset=self._guarded(self._reset))
            listening.listen(ear)
        listening.hear_libraries()
        if self._survey is not None:
            self._survey.remember()

    def _reset(self, env: Any, result: Any, *, vector: bool, seed: object = None) -> None:
        """An environment was reset."""
        self.loop.reset(env, result, vector=vector, seed=seed)
        if self._survey is not None:
            survey, self._survey = self._survey, None
            survey.begin(env)

    def _learn(self) -> None:
        """An optimizer made a step. This runs at every one: that a fork has no recording is asked before it begins."""
        try:
            if self.loop.monitor is not None or os.getpid() == self._process:
                self.loop.learn()
        except Exception as error:
            self._complain(error)

    def _guarded(self, work: Callable[..., object]) -> Callable[..., None]:
        """The same without ever raising, and without a word in a forked process."""

        def guarded(*given: Any, **named: Any) -> None:
            if os.getpid() != self._process:
                return
            try:
                work(*given, **named)
            except Exception as error:
                self._complain(error)

        return guarded

    def _without_raising(self, work: Callable[..., object]) -> Callable[..., None]:
        """The same at less cost, for what a fork does not call."""

        def guarded(env: Any, action: Any, result: Any, *, vector: bool) -> None:
            try:
                work(env, action, result, vector=vector)
            except Exception as error:
                self._complain(error)

        return guarded

    def _complain(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {str(error)[:200]}"
        if told not in self._failed:
            self._failed.add(told)
            print_on_stderr(f"a part of the watching failed, and the script goes on without it: {told}")

    def _begin(self, trainer: Any, *_: Any, **__: Any) -> None:
        """A trainer of a framework begins to train: it is watched from now on, and whoever trained before rests."""
        framework = recognise_framework(trainer)
        if framework is None or not framework.can_watch(trainer):
            return
        self.loop.close()
        for other in [one for one in self._watched if one.trainer() is None]:
            other.monitor.close()
            self._watched.remove(other)
        for other in self._watched:
            other.monitor.rest(resting=other.trainer() is not trainer)
        if any(other.trainer() is trainer for other in self._watched):
            return
        attaching = import_module("weaklink.verbs.attach")
        if attaching.is_attached(trainer):
            print_on_stderr(f"{type(trainer).__name__} is watched already: the script attaches weaklink itself.")
            return
        name = type(trainer).__name__.lower()
        monitor: Monitor = attaching.attach(trainer, self._choose_folder(name), **self._options())
        self._watched.append(WatchedTrainer(trainer, monitor))
        self._introduce(type(trainer).__name__, monitor, monitor.close)

    def _make_monitor(self) -> Monitor:
        """The monitor of a loop that the script has written itself."""
        monitor: Monitor = import_module("weaklink.verbs.attach").Monitor(
            self._choose_folder("loop"), **self._options()
        )
        self._introduce("A training loop of the script's own", monitor, self.loop.close)
        return monitor

    def _options(self) -> MonitorOptions:
        request = self._request
        return {
            "on_error": request.on_error,
            "budget": request.budget,
            "tracker": "none",  # what the script sends to its tracker is the script's own affair
            "select": request.select,
            "thresholds": request.thresholds,
        }

    def _choose_folder(self, name: str) -> Path:
        """A folder of its own for each training; one that there is belongs to another.

        Ranks number their trainings in the order of their beginning, so that all choose the same without asking.
        """
        folder, number = Path(self._request.folder, name), 1
        while folder in self._used or (folder.exists() and not self._place.shares):
            number += 1
            folder = folder.with_name(f"{name}-{number}")
        self._used.add(folder)
        return folder

    def _introduce(self, what: str, monitor: Monitor, close: Callable[[], None]) -> None:
        # registered after what the monitor itself has registered, so that it is closed before its parts are
        atexit.register(self._guarded(close))
        print_on_stderr(f"{what} is watched and recorded into {os.path.relpath(monitor.folder)}.")

    def _flush_before(self, name: str) -> None:
        """Has the recordings written before this process ends, or becomes another program, at once."""
        end = getattr(os, name)
        flush = self._guarded(self._flush)

        def flushed(*given: Any, **named: Any) -> Any:
            flush()
            return end(*given, **named)

        setattr(os, name, flushed)

    def _flush(self) -> None:
        self.loop.flush()
        for watched in self._watched:
            watched.monitor.flush()
