"""Thirty healthy and fifty broken Gymnasium environments; each factory takes no arguments."""

from __future__ import annotations

import math
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation, FrameStackObservation, RescaleAction, TimeLimit

F = np.float32


def box(low, high):
    return spaces.Box(np.array(low, dtype=F), np.array(high, dtype=F), dtype=F)


# ---------------------------------------------------------------- robot arm


class Reacher(gym.Env):
    """A planar arm with two joints, driven by torques, that has to bring its tip to a target."""

    L1, L2, DT = 0.6, 0.4, 0.05

    def __init__(self):
        self.observation_space = box([-1, -1, -1, -1, -5, -5, -1, -1, -2, -2], [1, 1, 1, 1, 5, 5, 1, 1, 2, 2])
        self.action_space = spaces.Box(-1, 1, (2,), F)

    def _draw_target(self):
        radius = self.np_random.uniform(0.3, 0.9)
        angle = self.np_random.uniform(-math.pi, math.pi)
        return np.array([radius * math.cos(angle), radius * math.sin(angle)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-1.5, 1.5, 2)
        self.dq = np.zeros(2)
        self.target = self._draw_target()
        return self._obs(), {}

    def _tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([self.L1 * math.cos(a) + self.L2 * math.cos(b), self.L1 * math.sin(a) + self.L2 * math.sin(b)])

    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.dq, self.target, self._tip() - self.target]).astype(F)

    def _reward(self, distance, action):
        return -distance - 0.02 * float(action @ action)

    def step(self, action):
        action = np.clip(np.asarray(action, dtype=float), -1, 1)
        self.dq = np.clip(self.dq + self.DT * (12 * action - 1.5 * self.dq), -5, 5)
        self.q = self.q + self.DT * self.dq
        distance = float(np.linalg.norm(self._tip() - self.target))
        return self._obs(), self._reward(distance, action), False, False, {"distance": distance, "is_success": distance < 0.05}


class ReacherRng(Reacher):
    def _draw_target(self):
        radius = np.random.uniform(0.3, 0.9)
        angle = np.random.uniform(-math.pi, math.pi)
        return np.array([radius * math.cos(angle), radius * math.sin(angle)])


class ReacherBlind(Reacher):
    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.dq, np.zeros(2), np.zeros(2)]).astype(F)


class ReacherSign(Reacher):
    def _reward(self, distance, action):
        return distance - 0.02 * float(action @ action)


# ---------------------------------------------------------------- trading


class Trading(gym.Env):
    """One asset with momentum: short, flat or long, with costs for every change."""

    BOUND = 10.0

    def __init__(self):
        self.observation_space = spaces.Box(-self.BOUND, self.BOUND, (7,), F)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.returns = deque([0.0] * 5, maxlen=5)
        for _ in range(20):
            self.returns.append(self._next_return())
        self.upcoming = self._next_return()
        self.position, self.wealth = 0, 1.0
        return self._obs(), {}

    def _next_return(self):
        return float(np.clip(0.55 * self.returns[-1] + 0.01 * self.np_random.normal(), -0.09, 0.09))

    def _features(self):
        return [100 * r for r in self.returns]

    def _obs(self):
        tail = [self.position, np.clip(10 * (self.wealth - 1), -10, 10)]
        return np.clip(np.array(self._features() + tail), -10, 10).astype(F)

    def _reward(self, gain):
        return 100 * gain

    def step(self, action):
        wanted = int(action) - 1
        gain = wanted * self.upcoming - 0.0005 * abs(wanted - self.position)
        self.position = wanted
        self.wealth *= 1 + gain
        self.returns.append(self.upcoming)
        self.upcoming = self._next_return()
        return self._obs(), float(self._reward(gain)), bool(self.wealth < 0.5), False, {"wealth": self.wealth}


class TradingNarrow(Trading):
    BOUND = 1.0


class TradingWindow(Trading):
    def _features(self):
        window = list(self.returns)[1:] + [self.upcoming]
        return [100 * r for r in window]


class TradingLog(Trading):
    def _reward(self, gain):
        # growth over the starting capital
        with np.errstate(all="ignore"):
            return np.log(self.wealth - 0.97) + 3.5


# ---------------------------------------------------------------- inventory


class Inventory(gym.Env):
    """A shop that orders goods which arrive two days later; what is under way is part of the observation."""

    def __init__(self):
        self.observation_space = box([0, 0, 0, -1, -1], [60, 20, 20, 1, 1])
        self.action_space = spaces.Discrete(11)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(5, 20))
        self.pipe = [0, 0]
        self.day = int(self.np_random.integers(7))
        return self._obs(), {}

    def _obs(self):
        angle = 2 * math.pi * self.day / 7
        return np.array([self.stock, *self.pipe, math.sin(angle), math.cos(angle)], dtype=F)

    def step(self, action):
        order = 2 * int(action)
        self.stock = min(60, self.stock + self.pipe[0])
        self.pipe = [self.pipe[1], order]
        demand = int(self.np_random.poisson(6 + 3 * math.sin(2 * math.pi * self.day / 7)))
        sold = min(demand, self.stock)
        self.stock -= sold
        self.day = (self.day + 1) % 7
        reward = 2.0 * sold - 0.1 * self.stock - 1.0 * (demand - sold) - 1.0 * order
        return self._obs(), float(reward) / 10, False, False, {"demand": demand, "sold": sold}


# ---------------------------------------------------------------- gridworld of a warehouse


class Warehouse(gym.Env):
    """A cart between shelves on a 7x7 floor; paid once, at the goal."""

    PLAN = ["S......", ".##.##.", ".......", ".##.##.", ".......", ".##.##.", "......."]
    MOVES = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}
    GOALS = [(0, 6), (6, 6), (6, 0)]

    def __init__(self):
        self.walls = {(r, c) for r, row in enumerate(self.PLAN) for c, x in enumerate(row) if x == "#"}
        self.free = [(r, c) for r in range(7) for c in range(7) if (r, c) not in self.walls]
        self.observation_space = spaces.Box(0, 1, (8,), F)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.goal = self.GOALS[int(self.np_random.integers(len(self.GOALS)))]
        cells = [c for c in self._starts() if c != self.goal]
        self.at = cells[int(self.np_random.integers(len(cells)))]
        return self._obs(), {}

    def _starts(self):
        return self.free

    def _blocked(self, cell):
        return cell in self.walls or not (0 <= cell[0] < 7 and 0 <= cell[1] < 7)

    def _obs(self):
        near = [float(self._blocked((self.at[0] + d[0], self.at[1] + d[1]))) for d in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        return np.array([self.at[0] / 6, self.at[1] / 6, self.goal[0] / 6, self.goal[1] / 6, *near], dtype=F)

    def _reward(self, before, done):
        return 1.0 if done else 0.0

    def step(self, action):
        before = self.at
        move = self.MOVES[int(action)]
        cell = (self.at[0] + move[0], self.at[1] + move[1])
        if not self._blocked(cell):
            self.at = cell
        done = self.at == self.goal
        return self._obs(), self._reward(before, done), done, False, {"is_success": done}


class WarehouseWiring(Warehouse):
    MOVES = {0: (-1, 0), 1: (1, 0), 2: (0, 1), 3: (0, 1)}


class WarehouseProgress(Warehouse):
    def _reward(self, before, done):
        old = abs(before[0] - self.goal[0]) + abs(before[1] - self.goal[1])
        new = abs(self.at[0] - self.goal[0]) + abs(self.at[1] - self.goal[1])
        return 1.0 if done else (0.5 if new < old else 0.0)


class WarehouseRebuilt(Warehouse):
    PLAN = ["S......", ".##.##.", ".......", ".##.##.", ".....##", ".##.##.", ".....#."]
    GOALS = [(6, 6)]

    def __init__(self):
        super().__init__()
        self.walls.add((5, 6))
        self.free = [c for c in self.free if c not in ((5, 6), (6, 6))]


# ---------------------------------------------------------------- drone


class Drone(gym.Env):
    """A planar drone with two rotors that should hover at the origin; it falls soon under random play."""

    DT = 0.04

    def __init__(self):
        self.observation_space = box([-3.5, -3.5, -10, -10, -2, -20], [3.5, 3.5, 10, 10, 2, 20])
        self.action_space = spaces.Box(-1, 1, (2,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = np.concatenate([self.np_random.uniform(-1, 1, 2), self.np_random.uniform(-0.3, 0.3, 2), self.np_random.uniform(-0.1, 0.1, 2)])
        return self._obs(), {}

    def _obs(self):
        return np.clip(self.s, self.observation_space.low, self.observation_space.high).astype(F)

    def _rotors(self, action):
        return float(action[0]), float(action[1])

    def _over(self):
        return bool(abs(self.s[0]) > 3 or abs(self.s[1]) > 3 or abs(self.s[4]) > 1.2)

    def step(self, action):
        left, right = self._rotors(np.clip(np.asarray(action, dtype=float), -1, 1))
        x, z, vx, vz, tilt, spin = self.s
        thrust = 9.81 * (1 + 0.5 * (left + right))
        vx += self.DT * (-thrust * math.sin(tilt) - 0.1 * vx)
        vz += self.DT * (thrust * math.cos(tilt) - 9.81 - 0.1 * vz)
        spin += self.DT * (8 * (right - left) - 0.5 * spin)
        self.s = np.array([x + self.DT * vx, z + self.DT * vz, vx, vz, tilt + self.DT * spin, spin])
        far = math.hypot(self.s[0], self.s[1])
        return self._obs(), 1 / (1 + far * far) + 0.1, self._over(), False, {"distance": far}


class DroneWired(Drone):
    def _rotors(self, action):
        return float(action[0]), float(action[0])


class DroneEndless(Drone):
    def _over(self):
        return False

    def step(self, action):
        obs, reward, over, cut, info = super().step(action)
        low, high = self.observation_space.low, self.observation_space.high
        self.s = np.clip(self.s, low, high)
        return obs, reward, over, cut, info


# ---------------------------------------------------------------- snake


class Snake(gym.Env):
    """Snake on 8x8, seen as a picture with a channel each for head, body and food."""

    N = 8

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (self.N, self.N, 3), np.uint8)
        self.action_space = spaces.Discrete(4)
        self.body = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._clear()
        head = (int(self.np_random.integers(2, 6)), int(self.np_random.integers(2, 6)))
        self.head = head
        self.length = 3
        self._feed()
        return self._obs(), {}

    def _clear(self):
        self.body = []

    def _feed(self):
        cells = [(r, c) for r in range(self.N) for c in range(self.N) if (r, c) != self.head and (r, c) not in self.body]
        self.food = cells[int(self.np_random.integers(len(cells)))]

    def _obs(self):
        picture = np.zeros((self.N, self.N, 3), np.uint8)
        picture[self.head + (0,)] = 255
        for cell in self.body:
            picture[cell + (1,)] = 255
        picture[self.food + (2,)] = 255
        return picture

    def step(self, action):
        move = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        new = (self.head[0] + move[0], self.head[1] + move[1])
        outside = not (0 <= new[0] < self.N and 0 <= new[1] < self.N)
        if outside or new in self.body:
            return self._obs(), -1.0, True, False, {"length": self.length}
        self.body.append(self.head)
        self.head = new
        reward = 0.0
        if new == self.food:
            self.length += 1
            reward = 1.0
        while len(self.body) >= self.length:
            self.body.pop(0)
        if reward:
            self._feed()
        return self._obs(), reward, False, False, {"length": self.length}


class SnakeLeftover(Snake):
    """The obstacles of the board are kept in a list next to the body."""

    def __init__(self):
        super().__init__()
        self.trail = []

    def _clear(self):
        self.trail = (self.trail + self.body)[-40:]
        self.body = list(self.trail)

    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed, options=options)
        self.body = [c for c in self.body if c != self.head]
        self.length = len(self.body) + 3
        return self._obs(), info


class SnakeFloat(Snake):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(0, 1, (self.N, self.N, 3), F)

    def _obs(self):
        picture = super()._obs().astype(F) / 255.0
        return (picture / 255.0).astype(F)


# ---------------------------------------------------------------- scheduling


class Scheduler(gym.Env):
    """One machine and five slots with waiting jobs; the mask says which slots hold one."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(0, 1, (5, 3), F),
                "machine": spaces.Box(0, 1, (1,), F),
                "action_mask": spaces.MultiBinary(6),
            }
        )
        self.action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = [None] * 5
        for slot in range(3):
            self.jobs[slot] = self._job()
        self.busy = 0
        return self._obs(), {}

    def _job(self):
        return [int(self.np_random.integers(1, 6)), int(self.np_random.integers(6, 21)), float(self.np_random.uniform(0.2, 1.0))]

    def _mask(self):
        mask = np.array([self.busy == 0 and job is not None for job in self.jobs] + [True])
        return mask.astype(np.int8)

    def _obs(self):
        table = np.zeros((5, 3), F)
        for i, job in enumerate(self.jobs):
            if job is not None:
                table[i] = [job[0] / 5, max(0, job[1]) / 20, job[2]]
        return {"jobs": table, "machine": np.array([self.busy / 5], F), "action_mask": self._mask()}

    def step(self, action):
        action = int(action)
        reward = 0.0
        if action < 5 and self.busy == 0 and self.jobs[action] is not None:
            length, slack, weight = self.jobs[action]
            self.jobs[action] = None
            self.busy = length
            reward += weight if slack >= length else 0.3 * weight
        self.busy = max(0, self.busy - 1)
        for i, job in enumerate(self.jobs):
            if job is not None:
                job[1] -= 1
                if job[1] <= 0:
                    self.jobs[i] = None
                    reward -= 0.5 * job[2]
        if self.np_random.random() < 0.3 and None in self.jobs:
            self.jobs[self.jobs.index(None)] = self._job()
        return self._obs(), float(reward), False, False, {}


class SchedulerMask(Scheduler):
    def _mask(self):
        return (1 - super()._mask()).astype(np.int8)


# ---------------------------------------------------------------- thermostat


class Thermostat(gym.Env):
    """A house in five-minute steps: heating power against comfort and energy."""

    def __init__(self):
        self.observation_space = box([-10, -30, -1, -1, 15], [50, 30, 1, 1, 25])
        self.action_space = spaces.Box(0, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.inside = float(self.np_random.uniform(14, 24))
        self.clock = int(self.np_random.integers(288))
        self.base = float(self.np_random.uniform(-3, 8))
        self.wish = float(self.np_random.uniform(18, 22))
        self.count = 0
        return self._obs(), {}

    def _outside(self):
        return self.base + 4 * math.sin(2 * math.pi * (self.clock - 100) / 288)

    def _obs(self):
        angle = 2 * math.pi * self.clock / 288
        return np.array([self.inside, self._outside(), math.sin(angle), math.cos(angle), self.wish], dtype=F)

    def _power(self, action):
        return float(np.clip(action[0], 0, 1))

    def _reward(self, error, power):
        return -0.2 * abs(error) - 0.05 * power

    def _over(self):
        return False

    def step(self, action):
        power = self._power(action)
        self.inside += 0.02 * (self._outside() - self.inside) + 0.9 * power + 0.03 * float(self.np_random.normal())
        self.inside = float(np.clip(self.inside, -10, 50))
        self.clock = (self.clock + 1) % 288
        self.count += 1
        return self._obs(), float(self._reward(self.inside - self.wish, power)), self._over(), False, {"error": self.inside - self.wish}


class ThermostatDay(Thermostat):
    def _over(self):
        return self.count >= 144


class ThermostatAuto(Thermostat):
    def _power(self, action):
        power = float(np.clip(action[0], 0, 1))
        power = 1.0 if self.inside < self.wish - 0.5 else 0.0  # hysteresis of the boiler
        return power

    def _reward(self, error, power):
        return -0.2 * abs(error) - 0.05 * power


class ThermostatPrecise(Thermostat):
    def _reward(self, error, power):
        return 1.0 / max(error * error, 1e-12) - 0.05 * power


# ---------------------------------------------------------------- queueing


class Router(gym.Env):
    """Customers are sent to one of three servers of different speed."""

    RATES = (0.55, 0.35, 0.2)

    def __init__(self):
        self.observation_space = spaces.Box(0, 30, (4,), F)
        self.action_space = spaces.Discrete(3)
        self.t = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.queues = self.np_random.integers(0, 4, 3)
        self.arrived = 1
        self._restart()
        return self._obs(), {}

    def _restart(self):
        self.t = 0

    def _obs(self):
        return np.array([*self.queues, self.arrived], dtype=F)

    def step(self, action):
        if self.arrived and self.queues[int(action)] < 30:
            self.queues[int(action)] += 1
        served = self.np_random.random(3) < self.RATES
        self.queues = np.maximum(0, self.queues - served)
        self.arrived = int(self.np_random.random() < 0.75)
        self.t += 1
        return self._obs(), -float(self.queues.sum()) / 10, False, self.t >= 250, {}


class RouterCount(Router):
    def _restart(self):
        pass


# ---------------------------------------------------------------- cards


class TwentyOne(gym.Env):
    """Twenty-one against a dealer who draws to seventeen."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 12, 2])
        self.action_space = spaces.Discrete(2)

    def _card(self):
        return min(10, int(self.np_random.integers(1, 14)))

    @staticmethod
    def _value(hand):
        soft = 1 in hand and sum(hand) + 10 <= 21
        return sum(hand) + 10 * soft, int(soft)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = [self._card(), self._card()]
        self.dealer = [self._card(), self._card()]
        self.owed = 0.0
        return self._obs(), {}

    def _obs(self):
        value, soft = self._value(self.hand)
        return np.array([min(value, 31), self.dealer[0], soft], dtype=np.int64)

    def _pay(self, reward):
        return reward

    def step(self, action):
        if int(action) == 1:
            self.hand.append(self._card())
            bust = self._value(self.hand)[0] > 21
            return self._obs(), self._pay(-1.0 if bust else 0.0), bust, False, {}
        while self._value(self.dealer)[0] < 17:
            self.dealer.append(self._card())
        mine, theirs = self._value(self.hand)[0], self._value(self.dealer)[0]
        reward = 1.0 if theirs > 21 or mine > theirs else (0.0 if mine == theirs else -1.0)
        return self._obs(), self._pay(reward), True, False, {"won": reward > 0}


class TwentyOneLater(TwentyOne):
    def __init__(self):
        super().__init__()
        self.pending = 0.0

    def _pay(self, reward):
        paid, self.pending = self.pending, reward
        return paid


# ---------------------------------------------------------------- catch


class Catch(gym.Env):
    """A ball falls over a paddle, seen as a small picture; paid at the bottom."""

    H, W, REACH = 10, 7, 0

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (self.H, self.W), F)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball = [0, int(self.np_random.integers(self.W))]
        self.paddle = int(self.np_random.integers(self.W))
        return self._obs(), {}

    def _obs(self):
        picture = np.zeros((self.H, self.W), F)
        picture[self.H - 1, max(0, self.paddle - self.REACH) : self.paddle + self.REACH + 1] = 0.5
        picture[self.ball[0], self.ball[1]] = 1.0
        return picture

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 0, self.W - 1))
        self.ball[0] += 1
        done = self.ball[0] == self.H - 1
        caught = abs(self.ball[1] - self.paddle) <= self.REACH
        return self._obs(), (1.0 if caught else -1.0) if done else 0.0, done, False, {}


class CatchCached(Catch):
    def reset(self, *, seed=None, options=None):
        self.frame = None
        return super().reset(seed=seed, options=options)

    def _obs(self):
        if self.frame is None:
            self.frame = super()._obs()
        return self.frame.copy()


class CatchOld(Catch):
    def reset(self, *, seed=None, options=None):
        obs, _ = super().reset(seed=seed, options=options)
        return obs


class CatchBroad(Catch):
    REACH = 7


# ---------------------------------------------------------------- lane keeping


class Lane(gym.Env):
    """A car on a winding road, steered continuously."""

    DT = 0.1

    def __init__(self):
        self.observation_space = box([-2.5, -1.6, -1, -1, -1], [2.5, 1.6, 1, 1, 1])
        self.action_space = spaces.Box(-1, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = float(self.np_random.uniform(-0.8, 0.8))
        self.heading = float(self.np_random.uniform(-0.2, 0.2))
        self.road = [float(self.np_random.uniform(-0.2, 0.2)) for _ in range(3)]
        self.seen = self._obs()
        return self._obs(), {}

    def _obs(self):
        return np.clip(np.array([self.offset, self.heading, *self.road]), self.observation_space.low, self.observation_space.high).astype(F)

    def _steer(self, action):
        return float(np.clip(action[0], -1, 1))

    def _emit(self):
        return self._obs()

    def step(self, action):
        steer = self._steer(action)
        out = None if type(self)._emit is Lane._emit else self._emit()
        self.heading += self.DT * (1.5 * steer - self.road[0])
        self.heading = float(np.clip(self.heading, -1.5, 1.5))
        self.offset += self.DT * 3 * math.sin(self.heading)
        self.road = self.road[1:] + [float(np.clip(0.9 * self.road[-1] + 0.15 * self.np_random.normal(), -1, 1))]
        over = abs(self.offset) > 2
        reward = 1 - (min(abs(self.offset), 2) / 2) ** 2
        return (self._obs() if out is None else out), float(reward), bool(over), False, {"offset": self.offset}


class LaneBefore(Lane):
    def _emit(self):
        return self._obs()


class LaneHalf(Lane):
    def _steer(self, action):
        return float(np.clip(action[0], 0, 1))


# ---------------------------------------------------------------- tanks


class Tanks(gym.Env):
    """Two coupled tanks: the pump fills the first, the level of the second counts."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 2, (3,), F)
        self.action_space = spaces.Box(-1, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h1, self.h2 = (float(x) for x in self.np_random.uniform(0.1, 1.0, 2))
        self.wish = float(self.np_random.uniform(0.4, 1.2))
        return self._obs(), {}

    def _obs(self):
        return np.array([self.h1, self.h2, self.wish], dtype=F)

    def step(self, action):
        flow = 0.12 * (1 + float(np.clip(action[0], -1, 1))) / 2
        between = 0.1 * math.sqrt(max(0.0, self.h1))
        out = 0.07 * math.sqrt(max(0.0, self.h2))
        self.h1 = float(np.clip(self.h1 + flow - between, 0, 2))
        self.h2 = float(np.clip(self.h2 + between - out + 0.003 * self.np_random.normal(), 0, 2))
        return self._obs(), -abs(self.h2 - self.wish), False, False, {}


class TanksFixed(Tanks):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=0, options=options)


class TanksSensor(Tanks):
    def _obs(self):
        noisy = np.array([self.h1, self.h2]) + 6.0 * self.np_random.normal(size=2)
        return np.clip(np.array([*noisy, self.wish]), 0, 2).astype(F)


class TanksRaw(Tanks):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(-1000, 1000, (1,), F)


# ---------------------------------------------------------------- elevator


class Elevator(gym.Env):
    """Six floors and call buttons: up, down, open."""

    FLOORS = 6

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "floor": spaces.Discrete(self.FLOORS),
                "calls": spaces.MultiBinary(self.FLOORS),
                "waiting": spaces.Box(0, 1, (self.FLOORS,), F),
            }
        )
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.FLOORS))
        self.wait = np.zeros(self.FLOORS, int)
        self.wait[int(self.np_random.integers(self.FLOORS))] = 1
        return self._obs(), {}

    def _obs(self):
        return {
            "floor": np.int64(self.floor),
            "calls": (self.wait > 0).astype(np.int8),
            "waiting": np.minimum(1, self.wait / 50).astype(F),
        }

    def _moved(self, by):
        return int(np.clip(self.floor + by, 0, self.FLOORS - 1))

    def step(self, action):
        reward = -0.02 * float((self.wait > 0).sum())
        if int(action) == 2:
            if self.wait[self.floor] > 0:
                reward += 1.0
            self.wait[self.floor] = 0
        else:
            self.floor = self._moved(1 if int(action) == 0 else -1)
        self.wait[self.wait > 0] += 1
        if self.np_random.random() < 0.15:
            at = int(self.np_random.integers(self.FLOORS))
            self.wait[at] = max(1, self.wait[at])
        return self._obs(), float(reward), False, False, {}


class ElevatorTall(Elevator):
    def _moved(self, by):
        floor = self.floor + by
        doors = [f"door-{i}" for i in range(self.FLOORS)]
        doors[floor]
        return max(0, floor)


# ---------------------------------------------------------------- advertising


class Adverts(gym.Env):
    """Fifty visitors, five adverts; what is shown changes the click, never the next visitor."""

    def __init__(self):
        self.taste = np.random.default_rng(7).normal(size=(5, 6))
        self.observation_space = spaces.Box(-4, 4, (6,), F)
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.shown = 0
        self._visit()
        return self._obs(), {}

    def _visit(self):
        self.visitor = np.clip(self.np_random.normal(size=6), -4, 4)

    def _obs(self):
        return self.visitor.astype(F)

    def step(self, action):
        chance = 1 / (1 + math.exp(-float(self.taste[int(action)] @ self.visitor)))
        click = float(self.np_random.random() < chance)
        self._visit()
        self.shown += 1
        return self._obs(), click, self.shown >= 50, False, {}


# ---------------------------------------------------------------- energy storage


class Battery(gym.Env):
    """A battery in a market of hourly prices, paid in euros."""

    def __init__(self):
        self.observation_space = box([0, -1, -1, -1, -1], [1, 3, 3, 1, 1])
        self.action_space = spaces.Box(-1, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.charge = float(self.np_random.uniform(0.2, 0.8))
        self.hour = int(self.np_random.integers(24))
        self.shift = 0.0
        return self._obs(), {}

    def _price(self, hour):
        return 60 + 35 * math.sin(2 * math.pi * (hour - 9) / 24) + self.shift

    def _prices(self):
        return [self._price(self.hour) / 100, self._price(self.hour + 1) / 100]

    def _obs(self):
        angle = 2 * math.pi * self.hour / 24
        row = np.array([self.charge, *self._prices(), math.sin(angle), math.cos(angle)])
        return np.clip(row, self.observation_space.low, self.observation_space.high).astype(F)

    def step(self, action):
        wanted = 0.25 * float(np.clip(action[0], -1, 1))
        moved = float(np.clip(wanted, -self.charge, 1 - self.charge))
        paid = -moved * self._price(self.hour) * (1.0 if moved < 0 else 1.05)
        self.charge += moved
        self.hour = (self.hour + 1) % 24
        self.shift = 0.8 * self.shift + 8 * float(self.np_random.normal())
        return self._obs(), 4 * paid, False, False, {}


class BatteryNormed(Battery):
    def __init__(self):
        super().__init__()
        self.observation_space = box([0, 0, 0, -1, -1], [1, 1, 1, 1, 1])

    def _prices(self):
        return [self._price(self.hour), self._price(self.hour + 1)]


# ---------------------------------------------------------------- traffic light


class Crossing(gym.Env):
    """Keep or switch the green; a switch takes three yellow steps, which the observation shows."""

    def __init__(self):
        self.observation_space = box([0, 0, 0, 0, 0, 0, 0], [40, 40, 40, 40, 1, 1, 50])
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cars = self.np_random.integers(0, 12, 4)
        self.phase, self.yellow, self.since = int(self.np_random.integers(2)), 0, 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.cars, self.phase, self.yellow / 3, min(50, self.since)], dtype=F)

    def step(self, action):
        self.since += 1
        if self.yellow:
            self.yellow -= 1
        elif int(action) == 1:
            self.phase, self.yellow, self.since = 1 - self.phase, 3, 0
        if not self.yellow:
            green = (0, 1) if self.phase == 0 else (2, 3)
            for lane in green:
                self.cars[lane] = max(0, self.cars[lane] - int(self.np_random.random() < 0.9))
        self.cars = np.minimum(40, self.cars + (self.np_random.random(4) < (0.3, 0.2, 0.25, 0.15)))
        return self._obs(), -float(self.cars.sum()) / 20, False, False, {}


class CrossingLate(Crossing):
    def __init__(self):
        super().__init__()
        self.last = np.zeros(7, F)

    def reset(self, *, seed=None, options=None):
        first, info = super().reset(seed=seed, options=options)
        return self.last.copy(), info

    def step(self, action):
        obs, reward, over, cut, info = super().step(action)
        self.last = obs.copy()
        return obs, reward, over, cut, info


# ---------------------------------------------------------------- fishery


class Fishery(gym.Env):
    """How much to fish each season without destroying the stock."""

    def __init__(self):
        self.observation_space = box([0, 0, 0], [2, 1, 1])
        self.action_space = spaces.Box(0, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fish = float(self.np_random.uniform(0.5, 1.0))
        self.catch, self.weather = 0.0, float(self.np_random.random())
        return self._obs(), {}

    def _obs(self):
        return np.array([self.fish, self.catch, self.weather], dtype=F)

    def _reward(self):
        return self.catch

    def step(self, action):
        self.catch = 0.5 * float(np.clip(action[0], 0, 1)) * min(1.0, self.fish) * (0.7 + 0.3 * self.weather)
        self.fish -= self.catch
        growth = 0.4 * self.fish * (1 - self.fish) + 0.03 * float(self.np_random.normal())
        self.fish = float(np.clip(self.fish + growth, 0, 2))
        self.weather = float(self.np_random.random())
        return self._obs(), self._reward(), bool(self.fish < 0.05), False, {"fish": self.fish}


class FisheryReport(Fishery):
    def __init__(self):
        super().__init__()
        self.landed = 0.0

    def _reward(self):
        return float(int(self.landed))


# ---------------------------------------------------------------- tic-tac-toe


class TicTacToe(gym.Env):
    """Against an opponent who plays at random; an illegal move loses."""

    LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * 9)
        self.action_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int64)
        if self.np_random.random() < 0.5:
            self.board[int(self.np_random.integers(9))] = 2
        return self.board.copy(), {}

    def _wins(self, who):
        return any(all(self.board[i] == who for i in line) for line in self.LINES)

    def _score(self):
        return 1.0 if self._wins(1) else (-1.0 if self._wins(2) else 0.0)

    def step(self, action):
        if self.board[int(action)] != 0:
            return self.board.copy(), -1.0, True, False, {"illegal": True}
        self.board[int(action)] = 1
        if not self._wins(1) and (self.board == 0).any():
            empty = np.flatnonzero(self.board == 0)
            self.board[int(self.np_random.choice(empty))] = 2
        over = self._wins(1) or self._wins(2) or not (self.board == 0).any()
        return self.board.copy(), self._score(), bool(over), False, {"illegal": False}


class TicTacToeSide(TicTacToe):
    def _score(self):
        return 1.0 if self._wins(2) else (-1.0 if self._wins(1) else 0.0)


# ---------------------------------------------------------------- memory maze


class TMaze(gym.Env):
    """A corridor whose end must be left to the side that was shown at its beginning: memory is needed by design."""

    LENGTH = 6

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (4,), F)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.side = 1 if self.np_random.random() < 0.5 else -1
        self.x = 0
        return self._obs(), {}

    def _cue(self):
        return self.side if self.x == 0 else 0

    def _obs(self):
        return np.array([self._cue(), self.x == 0, 0 < self.x < self.LENGTH, self.x == self.LENGTH], dtype=F)

    def step(self, action):
        action = int(action)
        if action == 0:
            self.x = min(self.LENGTH, self.x + 1)
        elif action == 1:
            self.x = max(0, self.x - 1)
        elif self.x == self.LENGTH:
            right = (1 if action == 2 else -1) == self.side
            return self._obs(), 1.0 if right else -0.5, True, False, {"is_success": right}
        return self._obs(), -0.005, False, False, {}


class TMazeQuiet(TMaze):
    def _cue(self):
        cue = 0
        if self.x < 0:
            cue = self.side
        return cue


# ---------------------------------------------------------------- lights out


class LightsOut(gym.Env):
    """Press a light and its neighbours turn too: all must be off."""

    def __init__(self):
        self.observation_space = spaces.MultiBinary(9)
        self.action_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lights = np.zeros(9, np.int8)
        self._scramble()
        return self.lights.copy(), {}

    def _scramble(self):
        for cell in self.np_random.choice(9, int(self.np_random.integers(1, 4)), replace=False):
            self._press(int(cell))

    def _press(self, cell):
        r, c = divmod(cell, 3)
        for a, b in ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= a < 3 and 0 <= b < 3:
                self.lights[3 * a + b] ^= 1

    def step(self, action):
        self._press(int(action))
        solved = not self.lights.any()
        return self.lights.copy(), 1.0 if solved else -0.02, bool(solved), False, {}


class LightsOutTwice(LightsOut):
    """Solvable by construction: every press of the scramble has its partner."""

    def _scramble(self):
        for cell in self.np_random.choice(9, int(self.np_random.integers(1, 4)), replace=False):
            self._press(int(cell))
            self._press(int(cell))

    def step(self, action):
        solved = not self.lights.any()
        if not solved:
            self._press(int(action))
        return self.lights.copy(), 1.0 if solved else -0.02, bool(solved), False, {}


# ---------------------------------------------------------------- pick and place


class PickPlace(gym.Env):
    """A gripper over a table and a block, in the style of goal environments: -1 until the block lies at the goal."""

    def __init__(self):
        goal = spaces.Box(-2, 2, (2,), F)
        self.observation_space = spaces.Dict({"observation": spaces.Box(-2, 2, (7,), F), "achieved_goal": goal, "desired_goal": goal})
        self.action_space = spaces.Box(-1, 1, (3,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = self.np_random.uniform(-0.2, 0.2, 2)
        self.block = self.np_random.uniform(-0.5, 0.5, 2)
        self.held = False
        self.goal = self._draw_goal()
        return self._obs(), {}

    def _draw_goal(self):
        if self.np_random.random() < 0.3:
            return np.clip(self.block + self.np_random.uniform(-0.2, 0.2, 2), -0.6, 0.6)
        return self.np_random.uniform(-0.6, 0.6, 2)

    def _shown_goal(self):
        return self.goal

    def _obs(self):
        row = np.concatenate([self.hand, self.block, self.block - self.hand, [float(self.held)]])
        return {"observation": row.astype(F), "achieved_goal": self.block.astype(F), "desired_goal": np.asarray(self._shown_goal()).astype(F)}

    def compute_reward(self, achieved_goal, desired_goal, info):
        far = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(far > 0.1).astype(float)

    def step(self, action):
        action = np.clip(np.asarray(action, dtype=float), -1, 1)
        self.hand = np.clip(self.hand + 0.08 * action[:2], -0.7, 0.7)
        near = np.linalg.norm(self.hand - self.block) < 0.12
        self.held = bool(action[2] > 0 and (near or self.held))
        if self.held:
            self.block = self.hand.copy()
        reward = float(self.compute_reward(self.block, self.goal, {}))
        return self._obs(), reward, False, False, {"is_success": reward == 0.0}


class PickPlaceGoal(PickPlace):
    def __init__(self):
        super().__init__()
        self.printed = np.zeros(2)
        self.goal = np.zeros(2)

    def reset(self, *, seed=None, options=None):
        self.printed = np.array(self.goal)
        return super().reset(seed=seed, options=options)

    def _shown_goal(self):
        return self.printed


class PickPlaceTable(PickPlace):
    def _draw_goal(self):
        angle = self.np_random.uniform(-math.pi, math.pi)
        return 1.5 * np.array([math.cos(angle), math.sin(angle)])


# ---------------------------------------------------------------- ball and beam


class BallBeam(gym.Env):
    """A ball on a beam that is tilted by a motor."""

    DT = 0.05

    def __init__(self):
        self.observation_space = box([-1.2, -4, -0.5, -1], [1.2, 4, 0.5, 1])
        self.action_space = spaces.Box(-1, 1, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(-0.5, 0.5)), float(self.np_random.uniform(-0.2, 0.2))
        self.tilt, self.wish = 0.0, float(self.np_random.uniform(-0.4, 0.4))
        return self._obs(), {}

    def _row(self):
        return np.array([self.x, self.v, self.tilt, self.wish])

    def _obs(self):
        return np.clip(self._row(), self.observation_space.low, self.observation_space.high).astype(F)

    def _command(self, action):
        return float(np.clip(action[0], -1, 1))

    def _reward(self):
        return max(0.0, 1 - abs(self.x - self.wish))

    def step(self, action):
        self.tilt = float(np.clip(self.tilt + 0.12 * self._command(action), -0.4, 0.4))
        self.v += self.DT * (5 * math.sin(self.tilt) - 0.2 * self.v)
        self.x += self.DT * self.v
        return self._obs(), float(self._reward()), bool(abs(self.x) > 1), False, {}


class BallBeamOrder(BallBeam):
    def reset(self, *, seed=None, options=None):
        self.order = np.arange(4)
        super().reset(seed=seed, options=options)
        self.order = self.np_random.permutation(4)
        return self._obs(), {}

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-4, 4, (4,), F)

    def _row(self):
        return super()._row()[self.order]


class BallBeamBus(BallBeam):
    def reset(self, *, seed=None, options=None):
        self.line = deque([0.0] * 10)
        return super().reset(seed=seed, options=options)

    def _command(self, action):
        self.line.append(super()._command(action))
        return self.line.popleft()


class BallBeamMicro(BallBeam):
    def _reward(self):
        return 1e6 * super()._reward()


# ---------------------------------------------------------------- data centre


class Cooling(gym.Env):
    """Two fans and a pump of a server room, each with a few speeds."""

    def __init__(self):
        self.observation_space = box([0, 0, 0, 0, 0], [2, 2, 1, 1, 2])
        self.action_space = spaces.MultiDiscrete([4, 4, 3])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heat = self.np_random.uniform(0.4, 0.9, 2)
        self.load = self.np_random.uniform(0.2, 0.9, 2)
        self.water = float(self.np_random.uniform(0.3, 0.7))
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.heat, *self.load, self.water], dtype=F)

    def step(self, action):
        fans, pump = np.asarray(action[:2]) / 3, int(action[2]) / 2
        self.water = float(np.clip(self.water + 0.06 * self.load.mean() - 0.08 * pump, 0, 2))
        self.heat = np.clip(self.heat + 0.12 * self.load - 0.15 * fans * (1.2 - 0.5 * self.water), 0, 2)
        self.load = np.clip(self.load + 0.05 * self.np_random.normal(size=2), 0, 1)
        too_hot = float(np.maximum(0, self.heat - 0.7).sum())
        reward = -2 * too_hot - 0.1 * float((fans**2).sum()) - 0.08 * pump
        return self._obs(), float(reward), False, False, {}


class CoolingPressure(Cooling):
    def __init__(self):
        super().__init__()
        self.observation_space = box([0, 0, 0, 0, 0, 90000], [2, 2, 1, 1, 2, 120000])

    def _obs(self):
        return np.array([*self.heat, *self.load, self.water, 101325 + 800 * float(self.load.mean())], dtype=F)


# ---------------------------------------------------------------- lander


class Lander(gym.Env):
    """A vertical landing with little fuel; nearly every random flight ends in a crash."""

    STEP, CRASH = -0.01, -5.0

    def __init__(self):
        self.observation_space = box([-1, -10, 0], [25, 10, 1])
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed, self.fuel = float(self.np_random.uniform(8, 14)), float(self.np_random.uniform(-1, 0)), 1.0
        return self._obs(), {}

    def _obs(self):
        return np.clip(np.array([self.height, self.speed, self.fuel]), self.observation_space.low, self.observation_space.high).astype(F)

    def _ends(self, down):
        return down, False

    def step(self, action):
        burn = 0.5 * int(action) if self.fuel > 0 else 0.0
        self.fuel = max(0.0, self.fuel - 0.006 * burn)
        self.speed = float(np.clip(self.speed + 0.1 * (-1.6 + 4.0 * burn + 0.1 * self.np_random.normal()), -10, 10))
        self.height += 0.1 * self.speed
        down = self.height <= 0
        reward = self.STEP
        info = {}
        if self.height > 24:
            return self._obs(), self.CRASH, True, False, {"is_success": False}
        if down:
            soft = abs(self.speed) < 1.2
            reward = 5.0 if soft else self.CRASH
            info["is_success"] = soft
        over, cut = self._ends(bool(down))
        return self._obs(), float(reward), over, cut, info


class LanderFlag(Lander):
    def _ends(self, down):
        return False, down


class LanderHurry(Lander):
    STEP, CRASH = -2.0, -5.0


# ---------------------------------------------------------------- insulin


class Insulin(gym.Env):
    """Glucose control with a sensor that lags three steps; readings and doses of the last steps are shown."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 5, (9,), F)
        self.action_space = spaces.Box(0, 4, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.glucose = float(self.np_random.uniform(100, 200))
        self.active, self.meal = 0.0, 0.0
        self.history = deque([self.glucose] * 7, maxlen=7)
        self.doses = deque([0.0] * 4, maxlen=4)
        return self._obs(), {}

    def _obs(self):
        readings = list(self.history)[:4]
        row = np.array([*(r / 100 for r in readings), *self.doses, self.meal / 20])
        return np.clip(row, 0, 5).astype(F)

    def _dose(self, action):
        return float(np.clip(action[0], 0, 4))

    def step(self, action):
        dose = self._dose(action)
        self.doses.append(dose)
        self.active = 0.85 * self.active + 0.25 * dose
        if self.np_random.random() < 0.06:
            self.meal += float(self.np_random.uniform(10, 30))
        eaten = 0.3 * self.meal
        self.meal -= eaten
        self.glucose += eaten - 3.0 * self.active + 2.5 + 0.01 * (110 - self.glucose) + float(self.np_random.normal())
        self.history.append(self.glucose)
        good = 80 <= self.glucose <= 180
        over = self.glucose < 40 or self.glucose > 400
        reward = 1.0 if good else 0.3 - min(0.3, abs(self.glucose - 130) / 1000)
        return self._obs(), float(0.0 if over else reward), bool(over), False, {"glucose": self.glucose}


class InsulinLog(Insulin):
    def _obs(self):
        row = super()._obs().astype(float)
        with np.errstate(all="ignore"):
            row[3] = np.sqrt(5 * (self.history[3] - 92) / 100 + 0.0)
        row[3] = min(5.0, row[3]) if row[3] == row[3] else row[3]
        return row.astype(F)


class InsulinPump(Insulin):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(0, 1, (1,), F)

    def _dose(self, action):
        return 4.0 * int(np.clip(action[0], 0, 1))


# ---------------------------------------------------------------- key and door


class KeyDoor(gym.Env):
    """Fetch the key, open the door, reach the exit."""

    PLAN = ["...#...", "...#...", "...D...", "...#...", "...#..."]

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (7,), F)
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = (int(self.np_random.integers(5)), int(self.np_random.integers(3)))
        self.key = (int(self.np_random.integers(5)), 0)
        self.exit = (int(self.np_random.integers(5)), 6)
        self.has, self.open = False, False
        return self._obs(), {}

    def _obs(self):
        return np.array(
            [self.at[0] / 4, self.at[1] / 6, self.key[0] / 4, self.exit[0] / 4, self.has, self.open, self.at == self.key], dtype=F
        )

    def _grab(self):
        if self.at == self.key and not self.has:
            self.has = True
            return 0.1
        return 0.0

    def step(self, action):
        reward = 0.0
        if int(action) == 4:
            reward = self._grab()
            if self.has and self.at == (2, 2) and not self.open:
                self.open = True
                reward += 0.1
        else:
            d = ((-1, 0), (1, 0), (0, -1), (0, 1))[int(action)]
            r, c = self.at[0] + d[0], self.at[1] + d[1]
            if 0 <= r < 5 and 0 <= c < 7 and (self.PLAN[r][c] == "." or (self.PLAN[r][c] == "D" and self.open)):
                self.at = (r, c)
        out = self.at == self.exit
        return self._obs(), reward + (1.0 if out else 0.0), out, False, {"is_success": out}


class KeyDoorDrop(KeyDoor):
    """The hand can also be opened again."""

    def _grab(self):
        if self.at == self.key:
            self.has = not self.has
            return 0.5 if self.has else 0.0
        return 0.0


# ---------------------------------------------------------------- around Gymnasium's own


class OneHot(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0, 1, (env.observation_space.n,), F)

    def observation(self, observation):
        row = np.zeros(self.observation_space.shape, F)
        row[int(observation)] = 1
        return row


class Gusts(gym.ActionWrapper):
    """Meant as exploration noise."""

    def action(self, action):
        if self.unwrapped.np_random.random() < 0.85:
            return int(self.unwrapped.np_random.integers(self.action_space.n))
        return action


class Torques(gym.ActionWrapper):
    """The controller counts its torques from one."""

    def action(self, action):
        return min(int(action) + 1, 2)


class Alive(gym.Wrapper):
    def step(self, action):
        obs, reward, over, cut, info = self.env.step(action)
        return obs, 1.0, over, cut, info


# ---------------------------------------------------------------- healthy


def healthy_reacher():
    return TimeLimit(Reacher(), 120)


def healthy_trading():
    return TimeLimit(Trading(), 250)


def healthy_inventory():
    return TimeLimit(Inventory(), 100)


def healthy_warehouse():
    return TimeLimit(Warehouse(), 200)


def healthy_drone():
    return TimeLimit(Drone(), 300)


def healthy_snake():
    return TimeLimit(Snake(), 400)


def healthy_scheduler():
    return TimeLimit(Scheduler(), 150)


def healthy_thermostat():
    return TimeLimit(Thermostat(), 288)


def healthy_router():
    return Router()


def healthy_twentyone():
    return TwentyOne()


def healthy_catch():
    return Catch()


def healthy_lane():
    return TimeLimit(Lane(), 400)


def healthy_tanks():
    return TimeLimit(Tanks(), 200)


def healthy_elevator():
    return TimeLimit(Elevator(), 200)


def healthy_adverts():
    return Adverts()


def healthy_battery():
    return TimeLimit(Battery(), 168)


def healthy_crossing():
    return TimeLimit(Crossing(), 250)


def healthy_fishery():
    return TimeLimit(Fishery(), 100)


def healthy_tictactoe():
    return TicTacToe()


def healthy_tmaze():
    return TimeLimit(TMaze(), 100)


def healthy_lightsout():
    return TimeLimit(LightsOut(), 40)


def healthy_pickplace():
    return TimeLimit(PickPlace(), 60)


def healthy_ballbeam():
    return TimeLimit(BallBeam(), 300)


def healthy_cooling():
    return TimeLimit(Cooling(), 150)


def healthy_lander():
    return TimeLimit(Lander(), 400)


def healthy_insulin():
    return TimeLimit(Insulin(), 288)


def healthy_keydoor():
    return TimeLimit(KeyDoor(), 300)


def healthy_cartpole_stacked():
    return FlattenObservation(FrameStackObservation(gym.make("CartPole-v1"), 4))


def healthy_pendulum_rescaled():
    return RescaleAction(gym.make("Pendulum-v1"), np.float32(-1), np.float32(1))


def healthy_frozenlake_onehot():
    return OneHot(gym.make("FrozenLake-v1", is_slippery=True))


# ---------------------------------------------------------------- broken: the environment


def broken_reacher_target():
    return TimeLimit(ReacherRng(), 120)


def broken_trading_space():
    return TimeLimit(TradingNarrow(), 250)


def broken_drone_endless():
    return DroneEndless()


def broken_thermostat_day():
    return ThermostatDay()


def broken_snake_leftover():
    return TimeLimit(SnakeLeftover(), 400)


def broken_router_count():
    return RouterCount()


def broken_tanks_episode():
    return TimeLimit(TanksFixed(), 200)


def broken_insulin_root():
    return TimeLimit(InsulinLog(), 288)


def broken_elevator_top():
    return TimeLimit(ElevatorTall(), 200)


def broken_catch_reset():
    return CatchOld()


def broken_lander_flag():
    return TimeLimit(LanderFlag(), 400)


# ---------------------------------------------------------------- broken: the observation


def broken_lane_before():
    return TimeLimit(LaneBefore(), 400)


def broken_reacher_blind():
    return TimeLimit(ReacherBlind(), 120)


def broken_trading_window():
    return TimeLimit(TradingWindow(), 250)


def broken_cooling_pressure():
    return TimeLimit(CoolingPressure(), 150)


def broken_ballbeam_order():
    return TimeLimit(BallBeamOrder(), 300)


def broken_catch_cached():
    return CatchCached()


def broken_pickplace_goal():
    return TimeLimit(PickPlaceGoal(), 60)


def broken_tanks_sensor():
    return TimeLimit(TanksSensor(), 200)


def broken_battery_normed():
    return TimeLimit(BatteryNormed(), 168)


def broken_snake_dark():
    return TimeLimit(SnakeFloat(), 400)


def broken_crossing_first():
    return TimeLimit(CrossingLate(), 250)


def broken_tmaze_quiet():
    return TimeLimit(TMazeQuiet(), 100)


# ---------------------------------------------------------------- broken: the action


def broken_drone_rotor():
    return TimeLimit(DroneWired(), 300)


def broken_thermostat_auto():
    return TimeLimit(ThermostatAuto(), 288)


def broken_warehouse_wiring():
    return TimeLimit(WarehouseWiring(), 200)


def broken_lane_half():
    return TimeLimit(LaneHalf(), 400)


def broken_tanks_range():
    return TimeLimit(TanksRaw(), 200)


def broken_ballbeam_bus():
    return TimeLimit(BallBeamBus(), 300)


def broken_insulin_pump():
    return TimeLimit(InsulinPump(), 288)


def broken_cartpole_gusts():
    return Gusts(gym.make("CartPole-v1"))


def broken_scheduler_mask():
    return TimeLimit(SchedulerMask(), 150)


def broken_acrobot_torques():
    return Torques(gym.make("Acrobot-v1"))


# ---------------------------------------------------------------- broken: the reward


def broken_reacher_sign():
    return TimeLimit(ReacherSign(), 120)


def broken_thermostat_precise():
    return TimeLimit(ThermostatPrecise(), 288)


def broken_warehouse_progress():
    return TimeLimit(WarehouseProgress(), 200)


def broken_ballbeam_micro():
    return TimeLimit(BallBeamMicro(), 300)


def broken_keydoor_drop():
    return TimeLimit(KeyDoorDrop(), 300)


def broken_lander_hurry():
    return TimeLimit(LanderHurry(), 400)


def broken_twentyone_later():
    return TwentyOneLater()


def broken_tictactoe_side():
    return TicTacToeSide()


def broken_trading_log():
    return TimeLimit(TradingLog(), 250)


def broken_fishery_report():
    return TimeLimit(FisheryReport(), 100)


def broken_mountaincar_alive():
    return Alive(gym.make("MountainCar-v0"))


# ---------------------------------------------------------------- broken: the task


def broken_warehouse_rebuilt():
    return TimeLimit(WarehouseRebuilt(), 200)


def broken_pickplace_table():
    return TimeLimit(PickPlaceTable(), 60)


def broken_mountaincar_short():
    return TimeLimit(gym.make("MountainCar-v0").unwrapped, 40)


def broken_catch_broad():
    return CatchBroad()


def broken_lightsout_twice():
    return TimeLimit(LightsOutTwice(), 40)


def broken_frozenlake_map():
    return OneHot(gym.make("FrozenLake-v1", desc=["SFFF", "FHFH", "FFFH", "HFFF"], is_slippery=False))
