"""Looks of a rank at itself: at which steps, what is timed, and that a step in between costs no more than a count."""

from __future__ import annotations

import pytest

from tests.ranked import LookKeeper

torch = pytest.importorskip("torch")

from weaklink.adapters.torch.rank_looks import RankLooks  # noqa: E402
from weaklink.adapters.torch.rank_track import STRETCH, find_next  # noqa: E402


@pytest.fixture
def watched():
    keeper, looks = LookKeeper(), RankLooks()
    looks.record_into(keeper, float)
    yield keeper
    looks.close()


def make_steps(count: int, optimizer=None):
    network = torch.nn.Linear(1, 1)
    optimizer = optimizer or torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(count):
        optimizer.zero_grad()
        network(torch.ones(2, 1)).sum().backward()
        optimizer.step()
    return optimizer


def test_steps_that_are_looked_at_are_powers_of_two_and_three_times_those():
    due, step = [], 0
    while step < 100:
        step = find_next(step)
        due.append(step)
    assert due == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
    assert all(find_next(step - 1) == step for step in due)


def test_between_looks_backward_passes_are_not_heard_and_the_steps_before_a_look_are_timed(watched):
    plain = torch.autograd.backward
    optimizer = make_steps(3)
    assert torch.autograd.backward is not plain
    make_steps(597, optimizer)
    assert torch.autograd.backward is plain  # the next look is at 768
    by_step = {look.step: look for look in watched.looks}
    assert list(by_step) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
    assert (by_step[48].steps, by_step[512].steps) == (16, STRETCH)
    assert 0.0 < by_step[512].away < by_step[512].seconds
    assert by_step[512].usual_away > 0.0
    assert by_step[512].rows == by_step[2].rows != ()


class Outer(torch.optim.SGD):
    """Steps an optimizer of its own, as ZeRO does."""

    def __init__(self, parameters):
        super().__init__(parameters, lr=0.1)
        self.inner = torch.optim.SGD(self.param_groups[0]["params"], lr=0.1)

    def step(self, closure=None):
        return self.inner.step(closure)


def test_an_optimizer_that_another_steps_is_left_alone_also_while_the_outer_one_is_not_timed(watched):
    network = torch.nn.Linear(1, 1)
    outer = Outer(network.parameters())
    for _ in range(400):
        outer.zero_grad()
        network(torch.ones(2, 1)).sum().backward()
        outer.step()
    assert {look.optimizer for look in watched.looks} == {0}
    assert watched.looks[-1].step == 384


def test_a_step_that_raises_leaves_no_look_of_another_step(watched):
    network = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)

    def fail():
        raise ZeroDivisionError

    make_steps(5, optimizer)
    with pytest.raises(ZeroDivisionError):
        optimizer.step(fail)  # the sixth is looked at
    make_steps(10, optimizer)
    assert [look.step for look in watched.looks] == [1, 2, 3, 4, 8, 12, 16]
