"""The monitor of one training, as users make it: what it collects is judged while the training runs."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from weaklink.adapters.framework import Framework, recognise_framework
from weaklink.base.backports import Self, Unpack
from weaklink.base.errors import UsageError
from weaklink.base.evidence.ranks import name_rank_folder
from weaklink.base.evidence.rollout import CriticCopyFit
from weaklink.base.finding import Finding
from weaklink.collect.monitor.alarm import Alarm
from weaklink.collect.monitor.background import BackgroundThread, BackgroundWork
from weaklink.collect.monitor.context import describe_quickly, describe_slowly
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.guardrail import Advice, ppo_guardrail
from weaklink.collect.monitor.keeping import CheckpointKeeper
from weaklink.collect.monitor.loop_reading import LoopReading
from weaklink.collect.monitor.loops import WatchedLoop
from weaklink.collect.monitor.mailbox import keep_quiet, print_on_stderr
from weaklink.collect.monitor.rank import find_place
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.sinks import Sinks, sinks_from
from weaklink.collect.monitor.trackers import TrackerForwarder, find_tracker
from weaklink.collect.monitor.watching import EMPTY, FIRST_LOOKS, MonitorWatcher
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.monitor_options import BUDGET, CONTINUE, STOP, MonitorOptions, check_options
from weaklink.verbs.rule_judge import RuleJudge

TIMED, JUDGED = 0.4, 0.2
"""The parts of the budget for what is measured inside the loop and for judging beside it. Each has an account, so that
neither keeps the other waiting. The rest is for what cannot be timed: a count at each step, cold caches."""


class Monitor:
    """Watches one training.

    Args:
        folder: where the recording is kept; `weaklink diagnose` and `weaklink watch` read it while it grows.
        config: the hyper-parameters of the training.
        name: of the run, where it is not that of the folder.
        on_error: `stop` ends the training at the first alert of level error, once its state is saved; `continue` only
            tells.
        sinks: where alerts go: `terminal`, `wandb`, `tensorboard`, `mlflow`, `trackio`, the address of a webhook, or a
            function of the finding.
        tracker: where numbers go besides the recording: `auto` for the tracker in use, `none`, its name, or a
            TensorBoard writer.
        budget: the share of the time that the monitor may use. What the trainer has anyway is recorded whatever the
            budget; it limits what is measured besides.
        looks: how many updates are recomputed at the start; 0 for none at all.
        select: ask only these rules.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.
        evaluation: how the policy is evaluated (episodes, deterministic, seeds, ...), recorded with the run.
        checkpoints: whether to keep the best, the last and the last healthy state; by itself with `on_error="stop"`.

    Raises:
        UsageError: an argument makes no sense. Nothing raises once the monitor is made.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        config: Mapping[str, Any] | None = None,
        name: str = "",
        on_error: str = CONTINUE,
        sinks: Iterable[str | Callable[[Finding], object]] = ("terminal",),
        tracker: Any = "auto",
        budget: float = BUDGET,
        looks: int = FIRST_LOOKS,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        thresholds: Mapping[str, Mapping[str, Any]] | None = None,
        evaluation: Mapping[str, Any] | None = None,
        checkpoints: bool | None = None,
    ) -> None:
        check_options(on_error, budget)
        self._judge = RuleJudge(RuleSettings.of(tuple(select), tuple(ignore), thresholds))
        self._place = find_place()
        if not self._place.leads:  # what it finds is in its recording, and the first rank speaks for all
            keep_quiet()
            sinks, tracker, on_error = (), "none", CONTINUE
        wanted, found = sinks_from(sinks, folder), find_tracker(tracker, folder)
        given = dict(config or {})
        about = {**describe_quickly(given, evaluation), "name": name or Path(folder).name}
        if self._place.shares:
            about["rank"] = msgspec.to_builtins(self._place)
        self._recorder = Recorder(
            folder,
            config=given,
            context=about,
            complain=print_on_stderr,
            later=describe_slowly,
            inside="" if self._place.leads else name_rank_folder(self._place.rank),
        )
        self._alarm = Alarm(about["name"], self._recorder, Sinks(wanted, print_on_stderr), stops=on_error == STOP)
        self._forwarding = TrackerForwarder(found, print_on_stderr)
        self._governor, self._judging = Governor(TIMED * budget), Governor(JUDGED * budget)
        keeps = on_error == STOP if checkpoints is None else checkpoints
        self.watcher = MonitorWatcher(
            config=given,
            context=about,
            recorder=self._recorder,
            alarm=self._alarm,
            keeping=CheckpointKeeper(self._recorder.folder, print_on_stderr) if keeps else None,
            forwarding=self._forwarding,
            governor=self._governor,
            judge=self._judge,
            looks=looks,
            complain=print_on_stderr,
        )
        self._loop = WatchedLoop(self.watcher)
        self._undo: list[Callable[[], object]] = [self._loop.close]
        self._hooks: Any = None
        self._resting = False
        self._reading = LoopReading(self.watcher, self._loop, self._governor)
        self._undo.append(self._reading.close)
        self._hook_torch()
        self._reading.begin()
        self._background = BackgroundThread(BackgroundWork(self.watcher, self._judge, self._governor, self._judging))

    def rollout(self, step: float, tensordict: Any = None, /, **given: Any) -> None:
        """Takes a rollout before it is learned from: a TensorDict, or arrays and tensors by name.

        Args:
            step: environment steps so far.
            tensordict: of TorchRL, with `loss=` for the loss module that learns from it.
            given: `rewards`, `values`, `dones` (or `terminated` and `truncated`, or `starts` and `last_start`),
                `last_value`, `advantages`, `returns`, `gamma`, `lam`, `observations`, `actions`, `log_probs`, `policy`,
                `optimizers` and others; docs/attach.md has them all.
        """
        self._hook_torch()
        self.watcher.attempt("rollout", lambda: self._loop.rollout(step, tensordict, given))
        self._reading.keep(given)

    def update(self, step: float, numbers: Mapping[str, Any] | None = None, /, **given: Any) -> None:
        """Takes what became of an update.

        Args:
            step: environment steps so far.
            numbers: by any name that a log may have.
            given: more numbers (`kl`, `entropy`, `value_loss`, ...), and what may be checked: `log_probs`, `targets`,
                `online` and `target`, `minibatch`; docs/attach.md has them all.
        """
        self._hook_torch()
        self.watcher.attempt("update", lambda: self._loop.update(step, {**(numbers or {}), **given}))

    def wrap(self, env: Any) -> Any:
        """An environment whose steps are written down, so that updates can be read without arrays handed over.

        One of Gymnasium comes back as it is, for all of them are heard; any other object with `reset` and `step` is put
        into a wrapper that hands everything else on.
        """
        return self._reading.wrap(env)

    @property
    def learned_in(self) -> frozenset[int]:
        """The environments whose steps an update was seen to learn from, by their identity; empty where none was."""
        return self._reading.learned_in

    def read_updates(self) -> None:
        """Hears environments and networks that were loaded since, to read what each loss asks of each network.

        A monitor does so by itself when it is made, and for torch whenever it is told something.
        """
        self._reading.begin()

    def episode(self, step: float, total: float, length: float, parts: Mapping[str, float] | None = None) -> None:
        """Takes a finished training episode: its return, its length and, by name, the components of its reward."""
        self.watcher.episode(step, total, length, parts)

    def evaluate(self, step: float, returns: Any, lengths: Any = None) -> None:
        """Takes the returns (and lengths) of an evaluation's episodes."""
        self.watcher.evaluation(step, returns, lengths)

    def on_failure(self, save: Callable[[str], Any]) -> None:
        """Tells how the state is saved under a path, for checkpoints and before the training is stopped."""
        self.watcher.on_failure(save)

    @property
    def config(self) -> dict[str, Any]:
        """The hyper-parameters; they may be added to before the first number is taken."""
        return self.watcher.config

    @property
    def context(self) -> dict[str, Any]:
        """What else is known of the run; it may be added to before the first number is taken."""
        return self.watcher.context

    @property
    def stop(self) -> bool:
        """Whether the training should end; its state has been saved by then, where it was said how."""
        return self.watcher.stop

    @property
    def folder(self) -> Path:
        """Where the recording is."""
        return self._recorder.folder

    @property
    def step(self) -> float:
        """The last step that it was told of."""
        return self.watcher.rows.step

    @property
    def alerts(self) -> list[Finding]:
        """Every alert so far, in the order of telling."""
        return list(self._alarm.told)

    @property
    def share(self) -> float:
        """The share of the training's time that the monitor used itself, without the checks of the first updates."""
        return self._governor.share + self._judging.share

    def guardrail(self, **limits: float) -> Advice:
        """What to do next, from the latest numbers: continue, stop the update, lower the learning rate, explore more.

        Args:
            limits: `target_kl` and `entropy_floor`, where they are not in the configuration.
        """
        wanted = {name: self.config[name] for name in ("target_kl", "entropy_floor") if self.config.get(name)}
        return ppo_guardrail({**self.watcher.rows.latest, **wanted, **limits})

    def fit_critic(self) -> CriticCopyFit | None:
        """Fits a copy of the critic alone to the newest rollout, and alerts where it cannot; None where there is none.

        It happens by itself once, when the critic does not seem to learn.
        """
        return self.watcher.attempt("critic", lambda: self.watcher.fit_critic(replace(EMPTY, step=self.step)))

    def diagnosis(self) -> Diagnosis:
        """What the rules say of the run up to now."""
        return diagnose(self.watcher.live.run(), self._judge.settings)

    def until_closed(self, undo: Callable[[], object]) -> None:
        """Has something put back when the watching ends."""
        self._undo.append(undo)

    def rest(self, *, resting: bool) -> None:
        """Has optimizer steps left out while another training is under way in this process, or counted again."""
        if self._hooks is not None and resting != self._resting:
            self._resting = resting
            self._hooks.asleep += 1 if resting else -1

    def flush(self, wait: float = 1.0) -> None:
        """Has all that it was told written now, after at most so many seconds; a process may end without a word."""
        self.watcher.metrics(self.step, {})
        self._recorder.flush(wait)

    def close(self) -> None:
        """Ends the watching: everything is put back, and the recording is complete."""
        if self.watcher.parts.deaf:
            return
        for undo in reversed(self._undo):
            self.watcher.attempt("detaching", undo)
        self._background.close()
        self.watcher.close()
        self._forwarding.close()
        self._alarm.close()
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hook_torch(self) -> None:
        """Listens to optimizers from the moment that torch is loaded by somebody."""
        if self._hooks is None and "torch" in sys.modules:
            self._hooks = self.watcher.attempt("optimizers", self._hooked)
            self._reading.begin()

    def _hooked(self) -> Any:
        self.context["accelerator"] = import_module("weaklink.adapters.torch.accelerator").describe()
        hooks = import_module("weaklink.adapters.torch.hooks").install(self.watcher, lambda: self.step)
        self.until_closed(hooks)
        if self._place.shares:
            looks = import_module("weaklink.adapters.torch.rank_looks").begin_looks()
            looks.record_into(self.watcher, lambda: self.step)
            self.until_closed(lambda: looks.leave(self.watcher))
        return hooks


_attached: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def attach(trainer: Any, folder: str | os.PathLike[str], **options: Unpack[MonitorOptions]) -> Monitor:
    """Watches a trainer from now on; see `weaklink.attach`."""
    watch = find_framework(trainer).load("watch").watch
    monitor = Monitor(folder, **options)
    _attached[id(trainer)] = trainer
    monitor._reading.close()  # the adapter knows the trainer from inside
    detach = monitor.watcher.attempt("attaching", lambda: watch(trainer, monitor.watcher))
    if detach is not None:
        monitor.until_closed(detach)
    return monitor


def is_attached(trainer: object) -> bool:
    """Whether somebody in this process has a monitor attached to this trainer."""
    return _attached.get(id(trainer)) is trainer


def find_framework(trainer: object) -> Framework:
    """The framework of a trainer.

    Raises:
        UsageError: it belongs to none whose trainings can be watched.
    """
    found = recognise_framework(trainer)
    if found is not None and found.can_watch(trainer):
        return found
    kind = type(trainer)
    raise UsageError(
        "attach knows models of Stable-Baselines3 and sb3-contrib and trainers of TorchRL, TRL and RLlib, not "
        f"{kind.__name__} of '{kind.__module__.partition('.')[0]}'. For a loop of your own: "
        "monitor = weaklink.Monitor(folder), then monitor.rollout(...) and monitor.update(...); docs/attach.md has an "
        "example."
    )
