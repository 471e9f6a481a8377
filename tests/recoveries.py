"""Rollouts with what was recovered of real updates of small trainers, right ones and ones with a fault."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import weaklink
from tests.monitor.reading import continuous_ppo, evaluated_loop
from tests.monitor.reading.actor_critic import train
from tests.monitor.reading.densities import train as learn_densities
from tests.monitor.reading.episodic import train as learn_episodes
from tests.monitor.reading.listening import read_updates, trusted_distributions
from tests.monitor.reading.many_choices import train as learn_choices
from tests.monitor.reading.online import train as learn_online
from tests.monitor.reading.ppo import Options, update
from tests.monitor.reading.recurrent import train as learn_recurrent
from tests.monitor.reading.replay import learn_atoms, learn_dqn, learn_quantiles, learn_sac
from tests.monitor.reading.replay_loops import learn_detached, learn_q, learn_soft, learn_steps
from tests.monitor.reading.side_by_side import train as learn_side_by_side
from tests.monitor.reading.token_loop import train as learn_tokens
from tests.monitor.reading.told_past import train as learn_told
from tests.monitor.reading.unrolled import train as learn_unrolled
from tests.monitor.reading.v_trace import train as learn_v_trace
from tests.rollouts import look
from tests.sharing import share
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor import acted_choices, asked_networks, evaluations, governor
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.reading.recovering import recover_update

SMALL = {"steps": 64, "epochs": 3, "minibatch": 64}


def look_at(reading: UpdateReading, config: Mapping[str, Any] | None = None) -> Rollout:
    """The rollout of an update that was read."""
    return look(recovered=recover_update(reading, config or {}).update)


def _read_one(train_all: Callable[[], Any], number: int) -> UpdateReading:
    """One of the readings of a training, which ends as soon as it is there."""
    return read_updates(train_all, number + 1 if number >= 0 else None)[number]


@share
def _read(**options: Any) -> UpdateReading:
    return update(Options(**(SMALL | options)))[0]


@share
def _recover(config: tuple[tuple[str, Any], ...], **options: Any) -> Rollout:
    return look_at(_read(**options), dict(config))


def ppo(config: Mapping[str, Any] | None = None, **options: Any) -> Rollout:
    """A PPO with these options, and the hyper-parameters that it claims to have."""
    return _recover(tuple((config or {}).items()), **options)


@share
def actor_critic(fault: str = "", entropy: float = 0.01, limit: int = 40, **options: Any) -> Rollout:
    """An actor-critic of short rollouts, listened to from outside: sixteen of its updates that were read together."""
    return look_at(_read_one(lambda: train(fault, 40, entropy, limit, **options), 2))


@share
def side_by_side(fault: str = "") -> Rollout:
    """An actor-critic over a list of environments, listened to from outside."""
    return look_at(_read_one(lambda: learn_side_by_side(fault), -1))


@share
def episodic(fault: str = "", updates: int = 3) -> Rollout:
    """REINFORCE with a baseline, listened to from outside: the last of its updates that was read."""
    return look_at(_read_one(lambda: learn_episodes(fault, updates), -1))


@share
def recurrent(fault: str = "") -> Rollout:
    """An actor-critic with a memory, listened to from outside."""
    return look_at(_read_one(lambda: learn_recurrent(fault, updates=2), 1))


@share
def densities(kind: str, fault: str = "") -> Rollout:
    """A PPO with a Beta distribution or with means and spreads, listened to from outside."""
    return look_at(_read_one(lambda: learn_densities(kind, fault, updates=2), 1))


@share
def unrolled(fault: str = "", *, by_method: bool = False) -> Rollout:
    """An actor-critic with a memory that is unrolled time by time, listened to from outside."""
    return look_at(_read_one(lambda: learn_unrolled(fault, by_method=by_method), 1))


@share
def online(fault: str = "") -> Rollout:
    """An actor-critic that learns from every single step, listened to from outside, all parts of its rollout."""
    return assemble_rollout(_read_one(lambda: learn_online(fault, steps=140), 1), 0.0, {})


@share
def told_past(fault: str = "") -> Rollout:
    """A PPO with a memory that is told its last action and reward, listened to from outside."""
    return look_at(_read_one(lambda: learn_told(fault, updates=2), 1))


@share
def many_choices(fault: str = "") -> Rollout:
    """An actor-critic with a head for each of two choices, listened to from outside."""
    return look_at(_read_one(lambda: learn_choices(fault, updates=2), 1))


@share
def continuous(fault: str = "", number: int = -1) -> Rollout:
    """A PPO with two continuous actions and a normaliser, listened to from outside; which of its readings."""
    return assemble_rollout(_read_one(lambda: continuous_ppo.train(fault, updates=2), number), 0.0, {})


@share
def single(fault: str = "") -> Rollout:
    """A PPO with one continuous action, all parts of its rollout."""
    return assemble_rollout(_read(environment="Pendulum-v1", fault=fault), 0.0, {})


@share
def dqn(**options: Any) -> Rollout:
    """A DQN on CartPole."""
    return look_at(learn_dqn(**options).reading)


@share
def atoms(**options: Any) -> Rollout:
    """A DQN on CartPole whose values are categorical distributions."""
    return look_at(learn_atoms(**options).reading)


@share
def quantiles(**options: Any) -> Rollout:
    """A DQN on CartPole whose values are quantiles."""
    return look_at(learn_quantiles(**options).reading)


@share
def sac(**options: Any) -> Rollout:
    """A soft actor-critic, or TD3's losses, on Pendulum."""
    return look_at(learn_sac(**options).reading)


@share
def q_loop(fault: str = "", number: int = -1, steps: int = 225, **options: Any) -> Rollout:
    """A Q-learner written by hand, read from outside while it learns from replay; which of its readings."""
    return look_at(_read_one(lambda: learn_q(fault, steps=steps, **options), number))


@share
def steps_loop(fault: str = "", count: int = 3, config: tuple[tuple[str, float], ...] = (), limit: int = 30) -> Rollout:
    """A Q-learner with targets of several steps, read in the same way."""
    return look_at(_read_one(lambda: learn_steps(fault, count, limit=limit), -1), dict(config))


@share
def soft_loop(fault: str = "", number: int = -1, **options: Any) -> Rollout:
    """A soft actor-critic written by hand, read in the same way."""
    return look_at(_read_one(lambda: learn_soft(fault, steps=216, **options), number))


@share
def td3_loop(fault: str = "", number: int = -1, steps: int = 216) -> Rollout:
    """A TD3 written by hand, read in the same way."""
    return look_at(_read_one(lambda: learn_detached(fault, steps), number))


@share
def td3_course(fault: str = "") -> Rollout:
    """What a whole run of it shows at its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked_networks, "FEWEST_STEPS", 200)
        patch.setattr(acted_choices, "FEWEST_NOISY", 4)
        patch.setattr(acted_choices, "FEWEST_PUSHED", 40)
        return _watch_course(lambda: learn_detached(fault, steps=400))


@share
def q_course(fault: str = "", **options: Any) -> Rollout:
    """What a whole run of the Q-learner shows at its end, beside what each of its updates shows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked_networks, "FEWEST_STEPS", 200)  # how many there must be is a matter of time alone
        patch.setattr(acted_choices, "FEWEST_STEPS", 400)
        return _watch_course(lambda: learn_q(fault, steps=560, batch=16, **options))


@share
def episodic_course(fault: str = "") -> Rollout:
    """What a whole run of a REINFORCE shows at its end, whose policy makes one step in each update."""
    return _watch_course(lambda: learn_episodes(fault, 10))


@share
def v_trace_course(fault: str = "") -> Rollout:
    """What a whole run of an actor-critic shows at its end for which a copy acts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked_networks, "FEWEST_UPDATES", 6)
        return _watch_course(lambda: learn_v_trace(fault, updates=32))


@share
def soft_course(fault: str = "") -> Rollout:
    """What a whole run of the soft actor-critic shows at its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked_networks, "FEWEST_STEPS", 200)
        return _watch_course(lambda: learn_soft(fault, steps=280))


@share
def evaluated(fault: str = "", seed: int = 0, *, once: bool = False) -> Rollout:
    """What a whole run of a policy gradient shows that is evaluated after every round, or `once`, at its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluations, "FEWEST_STEPS", 20)
        return _watch_course(lambda: evaluated_loop.train(fault, seed, once=once))


@share
def recurrent_course(fault: str) -> Rollout:
    """What a whole run of the actor-critic with a memory shows, which is evaluated after every update."""
    return _watch_course(lambda: learn_recurrent(fault, updates=9))


def _watch_course(train_all: Callable[[], None]) -> Rollout:
    seen: list[Rollout] = []
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for kind in (governor.FIRST_READING, governor.EVALUATION):
            patch.setitem(governor.APART, kind, math.inf)
        with weaklink.Monitor(folder, sinks=(), tracker="none") as monitor:
            patch.setattr(monitor.watcher, "take_reading", lambda rollout, **_: seen.append(rollout))
            with trusted_distributions():
                train_all()
    return seen[-1]


@share
def tokens(fault: str = "") -> Rollout:
    """A GRPO over tokens that steps no environment, listened to from outside."""
    return look_at(_read_one(lambda: learn_tokens(fault), 0))
