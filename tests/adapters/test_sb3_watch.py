"""Watched and unwatched trainings of Stable-Baselines3 are the same to the last bit, and models carry nothing."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import random
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import ARS, QRDQN, TQC, TRPO, CrossQ, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC, TD3, HerReplayBuffer
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback, CallbackList, EvalCallback
from stable_baselines3.common.envs import BitFlippingEnv
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch.nn import functional

from tests.adapters.recording import Recording
from weaklink.adapters.sb3.watch import watch
from weaklink.base.errors import UsageError

CART, SWING = "CartPole-v1", "Pendulum-v1"
ON_POLICY = (PPO, A2C, TRPO, RecurrentPPO, MaskablePPO)


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


class Masked(gymnasium.Wrapper):
    """CartPole that forbids a push now and then."""

    def action_masks(self) -> np.ndarray:
        free = np.ones(2, dtype=bool)
        free[0] = self.unwrapped.state[2] > 0.0
        return free


def members(name: str, count: int = 1, steps: int = 30) -> DummyVecEnv:
    return DummyVecEnv([lambda: Monitor(gymnasium.make(name, max_episode_steps=steps)) for _ in range(count)])


def model_of(algorithm: Any, env: Any = None, **given: Any) -> Any:
    policy = "MlpLstmPolicy" if algorithm is RecurrentPPO else "MlpPolicy"
    kwargs: dict[str, Any] = {"net_arch": [8]}
    if algorithm is RecurrentPPO:
        kwargs["lstm_hidden_size"] = 8
    if algorithm in ON_POLICY:
        given = ({"n_steps": 32} | ({} if algorithm is A2C else {"batch_size": 16})) | given
    else:
        given = {"buffer_size": 400, "batch_size": 16, "learning_starts": 40} | given
    if env is None:
        discrete = algorithm in (*ON_POLICY, DQN, QRDQN)
        env = DummyVecEnv([lambda: Masked(gymnasium.make(CART))]) if algorithm is MaskablePPO else None
        env = env or members(CART if discrete else SWING, 2 if algorithm in ON_POLICY else 1)
    return algorithm(policy, env, policy_kwargs=kwargs, device="cpu", seed=3, **given)


def weights(model: Any) -> Any:
    loose = [model.log_ent_coef.detach().reshape(-1)] if getattr(model, "log_ent_coef", None) is not None else []
    return torch.cat([each.detach().double().reshape(-1) for each in model.policy.state_dict().values()] + loose)


def draws() -> tuple[float, float, float]:
    return random.random(), float(np.random.rand()), float(torch.rand(1))  # noqa: NPY002


ALGORITHMS = [PPO, A2C, TRPO, RecurrentPPO, MaskablePPO, DQN, QRDQN, SAC, TD3, DDPG, TQC, CrossQ]

ONE_OF_A_KIND = (PPO, MaskablePPO, DQN, SAC)
"""On and off policy, with masks, with discrete and with continuous actions; the others share their loops."""


@pytest.mark.parametrize(
    "algorithm",
    [
        pytest.param(each, id=each.__name__, marks=() if each in ONE_OF_A_KIND else pytest.mark.whole)
        for each in ALGORITHMS
    ],
)
def test_a_watched_training_is_the_same_to_the_last_bit(algorithm):
    results = []
    for watched in (False, True):
        model = model_of(algorithm)
        detach = watch(model, Recording()) if watched else None
        model.learn(96)
        results.append((weights(model), draws()))
        if detach is not None:
            detach()
    assert torch.equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]


@pytest.mark.parametrize("algorithm", [PPO, SAC])
def test_a_normalised_training_is_the_same_to_the_last_bit(algorithm):
    results = []
    for watched in (False, True):
        model = model_of(algorithm, VecNormalize(members(SWING, 1 if algorithm is SAC else 2)))
        recording = Recording()
        detach = watch(model, recording) if watched else None
        model.learn(96)
        statistics = model.get_vec_normalize_env().obs_rms
        results.append((weights(model), statistics.mean.tolist(), statistics.count))
        if detach is not None:
            detach()
            uses = [use for each in recording.collected for use in each.normalisers or ()]
            assert uses
            assert all(use.counted == use.steps for use in uses)
    assert torch.equal(results[0][0], results[1][0])
    assert results[0][1:] == results[1][1:]


def test_state_dependent_noise_is_left_alone():
    results = []
    for watched in (False, True):
        model = model_of(PPO, members(SWING, 2), use_sde=True, sde_sample_freq=4)
        detach = watch(model, Recording()) if watched else lambda: None
        model.learn(128)
        results.append(weights(model))
        detach()
    assert torch.equal(*results)


class Saving(BaseCallback):
    """A user who saves and copies at every moment that a callback has."""

    def __init__(self) -> None:
        super().__init__()
        self.moments: list[str] = []

    def _kept(self, moment: str) -> None:
        self.moments.append(moment)
        self.model.save(io.BytesIO())
        policy = copy.deepcopy(self.model.policy.state_dict())
        assert policy
        buffer = getattr(self.model, "replay_buffer", None) or self.model.rollout_buffer
        pickle.dumps(buffer)
        assert "train" not in vars(self.model)

    def _on_training_start(self) -> None:
        self._kept("training start")

    def _on_rollout_start(self) -> None:
        self._kept("rollout start")

    def _on_step(self) -> bool:
        if self.n_calls % 16 == 1:
            self._kept("step")
        return True

    def _on_rollout_end(self) -> None:
        if self.n_calls % 16 == 0:
            self._kept("rollout end")

    def _on_training_end(self) -> None:
        self._kept("training end")


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_the_model_is_saved_at_any_moment(algorithm):
    model = model_of(algorithm)
    detach = watch(model, Recording())
    saving = Saving()
    model.learn(96, callback=saving)
    assert {"training start", "rollout start", "step", "rollout end", "training end"} <= set(saving.moments)
    detach()


def test_loaded_and_copied_models_are_not_watched(tmp_path):
    model, recording = model_of(PPO), Recording()
    before = set(vars(model))
    detach = watch(model, recording)
    assert set(vars(model)) == before
    model.save(tmp_path / "model.zip")
    loaded = PPO.load(tmp_path / "model.zip", env=members(CART, 2), device="cpu")
    loaded.learn(64)
    copy.deepcopy(model).learn(64)
    assert recording.rollouts == []
    model.learn(64)
    assert len(recording.collected) == 1
    detach()


def test_nothing_keeps_a_watched_model_alive():
    model, recording = model_of(PPO), Recording()
    watch(model, recording)
    model.learn(64)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None
    assert recording.save is not None
    recording.save("nowhere")  # there is nothing to save any more
    other = model_of(PPO)
    watch(other, Recording())()
    assert BaseAlgorithm._init_callback.__module__ == "stable_baselines3.common.base_class"


@pytest.mark.parametrize(("algorithm", "again"), [(PPO, False), (PPO, True), (DQN, False)])
def test_a_second_training_is_watched_too(algorithm, again):
    model, recording = model_of(algorithm), Recording()
    detach = watch(model, recording)
    model.learn(64)
    first = len(recording.rollouts)
    model.learn(64, reset_num_timesteps=again)
    numbers = [each.update for each in recording.collected]
    assert first
    assert numbers == sorted(set(numbers))
    if algorithm is PPO:
        assert numbers == [1, 2]
        assert recording.collected[1].step == (64 if again else 128)
    detach()


def test_two_models_are_told_apart_and_detaching_puts_everything_back():
    one, other = model_of(PPO), model_of(A2C)
    first, second = Recording(), Recording()
    detach, detach_other = watch(one, first), watch(other, second)
    one.learn(64)
    other.learn(64)
    assert {each.algorithm for each in first.rollouts} == {"PPO"}
    assert {each.algorithm for each in second.rollouts} == {"A2C"}
    detach()
    one.learn(64)
    assert len(first.collected) == 1
    assert BaseAlgorithm._init_callback.__module__ == "weaklink.adapters.sb3.watch"
    detach_other()
    assert BaseAlgorithm._init_callback.__module__ == "stable_baselines3.common.base_class"
    assert functional.mse_loss.__module__ == "torch.nn.functional"


class DetachingAt(BaseCallback):
    def __init__(self, detach: Any, step: int) -> None:
        super().__init__()
        self._detach, self._step = detach, step

    def _on_step(self) -> bool:
        if self.n_calls == self._step:
            self._detach()
        return True


@pytest.mark.parametrize("algorithm", [PPO, SAC])
def test_the_watching_ends_in_the_middle_of_a_training(algorithm):
    model, recording = model_of(algorithm), Recording()
    detach = watch(model, recording)
    model.learn(160, callback=DetachingAt(detach, 42))
    assert model.num_timesteps >= 160
    assert "train" not in vars(model)
    assert max((each.step for each in recording.rollouts), default=0) <= 84


def test_a_stop_ends_the_training_and_the_state_can_be_saved(tmp_path):
    model = model_of(PPO, VecNormalize(members(CART, 2)))
    recording = Recording()
    detach = watch(model, recording)

    class Alarm(BaseCallback):
        def _on_step(self) -> bool:
            recording.stop = self.num_timesteps >= 100
            return True

    model.learn(10_000, callback=[Alarm()])
    assert model.num_timesteps == 100
    recording.save(str(tmp_path / "failed"))
    assert PPO.load(tmp_path / "failed" / "model.zip", device="cpu").num_timesteps == 100
    restored = VecNormalize.load(str(tmp_path / "failed" / "vecnormalize.pkl"), members(CART, 2))
    assert restored.obs_rms.count == model.get_vec_normalize_env().obs_rms.count
    detach()


def test_a_fault_in_the_update_leaves_nothing_behind():
    class Breaks(PPO):
        def train(self) -> None:
            self.rollout_buffer.get(8)
            raise ValueError("broken")

    model = Breaks("MlpPolicy", members(CART, 2), n_steps=32, batch_size=16, device="cpu")
    detach = watch(model, Recording())
    with pytest.raises(ValueError, match="broken"):
        model.learn(64)
    assert "train" not in vars(model)
    assert "get" not in vars(model.rollout_buffer)
    assert functional.mse_loss.__module__ == "torch.nn.functional"
    assert not any(module._forward_hooks for module in model.policy.modules())
    detach()


def test_an_interruption_before_the_update_leaves_a_model_that_can_be_saved(tmp_path):
    class Interrupts(KVWriter):
        def write(self, key_values, key_excluded, step=0):
            raise KeyboardInterrupt

        def close(self) -> None: ...

    model, recording = model_of(PPO), Recording()
    model.set_logger(Logger(None, [Interrupts()]))
    detach = watch(model, recording)
    with pytest.raises(KeyboardInterrupt):
        model.learn(64)
    recording.save(str(tmp_path))
    assert "train" not in vars(model)
    assert PPO.load(tmp_path / "model.zip", device="cpu").num_timesteps == 64
    detach()


def test_settings_bear_the_names_of_the_library():
    model, recording = model_of(PPO, VecNormalize(members(CART, 2)), ent_coef=0.01), Recording()
    watch(model, recording)()
    config = recording.config
    wanted = {
        "algorithm": "PPO",
        "env_id": CART,
        "n_steps": 32,
        "n_envs": 2,
        "n_epochs": 10,
        "gamma": 0.99,
        "gae_lambda": 0.95,
        "learning_rate": 0.0003,
        "clip_range": 0.2,
        "ent_coef": 0.01,
        "vf_coef": 0.5,
        "seed": 3,
        "n_actions": 2,
        "normalize": True,
        "norm_obs": True,
        "max_episode_steps": 30,
    }
    assert {name: config[name] for name in wanted} == wanted
    assert "net_arch" in config["policy_kwargs"]
    assert recording.context["framework"] == "sb3"
    other = Recording()
    watch(model_of(SAC, train_freq=(1, "episode"), gradient_steps=2), other)()
    assert (other.config["train_freq"], other.config["train_freq_unit"]) == (1, "episode")
    assert other.config["gradient_steps"] == 2
    assert other.config["tau"] == 0.005


def test_episodes_are_told_once_and_numbers_by_their_names():
    model, recording = model_of(PPO, members(CART, 2, steps=12)), Recording()
    detach = watch(model, recording)
    model.learn(128)
    model.learn(128, reset_num_timesteps=False)
    assert len(recording.episodes) == len({id(each) for each in model.ep_info_buffer})
    assert all(total == length <= 12 for _, total, length in recording.episodes)
    assert {"policy.kl", "value.loss", "exploration.entropy", "optimizer.learning_rate"} <= recording.names
    assert all(numbers.get("exploration.entropy", 1.0) > 0.0 for _, numbers in recording.numbers)
    detach()


def test_evaluations_are_told_and_what_they_count_is_seen(tmp_path):
    model, recording = model_of(PPO, VecNormalize(members(CART, 2))), Recording()
    detach = watch(model, recording)
    counting = VecNormalize(members(CART), training=True)
    evaluation = EvalCallback(counting, n_eval_episodes=3, eval_freq=20, log_path=str(tmp_path), verbose=0, warn=False)
    model.learn(128, callback=CallbackList([evaluation]))
    assert [step for step, _, _ in recording.evaluations] == [40, 80, 120]
    assert all(len(returns) == len(lengths) == 3 for _, returns, lengths in recording.evaluations)
    assert recording.config["eval_env_training"] is True
    assert sum(use.evaluation_counted for each in recording.collected for use in each.normalisers or ()) > 0.0
    detach()


def test_a_resumed_training_without_its_statistics_is_seen(tmp_path):
    model = model_of(PPO, VecNormalize(members(CART, 2)))
    model.learn(64)
    model.save(tmp_path / "model.zip")
    recording = Recording()
    resumed = PPO.load(tmp_path / "model.zip", env=VecNormalize(members(CART, 2)), device="cpu")
    detach = watch(resumed, recording)
    resumed.learn(64, reset_num_timesteps=False)
    use = recording.collected[0].normalisers[0]
    assert use.resumed
    assert use.restored is False
    detach()


def test_a_search_over_weights_keeps_running():
    model, recording = ARS("LinearPolicy", members(CART), n_delta=2, device="cpu", seed=0), Recording()
    detach = watch(model, recording)
    model.learn(200)
    assert recording.rollouts == []
    detach()


class WithoutWeights(BasePolicy):
    """A policy as other array libraries have it: a module of torch in name only."""

    def forward(self, observations, deterministic=False):
        count = len(observations)
        return torch.ones(count, dtype=torch.long), 0.1 * observations[:, :1], torch.zeros(count)

    def predict_values(self, observations):
        return 0.1 * observations[:, :1]

    def _predict(self, observation, deterministic=False):
        return torch.ones(len(observation), dtype=torch.long)


class Untrained(OnPolicyAlgorithm):
    def __init__(self, env, **given):
        more = {"gamma": 0.9, "gae_lambda": 0.8, "ent_coef": 0.0, "vf_coef": 0.5, "max_grad_norm": 1.0}
        more |= {"learning_rate": 0.1, "n_steps": 16, "use_sde": False, "sde_sample_freq": -1}
        super().__init__(WithoutWeights, env, **more, _init_setup_model=False)
        self._setup_lr_schedule()
        self.rollout_buffer = RolloutBuffer(16, self.observation_space, self.action_space, "cpu", 0.8, 0.9, 2)
        self.policy = WithoutWeights(self.observation_space, self.action_space)

    def train(self) -> None:
        self.logger.record("train/value_loss", 0.25)


def test_a_policy_without_torch_is_told_of_as_far_as_it_goes():
    model, recording = Untrained(members(CART, 2)), Recording()
    detach = watch(model, recording)
    model.learn(64)
    look = recording.collected[0]
    assert look.estimates.last_value.shape == (2,)
    assert look.pairing is not None
    assert look.probabilities is None
    assert "value.loss" in recording.names
    detach()


def test_goals_put_in_afterwards():
    results = []
    for watched in (False, True):
        env = DummyVecEnv([lambda: BitFlippingEnv(n_bits=3, continuous=False, max_steps=5)])
        more = {"replay_buffer_class": HerReplayBuffer, "policy_kwargs": {"net_arch": [8]}, "learning_starts": 40}
        model = DQN("MultiInputPolicy", env, buffer_size=400, batch_size=16, device="cpu", seed=0, **more)
        recording = Recording()
        detach = watch(model, recording) if watched else lambda: None
        model.learn(200)
        results.append(weights(model))
        detach()
    assert torch.equal(*results)
    assert "value.q_mean" in recording.names
    assert recording.updated[0].targets.exact


def test_other_things_are_refused():
    with pytest.raises(UsageError, match="Stable-Baselines3 model"):
        watch(object(), Recording())


class Grid(gymnasium.Env):
    """Dictionary observations and several choices."""

    observation_space = spaces.Dict({"place": spaces.Box(-1, 1, (2,)), "goal": spaces.Discrete(3)})
    action_space = spaces.MultiDiscrete([2, 3])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._step = 0
        return self._seen(), {}

    def _seen(self):
        return {"place": self.np_random.uniform(-1, 1, 2).astype(np.float32), "goal": int(self.np_random.integers(3))}

    def step(self, action):
        self._step += 1
        return self._seen(), float(action[0]), self._step >= 7, False, {"reward_push": float(action[0])}


@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_dictionaries_and_several_choices(algorithm):
    results = []
    for watched in (False, True):
        more = {"batch_size": 16} if algorithm is PPO else {}
        model = algorithm("MultiInputPolicy", DummyVecEnv([Grid, Grid]), n_steps=16, device="cpu", seed=0, **more)
        recording = Recording()
        detach = watch(model, recording) if watched else lambda: None
        model.learn(64)
        results.append(weights(model))
        detach()
    assert torch.equal(*results)
    look, after = recording.collected[0], recording.updated[0]
    assert np.abs(look.probabilities.fresh - look.probabilities.stored).max() < 1e-5
    assert after.spread.largest_entropy == pytest.approx(np.log(6))
    assert look.pairing.observations.shape == (16, 2, 3)
    assert (look.pairing.observations[1:] == look.pairing.given_observations[:-1]).all()
    assert "reward.component.reward_push" in recording.names
