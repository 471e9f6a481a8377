"""Stable-Baselines3 by name: what its agents answer, and that they learn problems with known answers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

from weaklink.adapters.gymnasium.probe import ProbeEnvironment
from weaklink.adapters.sb3.agent import OnPolicyAgent
from weaklink.adapters.sb3.trainer import SETTINGS, TRAITS, trainer
from weaklink.base.errors import UsageError
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.trainers import find_trainer, read_traits
from weaklink.collect.probes.trial import trial

SHORT = 160
"""Steps after which an agent has been updated at least once."""

SHOWN = ("value", "q", "log_prob", "sample", "reset", "temperature")


@pytest.fixture(autouse=True, scope="module")
def _quick():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


def agent(name: str, title: str, steps: int = SHORT):
    return trainer(name)(lambda: ProbeEnvironment(find_probe(title)), steps, 0)


def shown(agent) -> tuple[str, ...]:
    return tuple(name for name in SHOWN if hasattr(agent, name))


def right_shape(title: str, action) -> bool:
    return ProbeEnvironment(find_probe(title)).action_space.contains(action)


def test_ppo_answers_about_values_and_chances():
    made = agent("PPO", "MatchingAction")
    seen = find_probe("MatchingAction").shown(0)
    assert shown(made) == ("value", "log_prob", "sample")
    assert (made.gamma, made.model.gamma) == (0.9, 0.9)
    assert isinstance(made.value(seen), float)
    assert right_shape("MatchingAction", made.act(seen))
    assert right_shape("MatchingAction", made.sample(seen))
    chances = [np.exp(made.log_prob(seen, np.int64(action))) for action in (0, 1)]
    assert sum(chances) == pytest.approx(1.0, abs=1e-5)
    assert made.act(seen) == int(np.argmax(chances))


def test_ppo_with_continuous_actions_and_other_forms():
    made = agent("PPO", "WideAction")
    seen = find_probe("WideAction").shown(4)
    assert right_shape("WideAction", made.act(seen))
    assert np.isfinite(made.log_prob(seen, made.sample(seen)))
    pair = agent("PPO", "MatchingActionMultiDiscrete")
    seen = find_probe("MatchingActionMultiDiscrete").shown(1)
    assert pair.act(seen).shape == (2,)
    assert np.isfinite(pair.log_prob(seen, pair.act(seen)))
    both = agent("PPO", "MatchingActionDict")
    assert right_shape("MatchingActionDict", both.act(find_probe("MatchingActionDict").shown(0)))
    picture = agent("PPO", "MatchingActionImage", steps=128)
    assert right_shape("MatchingActionImage", picture.act(find_probe("MatchingActionImage").shown(0)))
    assert isinstance(picture.value(find_probe("MatchingActionImage").shown(0)), float)


@pytest.mark.parametrize("name", ["DQN", "QRDQN"])
def test_learners_of_action_values(name):
    made = agent(name, "MatchingAction")
    seen = find_probe("MatchingAction").shown(1)
    assert shown(made) == ("q",)
    assert np.shape(made.q(seen)) == (2,)
    assert made.act(seen) == int(np.argmax(made.q(seen)))


def test_sac_is_soft():
    made = agent("SAC", "WideAction")
    seen = find_probe("WideAction").shown(0)
    assert shown(made) == ("q", "sample", "temperature")
    assert isinstance(made.q(seen, np.array([0.5], np.float32)), float)
    assert 0.0 < made.temperature < 1.0
    assert made.target_entropy == -1.0
    assert right_shape("WideAction", made.act(seen))
    draws = {float(made.sample(seen)[0]) for _ in range(8)}
    assert len(draws) > 1
    assert all(abs(draw) <= 2.0 for draw in draws)


def test_actions_are_told_to_the_critic_in_its_own_units():
    made = agent("SAC", "VeryWideAction")
    seen = find_probe("VeryWideAction").shown(0)
    with torch.no_grad():
        raw = made.policy.critic(torch.as_tensor(seen[None]), torch.tensor([[1.0]]))
    assert made.q(seen, np.array([100.0], np.float32)) == pytest.approx(min(float(each) for each in raw))


@pytest.mark.parametrize("name", ["TD3", "TQC", "CrossQ"])
def test_other_critics_of_actions(name):
    made = agent(name, "TwoActionsContinuous", steps=120)
    seen = find_probe("TwoActionsContinuous").shown(0)
    assert shown(made) == (("q",) if name == "TD3" else ("q", "sample", "temperature"))
    assert isinstance(made.q(seen, made.act(seen)), float)


def test_a_recurrent_agent_forgets_at_reset_and_only_moves_on_when_it_acts():
    made = agent("RecurrentPPO", "Memory")
    memory = find_probe("Memory")
    assert shown(made) == ("value", "reset")

    def after(*states: int) -> float:
        made.reset()
        for state in states[:-1]:
            assert right_shape("Memory", made.act(memory.shown(state)))
        return made.value(memory.shown(states[-1]))

    one = after(0, 2, 4)
    assert after(0, 2, 4) == one, "nothing is left after a reset"
    assert after(1, 3, 5) != one, "the same is seen, but not what came before"
    made.reset()
    made.value(memory.shown(0))
    assert made.value(memory.shown(4)) == after(4), "to be asked is not to move on"


def test_masks_are_obeyed_in_training_and_afterwards():
    masked = find_probe("MatchingActionMasked")
    done = trial(trainer("MaskablePPO"), masked, 256, 0)
    assert done.failure == ""
    assert done.behaviour.invalid == 0
    made = agent("MaskablePPO", "MatchingActionMasked")
    for state in (0, 1):
        assert masked.mask(state)[made.act(masked.shown(state), action_mask=masked.mask(state))]


def test_one_that_only_acts():
    made = agent("ARS", "TwoActions")
    assert shown(made) == ()
    assert right_shape("TwoActions", made.act(find_probe("TwoActions").shown(0)))


@pytest.mark.parametrize(
    ("name", "title", "steps"),
    [("PPO", "ConstantReward", 1536), ("PPO", "TwoActions", 1024), ("DQN", "TwoActions", 900)],
)
def test_they_learn(name, title, steps):
    done = trial(trainer(name), find_probe(title), steps, 0)
    assert done.failure == ""
    assert done.holds, done.missed
    assert done.taken >= steps
    assert done.gamma == 0.9


def test_one_that_does_not_learn_misses():
    settings = {"learning_rate": 0.0, "n_steps": 128, "n_epochs": 1}
    done = trial(trainer("PPO", settings), find_probe("ConstantReward"), 256, 0)
    assert done.failure == ""
    assert done.holds is False


def test_the_same_seed_gives_the_same_agent():
    seen = find_probe("MatchingAction").shown(0)
    first, again = (agent("PPO", "MatchingAction").value(seen) for _ in range(2))
    assert first == again


def test_settings_replace_those_of_the_ladder():
    own = {"n_envs": 2, "n_steps": 32, "batch_size": 64, "learning_rate": 1e-4}
    made = trainer("PPO", own)(lambda: ProbeEnvironment(find_probe("TwoActions")), 64, 0)
    assert isinstance(made, OnPolicyAgent)
    assert (made.model.n_envs, made.model.n_steps, made.model.learning_rate) == (2, 32, 1e-4)
    assert made.model.ent_coef == 0.0, "the library's own default, not the ladder's"
    usual = agent("PPO", "TwoActions")
    assert (usual.model.n_envs, usual.model.n_steps) == (8, SETTINGS["PPO"]["n_steps"])


def test_one_algorithm_does_not_change_the_settings_of_another():
    agent("SAC", "TwoActionsContinuous", steps=20)
    assert agent("PPO", "TwoActions", steps=20).model.use_sde is False
    own = {"n_steps": 16, "policy_kwargs": {"net_arch": [8]}}
    trainer("A2C", own)(lambda: ProbeEnvironment(find_probe("TwoActions")), 16, 0)
    assert own == {"n_steps": 16, "policy_kwargs": {"net_arch": [8]}}


def test_what_is_not_known_is_said_with_what_is():
    with pytest.raises(UsageError, match=r"PPO takes no setting 'learning_rat'\. It takes n_envs, batch_size, .*"):
        trainer("PPO", {"learning_rat": 1.0})
    with pytest.raises(UsageError, match=r"has 'PPOO'\. Known: A2C, ARS, .*TRPO"):
        trainer("PPOO")


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_known_algorithm_has_traits_and_settings_that_it_takes(name):
    train = find_trainer(f"sb3:{name}")
    assert read_traits(train) == TRAITS[name]


def test_a_discount_of_the_users_own_is_kept():
    train = trainer("PPO", {"gamma": 0.5, "n_steps": 32, "batch_size": 32})
    made = trial(train, find_probe("ConstantReward"), 64, 0)
    assert "gamma" not in inspect.signature(train).parameters
    assert made.gamma == 0.5
