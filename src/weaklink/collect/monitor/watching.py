"""Who is told of a training while it runs: numbers are recorded, looks are measured and judged, faults swallowed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from weaklink.base.evidence.rollout import COLLECTED, UPDATED, Fit, Rollout
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.collect.monitor.alarm import Alarm
from weaklink.collect.monitor.episodes import Episodes
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.keeping import Keeping
from weaklink.collect.monitor.live import Live
from weaklink.collect.monitor.measures import Throughput, histograms, measured, trace
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.trackers import Forwarding
from weaklink.judge.diagnosis.engine import judge_rollout
from weaklink.judge.diagnosis.settings import Settings

Result = TypeVar("Result")

EMPTY = Rollout(step=0.0, update=0)

FIRST_LOOKS = 3
"""How many updates are recomputed at the start."""

LATER_LOOKS = 10
"""After those, an update is recomputed whenever their number has grown this many times."""

PICTURES_EVERY = 10.0
"""Seconds between two histograms of one metric."""

CHECK, LOOK, MEASURE = "check", "look", "measure"
"""What time is spent on: the first updates recomputed, later ones, and all that is done for numbers."""


class Watching:
    """A `Watcher` made of the parts of a monitor. Once it is closed, and in a forked process, it hears nothing."""

    def __init__(
        self,
        *,
        config: dict[str, Any],
        context: dict[str, Any],
        recorder: Recorder,
        alarm: Alarm,
        keeping: Keeping | None,
        forwarding: Forwarding,
        governor: Governor,
        settings: Settings,
        looks: int,
        complain: Callable[[str], None],
    ) -> None:
        self.config, self.context = config, context
        self._recorder, self._alarm, self._keeping = recorder, alarm, keeping
        self._forwarding, self._governor, self._settings = forwarding, governor, settings
        self._complain = complain
        self._live = Live(str(context["name"]), config, settings)
        self._episodes = Episodes()
        self._latest: dict[str, float] = {}
        self._step = 0.0
        self._score: float | None = None
        self._fit: Callable[[], Fit | None] | None = None
        self._doubts, self._doubted = set[str](), False
        self._throughput = Throughput()
        self._paced_step = self._fresh = 0.0
        self._collected_at: float | None = None
        self._updated_at: float | None = None
        self._clean: set[str] = set()
        self._failed: set[str] = set()
        self._looks, self._looked, self._next_look = looks, set[int](), looks * LATER_LOOKS
        self._kind, self._depth = CHECK, 0  # what is loaded before the first update counts with the first checks
        self._pictured = float("-inf")
        self._process = os.getpid()
        self._introduced = self._halted = self._closed = False

    @property
    def _deaf(self) -> bool:
        return self._closed or os.getpid() != self._process

    def attempt(self, part: str, work: Callable[[], Result]) -> Result | None:
        """Does a part of the watching; see `Watcher`."""
        began = time.perf_counter()
        self._depth += 1
        result = self._guarded(part, work)
        self._depth -= 1
        if not self._depth:
            self._governor.spent(self._kind, time.perf_counter() - began)
        return result

    def _guarded(self, part: str, work: Callable[[], Result]) -> Result | None:
        if part in self._failed or self._deaf:
            return None
        try:
            return work()
        except Exception as error:  # nothing that is done here may end a training
            self._failed.add(part)
            self._complain(f"{part} is not watched any more: {type(error).__name__}: {str(error)[:200]}")
            return None

    def looks(self, update: int) -> bool:
        """Whether this update is to be recomputed; see `Watcher`."""
        first = update <= self._looks
        due = first or 0 < self._next_look <= update
        self._kind = MEASURE
        if not due or not self._governor.allows(CHECK if first else LOOK):
            return False
        self._kind = CHECK if first else LOOK
        self._looked.add(update)
        if not first:
            self._next_look = update * LATER_LOOKS
        return True

    def measures(self) -> bool:
        """Whether there is time to measure; see `Watcher`."""
        return self._governor.allows(MEASURE)

    def take(self, rollout: Rollout) -> None:
        """Takes a look at an update; see `Watcher`."""
        looked = rollout.update in self._looked
        if looked or self.measures():
            self.attempt("measuring", lambda: self._measure(rollout))
        if looked:
            self.attempt("checking", lambda: self._check(rollout))
        self._pace(rollout)
        if rollout.moment == COLLECTED and self._doubted:
            self._doubted = False
            self.attempt("critic", lambda: self._fitted(rollout))
        if rollout.moment == UPDATED and self._keeping is not None:
            self.attempt("saving", self._keep)

    def metrics(self, step: float, numbers: Mapping[str, float]) -> None:
        """Takes numbers by name; see `Watcher`."""
        self.attempt("recording", lambda: self._row(step, numbers))

    def episode(self, step: float, total: float, length: float, parts: Mapping[str, float] | None = None) -> None:
        """Takes a finished training episode: its return, its length and, by name, the components of its reward."""
        self.attempt("episodes", lambda: self._episodes.add(total, length, parts))

    def evaluation(self, step: float, returns: Any, lengths: Any = None) -> None:
        """Takes the returns (and lengths) of an evaluation's episodes."""
        self.attempt("evaluation", lambda: self._evaluated(step, np.atleast_1d(returns), lengths))

    def record(self, kind: str, content: Any) -> None:
        """Keeps something that is no number over time; see `Watcher`."""
        self.attempt("recording", lambda: self._recorder.add(kind, content))

    def on_failure(self, save: Callable[[str], Any]) -> None:
        """Tells how the state is saved under a path, for checkpoints and before the training is stopped."""
        if self._keeping is not None:
            self._keeping.save = save

    def on_doubt(self, fit: Callable[[], Fit | None]) -> None:
        """Tells how the critic alone is fitted to the newest rollout; see `Watcher`."""
        self._fit = fit

    @property
    def stop(self) -> bool:
        """Whether the training should end; its state has been saved by then, where it was said how."""
        fatal = self._alarm.fatal
        if fatal is None:
            return False
        if not self._halted and self._keeping is not None:
            self._halted, keeping = True, self._keeping
            self.attempt("saving", lambda: keeping.failed(self._step, fatal))
        return True

    def _measure(self, rollout: Rollout) -> None:
        self._row(rollout.step, measured(rollout))
        now = time.monotonic()
        if rollout.estimates is None or now - self._pictured < PICTURES_EVERY or not self.measures():
            return
        self._pictured = now
        for name, (edges, counts) in histograms(rollout).items():
            content = {"metric": name, "step": rollout.step, "edges": edges, "counts": counts}
            self._recorder.add("histogram", content)
        told = trace(rollout)
        if told is not None:
            self._recorder.add("trace", {"step": rollout.step, **told})

    def _check(self, rollout: Rollout) -> None:
        answers = judge_rollout(rollout, self._settings)
        for _, finding in answers.fired:
            if finding.severity >= Level.WARN:
                self._alarm.tell(finding)
        for code in answers.clean:
            if code not in self._clean:
                self._clean.add(code)
                self._recorder.add("checked", {"code": code, "step": rollout.step})
        for code, fault in answers.unable.items():
            if code not in self._failed:
                self._failed.add(code)
                self._complain(f"{code} could not be asked: {fault[:200]}")

    def _fitted(self, rollout: Rollout) -> Fit | None:
        """Fits the critic alone to a rollout, and judges how well that went."""
        fit = self._fit() if self._fit is not None else None
        if fit is not None:
            self._check(replace(EMPTY, step=rollout.step, update=rollout.update, family=rollout.family, fit=fit))
        return fit

    def _pace(self, rollout: Rollout) -> None:
        """Counts what was collected and learnt, and in which time."""
        now, samples = time.perf_counter(), rollout.step - self._paced_step
        if rollout.moment == COLLECTED:
            if self._updated_at is not None:
                self._throughput.collected(samples, now - self._updated_at)
            self._collected_at, self._fresh = now, samples
            self._paced_step = rollout.step
        elif self._collected_at is not None:
            epochs = (rollout.probabilities.epochs if rollout.probabilities else None) or 1
            self._throughput.learnt(self._fresh * epochs, now - self._collected_at)
            self._updated_at, self._collected_at = now, None
            self.metrics(rollout.step, self._throughput.taken())

    def _row(self, step: float, numbers: Mapping[str, float]) -> None:
        self._step = float(step)
        self._write(self._step, {name: float(value) for name, value in numbers.items()} | self._episodes.taken())

    def _write(self, step: float, row: dict[str, float]) -> None:
        if not self._introduced:
            self._introduced = True
            self._recorder.add("config", self.config)
            self._recorder.add("context", self.context)
        if row:
            self._latest |= row
            self._live.add(step, time.time(), row)
            self._recorder.write(step, row)
            self._forwarding.numbers(step, row)

    def _evaluated(self, step: float, returns: Any, lengths: Any) -> None:
        totals = np.asarray(returns, dtype=np.float64)
        row = {"evaluation.return": float(totals.mean()), "evaluation.return_std": float(totals.std())}
        if lengths is not None:
            row["evaluation.length"] = float(np.mean(lengths))
        self._score = row["evaluation.return"]
        self._row(step, row)

    def _keep(self) -> None:
        score, self._score = self._score, None
        if self._keeping is not None:
            self._keeping.now_and_then(self._step, healthy=self._alarm.healthy, score=score)

    def _judge(self) -> None:
        for finding in self._live.alarms():
            if finding.link is Link.VALUE and finding.code not in self._doubts:
                self._doubts.add(finding.code)
                self._doubted = True
            self._alarm.tell(finding)
