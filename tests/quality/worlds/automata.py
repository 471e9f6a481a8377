"""Scripted policies that do well in the healthy environment, and one that has learnt nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

ICE = (0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0)
"""The best move in each field of the slippery 4 x 4 lake."""

WALL, RIGHT, FORWARD = 2, 1, 2


def cart_pole(observation: Any) -> int:
    """Push to where the pole falls: 500 steps."""
    position, speed, angle, turning = observation
    return int(0.1 * position + 0.3 * speed + angle + 0.6 * turning > 0)


def mountain_car(observation: Any) -> int:
    """Push the way it rolls: about -120."""
    return 2 if observation[1] > 0 else 0


def mountain_car_continuous(observation: Any) -> Any:
    """Push the way it rolls: about +90."""
    return np.array([1.0 if observation[1] > 0 else -1.0], dtype=np.float32)


def pendulum(observation: Any) -> Any:
    """Pump energy, then hold: about -200 of -1,200 under random play."""
    cosine, sine, turning = (float(number) for number in observation)
    if cosine > 0.9:
        torque = -10.0 * np.arctan2(sine, cosine) - 2.0 * turning
    else:
        torque = 2.0 * np.sign(turning or 1.0) * np.sign(10.0 - (0.5 * turning**2 / 3.0 + 5.0 * cosine) * 2.0 + 1e-9)
    return np.array([np.clip(torque, -2.0, 2.0)], dtype=np.float32)


def inverted_pendulum(observation: Any) -> Any:
    """Push to where the pole falls: 1,000 steps."""
    position, angle, speed, turning = observation
    return np.array([np.clip(2.0 * position + 40.0 * angle + speed + 2.0 * turning, -3.0, 3.0)], dtype=np.float32)


def frozen_lake(observation: Any) -> int:
    """The best policy there is: three of four episodes."""
    return ICE[int(observation)]


def empty_grid(observation: Any) -> int:
    """Straight on, right at the wall: the goal is in the far corner."""
    return RIGHT if observation["image"][3, 5, 0] == WALL else FORWARD


class Coin:
    """Actions that do not depend on what is seen, as of a policy before its first update."""

    def __init__(self, low: Any, high: Any = None) -> None:
        self.low, self.high, self.rng = low, high, np.random.default_rng(7)

    def __call__(self, observation: Any) -> Any:
        del observation
        if self.high is None:
            return int(self.rng.integers(self.low))
        return self.rng.uniform(self.low, self.high, 1).astype(np.float32)


coin_of_two = Coin(2)
coin_of_six = Coin(6)
coin_of_torque = Coin(-2.0, 2.0)


def hardly_better_cart_pole(observation: Any) -> int:
    """The right push in one of ten steps, else a coin."""
    return cart_pole(observation) if coin_of_two.rng.random() < 0.1 else coin_of_two(observation)


def hardly_better_pendulum(observation: Any) -> Any:
    """The right torque in one of fifty steps, else a random one."""
    return pendulum(observation) if coin_of_two.rng.random() < 0.02 else coin_of_torque(observation)
