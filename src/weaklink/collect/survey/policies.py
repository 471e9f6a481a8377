"""Policies from outside: written by the user, trained, or imported by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Environment, Policy
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.survey.session import PolicyFailed


class OutsidePolicy:
    """A policy from outside: what it does is copied, what it raises is its own, what it remembers lasts an episode."""

    def __init__(self, act: Policy, forget: Callable[[], None] | None = None) -> None:
        self._act = act
        self.begin = forget or (lambda: None)

    def __call__(self, observation: object) -> Any:
        """The action; an array is copied, because a policy may write the next one into it."""
        try:
            action = self._act(observation)
        except Exception as error:
            raise PolicyFailed(describe_error(error)) from error
        return action.copy() if isinstance(action, np.ndarray) else action


def make_policy(thing: Any, environment: Environment, *, cheats: bool = False) -> OutsidePolicy:
    """A policy from a function of the observation, a class, or an object with `act` or `predict`.

    A cheating policy may take two arguments: the environment inside of all wrappers, then the observation.
    """
    if inspect.isclass(thing):
        thing = thing()
    predict = getattr(thing, "predict", None)
    if predict is not None:
        return _wrap_predict(predict)
    act: Callable[..., Any] = getattr(thing, "act", thing)
    if not callable(act):
        raise UsageError(f"A policy is a function of the observation or has act or predict; {thing!r} is neither.")
    if cheats and _count_arguments(act) >= 2:
        return OutsidePolicy(lambda observation: act(environment.inner, observation))
    return OutsidePolicy(act)


def _wrap_predict(predict: Callable[..., Any]) -> OutsidePolicy:
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

    return OutsidePolicy(act, lambda: state.__setitem__(0, None))


def _count_arguments(function: Callable[..., Any]) -> int:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
