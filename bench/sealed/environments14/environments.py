"""Small environments of many kinds, each with what it is for in its docstring."""

import math
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit


class TMaze(gym.Env):
    """A test of memory: a sign that is seen only at the start tells where to turn at the end of a corridor.

    Observation: the sign (-1 or 1 in the first observation, 0 in all others, by design), whether this is the junction, and
    a constant 1. A policy without memory cannot do better than guess. Actions: 0 ahead, 1 turn left, 2 turn right; turning
    before the junction does nothing. Turning where the sign pointed (-1 left, 1 right) pays 1, the other way -1; both end
    the episode. Each other step costs 0.02. The corridor is 5 cells long. Truncated after 40 steps.
    """

    LENGTH = 5

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self, sign=0):
        return np.array([sign, self.cell == self.LENGTH, 1], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sign = int(self.np_random.choice([-1, 1]))
        self.cell = 0
        self.steps = 0
        return self._obs(self.sign), {}

    def step(self, action):
        self.steps += 1
        if action == 0:
            self.cell = min(self.cell + 1, self.LENGTH)
        elif self.cell == self.LENGTH:
            turned = -1 if action == 1 else 1
            return self._obs(), 1.0 if turned == self.sign else -1.0, True, False, {}
        return self._obs(), -0.02, False, self.steps >= 40, {}


class ClimateChamber(gym.Env):
    """Climate control of a small greenhouse: hold temperature and humidity where seedlings want them.

    Observation (4): air temperature (degrees Celsius), relative humidity (0 to 1), outside temperature (degrees
    Celsius), part of the day that has passed (0 to 1).
    Action (2), each from 0 to 1: power of the heater, opening of the vent. The heater warms the air, the vent exchanges
    it with the outside, which cools it and dries it. A frost guard keeps the vent shut while it is colder than 3 degrees
    Celsius outside.
    Reward: minus the squared deviations from 22 degrees (in units of 5 degrees) and from a humidity of 0.6 (in units of
    0.2), minus 0.1 times the heating power.
    An episode is one day of 96 quarter hours; then it is truncated.
    """

    TARGET_TEMPERATURE = 22.0
    TARGET_HUMIDITY = 0.6
    FROST_GUARD = 37.4
    STEPS = 96

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([-30, 0, -30, 0], np.float32), np.array([80, 1, 50, 1], np.float32)
        )
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _outside(self):
        return self.mean_outside + 6.0 * math.sin(2 * math.pi * (self.t / self.STEPS - 0.35))

    def _observe(self):
        return np.array([self.temperature, self.humidity, self._outside(), self.t / self.STEPS], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mean_outside = self.np_random.uniform(7.0, 15.0)
        self.temperature = self.np_random.uniform(12.0, 28.0)
        self.humidity = self.np_random.uniform(0.4, 0.9)
        return self._observe(), {}

    def step(self, action):
        heat, vent = np.clip(np.asarray(action, float), 0.0, 1.0)
        outside = self._outside()
        if outside < self.FROST_GUARD:
            vent = 0.0
        self.temperature += 2.5 * heat - (0.05 + 0.25 * vent) * (self.temperature - outside)
        self.temperature = float(np.clip(self.temperature, -30.0, 80.0))
        self.humidity += 0.03 * (1.0 - self.humidity) - 0.15 * vent * (self.humidity - 0.3)
        self.humidity = float(np.clip(self.humidity, 0.0, 1.0))
        self.t += 1
        reward = -(((self.temperature - self.TARGET_TEMPERATURE) / 5.0) ** 2)
        reward -= ((self.humidity - self.TARGET_HUMIDITY) / 0.2) ** 2
        reward -= 0.1 * heat
        return self._observe(), float(reward), False, self.t >= self.STEPS, {}


class UnitTorque(gym.ActionWrapper):
    """Lets an agent act in [-1, 1]: -1 is the lowest action of the environment, 1 its highest, linear in between."""

    def __init__(self, env):
        super().__init__(env)
        self.low = env.action_space.low
        self.high = env.action_space.high
        self.action_space = spaces.Box(-1.0, 1.0, env.action_space.shape, np.float32)

    def action(self, action):
        scaled = self.low + np.asarray(action, np.float32) * (self.high - self.low)
        return np.clip(scaled, self.low, self.high)


class HillSpeedBonus(gym.Wrapper):
    """MountainCar with some help for exploration.

    The car is paid a little for speed, so that it begins to swing; the task is still to be at the flag in as few steps as
    possible, which has to stay the best thing to do.
    """

    def __init__(self, env, weight=100.0):
        super().__init__(env)
        self.weight = weight

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        reward += self.weight * abs(float(observation[1]))
        return observation, reward, terminated, truncated, info


class Hanoi(gym.Env):
    """The towers of Hanoi with three discs.

    Observation: the peg (0 to 2) of each disc, the smallest first. Actions: the six moves from one peg to another (0 to 1,
    0 to 2, 1 to 0, 1 to 2, 2 to 0, 2 to 1). A move without a disc, or of a disc onto a smaller one, does nothing. Each move
    costs 0.01; when the whole tower stands on the last peg the episode terminates with a reward of 1. Truncated after 200
    moves.
    """

    DISCS = 3
    MOVES = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * self.DISCS)
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        where = np.zeros(self.DISCS, np.int64)
        for peg, discs in enumerate(self.pegs):
            where[discs] = peg
        return where

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        # each peg from its bottom to its top; disc 0 is the smallest
        self.pegs = [list(range(self.DISCS - 1, -1, -1)), [], []]
        self.moves = 0
        return self._obs(), {}

    def step(self, action):
        source, target = (self.pegs[k] for k in self.MOVES[action])
        if source and (not target or source[-1] < target[-1]):
            target.append(source.pop())
        self.moves += 1
        solved = self.pegs[2] == list(range(self.DISCS - 1, -1, -1))
        return self._obs(), 1.0 if solved else -0.01, solved, self.moves >= 200, {"is_success": solved}


class JobSequencing(gym.Env):
    """Sequence six jobs on a single machine with due dates.

    Observation: `jobs`, for each job its duration, its due date and whether it is still pending, and `clock`, the time.
    Action: the job to run next. `info["action_mask"]` tells which jobs may be chosen at the next step: those still pending.
    Reward: minus the lateness of the job, over 10. Choosing a job that is done already costs 1 and does nothing else. The
    episode terminates when all jobs are done; it is truncated after 30 choices.
    """

    JOBS = 6

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(0.0, 100.0, (self.JOBS, 3), np.float32),
                "clock": spaces.Box(0.0, 100.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(self.JOBS)

    def action_mask(self):
        return self.pending.astype(np.int8)

    def _obs(self):
        jobs = np.stack([self.duration, self.due, self.pending], axis=1).astype(np.float32)
        return {"jobs": jobs, "clock": np.array([self.clock], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.duration = self.np_random.integers(1, 10, self.JOBS).astype(float)
        self.due = self.np_random.integers(5, 40, self.JOBS).astype(float)
        self.pending = np.ones(self.JOBS, bool)
        self.clock = 0.0
        self.choices = 0
        return self._obs(), {"action_mask": self.action_mask()}

    def step(self, action):
        self.choices += 1
        info = {"action_mask": self.action_mask()}
        if self.pending[action]:
            self.clock += self.duration[action]
            self.pending[action] = False
            reward = -max(0.0, self.clock - self.due[action]) / 10.0
        else:
            reward = -1.0
        terminated = not self.pending.any()
        return self._obs(), float(reward), terminated, self.choices >= 30, info


class NoughtsAndCrosses(gym.Env):
    """Noughts and crosses; the agent moves first, the opponent at random.

    Observation: nine fields, 1 for the agent's, -1 for the opponent's, 0 for free ones. Action: the field to take;
    `info["action_mask"]` tells which are free. Reward at the end of the game: 1 for a win, -1 for a defeat, 0 for a draw.
    Taking a field that is not free forfeits the game (-1).
    """

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)

    def _winner(self):
        for a, b, c in self.LINES:
            if self.board[a] != 0 and self.board[a] == self.board[b] == self.board[c]:
                return int(self.board[a])
        return 0

    def _reply(self, reward, terminated):
        info = {"action_mask": (self.board == 0).astype(np.int8)}
        return self.board.copy(), reward, terminated, False, info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        return self.board.copy(), {"action_mask": np.ones(9, np.int8)}

    def step(self, action):
        if self.board[action] != 0:
            return self._reply(-1.0, True)
        self.board[action] = 1
        if self._winner() == 0 and (self.board == 0).any():
            free = np.flatnonzero(self.board == 0)
            self.board[free[self.np_random.integers(len(free))]] = -1
        winner = self._winner()
        if winner != 0:
            return self._reply(1.0, True)
        return self._reply(0.0, not (self.board == 0).any())


class IceWalk(gym.Wrapper):
    """One-hot FrozenLake with a reward of 1 for reaching the goal and -1 for falling into a hole."""

    def __init__(self, env):
        super().__init__(env)
        self.cells = env.observation_space.n
        self.observation_space = spaces.Box(0.0, 1.0, (self.cells,), np.float32)

    def _one_hot(self, cell):
        vector = np.zeros(self.cells, np.float32)
        vector[cell] = 1.0
        return vector

    def reset(self, **kwargs):
        cell, info = self.env.reset(**kwargs)
        return self._one_hot(cell), info

    def step(self, action):
        cell, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            reward = 1.0
        return self._one_hot(cell), reward, terminated, truncated, info


class PendulumFrames(gym.Wrapper):
    """Stacks the last three positions (cosine, sine) of Pendulum, oldest first, and hides its speed.

    A new episode starts with its first position three times.
    """

    DEPTH = 3

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-1.0, 1.0, (2 * self.DEPTH,), np.float32)
        self.frames = deque(maxlen=self.DEPTH)

    def _stacked(self):
        return np.concatenate(self.frames).astype(np.float32)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.frames.append(observation[:2])
        while len(self.frames) < self.DEPTH:
            self.frames.append(observation[:2])
        return self._stacked(), info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(observation[:2])
        return self._stacked(), reward, terminated, truncated, info


class PlanarQuadrotor(gym.Env):
    """Hover with two rotors in a vertical plane.

    Observation: position x and z relative to the hovering point (m), their velocities, tilt (rad) and its velocity.
    Action: thrust of the left and the right rotor, where -1 is half of what carries the weight and 1 half more than that.
    Reward: exp(-distance) each step, so between 0 and 1. The episode terminates more than 3 m away or at a tilt of more
    than 1.5 rad, and is truncated after 250 steps of 0.04 s.
    """

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 6) * np.array([1.0, 1.0, 0.2, 0.2, 0.1, 0.1])
        self._steps = 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        left, right = 1.0 + 0.5 * np.clip(np.asarray(action, float), -1.0, 1.0)
        x, z, vx, vz, tilt, spin = self.state
        lift = 9.81 * 0.5 * (left + right)
        vx += 0.04 * (-lift * math.sin(tilt) - 0.1 * vx)
        vz += 0.04 * (lift * math.cos(tilt) - 9.81 - 0.1 * vz)
        spin += 0.04 * (6.0 * (right - left) - 0.5 * spin)
        self.state = np.array([x + 0.04 * vx, z + 0.04 * vz, vx, vz, tilt + 0.04 * spin, spin])
        self._steps += 1
        distance = math.hypot(self.state[0], self.state[1])
        fallen = bool(distance > 3.0 or abs(self.state[4]) > 1.5)
        return self.state.astype(np.float32), math.exp(-distance), fallen, self._steps >= 250, {}


class Greenhouse(gym.Env):
    """Keep a greenhouse at the temperature and the humidity that tomatoes want.

    Observation (4): air temperature (degrees Celsius), relative humidity (0 to 1), outside temperature (degrees
    Celsius), part of the day that has passed (0 to 1).
    Action (2), each from 0 to 1: power of the heater, opening of the vent. The heater warms the air, the vent exchanges
    it with the outside, which cools it and dries it. A frost guard keeps the vent shut while it is colder than 3 degrees
    Celsius outside.
    Reward: minus the squared deviations from 22 degrees (in units of 5 degrees) and from a humidity of 0.6 (in units of
    0.2), minus 0.1 times the heating power.
    An episode is one day of 96 quarter hours; then it is truncated.
    """

    TARGET_TEMPERATURE = 22.0
    TARGET_HUMIDITY = 0.6
    FROST_GUARD = 3.0
    STEPS = 96

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([-30, 0, -30, 0], np.float32), np.array([80, 1, 50, 1], np.float32)
        )
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _outside(self):
        return self.mean_outside + 6.0 * math.sin(2 * math.pi * (self.t / self.STEPS - 0.35))

    def _observe(self):
        return np.array([self.temperature, self.humidity, self._outside(), self.t / self.STEPS], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.mean_outside = self.np_random.uniform(7.0, 15.0)
        self.temperature = self.np_random.uniform(14.0, 26.0)
        self.humidity = self.np_random.uniform(0.4, 0.9)
        return self._observe(), {}

    def step(self, action):
        heat, vent = np.clip(np.asarray(action, float), 0.0, 1.0)
        outside = self._outside()
        if outside < self.FROST_GUARD:
            vent = 0.0
        self.temperature += 2.5 * heat - (0.05 + 0.25 * vent) * (self.temperature - outside)
        self.temperature = float(np.clip(self.temperature, -30.0, 80.0))
        self.humidity += 0.03 * (1.0 - self.humidity) - 0.15 * vent * (self.humidity - 0.3)
        self.humidity = float(np.clip(self.humidity, 0.0, 1.0))
        self.t += 1
        reward = -(((self.temperature - self.TARGET_TEMPERATURE) / 5.0) ** 2)
        reward -= ((self.humidity - self.TARGET_HUMIDITY) / 0.2) ** 2
        reward -= 0.1 * heat
        return self._observe(), float(reward), False, self.t >= self.STEPS, {}


class DiscTower(gym.Env):
    """Towers of Hanoi: carry three discs from the first peg to the last.

    Observation: the peg (0 to 2) of each disc, the smallest first. Actions: the six moves from one peg to another (0 to 1,
    0 to 2, 1 to 0, 1 to 2, 2 to 0, 2 to 1). A move without a disc, or of a disc onto a smaller one, does nothing. Each move
    costs 0.01; when the whole tower stands on the last peg the episode terminates with a reward of 1. Truncated after 200
    moves.
    """

    DISCS = 3
    MOVES = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * self.DISCS)
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        where = np.zeros(self.DISCS, np.int64)
        for peg, discs in enumerate(self.pegs):
            where[discs] = peg
        return where

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        # each peg from its bottom to its top; disc 0 is the smallest
        self.pegs = [list(range(self.DISCS - 1, -1, -1)), [], []]
        self.moves = 0
        return self._obs(), {}

    def step(self, action):
        source, target = (self.pegs[k] for k in self.MOVES[action])
        if source and (not target or source[-1] < target[-1]):
            target.append(source.pop())
        self.moves += 1
        solved = self.pegs[2] == list(range(self.DISCS))
        return self._obs(), 1.0 if solved else -0.01, solved, self.moves >= 200, {"is_success": solved}


class RepeatAction(gym.Wrapper):
    """Repeats every action a few times, sums the rewards, and stops early where the episode ends (either way)."""

    def __init__(self, env, times=2):
        super().__init__(env)
        self.times = times

    def step(self, action):
        total = 0.0
        for _ in range(self.times):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += reward
            if terminated:
                break
        return observation, total, terminated, False, info


class LocalViewMaze(gym.Env):
    """A small maze with a local view.

    A maze of 7 by 7 cells is dug for each episode (the outer ring is wall). The agent starts in the top left room, the exit
    is in the bottom right one. Observation: `view`, the 5 by 5 cells around the agent with the agent in the middle (0 free,
    1 wall, 2 exit; beyond the maze everything is wall), and `compass`, the rows and columns still to go.
    Actions: 0 up, 1 right, 2 down, 3 left; a wall stops the agent. Reward: 1 at the exit, -0.01 for any other step.
    Truncated after 200 steps.
    """

    MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
    SIZE = 7

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "view": spaces.Box(0, 2, (5, 5), np.int8),
                "compass": spaces.Box(-self.SIZE, self.SIZE, (2,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(4)

    def _dig(self):
        grid = np.ones((self.SIZE, self.SIZE), np.int8)
        stack = [(1, 1)]
        grid[1, 1] = 0
        while stack:
            row, column = stack[-1]
            ways = [
                (dr, dc)
                for dr, dc in self.MOVES
                if 0 < row + 2 * dr < self.SIZE and 0 < column + 2 * dc < self.SIZE and grid[row + 2 * dr, column + 2 * dc]
            ]
            if not ways:
                stack.pop()
                continue
            dr, dc = ways[self.np_random.integers(len(ways))]
            grid[row + dr, column + dc] = 0
            grid[row + 2 * dr, column + 2 * dc] = 0
            stack.append((row + 2 * dr, column + 2 * dc))
        return grid

    def _observation(self):
        padded = np.pad(self.grid, 2, constant_values=1)
        view = padded[self.column : self.column + 5, self.row : self.row + 5]
        compass = np.array([self.exit[0] - self.row, self.exit[1] - self.column], np.float32)
        return {"view": view.copy(), "compass": compass}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.grid = self._dig()
        self.exit = (self.SIZE - 2, self.SIZE - 2)
        self.grid[self.exit] = 2
        self.row, self.column = 1, 1
        self.steps = 0
        return self._observation(), {}

    def step(self, action):
        dr, dc = self.MOVES[action]
        if self.grid[self.row + dr, self.column + dc] != 1:
            self.row += dr
            self.column += dc
        self.steps += 1
        out = (self.row, self.column) == self.exit
        return self._observation(), 1.0 if out else -0.01, out, self.steps >= 200, {}


class TankCascade(gym.Env):
    """Level control for a cascade of three tanks; the set point differs from episode to episode.

    Water runs from tank 1 to tank 2 to tank 3 and out. Action (2): two pumps, 0 to 1; the first fills tank 1, the second
    tank 2. Observation (4): the three levels and the set point of tank 3. Reward: minus the distance of level 3 from the
    set point. 150 steps, then truncated.
    """

    SETPOINT = 0.6

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 2.0, (4,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.levels = self.np_random.uniform(0.1, 0.4, 3)
        self.setpoint = self.np_random.uniform(0.2, 1.0)
        self.k = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.levels, self.SETPOINT], dtype=np.float32)

    def step(self, action):
        pump1, pump2 = np.clip(action, 0.0, 1.0)
        q1, q2, q3 = 0.2 * np.sqrt(self.levels)
        flow = np.array([0.2 * pump1 - q1, q1 + 0.2 * pump2 - 1.4 * q2, 1.4 * q2 - 1.6 * q3])
        self.levels = np.clip(self.levels + 0.5 * flow, 0.0, 2.0)
        self.k += 1
        reward = -abs(self.levels[2] - self.setpoint)
        return self._obs(), float(reward), False, self.k >= 150, {}


class NewsArticles(gym.Env):
    """A contextual bandit: which of five articles does this visitor click?

    Each episode is one visitor and one decision. The observation describes the visitor (4 numbers), the action is the
    article shown, and the reward is 1 for a click and 0 else. The probability of a click depends on the visitor who is
    shown and on the article.
    """

    ARTICLES = np.array(
        [
            [1.5, 0.0, -1.0, 0.5],
            [-1.5, 0.5, 0.0, 1.0],
            [0.0, 2.0, 0.5, -1.0],
            [0.5, -2.0, 0.5, 0.0],
            [0.0, 0.0, 1.5, -1.5],
        ]
    )

    def __init__(self):
        self.observation_space = spaces.Box(-4.0, 4.0, (4,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _visitor(self):
        return np.clip(self.np_random.standard_normal(4), -4.0, 4.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self._visitor()
        return self.visitor.astype(np.float32), {}

    def step(self, action):
        visitor = self.visitor
        p = 1.0 / (1.0 + math.exp(-float(self.ARTICLES[action] @ visitor)))
        reward = float(self.np_random.random() < p)
        return visitor.astype(np.float32), reward, True, False, {"p_click": p}


class Orienteering(gym.Env):
    """Walk from one corner of a map of 12 by 12 fields to the flag in the opposite one.

    Observation: row and column of the walker, over 11. Actions: north, east, south, west, one field a step. Reward: 0.1 for
    each step closer to the flag, -0.1 for each step away from it, 10 at the flag, which ends the episode. The time limit
    leaves a walker who knows the way some slack for detours.
    """

    SIZE = 12

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.flag = np.array([self.SIZE - 1, self.SIZE - 1])

    def _obs(self):
        return (self.walker / (self.SIZE - 1)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.walker = np.array([0, 0])
        return self._obs(), {"is_success": False}

    def step(self, action):
        before = np.abs(self.flag - self.walker).sum()
        step = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)][action])
        self.walker = np.clip(self.walker + step, 0, self.SIZE - 1)
        after = np.abs(self.flag - self.walker).sum()
        found = bool(after == 0)
        return self._obs(), 0.1 * float(before - after) + 10.0 * found, found, False, {"is_success": found}


class BlindPendulum(gym.Wrapper):
    """Pendulum without its speed: the last three positions (cosine and sine each), oldest first, are seen instead.

    A new episode starts with its first position three times.
    """

    DEPTH = 3

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-1.0, 1.0, (2 * self.DEPTH,), np.float32)
        self.frames = deque(maxlen=self.DEPTH)

    def _stacked(self):
        return np.concatenate(self.frames).astype(np.float32)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.frames.clear()
        while len(self.frames) < self.DEPTH:
            self.frames.append(observation[:2])
        return self._stacked(), info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(observation[:2])
        return self._stacked(), reward, terminated, truncated, info


class KeyAndDoor(gym.Env):
    """Image gridworld: a key, a locked door and a goal behind it.

    A room of 7 by 7 pixels with walls around it and a wall with a locked door in the middle. The agent and the key start at
    random places of the left half, the goal lies in the right half. Moving onto the key takes it (0.2, once an episode);
    the door lets only an agent with the key through. The goal pays 1 and ends the episode; each step costs 0.005.
    Image: red walls (255) and door (128), green key (255) and goal (128), blue agent (128 without the key, 255 with it).
    Actions: up, right, down, left. Truncated after 200 steps.
    """

    SIZE = 7
    DOOR = (3, 3)

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (self.SIZE, self.SIZE, 3), np.uint8)
        self.action_space = spaces.Discrete(4)
        self.has_key = False
        self.walls = np.zeros((self.SIZE, self.SIZE), bool)
        self.walls[[0, -1], :] = self.walls[:, [0, -1]] = True
        self.walls[:, 3] = True
        self.walls[self.DOOR] = False

    def _image(self):
        image = np.zeros((self.SIZE, self.SIZE, 3), np.uint8)
        image[self.walls, 0] = 255
        image[self.DOOR + (0,)] = 128
        if not self.has_key:
            image[self.key + (1,)] = 255
        image[self.goal + (1,)] = 128
        image[self.agent + (2,)] = 255 if self.has_key else 128
        return image

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        left = [(r, c) for r in range(1, 6) for c in (1, 2)]
        first, second = self.np_random.choice(len(left), 2, replace=False)
        self.agent, self.key = left[first], left[second]
        self.goal = (int(self.np_random.integers(1, 6)), int(self.np_random.integers(4, 6)))
        self.steps = 0
        return self._image(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[action]
        there = (self.agent[0] + dr, self.agent[1] + dc)
        reward = -0.005
        if not self.walls[there] and (there != self.DOOR or self.has_key):
            self.agent = there
        if self.agent == self.key and not self.has_key:
            self.has_key = True
            reward += 0.2
        self.steps += 1
        done = self.agent == self.goal
        if done:
            reward += 1.0
        return self._image(), reward, done, self.steps >= 200, {}


class PeepholeMaze(gym.Env):
    """Find the way out of a maze, seeing only what is near.

    A maze of 7 by 7 cells is dug for each episode (the outer ring is wall). The agent starts in the top left room, the exit
    is in the bottom right one. Observation: `view`, the 5 by 5 cells around the agent with the agent in the middle (0 free,
    1 wall, 2 exit; beyond the maze everything is wall), and `compass`, the rows and columns still to go.
    Actions: 0 up, 1 right, 2 down, 3 left; a wall stops the agent. Reward: 1 at the exit, -0.01 for any other step.
    Truncated after 200 steps.
    """

    MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))
    SIZE = 7

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "view": spaces.Box(0, 2, (5, 5), np.int8),
                "compass": spaces.Box(-self.SIZE, self.SIZE, (2,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(4)

    def _dig(self):
        grid = np.ones((self.SIZE, self.SIZE), np.int8)
        stack = [(1, 1)]
        grid[1, 1] = 0
        while stack:
            row, column = stack[-1]
            ways = [
                (dr, dc)
                for dr, dc in self.MOVES
                if 0 < row + 2 * dr < self.SIZE and 0 < column + 2 * dc < self.SIZE and grid[row + 2 * dr, column + 2 * dc]
            ]
            if not ways:
                stack.pop()
                continue
            dr, dc = ways[self.np_random.integers(len(ways))]
            grid[row + dr, column + dc] = 0
            grid[row + 2 * dr, column + 2 * dc] = 0
            stack.append((row + 2 * dr, column + 2 * dc))
        return grid

    def _observation(self):
        padded = np.pad(self.grid, 2, constant_values=1)
        view = padded[self.row : self.row + 5, self.column : self.column + 5]
        compass = np.array([self.exit[0] - self.row, self.exit[1] - self.column], np.float32)
        return {"view": view.copy(), "compass": compass}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.grid = self._dig()
        self.exit = (self.SIZE - 2, self.SIZE - 2)
        self.grid[self.exit] = 2
        self.row, self.column = 1, 1
        self.steps = 0
        return self._observation(), {}

    def step(self, action):
        dr, dc = self.MOVES[action]
        if self.grid[self.row + dr, self.column + dc] != 1:
            self.row += dr
            self.column += dc
        self.steps += 1
        out = (self.row, self.column) == self.exit
        return self._observation(), 1.0 if out else -0.01, out, self.steps >= 200, {}


class ArmToGoal(gym.Env):
    """Reach a goal position with a planar arm (two links, each of length 1).

    Follows the convention of Gymnasium-Robotics: a dictionary with `observation` (sines, cosines of both joints),
    `achieved_goal` (where the finger tip is) and `desired_goal` (where it has to go, drawn for each episode), and
    `compute_reward`, which is -1, and 0 within 0.3 of the desired goal. Actions are joint velocities. The episode
    terminates at the goal and is truncated after 60 steps.
    """

    TOLERANCE = 0.3

    def __init__(self):
        box = lambda n: spaces.Box(-2.5, 2.5, (n,), np.float32)
        self.observation_space = spaces.Dict(
            {"observation": box(4), "achieved_goal": box(2), "desired_goal": box(2)}
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.goal = np.zeros(2)

    @staticmethod
    def _tip(joints):
        a, b = joints[0], joints[0] + joints[1]
        return np.array([math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])

    def _sample_goal(self):
        return self._tip(self.np_random.uniform(-math.pi, math.pi, 2))

    def _get_obs(self):
        return {
            "observation": np.concatenate([np.sin(self.joints), np.cos(self.joints)]).astype(np.float32),
            "achieved_goal": self._tip(self.joints).astype(np.float32),
            "desired_goal": self.shown_goal.copy(),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance > self.TOLERANCE).astype(np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.joints = self.np_random.uniform(-math.pi, math.pi, 2)
        self.shown_goal = self.goal.astype(np.float32)
        self.goal = self._sample_goal()
        return self._get_obs(), {}

    def step(self, action):
        self.joints = self.joints + 0.3 * np.clip(action, -1.0, 1.0)
        self.steps += 1
        reward = float(self.compute_reward(self._tip(self.joints), self.goal, {}))
        reached = reward == 0.0
        return self._get_obs(), reward, reached, self.steps >= 60, {"is_success": reached}


class AdCampaign(gym.Env):
    """Spend the daily budget of an advertising campaign in auctions.

    In each of 96 auctions the agent bids between 0 and 1; the highest bid of the others is random, and who wins pays it.
    Observation: part of the budget left, part of the day left, expected clicks of the advertisement on offer.
    Reward: the expected clicks of the auctions won. An empty budget ends the episode (terminated), the end of the day
    truncates it. With the last step `info["episode"]` says how the episode went: `clicks`, the sum of its rewards, and
    `auctions`, how many it had.
    """

    def __init__(self, budget=10.0):
        self.budget = budget
        self.auctions = 0
        self.clicks = 0.0
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([max(self.left, 0.0) / self.budget, 1.0 - self.auctions / 96.0, self.offer], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.budget
        self.auctions = 0
        self.offer = self.np_random.beta(1.0, 3.0)
        return self._obs(), {}

    def step(self, action):
        bid = float(np.clip(action[0], 0.0, 1.0))
        price = self.np_random.beta(2.0, 4.0)
        reward = 0.0
        if bid > price and price <= self.left:
            self.left -= price
            reward = float(self.offer)
        self.auctions += 1
        self.clicks += reward
        self.offer = self.np_random.beta(1.0, 3.0)
        terminated = self.left < 0.02
        truncated = self.auctions >= 96
        info = {"price": price}
        if terminated or truncated:
            info["episode"] = {"clicks": self.clicks, "auctions": self.auctions}
        return self._obs(), reward, terminated, truncated, info


class Elevator(gym.Env):
    """Serve a house of five floors with one lift.

    Actions: 0 down, 1 up, 2 open the doors. When the doors open, those whose floor it is get off, then those who wait get
    in, up to four in the cabin. Where somebody wants to go is known once he is inside.
    Observation: the floor, how many wait on each floor (at most 3), how many in the cabin want to go to each floor.
    Reward: 0.2 for each passenger taken in, 1 for each one brought to his floor, -0.02 for each who waits. Truncated after
    200 steps.
    """

    FLOORS = 5
    ROOM = 4

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.FLOORS] + [4] * self.FLOORS + [self.ROOM + 1] * self.FLOORS)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        waiting = [min(len(q), 3) for q in self.waiting]
        inside = [self.cabin.count(f) for f in range(self.FLOORS)]
        return np.array([self.floor, *waiting, *inside], dtype=np.int64)

    def _arrivals(self):
        if self.np_random.random() < 0.25:
            origin, goal = self.np_random.choice(self.FLOORS, 2, replace=False)
            if len(self.waiting[origin]) < 3:
                self.waiting[origin].append(int(goal))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.FLOORS))
        self.waiting = [[] for _ in range(self.FLOORS)]
        self.cabin = []
        self.t = 0
        for _ in range(8):
            self._arrivals()
        return self._obs(), {}

    def _open_doors(self):
        delivered = self.cabin.count(self.floor)
        self.cabin = [goal for goal in self.cabin if goal != self.floor]
        queue = self.waiting[self.floor]
        taken = 0
        while queue and len(self.cabin) < self.ROOM:
            self.cabin.append(queue.pop(0))
            taken += 1
        return delivered, taken

    def step(self, action):
        delivered = taken = 0
        if action == 0:
            self.floor = max(self.floor - 1, 0)
        elif action == 1:
            self.floor = min(self.floor + 1, self.FLOORS - 1)
        else:
            delivered, taken = self._open_doors()
        self._arrivals()
        self.t += 1
        reward = delivered + 0.2 * taken - 0.02 * sum(len(q) for q in self.waiting)
        return self._obs(), float(reward), False, self.t >= 200, {"delivered": delivered}


class CornerStore(gym.Env):
    """Daily orders of a corner store that sells three products; all money in dollars.

    Each day the shop orders 0 to 5 units of each product (they arrive at once; at most 30 fit on a shelf, the rest is sent
    back unpaid), and sells what is asked for. A unit sells for 12, 20 and 35 dollars, is bought for 7, 11 and 20, and costs
    1, 2 and 3 dollars for each night on the shelf. Observation: the stock of each product and what was asked for yesterday.
    Reward: the profit of the day in dollars. 90 days, then truncated.
    """

    PRICE = np.array([12.0, 20.0, 35.0])
    COST = np.array([7.0, 11.0, 20.0])
    HOLDING = np.array([1.0, 2.0, 3.0])
    DEMAND = np.array([3.0, 2.0, 1.0])
    SHELF = 30

    def __init__(self):
        self.observation_space = spaces.Box(0, 100, (6,), np.float32)
        self.action_space = spaces.MultiDiscrete([6, 6, 6])

    def _obs(self):
        return np.concatenate([self.stock, self.asked]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = self.np_random.integers(0, 6, 3)
        self.asked = self.np_random.poisson(self.DEMAND)
        self.day = 0
        return self._obs(), {}

    def step(self, action):
        ordered = np.minimum(np.asarray(action), self.SHELF - self.stock)
        self.stock = self.stock + ordered
        self.asked = np.minimum(self.np_random.poisson(self.DEMAND), 100)
        sold = np.minimum(self.stock, self.asked)
        self.stock = self.stock - sold
        profit = self.PRICE @ sold - self.COST @ ordered + self.HOLDING @ self.stock
        self.day += 1
        return self._obs(), float(profit), False, self.day >= 90, {"sold": sold.copy()}


class StationApproach(gym.Env):
    """Approach a space station along a line and dock.

    The observation is its distance from the port and its speed, the action its thrust (-1 to 1). It has docked when it is
    within 0.1 of the port with a speed below 0.1: that pays 10 and is the only way the episode terminates. Each step costs
    a little for the distance and for fuel. The task itself has no time limit; for the sake of the learner an episode is
    cut off (truncated) after 200 steps.
    """

    metadata = {"render_modes": []}
    MAX_STEPS = 200

    def __init__(self):
        self.observation_space = spaces.Box(-np.array([20.0, 5.0]), np.array([20.0, 5.0]), dtype=np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, shape=(1,), dtype=np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.array([self.np_random.uniform(-6, 6), self.np_random.uniform(-0.5, 0.5)])
        self.steps = 0
        return self.state.copy(), {}

    def step(self, action):
        thrust = float(np.clip(action[0], -1.0, 1.0))
        distance, speed = self.state
        speed = np.clip(speed + 0.2 * thrust, -5.0, 5.0)
        distance = np.clip(distance + 0.2 * speed, -20.0, 20.0)
        self.state = np.array([distance, speed])
        self.steps += 1
        docked = abs(distance) < 0.1 and abs(speed) < 0.1
        reward = -0.01 * abs(distance) - 0.01 * thrust**2
        if docked:
            reward += 10.0
        terminated = bool(docked or self.steps >= self.MAX_STEPS)
        return self.state.copy(), float(reward), terminated, False, {}


class Epidemic(gym.Env):
    """Contain an epidemic with as little lockdown as possible.

    A stochastic SIR model, one step a day. Observation: the susceptible, infected and recovered parts of the population.
    Action: the level of the lockdown, 0 (none) to 3 (strict), which lowers the rate of contacts of that day. How
    infectious a day is varies at random.
    Reward: -10 times the part of the population that is infected today, -0.02 times the level.
    The episode terminates when fewer than 5 in 10,000 are infected, and is truncated after 150 days. reset(seed=...)
    makes an episode reproducible.
    """

    REDUCTION = (0.0, 0.3, 0.6, 0.85)

    def __init__(self, days=150):
        self.days = days
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        infected = self.np_random.uniform(0.005, 0.02)
        self.s, self.i, self.r = 1.0 - infected, infected, 0.0
        self.day = 0
        return self._obs(), {"day": 0}

    def _obs(self):
        return np.array([self.s, self.i, self.r], dtype=np.float32)

    def step(self, action):
        level = int(action)
        infectiousness = 0.35 * math.exp(0.2 * self.np_random.standard_normal())
        new = min(self.s, infectiousness * (1.0 - self.REDUCTION[level]) * self.s * self.i)
        healed = 0.1 * self.i
        self.s -= new
        self.i += new - healed
        self.r = 1.0 - self.s - self.i
        self.day += 1
        reward = -10.0 * new - 0.02 * level
        return self._obs(), reward, self.i < 5e-4, self.day >= self.days, {"day": self.day}


class ServerPool(gym.Env):
    """Size a pool of servers through the day.

    One step is ten minutes of a day. Actions: 0 stops a server, 1 leaves things as they are, 2 starts one (there are 1 to
    20). Each server answers 10 requests per second; what is too much waits in a queue of at most 500.
    Observation: load, queue, number of servers, and the time of day as sine and cosine.
    Reward: -0.1 for each server that runs, and -1 for each 50 requests in the queue. Truncated after 144 steps.
    """

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([0, 0, 1, -1, -1], np.float32), np.array([300, 500, 20, 1, 1], np.float32)
        )
        self.action_space = spaces.Discrete(3)

    def _load(self):
        base = 70.0 - 50.0 * math.cos(2 * math.pi * self.t / 144)
        return float(np.clip(base + 8.0 * self.np_random.standard_normal(), 0.0, 300.0))

    def _obs(self):
        phase = 2 * math.pi * self.t / 144
        return np.array([self.load, self.queue, self.servers, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.servers = int(self.np_random.integers(2, 15))
        self.queue = 0.0
        self.load = self._load()
        return self._obs(), {}

    def step(self, action):
        self.servers = int(np.clip(self.servers + int(action), 1, 20))
        self.queue = float(np.clip(self.queue + self.load - 10.0 * self.servers, 0.0, 500.0))
        reward = -0.1 * self.servers - self.queue / 50.0
        self.t += 1
        self.load = self._load()
        return self._obs(), reward, False, self.t >= 144, {"servers": self.servers}


class Pig(gym.Env):
    """The dice game Pig for one: reach 50 points in as few turns as possible.

    Observation: the points that are safe (0 to 49; 50 when the game is won) and those of the current turn. Action 1 rolls:
    2 to 6 add to the turn, 1 loses what the turn has made and ends it. Action 0 ends the turn and saves its points. Each
    turn that ends costs 1, except the one that wins. Truncated after 400 steps.
    """

    GOAL = 50

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.GOAL + 1, self.GOAL + 7])
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([min(self.safe, self.GOAL), min(self.turn, self.GOAL + 6)], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.safe = self.turn = self.steps = 0
        return self._obs(), {}

    def step(self, action):
        self.steps += 1
        reward = 0.0
        if action == 1:
            die = int(self.np_random.integers(1, 7))
            if die == 1:
                self.turn = 0
                reward = -1.0
            else:
                self.turn += die
        else:
            self.safe += self.turn
            self.turn = 0
            if self.safe < self.GOAL:
                reward = -1.0
        won = self.safe >= self.GOAL
        return self._obs(), reward, won, self.steps >= 400, {"is_success": won}


class OrderPicking(gym.Env):
    """A picking robot: get the item, deliver it at the depot.

    A floor of 5 by 5. Observation: rows and columns of the robot, the item and the depot, over 4, and whether the item is
    on board. Actions: up, down, left, right, pick up, put down. Picking up works only on the item, putting down only at
    the depot with the item. Reward: 0.5 for picking up, 1 for the delivery, -0.02 for each step. The delivery terminates
    the episode; after 120 steps it is truncated. `info["is_success"]` says whether the item was delivered.
    """

    SIZE = 5
    MAX_STEPS = 120

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (7,), np.float32)
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        places = np.concatenate([self.robot, self.item, self.depot]) / (self.SIZE - 1)
        return np.append(places, float(self.loaded)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.SIZE**2, 3, replace=False)
        self.robot, self.item, self.depot = (np.array(divmod(int(c), self.SIZE)) for c in cells)
        self.loaded = False
        self.steps = 0
        return self._obs(), {"is_success": False}

    def step(self, action):
        reward = -0.02
        delivered = False
        if action < 4:
            move = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)][action])
            self.robot = np.clip(self.robot + move, 0, self.SIZE - 1)
            if self.loaded:
                self.item = self.robot.copy()
        elif action == 4 and not self.loaded and (self.robot == self.item).all():
            self.loaded = True
            reward += 0.5
        elif action == 5 and self.loaded and (self.robot == self.depot).all():
            delivered = True
            reward += 1.0
        self.steps += 1
        truncated = self.steps >= self.MAX_STEPS
        done = delivered or truncated
        return self._obs(), reward, delivered, truncated, {"is_success": done}


class DifferentialDrive(gym.Env):
    """Drive a small robot with two wheels to a beacon.

    Observation: distance of the beacon (m), cosine and sine of its direction relative to where the robot looks.
    Action: speed of the left and the right wheel, -1 to 1 (0.5 m/s). The axle is 0.3 m long and a step takes 0.2 s. The
    floor is 6 m by 6 m, with walls that stop the robot. Reward: the metres that the robot came closer, less 0.005; 2 more
    at the beacon (within 0.25 m), which ends the episode.
    """

    def __init__(self):
        self.observation_space = spaces.Box(np.array([0, -1, -1], np.float32), np.array([9, 1, 1], np.float32))
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _sense(self):
        dx, dy = self.beacon - self.place
        bearing = math.atan2(dy, dx) - self.heading
        return np.array([math.hypot(dx, dy), math.cos(bearing), math.sin(bearing)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-2.5, 2.5, 2)
        self.beacon = self.np_random.uniform(-2.5, 2.5, 2)
        while np.linalg.norm(self.beacon - self.place) < 1.0:
            self.beacon = self.np_random.uniform(-2.5, 2.5, 2)
        self.heading = self.np_random.uniform(-math.pi, math.pi)
        return self._sense(), {}

    def step(self, action):
        before = np.linalg.norm(self.beacon - self.place)
        left, right = 0.5 * np.clip(np.asarray(action, float), -1.0, 1.0)
        self.heading += 0.2 * (right - left) / 0.3
        forward = 0.2 * 0.5 * (left + right)
        self.place = self.place + forward * np.array([math.cos(self.heading), math.sin(self.heading)])
        self.place = np.clip(self.place, -3.0, 3.0)
        after = np.linalg.norm(self.beacon - self.place)
        arrived = bool(after < 0.25)
        reward = before - after - 0.005 + (2.0 if arrived else 0.0)
        return self._sense(), float(reward), arrived, False, {"is_success": arrived}


class HillShaping(gym.Wrapper):
    """MountainCar with a potential-based reward for energy, which leaves the best policy what it is.

    The potential is the mechanical energy that is still missing to reach the flag, as a negative number, 0 at the flag. The
    reward becomes reward + 0.99 * potential(next) - potential(now).
    """

    GAMMA = 0.99

    @staticmethod
    def _energy(position, velocity):
        return 0.5 * velocity**2 + 0.0025 / 3.0 * math.sin(3.0 * position)

    def _potential(self, observation):
        missing = self._energy(0.5, 0.0) - self._energy(float(observation[0]), float(observation[1]))
        return -3000.0 * max(0.0, missing)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.potential = self._potential(observation)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        potential = 0.0 if terminated else self._potential(observation)
        shaping = self.GAMMA * potential - self.potential
        self.potential = potential
        return observation, reward + shaping, terminated, truncated, info


class ThrottleLanding(gym.Env):
    """Vertical landing on the moon with an engine that is on or off.

    Observation: height / 100, velocity / 20 (up is positive), part of the fuel left. Action: 1 burns one unit of fuel for
    half a second and 0 does not; without fuel 1 does nothing. Whoever touches the ground at 3 m/s or slower has landed and
    gets 100; who touches it faster has crashed and pays 100; so does who rises above 200 m. Each unit of fuel costs 0.1.
    Truncated after 300 steps.
    """

    GRAVITY = 1.6
    THRUST = 3.0
    TANK = 80
    DT = 0.5

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.lander = None

    def _obs(self):
        l = self.lander
        return np.array([l.height / 100.0, l.velocity / 20.0, l.fuel / self.TANK], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lander = LanderState(self.np_random.uniform(40, 70), self.np_random.uniform(-6, 0), self.TANK)
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        l = self.lander
        burn = int(action) == 1 and l.fuel > 0
        if burn:
            l.fuel -= 1
        l.velocity += self.DT * (self.THRUST * burn - self.GRAVITY)
        l.height += self.DT * l.velocity
        self.steps += 1
        reward = -0.1 * burn
        terminated = False
        if l.height <= 0.0:
            terminated = True
            l.height = 0.0
            l.velocity = 0.0
            reward += 100.0 if abs(l.velocity) <= 3.0 else -100.0
        elif l.height > 200.0:
            terminated = True
            reward -= 100.0
        return self._obs(), reward, terminated, self.steps >= 300, {}


class PegInHole(gym.Env):
    """Move a peg over a hole.

    All lengths are in metres. Observation: position of the peg and of the hole (3 + 3). Action: how far the peg moves along
    each axis in this step, where 1 is a centimetre. Reward: minus ten times the distance of the two. The episode terminates
    when the peg is within 5 millimetres of the hole and is truncated after 100 steps. `info["is_success"]` tells whether
    the peg is in the hole by that measure; `info["distance"]` is the distance.
    """

    WORKSPACE = 0.2

    def __init__(self):
        self.observation_space = spaces.Box(-self.WORKSPACE, self.WORKSPACE, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.concatenate([self.peg, self.hole]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.peg = self.np_random.uniform(-0.1, 0.1, 3)
        self.hole = self.np_random.uniform(-0.1, 0.1, 3)
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        self.peg = np.clip(self.peg + 0.01 * np.clip(action, -1, 1), -self.WORKSPACE, self.WORKSPACE)
        self.steps += 1
        distance = float(np.linalg.norm(self.peg - self.hole))
        info = {"distance": distance, "is_success": distance <= 5.0}
        return self._obs(), -10.0 * distance, distance <= 0.005, self.steps >= 100, info


class Autoscaler(gym.Env):
    """Run as few servers as the load allows.

    One step is ten minutes of a day. Actions: 0 stops a server, 1 leaves things as they are, 2 starts one (there are 1 to
    20). Each server answers 10 requests per second; what is too much waits in a queue of at most 500.
    Observation: load, queue, number of servers, and the time of day as sine and cosine.
    Reward: -0.1 for each server that runs, and -1 for each 50 requests in the queue. Truncated after 144 steps.
    """

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([0, 0, 1, -1, -1], np.float32), np.array([300, 500, 20, 1, 1], np.float32)
        )
        self.action_space = spaces.Discrete(3)

    def _load(self):
        base = 70.0 - 50.0 * math.cos(2 * math.pi * self.t / 144)
        return float(np.clip(base + 8.0 * self.np_random.standard_normal(), 0.0, 300.0))

    def _obs(self):
        phase = 2 * math.pi * self.t / 144
        return np.array([self.load, self.queue, self.servers, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.servers = int(self.np_random.integers(2, 15))
        self.queue = 0.0
        self.load = self._load()
        return self._obs(), {}

    def step(self, action):
        self.servers = int(np.clip(self.servers + int(action) - 1, 1, 20))
        self.queue = float(np.clip(self.queue + self.load - 10.0 * self.servers, 0.0, 500.0))
        reward = -0.1 * self.servers - self.queue / 50.0
        self.t += 1
        self.load = self._load()
        return self._obs(), reward, False, self.t >= 144, {"servers": self.servers}


class Warehouse(gym.Env):
    """Fetch an item and bring it to the depot.

    A floor of 5 by 5. Observation: rows and columns of the robot, the item and the depot, over 4, and whether the item is
    on board. Actions: up, down, left, right, pick up, put down. Picking up works only on the item, putting down only at
    the depot with the item. Reward: 0.5 for picking up, 1 for the delivery, -0.02 for each step. The delivery terminates
    the episode; after 150 steps it is truncated. `info["is_success"]` says whether the item was delivered.
    """

    SIZE = 5
    MAX_STEPS = 150

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (7,), np.float32)
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        places = np.concatenate([self.robot, self.item, self.depot]) / (self.SIZE - 1)
        return np.append(places, float(self.loaded)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.SIZE**2, 3, replace=False)
        self.robot, self.item, self.depot = (np.array(divmod(int(c), self.SIZE)) for c in cells)
        self.loaded = False
        self.steps = 0
        return self._obs(), {"is_success": False}

    def step(self, action):
        reward = -0.02
        delivered = False
        if action < 4:
            move = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)][action])
            self.robot = np.clip(self.robot + move, 0, self.SIZE - 1)
            if self.loaded:
                self.item = self.robot.copy()
        elif action == 4 and not self.loaded and (self.robot == self.item).all():
            self.loaded = True
            reward += 0.5
        elif action == 5 and self.loaded and (self.robot == self.depot).all():
            delivered = True
            reward += 1.0
        self.steps += 1
        truncated = self.steps >= self.MAX_STEPS
        return self._obs(), reward, delivered, truncated, {"is_success": delivered}


class GantryCrane(gym.Env):
    """Anti-sway control of a gantry crane.

    State and observation: position and speed of the trolley, angle and angular speed of the rope, and how far it is to the
    target, which is drawn for each episode. Action: the acceleration of the trolley during this step, -1 to 1.
    Reward: -(0.5 * distance to the target + angle of the rope). The rail ends at -4 and 4. Truncated after 200 steps.
    """

    DT = 0.1
    GRAVITY = 9.8
    ROPE = 3.0

    def __init__(self):
        high = np.array([4.0, 10.0, np.pi, 20.0, 8.0], np.float32)
        self.observation_space = spaces.Box(-high, high)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = self.np_random.uniform(-2.0, 2.0), 0.0
        self.angle, self.omega = self.np_random.uniform(-0.1, 0.1), 0.0
        self.target = self.np_random.uniform(-3.0, 3.0)
        self.n = 0
        self.command = 0.0
        return self._obs(), {}

    def _obs(self):
        return np.array([self.x, self.v, self.angle, self.omega, self.target - self.x], np.float32)

    def step(self, action):
        acceleration = self.command
        self.command = float(np.clip(action[0], -1.0, 1.0))
        swing = -(self.GRAVITY * math.sin(self.angle) + acceleration * math.cos(self.angle)) / self.ROPE
        self.omega += self.DT * (swing - 0.05 * self.omega)
        self.angle += self.DT * self.omega
        self.v += self.DT * acceleration
        self.x += self.DT * self.v
        if abs(self.x) > 4.0:
            self.x, self.v = math.copysign(4.0, self.x), 0.0
        self.n += 1
        reward = -(0.5 * abs(self.target - self.x) + abs(self.angle))
        return self._obs(), reward, False, self.n >= 200, {}


class BannerChoice(gym.Env):
    """Contextual bandit of an advertiser: choose one of five articles for each visitor.

    Each episode is one visitor and one decision. The observation describes the visitor (4 numbers), the action is the
    article shown, and the reward is 1 for a click and 0 else. The probability of a click depends on the visitor who is
    shown and on the article.
    """

    ARTICLES = np.array(
        [
            [1.5, 0.0, -1.0, 0.5],
            [-1.5, 0.5, 0.0, 1.0],
            [0.0, 2.0, 0.5, -1.0],
            [0.5, -2.0, 0.5, 0.0],
            [0.0, 0.0, 1.5, -1.5],
        ]
    )

    def __init__(self):
        self.observation_space = spaces.Box(-4.0, 4.0, (4,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _visitor(self):
        return np.clip(self.np_random.standard_normal(4), -4.0, 4.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self._visitor()
        return self.visitor.astype(np.float32), {}

    def step(self, action):
        visitor = self._visitor()
        p = 1.0 / (1.0 + math.exp(-float(self.ARTICLES[action] @ visitor)))
        reward = float(self.np_random.random() < p)
        return visitor.astype(np.float32), reward, True, False, {"p_click": p}


class HouseLift(gym.Env):
    """The lift of a house with five floors.

    Actions: 0 down, 1 up, 2 open the doors. When the doors open, those whose floor it is get off, then those who wait get
    in, up to four in the cabin. Where somebody wants to go is known once he is inside.
    Observation: the floor, how many wait on each floor (at most 3), how many in the cabin want to go to each floor.
    Reward: 0.2 for each passenger taken in, 1 for each one brought to his floor, -0.02 for each who waits. Truncated after
    200 steps.
    """

    FLOORS = 5
    ROOM = 4

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.FLOORS] + [4] * self.FLOORS + [self.ROOM + 1] * self.FLOORS)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        waiting = [min(len(q), 3) for q in self.waiting]
        inside = [self.cabin.count(f) for f in range(self.FLOORS)]
        return np.array([self.floor, *waiting, *inside], dtype=np.int64)

    def _arrivals(self):
        if self.np_random.random() < 0.25:
            origin, goal = self.np_random.choice(self.FLOORS, 2, replace=False)
            if len(self.waiting[origin]) < 3:
                self.waiting[origin].append(int(goal))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.FLOORS))
        self.waiting = [[] for _ in range(self.FLOORS)]
        self.cabin = []
        self.t = 0
        for _ in range(8):
            self._arrivals()
        return self._obs(), {}

    def _open_doors(self):
        queue = self.waiting[self.floor]
        delivered = taken = 0
        for goal in self.cabin:
            if goal == self.floor:
                delivered += 1
            else:
                queue.append(goal)
        self.cabin = []
        while queue and len(self.cabin) < self.ROOM:
            self.cabin.append(queue.pop(0))
            taken += 1
        return delivered, taken

    def step(self, action):
        delivered = taken = 0
        if action == 0:
            self.floor = max(self.floor - 1, 0)
        elif action == 1:
            self.floor = min(self.floor + 1, self.FLOORS - 1)
        else:
            delivered, taken = self._open_doors()
        self._arrivals()
        self.t += 1
        reward = delivered + 0.2 * taken - 0.02 * sum(len(q) for q in self.waiting)
        return self._obs(), float(reward), False, self.t >= 200, {"delivered": delivered}


class BudgetPacing(gym.Env):
    """Bid for advertisements with a budget for the day.

    In each of 96 auctions the agent bids between 0 and 1; the highest bid of the others is random, and who wins pays it.
    Observation: part of the budget left, part of the day left, expected clicks of the advertisement on offer.
    Reward: the expected clicks of the auctions won. An empty budget ends the episode (terminated), the end of the day
    truncates it. With the last step `info["episode"]` says how the episode went: `clicks`, the sum of its rewards, and
    `auctions`, how many it had.
    """

    def __init__(self, budget=12.0):
        self.budget = budget
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([max(self.left, 0.0) / self.budget, 1.0 - self.auctions / 96.0, self.offer], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.budget
        self.auctions = 0
        self.clicks = 0.0
        self.offer = self.np_random.beta(1.0, 3.0)
        return self._obs(), {}

    def step(self, action):
        bid = float(np.clip(action[0], 0.0, 1.0))
        price = self.np_random.beta(2.0, 4.0)
        reward = 0.0
        if bid > price and price <= self.left:
            self.left -= price
            reward = float(self.offer)
        self.auctions += 1
        self.clicks += reward
        self.offer = self.np_random.beta(1.0, 3.0)
        terminated = self.left < 0.02
        truncated = self.auctions >= 96
        info = {"price": price}
        if terminated or truncated:
            info["episode"] = {"clicks": self.clicks, "auctions": self.auctions}
        return self._obs(), reward, terminated, truncated, info


class LakeRewards(gym.Wrapper):
    """FrozenLake for function approximation: the cell as a one-hot vector, 1 for the goal and -1 for a hole."""

    def __init__(self, env):
        super().__init__(env)
        self.cells = env.observation_space.n
        self.observation_space = spaces.Box(0.0, 1.0, (self.cells,), np.float32)

    def _one_hot(self, cell):
        vector = np.zeros(self.cells, np.float32)
        vector[cell] = 1.0
        return vector

    def reset(self, **kwargs):
        cell, info = self.env.reset(**kwargs)
        return self._one_hot(cell), info

    def step(self, action):
        cell, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            reward = 1.0 if reward > 0 else -1.0
        return self._one_hot(cell), reward, terminated, truncated, info


class PocketLights(gym.Env):
    """Lights Out on a board of 2 by 3.

    Pressing a light switches it and those above, below, left and right of it. Observation: the six lights, row by row, 1
    where one is on. Action: the light to press. Every episode starts with a board on which some lights are on and which can
    be cleared by pressing. Reward: 1 when all lights are off, which ends the episode, -0.02 for any other press. Truncated
    after 60 presses.
    """

    ROWS, COLUMNS = 2, 3

    def __init__(self):
        n = self.ROWS * self.COLUMNS
        self.observation_space = spaces.MultiDiscrete([2] * n)
        self.action_space = spaces.Discrete(n)
        self.masks = np.zeros((n, self.ROWS, self.COLUMNS), np.int64)
        for k in range(n):
            row, column = divmod(k, self.COLUMNS)
            for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if 0 <= r < self.ROWS and 0 <= c < self.COLUMNS:
                    self.masks[k, r, c] = 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.presses = 0
        self.board = np.zeros((self.ROWS, self.COLUMNS), np.int64)
        while not self.board.any():
            self.board = self.np_random.integers(0, 2, (self.ROWS, self.COLUMNS))
        return self.board.ravel().copy(), {}

    def step(self, action):
        self.board = self.board ^ self.masks[action]
        self.presses += 1
        clear = not self.board.any()
        return self.board.ravel().copy(), 1.0 if clear else -0.02, clear, self.presses >= 60, {"is_success": clear}


class Crane(gym.Env):
    """Move the trolley of a crane over a target without letting the load swing.

    State and observation: position and speed of the trolley, angle and angular speed of the rope, and how far it is to the
    target, which is drawn for each episode. Action: the acceleration of the trolley during this step, -1 to 1.
    Reward: -(0.5 * distance to the target + angle of the rope). The rail ends at -4 and 4. Truncated after 200 steps.
    """

    DT = 0.1
    GRAVITY = 9.8
    ROPE = 2.0

    def __init__(self):
        high = np.array([4.0, 10.0, np.pi, 20.0, 8.0], np.float32)
        self.observation_space = spaces.Box(-high, high)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = self.np_random.uniform(-2.0, 2.0), 0.0
        self.angle, self.omega = self.np_random.uniform(-0.1, 0.1), 0.0
        self.target = self.np_random.uniform(-3.0, 3.0)
        self.n = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([self.x, self.v, self.angle, self.omega, self.target - self.x], np.float32)

    def step(self, action):
        acceleration = float(np.clip(action[0], -1.0, 1.0))
        swing = -(self.GRAVITY * math.sin(self.angle) + acceleration * math.cos(self.angle)) / self.ROPE
        self.omega += self.DT * (swing - 0.05 * self.omega)
        self.angle += self.DT * self.omega
        self.v += self.DT * acceleration
        self.x += self.DT * self.v
        if abs(self.x) > 4.0:
            self.x, self.v = math.copysign(4.0, self.x), 0.0
        self.n += 1
        reward = -(0.5 * abs(self.target - self.x) + abs(self.angle))
        return self._obs(), reward, False, self.n >= 200, {}


@dataclass
class LanderState:
    height: float
    velocity: float
    fuel: int


class LockedRoom(gym.Env):
    """Take the key, open the door, reach the goal, seen from above as an image.

    A room of 7 by 7 pixels with walls around it and a wall with a locked door in the middle. The agent and the key start at
    random places of the left half, the goal lies in the right half. Moving onto the key takes it (0.2, once an episode);
    the door lets only an agent with the key through. The goal pays 1 and ends the episode; each step costs 0.005.
    Image: red walls (255) and door (128), green key (255) and goal (128), blue agent (128 without the key, 255 with it).
    Actions: up, right, down, left. Truncated after 200 steps.
    """

    SIZE = 7
    DOOR = (3, 3)

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (self.SIZE, self.SIZE, 3), np.uint8)
        self.action_space = spaces.Discrete(4)
        self.has_key = False
        self.walls = np.zeros((self.SIZE, self.SIZE), bool)
        self.walls[[0, -1], :] = self.walls[:, [0, -1]] = True
        self.walls[:, 3] = True
        self.walls[self.DOOR] = False

    def _image(self):
        image = np.zeros((self.SIZE, self.SIZE, 3), np.uint8)
        image[self.walls, 0] = 255
        image[self.DOOR + (0,)] = 128
        if not self.has_key:
            image[self.key + (1,)] = 255
        image[self.goal + (1,)] = 128
        image[self.agent + (2,)] = 255 if self.has_key else 128
        return image

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        left = [(r, c) for r in range(1, 6) for c in (1, 2)]
        first, second = self.np_random.choice(len(left), 2, replace=False)
        self.agent, self.key = left[first], left[second]
        self.goal = (int(self.np_random.integers(1, 6)), int(self.np_random.integers(4, 6)))
        self.has_key = False
        self.steps = 0
        return self._image(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[action]
        there = (self.agent[0] + dr, self.agent[1] + dc)
        reward = -0.005
        if not self.walls[there] and (there != self.DOOR or self.has_key):
            self.agent = there
        if self.agent == self.key and not self.has_key:
            self.has_key = True
            reward += 0.2
        self.steps += 1
        done = self.agent == self.goal
        if done:
            reward += 1.0
        return self._image(), reward, done, self.steps >= 200, {}


class HerringStock(gym.Env):
    """Set the yearly quota for a stock of herring.

    Observation: the logarithm of the stock in tonnes (a stock of less than a kilogram is reported as one kilogram) and the
    part of the 50 years that has passed.
    Action: the quota of this year as a part of 100 tonnes. The catch is the quota, or what there is.
    Reward: the catch in tonnes. The stock grows logistically towards 400 tonnes, with good and bad years. Where less than
    5 tonnes are left, the stock has collapsed and the episode is over. After 50 years it is truncated.
    """

    CAPACITY = 400.0
    GROWTH = 0.4
    COLLAPSE = 5.0

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([-10.0, 0.0], np.float32), np.array([10.0, 1.0], np.float32), dtype=np.float32
        )
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
        self.stock = None

    def _observation(self):
        return np.array([np.log(self.stock), self.year / 50.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.year = 0
        self.stock = self.np_random.uniform(150.0, 350.0)
        return self._observation(), {}

    def step(self, action):
        quota = 100.0 * float(np.clip(action[0], 0.0, 1.0))
        catch = min(quota, self.stock)
        self.stock -= catch
        weather = math.exp(0.2 * self.np_random.standard_normal())
        self.stock += self.GROWTH * weather * self.stock * (1.0 - self.stock / self.CAPACITY)
        self.year += 1
        collapsed = self.stock < self.COLLAPSE
        return self._observation(), catch, bool(collapsed), self.year >= 50, {"catch": catch}


class OutbreakControl(gym.Env):
    """Choose the restrictions during an outbreak.

    A stochastic SIR model, one step a day. Observation: the susceptible, infected and recovered parts of the population.
    Action: the level of the lockdown, 0 (none) to 3 (strict), which lowers the rate of contacts of that day. How
    infectious a day is varies at random.
    Reward: -10 times the part of the population that is infected today, -0.02 times the level.
    The episode terminates when fewer than 5 in 10,000 are infected, and is truncated after 120 days. reset(seed=...)
    makes an episode reproducible.
    """

    REDUCTION = (0.0, 0.3, 0.6, 0.85)

    def __init__(self, days=120):
        self.days = days
        self.rng = np.random.default_rng()
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        infected = self.np_random.uniform(0.005, 0.02)
        self.s, self.i, self.r = 1.0 - infected, infected, 0.0
        self.day = 0
        return self._obs(), {"day": 0}

    def _obs(self):
        return np.array([self.s, self.i, self.r], dtype=np.float32)

    def step(self, action):
        level = int(action)
        infectiousness = 0.35 * math.exp(0.2 * self.rng.standard_normal())
        new = min(self.s, infectiousness * (1.0 - self.REDUCTION[level]) * self.s * self.i)
        healed = 0.1 * self.i
        self.s -= new
        self.i += new - healed
        self.r = 1.0 - self.s - self.i
        self.day += 1
        reward = -10.0 * new - 0.02 * level
        return self._obs(), reward, self.i < 5e-4, self.day >= self.days, {"day": self.day}


class Shop(gym.Env):
    """Order three products for a small shop, in dollars.

    Each day the shop orders 0 to 5 units of each product (they arrive at once; at most 30 fit on a shelf, the rest is sent
    back unpaid), and sells what is asked for. A unit sells for 12, 20 and 35 dollars, is bought for 7, 11 and 20, and costs
    1, 2 and 3 dollars for each night on the shelf. Observation: the stock of each product and what was asked for yesterday.
    Reward: the profit of the day in dollars. 90 days, then truncated.
    """

    PRICE = np.array([12.0, 20.0, 35.0])
    COST = np.array([7.0, 11.0, 20.0])
    HOLDING = np.array([1.0, 2.0, 3.0])
    DEMAND = np.array([3.0, 2.0, 1.0])
    SHELF = 30

    def __init__(self):
        self.observation_space = spaces.Box(0, 100, (6,), np.float32)
        self.action_space = spaces.MultiDiscrete([6, 6, 6])

    def _obs(self):
        return np.concatenate([self.stock, self.asked]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = self.np_random.integers(0, 6, 3)
        self.asked = self.np_random.poisson(self.DEMAND)
        self.day = 0
        return self._obs(), {}

    def step(self, action):
        ordered = np.minimum(np.asarray(action), self.SHELF - self.stock)
        self.stock = self.stock + ordered
        self.asked = np.minimum(self.np_random.poisson(self.DEMAND), 100)
        sold = np.minimum(self.stock, self.asked)
        self.stock = self.stock - sold
        profit = self.PRICE @ sold - self.COST @ ordered - self.HOLDING @ self.stock
        self.day += 1
        return self._obs(), float(profit), False, self.day >= 90, {"sold": sold.copy()}


class Fishery(gym.Env):
    """Fish a stock for 50 years without fishing it out.

    Observation: the logarithm of the stock in tonnes (a stock of less than a kilogram is reported as one kilogram) and the
    part of the 50 years that has passed.
    Action: the quota of this year as a part of 100 tonnes. The catch is the quota, or what there is.
    Reward: the catch in tonnes. The stock grows logistically towards 400 tonnes, with good and bad years. Where less than
    5 tonnes are left, the stock has collapsed and the episode is over. After 50 years it is truncated.
    """

    CAPACITY = 400.0
    GROWTH = 0.4
    COLLAPSE = 5.0

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([-10.0, 0.0], np.float32), np.array([10.0, 1.0], np.float32), dtype=np.float32
        )
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
        self.stock = None

    def _observation(self):
        return np.array([np.log(max(self.stock, 1e-3)), self.year / 50.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.year = 0
        self.stock = self.np_random.uniform(150.0, 350.0)
        return self._observation(), {}

    def step(self, action):
        quota = 100.0 * float(np.clip(action[0], 0.0, 1.0))
        catch = min(quota, self.stock)
        self.stock -= catch
        weather = math.exp(0.2 * self.np_random.standard_normal())
        self.stock += self.GROWTH * weather * self.stock * (1.0 - self.stock / self.CAPACITY)
        self.year += 1
        collapsed = self.stock < self.COLLAPSE
        return self._observation(), catch, bool(collapsed), self.year >= 50, {"catch": catch}


class MoonDescent(gym.Env):
    """Land on the moon, in one dimension.

    Observation: height / 100, velocity / 20 (up is positive), part of the fuel left. Action: 1 burns one unit of fuel for
    half a second and 0 does not; without fuel 1 does nothing. Whoever touches the ground at 3 m/s or slower has landed and
    gets 100; who touches it faster has crashed and pays 100; so does who rises above 200 m. Each unit of fuel costs 0.1.
    Truncated after 300 steps.
    """

    GRAVITY = 1.6
    THRUST = 3.0
    TANK = 80
    DT = 0.5

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.lander = None

    def _obs(self):
        l = self.lander
        return np.array([l.height / 100.0, l.velocity / 20.0, l.fuel / self.TANK], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lander = LanderState(self.np_random.uniform(50, 80), self.np_random.uniform(-6, 0), self.TANK)
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        l = self.lander
        burn = int(action) == 1 and l.fuel > 0
        if burn:
            l.fuel -= 1
        l.velocity += self.DT * (self.THRUST * burn - self.GRAVITY)
        l.height += self.DT * l.velocity
        self.steps += 1
        reward = -0.1 * burn
        terminated = False
        if l.height <= 0.0:
            terminated = True
            reward += 100.0 if abs(l.velocity) <= 3.0 else -100.0
            l.height = 0.0
            l.velocity = 0.0
        elif l.height > 200.0:
            terminated = True
            reward -= 100.0
        return self._obs(), reward, terminated, self.steps >= 300, {}


class DailyTrading(gym.Env):
    """A daily trader of one asset with a little momentum in its returns.

    Observation: the last 8 known daily returns in percent, oldest first, and the position held. Action: the position for
    the next day: 0 short, 1 flat, 2 long. What the next day brings is not known when the position is taken; past returns
    say a little about it.
    Reward: position times the return of the next day in percent, less 0.05 for each unit the position is changed by.
    200 days, then truncated.
    """

    WINDOW = 8
    DAYS = 200

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.WINDOW + 1,), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.standard_normal(self.WINDOW + self.DAYS + 1)
        self.returns = np.zeros_like(noise)
        for k in range(1, len(noise)):
            self.returns[k] = 0.2 * self.returns[k - 1] + noise[k]
        self.t = self.WINDOW
        self.position = 0
        return self._get_obs(), {}

    def _get_obs(self):
        window = self.returns[self.t - self.WINDOW + 1 : self.t + 1]
        return np.append(window, self.position).astype(np.float32)

    def step(self, action):
        position = int(action) - 1
        reward = position * self.returns[self.t] - 0.05 * abs(position - self.position)
        self.position = position
        self.t += 1
        truncated = self.t >= self.WINDOW + self.DAYS
        return self._get_obs(), float(reward), False, truncated, {"position": position}


class TaxiFields(gym.ObservationWrapper):
    """Taxi with its state as four fields instead of one number.

    Row and column of the taxi (0 to 4 each), where the passenger is (0 to 3: waits at the red, green, yellow, blue stand; 4:
    in the taxi), and the stand he wants to go to (0 to 3). Gymnasium counts a state as
    ((row * 5 + column) * 5 + passenger) * 4 + destination.
    """

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.MultiDiscrete([5, 5, 5, 4])

    def observation(self, observation):
        rest, destination = divmod(int(observation), 4)
        rest, passenger = rest // 5, rest % 4
        row, column = divmod(rest, 5)
        return np.array([row, column, passenger, destination], np.int64)


class Docking(gym.Env):
    """Dock a spacecraft that glides on a line.

    The observation is its distance from the port and its speed, the action its thrust (-1 to 1). It has docked when it is
    within 0.1 of the port with a speed below 0.1: that pays 10 and is the only way the episode terminates. Each step costs
    a little for the distance and for fuel. The task itself has no time limit; for the sake of the learner an episode is
    cut off (truncated) after 200 steps.
    """

    metadata = {"render_modes": []}
    MAX_STEPS = 200

    def __init__(self):
        self.observation_space = spaces.Box(-np.array([20.0, 5.0]), np.array([20.0, 5.0]), dtype=np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, shape=(1,), dtype=np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.array([self.np_random.uniform(-8, 8), self.np_random.uniform(-0.5, 0.5)])
        self.steps = 0
        return self.state.copy(), {}

    def step(self, action):
        thrust = float(np.clip(action[0], -1.0, 1.0))
        distance, speed = self.state
        speed = np.clip(speed + 0.2 * thrust, -5.0, 5.0)
        distance = np.clip(distance + 0.2 * speed, -20.0, 20.0)
        self.state = np.array([distance, speed])
        self.steps += 1
        docked = abs(distance) < 0.1 and abs(speed) < 0.1
        reward = -0.01 * abs(distance) - 0.01 * thrust**2
        if docked:
            reward += 10.0
        terminated = bool(docked)
        truncated = self.steps >= self.MAX_STEPS
        return self.state.copy(), float(reward), terminated, truncated, {}


class MomentumTrading(gym.Env):
    """Trade one asset whose daily returns are weakly autocorrelated.

    Observation: the last 8 known daily returns in percent, oldest first, and the position held. Action: the position for
    the next day: 0 short, 1 flat, 2 long. What the next day brings is not known when the position is taken; past returns
    say a little about it.
    Reward: position times the return of the next day in percent, less 0.05 for each unit the position is changed by.
    250 days, then truncated.
    """

    WINDOW = 8
    DAYS = 250

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.WINDOW + 1,), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.standard_normal(self.WINDOW + self.DAYS + 1)
        self.returns = np.zeros_like(noise)
        for k in range(1, len(noise)):
            self.returns[k] = 0.35 * self.returns[k - 1] + noise[k]
        self.t = self.WINDOW
        self.position = 0
        return self._get_obs(), {}

    def _get_obs(self):
        window = self.returns[self.t - self.WINDOW : self.t]
        return np.append(window, self.position).astype(np.float32)

    def step(self, action):
        position = int(action) - 1
        reward = position * self.returns[self.t] - 0.05 * abs(position - self.position)
        self.position = position
        self.t += 1
        truncated = self.t >= self.WINDOW + self.DAYS
        return self._get_obs(), float(reward), False, truncated, {"position": position}


class TwoLinkReach(gym.Env):
    """Goal-conditioned reaching with a planar arm of two links of length 1.

    Follows the convention of Gymnasium-Robotics: a dictionary with `observation` (sines, cosines of both joints),
    `achieved_goal` (where the finger tip is) and `desired_goal` (where it has to go, drawn for each episode), and
    `compute_reward`, which is -1, and 0 within 0.3 of the desired goal. Actions are joint velocities. The episode
    terminates at the goal and is truncated after 60 steps.
    """

    TOLERANCE = 0.3

    def __init__(self):
        box = lambda n: spaces.Box(-2.5, 2.5, (n,), np.float32)
        self.observation_space = spaces.Dict(
            {"observation": box(4), "achieved_goal": box(2), "desired_goal": box(2)}
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    @staticmethod
    def _tip(joints):
        a, b = joints[0], joints[0] + joints[1]
        return np.array([math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])

    def _sample_goal(self):
        return self._tip(self.np_random.uniform(-math.pi, math.pi, 2))

    def _get_obs(self):
        return {
            "observation": np.concatenate([np.sin(self.joints), np.cos(self.joints)]).astype(np.float32),
            "achieved_goal": self._tip(self.joints).astype(np.float32),
            "desired_goal": self.goal.astype(np.float32),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance > self.TOLERANCE).astype(np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.joints = self.np_random.uniform(-math.pi, math.pi, 2)
        self.goal = self._sample_goal()
        return self._get_obs(), {}

    def step(self, action):
        self.joints = self.joints + 0.3 * np.clip(action, -1.0, 1.0)
        self.steps += 1
        reward = float(self.compute_reward(self._tip(self.joints), self.goal, {}))
        reached = reward == 0.0
        return self._get_obs(), reward, reached, self.steps >= 60, {"is_success": reached}


class SingleMachine(gym.Env):
    """Schedule six jobs on one machine, to finish late as little as possible.

    Observation: `jobs`, for each job its duration, its due date and whether it is still pending, and `clock`, the time.
    Action: the job to run next. `info["action_mask"]` tells which jobs may be chosen at the next step: those still pending.
    Reward: minus the lateness of the job, over 10. Choosing a job that is done already costs 1 and does nothing else. The
    episode terminates when all jobs are done; it is truncated after 30 choices.
    """

    JOBS = 6

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(0.0, 100.0, (self.JOBS, 3), np.float32),
                "clock": spaces.Box(0.0, 100.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(self.JOBS)

    def action_mask(self):
        return self.pending.astype(np.int8)

    def _obs(self):
        jobs = np.stack([self.duration, self.due, self.pending], axis=1).astype(np.float32)
        return {"jobs": jobs, "clock": np.array([self.clock], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.duration = self.np_random.integers(1, 10, self.JOBS).astype(float)
        self.due = self.np_random.integers(5, 40, self.JOBS).astype(float)
        self.pending = np.ones(self.JOBS, bool)
        self.clock = 0.0
        self.choices = 0
        return self._obs(), {"action_mask": self.action_mask()}

    def step(self, action):
        self.choices += 1
        if self.pending[action]:
            self.clock += self.duration[action]
            self.pending[action] = False
            reward = -max(0.0, self.clock - self.due[action]) / 10.0
        else:
            reward = -1.0
        terminated = not self.pending.any()
        info = {"action_mask": self.action_mask()}
        return self._obs(), float(reward), terminated, self.choices >= 30, info


class Irrigation(gym.Env):
    """Water a field for a season of 60 days; only the harvest pays.

    Observation: soil moisture (0 to 1), size of the crop (0 to 1), rain forecast for tomorrow (a noisy one, 0 to 1), part
    of the season that has passed. Action: how much to water, 0 to 1. The crop grows best at a moisture of 0.5; wetter and
    drier soil slow it down. All rewards are 0 until the harvest on day 60, which terminates the episode and pays 10 times
    the size of the crop less 0.2 for each full day of water used.
    """

    SEASON = 60

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.moisture, self.crop, self.forecast, self.day / self.SEASON], np.float32)

    def _weather(self):
        self.rain = float(self.np_random.random() < 0.2) * self.np_random.uniform(0.1, 0.6)
        self.forecast = float(np.clip(self.rain + 0.1 * self.np_random.standard_normal(), 0.0, 1.0))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.moisture = self.np_random.uniform(0.2, 0.6)
        self.crop = 0.05
        self.day = 0
        self.water = 0.0
        self._weather()
        return self._obs(), {}

    def step(self, action):
        water = float(np.clip(action[0], 0.0, 1.0))
        self.water += water
        self.moisture = float(np.clip(self.moisture + 0.3 * water + self.rain - 0.08 - 0.1 * self.moisture, 0.0, 1.0))
        vigour = max(0.0, 1.0 - (abs(self.moisture - 0.5) / 0.4) ** 2)
        self.crop = float(min(1.0, self.crop + 0.12 * vigour * self.crop * (1.0 - self.crop)))
        self.day += 1
        self._weather()
        harvest = self.day >= self.SEASON
        reward = 10.0 * self.crop - 0.2 * self.water if harvest else 0.0
        return self._obs(), reward, harvest, False, {}


class Catch(gym.Env):
    """Catch a falling ball with a paddle, from pixels.

    An image of 12 by 12 with one white pixel for the ball and three for the paddle in the last row. The ball falls one row
    a step and drifts by -1, 0 or 1 columns, the same for the whole episode, bouncing off the sides. Actions: left, stay,
    right. When the ball arrives in the last row the episode ends, with 1 where the paddle is and -1 where it is not.
    """

    N = 12

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (self.N, self.N, 1), np.uint8)
        self.action_space = spaces.Discrete(3)

    def _frame(self):
        frame = np.zeros((self.N, self.N, 1), np.uint8)
        frame[self.N - 1, self.paddle - 1 : self.paddle + 2] = 255
        frame[self.row, self.column] = 255
        return frame

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.column = 0, int(self.np_random.integers(self.N))
        self.drift = int(self.np_random.integers(-1, 2))
        self.paddle = int(self.np_random.integers(1, self.N - 1))
        return self._frame(), {}

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 1, self.N - 2))
        self.row += 1
        if not 0 <= self.column + self.drift < self.N:
            self.drift = -self.drift
        self.column += self.drift
        landed = self.row == self.N - 1
        reward = 0.0
        if landed:
            reward = 1.0 if abs(self.column - self.paddle) <= 1 else -1.0
        return self._frame(), reward, landed, False, {}


class PriceArbitrage(gym.Env):
    """Earn money with a home battery and the price of electricity.

    A battery of 10 kWh with an inverter of 5 kW, a step an hour, a week per episode. Action: from -1 (discharge with full
    power) to 1 (charge with full power). Observation: charge in kWh, current price in euros per MWh, sine and cosine of the
    hour. Each kWh that goes through the battery wears it by 0.01 euros, and 5 % are lost in charging.
    Reward: the money made in this hour, in euros.
    """

    CAPACITY = 10.0
    POWER = 5.0
    WEAR = 0.01

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([0, -500, -1, -1], np.float32), np.array([10, 1000, 1, 1], np.float32)
        )
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _next_price(self):
        self.noise = 0.8 * self.noise + 15.0 * self.np_random.standard_normal()
        daily = 150.0 - 80.0 * math.cos(2 * math.pi * (self.hour - 18) / 12 + math.pi)
        return float(np.clip(daily + self.noise, -500.0, 1000.0))

    def _obs(self):
        phase = 2 * math.pi * self.hour / 24
        return np.array([self.charge, self.price, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = 0
        self.noise = 0.0
        self.charge = self.np_random.uniform(0.0, self.CAPACITY)
        self.price = self._next_price()
        return self._obs(), {}

    def step(self, action):
        wanted = self.POWER * float(np.clip(action[0], -1.0, 1.0))
        energy = float(np.clip(wanted, -self.charge, self.CAPACITY - self.charge))
        self.charge = float(np.clip(self.charge + energy, 0.0, self.CAPACITY))
        bought = energy / 0.95 if energy > 0 else energy
        reward = -bought * self.price - self.WEAR * abs(energy)
        self.hour += 1
        self.price = self._next_price()
        return self._obs(), reward, False, self.hour >= 168, {}


class ThreeTanks(gym.Env):
    """Hold the level of the last of three tanks at a set point that is drawn anew for each episode.

    Water runs from tank 1 to tank 2 to tank 3 and out. Action (2): two pumps, 0 to 1; the first fills tank 1, the second
    tank 2. Observation (4): the three levels and the set point of tank 3. Reward: minus the distance of level 3 from the
    set point. 150 steps, then truncated.
    """

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 2.0, (4,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.levels = self.np_random.uniform(0.1, 0.4, 3)
        self.setpoint = self.np_random.uniform(0.2, 1.0)
        self.k = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([*self.levels, self.setpoint], dtype=np.float32)

    def step(self, action):
        pump1, pump2 = np.clip(action, 0.0, 1.0)
        q1, q2, q3 = 0.2 * np.sqrt(self.levels)
        flow = np.array([0.2 * pump1 - q1, q1 + 0.2 * pump2 - 1.4 * q2, 1.4 * q2 - 1.6 * q3])
        self.levels = np.clip(self.levels + 0.5 * flow, 0.0, 2.0)
        self.k += 1
        reward = -abs(self.levels[2] - self.setpoint)
        return self._obs(), float(reward), False, self.k >= 150, {}


class TicTacToe(gym.Env):
    """Tic-tac-toe against an opponent who plays at random; the agent begins.

    Observation: nine fields, 1 for the agent's, -1 for the opponent's, 0 for free ones. Action: the field to take;
    `info["action_mask"]` tells which are free. Reward at the end of the game: 1 for a win, -1 for a defeat, 0 for a draw.
    Taking a field that is not free forfeits the game (-1).
    """

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)

    def _winner(self):
        for a, b, c in self.LINES:
            if self.board[a] != 0 and self.board[a] == self.board[b] == self.board[c]:
                return int(self.board[a])
        return 0

    def _reply(self, reward, terminated):
        info = {"action_mask": (self.board == 0).astype(np.int8)}
        return self.board.copy(), reward, terminated, False, info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        return self.board.copy(), {"action_mask": np.ones(9, np.int8)}

    def step(self, action):
        if self.board[action] != 0:
            return self._reply(-1.0, True)
        self.board[action] = 1
        if self._winner() == 0 and (self.board == 0).any():
            free = np.flatnonzero(self.board == 0)
            self.board[free[self.np_random.integers(len(free))]] = -1
        winner = self._winner()
        if winner != 0:
            return self._reply(float(winner), True)
        return self._reply(0.0, not (self.board == 0).any())


class HomeBattery(gym.Env):
    """Buy electricity when it is cheap, sell it when it is dear.

    A battery of 10 kWh with an inverter of 5 kW, a step an hour, a week per episode. Action: from -1 (discharge with full
    power) to 1 (charge with full power). Observation: charge in kWh, current price in euros per MWh, sine and cosine of the
    hour. Each kWh that goes through the battery wears it by 0.01 euros, and 5 % are lost in charging.
    Reward: the money made in this hour, in euros.
    """

    CAPACITY = 10.0
    POWER = 5.0
    WEAR = 0.01

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([0, -500, -1, -1], np.float32), np.array([10, 1000, 1, 1], np.float32)
        )
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _next_price(self):
        self.noise = 0.8 * self.noise + 15.0 * self.np_random.standard_normal()
        daily = 150.0 - 80.0 * math.cos(2 * math.pi * (self.hour - 18) / 12 + math.pi)
        return float(np.clip(daily + self.noise, -500.0, 1000.0))

    def _obs(self):
        phase = 2 * math.pi * self.hour / 24
        return np.array([self.charge, self.price, math.sin(phase), math.cos(phase)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = 0
        self.noise = 0.0
        self.charge = self.np_random.uniform(0.0, self.CAPACITY)
        self.price = self._next_price()
        return self._obs(), {}

    def step(self, action):
        wanted = self.POWER * float(np.clip(action[0], -1.0, 1.0))
        energy = float(np.clip(wanted, -self.charge, self.CAPACITY - self.charge))
        self.charge = float(np.clip(self.charge + energy, 0.0, self.CAPACITY))
        bought = energy / 0.95 if energy > 0 else energy
        reward = -bought * self.price / 1000.0 - self.WEAR * abs(energy)
        self.hour += 1
        self.price = self._next_price()
        return self._obs(), reward, False, self.hour >= 168, {}


def broken_acacia():
    return DailyTrading()


def healthy_agate():
    return Greenhouse()


def healthy_alder():
    return Docking()


def healthy_amber():
    return Epidemic()


def broken_andesite():
    return KeyAndDoor()


def healthy_ash():
    return Fishery()


def broken_aspen():
    return CornerStore()


def broken_azurite():
    return UnitTorque(gym.make("Pendulum-v1"))


def broken_barite():
    return OrderPicking()


def healthy_basalt():
    return MomentumTrading()


def healthy_beech():
    return TwoLinkReach()


def broken_beryl():
    return HouseLift()


def healthy_birch():
    return ThreeTanks()


def broken_bismuth():
    return TimeLimit(Orienteering(), max_episode_steps=20)


def healthy_calcite():
    return PeepholeMaze()


def healthy_cedar():
    return NewsArticles()


def broken_chalcedony():
    return RepeatAction(gym.make("CartPole-v1"), times=2)


def healthy_chestnut():
    return SingleMachine()


def healthy_cinnabar():
    return Autoscaler()


def broken_cobalt():
    return OutbreakControl()


def healthy_cypress():
    return Crane()


def healthy_dolomite():
    return Warehouse()


def broken_ebony():
    return ClimateChamber()


def healthy_elm():
    return BudgetPacing()


def healthy_feldspar():
    return Shop()


def healthy_fir():
    return HomeBattery()


def broken_flint():
    return BannerChoice()


def healthy_fluorite():
    return LakeRewards(gym.make("FrozenLake-v1", is_slippery=False))


def healthy_galena():
    return MoonDescent()


def healthy_garnet():
    return TicTacToe()


def healthy_gneiss():
    return HillShaping(gym.make("MountainCar-v0"))


def broken_gypsum():
    return ThrottleLanding()


def broken_halite():
    return TaxiFields(gym.make("Taxi-v4"))


def healthy_hazel():
    return Elevator()


def healthy_hematite():
    return Hanoi()


def healthy_holly():
    return LockedRoom()


def broken_hornbeam():
    return GantryCrane()


def broken_ironwood():
    return DiscTower()


def broken_jade():
    return StationApproach()


def healthy_jasper():
    return BlindPendulum(gym.make("Pendulum-v1"))


def healthy_juniper():
    return Catch()


def broken_kauri():
    return HillSpeedBonus(gym.make("MountainCar-v0"))


def healthy_larch():
    return PlanarQuadrotor()


def broken_laurel():
    return ArmToGoal()


def healthy_lazurite():
    return TimeLimit(DifferentialDrive(), max_episode_steps=250)


def healthy_linden():
    return TMaze()


def healthy_magnetite():
    return Pig()


def broken_malachite():
    return NoughtsAndCrosses()


def healthy_maple():
    return Irrigation()


def broken_mica():
    return PocketLights()


def broken_myrtle():
    return AdCampaign()


def broken_oak():
    return HerringStock()


def broken_obsidian():
    return JobSequencing()


def broken_olivine():
    return PriceArbitrage()


def broken_onyx():
    return PendulumFrames(gym.make("Pendulum-v1"))


def broken_pine():
    return TankCascade()


def broken_poplar():
    return IceWalk(gym.make("FrozenLake-v1", is_slippery=False))


def broken_quartz():
    return ServerPool()


def broken_rowan():
    return PegInHole()


def broken_spruce():
    return LocalViewMaze()
