"""A collection of small environments: games, control, logistics, grids and wrappers around Gymnasium's own."""

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
from gymnasium.utils import RecordConstructorArgs

F = np.float32


def f32(*values):
    return np.array(values, dtype=F)


# ---------------------------------------------------------------- process control


class TwoTanks(gym.Env):
    """Two tanks in a row: a pump fills the first, a valve lets it run into the second, which has a mark to hold."""

    def __init__(self):
        self.observation_space = Box(0.0, 2.0, (3,), F)
        self.action_space = Box(-1.0, 1.0, (2,), F)

    def _see(self):
        return f32(self.h[0], self.h[1], self.mark)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = self.np_random.uniform(0.2, 1.5, 2)
        self.mark = self.np_random.uniform(0.5, 1.2)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        pump, valve = 0.5 * (np.clip(action, -1, 1) + 1)
        between = 0.15 * valve * np.sqrt(self.h[0])
        out = 0.06 * np.sqrt(self.h[1])
        self.h = np.clip(self.h + [0.15 * pump - between, between - out], 0, 2)
        self.t += 1
        reward = -abs(self.h[1] - self.mark) - 0.2 * abs(self.h[0] - 1)
        return self._see(), float(reward), False, self.t >= 150, {}


class TankRow(TwoTanks):
    def _see(self):
        return f32(self.h[0], self.h[0], self.mark)


class Kiln(gym.Env):
    """A kiln: the burner heats (positive), the damper lets warm air out (negative)."""

    def __init__(self):
        self.observation_space = Box(-5.0, 5.0, (2,), F)
        self.action_space = Box(-1.0, 1.0, (1,), F)

    def _see(self):
        return f32((self.temperature - 600) / 300, (self.goal - 600) / 300)

    def _drive(self, action):
        return float(np.clip(action[0], -1, 1))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.temperature = self.np_random.uniform(400, 800)
        self.goal = self.np_random.uniform(450, 750)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        u = self._drive(action)
        self.temperature += 25 * u - 0.004 * (self.temperature - 300) + self.np_random.normal(0, 0.5)
        self.temperature = float(np.clip(self.temperature, 20, 1500))
        self.t += 1
        if self.t % 40 == 0:
            self.goal = self.np_random.uniform(450, 750)
        reward = -abs(self.temperature - self.goal) / 100
        return self._see(), float(reward), False, self.t >= 160, {"celsius": self.temperature}


class Furnace(Kiln):
    def _drive(self, action):
        return float(np.clip(action[0], 0, 1))


class Reactor(gym.Env):
    """A stirred reactor: feed and cooling, pressure in bar. Too much pressure opens the relief valve and ends the batch."""

    def __init__(self):
        self.observation_space = Box(f32(0, 0, 0), f32(20, 5, 3), dtype=F)
        self.action_space = Box(0.0, 1.0, (2,), F)

    def _see(self):
        return f32(self.bar, self.heat, self.conc)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.bar, self.heat, self.conc = 2.0, 1.0, self.np_random.uniform(0.3, 0.8)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        feed, cool = np.clip(action, 0, 1)
        rate = self.conc * np.exp(2 * (self.heat - 2))
        self.conc = float(np.clip(self.conc + 0.15 * feed - 0.2 * rate, 0, 3))
        self.heat = float(np.clip(self.heat + 0.12 * rate + 0.06 - 0.12 * cool, 0, 5))
        self.bar = float(np.clip(1 + 1.2 * self.heat + 0.5 * self.conc + self.np_random.normal(0, 0.05), 0, 20))
        self.t += 1
        burst = self.bar > 6.0
        reward = float(rate) - (10.0 if burst else 0.0)
        return self._see(), reward, bool(burst), self.t >= 200, {}


class Regulator(gym.Env):
    """Four states, two inputs, quadratic cost, noise on everything."""

    def __init__(self):
        self.observation_space = Box(-np.inf, np.inf, (4,), F)
        self.action_space = Box(-2.0, 2.0, (2,), F)
        self.a = np.array([[0.97, 0.1, 0, 0], [0, 0.92, 0.01, 0], [0, 0, 0.97, 0.1], [0.005, 0, 0, 0.92]])
        self.b = np.array([[0, 0], [0.1, 0], [0, 0], [0, 0.1]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.normal(0, 1, 4)
        self.t = 0
        return self.x.astype(F), {}

    def step(self, action):
        u = np.clip(action, -2, 2)
        cost = self.x @ self.x + 0.1 * u @ u
        self.x = np.clip(self.a @ self.x + self.b @ u + self.np_random.normal(0, 0.03, 4), -50, 50)
        self.t += 1
        return (self.x + self.np_random.normal(0, 0.02, 4)).astype(F), float(-0.1 * cost), False, self.t >= 200, {}


class Mass(gym.Env):
    """A mass on a spring, pushed by a motor; the task is to bring it to rest at a place that differs each time."""

    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (3,), F)
        self.action_space = Box(-1.0, 1.0, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(1.0, 2.0) * self.np_random.choice([-1, 1])
        self.v = 0.0
        self.place = self.np_random.uniform(-0.5, 0.5)
        self.t = 0
        return f32(self.x, self.v, self.place), {}

    def step(self, action):
        u = float(np.clip(action[0], -1, 1))
        self.v = float(np.clip(self.v + 0.1 * (2 * u - self.x - 0.2 * self.v), -8, 8))
        self.x = float(np.clip(self.x + 0.1 * self.v, -8, 8))
        self.t += 1
        reward = -abs(self.x - self.place) - 0.05 * u * u
        return f32(self.v, self.x, self.place), float(reward), False, self.t >= 40, {}


# ---------------------------------------------------------------- logistics and money


class Inventory(gym.Env):
    """A shop orders each day; what it orders arrives two days later."""

    capacity = 200

    def __init__(self):
        self.observation_space = Box(0.0, 200.0, (4,), F)
        self.action_space = Discrete(11)

    def _see(self):
        return f32(self.stock, *self.coming, self.t % 7)

    def _pay(self, sales, order):
        return 2.0 * sales - 1.0 * order - 0.1 * self.stock

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(0, 40))
        self.coming = [0, 0]
        self.t = 0
        return self._see(), {}

    def step(self, action):
        order = 5 * int(action)
        self.stock = min(self.capacity, self.stock + self.coming.pop(0))
        self.coming.append(order)
        demand = int(self.np_random.poisson(12 if self.t % 7 < 5 else 25))
        sales = min(self.stock, demand)
        self.stock -= sales
        reward = self._pay(sales, order)
        self.t += 1
        info = {"sales": sales, "holding_cost": 0.1 * self.stock, "purchase_cost": float(order)}
        return self._see(), float(reward), False, self.t >= 91, info


class Depot(Inventory):
    def _pay(self, sales, order):
        return 2.0 * sales - 1.0 * order + 0.1 * self.stock


class Granary(gym.Env):
    """A granary buys and sells lots at a price that wanders; it holds up to 600 sacks."""

    def __init__(self):
        self.observation_space = Dict({"sacks": Box(0, 255, (1,), np.uint8), "price": Box(0.0, 10.0, (1,), F)})
        self.action_space = Discrete(3)

    def _see(self):
        return {"sacks": np.array([self.sacks]).astype(np.uint8), "price": f32(self.price)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sacks = int(self.np_random.integers(0, 100))
        self.price = self.np_random.uniform(2, 6)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        lot = 40
        if action == 1:
            moved = min(lot, 600 - self.sacks)
        elif action == 2:
            moved = -min(lot, self.sacks)
        else:
            moved = 0
        reward = -moved * self.price / 40 - 0.0005 * self.sacks
        self.sacks += moved
        self.price = float(np.clip(self.price + 0.3 * (4 - self.price) + self.np_random.normal(0, 0.8), 0.5, 9.5))
        self.t += 1
        over = self.t >= 120
        if over:
            reward += self.sacks * 3.5 / 40
        return self._see(), float(reward), False, over, {}


class Market(gym.Env):
    """One asset whose returns have some momentum. Short, flat or long, with a fee for each change."""

    def __init__(self):
        self.observation_space = Box(-np.inf, np.inf, (3,), F)
        self.action_space = Discrete(3)

    def _see(self):
        return f32(self.returns[self.i], self.returns[self.i - 1], self.held)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        noise = self.np_random.normal(0, 1, 260)
        self.returns = np.zeros(260)
        for k in range(1, 260):
            self.returns[k] = 0.35 * self.returns[k - 1] + noise[k]
        self.i, self.held = 1, 0
        return self._see(), {}

    def step(self, action):
        want = int(action) - 1
        fee = 0.05 * abs(want - self.held)
        self.held = want
        self.i += 1
        reward = self.held * self.returns[self.i] - fee
        return self._see(), float(reward), False, self.i >= 252, {}


class Exchange(Market):
    def _see(self):
        return f32(self.returns[self.i + 1], self.returns[self.i], self.held)


class Battery(gym.Env):
    """A battery on the grid: buys (positive power) and sells (negative) at the price of the hour."""

    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (4,), F)
        self.action_space = Box(-1.0, 1.0, (1,), F)

    def _see(self):
        h = 2 * np.pi * self.hour / 24
        return f32(self.charge, np.sin(h), np.cos(h), self.price)

    def _quote(self):
        h = 2 * np.pi * self.hour / 24
        self.price = float(np.clip(3 - 1.5 * np.cos(h) + self.np_random.normal(0, 0.4), 0.2, 8))

    def _bill(self, wanted, power):
        return -self.price * power

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.charge = self.np_random.uniform(0, 4)
        self.hour = int(self.np_random.integers(24))
        self.t = 0
        self._quote()
        return self._see(), {}

    def step(self, action):
        wanted = float(np.clip(action[0], -1, 1))
        power = float(np.clip(wanted, -self.charge, 4 - self.charge))
        reward = self._bill(wanted, power)
        self.charge = float(np.clip(self.charge + (0.95 * power if power > 0 else power), 0, 4))
        self.hour = (self.hour + 1) % 24
        self.t += 1
        self._quote()
        return self._see(), float(reward), False, self.t >= 96, {"power": power}


class Accumulator(Battery):
    def _bill(self, wanted, power):
        return -self.price * wanted


class Fishery(gym.Env):
    """Fish grow, boats catch. Biomass in tonnes, money in ten thousands. A long game."""

    def __init__(self):
        self.observation_space = Box(f32(0, 0), f32(2e4, 600), dtype=F)
        self.action_space = Box(0.0, 1.0, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fish = self.np_random.uniform(4000, 8000)
        self.month = 0
        return f32(self.fish, self.month), {}

    def step(self, action):
        catch = 0.3 * float(np.clip(action[0], 0, 1)) * self.fish
        rest = self.fish - catch
        grown = rest + 0.15 * rest * (1 - rest / 1e4)
        self.fish = float(np.clip(grown * np.exp(self.np_random.normal(0, 0.03)), 50, 1.9e4))
        self.month += 1
        return f32(self.fish, self.month), float(catch * 0.01 - 0.5 * action[0]), False, self.month >= 600, {}


class Option(gym.Env):
    """An American put: wait or exercise; paid once, when it is exercised, or at expiry."""

    def __init__(self):
        self.observation_space = Box(0.0, 5.0, (2,), F)
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.price = self.np_random.uniform(0.85, 1.15)
        self.t = 0
        return f32(self.price, self.t / 60), {}

    def step(self, action):
        value = max(0.0, 1.0 - self.price)
        if action == 1 or self.t >= 60:
            return f32(self.price, min(1.0, self.t / 60)), float(10 * value), True, False, {}
        self.price = float(np.clip(self.price * np.exp(self.np_random.normal(0, 0.04)), 0.1, 4.9))
        self.t += 1
        return f32(self.price, self.t / 60), 0.0, False, False, {}


class Elevators(gym.Env):
    """Two lifts, six floors: down, stay or up for each; people wait and are picked up where a lift is."""

    def __init__(self):
        self.observation_space = Box(0.0, 20.0, (8,), F)
        self.action_space = MultiDiscrete([3, 3])

    def _see(self):
        return f32(*self.lifts, *self.waiting)

    def _orders(self, action):
        return int(action[0]), int(action[1])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lifts = [int(k) for k in self.np_random.integers(0, 6, 2)]
        self.waiting = self.np_random.integers(0, 3, 6)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        for k, order in enumerate(self._orders(action)):
            self.lifts[k] = int(np.clip(self.lifts[k] + order - 1, 0, 5))
        served = 0
        for floor in set(self.lifts):
            served += int(self.waiting[floor])
            self.waiting[floor] = 0
        self.waiting = np.minimum(self.waiting + (self.np_random.random(6) < 0.12), 20)
        self.t += 1
        reward = served - 0.1 * int(self.waiting.sum())
        return self._see(), float(reward), False, self.t >= 120, {"served": served}


class Hoists(Elevators):
    def _orders(self, action):
        first = int(action[0])
        return first, first


class Queues(gym.Env):
    """Four queues and one server, who may idle. The info says which choices are allowed."""

    def __init__(self):
        self.observation_space = Box(0, 30, (4,), np.int64)
        self.action_space = Discrete(5)
        self.rates = np.array([0.15, 0.2, 0.1, 0.25])
        self.worth = np.array([3.0, 1.0, 4.0, 1.5])

    def _mask(self):
        return np.append(self.length > 0, True).astype(np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(0, 3, 4)
        self.t = 0
        return self.length.copy(), {"action_mask": self._mask()}

    def _serve(self, action):
        reward = 0.0
        if action < 4:
            if self.length[action] > 0:
                self.length[action] -= 1
                reward += self.worth[action]
            else:
                reward -= 1.0
        self.length = np.minimum(self.length + (self.np_random.random(4) < self.rates), 30)
        return reward - 0.05 * float(self.length.sum())

    def step(self, action):
        reward = self._serve(int(action))
        mask = self._mask()
        self.t += 1
        return self.length.copy(), float(reward), False, self.t >= 150, {"action_mask": mask}


class Counter(Queues):
    def step(self, action):
        mask = self._mask()
        reward = self._serve(int(action))
        self.t += 1
        return self.length.copy(), float(reward), False, self.t >= 150, {"action_mask": mask}


class Ferry(gym.Env):
    """A ferry between two banks: wait or cross. Every fourth minute people come to both."""

    def __init__(self):
        self.observation_space = Box(0.0, 60.0, (4,), F)
        self.action_space = Discrete(2)

    def _source(self):
        return self.np_random

    def _see(self):
        return f32(self.side, *self.people, self.t % 4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.side = int(self.np_random.integers(2))
        self.people = [int(k) for k in self.np_random.integers(0, 8, 2)]
        self.t = 0
        return self._see(), {}

    def step(self, action):
        reward = 0.0
        if action == 1:
            carried = min(10, self.people[self.side])
            self.people[self.side] -= carried
            self.side = 1 - self.side
            reward = carried - 2.0
        self.t += 1
        if self.t % 4 == 0:
            come = self._source().poisson([5, 2])
            self.people = [min(60, int(p + c)) for p, c in zip(self.people, come)]
        reward -= 0.05 * sum(self.people)
        return self._see(), float(reward), False, self.t >= 100, {}


class Shuttle(Ferry):
    def _source(self):
        return np.random


class Crossing(gym.Env):
    """Traffic lights at three crossings of one road: for each, along or across."""

    def __init__(self):
        self.observation_space = Box(0.0, 1.0, (9,), F)
        self.action_space = MultiDiscrete([2, 2, 2])

    def _see(self):
        return np.concatenate([self.along / 25, self.across / 25, self.green]).astype(F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.along = self.np_random.integers(0, 5, 3)
        self.across = self.np_random.integers(0, 5, 3)
        self.green = np.zeros(3, int)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        action = np.asarray(action)
        changed = action != self.green
        self.green = action.copy()
        flow = np.where(changed, 1, 3)
        go_along = np.where(self.green == 0, np.minimum(flow, self.along), 0)
        go_across = np.where(self.green == 1, np.minimum(flow, self.across), 0)
        self.along = self.along - go_along
        self.along[1:] += go_along[:-1]
        self.along[0] += self.np_random.poisson(1.0)
        self.across = self.across - go_across + self.np_random.poisson(0.6, 3)
        self.along, self.across = np.minimum(self.along, 25), np.minimum(self.across, 25)
        self.t += 1
        return self._see(), -0.1 * float(self.along.sum() + self.across.sum()), False, self.t >= 180, {}


# ---------------------------------------------------------------- vehicles and robots


class Reach(gym.Env):
    """A hand in the plane and a place to touch; when it is touched there is another one."""

    def __init__(self):
        plane = Box(-1.0, 1.0, (2,), F)
        self.observation_space = Dict(
            {"observation": Box(-1.0, 1.0, (4,), F), "achieved_goal": plane, "desired_goal": plane}
        )
        self.action_space = Box(-1.0, 1.0, (2,), F)

    def _see(self):
        return {
            "observation": np.concatenate([self.hand, self.speed]).astype(F),
            "achieved_goal": self.hand.astype(F),
            "desired_goal": self.shown.astype(F),
        }

    def _next(self):
        self.goal = self.np_random.uniform(-0.8, 0.8, 2)
        self.shown = self.goal.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand, self.speed = self.np_random.uniform(-0.5, 0.5, 2), np.zeros(2)
        self.goal = self.np_random.uniform(-0.8, 0.8, 2)
        self.shown = self.goal.copy()
        self.t = 0
        return self._see(), {}

    def step(self, action):
        self.speed = np.clip(0.7 * self.speed + 0.06 * np.clip(action, -1, 1), -1, 1)
        self.hand = np.clip(self.hand + self.speed, -1, 1)
        distance = float(np.linalg.norm(self.hand - self.goal))
        reward = -distance
        if distance < 0.15:
            reward += 3.0
            self._next()
        self.t += 1
        return self._see(), float(reward), False, self.t >= 120, {}


class Touch(Reach):
    def _next(self):
        self.goal = self.np_random.uniform(-0.8, 0.8, 2)


class Parking(gym.Env):
    """A car with a steering angle in degrees (to 30 either way) and a throttle; the bay is at the origin."""

    def __init__(self):
        self.observation_space = Box(-25.0, 25.0, (5,), F)
        self.action_space = Box(f32(-30, -1), f32(30, 1), dtype=F)

    def _see(self):
        return f32(*self.xy, np.cos(self.heading), np.sin(self.heading), self.speed)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.xy = self.np_random.uniform(-8, 8, 2)
        self.heading = self.np_random.uniform(-np.pi, np.pi)
        self.speed, self.t = 1.0, 0
        return self._see(), {}

    def step(self, action):
        steer, throttle = float(np.clip(action[0], -30, 30)), float(np.clip(action[1], -1, 1))
        self.speed = float(np.clip(self.speed + 0.3 * throttle, -2, 2))
        self.heading += self.speed / 2.5 * np.tan(steer) * 0.3
        self.heading = (self.heading + np.pi) % (2 * np.pi) - np.pi
        self.xy = np.clip(self.xy + 0.3 * self.speed * np.array([np.cos(self.heading), np.sin(self.heading)]), -20, 20)
        self.t += 1
        distance = float(np.linalg.norm(self.xy))
        done = distance < 0.7 and abs(self.speed) < 0.5
        return self._see(), -0.05 * distance + (20.0 if done else 0.0), bool(done), self.t >= 200, {}


class Rover(gym.Env):
    """A rover on a plain: two thrusters, a beacon to stay at."""

    def __init__(self):
        self.observation_space = Box(-30.0, 30.0, (6,), F)
        self.action_space = Box(-1.0, 1.0, (2,), F)

    def _see(self):
        return f32(*self.xy, *self.speed, *self.beacon)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.xy = self.np_random.uniform(-3, 3, 2)
        self.beacon = self.np_random.uniform(-3, 3, 2)
        self.speed = np.zeros(2)
        self.thrust = np.zeros(2)
        self.t = 0
        return self._see(), {}

    def _move(self):
        self.speed = np.clip(0.8 * self.speed + 0.4 * self.thrust, -3, 3)
        self.xy = np.clip(self.xy + 0.3 * self.speed, -20, 20)

    def step(self, action):
        self.thrust = np.clip(action, -1, 1).astype(float)
        self._move()
        self.t += 1
        reward = -float(np.linalg.norm(self.xy - self.beacon))
        return self._see(), reward, False, self.t >= 100, {}


class Crawler(Rover):
    def step(self, action):
        self._move()
        self.thrust = np.clip(action, -1, 1).astype(float)
        self.t += 1
        reward = -float(np.linalg.norm(self.xy - self.beacon))
        return self._see(), reward, False, self.t >= 100, {}


class Crane(gym.Env):
    """A trolley with a swinging load: bring the load over the mark. The stick has a dead zone of a fifth."""

    gain = 3.0

    def __init__(self):
        self.observation_space = Box(-20.0, 20.0, (5,), F)
        self.action_space = Box(-1.0, 1.0, (1,), F)

    def _see(self):
        return f32(self.x, self.v, self.angle, self.rate, self.mark)

    def _force(self, action):
        stick = np.array(action)
        stick[np.abs(stick) < 0.2] = 0.0
        return self.gain * float(stick[0])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.mark = self.np_random.uniform(-3, 3, 2)
        self.v, self.rate = 0.0, 0.0
        self.angle = self.np_random.uniform(-0.1, 0.1)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        force = self._force(action)
        accel = force - 0.5 * self.v
        self.rate += 0.05 * (-4 * np.sin(self.angle) - accel * np.cos(self.angle) - 0.1 * self.rate)
        self.angle = float(np.clip(self.angle + 0.05 * self.rate, -3, 3))
        self.rate = float(np.clip(self.rate, -10, 10))
        self.v = float(np.clip(self.v + 0.05 * accel, -6, 6))
        self.x = float(np.clip(self.x + 0.05 * self.v, -10, 10))
        self.t += 1
        load = self.x + np.sin(self.angle)
        return self._see(), float(-abs(load - self.mark) - 0.1 * self.angle**2), False, self.t >= 200, {}


class Gantry(Crane):
    def _force(self, action):
        stick = np.asarray(action)
        stick[np.abs(stick) < 0.2] = 0.0
        return self.gain * float(stick[0])


class Lander(gym.Env):
    """Come down softly: engine off, half or full. Hard landings cost, and wear the engine."""

    def __init__(self):
        self.observation_space = Box(f32(0, -30, 0), f32(120, 30, 1), dtype=F)
        self.action_space = Discrete(3)
        self.wear = 0.0

    def _see(self):
        return f32(self.height, self.speed, self.fuel)

    def _start(self):
        self.height = self.np_random.uniform(40, 60)
        self.speed = self.np_random.uniform(-3, 0)
        self.fuel = 1.0
        self.t = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._start()
        self.wear = 0.0
        return self._see(), {}

    def step(self, action):
        burn = [0.0, 0.5, 1.0][int(action)] if self.fuel > 0 else 0.0
        self.fuel = max(0.0, self.fuel - 0.008 * burn)
        self.speed = float(np.clip(self.speed + 0.3 * (-2.2 + 4.0 * burn * (1 - self.wear)), -30, 30))
        self.height = float(np.clip(self.height + 0.3 * self.speed, 0, 110))
        self.t += 1
        down = self.height <= 0
        reward = -0.02 * burn
        if down:
            hard = abs(self.speed) > 3
            reward += 10.0 if not hard else -min(10.0, abs(self.speed))
            if hard:
                self.wear = min(0.85, self.wear + 0.1)
        return self._see(), float(reward), bool(down), self.t >= 250, {}


class Descender(Lander):
    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self._start()
        return self._see(), {}


class Stick(gym.Env):
    """A stick on a motor: hold it up for as long as possible. It is over when it has fallen."""

    limit = 12

    def __init__(self):
        self.observation_space = Box(-40.0, 40.0, (2,), F)
        self.action_space = Box(-1.0, 1.0, (1,), F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lean, self.rate = self.np_random.uniform(-0.05, 0.05, 2)
        self.t = 0
        return f32(self.lean, self.rate), {}

    def step(self, action):
        u = float(np.clip(action[0], -1, 1))
        self.rate = float(np.clip(self.rate + 0.03 * (9 * np.sin(self.lean) + 5 * u - 0.3 * self.rate), -12, 12))
        self.lean = float(np.clip(self.lean + 0.03 * self.rate, -35, 35))
        self.t += 1
        fallen = abs(self.lean) > self.limit
        return f32(self.lean, self.rate), 1.0, bool(fallen), self.t >= 300, {}


class Bike(gym.Env):
    """Ride straight on without falling over; the handlebar and the rider's weight are moved."""

    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (4,), F)
        self.action_space = Box(-1.0, 1.0, (2,), F)

    def _see(self):
        return f32(self.lean, self.rate, self.bar, self.side)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lean, self.rate = self.np_random.uniform(-0.08, 0.08, 2)
        self.bar, self.side, self.t = 0.0, 0.0, 0
        return self._see(), {}

    def _ride(self, action):
        turn, weight = np.clip(action, -1, 1)
        self.bar = float(np.clip(self.bar + 0.1 * turn, -0.6, 0.6))
        push = 6 * np.sin(self.lean) - 7 * self.bar + 1.5 * weight
        self.rate = float(np.clip(self.rate + 0.04 * push + self.np_random.normal(0, 0.02), -8, 8))
        self.lean = float(np.clip(self.lean + 0.04 * self.rate, -2, 2))
        self.side = float(np.clip(self.side + 0.1 * self.bar, -5, 5))
        self.t += 1
        fallen = abs(self.lean) > 0.6
        reward = 1.0 - 0.2 * abs(self.side) - (5.0 if fallen else 0.0)
        return float(reward), bool(fallen), self.t >= 250

    def step(self, action):
        reward, fallen, late = self._ride(action)
        return self._see(), reward, fallen, late, {}


class Cycle(Bike):
    def step(self, action):
        reward, fallen, late = self._ride(action)
        if fallen or late:
            observation, info = self.reset()
            return observation, reward, fallen, late, info
        return self._see(), reward, fallen, late, {}


class Navigator(gym.Env):
    """Walk to the flag in a room of ten by ten, paid for the way made."""

    reach = 10.0

    def __init__(self):
        self.observation_space = Box(0.0, 15.0, (4,), F)
        self.action_space = Box(-1.0, 1.0, (2,), F)

    def _see(self):
        return f32(*self.xy, *self.flag)

    def _progress(self, before, after):
        return before - after

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.xy = self.np_random.uniform(0, 10, 2)
        self.flag = self.np_random.uniform(0, self.reach, 2)
        self.t = 0
        return self._see(), {}

    def step(self, action):
        before = float(np.linalg.norm(self.xy - self.flag))
        self.xy = np.clip(self.xy + 0.5 * np.clip(action, -1, 1), 0, 10)
        after = float(np.linalg.norm(self.xy - self.flag))
        self.t += 1
        there = after < 0.5
        reward = self._progress(before, after) + (5.0 if there else 0.0) - 0.01
        return self._see(), float(reward), bool(there), self.t >= 150, {}


class Walker(Navigator):
    def _progress(self, before, after):
        return max(0.0, before - after)


class Stroller(Navigator):
    reach = 14.0


class Sled(gym.Env):
    """A sled in a valley: rock it until it comes over the rim. A minute lost is a point lost."""

    push = 0.0012

    def __init__(self):
        self.observation_space = Box(f32(-1.3, -0.08), f32(0.7, 0.08), dtype=F)
        self.action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.t = self.np_random.uniform(-0.65, -0.4), 0.0, 0
        return f32(self.x, self.v), {}

    def step(self, action):
        self.v += self.push * (int(action) - 1) - 0.0025 * np.cos(3 * self.x)
        self.v = float(np.clip(0.995 * self.v, -0.07, 0.07))
        self.x += self.v
        if self.x < -1.25:
            self.x, self.v = -1.25, 0.0
        self.x = float(min(self.x, 0.65))
        self.t += 1
        over = self.x >= 0.5
        return f32(self.x, self.v), -1.0, bool(over), self.t >= 400, {}


class Sleigh(Sled):
    push = 0.00012


class Docking(gym.Env):
    """Dock at the station: slow at the port is a dock, fast is a collision. The info says how it went."""

    def __init__(self):
        self.observation_space = Box(-40.0, 40.0, (2,), F)
        self.action_space = Discrete(3)

    def _report(self, docked, over):
        return {"is_success": bool(docked)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.gap, self.speed = self.np_random.uniform(8, 12), self.np_random.uniform(-0.3, 0.3)
        self.t = 0
        return f32(self.gap, self.speed), {}

    def step(self, action):
        self.speed = float(np.clip(self.speed + 0.1 * (int(action) - 1), -4, 4))
        self.gap = float(np.clip(self.gap + 0.3 * self.speed, -3, 30))
        self.t += 1
        contact = self.gap <= 0
        docked = contact and abs(self.speed) < 0.6
        reward = -0.02
        if contact:
            reward = 10.0 if docked else -5.0
        return f32(self.gap, self.speed), reward, bool(contact), self.t >= 300, self._report(docked, contact)


class Berthing(Docking):
    def _report(self, docked, over):
        return {"is_success": bool(over)}


# ---------------------------------------------------------------- grids


MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


class KeyRoom(gym.Env):
    """Five by five, a key and a door. The door opens for whoever has the key."""

    def __init__(self):
        self.observation_space = MultiDiscrete([5, 5, 5, 5, 5, 5, 2])
        self.action_space = Discrete(4)

    def _see(self):
        return np.array([*self.me, *self.key, *self.door, self.has_key], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.permutation(25)[:3]
        self.me, self.key, self.door = [[int(c) // 5, int(c) % 5] for c in cells]
        self.has_key, self.open, self.t = 0, 0, 0
        return self._see(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        self.me = [min(4, max(0, self.me[0] + dr)), min(4, max(0, self.me[1] + dc))]
        reward = -0.01
        if self.me == self.key and not self.has_key:
            self.has_key = 1
            reward += 0.3
        if self.me == self.door and self.has_key:
            self.open = 1
            reward += 1.0
        self.t += 1
        return self._see(), reward, bool(self.open), self.t >= 100, {}


class LatchRoom(KeyRoom):
    def _see(self):
        return np.array([*self.me, *self.key, *self.door, self.open], dtype=np.int64)


class Harvest(gym.Env):
    """Fruit on a field of six by six: walk and pick. New fruit grows now and then."""

    steps = MOVES

    def __init__(self):
        self.observation_space = Box(0, 2, (6, 6), np.int8)
        self.action_space = Discrete(4)

    def _see(self):
        view = self.fruit.copy()
        view[self.r, self.c] = 2
        return view

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fruit = (self.np_random.random((6, 6)) < 0.2).astype(np.int8)
        self.r, self.c = (int(k) for k in self.np_random.integers(0, 6, 2))
        self.fruit[self.r, self.c] = 0
        self.t = 0
        return self._see(), {}

    def step(self, action):
        dr, dc = self.steps[int(action)]
        self.r, self.c = int(np.clip(self.r + dr, 0, 5)), int(np.clip(self.c + dc, 0, 5))
        reward = float(self.fruit[self.r, self.c])
        self.fruit[self.r, self.c] = 0
        if self.np_random.random() < 0.15:
            i, j = self.np_random.integers(0, 6, 2)
            if (i, j) != (self.r, self.c):
                self.fruit[i, j] = 1
        self.t += 1
        return self._see(), reward, False, self.t >= 100, {}


class Orchard(Harvest):
    steps = ((1, 0), (1, 0), (0, -1), (0, 1))


class Vacuum(gym.Env):
    """A room with dirt; a robot that cleans where it stands."""

    def __init__(self):
        self.observation_space = Dict({"place": MultiDiscrete([5, 5]), "dirt": MultiBinary(25)})
        self.action_space = Discrete(5)

    def _see(self):
        return {"place": np.array([self.r, self.c]), "dirt": self.dirt.reshape(-1).copy()}

    def _suck(self):
        found = int(self.dirt[self.r, self.c])
        self.dirt[self.r, self.c] = 0
        return found

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dirt = (self.np_random.random((5, 5)) < 0.35).astype(np.int8)
        self.dirt[2, 2] = 1
        self.r = self.c = 0
        self.t = 0
        return self._see(), {}

    def step(self, action):
        reward = -0.02
        if action == 4:
            reward += self._suck()
        else:
            dr, dc = MOVES[int(action)]
            self.r, self.c = int(np.clip(self.r + dr, 0, 4)), int(np.clip(self.c + dc, 0, 4))
        self.t += 1
        return self._see(), float(reward), bool(self.dirt.sum() == 0), self.t >= 150, {}


class Sweeper(Vacuum):
    def _suck(self):
        row = self.dirt[self.r].copy()
        found = int(row[self.c])
        row[self.c] = 0
        return found


class Maze(gym.Env):
    """A small maze with a fixed plan and a goal in the corner."""

    plan = ("..#....", ".##.##.", "....#..", ".##...#", "...#.#.", ".#.....", ".#.##..")

    def __init__(self):
        self.observation_space = Discrete(49)
        self.action_space = Discrete(4)
        self.free = [(r, c) for r in range(7) for c in range(7) if self.plan[r][c] == "."]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        starts = [p for p in self.free if p != (6, 6)]
        self.me = starts[self.np_random.integers(len(starts))]
        self.t = 0
        return self.me[0] * 7 + self.me[1], {}

    def _walk(self, action):
        dr, dc = MOVES[int(action)]
        to = (self.me[0] + dr, self.me[1] + dc)
        if to in self.free:
            self.me = to
        self.t += 1

    def step(self, action):
        self._walk(action)
        terminated = False
        reward = -0.01
        if self.me == (6, 6):
            reward = 1.0
            terminated = True
        return self.me[0] * 7 + self.me[1], reward, terminated, self.t >= 200, {}


class Labyrinth(Maze):
    def step(self, action):
        self._walk(action)
        terminated = False
        if self.me == (6, 6):
            reward = 1.0
            terminated = True
        reward = -0.01
        return self.me[0] * 7 + self.me[1], reward, terminated, self.t >= 200, {}


class Pits(gym.Env):
    """A slippery ledge with pits on one side; the hut is at its far end."""

    pay = {"step": -1.0, "pit": -50.0, "hut": 50.0}

    def __init__(self):
        self.observation_space = MultiDiscrete([3, 14])
        self.action_space = Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c, self.t = int(self.np_random.integers(0, 2)), 0, 0
        return np.array([self.r, self.c]), {}

    def step(self, action):
        if self.np_random.random() < 0.1:
            action = self.np_random.integers(4)
        dr, dc = MOVES[int(action)]
        self.r, self.c = int(np.clip(self.r + dr, 0, 2)), int(np.clip(self.c + dc, 0, 13))
        self.t += 1
        reward, ended = self.pay["step"], False
        if self.r == 2:
            reward, ended = self.pay["pit"], True
        elif self.c == 13:
            reward, ended = self.pay["hut"], True
        return np.array([self.r, self.c]), reward, ended, self.t >= 120, {}


class Ledge(Pits):
    pay = {"step": -1.0, "pit": 0.0, "hut": 5.0}


class Courier(gym.Env):
    """A street grid of five rows and nine columns; bring the parcel to the address."""

    rows, columns = 5, 9

    def __init__(self):
        self.observation_space = MultiDiscrete([self.rows, self.columns, self.rows, self.columns])
        self.action_space = Discrete(4)

    def _see(self):
        return np.array([*self.me, *self.address], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = [int(self.np_random.integers(self.rows)), int(self.np_random.integers(3))]
        while True:
            self.address = [int(self.np_random.integers(self.rows)), int(self.np_random.integers(self.columns))]
            if self.address != self.me:
                break
        self.t = 0
        return self._see(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        self.me[0] = min(max(self.me[0] + dr, 0), self.rows - 1)
        self.me[1] = min(max(self.me[1] + dc, 0), self.rows - 1)
        self.t += 1
        there = self.me == self.address
        return self._see(), 10.0 if there else -0.1, there, self.t >= 80, {}


class Lights(gym.Env):
    """Nine lamps; a switch turns its own and its neighbours. All off is the goal."""

    def __init__(self):
        self.observation_space = MultiBinary(9)
        self.action_space = Discrete(9)
        self.lamps = np.zeros((3, 3), np.int8)

    def _turn(self, k):
        r, c = divmod(int(k), 3)
        for dr, dc in ((0, 0), *MOVES):
            if 0 <= r + dr < 3 and 0 <= c + dc < 3:
                self.lamps[r + dr, c + dc] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamps[:] = 0
        for k in self.np_random.permutation(9)[: self.np_random.integers(1, 4)]:
            self._turn(k)
        self.t = 0
        return self.lamps.reshape(-1).copy(), {}

    def step(self, action):
        self._turn(action)
        self.t += 1
        dark = not self.lamps.any()
        return self.lamps.reshape(-1).copy(), 1.0 if dark else -0.05, bool(dark), self.t >= 40, {}


class Lamps(Lights):
    lamps = np.zeros((3, 3), np.int8)

    def __init__(self):
        self.observation_space = MultiBinary(9)
        self.action_space = Discrete(9)


class Corridor(gym.Env):
    """A cue at the entrance says which door at the end is the right one; it is not shown again. Memory is the task."""

    def __init__(self):
        self.observation_space = Box(-1.0, 1.0, (2,), F)
        self.action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cue = int(self.np_random.choice([-1, 1]))
        self.x, self.t = 0, 0
        return f32(self.cue, 0.0), {}

    def step(self, action):
        self.t += 1
        if action == 1:
            self.x = min(6, self.x + 1)
        elif self.x == 6:
            right = (int(action) - 1) == self.cue
            return f32(0.0, 1.0), 1.0 if right else -1.0, True, False, {}
        return f32(0.0, self.x / 6), -0.01, False, self.t >= 60, {}


# ---------------------------------------------------------------- pictures


class Snake(gym.Env):
    """Snake on twelve by twelve, as a picture: head, body and apple in different greys."""

    def __init__(self):
        self.observation_space = Box(0, 255, (12, 12, 1), np.uint8)
        self.action_space = Discrete(4)

    def _paint(self):
        frame = np.zeros((12, 12, 1))
        for r, c in self.body:
            frame[r, c] = 85
        frame[self.apple] = 170
        frame[self.body[0]] = 255
        return frame

    def _see(self):
        return self._paint().astype(np.uint8)

    def _plant(self):
        while True:
            self.apple = tuple(int(k) for k in self.np_random.integers(0, 12, 2))
            if self.apple not in self.body:
                return

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r, c = (int(k) for k in self.np_random.integers(3, 9, 2))
        self.body = [(r, c), (r, c - 1)]
        self.t = self.hunger = 0
        self._plant()
        return self._see(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        head = (self.body[0][0] + dr, self.body[0][1] + dc)
        self.t += 1
        self.hunger += 1
        if not (0 <= head[0] < 12 and 0 <= head[1] < 12) or head in self.body[1:-1]:
            return self._see(), -1.0, True, False, {}
        self.body.insert(0, head)
        reward = -0.01
        if head == self.apple:
            reward, self.hunger = 1.0, 0
            self._plant()
        else:
            self.body.pop()
        return self._see(), reward, False, self.hunger >= 150, {}


class Worm(Snake):
    def _see(self):
        return (self._paint() / 255).astype(np.uint8)


class Bouncer(gym.Env):
    """A ball falls and bounces off the sides; the last three pictures show where it is going."""

    def __init__(self):
        self.observation_space = Box(0, 255, (3, 10, 10), np.uint8)
        self.action_space = Discrete(3)
        self.screen = np.zeros((10, 10), np.uint8)

    def _draw(self):
        self.screen[:] = 0
        self.screen[self.y, self.x] = 255
        self.screen[9, max(0, self.bat - 1) : self.bat + 2] = 128
        return self.screen

    def _keep(self):
        self.frames = self.frames[1:] + [self._draw().copy()]

    def _serve(self):
        self.y = 0
        self.x = int(self.np_random.integers(10))
        self.dx = int(self.np_random.choice([-1, 1]))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._serve()
        self.bat, self.t = 5, 0
        self.frames = [np.zeros((10, 10), np.uint8)] * 3
        self._keep()
        return np.stack(self.frames), {}

    def step(self, action):
        self.bat = int(np.clip(self.bat + int(action) - 1, 0, 9))
        self.y += 1
        self.x += self.dx
        if not 0 <= self.x <= 9:
            self.dx = -self.dx
            self.x += 2 * self.dx
        self.t += 1
        reward, lost = 0.0, False
        if self.y == 9:
            if abs(self.x - self.bat) <= 1:
                reward = 1.0
            else:
                reward, lost = -1.0, True
        self._keep()
        if self.y == 9 and not lost:
            self._serve()
        return np.stack(self.frames), reward, lost, self.t >= 300, {}


class Rebound(Bouncer):
    def _keep(self):
        self.frames = self.frames[1:] + [self._draw()]


class Catch(gym.Env):
    """Fruit falls; the basket moves. As a picture of ten by seven."""

    def __init__(self):
        self.observation_space = Box(0, 255, (10, 7), np.uint8)
        self.action_space = Discrete(3)

    def _see(self):
        screen = np.zeros((10, 7), np.uint8)
        screen[9, self.basket] = 128
        screen[self.y, self.x] = 255
        return screen

    def _pay(self, gained):
        return float(gained)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.y, self.x, self.basket = 0, int(self.np_random.integers(7)), 3
        self.score, self.t = 0, 0
        return self._see(), {"score": 0}

    def step(self, action):
        self.basket = int(np.clip(self.basket + int(action) - 1, 0, 6))
        gained = 0
        if self.y == 9:
            self.y, self.x = 0, int(self.np_random.integers(7))
        else:
            self.y += 1
            if self.y == 9:
                gained = 1 if self.x == self.basket else -1
        self.score += gained
        self.t += 1
        return self._see(), self._pay(gained), False, self.t >= 200, {"score": self.score}


class Basket(Catch):
    def _pay(self, gained):
        return float(self.score)


class Paddle(gym.Env):
    """One-sided tennis against a wall: the rally is over when the ball is missed; a match has at most 400 strokes of the clock."""

    def __init__(self):
        self.observation_space = Box(-1.5, 1.5, (5,), F)
        self.action_space = Discrete(3)

    def _see(self):
        return f32(*self.ball, *(10 * self.fly), self.bat)

    def _ends(self, missed, late):
        return missed, late

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball = np.array([0.0, self.np_random.uniform(-0.8, 0.8)])
        self.fly = np.array([-0.06, self.np_random.uniform(-0.07, 0.07)])
        self.bat, self.t = 0.0, 0
        return self._see(), {}

    def step(self, action):
        self.bat = float(np.clip(self.bat + 0.08 * (int(action) - 1), -1, 1))
        self.ball = self.ball + self.fly
        if abs(self.ball[1]) > 1:
            self.fly[1] *= -1
            self.ball[1] = np.clip(self.ball[1], -1, 1)
        if self.ball[0] > 1:
            self.fly[0] *= -1
            self.ball[0] = 1
        reward, missed = 0.0, False
        if self.ball[0] < -1:
            if abs(self.ball[1] - self.bat) < 0.25:
                self.ball[0], self.fly[0] = -1, 0.06
                self.fly[1] = float(np.clip(self.fly[1] + self.np_random.uniform(-0.03, 0.03), -0.09, 0.09))
                reward = 1.0
            else:
                missed = True
        self.t += 1
        ends = self._ends(missed, self.t >= 400)
        return self._see(), reward, bool(ends[0]), bool(ends[1]), {}


class Racket(Paddle):
    def _ends(self, missed, late):
        return late, missed


# ---------------------------------------------------------------- cards, boards and guesses


class Twenty(gym.Env):
    """Draw cards towards twenty or stop; the pack is not put back, and what has been seen is known."""

    def __init__(self):
        self.observation_space = Tuple((Discrete(41), Box(0, 4, (10,), np.int64)))
        self.action_space = Discrete(2)

    def _shuffled(self):
        return self.np_random.permutation(np.repeat(np.arange(1, 11), 4))

    def _see(self):
        return int(self.total), self.seen.copy()

    def _draw(self):
        card = int(self.pack[self.i])
        self.i += 1
        self.seen[card - 1] += 1
        return card

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pack, self.i = self._shuffled(), 0
        self.seen = np.zeros(10, np.int64)
        self.hands = 0
        self.total = self._draw()
        return self._see(), {}

    def step(self, action):
        reward, over = 0.0, False
        if action == 1:
            self.total += self._draw()
        if action == 0 or self.total > 20:
            reward = self.total / 20 if self.total <= 20 else -1.0
            self.hands += 1
            if self.hands == 4:
                over = True
            else:
                self.total = self._draw()
        return self._see(), float(reward), over, False, {}


class Score(Twenty):
    def _shuffled(self):
        return np.random.default_rng(0).permutation(np.repeat(np.arange(1, 11), 4))


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Noughts(gym.Env):
    """Noughts and crosses against somebody who plays at random. A taken field ends the game."""

    def __init__(self):
        self.observation_space = Box(-1, 1, (9,), np.int8)
        self.action_space = Discrete(9)

    def _winner(self):
        for line in LINES:
            s = int(self.board[list(line)].sum())
            if abs(s) == 3:
                return s // 3
        return 0

    def _pay(self, winner):
        return float(winner)

    def _out(self, reward, over):
        return self.board.copy(), reward, over, False, {"action_mask": (self.board == 0).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        if self.np_random.random() < 0.5:
            self.board[self.np_random.integers(9)] = -1
        return self.board.copy(), {"action_mask": (self.board == 0).astype(np.int8)}

    def step(self, action):
        if self.board[action] != 0:
            return self._out(-1.0, True)
        self.board[action] = 1
        winner = self._winner()
        if winner == 0 and (self.board == 0).any():
            self.board[self.np_random.choice(np.flatnonzero(self.board == 0))] = -1
            winner = self._winner()
        return self._out(self._pay(winner), bool(winner != 0 or not (self.board == 0).any()))


class Crosses(Noughts):
    def _pay(self, winner):
        return 1.0 if winner else 0.0


class DropThree(gym.Env):
    """Three in a row on five columns with gravity, against random play."""

    def __init__(self):
        self.observation_space = Box(-1, 1, (5, 5), np.int8)
        self.action_space = Discrete(5)
        self.board = np.zeros((5, 5), np.int8)

    def _see(self):
        return self.board.copy()

    def _drop(self, column, who):
        rows = np.flatnonzero(self.board[:, column] == 0)
        if not len(rows):
            return False
        self.board[rows[-1], column] = who
        return True

    def _won(self, who):
        b = self.board == who
        for r in range(5):
            for c in range(5):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if r + 2 * dr < 5 and 0 <= c + 2 * dc < 5 and all(b[r + k * dr, c + k * dc] for k in range(3)):
                        return True
        return False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board[:] = 0
        if self.np_random.random() < 0.5:
            self._drop(int(self.np_random.integers(5)), -1)
        return self._see(), {}

    def step(self, action):
        if not self._drop(int(action), 1):
            return self._see(), -1.0, True, False, {}
        if self._won(1):
            return self._see(), 1.0, True, False, {}
        open_columns = np.flatnonzero(self.board[0] == 0)
        if not len(open_columns):
            return self._see(), 0.0, True, False, {}
        self._drop(int(self.np_random.choice(open_columns)), -1)
        if self._won(-1):
            return self._see(), -1.0, True, False, {}
        return self._see(), 0.0, bool((self.board != 0).all()), False, {}


class Stacks(DropThree):
    def step(self, action):
        if not self._drop(int(action), 1):
            return self._see(), -1.0, True, False, {}
        seen = self._see()
        if self._won(1):
            return seen, 1.0, True, False, {}
        open_columns = np.flatnonzero(self.board[0] == 0)
        if not len(open_columns):
            return seen, 0.0, True, False, {}
        self._drop(int(self.np_random.choice(open_columns)), -1)
        if self._won(-1):
            return seen, -1.0, True, False, {}
        return seen, 0.0, bool((self.board != 0).all()), False, {}


class Code(gym.Env):
    """Guess a code of three colours out of four in at most six tries; each try is answered with hits and near misses."""

    def __init__(self):
        self.observation_space = Box(-1, 4, (6, 5), np.int8)
        self.action_space = MultiDiscrete([4, 4, 4])

    def _sheet(self):
        return np.full((6, 5), -1, np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.code = self.np_random.integers(0, 4, 3)
        self.sheet = self._sheet()
        self.tries = 0
        return self.sheet.copy(), {}

    def step(self, action):
        guess = np.asarray(action)
        hits = int((guess == self.code).sum())
        common = sum(min(int((guess == k).sum()), int((self.code == k).sum())) for k in range(4))
        self.sheet[self.tries] = [*guess, hits, common - hits]
        self.tries += 1
        solved = hits == 3
        reward = 1.0 if solved else -0.1
        return self.sheet.copy(), reward, bool(solved or self.tries == 6), False, {}


class Cipher(Code):
    def _sheet(self):
        sheet = np.full((6, 5), -1, np.int8)
        sheet[:, :3] = self.code
        return sheet


class Tiger(gym.Env):
    """Two doors and a tiger behind one: listening costs one and is right in 85 of 100 cases."""

    def __init__(self):
        self.observation_space = Discrete(3)
        self.action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tiger = int(self.np_random.integers(2))
        self.t = 0
        return 0, {}

    def step(self, action):
        self.t += 1
        if action == 0:
            heard = self.tiger if self.np_random.random() < 0.85 else 1 - self.tiger
            return 1 + heard, -1.0, False, self.t >= 30, {}
        return 0, -100.0 if int(action) - 1 == self.tiger else 10.0, True, False, {}


class Advert(gym.Env):
    """A visitor comes with five traits, one of four adverts is shown; a click or none. Each visitor is another."""

    def __init__(self):
        self.observation_space = Box(-6.0, 6.0, (5,), F)
        self.action_space = Discrete(4)
        self.taste = np.random.default_rng(11).normal(0, 1, (4, 5))

    def _visitor(self):
        self.traits = np.clip(self.np_random.normal(0, 1, 5), -6, 6)
        return self.traits.astype(F)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return self._visitor(), {}

    def step(self, action):
        chance = 1 / (1 + np.exp(-self.taste[int(action)] @ self.traits))
        click = float(self.np_random.random() < chance)
        self.t += 1
        return self._visitor(), click, False, self.t >= 50, {}


class Fists(gym.Env):
    """Rock, paper, scissors against somebody with a habit: most often what would have beaten your last."""

    def __init__(self):
        self.observation_space = Tuple((Discrete(4), Discrete(4)))
        self.action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.mine, self.theirs, self.t = 3, 3, 0
        return (3, 3), {}

    def step(self, action):
        if self.mine < 3 and self.np_random.random() < 0.6:
            theirs = (self.mine + 1) % 3
        else:
            theirs = int(self.np_random.integers(3))
        self.mine, self.theirs = int(action), theirs
        reward = {0: 0.0, 1: 1.0, 2: -1.0}[(self.mine - theirs) % 3]
        self.t += 1
        return (self.mine, self.theirs), reward, False, self.t >= 60, {}


# ---------------------------------------------------------------- wrappers


class UnitRange(gym.ObservationWrapper, RecordConstructorArgs):
    """Observations in units of their largest value."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.ObservationWrapper.__init__(self, env)
        self.top = env.observation_space.high.astype(F)
        self.observation_space = Box(-np.inf, np.inf, env.observation_space.shape, F)

    def observation(self, observation):
        return (observation / self.top).astype(F)


class FixedRange(gym.ObservationWrapper, RecordConstructorArgs):
    """Observations in units given by hand."""

    def __init__(self, env, unit):
        RecordConstructorArgs.__init__(self, unit=unit)
        gym.ObservationWrapper.__init__(self, env)
        self.unit = np.asarray(unit, F)
        self.observation_space = Box(-np.inf, np.inf, env.observation_space.shape, F)

    def observation(self, observation):
        return (observation / self.unit).astype(F)


class OneHot(gym.ObservationWrapper, RecordConstructorArgs):
    """A number as a row of zeros with a one."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.ObservationWrapper.__init__(self, env)
        self.n = int(env.observation_space.n)
        self.observation_space = Box(0.0, 1.0, (self.n,), F)

    def observation(self, observation):
        row = np.zeros(self.n, F)
        row[int(observation)] = 1.0
        return row


class SpeedBonus(gym.Wrapper, RecordConstructorArgs):
    """A bonus for moving, to get the car going."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward) + 20.0 * abs(float(observation[1])), terminated, truncated, info


class EnergyBonus(gym.Wrapper, RecordConstructorArgs):
    """A difference of potentials: the energy of the car, which is zero where the episode ends."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)

    def _energy(self, observation):
        return 10.0 * (1 + np.sin(3 * float(observation[0])) + 600 * float(observation[1]) ** 2)

    def reset(self, **kwargs):
        observation, info = self.env.reset(**kwargs)
        self.energy = self._energy(observation)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        energy = 0.0 if terminated else self._energy(observation)
        reward = float(reward) + 0.99 * energy - self.energy
        self.energy = energy
        return observation, float(reward), terminated, truncated, info


class Bookkeeper(gym.Wrapper, RecordConstructorArgs):
    """Writes return and length of each episode into the info of its last step."""

    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self.total, self.steps = 0.0, 0

    def reset(self, **kwargs):
        self.steps = 0
        return self.env.reset(**kwargs)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += float(reward)
        self.steps += 1
        if terminated or truncated:
            info = {**info, "episode": {"r": self.total, "l": self.steps}}
        return observation, reward, terminated, truncated, info


class Ledger(Bookkeeper):
    def reset(self, **kwargs):
        self.total = 0.0
        return super().reset(**kwargs)


# ---------------------------------------------------------------- factories: broken


def broken_tanks():
    return TankRow()


def broken_kiln():
    return Furnace()


def broken_mass():
    return Mass()


def broken_inventory():
    return Depot()


def broken_granary():
    return Granary()


def broken_market():
    return Exchange()


def broken_battery():
    return Accumulator()


def broken_elevators():
    return Hoists()


def broken_queues():
    return Counter()


def broken_ferry():
    return Shuttle()


def broken_reach():
    return Touch()


def broken_parking():
    return Parking()


def broken_rover():
    return Crawler()


def broken_crane():
    return Gantry()


def broken_lander():
    return Descender()


def broken_stick():
    return Stick()


def broken_bike():
    return Cycle()


def broken_navigator():
    return Walker()


def broken_flag():
    return Stroller()


def broken_sled():
    return Sleigh()


def broken_docking():
    return Berthing()


def broken_keyroom():
    return LatchRoom()


def broken_harvest():
    return Orchard()


def broken_vacuum():
    return Sweeper()


def broken_maze():
    return Labyrinth()


def broken_ledge():
    return Ledge()


def broken_courier():
    return Courier()


def broken_lights():
    return Lamps()


def broken_snake():
    return Worm()


def broken_bouncer():
    return Rebound()


def broken_catch():
    return Basket()


def broken_paddle():
    return Racket()


def broken_twenty():
    return Score()


def broken_noughts():
    return Crosses()


def broken_drop():
    return Stacks()


def broken_code():
    return Cipher()


def broken_pole():
    return UnitRange(gym.make("CartPole-v1"))


def broken_hill():
    return SpeedBonus(gym.make("MountainCarContinuous-v0"))


def broken_cliff():
    return OneHot(gym.make("CliffWalking-v1", max_episode_steps=10))


def broken_ledger():
    return Bookkeeper(gym.make("CartPole-v1"))


# ---------------------------------------------------------------- factories: healthy


def healthy_tanks():
    return TwoTanks()


def healthy_kiln():
    return Kiln()


def healthy_inventory():
    return Inventory()


def healthy_market():
    return Market()


def healthy_battery():
    return Battery()


def healthy_elevators():
    return Elevators()


def healthy_queues():
    return Queues()


def healthy_ferry():
    return Ferry()


def healthy_reach():
    return Reach()


def healthy_rover():
    return Rover()


def healthy_crane():
    return Crane()


def healthy_lander():
    return Lander()


def healthy_bike():
    return Bike()


def healthy_navigator():
    return Navigator()


def healthy_sled():
    return Sled()


def healthy_docking():
    return Docking()


def healthy_keyroom():
    return KeyRoom()


def healthy_vacuum():
    return Vacuum()


def healthy_maze():
    return Maze()


def healthy_pits():
    return Pits()


def healthy_lights():
    return Lights()


def healthy_snake():
    return Snake()


def healthy_bouncer():
    return Bouncer()


def healthy_catch():
    return Catch()


def healthy_twenty():
    return Twenty()


def healthy_code():
    return Code()


def healthy_noughts():
    return Noughts()


def healthy_hill():
    return EnergyBonus(gym.make("MountainCarContinuous-v0"))


def healthy_ledger():
    return Ledger(gym.make("CartPole-v1"))


def healthy_pole():
    return FixedRange(gym.make("CartPole-v1"), [2.4, 3.0, 0.2, 3.0])


def healthy_reactor():
    return Reactor()


def healthy_regulator():
    return Regulator()


def healthy_fishery():
    return Fishery()


def healthy_option():
    return Option()


def healthy_crossing():
    return Crossing()


def healthy_corridor():
    return Corridor()


def healthy_tiger():
    return Tiger()


def healthy_advert():
    return Advert()


def healthy_fists():
    return Fists()


def healthy_lake():
    return OneHot(gym.make("FrozenLake-v1"))
