"""TorchRL's own components learn problems with known answers, and stop doing so when one of them is broken."""

from __future__ import annotations

import functools
import inspect

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from tensordict.nn import TensorDictModule
from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
from torchrl.envs import GymWrapper
from torchrl.modules import MLP, OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from weaklink.adapters.torchrl import trainer as torchrl_trainer
from weaklink.adapters.torchrl.parts import trained
from weaklink.adapters.torchrl.trainer import trainer
from weaklink.base.errors import UsageError

FIRST, SECOND = np.eye(2, dtype=np.float32)


@pytest.fixture(autouse=True, scope="module")
def _quick():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


class Matching(gymnasium.Env):
    """Two things to see; the action of the same number pays 1, any other costs 1."""

    def __init__(self, action_space=None):
        self.observation_space = Box(0, 1, (2,), np.float32)
        self.action_space = action_space or Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(2))
        return self.seen(), {}

    def seen(self):
        return np.eye(2, dtype=np.float32)[self.place]

    def step(self, action):
        return self.seen(), self.reward(action), True, False, {}

    def reward(self, action):
        if isinstance(self.action_space, Box):
            middle = (self.action_space.low + self.action_space.high) / 2
            share = (action - middle) / (self.action_space.high - middle)
            return 1.0 - abs(float(share[0]) - (self.place - 0.5))
        return 1.0 if (np.asarray(action) == self.place).all() else -1.0


class Endless(Matching):
    """One after the other is seen, each step pays 1, and a time limit or an end comes after four."""

    def __init__(self, ends=False):
        super().__init__()
        self.ends = ends

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.taken = 0, 0
        return self.seen(), {}

    def step(self, action):
        self.taken += 1
        self.place = self.taken % 2
        over = self.taken == 4
        return self.seen(), 1.0, over and self.ends, over and not self.ends, {}


def test_ppo_learns_the_right_actions_and_their_values():
    agent = trainer("PPO")(Matching, 2048, seed=0)
    assert [agent.act(FIRST), agent.act(SECOND)] == [0, 1]
    assert agent.value(FIRST) == pytest.approx(1.0, abs=0.1)
    assert agent.log_prob(SECOND, 1) > np.log(0.8)


def test_a_time_limit_is_no_end_and_an_end_is_no_time_limit():
    limited = trainer("PPO")(Endless, 2048, seed=0, gamma=0.8)
    assert limited.value(FIRST) == pytest.approx(5.0, rel=0.05)
    ended = trainer("PPO")(lambda: Endless(ends=True), 2048, seed=0, gamma=0.8)
    assert ended.value(SECOND) == pytest.approx((1 + 0.8 + 0.64 + 1) / 2, rel=0.1)


def test_a_broken_estimator_shows(monkeypatch):
    class Confused(torchrl_trainer.GAE):
        def forward(self, batch):
            batch["next", "terminated"] = batch["next", "done"].clone()
            return super().forward(batch)

    monkeypatch.setattr(torchrl_trainer, "GAE", Confused)
    agent = trainer("PPO")(Endless, 2048, seed=0, gamma=0.8)
    assert agent.value(FIRST) < 3.5


@pytest.mark.parametrize("bounds", [pytest.param((-2.0, 2.0), marks=pytest.mark.whole), (0.0, 100.0)])
def test_ppo_finds_continuous_targets_in_any_bounds(bounds):
    space = Box(*bounds, (1,), np.float32)
    agent = trainer("PPO")(lambda: Matching(space), 2048, seed=0)
    lower, upper = (bounds[0] + share * (bounds[1] - bounds[0]) for share in (0.25, 0.75))
    tolerance = 0.06 * (bounds[1] - bounds[0])
    assert agent.act(FIRST)[0] == pytest.approx(lower, abs=tolerance)
    assert agent.act(SECOND)[0] == pytest.approx(upper, abs=tolerance)


def test_several_choices_at_once():
    agent = trainer("PPO")(lambda: Matching(MultiDiscrete([2, 3])), 1280, seed=0)
    assert agent.act(FIRST).tolist() == [0, 0]
    assert agent.act(SECOND).tolist() == [1, 1]


def test_sac_finds_continuous_targets_and_their_values():
    agent = trainer("SAC")(lambda: Matching(Box(-2.0, 2.0, (1,), np.float32)), 640, seed=0)
    assert agent.act(FIRST)[0] == pytest.approx(-1.0, abs=0.25)
    assert agent.act(SECOND)[0] == pytest.approx(1.0, abs=0.25)
    assert agent.q(FIRST, np.array([-1.0], np.float32)) == pytest.approx(1.0, abs=0.15)
    assert agent.q(FIRST, np.array([1.0], np.float32)) == pytest.approx(0.0, abs=0.2)
    assert agent.temperature > 0.0
    assert agent.target_entropy == pytest.approx(np.log(2.0) - 1.0)


@pytest.mark.parametrize(("name", "steps"), [("SAC", 480), ("DQN", 640)])
def test_values_of_choices(name, steps):
    agent = trainer(name)(Matching, steps, seed=0)
    assert agent.act(SECOND) == 1
    assert agent.q(FIRST) == pytest.approx([1.0, -1.0], abs=0.2)


def test_the_same_seed_gives_the_same_agent():
    one, again, other = (trainer("PPO")(Matching, 256, seed=seed).value(FIRST) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_settings_change_the_training_and_unknown_ones_are_refused():
    own = trainer("PPO", {"gamma": 0.5, "n_envs": 2, "frames_per_batch": 64})
    assert "gamma" not in inspect.signature(own).parameters
    assert own(Matching, 128, seed=0).gamma == 0.5
    with pytest.raises(UsageError, match=r"learning_rate.*entropy_coeff"):
        trainer("PPO", {"learning_rate": 1e-3})
    with pytest.raises(UsageError, match="PPO, SAC, DQN"):
        trainer("TRPO")


def test_actions_that_an_algorithm_cannot_take():
    with pytest.raises(UsageError, match="DQN"):
        trainer("DQN")(lambda: Matching(Box(-1.0, 1.0, (1,), np.float32)), 64, seed=0)
    with pytest.raises(UsageError, match="finite bounds"):
        trainer("SAC")(lambda: Matching(Box(-np.inf, np.inf, (1,), np.float32)), 64, seed=0)


def a_trainer(make_env):
    """A user's own: a `Trainer` of TorchRL, made and not yet run."""
    from torchrl.collectors import Collector
    from torchrl.trainers.algorithms import PPOTrainer

    several = gymnasium.vector.SyncVectorEnv([make_env] * 8, autoreset_mode=gymnasium.vector.AutoresetMode.DISABLED)
    env = GymWrapper(several)
    head = TensorDictModule(MLP(2, 2, num_cells=[32]), in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True)
    loss = ClipPPOLoss(actor, ValueOperator(MLP(2, 1, num_cells=[32]), in_keys=["observation"]))
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(256), sampler=SamplerWithoutReplacement(), batch_size=128)
    return PPOTrainer(
        collector=Collector(env, actor, frames_per_batch=256, total_frames=512),
        total_frames=512,
        frame_skip=1,
        optim_steps_per_batch=None,
        loss_module=loss,
        optimizer=torch.optim.Adam(loss.parameters(), lr=1e-2),
        num_epochs=6,
        progress_bar=False,
        replay_buffer=buffer,
        enable_logging=False,
    )


@pytest.mark.filterwarnings("ignore")
def test_a_trainer_object_is_run_with_the_steps_and_the_discount_asked_for():
    torch.manual_seed(0)
    agent = trained(a_trainer(functools.partial(Endless, ends=False)), 2048, gamma=0.8)
    assert agent.gamma == 0.8
    assert agent.value(FIRST) == pytest.approx(5.0, rel=0.1)
    assert agent.act(FIRST) in (0, 1)
