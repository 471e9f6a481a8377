"""What is known of a target before anything is trained. Runs where the target is loaded."""

from __future__ import annotations

import traceback
from importlib import import_module
from typing import Any

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.survey import Play
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.surveyed import find_maker
from weaklink.verbs.debug.minimal.easing import list_tasks
from weaklink.verbs.debug.minimal.evidence import MinimalLook, PlayedEpisodes, SeenPart
from weaklink.verbs.debug.minimal.plan import MOST_PARTS
from weaklink.verbs.debug.minimal.seeing import describe_part
from weaklink.verbs.debug.target import CaseTarget, LoadedTarget

STEPS, EPISODES, ROWS = 2_000, 10, 256
GAMMA = 0.99
VECTOR = "make_env returns a vector: its first member is trained in, without the wrappers of the vector."


def look_at_target(target: CaseTarget, thing: LoadedTarget, seed: int, seconds: float) -> MinimalLook:
    """Plays a little, makes the model, and looks at what its network is given."""
    easing = import_module("weaklink.adapters.gymnasium.easing")
    seen_play, failure = _play_randomly(thing, seed, seconds)
    if failure:
        return MinimalLook(algorithm="", failure=failure)
    notes: list[str] = [VECTOR] if easing.is_vector(thing.make_env()) else []
    small = import_module("weaklink.adapters.sb3.smallest")
    model, own = _make_own_model(thing, target, notes)
    algorithm = small.known(own or small.USUAL)
    if own and algorithm != own:
        notes.append(f"There is no smallest {own}: {algorithm} stands in for it.")
    gamma = _find_gamma(thing, model)
    agent = None
    seen: tuple[SeenPart, ...] = ()
    try:
        agent = small.Smallest(lambda: easing.single(thing.make_env()), algorithm, seed, gamma)
        seen = (
            _look_at_inputs(agent.model, agent.plain, seed)
            if model is None
            else _look_at_inputs(model, model.get_env(), seed)
        )
    except WeaklinkError:
        raise
    except Exception as error:
        traceback.print_exc()
        failure = describe_error(error)
    parts = tuple(seen_play.components) if seen_play is not None else thing.components
    if len(parts) > MOST_PARTS:
        notes.append(f"Of {len(parts)} parts of the reward the first {MOST_PARTS} are tried alone.")
    return MinimalLook(
        algorithm=algorithm,
        own_algorithm=own,
        settings={} if agent is None else agent.told,
        gamma=gamma,
        tasks=list_tasks(target, seen_play, seed),
        parts=parts[:MOST_PARTS],
        seen=seen,
        through_own_model=model is not None,
        random=_convert_play(seen_play),
        notes=tuple(notes),
        failure=failure,
    )


def _play_randomly(thing: LoadedTarget, seed: int, seconds: float) -> tuple[Play | None, str]:
    """Random play, and what the environment raised."""
    plan = SurveyPlan(seconds=max(seconds, 2.0), seed=seed, components=thing.components)
    session = SurveySession(find_maker(thing.make_env, plan)[0], plan, lambda stage, steps: None)
    try:
        environment = session.make()
    except WeaklinkError:
        raise
    except Exception as error:
        traceback.print_exc()
        return None, f"making the environment raised {describe_error(error)}"
    act = make_random_policy(environment.action, session.rng)
    seen = play(
        session, environment, act, policy="random", steps=STEPS, episodes=EPISODES, until=session.left(0.5), keep=0
    )
    environment.close()
    if session.faults:
        fault = session.faults[0]
        return seen, f"the environment raised in {fault.call or 'step'} {fault.step}: {fault.message}"
    return seen, ""


def _convert_play(seen: Play | None) -> PlayedEpisodes:
    if seen is None:
        return PlayedEpisodes()
    return PlayedEpisodes(
        returns=tuple(float(each) for each in seen.returns), lengths=tuple(int(each) for each in seen.ended_lengths)
    )


def _make_own_model(thing: LoadedTarget, target: CaseTarget, notes: list[str]) -> tuple[Any, str]:
    """The target's own model and the name of its algorithm, where it makes one of Stable-Baselines3."""
    if thing.make_model is None:
        return None, ""
    try:
        model = thing.model()
    except WeaklinkError:
        raise
    except Exception as error:
        traceback.print_exc()
        notes.append(f"make_model raised {describe_error(error)}, so the smallest agent's own view is shown.")
        return None, ""
    if not hasattr(model, "policy") or not hasattr(model, "get_env"):
        return None, ""
    attached = import_module("weaklink.adapters.sb3.attached")
    return model, str(attached.algorithm_of(model))


def _find_gamma(thing: LoadedTarget, model: object) -> float:
    given = Config.of(thing.config).number("gamma")
    own = getattr(model, "gamma", None)
    chosen = given if given is not None else own
    return float(chosen) if isinstance(chosen, int | float) and 0.0 <= chosen < 1.0 else GAMMA


def _look_at_inputs(model: object, environment: object, seed: int) -> tuple[SeenPart, ...]:
    given = import_module("weaklink.adapters.sb3.sight").record_network_inputs(model, environment, ROWS, seed)
    return tuple(describe_part(name, from_type, rows) for name, (from_type, rows) in given.items())
