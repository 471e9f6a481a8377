"""A collection of environments and factories."""

import math
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import (
    ClipAction,
    ClipReward,
    FrameStackObservation,
    NormalizeObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    StickyAction,
    TimeAwareObservation,
    TimeLimit,
    TransformReward,
)

F32 = np.float32
INF = np.inf


def box(low, high, dtype=F32):
    return spaces.Box(np.array(low, dtype), np.array(high, dtype), dtype=dtype)


def clip(value, low, high):
    return min(max(float(value), float(low)), float(high))


# ---------------------------------------------------------------- reservoir
class Reservoir(gym.Env):
    """A dam over a year: one gate, seasonal inflow, power to sell, floods to avoid. Volumes in million cubic metres."""

    capacity = 500.0
    max_release = 30.0

    def __init__(self, days=365):
        self.days = days
        self.observation_space = box([0, 0, -1, -1], [self.capacity, 200, 1, 1])
        self.action_space = spaces.Box(0.0, 1.0, (1,), F32)
        self.level = 250.0

    def _next_inflow(self):
        self.wet = 0.9 * self.wet + 0.15 * self.np_random.standard_normal()
        base = 14.0 + 10.0 * math.sin(2 * math.pi * self.day / 365)
        self.inflow = min(200.0, base * math.exp(self.wet))

    def _fill(self):
        self.level = float(self.np_random.uniform(150, 350))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.day = int(self.np_random.integers(365))
        self.wet = 0.0
        self._fill()
        self._next_inflow()
        return self._obs(), {}

    def _obs(self):
        phase = 2 * math.pi * self.day / 365
        return np.array([self.level, self.inflow, math.sin(phase), math.cos(phase)], F32)

    def _reward(self, release, spill):
        demand = 14.0 + 4.0 * math.cos(2 * math.pi * self.day / 365)
        energy = min(release, demand) * (0.5 + 0.5 * self.level / self.capacity) / 10
        return energy - 0.2 * spill

    def step(self, action):
        wanted = clip(action[0], 0, 1) * self.max_release
        available = self.level + self.inflow
        release = min(wanted, available)
        level = available - release
        spill = max(0.0, level - self.capacity)
        self.level = level - spill
        reward = self._reward(release, spill)
        self.t += 1
        self.day = (self.day + 1) % 365
        self._next_inflow()
        return self._obs(), float(reward), False, self.t >= self.days, {"release": release, "spill": spill}


class ReservoirB(Reservoir):
    def _fill(self):
        pass


class ReservoirC(Reservoir):
    def _reward(self, release, spill):
        demand = 14.0 + 4.0 * math.cos(2 * math.pi * self.day / 365)
        energy = min(release, demand) * (0.5 + 0.5 * self.level / self.capacity) / 10
        return energy + 0.2 * spill


# ---------------------------------------------------------------- crane
class Crane(gym.Env):
    """A gantry crane brings a swinging load to a mark and to rest there."""

    dt = 0.05

    def __init__(self, limit=400):
        self.limit = limit
        high = [5, 10, 1, 1, 20, 5]
        self.observation_space = box([-h for h in high], high)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(-4, 4))
        self.target = float(self.np_random.uniform(-4, 4))
        self.v = 0.0
        self.th = float(self.np_random.uniform(-0.1, 0.1))
        self.om = 0.0
        self.t = 0
        return self._obs(), {"distance": abs(self.x - self.target)}

    def _obs(self):
        return np.array(
            [self.x, self.v, math.sin(self.th), math.cos(self.th), self.om, self.target], F32
        )

    def _integrate(self, u):
        for _ in range(2):
            h = self.dt / 2
            acc = 5.0 * u - 0.6 * self.v
            self.v += h * acc
            self.x += h * self.v
            if abs(self.x) > 5.0:
                self.x = math.copysign(5.0, self.x)
                acc = -self.v / self.dt
                self.v = 0.0
            alpha = -9.81 * math.sin(self.th) - acc * math.cos(self.th) - 0.3 * self.om
            self.om = max(-20.0, min(20.0, self.om + h * alpha))
            self.th += h * self.om

    def _progress(self, before, after):
        return 2.0 * (before - after)

    def _advance(self, action):
        before = abs(self.x - self.target)
        self._integrate(clip(action[0], -1, 1))
        after = abs(self.x - self.target)
        self.t += 1
        success = after < 0.15 and abs(self.v) < 0.2 and abs(self.th) < 0.08 and abs(self.om) < 0.25
        reward = self._progress(before, after) - 0.02 * abs(self.th) - 0.01 + (5.0 if success else 0.0)
        info = {"distance": after, "is_success": success}
        return reward, success, not success and self.t >= self.limit, info

    def step(self, action):
        reward, terminated, truncated, info = self._advance(action)
        return self._obs(), reward, terminated, truncated, info


class CraneB(Crane):
    def __init__(self, limit=400):
        super().__init__(limit)
        self.state = np.zeros(6, F32)

    def _obs(self):
        self.state[:] = (self.x, self.v, math.sin(self.th), math.cos(self.th), self.om, self.target)
        return self.state


class CraneC(Crane):
    def step(self, action):
        obs = self._obs()
        reward, terminated, truncated, info = self._advance(action)
        return obs, reward, terminated, truncated, info


class CraneD(Crane):
    def _progress(self, before, after):
        return 2.0 * max(0.0, before - after)


# ---------------------------------------------------------------- maze
class Maze(gym.Env):
    """A new maze in every episode; 0 floor, 1 wall, 2 agent, 3 exit. Only the exit pays."""

    size = 9
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self):
        self.observation_space = spaces.Box(0, 3, (self.size, self.size), np.uint8)
        self.action_space = spaces.Discrete(4)

    def _carve(self):
        n = self.size
        walls = np.ones((n, n), np.uint8)
        walls[1, 1] = 0
        stack = [(1, 1)]
        while stack:
            r, c = stack[-1]
            ways = []
            for dr, dc in self.moves:
                a, b = r + 2 * dr, c + 2 * dc
                if 0 < a < n and 0 < b < n and walls[a, b]:
                    ways.append((dr, dc))
            if not ways:
                stack.pop()
                continue
            dr, dc = ways[int(self.np_random.integers(len(ways)))]
            walls[r + dr, c + dc] = 0
            walls[r + 2 * dr, c + 2 * dc] = 0
            stack.append((r + 2 * dr, c + 2 * dc))
        return walls

    def _place_exit(self):
        cells = [(r, c) for r in range(1, self.size, 2) for c in range(1, self.size, 2) if (r, c) != (1, 1)]
        return cells[int(self.np_random.integers(len(cells)))]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.walls = self._carve()
        self.pos = (1, 1)
        self.exit = self._place_exit()
        return self._obs(), {}

    def _obs(self):
        grid = self.walls.copy()
        grid[self.exit] = 3
        grid[self.pos] = 2
        return grid

    def step(self, action):
        dr, dc = self.moves[int(action)]
        new = (self.pos[0] + dr, self.pos[1] + dc)
        if not self.walls[new]:
            self.pos = new
        reward, found = self._judge()
        return self._obs(), reward, found, False, {"is_success": found}

    def _judge(self):
        found = self.pos == self.exit
        return (1.0 if found else 0.0), found


class MazeB(Maze):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=42 if seed is None else seed, options=options)


class MazeC(Maze):
    def _judge(self):
        return (1.0 if list(self.pos) == self.exit else 0.0), self.pos == self.exit


class MazeD(Maze):
    def _place_exit(self):
        cells = [
            (r, c) for r in range(1, self.size - 1) for c in range(1, self.size - 1) if (r, c) != (1, 1)
        ]
        return cells[int(self.np_random.integers(len(cells)))]


# ---------------------------------------------------------------- inventory
class Inventory(gym.Env):
    """Three products, an order each evening that arrives the next morning, a weekly rhythm of demand."""

    price = (8.0, 5.0, 12.0)
    cost = (5.0, 3.0, 8.0)
    holding = (0.15, 0.1, 0.3)
    rate = (4.0, 6.0, 2.0)
    rhythm = (0.7, 0.8, 0.9, 1.0, 1.3, 1.5, 0.8)
    shelf = 60

    def __init__(self, days=91):
        self.days = days
        self.observation_space = box([0] * 7, [self.shelf] * 3 + [10] * 3 + [6], np.int32)
        self.action_space = spaces.MultiDiscrete([11, 11, 11])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = [int(k) for k in self.np_random.integers(0, 15, 3)]
        self.coming = [0, 0, 0]
        self.weekday = int(self.np_random.integers(7))
        self.t = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.stock, *self.coming, self.weekday], np.int32)

    def _demand(self, rate):
        return int(self.np_random.poisson(rate))

    def _order(self, action):
        return [int(k) for k in action]

    def step(self, action):
        orders = self._order(action)
        profit = 0.0
        missed = 0
        for i in range(3):
            self.stock[i] = min(self.shelf, self.stock[i] + self.coming[i])
            demand = self._demand(self.rate[i] * self.rhythm[self.weekday])
            sold = min(demand, self.stock[i])
            self.stock[i] -= sold
            missed += demand - sold
            profit += sold * self.price[i] - orders[i] * self.cost[i] - self.stock[i] * self.holding[i]
        self.coming = orders
        self.weekday = (self.weekday + 1) % 7
        self.t += 1
        reward = (profit - 1.0 * missed) / 10
        return self._obs(), reward, False, self.t >= self.days, {"profit": profit, "missed": missed}


class InventoryB(Inventory):
    def _demand(self, rate):
        return int(np.random.poisson(rate))


class InventoryC(Inventory):
    def _order(self, action):
        return [int(k) // 10 * 10 for k in action]


# ---------------------------------------------------------------- trading
class Trading(gym.Env):
    """A mean-reverting spread; short, flat or long; costs for changing the position."""

    steps = 250
    window = 8

    def __init__(self):
        self.observation_space = spaces.Box(-INF, INF, (self.window + 2,), F32)
        self.action_space = spaces.Discrete(3)

    def _path(self):
        noise = self.np_random.standard_normal(self.steps + self.window + 2) * 0.01
        x = np.empty(len(noise))
        x[0] = noise[0] * 3
        for i in range(1, len(x)):
            x[i] = 0.93 * x[i - 1] + noise[i]
        return x

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.spread = self._path()
        self.moves = np.diff(self.spread)
        self.i = self.window
        self.position = 0
        return self._obs(), {}

    def _recent(self):
        return self.moves[self.i - self.window : self.i]

    def _obs(self):
        obs = np.empty(self.window + 2, F32)
        obs[: self.window] = self._recent() * 100
        obs[self.window] = self.spread[self.i] / 0.027
        obs[self.window + 1] = self.position
        return obs

    def _end(self, over):
        return False, over

    def step(self, action):
        wanted = int(action) - 1
        cost = 0.0004 * abs(wanted - self.position)
        self.position = wanted
        reward = float(self.position * self.moves[self.i] - cost) * 100
        self.i += 1
        terminated, truncated = self._end(self.i - self.window >= self.steps)
        return self._obs(), reward, terminated, truncated, {"position": self.position}


class TradingB(Trading):
    def _end(self, over):
        return over, False


class TradingC(Trading):
    def _recent(self):
        return self.moves[self.i - self.window + 1 : self.i + 1]


# ---------------------------------------------------------------- traffic
class Traffic(gym.Env):
    """A crossing with four approaches; two phases with red in between; which road is busy changes by episode."""

    def __init__(self, limit=300):
        self.limit = limit
        self.observation_space = box([0] * 6, [60] * 4 + [1, 2], np.int32)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        busy = self.np_random.uniform(0.1, 0.5)
        self.rates = (busy, busy * 0.8, 0.55 - busy, (0.55 - busy) * 0.8)
        self.queues = [int(k) for k in self.np_random.integers(0, 8, 4)]
        self.phase = int(self.np_random.integers(2))
        self.red = 0
        self.t = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.queues, self.phase, self.red], np.int32)

    def step(self, action):
        if int(action) != self.phase and self.red == 0:
            self.phase = int(action)
            self.red = 2
        elif self.red > 0:
            self.red -= 1
        passed = 0
        for i in range(4):
            if self.red == 0 and i // 2 == self.phase and self.queues[i] > 0:
                self.queues[i] -= 1
                passed += 1
            self.queues[i] = min(60, self.queues[i] + int(self.np_random.random() < self.rates[i]))
        self.t += 1
        return self._obs(), -sum(self.queues) / 20, False, self.t >= self.limit, {"passed": passed}


class TrafficB(Traffic):
    def _obs(self):
        return np.array([*sorted(self.queues), self.phase, self.red], np.int32)


# ---------------------------------------------------------------- drone
class Drone(gym.Env):
    """A planar quadrotor flies to a mark and hovers there."""

    dt = 0.04

    def __init__(self):
        self.observation_space = spaces.Box(-INF, INF, (8,), F32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        self.x, self.z = float(r.uniform(-2, 2)), float(r.uniform(2, 4))
        self.vx = self.vz = self.om = 0.0
        self.th = float(r.uniform(-0.1, 0.1))
        self.gx, self.gz = float(r.uniform(-2.5, 2.5)), float(r.uniform(1.5, 4.5))
        return self._obs(), {}

    def _obs(self):
        return np.array(
            [self.x, self.z, self.vx, self.vz, self.th, self.om, self.gx - self.x, self.gz - self.z], F32
        )

    def _rotors(self, action):
        return clip(action[0], -1, 1), clip(action[1], -1, 1)

    def _fly(self, action):
        left, right = self._rotors(action)
        f1 = 4.905 * (1 + 0.25 * left)
        f2 = 4.905 * (1 + 0.25 * right)
        h = self.dt
        self.om += h * ((f1 - f2) * 5.0 - 1.5 * self.om)
        self.th += h * self.om
        f = f1 + f2
        self.vx += h * (f * math.sin(self.th) - 0.1 * self.vx)
        self.vz += h * (f * math.cos(self.th) - 9.81 - 0.1 * self.vz)
        self.x += h * self.vx
        self.z += h * self.vz

    def _distance(self):
        return math.hypot(self.gx - self.x, self.gz - self.z)

    def _closeness(self):
        return 1.0 / (1.0 + self._distance())

    def _crashed(self):
        return abs(self.x) > 4 or self.z < 0 or self.z > 6 or abs(self.th) > 1.4

    def _end(self, crashed):
        return crashed, False

    def step(self, action):
        self._fly(action)
        crashed = self._crashed()
        reward = -5.0 if crashed else self._closeness()
        terminated, truncated = self._end(crashed)
        return self._obs(), reward, terminated, truncated, {"distance": self._distance()}


class DroneB(Drone):
    def _end(self, crashed):
        return False, crashed


class DroneC(Drone):
    def _rotors(self, action):
        return clip(action[0], -1, 1), clip(action[0], -1, 1)


class DroneD(Drone):
    def step(self, action):
        reward = self._closeness()
        self._fly(action)
        crashed = self._crashed()
        if crashed:
            reward = -5.0
        return self._obs(), reward, crashed, False, {"distance": self._distance()}


# ---------------------------------------------------------------- job shop
class Jobs(gym.Env):
    """Six jobs, one machine: which one next? Late jobs cost by their weight."""

    n = 6

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(-200.0, 200.0, (self.n, 3), F32),
                "open": spaces.MultiBinary(self.n),
                "time": spaces.Box(0.0, 300.0, (1,), F32),
            }
        )
        self.action_space = spaces.Discrete(self.n)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        self.length = r.integers(1, 11, self.n)
        self.due = r.integers(4, 36, self.n)
        self.weight = r.integers(1, 5, self.n)
        self.open = np.ones(self.n, np.int8)
        self.clock = 0
        self.t = 0
        return self._obs(), {"action_mask": self.open.copy()}

    def _obs(self):
        jobs = np.empty((self.n, 3), F32)
        jobs[:, 0] = self.length
        jobs[:, 1] = self.due - self.clock
        jobs[:, 2] = self.weight
        return {"jobs": jobs, "open": self.open.copy(), "time": np.array([self.clock], F32)}

    def _finished(self):
        return not self.open.any()

    def step(self, action):
        j = int(action)
        self.t += 1
        if self.open[j]:
            self.clock += int(self.length[j])
            self.open[j] = 0
            reward = -float(self.weight[j]) * max(0, self.clock - int(self.due[j])) / 10
        else:
            self.clock += 1
            reward = -1.0
        done = self._finished()
        return self._obs(), reward, done, not done and self.t >= 60, {"action_mask": self.open.copy()}


class JobsB(Jobs):
    def _finished(self):
        return int((1 - self.open).sum()) > self.n


# ---------------------------------------------------------------- pontoon
class Pontoon(gym.Env):
    """Cards against a bank, from one deck; stick, twist or double. Observed: own sum, bank's card, soft, number of cards."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 12, 2, 12])
        self.action_space = spaces.Discrete(3)

    def _draw(self):
        return self.deck.pop()

    @staticmethod
    def _value(hand):
        total = sum(hand)
        soft = 1 in hand and total + 10 <= 21
        return (total + 10 if soft else total), int(soft)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cards = np.minimum(np.tile(np.arange(1, 14), 4), 10)
        self.np_random.shuffle(cards)
        self.deck = [int(c) for c in cards]
        self.hand = [self._draw(), self._draw()]
        self.bank = [self._draw(), self._draw()]
        self.stake = 1.0
        return self._obs(), {}

    def _obs(self):
        total, soft = self._value(self.hand)
        return np.array([total, self.bank[0], soft, min(11, len(self.hand))], np.int64)

    def _settle(self):
        while self._value(self.bank)[0] < 17:
            self.bank.append(self._draw())
        mine, theirs = self._value(self.hand)[0], self._value(self.bank)[0]
        if theirs > 21 or mine > theirs:
            return self.stake
        return 0.0 if mine == theirs else -self.stake

    def step(self, action):
        if action == 0:
            return self._obs(), self._settle(), True, False, {}
        last = False
        if action == 2 and len(self.hand) == 2:
            self.stake = 2.0
            last = True
        self.hand.append(self._draw())
        if self._value(self.hand)[0] > 21:
            return self._obs(), -self.stake, True, False, {}
        if last:
            return self._obs(), self._settle(), True, False, {}
        return self._obs(), 0.0, False, False, {}


# ---------------------------------------------------------------- recommender
class Recommender(gym.Env):
    """A visitor with tastes, ten items in five topics; repetition tires, misses cost patience, clicks pay."""

    topics = (0, 0, 1, 1, 2, 2, 3, 3, 4, 4)
    appeal = (0.0, 0.6, 0.2, -0.4, 0.5, -0.2, 0.1, 0.3, -0.3, 0.4)

    def __init__(self):
        self.observation_space = box([-INF] * 5 + [0] * 6, [INF] * 5 + [1] * 6)
        self.action_space = spaces.Discrete(10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taste = self.np_random.standard_normal(5) * 1.5
        self.profile = self.taste + 0.2 * self.np_random.standard_normal(5)
        self.fatigue = [0.0] * 5
        self.patience = 8.0
        self.clicks = 0
        self.t = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.profile, *self.fatigue, max(0.0, self.patience) / 8], F32)

    def _pay(self, click):
        return float(click)

    def step(self, action):
        item = int(action)
        topic = self.topics[item]
        z = float(self.taste[topic]) + self.appeal[item] - 3.0 * self.fatigue[topic] - 0.5
        click = bool(self.np_random.random() < 1 / (1 + math.exp(-z)))
        self.fatigue = [0.8 * f for f in self.fatigue]
        self.fatigue[topic] = min(1.0, self.fatigue[topic] + 0.25)
        self.patience = min(8.0, self.patience + (0.5 if click else -1.0))
        self.clicks += int(click)
        self.t += 1
        left = self.patience <= 0
        return self._obs(), self._pay(click), left, not left and self.t >= 60, {"click": click}


class RecommenderB(Recommender):
    def _pay(self, click):
        return float(self.clicks)


# ---------------------------------------------------------------- battery
class Battery(gym.Env):
    """A home battery trades with the grid for a week of hourly prices (EUR/MWh), which are known four hours ahead."""

    capacity = 10.0
    power = 3.0
    hours = 168

    def __init__(self):
        self.observation_space = box([0] + [-100] * 5 + [-1, -1], [self.capacity] + [400] * 5 + [1, 1])
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)
        self.elapsed = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        n = self.hours + 6
        self.start = int(self.np_random.integers(24))
        hour = np.arange(n) + self.start
        noise = self.np_random.standard_normal(n) * 12
        noise = noise.tolist()
        for i in range(1, n):
            noise[i] += 0.8 * noise[i - 1]
        daily = np.sin(2 * np.pi * (hour - 8) / 24) + 0.5 * np.sin(4 * np.pi * (hour - 5) / 24)
        self.prices = np.clip(80 + 45 * daily + np.array(noise), -100, 400)
        self.hour = 0
        self.charge = float(self.np_random.uniform(0, self.capacity))
        self._begin()
        return self._obs(), {}

    def _begin(self):
        self.elapsed = 0

    def _obs(self):
        phase = 2 * math.pi * (self.hour + self.start) / 24
        obs = np.empty(8, F32)
        obs[0] = self.charge
        obs[1:6] = self.prices[self.hour : self.hour + 5]
        obs[6] = math.sin(phase)
        obs[7] = math.cos(phase)
        return obs

    def _command(self, action):
        return clip(action[0], -1, 1)

    def step(self, action):
        flow = self._command(action) * self.power
        if flow >= 0:
            stored = min(flow * 0.95, self.capacity - self.charge)
            bought = stored / 0.95
        else:
            stored = -min(-flow, self.charge)
            bought = stored * 0.95
        self.charge = min(self.capacity, max(0.0, self.charge + stored))
        reward = -bought * float(self.prices[self.hour]) / 100
        self.hour += 1
        self.elapsed += 1
        return self._obs(), reward, False, self.elapsed >= self.hours, {"bought": bought}


class BatteryB(Battery):
    def _begin(self):
        pass


class BatteryC(Battery):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-1.0, 1.0, (8,), F32)

    def _obs(self):
        return np.clip(super()._obs(), -1.0, 1.0)


class BatteryD(Battery):
    def _command(self, action):
        return clip(action[0], 0, 1)


# ---------------------------------------------------------------- reacher
class Arm(gym.Env):
    """Two links of one metre; a goal that the hand must reach and hold; -1 until there, 0 there."""

    tolerance = 0.15
    limit = 60

    def __init__(self):
        pair = spaces.Box(-2.5, 2.5, (2,), np.float64)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(-1.0, 1.0, (4,), np.float64),
                "achieved_goal": pair,
                "desired_goal": spaces.Box(-2.5, 2.5, (2,), np.float64),
            }
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)
        self.goal = np.zeros(2)

    @staticmethod
    def _hand(q):
        return np.array([math.cos(q[0]) + math.cos(q[0] + q[1]), math.sin(q[0]) + math.sin(q[0] + q[1])])

    def _new_goal(self):
        self.goal = self._hand(self.np_random.uniform(-math.pi, math.pi, 2))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        self.t = 0
        self._new_goal()
        return self._obs(), {}

    def _obs(self):
        q = self.q
        return {
            "observation": np.array([math.cos(q[0]), math.sin(q[0]), math.cos(q[1]), math.sin(q[1])]),
            "achieved_goal": self._hand(q),
            "desired_goal": self.goal.copy(),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        d = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(d > self.tolerance).astype(np.float64)

    def _move(self, action):
        self.q = self.q + 0.2 * np.clip(action, -1, 1)

    def step(self, action):
        self._move(np.asarray(action, np.float64))
        self.t += 1
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], self.goal, {}))
        return obs, reward, False, self.t >= self.limit, {"is_success": reward == 0.0}


class ArmB(Arm):
    def _new_goal(self):
        self.shown = self.goal.copy()
        super()._new_goal()

    def _obs(self):
        obs = super()._obs()
        obs["desired_goal"] = self.shown.copy()
        return obs


class ArmC(Arm):
    def reset(self, *, seed=None, options=None):
        self.command = np.zeros(2)
        return super().reset(seed=seed, options=options)

    def _move(self, action):
        super()._move(self.command)
        self.command = action.copy()


class ArmD(Arm):
    tolerance = 5.0


# ---------------------------------------------------------------- connect four
class Connect(gym.Env):
    """Four in a row on a board of 5 by 6 against a scripted opponent; an illegal move loses."""

    rows, cols = 5, 6

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (self.rows, self.cols), np.int8)
        self.action_space = spaces.Discrete(self.cols)
        self.lines = {(r, c): [] for r in range(self.rows) for c in range(self.cols)}
        for r in range(self.rows):
            for c in range(self.cols):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(r + k * dr, c + k * dc) for k in range(4)]
                    if all(0 <= a < self.rows and 0 <= b < self.cols for a, b in cells):
                        for cell in cells:
                            self.lines[cell].append(tuple(x for x in cells if x != cell))

    def _start(self):
        self.board = {cell: 0 for cell in self.lines}
        self.height = [0] * self.cols

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._start()
        if self.np_random.random() < 0.5:
            self._drop(self._reply(), -1)
        return self._obs(), {}

    def _obs(self):
        return np.array(list(self.board.values()), np.int8).reshape(self.rows, self.cols)

    def _wins(self, cell, who):
        b = self.board
        for x, y, z in self.lines[cell]:
            if b[x] == who and b[y] == who and b[z] == who:
                return True
        return False

    def _free(self):
        return [c for c in range(self.cols) if self.height[c] < self.rows]

    def _drop(self, col, who):
        cell = (self.rows - 1 - self.height[col], col)
        self.board[cell] = who
        self.height[col] += 1
        return self._wins(cell, who)

    def _reply(self):
        free = self._free()
        for who in (-1, 1):
            if who == 1 and self.np_random.random() < 0.3:
                break
            for c in free:
                if self._wins((self.rows - 1 - self.height[c], c), who):
                    return c
        return free[int(self.np_random.integers(len(free)))]

    def _score(self, winner):
        return float(winner)

    def _play(self, col):
        if self.height[col] >= self.rows:
            return -1.0, True, {"winner": -1}
        if self._drop(col, 1):
            return self._score(1), True, {"winner": 1}
        if self._free():
            if self._drop(self._reply(), -1):
                return self._score(-1), True, {"winner": -1}
        over = not self._free()
        return 0.0, over, {"winner": 0}

    def step(self, action):
        reward, over, info = self._play(int(action))
        return self._obs(), reward, over, False, info


class ConnectB(Connect):
    def step(self, action):
        reward, over, info = self._play(int(action))
        if over:
            self.reset()
        return self._obs(), reward, over, False, info


class ConnectC(Connect):
    def _obs(self):
        return np.abs(super()._obs())


class ConnectD(Connect):
    def _score(self, winner):
        return 1.0 if winner != 0 else 0.0


# ---------------------------------------------------------------- catch
class Catch(gym.Env):
    """Ten balls fall, a paddle catches; pixels. The bar at the top shows how many are left."""

    def __init__(self, drift=False):
        self.drift = drift
        self.observation_space = spaces.Box(0, 255, (40, 40, 3), np.uint8)
        self.action_space = spaces.Discrete(3)

    def _ball(self):
        self.bx = int(self.np_random.integers(2, 37))
        self.by = 4
        self.bv = int(self.np_random.integers(-1, 2)) if self.drift else 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        self.paddle = 17
        self._ball()
        return self._obs(), {}

    def _obs(self):
        img = np.zeros((40, 40, 3), np.uint8)
        img[0:2, : 4 * self.left] = (60, 60, 200)
        img[self.by : self.by + 2, self.bx : self.bx + 2] = (240, 200, 40)
        img[37:39, self.paddle : self.paddle + 7] = (90, 220, 90)
        return img

    def step(self, action):
        self.paddle = max(0, min(33, self.paddle + 2 * (int(action) - 1)))
        self.by += 2
        self.bx += self.bv
        if self.bx < 0 or self.bx > 38:
            self.bv = -self.bv
            self.bx = max(0, min(38, self.bx))
        reward = 0.0
        if self.by >= 36:
            caught = self.paddle - 1 <= self.bx <= self.paddle + 6
            reward = 1.0 if caught else -1.0
            self.left -= 1
            self._ball()
        return self._obs(), reward, self.left == 0, False, {"left": self.left}


class CatchB(Catch):
    def _obs(self):
        return super()._obs().astype(F32) / 255


# ---------------------------------------------------------------- snake
class Snake(gym.Env):
    """Snake on a board of 8 by 8; channels: head, body by age, food."""

    n = 8
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.n, self.n, 3), F32)
        self.action_space = spaces.Discrete(4)

    def _begin(self):
        self.cells = [(4, 3), (4, 2), (4, 1)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._begin()
        self.heading = 1
        self._feed()
        return self._obs(), {}

    def _feed(self):
        taken = set(self.cells)
        free = [(r, c) for r in range(self.n) for c in range(self.n) if (r, c) not in taken]
        self.food = free[int(self.np_random.integers(len(free)))] if free else None

    def _obs(self):
        obs = np.zeros((self.n, self.n, 3), F32)
        k = len(self.cells)
        for i, cell in enumerate(self.cells):
            obs[cell[0], cell[1], 1] = (k - i) / k
        obs[self.cells[0][0], self.cells[0][1], 0] = 1
        if self.food:
            obs[self.food[0], self.food[1], 2] = 1
        return obs

    def step(self, action):
        a = int(action)
        if (a + 2) % 4 != self.heading:
            self.heading = a
        dr, dc = self.moves[self.heading]
        head = (self.cells[0][0] + dr, self.cells[0][1] + dc)
        eats = head == self.food
        body = self.cells if eats else self.cells[:-1]
        if not (0 <= head[0] < self.n and 0 <= head[1] < self.n) or head in body:
            return self._obs(), -1.0, True, False, {"length": len(self.cells)}
        self.cells.insert(0, head)
        reward = 0.0
        if eats:
            reward = 1.0
            self._feed()
        else:
            self.cells.pop()
        return self._obs(), reward, self.food is None, False, {"length": len(self.cells)}


class SnakeB(Snake):
    cells = []

    def _begin(self):
        self.cells.clear()
        self.cells.extend([(4, 3), (4, 2), (4, 1)])


class SnakeC(Snake):
    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        return obs[..., ::-1].copy(), reward, terminated, truncated, info


# ---------------------------------------------------------------- t-maze
class TMaze(gym.Env):
    """A sign at the entrance says where to turn at the end of the corridor: forward, left, right."""

    length = 8

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), F32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = 0
        self.side = int(self.np_random.integers(2))
        return self._obs(), {}

    def _sign(self):
        if self.pos:
            return 0.0, 0.0
        return (1.0, 0.0) if self.side == 0 else (0.0, 1.0)

    def _obs(self):
        left, right = self._sign()
        return np.array([self.pos / self.length, left, right, self.pos == self.length], F32)

    def step(self, action):
        a = int(action)
        if self.pos < self.length:
            if a == 0:
                self.pos += 1
            return self._obs(), -0.01, False, False, {}
        if a == 0:
            return self._obs(), -0.01, False, False, {}
        right = a - 1 == self.side
        return self._obs(), 1.0 if right else -1.0, True, False, {"is_success": right}


class TMazeB(TMaze):
    def _sign(self):
        return 0.0, 0.0


# ---------------------------------------------------------------- elevator
class Elevator(gym.Env):
    """One cabin, six floors: down, up, open."""

    floors = 6
    room = 8
    crowd = 5

    def __init__(self, limit=400):
        self.limit = limit
        self.observation_space = spaces.Dict(
            {
                "floor": spaces.Discrete(self.floors),
                "waiting": spaces.Box(0, self.crowd, (self.floors,), np.int8),
                "riding": spaces.Box(0, self.room, (self.floors,), np.int8),
            }
        )
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.floors))
        self.waiting = [[] for _ in range(self.floors)]
        self.riding = [0] * self.floors
        for _ in range(4):
            self._arrive()
        self.t = 0
        return self._obs(), {}

    def _admits(self, floor):
        return len(self.waiting[floor]) < self.crowd

    def _arrive(self):
        a = int(self.np_random.integers(self.floors))
        b = int(self.np_random.integers(self.floors - 1))
        if self._admits(a):
            self.waiting[a].append(b + (b >= a))

    def _obs(self):
        return {
            "floor": self.floor,
            "waiting": np.array([len(w) for w in self.waiting], np.int8),
            "riding": np.array(self.riding, np.int8),
        }

    def step(self, action):
        a = int(action)
        delivered = 0
        if a == 0:
            self.floor = max(0, self.floor - 1)
        elif a == 1:
            self.floor = min(self.floors - 1, self.floor + 1)
        else:
            delivered = self.riding[self.floor]
            self.riding[self.floor] = 0
            queue = self.waiting[self.floor]
            while queue and sum(self.riding) < self.room:
                self.riding[queue.pop(0)] += 1
        if self.np_random.random() < 0.2:
            self._arrive()
        people = sum(len(w) for w in self.waiting) + sum(self.riding)
        self.t += 1
        return self._obs(), delivered - 0.02 * people, False, self.t >= self.limit, {"delivered": delivered}


class ElevatorB(Elevator):
    def _admits(self, floor):
        return True


# ---------------------------------------------------------------- heating
class Heating(gym.Env):
    """A room over a day in steps of five minutes: heater (5 levels) and fan (3 levels); degrees Celsius."""

    def __init__(self, limit=288):
        self.limit = limit
        self.observation_space = box([-20, -30, 10, 0, -1, -1], [60, 45, 25, 1, 1, 1])
        self.action_space = spaces.MultiDiscrete([5, 3])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tick = int(self.np_random.integers(288))
        self.base = float(self.np_random.uniform(-5, 15))
        self.cloud = float(self.np_random.uniform(0, 1))
        self.temp = float(self.np_random.uniform(14, 24))
        self.t = 0
        return self._obs(), {}

    def _weather(self):
        phase = 2 * math.pi * self.tick / 288
        sun = max(0.0, -math.cos(phase)) * (1 - 0.7 * self.cloud)
        return self.base - 5 * math.cos(phase), sun, 21.0 if 84 <= self.tick < 264 else 17.0

    def _sensor(self):
        return self.temp

    def _obs(self):
        outside, sun, wish = self._weather()
        phase = 2 * math.pi * self.tick / 288
        return np.array([self._sensor(), outside, wish, sun, math.sin(phase), math.cos(phase)], F32)

    def step(self, action):
        heat, fan = int(action[0]), int(action[1])
        outside, sun, wish = self._weather()
        self.temp += (outside - self.temp) * (0.01 + 0.02 * fan) + 0.12 * heat + 0.25 * sun
        self.temp += 0.02 * float(self.np_random.standard_normal())
        self.temp = max(-20.0, min(60.0, self.temp))
        discomfort = max(0.0, abs(self.temp - wish) - 0.5)
        self.tick = (self.tick + 1) % 288
        self.t += 1
        reward = -0.2 * discomfort - 0.03 * heat - 0.01 * fan
        return self._obs(), reward, False, self.t >= self.limit, {"discomfort": discomfort, "energy": heat}


class HeatingB(Heating):
    def reset(self, *, seed=None, options=None):
        self.reading = None
        return super().reset(seed=seed, options=options)

    def _sensor(self):
        if self.reading is None:
            self.reading = self.temp
        return self.reading


# ---------------------------------------------------------------- key and door
class KeyDoor(gym.Env):
    """Two rooms, a locked door between them: take the key, open, walk to the goal. 0 floor 1 wall 2 agent 3 key 4 door 5 open 6 goal."""

    n = 11
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self):
        self.observation_space = spaces.Dict(
            {"grid": spaces.Box(0, 6, (self.n, self.n), np.uint8), "has_key": spaces.Discrete(2)}
        )
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        n, mid = self.n, self.n // 2
        self.map = np.ones((n, n), np.uint8)
        self.map[1:-1, 1:-1] = 0
        self.map[:, mid] = 1
        self.door = (int(r.integers(1, n - 1)), mid)
        self.map[self.door] = 4
        self.pos = (int(r.integers(1, n - 1)), 1)
        self.goal = (int(r.integers(1, n - 1)), n - 2)
        self.map[self.goal] = 6
        self.map[int(r.integers(1, n - 1)), int(r.integers(2, mid))] = 3
        self.has_key = 0
        self.found = False
        return self._obs(), {}

    def _obs(self):
        grid = self.map.copy()
        grid[self.pos] = 2
        return {"grid": grid, "has_key": self.has_key}

    def _key_bonus(self):
        bonus = 0.0 if self.found else 0.1
        self.found = True
        return bonus

    def step(self, action):
        a = int(action)
        reward, done = 0.0, False
        if a < 4:
            new = (self.pos[0] + self.moves[a][0], self.pos[1] + self.moves[a][1])
            if self.map[new] in (0, 3, 5, 6):
                self.pos = new
            if self.pos == self.goal:
                reward, done = 1.0, True
        elif self.map[self.pos] == 3:
            self.map[self.pos] = 0
            self.has_key = 1
            reward = self._key_bonus()
        elif self.has_key:
            near = abs(self.pos[0] - self.door[0]) + abs(self.pos[1] - self.door[1]) == 1
            if near and self.map[self.door] == 4:
                self.map[self.door] = 5
                reward = 0.1
            elif self.map[self.pos] == 0:
                self.map[self.pos] = 3
                self.has_key = 0
        return self._obs(), reward, done, False, {"is_success": done}


class KeyDoorB(KeyDoor):
    def _key_bonus(self):
        return 0.1


# ---------------------------------------------------------------- pursuit
class Pursuit(gym.Env):
    """On a torus of 10 by 10 a hunter runs after a slower fox."""

    side = 10.0
    speed = 0.3
    fox_speed = 0.2
    reach = 0.4

    def __init__(self):
        s = self.side
        self.observation_space = box([0, 0, -s, -s, -1, -1], [s, s, s, s, 1, 1])
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)
        self.before = self.side

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        self.px, self.py = float(r.uniform(0, 10)), float(r.uniform(0, 10))
        angle = float(r.uniform(-math.pi, math.pi))
        far = float(r.uniform(2, 5))
        self.fx = (self.px + far * math.cos(angle)) % self.side
        self.fy = (self.py + far * math.sin(angle)) % self.side
        self.fvx = self.fvy = 0.0
        self._begin()
        return self._obs(), {}

    def _begin(self):
        self.before = self._distance()

    def _gap(self):
        half = self.side / 2
        return (self.fx - self.px + half) % self.side - half, (self.fy - self.py + half) % self.side - half

    def _distance(self):
        return math.hypot(*self._gap())

    def _obs(self):
        dx, dy = self._gap()
        return np.array([self.px, self.py, dx, dy, self.fvx, self.fvy], F32)

    def _velocity(self, action):
        ax, ay = clip(action[0], -1, 1), clip(action[1], -1, 1)
        norm = max(1.0, math.hypot(ax, ay))
        return self.speed * ax / norm, self.speed * ay / norm

    def step(self, action):
        vx, vy = self._velocity(action)
        self.px = (self.px + vx) % self.side
        self.py = (self.py + vy) % self.side
        dx, dy = self._gap()
        angle = math.atan2(dy, dx) + 0.4 * float(self.np_random.standard_normal())
        self.fvx, self.fvy = self.fox_speed * math.cos(angle), self.fox_speed * math.sin(angle)
        self.fx = (self.fx + self.fvx) % self.side
        self.fy = (self.fy + self.fvy) % self.side
        now = self._distance()
        caught = now < self.reach
        reward = 0.5 * (self.before - now) - 0.01 + (5.0 if caught else 0.0)
        self.before = now
        return self._obs(), reward, caught, False, {"distance": now, "is_success": caught}


class PursuitB(Pursuit):
    def _velocity(self, action):
        np.clip(action, -1, 1, out=action)
        action /= max(1.0, math.hypot(float(action[0]), float(action[1])))
        action *= self.speed
        return float(action[0]), float(action[1])


class PursuitC(Pursuit):
    def _begin(self):
        pass


class PursuitD(Pursuit):
    fox_speed = 0.35


# ---------------------------------------------------------------- chemostat
class Chemostat(gym.Env):
    """A bioreactor: feed too fast and the culture is washed out. Observed: log10 of measured substrate, biomass, feed (g/l)."""

    dt = 0.5
    limit = 240

    def __init__(self):
        self.observation_space = box([-3, 0, 0], [1.5, 20, 20])
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = float(self.np_random.uniform(0.2, 4))
        self.x = float(self.np_random.uniform(3, 5))
        self.feed = float(self.np_random.uniform(8, 12))
        self.t = 0
        return self._obs(), {}

    def _substrate(self):
        measured = self.s + 0.08 * float(self.np_random.standard_normal())
        return math.log10(min(30.0, max(1e-3, measured)))

    def _obs(self):
        return np.array([self._substrate(), self.x, self.feed], F32)

    def _dilution(self, action):
        return clip(0.5 * (action[0] + 1), 0, 1)

    def _react(self, d):
        h = self.dt / 4
        for _ in range(4):
            mu = 0.5 * self.s / (0.2 + self.s)
            grown = mu * self.x
            self.s = min(20.0, max(0.0, self.s + h * (d * (self.feed - self.s) - 2 * grown)))
            self.x = min(20.0, max(0.0, self.x + h * (grown - d * self.x)))
        self.feed = min(14.0, max(6.0, self.feed + 0.05 * float(self.np_random.standard_normal())))
        self.t += 1

    def step(self, action):
        d = self._dilution(action)
        self._react(d)
        return self._obs(), d * self.x, False, self.t >= self.limit, {"biomass": self.x}


class ChemostatB(Chemostat):
    def step(self, action):
        d = np.clip(0.5 * (action + 1), 0, 1)
        self._react(float(d[0]))
        return self._obs(), d * self.x, False, self.t >= self.limit, {"biomass": self.x}


class ChemostatC(Chemostat):
    def _substrate(self):
        with np.errstate(all="ignore"):
            return np.log10(self.s + 0.08 * self.np_random.standard_normal())


class UnitAction(gym.ActionWrapper, RecordConstructorArgs):
    """Agent acts in [-1, 1], the plant takes [0, 1]."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.ActionWrapper.__init__(self, env)
        self.action_space = spaces.Box(-1.0, 1.0, env.action_space.shape, F32)

    def action(self, action):
        return (0.5 * (np.asarray(action) + 1)).astype(F32)


# ---------------------------------------------------------------- load balancer
class Balancer(gym.Env):
    """Five servers of different speed; each request goes to one of them. Work in units, a fast server does 200 a step."""

    speeds = (50.0, 50.0, 100.0, 100.0, 200.0)
    cap = 5000.0

    def __init__(self, limit=500):
        self.limit = limit
        self.observation_space = spaces.Box(0.0, self.cap, (6,), F32)
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.work = [float(w) for w in self.np_random.uniform(0, 300, 5)]
        self._request()
        self.t = 0
        return self._obs(), {}

    def _request(self):
        self.size = float(min(2000.0, self.np_random.exponential(330)))

    def _obs(self):
        return np.array([*self.work, self.size], F32)

    def _server(self, action):
        return int(action)

    def step(self, action):
        k = self._server(action)
        delay = (self.work[k] + self.size) / self.speeds[k]
        self.work[k] = min(self.cap, self.work[k] + self.size)
        self.work = [max(0.0, w - s) for w, s in zip(self.work, self.speeds)]
        self._request()
        self.t += 1
        return self._obs(), -delay / 10, False, self.t >= self.limit, {"delay": delay}


class BalancerB(Balancer):
    def __init__(self, limit=500):
        super().__init__(limit)
        self.observation_space = spaces.Box(0, 255, (6,), np.uint8)

    def _obs(self):
        return super()._obs().astype(np.int64).astype(np.uint8)


class BalancerC(Balancer):
    def _server(self, action):
        return max(0, int(action) - 1)


# ---------------------------------------------------------------- fishery
class Fishery(gym.Env):
    """How much to fish each year; a stock below 30 kt is lost. Observed: a survey of the stock and last year's catch, in kt."""

    efforts = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)

    def __init__(self, years=100):
        self.years = years
        self.observation_space = spaces.Box(0, 3000, (2,), np.int32)
        self.action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = float(self.np_random.uniform(300, 900))
        self.caught = 0.0
        self.t = 0
        return self._obs(), {}

    def _obs(self):
        survey = self.stock * math.exp(0.05 * float(self.np_random.standard_normal()))
        return np.array([min(3000, round(survey)), round(self.caught)], np.int32)

    def step(self, action):
        self.caught = self.efforts[int(action)] * self.stock
        left = self.stock - self.caught
        growth = 0.3 * left * (1 - left / 1000) * math.exp(0.1 * float(self.np_random.standard_normal()))
        self.stock = max(0.0, left + growth)
        self.t += 1
        lost = self.stock < 30
        return self._obs(), self.caught / 10, lost, not lost and self.t >= self.years, {"stock": self.stock}


# ---------------------------------------------------------------- radio power
class Radio(gym.Env):
    """Four radio links share a channel; transmit powers are set each step; gains are observed in dB."""

    def __init__(self, limit=100):
        self.limit = limit
        self.observation_space = spaces.Box(-200.0, 0.0, (16,), F32)
        self.action_space = spaces.Box(0.0, 1.0, (4,), F32)
        self.mean = np.full((4, 4), -88.0)
        np.fill_diagonal(self.mean, -82.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fade = 7 * self.np_random.standard_normal((4, 4))
        self.t = 0
        return self._obs(), {}

    def _gain(self):
        return np.maximum(-200.0, np.minimum(0.0, self.mean + self.fade))

    def _obs(self):
        return self._gain().ravel().astype(F32)

    def _rate(self, power):
        got = 10 ** (self._gain() / 10) * (0.2 * power)[None, :]
        signal = got.diagonal()
        noise = got.sum(1) - signal + 1e-11
        return float(np.log2(1 + signal / noise).sum())

    def step(self, action):
        rate = self._rate(np.clip(np.asarray(action, np.float64), 0, 1))
        self.fade = 0.95 * self.fade + 7 * math.sqrt(1 - 0.95**2) * self.np_random.standard_normal((4, 4))
        self.t += 1
        return self._obs(), self._pay(rate), False, self.t >= self.limit, {}

    def _pay(self, rate):
        return rate / 4


class RadioB(Radio):
    def __init__(self, limit=100):
        super().__init__(limit)
        self.observation_space = spaces.Box(0.0, 1.0, (16,), F32)

    def _obs(self):
        return (10 ** (self._gain() / 10)).ravel().astype(F32)


class RadioC(Radio):
    bandwidth = 20e6

    def _pay(self, rate):
        return rate / 4 * self.bandwidth


# ---------------------------------------------------------------- lane keeping
class Lane(gym.Env):
    """A car on a winding road: steering in rad, acceleration in m/s2. Observed: offset, heading error, speed, bends now and ahead."""

    dt = 0.1

    def __init__(self):
        self.observation_space = spaces.Box(-INF, INF, (6,), F32)
        self.action_space = box([-0.5, -3.0], [0.5, 2.0])
        self.last = np.zeros(6, F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        bends = self.np_random.uniform(-0.03, 0.03, 60)
        bends[0] = 0.0
        self.bends = np.repeat(bends, 20).tolist()
        self.s = 0.0
        self.e = float(self.np_random.uniform(-0.5, 0.5))
        self.psi = float(self.np_random.uniform(-0.1, 0.1))
        self.v = float(self.np_random.uniform(5, 10))
        return self._first(), {}

    def _first(self):
        return self._obs()

    def _bend(self, s):
        return self.bends[int(s) % len(self.bends)]

    def _obs(self):
        s = self.s
        return np.array(
            [self.e, self.psi, self.v, self._bend(s), self._bend(s + 10), self._bend(s + 20)], F32
        )

    def _controls(self, action):
        return clip(action[0], -0.5, 0.5), clip(action[1], -3.0, 2.0)

    def _reward(self, off):
        if off:
            return -10.0
        return self.v * math.cos(self.psi) * self.dt - 0.1 * self.e**2

    def step(self, action):
        steer, accel = self._controls(action)
        h = self.dt
        grip = 6.0 / max(1.0, self.v**2)
        turn = max(-grip, min(grip, math.tan(steer) / 2.7))
        self.v = max(0.0, min(25.0, self.v + h * accel))
        self.e += h * self.v * math.sin(self.psi)
        self.psi += h * self.v * (turn - self._bend(self.s))
        self.s += h * self.v * math.cos(self.psi)
        off = abs(self.e) > 2.0 or abs(self.psi) > 1.2
        return self._obs(), self._reward(off), off, False, {"offset": self.e, "speed": self.v}


class LaneB(Lane):
    def _first(self):
        return self.last.copy()

    def step(self, action):
        out = super().step(action)
        self.last = out[0].copy()
        return out


class LaneC(Lane):
    def _controls(self, action):
        steer, accel = np.clip(action, -0.05, 0.05)
        return float(steer), float(accel)


class LaneD(Lane):
    def _reward(self, off):
        if off:
            return -1.0
        return -0.5 * abs(self.e) - abs(self.psi) - 0.05 * abs(self.v - 14.0)


# ---------------------------------------------------------------- code breaking
class CodeBreak(gym.Env):
    """Guess a code of three pegs in four colours in at most six tries; the board is what is seen."""

    pegs, colours, tries = 3, 4, 6

    def __init__(self):
        self.observation_space = spaces.Box(-1, 3, (self.tries, self.pegs + 2), np.int8)
        self.action_space = spaces.MultiDiscrete([self.colours] * self.pegs)

    def _think(self):
        return [int(k) for k in self.np_random.integers(0, self.colours, self.pegs)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.code = self._think()
        self.board = np.full((self.tries, self.pegs + 2), -1, np.int8)
        self.turn = 0
        return self.board.copy(), {}

    def step(self, action):
        guess = [int(k) for k in action]
        black = sum(a == b for a, b in zip(guess, self.code))
        both = sum(min(guess.count(k), self.code.count(k)) for k in range(self.colours))
        self.board[self.turn] = [*guess, black, both - black]
        self.turn += 1
        cracked = black == self.pegs
        self._after()
        done = cracked or self.turn == self.tries
        return self.board.copy(), float(cracked), done, False, {"is_success": cracked}

    def _after(self):
        pass


class CodeBreakB(CodeBreak):
    def _after(self):
        self.code = self._think()


# ---------------------------------------------------------------- switches
class Switches(gym.Env):
    """Eight switches and a wanted pattern; each action throws one; -1 until the pattern is met."""

    n = 8

    def __init__(self):
        bits = spaces.MultiBinary(self.n)
        self.observation_space = spaces.Dict(
            {"observation": bits, "achieved_goal": spaces.MultiBinary(self.n), "desired_goal": spaces.MultiBinary(self.n)}
        )
        self.action_space = spaces.Discrete(self.n)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.integers(0, 2, self.n).astype(np.int8)
        self.goal = self.np_random.integers(0, 2, self.n).astype(np.int8)
        while (self.goal == self.state).all():
            self.goal = self.np_random.integers(0, 2, self.n).astype(np.int8)
        return self._obs(), {}

    def _obs(self):
        return {"observation": self.state.copy(), "achieved_goal": self.state.copy(), "desired_goal": self.goal.copy()}

    def compute_reward(self, achieved_goal, desired_goal, info):
        same = (np.asarray(achieved_goal) == np.asarray(desired_goal)).all(axis=-1)
        return np.where(same, 0.0, -1.0)

    def step(self, action):
        self.state[int(action)] ^= 1
        done = bool((self.state == self.goal).all())
        return self._obs(), 0.0 if done else -1.0, done, False, {"is_success": done}


class SwitchesB(Switches):
    def compute_reward(self, achieved_goal, desired_goal, info):
        same = (np.asarray(achieved_goal) == np.asarray(desired_goal)).all(axis=-1)
        return np.where(same, -1.0, 0.0)


# ---------------------------------------------------------------- bandit
class Arms(gym.Env):
    """Four arms with new odds in every episode; seen: the last pull, what it paid, and the time."""

    k, pulls = 4, 60

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.k + 2,), F32)
        self.action_space = spaces.Discrete(self.k)

    def _odds(self):
        return self.np_random.random(self.k)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.odds = self._odds()
        self.t = 0
        return np.zeros(self.k + 2, F32), {}

    def step(self, action):
        a = int(action)
        reward = float(self.np_random.random() < self.odds[a])
        self.t += 1
        obs = np.zeros(self.k + 2, F32)
        obs[a] = 1
        obs[self.k] = reward
        obs[self.k + 1] = self.t / self.pulls
        return obs, reward, False, self.t >= self.pulls, {}


class ArmsB(Arms):
    def _odds(self):
        return np.full(self.k, self.np_random.random())


# ---------------------------------------------------------------- docking
class Docking(gym.Env):
    """A capsule of 50 kg docks at the origin, slowly enough; two thrusters of 10 N; metres and metres per second."""

    def __init__(self):
        self.observation_space = spaces.Box(-INF, INF, (4,), F32)
        self.action_space = spaces.Box(-10.0, 10.0, (2,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = float(self.np_random.uniform(-math.pi, math.pi))
        far = float(self.np_random.uniform(20, 80))
        self.x, self.y = far * math.cos(angle), far * math.sin(angle)
        self.vx, self.vy = (float(v) for v in self.np_random.uniform(-0.3, 0.3, 2))
        return self._obs(), {}

    def _obs(self):
        return np.array([self.x, self.y, self.vx, self.vy], F32)

    def _thrust(self, action):
        return clip(action[0], -10, 10), clip(action[1], -10, 10)

    def step(self, action):
        fx, fy = self._thrust(action)
        n = 0.0011
        before = math.hypot(self.x, self.y)
        self.vx += 3 * n * n * self.x + 2 * n * self.vy + fx / 50
        self.vy += -2 * n * self.vx + fy / 50
        self.x += self.vx
        self.y += self.vy
        d, v = math.hypot(self.x, self.y), math.hypot(self.vx, self.vy)
        reward = 0.1 * (before - d) - 0.001 * (abs(fx) + abs(fy))
        done = False
        docked = False
        if d < 3.0:
            done = True
            docked = v < 1.0
            reward += 10.0 if docked else -5.0
        elif d > 300.0:
            done = True
            reward -= 10.0
        return self._obs(), reward, done, False, {"distance": d, "is_success": docked}


class DockingB(Docking):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-INF, INF, (2,), F32)

    def _obs(self):
        return np.array([self.x, self.y], F32)


class DockingC(Docking):
    def _thrust(self, action):
        force = np.zeros(2)
        force[: len(action) - 1] = np.clip(action, -10, 10)[: len(action) - 1]
        return float(force[0]), float(force[1])


# ---------------------------------------------------------------- road crossing
class Crossing(gym.Env):
    """Cross six lanes of cars; pixels. Stay, up, down, left, right. Traffic in a lane always runs the same way."""

    lanes = (1, -1, 2, -1, 1, -2)
    cols = 12

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (32, 48, 1), np.uint8)
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cars = np.zeros((8, self.cols), bool)
        for i in range(6):
            at = int(self.np_random.integers(self.cols))
            self.cars[i + 1, at] = True
            self.cars[i + 1, (at + int(self.np_random.integers(4, 8))) % self.cols] = True
        self.row, self.col = 7, int(self.np_random.integers(self.cols))
        return self._obs(), {}

    def _obs(self):
        img = np.zeros((8, self.cols), np.uint8)
        img[0] = 60
        img[7] = 60
        img[self.cars] = 160
        img[self.row, self.col] = 255
        return img.repeat(4, 0).repeat(4, 1)[:, :, None]

    def _shift(self, a):
        return (0, -1) if a == 3 else (0, 1)

    def step(self, action):
        a = int(action)
        if a == 1:
            self.row -= 1
        elif a == 2:
            self.row = min(7, self.row + 1)
        elif a >= 3:
            self.col = max(0, min(self.cols - 1, self.col + self._shift(a)[1]))
        hit = bool(self.cars[self.row, self.col])
        for i, v in enumerate(self.lanes):
            self.cars[i + 1] = np.roll(self.cars[i + 1], v)
        hit = hit or bool(self.cars[self.row, self.col])
        home = self.row == 0
        reward = 1.0 if home else (-0.5 if hit else 0.0)
        return self._obs(), reward, home or hit, False, {"is_success": home}


class CrossingB(Crossing):
    def _shift(self, a):
        return (0, 1) if a == 3 else (0, 1)


# ---------------------------------------------------------------- river
class River(gym.Env):
    """Swim upstream against the current for a rare prize, or rest downstream for a crumb."""

    n = 6

    def __init__(self):
        self.observation_space = spaces.Discrete(self.n)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = int(self.np_random.integers(1, 3))
        return self.s, {}

    def step(self, action):
        reward = 0.0
        if action == 0:
            if self.s == 0:
                reward = 0.005
            self.s = max(0, self.s - 1)
        else:
            if self.s == self.n - 1:
                reward = 1.0
            u = self.np_random.random()
            if u < 0.35:
                self.s = min(self.n - 1, self.s + 1)
            elif u > 0.95:
                self.s = max(0, self.s - 1)
        return self.s, reward, False, False, {}


# ---------------------------------------------------------------- adverts
class Adverts(gym.Env):
    """One visitor, one advert, one answer: episodes of a single step. Amounts in cents."""

    def __init__(self):
        self.observation_space = box([18, 0, 0, 0], [90, 1, 23, 1])
        self.action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        self.age = int(r.integers(18, 91))
        self.mobile, self.hour, self.known = int(r.integers(2)), int(r.integers(24)), int(r.integers(2))
        return self._obs(), {}

    def _obs(self):
        return np.array([self.age, self.mobile, self.hour, self.known], F32)

    def step(self, action):
        a = int(action)
        fit = (
            -abs(self.age - 25) / 15,
            -abs(self.age - 45) / 15,
            -abs(self.age - 70) / 15,
            1.5 * self.mobile - 1.5,
            -abs(self.hour - 20) / 5 - 0.5,
            2 * self.known - 2.5,
        )[a]
        p = 0.3 / (1 + math.exp(-2 * fit - 1))
        bought = self.np_random.random() < p
        return self._obs(), (25.0 if bought else -1.0), True, False, {}


# ---------------------------------------------------------------- wrappers
class PositionHistory(gym.ObservationWrapper, RecordConstructorArgs):
    """Positions only, the last four of them, so that speeds can be inferred."""

    def __init__(self, env, keep=(0, 2), k=4):
        RecordConstructorArgs.__init__(self, keep=keep, k=k)
        gym.ObservationWrapper.__init__(self, env)
        self.keep = list(keep)
        self.frames = deque(maxlen=k)
        self.k = k
        self.observation_space = spaces.Box(-INF, INF, (k * len(self.keep),), F32)

    def _clear(self):
        self.frames.clear()

    def reset(self, *, seed=None, options=None):
        self._clear()
        return super().reset(seed=seed, options=options)

    def observation(self, observation):
        self.frames.append(np.asarray(observation, F32)[self.keep])
        while len(self.frames) < self.k:
            self.frames.append(self.frames[-1])
        return np.concatenate(self.frames)


class PositionHistoryB(PositionHistory):
    def _clear(self):
        pass


class DivideByHigh(gym.ObservationWrapper, RecordConstructorArgs):
    """Observations between -1 and 1."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.ObservationWrapper.__init__(self, env)
        self.high = env.observation_space.high.astype(np.float64)
        self.observation_space = spaces.Box(-1.0, 1.0, env.observation_space.shape, F32)

    def observation(self, observation):
        return np.clip(observation / self.high, -1, 1).astype(F32)


class Notches(gym.ActionWrapper, RecordConstructorArgs):
    """A handle with a few notches in place of a continuous action."""

    def __init__(self, env, notches=7):
        RecordConstructorArgs.__init__(self, notches=notches)
        gym.ActionWrapper.__init__(self, env)
        self.table = self._table(float(env.action_space.low[0]), float(env.action_space.high[0]), notches)
        self.action_space = spaces.Discrete(notches)

    def _table(self, low, high, notches):
        return np.linspace(low, high, notches)

    def action(self, action):
        return np.array([self.table[int(action)]], F32)


class NotchesB(Notches):
    def _table(self, low, high, notches):
        return np.linspace(low, high, notches).astype(int)


class HeightShaping(gym.Wrapper, RecordConstructorArgs):
    """Adds gamma * phi(s') - phi(s), phi being how far the car is below the flag; phi of the end is 0."""

    def __init__(self, env, gamma=0.99, scale=5.0):
        RecordConstructorArgs.__init__(self, gamma=gamma, scale=scale)
        gym.Wrapper.__init__(self, env)
        self.gamma, self.scale = gamma, scale

    def _phi(self, obs):
        return self.scale * (math.sin(3 * float(obs[0])) - math.sin(1.5))

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        self.phi = self._phi(obs)
        return obs, info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        phi = 0.0 if terminated else self._phi(obs)
        reward = float(reward) + self.gamma * phi - self.phi
        self.phi = phi
        return obs, reward, terminated, truncated, info


class SpeedBonus(gym.Wrapper, RecordConstructorArgs):
    """Helps the car to swing."""

    def __init__(self, env, scale=100.0):
        RecordConstructorArgs.__init__(self, scale=scale)
        gym.Wrapper.__init__(self, env)
        self.scale = scale

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, float(reward) + self.scale * abs(float(obs[1])), terminated, truncated, info


class OneHot(gym.ObservationWrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.ObservationWrapper.__init__(self, env)
        self.n = int(env.observation_space.n)
        self.observation_space = spaces.Box(0.0, 1.0, (self.n,), F32)

    def observation(self, observation):
        obs = np.zeros(self.n, F32)
        obs[int(observation)] = 1
        return obs


class Repeat(gym.Wrapper, RecordConstructorArgs):
    """Each action twice; stops where the episode stops."""

    def __init__(self, env, times=2):
        RecordConstructorArgs.__init__(self, times=times)
        gym.Wrapper.__init__(self, env)
        self.times = times

    def step(self, action):
        total = 0.0
        for _ in range(self.times):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info


# ================================================================ healthy
def healthy_reservoir():
    return Reservoir()


def healthy_crane():
    return Crane()


def healthy_maze():
    return TimeLimit(Maze(), 150)


def healthy_inventory():
    return Inventory()


def healthy_trading():
    return Trading()


def healthy_traffic():
    return Traffic()


def healthy_drone():
    return TimeLimit(Drone(), 300)


def healthy_jobs():
    return Jobs()


def healthy_pontoon():
    return Pontoon()


def healthy_recommender():
    return Recommender()


def healthy_battery():
    return Battery()


def healthy_arm():
    return Arm()


def healthy_connect():
    return Connect()


def healthy_catch():
    return FrameStackObservation(Catch(drift=True), 3)


def healthy_snake():
    return TimeLimit(Snake(), 500)


def healthy_tmaze():
    return TimeLimit(TMaze(), 60)


def healthy_elevator():
    return Elevator()


def healthy_heating():
    return Heating()


def healthy_keydoor():
    return TimeLimit(KeyDoor(), 250)


def healthy_pursuit():
    return TimeAwareObservation(TimeLimit(Pursuit(), 200))


def healthy_chemostat():
    return Chemostat()


def healthy_balancer():
    return Balancer()


def healthy_fishery():
    return Fishery()


def healthy_radio():
    return Radio()


def healthy_lane():
    return ClipAction(TimeLimit(Lane(), 400))


def healthy_codebreak():
    return CodeBreak()


def healthy_switches():
    return TimeLimit(Switches(), 16)


def healthy_arms():
    return Arms()


def healthy_docking():
    return RescaleAction(TimeLimit(Docking(), 400), F32(-1.0), F32(1.0))


def healthy_crossing():
    return StickyAction(TimeLimit(Crossing(), 100), 0.1)


def healthy_river():
    return TimeLimit(River(), 200)


def healthy_adverts():
    return Adverts()


def healthy_cartpole():
    return PositionHistory(gym.make("CartPole-v1"))


def healthy_pendulum():
    env = RescaleAction(gym.make("Pendulum-v1"), F32(-1.0), F32(1.0))
    return TransformReward(RecordEpisodeStatistics(env), lambda r: 0.1 * (r + 8.0))


def healthy_mountaincar():
    return HeightShaping(gym.make("MountainCar-v0"))


def healthy_mountaincar_notches():
    return Notches(gym.make("MountainCarContinuous-v0"))


def healthy_frozenlake():
    return OneHot(gym.make("FrozenLake-v1", map_name="4x4", is_slippery=True))


def healthy_taxi():
    return gym.make("Taxi-v4")


def healthy_acrobot():
    return Repeat(gym.make("Acrobot-v1"))


def healthy_drone_scaled():
    return NormalizeObservation(TimeLimit(Drone(), 300))


# ================================================================ broken
def broken_reservoir_1():
    return ReservoirC()


def broken_reservoir_2():
    return ReservoirB()


def broken_crane_1():
    return CraneD()


def broken_crane_2():
    return CraneB()


def broken_crane_3():
    return CraneC()


def broken_maze_1():
    return TimeLimit(MazeC(), 150)


def broken_maze_2():
    return TimeLimit(MazeD(), 150)


def broken_maze_3():
    return TimeLimit(MazeB(), 150)


def broken_inventory_1():
    return InventoryC()


def broken_inventory_2():
    return InventoryB()


def broken_trading_1():
    return TradingB()


def broken_trading_2():
    return TradingC()


def broken_traffic_1():
    return TrafficB()


def broken_drone_1():
    return TimeLimit(DroneD(), 300)


def broken_drone_2():
    return TimeLimit(DroneB(), 300)


def broken_drone_3():
    return TimeLimit(DroneC(), 300)


def broken_jobs_1():
    return JobsB()


def broken_recommender_1():
    return RecommenderB()


def broken_battery_1():
    return BatteryD()


def broken_battery_2():
    return BatteryB()


def broken_battery_3():
    return BatteryC()


def broken_arm_1():
    return ArmD()


def broken_arm_2():
    return ArmB()


def broken_arm_3():
    return ArmC()


def broken_connect_1():
    return ConnectC()


def broken_connect_2():
    return ConnectD()


def broken_connect_3():
    return ConnectB()


def broken_catch_1():
    return CatchB()


def broken_snake_1():
    return TimeLimit(SnakeC(), 500)


def broken_snake_2():
    return TimeLimit(SnakeB(), 500)


def broken_tmaze_1():
    return TimeLimit(TMazeB(), 60)


def broken_elevator_1():
    return ElevatorB()


def broken_heating_1():
    return HeatingB()


def broken_keydoor_1():
    return TimeLimit(KeyDoor(), 9)


def broken_keydoor_2():
    return TimeLimit(KeyDoorB(), 250)


def broken_pursuit_1():
    return TimeAwareObservation(TimeLimit(PursuitD(), 200))


def broken_pursuit_2():
    return TimeAwareObservation(TimeLimit(PursuitB(), 200))


def broken_pursuit_3():
    return TimeAwareObservation(TimeLimit(PursuitC(), 200))


def broken_chemostat_1():
    return ChemostatC()


def broken_chemostat_2():
    return UnitAction(Chemostat())


def broken_chemostat_3():
    return ChemostatB()


def broken_balancer_1():
    return BalancerC()


def broken_balancer_2():
    return BalancerB()


def broken_fishery_1():
    return ClipReward(Fishery(), -1.0, 1.0)


def broken_radio_1():
    return RadioC()


def broken_radio_2():
    return RadioB()


def broken_lane_1():
    return TimeLimit(LaneD(), 400)


def broken_lane_2():
    return TimeLimit(LaneB(), 400)


def broken_lane_3():
    return TimeLimit(LaneC(), 400)


def broken_codebreak_1():
    return CodeBreakB()


def broken_switches_1():
    return TimeLimit(SwitchesB(), 16)


def broken_arms_1():
    return ArmsB()


def broken_docking_1():
    return RescaleAction(TimeLimit(DockingC(), 400), F32(-1.0), F32(1.0))


def broken_docking_2():
    return RescaleAction(TimeLimit(DockingB(), 400), F32(-1.0), F32(1.0))


def broken_crossing_1():
    return StickyAction(TimeLimit(CrossingB(), 100), 0.1)


def broken_cartpole_1():
    return DivideByHigh(gym.make("CartPole-v1"))


def broken_cartpole_2():
    return gym.make("CartPole-v1", max_episode_steps=8)


def broken_cartpole_3():
    return PositionHistoryB(gym.make("CartPole-v1"))


def broken_mountaincar_1():
    return SpeedBonus(gym.make("MountainCar-v0"))


def broken_mountaincar_2():
    return NotchesB(gym.make("MountainCarContinuous-v0"))
