"""Modules of TorchRL in the forms that people train, asked as an agent."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Dict, Discrete
from tensordict.nn import NormalParamExtractor, TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.envs import Compose, DoubleToFloat, GymWrapper, ObservationNorm, StepCounter, ToTensorImage, TransformedEnv
from torchrl.modules import (
    MLP,
    ActorValueOperator,
    EGreedyModule,
    LSTMModule,
    OneHotCategorical,
    ProbabilisticActor,
    QValueActor,
    TanhNormal,
    ValueOperator,
)
from torchrl.objectives import ClipPPOLoss, SACLoss

from weaklink.adapters.torchrl.agent import agent_of
from weaklink.adapters.torchrl.parts import agent_of_loss
from weaklink.base.errors import UsageError

SEEN = np.array([0.2, -0.4, 0.6])


class World(gymnasium.Env):
    """Nothing happens in it: only its spaces are looked at."""

    def __init__(self, observation_space, action_space):
        self.observation_space, self.action_space = observation_space, action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def parameters(outputs, keys, observation="observation", inputs=3):
    network = MLP(inputs, outputs, num_cells=[8])
    network = nn.Sequential(network, NormalParamExtractor()) if len(keys) == 2 else network
    return TensorDictModule(network, in_keys=[observation], out_keys=keys)


def categorical(distribution=torch.distributions.Categorical, **options):
    head = parameters(4, ["logits"], **options)
    return ProbabilisticActor(head, in_keys=["logits"], distribution_class=distribution, return_log_prob=True)


@pytest.mark.parametrize("distribution", [torch.distributions.Categorical, OneHotCategorical])
def test_choices_are_numbers_whatever_their_encoding(distribution):
    actor = categorical(distribution)
    agent = agent_of(actor, ValueOperator(MLP(3, 1, num_cells=[8]), in_keys=["observation"]), gamma=0.9)
    logits = actor[0].module(torch.tensor(SEEN, dtype=torch.float32)).detach()
    assert agent.act(SEEN) == int(logits.argmax())
    assert isinstance(agent.act(SEEN), int)
    assert {agent.sample(SEEN) for _ in range(200)} == {0, 1, 2, 3}
    assert agent.log_prob(SEEN, 2) == pytest.approx(float(logits.log_softmax(-1)[2]), abs=1e-5)
    assert agent.gamma == 0.9
    assert not hasattr(agent, "q")
    assert not hasattr(agent, "reset")


def test_continuous_actions_keep_their_bounds_and_density():
    actor = ProbabilisticActor(
        parameters(4, ["loc", "scale"]),
        in_keys=["loc", "scale"],
        distribution_class=TanhNormal,
        distribution_kwargs={"low": 0.0, "high": 100.0},
    )

    class Joined(nn.Module):
        def forward(self, observation, action):
            return (observation.sum(-1) + action.sum(-1)).unsqueeze(-1)

    agent = agent_of(actor, qvalue=ValueOperator(Joined(), in_keys=["observation", "action"]), temperature=0.2)
    drawn = np.array([agent.sample(SEEN) for _ in range(50)])
    assert drawn.shape == (50, 2)
    assert drawn.min() >= 0.0
    assert drawn.max() > 1.0
    assert agent.q(SEEN, np.array([1.0, 2.0])) == pytest.approx(3.4)
    assert np.isfinite(agent.log_prob(SEEN, drawn[0]))
    assert agent.temperature == 0.2
    with pytest.raises(UsageError, match="takes an action"):
        agent.q(SEEN)


def test_a_value_based_actor_has_q_and_does_not_explore_when_it_acts():
    env = GymWrapper(World(Box(-1, 1, (3,), np.float32), Discrete(4)))
    actor = QValueActor(MLP(3, 4, num_cells=[8]), in_keys=["observation"], spec=env.action_spec)
    exploring = TensorDictSequential(actor, EGreedyModule(env.action_spec, eps_init=1.0, eps_end=1.0))
    agent = agent_of(exploring, env=env)
    assert len({agent.act(SEEN) for _ in range(20)}) == 1
    assert agent.act(SEEN) == int(agent.q(SEEN).argmax())
    assert len({agent.sample(SEEN) for _ in range(60)}) > 1


def test_transforms_of_the_environment_are_applied_to_what_is_asked():
    base = GymWrapper(World(Box(-1, 1, (3,), np.float64), Discrete(4)))
    normal = ObservationNorm(loc=1.0, scale=2.0, in_keys=["observation"])
    env = TransformedEnv(base, Compose(DoubleToFloat(), normal, StepCounter()))
    value = ValueOperator(nn.Linear(3, 1), in_keys=["observation"])
    agent = agent_of(categorical(), value, env=env)
    expected = value.module(torch.tensor(SEEN, dtype=torch.float32) * 2 + 1)
    assert agent.value(SEEN) == pytest.approx(float(expected.detach()), abs=1e-5)


def test_images_are_scaled_as_the_environment_scales_them():
    base = GymWrapper(World(Box(0, 255, (4, 4, 1), np.uint8), Discrete(4)))
    env = TransformedEnv(base, ToTensorImage(in_keys=["observation"], out_keys=["pixels"]))
    network = nn.Sequential(nn.Flatten(-3), nn.Linear(16, 1))
    value = ValueOperator(network, in_keys=["pixels"])
    head = TensorDictModule(nn.Sequential(nn.Flatten(-3), nn.Linear(16, 4)), in_keys=["pixels"], out_keys=["logits"])
    actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=OneHotCategorical)
    image = np.arange(16, dtype=np.uint8).reshape(4, 4, 1) * 16
    expected = network(torch.tensor(image[..., 0], dtype=torch.float32)[None] / 255)
    assert agent_of(actor, value, env=env).value(image) == pytest.approx(float(expected.detach()), abs=1e-5)
    by_hand = agent_of(actor, value, encode=lambda seen: {"pixels": torch.tensor(seen[..., 0])[None] / 255})
    assert by_hand.value(image) == pytest.approx(float(expected.detach()), abs=1e-5)


def test_a_dictionary_goes_in_by_its_keys():
    space = Dict(place=Box(-1, 1, (3,), np.float32), kind=Discrete(2))
    env = GymWrapper(World(space, Discrete(4)))

    class Joined(nn.Module):
        def forward(self, place, kind):
            return torch.cat([place, kind.float()], dim=-1) @ torch.tensor([[1.0], [1.0], [1.0], [10.0], [100.0]])

    value = ValueOperator(Joined(), in_keys=["place", "kind"])
    agent = agent_of(categorical(observation="place"), value, env=env)
    assert agent.value({"place": SEEN.astype(np.float32), "kind": 1}) == pytest.approx(100.4, abs=1e-4)
    assert agent.act({"place": SEEN.astype(np.float32), "kind": 0}) in range(4)


def test_heads_on_shared_layers():
    common = TensorDictModule(nn.Linear(3, 8), in_keys=["observation"], out_keys=["hidden"])
    head = TensorDictModule(nn.Linear(8, 4), in_keys=["hidden"], out_keys=["logits"])
    policy = ProbabilisticActor(head, in_keys=["logits"], distribution_class=torch.distributions.Categorical)
    both = ActorValueOperator(common, policy, ValueOperator(nn.Linear(8, 1), in_keys=["hidden"]))
    whole = agent_of(both.get_policy_operator(), both.get_value_operator())
    alone = agent_of(both.get_policy_operator(), both.get_value_head())
    assert whole.value(SEEN) == pytest.approx(alone.value(SEEN))


def test_a_recurrent_actor_remembers_until_it_is_reset():
    memory = LSTMModule(input_size=3, hidden_size=8, in_key="observation", out_key="features")
    head = TensorDictModule(nn.Linear(8, 2), in_keys=["features"], out_keys=["logits"])
    actor = ProbabilisticActor(
        TensorDictSequential(memory, head), in_keys=["logits"], distribution_class=torch.distributions.Categorical
    )
    value = ValueOperator(nn.Linear(8, 1), in_keys=["features"])
    agent = agent_of(actor, value)
    first = agent.value(SEEN)
    assert agent.value(SEEN) == first
    agent.act(SEEN)
    second = agent.value(SEEN)
    assert second != pytest.approx(first, abs=1e-7)
    agent.reset()
    assert agent.value(SEEN) == pytest.approx(first)
    agent.act(SEEN)
    assert agent.value(SEEN) == pytest.approx(second)


def test_modes_come_out_as_they_went_in():
    network = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 4))
    head = TensorDictModule(network, in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=torch.distributions.Categorical)
    agent = agent_of(actor)
    assert len({round(agent.log_prob(SEEN, 0), 6) for _ in range(10)}) == 1
    assert network[1].training


def test_a_loss_knows_its_agent():
    actor, critic = categorical(), ValueOperator(MLP(3, 1, num_cells=[8]), in_keys=["observation"])
    loss = ClipPPOLoss(actor, critic)
    loss.make_value_estimator(gamma=0.95)
    agent = agent_of_loss(loss)
    with torch.no_grad():
        loss.critic_network_params["module", "2", "bias"].data.fill_(50.0)
    assert agent.value(SEEN) == pytest.approx(50.0, abs=5.0)
    assert agent.gamma == 0.95
    assert agent.act(SEEN) in range(4)
    assert agent.log_prob(SEEN, 1) < 0.0


def test_of_two_critics_the_smaller_answer_counts():
    head = parameters(2, ["loc", "scale"])
    actor = ProbabilisticActor(head, in_keys=["loc", "scale"], distribution_class=TanhNormal)
    qvalue = ValueOperator(MLP(4, 1, num_cells=[8]), in_keys=["observation", "action"])
    loss = SACLoss(actor, qvalue, alpha_init=0.3, target_entropy=-1.0)
    loss.qvalue_network_params["module", "2", "bias"].data[0].fill_(70.0)
    loss.qvalue_network_params["module", "2", "bias"].data[1].fill_(30.0)
    agent = agent_of_loss(loss)
    assert agent.q(SEEN, np.array([0.5], np.float32)) == pytest.approx(30.0, abs=5.0)
    assert agent.temperature == pytest.approx(0.3)
    assert agent.target_entropy == -1.0


def test_a_plain_network_is_refused_with_the_cure():
    with pytest.raises(UsageError, match="TensorDictModule"):
        agent_of(nn.Linear(3, 4))
