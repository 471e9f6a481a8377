from __future__ import annotations

import pytest

nn = pytest.importorskip("torch.nn")

from tests.counting import count_lines  # noqa: E402
from weaklink.adapters.torch.living import list_living  # noqa: E402
from weaklink.adapters.torch.module_names import ModuleNames  # noqa: E402


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def test_a_module_is_named_from_the_outermost_that_holds_it():
    agent, names = Agent(), ModuleNames()
    assert names.name(agent.critic[1]).endswith("critic.1")  # asked first, and without parameters
    assert names.name(agent.critic[2]).endswith("critic.2")
    assert names.name_parameter(agent.critic[0].weight).endswith("critic.0.weight")


def test_what_is_made_later_is_found_too():
    names = ModuleNames()
    names.name(nn.Linear(1, 1))
    agent = Agent()
    assert names.name(agent.critic[0]).endswith("critic.0")


def test_an_activation_that_every_pass_makes_anew_costs_no_look_through_the_process():
    names = ModuleNames()
    names.name(nn.Softmax(dim=-1))
    fresh = [nn.Softmax(dim=-1) for _ in range(20)]
    assert {names.name(each) for each in fresh} == {"Softmax"}
    looking = count_lines(lambda: ModuleNames().name(Agent()))
    assert count_lines(lambda: names.name(nn.Softmax(dim=-1))) < looking / 3


def test_living_objects_are_those_of_the_class_and_of_what_is_derived_from_it():
    agent = Agent()
    found = {id(each) for each in list_living(nn.Module)}
    assert {id(agent), id(agent.critic), id(agent.critic[0])} <= found
    assert id(agent.critic[0].weight) not in found
