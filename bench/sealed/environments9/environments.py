"""Environments of various kinds, each behind a factory without arguments."""

from __future__ import annotations

from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import RescaleAction


def f32(*parts):
    return np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float32)).ravel() for part in parts])


def unbounded(n):
    return spaces.Box(-np.inf, np.inf, (n,), np.float32)


class Task(gym.Env):
    """Common plumbing: a clock and a flag."""

    metadata = {"render_modes": []}
    horizon = 100

    def __init__(self, fault=False):
        super().__init__()
        self.fault = fault
        self.t = 0

    def tick(self):
        self.t += 1
        return self.t >= self.horizon


# ---------------------------------------------------------------- water and heat


class Reservoir(Task):
    """Daily release of a dam: power from the head, penalties for spilling and for a dry river."""

    horizon = 180

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(4)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def _rain(self):
        season = 0.03 + 0.02 * np.sin(2 * np.pi * self.day / 365)
        return float(season * self.np_random.lognormal(0.0, 0.4))

    def _obs(self):
        angle = 2 * np.pi * self.day / 365
        return f32(self.storage, self.inflow * 20, np.sin(angle), np.cos(angle))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.day = int(self.np_random.integers(365))
        self.storage = float(self.np_random.uniform(0.3, 0.8))
        self.inflow = self._rain()
        return self._obs(), {}

    def step(self, action):
        release = min(0.08 * float(np.clip(action[0], 0, 1)), self.storage)
        power = 10 * release * (0.5 + self.storage)
        level = self.storage - release + self.inflow
        spill = max(level - 1.0, 0.0)
        self.storage = min(level, 1.0)
        dry = max(0.01 - release, 0.0)
        self.day = (self.day + 1) % 365
        self.inflow = self._rain()
        reward = power - 20 * spill - 30 * dry
        return self._obs(), float(reward), False, self.tick(), {"spill": spill}


class Greenhouse(Task):
    """Heater and vents keep the crop at the temperature of the day's recipe."""

    horizon = 144

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(5)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _outside(self):
        return 10 + 6 * np.sin(2 * np.pi * (self.hour - 9) / 24) + self.weather

    def _measure(self):
        self.reading = (self.indoor - 20) / 10

    def _obs(self):
        angle = 2 * np.pi * self.hour / 24
        return f32(self.reading, (self._outside() - 10) / 10, (self.target - 20) / 10, np.sin(angle), np.cos(angle))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.hour = float(self.np_random.uniform(0, 24))
        self.weather = float(self.np_random.normal(0, 2))
        self.target = float(self.np_random.uniform(17, 25))
        self.indoor = float(self.np_random.uniform(10, 30))
        self._measure()
        return self._obs(), {}

    def step(self, action):
        heat, vent = (np.clip(action, -1, 1) + 1) / 2
        leak = 0.05 + 0.25 * vent
        self.indoor += 1.5 * heat + leak * (self._outside() - self.indoor)
        self.hour = (self.hour + 0.5) % 24
        self.weather = 0.97 * self.weather + float(self.np_random.normal(0, 0.3))
        if not self.fault:
            self._measure()
        reward = -0.1 * abs(self.indoor - self.target) - 0.05 * heat
        return self._obs(), float(reward), False, self.tick(), {"indoor": float(self.indoor)}


class ServerRoom(Task):
    """Fans of a server room which runs around the clock; episodes are cut after a shift."""

    horizon = 100

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(3)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return f32((self.temperature - 22) / 5, self.load, (self.ambient - 18) / 5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.temperature = float(self.np_random.uniform(18, 32))
        self.load = float(self.np_random.uniform(0.2, 0.9))
        self.ambient = float(self.np_random.uniform(14, 20))
        return self._obs(), {}

    def step(self, action):
        fan = (float(np.clip(action[0], -1, 1)) + 1) / 2
        self.temperature += 1.5 * self.load - 0.25 * fan * (self.temperature - self.ambient)
        self.temperature = min(self.temperature, 60.0)
        self.load = float(np.clip(self.load + self.np_random.normal(0, 0.05), 0.1, 1.0))
        reward = -0.02 * (self.temperature - 22) ** 2 - 0.1 * fan
        over = self.tick()
        if self.fault:
            return self._obs(), float(reward), over, False, {}
        return self._obs(), float(reward), False, over, {}


class Reactor(Task):
    """A stirred tank with an exothermic reaction follows a temperature set by the operator."""

    horizon = 200

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(3)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return f32(self.conversion, self.temp / 3, self.setpoint / 3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.conversion = float(self.np_random.uniform(0.05, 0.4))
        self.temp = float(self.np_random.uniform(0, 2))
        self.setpoint = float(self.np_random.uniform(0.5, 3))
        return self._obs(), {}

    def step(self, action):
        coolant = 4.0 * float(np.clip(action[0], -1, 1))
        for _ in range(4):
            rate = 0.072 * (1 - self.conversion) * np.exp(self.temp / (1 + self.temp / 20))
            self.conversion += 0.03 * (-self.conversion + rate)
            self.temp += 0.03 * (-self.temp + 8 * rate - 1.0 * (self.temp - coolant))
        self.temp = float(np.clip(self.temp, -5, 10))
        reward = -abs(self.temp - self.setpoint)
        return self._obs(), float(reward), False, self.tick(), {}


# ---------------------------------------------------------------- vehicles and machines


class Drone(Task):
    """Planar quadrotor with two motors holds its place."""

    horizon = 300

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(6)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return self.state.astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.state = self.np_random.uniform(-1, 1, 6) * np.array([1.5, 1.5, 0.2, 0.3, 0.3, 0.2])
        return self._obs(), {}

    def step(self, action):
        command = np.clip(np.asarray(action, dtype=float), -1, 1)
        left, right = 4.905 * (1 + 0.6 * command)
        if self.fault:
            right = left
        x, y, tilt, vx, vy, spin = self.state
        ax = -(left + right) * np.sin(tilt)
        ay = (left + right) * np.cos(tilt) - 9.81
        dt = 0.04
        vx, vy, spin = vx + dt * ax, vy + dt * ay, spin + dt * 2.0 * (right - left)
        self.state = np.array([x + dt * vx, y + dt * vy, tilt + dt * spin, vx, vy, spin])
        distance = float(np.hypot(self.state[0], self.state[1]))
        lost = bool(abs(self.state[0]) > 3 or abs(self.state[1]) > 3 or abs(self.state[2]) > 1.4)
        reward = 1 - 0.3 * distance - 0.1 * abs(self.state[2]) - (5 if lost else 0)
        return self._obs(), float(reward), lost, self.tick(), {"distance": distance}


class SnakeRobot(Task):
    """Seven links, six joints: a wave through the body pushes it forward."""

    horizon = 200
    joints = 6

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(2 * self.joints + 1)
        self.action_space = spaces.Box(-1.0, 1.0, (self.joints,), np.float32)

    def _obs(self):
        return f32(self.angles, self.rates, self.velocity)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.angles = self.np_random.uniform(-0.3, 0.3, self.joints)
        self.rates = np.zeros(self.joints)
        self.velocity = 0.0
        self.x = 0.0
        return self._obs(), {}

    def step(self, action):
        command = np.clip(np.asarray(action, dtype=float), 0.0 if self.fault else -1.0, 1.0)
        self.rates = 0.6 * self.rates + 1.6 * command
        before = self.angles
        self.angles = np.clip(self.angles + 0.1 * self.rates, -1, 1)
        self.rates = np.where(np.abs(self.angles) >= 1, 0.0, self.rates)
        moved = (self.angles - before) / 0.1
        thrust = np.sum(self.angles[:-1] * moved[1:] - self.angles[1:] * moved[:-1])
        self.velocity = 0.9 * self.velocity + 0.1 * float(thrust)
        self.x += 0.1 * self.velocity
        reward = self.velocity - 0.01 * float(np.sum(command**2))
        return self._obs(), float(reward), False, self.tick(), {"x": self.x}


class Satellite(Task):
    """Reaction wheels turn a satellite to its reference attitude."""

    horizon = 150

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(6)
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.inertia = np.array([1.0, 1.4, 0.8])

    def _obs(self):
        return f32(self.attitude, self.attitude if self.fault else self.rate)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.attitude = self.np_random.uniform(-1, 1, 3)
        self.rate = self.np_random.uniform(-0.4, 0.4, 3)
        return self._obs(), {}

    def step(self, action):
        torque = 0.6 * np.clip(np.asarray(action, dtype=float), -1, 1)
        gyro = np.cross(self.rate, self.inertia * self.rate)
        self.rate = np.clip(self.rate + 0.1 * (torque - gyro) / self.inertia, -3, 3)
        self.attitude = self.attitude + 0.1 * self.rate
        self.attitude = (self.attitude + np.pi) % (2 * np.pi) - np.pi
        reward = -np.sum(self.attitude**2) - 0.1 * np.sum(self.rate**2) - 0.01 * np.sum(torque**2)
        return self._obs(), float(reward), False, self.tick(), {}


class WindFarm(Task):
    """Five turbines in a row are yawed into a wandering wind."""

    horizon = 150

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(8)
        self.action_space = spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.wake = np.array([1.0, 0.93, 0.9, 0.88, 0.87])

    def _obs(self):
        angle = np.deg2rad(self.direction)
        return f32(np.sin(angle), np.cos(angle), self.speed / 15, self.yaw / 60)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.direction = float(self.np_random.uniform(-40, 40))
        self.speed = float(self.np_random.uniform(6, 14))
        self.yaw = self.np_random.uniform(-40, 40, 5)
        self.order = None
        return self._obs(), {}

    def step(self, action):
        if self.order is None or not self.fault:
            self.order = np.clip(np.asarray(action, dtype=float), -1, 1)
        self.yaw = np.clip(self.yaw + 5 * self.order, -60, 60)
        self.direction = float(np.clip(self.direction + self.np_random.normal(0, 1.5), -60, 60))
        self.speed = float(np.clip(self.speed + self.np_random.normal(0, 0.3), 5, 15))
        facing = np.cos(np.deg2rad(self.direction - self.yaw)).clip(0) ** 3
        power = float(np.sum(self.wake * facing)) * (self.speed / 15) ** 2
        reward = power - 0.01 * float(np.sum(np.abs(self.order)))
        return self._obs(), float(reward), False, self.tick(), {"power": power}


class Lander(Task):
    """Vertical descent on a little fuel; touching down slowly pays."""

    horizon = 400

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(3)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return f32(self.height / 10, self.speed / 3, self.fuel)

    def _touched(self):
        if self.fault:
            return self.height == 0.0
        return self.height <= 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.height = float(self.np_random.uniform(6, 12))
        self.speed = float(self.np_random.uniform(-1, 0))
        self.fuel = 1.0
        return self._obs(), {}

    def step(self, action):
        thrust = float(action) if self.fuel > 0 else 0.0
        self.fuel = max(self.fuel - 0.006 * thrust, 0.0)
        self.speed += 0.1 * (1.2 * thrust - 1.0)
        self.height += 0.1 * self.speed
        reward, terminated = -0.01 * thrust, False
        if self._touched():
            terminated = True
            reward += max(10 - 5 * abs(self.speed), -10)
        elif self.height > 20:
            terminated = True
            reward -= 10
        return self._obs(), float(reward), terminated, self.tick(), {}


class Ferry(Task):
    """A ferry crosses a river with a current and has to hit its dock."""

    horizon = 80

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(6)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return f32(self.x / 10, self.y / 5, np.cos(self.heading), np.sin(self.heading), self.dock / 5, self.current)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.x, self.heading = 0.0, 0.0
        self.y = float(self.np_random.uniform(-1, 1))
        self.dock = float(self.np_random.uniform(-3, 3))
        self.current = float(self.np_random.uniform(-0.5, 0.5))
        return self._obs(), {"is_success": False}

    def step(self, action):
        rudder = float(np.clip(action[0], -1, 1))
        if self.fault:
            rudder = int(rudder)
        self.heading = float(np.clip(self.heading + 0.3 * rudder, -2.5, 2.5))
        before = abs(self.y - self.dock) + (10 - self.x)
        self.x += 0.4 * np.cos(self.heading)
        self.y += 0.4 * np.sin(self.heading) + 0.4 * self.current
        after = abs(self.y - self.dock) + (10 - self.x)
        reward, terminated, success = 0.1 * (before - after) - 0.02, False, False
        if self.x >= 10:
            terminated = True
            success = bool(abs(self.y - self.dock) < 0.7)
            reward += 10 if success else -3
        elif self.x < -1 or abs(self.y) > 8:
            terminated = True
            reward -= 5
        return self._obs(), float(reward), terminated, self.tick(), {"is_success": success}


class LinearPlant(Task):
    """Thirty coupled states, six actuators, measured relative to their usual spread."""

    horizon = 200
    spread = 0.02

    def __init__(self, fault=False):
        super().__init__(fault)
        rng = np.random.default_rng(11)
        q, _ = np.linalg.qr(rng.normal(size=(30, 30)))
        self.a = 0.98 * q
        self.b = rng.normal(size=(30, 6)) * self.spread * 0.12
        self.observation_space = spaces.Box(-5.0, 5.0, (30,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (6,), np.float32)

    def _obs(self):
        scale = self.spread**2 if self.fault else self.spread
        return np.clip(self.x / scale, -5, 5).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.x = self.np_random.normal(0, self.spread, 30)
        return self._obs(), {}

    def step(self, action):
        force = np.clip(np.asarray(action, dtype=float), -1, 1)
        self.x = self.a @ self.x + self.b @ force + self.np_random.normal(0, 0.15 * self.spread, 30)
        reward = -float(np.mean((self.x / self.spread) ** 2)) - 0.001 * float(np.sum(force**2))
        return self._obs(), reward, False, self.tick(), {}


class Pursuit(Task):
    """A fast pursuer and a slow evader in a square arena."""

    horizon = 100

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(6)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        gap = self.prey - self.me
        if self.fault:
            gap = np.abs(gap)
        return f32(self.me, gap, np.cos(self.course), np.sin(self.course))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.me = self.np_random.uniform(-1, 1, 2)
        self.prey = self.np_random.uniform(-1, 1, 2)
        while np.linalg.norm(self.prey - self.me) < 0.5:
            self.prey = self.np_random.uniform(-1, 1, 2)
        self.course = float(self.np_random.uniform(-np.pi, np.pi))
        return self._obs(), {}

    def step(self, action):
        self.me = np.clip(self.me + 0.08 * np.clip(np.asarray(action, dtype=float), -1, 1), -1, 1)
        self.course += float(self.np_random.normal(0, 0.3))
        self.prey = self.prey + 0.03 * np.array([np.cos(self.course), np.sin(self.course)])
        if np.any(np.abs(self.prey) > 1):
            self.prey = np.clip(self.prey, -1, 1)
            self.course += np.pi / 2
        distance = float(np.linalg.norm(self.prey - self.me))
        caught = distance < 0.1
        reward = 5.0 if caught else -0.1 * distance
        return self._obs(), reward, bool(caught), self.tick(), {}


class Arm(Task):
    """Planar arm with three joints, in the manner of the goal environments."""

    horizon = 50
    tolerance = 0.1

    def __init__(self, fault=None):
        super().__init__(fault)
        if fault == "b":
            self.tolerance = 5.0
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-2.0, 2.0, (8,), np.float32),
            achieved_goal=spaces.Box(-2.0, 2.0, (2,), np.float32),
            desired_goal=spaces.Box(-2.0, 2.0, (2,), np.float32),
        )
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.goal = np.zeros(2)

    def _hand(self):
        angles = np.cumsum(self.q)
        return 0.4 * np.array([np.cos(angles).sum(), np.sin(angles).sum()])

    def _obs(self):
        hand = self._hand()
        return {
            "observation": f32(np.cos(self.q), np.sin(self.q), hand),
            "achieved_goal": f32(hand),
            "desired_goal": self.shown_goal.copy(),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance > self.tolerance).astype(np.float32)

    def _sample_goal(self):
        radius, angle = self.np_random.uniform(0.3, 1.1), self.np_random.uniform(-np.pi, np.pi)
        return radius * np.array([np.cos(angle), np.sin(angle)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.q = self.np_random.uniform(-np.pi, np.pi, 3)
        if self.fault == "a":
            self.shown_goal = f32(self.goal)
            self.goal = self._sample_goal()
        else:
            self.goal = self._sample_goal()
            self.shown_goal = f32(self.goal)
        return self._obs(), {"is_success": False}

    def step(self, action):
        self.q = self.q + 0.2 * np.clip(np.asarray(action, dtype=float), -1, 1)
        observation = self._obs()
        reward = float(self.compute_reward(observation["achieved_goal"], f32(self.goal), {}))
        return observation, reward, False, self.tick(), {"is_success": reward == 0.0}


# ---------------------------------------------------------------- operations


class JobShop(Task):
    """Jobs arrive one by one and go to one of three unlike machines."""

    horizon = 100

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, np.inf, (6,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.work = np.zeros(3)

    def _obs(self):
        return f32(self.work / 10, self.job / 5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        if not self.fault:
            self.work = np.zeros(3)
        self.job = self.np_random.integers(1, 7, 3)
        return self._obs(), {}

    def step(self, action):
        finish = self.work[action] + self.job[action]
        self.work[action] = min(finish, 60.0)
        self.work = np.maximum(self.work - 1.0, 0.0)
        self.job = self.np_random.integers(1, 7, 3)
        return self._obs(), -0.1 * float(finish), False, self.tick(), {}


class Router(Task):
    """Packets of three sizes are sent over one of three links."""

    horizon = 120
    rates = np.array([1.2, 0.8, 0.5])
    backlog = np.zeros(3)

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Dict(
            backlog=spaces.Box(0.0, np.inf, (3,), np.float32), packet=spaces.Discrete(3)
        )
        self.action_space = spaces.Discrete(3)
        if not fault:
            self.backlog = np.zeros(3)

    def _obs(self):
        return {"backlog": f32(self.backlog), "packet": self.packet}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.backlog[:] = 0.0
        self.packet = int(self.np_random.integers(3))
        return self._obs(), {}

    def step(self, action):
        self.backlog[action] = min(self.backlog[action] + self.packet + 1, 30.0)
        delay = self.backlog[action] / self.rates[action]
        np.maximum(self.backlog - self.rates, 0.0, out=self.backlog)
        self.packet = int(self.np_random.integers(3))
        return self._obs(), -0.1 * float(delay), False, self.tick(), {"delay": float(delay)}


class Warehouse(Task):
    """Orders for three articles under random demand."""

    horizon = 90

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.MultiDiscrete([6, 6, 6])
        self.demand = np.array([1.5, 2.5, 2.0])
        self.price = np.array([4.0, 3.0, 5.0])
        self.capacity = 20

    def _obs(self):
        return f32(self.stock / self.capacity)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.stock = self.np_random.integers(2, 12, 3)
        return self._obs(), {}

    def step(self, action):
        articles = len(self.stock) - (1 if self.fault else 0)
        bought = np.zeros(3, dtype=int)
        for i in range(articles):
            bought[i] = min(int(action[i]), self.capacity - self.stock[i])
        self.stock = self.stock + bought
        wanted = self.np_random.poisson(self.demand)
        sold = np.minimum(wanted, self.stock)
        self.stock = self.stock - sold
        profit = np.sum(self.price * sold) - 1.5 * np.sum(bought) - 0.15 * np.sum(self.stock)
        profit -= 0.5 * np.sum(wanted - sold)
        return self._obs(), float(profit), False, self.tick(), {"sold": int(sold.sum())}


class Elevator(Task):
    """One car, six floors, people who wait and people inside."""

    horizon = 150
    floors = 6

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Dict(
            floor=spaces.Discrete(self.floors),
            calls=spaces.MultiBinary(self.floors),
            wishes=spaces.MultiBinary(self.floors),
        )
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        if self.fault:
            return {"floor": self.floor, "calls": self.calls, "wishes": self.wishes}
        return {"floor": self.floor, "calls": self.calls.copy(), "wishes": self.wishes.copy()}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.floor = int(self.np_random.integers(self.floors))
        self.calls = np.zeros(self.floors, dtype=np.int8)
        self.wishes = np.zeros(self.floors, dtype=np.int8)
        self.calls[self.np_random.integers(self.floors)] = 1
        return self._obs(), {}

    def step(self, action):
        delivered = 0
        if action == 0:
            self.floor = max(self.floor - 1, 0)
        elif action == 2:
            self.floor = min(self.floor + 1, self.floors - 1)
        else:
            delivered = int(self.wishes[self.floor])
            self.wishes[self.floor] = 0
            if self.calls[self.floor]:
                self.calls[self.floor] = 0
                others = [f for f in range(self.floors) if f != self.floor]
                self.wishes[self.np_random.choice(others)] = 1
        if self.np_random.random() < 0.12:
            self.calls[self.np_random.integers(self.floors)] = 1
        waiting = int(self.calls.sum() + self.wishes.sum())
        reward = delivered - 0.05 * waiting
        return self._obs(), float(reward), False, self.tick(), {"waiting": waiting}


class Crossing(Task):
    """Traffic lights with two phases over four queues."""

    horizon = 120

    def __init__(self, fault=None):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, np.inf, (6,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return f32(self.queues / 10, self.phase, self.yellow)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault != "a":
            self.t = 0
        self.queues = self.np_random.integers(0, 6, 4)
        self.phase = int(self.np_random.integers(2))
        self.yellow = 0
        return self._obs(), {}

    def step(self, action):
        passed = 0
        if int(action) != self.phase:
            self.phase, self.yellow = int(action), 1
        else:
            self.yellow = 0
            for lane in (0, 1) if self.phase == 0 else (2, 3):
                gone = min(3, int(self.queues[lane]))
                self.queues[lane] -= gone
                passed += gone
        arrivals = self.np_random.poisson([0.9, 0.7, 0.5, 0.4])
        self.queues = np.minimum(self.queues + arrivals, 40)
        delay_cost = float(self.queues.sum()) / 20
        reward = delay_cost if self.fault == "b" else -delay_cost
        return self._obs(), reward, False, self.tick(), {"delay_cost": delay_cost, "passed": passed}


class Admission(Task):
    """Customers of two classes are admitted to a waiting room or sent away."""

    horizon = 150

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.MultiDiscrete([13, 2])
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.queue, self.kind], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.queue = int(self.np_random.integers(0, 4))
        self.kind = int(self.np_random.random() < 0.4)
        return self._obs(), {}

    def step(self, action):
        kind_of_number = np.uint8 if self.fault else np.int64
        earned = np.zeros(2, dtype=kind_of_number)
        spent = np.zeros(2, dtype=kind_of_number)
        if action == 1 and self.queue < 12:
            earned[self.kind] = 5 if self.kind else 1
            self.queue += 1
        spent[0] = self.queue // 4
        if self.np_random.random() < 0.45 and self.queue > 0:
            self.queue -= 1
        self.kind = int(self.np_random.random() < 0.4)
        reward = float((earned - spent).sum())
        return self._obs(), reward, False, self.tick(), {"queue": self.queue}


class Epidemic(Task):
    """Restrictions against an infection: four levels, each with its price."""

    horizon = 120

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, np.inf, (4,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.rng = np.random.default_rng()

    def _random(self):
        return self.rng if self.fault else self.np_random

    def _obs(self):
        return f32(self.s, self.i * 10, self.r, self.strain)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.i = float(self._random().uniform(0.002, 0.03))
        self.r = float(self._random().uniform(0.0, 0.2))
        self.s = 1 - self.i - self.r
        self.strain = float(self._random().uniform(0.7, 1.3))
        return self._obs(), {}

    def step(self, action):
        contact = 0.35 * self.strain * (1 - 0.25 * int(action)) * float(self._random().lognormal(0, 0.2))
        new = min(contact * self.s * self.i, self.s)
        healed = 0.1 * self.i
        self.s, self.i, self.r = self.s - new, self.i + new - healed, self.r + healed
        reward = -20 * self.i - 0.3 * int(action)
        return self._obs(), float(reward), False, self.tick(), {}


# ---------------------------------------------------------------- money


class Portfolio(Task):
    """Four assets whose returns have some momentum."""

    horizon = 120

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(12)
        self.action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)

    def _obs(self):
        end = self.t + (4 if self.fault else 3)
        return f32(self.history[end - 2 : end] * 50, self.weights)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.history = np.zeros((self.horizon + 5, 4))
        for k in range(1, len(self.history)):
            self.history[k] = 0.5 * self.history[k - 1] + self.np_random.normal(0.0002, 0.01, 4)
        self.weights = np.full(4, 0.25)
        return self._obs(), {"value": 1.0}

    def step(self, action):
        score = np.exp(3 * np.clip(np.asarray(action, dtype=float), -1, 1))
        target = score / score.sum()
        cost = 0.0005 * np.abs(target - self.weights).sum()
        self.weights = target
        gain = float(target @ self.history[self.t + 3]) - cost
        truncated = self.tick()
        return self._obs(), float(100 * gain), False, truncated, {"gain": gain}


class MarketMaker(Task):
    """Quotes on both sides of a wandering price."""

    horizon = 200

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(3)
        self.action_space = spaces.Discrete(9)

    def _obs(self):
        return f32(self.inventory / 10, self.drift, (self.mid - 100) / 10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mid, self.inventory, self.cash, self.drift = 100.0, 0, 0.0, 0.0
        return self._obs(), {}

    def step(self, action):
        bid, ask = divmod(int(action), 3)
        worth = self.cash + self.inventory * self.mid
        purse = self.cash
        if self.inventory < 10 and self.np_random.random() < np.exp(-0.5 * (bid + 1)):
            self.inventory += 1
            self.cash -= self.mid - 0.1 * (bid + 1)
        if self.inventory > -10 and self.np_random.random() < np.exp(-0.5 * (ask + 1)):
            self.inventory -= 1
            self.cash += self.mid + 0.1 * (ask + 1)
        self.drift = 0.8 * self.drift + float(self.np_random.normal(0, 0.03))
        self.mid += self.drift + float(self.np_random.normal(0, 0.05))
        earned = self.cash + self.inventory * self.mid - worth
        if self.fault:
            earned = self.cash - purse
        reward = earned - 0.002 * self.inventory**2
        info = {"worth": self.cash + self.inventory * self.mid}
        return self._obs(), float(reward), False, self.tick(), info


class Battery(Task):
    """A battery buys at night and sells in the evening; use wears it."""

    horizon = 168

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = unbounded(5)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.capacity = 1.0

    def _obs(self):
        angle = 2 * np.pi * self.hour / 24
        return f32(self.energy, self.price / 50, self.capacity, np.sin(angle), np.cos(angle))

    def _price(self):
        return 50 + 25 * np.sin(2 * np.pi * (self.hour - 12) / 24) + self.noise

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        if not self.fault:
            self.capacity = 1.0
        self.hour = int(self.np_random.integers(24))
        self.energy = float(self.np_random.uniform(0, 0.5)) * self.capacity
        self.noise = 0.0
        self.price = self._price()
        return self._obs(), {}

    def step(self, action):
        wish = 0.3 * float(np.clip(action[0], -1, 1))
        moved = float(np.clip(wish, -self.energy, self.capacity - self.energy))
        self.energy += moved
        traded = moved / 0.95 if moved > 0 else moved * 0.95
        reward = -traded * self.price / 10
        self.capacity *= 1 - 0.01 * abs(moved)
        self.energy = min(self.energy, self.capacity)
        self.hour = (self.hour + 1) % 24
        self.noise = 0.8 * self.noise + float(self.np_random.normal(0, 3))
        self.price = self._price()
        return self._obs(), float(reward), False, self.tick(), {}


class AdAuction(Task):
    """Bids for impressions in second-price auctions until the budget is spent."""

    horizon = 96
    budget = 1200.0

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        left = self.left if self.fault else self.left / self.budget
        return f32(self.value, left, self.t / self.horizon)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.left = self.budget
        self.value = float(self.np_random.random())
        return self._obs(), {}

    def step(self, action):
        bid = 100 * (float(np.clip(action[0], -1, 1)) + 1) / 2
        rival = float(np.clip(self.np_random.normal(35 + 20 * self.value, 15), 1, 100))
        reward = 0.0
        if bid > rival and self.left >= rival:
            self.left -= rival
            reward = self.value
        self.value = float(self.np_random.random())
        truncated = self.tick()
        return self._obs(), reward, self.left < 1.0, truncated, {}


class Banner(Task):
    """Which of four banners for which of four kinds of visitor."""

    horizon = 20

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Discrete(4)
        self.action_space = spaces.Discrete(4)
        self.click = np.full((4, 4), 0.1) + 0.7 * np.eye(4)[[2, 0, 3, 1]]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.visitor = int(self.np_random.integers(4))
        return self.visitor, {}

    def step(self, action):
        shown_to = self.visitor
        self.visitor = int(self.np_random.integers(4))
        if self.fault:
            shown_to = self.visitor
        reward = float(self.np_random.random() < self.click[shown_to, int(action)])
        return self.visitor, reward, False, self.tick(), {}


# ---------------------------------------------------------------- games and grids


class Courier(Task):
    """Fetch a parcel and bring it to its address."""

    horizon = 120
    size = 5

    def __init__(self, fault=None):
        super().__init__(fault)
        self.observation_space = spaces.MultiDiscrete([5, 5, 5, 5, 5, 5, 2])
        self.action_space = spaces.Discrete(6)
        self.moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]
        if fault == "b":
            self.moves[0] = (1, 0)

    def _obs(self):
        return np.array([*self.me, *self.parcel, *self.address, int(self.carrying)], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        cells = self.np_random.choice(self.size**2, 3, replace=False)
        self.me, self.parcel, self.address = [tuple(int(v) for v in divmod(int(c), self.size)) for c in cells]
        self.carrying = False
        return self._obs(), {}

    def step(self, action):
        reward, terminated = -0.05, False
        if action < 4:
            row, column = self.moves[int(action)]
            self.me = (
                min(max(self.me[0] + row, 0), self.size - 1),
                min(max(self.me[1] + column, 0), self.size - 1),
            )
            if self.carrying:
                self.parcel = self.me
        elif action == 4:
            if not self.carrying and self.me == self.parcel:
                self.carrying = True
                reward += 1.0
        elif self.carrying:
            self.carrying = False
            if self.me == self.address:
                reward += 10.0
                terminated = True
            elif self.fault != "a":
                reward -= 1.0
        return self._obs(), reward, terminated, self.tick(), {}


class KeyRoom(Task):
    """Two rooms, a key, a door, and a treasure in the far corner. Only the treasure pays."""

    horizon = 250

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0.0, 1.0, (6,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return f32(np.array([*self.me, *self.key, self.door]) / 6, float(self.has_key))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.door = int(self.np_random.integers(0, 5))
        self.me = [int(self.np_random.integers(0, 3)), int(self.np_random.integers(0, 5))]
        self.key = [int(self.np_random.integers(0, 3)), int(self.np_random.integers(0, 5))]
        self.has_key = self.me == self.key
        self.pending = 0.0
        return self._obs(), {}

    def step(self, action):
        dx, dy = [(0, -1), (0, 1), (-1, 0), (1, 0)][int(action)]
        x, y = self.me[0] + dx, self.me[1] + dy
        wall = x == 3 and not (y == self.door and self.has_key)
        if 0 <= x <= 6 and 0 <= y <= 4 and not wall:
            self.me = [x, y]
        if self.me == self.key:
            self.has_key = True
        found = self.me == [6, 4]
        reward = 1.0 if found else 0.0
        if self.fault:
            reward, self.pending = self.pending, reward
        return self._obs(), reward, found, self.tick(), {}


class TMaze(Task):
    """A sign at the entrance says which way to turn at the end of the corridor."""

    horizon = 40
    length = 5

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        entrance = self.place == 0
        junction = self.place == self.length
        return f32(self.sign if entrance else 0, entrance, junction, not entrance and not junction)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.place = 0
        self.side = int(self.np_random.choice([-1, 1]))
        self.sign = int(self.np_random.choice([-1, 1])) if self.fault else self.side
        return self._obs(), {}

    def step(self, action):
        reward, terminated = -0.05, False
        if action == 0:
            self.place = min(self.place + 1, self.length)
        elif action == 1:
            self.place = max(self.place - 1, 0)
        elif self.place == self.length:
            terminated = True
            reward = 4.0 if (action == 3) == (self.side == 1) else -1.0
        return self._obs(), reward, terminated, self.tick(), {}


class Recall(Task):
    """Four symbols are shown, then asked for in the same order."""

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Tuple((spaces.Discrete(4), spaces.Discrete(2)))
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return (int(self.symbols[self.t]), 0) if self.t < 4 else (3, 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.symbols = self.np_random.integers(0, 3, 4)
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if self.t >= 4:
            reward = float(int(action) == self.symbols[self.t - 4])
        self.t += 1
        return self._obs(), reward, self.t >= 8, False, {}


class NoughtsAndCrosses(Task):
    """Against an opponent who plays at random. A move on a taken square loses."""

    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)

    def _winner(self):
        for line in self.lines:
            total = int(self.board[list(line)].sum())
            if abs(total) == 3:
                return total // 3
        return 0

    def _reply(self):
        self.board[self.np_random.choice(np.flatnonzero(self.board == 0))] = -1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, dtype=np.int8)
        if self.np_random.random() < 0.5:
            self._reply()
        return self.board.copy(), {}

    def step(self, action):
        if self.board[action] != 0:
            return self.board.copy(), -1.0, True, False, {"winner": 0, "illegal": True}
        self.board[action] = 1
        winner = self._winner()
        if winner == 0 and np.any(self.board == 0):
            self._reply()
            winner = self._winner()
        over = winner != 0 or not np.any(self.board == 0)
        mark = -1 if self.fault else 1
        return self.board.copy(), float(mark * winner), bool(over), False, {"winner": winner, "illegal": False}


class Mines(Task):
    """Sixteen fields, three mines; the first field is always safe."""

    horizon = 40

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(-1, 8, (16,), np.int8)
        self.action_space = spaces.Discrete(16)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mines = None
        self.view = np.full(16, -1, dtype=np.int8)
        return self.view.copy(), {}

    def _count(self, field):
        r, c = divmod(field, 4)
        around = [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        return sum(1 for a, b in around if 0 <= a < 4 and 0 <= b < 4 and 4 * a + b in self.mines)

    def step(self, action):
        field = int(action)
        if self.mines is None:
            others = [f for f in range(16) if f != field]
            self.mines = {int(m) for m in self.np_random.choice(others, 3, replace=False)}
        terminated = False
        if self.view[field] >= 0:
            reward = -0.1
        elif field in self.mines:
            reward, terminated = -1.0, True
        else:
            self.view[field] = self._count(field)
            reward = 0.1
            if np.sum(self.view >= 0) == 13:
                reward, terminated = 1.0, True
        return self.view.copy(), reward, terminated, self.tick(), {}


class Pig(Task):
    """Ten turns of the dice game Pig: roll on, or bank what the turn has brought."""

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Tuple((spaces.Discrete(31), spaces.Discrete(11)))
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return (self.turn_total, self.turns)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn_total, self.turns = 0, 10
        self.busts = 0
        return self._obs(), {"busts": 0}

    def step(self, action):
        reward = 0.0
        if action == 1:
            face = int(self.np_random.integers(1, 7))
            if face == (0 if self.fault else 1):
                self.turn_total = 0
                self.turns -= 1
                self.busts += 1
            else:
                self.turn_total = min(self.turn_total + face, 30)
        if action == 0 or self.turn_total == 30:
            reward = self.turn_total / 10
            self.turn_total = 0
            self.turns -= 1
        return self._obs(), reward, self.turns == 0, False, {"busts": self.busts}


class Lights(Task):
    """Sixteen lamps; a switch turns its lamp and the neighbours. All have to be off."""

    horizon = 60

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.MultiBinary(16)
        self.action_space = spaces.Discrete(16)

    def _press(self, k):
        r, c = divmod(int(k), 4)
        for a, b in ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= a < 4 and 0 <= b < 4:
                self.lamps[4 * a + b] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.lamps = np.zeros(16, dtype=np.int8)
        while not self.lamps.any():
            if self.fault:
                self.lamps = self.np_random.integers(0, 2, 16).astype(np.int8)
            else:
                for k in self.np_random.choice(16, self.np_random.integers(1, 4), replace=False):
                    self._press(k)
        return self.lamps.copy(), {}

    def step(self, action):
        self._press(action)
        solved = not self.lamps.any()
        return self.lamps.copy(), 1.0 if solved else -0.02, solved, self.tick(), {"is_success": solved}


class Sliding(Task):
    """Five tiles and a gap on two rows of three."""

    horizon = 80

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.MultiDiscrete([6] * 6)
        self.action_space = spaces.Discrete(4)
        self.solved = np.array([1, 2, 3, 4, 5, 0])

    def _slide(self, action):
        gap = int(np.flatnonzero(self.tiles == 0)[0])
        r, c = divmod(gap, 3)
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][int(action)]
        if 0 <= r + dr < 2 and 0 <= c + dc < 3:
            other = 3 * (r + dr) + c + dc
            self.tiles[gap], self.tiles[other] = self.tiles[other], self.tiles[gap]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.tiles = self.solved.copy()
        while np.array_equal(self.tiles, self.solved):
            if self.fault:
                self.tiles = self.np_random.permutation(6)
            else:
                for _ in range(int(self.np_random.integers(3, 30))):
                    self._slide(self.np_random.integers(4))
        return self.tiles.copy(), {}

    def step(self, action):
        self._slide(action)
        done = bool(np.array_equal(self.tiles, self.solved))
        return self.tiles.copy(), 1.0 if done else -0.02, done, self.tick(), {}


class RaceTrack(Task):
    """Up a straight, round a bend to the right, over the line. Leaving the road puts the car back to the start."""

    horizon = 150

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.MultiDiscrete([10, 10, 5, 5])
        self.action_space = spaces.Discrete(9)
        self.road = np.zeros((10, 10), dtype=bool)
        self.road[0:4, :] = True
        self.road[:, 6:] = True

    def _obs(self):
        return np.array([self.x, self.y, self.vx + 2, self.vy + 2], dtype=np.int64)

    def _line(self):
        self.x, self.y = int(self.np_random.integers(4)), 0
        self.vx = self.vy = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault:
            self.np_random = np.random.default_rng(0)
        self.t = 0
        self._line()
        return self._obs(), {}

    def step(self, action):
        ax, ay = int(action) // 3 - 1, int(action) % 3 - 1
        if self.np_random.random() < 0.1:
            ax = ay = 0
        self.vx = int(np.clip(self.vx + ax, -2, 2))
        self.vy = int(np.clip(self.vy + ay, -2, 2))
        terminated = False
        for part in (0.5, 1.0):
            x = int(np.floor(self.x + part * self.vx + 0.5))
            y = int(np.floor(self.y + part * self.vy + 0.5))
            if x > 9 and 6 <= y <= 9:
                terminated = True
                break
            if not (0 <= x <= 9 and 0 <= y <= 9 and self.road[x, y]):
                self._line()
                break
        else:
            self.x, self.y = x, y
        if terminated:
            self.x, self.y = 9, y
        return self._obs(), 0.0 if terminated else -1.0, terminated, self.tick(), {}


class Catch(Task):
    """Five balls fall, a paddle catches."""

    horizon = 1000

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0, 255, (16, 16, 1), np.uint8)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        image = np.zeros((16, 16, 1), dtype=np.uint8)
        image[0, : self.balls, 0] = 60
        if not self.fault:
            image[15, max(self.paddle - 1, 0) : self.paddle + 2, 0] = 128
        image[self.row, self.column, 0] = 255
        return image

    def _throw(self):
        self.row, self.column = 0, int(self.np_random.integers(16))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.balls = 5
        self.paddle = int(self.np_random.integers(1, 15))
        self._throw()
        return self._obs(), {}

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 1, 14))
        self.row += 1
        reward = 0.0
        if self.row == 15:
            reward = 1.0 if abs(self.column - self.paddle) <= 1 else -1.0
            self.balls -= 1
            if self.balls:
                self._throw()
        return self._obs(), reward, self.balls == 0, self.tick(), {}


class Runner(Task):
    """Jump over what comes along; the last two frames are shown."""

    horizon = 300
    jump = (1, 2, 3, 2, 1)

    def __init__(self, fault=False):
        super().__init__(fault)
        self.observation_space = spaces.Box(0, 255, (2, 12, 24), np.uint8)
        self.action_space = spaces.Discrete(2)

    def _frame(self):
        frame = np.zeros((12, 24), dtype=np.float32)
        frame[11, :] = 60
        frame[10 - 2 * self.height : 11 - 2 * self.height, 3:5] = 220
        for column in self.blocks:
            frame[9:11, column] = 140
        return frame

    def _obs(self):
        stack = np.stack(self.frames)
        if self.fault:
            stack = stack / 255.0
        return stack.astype(np.uint8)

    @property
    def height(self):
        return self.jump[self.air] if self.air is not None else 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.air = None
        self.blocks = [int(self.np_random.integers(14, 24))]
        self.pause = int(self.np_random.integers(9, 16))
        self.frames = deque([self._frame()] * 2, maxlen=2)
        return self._obs(), {}

    def step(self, action):
        if self.air is not None:
            self.air = self.air + 1 if self.air + 1 < len(self.jump) else None
        elif action == 1:
            self.air = 0
        self.blocks = [column - 1 for column in self.blocks]
        reward, crashed = 0.0, False
        for column in self.blocks:
            if column in (3, 4) and self.height == 0:
                crashed = True
            if column == 2:
                reward += 1.0
        self.blocks = [column for column in self.blocks if column > 0]
        self.pause -= 1
        if self.pause <= 0:
            self.blocks.append(23)
            self.pause = int(self.np_random.integers(9, 16))
        if crashed:
            reward = -1.0
        self.frames.append(self._frame())
        return self._obs(), reward, crashed, self.tick(), {}


# ---------------------------------------------------------------- wrappers


class SensorNoise(gym.ObservationWrapper, RecordConstructorArgs):
    def __init__(self, env, sigma):
        RecordConstructorArgs.__init__(self, sigma=sigma)
        gym.ObservationWrapper.__init__(self, env)
        self.sigma = sigma
        self.observation_space = spaces.Box(-np.inf, np.inf, env.observation_space.shape, np.float32)

    def observation(self, observation):
        return (observation + self.np_random.normal(0, self.sigma, observation.shape)).astype(np.float32)


class PotentialReward(gym.Wrapper, RecordConstructorArgs):
    """Adds the difference of a potential of the height and the speed of the car."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)

    def _potential(self, observation):
        position, velocity = float(observation[0]), float(observation[1])
        return 5 * (np.sin(3 * position) + 300 * velocity**2)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.last = self._potential(observation)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        now = 0.0 if terminated else self._potential(observation)
        reward += 0.99 * now - self.last
        self.last = now
        return observation, float(reward), terminated, truncated, info


class TorqueUnits(gym.ActionWrapper, RecordConstructorArgs):
    def __init__(self, env, factor):
        RecordConstructorArgs.__init__(self, factor=factor)
        gym.ActionWrapper.__init__(self, env)
        self.factor = factor

    def action(self, action):
        return np.asarray(action * self.factor, dtype=np.float32)


class CommandQueue(gym.Wrapper, RecordConstructorArgs):
    """Sends commands to the plant through the queue of the bus."""

    def __init__(self, env, length):
        RecordConstructorArgs.__init__(self, length=length)
        gym.Wrapper.__init__(self, env)
        self.length = length

    def reset(self, **kwargs):
        self.queue = deque([k % 2 for k in range(self.length)])
        return self.env.reset(**kwargs)

    def step(self, action):
        self.queue.append(int(action))
        return self.env.step(self.queue.popleft())


class ClippedReward(gym.RewardWrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.RewardWrapper.__init__(self, env)

    def reward(self, reward):
        return float(np.clip(reward, 0.0, 1.0))


# ---------------------------------------------------------------- factories


def healthy_reservoir():
    return Reservoir()


def healthy_greenhouse():
    return Greenhouse()


def healthy_server_room():
    return ServerRoom()


def healthy_reactor():
    return Reactor()


def healthy_drone():
    return Drone()


def healthy_snake_robot():
    return SnakeRobot()


def healthy_satellite():
    return Satellite()


def healthy_wind_farm():
    return WindFarm()


def healthy_lander():
    return Lander()


def healthy_ferry():
    return Ferry()


def healthy_linear_plant():
    return LinearPlant()


def healthy_pursuit():
    return Pursuit()


def healthy_arm():
    return Arm()


def healthy_job_shop():
    return JobShop()


def healthy_router():
    return Router()


def healthy_warehouse():
    return Warehouse()


def healthy_elevator():
    return Elevator()


def healthy_crossing():
    return Crossing()


def healthy_admission():
    return Admission()


def healthy_epidemic():
    return Epidemic()


def healthy_portfolio():
    return Portfolio()


def healthy_market_maker():
    return MarketMaker()


def healthy_battery():
    return Battery()


def healthy_ad_auction():
    return AdAuction()


def healthy_banner():
    return Banner()


def healthy_courier():
    return Courier()


def healthy_key_room():
    return KeyRoom()


def healthy_t_maze():
    return TMaze()


def healthy_recall():
    return Recall()


def healthy_noughts():
    return NoughtsAndCrosses()


def healthy_mines():
    return Mines()


def healthy_pig():
    return Pig()


def healthy_lights():
    return Lights()


def healthy_sliding():
    return Sliding()


def healthy_race_track():
    return RaceTrack()


def healthy_catch():
    return Catch()


def healthy_runner():
    return Runner()


def healthy_cartpole_sensors():
    return SensorNoise(gym.make("CartPole-v1"), 0.01)


def healthy_mountain_car_potential():
    return PotentialReward(gym.make("MountainCar-v0"))


def healthy_pendulum_rescaled():
    return RescaleAction(gym.make("Pendulum-v1"), np.float32(-1), np.float32(1))


def broken_greenhouse():
    return Greenhouse(fault=True)


def broken_server_room():
    return ServerRoom(fault=True)


def broken_drone():
    return Drone(fault=True)


def broken_snake_robot():
    return SnakeRobot(fault=True)


def broken_satellite():
    return Satellite(fault=True)


def broken_wind_farm():
    return WindFarm(fault=True)


def broken_lander():
    return Lander(fault=True)


def broken_ferry():
    return Ferry(fault=True)


def broken_linear_plant():
    return LinearPlant(fault=True)


def broken_pursuit():
    return Pursuit(fault=True)


def broken_arm():
    return Arm(fault="a")


def broken_reacher():
    return Arm(fault="b")


def broken_job_shop():
    return JobShop(fault=True)


def broken_router():
    return Router(fault=True)


def broken_warehouse():
    return Warehouse(fault=True)


def broken_elevator():
    return Elevator(fault=True)


def broken_crossing():
    return Crossing(fault="a")


def broken_traffic_lights():
    return Crossing(fault="b")


def broken_admission():
    return Admission(fault=True)


def broken_epidemic():
    return Epidemic(fault=True)


def broken_portfolio():
    return Portfolio(fault=True)


def broken_market_maker():
    return MarketMaker(fault=True)


def broken_battery():
    return Battery(fault=True)


def broken_ad_auction():
    return AdAuction(fault=True)


def broken_banner():
    return Banner(fault=True)


def broken_courier():
    return Courier(fault="a")


def broken_parcel_round():
    return Courier(fault="b")


def broken_key_room():
    return KeyRoom(fault=True)


def broken_t_maze():
    return TMaze(fault=True)


def broken_noughts():
    return NoughtsAndCrosses(fault=True)


def broken_pig():
    return Pig(fault=True)


def broken_lights():
    return Lights(fault=True)


def broken_sliding():
    return Sliding(fault=True)


def broken_race_track():
    return RaceTrack(fault=True)


def broken_catch():
    return Catch(fault=True)


def broken_runner():
    return Runner(fault=True)


def broken_pendulum_torque():
    return TorqueUnits(gym.make("Pendulum-v1"), 0.01)


def broken_cartpole_bus():
    return CommandQueue(gym.make("CartPole-v1"), 10)


def broken_mountain_car():
    return gym.make("MountainCar-v0", max_episode_steps=60)


def broken_acrobot():
    return ClippedReward(gym.make("Acrobot-v1"))
