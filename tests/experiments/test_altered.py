"""One thing other than the user's code asked for."""

from __future__ import annotations

import pytest

from weaklink.base.errors import UsageError
from weaklink.base.proving import Change
from weaklink.verbs.confirm.altered import alter_target, apply_change
from weaklink.verbs.debug.target import LoadedTarget

TENTH = Change(setting="learning_rate", times=0.1)


def environment():
    return pytest.importorskip("gymnasium").make("CartPole-v1")


def test_values_are_turned():
    assert apply_change(TENTH, 0.5) == pytest.approx(0.05)
    assert apply_change(TENTH, lambda left: left)(0.5) == pytest.approx(0.05)
    assert apply_change(Change(setting="batch_size", times=3.0), 64) == 192
    assert apply_change(Change(setting="ent_coef", to=0.02), "auto") == 0.02
    with pytest.raises(UsageError, match="'auto'"):
        apply_change(Change(setting="ent_coef", times=3.0), "auto")


def test_an_own_train_is_told_by_its_argument():
    seen = []

    def train(make_env, steps, seed, lr=0.5):
        seen.append(lr)
        return "agent"

    thing, kept = alter_target(LoadedTarget(make_env=object, train=train), TENTH, seed=1)
    assert thing.train(None, 10, 1) == kept.agent == "agent"
    assert seen == [pytest.approx(0.05)]
    as_ever, _ = alter_target(LoadedTarget(make_env=object, train=train), None, seed=1)
    as_ever.train(None, 10, 1)
    assert seen[1] == 0.5


def test_a_train_without_the_argument_is_refused_with_what_to_add():
    def train(make_env, steps, seed):
        raise AssertionError("never called")

    thing, kept = alter_target(LoadedTarget(make_env=object, train=train), TENTH, seed=1)
    with pytest.raises(UsageError, match=r"def train\(make_env, steps, seed, learning_rate=\.\.\.\)"):
        thing.train(None, 10, 1)
    assert "learning_rate" in kept.unusable


def test_the_value_comes_from_the_configuration_where_the_argument_has_none():
    seen = []

    def train(make_env, steps, seed, learning_rate=None):
        seen.append(learning_rate)

    thing, _ = alter_target(LoadedTarget(make_env=object, train=train, config={"learning_rate": 1.0}), TENTH, seed=1)
    thing.train(None, 10, 1)
    assert seen == [pytest.approx(0.1)]


def test_a_model_is_made_with_another_argument_and_the_seed_of_the_job():
    sb3 = pytest.importorskip("stable_baselines3")

    def make_model(env):
        return sb3.PPO("MlpPolicy", env, lambda left: 0.5 * left, n_steps=32, batch_size=32, seed=0, device="cpu")

    thing, kept = alter_target(LoadedTarget(make_env=environment, make_model=make_model), TENTH, seed=7)
    model = thing.make_model(environment())
    assert model is kept.model
    assert model.seed == 7
    assert model.lr_schedule(1.0) == pytest.approx(0.05)
    assert make_model(environment()).seed == 0, "nothing stays changed"


def test_a_subclass_that_hands_an_argument_down_is_changed_too():
    sb3 = pytest.importorskip("stable_baselines3")

    class Mine(sb3.PPO):
        def __init__(self, env):
            super().__init__("MlpPolicy", env, learning_rate=0.5, n_steps=32, batch_size=32, device="cpu")

    thing, _ = alter_target(LoadedTarget(make_env=environment, make_model=Mine), TENTH, seed=7)
    model = thing.make_model(environment())
    assert model.learning_rate == pytest.approx(0.05)


def test_arguments_that_an_algorithm_does_not_have_and_models_that_are_none_are_refused():
    sb3 = pytest.importorskip("stable_baselines3")

    def dqn(env):
        return sb3.DQN("MlpPolicy", env, device="cpu", buffer_size=100)

    bonus = Change(setting="ent_coef", to=0.02)
    thing, kept = alter_target(LoadedTarget(make_env=environment, make_model=dqn), bonus, seed=1)
    with pytest.raises(UsageError, match="DQN has no argument 'ent_coef'"):
        thing.make_model(environment())
    assert kept.unusable
    nothing, _ = alter_target(LoadedTarget(make_env=environment, make_model=lambda env: object()), bonus, seed=1)
    with pytest.raises(UsageError, match=r"made no Stable-Baselines3 model"):
        nothing.make_model(environment())


def test_rewards_are_scaled_around_the_environment_and_not_in_its_count_of_episodes():
    pytest.importorskip("stable_baselines3")
    thing, _ = alter_target(LoadedTarget(make_env=environment), Change(setting="reward_scale", times=0.1), seed=1)
    env = thing.make_env()
    env.reset(seed=0)
    paid, done, info = 0.0, False, {}
    while not done:
        _, reward, terminated, truncated, info = env.step(0)
        paid, done = paid + reward, terminated or truncated
    assert paid == pytest.approx(0.1 * info["episode"]["r"])


def test_observations_are_normalised():
    gymnasium = pytest.importorskip("gymnasium")
    change = Change(setting="normalise_observations", to=True)
    thing, kept = alter_target(LoadedTarget(make_env=environment), change, seed=1)
    assert isinstance(thing.make_env(), gymnasium.wrappers.NormalizeObservation)
    odd, kept = alter_target(LoadedTarget(make_env=lambda: gymnasium.make("Taxi-v4")), change, seed=1)
    with pytest.raises(UsageError, match="Box"):
        odd.make_env()
    assert kept.unusable
