"""Policies from outside: written by the user, trained, or imported by name."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np

from weaklink.errors import UsageError
from weaklink.evidence.protocols import Environment, Policy
from weaklink.survey.session import PolicyFailed


def named(word: str, what: str) -> Any:
    """What `module:name` or `path/to/file.py:name` stands for."""
    module, colon, name = word.rpartition(":")
    if not colon or not module or not name:
        raise UsageError(f"{what} is given as module:name or file.py:name, not '{word}'.")
    thing: Any = _module(module, what)
    for part in name.split("."):
        if not hasattr(thing, part):
            raise UsageError(f"{what}: {module} has no '{part}' (from '{word}').")
        thing = getattr(thing, part)
    return thing


def _module(word: str, what: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        if not word.endswith(".py"):
            return import_module(word)
        path = Path(word)
        if not path.is_file():
            raise UsageError(f"{what}: there is no file {word}.")
        spec = util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise UsageError(f"{what}: {word} is no Python file.")
        module = util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        spec.loader.exec_module(module)
        return module
    except ImportError as error:
        raise UsageError(f"{what}: cannot import {word}: {error}. Run from the folder that holds it.") from None


class Outside:
    """A policy from outside: what it does is copied, what it raises is its own, what it remembers lasts an episode."""

    def __init__(self, act: Policy, forget: Callable[[], None] | None = None) -> None:
        self._act = act
        self.begin = forget or (lambda: None)

    def __call__(self, observation: Any) -> Any:
        """The action; an array is copied, because a policy may write the next one into it."""
        try:
            action = self._act(observation)
        except Exception as error:
            raise PolicyFailed(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error
        return action.copy() if isinstance(action, np.ndarray) else action


def policy_of(thing: Any, environment: Environment, *, cheats: bool = False) -> Outside:
    """A policy from a function of the observation, a class, or an object with `act` or `predict`.

    A cheating policy may take two arguments: the environment inside of all wrappers, then the observation.
    """
    if inspect.isclass(thing):
        thing = thing()
    predict = getattr(thing, "predict", None)
    if predict is not None:
        return _predicting(predict)
    act: Callable[..., Any] = getattr(thing, "act", thing)
    if not callable(act):
        raise UsageError(f"A policy is a function of the observation or has act or predict; {thing!r} is none.")
    if cheats and _arguments(act) >= 2:
        return Outside(lambda observation: act(environment.inner, observation))
    return Outside(act)


def _predicting(predict: Callable[..., Any]) -> Outside:
    """The policy of a model with a `predict` like SB3's: an action and, for recurrent ones, a state to hand back."""
    state: list[Any] = [None]
    known = inspect.signature(predict).parameters
    more = {"deterministic": True} if "deterministic" in known else {}

    def act(observation: Any) -> Any:
        if "state" not in known:
            answer = predict(observation, **more)
            return answer[0] if isinstance(answer, tuple) else answer
        action, state[0] = predict(observation, state=state[0], **more)
        return np.asarray(action)[()] if np.ndim(action) == 0 else action

    return Outside(act, lambda: state.__setitem__(0, None))


def _arguments(function: Callable[..., Any]) -> int:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
