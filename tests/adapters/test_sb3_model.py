"""Real models of Stable-Baselines3: healthy ones raise nothing, and planted faults are told by the right rule."""

from __future__ import annotations

import copy
import random
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN, TQC, TRPO, MaskablePPO, RecurrentPPO
from sb3_contrib.ppo_recurrent.policies import MlpLstmPolicy
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC, TD3, HerReplayBuffer
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize, VecTransposeImage
from torch import nn

from weaklink.adapters.models import examined, find_checker
from weaklink.adapters.sb3.observations import pick_observations
from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import GIVEN, SAMPLED, STORED, ModelCheck
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import load_rules

CART, SWING = "CartPole-v1", "Pendulum-v1"
RULES = [rule for rule in load_rules().values() if rule.on is ModelCheck]


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def model_of(algorithm: Any, env: Any = CART, policy: Any = "MlpPolicy", **given: Any) -> Any:
    kwargs = {"net_arch": [8]} | given.pop("policy_kwargs", {})
    if issubclass(algorithm, DQN | SAC | TD3):
        given = {"buffer_size": 500, "batch_size": 32} | given
    elif issubclass(algorithm, PPO | RecurrentPPO | MaskablePPO):
        given = {"n_steps": 32, "batch_size": 16} | given
    return algorithm(policy, env, policy_kwargs=kwargs, device="cpu", seed=0, **given)


def rows_of(env: Any, count: int = 120) -> np.ndarray:
    made = gymnasium.make(env) if isinstance(env, str) else env
    made.action_space.seed(0)
    rows, observation = [], made.reset(seed=0)[0]
    for _ in range(count):
        rows.append(np.asarray(observation, dtype=float).reshape(-1))
        observation, _, terminated, truncated, _ = made.step(made.action_space.sample())
        if terminated or truncated:
            observation = made.reset()[0]
    return np.stack(rows)


ROWS = {name: rows_of(name) for name in (CART, SWING)}


def found(check: ModelCheck, least: Level = Level.WARN) -> dict[str, str]:
    """The codes and messages of what the rules say, at this level and above."""
    answers = {rule.code: rule.ask(check) for rule in RULES}
    told: dict[str, str] = {}
    for code, answer in answers.items():
        for finding in answer if isinstance(answer, tuple) else (answer,):
            if isinstance(finding, Finding) and finding.severity >= least:
                told[code] = finding.message
    return told


def told_of(model: Any, rows: np.ndarray, least: Level = Level.WARN) -> dict[str, str]:
    """The same of a quick look at a model."""
    return found(examined(model, rows, updates=1), least)


def assert_examined(check: ModelCheck) -> None:
    assert check.faults == ()
    for part in ("parameters", "gradients", "sensitivity", "normalisers", "updates", "saved", "modes"):
        assert part in check, f"{part} was not examined: {check.notes}"


MEMORY = {"policy": "MlpLstmPolicy", "policy_kwargs": {"lstm_hidden_size": 8}}
HEALTHY = {
    "PPO": (PPO, CART, {}),
    "PPO continuous": (PPO, SWING, {}),
    "PPO gSDE": (PPO, SWING, {"use_sde": True}),
    "PPO two extractors": (PPO, CART, {"policy_kwargs": {"share_features_extractor": False}}),
    "PPO two environments": (PPO, CART, {"n_envs": 2}),
    "A2C": (A2C, CART, {}),
    "DQN": (DQN, CART, {}),
    "QRDQN": (QRDQN, CART, {"buffer_size": 500}),
    "SAC": (SAC, SWING, {}),
    "SAC gSDE": (SAC, SWING, {"use_sde": True}),
    "TD3": (TD3, SWING, {}),
    "DDPG": (DDPG, SWING, {}),
    "TQC": (TQC, SWING, {}),
    "TRPO": (TRPO, SWING, {"n_steps": 32, "batch_size": 16}),
    "MaskablePPO": (MaskablePPO, CART, {}),
    "RecurrentPPO": (RecurrentPPO, CART, MEMORY),
    "RecurrentPPO one memory": (
        RecurrentPPO,
        SWING,
        MEMORY | {"policy_kwargs": {"lstm_hidden_size": 8, "shared_lstm": True, "enable_critic_lstm": False}},
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_model_raises_nothing(name):
    algorithm, env, given = HEALTHY[name]
    given = dict(given)
    count = given.pop("n_envs", 0)
    made = DummyVecEnv([lambda: gymnasium.make(env)] * count) if count else env
    check = examined(model_of(algorithm, made, **given), ROWS[env])
    assert_examined(check)
    assert found(check, Level.INFO) == {}
    assert check.updates.count == 3
    assert all(each.reached and each.changed for each in check.parameters if not each.excused)
    assert (check.memory is not None) == check.recurrent == name.startswith("Recurrent")


def state_of(model: Any) -> dict[str, Any]:
    """Everything of a model that an examination could disturb."""
    return {
        "weights": copy.deepcopy(model.policy.state_dict()),
        "optimizer": copy.deepcopy(model.policy.optimizer.state_dict()["state"]),
        "gradients": [None if each.grad is None else each.grad.clone() for each in model.policy.parameters()],
        "modes": [module.training for module in model.policy.modules()],
        "steps": model.num_timesteps,
        "last": model._last_obs.copy(),
        "env": id(model.env),
        "state": model.env.envs[0].unwrapped.state,
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state()[1],  # noqa: NPY002
        "python": random.getstate(),
    }


def test_a_trained_model_comes_out_as_it_went_in():
    model = model_of(PPO).learn(64)  # keeps its last distribution, which no plain copy can pass
    buffer, attributes = model.rollout_buffer, dict(vars(model))
    before = state_of(model)
    check = examined(model, ROWS[CART])
    assert_examined(check)
    assert found(check) == {}
    torch.testing.assert_close(state_of(model), before, rtol=0, atol=0)
    assert vars(model) == attributes
    assert model.rollout_buffer is buffer


class Guarded(gymnasium.Wrapper):
    def __deepcopy__(self, memo: Any) -> Any:
        raise AssertionError("an environment was copied")


@pytest.mark.parametrize(("algorithm", "env", "count"), [(RecurrentPPO, CART, 12), (TD3, SWING, 2), (TD3, SWING, 12)])
def test_many_environments_and_none_is_copied_or_stepped(algorithm, env, count):
    noise = NormalActionNoise(np.zeros(1), np.full(1, 0.1))
    given: dict[str, Any] = dict(MEMORY) if algorithm is RecurrentPPO else {"action_noise": noise}
    model = model_of(algorithm, DummyVecEnv([lambda: Guarded(gymnasium.make(env))] * count), **given)
    model.friend = model.env.envs[0]
    model._setup_learn(10)
    before = [each.unwrapped.state for each in model.env.envs]
    check = examined(model, ROWS[env], updates=1)
    assert_examined(check)
    assert found(check) == {}
    assert all(each.unwrapped.state is state for each, state in zip(model.env.envs, before, strict=True))


def test_schedules_stand_at_their_start():
    model = model_of(PPO, learning_rate=lambda left: 1e-3 * left).learn(64)
    assert told_of(model, ROWS[CART]) == {}


def test_without_observations_it_looks_into_its_buffers_and_else_draws():
    fresh = model_of(DQN, learning_starts=10)
    assert examined(fresh).observations == SAMPLED
    check = examined(fresh.learn(30))
    assert check.observations == STORED
    assert found(check) == {}


def test_observations_of_another_width_are_said_and_left_alone():
    check = examined(model_of(PPO), ROWS[SWING])
    assert check.observations == SAMPLED
    assert "3 columns" in check.notes[0]


class Extractor(BaseFeaturesExtractor):
    def __init__(self, space: Any, trouble: str = "") -> None:
        super().__init__(space, 6)
        self.net = nn.Sequential(nn.Linear(spaces.flatdim(space), 6), nn.Tanh())
        self.spare = nn.Linear(2, 2) if trouble == "spare" else None
        self.drop = nn.Dropout(0.5)
        self.mean = torch.zeros(6)
        self.trouble = trouble
        if trouble == "frozen":
            self.net.requires_grad_(False)

    def train(self, mode: bool = True) -> Extractor:
        super().train(mode)
        if self.trouble == "dropout":
            self.drop.train(True)
        return self

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        if self.trouble == "half":
            seen = torch.cat([seen[:, :2], 0 * seen[:, 2:]], dim=1)
        features = self.net(seen) - self.mean
        if self.trouble == "detached":
            return features.detach()
        if self.trouble == "deaf":
            return 0 * features + 1.0
        return self.drop(features) if self.trouble in ("dropout", "dropout in training") else features


def with_extractor(trouble: str, algorithm: Any = PPO, env: str = CART) -> Any:
    kwargs = {"features_extractor_class": Extractor, "features_extractor_kwargs": {"trouble": trouble}}
    return model_of(algorithm, env, policy_kwargs=kwargs)


@pytest.mark.parametrize("trouble", ["", "dropout in training"])
def test_an_extractor_of_ones_own_raises_nothing(trouble):
    check = examined(with_extractor(trouble), ROWS[CART], updates=1)
    assert_examined(check)
    assert found(check) == {}
    assert check.modes.layers == ("features_extractor.drop",)
    assert (check.modes.training_gap > 0) == bool(trouble)


@pytest.mark.parametrize(("algorithm", "env"), [(PPO, CART), (DQN, CART), (SAC, SWING)])
def test_a_detached_extractor(algorithm, env):
    told = told_of(with_extractor("detached", algorithm, env), ROWS[env])
    assert set(told) == {"OPT110"}
    assert "features_extractor" in told["OPT110"]


def test_a_frozen_and_an_unused_part_are_only_mentioned():
    for trouble, words in (("frozen", "frozen"), ("spare", "never used: features_extractor.spare")):
        check = examined(with_extractor(trouble), ROWS[CART], updates=1)
        assert found(check) == {}
        assert words in found(check, Level.INFO)["OPT110"]


def test_an_optimizer_over_half_of_the_weights():
    model = model_of(PPO)
    model.policy.optimizer = torch.optim.Adam(list(model.policy.parameters())[:4], lr=1e-3)
    told = told_of(model, ROWS[CART])
    assert "no optimizer holds them" in told["OPT110"]
    assert set(told) <= {"OPT110", "SYS110"}  # the optimizer that loading builds has another size


def test_a_learning_rate_of_zero():
    told = told_of(model_of(PPO, learning_rate=0.0), ROWS[CART])
    assert set(told) == {"OPT111"}
    assert "learning rate is 0" in told["OPT111"]


def test_a_policy_that_ignores_the_observation():
    told = told_of(with_extractor("deaf"), ROWS[CART])
    assert "OBS120" in told
    assert "OPT110" in told  # what is multiplied by zero learns nothing either


def test_columns_that_are_left_out_are_mentioned():
    told = told_of(with_extractor("half"), ROWS[CART], Level.INFO)
    assert set(told) == {"OBS120"}
    assert "observation[2], observation[3]" in told["OBS120"]


def test_dropout_that_is_left_on():
    told = told_of(with_extractor("dropout"), ROWS[CART])
    assert set(told) == {"EVA110"}
    assert "features_extractor.drop" in told["EVA110"]


class Forgetful(ActorCriticPolicy):
    """Keeps what it learned of the spread in a plain attribute, which no file holds."""

    extra = 0.0

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Any:
        mean = self.action_net(latent_pi)
        return self.action_dist.proba_distribution(mean, self.log_std + self.extra)


def test_a_spread_that_no_file_holds():
    model = model_of(PPO, SWING, Forgetful)
    model.policy.extra = -1.0
    told = told_of(model, ROWS[SWING])
    assert set(told) == {"SYS110"}
    assert "something that is not saved" in told["SYS110"]


def test_a_normaliser_that_no_file_holds():
    model = with_extractor("")
    model.policy.features_extractor.mean = torch.linspace(-1, 1, 6)
    assert set(told_of(model, ROWS[CART])) == {"SYS110"}


def test_a_model_that_cannot_be_saved():
    model = model_of(PPO)
    model.policy_kwargs["activation_fn"] = (each for each in ())  # a generator is neither copied nor saved
    check = examined(model, ROWS[CART], updates=1)
    assert check.parameters is None
    assert [fault.stage for fault in check.faults] == ["copy"]


def test_weights_that_are_not_numbers():
    for algorithm, env in ((PPO, SWING), (DQN, CART), (SAC, SWING)):
        model = model_of(algorithm, env)
        with torch.no_grad():
            next(model.policy.parameters()).fill_(float("nan"))
        assert set(told_of(model, ROWS[env])) == {"OPT112"}, algorithm


class Breaking(PPO):
    def train(self) -> None:
        raise ZeroDivisionError("no minibatch left")


def test_an_update_that_raises():
    told = told_of(model_of(Breaking), ROWS[CART])
    assert set(told) == {"OPT112"}
    assert "ZeroDivisionError: no minibatch left" in told["OPT112"]


class Leaking(MlpLstmPolicy):
    @staticmethod
    def _process_sequence(features: Any, states: Any, episode_starts: Any, lstm: Any) -> Any:
        return MlpLstmPolicy._process_sequence(features, states, torch.zeros_like(episode_starts), lstm)


class LeakingInTraining(MlpLstmPolicy):
    def evaluate_actions(self, obs: Any, actions: Any, lstm_states: Any, episode_starts: Any) -> Any:
        return super().evaluate_actions(obs, actions, lstm_states, torch.zeros_like(episode_starts))


class Amnesic(MlpLstmPolicy):
    @staticmethod
    def _process_sequence(features: Any, states: Any, episode_starts: Any, lstm: Any) -> Any:
        return MlpLstmPolicy._process_sequence(features, states, torch.ones_like(episode_starts), lstm)


@pytest.mark.parametrize(
    ("policy", "words"),
    [(Leaking, "an episode start"), (LeakingInTraining, "training sequence"), (Amnesic, "no influence")],
)
def test_a_memory_that_is_never_wiped_or_never_there(policy, words):
    model = model_of(RecurrentPPO, policy=policy, policy_kwargs={"lstm_hidden_size": 8})
    told = told_of(model, ROWS[CART])
    assert words in told["DAT110"]
    assert set(told) <= {"DAT110", "OPT110"}  # weights that only a memory feeds learn nothing without it


def normalised(env: str = CART, **given: Any) -> VecNormalize:
    return VecNormalize(DummyVecEnv([lambda: gymnasium.make(env)]), **given)


def test_normalisers_fresh_filled_lost_and_foreign():
    far = 100 * ROWS[CART]
    fresh = model_of(PPO, normalised())
    check = examined(fresh, far, updates=1)
    assert check.normalisers[0].samples < 1
    assert found(check) == {}
    filled = fresh.learn(200)
    check = examined(filled, ROWS[CART], updates=1)
    assert check.normalisers[0].samples > 200
    assert found(check) == {}
    assert set(told_of(filled, far)) == {"OBS121"}
    filled.set_env(normalised())
    told = told_of(filled, far)
    assert "has seen no observation" in told["OBS121"]
    filled.set_env(normalised(training=False))
    assert "switched off" in told_of(filled, far)["OBS121"]


class Toy(gymnasium.Env):
    """An environment of given spaces in which nothing happens."""

    def __init__(self, observation: spaces.Space, action: spaces.Space) -> None:
        self.observation_space, self.action_space = observation, action

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        return self.observation_space.sample(), 0.0, False, False, {}

    def compute_reward(self, achieved: Any, desired: Any, info: Any) -> Any:
        return np.zeros(len(achieved))


UNIT = spaces.Box(-1, 1, (2,), np.float32)
GOAL = spaces.Dict({"achieved_goal": UNIT, "desired_goal": UNIT, "observation": UNIT})
IMAGE = spaces.Box(0, 255, (36, 36, 1), np.uint8)
ODD = {
    "choices": (PPO, spaces.Discrete(5), spaces.MultiDiscrete([3, 2]), {}),
    "bits": (A2C, spaces.MultiBinary(4), spaces.MultiBinary(3), {}),
    "goals": (SAC, GOAL, UNIT, {"policy": "MultiInputPolicy", "replay_buffer_class": HerReplayBuffer}),
    "image": (PPO, IMAGE, spaces.Discrete(2), {"policy": "CnnPolicy", "n_steps": 8, "batch_size": 8}),
    "dict": (PPO, spaces.Dict({"a": UNIT, "b": spaces.Discrete(3)}), UNIT, {"policy": "MultiInputPolicy"}),
    "masks": (MaskablePPO, UNIT, spaces.MultiDiscrete([3, 2]), {}),
}


@pytest.mark.parametrize("name", ODD)
def test_other_spaces_are_examined_as_well(name):
    algorithm, observation, action, given = ODD[name]
    given = dict(given)
    if given.get("policy") == "CnnPolicy":
        given["policy_kwargs"] = {"features_extractor_kwargs": {"features_dim": 8}}
    check = examined(model_of(algorithm, Toy(observation, action), **given))
    assert_examined(check)
    assert found(check, Level.INFO) == {}
    assert check.observations == SAMPLED


def test_rows_of_pixels_are_turned_as_the_model_sees_them():
    model = model_of(
        PPO,
        Toy(IMAGE, spaces.Discrete(2)),
        "CnnPolicy",
        n_steps=8,
        batch_size=8,
        policy_kwargs={"features_extractor_kwargs": {"features_dim": 8}},
    )
    rows = np.stack([IMAGE.sample().reshape(-1) for _ in range(8)]).astype(float)
    check = examined(model, rows, updates=1)
    assert check.observations == GIVEN
    assert check.sensitivity.labels == ()
    assert check.sensitivity.policy_overall > 0


def test_each_wrapper_is_passed_once():
    tall = Toy(spaces.Box(0, 255, (40, 36, 1), np.uint8), spaces.Discrete(2))
    env = VecNormalize(VecTransposeImage(DummyVecEnv([lambda: tall])), norm_obs=False)
    rows = np.stack([tall.observation_space.sample().reshape(-1) for _ in range(4)]).astype(float)
    notes: list[str] = []
    seen = pick_observations(model_of(A2C, env), rows, 0, notes)
    assert (seen.source, notes) == (GIVEN, [])
    turned = rows[0].reshape(40, 36, 1).transpose(2, 0, 1)
    assert (seen.rows[0].reshape(1, 40, 36) == turned).all()


def test_a_copy_that_shares_weights_is_noticed_and_undone():
    model = with_extractor("")
    extractor = model.policy.features_extractor
    plain = Extractor.forward
    extractor.forward = lambda seen: plain(extractor, seen)  # a closure: copies call the original
    before = copy.deepcopy(model.policy.state_dict())
    check = examined(model, ROWS[CART], updates=1)
    assert check.parameters is None
    assert "shares weights" in check.notes[-1]
    torch.testing.assert_close(model.policy.state_dict(), before, rtol=0, atol=0)
    assert all(each.grad is None for each in model.policy.parameters())


def test_what_comes_too_late_is_said():
    check = examined(model_of(PPO), ROWS[CART], seconds=0.0)
    assert "sensitivity" not in check
    assert any("time was up" in note for note in check.notes)


def test_the_same_seed_gives_the_same_check():
    first, second = (examined(model_of(SAC, SWING), ROWS[SWING], seed=3) for _ in range(2))
    assert first.updates == second.updates
    assert first.parameters == second.parameters


@pytest.mark.parametrize("thing", [3, {}, (), {"critic": 1}, nn.Linear(1, 1), lambda: None])
def test_what_is_no_model_is_said(thing):
    with pytest.raises(UsageError, match="Stable-Baselines3"):
        find_checker(thing)
