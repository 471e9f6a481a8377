"""Small worlds for reinforcement learning."""
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.classic_control.acrobot import AcrobotEnv
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.envs.classic_control.mountain_car import MountainCarEnv
from gymnasium.envs.classic_control.pendulum import PendulumEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.envs.toy_text.taxi import TaxiEnv

F = np.float32
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def clip(value, low, high):
    return low if value < low else high if value > high else value


# ---------------------------------------------------------------- painting a floor

class Lark(gym.Env):
    """A robot paints the tiles of a floor. It is paid for each tile that was bare."""

    side = 5

    def __init__(self):
        n = self.side * self.side
        self.observation_space = spaces.Box(0, 1, (2 * n,), F)
        self.action_space = spaces.Discrete(4)
        self.painted = np.zeros((self.side, self.side), bool)
        self.at = [0, 0]
        self.clock = 0

    def look(self):
        n = self.side * self.side
        out = np.zeros(2 * n, F)
        out[:n] = self.painted.ravel()
        out[n + self.at[0] * self.side + self.at[1]] = 1
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = [int(self.np_random.integers(self.side)), int(self.np_random.integers(self.side))]
        self.painted[self.at[0], self.at[1]] = True
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        self.at[0] = clip(self.at[0] + dr, 0, self.side - 1)
        self.at[1] = clip(self.at[1] + dc, 0, self.side - 1)
        reward = -0.05
        if not self.painted[self.at[0], self.at[1]]:
            self.painted[self.at[0], self.at[1]] = True
            reward += 1.0
        self.clock += 1
        return self.look(), reward, bool(self.painted.all()), self.clock >= 100, {}


def broken_lark():
    return Lark()


# ---------------------------------------------------------------- docking a ship

class Fjord(gym.Env):
    """A ship on a line is to stop at its berth."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-3, -2, -1.5], F), np.array([3, 2, 1.5], F))
        self.action_space = spaces.Box(-1, 1, (1,), F)
        self.x = self.v = self.berth = 0.0
        self.clock = 0

    def look(self):
        return np.array([self.x, self.v, self.berth], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(-1.5, 1.5))
        self.v = float(self.np_random.uniform(-0.3, 0.3))
        self.berth = float(self.np_random.uniform(-1.5, 1.5))
        self.clock = 0
        return self.look(), {}

    def sail(self, force):
        self.v = clip(0.95 * self.v + 0.25 * force, -2.0, 2.0)
        self.x += 0.1 * self.v
        if not -3 <= self.x <= 3:
            self.x = clip(self.x, -3.0, 3.0)
            self.v = 0.0
        self.clock += 1
        return -abs(self.x - self.berth) - 0.05 * force * force

    def step(self, action):
        reward = self.sail(clip(float(action[0]), -1.0, 1.0))
        return self.look(), reward, False, self.clock >= 120, {}


class Fjord2(Fjord):
    def step(self, action):
        seen = self.look()
        reward = self.sail(clip(float(action[0]), -1.0, 1.0))
        return seen, reward, False, self.clock >= 120, {}


def healthy_fjord():
    return Fjord()


def broken_fjord():
    return Fjord2()


# ---------------------------------------------------------------- a shop

class Quartz(gym.Env):
    """A shop orders goods that arrive two days later."""

    price, cost, keep, short = 5.0, 2.0, 0.4, 1.0

    def __init__(self):
        self.observation_space = spaces.Box(0, np.array([40, 10, 10], F), dtype=F)
        self.action_space = spaces.Discrete(11)
        self.stock = 0
        self.pipe = [0, 0]
        self.day = 0

    def look(self):
        return np.array([self.stock, *self.pipe], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(0, 12))
        self.pipe = [int(self.np_random.integers(0, 6)), int(self.np_random.integers(0, 6))]
        self.day = 0
        return self.look(), {}

    def earn(self, sold, ordered, missed):
        return self.price * sold - self.cost * ordered - self.keep * self.stock - self.short * missed

    def step(self, action):
        ordered = int(action)
        self.stock = min(40, self.stock + self.pipe.pop(0))
        self.pipe.append(ordered)
        demand = int(self.np_random.poisson(4))
        sold = min(demand, self.stock)
        self.stock -= sold
        self.day += 1
        reward = self.earn(sold, ordered, demand - sold)
        return self.look(), float(reward), False, self.day >= 60, {"sold": sold}


class Quartz2(Quartz):
    def earn(self, sold, ordered, missed):
        return self.price * sold - self.cost * ordered + self.keep * self.stock - self.short * missed


def healthy_quartz():
    return Quartz()


def broken_quartz():
    return Quartz2()


# ---------------------------------------------------------------- noughts and crosses

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Heron(gym.Env):
    """Noughts and crosses against somebody who plays at random. An occupied cell loses the game."""

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)
        self.board = [0] * 9

    def look(self):
        return np.array(self.board, np.int8)

    def free(self):
        return np.array([cell == 0 for cell in self.board], np.int8)

    def won(self, who):
        b = self.board
        return any(b[i] == who and b[j] == who and b[k] == who for i, j, k in LINES)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = [0] * 9
        if self.np_random.random() < 0.5:
            self.board[int(self.np_random.integers(9))] = -1
        return self.look(), {"action_mask": self.free()}

    def mine(self, action):
        if self.board[action] != 0:
            return -1.0, True
        self.board[action] = 1
        if self.won(1):
            return 1.0, True
        return 0.0, 0 not in self.board

    def theirs(self):
        open_ = [i for i in range(9) if self.board[i] == 0]
        self.board[open_[int(self.np_random.integers(len(open_)))]] = -1
        if self.won(-1):
            return -1.0, True
        return 0.0, 0 not in self.board

    def step(self, action):
        reward, over = self.mine(int(action))
        if not over:
            reward, over = self.theirs()
        return self.look(), reward, over, False, {"action_mask": self.free()}


class Heron2(Heron):
    def step(self, action):
        reward, over = self.mine(int(action))
        info = {"action_mask": self.free()}
        if not over:
            reward, over = self.theirs()
        return self.look(), reward, over, False, info


def healthy_heron():
    return Heron()


def broken_heron():
    return Heron2()


# ---------------------------------------------------------------- catching in a picture

class Catch(gym.Env):
    """A ball falls, a bat is below. The picture has 20 rows and columns."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (20, 20), np.uint8)
        self.action_space = spaces.Discrete(3)
        self.row = self.col = self.bat = 0

    def look(self):
        out = np.zeros((20, 20), np.uint8)
        out[self.row, self.col] = 255
        out[18, max(0, self.bat - 2):self.bat + 3] = 128
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = 0
        self.col = int(self.np_random.integers(20))
        self.bat = int(self.np_random.integers(2, 18))
        return self.look(), {}

    def step(self, action):
        self.bat = clip(self.bat + int(action) - 1, 2, 17)
        self.row += 1
        over = self.row == 17
        reward = 0.0
        if over:
            reward = 1.0 if abs(self.bat - self.col) <= 2 else -1.0
        return self.look(), reward, over, False, {}


class Small(gym.ObservationWrapper):
    """Half as many rows and columns, and a channel."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0, 255, (10, 10, 1), np.uint8)

    def observation(self, observation):
        return observation.reshape(10, 2, 10, 2).max(axis=(1, 3))[:, :, None]


class Small2(Small):
    def observation(self, observation):
        return np.ascontiguousarray(observation[::2, ::2, None])


def healthy_mica():
    return Small(Catch())


def broken_mica():
    return Small2(Catch())


# ---------------------------------------------------------------- a goal in the plane

class Sorrel(gym.Env):
    """A point goes to a place. 0 while it is there, -1 elsewhere."""

    def __init__(self):
        place = spaces.Box(-1, 1, (2,), F)
        self.observation_space = spaces.Dict({"observation": spaces.Box(-1, 1, (4,), F), "achieved_goal": place, "desired_goal": place})
        self.action_space = spaces.Box(-1, 1, (2,), F)
        self.at = np.zeros(2)
        self.moved = np.zeros(2)
        self.goal = np.zeros(2)
        self.shown = np.zeros(2)
        self.clock = 0

    def look(self):
        return {
            "observation": np.concatenate([self.at, self.moved]).astype(F),
            "achieved_goal": self.at.astype(F),
            "desired_goal": self.shown.astype(F),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        gap = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return np.where(gap < 0.2, 0.0, -1.0)

    def draw(self):
        self.goal = self.np_random.uniform(-1, 1, 2)
        self.shown = self.goal.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.np_random.uniform(-1, 1, 2)
        self.moved = np.zeros(2)
        self.draw()
        self.clock = 0
        return self.look(), {"is_success": False}

    def step(self, action):
        before = self.at
        self.at = np.minimum(1.0, np.maximum(-1.0, before + 0.12 * np.minimum(1.0, np.maximum(-1.0, np.asarray(action, float)))))
        self.moved = self.at - before
        self.clock += 1
        info = {}
        reward = float(self.compute_reward(self.at.astype(F), self.goal.astype(F), info))
        info["is_success"] = reward == 0.0
        return self.look(), reward, False, self.clock >= 50, info


class Sorrel2(Sorrel):
    def draw(self):
        self.shown = self.goal.copy()
        self.goal = self.np_random.uniform(-1, 1, 2)


def healthy_sorrel():
    return Sorrel()


def broken_sorrel():
    return Sorrel2()


# ---------------------------------------------------------------- queues

class Tundra(gym.Env):
    """One clerk, three queues."""

    rates = (0.3, 0.25, 0.3)
    room = 20

    def __init__(self):
        self.observation_space = spaces.Box(0, self.room, (3,), np.int64)
        self.action_space = spaces.Discrete(3)
        self.waiting = [0, 0, 0]
        self.clock = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.waiting = [int(k) for k in self.np_random.integers(0, 6, 3)]
        self.clock = 0
        return np.array(self.waiting, np.int64), {}

    def chosen(self, action):
        return clip(int(action), 0, 2)

    def step(self, action):
        k = self.chosen(action)
        if self.waiting[k]:
            self.waiting[k] -= 1
        come = self.np_random.random(3)
        for i in range(3):
            if come[i] < self.rates[i] and self.waiting[i] < self.room:
                self.waiting[i] += 1
        self.clock += 1
        return np.array(self.waiting, np.int64), -0.1 * sum(self.waiting), False, self.clock >= 100, {}


class Tundra2(Tundra):
    def chosen(self, action):
        return clip(int(action), 0, len(self.waiting) - 2)


def healthy_tundra():
    return Tundra()


def broken_tundra():
    return Tundra2()


# ---------------------------------------------------------------- trading

class Velvet(gym.Env):
    """A price that returns to its mean. One is short, flat or long for the next day."""

    fee = 0.0005

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), F)
        self.action_space = spaces.Discrete(3)
        self.gap = self.change = 0.0
        self.held = 0
        self.day = 0

    def look(self):
        return np.array([20 * self.gap, 50 * self.change, self.held], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.gap = float(0.04 * self.np_random.standard_normal())
        self.change = float(0.02 * self.np_random.standard_normal())
        self.held = 0
        self.day = 0
        return self.look(), {}

    def market(self):
        new = 0.85 * self.gap + 0.02 * float(self.np_random.standard_normal())
        self.change = new - self.gap
        self.gap = new

    def step(self, action):
        position = int(action) - 1
        fee = self.fee * abs(position - self.held)
        self.held = position
        self.market()
        reward = 100 * (self.held * self.change - fee)
        self.day += 1
        return self.look(), reward, False, self.day >= 250, {}


class Velvet2(Velvet):
    def step(self, action):
        position = int(action) - 1
        fee = self.fee * abs(position - self.held)
        self.held = position
        reward = 100 * (self.held * self.change - fee)
        self.market()
        self.day += 1
        return self.look(), reward, False, self.day >= 250, {}


def healthy_velvet():
    return Velvet()


def broken_velvet():
    return Velvet2()


# ---------------------------------------------------------------- a pendulum

class Drive(gym.ActionWrapper):
    """Actions from -1 to 1 for a motor of 2 Nm."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = spaces.Box(-1, 1, (1,), F)
        self.command = np.zeros(env.action_space.shape)

    def action(self, action):
        self.command[:] = action
        return 2.0 * self.command.astype(F)


class Drive2(Drive):
    def __init__(self, env):
        super().__init__(env)
        self.command = np.zeros_like(env.action_space.shape)


class Hold(gym.Wrapper):
    """Each action is held for two steps, both are paid."""

    def step(self, action):
        total = 0.0
        for _ in range(2):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += reward
            if terminated or truncated:
                break
        return observation, total, terminated, truncated, info


def healthy_onyx():
    return Hold(gym.wrappers.TimeLimit(Drive(PendulumEnv()), 200))


def broken_onyx():
    return gym.wrappers.TimeLimit(Drive2(PendulumEnv()), 200)


# ---------------------------------------------------------------- a car between hills

class Shift(gym.Wrapper):
    """A working day of 200 steps."""

    def reset(self, **kwargs):
        self.count = 0
        return self.env.reset(**kwargs)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.count += 1
        if self.count >= 200:
            truncated = True
        return observation, reward, terminated, truncated, info


class Shift2(Shift):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.count += 1
        if self.count >= 200:
            terminated = True
        return observation, reward, terminated, truncated, info


def healthy_pollen():
    return Shift(MountainCarEnv())


def broken_pollen():
    return Shift2(MountainCarEnv())


# ---------------------------------------------------------------- a robot and its dock

class Gravel(gym.Env):
    """A robot drives to its dock, and is paid for what it comes closer."""

    def __init__(self):
        self.observation_space = spaces.Box(-2, 2, (4,), F)
        self.action_space = spaces.Box(-1, 1, (2,), F)
        self.x = self.y = self.gx = self.gy = 0.0
        self.clock = 0

    def look(self):
        return np.array([self.x, self.y, self.gx - self.x, self.gy - self.y], F)

    def gap(self):
        return ((self.gx - self.x) ** 2 + (self.gy - self.y) ** 2) ** 0.5

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        while True:
            self.x, self.y, self.gx, self.gy = (float(k) for k in self.np_random.uniform(-1, 1, 4))
            if self.gap() > 0.4:
                break
        self.clock = 0
        return self.look(), {}

    def worth(self, before, after):
        return 10.0 * (before - after)

    def step(self, action):
        before = self.gap()
        self.x = clip(self.x + 0.1 * clip(float(action[0]), -1.0, 1.0), -1.0, 1.0)
        self.y = clip(self.y + 0.1 * clip(float(action[1]), -1.0, 1.0), -1.0, 1.0)
        after = self.gap()
        reward = self.worth(before, after)
        there = after < 0.12
        if there:
            reward += 5.0
        self.clock += 1
        return self.look(), reward, there, self.clock >= 150, {"is_success": there}


class Gravel2(Gravel):
    def worth(self, before, after):
        return 10.0 * max(0.0, before - after)


def healthy_gravel():
    return Gravel()


def broken_gravel():
    return Gravel2()


# ---------------------------------------------------------------- an arm

class Saffron(gym.Env):
    """An arm with two joints brings its hand to a mark."""

    near, far = 0.25, 0.9

    def __init__(self):
        self.observation_space = spaces.Box(-2, 2, (8,), F)
        self.action_space = spaces.Box(-1, 1, (2,), F)
        self.upper = self.lower = 0.5
        self.a = self.b = 0.0
        self.mark = (0.0, 0.0)
        self.clock = 0

    def hand(self):
        return (
            self.upper * np.cos(self.a) + self.lower * np.cos(self.a + self.b),
            self.upper * np.sin(self.a) + self.lower * np.sin(self.a + self.b),
        )

    def look(self):
        hx, hy = self.hand()
        return np.array([np.cos(self.a), np.sin(self.a), np.cos(self.b), np.sin(self.b), *self.mark, self.mark[0] - hx, self.mark[1] - hy], F) * F(0.75)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.a, self.b = (float(k) for k in self.np_random.uniform(-np.pi, np.pi, 2))
        radius = self.np_random.uniform(self.near, self.far)
        angle = self.np_random.uniform(-np.pi, np.pi)
        self.mark = (float(radius * np.cos(angle)), float(radius * np.sin(angle)))
        self.clock = 0
        return self.look(), {"is_success": False}

    def step(self, action):
        self.a += 0.2 * clip(float(action[0]), -1.0, 1.0)
        self.b += 0.2 * clip(float(action[1]), -1.0, 1.0)
        hx, hy = self.hand()
        gap = float(np.hypot(hx - self.mark[0], hy - self.mark[1]))
        there = gap < 0.1
        self.clock += 1
        return self.look(), -0.1 * gap + (10.0 if there else 0.0), there, self.clock >= 150, {"is_success": there}


class Saffron2(Saffron):
    near, far = 1.15, 1.5


def healthy_saffron():
    return Saffron()


def broken_saffron():
    return Saffron2()


# ---------------------------------------------------------------- a tractor

class Nickel(gym.Env):
    """A tractor steers to a mark on the field. Headings are kept in degrees."""

    def __init__(self):
        self.observation_space = spaces.Box(-2, 2, (4,), F)
        self.action_space = spaces.Box(-1, 1, (2,), F)
        self.x = self.y = self.heading = 0.0
        self.mx = self.my = 0.0
        self.clock = 0

    def look(self):
        return np.array([self.mx - self.x, self.my - self.y, np.cos(self.heading), np.sin(self.heading)], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y, self.mx, self.my = (float(k) for k in self.np_random.uniform(-1, 1, 4))
        self.heading = float(self.np_random.uniform(0, 360))
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        self.heading = (self.heading + 25.0 * clip(float(action[0]), -1.0, 1.0)) % 360.0
        way = 0.05 * (1.0 + clip(float(action[1]), -1.0, 1.0))
        course = np.radians(self.heading)
        self.x = clip(self.x + way * float(np.cos(course)), -1.0, 1.0)
        self.y = clip(self.y + way * float(np.sin(course)), -1.0, 1.0)
        gap = ((self.mx - self.x) ** 2 + (self.my - self.y) ** 2) ** 0.5
        self.clock += 1
        there = gap < 0.12
        return self.look(), -0.1 * gap + (5.0 if there else 0.0), there, self.clock >= 120, {}


def broken_nickel():
    return Nickel()


# ---------------------------------------------------------------- a ferry in the wind

class Willow(gym.Env):
    """A ferry holds its course across a river with gusts."""

    def __init__(self):
        self.observation_space = spaces.Box(-5, 5, (3,), F)
        self.action_space = spaces.Discrete(5)
        self.side = self.drift = self.gust = 0.0
        self.way = 0

    def look(self):
        return np.array([self.side, self.drift, self.gust], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.side = float(self.np_random.uniform(-1, 1))
        self.drift = 0.0
        self.gust = 0.0
        self.way = 0
        return self.look(), {}

    def step(self, action):
        rudder = (int(action) - 2) / 2
        self.drift = clip(0.8 * self.drift + 0.15 * rudder + 0.1 * self.gust, -2.0, 2.0)
        self.side = clip(self.side + 0.3 * self.drift, -4.0, 4.0)
        self.gust = clip(0.7 * self.gust + np.random.normal(0, 0.4), -3.0, 3.0)
        self.way += 1
        return self.look(), 1.0 - abs(self.side) - 0.05 * abs(rudder), abs(self.side) >= 4.0, self.way >= 80, {}


def broken_willow():
    return Willow()


# ---------------------------------------------------------------- cards up to 21

class Basalt(gym.Env):
    """Draw or stay, against a bank that draws up to 17. Over 21 loses."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 11, 2])
        self.action_space = spaces.Discrete(2)
        self.hand = []
        self.bank = []

    def card(self):
        return min(10, int(self.np_random.integers(1, 14)))

    @staticmethod
    def count(cards):
        total = sum(cards)
        return total + 10 if 1 in cards and total <= 11 else total

    def look(self):
        soft = 1 in self.hand and sum(self.hand) <= 11
        return np.array([self.count(self.hand), self.bank[0], int(soft)], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = [self.card(), self.card()]
        self.bank = [self.card(), self.card()]
        return self.look(), {}

    def judged(self, mine, theirs, reward):
        return reward > 0

    def step(self, action):
        if int(action) == 1:
            self.hand.append(self.card())
            mine = self.count(self.hand)
            if mine <= 21:
                return self.look(), 0.0, False, False, {"is_success": False}
            reward, theirs = -1.0, self.count(self.bank)
        else:
            while self.count(self.bank) < 17:
                self.bank.append(self.card())
            mine, theirs = self.count(self.hand), self.count(self.bank)
            reward = 1.0 if theirs > 21 else float(np.sign(mine - theirs))
        return self.look(), reward, True, False, {"is_success": bool(self.judged(mine, theirs, reward))}


class Basalt2(Basalt):
    def judged(self, mine, theirs, reward):
        return mine > theirs


def healthy_basalt():
    return Basalt()


def broken_basalt():
    return Basalt2()


# ---------------------------------------------------------------- sorting

class Ember(gym.Env):
    """Goods on a belt go into four bins: light or heavy, pale or dark."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (4,), F)
        self.action_space = spaces.Discrete(4)
        self.weight = self.shade = self.length = 0.0
        self.done = 0

    def item(self):
        self.weight, self.shade, self.length = (float(k) for k in self.np_random.random(3))

    def look(self):
        out = np.zeros(4, F)
        out[0] = self.weight
        out[1] = self.shade
        out[1] = self.length
        out[3] = self.done / 40
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.item()
        self.done = 0
        return self.look(), {}

    def step(self, action):
        right = 2 * (self.weight > 0.5) + (self.shade > 0.5)
        reward = 1.0 if int(action) == right else -1.0
        self.item()
        self.done += 1
        return self.look(), reward, self.done >= 40, False, {}


def broken_ember():
    return Ember()


# ---------------------------------------------------------------- a taxi

class Plain(gym.ObservationWrapper):
    """Row, column, passenger and destination as ones and zeros."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0, 1, (19,), F)

    def observation(self, observation):
        row, col, who, to = self.unwrapped.decode(int(observation))
        out = np.zeros(19, F)
        out[row] = out[5 + col] = out[10 + who] = out[15 + to] = 1
        return out


class Purse(gym.Wrapper):
    """Paid in sums of five steps."""

    def reset(self, **kwargs):
        self.owed = 0.0
        self.count = 0
        return self.env.reset(**kwargs)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.owed += reward
        self.count += 1
        paid = 0.0
        if self.count % 5 == 0:
            paid, self.owed = self.owed, 0.0
        return observation, paid, terminated, truncated, info


def healthy_juniper():
    return Plain(gym.wrappers.TimeLimit(TaxiEnv(), 200))


def broken_juniper():
    return Purse(Plain(gym.wrappers.TimeLimit(TaxiEnv(), 200)))


# ---------------------------------------------------------------- hovering

class Marble(gym.Env):
    """A balloon with a burner stays at one kilometre. The ground and two kilometres end the flight."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-1, -3], F), np.array([3, 3], F))
        self.action_space = spaces.Box(0, 1, (1,), F)
        self.h = self.v = 0.0
        self.clock = 0

    def look(self):
        return np.array([self.h, self.v], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(0.7, 1.3))
        self.v = float(self.np_random.uniform(-0.1, 0.1))
        self.clock = 0
        return self.look(), {}

    def worth(self, fuel):
        return 1.0 - abs(self.h - 1.0) - 0.2 * fuel

    def step(self, action):
        fuel = clip(float(action[0]), 0.0, 1.0)
        self.v = clip(self.v + 0.1 * (4.0 * (fuel - 0.5) - 0.2 * self.v) + 0.02 * float(self.np_random.standard_normal()), -3.0, 3.0)
        self.h += 0.1 * self.v
        self.clock += 1
        return self.look(), self.worth(fuel), not 0.0 < self.h < 2.0, self.clock >= 200, {}


class Marble2(Marble):
    def worth(self, fuel):
        return -abs(self.h - 1.0) - 0.2 * fuel


def healthy_marble():
    return Marble()


def broken_marble():
    return Marble2()


# ---------------------------------------------------------------- a cart on a strip

class Strip(gym.Env):
    """A cart with momentum, drawn as a line of 24 pixels; it is to stay in the middle."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (24,), F)
        self.action_space = spaces.Discrete(3)
        self.canvas = np.zeros(24, F)
        self.x = self.v = 0.0
        self.clock = 0

    def draw(self):
        self.canvas[:] = 0
        left = int(self.x)
        part = self.x - left
        self.canvas[left] = 1 - part
        if left < 23:
            self.canvas[left + 1] = part
        return self.picture()

    def picture(self):
        return self.canvas.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(4, 19))
        self.v = float(self.np_random.uniform(-1, 1))
        self.clock = 0
        return self.draw(), {}

    def step(self, action):
        self.v = clip(self.v + 0.25 * (int(action) - 1), -2.5, 2.5)
        self.x += self.v
        if not 0.0 <= self.x <= 23.0:
            self.x = clip(self.x, 0.0, 23.0)
            self.v = -0.5 * self.v
        self.clock += 1
        return self.draw(), -abs(self.x - 11.5) / 11.5, False, self.clock >= 100, {}


class Strip2(Strip):
    def picture(self):
        return self.canvas


class Film(gym.Wrapper):
    """The last three pictures, the newest last."""

    def __init__(self, env):
        super().__init__(env)
        self.frames = deque(maxlen=3)
        self.observation_space = spaces.Box(0, 1, (3, 24), F)

    def reset(self, **kwargs):
        picture, info = self.env.reset(**kwargs)
        for _ in range(3):
            self.frames.append(picture)
        return np.stack(self.frames), info

    def step(self, action):
        picture, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(picture)
        return np.stack(self.frames), reward, terminated, truncated, info


def healthy_bramble():
    return Film(Strip())


def broken_bramble():
    return Film(Strip2())


# ---------------------------------------------------------------- a yard

class Alder(gym.Env):
    """A cart in a yard of eight by eight goes to a ramp at the far end."""

    side = 8

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.side] * 4)
        self.action_space = spaces.Discrete(4)
        self.at = [0, 0]
        self.ramp = (0, 0)
        self.clock = 0
        self.patience = self.side + 1

    def look(self):
        return np.array([*self.at, *self.ramp], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        while True:
            a, b, c, d = (int(k) for k in self.np_random.integers(0, self.side, 4))
            if abs(a - c) + abs(b - d) >= 10:
                break
        self.at, self.ramp = [a, b], (c, d)
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        self.at[0] = clip(self.at[0] + dr, 0, self.side - 1)
        self.at[1] = clip(self.at[1] + dc, 0, self.side - 1)
        self.clock += 1
        there = tuple(self.at) == self.ramp
        return self.look(), 1.0 if there else 0.0, there, self.clock >= self.patience and not there, {}


def broken_alder():
    return Alder()


# ---------------------------------------------------------------- a key and a door

class Agate(gym.Env):
    """Two rooms, a door between them, a key in one and a goal in the other. Only the goal pays."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3, 7, 3, 3, 3, 7, 2, 2])
        self.action_space = spaces.Discrete(6)
        self.at, self.key, self.goal = [0, 0], (0, 0), (0, 4)
        self.has = self.open = False
        self.clock = 0

    def look(self):
        return np.array([*self.at, *self.key, *self.goal, int(self.has), int(self.open)], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        k = self.np_random.integers(0, 3, 6)
        self.at = [int(k[0]), int(k[1])]
        self.key = (int(k[2]), int(k[3]))
        self.goal = (int(k[4]), 4 + int(k[5]))
        self.has = self.open = False
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        action = int(action)
        if action < 4:
            r = clip(self.at[0] + MOVES[action][0], 0, 2)
            c = clip(self.at[1] + MOVES[action][1], 0, 6)
            if c != 3 or (r == 1 and self.open):
                self.at = [r, c]
        elif action == 4:
            if tuple(self.at) == self.key:
                self.has = True
        elif self.has and self.at == [1, 2]:
            self.open = True
        there = tuple(self.at) == self.goal
        self.clock += 1
        return self.look(), 1.0 if there else 0.0, there, self.clock >= 250 and not there, {"is_success": there}


def healthy_agate():
    return Agate()


# ---------------------------------------------------------------- a cue to remember

class Bracken(gym.Env):
    """A lamp at the entry tells where to turn at the end of the corridor."""

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (3,), F)
        self.action_space = spaces.Discrete(3)
        self.lamp = 1
        self.pos = 0
        self.clock = 0

    def look(self):
        return np.array([self.lamp if self.pos == 0 else 0, self.pos / 4, self.pos == 4], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamp = 1 if self.np_random.random() < 0.5 else -1
        self.pos = 0
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        action = int(action)
        reward, over = -0.02, False
        if action == 0:
            self.pos = min(4, self.pos + 1)
        elif self.pos == 4:
            reward, over = (1.0 if (action == 1) == (self.lamp == 1) else -1.0), True
        self.clock += 1
        return self.look(), reward, over, self.clock >= 40 and not over, {}


def healthy_bracken():
    return Bracken()


# ---------------------------------------------------------------- advertisements

class Cinder(gym.Env):
    """A visitor comes, one of five advertisements is shown, and clicked or not."""

    chances = ((0.7, 0.1, 0.2, 0.3, 0.1), (0.1, 0.6, 0.2, 0.1, 0.3), (0.2, 0.2, 0.1, 0.8, 0.1), (0.1, 0.1, 0.1, 0.2, 0.5))

    def __init__(self):
        self.observation_space = spaces.Dict({"kind": spaces.Discrete(4), "age": spaces.Box(0, 1, (1,), F)})
        self.action_space = spaces.Discrete(5)
        self.kind = 0
        self.age = np.zeros(1, F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.kind = int(self.np_random.integers(4))
        self.age = self.np_random.random(1).astype(F)
        return {"kind": self.kind, "age": self.age.copy()}, {}

    def step(self, action):
        clicked = self.np_random.random() < self.chances[self.kind][int(action)] * (0.6 + 0.4 * float(self.age[0]))
        return {"kind": self.kind, "age": self.age.copy()}, float(clicked), True, False, {}


def healthy_cinder():
    return Cinder()


# ---------------------------------------------------------------- ice

class OneHot(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0, 1, (env.observation_space.n,), F)

    def observation(self, observation):
        out = np.zeros(self.observation_space.shape, F)
        out[int(observation)] = 1
        return out


def healthy_dapple():
    return OneHot(gym.wrappers.TimeLimit(FrozenLakeEnv(map_name="4x4", is_slippery=True), 100))


# ---------------------------------------------------------------- a house

class Elm(gym.Env):
    """Heating a house, day after day. There is no end."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-30, -30, -1, -1, 0], F), np.array([60, 40, 1, 1, 2], F))
        self.action_space = spaces.Discrete(4)
        self.inside = self.outside = 0.0
        self.hour = 0

    def tariff(self):
        return 1.5 if 7 <= self.hour % 24 < 20 else 0.5

    def look(self):
        w = 2 * np.pi * (self.hour % 24) / 24
        return np.array([self.inside, self.outside, np.sin(w), np.cos(w), self.tariff()], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.inside = float(self.np_random.uniform(15, 22))
        self.outside = float(self.np_random.uniform(-5, 10))
        self.hour = int(self.np_random.integers(24))
        return self.look(), {}

    def step(self, action):
        heat = int(action)
        reward = -0.1 * heat * self.tariff()
        self.inside = clip(self.inside + 0.15 * (self.outside - self.inside) + 1.6 * heat, -30.0, 60.0)
        self.hour += 1
        mean = 3.0 + 5.0 * np.sin(2 * np.pi * (self.hour % 24 - 9) / 24)
        self.outside = float(clip(self.outside + 0.2 * (mean - self.outside) + 0.7 * self.np_random.standard_normal(), -30.0, 40.0))
        reward -= 0.2 * abs(self.inside - 20.0)
        return self.look(), float(reward), False, False, {}


def healthy_elm():
    return Elm()


# ---------------------------------------------------------------- foraging on a ring

class Fennel(gym.Env):
    """Berries appear on a ring, one at a time. Dusk comes when it likes."""

    places = 12

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (2 * self.places,), F)
        self.action_space = spaces.Discrete(3)
        self.at = self.berry = 0

    def look(self):
        out = np.zeros(2 * self.places, F)
        out[self.at] = 1
        if self.berry is not None:
            out[self.places + self.berry] = 1
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = int(self.np_random.integers(self.places))
        self.berry = int(self.np_random.integers(self.places))
        return self.look(), {}

    def step(self, action):
        self.at = (self.at + int(action) - 1) % self.places
        reward = 0.0
        if self.berry is None:
            if self.np_random.random() < 0.3:
                self.berry = int(self.np_random.integers(self.places))
        elif self.at == self.berry:
            reward, self.berry = 1.0, None
        return self.look(), reward, False, bool(self.np_random.random() < 1 / 60), {}


def healthy_fennel():
    return Fennel()


# ---------------------------------------------------------------- three cards

class Ginger(gym.Env):
    """Poker with three cards. The other hand is hidden, and so are its habits."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (5,), F)
        self.action_space = spaces.Discrete(2)
        self.mine, self.theirs, self.late = 0, 1, False

    def look(self):
        out = np.zeros(5, F)
        out[self.mine] = 1
        out[3 + self.late] = 1
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cards = self.np_random.permutation(3)
        self.mine, self.theirs, self.late = int(cards[0]), int(cards[1]), False
        return self.look(), {}

    def showdown(self, stake):
        return stake if self.mine > self.theirs else -stake

    def step(self, action):
        luck = self.np_random.random()
        if self.late:
            return self.look(), (self.showdown(2.0) if int(action) == 1 else -1.0), True, False, {}
        if int(action) == 1:
            calls = self.theirs == 2 or (self.theirs == 1 and luck < 0.2)
            return self.look(), (self.showdown(2.0) if calls else 1.0), True, False, {}
        if self.theirs == 2 or (self.theirs == 0 and luck < 0.3):
            self.late = True
            return self.look(), 0.0, False, False, {}
        return self.look(), self.showdown(1.0), True, False, {}


def healthy_ginger():
    return Ginger()


# ---------------------------------------------------------------- following a whale

class Hazel(gym.Env):
    """A boat stays over a whale; three sonars tell the distance, none of them well."""

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), F)
        self.action_space = spaces.Box(-1, 1, (1,), F)
        self.boat = self.whale = self.speed = 0.0
        self.clock = 0

    def look(self):
        noise = self.np_random.standard_normal(3) * 0.4
        return np.array([*(self.whale - self.boat + noise), self.speed], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.boat = 0.0
        self.whale = float(self.np_random.uniform(-2, 2))
        self.speed = 0.0
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        self.speed = 0.5 * self.speed + 0.3 * clip(float(action[0]), -1.0, 1.0)
        self.boat += self.speed
        self.whale += 0.15 * float(self.np_random.standard_normal())
        self.clock += 1
        return self.look(), -min(5.0, (self.whale - self.boat) ** 2), False, self.clock >= 150, {}


def healthy_hazel():
    return Hazel()


# ---------------------------------------------------------------- a reactor

class Iris(gym.Env):
    """A reactor: kelvin, hectopascal, parts of one."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([250, 0, 0], F), np.array([450, 2500, 1], F))
        self.action_space = spaces.Box(0, 1, (2,), F)
        self.kelvin, self.part = 320.0, 0.1
        self.clock = 0

    def pressure(self):
        return 1000.0 * self.kelvin / 320.0 * (0.9 + 0.5 * self.part)

    def look(self):
        return np.array([self.kelvin, self.pressure(), self.part], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.kelvin = float(self.np_random.uniform(305, 335))
        self.part = float(self.np_random.uniform(0.05, 0.2))
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        heat, feed = clip(float(action[0]), 0.0, 1.0), clip(float(action[1]), 0.0, 1.0)
        self.kelvin = clip(self.kelvin + 0.1 * (300.0 - self.kelvin) + 10.0 * heat + 0.5 * float(self.np_random.standard_normal()), 250.0, 450.0)
        speed = 0.3 / (1.0 + np.exp(-(self.kelvin - 345.0) / 10.0))
        made = speed * self.part
        self.part = clip(self.part + 0.08 * feed * (1.0 - self.part) - made, 0.0, 1.0)
        self.clock += 1
        reward = 50.0 * made - 0.3 * heat - 0.5 * feed - (2.0 if self.pressure() > 1350.0 else 0.0)
        return self.look(), float(reward), False, self.clock >= 120, {}


def healthy_iris():
    return Iris()


# ---------------------------------------------------------------- a shower

class Jade(gym.Env):
    """A shower with a long pipe: what the tap does is felt five steps later."""

    def __init__(self):
        self.observation_space = spaces.Box(10, 60, (7,), F)
        self.action_space = spaces.Discrete(3)
        self.tap = self.wish = 0.0
        self.pipe = [0.0] * 5
        self.clock = 0

    def look(self):
        return np.array([*self.pipe, self.tap, self.wish], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tap = float(self.np_random.integers(15, 56))
        self.pipe = [self.tap] * 5
        self.wish = float(self.np_random.integers(32, 43))
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        self.tap = clip(self.tap + 2.0 * (int(action) - 1), 10.0, 60.0)
        self.pipe = [*self.pipe[1:], self.tap]
        self.clock += 1
        return self.look(), -0.1 * abs(self.pipe[0] - self.wish), False, self.clock >= 80, {}


def healthy_jade():
    return Jade()


# ---------------------------------------------------------------- a turret

class Kelp(gym.Env):
    """A water cannon and a moving fire. After a shot it has to fill for four steps."""

    def __init__(self):
        self.observation_space = spaces.Dict({"state": spaces.Box(0, 1, (3,), F), "action_mask": spaces.Box(0, 1, (4,), np.int8)})
        self.action_space = spaces.Discrete(4)
        self.aim = self.fire = self.empty = 0
        self.clock = 0

    def look(self):
        mask = np.array([self.aim > 0, self.aim < 8, self.empty == 0, True], np.int8)
        return {"state": np.array([self.aim / 8, self.fire / 8, self.empty / 4], F), "action_mask": mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.aim, self.fire = (int(k) for k in self.np_random.integers(0, 9, 2))
        self.empty = 0
        self.clock = 0
        return self.look(), {}

    def step(self, action):
        action = int(action)
        reward = 0.0
        self.empty = max(0, self.empty - 1) if action != 2 or self.empty else 0
        if action == 0:
            self.aim = max(0, self.aim - 1)
        elif action == 1:
            self.aim = min(8, self.aim + 1)
        elif action == 2 and self.empty == 0:
            reward = 1.0 if self.aim == self.fire else -0.2
            self.empty = 4
        if self.np_random.random() < 0.3:
            self.fire = clip(self.fire + (1 if self.np_random.random() < 0.5 else -1), 0, 8)
        self.clock += 1
        return self.look(), reward, False, self.clock >= 100, {}


def healthy_kelp():
    return Kelp()


# ---------------------------------------------------------------- heaps

class Larch(gym.Env):
    """Take one to three from one of three heaps; who takes the last one wins. The other side plays well half of the time."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([6, 6, 6])
        self.action_space = spaces.Discrete(9)
        self.heaps = [3, 4, 5]

    def action_masks(self):
        return np.array([self.heaps[a // 3] > a % 3 for a in range(9)])

    def look(self):
        return np.array(self.heaps, np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heaps = [int(k) for k in self.np_random.integers(1, 6, 3)]
        return self.look(), {"action_mask": self.action_masks().astype(np.int8)}

    def answer(self):
        options = [a for a in range(9) if self.heaps[a // 3] > a % 3]
        if self.np_random.random() < 0.5:
            for a in options:
                rest = list(self.heaps)
                rest[a // 3] -= a % 3 + 1
                if rest[0] % 4 ^ rest[1] % 4 ^ rest[2] % 4 == 0:
                    return a
        return options[int(self.np_random.integers(len(options)))]

    def step(self, action):
        action = int(action)
        reward, over = 0.0, False
        if self.heaps[action // 3] <= action % 3:
            reward, over = -1.0, True
        else:
            self.heaps[action // 3] -= action % 3 + 1
            if not any(self.heaps):
                reward, over = 1.0, True
            else:
                reply = self.answer()
                self.heaps[reply // 3] -= reply % 3 + 1
                if not any(self.heaps):
                    reward, over = -1.0, True
        return self.look(), reward, over, False, {"action_mask": self.action_masks().astype(np.int8)}


def healthy_larch():
    return Larch()


# ---------------------------------------------------------------- a gymnast

class Even(gym.ObservationWrapper):
    """Speeds in parts of the highest."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-1, 1, (6,), F)
        self.most = env.observation_space.high.copy()

    def observation(self, observation):
        return np.minimum(F(1), np.maximum(F(-1), observation / self.most)).astype(F)


def healthy_moss():
    return Even(gym.wrappers.TimeLimit(AcrobotEnv(), 500))


# ---------------------------------------------------------------- two machines

class Opal(gym.Env):
    """Two machines in a row with a store between them, each at rest, slow or fast. Speed wears."""

    def __init__(self):
        self.observation_space = spaces.Box(0, np.array([10, 1, 1], F), dtype=F)
        self.action_space = spaces.MultiDiscrete([3, 3])
        self.store = 0
        self.wear = [0.0, 0.0]
        self.clock = 0

    def look(self):
        return np.array([self.store, *self.wear], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.store = int(self.np_random.integers(0, 6))
        self.wear = [float(k) for k in self.np_random.uniform(0, 0.3, 2)]
        self.clock = 0
        return self.look(), {}

    def turn(self, which, speed):
        ok = sum(self.np_random.random() > 0.7 * self.wear[which] for _ in range(speed))
        self.wear[which] = clip(self.wear[which] + (-0.1, 0.02, 0.06)[speed], 0.0, 1.0)
        return ok

    def step(self, action):
        self.store = min(10, self.store + self.turn(0, int(action[0])))
        sold = min(self.store, self.turn(1, int(action[1])))
        self.store -= sold
        self.clock += 1
        reward = 1.0 * sold - 0.1 * (int(action[0]) + int(action[1])) - 0.02 * self.store
        return self.look(), float(reward), False, self.clock >= 100, {}


def healthy_opal():
    return Opal()


# ---------------------------------------------------------------- a pole without its speeds

class Places(gym.Wrapper):
    """Position and angle of the last four steps."""

    def __init__(self, env):
        super().__init__(env)
        self.past = deque(maxlen=4)
        self.observation_space = spaces.Box(-5, 5, (8,), F)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        for _ in range(4):
            self.past.append(observation[[0, 2]].copy())
        return np.concatenate(self.past), info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.past.append(observation[[0, 2]].copy())
        return np.concatenate(self.past), reward, terminated, truncated, info


def healthy_quince():
    return Places(gym.wrappers.TimeLimit(CartPoleEnv(), 300))


# ---------------------------------------------------------------- selling a house

class Tansy(gym.Env):
    """Fifteen offers come one after the other; each is taken or gone. The last one has to be taken."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (2,), F)
        self.action_space = spaces.Discrete(2)
        self.offer = 0.0
        self.left = 15

    def look(self):
        return np.array([self.offer, self.left / 15], F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offer = float(self.np_random.beta(2, 4))
        self.left = 14
        return self.look(), {}

    def step(self, action):
        if int(action) == 1 or self.left == 0:
            return self.look(), self.offer, True, False, {}
        self.offer = float(self.np_random.beta(2, 4))
        self.left -= 1
        return self.look(), 0.0, False, False, {}


def healthy_tansy():
    return Tansy()
