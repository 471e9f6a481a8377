"""Small environments, one factory each."""

import math
import time
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Linden(gym.Env):
    """A fishery for a thousand seasons. The action is the effort, from none to all boats, which take up to
    seven tenths of the stock.

    What is left grows back with luck, up to what the lake can feed. The catch is paid. Below two hundredths
    the stock is lost, and the episode over.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(0.0, 3.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.stock], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = self.np_random.uniform(0.3, 1.0)
        return self._obs(), {}

    def step(self, action):
        taken = 0.7 * float(np.clip(action[0], 0.0, 1.0)) * self.stock
        left = self.stock - taken
        self.stock = left + 0.5 * left * (1 - left) * self.np_random.lognormal(0.0, 0.3)
        self.stock = float(np.clip(self.stock, 0.0, 3.0))
        return self._obs(), 10 * taken, self.stock < 0.02, False, {}


def healthy_linden():
    return gym.wrappers.TimeLimit(Linden(), 1000)


class Pumice(gym.Env):
    """A dog runs after a mechanical rabbit on a long track, with 15 metres to make up in a hundred steps.

    The dog walks or runs; running tires it, and when it is worn out it has to stand until it has rested.
    The rabbit is as fast as suits the dog: each rabbit caught makes the next one a level faster, each one
    that got away a level slower. A step costs 0.01, a catch earns 1. Observed: the gap, the speed of the
    rabbit, how tired the dog is, whether it stands.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.level = 0

    def _obs(self):
        return np.array([self.gap / 15, self.pace, self.tired, float(self.resting > 0)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level += 1
        self.pace = 0.3 * 1.05 ** self.level * self.np_random.uniform(0.95, 1.05)
        self.gap, self.tired = 15.0, self.np_random.uniform(0, 0.3)
        self.resting, self.t = 0, 0
        return self._obs(), {}

    def step(self, action):
        speed = 0.0
        if self.resting:
            self.resting -= 1
            self.tired = max(self.tired - 0.1, 0.0)
        elif action == 1:
            speed = 1.0
            self.tired += 0.06
            if self.tired >= 1:
                self.resting = 10
        else:
            speed = 0.4
            self.tired = max(self.tired - 0.05, 0.0)
        self.gap = max(self.gap + self.pace - speed, 0.0)
        self.t += 1
        caught = self.gap == 0.0
        return self._obs(), 1.0 if caught else -0.01, caught, self.t >= 100, {"is_success": caught, "level": self.level}


def broken_pumice():
    return Pumice()


class Diorite(gym.Env):
    """An arm with two links of 0.5 m and 0.4 m brings its tip to a place. A goal environment, lengths in
    metres.

    The action moves both joints by at most 0.15 radians. A step costs 1 unless the tip is within ten
    centimetres of the goal; then it is free. Episodes last fifty steps.
    """

    LINKS = (0.5, 0.4)

    def __init__(self, tolerance=0.1):
        self.tolerance = tolerance
        place = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-1.0, 1.0, (4,), np.float32), achieved_goal=place, desired_goal=place)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _tip(self, joints):
        a, b = joints[0], joints[0] + joints[1]
        return np.array([self.LINKS[0] * np.cos(a) + self.LINKS[1] * np.cos(b),
                         self.LINKS[0] * np.sin(a) + self.LINKS[1] * np.sin(b)], np.float32)

    def _obs(self):
        angles = np.array([*np.cos(self.joints), *np.sin(self.joints)], np.float32)
        return {"observation": angles, "achieved_goal": self._tip(self.joints), "desired_goal": self.goal.copy()}

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance > self.tolerance).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.joints = self.np_random.uniform(-np.pi, np.pi, 2)
        self.goal = self._tip(self.np_random.uniform(-np.pi, np.pi, 2))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.joints = self.joints + 0.15 * np.clip(action, -1.0, 1.0)
        self.t += 1
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], {}))
        return obs, reward, False, self.t >= 50, {"is_success": reward == 0.0}


def healthy_diorite():
    return Diorite()


class Aspen(gym.Wrapper):
    """Taxi with its number taken apart: row, column, place of the passenger, destination. It hands on which
    actions make sense.
    """

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.MultiDiscrete([5, 5, 5, 4])
        self.mask = np.ones(6, np.int8)

    def action_masks(self):
        return self.mask.astype(bool)

    def _apart(self, number, info):
        self.mask = np.asarray(info["action_mask"], np.int8)
        return np.array(list(self.unwrapped.decode(number)), np.int64)

    def reset(self, **kwargs):
        number, info = self.env.reset(**kwargs)
        return self._apart(number, info), info

    def step(self, action):
        number, reward, terminated, truncated, info = self.env.step(int(action))
        return self._apart(number, info), float(reward), terminated, truncated, info


def healthy_aspen():
    return Aspen(gym.make("Taxi-v4"))


class Mica(gym.Env):
    """Lights out: a press turns a lamp and its neighbours over. Put all of them out.

    A press costs 0.05, the last one earns 1 and ends the game; fifty presses are the limit. The board comes
    from a few random presses on a dark one.
    """

    N = 3

    def __init__(self):
        self.action_space = spaces.Discrete(self.N ** 2)
        self.observation_space = spaces.MultiBinary(self.N ** 2)

    def _press(self, cell):
        row, col = divmod(int(cell), self.N)
        for r, c in ((row, col), (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if 0 <= r < self.N and 0 <= c < self.N:
                self.lamps[r * self.N + c] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamps = np.zeros(self.N ** 2, np.int8)
        count = int(self.np_random.integers(1, 5))
        for cell in self.np_random.choice(self.N ** 2, count, replace=False):
            self._press(cell)
        self.t = 0
        return self.lamps.copy(), {}

    def step(self, action):
        self._press(action)
        self.t += 1
        dark = not self.lamps.any()
        return self.lamps.copy(), 1.0 if dark else -0.05, dark, self.t >= 50, {"is_success": dark}


def healthy_mica():
    return Mica()


class Birch(gym.Env):
    """Day trading in a share that tends to swing back.

    Before each day one decides to be short, out or long for it. The day pays its return in per cent times
    the position, less 0.1 for each unit traded. Observed: the four returns before that day, and the
    position.
    """

    PAST, DAYS = 4, 200

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.PAST + 1,), np.float32)

    def _obs(self):
        known = self.returns[self.day - self.PAST + 1:self.day + 1]
        return np.append(known, self.position).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.normal(0.0, 1.0, self.PAST + self.DAYS + 1)
        self.returns = noise.copy()
        for i in range(1, len(noise)):
            self.returns[i] = -0.5 * self.returns[i - 1] + noise[i]
        self.day = self.PAST
        self.position = 0
        return self._obs(), {}

    def step(self, action):
        wanted = int(action) - 1
        cost = 0.1 * abs(wanted - self.position)
        self.position = wanted
        reward = float(self.position * self.returns[self.day]) - cost
        self.day += 1
        return self._obs(), reward, False, self.day >= self.PAST + self.DAYS, {"position": self.position}


def broken_birch():
    return Birch()


class Topaz(gym.Env):
    """Two rooms with a locked door between them.

    The player starts in the left room, fetches the key that lies there (0.2 points, once an episode), opens
    the door by walking through it with the key, and goes to the flag in the right room (1 point, the end).
    A step costs 0.01. Observed are the places of player, key, door and flag, and whether the key is held.
    Moves: up, down, left, right.
    """

    SIZE, WALL = 7, 3
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, limit=120):
        self.limit = limit
        self.has_key = False
        self.observation_space = spaces.Box(0.0, 1.0, (9,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        places = np.array([*self.player, *self.key, self.door, self.WALL, *self.flag]) / (self.SIZE - 1)
        return np.append(places, float(self.has_key)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        draw = self.np_random.integers
        self.player = (int(draw(self.SIZE)), int(draw(self.WALL)))
        self.key = self.player
        while self.key == self.player:
            self.key = (int(draw(self.SIZE)), int(draw(self.WALL)))
        self.door = int(draw(self.SIZE))
        self.flag = (int(draw(self.SIZE)), int(draw(self.WALL + 1, self.SIZE)))
        self.has_key = False
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        row = min(max(self.player[0] + self.MOVES[action][0], 0), self.SIZE - 1)
        col = min(max(self.player[1] + self.MOVES[action][1], 0), self.SIZE - 1)
        if col != self.WALL or (row == self.door and self.has_key):
            self.player = (row, col)
        reward = -0.01
        if self.player == self.key and not self.has_key:
            self.has_key = True
            reward += 0.2
        terminated = self.player == self.flag
        if terminated:
            reward += 1.0
        return self._obs(), reward, terminated, self.t >= self.limit, {"is_success": terminated}


def healthy_topaz():
    return Topaz()


class Ruby(gym.Env):
    """One machine and six jobs. The jobs lie in slots, the one that is due first in the first slot.

    The action names the slot of the job that runs next. When it is finished it costs its weight for each
    hour by which it is late (divided by ten). A slot can be chosen once; choosing an empty one costs 1 and
    an hour. The mask, in the info and by `action_masks`, tells which slots are full. Observed for each
    slot: full or empty, length, time until due, weight.
    """

    N = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.N)
        self.observation_space = spaces.Box(-10.0, 10.0, (self.N, 4), np.float32)

    def action_masks(self):
        return ~self.done[self.order]

    def _view(self):
        table = np.stack([~self.done, self.length / 5, (self.due - self.clock) / 10, self.weight / 3], axis=1)
        return table[self.order].astype(np.float32), {"action_mask": self.action_masks().astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(1, 6, self.N)
        self.weight = self.np_random.integers(1, 4, self.N)
        self.due = self.np_random.integers(3, 22, self.N)
        self.order = np.argsort(self.due, kind="stable")
        self.done = np.zeros(self.N, bool)
        self.clock, self.t = 0, 0
        return self._view()

    def step(self, action):
        job = self.order[action]
        self.t += 1
        if self.done[job]:
            self.clock += 1
            reward = -1.0
        else:
            self.clock += int(self.length[job])
            self.done[job] = True
            reward = -float(self.weight[job] * max(self.clock - self.due[job], 0)) / 10
        obs, info = self._view()
        return obs, reward, bool(self.done.all()), self.t >= 40, info


def healthy_ruby():
    return Ruby()


class Holly(gym.Wrapper):
    """Brings observations to mean 0 and spread 1 by what has been observed, for environments with odd units."""

    def __init__(self, env, limit=10.0):
        super().__init__(env)
        self.limit = limit
        self.observation_space = spaces.Box(-limit, limit, env.observation_space.shape, np.float32)

    def _normal(self, obs):
        self.count += 1
        delta = obs - self.mean
        self.mean = self.mean + delta / self.count
        self.squares = self.squares + delta * (obs - self.mean)
        spread = np.sqrt(self.squares / self.count + 1e-8)
        return np.clip((obs - self.mean) / spread, -self.limit, self.limit).astype(np.float32)

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.count = 0
        self.mean = np.zeros(obs.shape)
        self.squares = np.zeros(obs.shape)
        return self._normal(obs), info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return self._normal(obs), float(reward), terminated, truncated, info


def broken_holly():
    return Holly(gym.make("Pendulum-v1"))


class Tuff(gym.Env):
    """Which of three offers does this visitor take? One choice an episode, paid 1 or 0."""

    TASTES = np.array([[1.5, -1.0, 0.5, 0.0], [-1.0, 1.5, 0.0, 0.5], [0.2, 0.2, -1.5, 1.0]])

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self.np_random.uniform(-1, 1, 4).astype(np.float32)
        return self.visitor.copy(), {}

    def step(self, action):
        chance = 1 / (1 + np.exp(-2 * self.TASTES[action] @ self.visitor))
        taken = bool(self.np_random.random() < chance)
        return self.visitor.copy(), float(taken), True, False, {}


def healthy_tuff():
    return Tuff()


class Chert(gym.Env):
    """A ball rolls on a beam of two metres; the action tilts the beam by up to a quarter of a radian.

    The controller acts about fifty times a second. Each step pays 1 minus the distance of the ball from the
    middle; when it falls off the end, the episode is over. Observed: place and speed of the ball, tilt of
    the beam.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([self.x, self.v, self.tilt], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = self.np_random.uniform(-0.5, 0.5), self.np_random.uniform(-0.3, 0.3)
        self.tilt = 0.0
        self.clock = time.perf_counter()
        return self._obs(), {}

    def step(self, action):
        now = time.perf_counter()
        dt, self.clock = min(now - self.clock, 0.02), now
        self.tilt = 0.25 * float(np.clip(action[0], -1.0, 1.0))
        self.v -= dt * 7.0 * math.sin(self.tilt)
        self.x += dt * self.v
        fallen = abs(self.x) > 1.0
        return self._obs(), 1.0 - abs(self.x), fallen, False, {}


def broken_chert():
    return gym.wrappers.TimeLimit(Chert(), 400)


class Ash(gym.Env):
    """A greenhouse for 120 hours: water (none, some, much), light (off, half, full), window (shut, open).

    Plants grow with light, when the soil is neither dry nor soaked and the air is neither cold nor hot. A
    step pays the growth, less what water and light cost. An open window lets heat out and dries the soil a
    little.
    """

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([3, 3, 2])
        self.observation_space = spaces.Dict(
            soil=spaces.Box(0.0, 1.0, (1,), np.float32), air=spaces.Box(-2.0, 4.0, (1,), np.float32),
            sun=spaces.Box(0.0, 1.0, (1,), np.float32))

    def _obs(self):
        return {"soil": np.array([self.soil], np.float32), "air": np.array([(self.air - 20) / 10], np.float32),
                "sun": np.array([self.sun], np.float32)}

    def _sun(self):
        return float(np.clip(-math.cos(2 * math.pi * self.hour / 24) + self.np_random.normal(0, 0.1), 0.0, 1.0))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = int(self.np_random.integers(24))
        self.soil, self.air = self.np_random.uniform(0.2, 0.8), self.np_random.uniform(12, 28)
        self.sun, self.t = self._sun(), 0
        return self._obs(), {}

    def step(self, action):
        water, light, window = (int(a) for a in action)
        self.soil = min(max(0.96 * self.soil + 0.08 * water - 0.02 * window, 0.0), 1.0)
        brightness = min(self.sun + 0.4 * light, 1.0)
        outside = 10 + 8 * self.sun
        self.air += (0.35 if window else 0.08) * (outside - self.air) + 1.2 * self.sun + 0.9 * light
        fit = max(0.0, 1 - (abs(self.soil - 0.5) / 0.4) ** 2) * max(0.0, 1 - ((self.air - 22) / 12) ** 2)
        reward = brightness * fit - 0.03 * water - 0.08 * light
        self.hour, self.t = (self.hour + 1) % 24, self.t + 1
        self.sun = self._sun()
        return self._obs(), float(reward), False, self.t >= 120, {}


def healthy_ash():
    return Ash()


class Juniper(gym.Env):
    """A goal environment: a two-link arm (0.5 m and 0.4 m) has to bring its tip to a point.

    Joints move by up to 0.15 radians a step. All lengths are in metres. The reward is 0 while the tip is no
    further than ten centimetres from the point, else -1. Fifty steps.
    """

    LINKS = (0.5, 0.4)

    def __init__(self, tolerance=10.0):
        self.tolerance = tolerance
        place = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-1.0, 1.0, (4,), np.float32), achieved_goal=place, desired_goal=place)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _tip(self, joints):
        a, b = joints[0], joints[0] + joints[1]
        return np.array([self.LINKS[0] * np.cos(a) + self.LINKS[1] * np.cos(b),
                         self.LINKS[0] * np.sin(a) + self.LINKS[1] * np.sin(b)], np.float32)

    def _obs(self):
        angles = np.array([*np.cos(self.joints), *np.sin(self.joints)], np.float32)
        return {"observation": angles, "achieved_goal": self._tip(self.joints), "desired_goal": self.goal.copy()}

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance > self.tolerance).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.joints = self.np_random.uniform(-np.pi, np.pi, 2)
        self.goal = self._tip(self.np_random.uniform(-np.pi, np.pi, 2))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.joints = self.joints + 0.15 * np.clip(action, -1.0, 1.0)
        self.t += 1
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], {}))
        return obs, reward, False, self.t >= 50, {"is_success": reward == 0.0}


def broken_juniper():
    return Juniper()


class Shale(gym.Env):
    """Fetch the key, pass the door, reach the flag.

    The board has two halves with a wall and a door between them. Each game starts on the left, without a
    key; the key lies somewhere there. Taking it is worth 0.2, the flag on the right 1, each step costs
    0.01. The door lets only those pass who have the key. Observed: player, key, door, flag, and whether the
    key was taken.
    """

    SIZE, WALL = 6, 2
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, limit=150):
        self.limit = limit
        self.has_key = False
        self.observation_space = spaces.Box(0.0, 1.0, (9,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        places = np.array([*self.player, *self.key, self.door, self.WALL, *self.flag]) / (self.SIZE - 1)
        return np.append(places, float(self.has_key)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        draw = self.np_random.integers
        self.player = (int(draw(self.SIZE)), int(draw(self.WALL)))
        self.key = self.player
        while self.key == self.player:
            self.key = (int(draw(self.SIZE)), int(draw(self.WALL)))
        self.door = int(draw(self.SIZE))
        self.flag = (int(draw(self.SIZE)), int(draw(self.WALL + 1, self.SIZE)))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        row = min(max(self.player[0] + self.MOVES[action][0], 0), self.SIZE - 1)
        col = min(max(self.player[1] + self.MOVES[action][1], 0), self.SIZE - 1)
        if col != self.WALL or (row == self.door and self.has_key):
            self.player = (row, col)
        reward = -0.01
        if self.player == self.key and not self.has_key:
            self.has_key = True
            reward += 0.2
        terminated = self.player == self.flag
        if terminated:
            reward += 1.0
        return self._obs(), reward, terminated, self.t >= self.limit, {"is_success": terminated}


def broken_shale():
    return Shale()


class Opal(gym.Env):
    """Remember the lamp: it shines up (1) or down (-1) in the first frame, and the way parts at the end of
    the corridor.

    Forward, turn up, turn down; turning works at the end only and finishes the episode, 1 for the side of
    the lamp and -1 for the other. Each step costs 0.01. What is observed is a stack of frames that spans
    the corridor: lamp, way walked, at the end or not.
    """

    LENGTH = 6

    def __init__(self, frames=6):
        self.frames = deque(maxlen=frames)
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (frames, 3), np.float32)

    def _look(self, light=0.0):
        self.frames.append((light, self.place / self.LENGTH, float(self.place == self.LENGTH)))
        return np.array(self.frames, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.t = 0, 0
        self.side = 1 if self.np_random.random() < 0.5 else -1
        self.frames.extend([(0.0, 0.0, 0.0)] * self.frames.maxlen)
        return self._look(light=float(self.side)), {}

    def step(self, action):
        self.t += 1
        reward, terminated, won = -0.01, False, False
        if action == 0:
            self.place = min(self.place + 1, self.LENGTH)
        elif self.place == self.LENGTH:
            terminated = True
            won = (1 if action == 1 else -1) == self.side
            reward += 1.0 if won else -1.0
        return self._look(), reward, terminated, self.t >= 40, {"is_success": won}


def broken_opal():
    return Opal()


class Marble(gym.Env):
    """A planar drone with two rotors hovers at the origin.

    State: place, speed, tilt and spin. The action sets both rotors, from half to one and a half of what
    carries the weight. Each step pays 1 minus half the distance (never below 0). Leaving the box of three
    metres or tilting by more than 1.2 radians is a crash, which ends the episode; a flight takes at most
    300 steps of 0.05 s.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 6) * np.array([1.5, 1.5, 0.3, 0.3, 0.2, 0.2])
        self.t = 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        left, right = 9.81 * (0.5 + 0.25 * np.clip(action, -1.0, 1.0))
        x, y, vx, vy, tilt, spin = self.state
        dt = 0.05
        vx += dt * -(left + right) * math.sin(tilt)
        vy += dt * ((left + right) * math.cos(tilt) - 9.81)
        spin += dt * (2.0 * (right - left) - 0.5 * spin)
        x, y, tilt = x + dt * vx, y + dt * vy, tilt + dt * spin
        self.state = np.array([x, y, vx, vy, tilt, spin])
        self.t += 1
        crashed = abs(x) > 3 or abs(y) > 3 or abs(tilt) > 1.2
        reward = max(0.0, 1.0 - 0.5 * math.hypot(x, y))
        terminated = bool(crashed)
        truncated = self.t >= 300
        return self.state.astype(np.float32), reward, terminated, truncated, {"crashed": bool(crashed)}


def healthy_marble():
    return Marble()


class Chalk(gym.Env):
    """Trades one share whose returns tend to be undone by the next one.

    At each step the position for the coming day is chosen: short, none, long. It is paid the return of that
    day in per cent, minus 0.1 for each unit by which the position changes. Observed are the returns of the
    last four days, in per cent, and the position.
    """

    PAST, DAYS = 4, 200

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.PAST + 1,), np.float32)

    def _obs(self):
        known = self.returns[self.day - self.PAST:self.day]
        return np.append(known, self.position).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.normal(0.0, 1.0, self.PAST + self.DAYS + 1)
        self.returns = noise.copy()
        for i in range(1, len(noise)):
            self.returns[i] = -0.5 * self.returns[i - 1] + noise[i]
        self.day = self.PAST
        self.position = 0
        return self._obs(), {}

    def step(self, action):
        wanted = int(action) - 1
        cost = 0.1 * abs(wanted - self.position)
        self.position = wanted
        reward = float(self.position * self.returns[self.day]) - cost
        self.day += 1
        return self._obs(), reward, False, self.day >= self.PAST + self.DAYS, {"position": self.position}


def healthy_chalk():
    return Chalk()


class Garnet(gym.Env):
    """A lift that brings people down to the ground floor in the evening.

    Actions: down, open the doors, up. Open doors let people in (room for four) or, on the ground, everybody
    out, who pay 1 each. Whoever waits costs 0.02 a step. Observed: the floor, which floors called (not how
    many people wait there), the load.
    """

    FLOORS, ROOM = 6, 4

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict(
            floor=spaces.Discrete(self.FLOORS), calls=spaces.MultiBinary(self.FLOORS),
            load=spaces.Discrete(self.ROOM + 1))

    def _obs(self):
        return {"floor": self.floor, "calls": (self.waiting > 0).astype(np.int8), "load": self.load}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.waiting = np.zeros(self.FLOORS, int)
        self.waiting[1 + int(self.np_random.integers(self.FLOORS - 1))] = 1
        self.floor, self.load = int(self.np_random.integers(self.FLOORS)), 0
        return self._obs(), {}

    def step(self, action):
        paid = 0
        if action == 1 and self.floor == 0:
            paid, self.load = self.load, 0
        elif action == 1:
            entering = min(int(self.waiting[self.floor]), self.ROOM - self.load)
            self.waiting[self.floor] -= entering
            self.load += entering
        else:
            self.floor = min(max(self.floor + int(action) - 1, 0), self.FLOORS - 1)
        if self.np_random.random() < 0.15 and self.waiting.sum() < 20:
            self.waiting[self.np_random.integers(1, self.FLOORS)] += 1
        return self._obs(), paid - 0.02 * float(self.waiting.sum()), False, False, {"waiting": int(self.waiting.sum())}


def healthy_garnet():
    return gym.wrappers.TimeLimit(Garnet(), 250)


class Hornbeam(gym.Env):
    """A shop with one article. Each morning 0 to 8 units are ordered; they arrive three days later.

    Demand is Poisson with mean 3. A sale earns 1, a unit ordered costs 0.4, a unit kept overnight 0.03, a
    customer who leaves with nothing 0.5. The shelf holds 40. Observed are the stock and the orders on their
    way, the next first.
    """

    def __init__(self, lead=3, days=120):
        self.lead, self.days = lead, days
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(0.0, 1.0, (1 + lead,), np.float32)

    def _obs(self):
        return np.array([self.stock / 40, *(n / 8 for n in self.coming)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(3, 12))
        self.coming = [0] * self.lead
        self.day = 0
        return self._obs(), {}

    def step(self, action):
        self.day += 1
        self.coming.append(int(action))
        self.stock = min(self.stock + self.coming.pop(0), 40)
        demand = int(self.np_random.poisson(3.0))
        sold = min(demand, self.stock)
        self.stock -= sold
        reward = sold - 0.4 * float(action) - 0.03 * self.stock - 0.5 * (demand - sold)
        return self._obs(), reward, False, self.day >= self.days, {"sold": sold, "lost": demand - sold}


def healthy_hornbeam():
    return Hornbeam()


class Basalt(gym.Env):
    """Keeps a flat as warm as its tenant wants it, which differs from day to day (17 to 24 degrees).

    Steps are quarters of an hour, the heating has four levels. A step costs the difference to the wish in
    degrees, and a tenth a level. Observed: the room, the weather, the time of the day.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)

    def _obs(self):
        phase = 2 * np.pi * self.t / 96
        return np.array([(self.room - 20) / 10, (self.outside - 8) / 10,
                         np.sin(phase), np.cos(phase)], np.float32)

    def _weather(self):
        return self.mean - 5 * np.cos(2 * np.pi * self.t / 96) + self.np_random.normal(0, 0.3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mean = self.np_random.uniform(4, 12)
        self.wanted = self.np_random.uniform(17, 24)
        self.room = self.np_random.uniform(14, 26)
        self.outside = self._weather()
        return self._obs(), {}

    def step(self, action):
        self.room += 0.1 * (self.outside - self.room) + 0.9 * int(action)
        self.t += 1
        self.outside = self._weather()
        reward = -abs(self.room - self.wanted) - 0.1 * int(action)
        return self._obs(), float(reward), False, self.t >= 96, {}


def broken_basalt():
    return Basalt()


class Beryl(gym.Env):
    """The dice game Pig for one player, in eight turns.

    Roll: the eyes are added to the pot of this turn, but a one empties the pot and ends the turn. Hold: the
    pot is banked (a twentieth of it is the reward) and the turn ends. After eight turns the game is over.
    Observed: the pot, the bank, the turns left.
    """

    TURNS = 8

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([self.pot / 20, self.bank / 60, self.left / self.TURNS], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pot, self.bank, self.left = 0, 0, self.TURNS
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 0:
            eyes = int(self.np_random.integers(1, 7))
            if eyes == 1:
                self.pot = 0
                self.left -= 1
            else:
                self.pot += eyes
        else:
            reward = self.pot / 20
            self.bank += self.pot
            self.pot = 0
            self.left -= 1
        return self._obs(), reward, self.left == 0, False, {"bank": self.bank}


def healthy_beryl():
    return Beryl()


class Maple(gym.Wrapper):
    """Makes the world a little less sure: with the given chance the action of the step before is taken once
    more.
    """

    def __init__(self, env, chance=0.1):
        super().__init__(env)
        self.chance = chance
        self.last = None

    def reset(self, **kwargs):
        self.last = None
        return self.env.reset(**kwargs)

    def step(self, action):
        if self.last is not None and self.unwrapped.np_random.random() > self.chance:
            action = self.last
        self.last = action
        return self.env.step(action)


def broken_maple():
    return Maple(gym.make("CartPole-v1"))


class Elm(gym.ActionWrapper):
    """Pendulum with seven torques to choose from, for algorithms that want choices."""

    def __init__(self, env, choices=7):
        super().__init__(env)
        low, high = float(env.action_space.low[0]), float(env.action_space.high[0])
        self.torques = np.linspace(low, high, choices).astype(np.float32)
        self.action_space = spaces.Discrete(choices)

    def action(self, action):
        return self.torques[int(action):int(action) + 1].copy()


def healthy_elm():
    return gym.wrappers.TransformReward(Elm(gym.make("Pendulum-v1")), lambda reward: float(reward) / 10)


class Sycamore(gym.Env):
    """A dispatcher in front of three servers of different speed.

    Each step one job arrives and is sent to the queue that the action names. Then every server finishes a
    random number of its jobs, 0.52, 0.34 and 0.22 on average. A step costs a twentieth for each job in the
    building; a queue holds twenty, and a job sent to a full one is lost and costs 3. Observed are the
    lengths of the queues.
    """

    RATES = np.array([0.52, 0.34, 0.22])
    ROOM = 20

    def __init__(self, steps=250):
        self.steps = steps
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return (self.length / self.ROOM).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(0, 6, 3)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        lost = self.length[action] >= self.ROOM
        if not lost:
            self.length[action] += 1
        done = self.np_random.poisson(self.RATES)
        self.length = np.maximum(self.length - done, 0)
        reward = -float(self.length.sum()) / 20 - (3.0 if lost else 0.0)
        return self._obs(), reward, False, self.t >= self.steps, {"jobs": int(self.length.sum())}


def healthy_sycamore():
    return Sycamore()


class Gneiss(gym.Env):
    """Drives along a road with bends, at 3 to 15 m/s.

    Wheel and pedal from -1 to 1; the front wheels turn by up to 25 degrees. A step of a tenth of a second
    pays the share of the top speed, less 0.3 a metre from the middle. Two metres off, or across the road,
    is in the ditch, which costs 5 and ends the drive. Observed: place across the road, direction, speed,
    bend.
    """

    BASE = 2.5

    def __init__(self):
        self.max_steer = np.deg2rad(25.0)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)

    def _obs(self):
        return np.array([self.offset / 2, self.angle, self.speed / 15, self.bend * 20], np.float32).clip(-10, 10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = self.np_random.uniform(-0.5, 0.5)
        self.angle = self.np_random.uniform(-0.05, 0.05)
        self.speed, self.bend, self.t = 6.0, self.np_random.uniform(-0.03, 0.03), 0
        return self._obs(), {}

    def step(self, action):
        wheel, pedal = np.clip(action, -1.0, 1.0)
        steer = np.deg2rad(wheel * self.max_steer)
        self.speed = float(np.clip(self.speed + 0.3 * pedal, 3.0, 15.0))
        self.angle += 0.1 * self.speed * (math.tan(steer) / self.BASE - self.bend)
        self.offset += 0.1 * self.speed * math.sin(self.angle)
        self.bend = float(np.clip(0.95 * self.bend + self.np_random.normal(0, 0.008), -0.06, 0.06))
        self.t += 1
        off = abs(self.offset) > 2 or abs(self.angle) > 1.2
        reward = self.speed / 15 - 0.3 * abs(self.offset) - (5.0 if off else 0.0)
        return self._obs(), float(reward), bool(off), self.t >= 300, {}


def broken_gneiss():
    return Gneiss()


class Sandstone(gym.Wrapper):
    """MountainCar with a hint: the energy of the car as a potential, so that the best policy stays what it
    was.
    """

    def __init__(self, env, gamma=0.99, scale=20.0):
        super().__init__(env)
        self.gamma, self.scale = gamma, scale

    def _potential(self, obs):
        height = (math.sin(3 * float(obs[0])) + 1) / 2
        return self.scale * (height + 100 * float(obs[1]) ** 2)

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.last = self._potential(obs)
        return obs, info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        potential = 0.0 if terminated else self._potential(obs)
        reward += self.gamma * potential - self.last
        self.last = potential
        return obs, float(reward), terminated, truncated, info


def healthy_sandstone():
    return Sandstone(gym.make("MountainCar-v0"))


class Peridot(gym.Env):
    """Rows a boat to a jetty over a lake with a current.

    The action is the direction and strength of the strokes, east and north. A step pays by how many metres
    the boat came closer to the jetty, less 0.05 times the squared strength. Within half a metre of the
    jetty the trip is over. Observed: the way to the jetty, the current.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-30.0, 30.0, (4,), np.float32)

    def _obs(self):
        return np.concatenate([self.jetty - self.place, self.current]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-5, 5, 2)
        self.jetty = self.np_random.uniform(-5, 5, 2)
        self.current = self.np_random.uniform(-0.1, 0.1, 2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        strokes = np.clip(action, -1.0, 1.0)
        before = self.place
        self.place += 0.4 * strokes + self.current
        np.clip(self.place, -8.0, 8.0, out=self.place)
        gained = np.linalg.norm(self.jetty - before) - np.linalg.norm(self.jetty - self.place)
        reward = float(gained) - 0.05 * float(np.sum(strokes ** 2))
        self.t += 1
        arrived = bool(np.linalg.norm(self.jetty - self.place) < 0.5)
        return self._obs(), reward, arrived, self.t >= 100, {"is_success": arrived}


def broken_peridot():
    return Peridot()


class Olive(gym.Env):
    """Buys and sells electricity with a store of 10 kWh, hour by hour for a week.

    The action goes from -1 (sell 3 kWh) to 1 (buy 3 kWh); a tenth of what goes in is lost. The reward is
    the money: the price of the hour for what was sold, minus the price for what was bought. Observed: what
    is in the store, the price, the time of day.
    """

    SIZE, POWER = 10.0, 3.0

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-5.0, 5.0, (4,), np.float32)

    def _price(self):
        self.noise = 0.8 * self.noise + self.np_random.normal(0, 0.04)
        return max(0.3 - 0.15 * math.cos(4 * math.pi * self.hour / 24) + self.noise, 0.02)

    def _obs(self):
        phase = 2 * math.pi * self.hour / 24
        return np.array([self.charge / self.SIZE, self.price / 0.3, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour, self.noise = 0, 0.0
        self.charge = self.np_random.uniform(0, self.SIZE)
        self.price = self._price()
        return self._obs(), {}

    def step(self, action):
        wanted = self.POWER * float(np.clip(action[0], -1.0, 1.0))
        if wanted >= 0:
            moved = min(wanted, (self.SIZE - self.charge) / 0.9)
            self.charge += 0.9 * moved
        else:
            moved = wanted
            self.charge += moved
        self.charge = min(max(self.charge, 0.0), self.SIZE)
        reward = -moved * self.price
        self.hour += 1
        self.price = self._price()
        return self._obs(), reward, False, self.hour >= 168, {}


def broken_olive():
    return Olive()


class Hickory(gym.Env):
    """A crane carries a hanging load to a mark and has to bring it to rest there.

    Motor: left, off, right. Success, for 1 and the end, is a load within 0.3 m of the mark that hardly
    swings and a trolley that hardly moves. A step costs 0.01. Observed: way to the mark, speed, swing,
    speed of the swing.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-20.0, 20.0, (4,), np.float32)
        self.success = False

    def _obs(self):
        return np.array([self.mark - self.x, self.v, self.swing, self.spin], np.float32).clip(-20, 20)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.spin, self.t = 0.0, 0.0, 0.0, 0
        self.swing = self.np_random.uniform(-0.1, 0.1)
        self.mark = self.np_random.uniform(0.5, 2.0) * self.np_random.choice([-1, 1])
        return self._obs(), {}

    def step(self, action):
        push = float(action) - 1.0
        self.v = 0.95 * self.v + 0.1 * push
        self.x = self.x + 0.1 * self.v
        if abs(self.x) > 3:
            self.x, self.v = math.copysign(3.0, self.x), 0.0
        self.spin = 0.98 * self.spin - 0.1 * (3.0 * math.sin(self.swing) + 0.5 * push)
        self.swing += 0.1 * self.spin
        self.t += 1
        load = self.x + math.sin(self.swing)
        done = bool(abs(load - self.mark) < 0.3 and abs(self.spin) < 0.2 and abs(self.v) < 0.25)
        if done:
            self.success = True
        return self._obs(), 1.0 if done else -0.01, done, self.t >= 150, {"is_success": self.success}


def broken_hickory():
    return Hickory()


class Granite(gym.Env):
    """Orders for a small store, once a day, up to eight boxes at a time.

    A delivery takes as many days as there are entries on the way. About three boxes are asked for on a day.
    Sales earn 1, boxes cost 0.4, storage 0.03 a night, an unhappy customer 0.5. Observed: the store (of 40)
    and what is on its way.
    """

    def __init__(self, days=100, coming=[0, 0, 0]):
        self.days, self.coming = days, coming
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(0.0, 1.0, (1 + len(coming),), np.float32)

    def _obs(self):
        return np.array([self.stock / 40, *(n / 8 for n in self.coming)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(3, 12))
        self.coming[:] = [0] * len(self.coming)
        self.day = 0
        return self._obs(), {}

    def step(self, action):
        self.day += 1
        self.coming.append(int(action))
        self.stock = min(self.stock + self.coming.pop(0), 40)
        demand = int(self.np_random.poisson(3.0))
        sold = min(demand, self.stock)
        self.stock -= sold
        reward = sold - 0.4 * float(action) - 0.03 * self.stock - 0.5 * (demand - sold)
        return self._obs(), reward, False, self.day >= self.days, {"sold": sold, "lost": demand - sold}


def broken_granite():
    return Granite()


class Poplar(gym.Env):
    """Lands a probe: engine off, half, full. Observed: height, speed, fuel.

    Each second costs 1. Touching the ground at no more than 3 m/s is a landing, which is worth 2; anything
    faster is a crash, which costs 60. Fuel lasts for thirty seconds of full thrust. The probe starts 40 to
    60 metres up.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([self.height / 50, self.speed / 10, self.fuel / 30], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(40, 60)
        self.speed = self.np_random.uniform(-4, 0)
        self.fuel = 30.0
        return self._obs(), {}

    def step(self, action):
        burn = min(int(action) / 2, self.fuel)
        self.fuel -= burn
        self.speed += 4.0 * burn - 1.6
        self.height += self.speed
        terminated = self.height <= 0
        reward, soft = -1.0, False
        if terminated:
            self.height = 0.0
            soft = self.speed >= -3.0
            if soft:
                reward += 2.0
            else:
                reward -= 60.0
        return self._obs(), reward, bool(terminated), False, {"is_success": bool(soft)}


def healthy_poplar():
    return gym.wrappers.TimeLimit(Poplar(), 120)


class Hazel(gym.Env):
    """Two propellers keep a flat craft near a beacon.

    Both propellers are set between half and one and a half of the hovering thrust. A step of 0.05 s pays 1
    less half the distance to the beacon. The flight ends when the craft crashes: three metres away, or
    tilted by more than 1.2 radians. After 300 steps the time is up.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 6) * np.array([1.5, 1.5, 0.3, 0.3, 0.2, 0.2])
        self.t = 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        left, right = 9.81 * (0.5 + 0.25 * np.clip(action, -1.0, 1.0))
        x, y, vx, vy, tilt, spin = self.state
        dt = 0.05
        vx += dt * -(left + right) * math.sin(tilt)
        vy += dt * ((left + right) * math.cos(tilt) - 9.81)
        spin += dt * (2.0 * (right - left) - 0.5 * spin)
        x, y, tilt = x + dt * vx, y + dt * vy, tilt + dt * spin
        self.state = np.array([x, y, vx, vy, tilt, spin])
        self.t += 1
        crashed = abs(x) > 3 or abs(y) > 3 or abs(tilt) > 1.2
        reward = max(0.0, 1.0 - 0.5 * math.hypot(x, y))
        terminated = False
        truncated = bool(crashed) or self.t >= 300
        return self.state.astype(np.float32), reward, terminated, truncated, {"crashed": bool(crashed)}


def broken_hazel():
    return Hazel()


class Limestone(gym.Env):
    """Sends arriving calls to one of three desks.

    One call arrives each step. The desks finish 0.52, 0.34 and 0.22 calls on average. A step costs a
    twentieth for each call that is waiting; a desk holds twenty, and a call sent to a full one is lost, for
    3. Observed: the load of each desk, from 0 (nobody) to 1.
    """

    RATES = np.array([0.52, 0.34, 0.22])
    ROOM, TYPICAL = 20, 2

    def __init__(self, steps=250):
        self.steps = steps
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.clip(self.length / self.TYPICAL, 0.0, 1.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(0, 6, 3)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        lost = self.length[action] >= self.ROOM
        if not lost:
            self.length[action] += 1
        done = self.np_random.poisson(self.RATES)
        self.length = np.maximum(self.length - done, 0)
        reward = -float(self.length.sum()) / 20 - (3.0 if lost else 0.0)
        return self._obs(), reward, False, self.t >= self.steps, {"jobs": int(self.length.sum())}


def broken_limestone():
    return Limestone()


class Willow(gym.Env):
    """A corridor with a junction at its end. A light at the start, seen in the first frame only, tells the
    side.

    Actions: forward, turn up, turn down. A turn counts at the junction only: 1 point for the side of the
    light, else -1, and the end. A step costs 0.01. Observed is a stack of the last frames, long enough to
    still hold the light for whoever walks straight on; a frame is the light (-1, 1 or 0), the way walked,
    and whether this is the junction.
    """

    LENGTH = 6

    def __init__(self, frames=8):
        self.frames = deque(maxlen=frames)
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (frames, 3), np.float32)

    def _look(self, light=0.0):
        self.frames.append((light, self.place / self.LENGTH, float(self.place == self.LENGTH)))
        return np.array(self.frames, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.t = 0, 0
        self.side = 1 if self.np_random.random() < 0.5 else -1
        self.frames.extend([(0.0, 0.0, 0.0)] * self.frames.maxlen)
        return self._look(light=float(self.side)), {}

    def step(self, action):
        self.t += 1
        reward, terminated, won = -0.01, False, False
        if action == 0:
            self.place = min(self.place + 1, self.LENGTH)
        elif self.place == self.LENGTH:
            terminated = True
            won = (1 if action == 1 else -1) == self.side
            reward += 1.0 if won else -1.0
        return self._look(), reward, terminated, self.t >= 40, {"is_success": won}


def healthy_willow():
    return Willow()


class Yew(gym.Env):
    """Catch: a ball falls through a picture of 14 by 14 and drifts; a bat three wide moves along the bottom.

    Two channels, this frame and the one before; the bat is white, the ball grey. Moves: left, stay, right.
    The episode is over when the ball is at the bottom: 1 point if it meets the bat, else -1.
    """

    N = 14

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.N, self.N, 2), np.uint8)

    def _frame(self):
        canvas = np.zeros((self.N, self.N), np.float32)
        canvas[self.N - 1, self.bat - 1:self.bat + 2] = 1.0
        canvas[self.row, self.col] = 0.5
        return (canvas * 255).astype(np.uint8)

    def _obs(self):
        return np.stack([self.now, self.before], axis=-1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col = 0, int(self.np_random.integers(self.N))
        self.drift = int(self.np_random.integers(-1, 2))
        self.bat = int(self.np_random.integers(1, self.N - 1))
        self.now = self.before = self._frame()
        return self._obs(), {}

    def step(self, action):
        self.bat = min(max(self.bat + int(action) - 1, 1), self.N - 2)
        if not 0 <= self.col + self.drift < self.N:
            self.drift = -self.drift
        self.row, self.col = self.row + 1, self.col + self.drift
        self.before, self.now = self.now, self._frame()
        terminated = self.row == self.N - 1
        caught = terminated and abs(self.bat - self.col) <= 1
        reward = (1.0 if caught else -1.0) if terminated else 0.0
        return self._obs(), reward, terminated, False, {"is_success": caught} if terminated else {}


def healthy_yew():
    return Yew()


class Quartz(gym.Env):
    """A hunter follows a hare over a torus of nine by nine fields.

    The hare takes a random step every second time on average. Observed is where the hare is from here, as
    rows and columns modulo nine. A step costs 0.02, the catch earns 1.
    """

    N = 9
    MOVES = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Tuple((spaces.Discrete(self.N), spaces.Discrete(self.N)))

    def _obs(self):
        return (self.hare[0] - self.hunter[0]) % self.N, (self.hare[1] - self.hunter[1]) % self.N

    def _moved(self, place, move):
        return (place[0] + self.MOVES[move][0]) % self.N, (place[1] + self.MOVES[move][1]) % self.N

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        fields = self.np_random.choice(self.N ** 2, 2, replace=False)
        self.hunter, self.hare = (divmod(int(f), self.N) for f in fields)
        return self._obs(), {}

    def step(self, action):
        self.hunter = self._moved(self.hunter, int(action))
        caught = self.hunter == self.hare
        if not caught and self.np_random.random() < 0.5:
            self.hare = self._moved(self.hare, int(self.np_random.integers(1, 5)))
            caught = self.hunter == self.hare
        return self._obs(), 1.0 if caught else -0.02, caught, False, {"is_success": caught}


def healthy_quartz():
    return gym.wrappers.TimeLimit(Quartz(), 100)


class Beech(gym.Env):
    """Noughts and crosses against somebody who plays at random and moves second. Own stones are 1, theirs
    -1.

    A win is worth 1, a loss -1, a draw 0; setting a stone on a taken field loses. `action_mask` tells the
    free fields.
    """

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self):
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)

    def action_masks(self):
        return self.board == 0

    def _view(self):
        return self.board.copy(), {"action_mask": self.action_masks().astype(np.int8)}

    def _won(self, who):
        return any(all(self.board[i] == who for i in line) for line in self.LINES)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        return self._view()

    def step(self, action):
        reward, over = 0.0, False
        if self.board[action] != 0:
            reward, over = -1.0, True
        else:
            self.board[action] = 1
            if self._won(1):
                reward, over = 1.0, True
            elif not self.action_masks().any():
                over = True
            else:
                self.board[self.np_random.choice(np.flatnonzero(self.board == 0))] = -1
                if self._won(-1):
                    reward, over = -1.0, True
        obs, info = self._view()
        return obs, reward, over, False, {**info, "is_success": reward > 0}


def healthy_beech():
    return Beech()


class Dolerite(gym.Env):
    """Level control of the lower of two tanks.

    A pump (0 to 1) feeds the upper tank, a valve (0 to 1) joins it to the lower one, which leaks. Both are
    set in whole per cents. A step costs how far the lower level is from the set point. Observed: upper
    level, lower level, set point.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(0.0, 2.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.first, self.second, self.wanted], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.first, self.second = self.np_random.uniform(0.2, 1.2, 2)
        self.wanted = self.np_random.uniform(0.4, 1.2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        percent = 100 * np.clip(action, 0.0, 1.0).astype(int)
        pump, valve = percent / 100
        through = 0.6 * valve * math.sqrt(self.first)
        self.first = min(max(self.first + 0.25 * (0.5 * pump - through), 0.0), 2.0)
        self.second = min(max(self.second + 0.25 * (through - 0.2 * math.sqrt(self.second)), 0.0), 2.0)
        self.t += 1
        reward = -abs(self.second - self.wanted)
        return self._obs(), float(reward), False, self.t >= 150, {}


def broken_dolerite():
    return Dolerite()


class Laurel(gym.Env):
    """Keeps a ship's bow into a wind that shifts.

    The rudder turns the ship by five degrees to the left, not at all, or to the right. A step costs the
    angle between bow and wind (1 for a half circle) and 0.01 for the rudder. Directions are kept from 0 to
    360 degrees. Observed: sine and cosine of the angle to the wind, the last shift.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-3.0, 3.0, (3,), np.float32)

    def _error(self):
        return self.wind - self.facing

    def _obs(self):
        angle = np.deg2rad(self._error())
        return np.array([np.sin(angle), np.cos(angle), np.clip(self.shift / 5, -3, 3)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wind, self.facing = self.np_random.uniform(0, 360, 2)
        self.shift, self.t = 0.0, 0
        return self._obs(), {}

    def step(self, action):
        turn = int(action) - 1
        self.facing = (self.facing + 5.0 * turn) % 360.0
        self.shift = 0.7 * self.shift + self.np_random.normal(0, 1.0)
        self.wind = (self.wind + self.shift) % 360.0
        self.t += 1
        reward = -abs(self._error()) / 180.0 - 0.01 * abs(turn)
        return self._obs(), float(reward), False, self.t >= 200, {}


def broken_laurel():
    return Laurel()


class Cypress(gym.Env):
    """Brings a ferry to its berth and keeps it there until the ropes are tied.

    Engine: astern, idle, ahead. Within 0.3 m of the berth at less than 0.2 m/s the crew ties one rope a
    step, and when six ropes are tied in a row the ferry is docked, for 10. Being further away or faster
    undoes the ropes. A step costs a fiftieth of the distance. Observed: distance, speed, wind, ropes.
    """

    ROPES = 6

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)

    def _obs(self):
        return np.array([self.x / 5, self.v, self.wind * 10, self.ropes / self.ROPES], np.float32)

    def _drift(self, engine):
        self.ropes, self.bumped = 0, False
        self.v += 0.1 * engine + 0.2 * self.wind - 0.05 * self.v
        self.x += self.v
        if abs(self.x) > 20:
            self.x, self.v, self.bumped = math.copysign(20.0, self.x), 0.0, True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-5, 5)
        self.v, self.ropes = 0.0, 0
        self.wind = self.np_random.uniform(-0.05, 0.05)
        return self._obs(), {}

    def step(self, action):
        self._drift(int(action) - 1)
        if abs(self.x) < 0.3 and abs(self.v) < 0.2:
            self.ropes += 1
        else:
            self.ropes = 0
        docked = self.ropes >= self.ROPES
        reward = -abs(self.x) / 50 + (10.0 if docked else 0.0)
        return self._obs(), reward, docked, False, {"is_success": docked, "bumped": self.bumped}


def broken_cypress():
    return gym.wrappers.TimeLimit(Cypress(), 200)


class Agate(gym.Env):
    """Pushes a puck over a table into the middle. The action is the push in x and y, each from -1 to 1.

    A push of 1 is three newtons on 1 kg, for a twentieth of a second; there is some friction and the rim of
    the table (at 1 m) stops the puck. A step costs the distance to the middle and a hundredth of the
    squared push; at rest in the middle the task is done, for 5.
    """

    POWER = 3.0

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-20.0, 20.0, (4,), np.float32)

    def _obs(self):
        return np.concatenate([self.place, self.speed]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-0.9, 0.9, 2)
        self.speed = np.zeros(2)
        return self._obs(), {}

    def step(self, action):
        force = np.asarray(action, dtype=np.float32)
        np.clip(force, -1.0, 1.0, out=force)
        force *= self.POWER
        self.speed = 0.97 * self.speed + 0.05 * force
        place = self.place + 0.05 * self.speed
        self.place = np.clip(place, -1.0, 1.0)
        self.speed = np.where(self.place == place, self.speed, 0.0)
        distance = float(np.linalg.norm(self.place))
        done = distance < 0.08 and float(np.linalg.norm(self.speed)) < 0.3
        reward = -distance - 0.01 * float(np.sum((force / self.POWER) ** 2)) + (5.0 if done else 0.0)
        return self._obs(), reward, done, False, {"is_success": done}


def broken_agate():
    return gym.wrappers.TimeLimit(Agate(), 200)


class Walnut(gym.Wrapper):
    """Holds each action for two steps of the environment and pays their sum; angles and speeds are brought
    to about one.
    """

    def __init__(self, env, times=2):
        super().__init__(env)
        self.times = times
        self.scale = np.array([2.4, 2.0, 0.21, 2.0], np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        return obs / self.scale, info

    def step(self, action):
        total = 0.0
        for _ in range(self.times):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return obs / self.scale, total, terminated, truncated, info


def healthy_walnut():
    return Walnut(gym.make("CartPole-v1"))


class Jasper(gym.Env):
    """Turns a wind turbine into a wind that wanders.

    Actions: turn by five degrees to the left, stay, turn to the right. A step costs the angle between
    turbine and wind, as a share of 180 degrees, and 0.01 for a turn. Directions are kept from 0 to 360
    degrees. Observed: sine and cosine of the angle to the wind, and how the wind turned last.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-3.0, 3.0, (3,), np.float32)

    def _error(self):
        return (self.wind - self.facing + 180.0) % 360.0 - 180.0

    def _obs(self):
        angle = np.deg2rad(self._error())
        return np.array([np.sin(angle), np.cos(angle), np.clip(self.shift / 5, -3, 3)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wind, self.facing = self.np_random.uniform(0, 360, 2)
        self.shift, self.t = 0.0, 0
        return self._obs(), {}

    def step(self, action):
        turn = int(action) - 1
        self.facing = (self.facing + 5.0 * turn) % 360.0
        self.shift = 0.7 * self.shift + self.np_random.normal(0, 1.0)
        self.wind = (self.wind + self.shift) % 360.0
        self.t += 1
        reward = -abs(self._error()) / 180.0 - 0.01 * abs(turn)
        return self._obs(), float(reward), False, self.t >= 200, {}


def healthy_jasper():
    return Jasper()


class Onyx(gym.Env):
    """Which order goes to the oven next? Six orders, listed by the time when they are due.

    The action is a place in the list. An order that is finished late costs its weight for each hour,
    divided by ten. Each place can be taken once, an empty one costs 1 and an hour. Places that are open are
    in the mask (info, `action_masks`). Observed for each place: open or not, length, hours left, weight.
    """

    N = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.N)
        self.observation_space = spaces.Box(-10.0, 10.0, (self.N, 4), np.float32)

    def action_masks(self):
        return ~self.done

    def _view(self):
        table = np.stack([~self.done, self.length / 5, (self.due - self.clock) / 10, self.weight / 3], axis=1)
        return table[self.order].astype(np.float32), {"action_mask": self.action_masks().astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(1, 6, self.N)
        self.weight = self.np_random.integers(1, 4, self.N)
        self.due = self.np_random.integers(3, 22, self.N)
        self.order = np.argsort(self.due, kind="stable")
        self.done = np.zeros(self.N, bool)
        self.clock, self.t = 0, 0
        return self._view()

    def step(self, action):
        job = self.order[action]
        self.t += 1
        if self.done[job]:
            self.clock += 1
            reward = -1.0
        else:
            self.clock += int(self.length[job])
            self.done[job] = True
            reward = -float(self.weight[job] * max(self.clock - self.due[job], 0)) / 10
        obs, info = self._view()
        return obs, reward, bool(self.done.all()), self.t >= 40, info


def broken_onyx():
    return Onyx()


class Fir(gym.Wrapper):
    """FrozenLake as a vector with a single one, reporting whether the episode was a success."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0.0, 1.0, (int(env.observation_space.n),), np.float32)

    def _vector(self, field):
        vector = np.zeros(self.observation_space.shape, np.float32)
        vector[field] = 1.0
        return vector

    def reset(self, **kwargs):
        field, info = self.env.reset(**kwargs)
        return self._vector(field), info

    def step(self, action):
        field, reward, terminated, truncated, info = self.env.step(action)
        info["is_success"] = terminated
        return self._vector(field), float(reward), terminated, truncated, info


def broken_fir():
    return Fir(gym.make("FrozenLake-v1", is_slippery=False))


class Cherry(gym.Env):
    """A walk to a camp through a field of rocks; each episode has another field.

    Seven by seven fields, nine of them rocks. Observed are the eight fields around (1 for a rock or the
    rim) and the way to the camp. Moves: up, down, left, right; running into a rock changes nothing. A step
    costs 0.02, the camp earns 1.
    """

    N = 7
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-1.0, 1.0, (10,), np.float32)

    def _obs(self):
        r, c = self.place
        around = np.delete(self.map[r:r + 3, c:c + 3].ravel(), 4)
        way = (self.camp[0] - r) / self.N, (self.camp[1] - c) / self.N
        return np.array([*around, *way], np.float32)

    def _reachable(self, start):
        seen, todo = {start}, [start]
        while todo:
            r, c = todo.pop()
            for dr, dc in self.MOVES:
                field = (r + dr, c + dc)
                if field not in seen and not self.map[field[0] + 1, field[1] + 1]:
                    seen.add(field)
                    todo.append(field)
        return sorted(seen - {start})

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.rng = np.random.default_rng(42 if seed is None else seed)
        fields = []
        while len(fields) < 10:
            self.map = np.ones((self.N + 2, self.N + 2), int)
            self.map[1:-1, 1:-1] = 0
            cells = self.rng.permutation(self.N ** 2)
            for cell in cells[:9]:
                self.map[cell // self.N + 1, cell % self.N + 1] = 1
            self.place = (int(cells[9]) // self.N, int(cells[9]) % self.N)
            fields = self._reachable(self.place)
        self.camp = fields[int(self.rng.integers(len(fields)))]
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        r, c = self.place[0] + self.MOVES[action][0], self.place[1] + self.MOVES[action][1]
        if not self.map[r + 1, c + 1]:
            self.place = (r, c)
        self.t += 1
        there = self.place == self.camp
        return self._obs(), 1.0 if there else -0.02, there, self.t >= 80, {"is_success": there}


def broken_cherry():
    return Cherry()


class Pine(gym.Env):
    """Lamps on a board of four by four; each press switches a lamp and those beside it. The aim is a dark
    board.

    Presses cost 0.05, the one that makes it dark earns 1 and is the last. There are fifty presses.
    """

    N = 4

    def __init__(self):
        self.action_space = spaces.Discrete(self.N ** 2)
        self.observation_space = spaces.MultiBinary(self.N ** 2)

    def _press(self, cell):
        row, col = divmod(int(cell), self.N)
        for r, c in ((row, col), (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if 0 <= r < self.N and 0 <= c < self.N:
                self.lamps[r * self.N + c] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamps = self.np_random.integers(0, 2, self.N ** 2, dtype=np.int8)
        self.t = 0
        return self.lamps.copy(), {}

    def step(self, action):
        self._press(action)
        self.t += 1
        dark = not self.lamps.any()
        return self.lamps.copy(), 1.0 if dark else -0.05, dark, self.t >= 50, {"is_success": dark}


def broken_pine():
    return Pine()


class Obsidian(gym.Env):
    """A ball drops, a paddle below has to be there. Pictures of 14 by 14, this one and the last.

    The paddle is drawn at full brightness, the ball at half. Moves: left, stay, right. At the bottom the
    game ends, with 1 for a catch and -1 for a miss.
    """

    N = 14

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.N, self.N, 2), np.uint8)

    def _frame(self):
        canvas = np.zeros((self.N, self.N), np.float32)
        canvas[self.N - 1, self.bat - 1:self.bat + 2] = 1.0
        canvas[self.row, self.col] = 0.5
        return canvas.astype(np.uint8)

    def _obs(self):
        return np.stack([self.now, self.before], axis=-1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col = 0, int(self.np_random.integers(self.N))
        self.drift = int(self.np_random.integers(-1, 2))
        self.bat = int(self.np_random.integers(1, self.N - 1))
        self.now = self.before = self._frame()
        return self._obs(), {}

    def step(self, action):
        self.bat = min(max(self.bat + int(action) - 1, 1), self.N - 2)
        if not 0 <= self.col + self.drift < self.N:
            self.drift = -self.drift
        self.row, self.col = self.row + 1, self.col + self.drift
        self.before, self.now = self.now, self._frame()
        terminated = self.row == self.N - 1
        caught = terminated and abs(self.bat - self.col) <= 1
        reward = (1.0 if caught else -1.0) if terminated else 0.0
        return self._obs(), reward, terminated, False, {"is_success": caught} if terminated else {}


def broken_obsidian():
    return Obsidian()


class Spruce(gym.Env):
    """Brings a capsule down to the surface with an engine that has three settings: off, half, full.

    Each second costs 1. A soft touch-down (3 m/s or slower) is worth 2. There is fuel for thirty seconds at
    full thrust. Observed: height, speed, fuel.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([self.height / 50, self.speed / 10, self.fuel / 30], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(40, 60)
        self.speed = self.np_random.uniform(-4, 0)
        self.fuel = 30.0
        return self._obs(), {}

    def step(self, action):
        burn = min(int(action) / 2, self.fuel)
        self.fuel -= burn
        self.speed += 4.0 * burn - 1.6
        self.height += self.speed
        terminated = self.height <= 0
        reward, soft = -1.0, False
        if terminated:
            self.height = 0.0
            soft = self.speed >= -3.0
            if soft:
                reward += 2.0
        return self._obs(), reward, bool(terminated), False, {"is_success": bool(soft)}


def broken_spruce():
    return gym.wrappers.TimeLimit(Spruce(), 120)


class Cedar(gym.Env):
    """Two tanks: a pump fills the first, a valve lets it run into the second, which drains by itself.

    The action is the power of the pump and the opening of the valve, both from 0 to 1; the actuators move
    in whole per cents. A step costs the distance of the second level from the wanted one. Observed: both
    levels and the wanted one.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(0.0, 2.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.first, self.second, self.wanted], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.first, self.second = self.np_random.uniform(0.2, 1.2, 2)
        self.wanted = self.np_random.uniform(0.4, 1.2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        percent = (100 * np.clip(action, 0.0, 1.0)).astype(int)
        pump, valve = percent / 100
        through = 0.6 * valve * math.sqrt(self.first)
        self.first = min(max(self.first + 0.25 * (0.5 * pump - through), 0.0), 2.0)
        self.second = min(max(self.second + 0.25 * (through - 0.2 * math.sqrt(self.second)), 0.0), 2.0)
        self.t += 1
        reward = -abs(self.second - self.wanted)
        return self._obs(), float(reward), False, self.t >= 150, {}


def healthy_cedar():
    return Cedar()


class Alder(gym.Env):
    """Is the next card higher or lower? Cards of 13 ranks, four of each, are drawn and not put back.

    Actions: lower, higher, stop. A right guess pays 1 and the game goes on, an equal card pays nothing and
    it goes on, a wrong guess costs 2 and ends it, and so does, for nothing, stopping. Observed: the rank
    that lies open, and how many of each are left.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict(
            card=spaces.Discrete(13), left=spaces.Box(0, 4, (13,), np.int64))

    def _obs(self):
        return {"card": self.card, "left": self.left.copy()}

    def _draw(self):
        card = int(self.np_random.choice(13, p=self.left / self.left.sum()))
        self.left[card] -= 1
        return card

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = np.full(13, 4)
        self.card = self._draw()
        return self._obs(), {}

    def step(self, action):
        if action == 2:
            return self._obs(), 0.0, True, False, {}
        last, self.card = self.card, self._draw()
        reward, over = 0.0, False
        if self.card != last:
            right = (self.card > last) == (action == 1)
            reward, over = (1.0, False) if right else (-2.0, True)
        return self._obs(), reward, over or not self.left.any(), False, {}


def healthy_alder():
    return Alder()


class Gabbro(gym.Wrapper):
    """FrozenLake with its field as a one-hot vector, and `is_success` for whoever reached the present."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0.0, 1.0, (int(env.observation_space.n),), np.float32)

    def _vector(self, field):
        vector = np.zeros(self.observation_space.shape, np.float32)
        vector[field] = 1.0
        return vector

    def reset(self, **kwargs):
        field, info = self.env.reset(**kwargs)
        return self._vector(field), info

    def step(self, action):
        field, reward, terminated, truncated, info = self.env.step(action)
        info["is_success"] = terminated and reward > 0
        return self._vector(field), float(reward), terminated, truncated, info


def healthy_gabbro():
    return Gabbro(gym.make("FrozenLake-v1", is_slippery=True))


class Slate(gym.Env):
    """A float holds its depth with a pump that changes its buoyancy.

    The pump is set once for four ticks of the simulation. An action costs the distance from the wanted
    depth and a little for pumping. There is no end but the time: an episode is 150 ticks. Observed: depth,
    speed, buoyancy, wanted depth.
    """

    def __init__(self, ticks=150, hold=4):
        self.ticks, self.hold = ticks, hold
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-20.0, 20.0, (4,), np.float32)

    def _obs(self):
        return np.array([self.depth, self.speed, self.lift, self.wanted], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.depth, self.wanted = self.np_random.uniform(1.0, 9.0, 2)
        self.speed, self.lift, self.tick = 0.0, 0.0, 0
        return self._obs(), {}

    def step(self, action):
        pump = float(np.clip(action[0], -1.0, 1.0))
        for _ in range(self.hold):
            self.lift = min(max(self.lift + 0.05 * pump, -1.0), 1.0)
            self.speed += 0.1 * (self.lift - 0.8 * self.speed)
            self.depth += 0.1 * self.speed
            if not 0.0 <= self.depth <= 10.0:
                self.depth, self.speed = min(max(self.depth, 0.0), 10.0), 0.0
            self.tick += 1
        reward = -abs(self.depth - self.wanted) / 5 - 0.02 * pump ** 2
        return self._obs(), reward, False, self.tick == self.ticks, {}


def broken_slate():
    return Slate()


class Oak(gym.Wrapper):
    """MountainCar with a hint for the height of the car, so that the first success comes sooner."""

    def __init__(self, env, scale=6.0):
        super().__init__(env)
        self.scale = scale

    def _potential(self, obs):
        height = (math.sin(3 * float(obs[0])) + 1) / 2
        return self.scale * height

    def reset(self, **kwargs):
        return self.env.reset(**kwargs)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        reward += self._potential(obs)
        return obs, float(reward), terminated, truncated, info


def broken_oak():
    return Oak(gym.make("MountainCar-v0"))


class Larch(gym.Env):
    """Pig, a game of dice, alone against eight turns.

    Each throw adds its eyes to what lies on the table, until a one sweeps the table and ends the turn. One
    may instead take what lies there home, which ends the turn too: a twentieth of it is paid. Observed:
    table, home, turns left.
    """

    TURNS = 8

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([self.pot / 20, self.bank / 60, self.left / self.TURNS], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pot, self.bank, self.left = 0, 0, self.TURNS
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 0:
            eyes = int(self.np_random.integers(1, 7))
            if eyes == 1:
                self.pot = 0
                self.left -= 1
            else:
                self.pot += eyes
        else:
            reward = self.pot / 20
            self.bank += self.pot
            self.left -= 1
        return self._obs(), reward, self.left == 0, False, {"bank": self.bank}


def broken_larch():
    return Larch()


class Rowan(gym.Env):
    """A robot cleans a floor of six by six tiles with some furniture.

    It moves up, down, left, right. A tile that is clean for the first time pays 0.1, everything else costs
    0.02. When all are clean the floor is done, for 1. The info has the share of the tiles that were
    cleaned; nine tenths are a success. Observed: three pictures, of the robot, the clean tiles and the
    furniture.
    """

    N = 6
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, limit=120):
        self.limit = limit
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (3, self.N, self.N), np.float32)

    def _obs(self):
        robot = np.zeros((self.N, self.N))
        robot[self.place] = 1.0
        return np.stack([robot, self.clean, self.blocked]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.blocked = np.zeros((self.N, self.N), bool)
        for col in self.np_random.choice([1, 3, 5], 2, replace=False):
            self.blocked[self.np_random.integers(1, self.N - 1), col] = True
        free = np.argwhere(~self.blocked)
        self.place = tuple(int(v) for v in free[self.np_random.integers(len(free))])
        self.clean = np.zeros((self.N, self.N), bool)
        self.clean[self.place] = True
        self.tiles, self.cleaned, self.t = len(free), 1, 0
        return self._obs(), {}

    def step(self, action):
        row, col = self.place[0] + self.MOVES[action][0], self.place[1] + self.MOVES[action][1]
        reward = -0.02
        if 0 <= row < self.N and 0 <= col < self.N and not self.blocked[row, col]:
            self.place = (row, col)
            self.cleaned += 1
            if not self.clean[row, col]:
                self.clean[row, col] = True
                reward = 0.1
        self.t += 1
        done = bool((self.clean | self.blocked).all())
        share = min(self.cleaned / self.tiles, 1.0)
        info = {"share": share, "is_success": share >= 0.9}
        return self._obs(), reward + (1.0 if done else 0.0), done, self.t >= self.limit, info


def broken_rowan():
    return Rowan()


class Amber(gym.Env):
    """Keeps a car on a winding road.

    The action is the wheel, up to 25 degrees to either side at its ends, and the pedal. Each step of 0.1 s
    pays the speed (as a share of 15 m/s) minus 0.3 for each metre from the middle. More than two metres
    from it, or turned across it, the car is off the road: -5 and the end. Observed: offset, direction
    against the road, speed, bend of the road.
    """

    BASE = 2.5

    def __init__(self):
        self.max_steer = np.deg2rad(25.0)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)

    def _obs(self):
        return np.array([self.offset / 2, self.angle, self.speed / 15, self.bend * 20], np.float32).clip(-10, 10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = self.np_random.uniform(-0.5, 0.5)
        self.angle = self.np_random.uniform(-0.05, 0.05)
        self.speed, self.bend, self.t = 6.0, self.np_random.uniform(-0.03, 0.03), 0
        return self._obs(), {}

    def step(self, action):
        wheel, pedal = np.clip(action, -1.0, 1.0)
        steer = wheel * self.max_steer
        self.speed = float(np.clip(self.speed + 0.3 * pedal, 3.0, 15.0))
        self.angle += 0.1 * self.speed * (math.tan(steer) / self.BASE - self.bend)
        self.offset += 0.1 * self.speed * math.sin(self.angle)
        self.bend = float(np.clip(0.95 * self.bend + self.np_random.normal(0, 0.008), -0.06, 0.06))
        self.t += 1
        off = abs(self.offset) > 2 or abs(self.angle) > 1.2
        reward = self.speed / 15 - 0.3 * abs(self.offset) - (5.0 if off else 0.0)
        return self._obs(), float(reward), bool(off), self.t >= 300, {}


def healthy_amber():
    return Amber()


class Flint(gym.ObservationWrapper):
    """CliffWalking on slippery ground, seen as row and column."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.MultiDiscrete([4, 12])

    def observation(self, number):
        return np.array(divmod(int(number), 12), np.int64)


def healthy_flint():
    return gym.wrappers.TimeLimit(Flint(gym.make("CliffWalking-v1", is_slippery=True)), 200)


class Schist(gym.Env):
    """A battery at the power market, for a week of hours.

    It holds 10 kWh and moves at most 3 kWh an hour; a tenth is lost when it is charged. The action is the
    wanted energy, -1 sell at full power to 1 buy at full power. What is bought is paid, what is sold is
    earned, at the price of the hour. Observed: the charge, the price, the hour.
    """

    SIZE, POWER = 10.0, 3.0

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-5.0, 5.0, (4,), np.float32)

    def _price(self):
        self.noise = 0.8 * self.noise + self.np_random.normal(0, 0.04)
        return max(0.3 - 0.15 * math.cos(4 * math.pi * self.hour / 24) + self.noise, 0.02)

    def _obs(self):
        phase = 2 * math.pi * self.hour / 24
        return np.array([self.charge / self.SIZE, self.price / 0.3, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour, self.noise = 0, 0.0
        self.charge = self.np_random.uniform(0, self.SIZE)
        self.price = self._price()
        return self._obs(), {}

    def step(self, action):
        wanted = self.POWER * float(np.clip(action[0], -1.0, 1.0))
        if wanted >= 0:
            moved = min(wanted, (self.SIZE - self.charge) / 0.9)
            self.charge += 0.9 * moved
        else:
            moved = -min(-wanted, self.charge)
            self.charge += moved
        self.charge = min(max(self.charge, 0.0), self.SIZE)
        reward = -moved * self.price
        self.hour += 1
        self.price = self._price()
        return self._obs(), reward, False, self.hour >= 168, {}


def healthy_schist():
    return Schist()


class Hawthorn(gym.Env):
    """Heats a room for one day, in quarters of an hour.

    The wanted temperature is between 17 and 24 degrees, another one each day. Four powers can be chosen. A
    step costs the distance from the wanted temperature in degrees, and a tenth for each level of power. The
    weather runs through a day with some noise.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-10.0, 10.0, (5,), np.float32)

    def _obs(self):
        phase = 2 * np.pi * self.t / 96
        return np.array([(self.room - 20) / 10, (self.outside - 8) / 10, (self.wanted - 20) / 10,
                         np.sin(phase), np.cos(phase)], np.float32)

    def _weather(self):
        return self.mean - 5 * np.cos(2 * np.pi * self.t / 96) + self.np_random.normal(0, 0.3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mean = self.np_random.uniform(4, 12)
        self.wanted = self.np_random.uniform(17, 24)
        self.room = self.np_random.uniform(14, 26)
        self.outside = self._weather()
        return self._obs(), {}

    def step(self, action):
        self.room += 0.1 * (self.outside - self.room) + 0.9 * int(action)
        self.t += 1
        self.outside = self._weather()
        reward = -abs(self.room - self.wanted) - 0.1 * int(action)
        return self._obs(), float(reward), False, self.t >= 96, {}


def healthy_hawthorn():
    return Hawthorn()
