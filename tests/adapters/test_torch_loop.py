"""A hand-written loop's tensors, policy and networks, read without a trace."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402

from weaklink.adapters.torch.fit import fit_critic  # noqa: E402
from weaklink.adapters.torch.loop import chosen, log_probs, to_arrays  # noqa: E402
from weaklink.adapters.torch.losses import Losses, noted  # noqa: E402
from weaklink.adapters.torch.movement import FollowedCopy, WeightsBefore, measure_movement  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def _quick():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


class Agent(nn.Module):
    """In the manner of CleanRL, with layers that remember what they saw and layers that draw."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.5))
        self.actor, self.critic, self.unused = nn.Linear(8, 2), nn.Linear(8, 1), nn.Linear(2, 2)

    def get_value(self, seen):
        return self.critic(self.body(seen))

    def get_action_and_value(self, seen, action=None):
        hidden = self.body(seen)
        policy = Categorical(logits=self.actor(hidden))
        action = policy.sample() if action is None else action
        return action, policy.log_prob(action), policy.entropy(), self.critic(hidden)


@pytest.fixture
def agent():
    torch.manual_seed(0)
    return Agent()


SEEN, TAKEN = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2


def test_tensors_become_arrays_wherever_they_are():
    held = {"a": torch.ones(2, dtype=torch.bfloat16), "b": [torch.zeros(3), torch.ones(3)], "c": (1.0, 2.0), "d": None}
    found = to_arrays(held)
    assert found["a"].dtype == np.float32
    assert found["b"].shape == (2, 3)
    assert found["c"].tolist() == [1.0, 2.0]
    assert found["d"] is None
    tensor = torch.zeros(2)
    assert np.shares_memory(to_arrays(tensor), tensor.numpy())
    assert [part.shape for part in to_arrays([torch.zeros(1), torch.zeros(2)])] == [(1,), (2,)]


def test_a_tensordict_becomes_a_dictionary():
    tensordict = pytest.importorskip("tensordict")
    found = to_arrays(tensordict.TensorDict({"a": torch.zeros(2, 3), "next": {"a": torch.ones(2, 3)}}, batch_size=[2]))
    assert found["next"]["a"].tolist() == np.ones((2, 3)).tolist()


def test_asking_a_policy_leaves_no_trace(agent):
    state = {name: value.clone() for name, value in agent.state_dict().items()}
    generator = torch.get_rng_state()
    found, entropy, values = log_probs(agent, SEEN, TAKEN)
    again, _, _ = log_probs(agent, SEEN, TAKEN)
    assert found.shape == entropy.shape == values.shape == (40,)
    assert np.array_equal(found, again), "dropout draws, but always from the same state"
    assert torch.equal(generator, torch.get_rng_state())
    assert all(torch.equal(value, state[name]) for name, value in agent.state_dict().items())
    assert agent.training
    assert all(parameter.grad is None for parameter in agent.parameters())


def test_the_answers_are_the_policys_own(agent):
    agent.eval()
    with torch.no_grad():
        _, wanted, entropy, values = agent.get_action_and_value(torch.tensor(SEEN).float(), torch.tensor(TAKEN))
    for policy in (agent, lambda seen, taken: agent.get_action_and_value(seen, taken)[1]):
        found = log_probs(policy, SEEN, TAKEN)
        assert np.allclose(found[0], wanted)
    assert found[1:] == (None, None)
    assert np.allclose(log_probs(agent, SEEN, TAKEN)[1], entropy)
    assert np.allclose(log_probs(agent, SEEN, TAKEN)[2], values[:, 0])


def test_a_policy_of_the_other_manner():
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    gymnasium = pytest.importorskip("gymnasium")
    model = stable_baselines3.PPO("MlpPolicy", gymnasium.make("CartPole-v1"), seed=0, device="cpu")
    seen, taken = np.zeros((6, 4), np.float32), np.array([0, 1, 0, 1, 0, 1])
    found, entropy, values = log_probs(model.policy, seen, taken)
    assert np.allclose(np.exp(found[:2]).sum(), 1.0)
    assert entropy.shape == values.shape == (6,)


def test_of_many_rows_the_same_few_are_asked(agent):
    many = np.repeat(SEEN, 200, axis=0)
    found, _, _ = log_probs(agent, {"a": many}["a"], np.repeat(TAKEN, 200))
    assert len(found) == len(many[chosen(len(many))]) <= 2048


def update(agent, optimizer):
    seen = torch.tensor(SEEN).float()
    _, chances, _, values = agent.get_action_and_value(seen, torch.tensor(TAKEN))
    optimizer.zero_grad()
    (chances.mean() + values.mean()).backward()
    optimizer.step()


def test_movement_tells_what_moved_and_what_never_got_a_gradient(agent):
    held = [parameter for name, parameter in agent.named_parameters() if not name.startswith("critic.")]
    optimizer = torch.optim.Adam(held, lr=0.01)
    before = WeightsBefore({"agent": agent})
    update(agent, optimizer)
    update(agent, optimizer)
    found = measure_movement(before)
    by_name = {each.name: each for each in found.parameters}
    assert found.optimizer_steps == 2
    assert found.learning_rate == 0.01
    assert by_name["agent.actor.weight"].changed > 0
    assert by_name["agent.actor.weight"].reached
    assert by_name["agent.critic.weight"].in_optimizer is False
    assert by_name["agent.critic.weight"].changed == 0.0
    assert by_name["agent.unused.weight"].gradient is None
    assert by_name["agent.unused.weight"].changed == 0.0
    update(agent, optimizer)
    assert before.steps == 2, "closed"


def test_a_target_network_that_follows_and_one_that_is_the_same(agent):
    import copy

    target = copy.deepcopy(agent)
    followed = FollowedCopy("target", agent, target, rate=0.5)
    same = FollowedCopy("same", agent.actor, agent.actor)
    optimizer = torch.optim.Adam(agent.parameters(), lr=0.01)
    assert followed.comparable
    assert followed.seen() is None
    followed.look()
    for _ in range(3):
        update(agent, optimizer)
        with torch.no_grad():
            for slow, quick in zip(target.parameters(), agent.parameters(), strict=True):
                slow.lerp_(quick, 0.5)
        followed.look()
    found = followed.seen()
    assert len(found.distances) == 3
    assert all(0 < moved < online * 1.01 for moved, online in zip(found.moved, found.online_moved, strict=True))
    assert all(distance > 0 for distance in found.distances)
    assert found.updates == 3
    assert not found.shared
    assert same.shared


def test_losses_are_noted_and_the_originals_come_back():
    originals = [nn.functional.mse_loss, nn.functional.huber_loss]
    with noted(Losses()) as outer, noted(Losses()) as inner:
        with pytest.warns(UserWarning, match="target size"):
            nn.functional.mse_loss(torch.zeros(4), torch.zeros(4, 1))
        nn.MSELoss()(torch.zeros(4), torch.zeros(4))
        nn.HuberLoss()(torch.zeros(2), target=torch.zeros(2))
        nn.HuberLoss()(torch.zeros(2), target=torch.zeros(2))
    calls = [(call.name, call.left, call.right) for call in outer.calls]
    assert calls == [("mse_loss", (4,), (4, 1)), ("mse_loss", (4,), (4,)), ("huber_loss", (2,), (2,))]
    assert len(inner.calls) == 3
    assert [nn.functional.mse_loss, nn.functional.huber_loss] == originals


class Critic(nn.Module):
    def __init__(self, factor=1.0):
        super().__init__()
        self.factor = factor
        self.layers = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, seen):
        return self.layers(seen * self.factor)


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_a_critic_that_sees_what_matters_can_fit(scale):
    torch.manual_seed(0)
    critic = Critic()
    kept = [parameter.detach().clone() for parameter in critic.parameters()]
    generator = torch.get_rng_state()
    seen = np.random.default_rng(1).normal(size=(512, 3)).astype(np.float32)
    found = fit_critic(critic, critic, seen, scale * (100.0 + seen @ [1.0, -2.0, 0.5]), seconds=20.0)
    assert found.after < 0.1 < found.before
    assert found.table is None
    assert torch.equal(generator, torch.get_rng_state())
    assert all(torch.equal(*pair) for pair in zip(kept, critic.parameters(), strict=True))


def test_a_critic_that_sees_nothing_cannot_fit():
    torch.manual_seed(0)
    critic = Critic(factor=0.0)
    seen = np.random.default_rng(1).normal(size=(512, 3)).astype(np.float32)
    found = fit_critic(lambda module, rows: module(rows), critic, seen, seen @ [1.0, -2.0, 0.5], seconds=3.0)
    assert found.after > 0.9
    assert found.updates > 0


def test_what_no_critic_can_beat_is_told(agent):
    seen = np.eye(3, dtype=np.float32)[np.arange(300) % 3]
    returns = np.where(np.arange(300) % 2, 1.0, -1.0)
    found = fit_critic(agent.get_value, agent, seen, returns, seconds=0.5)
    assert found.table == pytest.approx(1.0, abs=0.01)
    assert fit_critic(None, agent, seen, np.ones(300)) is None
