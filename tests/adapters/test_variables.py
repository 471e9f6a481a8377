"""Settings that the code of a user has in its variables, wherever people keep them."""

from __future__ import annotations

import sys
import threading
from argparse import Namespace
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from weaklink.adapters.variables import find_targets, read_settings


@dataclass
class Plan:
    gamma: float = 0.99
    gae_lambda: float = 0.95


class Pair(NamedTuple):
    gamma: float
    eps_clip: float


class Agent:
    gamma = 0.9
    clip_ratio = 0.2

    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)

    @property
    def clip_coef(self) -> float:
        raise AssertionError("a property may do anything, and is not asked")


def look(file: str = "/home/somebody/train.py", read: Any = read_settings, **held: Any) -> dict[str, Any]:
    """What is read where these are the variables of a script; in a thread, which has none of this test's."""
    code = compile("found = read(sys._getframe())", file, "exec")
    scope = {"read": read, "sys": sys, **held}
    thread = threading.Thread(target=exec, args=(code, scope))
    thread.start()
    thread.join()
    return scope["found"]


@pytest.mark.parametrize(
    ("held", "found"),
    [
        ({"gamma": 0.98, "lam": 0.9}, {"gamma": 0.98, "gae_lambda": 0.9}),
        ({"GAMMA": 0.98, "K_epochs": 10}, {"gamma": 0.98}),
        ({"args": Namespace(gamma=0.98, clip_coef=0.1)}, {"gamma": 0.98, "clip_range": 0.1}),
        ({"chosen": Plan(gamma=0.98)}, {"gamma": 0.98, "gae_lambda": 0.95}),
        ({"hp": {"gamma": 0.98}, "table": {"gamma": 0.5}}, {"gamma": 0.98}),
        ({"cfg": Pair(0.98, 0.3)}, {"gamma": 0.98, "clip_range": 0.3}),
        ({"args": Namespace(inner=Plan())}, {"gamma": 0.99, "gae_lambda": 0.95}),
    ],
)
def test_settings_are_found_where_people_keep_them(held: dict[str, Any], found: dict[str, float]) -> None:
    assert look(**held) == found


def test_the_object_of_a_method_is_asked_before_its_class() -> None:
    assert look(self=Agent()) == {"gamma": 0.9, "clip_range": 0.2}
    assert look(self=Agent(gamma=0.8)) == {"gamma": 0.8, "clip_range": 0.2}


@pytest.mark.parametrize(
    "held",
    [
        {"gamma": 0.98, "args": Namespace(gamma=0.99)},  # either may be meant
        {"gae": 0.4, "epsilon": 0.1, "clip": 0.5, "discount": 0.0},
        {"gamma": 0.0},
        {"gamma": "0.99"},
        {"gamma": True},
        {"other": Agent(gamma=0.5)},
        {"Plan": Plan},  # its defaults
    ],
)
def test_what_may_mean_something_else_is_left_out(held: dict[str, Any]) -> None:
    assert look(**held) == {}


def test_variables_of_libraries_are_none_of_the_users() -> None:
    assert look("/usr/lib/python3/site-packages/lib.py", gamma=0.5) == {}


def test_targets_are_known_by_the_names_that_people_give_them() -> None:
    held = {"target_net": 1, "q1_targ": 2, "tgt": 3, "tag": 4, "network": 5}
    assert look(read=find_targets, **held) == {"target_net": 1, "q1_targ": 2, "tgt": 3}
