"""The callback through which a Hugging Face trainer is listened to: its log, its optimizer steps, and its end."""

from __future__ import annotations

from typing import Any, Protocol

from transformers import TrainerCallback

from weaklink.adapters.dialects import translate_row
from weaklink.base.evidence.protocols import TrainingWatcher


class OptimizerStepListener(Protocol):
    """Who wants to know of optimizer steps."""

    watcher: TrainingWatcher

    def before_step(self, model: Any, optimizer: Any) -> None:
        """Called with the gradients in place."""

    def after_step(self, model: Any) -> None:
        """Called with the weights moved."""


class WatchingCallback(TrainerCallback):  # type: ignore[misc]
    """Passes on the numbers of the log, and stops the training where the watcher asks for it."""

    def __init__(self, listener: OptimizerStepListener) -> None:
        self._listener = listener

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Takes a row of the log."""
        watcher = self._listener.watcher
        if logs:
            step = float(state.global_step)
            watcher.attempt("log of TRL", lambda: watcher.metrics(step, translate_row("trl", logs)))

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **known: Any) -> None:
        """Sees gradients."""
        self._listener.before_step(known.get("model"), known.get("optimizer"))

    def on_step_end(self, args: Any, state: Any, control: Any, **known: Any) -> Any:
        """Sees weights after a step, and may stop."""
        self._listener.after_step(known.get("model"))
        if self._listener.watcher.stop:
            control.should_training_stop = True
        return control
