"""Environments that fail in every way a process can: a survey must outlive them all."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

import gymnasium as gym
import numpy as np

AFTER = 20
"""Steps that all is well."""


class Hostile(gym.Wrapper):
    """A cart pole that counts its steps, over all episodes, and then does something."""

    steps = 0

    def __init__(self) -> None:
        super().__init__(gym.make("CartPole-v1"))

    def step(self, action):
        self.steps += 1
        return self.turned(self.env.step(action)) if self.steps > AFTER else self.env.step(action)

    def turned(self, step):
        raise NotImplementedError


class raises(Hostile):
    def turned(self, step):
        raise ZeroDivisionError("division by zero in the physics")


class raises_at_make(gym.Env):
    def __init__(self) -> None:
        raise FileNotFoundError("assets/robot.xml")


class raises_at_reset(Hostile):
    def reset(self, *, seed=None, options=None):
        raise KeyError("goal")


class raises_base_exception(Hostile):
    def turned(self, step):
        raise BaseException("not even an Exception")


class exits(Hostile):
    def turned(self, step):
        sys.exit(3)


class exits_hard(Hostile):
    def turned(self, step):
        os._exit(7)


class hangs(Hostile):
    def turned(self, step):
        while True:
            time.sleep(1)


class hangs_busy(Hostile):
    def turned(self, step):
        while True:
            pass


class hangs_at_make(gym.Env):
    def __init__(self) -> None:
        time.sleep(10_000)


class hangs_at_close(Hostile):
    def turned(self, step):
        return step

    def close(self):
        time.sleep(10_000)


class ignores_signals(Hostile):
    """Hangs, and is deaf to the polite ways of ending it."""

    def turned(self, step):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1)


class segfaults(Hostile):
    def turned(self, step):
        ctypes.string_at(0)
        return step


class is_killed(Hostile):
    def turned(self, step):
        os.kill(os.getpid(), signal.SIGKILL)
        return step


class aborts(Hostile):
    def turned(self, step):
        os.abort()


class leaks(Hostile):
    """A million bytes a step, kept for ever."""

    kept: list[bytearray]

    def turned(self, step):
        self.kept = [*getattr(self, "kept", []), bytearray(os.urandom(1)) * 1_000_000]
        return step


class runs_out_of_memory(Hostile):
    def turned(self, step):
        raise MemoryError


class recurses(Hostile):
    def turned(self, step):
        return self.turned(step)


class starts_threads(Hostile):
    def turned(self, step):
        if self.steps % 50 == 0:
            threading.Thread(target=time.sleep, args=(10_000,)).start()
        return step


class floods_output(Hostile):
    def turned(self, step):
        print("step done " * 1000)
        print("step done " * 1000, file=sys.stderr)
        return step


class closes_output(Hostile):
    def turned(self, step):
        os.close(1)
        os.close(2)
        return step


class changes_folder(Hostile):
    def turned(self, step):
        os.chdir("/")
        return step


class gives_nan(Hostile):
    def turned(self, step):
        observation, _, *rest = step
        return observation * np.nan, float("nan"), *rest


class gives_nothing(Hostile):
    def turned(self, step):
        return None


class gives_other_types(Hostile):
    def turned(self, step):
        return "observation", "reward", "no", "no", "info"


class gives_other_shapes(Hostile):
    def turned(self, step):
        return np.zeros((self.steps % 5, 3)), np.ones(4), False, False, {}


class gives_objects(Hostile):
    def turned(self, step):
        return np.array([object()] * 4), complex(1, 1), False, False, {0: object()}


class grows_its_space(Hostile):
    """The space changes while it is played."""

    def turned(self, step):
        self.observation_space = gym.spaces.Box(-1, 1, (self.steps,))
        return step


class has_no_spaces(gym.Env):
    def reset(self, *, seed=None, options=None):
        return np.zeros(3), {}

    def step(self, action):
        return np.zeros(3), 0.0, False, False, {}


class never_ends(Hostile):
    """No episode ends, not even by the clock."""

    def step(self, action):
        return self.env.unwrapped.step(action)[0], 1.0, False, False, {}


class ends_at_reset(Hostile):
    """Every step is the last one."""

    def step(self, action):
        return *self.env.step(action)[:2], True, True, {}


def not_an_environment():
    return {"observation_space": 4}


def nothing_at_all():
    return None


EXPECTED = {
    "raises": "ENV111",
    "raises_at_make": "ENV111",
    "raises_at_reset": "ENV111 ENV101",
    "raises_base_exception": "ENV111",
    "exits": "ENV111",
    "exits_hard": "ENV111",
    "hangs": "ENV112",
    "hangs_busy": "ENV112",
    "hangs_at_make": "ENV112",
    "hangs_at_close": "",
    "ignores_signals": "ENV112",
    "segfaults": "ENV111",
    "is_killed": "ENV111",
    "aborts": "ENV111",
    "leaks": "ENV113",
    "runs_out_of_memory": "ENV111 ENV113",
    "recurses": "ENV111",
    "starts_threads": "",
    "floods_output": "",
    "closes_output": "",
    "changes_folder": "",
    "gives_nan": "OBS104 REW111",
    "gives_nothing": "ENV101 ENV111",
    "gives_other_types": "ENV101 ENV111",
    "gives_other_shapes": "ENV101 ENV111",
    "gives_objects": "ENV101 ENV111",
    "grows_its_space": "",
    "has_no_spaces": "ENV101 ENV111",
    "never_ends": "",
    "ends_at_reset": "TSK105 ENV107",
}
"""The codes that are right for each; none where it is enough that the survey comes to an end and says something.

`not_an_environment` and `nothing_at_all` are wrong use, which is an error of its own and not a finding.
"""
