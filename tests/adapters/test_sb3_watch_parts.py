"""What is told of a training of Stable-Baselines3 can be worked out again, and planted faults show where they are."""

from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN, TQC, MaskablePPO, RecurrentPPO
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC, TD3
from stable_baselines3.common.buffers import ReplayBuffer, RolloutBuffer
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch.nn import functional

from tests.adapters.recording import Recording
from tests.adapters.test_sb3_watch import CART, SWING, members, model_of
from weaklink.adapters.sb3.critic_fit import fit_critic
from weaklink.adapters.sb3.watch import watch
from weaklink.base.reference.advantages import gae

TIGHT = 1e-4


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


def told(model: Any, steps: int = 160) -> Recording:
    recording = Recording()
    detach = watch(model, recording)
    model.learn(steps)
    detach()
    return recording


@cache
def told_of(algorithm: Any, steps: int = 128) -> Recording:
    """What is told of an algorithm as `model_of` makes it: several tests ask about the same training."""
    return told(model_of(algorithm), steps)


def recomputed(estimates: Any) -> np.ndarray:
    ended = np.asarray(estimates.terminated, bool)
    return gae(
        estimates.rewards.astype(np.float64),
        estimates.values.astype(np.float64),
        ended,
        np.zeros_like(ended),
        np.asarray(estimates.last_value, np.float64),
        estimates.gamma,
        estimates.lam,
    )


@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO, RecurrentPPO])
def test_advantages_are_worked_out_again(algorithm):
    for look in told_of(algorithm).collected:
        estimates = look.estimates
        advantages = recomputed(estimates)
        assert np.abs(advantages - estimates.advantages).max() < TIGHT
        assert np.abs(advantages + estimates.values - estimates.returns).max() < TIGHT


class Shifted(RolloutBuffer):
    """Ends one step early."""

    def compute_returns_and_advantage(self, last_values, dones):
        kept = self.episode_starts.copy()
        self.episode_starts[1:-1], self.episode_starts[-1] = kept[2:], dones
        super().compute_returns_and_advantage(last_values, dones)
        self.episode_starts[:] = kept


def test_advantages_with_shifted_ends_differ():
    model = model_of(PPO, members(CART, 2, steps=9), rollout_buffer_class=Shifted)
    estimates = told(model, 64).collected[0].estimates
    assert np.abs(recomputed(estimates) - estimates.advantages).max() > 0.1


@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO, RecurrentPPO])
def test_a_fresh_policy_says_what_was_stored(algorithm):
    recording = told_of(algorithm)
    for look in recording.collected[:2]:
        assert np.abs(look.probabilities.fresh - look.probabilities.stored).max() < 1e-5
        assert look.probabilities.floor < 1e-5
    for look in recording.updated[:2]:
        assert np.abs(look.probabilities.after - look.probabilities.stored).max() > 1e-3
        assert look.spread.entropy.shape == look.probabilities.after.shape
        assert look.spread.largest_entropy <= np.log(2) + 1e-9
        assert look.spread.entropy.max() <= np.log(2) + 1e-6


def test_masks_leave_less_choice():
    look = told_of(MaskablePPO).updated[0]
    assert 0.0 < look.spread.largest_entropy < 0.9 * np.log(2)
    assert look.spread.entropy.mean() <= look.spread.largest_entropy + 1e-6


def test_the_spread_of_numbers_has_a_scale():
    spread = told(model_of(PPO, members(SWING, 2)), 64).updated[0].spread
    assert spread.action_std.shape == (1,)
    assert spread.action_scale.tolist() == [2.0]
    assert spread.largest_entropy is None


class StoresClipped(PPO):
    """Stores the action that the environment got beside the probability of the one that was drawn."""

    def collect_rollouts(self, env, callback, rollout_buffer, n_rollout_steps):
        add = rollout_buffer.add

        def clipped(observation, action, *rest, **options):
            add(observation, np.clip(action, -0.1, 0.1), *rest, **options)

        rollout_buffer.add = clipped
        try:
            return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)
        finally:
            del rollout_buffer.add


def test_stored_actions_are_those_drawn():
    sound = told(model_of(PPO, members(SWING, 2)), 64).collected[0]
    assert (sound.actions.stored == sound.actions.sampled).all()
    assert np.abs(sound.actions.executed).max() <= 2.0
    model = StoresClipped("MlpPolicy", members(SWING, 2), n_steps=32, batch_size=16, device="cpu", seed=0)
    broken = told(model, 64).collected[0]
    assert (broken.actions.stored != broken.actions.sampled).any()
    assert np.abs(broken.probabilities.fresh - broken.probabilities.stored).max() > 0.1


@pytest.mark.parametrize("algorithm", [PPO, RecurrentPPO])
def test_rollouts_hold_what_the_environment_gave(algorithm):
    look = told(model_of(algorithm, members(SWING, 2, steps=9)), 64).collected[0]
    pairing = look.pairing
    assert (pairing.observations[1:] == pairing.given_observations[:-1]).all()
    assert pairing.given_truncated.sum() == 6
    assert not pairing.given_terminated.any()
    assert (pairing.reward_bonus[~pairing.given_truncated] == 0.0).all()
    assert (np.abs(pairing.reward_bonus[pairing.given_truncated]) > 0.0).all()
    assert np.abs(pairing.given_rewards + pairing.reward_bonus - pairing.rewards).max() < TIGHT
    assert (pairing.ended == pairing.stored_ended).all()
    at = np.argwhere(pairing.given_truncated)[0]
    assert (pairing.final_observations[tuple(at)] != pairing.given_observations[tuple(at)]).any()
    assert look.storage.shared == ()
    assert look.storage.repeated == 0.0


class Aliased(RolloutBuffer):
    """Keeps one array for two columns."""

    def reset(self):
        super().reset()
        self.returns = self.advantages


def test_columns_in_one_memory_are_named():
    look = told(model_of(PPO, rollout_buffer_class=Aliased), 64).collected[0]
    assert look.storage.shared == ()  # returns get an array of their own when they are computed

    class Lasting(Aliased):
        def compute_returns_and_advantage(self, last_values, dones):
            super().compute_returns_and_advantage(last_values, dones)
            self.returns = self.advantages

    look = told(model_of(PPO, rollout_buffer_class=Lasting), 64).collected[0]
    assert look.storage.shared == ("advantages and returns",)


class Shuffled(RolloutBuffer):
    """Draws advantages of other rows."""

    def _get_samples(self, batch_inds, env=None):
        drawn = super()._get_samples(batch_inds, env)
        return drawn._replace(advantages=drawn.advantages.flip(0))


def test_minibatches_are_paired_with_their_rows():
    sound = told_of(PPO, 64).updated[0].minibatch
    assert set(sound.columns) == {"values", "advantages", "returns", "observations", "actions"}
    for drawn, expected in sound.columns.values():
        assert len(drawn) > 20
        assert np.abs(drawn - expected).max() < 1e-6
    broken = told(model_of(PPO, rollout_buffer_class=Shuffled), 64).updated[0].minibatch
    drawn, expected = broken.columns["advantages"]
    assert np.abs(drawn - expected).max() > 0.01
    recurrent = told_of(RecurrentPPO, 64).updated[0].minibatch
    assert all(np.abs(drawn - expected).max() < 1e-5 for drawn, expected in recurrent.columns.values())


class Forgetful(RecurrentActorCriticPolicy):
    """Never starts anew."""

    @staticmethod
    def _process_sequence(features, lstm_states, episode_starts, lstm):
        kept = torch.zeros_like(episode_starts)
        return RecurrentActorCriticPolicy._process_sequence(features, lstm_states, kept, lstm)


def test_a_state_that_leaks_into_the_next_episode():
    sound = told(model_of(RecurrentPPO, members(CART, 2, steps=9), n_epochs=1), 128).collected[1].recurrence
    assert sound.starts > 4
    assert sound.replay_gap < 1e-5
    assert sound.unreset_gap > 10 * sound.replay_gap
    policy = {"policy_kwargs": {"net_arch": [8], "lstm_hidden_size": 8}, "n_steps": 32, "batch_size": 16}
    policy["n_epochs"] = 1
    model = RecurrentPPO(Forgetful, members(CART, 2, steps=9), device="cpu", seed=3, **policy)
    broken = told(model, 128).collected[1].recurrence
    assert broken.unreset_gap < 1e-5
    assert broken.replay_gap > 10 * broken.unreset_gap


def test_movement_names_every_weight():
    movement = told(model_of(PPO, vf_coef=0.0), 64).updated[0].movement
    assert movement.optimizer_steps == 40
    assert movement.learning_rate == pytest.approx(3e-4)
    for each in movement.parameters:
        assert each.in_optimizer
        assert each.excused == "vf_coef is 0" if "value" in each.name else each.reached
    delayed = told_of(TD3, 48).updated
    excused = [
        {each.name for each in look.movement.parameters if each.excused.startswith("policy")} for look in delayed
    ]
    assert excused[0]
    assert not excused[1]
    assert all(each.reached or each.excused for each in delayed[1].movement.parameters)


class Transposed(A2C):
    """Subtracts columns from rows."""

    def train(self):
        for batch in self.rollout_buffer.get(batch_size=None):
            values, log_prob, _ = self.policy.evaluate_actions(batch.observations, batch.actions.long().flatten())
            loss = functional.smooth_l1_loss(values.expand(-1, len(values)), batch.returns.expand(len(values), -1))
            loss = loss + functional.huber_loss(values.flatten(), batch.returns) - log_prob.mean()
            self.policy.optimizer.zero_grad()
            loss.backward()
            self.policy.optimizer.step()


def test_shapes_that_met_in_a_loss():
    sound = told_of(PPO, 64).updated[0].losses
    assert [(call.name, call.left, call.right) for call in sound] == [("mse_loss", (16,), (16,))]
    model = Transposed("MlpPolicy", members(CART), n_steps=8, device="cpu", seed=0)
    calls = {call.name: (call.left, call.right) for call in told(model, 16).updated[0].losses}
    assert calls["smooth_l1_loss"] == ((8, 8), (8, 8))
    assert calls["huber_loss"] == ((8,), (8,))


def right(targets: Any) -> np.ndarray:
    return targets.rewards + targets.gamma * np.where(targets.terminated, 0.0, targets.next_values)


@pytest.mark.parametrize("algorithm", [DQN, QRDQN, SAC, TD3, DDPG, TQC])
def test_targets_are_worked_out_again(algorithm):
    looks = [look for look in told_of(algorithm, 60).updated if look.targets is not None]
    assert len(looks) == 3
    for look in looks:
        assert look.targets.exact
        assert np.abs(right(look.targets) - look.targets.targets).max() < TIGHT
        assert np.abs(look.targets.own_values - look.targets.next_values).max() > 1e-4


class Flipped(DQN):
    """Continues where the episode ended, and only there."""

    def train(self, gradient_steps, batch_size=100):
        self.policy.set_training_mode(True)
        for _ in range(gradient_steps):
            batch = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
            with torch.no_grad():
                following = self.q_net_target(batch.next_observations).max(dim=1).values.reshape(-1, 1)
                targets = batch.rewards + batch.dones * self.gamma * following
            values = self.q_net(batch.observations).gather(1, batch.actions.long())
            loss = functional.smooth_l1_loss(values, targets)
            self.policy.optimizer.zero_grad()
            loss.backward()
            self.policy.optimizer.step()
        self._n_updates += gradient_steps


def test_a_flipped_mask_shows_in_the_targets():
    given = {"buffer_size": 400, "batch_size": 16, "learning_starts": 40, "seed": 0, "device": "cpu"}
    look = told(Flipped("MlpPolicy", members(CART), **given), 60).updated[0]
    targets = look.targets
    assert look.algorithm == "DQN"
    assert targets.exact
    assert np.abs(right(targets) - targets.targets).max() > 1e-3
    wrong = targets.rewards + targets.gamma * np.where(targets.terminated, targets.next_values, 0.0)
    assert np.abs(wrong - targets.targets).max() < TIGHT


class DrawsOnce(SAC):
    """Has draws of its own in between, so that they cannot be repeated."""

    def train(self, gradient_steps, batch_size=64):
        sample = self.replay_buffer.sample

        def drawing(*args, **options):
            batch = sample(*args, **options)
            torch.rand(3)
            return batch

        self.replay_buffer.sample = drawing
        try:
            super().train(gradient_steps, batch_size)
        finally:
            self.replay_buffer.sample = sample


def test_draws_that_cannot_be_repeated_are_admitted():
    given = {"buffer_size": 400, "batch_size": 16, "learning_starts": 40, "seed": 0, "device": "cpu"}
    model = DrawsOnce("MlpPolicy", members(SWING), policy_kwargs={"net_arch": [8]}, **given)
    look = told(model, 60).updated[0]
    assert not look.targets.exact
    assert look.temperature is None


def test_the_temperature_falls_where_there_is_too_much_entropy():
    for look in told_of(SAC, 60).updated[:3]:
        assert look.temperature.target_entropy == -1.0
        assert look.temperature.entropy_excess > 0.0
        assert look.temperature.after < look.temperature.before
    assert told(model_of(SAC, ent_coef=0.1), 60).updated[0].temperature is None


def test_slow_copies_follow_slowly():
    looks = told_of(SAC, 60).updated
    (critic,) = looks[2].target_networks
    assert (critic.name, critic.interval, critic.rate, critic.updates) == ("critic", 1, 0.005, 3)
    assert all(0.0 < moved < 0.1 * online for moved, online in zip(critic.moved, critic.online_moved, strict=True))
    assert not critic.shared
    model = model_of(DQN, target_update_interval=8, train_freq=4)
    (slow,) = told(model, 80).updated[2].target_networks
    assert slow.interval == 2
    assert max(slow.moved) > 0.0
    model = model_of(DQN)
    model.policy.q_net_target = model.q_net_target = model.q_net
    (shared,) = told(model, 60).updated[0].target_networks
    assert shared.shared
    assert shared.distances == (0.0,)


@pytest.mark.parametrize("normalised", [False, True])
def test_replay_holds_what_the_environment_gave(normalised):
    env = members(SWING, 2, steps=9)
    model = model_of(SAC, VecNormalize(env) if normalised else env)
    look = told(model, 80).collected[0]
    pairing = look.pairing
    ended = pairing.ended
    assert ended.sum() > 2
    assert (pairing.observations[1:] == pairing.given_observations[:-1]).all()
    assert (pairing.next_observations[~ended] == pairing.given_observations[~ended]).all()
    assert np.abs(pairing.next_observations[ended] - pairing.final_observations[ended]).max() < 1e-5
    assert (pairing.next_observations[ended] != pairing.given_observations[ended]).any()
    assert np.abs(pairing.rewards - pairing.given_rewards).max() < 1e-6
    assert not pairing.stored_ended.any()  # time limits, after which values go on
    assert (look.actions.stored == look.actions.sampled).all()
    assert np.abs(look.actions.executed - 2.0 * look.actions.stored).max() < 1e-6
    assert look.actions.rescaled
    assert look.storage.shared == ()


def test_replay_stores_the_ends_of_episodes():
    look = told(model_of(DQN, exploration_final_eps=1.0), 60).collected[0]
    assert look.pairing.given_terminated.any()
    assert (look.pairing.stored_ended == look.pairing.given_terminated).all()
    assert not look.actions.rescaled


class Late(ReplayBuffer):
    """Stores each reward with the step after its own."""

    def add(self, obs, next_obs, action, reward, done, infos):
        kept, self._reward = getattr(self, "_reward", np.zeros_like(reward)), reward.copy()
        super().add(obs, next_obs, action, kept, done, infos)


def test_rewards_of_another_step_show_in_the_pairing():
    pairing = told(model_of(SAC, replay_buffer_class=Late), 60).collected[0].pairing
    assert (pairing.rewards != pairing.given_rewards).any()
    assert (pairing.rewards[1:] == pairing.given_rewards[:-1].astype(np.float32)).all()


def test_values_are_measured_now_and_then():
    recording = told_of(TQC, 176)
    wanted = {"value.q_mean", "value.q2_mean", "value.q_twin_spread", "value.target_distance", "exploration.entropy"}
    assert {*wanted, "exploration.temperature", "value.q_loss", "data.buffer_size"} <= recording.names
    silent = Recording(looked=0, measuring=False)
    model = model_of(DQN)
    detach = watch(model, silent)
    model.learn(200)
    detach()
    assert silent.rollouts == []
    assert "value.q_loss" in silent.names, "what the model logs itself is told all the same"
    assert not {"value.q_mean", "value.target_distance"} & silent.names
    assert silent.episodes


class Repeats(gymnasium.Env):
    """Five places whose reward is in the observation, or is not."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(-1, 1, (3,))

    def __init__(self, seen: bool) -> None:
        self._seen = seen

    def _shown(self) -> np.ndarray:
        self._place = int(self.np_random.integers(5))
        return np.full(3, self._place / 5 if self._seen else 0.5, dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._shown(), {}

    def step(self, action):
        reward = float(self._place)
        return self._shown(), reward, True, False, {}


@pytest.mark.parametrize("seen", [True, False])
def test_a_critic_fits_what_it_sees(seen):
    model = model_of(PPO, DummyVecEnv([lambda: Repeats(seen)]), n_steps=128, learning_rate=1e-6)
    model.learn(128)
    before, state = [each.clone() for each in model.policy.parameters()], torch.get_rng_state()
    fit = fit_critic(model, seconds=20.0)
    assert all(torch.equal(one, other) for one, other in zip(before, model.policy.parameters(), strict=True))
    assert torch.equal(state, torch.get_rng_state())
    assert fit.rows == 128
    assert fit.best < 0.2 if seen else fit.best > 0.9
    assert fit.table < 1e-9 if seen else fit.table > 0.9
    again = fit_critic(model, observations=model.rollout_buffer.observations[:64], returns=np.arange(64.0), seconds=0.2)
    assert again.rows == 64
    assert fit_critic(model_of(SAC)) is None
