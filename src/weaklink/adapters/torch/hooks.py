"""Every optimizer of the process, watched: gradients, steps and learning rates, at the cost of a count per step."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.optim import optimizer as torch_optimizer

from weaklink.adapters.torch import clipping as torch_clipping
from weaklink.adapters.torch.deferred import DeferredNumbers
from weaklink.adapters.torch.noise import GradientNoise
from weaklink.adapters.torch.own_work import mark_own_work
from weaklink.adapters.torch.sampling import compute_total_norm, sample_elements, whole
from weaklink.base.evidence.protocols import TrainingWatcher

POLICY, CRITIC, TEMPERATURE = "policy", "critic", "temperature"
"""What an adapter may call an optimizer; one that holds everything is the policy's."""

PART = "optimizer steps"
SHARE = 0.002
"""Which share of the time the measured steps may take."""

NORMS_KEPT, LONGEST_INTERVAL, FASTEST_GROWTH = 32, 4096, 8

_installed: list[OptimizerHooks] = []
_names: dict[int, str] = {}


def name_optimizer(optimizer: Any, role: str) -> None:
    """Says what an optimizer is, to all hooks installed now or later: `POLICY`, `CRITIC` or `TEMPERATURE`."""
    _names[id(optimizer)] = role
    weakref.finalize(optimizer, _names.pop, id(optimizer), None).atexit = False


@contextlib.contextmanager
def pause_hooks() -> Iterator[None]:
    """Optimizer steps inside are weaklink's own and no part of the training."""
    sleeping = list(_installed)
    for hooks in sleeping:
        hooks.asleep += 1
    try:
        with mark_own_work():
            yield
    finally:
        for hooks in sleeping:
            hooks.asleep -= 1


def steps_taken() -> int:
    """Steps of all optimizers that are watched now."""
    return sum(sum(hooks.steps().values()) for hooks in _installed)


def install(watcher: TrainingWatcher, step: Callable[[], float], names: dict[int, str] | None = None) -> OptimizerHooks:
    """Watches the optimizers of the thread that steps one first.

    Args:
        watcher: is told `optimizer.*` of the main optimizer, norm and learning rate of the critic's.
        step: says at which environment step the training is.
        names: the identity of an optimizer to its name; those that were named by `name` where none are given. Without
            any name the optimizer with the most weights is the main one.

    Returns:
        The hooks; called, they are taken away again.
    """
    return OptimizerHooks(watcher, step, _names if names is None else names)


class _OptimizerTrack:
    """One optimizer: how often it stepped, when it is measured next, and the norms since the last time."""

    def __init__(self, optimizer: Any, deferred: DeferredNumbers) -> None:
        held = [each for group in optimizer.param_groups for each in group["params"]]
        self.members = frozenset(map(id, held))
        self.size = sum(each.numel() for each in held)
        self.steps, self.looked, self.empty = 0, 0, 0
        self.wake, self.interval = 1, 1
        # a step that waits for other ranks, or for its turn on a busy machine, is no longer for that
        self.clock = time.perf_counter if any(each.is_cuda for each in held) else time.thread_time
        self.woken, self.woken_at, self.spent = 0, self.clock(), 0.0
        self.norms: list[tuple[list[Any], float]] = []
        self.noise = GradientNoise(deferred)

    def postpone(self, *, measured: bool) -> None:
        """Sets the next step to measure, so that measuring keeps to its share of the time."""
        now = self.clock()
        each = (now - self.woken_at) / max(self.steps - self.woken, 1)
        wanted = self.spent / max(SHARE * each, 1e-9) if measured else 2.0 * self.interval
        wanted = min(max(wanted, 1.0, self.interval / 2), FASTEST_GROWTH * self.interval, LONGEST_INTERVAL)
        self.interval = int(wanted)
        self.wake, self.woken, self.woken_at, self.spent = self.steps + self.interval, self.steps, now, 0.0


class OptimizerHooks:
    """The hooks of one watcher; calling it takes them away.

    Attributes:
        names: the identity of an optimizer to its name.
        batch_size: rows of a minibatch, for the gradient noise scale; the configuration's where it is not set.
        asleep: above 0, steps are not counted.
    """

    def __init__(self, watcher: TrainingWatcher, step: Callable[[], float], names: dict[int, str]) -> None:
        self.names, self.asleep = names, 0
        self.batch_size: float | None = None
        self._deferred = DeferredNumbers()
        self._watcher, self._step = watcher, step
        self._tracks: dict[int, _OptimizerTrack] = {}
        self._clipped: dict[int, tuple[Any, float]] = {}
        self._thread, self._holder = 0, threading.current_thread()
        self._before_step: tuple[Any, Any] | None = None
        self._ends: Any = None
        self._handle = torch_optimizer.register_optimizer_step_pre_hook(self._before)
        self._unlisten = torch_clipping.listen(self._clipping)
        _installed.append(self)

    def __call__(self) -> None:
        """Takes the hooks away, once; numbers under way are handed over first."""
        if self not in _installed:
            return
        _installed.remove(self)
        self._handle.remove()
        self._stop_at_ends()
        self._unlisten()
        self._watcher.attempt(PART, self._deferred.finish)
        self._tracks.clear()
        self._clipped.clear()

    def steps(self) -> dict[str, int]:
        """Steps of each optimizer so far by its name; the main one is the policy's, further ones have a number."""
        main = self._main()
        found: dict[str, int] = {}
        for place, (identity, track) in enumerate(self._tracks.items()):
            name = POLICY if identity == main else self.names.get(identity) or f"optimizer {place}"
            found[name] = found.get(name, 0) + track.steps
        return found

    def since_last_look(self) -> int:
        """Steps of the main optimizer since this was asked last."""
        track = self._tracks.get(self._main())
        if track is None:
            return 0
        since, track.looked = track.steps - track.looked, track.steps
        return since

    def _main(self) -> int:
        named = [each for each in self._tracks if self.names.get(each) == POLICY]
        unnamed = named or [each for each in self._tracks if each not in self.names]
        return max(unnamed, key=lambda each: self._tracks[each].size, default=0)

    # on every step

    def _clipping(self, norm: Any, largest: float, parameters: Sequence[Any]) -> None:
        """Keeps a norm for the step to come; a step that mixed precision skipped never comes, and the next norm of the
        same parameters takes its place."""
        if threading.get_ident() == self._thread or not self._thread:
            if len(self._clipped) >= NORMS_KEPT:
                self._clipped.clear()
            self._clipped[id(parameters[0])] = norm, largest

    def _before(self, optimizer: Any, arguments: Any, options: Any) -> None:
        if torch.compiler.is_compiling() or self.asleep:
            return
        if threading.get_ident() != self._thread and not self._adopted():
            return
        track = self._tracks.get(id(optimizer)) or self._new(optimizer)
        track.steps += 1
        if self._before_step is None:  # not where a step ends, when torch goes through its hooks
            self._stop_at_ends()
        if self._clipped:
            self._claimed(track)
        if track.steps >= track.wake or track.noise.open:
            closure = bool(len(arguments) > 1 or options)
            self._watcher.attempt(PART, lambda: self._opened(optimizer, track, closure))
        elif len(track.norms) >= NORMS_KEPT:
            self._watcher.attempt(PART, lambda: self._told_norms(optimizer, track))

    def _after(self, optimizer: Any, arguments: Any, options: Any) -> None:
        opened = self._before_step
        if opened is not None and opened[0] is optimizer and threading.get_ident() == self._thread:
            self._before_step = None
            self._watcher.attempt(PART, lambda: self._finished(optimizer, opened[1]))

    def _stop_at_ends(self) -> None:
        """Hears the ends of steps no longer; only that of a measured one matters."""
        ends, self._ends = self._ends, None
        if ends is not None:
            ends.remove()

    def _adopted(self) -> bool:
        """Whether this thread is the one to watch: the first that steps, or the next one after that has ended."""
        if self._thread and self._holder.is_alive():
            return False
        self._thread, self._holder = threading.get_ident(), threading.current_thread()
        return True

    def _new(self, optimizer: Any) -> _OptimizerTrack:
        identity = id(optimizer)
        track = self._tracks[identity] = _OptimizerTrack(optimizer, self._deferred)
        weakref.finalize(optimizer, self._tracks.pop, identity, None).atexit = False
        return track

    def _claimed(self, track: _OptimizerTrack) -> None:
        """Takes the norms of this optimizer's parameters."""
        mine = [first for first in self._clipped if first in track.members]
        if not mine:
            return
        parts = [self._clipped.pop(first) for first in mine]  # several where one gradient is clipped in parts
        track.norms.append(([norm for norm, _ in parts], parts[0][1] if len(parts) == 1 else float("inf")))

    # on measured steps

    def _opened(self, optimizer: Any, track: _OptimizerTrack, closure: bool) -> None:
        began = track.clock()
        held = _list_held(optimizer)
        gradients = [each.grad for each in held]
        if gradients and gradients[0].is_cuda and torch.cuda.is_current_stream_capturing():
            return
        if gradients:
            clipped = (track.norms[-1][0][0], track.norms[-1][1]) if track.norms else None
            track.noise.add(gradients, clipped, self._noise_scale)
        if track.steps >= track.wake:
            measures = self._watcher.measures()
            track.postpone(measured=measures)
            if not gradients:
                track.empty += not closure
            elif measures:
                self._measured(optimizer, track, held, gradients)
        track.spent += track.clock() - began

    def _told_norms(self, optimizer: Any, track: _OptimizerTrack) -> None:
        """Hands over the norms that clipping returned, which cost nothing to know, between two measured steps."""
        began = track.clock()
        role = self._role(optimizer)
        if role in (POLICY, CRITIC) and self._watcher.measures():
            self._told(optimizer, track, [], role)
        track.norms.clear()
        track.spent += track.clock() - began

    def _role(self, optimizer: Any) -> str:
        return self.names.get(id(optimizer), POLICY if id(optimizer) == self._main() else "")

    def _measured(self, optimizer: Any, track: _OptimizerTrack, held: list[Any], gradients: list[Any]) -> None:
        role = self._role(optimizer)
        if role in (POLICY, CRITIC):
            self._told(optimizer, track, gradients, role)
        if role == POLICY:
            track.noise.begin()
            self._before_step = optimizer, sample_elements(held)
            self._ends = self._ends or torch_optimizer.register_optimizer_step_post_hook(self._after)

    def _told(self, optimizer: Any, track: _OptimizerTrack, gradients: list[Any], role: str) -> None:
        """Hands over what is known before the step: norms, learning rate, entries of the gradient."""
        norms, limits = _take_norms(track, gradients)
        scale: Any = getattr(optimizer, "grad_scale", None)
        moments = _compute_moments(sample_elements(gradients)) if role == POLICY and gradients else []
        if torch.is_tensor(scale):  # fused optimizers take the scale of mixed precision off themselves
            norms = [norm / scale for norm in norms] if not limits else norms
            moments = [moments[0] / scale, moments[1] / scale**2] if moments else []
        rate = optimizer.param_groups[0].get("lr")
        rates = [rate] if torch.is_tensor(rate) and rate.is_cuda else []
        fixed = None if rates or rate is None else float(rate)
        step, count, scaled = self._step(), len(norms), scale is not None

        def arrived(found: list[float]) -> None:
            known, rest = found[:count], found[count:]
            numbers = _summarise_norms(known, limits, scaled=scaled)
            if rate is not None:
                numbers["learning_rate"] = rest.pop(0) if rates else fixed if fixed is not None else 0.0
            if rest:
                numbers["gradient_abs_max"], numbers["gradient_mean_square"] = rest
            if track.empty:
                numbers["empty_steps"] = float(track.empty)
            start = "optimizer." if role == POLICY else "optimizer.critic_"
            self._watcher.metrics(step, {start + name: value for name, value in numbers.items()})

        self._deferred.put([*norms, *rates, *moments], arrived)

    def _finished(self, optimizer: Any, before: Any) -> None:
        """Hands over what the step did to the parameters."""
        track = self._tracks.get(id(optimizer))
        if track is None:
            return
        began, after = track.clock(), sample_elements(_list_held(optimizer))
        if before is None or after is None or after.shape != before.shape:
            return  # an optimizer may let go of its gradients while it steps
        moved = after.sub_(before)
        share = torch.linalg.vector_norm(moved) / torch.linalg.vector_norm(before).clamp_min(1e-12)
        step = self._step()
        names = ("optimizer.step_abs_max", "optimizer.step_mean_square", "optimizer.parameter_change")
        self._deferred.put(
            [*_compute_moments(moved), share],
            lambda found: self._watcher.metrics(step, dict(zip(names, found, strict=True))),
        )
        track.spent += track.clock() - began

    def _noise_scale(self, batches: float) -> None:
        """Takes the noise scale in batches; without the size of a batch it cannot be said in samples."""
        config = self._watcher.config
        size = self.batch_size or config.get("batch_size") or config.get("minibatch_size")
        if isinstance(size, (int, float)) and size > 0:
            self._watcher.metrics(self._step(), {"optimizer.gradient_noise_scale": batches * size})


def _list_held(optimizer: Any) -> list[Any]:
    """The parameters that have a gradient."""
    return [each for group in optimizer.param_groups for each in group["params"] if each.grad is not None]


def _take_norms(track: _OptimizerTrack, gradients: list[Any]) -> tuple[list[Any], list[float]]:
    """The norms before clipping since the last time, and the largest ones allowed; else the norm as it is now."""
    kept, track.norms = track.norms, []
    known = [(parts, float(largest)) for parts, largest in kept if all(map(torch.is_tensor, parts)) and whole(parts)]
    if known:
        return [_join_norms(parts) for parts, _ in known], [largest for _, largest in known]
    return [compute_total_norm(gradients)] if gradients and whole(gradients) else [], []


def _join_norms(parts: list[Any]) -> Any:
    """The norm of a gradient from those of its parts."""
    if len(parts) == 1:
        return parts[0]
    with torch.no_grad():
        return torch.linalg.vector_norm(torch.stack([part.float().to(parts[0].device) for part in parts]))


def _summarise_norms(norms: list[float], limits: list[float], *, scaled: bool) -> dict[str, float]:
    finite = [norm for norm in norms if abs(norm) < float("inf")]
    broken = len(norms) - len(finite)
    numbers: dict[str, float] = {}
    if broken and scaled:
        numbers["skipped_steps"] = float(broken)
    elif broken:
        numbers["non_finite_gradients"], numbers["gradient_norm"] = float(broken), float("nan")
    if finite and "gradient_norm" not in numbers:
        numbers["gradient_norm"] = sum(finite) / len(finite)
    if limits:
        numbers["clipped_fraction"] = sum(map(float.__gt__, norms, limits)) / len(limits)
    return numbers


def _compute_moments(values: Any) -> list[Any]:
    """The largest absolute element and the mean square."""
    return [] if values is None else [torch.linalg.vector_norm(values, float("inf")), values.square().mean()]
