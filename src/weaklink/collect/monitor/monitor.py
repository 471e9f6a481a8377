"""The monitor of one training, as users make it: one object, one folder, one line for each thing that happens."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from weaklink.base.errors import UsageError
from weaklink.base.evidence.rollout import Fit
from weaklink.base.finding import Finding
from weaklink.collect.monitor.alarm import Alarm
from weaklink.collect.monitor.background import Background
from weaklink.collect.monitor.context import quick, slow
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.guardrail import Advice, ppo_guardrail
from weaklink.collect.monitor.keeping import Keeping
from weaklink.collect.monitor.loops import Loop
from weaklink.collect.monitor.mailbox import on_stderr
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.sinks import Sinks, sinks_from
from weaklink.collect.monitor.trackers import Forwarding, tracker_from
from weaklink.collect.monitor.watching import EMPTY, FIRST_LOOKS, Watching
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import Settings

CONTINUE, STOP = "continue", "stop"

JUDGE, SURROUNDINGS = "judge", "surroundings"
"""What the background spends its time on."""

SURROUNDINGS_EVERY = 30.0

TIMED = 0.5
"""The part of the budget for work that is timed; the rest is for what cannot be: a count at each step, cold caches."""

APART = 2.0
"""What a second of another thread costs the training: it takes the interpreter's lock and the caches as well."""


class Monitor(Watching):
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
        budget: the share of the time that the monitor may use.
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
        sinks: Iterable[Any] = ("terminal",),
        tracker: Any = "auto",
        budget: float = 0.01,
        looks: int = FIRST_LOOKS,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        thresholds: Mapping[str, Mapping[str, Any]] | None = None,
        evaluation: Mapping[str, Any] | None = None,
        checkpoints: bool | None = None,
    ) -> None:
        if on_error not in (CONTINUE, STOP):
            raise UsageError(f"on_error is '{CONTINUE}' or '{STOP}', not {on_error!r}.")
        if not 0.0 < budget <= 1.0:
            raise UsageError(f"budget is a share of the time, such as 0.01, not {budget!r}.")
        settings = Settings.of(tuple(select), tuple(ignore), thresholds)
        wanted, found = sinks_from(sinks, folder), tracker_from(tracker, folder)
        given = dict(config or {})
        about = {**quick(given, evaluation), "name": name or Path(folder).name}
        recorder = Recorder(folder, config=given, context=about, complain=on_stderr, later=slow)
        keeps = on_error == STOP if checkpoints is None else checkpoints
        super().__init__(
            config=given,
            context=about,
            recorder=recorder,
            alarm=Alarm(about["name"], recorder, Sinks(wanted, on_stderr), stops=on_error == STOP),
            keeping=Keeping(recorder.folder, on_stderr) if keeps else None,
            forwarding=Forwarding(found, on_stderr),
            governor=Governor(TIMED * budget),
            settings=settings,
            looks=looks,
            complain=on_stderr,
        )
        self._loop = Loop(self)
        self._undo: list[Callable[[], object]] = [self._loop.close]
        self._hooks: Any = None
        self._looked_round = time.monotonic()
        self._hook_torch()
        self._background = Background(self._between)

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
        self.attempt("rollout", lambda: self._loop.rollout(step, tensordict, given))

    def update(self, step: float, numbers: Mapping[str, Any] | None = None, /, **given: Any) -> None:
        """Takes what became of an update.

        Args:
            step: environment steps so far.
            numbers: by any name that a log may have.
            given: more numbers (`kl`, `entropy`, `value_loss`, ...), and what may be checked: `log_probs`, `targets`,
                `online` and `target`, `minibatch`; docs/attach.md has them all.
        """
        self._hook_torch()
        self.attempt("update", lambda: self._loop.update(step, {**(numbers or {}), **given}))

    def evaluate(self, step: float, returns: Any, lengths: Any = None) -> None:
        """Takes the returns (and lengths) of an evaluation's episodes."""
        self.evaluation(step, returns, lengths)

    @property
    def folder(self) -> Path:
        """Where the recording is."""
        return self._recorder.folder

    @property
    def step(self) -> float:
        """The last step that it was told of."""
        return float(self._step)

    @property
    def alerts(self) -> list[Finding]:
        """Every alert so far, in the order of telling."""
        return list(self._alarm.told)

    @property
    def share(self) -> float:
        """The share of the time that the monitor used itself, without the checks of the first updates."""
        return self._governor.share

    def guardrail(self, **limits: float) -> Advice:
        """What to do next, from the latest numbers: continue, stop the update, lower the learning rate, explore more.

        Args:
            limits: `target_kl` and `entropy_floor`, where they are not in the configuration.
        """
        wanted = {name: self.config[name] for name in ("target_kl", "entropy_floor") if self.config.get(name)}
        return ppo_guardrail({**self._latest, **wanted, **limits})

    def fit_critic(self) -> Fit | None:
        """Fits a copy of the critic alone to the newest rollout, and alerts where it cannot; None where there is none.

        It happens by itself once, when the critic does not seem to learn.
        """
        return self.attempt("critic", lambda: self._fitted(replace(EMPTY, step=self._step)))

    def diagnosis(self) -> Diagnosis:
        """What the rules say of the run up to now."""
        return self._live.judged()

    def until_closed(self, undo: Callable[[], object]) -> None:
        """Has something put back when the watching ends."""
        self._undo.append(undo)

    def close(self) -> None:
        """Ends the watching: everything is put back, and the recording is complete."""
        if self._deaf:
            return
        for undo in reversed(self._undo):
            self.attempt("detaching", undo)
        self._background.close()
        self.attempt("recording", lambda: self._row(self._step, {}))
        if self._live.rows > self._live.judged_at:
            self.attempt("judging", self._judge)
        self._closed = True
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
            self._hooks = self.attempt("optimizers", self._hooked)

    def _hooked(self) -> Any:
        self.context["accelerator"] = import_module("weaklink.adapters.torch.accelerator").describe()
        hooks = import_module("weaklink.adapters.torch.hooks").install(self, lambda: self._step)
        self.until_closed(hooks)
        return hooks

    def _between(self) -> None:
        """Work of the background: judging, and what the machine says of itself."""
        began = time.thread_time()
        if self._live.rows > self._live.judged_at and self._governor.allows(JUDGE):
            self._guarded("judging", self._judge)
            self._governor.spent(JUDGE, APART * (time.thread_time() - began))
        if time.monotonic() - self._looked_round >= SURROUNDINGS_EVERY:
            self._looked_round, began = time.monotonic(), time.thread_time()
            self._guarded("machine", self._look_round)
            self._governor.spent(SURROUNDINGS, APART * (time.thread_time() - began))

    def _look_round(self) -> None:
        numbers = {"system.watching_share": self._governor.share}
        if "torch" in sys.modules:
            numbers |= import_module("weaklink.adapters.torch.accelerator").read()
        self._write(self._step, numbers)
