"""Who is told of a training while it runs: numbers are recorded, updates are measured and judged, faults swallowed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from weaklink.base.evidence.gaps import Gap
from weaklink.base.evidence.rollout import COLLECTED, UPDATED, CriticCopyFit, Rollout
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.collect.monitor.alarm import Alarm
from weaklink.collect.monitor.governor import CHECK, Governor
from weaklink.collect.monitor.judging import LiveJudge
from weaklink.collect.monitor.keeping import CheckpointKeeper
from weaklink.collect.monitor.live import LiveRun
from weaklink.collect.monitor.measures import Throughput, compute_histograms, measure_rollout, trace_episode
from weaklink.collect.monitor.parts import PartRunner
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.rows import RowWriter
from weaklink.collect.monitor.trackers import TrackerForwarder

Result = TypeVar("Result")

EMPTY = Rollout(step=0.0, update=0)

FIRST_LOOKS = 3
"""How many updates are recomputed at the start."""

LATER_LOOKS = 10
"""After those, an update is recomputed whenever their number has grown this many times."""

PICTURES_EVERY = 10.0
"""Seconds between two histograms of one metric."""

LOOK, MEASURE = "look", "measure"
"""What time is spent on besides the first checks: later updates recomputed, and all that is done for numbers."""

SEEN = tuple(field.name for field in fields(Rollout) if field.default is None)
"""The parts of a rollout that can be measured."""


class MonitorWatcher:
    """A `TrainingWatcher`: what the trainer has anyway is always recorded, measuring on top keeps to the budget."""

    def __init__(
        self,
        *,
        config: dict[str, Any],
        context: dict[str, Any],
        recorder: Recorder,
        alarm: Alarm,
        keeping: CheckpointKeeper | None,
        forwarding: TrackerForwarder,
        governor: Governor,
        judge: LiveJudge,
        looks: int,
        complain: Callable[[str], None],
    ) -> None:
        self.config, self.context = config, context
        self._recorder, self._alarm, self._keeping = recorder, alarm, keeping
        self._governor, self._judge, self._complain = governor, judge, complain
        self.live = LiveRun(str(context["name"]), config, judge)
        self.rows = RowWriter(config, context, recorder, forwarding, self.live)
        self.parts = PartRunner(complain, lambda: self.rows.step)
        self.parts.on_return = self._left_out
        self._score: float | None = None
        self._fit: Callable[[], CriticCopyFit | None] | None = None
        self._doubts, self._doubted = set[str](), False
        self._pace = TrainingPace()
        self._clean, self._unable = set[str](), set[str]()
        self._looks, self._looked, self._next_look = looks, set[int](), looks * LATER_LOOKS
        self._update = 0
        self._kind, self._depth = CHECK, 0  # what is loaded before the first update counts with the first checks
        self._pictured = float("-inf")
        self._halted = self._told_of_episodes = False

    def attempt(self, part: str, work: Callable[[], Result]) -> Result | None:
        """Does a part of the watching; see `TrainingWatcher`."""
        if self._depth:
            return self.parts.attempt(part, work)
        self._depth, began = 1, self._governor.worked()
        result = self.parts.attempt(part, work)
        self._depth = 0
        self._governor.spent(self._kind, self._governor.worked() - began)
        return result

    def looks(self, update: int) -> bool:
        """Whether this update is to be recomputed; see `TrainingWatcher`."""
        self._update = max(self._update, update)
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

    def measures(self, update: int | None = None) -> bool:
        """Whether there is time to measure; see `TrainingWatcher`."""
        allowed = self._governor.allows(MEASURE)
        if update is not None:
            if allowed:
                self.rows.write_gap(self.rows.unmeasured.measure(self.rows.step, update))
            else:
                self.rows.unmeasured.refuse(update)
        return allowed

    def take(self, rollout: Rollout) -> None:
        """Takes a look at an update; see `TrainingWatcher`."""
        looked = rollout.update in self._looked
        if any(getattr(rollout, part) is not None for part in SEEN) and (looked or self.measures(rollout.update)):
            self.attempt("measuring", lambda: self._measure(rollout))
        if looked:
            self.attempt("checking", lambda: self._check(rollout))
        self.rows.put_off(self._pace.numbers(rollout))
        if rollout.moment == COLLECTED and self._doubted:
            self._doubted = False
            self.attempt("critic", lambda: self.fit_critic(rollout))
        if rollout.moment == UPDATED and self._keeping is not None:
            self.attempt("saving", self._keep)

    def take_reading(self, rollout: Rollout, *, told: bool) -> None:
        """Takes an update that was read from outside: it is judged, and measured unless the trainer tells its own.

        Its time counts with that of the reading.
        """
        if not told:
            self.parts.attempt("measuring", lambda: self._measure(rollout))
        self.parts.attempt("checking", lambda: self._check(rollout))

    def metrics(self, step: float, numbers: Mapping[str, float]) -> None:
        """Takes numbers by name; see `TrainingWatcher`."""
        self.attempt("recording", lambda: self.rows.add(step, numbers))

    def episode(self, step: float, total: float, length: float, parts: Mapping[str, float] | None = None) -> None:
        """Takes a finished training episode: its return, its length and, by name, the components of its reward."""
        self._told_of_episodes = True
        self.attempt("episodes", lambda: self.rows.episode(step, total, length, parts))

    def hear_episode(self, step: float, total: float, length: float) -> None:
        """Takes an episode that was counted in the environment, unless the trainer tells of its episodes itself."""
        if not self._told_of_episodes:
            self.attempt("episodes", lambda: self.rows.episode(step, total, length, None))

    def evaluation(self, step: float, returns: Any, lengths: Any = None) -> None:
        """Takes the returns (and lengths) of an evaluation's episodes."""
        score = self.attempt("evaluation", lambda: self.rows.evaluation(step, returns, lengths))
        self._score = self._score if score is None else score

    def record(self, kind: str, content: Any) -> None:
        """Keeps something that is no number over time; see `TrainingWatcher`."""
        self.attempt("recording", lambda: self._recorder.add(kind, content))

    def on_failure(self, save: Callable[[str], Any]) -> None:
        """Tells how the state is saved under a path, for checkpoints and before the training is stopped."""
        if self._keeping is not None:
            self._keeping.save = save

    def on_doubt(self, fit: Callable[[], CriticCopyFit | None]) -> None:
        """Tells how the critic alone is fitted to the newest rollout; see `TrainingWatcher`."""
        self._fit = fit

    @property
    def folder(self) -> Path:
        """Where the recording is."""
        return self._recorder.folder

    @property
    def looks_at_first(self) -> int:
        """How many updates are recomputed at the start."""
        return self._looks

    @property
    def stop(self) -> bool:
        """Whether the training should end; its state has been saved by then, where it was said how."""
        fatal = self._alarm.fatal
        if fatal is None:
            return False
        if not self._halted and self._keeping is not None:
            self._halted, keeping = True, self._keeping
            self.attempt("saving", lambda: keeping.failed(self.rows.step, fatal))
        return True

    def fit_critic(self, rollout: Rollout) -> CriticCopyFit | None:
        """Fits the critic alone to a rollout, and judges how well that went."""
        fit = self._fit() if self._fit is not None else None
        if fit is not None:
            self._check(replace(EMPTY, step=rollout.step, update=rollout.update, family=rollout.family, fit=fit))
        return fit

    def judge(self) -> None:
        """Judges the run so far and tells what has lasted."""
        for finding in self.live.alarms():
            if finding.link is Link.VALUE and finding.code not in self._doubts:
                self._doubts.add(finding.code)
                self._doubted = True
            self._alarm.tell(finding)

    def close(self) -> None:
        """Writes what is left; nothing is taken afterwards."""
        self.attempt("recording", lambda: self.rows.close(self._update))
        if self.live.rows > self.live.judged_at:
            self.attempt("judging", self.judge)
        self.parts.closed = True

    def _measure(self, rollout: Rollout) -> None:
        self.rows.add(rollout.step, measure_rollout(rollout))
        now = time.monotonic()
        if rollout.estimates is None or now - self._pictured < PICTURES_EVERY or not self.measures():
            return
        self._pictured = now
        for name, (edges, counts) in compute_histograms(rollout).items():
            content = {"metric": name, "step": rollout.step, "edges": edges, "counts": counts}
            self._recorder.add("histogram", content)
        told = trace_episode(rollout)
        if told is not None:
            self._recorder.add("trace", {"step": rollout.step, **told})

    def _check(self, rollout: Rollout) -> None:
        answers = self._judge.judge_rollout(rollout)
        for finding in answers.findings:
            if finding.severity >= Level.WARN:
                self._alarm.tell(finding)
        for code in answers.clean:
            if code not in self._clean:
                self._clean.add(code)
                self._recorder.add("checked", {"code": code, "step": rollout.step})
        for code, fault in answers.faults.items():
            if code not in self._unable:
                self._unable.add(code)
                self._complain(f"{code} could not be asked: {fault[:200]}")

    def _keep(self) -> None:
        score, self._score = self._score, None
        if self._keeping is not None:
            self._keeping.now_and_then(self.rows.step, healthy=self._alarm.healthy, score=score)

    def _left_out(self, part: str, since: float, missed: int) -> None:
        """Writes down from where to where a part of the watching had failed."""
        self.rows.write_gap(Gap(since, self.rows.step, 0, f"{part} failed {missed} times"))


class TrainingPace:
    """What is collected and learnt, and in which time; an update whose turn was not told tells nothing."""

    def __init__(self) -> None:
        self._throughput = Throughput()
        self._step = self._fresh = 0.0
        self._update, self._epochs = 0, 1
        self._collected_at: float | None = None
        self._updated_at: float | None = None

    def numbers(self, rollout: Rollout) -> dict[str, float]:
        """Takes one moment of an update; the rates are known once it was learned from."""
        now, samples = time.perf_counter(), rollout.step - self._step
        if rollout.moment == COLLECTED:
            if self._updated_at is not None and rollout.update == self._update + 1:
                self._throughput.collected(samples, now - self._updated_at)
            self._collected_at, self._updated_at, self._fresh = now, None, samples
            self._step, self._update = rollout.step, rollout.update
        elif self._collected_at is not None and rollout.update == self._update:
            told = rollout.probabilities.epochs if rollout.probabilities else None
            self._epochs = told or self._epochs  # only an update that is measured tells them
            self._throughput.learnt(self._fresh * self._epochs, now - self._collected_at)
            self._updated_at, self._collected_at = now, None
            return self._throughput.taken()
        return {}
