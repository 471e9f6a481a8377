"""Environments as users write them: custom ones and wrapped Gymnasium ones."""
from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import FrameStackObservation, RescaleAction, TimeLimit

F32 = np.float32


# ------------------------------------------------------------------ inventory
class Inventory(gym.Env):
    """Order stock against Poisson demand with a lead time of one day."""

    capacity = 40
    price, cost, holding, fixed = 1.0, 0.5, 0.02, 0.1
    unit = 0.1

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), F32)
        self.action_space = spaces.Discrete(11)
        self.stock, self.pipeline, self.day = 10, 0, 0

    def _obs(self):
        return np.array([self.stock / self.capacity, self.pipeline / 20, (self.day % 7) / 6], F32)

    def _start(self):
        self.stock = int(self.np_random.integers(5, 16))
        self.pipeline = 0
        self.day = int(self.np_random.integers(0, 7))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._start()
        return self._obs(), {}

    def _order(self, action):
        return 2 * int(action)

    def step(self, action):
        order = self._order(action)
        self.stock = min(self.capacity, self.stock + self.pipeline)
        self.pipeline = order
        rate = 9.0 if self.day % 7 >= 5 else 5.0
        demand = int(self.np_random.poisson(rate))
        sold = min(self.stock, demand)
        self.stock -= sold
        self.day += 1
        profit = self.price * sold - self.cost * order - self.holding * self.stock - self.fixed * (order > 0)
        return self._obs(), float(profit * self.unit), False, False, {"sold": sold, "lost": demand - sold}


class InventoryMicroCents(Inventory):
    unit = 1e7


# -------------------------------------------------------------------- trading
class Trading(gym.Env):
    """A mean-reverting synthetic price; be short, flat or long."""

    window = 6

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (self.window + 2,), F32)
        self.action_space = spaces.Discrete(3)

    def _prices(self):
        rng = self.np_random
        x = np.zeros(240)
        x[0] = rng.normal(0, 0.5)
        for t in range(1, 240):
            x[t] = 0.85 * x[t - 1] + rng.normal(0, 0.4)
        return x

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self._prices()
        self.t = self.window + 1
        self.position = 0
        return self._obs(), {}

    def _obs(self):
        recent = self.x[self.t - self.window + 1:self.t + 1]
        return np.clip(np.concatenate([recent, [self.x[self.t] - self.x[self.t - 1], self.position]]), -10, 10).astype(F32)

    def step(self, action):
        new = int(action) - 1
        fee = 0.02 * abs(new - self.position)
        self.position = new
        self.t += 1
        pnl = new * (self.x[self.t] - self.x[self.t - 1]) - fee
        return self._obs(), float(pnl), False, False, {"pnl": float(pnl)}


class TradingPeek(Trading):
    def _obs(self):
        recent = self.x[self.t - self.window + 2:self.t + 2]  # off by one: the last entry is tomorrow's close
        return np.clip(np.concatenate([recent, [self.x[self.t + 1] - self.x[self.t], self.position]]), -10, 10).astype(F32)


class TradingOnePath(Trading):
    def _prices(self):
        self._np_random = np.random.default_rng(7)
        return super()._prices()


# ----------------------------------------------------------------- grid world
class Grid(gym.Env):
    """Walk to a goal on a grid of size n; both positions are seen."""

    n = 7
    moves = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), F32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return (np.concatenate([self.pos, self.goal]) / (self.n - 1)).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.integers(0, self.n, 2)
        self.goal = self.np_random.integers(0, self.n, 2)
        while (self.goal == self.pos).all():
            self.goal = self.np_random.integers(0, self.n, 2)
        self.ticks = 0
        return self._obs(), {}

    def _pay(self, before, after, done):
        return 1.0 if done else -0.02

    def step(self, action):
        before = np.abs(self.pos - self.goal).sum()
        self.pos = np.clip(self.pos + np.array(self.moves[int(action)]), 0, self.n - 1)
        self.ticks += 1
        after = np.abs(self.pos - self.goal).sum()
        done = bool(after == 0)
        return self._obs(), float(self._pay(before, after, done)), done, False, {"is_success": done}


class GridTimeoutIsTerminal(Grid):
    def step(self, action):
        obs, reward, done, truncated, info = super().step(action)
        return obs, reward, done or self.ticks >= 40, truncated, info


class GridFrozenView(Grid):
    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed)
        self.first = obs.copy()
        return obs, info

    def _obs(self):
        return self.first.copy() if hasattr(self, "first") and self.ticks > 0 else super()._obs()


class GridTwoUps(Grid):
    moves = ((0, 1), (0, 1), (1, 0), (-1, 0))


class GridLoopPay(Grid):
    def _pay(self, before, after, done):
        return (1.0 if done else 0.0) + (0.5 if after < before else 0.0)


class GridGoalIsPunished(Grid):
    def _pay(self, before, after, done):
        return -1.0 if done else 0.02


class BigGrid(Grid):
    n = 30

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.integers(0, 4, 2)
        self.goal = self.np_random.integers(self.n - 4, self.n, 2)
        return self._obs(), {}


# ----------------------------------------------------------------- thermostat
class Thermostat(gym.Env):
    """Heat a room to its set point while the weather changes."""

    def __init__(self):
        self.observation_space = spaces.Box(-3.0, 3.0, (3,), F32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), F32)

    def _rng(self):
        return self.np_random

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self._rng()
        self.temp = rng.uniform(14, 24)
        self.outside = rng.uniform(-5, 10)
        self.target = rng.uniform(18, 23)
        return self._obs(), {}

    def _obs(self):
        return np.clip([(self.temp - 20) / 10, self.outside / 15, (self.target - 20) / 5], -3, 3).astype(F32)

    def _power(self, action):
        return float(np.clip(action[0], 0, 1))

    def step(self, action):
        power = self._power(action)
        self.temp += 0.08 * (self.outside - self.temp) + 3.5 * power
        self.outside = float(np.clip(self.outside + self._rng().normal(0, 0.3), -10, 15))
        error = abs(self.temp - self.target)
        return self._obs(), float(-0.1 * error - 0.02 * power), False, False, {"error": error}


class ThermostatUnseeded(Thermostat):
    def __init__(self):
        super().__init__()
        self.own = np.random.default_rng()

    def _rng(self):
        return self.own


class ThermostatRawUnits(Thermostat):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), F32)

    def _obs(self):
        # the air pressure in pascal comes from the same bus, the rest in fractions
        return np.array([(self.temp - 20) / 1000, self.outside / 1500, (self.target - 20) / 500, 101325.0 + 3000 * self.outside], F32)


# ---------------------------------------------------------------------- queue
class Queue(gym.Env):
    """Route arrivals to a fast or a slow server, or turn them away."""

    pay, hold, rejected = 1.0, 0.03, 0.3

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), F32)
        self.action_space = spaces.Discrete(3)
        self.rate = 0.7

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fast, self.slow, self.waiting = 0, 0, 1
        return self._obs(), {}

    def _obs(self):
        return np.array([self.fast / 20, self.slow / 20, self.waiting], F32)

    def step(self, action):
        reward = 0.0
        if self.waiting:
            if action == 0 and self.fast < 20:
                self.fast += 1
            elif action == 1 and self.slow < 20:
                self.slow += 1
            else:
                reward -= self.rejected
        if self.fast and self.np_random.random() < 0.5:
            self.fast -= 1
            reward += self.pay
        if self.slow and self.np_random.random() < 0.25:
            self.slow -= 1
            reward += self.pay
        reward -= self.hold * (self.fast + self.slow)
        self.waiting = int(self.np_random.random() < self.rate)
        return self._obs(), float(reward), False, False, {"in_system": self.fast + self.slow}


class QueueBusier(Queue):
    def reset(self, *, seed=None, options=None):
        self.rate = min(1.0, self.rate * 1.03)
        return super().reset(seed=seed, options=options)


class QueueIdlePays(Queue):
    pay, hold, rejected = 0.05, 0.4, 0.0


# -------------------------------------------------------------------- pendulum
class HandPendulum(gym.Env):
    """Swing-up, written by hand."""

    def __init__(self):
        high = np.array([1.0, 1.0, 8.0], F32)
        self.observation_space = spaces.Box(-high, high, dtype=F32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.th = self.np_random.uniform(-np.pi, np.pi)
        self.w = self.np_random.uniform(-1, 1)
        return self._obs(), {}

    def _obs(self):
        return np.array([math.cos(self.th), math.sin(self.th), self.w], F32)

    def step(self, action):
        u = 2.0 * float(np.clip(action[0], -1, 1))
        self.w = float(np.clip(self.w + 0.05 * (15 * math.sin(self.th) + 3 * u), -8, 8))
        self.th = (self.th + 0.05 * self.w + math.pi) % (2 * math.pi) - math.pi
        reward = -(self.th ** 2 + 0.1 * self.w ** 2 + 0.01 * u ** 2) / 10
        return self._obs(), float(reward), False, False, {}


class PendulumNan(HandPendulum):
    def _obs(self):
        obs = super()._obs()
        if abs(self.w) > 0.2 and self.np_random.random() < 0.004:
            obs[2] = np.nan  # the encoder drops out
        return obs


class PendulumLag(HandPendulum):
    """The observation was passes through a buffer of frames."""

    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed, options=options)
        self.buffer = [obs] * 12
        return obs, info

    def step(self, action):
        obs, reward, term, trunc, info = super().step(action)
        self.buffer.append(obs)
        return self.buffer.pop(0).copy(), reward, term, trunc, info


# ----------------------------------------------------------------------- drone
class Drone(gym.Env):
    """A planar drone with two rotors hovers at the origin."""

    def __init__(self):
        high = np.array([4, 4, 10, 10, np.pi, 20], F32)
        self.observation_space = spaces.Box(-high, high, dtype=F32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = np.concatenate([self.np_random.uniform(-1, 1, 2), self.np_random.uniform(-0.2, 0.2, 4)])
        return self._obs(), {}

    def _obs(self):
        return np.clip(self.s, self.observation_space.low, self.observation_space.high).astype(F32)

    def _rotors(self, action):
        a = np.clip(action, -1, 1)
        return 4.9 * (1 + 0.6 * a[0]), 4.9 * (1 + 0.6 * a[1])

    def _crashed(self):
        return bool(abs(self.s[0]) > 3 or abs(self.s[1]) > 3 or abs(self.s[4]) > 1.5)

    def step(self, action):
        left, right = self._rotors(action)
        x, z, vx, vz, th, om = self.s
        ax, az, al = -(left + right) * math.sin(th), (left + right) * math.cos(th) - 9.8, 2.0 * (right - left)
        dt = 0.04
        vx, vz, om = vx + dt * ax, vz + dt * az, om + dt * (al - 0.3 * om)
        self.s = np.array([x + dt * vx, z + dt * vz, vx, vz, th + dt * om, om])
        crashed = self._crashed()
        d2 = float(self.s[0] ** 2 + self.s[1] ** 2)
        reward = 1.0 / (1.0 + d2) - 0.05 * abs(self.s[4])
        return self._obs(), float(-2.0 if crashed else reward), crashed, False, {"distance": math.sqrt(d2)}


class DroneOneRotor(Drone):
    def _rotors(self, action):
        a = np.clip(action, -1, 1)
        return 4.9 * (1 + 0.6 * a[0]), 4.9


class DroneAlwaysCrashed(Drone):
    def _crashed(self):
        return bool(abs(self.s[0]) < 3 or abs(self.s[1]) < 3)


# ---------------------------------------------------------------------- bandit
class Bandit(gym.Env):
    """One decision per episode; the best arm depends on the context."""

    w = np.array([[1.0, 0.2, -0.5, 0.1], [-0.7, 0.9, 0.3, 0.0], [0.1, -1.0, 0.8, 0.4], [0.0, 0.3, -0.2, -1.1], [-0.4, -0.4, -0.6, 0.8]])

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), F32)
        self.action_space = spaces.Discrete(5)
        self.last = np.zeros(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.context = self.np_random.uniform(-1, 1, 4)
        return self.context.astype(F32), {}

    def _value(self, action):
        return float(self.w[int(action)] @ self.context)

    def step(self, action):
        reward = self._value(action) + float(self.np_random.normal(0, 0.1))
        return self.context.astype(F32), reward, True, False, {}


class BanditOldContext(Bandit):
    """Pays for the context of the episode before."""

    def _value(self, action):
        value = float(self.w[int(action)] @ self.last)
        self.last = self.context
        return value


# ------------------------------------------------------------------------ maze
MAZE = ["#########", "#...#...#", "#.#.#.#.#", "#.#...#.#", "#.#####.#", "#.......#", "#.###.#.#", "#...#.#.#", "#########"]


class Maze(gym.Env):
    """A maze with a dict observation: place, walls around, target."""

    moves = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.observation_space = spaces.Dict({
            "position": spaces.Box(0.0, 1.0, (2,), F32),
            "walls": spaces.MultiBinary(4),
            "target": spaces.Box(0.0, 1.0, (2,), F32)})
        self.action_space = spaces.Discrete(4)
        self.free = [(r, c) for r, row in enumerate(MAZE) for c, ch in enumerate(row) if ch == "."]

    def _target(self):
        return np.array(self.target, F32) / 8

    def _obs(self):
        r, c = self.pos
        walls = np.array([MAZE[r + dr][c + dc] == "#" for dr, dc in self.moves], np.int8)
        return {"position": np.array(self.pos, F32) / 8, "walls": walls, "target": self._target()}

    def _draw(self):
        i, j = self.np_random.choice(len(self.free), 2, replace=False)
        return self.free[i], self.free[j]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos, self.target = self._draw()
        self.ticks = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = self.moves[int(action)]
        r, c = self.pos[0] + dr, self.pos[1] + dc
        if MAZE[r][c] == ".":
            self.pos = (r, c)
        self.ticks += 1
        done = self.pos == self.target
        return self._obs(), 1.0 if done else -0.01, done, False, {"is_success": done}


class MazeWideRadius(Maze):
    """The goal counts as reached within a radius; the radius is in cells, the distance in cells / 8."""

    radius = 1.5

    def step(self, action):
        obs, *_ = super().step(action)
        done = bool(np.linalg.norm(obs["position"] - obs["target"]) < self.radius)
        return obs, 1.0 if done else -0.01, done, False, {"is_success": done}


class MazeSuccessLies(Maze):
    """Success is reported from the counter of steps, not from the place; and so is the bonus."""

    def step(self, action):
        obs, _, done, trunc, info = super().step(action)
        info["is_success"] = bool(self.ticks >= 30)
        reward = 1.0 if info["is_success"] else -0.01
        return obs, reward, bool(info["is_success"]), trunc, info


class MazeCoins(Maze):
    """Coins along the way are eaten and stay eaten in every later episode."""

    def __init__(self):
        super().__init__()
        self.coins = set(self.free)

    def step(self, action):
        obs, reward, done, trunc, info = super().step(action)
        if self.pos in self.coins:
            self.coins.discard(self.pos)
            reward += 0.5
        return obs, reward, done, trunc, info


# ------------------------------------------------------------------------ reach
class Reach(gym.Env):
    """A point mass moves to a goal; goal-conditioned interface."""

    reach = 1.0

    def __init__(self):
        box = spaces.Box(-2.0, 2.0, (2,), F32)
        self.observation_space = spaces.Dict({"observation": spaces.Box(-2.0, 2.0, (4,), F32), "achieved_goal": box, "desired_goal": spaces.Box(-5.0, 5.0, (2,), F32)})
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)

    def compute_reward(self, achieved_goal, desired_goal, info):
        return -np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)

    def _goal(self):
        return self.np_random.uniform(-self.reach, self.reach, 2)

    def _obs(self):
        return {"observation": np.concatenate([self.p, self.v]).astype(F32), "achieved_goal": self.p.astype(F32), "desired_goal": self.goal.astype(F32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.v = self.np_random.uniform(-1, 1, 2), np.zeros(2)
        self.goal = self._goal()
        return self._obs(), {}

    def step(self, action):
        self.v = np.clip(0.8 * self.v + 0.1 * np.clip(action, -1, 1), -1, 1)
        self.p = np.clip(self.p + 0.3 * self.v, -1.5, 1.5)
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], {}))
        return obs, reward, False, False, {"is_success": bool(np.linalg.norm(self.p - self.goal) < 0.1)}


class ReachGoalAlias(Reach):
    def _obs(self):
        obs = super()._obs()
        obs["desired_goal"] = obs["achieved_goal"]
        return obs

    def step(self, action):
        obs, _, term, trunc, info = super().step(action)
        return obs, -float(np.linalg.norm(self.p - self.goal)), term, trunc, info


class ReachBonusAfterEnd(Reach):
    """Sparse: the bonus is booked on the step after the episode has ended."""

    def reset(self, *, seed=None, options=None):
        self.booked = 0.0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        obs, _, _, trunc, info = super().step(action)
        reward, self.booked = self.booked, float(info["is_success"])
        return obs, reward, info["is_success"], trunc, info


class ReachTooFar(Reach):
    def _goal(self):
        angle = self.np_random.uniform(0, 2 * np.pi)
        return 4.0 * np.array([math.cos(angle), math.sin(angle)])

    def step(self, action):
        obs, _, _, trunc, info = super().step(action)
        return obs, float(info["is_success"]) - 0.01, info["is_success"], trunc, info


# -------------------------------------------------------------------- scheduler
class Scheduler(gym.Env):
    """Pick one of four waiting jobs and one of three machines for it."""

    fit = np.array([[1.0, 0.5, 0.2], [0.2, 1.0, 0.5], [0.5, 0.2, 1.0]])

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4 * 4 + 3,), F32)
        self.action_space = spaces.MultiDiscrete([4, 3])

    def _job(self):
        return [int(self.np_random.integers(3)), int(self.np_random.integers(1, 6))]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = [self._job() for _ in range(4)]
        self.busy = np.zeros(3)
        return self._obs(), {}

    def _obs(self):
        rows = [np.concatenate([np.eye(3)[kind], [size / 5]]) for kind, size in self.jobs]
        return np.concatenate(rows + [np.minimum(self.busy, 10) / 10]).astype(F32)

    def _split(self, action):
        return int(action[0]), int(action[1])

    def step(self, action):
        slot, machine = self._split(action)
        kind, size = self.jobs[slot]
        speed = self.fit[kind, machine]
        wait = self.busy[machine]
        self.busy[machine] = min(10.0, wait + size / (2 * speed))
        self.busy = np.maximum(self.busy - 1, 0)
        self.jobs[slot] = self._job()
        return self._obs(), float(0.2 * size * speed - 0.1 * wait), False, False, {}


class SchedulerDeadMachine(Scheduler):
    def _split(self, action):
        slot = int(action[0])
        return slot, slot % 3  # meant: action[1]


# ------------------------------------------------------------------- image grid
class ImageGrid(gym.Env):
    """The grid world as a picture of 36 by 36 pixels."""

    n = 6
    moves = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (36, 36, 3), np.uint8)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        img = np.full((self.n, self.n, 3), 30, np.uint8)
        img[tuple(self.goal)] = (40, 220, 60)
        img[tuple(self.pos)] = (230, 50, 40)
        return np.kron(img, np.ones((6, 6, 1), np.uint8)).astype(np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.n * self.n, 2, replace=False)
        self.pos, self.goal = np.array(divmod(int(cells[0]), self.n)), np.array(divmod(int(cells[1]), self.n))
        return self._obs(), {}

    def step(self, action):
        self.pos = np.clip(self.pos + np.array(self.moves[int(action)]), 0, self.n - 1)
        done = bool((self.pos == self.goal).all())
        return self._obs(), 1.0 if done else -0.02, done, False, {"is_success": done}


class ImageGridBlack(ImageGrid):
    def _obs(self):
        return (super()._obs() / 255.0).astype(np.uint8)


# ---------------------------------------------------------------------- battery
class Battery(gym.Env):
    """Buy energy when it is cheap, sell it when it is dear."""

    def __init__(self):
        self.observation_space = spaces.Box(-3.0, 3.0, (4,), F32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = int(self.np_random.integers(24))
        self.charge = float(self.np_random.uniform(0.2, 0.8))
        self.noise = 0.0
        return self._obs(), {}

    def _price(self):
        return 1.0 + 0.5 * math.sin(2 * math.pi * self.hour / 24) + self.noise

    def _obs(self):
        phase = 2 * math.pi * self.hour / 24
        return np.clip([self.charge, self._price() - 1, math.sin(phase), math.cos(phase)], -3, 3).astype(F32)

    def step(self, action):
        want = 0.25 * float(np.clip(action[0], -1, 1))
        flow = float(np.clip(want, -self.charge, 1 - self.charge))
        reward = -flow * self._price() - 0.02 * abs(flow)
        self.charge = float(np.clip(self.charge + flow, 0, 1))
        self.hour = (self.hour + 1) % 24
        self.noise = 0.8 * self.noise + float(self.np_random.normal(0, 0.05))
        return self._obs(), float(reward), False, False, {"charge": self.charge}


class BatteryResetStale(Battery):
    """reset() hands out the observation from before the reset."""

    def __init__(self):
        super().__init__()
        self.current = np.zeros(4, F32)

    def reset(self, *, seed=None, options=None):
        old = self.current
        self.current, info = super().reset(seed=seed, options=options)
        return old.copy(), info

    def step(self, action):
        self.current, *rest = super().step(action)
        return (self.current.copy(), *rest)


# ------------------------------------------------------------------------- lane
class Lane(gym.Env):
    """Keep a car in its lane on a winding road."""

    def __init__(self):
        self.observation_space = spaces.Box(-3.0, 3.0, (3,), F32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.y = self.np_random.uniform(-0.8, 0.8)
        self.heading = self.np_random.uniform(-0.1, 0.1)
        self.curve = 0.0
        return self._obs(), {}

    def _obs(self):
        return np.clip([self.y, 3 * self.heading, 10 * self.curve], -3, 3).astype(F32)

    def _pay(self, out, steer):
        return -1.0 if out else 1.0 - 0.25 * self.y ** 2 - 0.05 * steer ** 2

    def step(self, action):
        steer = float(np.clip(action[0], -1, 1))
        self.curve = 0.9 * self.curve + float(self.np_random.normal(0, 0.01))
        self.heading = float(np.clip(self.heading + 0.1 * steer - self.curve, -1, 1))
        self.y += 0.5 * math.sin(self.heading)
        out = abs(self.y) > 2
        return self._obs(), float(self._pay(out, steer)), out, False, {"offset": float(self.y)}


class LaneSharedArray(Lane):
    def __init__(self):
        super().__init__()
        self.view = np.zeros(3, F32)

    def _obs(self):
        self.view[:] = super()._obs()
        return self.view


class LaneLateSteering(Lane):
    def reset(self, *, seed=None, options=None):
        self.pending = [np.zeros(1, F32)] * 25
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.pending.append(np.array(action, F32))
        return super().step(self.pending.pop(0))


class LaneBetterOut(Lane):
    def _pay(self, out, steer):
        return 0.0 if out else -1.0 - self.y ** 2


# ------------------------------------------------------------------ wrappers
class OneHot(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0.0, 1.0, (env.observation_space.n,), F32)

    def observation(self, observation):
        out = np.zeros(self.observation_space.shape, F32)
        out[int(observation)] = 1.0
        return out


class ScaledObs(gym.ObservationWrapper):
    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = np.asarray(scale, F32)
        low, high = env.observation_space.low / self.scale, env.observation_space.high / self.scale
        self.observation_space = spaces.Box(low.astype(F32), high.astype(F32), dtype=F32)

    def observation(self, observation):
        return (np.asarray(observation) / self.scale).astype(F32)


class ScaledReward(gym.RewardWrapper):
    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = scale

    def reward(self, reward):
        return float(reward) * self.scale


class SwallowDone(gym.Wrapper):
    def step(self, action):
        obs, reward, _, truncated, info = self.env.step(action)
        return obs, reward, False, truncated, info


class LogSpeedReward(gym.Wrapper):
    def step(self, action):
        obs, reward, term, trunc, info = self.env.step(action)
        speed = abs(float(obs[1]))
        with np.errstate(all="ignore"):
            bonus = float(np.sqrt(np.float64(speed - 0.00005)))
        return obs, float(reward) + bonus, term, trunc, info


class ClippedView(gym.ObservationWrapper):
    def __init__(self, env, limit):
        super().__init__(env)
        self.limit = limit
        self.observation_space = spaces.Box(-limit, limit, env.observation_space.shape, F32)

    def observation(self, observation):
        return np.clip(observation, -self.limit, self.limit).astype(F32)


class TightSpace(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-1.0, 1.0, env.observation_space.shape, F32)

    def observation(self, observation):
        return observation.astype(F32)


class NoTarget(gym.ObservationWrapper):
    def observation(self, observation):
        out = observation.copy()
        out[4:6] = 0.0  # target
        out[8:10] = 0.0  # fingertip minus target
        return out


class ActThrough(gym.ActionWrapper):
    def __init__(self, env, change):
        super().__init__(env)
        self.change = change

    def action(self, action):
        return self.change(action)


class CheetahCost(gym.Wrapper):
    def step(self, action):
        obs, reward, term, trunc, info = self.env.step(action)
        ctrl = 500.0 * info["reward_ctrl"]
        info = {**info, "reward_ctrl": ctrl}
        return obs, float(info["reward_forward"] + ctrl), term, trunc, info


class ReacherSign(gym.Wrapper):
    def step(self, action):
        obs, reward, term, trunc, info = self.env.step(action)
        info = {**info, "reward_dist": -info["reward_dist"]}
        return obs, float(info["reward_dist"] + info["reward_ctrl"]), term, trunc, info


# ---------------------------------------------------------------- the healthy
def healthy_inventory():
    return TimeLimit(Inventory(), 60)


def healthy_trading():
    return TimeLimit(Trading(), 200)


def healthy_grid():
    return TimeLimit(Grid(), 60)


def healthy_thermostat():
    return TimeLimit(Thermostat(), 120)


def healthy_queue():
    return TimeLimit(Queue(), 150)


def healthy_hand_pendulum():
    return TimeLimit(HandPendulum(), 200)


def healthy_drone():
    return TimeLimit(Drone(), 250)


def healthy_bandit():
    return Bandit()


def healthy_maze():
    return TimeLimit(Maze(), 150)


def healthy_reach():
    return TimeLimit(Reach(), 60)


def healthy_scheduler():
    return TimeLimit(Scheduler(), 100)


def healthy_image_grid():
    return TimeLimit(ImageGrid(), 60)


def healthy_battery():
    return TimeLimit(Battery(), 96)


def healthy_lane():
    return TimeLimit(Lane(), 200)


def healthy_cartpole():
    return ScaledObs(gym.make("CartPole-v1"), [2.4, 2.0, 0.2, 2.0])


def healthy_cartpole_stacked():
    return FrameStackObservation(gym.make("CartPole-v1", max_episode_steps=200), 3)


def healthy_pendulum():
    return ScaledReward(RescaleAction(gym.make("Pendulum-v1"), -1.0, 1.0), 0.1)


def healthy_acrobot():
    return gym.make("Acrobot-v1")


def healthy_mountain_car():
    return ScaledObs(gym.make("MountainCarContinuous-v0"), [1.0, 0.07])


def healthy_frozen_lake():
    return OneHot(gym.make("FrozenLake-v1", map_name="4x4", is_slippery=True))


def _taxi():
    for name in ("Taxi-v4", "Taxi-v3"):
        try:
            return gym.make(name)
        except gym.error.Error:
            continue
    raise RuntimeError("no Taxi")


def healthy_taxi():
    return OneHot(_taxi())


def healthy_cheetah():
    return gym.make("HalfCheetah-v5")


def healthy_reacher():
    return gym.make("Reacher-v5")


def healthy_grid_sized_up():
    env = Grid()
    env.n = 9
    return TimeLimit(env, 120)


# ----------------------------------------------------------------- the broken
# environment
def broken_thermostat_unseeded():
    return TimeLimit(ThermostatUnseeded(), 120)


def broken_cartpole_done_swallowed():
    return SwallowDone(gym.make("CartPole-v1"))


def broken_pendulum_nan():
    return TimeLimit(PendulumNan(), 200)


def broken_grid_timeout_terminal():
    return GridTimeoutIsTerminal()


def broken_queue_drift():
    return TimeLimit(QueueBusier(), 150)


def broken_acrobot_no_limit():
    return gym.make("Acrobot-v1").unwrapped


def broken_drone_always_done():
    return TimeLimit(DroneAlwaysCrashed(), 250)


def broken_trading_one_path():
    return TimeLimit(TradingOnePath(), 200)


def broken_maze_coins_stay_eaten():
    return TimeLimit(MazeCoins(), 150)


# observation
def broken_pendulum_lagging_view():
    return TimeLimit(PendulumLag(), 200)


def broken_grid_frozen_view():
    return TimeLimit(GridFrozenView(), 60)


def broken_trading_peek():
    return TimeLimit(TradingPeek(), 200)


def broken_reacher_no_target():
    return NoTarget(gym.make("Reacher-v5"))


def broken_cheetah_tight_space():
    return TightSpace(gym.make("HalfCheetah-v5"))


def broken_image_grid_black():
    return TimeLimit(ImageGridBlack(), 60)


def broken_lane_shared_array():
    return TimeLimit(LaneSharedArray(), 200)


def broken_thermostat_raw_units():
    return TimeLimit(ThermostatRawUnits(), 120)


def broken_reach_goal_alias():
    return TimeLimit(ReachGoalAlias(), 60)


def broken_cartpole_clipped_view():
    return ClippedView(gym.make("CartPole-v1"), 0.01)


def broken_battery_reset_stale():
    return TimeLimit(BatteryResetStale(), 96)


# action
def broken_drone_one_rotor():
    return TimeLimit(DroneOneRotor(), 250)


def broken_pendulum_torque_abs():
    return ActThrough(gym.make("Pendulum-v1"), lambda a: np.abs(a))


def broken_cheetah_action_ignored():
    return ActThrough(gym.make("HalfCheetah-v5"), lambda a: np.zeros_like(a))


def broken_grid_two_ups():
    return TimeLimit(GridTwoUps(), 60)


def broken_mountain_car_weak_action():
    return ActThrough(gym.make("MountainCarContinuous-v0"), lambda a: np.asarray(a) * 0.001)


def broken_scheduler_machine_dead():
    return TimeLimit(SchedulerDeadMachine(), 100)


def broken_taxi_no_pickup():
    return ActThrough(OneHot(_taxi()), lambda a: 5 if int(a) == 4 else int(a))


def broken_lane_late_steering():
    return TimeLimit(LaneLateSteering(), 200)


# reward
def broken_grid_goal_punished():
    return TimeLimit(GridGoalIsPunished(), 60)


def broken_bandit_old_context():
    return BanditOldContext()


def broken_inventory_micro_cents():
    return TimeLimit(InventoryMicroCents(), 60)


def broken_reach_bonus_after_end():
    return TimeLimit(ReachBonusAfterEnd(), 60)


def broken_queue_idle_pays():
    return TimeLimit(QueueIdlePays(), 150)


def broken_grid_loop_pays():
    return TimeLimit(GridLoopPay(), 60)


def broken_cheetah_control_cost():
    return CheetahCost(gym.make("HalfCheetah-v5"))


def broken_mountain_car_nan_reward():
    return LogSpeedReward(gym.make("MountainCarContinuous-v0"))


def broken_reacher_distance_sign():
    return ReacherSign(gym.make("Reacher-v5"))


def broken_lane_better_out():
    return TimeLimit(LaneBetterOut(), 200)


# task
def broken_frozen_lake_walled_goal():
    return OneHot(gym.make("FrozenLake-v1", desc=["SFFF", "FHFH", "FFFH", "HFHG"], is_slippery=False))


def broken_big_grid_short_limit():
    return TimeLimit(BigGrid(), 20)


def broken_reach_goal_out_of_reach():
    return TimeLimit(ReachTooFar(), 60)


def broken_maze_wide_radius():
    return TimeLimit(MazeWideRadius(), 150)


def broken_maze_success_lies():
    return TimeLimit(MazeSuccessLies(), 150)


def broken_cartpole_limit_of_four():
    return gym.make("CartPole-v1", max_episode_steps=4)


