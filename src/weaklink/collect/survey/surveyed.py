"""The survey of an environment given as an object, a factory or a word."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.packing import pack_part, unpack_survey
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.survey import Survey
from weaklink.base.outside.named import load_named
from weaklink.collect.survey.masks import obey_masks
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import Report, SurveySession
from weaklink.collect.survey.stages import run_stages

_MODULE_AND_NAME = re.compile(r"^.+:[A-Za-z_][\w.]*$")
_GYMNASIUM_ID = re.compile(r"-v\d+$")


def surveyed(
    thing: object,
    plan: SurveyPlan | None = None,
    *,
    name: str = "",
    policies: Mapping[str, Any] | None = None,
    report: Report | None = None,
) -> Survey:
    """Surveys an environment in this process.

    Args:
        thing: an environment, a function that makes one, a Gymnasium id, or `module:factory`.
        plan: how long and how thoroughly, and what is known of the environment.
        name: what to call it.
        policies: the user's own: `automaton`, `cheat` and `policy`, as functions or objects.
        report: called now and then with what is being done and the steps made so far.

    Returns:
        What was seen. What the environment does wrong is part of that and never raised.
    """
    chosen = plan or SurveyPlan()
    make, fresh = find_maker(thing, chosen)
    session = SurveySession(make, chosen, report or (lambda stage, steps: None), fresh=fresh)
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002  what an environment seeds must not stay seeded
    try:
        parts = [pack_part(part) for part in run_stages(session, dict(policies or {}))]
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
    about = {"name": name or name_environment(thing), "shaping": chosen.shaping, "goal_metric": chosen.metric}
    return unpack_survey(parts, **about)


def find_maker(thing: object, plan: SurveyPlan) -> tuple[Callable[[], Environment], bool]:
    """A function that makes the environment, and whether each call makes a new one."""
    if isinstance(thing, str):
        make = keep_factory(thing, plan.arguments)
        return lambda: obey_masks(adapt_environment(make())), True
    if isinstance(thing, type) or (callable(thing) and not hasattr(thing, "step")):
        return lambda: obey_masks(adapt_environment(thing(**plan.arguments))), True
    return lambda: obey_masks(adapt_environment(thing)), False


def keep_factory(word: str, arguments: Mapping[str, Any]) -> Callable[[], Any]:
    """A function that makes the environment of a word, each time by the same factory.

    A file that were loaded anew each time would give every instance classes of its own, and what instances share by
    their class or module, as they do in a training, would never be seen.
    """
    kept: list[Callable[..., Any]] = []

    def make() -> Any:
        if kept:
            return kept[0](**arguments)
        if not _is_named(word):
            return make_environment(word, arguments)
        thing = load_named(word, "The environment")
        if not callable(thing) or _is_environment(thing):
            return thing
        kept.append(thing)
        return thing(**arguments)

    return make


def make_environment(word: str, arguments: Mapping[str, Any]) -> Any:
    """The environment that a word stands for: a Gymnasium id, or what `module:factory` returns."""
    if _is_named(word):
        thing = load_named(word, "The environment")
        return thing(**arguments) if callable(thing) and not _is_environment(thing) else thing
    return import_module("weaklink.adapters.gymnasium.environment").make_environment(word, arguments)


def _is_named(word: str) -> bool:
    return bool(_MODULE_AND_NAME.match(word)) and not _GYMNASIUM_ID.search(word)


def _is_environment(thing: object) -> bool:
    return not isinstance(thing, type) and hasattr(thing, "step") and hasattr(thing, "reset")


def name_environment(thing: object) -> str:
    """What to call an environment that has no name of its own."""
    if isinstance(thing, str):
        return thing
    spec = getattr(thing, "spec", None)
    return getattr(spec, "id", None) or getattr(thing, "__qualname__", None) or type(thing).__name__
