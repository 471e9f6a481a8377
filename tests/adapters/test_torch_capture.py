"""Heads found in autograd's graph, with what their losses asked of them: networks as trainers write them."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from tests.patience import PATIENCE
from weaklink.adapters.torch.capture import MOST_STEPS_ALONE, CapturedUpdate, UpdateCapture

torch.set_num_threads(1)


@pytest.fixture
def capture() -> Iterator[UpdateCapture]:
    capture = UpdateCapture(lambda: 0)
    capture.begin()
    yield capture
    capture.close()


def layers(*widths: int) -> nn.Sequential:
    inner = [part for one, other in pairwise(widths) for part in (nn.Linear(one, other), nn.Tanh())]
    return nn.Sequential(*inner[:-1])


def learn(loss: torch.Tensor, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def heads(found: CapturedUpdate) -> set[str]:
    return {call.head for call in found.calls}


def test_the_gradient_is_that_of_the_loss_and_the_input_that_of_the_caller(capture: UpdateCapture) -> None:
    network, given, targets = layers(3, 8, 1), torch.randn(5, 3), torch.randn(5)
    learn(functional.mse_loss(network(given)[:, 0], targets), torch.optim.SGD(network.parameters(), 0.1))
    (call,) = capture.end().calls
    assert call.head == "Sequential.2"
    assert np.array_equal(call.inputs, given.numpy())
    assert call.gradients[:, 0] == pytest.approx(2.0 / 5 * (call.outputs[:, 0] - targets.numpy()), rel=1e-5)


def test_functions_between_layers_make_no_heads(capture: UpdateCapture) -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.last = nn.Linear(3, 8), nn.Linear(8, 8), nn.Linear(8, 2)

        def forward(self, given: torch.Tensor) -> torch.Tensor:
            hidden = functional.relu(self.second(functional.relu(self.first(given))))
            return functional.softmax(self.last(hidden), dim=-1)

    network = Plain()
    learn(-network(torch.randn(4, 3))[:, 0].log().mean(), torch.optim.Adam(network.parameters()))
    assert heads(capture.end()) == {"Plain.last"}


def test_a_layer_without_weights_behind_a_head_is_none(capture: UpdateCapture) -> None:
    network = nn.Sequential(nn.Linear(3, 2), nn.Softmax(dim=-1))
    learn(network(torch.randn(4, 3))[:, 0].mean(), torch.optim.Adam(network.parameters()))
    assert heads(capture.end()) == {"Sequential.0"}


def test_a_shared_trunk_has_two_heads(capture: UpdateCapture) -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.trunk, self.actor, self.critic = layers(3, 8, 8), nn.Linear(8, 4), nn.Linear(8, 1)

    network, given = Both(), torch.randn(6, 3)
    hidden = network.trunk(given)
    loss = network.actor(hidden).logsumexp(1).mean() + network.critic(hidden).square().mean()
    learn(loss, torch.optim.Adam(network.parameters()))
    found = capture.end()
    assert heads(found) == {"Both.actor", "Both.critic"}
    assert all(np.array_equal(call.inputs, given.numpy()) for call in found.calls)


def test_the_two_streams_of_a_duelling_network_are_one_answer(capture: UpdateCapture) -> None:
    class Duelling(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.trunk, self.value, self.advantage = layers(3, 8, 8), nn.Linear(8, 1), nn.Linear(8, 4)

        def forward(self, given: torch.Tensor) -> torch.Tensor:
            hidden = self.trunk(given)
            advantage = self.advantage(hidden)
            return self.value(hidden) + advantage - advantage.mean(1, keepdim=True)

    network, rows = Duelling(), torch.arange(6)
    values = network(torch.randn(6, 3))
    learn(values[rows, rows % 4].square().mean(), torch.optim.Adam(network.parameters()))
    (call,) = capture.end().calls
    assert call.head == "Duelling"
    assert (np.count_nonzero(call.gradients, axis=1) == 1).all()


def test_an_actor_that_climbs_twin_critics_and_their_slow_copies(capture: UpdateCapture) -> None:
    torch.manual_seed(0)
    actor, one, other = layers(3, 8, 2), layers(5, 8, 1), layers(5, 8, 1)
    slow = copy.deepcopy(one)
    critics = torch.optim.Adam([*one.parameters(), *other.parameters()])
    climber = torch.optim.Adam(actor.parameters())
    state, action, after = torch.randn(7, 3), torch.randn(7, 2), torch.randn(7, 3)
    with torch.no_grad():
        target = slow(torch.cat([after, actor(after)], 1))
    pair = torch.cat([state, action], 1)
    learn(functional.mse_loss(one(pair), target) + functional.mse_loss(other(pair), target), critics)
    learn(-one(torch.cat([state, torch.tanh(actor(state))], 1)).mean(), climber)
    found = capture.end()
    by_step = [{id_of(call.outputs) for call in found.calls if call.step == step} for step in (0, 1)]
    assert by_step == [{(7, 1)}, {(7, 2), (7, 1)}]
    assert sum(call.step == 0 for call in found.calls) == 2
    (climbed,) = (call for call in found.calls if call.step == 1 and call.outputs.shape[1] == 1)
    assert climbed.gradients == pytest.approx(-1.0 / 7)
    asked = [answer for answer in found.answers if answer.outputs.shape == (7, 1)]
    assert any(np.array_equal(answer.outputs, target.numpy()) for answer in asked)


def id_of(outputs: np.ndarray) -> tuple[int, ...]:
    return outputs.shape


def test_each_optimizer_has_the_heads_that_it_moves(capture: UpdateCapture) -> None:
    one, other = layers(3, 8, 1), layers(3, 8, 1)
    optimizers = [torch.optim.Adam(each.parameters()) for each in (one, other)]
    given = torch.randn(5, 3)
    (one(given).square().mean() + other(given).square().mean()).backward()
    for optimizer in optimizers:
        optimizer.step()
    found = capture.end()
    assert [(call.step, call.gradients.shape) for call in found.calls] == [(0, (5, 1)), (1, (5, 1))]
    assert found.calls[0].head != found.calls[1].head


def test_a_recurrent_network_has_the_rows_of_its_sequences(capture: UpdateCapture) -> None:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.memory, self.critic = layers(3, 8), nn.LSTM(8, 8), nn.Linear(8, 1)

    network, given = Recurrent(), torch.randn(4 * 2, 3)
    hidden = network.encoder(given).reshape(4, 2, 8)
    state, outputs = (torch.zeros(1, 2, 8), torch.zeros(1, 2, 8)), []
    for step in hidden:
        after, state = network.memory(step[None], state)
        outputs.append(after)
    learn(network.critic(torch.cat(outputs).flatten(0, 1)).square().mean(), torch.optim.Adam(network.parameters()))
    (call,) = capture.end().calls
    assert call.head == "Recurrent.critic"
    assert np.array_equal(call.inputs, given.numpy())


class Viewer(nn.Module):
    """Looks at images of one channel that come without an axis for it."""

    def __init__(self) -> None:
        super().__init__()
        self.eye, self.head = nn.Conv2d(1, 2, 3, padding=1), nn.Linear(2 * 4 * 3, 2)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.head(torch.relu(self.eye(seen[:, None])).flatten(1))


def test_an_image_without_an_axis_for_its_channel_is_one_row(capture: UpdateCapture) -> None:
    net, given = Viewer(), torch.rand(5, 4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    capture.begin()
    with torch.no_grad():
        net(given[:1])
    net(given).square().mean().backward()
    optimizer.step()
    found = capture.end()
    (call,) = found.calls
    assert np.array_equal(call.inputs, given.flatten(1).numpy())
    assert found.answers[0].inputs.shape == (1, 12)


def test_gradients_of_several_passes_before_a_step_are_calls_of_their_own(capture: UpdateCapture) -> None:
    network = layers(3, 8, 1)
    optimizer = torch.optim.Adam(network.parameters())
    for _ in range(3):
        network(torch.randn(5, 3)).square().mean().backward()
    optimizer.step()
    assert [call.step for call in capture.end().calls] == [0, 0, 0]


def test_one_row_without_an_axis_for_rows_is_one_row(capture: UpdateCapture) -> None:
    network = layers(3, 8, 2)
    losses = [-network(torch.randn(3)).log_softmax(-1)[0] for _ in range(4)]
    learn(torch.stack(losses).sum(), torch.optim.Adam(network.parameters()))
    calls = capture.end().calls
    assert [call.outputs.shape for call in calls] == [(1, 2)] * 4
    assert [call.inputs.shape for call in calls] == [(1, 3)] * 4


def test_what_a_network_answers_without_gradients_is_kept_for_heads_alone(capture: UpdateCapture) -> None:
    network, given = layers(3, 8, 1), torch.randn(5, 3)
    with torch.no_grad():
        before = network(given)
    learn(network(given).square().mean(), torch.optim.Adam(network.parameters()))
    (answer,) = capture.end().answers
    assert np.array_equal(answer.outputs, before.numpy())
    assert np.array_equal(answer.inputs, given.numpy())


@pytest.mark.whole
@pytest.mark.parametrize("activate", [functional.relu, torch.tanh, functional.silu, functional.gelu, torch.sigmoid])
def test_layers_that_a_method_calls_one_by_one_are_given_what_the_first_was(
    capture: UpdateCapture, activate: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    """Without a graph, only the numbers tell that an activation of one layer's output is the next one's input."""
    first, left, right = nn.Linear(3, 16), nn.Linear(16, 2), nn.Linear(16, 1)
    other, given = torch.randn(5, 16), torch.randn(5, 3)
    with torch.no_grad():
        hidden = activate(first(given))
        left(hidden), right(hidden)
        right(other)
    loss = left(activate(first(given))).sum() + right(activate(first(given))).sum()
    learn(loss, torch.optim.SGD([*first.parameters(), *left.parameters(), *right.parameters()], 0.1))
    asked = [answer for answer in capture.end().answers if answer.outputs.shape[1] < 16]
    assert [answer.inputs.shape for answer in asked] == [(5, 3), (5, 3), (5, 16)]
    assert all(np.array_equal(answer.inputs, given.numpy()) for answer in asked[:2])
    assert np.array_equal(asked[2].inputs, other.numpy())


def test_nothing_is_captured_where_networks_are_compiled() -> None:
    """In a process of its own, for what is compiled stays compiled."""
    script = """
import warnings; warnings.simplefilter("error")
import torch
from weaklink.adapters.torch.capture import UpdateCapture
capture = UpdateCapture(lambda: 0)
assert capture.begin()
capture.end()
network = torch.nn.Linear(3, 1)
compiled = torch.compile(network, backend="eager")
assert not capture.begin()
compiled(torch.ones(2, 3)).sum().backward()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=4 * PATIENCE)


def test_a_forward_that_raises_leaves_the_next_one_as_it_was(capture: UpdateCapture) -> None:
    network = layers(3, 8, 1)
    with pytest.raises(RuntimeError):
        network(torch.randn(5, 4))
    given, optimizer = torch.randn(5, 3), torch.optim.Adam(network.parameters())
    for _ in range(2):  # up to the next step of an optimizer it is not plain where a call ends
        learn(network(given).square().mean(), optimizer)
    assert np.array_equal(capture.end().calls[-1].inputs, given.numpy())


def test_memory_is_bounded_and_what_is_left_out_is_said(
    capture: UpdateCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weaklink.adapters.torch.capture.MOST_BYTES", 4000)
    network = layers(3, 8, 1)
    optimizer = torch.optim.Adam(network.parameters())
    for _ in range(20):
        learn(network(torch.randn(10, 3)).square().mean(), optimizer)
    found = capture.end()
    assert 0 < len(found.calls) < 20
    assert any("MiB" in note for note in found.left_out)


def test_what_is_asked_within_the_graph_and_not_learned_from_is_an_answer(capture: UpdateCapture) -> None:
    network, given, after = layers(3, 8, 1), torch.randn(5, 3), torch.randn(5, 3)
    target = 1.0 + 0.9 * network(after)
    learn(functional.mse_loss(network(given), target.detach()), torch.optim.SGD(network.parameters(), 0.1))
    found = capture.end()
    assert [len(call.rows) for call in found.calls] == [5]
    (answer,) = found.answers
    assert answer.head == found.calls[0].head
    assert np.array_equal(answer.inputs, after.numpy())
    assert answer.outputs == pytest.approx((target.detach().numpy() - 1.0) / 0.9, abs=1e-6)


def test_the_same_layer_of_a_copy_that_acts_is_told(capture: UpdateCapture) -> None:
    class Policy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Linear(3, 8), nn.Linear(8, 2)

        def forward(self, given: torch.Tensor) -> torch.distributions.Categorical:
            return torch.distributions.Categorical(logits=self.head(torch.tanh(self.body(given))))

    learning, acting, given = Policy(), Policy(), torch.randn(4, 3)
    with torch.no_grad():
        acting(given)
    learn(-learning(given).log_prob(torch.zeros(4)).mean(), torch.optim.SGD(learning.parameters(), 0.1))
    found = capture.end()
    (call,), (answer,) = found.calls, found.answers
    assert answer.outputs.shape == call.outputs.shape == (4, 2)
    assert {call.head, answer.head} == {"Policy.head", "Policy(2).head"}


def test_shapes_that_meet_in_a_loss_are_told_the_prediction_first(capture: UpdateCapture) -> None:
    network, targets = layers(3, 8, 1), torch.randn(5, 2)
    with pytest.warns(UserWarning, match="target size"):
        loss = functional.mse_loss(targets, network(torch.randn(5, 3)))
    learn(loss, torch.optim.SGD(network.parameters(), 0.1))
    (met,) = capture.end().losses or ()
    assert (met.name, met.left, met.right) == ("mse_loss", (5, 1), (5, 2))
    assert not hasattr(functional.mse_loss, "weaklink_notes")


@pytest.mark.parametrize(("stepped", "ends"), [(0, True), (1, False)])
def test_a_loop_without_an_environment_is_not_captured_without_end(stepped: int, ends: bool) -> None:
    capture = UpdateCapture(lambda: stepped)
    capture.begin()
    network = layers(2, 1)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for _ in range(MOST_STEPS_ALONE):
        assert capture.open
        learn(network(torch.ones(4, 2)).square().mean(), optimizer)
    assert capture.open is not ends
    capture.close()
