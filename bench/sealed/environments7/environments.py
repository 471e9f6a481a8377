"""A collection of small reinforcement-learning environments."""

import math
import random
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit


class Warehouse(gym.Env):
    """A robot on a 6x6 floor walks to a parcel and then to the hatch at (0, 0)."""

    MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))

    def __init__(self, size=6):
        self.size = size
        self.observation_space = spaces.Box(0.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        k = self.size - 1
        return np.array([*(self.robot / k), *(self.parcel / k), float(self.loaded)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = np.random.default_rng()
        self.robot = rng.integers(1, self.size, 2)
        self.parcel = rng.integers(1, self.size, 2)
        self.loaded = False
        return self._obs(), {}

    def step(self, action):
        self.robot = np.clip(self.robot + self.MOVES[int(action)], 0, self.size - 1)
        reward = -0.02
        if not self.loaded and np.array_equal(self.robot, self.parcel):
            self.loaded = True
            reward += 0.5
        done = self.loaded and not self.robot.any()
        if done:
            reward += 1.0
        return self._obs(), reward, bool(done), False, {}


def broken_warehouse():
    return TimeLimit(Warehouse(), 80)


class Sailing(gym.Env):
    """Sail a dinghy to the buoy at (8, 0). The wind gusts; the rudder turns the boat."""

    def __init__(self):
        self.observation_space = spaces.Box(-30.0, 30.0, (5,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.x, self.y, math.cos(self.h), math.sin(self.h), self.wind], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = 0.0, float(self.np_random.uniform(-4, 4))
        self.h = float(self.np_random.uniform(-1, 1))
        self.wind = 1.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        before = math.hypot(8 - self.x, self.y)
        self.wind = min(2.0, max(0.3, self.wind + random.gauss(0, 0.15)))
        self.h += 0.3 * float(np.clip(action[0], -1, 1))
        self.x = min(30.0, max(-30.0, self.x + 0.25 * self.wind * math.cos(self.h)))
        self.y = min(30.0, max(-30.0, self.y + 0.25 * self.wind * math.sin(self.h)))
        now = math.hypot(8 - self.x, self.y)
        self.t += 1
        there = now < 0.8
        return self._obs(), before - now + (5.0 if there else 0.0), there, self.t >= 150, {}


def broken_sailing():
    return Sailing()


class Bakery(gym.Env):
    """Bake 0 to 7 trays each hour. Unmet orders wait, stale bread is thrown away."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(8)
        self.waiting = 0
        self.shelf = 0

    def _obs(self):
        return np.array([self.shelf / 20, min(self.waiting, 60) / 60, self.hour / 24], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.shelf = int(self.np_random.integers(3, 8))
        self.hour = 0
        return self._obs(), {}

    def step(self, action):
        self.shelf = min(20, self.shelf + int(action))
        orders = int(self.np_random.poisson(3 + 1.5 * math.sin(self.hour * math.pi / 12)))
        demand = self.waiting + orders
        sold = min(self.shelf, demand)
        self.shelf -= sold
        self.waiting = min(60, demand - sold)
        self.hour += 1
        reward = 1.0 * sold - 0.3 * int(action) - 0.05 * self.shelf - 0.2 * self.waiting
        return self._obs(), float(reward), self.hour >= 24, False, {"sold": sold}


def broken_bakery():
    return Bakery()


class JunctionLight(gym.Env):
    """Two queues at a crossing; the action chooses which road has green. It never ends by itself."""

    def __init__(self, horizon=120):
        self.horizon = horizon
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.q[0] / 30, self.q[1] / 30, self.green], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.integers(0, 10, 2)
        self.green = 0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        switched = int(action) != self.green
        self.green = int(action)
        self.q = np.minimum(30, self.q + self.np_random.poisson((0.9, 0.6)))
        if not switched:
            self.q[self.green] = max(0, self.q[self.green] - 3)
        self.t += 1
        over = self.t >= self.horizon
        return self._obs(), -float(self.q.sum()) / 30, over, False, {}


def broken_junction_light():
    return JunctionLight()


class HedgeMaze(gym.Env):
    """A fixed 7x7 hedge maze with a fountain in the middle."""

    PLAN = ("#.....#", "..###..", ".#...#.", ".#.F.#.", ".#...#.", "..#.#..", "#.....#")

    def __init__(self):
        self.free = [(r, c) for r in range(7) for c in range(7) if self.PLAN[r][c] == "."]
        self.observation_space = spaces.MultiDiscrete([7, 7])
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.free[int(self.np_random.integers(len(self.free)))]
        self.t = 0
        return np.array(self.at), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        r, c = self.at[0] + dr, self.at[1] + dc
        if 0 <= r < 7 and 0 <= c < 7 and self.PLAN[r][c] != "#":
            self.at = (r, c)
        self.t += 1
        found = self.PLAN[self.at[0]][self.at[1]] == "F"
        terminated = False
        truncated = found or self.t >= 100
        return np.array(self.at), 1.0 if found else -0.01, terminated, truncated, {}


def broken_hedge_maze():
    return HedgeMaze()


class CallCentre(gym.Env):
    """Decide each minute how many of 6 agents are on the line."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, np.inf, (3,), np.float32)
        self.action_space = spaces.Discrete(7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.waits = [0] * int(self.np_random.integers(1, 6))
        self.load = 0.0
        return np.array([len(self.waits), 0.0, 0.0], np.float32), {}

    def step(self, action):
        staff = int(action)
        self.waits += [0] * min(int(self.np_random.poisson(2.0)), 40 - len(self.waits))
        answered, self.waits = self.waits[:staff], self.waits[staff:]
        self.waits = [w + 1 for w in self.waits]
        mean_wait = np.sum(self.waits) / np.float64(len(self.waits))
        self.load = 0.9 * self.load + 0.1 * len(answered)
        obs = np.array([len(self.waits), mean_wait, self.load], np.float32)
        reward = len(answered) - 0.4 * staff - 0.05 * len(self.waits)
        return obs, float(reward), False, False, {}


def broken_call_centre():
    return TimeLimit(CallCentre(), 100)


class Hopper1D(gym.Env):
    """A lander with one engine must touch the pad gently."""

    def __init__(self):
        self.observation_space = spaces.Box(-50.0, 50.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.t = 0

    def _obs(self):
        return np.array([self.z, self.v, self.fuel], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.z = float(self.np_random.uniform(8, 14))
        self.v = float(self.np_random.uniform(-1, 0))
        self.fuel = 30.0
        return self._obs(), {}

    def step(self, action):
        burn = 1.0 if int(action) == 1 and self.fuel > 0 else 0.0
        self.fuel -= burn
        self.v += 0.2 * (2.2 * burn - 1.0)
        self.z = min(50.0, self.z + 0.2 * self.v)
        self.t += 1
        landed = self.z <= 0
        reward = -0.01 * burn
        if landed:
            self.z = 0.0
            reward += 10.0 if abs(self.v) < 1.2 else -2.0 * abs(self.v)
        return self._obs(), float(reward), landed, self.t >= 200, {}


def broken_lander1d():
    return Hopper1D()


class BikeShare(gym.Env):
    """Five docks; each hour the van moves two bikes from one dock to another."""

    docks = [0, 0, 0, 0, 0]

    def __init__(self):
        self.observation_space = spaces.Box(0, 60, (5,), np.int64)
        self.action_space = spaces.MultiDiscrete([5, 5])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        for i in range(5):
            self.docks[i] = int(self.np_random.integers(4, 9))
        return np.array(self.docks), {}

    def step(self, action):
        src, dst = int(action[0]), int(action[1])
        n = min(2, self.docks[src])
        self.docks[src] -= n
        self.docks[dst] += n
        lost = 0
        for _ in range(4):
            a = int(self.np_random.choice(5, p=(0.4, 0.25, 0.15, 0.1, 0.1)))
            b = int(self.np_random.choice(5, p=(0.1, 0.1, 0.15, 0.25, 0.4)))
            if self.docks[a] == 0:
                lost += 1
            else:
                self.docks[a] -= 1
                self.docks[b] += 1
        return np.array(self.docks), -float(lost), False, False, {"lost": lost}


def broken_bike_share():
    return TimeLimit(BikeShare(), 72)


class SolarBattery(gym.Env):
    """Charge, hold or sell from a battery under a changing sun and price."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 2.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.charge / 10, self.sun, self.price, self.hour / 48], np.float32)

    def _weather(self):
        day = max(0.0, math.sin((self.hour % 24 - 6) * math.pi / 12))
        self.sun = day * float(self.rng.uniform(0.3, 1.0))
        self.price = float(np.clip(self.price + self.rng.normal(0, 0.1), 0.2, 2.0))

    def reset(self, *, seed=None, options=None):
        self.rng = np.random.default_rng(2023 if seed is None else seed)
        super().reset(seed=seed)
        self.hour = 0
        self.charge = float(self.rng.uniform(0, 5))
        self.price = float(self.rng.uniform(0.5, 1.5))
        self._weather()
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 0:
            self.charge = min(10.0, self.charge + 2 * self.sun)
        elif action == 1:
            reward = self.sun * self.price
        else:
            sold = min(2.0, self.charge)
            self.charge -= sold
            reward = sold * self.price
        self.hour += 1
        self._weather()
        return self._obs(), float(reward), self.hour >= 48, False, {}


def broken_solar_battery():
    return SolarBattery()


class Hover(gym.Env):
    """Keep a drone at two metres. The flight ends on the ground or above the ceiling at four metres."""

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.z = float(self.np_random.uniform(1.5, 2.5))
        self.v = float(self.np_random.normal(0, 0.1))
        return np.array([self.z, self.v], np.float32), {}

    def step(self, action):
        thrust = 20.0 * float(np.clip(action[0], 0, 1))
        self.v += 0.02 * (thrust - 9.81 - 0.2 * self.v)
        self.z += 0.02 * self.v
        crashed = self.z <= 0.0 and self.z >= 4.0
        reward = 1.0 - min(1.0, abs(self.z - 2.0))
        return np.array([self.z, self.v], np.float32), reward, crashed, False, {}


def broken_drone_hover():
    return TimeLimit(Hover(), 400)


class SpringChain(gym.Env):
    """Three masses on springs; push the first so that the last one stays at its target."""

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (7,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.dt = 0.1
        self.k = 40.0

    def _obs(self):
        return np.concatenate([self.x, self.v, [self.target]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.normal(0, 0.05, 3)
        self.v = np.zeros(3)
        self.target = float(self.np_random.uniform(-0.3, 0.3))
        return self._obs(), {}

    def step(self, action):
        left = np.concatenate([[0.0], self.x[:-1]])
        right = np.concatenate([self.x[1:], [self.x[-1]]])
        force = self.k * (left - self.x) + self.k * (right - self.x) - 0.5 * self.v
        force[0] += 20.0 * float(np.clip(action[0], -1, 1))
        x = self.x + self.dt * self.v
        self.v = self.v + self.dt * force
        self.x = x
        reward = math.exp(-min(50.0, abs(self.x[2] - self.target) * 5))
        return self._obs(), reward, False, False, {}


def broken_spring_chain():
    return TimeLimit(SpringChain(), 100)


class FruitCatch(gym.Env):
    """Catch fruit with a basket; the first miss ends the game."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 8, (3,), np.int32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.basket, self.fx, self.fy], np.int32)

    def _drop(self):
        self.fx, self.fy = int(self.np_random.integers(0, 9)), 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.basket = 4
        self._drop()
        return self._obs(), {}

    def step(self, action):
        self.basket = min(8, max(0, self.basket + int(action) - 1))
        self.fy += 1
        reward, missed = 0.0, False
        if self.fy == 8:
            missed = self.fx != self.basket
            reward = -1.0 if missed else 1.0
            self._drop()
        return self._obs(), reward, missed, False, {}


class SkipFrames(gym.Wrapper):
    """Repeat each action n times and add up the rewards."""

    def __init__(self, env, n):
        super().__init__(env)
        self.n = n

    def step(self, action):
        total = 0.0
        for _ in range(self.n):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += reward
        return obs, total, terminated, truncated, info


def broken_fruit_catch():
    return TimeLimit(SkipFrames(FruitCatch(), 3), 100)


class FireLine(gym.Env):
    """Dig a fire break on a strip of forest before the fire, which starts somewhere, spreads."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * 12)
        self.action_space = spaces.Discrete(12)
        self.level = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level += 1
        self.spread = min(1.0, 0.15 + 0.02 * self.level)
        self.cells = np.zeros(12, np.int64)
        self.cells[self.np_random.integers(3, 9)] = 1
        self.t = 0
        return self.cells.copy(), {}

    def step(self, action):
        if self.cells[int(action)] == 0:
            self.cells[int(action)] = 2
        burning = np.flatnonzero(self.cells == 1)
        lost = 0
        for i in burning:
            for j in (i - 1, i + 1):
                if 0 <= j < 12 and self.cells[j] == 0 and self.np_random.random() < self.spread:
                    self.cells[j] = 1
                    lost += 1
        self.t += 1
        safe = all(self.cells[j] != 0 for i in np.flatnonzero(self.cells == 1) for j in (i - 1, i + 1) if 0 <= j < 12)
        reward = -float(lost) + (float((self.cells == 0).sum()) if safe else 0.0)
        return self.cells.copy(), reward, safe, self.t >= 40, {}


def broken_fire_line():
    return FireLine()


class Parking(gym.Env):
    """Stop a car inside the bay at x = 5. info tells whether it succeeded."""

    def __init__(self):
        self.observation_space = spaces.Box(-20.0, 20.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.x, self.v], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.t = float(self.np_random.uniform(-5, 1)), 0.0, 0
        return self._obs(), {"is_success": False}

    def step(self, action):
        old = abs(5 - self.x)
        self.v = float(np.clip(self.v + 0.15 * (int(action) - 1), -1.5, 1.5))
        self.x = float(np.clip(self.x + self.v * 0.5, -20, 20))
        self.t += 1
        parked = abs(self.x - 5) < 0.4 and abs(self.v) < 0.2
        late = self.t >= 100 and not parked
        reward = old - abs(5 - self.x) + 5.0 * parked
        return self._obs(), float(reward), parked, late, {"is_success": bool(late)}


def broken_parking():
    return Parking()


class Kitchen(gym.Env):
    """Put the pan on, add the eggs, stir, serve: the right next step of a shuffled recipe is shown."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([5, 4])
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([self.stage, self.recipe[min(self.stage, 3)]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.recipe = self.np_random.permutation(4)
        self.stage = 0
        return self._obs(), {}

    def step(self, action):
        right = int(action) == self.recipe[self.stage]
        self.stage = self.stage + 1 if right else self.stage
        return self._obs(), 1.0 if right else -0.2, self.stage == 4, False, {}


class FreshStart(gym.Wrapper):
    """Start the next round as soon as one is over."""

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            obs, info = self.env.reset()
        return obs, reward, terminated, truncated, info


def broken_kitchen():
    return FreshStart(TimeLimit(Kitchen(), 60))


class Boxing(gym.Env):
    """Jab, hook or block against an opponent whose next move is telegraphed."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            {"health": spaces.Box(0.0, 10.0, (2,), np.float32), "tell": spaces.Discrete(3)}
        )
        self.action_space = spaces.Discrete(3)
        self.rival = 10.0

    def _obs(self):
        return {"health": np.array([self.me, self.rival], np.float32), "tell": self.tell}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = 10.0
        self.tell = int(self.np_random.random() * 3)
        return self._obs(), {}

    def step(self, action):
        edge = (int(action) - self.tell) % 3
        hit, hurt = (1.0, 0.0) if edge == 1 else (0.0, 1.0) if edge == 2 else (0.25, 0.25)
        self.rival = max(0.0, self.rival - hit)
        self.me = max(0.0, self.me - hurt)
        self.tell = int(self.np_random.random() * 3)
        over = self.me == 0 or self.rival == 0
        reward = hit - hurt + (5.0 if self.rival == 0 and self.me > 0 else -5.0 if over else 0.0)
        return self._obs(), reward, over, False, {}


def broken_boxing():
    return TimeLimit(Boxing(), 100)


class BoilerRoom(gym.Env):
    """Hold the water of a boiler at the set point with a three-way burner switch."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 120.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.temp, self.setpoint], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.temp = float(self.np_random.uniform(20, 80))
        self.setpoint = float(self.np_random.uniform(40, 90))
        return self._obs(), {}

    def step(self, action):
        obs = self._obs()
        heat = (-8.0, 0.0, 10.0)[int(action)]
        self.temp = float(np.clip(self.temp + heat - 0.02 * (self.temp - 20), 0, 120))
        return obs, -abs(self.temp - self.setpoint) / 20, False, False, {}


def broken_boiler_room():
    return TimeLimit(BoilerRoom(), 100)


class Herding(gym.Env):
    """A dog drives three sheep into the pen at the origin."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (8,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.state = np.zeros(8, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state[:2] = self.np_random.uniform(-8, 8, 2)
        self.state[2:] = self.np_random.uniform(-6, 6, 6)
        return self.state, {}

    def step(self, action):
        before = np.linalg.norm(self.state[2:].reshape(3, 2), axis=1).mean()
        self.state[:2] += 0.8 * np.clip(action, -1, 1)
        for i in (2, 4, 6):
            away = self.state[i : i + 2] - self.state[:2]
            d = float(np.linalg.norm(away)) + 1e-6
            if d < 3:
                self.state[i : i + 2] += 0.5 * away / d
        np.clip(self.state, -10, 10, out=self.state)
        after = np.linalg.norm(self.state[2:].reshape(3, 2), axis=1).mean()
        penned = bool(after < 1.5)
        return self.state, float(before - after) + 5.0 * penned, penned, False, {}


def broken_herding():
    return TimeLimit(Herding(), 200)


class CourierDrone(gym.Env):
    """Deliver on a line of 20 houses and be back at the charger (house 0) before the battery is flat."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "house": spaces.Discrete(20),
                "order": spaces.Discrete(20),
                "battery": spaces.Box(0.0, 1.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return {"house": self.house, "order": self.order, "battery": self.gauge}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.house = int(self.np_random.integers(0, 5))
        self.order = int(self.np_random.integers(1, 20))
        self.battery = float(self.np_random.uniform(0.6, 1.0))
        self.gauge = np.array([self.battery], np.float32)
        return self._obs(), {}

    def step(self, action):
        self.house = min(19, max(0, self.house + int(action) - 1))
        self.battery = 1.0 if self.house == 0 else self.battery - 0.02
        reward = 0.0
        if self.house == self.order:
            reward = 1.0
            self.order = int(self.np_random.integers(1, 20))
        flat = self.battery <= 0
        return self._obs(), reward - 10.0 * flat, flat, False, {}


def broken_courier_drone():
    return TimeLimit(CourierDrone(), 300)


class TwoLink(gym.Env):
    """A planar arm with two joints points its tip at a target that moves to a new place each episode."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _tip(self):
        a, b = self.q
        return np.array([math.cos(a) + math.cos(a + b), math.sin(a) + math.sin(a + b)])

    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self._tip()]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        r, phi = self.np_random.uniform(0.5, 1.8), self.np_random.uniform(-math.pi, math.pi)
        self.target = r * np.array([math.cos(phi), math.sin(phi)])
        return self._obs(), {}

    def step(self, action):
        self.q = self.q + 0.2 * np.clip(action, -1, 1)
        d = float(np.linalg.norm(self._tip() - self.target))
        return self._obs(), -d + (1.0 if d < 0.1 else 0.0), False, False, {}


def broken_two_link():
    return TimeLimit(TwoLink(), 60)


class MotionCamera(gym.Env):
    """Aim a camera at the side to which a bright square moves; the observation is the change between frames."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (16, 16, 1), np.uint8)
        self.action_space = spaces.Discrete(2)

    def _frame(self):
        f = np.full((16, 16, 1), 40, np.uint8)
        f[6:10, self.x : self.x + 3] = 168
        return f

    def _obs(self):
        new = self._frame()
        change = (new - self.old) // 2 + 128
        self.old = new
        return change.astype(np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = int(self.np_random.integers(4, 9))
        self.dir = int(self.np_random.choice((-1, 1)))
        self.old = self._frame()
        self.x += self.dir
        return self._obs(), {}

    def step(self, action):
        right = (int(action) == 1) == (self.dir == 1)
        if self.np_random.random() < 0.3 or not 0 < self.x < 13:
            self.dir = 1 if self.x <= 0 else -1 if self.x >= 13 else -self.dir
        self.x += self.dir
        return self._obs(), 1.0 if right else -1.0, False, False, {}


def broken_motion_camera():
    return TimeLimit(MotionCamera(), 100)


class PixelPaddle(gym.Env):
    """Keep a ball in play above a paddle; the screen is the observation, with the last frame beside it."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (12, 12, 2), np.float32)
        self.action_space = spaces.Discrete(3)

    def _screen(self):
        s = np.zeros((12, 12), np.float32)
        s[11, max(0, self.p - 1) : self.p + 2] = 128
        s[self.by, self.bx] = 255
        return s / 255.0

    def _obs(self):
        now = self._screen()
        both = np.stack([now, self.last], axis=-1)
        self.last = now
        return (both / 255.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.by = 5, 1
        self.bx = int(self.np_random.integers(1, 11))
        self.dx, self.dy = int(self.np_random.choice((-1, 1))), 1
        self.last = self._screen()
        return self._obs(), {}

    def step(self, action):
        self.p = min(11, max(0, self.p + int(action) - 1))
        if not 0 <= self.bx + self.dx <= 11:
            self.dx = -self.dx
        self.bx += self.dx
        self.by += self.dy
        if self.by == 0:
            self.dy = 1
        reward, lost = 0.0, False
        if self.by == 10:
            if abs(self.bx - self.p) <= 1:
                reward, self.dy = 1.0, -1
        lost = self.by == 11
        return self._obs(), reward - lost, bool(lost), False, {}


def broken_pixel_paddle():
    return TimeLimit(PixelPaddle(), 300)


class Rover(gym.Env):
    """A rover in a 100 m by 100 m crater drives to its base."""

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (6,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        v = np.concatenate([self.pos, self.base, self.base - self.pos])
        return np.clip(v, -1.0, 1.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-50, 50, 2)
        self.base = self.np_random.uniform(-50, 50, 2)
        return self._obs(), {}

    def step(self, action):
        d0 = np.linalg.norm(self.base - self.pos)
        self.pos = np.clip(self.pos + 2.0 * np.array(((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)))[int(action)], -50, 50)
        d1 = np.linalg.norm(self.base - self.pos)
        home = bool(d1 < 2.0)
        return self._obs(), float(d0 - d1) / 2 + 10.0 * home, home, False, {}


def broken_rover():
    return TimeLimit(Rover(), 150)


class CompassTurn(gym.Env):
    """Turn a ship on to the ordered course. Angles are seen in radians."""

    def __init__(self):
        self.observation_space = spaces.Box(-math.pi, math.pi, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.heading, self.course], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heading, self.course = (float(v) for v in self.np_random.uniform(0, 360, 2))
        return self._obs(), {}

    def step(self, action):
        self.heading = (self.heading + 5.0 * (int(action) - 1)) % 360.0
        off = abs((self.heading - self.course + 180) % 360 - 180)
        return self._obs(), 1.0 - off / 90, bool(off < 3), False, {}


def broken_compass_turn():
    return TimeLimit(CompassTurn(), 80)


class TileRoom(gym.Env):
    """An 8x8 picture with a walker (channel 0), a door (channel 1) and puddles (channel 2)."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (8, 8, 3), np.uint8)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        img = np.zeros((8, 8, 3), np.uint8)
        img[self.pos[0], self.pos[1], 0] = 255
        img[self.door[1], self.door[0], 1] = 255
        for r, c in self.puddles:
            img[r, c, 2] = 255
        return img

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(64, 6, replace=False)
        spots = [(int(k) // 8, int(k) % 8) for k in cells]
        self.pos, self.door, self.puddles = list(spots[0]), spots[1], spots[2:]
        return self._obs(), {}

    def step(self, action):
        axis, delta = ((0, -1), (1, 1), (0, 1), (1, -1))[int(action)]
        self.pos[axis] = min(7, max(0, self.pos[axis] + delta))
        here = tuple(self.pos)
        out = here == self.door
        reward = 2.0 if out else -0.3 if here in self.puddles else -0.02
        return self._obs(), reward, out, False, {}


def broken_tile_room():
    return TimeLimit(TileRoom(), 60)


class SwingArm(gym.Env):
    """Swing a weak arm up and balance it; cost as in the classic pendulum."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-1, -8], np.float32), np.array([1, 8], np.float32))
        self.action_space = spaces.Box(-2.0, 2.0, (1,), np.float32)

    def _obs(self):
        return np.array([math.sin(self.th), self.w], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.th = float(self.np_random.uniform(-math.pi, math.pi))
        self.w = float(self.np_random.uniform(-1, 1))
        return self._obs(), {}

    def step(self, action):
        u = float(np.clip(action[0], -2, 2))
        th = (self.th + math.pi) % (2 * math.pi) - math.pi
        cost = th**2 + 0.1 * self.w**2 + 0.001 * u**2
        self.w = float(np.clip(self.w + 0.05 * (15 * math.sin(self.th) + 3 * u), -8, 8))
        self.th += 0.05 * self.w
        return self._obs(), -cost, False, False, {}


def broken_swing_arm():
    return TimeLimit(SwingArm(), 200)


class BallLine(gym.Env):
    """Stop a rolling ball at zero by tilting the table; only its place is seen."""

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (1,), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(-3, 3)), float(self.np_random.uniform(-0.3, 0.3))
        return np.array([self.x], np.float32), {}

    def step(self, action):
        self.v += 0.1 * (int(action) - 1)
        self.x += self.v
        fell = abs(self.x) > 5
        self.x = min(5.0, max(-5.0, self.x))
        reward = 1.0 - abs(self.x) / 5 - 10.0 * fell
        return np.array([self.x], np.float32), reward, fell, False, {}


class History(gym.Wrapper):
    """Show the last n observations, oldest first."""

    def __init__(self, env, n):
        super().__init__(env)
        box = env.observation_space
        self.frames = deque([np.zeros(box.shape, box.dtype)] * n, maxlen=n)
        self.observation_space = spaces.Box(np.tile(box.low, n), np.tile(box.high, n), dtype=box.dtype)

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        self.frames.append(obs)
        return np.concatenate(self.frames), info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(obs)
        return np.concatenate(self.frames), reward, terminated, truncated, info


def broken_ball_table():
    return TimeLimit(History(BallLine(), 4), 120)


class TwinTanks(gym.Env):
    """Two tanks drain at random; open one inlet, the other or none, so that neither runs dry or over."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        v = self.level - self.level.mean()
        return np.clip(v / (self.level.std() + 1e-8), -10, 10).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(2, 8, 2)
        return self._obs(), {}

    def step(self, action):
        if int(action) < 2:
            self.level[int(action)] += 1.0
        self.level -= self.np_random.uniform(0.1, 0.6, 2)
        out = bool((self.level <= 0).any() or (self.level >= 10).any())
        reward = 1.0 - float(np.abs(self.level - 5).mean()) / 5 - 5.0 * out
        return self._obs(), reward, out, False, {}


def broken_twin_tanks():
    return TimeLimit(TwinTanks(), 150)


class StockPick(gym.Env):
    """Be long, flat or short in a share. The last five daily returns up to today are shown."""

    def __init__(self, days=100):
        self.days = days
        self.observation_space = spaces.Box(-1.0, 1.0, (6,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        window = self.returns[self.day - 4 : self.day + 1]
        return np.array([*np.clip(window * 10, -1, 1), self.held], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.normal(0, 0.02, self.days + 10)
        self.returns = noise.copy()
        for i in range(1, len(noise)):
            self.returns[i] += 0.3 * self.returns[i - 1]
        self.day, self.held = 5, 0
        return self._obs(), {}

    def step(self, action):
        side = int(action) - 1
        gain = side * self.returns[self.day] - 0.0005 * abs(side - self.held)
        self.held = side
        self.day += 1
        return self._obs(), float(gain * 100), False, self.day >= self.days + 5, {}


def broken_stock_pick():
    return StockPick()


class MetroDriver(gym.Env):
    """Bring a train to rest at the platform mark. Distance and speed are seen."""

    def __init__(self):
        self.observation_space = spaces.Box(-400.0, 400.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        self.seen = self.x
        speed = self.x - self.seen
        return np.array([self.mark - self.x, speed], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = 0.0, float(self.np_random.uniform(5, 15))
        self.mark = float(self.np_random.uniform(120, 250))
        return self._obs(), {}

    def step(self, action):
        self.v = max(0.0, self.v + (-0.8, 0.0, 0.5)[int(action)])
        self.x += self.v
        stopped = self.v < 0.4 and self.x > 20
        past = self.x > self.mark + 100
        reward = -0.02
        if stopped or past:
            reward = 10.0 - min(12.0, abs(self.mark - self.x) / 5)
        return self._obs(), reward, stopped or past, False, {}


def broken_metro_driver():
    return TimeLimit(MetroDriver(), 150)


class TaxiRank(gym.Env):
    """Send the one free cab to one of four ranks; the counts of waiting guests are seen."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 20, (4,), np.int64)
        self.action_space = spaces.Discrete(4)
        self.view = np.zeros(4, np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.guests = self.np_random.integers(0, 6, 4)
        self.t = 0
        return self.view.copy(), {}

    def step(self, action):
        taken = min(4, int(self.guests[int(action)]))
        self.guests[int(action)] -= taken
        self.guests = np.minimum(20, self.guests + self.np_random.poisson(0.8, 4))
        self.view = self.guests.copy()
        self.t += 1
        return self.view.copy(), taken - 0.05 * float(self.guests.sum()), False, self.t >= 30, {}


def broken_taxi_rank():
    return TaxiRank()


class PuckPush(gym.Env):
    """Push a puck to its goal, in the dictionary form of goal-conditioned tasks."""

    def __init__(self):
        box = spaces.Box(-1.5, 1.5, (2,), np.float32)
        self.observation_space = spaces.Dict({"observation": box, "achieved_goal": box, "desired_goal": box})
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return {
            "observation": self.hand.astype(np.float32),
            "achieved_goal": self.puck.astype(np.float32),
            "desired_goal": self.puck.astype(np.float32),
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = self.np_random.uniform(-1, 1, 2)
        self.puck = self.np_random.uniform(-0.7, 0.7, 2)
        self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        return self._obs(), {}

    def step(self, action):
        self.hand = np.clip(self.hand + 0.1 * np.clip(action, -1, 1), -1.2, 1.2)
        gap = self.puck - self.hand
        d = float(np.linalg.norm(gap))
        if d < 0.15:
            self.puck = np.clip(self.hand + gap / max(d, 1e-6) * 0.15, -1.2, 1.2)
        off = float(np.linalg.norm(self.puck - self.goal))
        return self._obs(), -off - 0.2 * d, off < 0.12, False, {"is_success": off < 0.12}


def broken_puck_push():
    return TimeLimit(PuckPush(), 100)


class HelpDesk(gym.Env):
    """Answer the customer's last word with the right department; the words so far are token ids (0 is padding)."""

    VOCAB, WIDTH = 24, 8

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.VOCAB] * self.WIDTH)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        ids = self.words[: self.WIDTH]
        return np.array(ids + [0] * (self.WIDTH - len(ids)))

    def _say(self):
        self.words.append(int(self.np_random.integers(1, self.VOCAB)))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.words = []
        self._say()
        return self._obs(), {}

    def step(self, action):
        right = int(action) == self.words[-1] % 4
        self._say()
        return self._obs(), 1.0 if right else 0.0, False, len(self.words) > 40, {}


def broken_help_desk():
    return HelpDesk()


class Hexapod(gym.Env):
    """Six legs push a body forward; unequal pushes turn it, and it should walk straight along x."""

    LEVERS = np.array([1.0, 0.6, 0.3, -0.3, -0.6, -1.0])

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (6,), np.float32)

    def _obs(self):
        return np.array([self.speed, self.yaw, self.turn, self.y], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.speed = self.turn = 0.0
        self.yaw = float(self.np_random.uniform(-0.5, 0.5))
        self.y = float(self.np_random.uniform(-1, 1))
        return self._obs(), {}

    def step(self, action):
        push, twist = 0.0, 0.0
        for leg in range(len(self.LEVERS) - 1):
            force = float(np.clip(action[leg], -1, 1))
            push += force / 6
            twist += self.LEVERS[leg] * force / 6
        self.speed = 0.8 * self.speed + 0.2 * push
        self.turn = 0.8 * self.turn + 0.2 * twist
        self.yaw += 0.3 * self.turn
        self.y += 0.3 * self.speed * math.sin(self.yaw)
        reward = self.speed * math.cos(self.yaw) - 0.05 * abs(self.y)
        return self._obs(), reward, False, False, {}


def broken_hexapod():
    return TimeLimit(Hexapod(), 200)


class Kart(gym.Env):
    """Follow a winding lane. The action is throttle (0 to 1) and steering (-1 to 1)."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)
        self.action_space = spaces.Box(np.array([0, -1], np.float32), np.array([1, 1], np.float32))

    def _obs(self):
        return np.array([self.lat, self.ang, self.v, self.bend], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lat, self.ang, self.v = float(self.np_random.uniform(-0.5, 0.5)), 0.0, 0.2
        self.bend = 0.0
        return self._obs(), {}

    def step(self, action):
        steer, gas = np.clip(action, self.action_space.low, self.action_space.high)
        self.v = float(np.clip(self.v + 0.1 * gas - 0.05 * self.v, 0, 2))
        self.ang = float(np.clip(self.ang + 0.2 * steer - 0.2 * self.v * self.bend, -1.5, 1.5))
        self.lat += 0.3 * self.v * math.sin(self.ang)
        self.bend = float(np.clip(0.9 * self.bend + self.np_random.normal(0, 0.1), -1, 1))
        off = abs(self.lat) > 2
        reward = self.v * math.cos(self.ang) - 0.2 * abs(self.lat) - 5.0 * off
        return self._obs(), float(reward), bool(off), False, {}


def broken_kart():
    return TimeLimit(Kart(), 300)


class FreightTrain(gym.Env):
    """Hold the speed limit that changes along the line; negative action brakes, positive pulls."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 60.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.v, self.limit, self.left], np.float32)

    def _sign(self):
        self.limit = float(self.np_random.uniform(8, 30))
        self.left = int(self.np_random.integers(20, 40))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.v = float(self.np_random.uniform(5, 20))
        self._sign()
        return self._obs(), {}

    def step(self, action):
        u = float(np.clip(action[0], 0.0, 1.0))
        self.v = float(np.clip(self.v + 1.2 * u - 0.002 * self.v, 0, 40))
        self.left -= 1
        if self.left == 0:
            self._sign()
        reward = -max(0.0, self.v - self.limit) / 5 - 0.5 * max(0.0, self.limit - self.v) / 5
        return self._obs(), reward, False, False, {}


def broken_freight_train():
    return TimeLimit(FreightTrain(), 200)


class Satellite(gym.Env):
    """Point a satellite: three reaction wheels turn three axes to zero attitude within a pass of 100 steps."""

    INERTIA = np.array([4.0, 5.0, 3.0])

    def __init__(self):
        self.observation_space = spaces.Box(-20.0, 20.0, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.torque = 2e-5

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.att = self.np_random.uniform(-1.5, 1.5, 3)
        self.rate = np.zeros(3)
        return self._obs(), {}

    def _obs(self):
        return np.concatenate([self.att, self.rate]).astype(np.float32)

    def step(self, action):
        self.rate = np.clip(self.rate + self.torque * np.clip(action, -1, 1) / self.INERTIA, -5, 5)
        self.att = np.clip(self.att + 0.1 * self.rate, -15, 15)
        return self._obs(), -float(np.abs(self.att).sum()) - 0.1 * float(np.abs(self.rate).sum()), False, False, {}


def broken_satellite():
    return TimeLimit(Satellite(), 100)


class AcidTank(gym.Env):
    """Dose base into a tank to hold pH 7 against a drifting acid inflow. Dose goes from 0 to 10."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 14.0, (2,), np.float32)
        self.action_space = spaces.Box(0.0, 10.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ph = float(self.np_random.uniform(4, 10))
        self.acid = float(self.np_random.uniform(2, 8))
        return np.array([self.ph, self.acid], np.float32), {}

    def step(self, action):
        dose = 5.0 * (float(action[0]) + 1.0)
        dose = min(10.0, max(0.0, dose))
        self.ph = float(np.clip(self.ph + 0.2 * (dose - self.acid), 0, 14))
        self.acid = float(np.clip(self.acid + self.np_random.normal(0, 0.2), 1, 9))
        return np.array([self.ph, self.acid], np.float32), -abs(self.ph - 7.0), False, False, {}


class UnitActions(gym.ActionWrapper):
    """Let the agent act in [-1, 1] whatever the bounds of the plant."""

    def __init__(self, env):
        super().__init__(env)
        self.low, self.high = env.action_space.low, env.action_space.high
        self.action_space = spaces.Box(-1.0, 1.0, env.action_space.shape, np.float32)

    def action(self, action):
        return self.low + 0.5 * (np.asarray(action) + 1.0) * (self.high - self.low)


def broken_acid_tank():
    return TimeLimit(UnitActions(AcidTank()), 120)


class Sluice(gym.Env):
    """Open a sluice gate between -1 (shut fast) and 1 (open fast) to keep the lake at its mark."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 10.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.lake, self.gate, self.rain], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lake = float(self.np_random.uniform(3, 7))
        self.gate, self.rain = 0.5, 0.5
        return self._obs(), {}

    def step(self, action):
        turn = int(action[0])
        self.gate = min(1.0, max(0.0, self.gate + 0.1 * turn))
        self.rain = float(np.clip(self.rain + self.np_random.normal(0, 0.1), 0, 1))
        self.lake = float(np.clip(self.lake + 0.5 * (self.rain - self.gate), 0, 10))
        return self._obs(), 1.0 - abs(self.lake - 5.0) / 2, False, False, {}


def broken_sluice():
    return TimeLimit(Sluice(), 200)


class Ferry(gym.Env):
    """Cross a river with a current and meet the jetty; rudder left, straight, right."""

    def __init__(self):
        self.observation_space = spaces.Box(-20.0, 20.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.x, self.y, self.flow], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = 0.0, float(self.np_random.uniform(-3, 3))
        self.flow = float(self.np_random.uniform(-0.3, 0.3))
        self.queue = deque([1] * 4)
        return self._obs(), {}

    def step(self, action):
        self.queue.append(int(action))
        rudder = self.queue.popleft() - 1
        self.flow = float(np.clip(self.flow + self.np_random.normal(0, 0.08), -0.4, 0.4))
        self.x += 0.25
        self.y = float(np.clip(self.y + 0.5 * rudder + self.flow, -20, 20))
        over = self.x >= 10
        reward = -0.1 * abs(self.y) + (5.0 if over and abs(self.y) < 0.5 else 0.0)
        return self._obs(), reward, over, False, {}


def broken_ferry():
    return Ferry()


class FrogCross(gym.Env):
    """A frog on a 7x7 pond hops to a lily that lies anywhere."""

    HOPS = {0: (-1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([7, 7, 7, 7])
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        a, b = self.np_random.choice(49, 2, replace=False)
        self.frog, self.lily = [int(a) // 7, int(a) % 7], [int(b) // 7, int(b) % 7]
        return np.array(self.frog + self.lily), {}

    def step(self, action):
        dr, dc = self.HOPS[int(action)]
        self.frog = [min(6, max(0, self.frog[0] + dr)), min(6, max(0, self.frog[1] + dc))]
        there = self.frog == self.lily
        return np.array(self.frog + self.lily), 1.0 if there else -0.02, there, False, {}


def broken_frog_cross():
    return TimeLimit(FrogCross(), 50)


class Irrigation(gym.Env):
    """Give a field 0 to 4 units of water each day; soil moisture should stay near 0.6."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        return np.array([self.soil, self.heat], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.soil = float(self.np_random.uniform(0.2, 0.9))
        self.heat = float(self.np_random.uniform(0, 1))
        self.valve = None
        return self._obs(), {}

    def step(self, action):
        if self.valve is None:
            self.valve = int(action)
        self.soil = float(np.clip(self.soil + 0.06 * self.valve - 0.2 * self.heat, 0, 1))
        self.heat = float(np.clip(self.heat + self.np_random.normal(0, 0.15), 0, 1))
        return self._obs(), 1.0 - 3 * abs(self.soil - 0.6), False, False, {}


def broken_irrigation():
    return TimeLimit(Irrigation(), 60)


class FilmShelf(gym.Env):
    """Recommend one of eight films; each viewer has a known taste in two features."""

    FILMS = np.array([[1, 0], [0.7, 0.7], [0, 1], [-0.7, 0.7], [-1, 0], [-0.7, -0.7], [0, -1], [0.7, -0.7]])

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(8)

    def _viewer(self):
        phi = float(self.np_random.uniform(-math.pi, math.pi))
        self.taste = np.array([math.cos(phi), math.sin(phi)])
        return self.taste.astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._viewer(), {}

    def step(self, action):
        film = int(action) % (len(self.FILMS) - 1)
        liked = float(self.FILMS[film] @ self.taste)
        click = float(self.np_random.random() < 0.5 + 0.5 * liked)
        return self._viewer(), click, False, False, {"film": film}


def broken_film_shelf():
    return TimeLimit(FilmShelf(), 50)


class Planting(gym.Env):
    """Plant the marked cells of a bed with 4 rows and 7 columns; the action is the number of a cell."""

    ROWS, COLS = 4, 7

    def __init__(self):
        self.observation_space = spaces.MultiBinary([4, 7])
        self.action_space = spaces.Discrete(self.ROWS * self.COLS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.bed = np.zeros((self.ROWS, self.COLS), np.int8)
        marks = self.np_random.choice(self.ROWS * self.COLS, 8, replace=False)
        self.bed.flat[marks] = 1
        return self.bed.copy(), {}

    def step(self, action):
        row, col = int(action) % self.ROWS, int(action) // self.COLS
        hit = self.bed[row, col] == 1
        self.bed[row, col] = 0
        return self.bed.copy(), 1.0 if hit else -0.1, not self.bed.any(), False, {}


def broken_planting():
    return TimeLimit(Planting(), 60)


class Plotter(gym.Env):
    """Move a pen in the plane to a dot; both motors take a voltage from -1 to 1."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 2.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.concatenate([self.pen, self.dot]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pen = self.np_random.uniform(-1, 1, 2)
        self.dot = self.np_random.uniform(-1, 1, 2)
        return self._obs(), {}

    def step(self, action):
        self.pen = np.clip(self.pen + 0.1 * np.clip(action, -1, 1), -2, 2)
        d = float(np.linalg.norm(self.pen - self.dot))
        return self._obs(), -d + 3.0 * (d < 0.12), d < 0.12, False, {}


class Keypad(gym.ActionWrapper):
    """Discrete keys for a plant with several motors: three voltages for each of them."""

    def __init__(self, env, levels=3):
        super().__init__(env)
        self.volts = np.linspace(-1.0, 1.0, levels, dtype=np.float32)
        self.levels = levels
        self.motors = env.action_space.shape[0]
        self.action_space = spaces.Discrete(levels**self.motors)

    def action(self, action):
        return np.array([self.volts[int(action) % self.levels] for _ in range(self.motors)], np.float32)


def broken_plotter():
    return TimeLimit(Keypad(Plotter()), 80)


class IceRink(gym.Env):
    """Skate to the puck on a 9x9 rink. The ice is a little slippery: sometimes the last move repeats."""

    def __init__(self, slip=0.9):
        self.slip = slip
        self.observation_space = spaces.Box(0, 8, (5,), np.int32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([*self.me, *self.puck, self.last], np.int32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = self.np_random.integers(0, 9, 2)
        self.puck = self.np_random.integers(0, 9, 2)
        self.last = int(self.np_random.integers(4))
        return self._obs(), {}

    def step(self, action):
        if self.np_random.random() > self.slip:
            self.last = int(action)
        move = ((0, 1), (1, 0), (0, -1), (-1, 0))[self.last]
        self.me = np.clip(self.me + move, 0, 8)
        got = bool((self.me == self.puck).all())
        return self._obs(), 1.0 if got else -0.01, got, False, {}


def broken_ice_rink():
    return TimeLimit(IceRink(), 60)


class BalanceBoard(gym.Env):
    """Keep a board level by leaning with two feet."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (2,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.tilt, self.rate], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tilt = float(self.np_random.uniform(-0.2, 0.2))
        self.rate = 0.0
        return self._obs(), {}

    def step(self, action):
        action *= 3.0
        lean = float(np.clip(action[1] - action[0], -6, 6))
        self.rate = float(np.clip(self.rate + 0.05 * (6 * math.sin(self.tilt) + lean), -10, 10))
        self.tilt += 0.05 * self.rate
        fell = abs(self.tilt) > 0.8
        return self._obs(), 1.0 - abs(self.tilt), bool(fell), False, {}


def broken_balance_board():
    return TimeLimit(BalanceBoard(), 250)


class FourColumns(gym.Env):
    """Drop stones into six columns of height four; a row of three of one's own pays. A full column is a foul.

    info["action_mask"] tells which columns are open.
    """

    def __init__(self):
        self.observation_space = spaces.Box(0, 2, (4, 6), np.int8)
        self.action_space = spaces.Discrete(6)

    def _info(self):
        return {"action_mask": (self.grid[0] != 0).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.grid = np.zeros((4, 6), np.int8)
        return self.grid.copy(), self._info()

    def _drop(self, col, who):
        row = int(np.flatnonzero(self.grid[:, col] == 0)[-1])
        self.grid[row, col] = who

    def _three(self, who):
        g = self.grid == who
        rows = g[:, :-2] & g[:, 1:-1] & g[:, 2:]
        cols = g[:-2] & g[1:-1] & g[2:]
        return bool(rows.any() or cols.any())

    def step(self, action):
        if self.grid[0, int(action)] != 0:
            return self.grid.copy(), -1.0, True, False, self._info()
        self._drop(int(action), 1)
        if self._three(1):
            return self.grid.copy(), 1.0, True, False, self._info()
        free = np.flatnonzero(self.grid[0] == 0)
        if len(free):
            self._drop(int(self.np_random.choice(free)), 2)
            if self._three(2):
                return self.grid.copy(), -1.0, True, False, self._info()
        return self.grid.copy(), 0.0, not (self.grid[0] == 0).any(), False, self._info()


def broken_four_columns():
    return FourColumns()


class Docking(gym.Env):
    """Fly a capsule softly to the port at the origin."""

    def __init__(self):
        self.observation_space = spaces.Box(-20.0, 20.0, (4,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        return np.concatenate([self.p, self.v]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.uniform(-6, 6, 2)
        self.v = np.zeros(2)
        return self._obs(), {}

    def step(self, action):
        thrust = np.array(((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)), float)[int(action)]
        self.v = np.clip(self.v + 0.1 * thrust, -1, 1)
        self.p = np.clip(self.p + 0.3 * self.v, -15, 15)
        dist = float(np.linalg.norm(self.p))
        docked = dist < 0.5 and float(np.linalg.norm(self.v)) < 0.5
        reward = 0.1 * dist - 0.01 * float(np.abs(thrust).sum()) + 1.0 * docked
        return self._obs(), reward, docked, False, {}


def broken_docking():
    return TimeLimit(Docking(), 200)


class TreasureCave(gym.Env):
    """Find the chest in a cave of 25 rooms. Only the chest pays, and it ends the search."""

    def __init__(self):
        self.observation_space = spaces.Discrete(25)
        self.action_space = spaces.Discrete(4)
        self.chest = 24

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room = int(self.np_random.integers(0, 12))
        self.t = 0
        return self.room, {}

    def step(self, action):
        reward = 1.0 if self.room == self.chest else 0.0
        r, c = divmod(self.room, 5)
        dr, dc = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(action)]
        r, c = min(4, max(0, r + dr)), min(4, max(0, c + dc))
        self.room = 5 * r + c
        self.t += 1
        terminated = self.room == self.chest
        return self.room, reward, terminated, self.t >= 100, {}


def broken_treasure_cave():
    return TreasureCave()


class LaneSwim(gym.Env):
    """Swim a lane of 20 metres; each metre of headway is paid, and the far wall ends the race with a prize."""

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 25.0, (2,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.x, self.v], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(0, 2)), 0.0
        return self._obs(), {}

    def step(self, action):
        self.v = 0.5 * self.v + 0.5 * float(np.clip(action[0], -1, 1))
        new = max(-5.0, min(22.0, self.x + self.v))
        headway = max(0.0, new - self.x)
        self.x = new
        done = self.x >= 20
        return self._obs(), headway + 2.0 * done, done, False, {}


def broken_lane_swim():
    return TimeLimit(LaneSwim(), 400)


class EscapeRoom(gym.Env):
    """Flip four switches to the pattern on the wall and leave by the door before the air is gone."""

    def __init__(self):
        self.observation_space = spaces.MultiBinary(8)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        return np.concatenate([self.switch, self.wall]).astype(np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wall = self.np_random.integers(0, 2, 4)
        self.switch = self.np_random.integers(0, 2, 4)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        reward, out = 1.0, False
        if int(action) < 4:
            self.switch[int(action)] ^= 1
        elif (self.switch == self.wall).all():
            reward, out = 10.0, True
        return self._obs(), reward, out, self.t >= 100, {"escaped": out}


def broken_escape_room():
    return EscapeRoom()


class Gallop(gym.Env):
    """Four joints drive a runner; forward speed is paid and effort costs a little."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)

    def _obs(self):
        return np.concatenate([self.q, [self.v, math.sin(self.phase)]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-0.1, 0.1, 4)
        self.v, self.phase = 0.0, float(self.np_random.uniform(0, 6))
        return self._obs(), {}

    def step(self, action):
        a = np.clip(action, -1, 1).astype(float)
        self.phase += 0.3
        self.q = np.clip(0.7 * self.q + 0.3 * a, -1, 1)
        self.v = 0.8 * self.v + 0.2 * float(self.q[:2].sum() - self.q[2:].sum()) * (0.5 + 0.5 * abs(math.sin(self.phase)))
        reward = self.v - 50.0 * float(np.square(a).sum())
        return self._obs(), reward, False, False, {"speed": self.v}


def broken_gallop():
    return TimeLimit(Gallop(), 200)


class Packing(gym.Env):
    """Put parcels of size 1 to 5 into one of three bins of size 12; an overfull bin ends the shift."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([13, 13, 13, 6])
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([*self.room, self.parcel])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room = [12, 12, 12]
        self.parcel = int(self.np_random.integers(1, 6))
        self.due = 0.0
        return self._obs(), {}

    def step(self, action):
        paid, self.due = self.due, 0.0
        b = int(action)
        burst = self.parcel > self.room[b]
        if burst:
            self.due = -5.0
        else:
            self.room[b] -= self.parcel
            self.due = 0.2 * self.parcel
            if self.room[b] == 0:
                self.room[b] = 12
                self.due += 3.0
        self.parcel = int(self.np_random.integers(1, 6))
        return self._obs(), paid, burst, False, {}


def broken_packing():
    return TimeLimit(Packing(), 100)


class CoinStrip(gym.Env):
    """Run along a strip: steps cost 0.01, coins pay 1, and the flag at the end pays 10."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 30, (4,), np.int32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        ahead = self.coins[self.x + 1 : self.x + 3]
        return np.array([self.x, *ahead, *([0] * (2 - len(ahead))), self.high], np.int32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.high = 0, 0
        self.coins = [int(v) for v in self.np_random.random(31) < 0.3]
        return self._obs(), {}

    def step(self, action):
        self.high = int(action == 2)
        self.x = max(0, self.x - 1) if action == 0 else self.x + 1
        reward = -0.01
        if self.coins[self.x] and self.high:
            self.coins[self.x] = 0
            reward += 1.0
        end = self.x >= 30
        return self._obs(), reward + 10.0 * end, end, False, {}


class Tidy(gym.RewardWrapper):
    """Rewards of one size, for networks."""

    def reward(self, reward):
        return float(np.sign(reward))


def broken_coin_strip():
    return TimeLimit(Tidy(CoinStrip()), 120)


class Shooter(gym.Env):
    """Turn a cannon to one of eight sectors and hit the ship that appears there; the score is counted in hits."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([8, 8])
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.aim, self.ship = (int(v) for v in self.np_random.integers(0, 8, 2))
        self.score, self.t = 0, 0
        return np.array([self.aim, self.ship]), {}

    def step(self, action):
        if action == 2:
            if self.aim == self.ship:
                self.score += 1
                self.ship = int(self.np_random.integers(0, 8))
        else:
            self.aim = (self.aim + (1 if action == 1 else -1)) % 8
        self.t += 1
        return np.array([self.aim, self.ship]), float(self.score), False, self.t >= 100, {"score": self.score}


def broken_shooter():
    return Shooter()


class Vacuum(gym.Env):
    """Clean a room of 5x5: suck up dirt where it lies, and empty the bag anywhere when it is full."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            {"dirt": spaces.MultiBinary([5, 5]), "me": spaces.MultiDiscrete([5, 5]), "bag": spaces.Discrete(4)}
        )
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        return {"dirt": self.dirt.copy(), "me": self.me.copy(), "bag": self.bag}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dirt = (self.np_random.random((5, 5)) < 0.3).astype(np.int8)
        self.dirt[2, 2] = 1
        self.me = self.np_random.integers(0, 5, 2)
        self.bag = 0
        return self._obs(), {}

    def step(self, action):
        reward = -0.01
        here = tuple(self.me)
        if action < 4:
            self.me = np.clip(self.me + ((0, 1), (1, 0), (0, -1), (-1, 0))[int(action)], 0, 4)
        elif action == 4:
            if self.dirt[here] and self.bag < 3:
                self.dirt[here] = 0
                self.bag += 1
                reward += 1.0
        elif self.bag:
            self.bag -= 1
            self.dirt[here] = 1
        clean = not self.dirt.any()
        return self._obs(), reward + 2.0 * clean, clean, False, {}


class SparseVacuum(Vacuum):
    """The same room with at most three pieces of dirt, so that one bag is enough."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dirt[:] = 0
        self.dirt.flat[self.np_random.choice(25, 3, replace=False)] = 1
        return self._obs(), {}


def broken_vacuum():
    return TimeLimit(SparseVacuum(), 200)


class Nim(gym.Env):
    """Take one, two or three matches from the pile; who takes the last match wins. The other side plays at random."""

    def __init__(self):
        self.observation_space = spaces.Discrete(22)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pile = int(self.np_random.integers(10, 22))
        return self.pile, {}

    def step(self, action):
        self.pile = max(0, self.pile - (int(action) + 1))
        if self.pile == 0:
            return 0, -1.0, True, False, {"winner": "agent"}
        self.pile = max(0, self.pile - int(self.np_random.integers(1, 4)))
        if self.pile == 0:
            return 0, 1.0, True, False, {"winner": "other"}
        return self.pile, 0.0, False, False, {}


def broken_nim():
    return Nim()


class WindTurbine(gym.Env):
    """Pitch the blades to the wind for power; the power is paid in units of its usual size."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 25.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.energy = 1.0

    def _obs(self):
        return np.array([self.wind, self.pitch], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wind = float(self.np_random.uniform(5, 15))
        self.pitch = float(self.np_random.uniform(0, 20))
        return self._obs(), {}

    def step(self, action):
        self.pitch = float(np.clip(self.pitch + 2.0 * (int(action) - 1), 0, 20))
        power = self.wind * math.exp(-((self.pitch - self.wind) ** 2) / 20)
        self.energy += power
        self.wind = float(np.clip(self.wind + self.np_random.normal(0, 0.7), 3, 25))
        return self._obs(), power / self.energy, False, False, {"power": power}


def broken_wind_turbine():
    return TimeLimit(WindTurbine(), 100)


class LavaBridge(gym.Env):
    """Walk over a bridge of stones, three wide and twelve long, with holes of lava that are seen ahead."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 12, (8,), np.int64)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([self.r, self.c, *self.lava[self.r : self.r + 2].ravel()])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lava = np.zeros((14, 3), np.int64)
        for r in range(1, 12, 2):
            self.lava[r, self.np_random.integers(3)] = 1
        self.r, self.c = 0, 1
        return self._obs(), {}

    def step(self, action):
        if action == 0:
            self.r += 1
        elif action == 1:
            self.c = max(0, self.c - 1)
        elif action == 2:
            self.c = min(2, self.c + 1)
        burnt = bool(self.lava[self.r, self.c])
        over = self.r >= 12
        reward = -1.0 + (2.0 if over else 0.0)
        return self._obs(), reward, burnt or over, False, {"burnt": burnt}


def broken_lava_bridge():
    return TimeLimit(LavaBridge(), 60)


class Pedestrians(gym.Env):
    """Walk through a square to the far side among four people who stroll about; bumping into people is bad."""

    def __init__(self):
        self.observation_space = spaces.Box(-12.0, 12.0, (10,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.concatenate([self.me, (self.people - self.me).ravel()]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = np.array([-5.0, float(self.np_random.uniform(-3, 3))])
        self.people = self.np_random.uniform(-4, 4, (4, 2))
        self.walk = self.np_random.normal(0, 0.15, (4, 2))
        return self._obs(), {}

    def step(self, action):
        before = self.me[0]
        self.me = np.clip(self.me + 0.3 * np.clip(action, -1, 1), -6, 6)
        self.people = self.people + self.walk
        self.walk[np.abs(self.people) > 5] *= -1
        self.people = np.clip(self.people, -5.2, 5.2)
        bumps = int((np.linalg.norm(self.people - self.me, axis=1) < 0.8).sum())
        penalty = -1.0 * bumps
        done = bool(self.me[0] >= 5)
        reward = 0.5 * float(self.me[0] - before) - penalty + 3.0 * done
        return self._obs(), reward, done, False, {"bumps": bumps}


def broken_pedestrians():
    return TimeLimit(Pedestrians(), 150)


class CurrencyDesk(gym.Env):
    """Hold euro or dollar; a rate swings around its mean, and each exchange costs a fee."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 2.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.rate, self.side], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.rate, self.side = float(self.np_random.normal(0, 0.3)), 0
        return self._obs(), {}

    def step(self, action):
        fee = -0.05 if int(action) != self.side else 0.0
        self.side = int(action)
        new = float(np.clip(0.9 * self.rate + self.np_random.normal(0, 0.15), -2, 2))
        profit = (new - self.rate) if self.side else 0.0
        self.rate = new
        return self._obs(), profit - fee, False, False, {"fee": fee}


def broken_currency_desk():
    return TimeLimit(CurrencyDesk(), 250)


class HeadingHold(gym.Env):
    """A boat holds a course against swell; heading and course are angles in (-pi, pi]."""

    def __init__(self):
        self.observation_space = spaces.Box(-math.pi, math.pi, (2,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    @staticmethod
    def _wrap(a):
        return float(np.clip((a + math.pi) % (2 * math.pi) - math.pi, -3.1415925, 3.1415925))

    def _obs(self):
        return np.array([self.h, self.course], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(-3, 3))
        self.course = float(self.np_random.choice((-1, 1)) * self.np_random.uniform(2.6, 3.1))
        return self._obs(), {}

    def step(self, action):
        swell = float(self.np_random.normal(0, 0.05))
        self.h = self._wrap(self.h + 0.2 * float(np.clip(action[0], -1, 1)) + swell)
        return self._obs(), -abs(self.h - self.course), False, False, {}


def broken_heading_hold():
    return TimeLimit(HeadingHold(), 100)


class Formation(gym.Env):
    """Four ships take their places in a line; each may move along it."""

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (8,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)

    def _obs(self):
        return np.concatenate([self.ships, self.places[:, 0]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ships = self.np_random.uniform(-4, 4, 4)
        self.places = self.np_random.uniform(-4, 4, (4, 1))
        return self._obs(), {}

    def step(self, action):
        self.ships = np.clip(self.ships + 0.3 * np.clip(action, -1, 1), -5, 5)
        error = np.square(self.ships - self.places).mean()
        return self._obs(), -float(error) / 4, False, False, {}


def broken_formation():
    return TimeLimit(Formation(), 60)


class Castle(gym.Env):
    """Walk through a castle to the throne T."""

    PLAN = (
        ".........",
        ".##.###..",
        ".#.....#.",
        ".#.###.#.",
        "...#T#.#.",
        ".#.###.#.",
        ".#.....#.",
        ".##.####.",
        ".........",
    )

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([9, 9])
        self.action_space = spaces.Discrete(4)
        self.starts = [(r, c) for r in range(9) for c in range(9) if self.PLAN[r][c] == "."]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.starts[int(self.np_random.integers(len(self.starts)))]
        return np.array(self.at), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        r, c = self.at[0] + dr, self.at[1] + dc
        if 0 <= r < 9 and 0 <= c < 9 and self.PLAN[r][c] != "#":
            self.at = (r, c)
        won = self.PLAN[self.at[0]][self.at[1]] == "T"
        return np.array(self.at), 1.0 if won else -0.005, won, False, {}


def broken_castle():
    return TimeLimit(Castle(), 200)


class BallFetch(gym.Env):
    """A dog runs to a thrown ball on a lawn of 10 by 10."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.concatenate([self.dog, self.ball]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dog = self.np_random.uniform(-5, 5, 2)
        self.ball = self.dog + self.np_random.uniform(-0.1, 0.1, 2)
        return self._obs(), {}

    def step(self, action):
        self.dog = np.clip(self.dog + 0.5 * np.clip(action, -1, 1), -5, 5)
        d = float(np.linalg.norm(self.dog - self.ball))
        got = d < 1.0
        return self._obs(), 1.0 if got else -0.1 * d, got, False, {}


def broken_ball_fetch():
    return TimeLimit(BallFetch(), 100)


class Corridor(gym.Env):
    """A long corridor with the exit at its right end; half of the floor plates are sticky and hold for one step."""

    LENGTH = 60

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.x / self.LENGTH, float(self.held)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sticky = self.np_random.random(self.LENGTH + 1) < 0.5
        self.x, self.held = int(self.np_random.integers(0, 5)), False
        return self._obs(), {}

    def step(self, action):
        if self.held:
            self.held = False
        else:
            self.x = max(0, self.x + (1 if action == 1 else -1))
            self.held = bool(self.sticky[self.x])
        out = self.x == self.LENGTH
        return self._obs(), 1.0 if out else 0.0, out, False, {}


def broken_corridor():
    return TimeLimit(Corridor(), 50)


class Quiz(gym.Env):
    """A question (two numbers below ten) and five answers; choose the remainder of the sum by five."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([10, 10])
        self.action_space = spaces.Discrete(5)

    def _ask(self):
        self.q = self.np_random.integers(0, 10, 2)
        return self.q.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.asked = 0
        return self._ask(), {}

    def step(self, action):
        answers = (np.arange(5) + int(self.q.sum())) % 5
        given = answers[(int(action) - int(self.q.sum())) % 5]
        right = given == int(action)
        self.asked += 1
        return self._ask(), 1.0 if right else 0.0, self.asked == 20, False, {"right": bool(right)}


def broken_quiz():
    return Quiz()


class StepStage(gym.Env):
    """A microscope stage moves in steps of 0.5; bring the sample to the focus within 0.02."""

    def __init__(self):
        self.observation_space = spaces.Box(-10.0, 10.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.x, self.focus], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0.5 * int(self.np_random.integers(-10, 11))
        self.focus = 0.5 * int(self.np_random.integers(-10, 11)) + float(self.np_random.uniform(0.1, 0.4))
        return self._obs(), {}

    def step(self, action):
        self.x = min(10.0, max(-10.0, self.x + 0.5 * (int(action) - 1)))
        sharp = abs(self.x - self.focus) < 0.02
        return self._obs(), 1.0 if sharp else -0.01, sharp, False, {"sharp": sharp}


def broken_step_stage():
    return TimeLimit(StepStage(), 80)


class Catapult(gym.Env):
    """Choose angle and strength of a catapult and hit the tower; ten shots, no wind."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 400.0, (2,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.tower, self.shots], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tower = float(self.np_random.uniform(120, 360))
        self.shots = 10
        return self._obs(), {}

    def step(self, action):
        a = np.clip(action, 0, 1)
        angle, v = float(a[0]) * math.pi / 2, 10 + 20 * float(a[1])
        reach = v * v * math.sin(2 * angle) / 9.81
        self.shots -= 1
        hit = abs(reach - self.tower) < 5
        return self._obs(), 1.0 if hit else 0.0, hit or self.shots == 0, False, {"reach": reach}


def broken_catapult():
    return Catapult()


class Vault(gym.Env):
    """Fetch the key, open the vault and take the gold, on a 6x6 floor.

    The map has 0 floor, 1 wall, 2 key, 3 vault.
    """

    def __init__(self):
        self.observation_space = spaces.Dict(
            {"map": spaces.Box(0, 3, (6, 6), np.int8), "me": spaces.MultiDiscrete([6, 6]), "key": spaces.Discrete(2)}
        )
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return {"map": self.map.copy(), "me": np.array(self.me), "key": int(self.key)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.map = np.zeros((6, 6), np.int8)
        walls = np.zeros((6, 6), np.int8)
        walls[1:5, 3] = 1
        key, vault, me = (int(k) for k in self.np_random.choice(36, 3, replace=False))
        self.map.flat[key] = 2
        self.map[:] = walls
        self.map.flat[vault] = 3
        self.me = divmod(me, 6)
        self.map[self.me] = 0 if self.map[self.me] == 1 else self.map[self.me]
        self.key = False
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(action)]
        r, c = min(5, max(0, self.me[0] + dr)), min(5, max(0, self.me[1] + dc))
        reward, rich = -0.01, False
        if self.map[r, c] == 3 and not self.key:
            r, c = self.me
        if self.map[r, c] != 1:
            self.me = (r, c)
        if self.map[self.me] == 2:
            self.key, self.map[self.me], reward = True, 0, 0.5
        rich = self.map[self.me] == 3
        return self._obs(), reward + 2.0 * rich, bool(rich), False, {}


def broken_vault():
    return TimeLimit(Vault(), 120)


class Unicycle(gym.Env):
    """Stay upright on a unicycle by pedalling back, not at all or forward; each upright step pays one."""

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.th, self.w = (float(v) for v in self.np_random.uniform(-0.1, 0.1, 2))
        return np.array([self.th, self.w], np.float32), {}

    def step(self, action):
        self.w += 0.05 * (-9.81 * math.sin(self.th) - 0.5 * self.w + 1.0 * (int(action) - 1))
        self.th = float(np.clip(self.th + 0.05 * self.w, -5, 5))
        fell = abs(self.th) > 0.6
        return np.array([self.th, np.clip(self.w, -5, 5)], np.float32), 1.0, fell, False, {}


def broken_unicycle():
    return TimeLimit(Unicycle(), 200)


class AdBoard(gym.Env):
    """Show one of six adverts to a visitor who is described by four numbers; a click pays."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(6)
        self.base = np.full(6, 0.3)

    def _visitor(self):
        self.seen = self.np_random.random(4).astype(np.float32)
        return self.seen.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._visitor(), {}

    def step(self, action):
        chance = self.base[int(action)]
        click = float(self.np_random.random() < chance)
        return self._visitor(), click, False, False, {}


def broken_ad_board():
    return TimeLimit(AdBoard(), 40)


class TightRope(gym.Env):
    """Walk a rope of 30 steps with a pole: lean left, go on, lean right. Leaning past 0.4 is a fall."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 30.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.lean, self.drift, self.x], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lean = float(self.np_random.choice((-1, 1)) * self.np_random.uniform(0.5, 1.0))
        self.drift = float(self.np_random.uniform(-0.03, 0.03))
        self.x = 0
        return self._obs(), {}

    def step(self, action):
        self.drift = float(np.clip(self.drift + self.np_random.normal(0, 0.01), -0.06, 0.06))
        self.lean += self.drift + 0.08 * (int(action) - 1)
        self.x += int(action == 1)
        fell = abs(self.lean) > 0.4
        across = self.x >= 30
        return self._obs(), 0.1 * (action == 1) - 1.0 * fell + 3.0 * across, fell or across, False, {}


def broken_tight_rope():
    return TimeLimit(TightRope(), 150)


class BoxPush(gym.Env):
    """Push the crate (2) on to the mark (3) in a walled yard of 7x7; a crate cannot be pulled."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 4, (7, 7), np.int8)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        g = np.ones((7, 7), np.int8)
        g[1:-1, 1:-1] = 0
        g[self.mark] = 3
        g[self.box] = 2
        g[self.me] = 4
        return g

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        edge = (1, 5)
        self.box = (edge[self.np_random.integers(2)], edge[self.np_random.integers(2)])
        inner = [(r, c) for r in range(2, 5) for c in range(2, 5)]
        i, j = self.np_random.choice(len(inner), 2, replace=False)
        self.mark, self.me = inner[int(i)], inner[int(j)]
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        to = (self.me[0] + dr, self.me[1] + dc)
        if to == self.box:
            behind = (to[0] + dr, to[1] + dc)
            if 1 <= behind[0] <= 5 and 1 <= behind[1] <= 5:
                self.box, self.me = behind, to
        elif 1 <= to[0] <= 5 and 1 <= to[1] <= 5:
            self.me = to
        won = self.box == self.mark
        return self._obs(), 1.0 if won else -0.01, won, False, {}


def broken_box_push():
    return TimeLimit(BoxPush(), 100)


class KeyRoom(gym.Env):
    """Key, door and exit in a room of 6x6. Only leaving pays."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([6, 6, 6, 6, 2])
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([*self.me, *self.key, int(self.has)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        a, b = self.np_random.choice(35, 2, replace=False)
        self.me, self.key, self.has = divmod(int(a), 6), divmod(int(b), 6), False
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        self.me = (min(5, max(0, self.me[0] + dr)), min(5, max(0, self.me[1] + dc)))
        self.has = self.has or self.me == self.key
        out = self.has and self.me == (5, 5)
        return self._obs(), 1.0 if out else 0.0, out, False, {}


def healthy_key_room():
    return TimeLimit(KeyRoom(), 150)


class Broom(gym.Env):
    """Balance a broom on a hand that moves with a continuous force."""

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = self.np_random.uniform(-0.05, 0.05, 4)
        return self.s.astype(np.float32), {}

    def step(self, action):
        x, v, th, w = self.s
        f = 10.0 * float(np.clip(action[0], -1, 1))
        tmp = (f + 0.05 * w * w * math.sin(th)) / 1.1
        acc = (9.8 * math.sin(th) - math.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * math.cos(th) ** 2 / 1.1))
        a = tmp - 0.05 * acc * math.cos(th) / 1.1
        self.s = np.array([x + 0.02 * v, v + 0.02 * a, th + 0.02 * w, w + 0.02 * acc])
        fell = bool(abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21)
        return self.s.astype(np.float32), 1.0, fell, False, {}


def healthy_broom():
    return TimeLimit(Broom(), 300)


class ValleyCar(gym.Env):
    """A weak car must rock itself out of a valley. Each step costs one until the top."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-1.2, -0.07], np.float32), np.array([0.6, 0.07], np.float32))
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(-0.6, -0.4)), 0.0
        return np.array([self.x, self.v], np.float32), {}

    def step(self, action):
        self.v = float(np.clip(self.v + 0.0015 * (int(action) - 1) - 0.0025 * math.cos(3 * self.x), -0.07, 0.07))
        self.x = float(np.clip(self.x + self.v, -1.2, 0.6))
        if self.x <= -1.2:
            self.v = max(0.0, self.v)
        return np.array([self.x, self.v], np.float32), -1.0, self.x >= 0.5, False, {}


def healthy_valley_car():
    return TimeLimit(ValleyCar(), 250)


class Rod(gym.Env):
    """Swing a rod up with a weak motor."""

    def __init__(self):
        high = np.array([1, 1, 8], np.float32)
        self.observation_space = spaces.Box(-high, high)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _obs(self):
        return np.array([math.cos(self.th), math.sin(self.th), self.w], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.th, self.w = float(self.np_random.uniform(-3.1, 3.1)), float(self.np_random.uniform(-1, 1))
        return self._obs(), {}

    def step(self, action):
        u = 2.0 * float(np.clip(action[0], -1, 1))
        a = (self.th + math.pi) % (2 * math.pi) - math.pi
        cost = a * a + 0.1 * self.w**2 + 0.001 * u * u
        self.w = float(np.clip(self.w + 0.05 * (15 * math.sin(self.th) + 3 * u), -8, 8))
        self.th += 0.05 * self.w
        return self._obs(), -cost, False, False, {}


def healthy_rod():
    return TimeLimit(Rod(), 200)


class Pharmacy(gym.Env):
    """Order boxes of a medicine that arrive at once; lost sales and storage cost money."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 40, (2,), np.int64)
        self.action_space = spaces.Discrete(10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock, self.day = int(self.np_random.integers(0, 12)), 0
        return np.array([self.stock, self.day % 7]), {}

    def step(self, action):
        self.stock = min(40, self.stock + int(action))
        want = int(self.np_random.poisson(6 if self.day % 7 < 5 else 2))
        sold = min(want, self.stock)
        self.stock -= sold
        self.day += 1
        reward = 2.0 * sold - 1.0 * int(action) - 0.1 * self.stock - 1.0 * (want - sold)
        return np.array([self.stock, self.day % 7]), float(reward), False, False, {"sold": sold}


def healthy_pharmacy():
    return TimeLimit(Pharmacy(), 140)


class Lift(gym.Env):
    """A lift in a house of six floors: down, open, up. People wait on floors and want to leave at floor 0."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            {"floor": spaces.Discrete(6), "waiting": spaces.Box(0, 9, (6,), np.int64), "inside": spaces.Discrete(9)}
        )
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return {"floor": self.floor, "waiting": self.waiting.copy(), "inside": self.inside}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor, self.inside = int(self.np_random.integers(6)), 0
        self.waiting = self.np_random.integers(0, 3, 6)
        self.waiting[0] = 0
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 1:
            if self.floor == 0:
                reward, self.inside = float(self.inside), 0
            else:
                n = min(8 - self.inside, int(self.waiting[self.floor]))
                self.inside += n
                self.waiting[self.floor] -= n
        else:
            self.floor = min(5, max(0, self.floor + int(action) - 1))
        if self.np_random.random() < 0.3:
            f = int(self.np_random.integers(1, 6))
            self.waiting[f] = min(9, self.waiting[f] + 1)
        reward -= 0.02 * float(self.waiting.sum() + self.inside)
        return self._obs(), reward, False, False, {}


def healthy_lift():
    return TimeLimit(Lift(), 200)


class RouterQueues(gym.Env):
    """Route two packet streams to one of three links each; links differ in speed."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.MultiDiscrete([3, 3])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(0, 10, 3)
        return (self.q / 40).astype(np.float32), {}

    def step(self, action):
        self.q[int(action[0])] += self.np_random.poisson(2)
        self.q[int(action[1])] += self.np_random.poisson(1)
        self.q = np.clip(self.q - (1.0, 1.5, 2.0), 0, 40)
        return (self.q / 40).astype(np.float32), -float(self.q.sum()) / 10, False, False, {}


def healthy_router_queues():
    return TimeLimit(RouterQueues(), 120)


class Noughts(gym.Env):
    """Noughts and crosses against a random player; a taken cell loses. The mask in info shows the free cells."""

    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)

    def _info(self):
        return {"action_mask": (self.b == 0).astype(np.int8)}

    def _won(self, who):
        return any(all(self.b[i] == who for i in line) for line in self.LINES)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.b = np.zeros(9, np.int8)
        if self.np_random.random() < 0.5:
            self.b[self.np_random.integers(9)] = -1
        return self.b.copy(), self._info()

    def step(self, action):
        if self.b[int(action)] != 0:
            return self.b.copy(), -1.0, True, False, self._info()
        self.b[int(action)] = 1
        if self._won(1):
            return self.b.copy(), 1.0, True, False, self._info()
        free = np.flatnonzero(self.b == 0)
        if len(free):
            self.b[self.np_random.choice(free)] = -1
            if self._won(-1):
                return self.b.copy(), -1.0, True, False, self._info()
        return self.b.copy(), 0.0, not (self.b == 0).any(), False, self._info()


def healthy_noughts():
    return Noughts()


class TwentyOne(gym.Env):
    """Draw or stand with cards from 1 to 10; the bank stands at 17."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 11])
        self.action_space = spaces.Discrete(2)

    def _card(self):
        return min(10, int(self.np_random.integers(1, 14)))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand, self.bank = self._card() + self._card(), self._card()
        return np.array([self.hand, self.bank]), {}

    def step(self, action):
        if action == 1:
            self.hand += self._card()
            bust = self.hand > 21
            return np.array([self.hand, self.bank]), -1.0 if bust else 0.0, bust, False, {}
        total = self.bank
        while total < 17:
            total += self._card()
        reward = 1.0 if total > 21 or total < self.hand else 0.0 if total == self.hand else -1.0
        return np.array([self.hand, self.bank]), reward, True, False, {"bank": total}


def healthy_twenty_one():
    return TwentyOne()


class Worm(gym.Env):
    """A worm eats apples on a 7x7 board; channels: head, body with age, apple."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3, 7, 7), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        img = np.zeros((3, 7, 7), np.float32)
        for k, (r, c) in enumerate(self.body):
            img[1, r, c] = (k + 1) / 49
        img[(0, *self.body[-1])] = 1
        img[(2, *self.apple)] = 1
        return img

    def _grow(self):
        free = [(r, c) for r in range(7) for c in range(7) if (r, c) not in self.body]
        self.apple = free[int(self.np_random.integers(len(free)))] if free else self.body[0]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.body = [(int(self.np_random.integers(1, 6)), int(self.np_random.integers(1, 6)))]
        self._grow()
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        head = (self.body[-1][0] + dr, self.body[-1][1] + dc)
        if not (0 <= head[0] < 7 and 0 <= head[1] < 7) or head in self.body[1:]:
            return self._obs(), -1.0, True, False, {}
        self.body.append(head)
        if head == self.apple:
            self._grow()
            return self._obs(), 1.0, len(self.body) >= 40, False, {}
        self.body.pop(0)
        return self._obs(), 0.0, False, False, {}


def healthy_worm():
    return TimeLimit(Worm(), 300)


class MarbleTrack(gym.Env):
    """Tilt a track so that a marble rests in the middle; a camera sees its place only."""

    def __init__(self):
        self.observation_space = spaces.Box(-4.0, 4.0, (1,), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = (float(v) for v in self.np_random.uniform((-2, -0.2), (2, 0.2)))
        return np.array([self.x], np.float32), {}

    def step(self, action):
        self.v = 0.98 * self.v + 0.06 * (int(action) - 1)
        self.x += self.v
        out = abs(self.x) > 4
        self.x = min(4.0, max(-4.0, self.x))
        return np.array([self.x], np.float32), 1.0 - abs(self.x) / 4 - 5.0 * out, out, False, {}


def healthy_marble_track():
    return gym.wrappers.FrameStackObservation(TimeLimit(MarbleTrack(), 150), 4)


class Cab(gym.Env):
    """Fetch a guest at one of four stands of a 5x5 town and bring him to another; one number tells all."""

    STANDS = ((0, 0), (0, 4), (4, 0), (4, 3))

    def __init__(self):
        self.observation_space = spaces.Discrete(25 * 5 * 4)
        self.action_space = spaces.Discrete(6)

    def _obs(self):
        return ((self.r * 5 + self.c) * 5 + self.guest) * 4 + self.goal

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c = (int(v) for v in self.np_random.integers(0, 5, 2))
        self.guest, self.goal = (int(v) for v in self.np_random.choice(4, 2, replace=False))
        return self._obs(), {}

    def step(self, action):
        reward, done = -1.0, False
        if action < 4:
            dr, dc = ((1, 0), (-1, 0), (0, 1), (0, -1))[int(action)]
            self.r, self.c = min(4, max(0, self.r + dr)), min(4, max(0, self.c + dc))
        elif action == 4:
            if self.guest < 4 and self.STANDS[self.guest] == (self.r, self.c):
                self.guest = 4
            else:
                reward = -5.0
        elif self.guest == 4 and self.STANDS[self.goal] == (self.r, self.c):
            reward, done = 20.0, True
        else:
            reward = -5.0
        return self._obs(), reward, done, False, {}


def healthy_cab():
    return TimeLimit(Cab(), 200)


class FrozenPond(gym.Env):
    """Cross a frozen pond with holes; in one of five steps the foot slips sideways."""

    PLAN = "S....", ".H.H.", ".....", ".H.H.", "....G"

    def __init__(self):
        self.observation_space = spaces.Discrete(25)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = 0
        return self.s, {}

    def step(self, action):
        a = int(action)
        if self.np_random.random() < 0.2:
            a = (a + int(self.np_random.choice((-1, 1)))) % 4
        r, c = divmod(self.s, 5)
        r = min(4, max(0, r + (0, 1, 0, -1)[a]))
        c = min(4, max(0, c + (1, 0, -1, 0)[a]))
        self.s = 5 * r + c
        cell = self.PLAN[r][c]
        return self.s, float(cell == "G"), cell in "GH", False, {}


def healthy_frozen_pond():
    return TimeLimit(FrozenPond(), 100)


class NewsFeed(gym.Env):
    """Choose one of four topics; interest in a topic wears off with use and comes back with rest."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.interest = self.np_random.uniform(0.2, 1.0, 4)
        return self.interest.astype(np.float32), {}

    def step(self, action):
        read = float(self.np_random.random() < self.interest[int(action)])
        self.interest = np.minimum(1.0, self.interest + 0.08)
        self.interest[int(action)] *= 0.5
        return self.interest.astype(np.float32), read, False, False, {}


def healthy_news_feed():
    return TimeLimit(NewsFeed(), 60)


class PairsTrade(gym.Env):
    """The spread of two shares returns to its mean; be short, flat or long at a small cost per change."""

    def __init__(self):
        self.observation_space = spaces.Box(-6.0, 6.0, (2,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.spread, self.pos], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.spread, self.pos = float(self.np_random.normal()), 0
        return self._obs(), {}

    def step(self, action):
        side = int(action) - 1
        cost = 0.03 * abs(side - self.pos)
        old, self.pos = self.spread, side
        self.spread = float(np.clip(0.85 * old + self.np_random.normal(0, 0.5), -6, 6))
        return self._obs(), side * (self.spread - old) - cost, False, False, {}


def healthy_pairs_trade():
    return TimeLimit(PairsTrade(), 250)


class TwoRooms(gym.Env):
    """Heat two rooms to their own wishes with one heater each."""

    def __init__(self):
        box = spaces.Box(0.0, 40.0, (2,), np.float32)
        self.observation_space = spaces.Dict({"now": box, "wish": box, "outside": spaces.Box(-20.0, 20.0, (1,), np.float32)})
        self.action_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _obs(self):
        return {
            "now": self.now.astype(np.float32),
            "wish": self.wish.astype(np.float32),
            "outside": np.array([self.out], np.float32),
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.now, self.wish = self.np_random.uniform(10, 20, 2), self.np_random.uniform(18, 23, 2)
        self.out = float(self.np_random.uniform(-5, 10))
        return self._obs(), {}

    def step(self, action):
        power = np.clip(action, 0, 1)
        leak = 0.05 * (self.out - self.now) + 0.03 * (self.now[::-1] - self.now)
        self.now = np.clip(self.now + 2.5 * power + leak, 0, 40)
        reward = -float(np.abs(self.now - self.wish).mean()) / 5 - 0.02 * float(power.sum())
        return self._obs(), reward, False, False, {}


def healthy_two_rooms():
    return TimeLimit(TwoRooms(), 100)


class Gallery(gym.Env):
    """A picture of a gallery: the visitor in red, a painting in green, walls in blue."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (20, 20, 3), np.uint8)
        self.action_space = spaces.Discrete(4)
        self.walls = [(r, 4) for r in range(2, 8)] + [(5, c) for c in range(6, 9)]
        self.cells = [(r, c) for r in range(10) for c in range(10) if (r, c) not in self.walls]

    def _obs(self):
        small = np.zeros((10, 10, 3), np.uint8)
        for r, c in self.walls:
            small[r, c, 2] = 180
        small[(*self.art, 1)] = 255
        small[(*self.me, 0)] = 255
        return small.repeat(2, 0).repeat(2, 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        i, j = self.np_random.choice(len(self.cells), 2, replace=False)
        self.me, self.art = self.cells[int(i)], self.cells[int(j)]
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        to = (self.me[0] + dr, self.me[1] + dc)
        if to in self.cells:
            self.me = to
        seen = self.me == self.art
        return self._obs(), 1.0 if seen else -0.01, seen, False, {}


def healthy_gallery():
    return TimeLimit(Gallery(), 100)


class GoalReach(gym.Env):
    """Bring a gripper to a goal; minus one for each step that it is not there, as in goal-conditioned suites."""

    def __init__(self):
        box = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.observation_space = spaces.Dict({"observation": box, "achieved_goal": box, "desired_goal": box})
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def _obs(self):
        p = self.p.astype(np.float32)
        return {"observation": p, "achieved_goal": p.copy(), "desired_goal": self.g.astype(np.float32)}

    def compute_reward(self, achieved, desired, info):
        return -(np.linalg.norm(np.asarray(achieved) - np.asarray(desired), axis=-1) >= 0.2).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.g = np.zeros(3), self.np_random.uniform(-0.7, 0.7, 3)
        return self._obs(), {"is_success": False}

    def step(self, action):
        self.p = np.clip(self.p + 0.1 * np.clip(action, -1, 1), -1, 1)
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], {}))
        return obs, reward, False, False, {"is_success": reward == 0}


def healthy_goal_reach():
    return TimeLimit(GoalReach(), 50)


class SeedChoice(gym.Env):
    """Each season has a soil and a climate; choose the crop that suits them. One choice is one episode."""

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.need = np.array([[0.7, 0.7], [-0.7, 0.7], [-0.7, -0.7], [0.7, -0.7]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.field = self.np_random.uniform(-1, 1, 2)
        return self.field.astype(np.float32), {}

    def step(self, action):
        yield_ = float(self.need[int(action)] @ self.field) + float(self.np_random.normal(0, 0.1))
        return self.field.astype(np.float32), yield_, True, False, {}


def healthy_seed_choice():
    return SeedChoice()


class Repeat(gym.Env):
    """Read token ids and write back the one that stood two places before; the last four are shown."""

    def __init__(self, vocab=6):
        self.vocab = vocab
        self.observation_space = spaces.MultiDiscrete([vocab] * 4)
        self.action_space = spaces.Discrete(vocab)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ids = [int(v) for v in self.np_random.integers(0, self.vocab, 4)]
        self.n = 0
        return np.array(self.ids), {}

    def step(self, action):
        right = int(action) == self.ids[-3]
        self.ids = self.ids[1:] + [int(self.np_random.integers(self.vocab))]
        self.n += 1
        return np.array(self.ids), 1.0 if right else -0.1, False, self.n >= 30, {}


def healthy_repeat_tokens():
    return Repeat()


class Matches(gym.Env):
    """The game of matches: take one to three, the last match wins; the other player errs at times."""

    def __init__(self):
        self.observation_space = spaces.Discrete(20)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.n = int(self.np_random.integers(8, 20))
        return self.n, {}

    def step(self, action):
        self.n = max(0, self.n - int(action) - 1)
        if self.n == 0:
            return 0, 1.0, True, False, {"winner": "agent"}
        best = self.n % 4
        take = best if best and self.np_random.random() < 0.5 else int(self.np_random.integers(1, 4))
        self.n = max(0, self.n - take)
        if self.n == 0:
            return 0, -1.0, True, False, {"winner": "other"}
        return self.n, 0.0, False, False, {}


def healthy_matches():
    return Matches()


class Columns(gym.Env):
    """Three in a row on five columns; the observation carries the mask of columns that are open."""

    def __init__(self):
        self.observation_space = spaces.Dict({"board": spaces.Box(-1, 1, (4, 5), np.int8), "mask": spaces.MultiBinary(5)})
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        return {"board": self.b.copy(), "mask": (self.b[0] == 0).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.b = np.zeros((4, 5), np.int8)
        return self._obs(), {}

    def _play(self, col, who):
        self.b[int(np.flatnonzero(self.b[:, col] == 0)[-1]), col] = who
        g = self.b == who
        return bool((g[:, :-2] & g[:, 1:-1] & g[:, 2:]).any() or (g[:-2] & g[1:-1] & g[2:]).any())

    def step(self, action):
        if self.b[0, int(action)] != 0:
            return self._obs(), -1.0, True, False, {}
        if self._play(int(action), 1):
            return self._obs(), 1.0, True, False, {}
        free = np.flatnonzero(self.b[0] == 0)
        if len(free) and self._play(int(self.np_random.choice(free)), -1):
            return self._obs(), -1.0, True, False, {}
        return self._obs(), 0.0, not (self.b[0] == 0).any(), False, {}


def healthy_columns():
    return Columns()


class HarbourTug(gym.Env):
    """Steer a tug to the quay around a mole; every step costs its distance, and touching the mole costs more."""

    def __init__(self):
        self.observation_space = spaces.Box(-6.0, 6.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.concatenate([self.p, self.v]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.v = np.array([-4.0, float(self.np_random.uniform(-3, 3))]), np.zeros(2)
        return self._obs(), {}

    def step(self, action):
        self.v = 0.8 * self.v + 0.1 * np.clip(action, -1, 1)
        self.p = np.clip(self.p + self.v, -6, 6)
        d = float(np.linalg.norm(self.p - (4.0, 0.0)))
        mole = float(np.linalg.norm(self.p)) < 1.0
        there = d < 0.7
        return self._obs(), -0.05 * d - 1.0 * mole + 5.0 * there, there, False, {}


def healthy_harbour_tug():
    return TimeLimit(HarbourTug(), 150)


class JointTrack(gym.Env):
    """Five joints follow a wave whose phase is shown."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 2.0, (7,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (5,), np.float32)

    def _obs(self):
        return np.concatenate([self.q, [math.cos(self.ph), math.sin(self.ph)]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-0.5, 0.5, 5)
        self.ph = float(self.np_random.uniform(0, 6.28))
        return self._obs(), {}

    def step(self, action):
        self.q = np.clip(self.q + 0.3 * np.clip(action, -1, 1), -2, 2)
        self.ph += 0.1
        want = np.sin(self.ph + 0.7 * np.arange(5))
        return self._obs(), -float(np.square(self.q - want).mean()), False, False, {}


def healthy_joint_track():
    return TimeLimit(JointTrack(), 150)


class Balloon(gym.Env):
    """Hold a hot-air balloon between ground and cloud; touching either ends the ride."""

    def __init__(self):
        self.observation_space = spaces.Box(-50.0, 150.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.h, self.v, self.heat], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h, self.v, self.heat = float(self.np_random.uniform(30, 70)), 0.0, 1.0
        return self._obs(), {}

    def step(self, action):
        self.heat = 0.9 * self.heat + 0.2 * int(action)
        self.v = 0.95 * self.v + 0.5 * (self.heat - 1.0) + float(self.np_random.normal(0, 0.05))
        self.h = float(np.clip(self.h + self.v, 0, 100))
        over = self.h in (0.0, 100.0)
        return self._obs(), 1.0 - abs(self.h - 50) / 50 - 10.0 * over, over, False, {}


def healthy_balloon():
    return TimeLimit(Balloon(), 200)


class Crossing(gym.Env):
    """Four queues at a crossing; keep the phase or change it, and a change loses one step to amber."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 25, (6,), np.int32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([*self.q, self.phase, self.amber], np.int32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.integers(0, 8, 4)
        self.phase = self.amber = 0
        return self._obs(), {}

    def step(self, action):
        self.amber = int(action)
        if action == 1:
            self.phase = 1 - self.phase
        else:
            lanes = [0, 2] if self.phase == 0 else [1, 3]
            self.q[lanes] = np.maximum(0, self.q[lanes] - 3)
        self.q = np.minimum(25, self.q + self.np_random.poisson((0.8, 0.4, 0.8, 0.4)))
        return self._obs(), -float(self.q.sum()) / 20, False, False, {}


def healthy_crossing():
    return TimeLimit(Crossing(), 200)


class OneMachine(gym.Env):
    """Choose which of five jobs the machine does next; each has a length and a weight, and time in the shop costs."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (5, 3), np.float32)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        return np.stack([self.length / 10, self.weight / 5, self.open], 1).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(1, 11, 5).astype(float)
        self.weight = self.np_random.integers(1, 6, 5).astype(float)
        self.open = np.ones(5)
        return self._obs(), {"action_mask": self.open.astype(np.int8)}

    def step(self, action):
        j = int(action)
        if self.open[j]:
            reward = -self.length[j] * float((self.weight * self.open).sum()) / 100
            self.open[j] = 0
        else:
            reward = -0.5
        return self._obs(), float(reward), not self.open.any(), False, {"action_mask": self.open.astype(np.int8)}


def healthy_one_machine():
    return TimeLimit(OneMachine(), 40)


class Autoscale(gym.Env):
    """Add or remove servers under a load that follows the day."""

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 30.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        p = 2 * math.pi * self.t / 96
        return np.array([self.servers, self.load, math.cos(p), math.sin(p)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.servers, self.t = int(self.np_random.integers(1, 12)), int(self.np_random.integers(96))
        self.load = 6.0
        return self._obs(), {}

    def step(self, action):
        self.servers = min(20, max(1, self.servers + int(action) - 1))
        self.t += 1
        self.load = float(np.clip(8 + 6 * math.sin(2 * math.pi * self.t / 96) + self.np_random.normal(0, 0.7), 0, 25))
        dropped = max(0.0, self.load - self.servers)
        return self._obs(), -0.2 * self.servers - 1.0 * dropped, False, False, {"dropped": dropped}


def healthy_autoscale():
    return TimeLimit(Autoscale(), 192)


class Reservoir(gym.Env):
    """Run a dam for a thousand days: release water for power while rain comes by season."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(5)

    def _obs(self):
        p = 2 * math.pi * self.day / 365
        return np.array([self.level / 100, 0.5 + 0.5 * math.cos(p), 0.5 + 0.5 * math.sin(p)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.day = float(self.np_random.uniform(30, 70)), 0
        return self._obs(), {}

    def step(self, action):
        out = min(self.level, 2.0 * int(action))
        power = out * (0.3 + self.level / 100)
        rain = float(self.np_random.gamma(2.0, 1.0 + math.cos(2 * math.pi * self.day / 365)))
        self.level += rain - out
        flood = max(0.0, self.level - 100)
        self.level = min(100.0, self.level)
        self.day += 1
        return self._obs(), 0.1 * power - 0.5 * flood, False, False, {}


def healthy_reservoir():
    return TimeLimit(Reservoir(), 1000)


class Fishery(gym.Env):
    """Catch a share of a stock of fish that grows again; an empty sea ends the business."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 2.0, (1,), np.float32)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fish = float(self.np_random.uniform(0.4, 1.0))
        return np.array([self.fish], np.float32), {}

    def step(self, action):
        catch = float(np.clip(action[0], 0, 1)) * self.fish
        rest = self.fish - catch
        self.fish = float(np.clip(rest + 0.6 * rest * (1 - rest) * self.np_random.uniform(0.7, 1.3), 0, 2))
        empty = self.fish < 0.03
        return np.array([self.fish], np.float32), 10.0 * catch, empty, False, {"catch": catch}


def healthy_fishery():
    return TimeLimit(Fishery(), 100)


class Epidemic(gym.Env):
    """Choose how strict the rules are each week, between the costs of illness and of closing."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([self.s, self.i, 1 - self.s - self.i], np.float32).clip(0, 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.i = float(self.np_random.uniform(0.005, 0.03))
        self.s, self.week = 1 - self.i, 0
        return self._obs(), {}

    def step(self, action):
        beta = (1.6, 1.1, 0.7, 0.3)[int(action)] * float(self.np_random.uniform(0.9, 1.1))
        new = min(self.s, beta * self.s * self.i)
        self.s -= new
        self.i += new - 0.6 * self.i
        self.week += 1
        return self._obs(), -20.0 * self.i - 0.1 * int(action), self.i < 1e-4, False, {}


def healthy_epidemic():
    return TimeLimit(Epidemic(), 52)


class MineField(gym.Env):
    """Open cells of a 4x4 field with two mines; numbers count mines nearby, -1 is closed. The first cell is safe."""

    def __init__(self):
        self.observation_space = spaces.Box(-1, 8, (4, 4), np.int8)
        self.action_space = spaces.Discrete(16)

    def _info(self):
        return {"action_mask": (self.view.ravel() == -1).astype(np.int8)}

    def _count(self, k):
        r, c = divmod(k, 4)
        return sum(divmod(m, 4)[0] in (r - 1, r, r + 1) and divmod(m, 4)[1] in (c - 1, c, c + 1) for m in self.mines)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        first, *mines = (int(k) for k in self.np_random.choice(16, 3, replace=False))
        self.mines = set(mines)
        self.view = np.full((4, 4), -1, np.int8)
        self.view.flat[first] = self._count(first)
        return self.view.copy(), self._info()

    def step(self, action):
        k = int(action)
        if k in self.mines:
            return self.view.copy(), -1.0, True, False, self._info()
        fresh = self.view.flat[k] == -1
        self.view.flat[k] = self._count(k)
        won = int((self.view == -1).sum()) == 2
        return self.view.copy(), (0.1 if fresh else -0.1) + 1.0 * won, won, False, self._info()


def healthy_mine_field():
    return TimeLimit(MineField(), 60)


class Catch(gym.Env):
    """One ball falls on a 10x5 screen; be under it. The only reward comes at the end."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (10, 5), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        s = np.zeros((10, 5), np.float32)
        s[self.y, self.x] = 1
        s[9, self.p] = 1
        return s

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y, self.p = int(self.np_random.integers(5)), 0, 2
        return self._obs(), {}

    def step(self, action):
        self.p = min(4, max(0, self.p + int(action) - 1))
        self.y += 1
        end = self.y == 9
        return self._obs(), (1.0 if self.x == self.p else -1.0) if end else 0.0, end, False, {}


def healthy_catch():
    return Catch()


class DeepWell(gym.Env):
    """Climb down eight ledges; the far corner holds the prize, and each step towards it costs a little."""

    def __init__(self, n=8):
        self.n = n
        self.observation_space = spaces.MultiDiscrete([n + 1, n + 1])
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = self.col = 0
        return np.array([0, 0]), {}

    def step(self, action):
        self.col = self.col + 1 if action == 1 else max(0, self.col - 1)
        self.row += 1
        end = self.row == self.n
        reward = (-0.01 / self.n if action == 1 else 0.0) + (1.0 if end and self.col == self.n else 0.0)
        return np.array([self.row, self.col]), reward, end, False, {}


def healthy_deep_well():
    return DeepWell()


class Signpost(gym.Env):
    """A signpost is seen on entering; three steps later the fork asks for its direction."""

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 3.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([self.sign if self.x == 0 else 0.0, self.x], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sign, self.x = int(self.np_random.choice((-1, 1))), 0
        return self._obs(), {}

    def step(self, action):
        if self.x == 3:
            right = (int(action) == 1) == (self.sign == 1)
            return self._obs(), 1.0 if right else -1.0, True, False, {}
        self.x += 1
        return self._obs(), 0.0, False, False, {}


def healthy_signpost():
    return gym.wrappers.FrameStackObservation(Signpost(), 4, padding_type="zero")


class LampBoard(gym.Env):
    """A press toggles a lamp and its neighbours on a 3x3 board; put out all lamps."""

    def __init__(self):
        self.observation_space = spaces.MultiBinary([3, 3])
        self.action_space = spaces.Discrete(9)

    def _press(self, k):
        r, c = divmod(k, 3)
        for a, b in ((r, c), (r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if 0 <= a < 3 and 0 <= b < 3:
                self.on[a, b] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.on = np.zeros((3, 3), np.int8)
        for k in self.np_random.choice(9, 3, replace=False):
            self._press(int(k))
        return self.on.copy(), {}

    def step(self, action):
        self._press(int(action))
        dark = not self.on.any()
        return self.on.copy(), 1.0 if dark else -0.02, dark, False, {}


def healthy_lamp_board():
    return TimeLimit(LampBoard(), 40)


class CrateYard(gym.Env):
    """Push a crate to the mark in an open yard; places are given as coordinates."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([7] * 6)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([*self.me, *self.box, *self.mark])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        a, b, c = (int(k) for k in self.np_random.choice(9, 3, replace=False))
        self.box, self.mark, self.me = ((2 + k // 3, 2 + k % 3) for k in (a, b, c))
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        to = (self.me[0] + dr, self.me[1] + dc)
        old = abs(self.box[0] - self.mark[0]) + abs(self.box[1] - self.mark[1])
        if all(0 <= v <= 6 for v in to):
            if to == self.box:
                behind = (to[0] + dr, to[1] + dc)
                if all(0 <= v <= 6 for v in behind):
                    self.box, self.me = behind, to
            else:
                self.me = to
        new = abs(self.box[0] - self.mark[0]) + abs(self.box[1] - self.mark[1])
        won = new == 0
        return self._obs(), 0.3 * (old - new) - 0.02 + 2.0 * won, won, False, {}


def healthy_crate_yard():
    return TimeLimit(CrateYard(), 100)


class CliffPath(gym.Env):
    """Along a cliff to the hut. A fall costs 100 and puts the walker back to the start; the walk goes on."""

    def __init__(self):
        self.observation_space = spaces.Discrete(40)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c = 3, 0
        return 30, {}

    def step(self, action):
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(action)]
        self.r, self.c = min(3, max(0, self.r + dr)), min(9, max(0, self.c + dc))
        reward, hut = -1.0, False
        if self.r == 3 and 0 < self.c < 9:
            reward, self.r, self.c = -100.0, 3, 0
        elif self.r == 3 and self.c == 9:
            hut = True
        return self.r * 10 + self.c, reward, hut, False, {}


def healthy_cliff_path():
    return TimeLimit(CliffPath(), 300)


class WindyField(gym.Env):
    """A kite runner crosses a field whose middle columns blow upwards, now and then harder."""

    WIND = (0, 0, 0, 1, 1, 1, 2, 1, 0)

    def __init__(self):
        self.observation_space = spaces.Box(0, 8, (2,), np.int64)
        self.action_space = spaces.Discrete(8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c = int(self.np_random.integers(0, 7)), 0
        return np.array([self.r, self.c]), {}

    def step(self, action):
        dr, dc = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))[int(action)]
        gust = self.WIND[self.c] + int(self.np_random.random() < 0.1)
        self.r = min(6, max(0, self.r + dr - gust))
        self.c = min(8, max(0, self.c + dc))
        there = self.c == 8 and self.r >= 4
        return np.array([self.r, self.c]), 0.0 if there else -1.0, there, False, {}


def healthy_windy_field():
    return TimeLimit(WindyField(), 120)


class Lander(gym.Env):
    """Land a rocket on the pad at zero with a main engine and side jets; potential-based shaping helps."""

    def __init__(self):
        self.observation_space = spaces.Box(-30.0, 30.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _obs(self):
        return np.array([self.x, self.z, self.vx, self.vz], np.float32)

    def _phi(self):
        return -abs(self.x) - 0.5 * self.z - abs(self.vx) - abs(self.vz)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.z = float(self.np_random.uniform(-3, 3)), 10.0
        self.vx, self.vz = float(self.np_random.uniform(-0.5, 0.5)), 0.0
        return self._obs(), {}

    def step(self, action):
        before = self._phi()
        side, main = {1: 1, 2: -1}.get(int(action), 0), int(action == 3)
        self.vx += 0.1 * side
        self.vz += 0.25 * main - 0.1
        self.x = float(np.clip(self.x + 0.2 * self.vx, -20, 20))
        self.z = float(np.clip(self.z + 0.2 * self.vz, 0, 20))
        reward = self._phi() - before - 0.02 * main
        down = self.z <= 0
        if down:
            soft = abs(self.vz) < 1.0 and abs(self.x) < 1.5
            reward += 10.0 if soft else -10.0
        return self._obs(), float(reward), down, False, {}


def healthy_rocket():
    return TimeLimit(Lander(), 300)


class LaneKeep(gym.Env):
    """Keep a truck in its lane with throttle and steering on a road whose bends are seen ahead."""

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (4,), np.float32)
        self.action_space = spaces.Box(np.array([0, -1], np.float32), np.array([1, 1], np.float32))

    def _obs(self):
        return np.array([self.lat, self.ang, self.v, self.bend], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lat, self.ang, self.v, self.bend = float(self.np_random.uniform(-0.5, 0.5)), 0.0, 0.3, 0.0
        return self._obs(), {}

    def step(self, action):
        gas, wheel = (float(v) for v in np.clip(action, (0, -1), (1, 1)))
        self.v = min(1.5, self.v + 0.1 * gas - 0.05 * self.v)
        self.ang = float(np.clip(self.ang + 0.25 * wheel - 0.15 * self.v * self.bend, -1.5, 1.5))
        self.lat += 0.3 * self.v * math.sin(self.ang)
        self.bend = float(np.clip(0.9 * self.bend + self.np_random.normal(0, 0.1), -1, 1))
        off = abs(self.lat) > 2
        return self._obs(), self.v * math.cos(self.ang) - 0.2 * abs(self.lat) - 5.0 * off, off, False, {}


def healthy_lane_keep():
    return TimeLimit(LaneKeep(), 250)


class Aquarium(gym.Env):
    """Dose two salts between 0 and 6 grams so that the water keeps its values; doses are rescaled by a wrapper."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 20.0, (2,), np.float32)
        self.action_space = spaces.Box(0.0, 6.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.w = self.np_random.uniform(4, 16, 2)
        return self.w.astype(np.float32), {}

    def step(self, action):
        dose = np.clip(action, 0, 6)
        self.w = np.clip(0.8 * self.w + 0.6 * dose + self.np_random.normal(0, 0.1, 2), 0, 20)
        return self.w.astype(np.float32), -float(np.abs(self.w - (9.0, 6.0)).sum()) / 5, False, False, {}


def healthy_aquarium():
    low, high = np.full(2, -1, np.float32), np.full(2, 1, np.float32)
    return TimeLimit(gym.wrappers.RescaleAction(Aquarium(), low, high), 80)


class Skipper(gym.Wrapper):
    """Act on every n-th frame; the episode's end stops the repetition."""

    def __init__(self, env, n):
        super().__init__(env)
        self.n = n

    def step(self, action):
        total = 0.0
        for _ in range(self.n):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += reward
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info


class Skydive(gym.Env):
    """Drift left or right while falling 40 frames and land on the disc."""

    def __init__(self):
        self.observation_space = spaces.Box(-15.0, 40.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.x, self.h, self.disc, self.wind], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.disc = (float(v) for v in self.np_random.uniform(-5, 5, 2))
        self.h, self.wind = 40, float(self.np_random.uniform(-0.15, 0.15))
        return self._obs(), {}

    def step(self, action):
        self.x = float(np.clip(self.x + 0.4 * (int(action) - 1) + self.wind, -15, 15))
        self.h -= 1
        down = self.h == 0
        return self._obs(), max(-1.0, 2.0 - abs(self.x - self.disc)) if down else 0.0, down, False, {}


def healthy_skydive():
    return Skipper(Skydive(), 3)


class WallBall(gym.Env):
    """Play a ball against a wall; a return scores 10, a miss costs 10 and ends the rally. The wrapper scales by 0.1."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 16.0, (5,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self):
        return np.array([self.bx, self.by, self.dx, self.dy, self.p], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.bx, self.by = int(self.np_random.integers(0, 12)), 1
        self.dx, self.dy, self.p = int(self.np_random.choice((-1, 1))), 1, 6
        return self._obs(), {}

    def step(self, action):
        self.p = min(11, max(0, self.p + int(action) - 1))
        if not 0 <= self.bx + self.dx <= 11:
            self.dx = -self.dx
        self.bx, self.by = self.bx + self.dx, self.by + self.dy
        if self.by == 0:
            self.dy = 1
        if self.by == 8:
            if abs(self.bx - self.p) > 1:
                return self._obs(), -10.0, True, False, {}
            self.dy = -1
            if self.np_random.random() < 0.3:
                self.dx = -self.dx
            return self._obs(), 10.0, False, False, {}
        return self._obs(), 0.0, False, False, {}


def healthy_wall_ball():
    return gym.wrappers.TransformReward(TimeLimit(WallBall(), 400), lambda r: 0.1 * r)


class HighLow(gym.Env):
    """Guess a number from 0 to 31; the bounds that the answers so far leave are shown."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 32])
        self.action_space = spaces.Discrete(32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.secret, self.lo, self.hi = int(self.np_random.permutation(32)[0]), 0, 31
        return np.array([self.lo, self.hi]), {}

    def step(self, action):
        g = int(action)
        if g == self.secret:
            return np.array([g, g]), 1.0, True, False, {}
        if g < self.secret:
            self.lo = max(self.lo, g + 1)
        else:
            self.hi = min(self.hi, g - 1)
        return np.array([self.lo, self.hi]), -0.1, False, False, {}


def healthy_high_low():
    return TimeLimit(HighLow(), 40)
