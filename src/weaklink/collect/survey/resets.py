"""First observations, and which random generators a reset and a step touch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import make_flattener, sample_space, unflatten_rows
from weaklink.base.evidence.survey import Resets
from weaklink.collect.survey.sampler import pick_columns
from weaklink.collect.survey.session import SurveySession

SEEDS = 24
UNSEEDED = 8
WALK = 20


def examine_resets(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Resets under different seeds, without one, and the bare environment inside of the wrappers."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002  put back below: never touch the user's own
    try:
        seeded = _collect_first_rows(session, environment, range(100, 100 + SEEDS))
        if seeded is None:
            return {}
        part = Resets(
            seeded=seeded,
            unseeded=_collect_unseeded_rows(session, environment),
            inner=_collect_inner_rows(environment),
            draws=_draws(session, environment),
            reseeded=tuple(_find_reseeded(session, environment)) or tuple(_find_made_anew(session, environment)),
            global_draws=tuple(_find_drawn_from(session, environment)),
        )
    except Exception as error:
        session.blame(error, "reset")
        return {}
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
    session.first_rows = np.concatenate([part.seeded, part.unseeded])
    return {"resets": part}


def _collect_first_rows(session: SurveySession, environment: Environment, seeds: range) -> Array | None:
    flat, columns = make_flattener(environment.observation), pick_columns(environment.observation)
    rows: list[Array] = []
    for seed in seeds:
        rows.append(np.array(flat(_reset_episode(session, environment, seed)), dtype=float).reshape(-1))
        if session.over and len(rows) > 3:
            break
    found = np.array(rows)
    return found if columns is None else found[:, list(columns)]


def _collect_unseeded_rows(session: SurveySession, environment: Environment) -> Array:
    flat, columns = make_flattener(environment.observation), pick_columns(environment.observation)
    _reset_episode(session, environment, session.plan.seed)
    count = 3 if session.over else UNSEEDED
    rows = [np.array(flat(_reset_episode(session, environment, None)), dtype=float).reshape(-1) for _ in range(count)]
    return np.array(rows) if columns is None else np.array(rows)[:, list(columns)]


def _reset_episode(session: SurveySession, environment: Environment, seed: int | None) -> Any:
    """The first observation of an episode."""
    observation, _ = environment.reset(seed)
    session.tick()
    return observation


def _collect_inner_rows(environment: Environment) -> Array | None:
    """First observations of the environment inside of the user's own wrappers."""
    if environment.facts.get("standard", True) or not hasattr(environment.inner, "reset"):
        return None
    rows: list[Array] = []
    for seed in range(6):
        observation = environment.inner.reset(seed=seed)[0]
        if not isinstance(observation, np.ndarray | int | float | np.generic):
            return None
        rows.append(np.asarray(observation, dtype=float).reshape(-1))
    return np.array(rows)


def list_generators(environment: Environment) -> Iterator[tuple[str, Any]]:
    """The states of the generators that a fixed seed could hide in: the global ones and the environment's own."""
    yield "numpy.random", str(np.random.get_state(legacy=False))  # noqa: NPY002
    yield "random", str(random.getstate())
    for name, value in _list_objects(environment).items():
        if isinstance(value, np.random.Generator):
            yield name, str(value.bit_generator.state)
        elif isinstance(value, np.random.RandomState):
            yield name, str(value.get_state(legacy=False))
        elif isinstance(value, random.Random):
            yield name, str(value.getstate())


def _read_states_after_reset(
    session: SurveySession, environment: Environment, seed: int | None, stir: int
) -> dict[str, Any]:
    """What each generator's state is after a reset, when the global ones were somewhere else before."""
    np.random.seed(stir)  # noqa: NPY002
    random.seed(stir)
    _reset_episode(session, environment, seed)
    return dict(list_generators(environment))


def _find_reseeded(session: SurveySession, environment: Environment) -> Iterator[str]:
    """Generators that are in one and the same state after every reset, whatever the seed, and that are drawn from."""
    first = _read_states_after_reset(session, environment, 1, 101)
    objects = _list_objects(environment)
    second, third = (
        _read_states_after_reset(session, environment, seed, stir) for seed, stir in ((2, 102), (None, 103))
    )
    renewed = {name for name, value in _list_objects(environment).items() if objects.get(name) is not value}
    fixed = [name for name in first if first[name] == second.get(name) == third.get(name)]
    if not fixed:
        return
    _walk(session, environment)
    moved = dict(list_generators(environment))
    again = _read_states_after_reset(session, environment, 4, 104)
    for name in fixed:
        set_back = moved.get(name) != first[name] == again.get(name)
        if not name.startswith("self.") or name in renewed or set_back:
            yield name


def _find_made_anew(session: SurveySession, environment: Environment) -> list[str]:
    """Generators that every reset makes on the spot from one and the same seed, whatever it is given itself."""
    made: list[set[int]] = []
    for seed in (8101, 8202, None):
        with _hear_new_generators() as seeds:
            _reset_episode(session, environment, seed)
        made.append(seeds - {8101, 8202})
    return [f"numpy.random.default_rng({seed})" for seed in sorted(set.intersection(*made))]


@contextmanager
def _hear_new_generators() -> Iterator[set[int]]:
    """The plain numbers from which `numpy.random.default_rng` makes generators meanwhile."""
    own, seeds = np.random.default_rng, set[int]()

    def heard(seed: Any = None) -> np.random.Generator:
        if isinstance(seed, int | np.integer):
            seeds.add(int(seed))
        return own(seed)

    np.random.default_rng = heard
    try:
        yield seeds
    finally:
        np.random.default_rng = own


def _draws(session: SurveySession, environment: Environment) -> bool | None:
    """Whether a reset draws from generators of the environment's own; None where it has none that outlives a reset."""
    _reset_episode(session, environment, 5)
    objects, before = _list_objects(environment), dict(list_generators(environment))
    _reset_episode(session, environment, None)
    now, after = _list_objects(environment), dict(list_generators(environment))
    lasting = [name for name in before if name.startswith("self.") and objects[name] is now.get(name)]
    return any(before[name] != after.get(name) for name in lasting) if lasting else None


def _walk(session: SurveySession, environment: Environment) -> None:
    """A few steps; fewer where each takes long."""
    for action in unflatten_rows(environment.action, sample_space(environment.action, WALK, np.random.default_rng(0))):
        _, _, terminated, truncated, _ = environment.step(action)
        session.tick()
        if terminated or truncated or session.over:
            break


def _list_objects(environment: Environment) -> dict[str, Any]:
    """The environment's own attributes by the names that `list_generators` gives them."""
    return {f"self.{name}": value for name, value in getattr(environment.inner, "__dict__", {}).items()}


def _find_drawn_from(session: SurveySession, environment: Environment) -> Iterator[str]:
    """Global generators that a reset or a few steps draw from."""
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    before = dict(list_generators(environment))
    _reset_episode(session, environment, 3)
    _walk(session, environment)
    after = dict(list_generators(environment))
    yield from (name for name in ("numpy.random", "random") if before[name] != after[name])
