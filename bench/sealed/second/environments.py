"""Environments as users write them: healthy ones and ones with a single planted fault."""

import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import (
    FlattenObservation,
    FrameStackObservation,
    RescaleAction,
    TransformObservation,
)

# --------------------------------------------------------------------------------------------------------------------
# base environments
# --------------------------------------------------------------------------------------------------------------------


class Treasure(gym.Env):
    """An open grid with a treasure somewhere else in each episode."""

    size = 6
    limit = 80
    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)

    def place(self):
        self.agent = tuple(int(v) for v in self.np_random.integers(0, self.size, 2))
        self.goal = self.agent
        while self.goal == self.agent:
            self.goal = tuple(int(v) for v in self.np_random.integers(0, self.size, 2))

    def look(self):
        return np.array([*self.agent, *self.goal], dtype=np.float32) / (self.size - 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place()
        self.clock = 0
        return self.look(), {}

    def walk(self, action):
        dx, dy = self.moves[int(action)]
        x = min(max(self.agent[0] + dx, 0), self.size - 1)
        y = min(max(self.agent[1] + dy, 0), self.size - 1)
        self.agent = (x, y)

    def found(self):
        return self.agent == self.goal

    def step(self, action):
        self.walk(action)
        self.clock += 1
        found = self.found()
        reward = 1.0 if found else -0.01
        return self.look(), reward, found, self.clock >= self.limit and not found, {}


class FourRooms(gym.Env):
    """Nine by nine cells, four rooms, doors between them; one point for the far corner, nothing else."""

    plan = (
        "#########",
        "#   #   #",
        "#       #",
        "#   #   #",
        "## ### ##",
        "#   #   #",
        "#       #",
        "#   #  G#",
        "#########",
    )
    limit = 400

    def __init__(self):
        self.cells = [(r, c) for r, row in enumerate(self.plan) for c, mark in enumerate(row) if mark != "#"]
        self.goal = next((r, c) for r, row in enumerate(self.plan) for c, mark in enumerate(row) if mark == "G")
        self.observation_space = spaces.Discrete(81)
        self.action_space = spaces.Discrete(4)

    def starts(self):
        return [cell for cell in self.cells if cell != self.goal]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        free = self.starts()
        self.at = free[int(self.np_random.integers(len(free)))]
        self.clock = 0
        return self.at[0] * 9 + self.at[1], {}

    def step(self, action):
        if self.np_random.random() < 0.1:
            action = self.np_random.integers(4)
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        to = (self.at[0] + dr, self.at[1] + dc)
        if self.plan[to[0]][to[1]] != "#":
            self.at = to
        self.clock += 1
        done = self.at == self.goal
        return self.at[0] * 9 + self.at[1], float(done), done, not done and self.clock >= self.limit, {}


class Tank(gym.Env):
    """Two tanks in a row; the valve fills the first, the level of the second shall follow a set point."""

    limit = 200

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(0.0, 2.0, (3,), np.float32)

    def begin(self):
        self.level = self.np_random.uniform(0.05, 0.9, 2)
        self.target = self.np_random.uniform(0.2, 0.8)
        self.clock = 0

    def look(self):
        return np.array([self.level[0], self.level[1], self.target], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.look(), {}

    def flow(self, action):
        inflow = 0.12 * float(np.clip(action[0], 0.0, 1.0))
        first = 0.1 * math.sqrt(self.level[0])
        second = 0.1 * math.sqrt(self.level[1])
        self.level = np.clip(self.level + np.array([inflow - first, first - second]), 0.0, 2.0)

    def pay(self):
        return -abs(float(self.level[1]) - self.target)

    def over(self):
        return False, self.clock >= self.limit

    def step(self, action):
        self.flow(action)
        self.clock += 1
        terminated, truncated = self.over()
        return self.look(), self.pay(), terminated, truncated, {}


class Counter(gym.Env):
    """Three queues and one clerk: serve one of them, or rest (3). Waiting customers cost by their class."""

    limit = 1000
    arrivals = (0.3, 0.2, 0.15)
    weights = (1.0, 2.0, 4.0)

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 20.0, (3,), np.float32)
        self.queues = np.zeros(3, dtype=np.int64)

    def clear(self):
        self.queues = self.np_random.integers(0, 4, 3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clear()
        self.clock = 0
        return self.queues.astype(np.float32), {}

    def served(self, action):
        return int(action)

    def step(self, action):
        who = self.served(action)
        if who < 3 and self.queues[who] > 0 and self.np_random.random() < 0.9:
            self.queues[who] -= 1
        self.queues = np.minimum(self.queues + (self.np_random.random(3) < self.arrivals), 20)
        self.clock += 1
        cost = float(np.dot(self.queues, self.weights)) / 20
        return self.queues.astype(np.float32), -cost, False, self.clock >= self.limit, {"served": who}


class Trader(gym.Env):
    """One asset that swings around its worth: be short, out or long each day."""

    days = 250
    fee = 0.02

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (7,), np.float32)

    def draw(self):
        return self.np_random.normal(0.0, 0.02)

    def tick(self):
        old = self.gap
        self.gap += -0.1 * self.gap + self.draw()
        self.past = [*self.past[1:], self.gap - old]

    def look(self):
        return np.array([*(20 * r for r in self.past), 10 * self.gap, self.position], dtype=np.float32)

    def begin(self):
        self.gap = self.np_random.normal(0.0, 0.045)
        self.past = [0.0] * 5
        for _ in range(5):
            self.tick()
        self.position = 0
        self.day = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.look(), {}

    def trade(self, action):
        wanted = int(action) - 1
        cost = self.fee * abs(wanted - self.position)
        self.position = wanted
        return cost

    def step(self, action):
        cost = self.trade(action)
        self.tick()
        self.day += 1
        reward = 100 * self.position * self.past[-1] - cost
        return self.look(), float(reward), False, self.day >= self.days, {"price": 100 * math.exp(self.gap)}


class Arm(gym.Env):
    """Two joints that follow commanded speeds; the hand shall go where the goal is."""

    limit = 50
    near = 0.3

    def __init__(self, sparse=False):
        self.sparse = sparse
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        point = spaces.Box(-2.0, 2.0, (2,), np.float32)
        self.observation_space = spaces.Dict(
            {"observation": spaces.Box(-1.0, 1.0, (4,), np.float32), "achieved_goal": point, "desired_goal": point}
        )

    @staticmethod
    def hand(joints):
        a, b = joints
        return np.array([math.cos(a) + math.cos(a + b), math.sin(a) + math.sin(a + b)]) * 0.99

    def look(self):
        a, b = self.joints
        return {
            "observation": np.array([math.cos(a), math.sin(a), math.cos(b), math.sin(b)], dtype=np.float32),
            "achieved_goal": self.hand(self.joints).astype(np.float32),
            "desired_goal": self.goal.astype(np.float32),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        gap = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        if self.sparse:
            return -(gap > self.near).astype(np.float64)
        return -gap

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.joints = self.np_random.uniform(-math.pi, math.pi, 2)
        self.goal = self.hand(self.np_random.uniform(-math.pi, math.pi, 2))
        self.clock = 0
        return self.look(), {}

    def drive(self, action):
        self.joints = self.joints + 0.25 * np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)

    def step(self, action):
        self.drive(action)
        self.clock += 1
        seen = self.look()
        reward = float(self.compute_reward(seen["achieved_goal"], seen["desired_goal"], {}))
        gap = float(np.linalg.norm(seen["achieved_goal"] - seen["desired_goal"]))
        return seen, reward, False, self.clock >= self.limit, {"is_success": gap <= self.near}


class Noughts(gym.Env):
    """Noughts and crosses against random play. A taken cell falls back to the first free one."""

    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self):
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)

    def free(self):
        return (self.board == 0).astype(np.int8)

    def info(self):
        return {"action_mask": self.free()}

    def won(self, side):
        return any(all(self.board[i] == side for i in line) for line in self.lines)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, dtype=np.int8)
        if self.np_random.random() < 0.5:
            self.board[self.np_random.integers(9)] = -1
        return self.board.copy(), self.info()

    def reply(self):
        self.board[self.np_random.choice(np.flatnonzero(self.board == 0))] = -1

    def step(self, action):
        cell = int(action)
        if self.board[cell] != 0:
            cell = int(np.flatnonzero(self.board == 0)[0])
        self.board[cell] = 1
        reward, done = 0.0, False
        if self.won(1):
            reward, done = 1.0, True
        elif not self.free().any():
            done = True
        else:
            self.reply()
            if self.won(-1):
                reward, done = -1.0, True
            elif not self.free().any():
                done = True
        return self.board.copy(), reward, done, False, self.info()


class Catch(gym.Env):
    """A ball falls over a screen of pixels, a paddle waits below."""

    side = 24

    def __init__(self, drift=False):
        self.drift = drift
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.side, self.side, 1), np.uint8)

    def draw(self):
        screen = np.zeros((self.side, self.side, 1), dtype=np.uint8)
        x = int(np.clip(self.ball[0], 0, self.side - 2))
        screen[self.ball[1] : self.ball[1] + 2, x : x + 2] = 255
        screen[-1, self.paddle : self.paddle + 5] = 128
        return screen

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.slide = int(self.np_random.integers(-1, 2)) if self.drift else 0
        self.ball = [int(self.np_random.integers(0, self.side - 1)), 0]
        self.paddle = int(self.np_random.integers(0, self.side - 4))
        return self.draw(), {}

    def score(self):
        return 1.0 if self.paddle - 1 <= self.ball[0] <= self.paddle + 4 else -1.0

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + 2 * (int(action) - 1), 0, self.side - 5))
        self.ball[1] += 1
        self.ball[0] += self.slide
        if not 0 <= self.ball[0] <= self.side - 2:
            self.slide = -self.slide
            self.ball[0] = int(np.clip(self.ball[0], 0, self.side - 2))
        done = self.ball[1] >= self.side - 2
        return self.draw(), self.score() if done else 0.0, done, False, {}


class Factory(gym.Env):
    """Three machines in a line with buffers between them, each stopped, slow or fast; power is cheap or dear."""

    limit = 150
    tariffs = (0.02, 0.4)

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([3, 3, 3])
        self.observation_space = spaces.Box(0.0, 1.0, (6,), np.float32)

    def look(self):
        return np.array([self.buffers[0] / 10, self.buffers[1] / 10, *self.up, self.dear], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.buffers = self.np_random.integers(0, 6, 2)
        self.up = np.ones(3)
        self.dear = int(self.np_random.integers(2))
        self.clock = 0
        return self.look(), {}

    def speeds(self, action):
        return np.asarray(action, dtype=np.int64)

    def step(self, action):
        speed = self.speeds(action)
        work = self.np_random.binomial(speed, 0.85) * self.up.astype(np.int64)
        out = min(int(work[2]), int(self.buffers[1]))
        self.buffers[1] -= out
        moved = min(int(work[1]), int(self.buffers[0]), 10 - int(self.buffers[1]))
        self.buffers[0] -= moved
        self.buffers[1] += moved
        self.buffers[0] = min(self.buffers[0] + int(work[0]), 10)
        broken = self.np_random.random(3) < 0.03
        mended = self.np_random.random(3) < 0.4
        self.up = np.where(self.up > 0, ~broken, mended).astype(np.float64)
        self.clock += 1
        reward = out - self.tariffs[self.dear] * float(np.sum(speed**2))
        if self.np_random.random() < 0.12:
            self.dear = 1 - self.dear
        return self.look(), float(reward), False, self.clock >= self.limit, {"finished": out}


class Inventory(gym.Env):
    """A shop orders each day, with two days of delivery, for a demand that follows the month. Profit in euros."""

    limit = 112
    scale = 1.0

    def __init__(self):
        self.action_space = spaces.Box(0.0, 60.0, (1,), np.float32)
        self.observation_space = spaces.Box(
            np.array([0, 0, 0, -1, -1], dtype=np.float32), np.array([400, 60, 60, 1, 1], dtype=np.float32)
        )

    def look(self):
        angle = 2 * math.pi * self.day / 28
        return np.array([self.stock, *self.coming, math.sin(angle), math.cos(angle)], dtype=np.float32)

    def begin(self):
        self.stock = float(self.np_random.integers(10, 60))
        self.coming = [20.0, 20.0]
        self.first = int(self.np_random.integers(28))
        self.day = self.first

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.look(), {}

    def step(self, action):
        order = float(np.clip(np.round(action[0]), 0, 60))
        self.stock = min(self.stock + self.coming.pop(0), 400.0)
        self.coming.append(order)
        demand = float(self.np_random.poisson(20 * (1 + 0.5 * math.sin(2 * math.pi * self.day / 28))))
        sold = min(demand, self.stock)
        self.stock -= sold
        profit = 12 * sold - 7 * order - 0.3 * self.stock - 2 * (demand - sold)
        self.day += 1
        return self.look(), profit * self.scale, False, self.day - self.first >= self.limit, {"demand": demand}


class CueCorridor(gym.Env):
    """A lamp at the entrance says which way to turn at the end: a task for memory."""

    length = 5
    limit = 40

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def look(self):
        lamp = self.cue if self.at == 0 else 0
        return np.array([self.at / self.length, lamp, self.at == self.length], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cue = 1 if self.np_random.random() < 0.5 else -1
        self.at = 0
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        self.clock += 1
        if self.at == self.length and action != 2:
            turn = 1 if action == 0 else -1
            return self.look(), 1.0 if turn == self.cue else -1.0, True, False, {}
        if action == 2:
            self.at = min(self.at + 1, self.length)
        return self.look(), -0.01, False, self.clock >= self.limit, {}


class Rocket(gym.Env):
    """Come down softly: engine off, half or full, while the fuel lasts."""

    tank = 90.0
    limit = 300

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(
            np.array([-1, -12, 0], dtype=np.float32), np.array([26, 12, 1], dtype=np.float32)
        )

    def look(self):
        return np.array([self.height, self.speed, self.fuel / self.tank], dtype=np.float32)

    def potential(self):
        return -0.2 * max(self.height, 0.0) - 0.3 * abs(self.speed)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(8.0, 12.0)
        self.speed = self.np_random.uniform(-1.0, 0.0)
        self.fuel = self.tank
        self.clock = 0
        return self.look(), {}

    def burn(self, action):
        thrust = min(float(action), self.fuel)
        self.fuel -= thrust
        self.speed = float(np.clip(self.speed + 0.2 * (thrust - 1.0), -12, 12))
        self.height += 0.2 * self.speed

    def extra(self):
        return 0.0

    def step(self, action):
        before = self.potential()
        self.burn(action)
        self.clock += 1
        done = self.height <= 0 or self.height > 22
        reward = self.potential() - before + self.extra()
        if done:
            soft = self.height <= 0 and self.speed > -1.0
            reward += 10.0 if soft else -10.0
            self.height = max(self.height, -1.0)
        return self.look(), float(reward), done, not done and self.clock >= self.limit, {}


class Elevator(gym.Env):
    """Five floors, one cabin: down, open the doors, up."""

    limit = 200
    floors = 5

    def __init__(self):
        n = self.floors
        self.rate = 0.15
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict(
            {"floor": spaces.Discrete(n), "calls": spaces.MultiBinary(n), "wanted": spaces.MultiBinary(n)}
        )

    def look(self):
        return {
            "floor": np.int64(self.floor),
            "calls": np.array([bool(w) for w in self.waiting], dtype=np.int8),
            "wanted": np.array([i in self.cabin for i in range(self.floors)], dtype=np.int8),
        }

    def begin(self):
        self.floor = int(self.np_random.integers(self.floors))
        self.waiting = [[] for _ in range(self.floors)]
        self.cabin = []
        self.clock = 0
        self.arrive(1.0)

    def arrive(self, chance):
        if self.np_random.random() < chance:
            at, to = self.np_random.choice(self.floors, 2, replace=False)
            if len(self.waiting[at]) < 4:
                self.waiting[at].append(int(to))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.look(), {}

    def pay(self, delivered):
        return delivered - 0.05 * (len(self.cabin) + sum(len(w) for w in self.waiting))

    def step(self, action):
        delivered = 0
        if action == 1:
            delivered = self.cabin.count(self.floor)
            self.cabin = [to for to in self.cabin if to != self.floor]
            while self.waiting[self.floor] and len(self.cabin) < 6:
                self.cabin.append(self.waiting[self.floor].pop(0))
        else:
            self.floor = int(np.clip(self.floor + int(action) - 1, 0, self.floors - 1))
        self.arrive(self.rate)
        self.clock += 1
        return self.look(), float(self.pay(delivered)), False, self.clock >= self.limit, {}


class Drone(gym.Env):
    """A drone in a hall flies from one beacon to the next; lift is not symmetric, for there is gravity."""

    limit = 250

    def __init__(self):
        self.action_space = spaces.Box(
            np.array([-1.0, 0.0], dtype=np.float32), np.array([1.0, 2.0], dtype=np.float32)
        )
        self.observation_space = spaces.Box(
            np.array([-11, -1, -8, -8, -11, -1], dtype=np.float32), np.array([11, 21, 8, 8, 11, 21], dtype=np.float32)
        )

    def beacon(self):
        return np.array([self.np_random.uniform(-7, 7), self.np_random.uniform(4, 16)])

    def begin(self):
        self.state = np.array([self.np_random.uniform(-3, 3), self.np_random.uniform(8, 12), 0.0, 0.0])
        self.target = self.beacon()
        self.clock = 0

    def look(self):
        return np.concatenate([self.state, self.target]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        return self.look(), {}

    def thrust(self, action):
        return np.clip(np.asarray(action, dtype=np.float64), self.action_space.low, self.action_space.high)

    def move(self, action):
        force = self.thrust(action)
        wind = self.np_random.normal(0, 0.05)
        self.state[2] = np.clip(0.98 * self.state[2] + 0.15 * (2 * force[0] + wind), -8, 8)
        self.state[3] = np.clip(0.98 * self.state[3] + 0.15 * 2 * (force[1] - 1.0), -8, 8)
        self.state[:2] += 0.15 * self.state[2:]
        self.state[0] = np.clip(self.state[0], -11, 11)
        self.state[1] = np.clip(self.state[1], -1, 21)

    def distance(self):
        return float(np.linalg.norm(self.state[:2] - self.target))

    def shaping(self, before, after):
        return before - after

    def step(self, action):
        before = self.distance()
        self.move(action)
        self.clock += 1
        reward = self.shaping(before, self.distance()) - 0.02
        if self.distance() < 1.5:
            reward += 5.0
            self.target = self.beacon()
        lost = not (abs(self.state[0]) < 10 and 0 < self.state[1] < 20)
        if lost:
            reward -= 10.0
        return self.look(), float(reward), lost, not lost and self.clock >= self.limit, {}


class Ads(gym.Env):
    """One visitor, one of four adverts, one click or none: a contextual bandit."""

    taste = np.array(
        [[2.0, -1.0, 0.5, 0.0, 1.0, -0.5], [-2.0, 1.5, 0.0, 1.0, -1.0, 0.5], [0.0, 1.0, -2.0, -1.0, 0.5, 1.5], [0.5, -1.5, 1.5, 0.0, -0.5, -1.5]]
    )

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-1.0, 1.0, (6,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self.np_random.uniform(-1, 1, 6).astype(np.float32)
        return self.visitor.copy(), {}

    def step(self, action):
        like = 1 / (1 + math.exp(-2 * float(self.taste[int(action)] @ self.visitor)))
        return self.visitor.copy(), float(self.np_random.random() < like), True, False, {"p": like}


class Battery(gym.Env):
    """A battery at the power exchange for a week: buy (above 0) and sell (below 0)."""

    hours = 168
    room = 40.0

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(
            np.array([0, -3, -1, -1], dtype=np.float32), np.array([1, 5, 1, 1], dtype=np.float32)
        )

    def look(self):
        angle = 2 * math.pi * (self.hour % 24) / 24
        price = self.prices[self.hour] / 100
        return np.array([self.charge / self.room, price, math.sin(angle), math.cos(angle)], dtype=np.float32)

    def forecast(self):
        noise = np.zeros(self.hours + 1)
        for i in range(1, self.hours + 1):
            noise[i] = 0.8 * noise[i - 1] + self.np_random.normal(0, 5)
        return 55 + 30 * np.sin(2 * np.pi * (np.arange(self.hours + 1) - 9) / 24) + noise

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prices = self.forecast()
        self.charge = self.np_random.uniform(5.0, 35.0)
        self.hour = 0
        return self.look(), {}

    def power(self, action):
        return 10.0 * float(np.clip(action[0], -1.0, 1.0))

    def step(self, action):
        power = float(np.clip(self.power(action), -self.charge, self.room - self.charge))
        grid = power / 0.95 if power > 0 else power * 0.95
        reward = -self.prices[self.hour] * grid / 100
        self.charge = float(np.clip(self.charge + power, 0.0, self.room))
        self.hour += 1
        return self.look(), float(reward), False, self.hour >= self.hours, {}


class Predator(gym.Env):
    """Stay away from a hunter on a small world without edges. Standing still is a move too."""

    side = 8
    limit = 200
    moves = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def gap(self):
        return (self.hunter - self.me + self.side // 2) % self.side - self.side // 2

    def look(self):
        return (self.gap() / (self.side // 2)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = self.np_random.integers(0, self.side, 2)
        self.hunter = (self.me + self.np_random.integers(2, 5, 2)) % self.side
        self.clock = 0
        return self.look(), {}

    def choose(self, action):
        return int(action)

    def pay(self, caught):
        return 0.0 if caught else 1.0

    def step(self, action):
        self.me = (self.me + self.moves[self.choose(action)]) % self.side
        gap = self.gap()
        if gap.any() and self.np_random.random() < 0.6:
            axis = int(np.argmax(np.abs(gap)))
            self.hunter[axis] = (self.hunter[axis] - np.sign(gap[axis])) % self.side
        caught = not self.gap().any()
        self.clock += 1
        return self.look(), self.pay(caught), caught, not caught and self.clock >= self.limit, {}


class Snake(gym.Env):
    """The old game on six by six cells, as three planes: head, body, food. Turning back goes straight on."""

    side = 6
    limit = 300
    turns = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0, 1, (3, self.side, self.side), np.int8)

    def feed(self):
        free = [(r, c) for r in range(self.side) for c in range(self.side) if (r, c) not in self.body]
        return free[int(self.np_random.integers(len(free)))] if free else None

    def look(self):
        planes = np.zeros((3, self.side, self.side), dtype=np.int8)
        planes[0][self.body[0]] = 1
        for cell in self.body[1:]:
            planes[1][cell] = 1
        if self.food:
            planes[2][self.food] = 1
        return planes

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        row, col = (int(v) for v in self.np_random.integers(2, self.side - 1, 2))
        self.body = [(row, col), (row, col - 1)]
        self.heading = 1
        self.food = self.feed()
        self.clock = 0
        return self.look(), {}

    def steer(self, action):
        if (int(action) - self.heading) % 4 != 2:
            self.heading = int(action)

    def pay(self, ate, dead):
        return -1.0 if dead else (1.0 if ate else 0.0)

    def step(self, action):
        self.steer(action)
        dr, dc = self.turns[self.heading]
        head = (self.body[0][0] + dr, self.body[0][1] + dc)
        self.clock += 1
        dead = not (0 <= head[0] < self.side and 0 <= head[1] < self.side) or head in self.body[:-1]
        ate = False
        if not dead:
            ate = head == self.food
            self.body = [head, *(self.body if ate else self.body[:-1])]
            if ate:
                self.food = self.feed()
        done = dead or self.food is None
        return self.look(), self.pay(ate, dead), done, not done and self.clock >= self.limit, {"length": len(self.body)}


class Greenhouse(gym.Env):
    """Heat and vent a greenhouse through the day; the sensors are noisy."""

    limit = 144

    def __init__(self):
        self.action_space = spaces.Box(np.array([-1, 0], dtype=np.float32), np.array([1, 1], dtype=np.float32))
        self.observation_space = spaces.Box(
            np.array([-30, -30, 0, -1, -1], dtype=np.float32), np.array([70, 60, 1.2, 1, 1], dtype=np.float32)
        )

    def outside(self):
        return 10 + 8 * math.sin(2 * math.pi * self.clock / 144) + self.weather

    def look(self):
        angle = 2 * math.pi * self.clock / 144
        return np.array(
            [
                self.air + self.np_random.normal(0, 0.2),
                self.outside(),
                np.clip(self.damp + self.np_random.normal(0, 0.01), 0, 1.2),
                math.sin(angle),
                math.cos(angle),
            ],
            dtype=np.float32,
        )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0
        self.weather = self.np_random.normal(0, 2)
        self.air = self.np_random.uniform(12, 28)
        self.damp = self.np_random.uniform(0.4, 0.9)
        return self.look(), {}

    def disturb(self):
        return float(self.np_random.normal(0, 0.3))

    def pay(self, heat):
        return math.exp(-(((self.air - 22) / 4) ** 2)) - 0.5 * max(self.damp - 0.8, 0) - 0.05 * heat**2

    def step(self, action):
        heat = float(np.clip(action[0], -1, 1))
        vent = float(np.clip(action[1], 0, 1))
        self.weather = float(np.clip(0.95 * self.weather + self.disturb(), -8, 8))
        self.air = float(np.clip(self.air + 1.5 * heat + (0.04 + 0.15 * vent) * (self.outside() - self.air), -20, 60))
        self.damp = float(np.clip(self.damp + 0.02 - 0.06 * vent, 0.1, 1.0))
        self.clock += 1
        return self.look(), float(self.pay(heat)), False, self.clock >= self.limit, {}


class Parking(gym.Env):
    """Park a slow car: wheel left, straight or right; backwards, brake or forwards."""

    limit = 200

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([3, 3])
        high = np.array([12, 12, 1, 1, 2], dtype=np.float32)
        self.observation_space = spaces.Box(-high, high)

    def look(self):
        x, y, angle, speed = self.car
        return np.array([x, y, math.cos(angle), math.sin(angle), speed], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        far, way = self.np_random.uniform(3, 6), self.np_random.uniform(-math.pi, math.pi)
        self.car = [far * math.cos(way), far * math.sin(way), self.np_random.uniform(-math.pi, math.pi), 0.0]
        self.clock = 0
        return self.look(), {}

    def orders(self, action):
        return int(action[0]) - 1, int(action[1]) - 1

    def step(self, action):
        wheel, pedal = self.orders(action)
        x, y, angle, speed = self.car
        before = math.hypot(x, y)
        speed = float(np.clip(0.8 * speed + 0.3 * pedal, -1.5, 1.5))
        angle += 0.5 * wheel * speed * 0.5
        x += speed * math.cos(angle) * 0.5
        y += speed * math.sin(angle) * 0.5
        self.car = [x, y, angle, speed]
        self.clock += 1
        parked = math.hypot(x, y) < 1.0
        lost = math.hypot(x, y) > 10
        reward = 0.5 * (before - math.hypot(x, y)) - 0.02 + (5.0 if parked else 0.0) - (5.0 if lost else 0.0)
        done = parked or lost
        return self.look(), float(reward), done, not done and self.clock >= self.limit, {}


# --------------------------------------------------------------------------------------------------------------------
# wrappers
# --------------------------------------------------------------------------------------------------------------------


class OneHot(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.count = int(env.observation_space.n)
        self.observation_space = spaces.Box(0.0, 1.0, (self.count,), np.float32)

    def observation(self, observation):
        row = np.zeros(self.count, dtype=np.float32)
        row[int(observation)] = 1.0
        return row


class TaxiFeatures(gym.ObservationWrapper):
    """Row, column, where the passenger is and where to."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0.0, 1.0, (5 + 5 + 5 + 4,), np.float32)

    def observation(self, observation):
        row, col, place, to = self.unwrapped.decode(int(observation))
        out = np.zeros(19, dtype=np.float32)
        out[[int(row), 5 + int(col), 10 + int(place), 15 + int(to)]] = 1.0
        return out


class PotentialMountain(gym.Wrapper):
    """Adds gamma * phi(next) - phi(here), with phi the energy of the car and 0 at the end."""

    gamma = 0.99

    def phi(self, observation):
        return 10 * (math.sin(3 * float(observation[0])) * 0.45 + 100 * float(observation[1]) ** 2)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.last = self.phi(observation)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        now = 0.0 if terminated else self.phi(observation)
        shaped = float(reward) + self.gamma * now - self.last
        self.last = now
        return observation, shaped, terminated, truncated, info


def _vector(kind, count=4):
    return gym.vector.SyncVectorEnv([kind for _ in range(count)])


# --------------------------------------------------------------------------------------------------------------------
# healthy
# --------------------------------------------------------------------------------------------------------------------


def healthy_treasure():
    return Treasure()


def healthy_four_rooms():
    return FourRooms()


def healthy_tank():
    return Tank()


def healthy_queue():
    return Counter()


def healthy_trader():
    return Trader()


def healthy_arm_dense():
    return Arm()


def healthy_arm_sparse():
    return Arm(sparse=True)


def healthy_noughts():
    return Noughts()


def healthy_catch():
    return Catch()


def healthy_catch_stack():
    return FrameStackObservation(Catch(drift=True), 3)


def healthy_factory():
    return Factory()


def healthy_inventory():
    return Inventory()


def healthy_cue_corridor():
    return CueCorridor()


def healthy_rocket():
    return Rocket()


def healthy_elevator():
    return Elevator()


def healthy_drone():
    return Drone()


def healthy_ads():
    return Ads()


def healthy_battery():
    return Battery()


def healthy_predator():
    return Predator()


def healthy_snake():
    return Snake()


def healthy_greenhouse():
    return Greenhouse()


def healthy_parking():
    return Parking()


def healthy_cartpole_scaled():
    scale = np.array([2.4, 2.0, 0.21, 2.0], dtype=np.float32)
    env = gym.make("CartPole-v1")
    space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
    return TransformObservation(env, lambda seen: (seen / scale).astype(np.float32), space)


def healthy_frozenlake_onehot():
    return OneHot(gym.make("FrozenLake-v1", map_name="4x4", is_slippery=True))


def healthy_taxi_features():
    return TaxiFeatures(gym.make("Taxi-v4"))


def healthy_pendulum_rescaled():
    return RescaleAction(gym.make("Pendulum-v1"), np.float32(-1.0), np.float32(1.0))


def healthy_mountaincar_potential():
    return PotentialMountain(gym.make("MountainCar-v0", max_episode_steps=400))


def healthy_cliff_timelimited():
    return OneHot(gym.make("CliffWalking-v1", max_episode_steps=200))


def healthy_elevator_flat():
    return FlattenObservation(Elevator())


def healthy_vector_rocket():
    return _vector(Rocket)


# --------------------------------------------------------------------------------------------------------------------
# broken: environment
# --------------------------------------------------------------------------------------------------------------------


class TankOwnDice(Tank):
    def begin(self):
        dice = np.random.default_rng()
        self.level = dice.uniform(0.05, 0.9, 2)
        self.target = dice.uniform(0.2, 0.8)
        self.clock = 0


def broken_tank_unseeded():
    return TankOwnDice()


class CounterOpenDoors(Counter):
    def clear(self):
        self.queues = self.queues + self.np_random.integers(0, 4, 3)
        self.queues = np.minimum(self.queues, 20)


def broken_queue_leftover():
    return CounterOpenDoors()


class TreasureEnds(Treasure):
    def step(self, action):
        seen, reward, found, late, info = super().step(action)
        return seen, reward, late, found, info


def broken_treasure_flags_swapped():
    return TreasureEnds()


class TankFinal(Tank):
    def over(self):
        return self.clock >= self.limit, False


def broken_tank_limit_terminates():
    return TankFinal()


class DroneView(Drone):
    def begin(self):
        super().begin()
        self.seen = np.zeros(6, dtype=np.float32)

    def look(self):
        self.seen[:4] = self.state
        self.seen[4:] = self.target
        return self.seen


def broken_drone_aliased():
    return DroneView()


class PredatorWorld(Predator):
    world = {}

    @property
    def me(self):
        return self.world["me"]

    @me.setter
    def me(self, value):
        self.world["me"] = value

    @property
    def hunter(self):
        return self.world["hunter"]

    @hunter.setter
    def hunter(self, value):
        self.world["hunter"] = value


def broken_predator_shared_world():
    return _vector(PredatorWorld)


class SameStart(gym.vector.SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        if seed is None:
            seed = int(self.np_random.integers(2**31))
        return super().reset(seed=[seed] * self.num_envs if isinstance(seed, int) else seed, options=options)


def broken_trader_vector_same_seed():
    return SameStart([Trader for _ in range(4)])


class BatteryTable(Battery):
    def step(self, action):
        seen, reward, terminated, truncated, info = super().step(action)
        if self.charge > 35:
            info["next"] = float(self.prices[self.hour + 1 : self.hour + 3][1])
        return seen, reward, terminated, truncated, info


def broken_battery_crash():
    return BatteryTable()


class TraderOldApi(Trader):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)[0]

    def step(self, action):
        seen, reward, terminated, truncated, info = super().step(action)
        return seen, reward, terminated or truncated, info


def broken_trader_old_api():
    return TraderOldApi()


class TraderReplay(Trader):
    def reset(self, *, seed=None, options=None):
        super(Trader, self).reset(seed=42)
        self.begin()
        return self.look(), {}


def broken_trader_same_path():
    return TraderReplay()


class MyTimeLimit(gym.Wrapper):
    def __init__(self, env, limit):
        super().__init__(env)
        self.limit = limit
        self.taken = 0

    def step(self, action):
        seen, reward, terminated, truncated, info = self.env.step(action)
        self.taken += 1
        return seen, reward, terminated, truncated or self.taken >= self.limit, info


def broken_acrobot_limit_kept():
    return MyTimeLimit(gym.make("Acrobot-v1").env, 500)


class ArmInPlace(Arm):
    def drive(self, action):
        action *= 0.25
        np.clip(action, -0.25, 0.25, out=action)
        self.joints = self.joints + action


def broken_arm_writes_action():
    return ArmInPlace()


# --------------------------------------------------------------------------------------------------------------------
# broken: observation
# --------------------------------------------------------------------------------------------------------------------


class TreasureBlind(Treasure):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def look(self):
        return np.array(self.agent, dtype=np.float32) / (self.size - 1)


def broken_treasure_goal_hidden():
    return TreasureBlind()


class RocketLate(Rocket):
    def step(self, action):
        here = self.look()
        _, reward, terminated, truncated, info = super().step(action)
        return here, reward, terminated, truncated, info


def broken_rocket_stale():
    return RocketLate()


class TankHeadroom(Tank):
    def look(self):
        with np.errstate(invalid="ignore"):
            headroom = np.sqrt(0.6 - self.level[0])
        return np.array([headroom, self.level[1], self.target], dtype=np.float32)


def broken_tank_nan():
    return TankHeadroom()


class InventoryCents(Inventory):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(
            np.array([0, 0, 0, -1, -1], dtype=np.float32), np.array([4e8, 60, 60, 1, 1], dtype=np.float32)
        )

    def look(self):
        seen = super().look()
        seen[0] *= 1e6
        return seen


def broken_inventory_scale():
    return InventoryCents()


class DroneClipped(Drone):
    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-1.0, 1.0, (6,), np.float32)

    def look(self):
        return np.clip(super().look(), -1.0, 1.0)


def broken_drone_clipped():
    return DroneClipped()


class TraderForesight(Trader):
    def begin(self):
        self.next = self.np_random.normal(0.0, 0.02)
        super().begin()

    def draw(self):
        now, self.next = self.next, self.np_random.normal(0.0, 0.02)
        return now

    def look(self):
        coming = -0.1 * self.gap + self.next
        return np.array([*(20 * r for r in self.past[1:]), 20 * coming, 10 * self.gap, self.position], dtype=np.float32)


def broken_trader_sees_tomorrow():
    return TraderForesight()


class CatchDark(Catch):
    def draw(self):
        return (super().draw() / 256).astype(np.uint8)


def broken_catch_black():
    return CatchDark()


class ElevatorShuffled(Elevator):
    def begin(self):
        self.order = self.np_random.permutation(self.floors)
        super().begin()

    def look(self):
        seen = super().look()
        return {**seen, "calls": seen["calls"][self.order], "wanted": seen["wanted"][self.order]}


def broken_elevator_shuffled():
    return ElevatorShuffled()


class SnakeMarks(Snake):
    def look(self):
        planes = super().look()
        return planes[0] * 2.0 + planes[1] - planes[2]


def broken_snake_wrong_space():
    return SnakeMarks()


class Standardize(gym.ObservationWrapper):
    def observation(self, observation):
        return ((observation - observation.mean()) / (observation.std() + 1e-8)).astype(np.float32)


def broken_cartpole_standardized():
    env = Standardize(gym.make("CartPole-v1"))
    env.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
    return env


class LastFrames(gym.Wrapper):
    """The last three frames, newest last."""

    def __init__(self, env, count=3):
        super().__init__(env)
        self.count = count
        space = env.observation_space
        self.observation_space = spaces.Box(0, 255, (*space.shape[:2], count), np.uint8)

    def stack(self, frame):
        self.frames = [frame] * self.count
        return np.concatenate(self.frames, axis=-1)

    def reset(self, **kwargs):
        frame, info = self.env.reset(**kwargs)
        return self.stack(frame), info

    def step(self, action):
        frame, reward, terminated, truncated, info = self.env.step(action)
        return self.stack(frame), reward, terminated, truncated, info


def broken_catch_stack_same_frame():
    return LastFrames(Catch(drift=True))


class AdsPrevious(Ads):
    """Shows the visitor features as they are loaded."""

    def reset(self, *, seed=None, options=None):
        shown = getattr(self, "visitor", np.zeros(6, dtype=np.float32)).copy()
        super().reset(seed=seed, options=options)
        return shown, {}


def broken_ads_previous_visitor():
    return AdsPrevious()


# --------------------------------------------------------------------------------------------------------------------
# broken: action
# --------------------------------------------------------------------------------------------------------------------


class CounterHabit(Counter):
    def served(self, action):
        return int(self.np_random.integers(4))


def broken_queue_action_ignored():
    return CounterHabit()


class DroneNormal(Drone):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def thrust(self, action):
        return np.clip(np.asarray(action, dtype=np.float64), 0.0, 1.0) * np.array([1.0, 2.0])


def broken_drone_half_clipped():
    return DroneNormal()


class TreasureOneBased(Treasure):
    def walk(self, action):
        x, y = self.agent
        if action == 1:
            y += 1
        elif action == 2:
            x += 1
        elif action == 3:
            y -= 1
        elif action == 4:
            x -= 1
        self.agent = (min(max(x, 0), self.size - 1), min(max(y, 0), self.size - 1))


def broken_treasure_one_based():
    return TreasureOneBased()


class ArmOneMotor(Arm):
    def drive(self, action):
        command = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        self.joints = self.joints + 0.25 * np.array([command[0], command[0]])


def broken_arm_dead_joint():
    return ArmOneMotor()


class Gentle(gym.ActionWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def action(self, action):
        return np.asarray(action, dtype=np.float32) * 0.02


def broken_pendulum_weak():
    return Gentle(gym.make("Pendulum-v1"))


class NoughtsMask(Noughts):
    def info(self):
        return {"action_mask": (self.board != 0).astype(np.int8)}


def broken_noughts_mask_inverted():
    return NoughtsMask()


class ParkingHeld(Parking):
    def reset(self, *, seed=None, options=None):
        self.held = None
        return super().reset(seed=seed, options=options)

    def orders(self, action):
        if self.held is None:
            self.held = super().orders(action)
        return self.held


def broken_parking_first_action_held():
    return ParkingHeld()


class BatteryBuys(Battery):
    def power(self, action):
        return 10.0 * abs(float(np.clip(action[0], -1.0, 1.0)))


def broken_battery_only_charges():
    return BatteryBuys()


# --------------------------------------------------------------------------------------------------------------------
# broken: reward
# --------------------------------------------------------------------------------------------------------------------


class TankError(Tank):
    def pay(self):
        return abs(float(self.level[1]) - self.target)


def broken_tank_sign():
    return TankError()


class InventoryMicro(Inventory):
    scale = 1e6


def broken_inventory_reward_scale():
    return InventoryMicro()


class TreasureList(Treasure):
    def place(self):
        super().place()
        self.goal = list(self.goal)

    def found(self):
        return self.agent == self.goal


def broken_treasure_never_paid():
    return TreasureList()


class RocketGate(Rocket):
    def reset(self, *, seed=None, options=None):
        self.low = False
        return super().reset(seed=seed, options=options)

    def extra(self):
        low = self.height < 6.0
        passed = low and not self.low
        self.low = low
        return 3.0 if passed else 0.0


def broken_rocket_gate_again():
    return RocketGate()


class DroneProgress(Drone):
    def shaping(self, before, after):
        return 2.0 * max(before - after, 0.0)


def broken_drone_pays_circling():
    return DroneProgress()


class TraderHolder(Trader):
    def step(self, action):
        seen, _, terminated, truncated, info = super().step(action)
        return seen, float(100 * self.past[-1]), terminated, truncated, info


def broken_trader_reward_ignores_position():
    return TraderHolder()


class CatchLag(Catch):
    def reset(self, *, seed=None, options=None):
        self.due = 0.0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        seen, reward, terminated, truncated, info = super().step(action)
        paid, self.due = self.due, reward
        return seen, paid, terminated, truncated, info


def broken_catch_reward_lost():
    return CatchLag()


class FactoryEnergy(Factory):
    tariffs = (20.0, 400.0)


def broken_factory_energy_dominates():
    return FactoryEnergy()


class GreenhouseWarm(Greenhouse):
    def pay(self, heat):
        with np.errstate(invalid="ignore"):
            cold = float(np.sqrt(np.float64(24.0 - self.air)))
        return super().pay(heat) - 0.02 * cold


def broken_greenhouse_nan_reward():
    return GreenhouseWarm()


class ElevatorTotal(Elevator):
    def begin(self):
        super().begin()
        self.total = 0.0

    def pay(self, delivered):
        self.total += super().pay(delivered)
        return self.total


def broken_elevator_running_total():
    return ElevatorTotal()


class PredatorHurry(Predator):
    def pay(self, caught):
        return -1.0


def broken_predator_better_dead():
    return PredatorHurry()


class ArmRelabel(Arm):
    def compute_reward(self, achieved_goal, desired_goal, info):
        gap = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return (gap > self.near).astype(np.float64) - 1.0

    def step(self, action):
        seen, _, terminated, truncated, info = super().step(action)
        return seen, 0.0 if info["is_success"] else -1.0, terminated, truncated, info


def broken_arm_relabel_disagrees():
    return ArmRelabel(sparse=True)


# --------------------------------------------------------------------------------------------------------------------
# broken: task
# --------------------------------------------------------------------------------------------------------------------


class FourRoomsWalled(FourRooms):
    plan = (
        "#########",
        "#   #   #",
        "#       #",
        "#   #   #",
        "## ######",
        "#   #   #",
        "#   #   #",
        "#   #  G#",
        "#########",
    )

    def starts(self):
        return [cell for cell in super().starts() if cell[0] < 4 or cell[1] < 4]


def broken_rooms_walled():
    return FourRoomsWalled()


class TankSettled(Tank):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def begin(self):
        self.level = np.array([0.36, 0.36])
        self.target = 0.36
        self.clock = 0

    def flow(self, action):
        super().flow((np.asarray(action, dtype=np.float64) + 1.0) / 2.0)


def broken_tank_nothing_to_do():
    return TankSettled()


class TreasureThere(Treasure):
    def place(self):
        self.agent = tuple(int(v) for v in self.np_random.integers(0, self.size, 2))
        self.goal = self.agent

    def walk(self, action):
        if not self.found():
            super().walk(action)


def broken_treasure_start_at_goal():
    return TreasureThere()


class CounterOneClass(Counter):
    arrivals = (0.0, 0.5, 0.0)

    def clear(self):
        self.queues = np.array([0, int(self.np_random.integers(0, 4)), 0])


def broken_queue_constant_action():
    return CounterOneClass()


def broken_mountaincar_no_time():
    return gym.make("MountainCar-v0", max_episode_steps=60)


class RocketEmpty(Rocket):
    tank = 6.0


def broken_rocket_no_fuel():
    return RocketEmpty()


