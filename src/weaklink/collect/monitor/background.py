"""Work beside the training: one thread that is woken twice a second loads the rules, judges, and reads the machine."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module

from weaklink.base.waiting import join_thread
from weaklink.collect.monitor.governor import CHECK, Governor
from weaklink.collect.monitor.judging import LiveJudge
from weaklink.collect.monitor.watching import MonitorWatcher

EVERY = 0.5

JUDGE, SURROUNDINGS = "judge", "surroundings"
"""What the background spends its time on."""

SURROUNDINGS_EVERY = 30.0

BESIDE = 2.0
"""What a second of another thread costs the training: it takes the interpreter's lock and the caches as well."""


class BackgroundThread:
    """Calls a function twice a second in a thread of its own until it is ended; it does not keep a program alive."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._turn, name="weaklink", daemon=True)
        self._thread.start()

    def _turn(self) -> None:
        while not self._ended.wait(EVERY):
            self._work()

    def close(self, patience: float = 5.0) -> None:
        """Ends the thread, once what it is doing is done."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            join_thread(self._thread, patience)


class BackgroundWork:
    """What is done for one monitor between two moments of its training.

    Args:
        watcher: whose rows are judged.
        judge: who judges them.
        measuring: the account of what is measured inside the loop; loading the rules counts with its first checks.
        governor: the account of judging, so that neither keeps the other waiting.
    """

    def __init__(self, watcher: MonitorWatcher, judge: LiveJudge, measuring: Governor, governor: Governor) -> None:
        self._watcher, self._judge = watcher, judge
        self._measuring, self._governor = measuring, governor
        self._prepared = self._waiting = False
        self._looked_round = time.monotonic()

    def __call__(self) -> None:
        """Does what is due."""
        live = self._watcher.live
        if not self._prepared:
            self._prepared = True
            self._spend("judging", self._judge.prepare, self._measuring, CHECK)
        elif live.rows > live.judged_at and (live.urgent or self._governor.allows(JUDGE)):
            self._spend("judging", self._watcher.judge, self._governor, JUDGE)
        if time.monotonic() - self._looked_round >= SURROUNDINGS_EVERY:
            self._looked_round = time.monotonic()
            self._spend("machine", self._look_round, self._governor, SURROUNDINGS)
        if not self._waiting and "torch" in sys.modules:
            self._watcher.parts.attempt("machine", self._see_accelerator)

    def _spend(self, part: str, work: Callable[[], None], governor: Governor, kind: str) -> None:
        began = time.thread_time()
        self._watcher.parts.attempt(part, work)
        governor.spent(kind, (1.0 if kind == CHECK else BESIDE) * (time.thread_time() - began))

    def _see_accelerator(self) -> None:
        """Once an accelerator is in use, a measuring that waits for it holds the training up."""
        if import_module("weaklink.adapters.torch.accelerator").in_use():
            self._waiting = True
            self._measuring.wait_counts()

    def _look_round(self) -> None:
        numbers = {"system.watching_share": self._measuring.share + self._governor.share}
        if "torch" in sys.modules:
            numbers |= import_module("weaklink.adapters.torch.accelerator").read()
        self._watcher.rows.write(self._watcher.rows.step, numbers)
