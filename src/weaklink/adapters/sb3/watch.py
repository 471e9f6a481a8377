"""Watches the trainings of Stable-Baselines3, sb3-contrib and sbx models, without leaving a trace on the model.

`learn` asks every algorithm for its callback in one place (`BaseAlgorithm._init_callback`), and what it logs is written
out in one place (`Logger.dump`). These two methods are replaced while some model is watched; for others they pass on.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger

from weaklink.adapters.sb3.attached import AttachedModel, algorithm_of
from weaklink.adapters.sb3.critic_fit import fit_critic
from weaklink.adapters.sb3.watch_off_policy import OffPolicyWatch
from weaklink.adapters.sb3.watch_on_policy import OnPolicyWatch
from weaklink.adapters.sb3.watch_settings import read_settings, save
from weaklink.adapters.torch import hooks as torch_hooks
from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.rollout import CriticCopyFit

_watched: weakref.WeakKeyDictionary[Any, list[AttachedModel]] = weakref.WeakKeyDictionary()
_loggers: weakref.WeakKeyDictionary[Any, Callable[[], Any]] = weakref.WeakKeyDictionary()
_waiting: dict[int, tuple[TrainingWatcher, list[Callable[[], None]]]] = {}
_original: Callable[..., Any] | None = None
_original_dump: Callable[..., Any] | None = None


def watch(model: Any, watcher: TrainingWatcher) -> Callable[[], None]:
    """Tells a watcher of every training of a model, from its next `learn` on.

    Args:
        model: a model of Stable-Baselines3, sb3-contrib or sbx. Nothing is put on it, so that it is saved, loaded and
            copied as ever; a copy is not watched.
        watcher: whom to tell.

    Returns:
        A function that ends the watching, also in the middle of a training.
    """
    if not isinstance(model, BaseAlgorithm):
        raise UsageError(
            f"A Stable-Baselines3 model is wanted (`PPO(...)`, `SAC.load(...)`), not {type(model).__name__}."
        )
    attached = AttachedModel(watcher, algorithm_of(model))
    watcher.context.update(framework="sb3", algorithm=attached.algorithm, family=attached.family)
    watcher.attempt("settings", lambda: _record_config(model, watcher))
    watcher.attempt("optimizers", lambda: _name_optimizers(model))
    reference = weakref.ref(model)

    def saved(folder: str) -> None:
        here = reference()
        if here is not None:
            attached.withdraw()
            save(here, folder)

    def fitted() -> CriticCopyFit | None:
        here = reference()
        return fit_critic(here) if here is not None and hasattr(here, "rollout_buffer") else None

    watcher.on_failure(saved)
    watcher.on_doubt(fitted)
    _watched.setdefault(model, []).append(attached)
    _replace()

    def detach() -> None:
        attached.closed = True
        attached.withdraw()
        here = reference()
        if here is not None and attached in _watched.get(here, ()):
            _watched[here].remove(attached)
            if not _watched[here]:
                del _watched[here]
        _put_back()

    return detach


def watch_next(watcher: TrainingWatcher) -> Callable[[], None]:
    """Tells a watcher of the next model that learns, whoever has made it.

    Returns:
        A function that ends the watching, or the waiting for it.
    """
    ends: list[Callable[[], None]] = []
    _waiting[id(ends)] = watcher, ends
    _replace()

    def detach() -> None:
        _waiting.pop(id(ends), None)
        for end in ends:
            end()
        _put_back()

    return detach


def _record_config(model: Any, watcher: TrainingWatcher) -> None:
    for name, value in read_settings(model).items():
        watcher.config.setdefault(name, value)


def _name_optimizers(model: Any) -> None:
    """Says whose each optimizer is, where an algorithm has several."""
    roles = {torch_hooks.POLICY: "actor", torch_hooks.CRITIC: "critic"}
    for role, part in roles.items():
        optimizer = getattr(getattr(model, part, None), "optimizer", None)
        if optimizer is not None:
            torch_hooks.name_optimizer(optimizer, role)
    if getattr(model, "ent_coef_optimizer", None) is not None:
        torch_hooks.name_optimizer(model.ent_coef_optimizer, torch_hooks.TEMPERATURE)


def _replace() -> None:
    global _original, _original_dump
    if _original is None:
        _original, _original_dump = BaseAlgorithm._init_callback, Logger.dump
        BaseAlgorithm._init_callback, Logger.dump = _init_callback, _dump


def _put_back() -> None:
    global _original, _original_dump
    if _watched or _waiting:
        return
    if _original is not None and BaseAlgorithm._init_callback is _init_callback and Logger.dump is _dump:
        BaseAlgorithm._init_callback, Logger.dump = _original, _original_dump
        _original = _original_dump = None


def _dump(self: Any, *args: Any, **options: Any) -> Any:
    """Tells what a watched model is about to write out, then has it written."""
    model = _loggers[self]() if self in _loggers else None
    for attached in _watched.get(model, ()) if model is not None else ():
        attached.watcher.attempt("numbers", partial(attached.numbers.dumped, model))
    return _original_dump(self, *args, **options)  # type: ignore[misc]


def _init_callback(self: Any, *args: Any, **options: Any) -> Any:
    callback = _original(self, *args, **options)  # type: ignore[misc]
    _loggers[self.logger] = weakref.ref(self)
    if _waiting and self not in _watched:
        watcher, ends = _waiting.pop(next(iter(_waiting)))
        ends.append(watch(self, watcher))
    for attached in _watched.get(self, ()):
        callback = JoinedCallbacks(callback, _make_watch(self, attached), attached)
        callback.model = self
    return callback


def _make_watch(model: Any, attached: AttachedModel) -> Any:
    kinds: dict[str, Any] = {"replay_buffer": OffPolicyWatch, "rollout_buffer": OnPolicyWatch}
    kind = next((kind for name, kind in kinds.items() if hasattr(model, name)), NumbersWatch)
    watching = kind(attached)
    watching.init_callback(model)
    return watching


class NumbersWatch(BaseCallback):  # type: ignore[misc]
    """Tells what an algorithm logs that keeps no experience, such as a search over weights."""

    def __init__(self, attached: AttachedModel) -> None:
        super().__init__()
        self._attached = attached

    def _on_step(self) -> bool:
        return self._attached.closed or not self._attached.watcher.stop

    def _on_rollout_end(self) -> None:
        if not self._attached.closed:
            self._attached.watcher.attempt("numbers", self._told)

    def _told(self) -> None:
        self._attached.numbers.episodes(self.model)
        self._attached.numbers.updated(self.model, now=True)


class JoinedCallbacks(CallbackList):  # type: ignore[misc]
    """The user's callback and the watching one; both have been made ready.

    The user's comes first, but for the start of a rollout and the end of a training: what the watching one has put on
    the model is gone before anything of the user's runs.
    """

    def __init__(self, theirs: Any, ours: Any, attached: AttachedModel) -> None:
        super().__init__([theirs, ours])
        self._theirs, self._ours, self._attached = theirs, ours, attached

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Hands the local variables on."""
        self._theirs.update_locals(locals_)
        self._ours.update_locals(locals_)

    def on_training_start(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> None:
        """Begins a training."""
        self._theirs.on_training_start(locals_, globals_)
        self._attached.begin(self.model, self._theirs)
        self._ours.on_training_start(locals_, globals_)

    def on_rollout_start(self) -> None:
        """Begins a rollout."""
        self._ours.on_rollout_start()
        self._theirs.on_rollout_start()

    def on_step(self) -> bool:
        """Whether the training goes on."""
        going = self._theirs.on_step()
        return bool(self._ours.on_step() and going)

    def on_rollout_end(self) -> None:
        """Ends a rollout."""
        self._theirs.on_rollout_end()
        self._ours.on_rollout_end()

    def on_training_end(self) -> None:
        """Ends a training."""
        self._ours.on_training_end()
        self._theirs.on_training_end()
