"""Policies to compare with: doing nothing, one action throughout, what the user wrote, what was trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.evidence.protocols import Environment, Policy
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import find_rest_action, unflatten
from weaklink.base.evidence.survey import POLICY, ZERO, Play
from weaklink.base.outside.named import load_named
from weaklink.collect.survey.policies import make_policy
from weaklink.collect.survey.sampler import play
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.sweeps import list_constant_actions

TRIALS = 5
"""Episodes to choose the best constant action by."""


def play_zero(session: SurveySession, environment: Environment, until: float) -> Play | None:
    """Does nothing, where there is an action that means that."""
    still = _find_no_operation(environment)
    if still is None:
        return None
    return _play(
        session,
        environment,
        ZERO,
        _make_constant_policy(unflatten(environment.action, still)),
        until,
        "the zero action",
    )


def _find_no_operation(environment: Environment) -> Array | None:
    """Zero in every dimension, or the choice that the environment itself calls NOOP."""
    if environment.action.kind != "discrete":
        return find_rest_action(environment.action)
    meanings = getattr(environment.inner, "get_action_meanings", lambda: ())()
    places = [place for place, word in enumerate(meanings) if str(word).upper() in ("NOOP", "NO-OP", "NOTHING")]
    grid = list(list_constant_actions(environment.action))
    return grid[places[0]] if places and places[0] < len(grid) else None


def play_constant(session: SurveySession, environment: Environment, until: float) -> Play | None:
    """The best of the constant actions worth a try."""
    if environment.action.kind not in ("discrete", "box"):
        return None
    scored: list[tuple[float, Array]] = []
    for row in list_constant_actions(environment.action):
        act = _make_constant_policy(unflatten(environment.action, row))
        trial = play(session, environment, act, policy="", steps=1, episodes=TRIALS, until=session.left(0.1))
        if trial.episodes:
            scored.append((float(trial.returns.mean()), row))
    if not scored:
        return None
    row = max(scored, key=lambda one: one[0])[1]
    shown = ", ".join(f"{value:g}" for value in row[:6]) + (", ..." if len(row) > 6 else "")
    act = _make_constant_policy(unflatten(environment.action, row))
    return _play(session, environment, "constant", act, until, f"action {shown} throughout, the best of {len(scored)}")


def _make_constant_policy(action: object) -> Policy:
    return lambda observation: action


def load_policies(session: SurveySession, policies: dict[str, Any]) -> dict[str, Any]:
    """The user's own policies: automaton, cheat and the trained one. One that cannot be had is wrong use."""
    plan = session.plan
    words = {"automaton": plan.automaton, "cheat": plan.cheat, POLICY: plan.policy}
    things = {name: _load_policy(session, name, word) for name, word in words.items() if word}
    return things | {name: thing for name, thing in policies.items() if thing is not None}


def _load_policy(session: SurveySession, name: str, word: str) -> Any:
    try:
        return _load_trained(session, word) if word.endswith(".zip") else load_named(word, f"--{name}")
    except WeaklinkError:
        raise
    except Exception as error:
        raise UsageError(f"--{name}: {word} cannot be loaded: {type(error).__name__}: {error}.") from None


def prepare_plays(
    session: SurveySession, environment: Environment, things: dict[str, Any]
) -> dict[str, Callable[[], Play]]:
    """The user's own policies, not played yet; each gets an even share of the time that is left when its turn comes."""
    waiting = range(len(things), 0, -1)
    return {
        name: _prepare_play(session, environment, name, thing, 1.0 / left)
        for (name, thing), left in zip(things.items(), waiting, strict=True)
    }


def _prepare_play(
    session: SurveySession, environment: Environment, name: str, thing: object, share: float
) -> Callable[[], Play]:
    act = make_policy(thing, environment, cheats=name == "cheat")
    told = getattr(thing, "__qualname__", type(thing).__name__)
    return lambda: _play(session, environment, name, act, session.left(share), told)


def _load_trained(session: SurveySession, file: str) -> Any:
    if not session.plan.trust_pickle:
        raise UsageError(
            f"{file} is a pickle, which can run arbitrary code when it is loaded: set trust_pickle to allow it."
        )
    from importlib import import_module

    return import_module("weaklink.adapters.sb3.environments").load_model(file, session.plan.policy_algorithm)


def _play(session: SurveySession, environment: Environment, name: str, act: Policy, until: float, told: str) -> Play:
    return play(
        session,
        environment,
        act,
        policy=name,
        told=told,
        steps=1,
        episodes=session.plan.episodes,
        until=until,
        keep=session.plan.steps // 4,
    )
