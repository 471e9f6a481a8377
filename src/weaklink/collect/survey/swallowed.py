"""What goes wrong inside a step that comes back as if nothing had: exceptions caught, numbers patched, warnings."""

from __future__ import annotations

import io
import logging
import math
import re
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import SwallowedError
from weaklink.collect.survey.session import OURS, SurveySession, is_standard

STEPS = 400
TELLING = (ArithmeticError, RuntimeError, ValueError, AssertionError, TypeError, IndexError, MemoryError, OSError)
"""Exceptions that mean trouble; others (a missing key, an attribute, the end of an iteration) steer ordinary code."""

NEARLY_ALWAYS = 0.9
"""The share of the times that an exception was raised in which the episode ended: then it is how an end is told."""

LIBRARIES = ("gymnasium", "gym", "numpy", "stable_baselines3", "torchrl", "mujoco")
"""Packages that are not the environment of anybody, though environments inherit from them."""

Seen = Counter[tuple[str, str, str]]


class ExceptionTrace:
    """Sees each exception raised in the environment's own code, and each call that patches numbers.

    An exception that ends the episode nearly whenever it is raised has not been swallowed: the agent is told.
    """

    def __init__(self, environment: Environment) -> None:
        self.seen: Seen = Counter()
        self._told_by_end: Seen = Counter()
        self._of_this_step: Seen = Counter()
        self._told: deque[BaseException] = deque(maxlen=8)  # held, so that no later one gets the same address
        self._package = type(environment.inner).__module__.partition(".")[0]

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "call" and frame.f_code.co_name == "nan_to_num":
            self._patched(frame)
        if frame.f_code.co_filename.startswith((OURS, "<frozen")):
            return None
        return self.inside

    def inside(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Within a function: only exceptions are of interest, and each is counted where it was raised."""
        frame.f_trace_lines = False
        if event == "exception":
            kind, error, _ = argument
            telling = isinstance(error, TELLING) and not isinstance(error, NotImplementedError)
            if telling and self.is_theirs(frame) and not any(error is one for one in self._told):
                self._told.append(error)
                where = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
                self._of_this_step["exception", f"{kind.__name__}: {' '.join(str(error).split())[:200]}", where] += 1
        return self.inside

    def end_step(self, ended: bool) -> None:
        """A step is over, and what it raised is known to have ended the episode or not."""
        self.seen += self._of_this_step
        if ended:
            self._told_by_end += self._of_this_step
        self._of_this_step = Counter()

    def list_swallowed(self) -> Seen:
        """What was seen, without the exceptions that end the episode."""
        ended = self._told_by_end
        return Counter({key: times for key, times in self.seen.items() if ended[key] < NEARLY_ALWAYS * times})

    def is_theirs(self, frame: FrameType) -> bool:
        """Whether the code is the environment's own: not Python's, nor that of an installed package of others."""
        file = frame.f_code.co_filename
        if "site-packages" in file:
            return self._package not in LIBRARIES and f"{self._package}/" in file.replace("\\", "/")
        return not is_standard(file)

    def _patched(self, frame: FrameType) -> None:
        value = frame.f_locals.get("x")
        caller = frame.f_back
        try:
            ill = value is not None and not bool(np.isfinite(value).all())
        except TypeError:
            return
        if ill and caller is not None and self.is_theirs(caller):
            where = f"{caller.f_code.co_filename}:{caller.f_lineno} in {caller.f_code.co_name}"
            self.seen["replaced", "nan_to_num got NaN or infinite values", where] += 1


class FinitenessCheck:
    """Stands in for a function that asks whether numbers are finite, and tells where some were NaN.

    Infinity is no such sign: bounds of spaces are infinite, and are asked for in healthy steps.
    """

    def __init__(self, own: Any, tell: Callable[[FrameType, str], None]) -> None:
        self._own = own
        self._tell = tell

    def __call__(self, value: Any, *more: Any, **named: Any) -> Any:
        if _has_nan(value):
            self._tell(sys._getframe(1), self._own.__name__)
        return self._own(value, *more, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


def _has_nan(value: object) -> bool:
    array = np.asarray(value)
    return array.dtype.kind == "f" and bool((array != array).any())


class FinitenessWatch:
    """Hears the environment find NaN among its own numbers, in steps that then return as if nothing was.

    A step that ends the episode has not kept it to itself.
    """

    ASKED = tuple((module, name) for module in (np, math) for name in ("isnan", "isfinite"))

    def __init__(self, trace: ExceptionTrace) -> None:
        self.seen: Seen = Counter()
        self._trace = trace
        self._of_this_step: Seen = Counter()
        self._own: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> FinitenessWatch:
        for module, name in self.ASKED:
            own = getattr(module, name)
            self._own.append((module, name, own))
            setattr(module, name, FinitenessCheck(own, self._hear))
        return self

    def __exit__(self, *error: object) -> None:
        for module, name, own in self._own:
            setattr(module, name, own)

    def end_step(self, ended: bool) -> None:
        """A step is over: what it found is kept where the episode goes on."""
        if not ended:
            self.seen += self._of_this_step
        self._of_this_step = Counter()

    def _hear(self, frame: FrameType, name: str) -> None:
        if self._trace.is_theirs(frame) and not frame.f_code.co_filename.startswith(OURS):
            where = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
            self._of_this_step["replaced", f"{name} met NaN, and the step went on", where] += 1


class LogListener(logging.Handler):
    """Collects what is logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen: Seen = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """One record."""
        where = f"{record.pathname}:{record.lineno} in {record.funcName}"
        level = record.levelname.lower()
        error = f" ({record.exc_info[0].__name__})" if record.exc_info and record.exc_info[0] else ""
        self.seen["log", f"{level}: {' '.join(record.getMessage().split())[:200]}{error}", where] += 1


def find_swallowed(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Steps under watch. What the environment lets out is a fault; what it keeps to itself is told here."""
    rng = np.random.default_rng(session.plan.seed + 2)
    actions = unflatten_rows(environment.action, sample_space(environment.action, STEPS, rng))
    listener, trace, steps = LogListener(), ExceptionTrace(environment), 0
    logging.getLogger().addHandler(listener)
    former = sys.gettrace()
    said = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(said), redirect_stderr(said):
        warnings.simplefilter("always")
        try:
            with FinitenessWatch(trace) as finiteness:
                steps = _watch_steps(session, environment, actions, trace, finiteness)
        except Exception as error:
            session.blame(error, "step")
            return {}
        finally:
            sys.settrace(former)
            logging.getLogger().removeHandler(listener)
    seen = trace.list_swallowed() + finiteness.seen + listener.seen + _count_warnings(warned)
    seen += _find_tracebacks(said.getvalue())
    return {
        "swallowed": tuple(
            SwallowedError(kind=kind, text=text, where=where, times=times, steps=steps)
            for (kind, text, where), times in seen.most_common(8)
        )
    }


def _watch_steps(
    session: SurveySession,
    environment: Environment,
    actions: list[Any],
    trace: ExceptionTrace,
    finiteness: FinitenessWatch,
) -> int:
    """How many steps were watched."""
    environment.reset(session.plan.seed + 2)
    count = 0
    for action in actions:
        sys.settrace(trace)
        try:
            _, _, terminated, truncated, _ = environment.step(action)
            for watch in (trace, finiteness):
                watch.end_step(bool(terminated or truncated))
            if terminated or truncated:
                environment.reset(None)
        finally:
            sys.settrace(None)
        count += 1
        session.steps += 1
        session.tick()
        if session.over:
            break
    return count


def _find_tracebacks(text: str) -> Seen:
    """Tracebacks that were printed, by the line that names the exception."""
    seen: Seen = Counter()
    for piece in text.split("Traceback (most recent call last):")[1:]:
        lines = [line for line in piece.splitlines() if line.strip()]
        last = next((line for line in lines if not line.startswith(" ")), "an exception")
        place = re.search(r'File "(.+?)", line (\d+), in (\S+)', piece)
        seen["printed", last.strip()[:200], f"{place[1]}:{place[2]} in {place[3]}" if place else ""] += 1
    return seen


def _count_warnings(caught: list[warnings.WarningMessage]) -> Seen:
    """Numerical warnings; advice and announcements of changes to come are none of our business."""
    seen: Seen = Counter()
    for one in caught:
        if issubclass(one.category, RuntimeWarning):
            seen["warning", f"RuntimeWarning: {one.message}", f"{one.filename}:{one.lineno}"] += 1
    return seen
