"""Environments as people write them for their own projects: 45 right ones, 75 with one mistake each."""
import math
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import (
    ClipAction, FilterObservation, FlattenObservation, FrameStackObservation, GrayscaleObservation, RescaleAction,
    TimeAwareObservation, TimeLimit, TransformReward,
)

F32 = np.float32


def box(low, high, shape=None):
    if shape is None:
        return spaces.Box(np.array(low, F32), np.array(high, F32), dtype=F32)
    return spaces.Box(low, high, shape, F32)


class World(gym.Env):
    """start() puts the world into its first state, advance(action) -> (reward, terminated), observe() tells what is seen."""

    metadata = {"render_modes": []}
    limit = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.start()
        return self.observe(), self.info()

    def step(self, action):
        self.t += 1
        reward, terminated = self.advance(action)
        truncated = self.limit is not None and self.t >= self.limit and not terminated
        return self.observe(), float(reward), bool(terminated), bool(truncated), self.info()

    def info(self):
        return {}


# --------------------------------------------------------------------------- cold storage

class ColdStorage(World):
    """Keep a cold room near -18 degrees while electricity is dear by day. Action: compressor power 0..1, a step is 15 minutes.

    Seen: room temperature, outside temperature (both scaled), time of day as sine and cosine, price. Ends after two days only.
    """

    limit = 192

    def __init__(self):
        self.observation_space = box([-3, -2, -1, -1, 0], [3, 2, 1, 1, 2])
        self.action_space = box(0.0, 1.0, (1,))

    def start(self):
        self.room = -18 + self.np_random.normal(0, 2)
        self.bias = self.np_random.normal(0, 2)
        self.weather()

    def weather(self):
        self.angle = 2 * math.pi * (self.t % 96) / 96
        self.outside = 12 + float(np.clip(self.bias, -6, 6)) - 8 * math.cos(self.angle)
        self.price = 0.3 - 0.2 * math.cos(self.angle)

    def observe(self):
        return np.array([np.clip((self.room + 18) / 10, -3, 3), (self.outside - 10) / 20,
                         math.sin(self.angle), math.cos(self.angle), self.price / 0.5], F32)

    def advance(self, action):
        power = float(np.clip(action[0], 0, 1))
        cost = power * self.price
        self.room += 0.02 * (self.outside - self.room) - 1.4 * power + self.np_random.normal(0, 0.05)
        self.weather()
        return -cost - 0.1 * max(0.0, abs(self.room + 18) - 2), False


class BananaRoom(ColdStorage):
    def __init__(self):
        super().__init__()
        self.room = -18.0

    def start(self):
        self.bias = self.np_random.normal(0, 2)
        self.weather()


class FreezerRoom(ColdStorage):
    def observe(self):
        return np.array([self.room, self.outside, math.sin(self.angle), math.cos(self.angle), self.price], F32)


class IceStore(ColdStorage):
    def advance(self, action):
        reward, ended = super().advance(action)
        return np.clip(reward, 0, 1), ended


def healthy_cold_storage():
    return ColdStorage()


def broken_banana_room():
    return BananaRoom()


def broken_freezer_room():
    return FreezerRoom()


def broken_ice_store():
    return IceStore()


# --------------------------------------------------------------------------- courier robot

class Courier(World):
    """A robot with two wheels drives to a marked place in a yard of 2 by 2 metres. Action: speed of the left and the right wheel.

    Seen: x, y, cosine and sine of the heading, the goal's x and y. Paid for coming nearer, and 1 for arriving, which ends the episode.
    """

    limit = 200
    radius = 0.25

    def __init__(self):
        self.observation_space = box(-1.0, 1.0, (6,))
        self.action_space = box(-1.0, 1.0, (2,))

    def start(self):
        self.pos = self.np_random.uniform(-0.9, 0.9, 2)
        self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        while np.linalg.norm(self.goal - self.pos) < 0.4:
            self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        self.heading = self.np_random.uniform(-math.pi, math.pi)
        self.far = self.distance()

    def distance(self):
        return float(np.linalg.norm(self.goal - self.pos))

    def observe(self):
        return np.array([*self.pos, math.cos(self.heading), math.sin(self.heading), *self.goal], F32)

    def drive(self, action):
        left, right = np.clip(action, -1, 1)
        self.heading += 0.5 * (right - left) / 2
        speed = 0.2 * (left + right) / 2
        self.pos = np.clip(self.pos + speed * np.array([math.cos(self.heading), math.sin(self.heading)]), -1, 1)

    def advance(self, action):
        self.drive(action)
        far = self.distance()
        there = far < self.radius
        reward = 3 * (self.far - far) - 0.005 + there
        self.far = far
        return reward, there


class ParcelBot(Courier):
    def observe(self):
        now = super().observe()
        seen = getattr(self, "last", now) if self.t else now
        self.last = now
        return seen


class YardRobot(Courier):
    def advance(self, action):
        self.drive(action)
        there = self.distance() < self.radius
        return 0.1 * self.distance(), there


class PostalBot(Courier):
    def start(self):
        far = getattr(self, "far", 0.0)
        super().start()
        self.far = far


class LawnBot(Courier):
    """A robot with two wheels, seen as x, y, heading in [-pi, pi], goal x, goal y."""

    def __init__(self):
        super().__init__()
        self.observation_space = box([-1, -1, -math.pi, -1, -1], [1, 1, math.pi, 1, 1])

    def observe(self):
        return np.array([*self.pos, self.heading, *self.goal], F32)


class TourBot(Courier):
    def advance(self, action):
        self.drive(action)
        far = self.distance()
        there = far < self.radius
        reward = 3 * max(0.0, self.far - far) + there
        self.far = far
        return reward, there


class HallBot(Courier):
    radius = 1.3


def healthy_courier_robot():
    return Courier()


def broken_parcel_bot():
    return ParcelBot()


def broken_yard_robot():
    return YardRobot()


def broken_postal_bot():
    return PostalBot()


def broken_lawn_bot():
    return LawnBot()


def broken_tour_bot():
    return TourBot()


def broken_hall_bot():
    return HallBot()


# --------------------------------------------------------------------------- mazes

class Maze(World):
    """Walk from S to G through a maze; the state is the cell's number. Actions: up, down, left, right. A bump costs the step only.

    Deterministic and always from the same cell. -0.01 a step, 1 at the goal, 300 steps at most.
    """

    limit = 300
    moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    plan = ("#######",
            "#S..#.#",
            "#.#...#",
            "#.###.#",
            "#...#.#",
            "#.#..G#",
            "#######")

    def __init__(self):
        self.rows, self.cols = len(self.plan), len(self.plan[0])
        self.cells = [(r, c) for r in range(self.rows) for c in range(self.cols) if self.plan[r][c] != "#"]
        self.goal = next(p for p in self.cells if self.plan[p[0]][p[1]] == "G")
        self.observation_space = spaces.Discrete(len(self.cells))
        self.action_space = spaces.Discrete(len(self.moves))

    def start(self):
        self.at = next(p for p in self.cells if self.plan[p[0]][p[1]] == "S")

    def observe(self):
        return self.cells.index(self.at)

    def walk(self, action):
        dr, dc = self.moves[int(action)]
        to = (self.at[0] + dr, self.at[1] + dc)
        if self.plan[to[0]][to[1]] != "#":
            self.at = to

    def advance(self, action):
        self.walk(action)
        there = self.at == self.goal
        return 1.0 if there else -0.01, there


class Corridors(Maze):
    """A larger maze with a slippery floor (one step in ten goes astray) and a random start. Seen: row, column and the goal's, scaled.

    The goal is fixed by the layout, so its two numbers never change here.
    """

    limit = 400
    plan = ("#########",
            "#...#...#",
            "#.#.#.#.#",
            "#.#...#.#",
            "#.#####.#",
            "#...G...#",
            "#########")

    def __init__(self):
        super().__init__()
        self.observation_space = box(0.0, 1.0, (4,))

    def start(self):
        free = [p for p in self.cells if p != self.goal]
        self.at = free[self.np_random.integers(len(free))]

    def observe(self):
        scale = np.array([self.rows, self.cols] * 2)
        return (np.array([*self.at, *self.goal]) / scale).astype(F32)

    def advance(self, action):
        if self.np_random.random() < 0.1:
            action = self.np_random.integers(4)
        return super().advance(action)


class Gallery(Maze):
    plan = ("#######",
            "#S..#.#",
            "#.#...#",
            "#.###.#",
            "#...###",
            "#.#.#G#",
            "#######")


class Catacombs(Corridors):
    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng()

    def start(self):
        free = [p for p in self.cells if p != self.goal]
        self.at = free[self.rng.integers(len(free))]


class MuseumGuard(Maze):
    moves = [(-1, 0), (1, 0), (0, -1), (0, -1)]
    plan = ("#######",
            "#G..#.#",
            "#.#...#",
            "#.###.#",
            "#...#.#",
            "#.#..S#",
            "#######")


class Basement(Maze):
    def advance(self, action):
        if self.at == self.goal:
            return 1.0, False
        self.walk(action)
        return -0.01, False


def healthy_maze():
    return Maze()


def healthy_corridors():
    env = Corridors()
    env.limit = None
    return TimeAwareObservation(TimeLimit(env, 400))


def broken_gallery():
    return Gallery()


def broken_catacombs():
    return Catacombs()


def broken_museum_guard():
    return MuseumGuard()


def broken_night_shift():
    env = Maze()
    env.limit = None
    return TimeLimit(env, 6)


def broken_basement():
    return Basement()


# --------------------------------------------------------------------------- warehouse

class Warehouse(World):
    """Order three products each morning (0 to 5 crates each), sell to a random demand that depends on the weekday.

    Seen: stock of each product / 20, weekday as sine and cosine. Profit in tens; 8 weeks, truncation only.
    """

    limit = 56
    price = np.array([3.0, 2.0, 5.0])
    cost = np.array([1.5, 1.0, 2.0])

    def __init__(self):
        self.observation_space = box([0, 0, 0, -1, -1], [1, 1, 1, 1, 1])
        self.action_space = spaces.MultiDiscrete([6, 6, 6])

    def start(self):
        self.stock = np.full(3, 5)

    def observe(self):
        a = 2 * math.pi * (self.t % 7) / 7
        return np.array([*(self.stock / 20), math.sin(a), math.cos(a)], F32)

    def deliver(self, action):
        got = np.minimum(np.asarray(action), 20 - self.stock)
        self.stock += got
        return got

    def trade(self, action):
        got = self.deliver(action)
        demand = self.np_random.poisson(np.array([2.0, 3.0, 1.0]) * (1.5 if self.t % 7 >= 5 else 0.9))
        sold = np.minimum(demand, self.stock)
        self.stock -= sold
        return got, demand, sold

    def advance(self, action):
        got, demand, sold = self.trade(action)
        return (sold @ self.price - got @ self.cost - 0.1 * self.stock.sum()) / 10, False


class Depot(Warehouse):
    stock = np.full(3, 5)

    def start(self):
        self.stock[:] = 5


class SpareParts(Warehouse):
    def deliver(self, action):
        got = np.zeros(3, int)
        for i, n in enumerate(action):
            k = min(i, 1)
            add = min(int(n), 20 - self.stock[k])
            self.stock[k] += add
            got[k] += add
        return got


class Bookshop(Warehouse):
    def advance(self, action):
        got, demand, sold = self.trade(action)
        return (got @ self.price - got @ self.cost) / 10, False


class Pharmacy(Warehouse):
    """As the warehouse, but paid by the share of the demand that was met, less a storage cost."""

    def advance(self, action):
        got, demand, sold = self.trade(action)
        with np.errstate(invalid="ignore"):
            filled = np.float64(sold.sum()) / np.float64(demand.sum())
        return filled - 0.02 * self.stock.sum(), False


class Brewery(Warehouse):
    """Profit of the brewery in cents of the whole chain of 400 pubs."""

    def advance(self, action):
        reward, ended = super().advance(action)
        return reward * 10 * 100 * 400 * 52, ended


def healthy_warehouse():
    return Warehouse()


def broken_depot():
    return Depot()


def broken_spare_parts():
    return SpareParts()


def broken_bookshop():
    return Bookshop()


def broken_pharmacy():
    return Pharmacy()


def broken_brewery():
    return Brewery()


# --------------------------------------------------------------------------- spread trading

class SpreadTrader(World):
    """Trade a mean-reverting spread: short, flat or long (Discrete 3) over the next tick. Seen: the last five values of the spread
    (the newest last) and the position held. Paid: the position times the next change, less a fee for changing it. 250 ticks."""

    limit = 250
    ahead = 0

    def __init__(self):
        self.observation_space = box(-5.0, 5.0, (6,))
        self.action_space = spaces.Discrete(3)

    def start(self):
        n = self.limit + 10
        self.path = np.zeros(n)
        for i in range(1, n):
            self.path[i] = 0.85 * self.path[i - 1] + self.np_random.normal(0, 0.4)
        self.path = np.clip(self.path, -5, 5)
        self.held = 0

    def observe(self):
        now = 5 + self.t + self.ahead
        return np.array([*self.path[now - 4:now + 1], self.held], F32)

    def advance(self, action):
        fee = 0.02 * abs(int(action) - 1 - self.held)
        self.held = int(action) - 1
        return self.held * self.change() - fee, False

    def change(self):
        now = 5 + self.t
        return self.path[now] - self.path[now - 1]


class PairsDesk(SpreadTrader):
    ahead = 1


class FxDesk(SpreadTrader):
    def change(self):
        now = 5 + self.t - 1
        return self.path[now] - self.path[now - 1]


def healthy_spread_trader():
    return SpreadTrader()


def broken_pairs_desk():
    return PairsDesk()


def broken_fx_desk():
    return FxDesk()


# --------------------------------------------------------------------------- battery

class HomeBattery(World):
    """Charge (positive) and discharge (negative) a battery against an hourly price. Action: -1..1 of 2 kW, capacity 10 kWh.

    Seen: state of charge, price, sine and cosine of the hour. Paid: minus what was bought, plus what was sold. A week, truncation only.
    """

    limit = 168
    low = -1.0

    def __init__(self):
        self.observation_space = box([0, 0, -1, -1], [1, 2, 1, 1])
        self.action_space = box(-1.0, 1.0, (1,))

    def start(self):
        self.soc = self.np_random.uniform(0.2, 0.8) * 10
        self.noise = 0.0
        self.tariff()

    def tariff(self):
        self.noise = 0.8 * self.noise + self.np_random.normal(0, 0.04)
        self.price = float(np.clip(0.5 - 0.3 * math.cos(2 * math.pi * (self.t - 6) / 24) + self.noise, 0, 2))

    def hour(self):
        return 2 * math.pi * (self.t % 24) / 24

    def observe(self):
        return np.array([self.soc / 10, self.price, math.sin(self.hour()), math.cos(self.hour())], F32)

    def flow(self, wanted):
        if wanted >= 0:
            moved = min(wanted, (10 - self.soc) / 0.95)
            self.soc = min(10.0, self.soc + 0.95 * moved)
        else:
            moved = -min(-wanted, self.soc)
            self.soc = max(0.0, self.soc + moved)
            moved *= 0.95
        return moved

    def advance(self, action):
        moved = self.flow(2 * float(np.clip(action[0], self.low, 1)))
        reward = -moved * self.price
        self.tariff()
        return reward, False


class RoofBattery(HomeBattery):
    def flow(self, wanted):
        self.soc = float(np.clip(self.soc + 0.95 * wanted, 0, 10))
        return wanted if wanted > 0 else 0.95 * wanted


class GridBattery(HomeBattery):
    low = 0.0


class CellarBattery(HomeBattery):
    def hour(self):
        return 2 * math.pi * ((self.t % 24) // 24)


def healthy_home_battery():
    return ClipAction(HomeBattery())


def broken_roof_battery():
    return RoofBattery()


def broken_grid_battery():
    return GridBattery()


def broken_cellar_battery():
    return CellarBattery()


# --------------------------------------------------------------------------- pole

class BalancePole(World):
    """A pole on a cart, pushed left, right or not at all (Discrete 3). Ends when it leans beyond 12 degrees or the cart leaves 2.4 m.

    Seen: position, speed, angle and its speed. 1 for each step; truncated at 250. The task goes on beyond the time limit.
    """

    limit = 250
    lean = math.radians(12)

    def __init__(self):
        self.observation_space = box(-np.inf, np.inf, (4,))
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.s = self.np_random.uniform(-0.05, 0.05, 4)

    def observe(self):
        return self.s.astype(F32)

    def advance(self, action):
        x, v, a, w = self.s
        force = 10.0 * (int(action) - 1)
        c, s = math.cos(a), math.sin(a)
        tmp = (force + 0.05 * w * w * s) / 1.1
        acc = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
        lin = tmp - 0.05 * acc * c / 1.1
        v, w = v + 0.02 * lin, w + 0.02 * acc
        self.s = np.array([x + 0.02 * v, v, a + 0.02 * w, w])
        fallen = abs(self.s[0]) > 2.4 or abs(self.s[2]) > self.lean
        return 1.0, fallen


class Broom(BalancePole):
    limit = 50

    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        done = terminated or truncated
        return obs, reward, done, False, info


class Flagpole(BalancePole):
    lean = math.radians(math.radians(12))


def healthy_balance_pole():
    return BalancePole()


def broken_broom():
    return Broom()


def broken_flagpole():
    return Flagpole()


# --------------------------------------------------------------------------- lift

class Lift(World):
    """A lift in a house: down, up, open the door (Discrete 3). Somebody may wait at each floor, bound for another one.

    Seen (Dict): the floor, where somebody waits, for which floors somebody is aboard. 1 for each guest brought to the right floor,
    -0.01 for each that waits. 300 steps, truncation only. Guests aboard for the same floor count one by one.
    """

    limit = 300
    floors = 6

    def __init__(self):
        n = self.floors
        self.observation_space = spaces.Dict(floor=spaces.Discrete(n), waiting=spaces.MultiBinary(n), aboard=spaces.MultiBinary(n))
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.floor = int(self.np_random.integers(self.floors))
        self.bound = np.full(self.floors, -1)
        self.aboard = np.zeros(self.floors, int)
        for _ in range(2):
            self.ring()

    def ring(self):
        a, b = self.np_random.choice(self.floors, 2, replace=False)
        if self.bound[a] < 0 and a != self.floor:
            self.bound[a] = b

    def observe(self):
        return {"floor": self.floor, "waiting": (self.bound >= 0).astype(np.int8), "aboard": (self.aboard > 0).astype(np.int8)}

    def move(self, way):
        self.floor = int(np.clip(self.floor + way, 0, self.floors - 1))

    def door(self):
        paid = self.aboard[self.floor]
        self.aboard[self.floor] = 0
        if self.bound[self.floor] >= 0:
            self.aboard[self.bound[self.floor]] += 1
            self.bound[self.floor] = -1
        return paid

    def advance(self, action):
        paid = 0
        if action == 2:
            paid = self.door()
        else:
            self.move(-1 if action == 0 else 1)
        waiting = (self.bound >= 0).sum()
        if self.np_random.random() < 0.15:
            self.ring()
        return paid - 0.01 * waiting, False


class HospitalLift(Lift):
    floors = 12

    def start(self):
        super().start()
        self.floor = 2
        self.bound[2] = -1
        self.visits = [0] * self.floors

    def move(self, way):
        self.floor = max(0, self.floor + way)
        self.visits[self.floor] += 1


class HotelLift(Lift):
    def door(self):
        paid = self.aboard[self.floor]
        if self.bound[self.floor] >= 0:
            self.aboard[self.bound[self.floor]] += 1
            self.bound[self.floor] = -1
        return paid


class MineLift(Lift):
    def reset(self, *, seed=None, options=None):
        obs, info = super().reset(seed=seed, options=options)
        return obs


def healthy_lift():
    return Lift()


def broken_hospital_lift():
    return HospitalLift()


def broken_hotel_lift():
    return HotelLift()


def broken_mine_lift():
    return MineLift()


# --------------------------------------------------------------------------- traffic light

class Crossroads(gym.Env):
    """A traffic light: green for north and south (0) or for east and west (1). A change costs two steps of yellow.

    Seen: four queues / 30, the phase, whether it is yellow. Paid: minus the cars that wait / 40. An episode is 200 steps long.
    """

    metadata = {"render_modes": []}

    def __init__(self, rates=(0.5, 0.3, 0.4, 0.6), length=200):
        self.rates, self.length = np.array(rates), length
        self.observation_space = spaces.Box(0.0, 1.0, (6,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _obs(self):
        return np.array([*(self.queue / 30), self.phase, self.yellow > 0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.queue = self.np_random.integers(0, 8, 4)
        self.phase, self.yellow, self.clock, self.waited = 0, 0, 0, 0.0
        return self._obs(), {}

    def _choose(self, action):
        return int(action)

    def _reward(self):
        return -float(self.queue.sum()) / 40

    def step(self, action):
        action = self._choose(action)
        if self.yellow > 0:
            self.yellow -= 1
        elif action != self.phase:
            self.phase, self.yellow = action, 2
        if self.yellow == 0:
            lanes = [0, 1] if self.phase == 0 else [2, 3]
            self.queue[lanes] = np.maximum(self.queue[lanes] - 2, 0)
        self.queue = np.minimum(self.queue + self.np_random.poisson(self.rates), 30)
        self.clock += 1
        return self._obs(), self._reward(), False, bool(self.length and self.clock >= self.length), {"waiting": int(self.queue.sum())}


class RingRoad(Crossroads):
    def _reward(self):
        self.waited += float(self.queue.sum()) / 40
        return -self.waited


class HarbourGate(Crossroads):
    def _choose(self, action):
        action = int(self.np_random.integers(2))  # for a first try
        return action


def healthy_crossroads():
    return Crossroads()


def broken_ring_road():
    return RingRoad()


def broken_junction():
    return Crossroads(length=None)


def broken_harbour_gate():
    return HarbourGate()


def broken_bridge():
    return Crossroads(rates=(9.0, 7.0, 8.0, 9.0))


# --------------------------------------------------------------------------- packet routing

class Routing(World):
    """Send a packet through a network of 8 nodes: the action is the port (0..2) of the present node. Queues at nodes change over time.

    Seen (Dict): the node, the destination, the load of each node. Paid: minus the time of each hop, 1 on arrival; 40 hops at most.
    """

    limit = 40
    ports = np.array([[1, 3, 4], [0, 2, 5], [1, 3, 6], [0, 2, 7], [0, 5, 7], [1, 4, 6], [2, 5, 7], [3, 4, 6]])

    def __init__(self):
        self.observation_space = spaces.Dict(node=spaces.Discrete(8), target=spaces.Discrete(8), load=box(0.0, 1.0, (8,)))
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.node, self.target = (int(i) for i in self.np_random.choice(8, 2, replace=False))
        self.load = self.np_random.uniform(0, 0.6, 8)

    def observe(self):
        return {"node": self.node, "target": self.target, "load": self.load.astype(F32)}

    def advance(self, action):
        self.node = int(self.ports[self.node, int(action)])
        cost = 0.02 + 0.1 * self.load[self.node]
        self.load = np.clip(self.load + self.np_random.normal(0, 0.05, 8), 0, 1)
        there = self.node == self.target
        return float(there) - cost, there


class Backbone(Routing):
    def start(self):
        self.shown = getattr(self, "target", 0)
        super().start()

    def observe(self):
        seen = super().observe()
        seen["target"] = self.shown
        return seen


class Switchboard(Routing):
    ports = np.array([[1, 3, 4], [0, 2, 5], [1, 3, 6], [0, 2, 7], [0, 5, 7], [1, 4, 6], [2, 5, 7], [3, 4, 6]])

    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, terminated or truncated, info


def healthy_routing():
    return Routing()


def broken_satellite_relay():
    return FilterObservation(Routing(), ["node", "load"])


def broken_backbone():
    return Backbone()


def broken_switchboard():
    return Switchboard()


# --------------------------------------------------------------------------- snake

class Snake(World):
    """Snake on a board of 8 by 8, seen as an RGB image of 24 by 24. Up, down, left, right; turning back on itself is ignored.

    1 for food, -1 and the end for biting oneself or the wall. 400 steps at most.
    """

    limit = 400
    size = 8

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (24, 24, 3), np.uint8)
        self.action_space = spaces.Discrete(4)

    def start(self):
        r, c = (int(i) for i in self.np_random.integers(2, self.size - 2, 2))
        self.body = deque([(r, c), (r, c - 1)])
        self.way = (0, 1)
        self.feed()

    def feed(self):
        free = [(r, c) for r in range(self.size) for c in range(self.size) if (r, c) not in self.body]
        self.food = free[self.np_random.integers(len(free))]

    def picture(self):
        img = np.zeros((self.size, self.size, 3), np.uint8)
        for r, c in self.body:
            img[r, c] = (0, 160, 0)
        img[self.body[0]] = (0, 255, 80)
        img[self.food] = (255, 0, 0)
        return img.repeat(3, 0).repeat(3, 1)

    def observe(self):
        return self.picture()

    def advance(self, action):
        way = [(-1, 0), (1, 0), (0, -1), (0, 1)][int(action)]
        if (way[0] + self.way[0], way[1] + self.way[1]) != (0, 0):
            self.way = way
        head = (self.body[0][0] + self.way[0], self.body[0][1] + self.way[1])
        tail = self.body.pop()
        if min(head) < 0 or max(head) >= self.size or head in self.body:
            self.body.append(tail)
            return -1.0, True
        self.body.appendleft(head)
        if head == self.food:
            self.body.append(tail)
            self.feed()
            return 1.0, False
        return 0.0, False


class Worm(Snake):
    def observe(self):
        return (self.picture() / 255.0).astype(F32)


class Adder(Snake):
    def observe(self):
        if self.t == 0:
            self.frame = self.picture()
        return self.frame.copy()


class Viper(Snake):
    def __init__(self):
        super().__init__()
        self.canvas = np.zeros((24, 24, 3), np.uint8)

    def observe(self):
        self.canvas[:] = self.picture()
        return self.canvas


def healthy_snake():
    return Snake()


def broken_worm():
    return Worm()


def broken_adder():
    return Adder()


def broken_viper():
    return Viper()


# --------------------------------------------------------------------------- catch

class Catch(World):
    """Fruit falls, now and then drifting aside; move a basket left, not at all or right. RGB image 30 by 27. 1 caught, -1 missed, 8 fruits."""

    wide = 1

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (30, 27, 3), np.uint8)
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.basket, self.left = 4, 8
        self.throw()

    def throw(self):
        self.row, self.col = 0, int(self.np_random.integers(9))

    def observe(self):
        img = np.full((10, 9, 3), 20, np.uint8)
        img[9, max(0, self.basket - self.wide):self.basket + self.wide + 1] = (200, 180, 60)
        img[self.row, self.col] = (255, 60, 60)
        return img.repeat(3, 0).repeat(3, 1)

    def pay(self, caught):
        return 1.0 if caught else -1.0

    def advance(self, action):
        self.basket = int(np.clip(self.basket + int(action) - 1, 0, 8))
        self.row += 1
        if self.np_random.random() < 0.2:
            self.col = int(np.clip(self.col + self.np_random.integers(-1, 2), 0, 8))
        if self.row < 9:
            return 0.0, False
        caught = abs(self.col - self.basket) <= self.wide
        self.left -= 1
        if self.left:
            self.throw()
        return self.pay(caught), self.left == 0


class RainBarrel(Catch):
    wide = 8


class KeepLast(gym.Wrapper):
    """The last three frames, along a new first axis."""

    def __init__(self, env, n=3):
        super().__init__(env)
        space = env.observation_space
        self.frames = deque([np.zeros(space.shape, space.dtype) for _ in range(n)], maxlen=n)
        self.observation_space = spaces.Box(0, 255, (n, *space.shape), space.dtype)

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.frames.append(obs)
        return np.stack(self.frames), info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(obs)
        return np.stack(self.frames), reward, terminated, truncated, info


def healthy_catch():
    return FrameStackObservation(GrayscaleObservation(Catch()), 3)


def broken_rain_barrel():
    return GrayscaleObservation(RainBarrel())


def broken_egg_catcher():
    return KeepLast(GrayscaleObservation(Catch()))


# --------------------------------------------------------------------------- lights out

class LightsOut(World):
    """Lights out on 3 by 3: pressing a lamp (Discrete 9, row by row) toggles it and its neighbours. Start: one to four presses from dark.

    1 and the end when all are dark, -0.01 for each press, 80 presses at most.
    """

    limit = 80

    def __init__(self):
        self.observation_space = spaces.MultiBinary(9)
        self.action_space = spaces.Discrete(9)

    def start(self):
        self.lamps = np.zeros((3, 3), np.int8)
        for cell in self.np_random.choice(9, self.np_random.integers(1, 5), replace=False):
            self.press(int(cell))

    def press(self, cell):
        r, c = divmod(cell, 3)
        for dr, dc in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            if 0 <= r + dr < 3 and 0 <= c + dc < 3:
                self.lamps[r + dr, c + dc] ^= 1

    def observe(self):
        return self.lamps.flatten()

    def advance(self, action):
        self.press(int(action))
        dark = not self.lamps.any()
        return 1.0 if dark else -0.01, dark


def healthy_lights_out():
    return LightsOut()


# --------------------------------------------------------------------------- sliding tiles

class Tiles(World):
    """A sliding puzzle of 2 by 3: move the hole up, down, left, right. Seen: which tile lies in each field (MultiDiscrete, 0 is the hole).

    Scrambled by up to ten moves from the solved board. 1 when solved (the end), -0.01 a move, 120 moves at most.
    """

    limit = 120
    solved = (1, 2, 3, 4, 5, 0)

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([6] * 6)
        self.action_space = spaces.Discrete(4)

    def start(self):
        self.board = list(self.solved)
        while tuple(self.board) == self.solved:
            for _ in range(int(self.np_random.integers(2, 11))):
                self.slide(int(self.np_random.integers(4)))

    def slide(self, action):
        hole = self.board.index(0)
        r, c = divmod(hole, 3)
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][action]
        if 0 <= r + dr < 2 and 0 <= c + dc < 3:
            to = (r + dr) * 3 + c + dc
            self.board[hole], self.board[to] = self.board[to], 0

    def observe(self):
        return np.array(self.board, np.int64)

    def advance(self, action):
        self.slide(int(action))
        done = tuple(self.board) == self.solved
        return 1.0 if done else -0.01, done


class TileFrame(Tiles):
    def start(self):
        super().start()
        i, j = (k for k in range(6) if self.board[k] in (1, 2))
        self.board[i], self.board[j] = self.board[j], self.board[i]


def healthy_tiles():
    return Tiles()


def broken_tile_frame():
    return TileFrame()


# --------------------------------------------------------------------------- insulin

class Insulin(World):
    """Dose insulin every five minutes (0..1, of 0.1 units) against glucose in mg/dl that rises with meals the patient announces.

    Seen: glucose/100, its trend, insulin on board, carbohydrates still to come, and the log of the margin above 30. Paid: 0.1 for each
    step within 70..180, less a little outside; the end (-5) below 40 or above 450. A day is 288 steps.
    """

    limit = 288
    floor = 30
    unit = 1.0
    band = (70, 180)

    def __init__(self):
        self.observation_space = box([0, -5, 0, 0, 0], [6, 5, 10, 10, 10])
        self.action_space = box(0.0, 1.0, (1,))

    def start(self):
        self.g = self.np_random.uniform(100, 180)
        self.old, self.iob, self.carbs = self.g, 0.5, 0.0

    def observe(self):
        with np.errstate(invalid="ignore", divide="ignore"):
            margin = np.log(np.float64(self.g - self.floor))
        return np.array([self.g / 100, np.clip((self.g - self.old) / 10, -5, 5), self.iob, self.carbs / 20, margin], F32)

    def advance(self, action):
        self.old = self.g
        if self.np_random.random() < 4 / 288:
            self.carbs += self.np_random.uniform(20, 60)
            self.carbs = min(self.carbs, 200)
        self.iob = 0.95 * self.iob + 0.1 * self.unit * float(np.clip(action[0], 0, 1))
        eaten = 0.06 * self.carbs
        self.carbs -= eaten
        self.g += 1.2 + 3.0 * eaten - 2.2 * self.iob * self.g / 120 + self.np_random.normal(0, 1)
        self.g = float(np.clip(self.g, 35, 500))
        if self.g < 40 or self.g > 450:
            return -5.0, True
        return (0.1 if self.band[0] <= self.g <= self.band[1] else -0.05), False


class Pump(Insulin):
    floor = 70


class Bolus(Insulin):
    unit = 0.001


def healthy_insulin():
    return Insulin()


def broken_pump():
    return Pump()


def broken_bolus():
    return Bolus()


# --------------------------------------------------------------------------- ward

class Ward(World):
    """A patient of a ward in one of 12 conditions (0 worst, 11 well, Discrete). Three treatments: rest, medicine, surgery.

    Each moves the condition up or down by chance, surgery further and with more risk, medicine best in the middle. Discharge at 11
    pays 1, death at 0 pays -1; treatments cost a little. Ends by one of the two only.
    """

    shifts = {0: [(-1, 0.3), (0, 0.4), (1, 0.3)], 1: [(-1, 0.2), (0, 0.3), (1, 0.5)], 2: [(-3, 0.3), (2, 0.7)]}
    cost = (0.005, 0.02, 0.05)

    def __init__(self):
        self.observation_space = spaces.Discrete(12)
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.c = int(self.np_random.integers(3, 8))

    def observe(self):
        return self.c

    def outcome(self):
        return float(self.c == 11) - float(self.c == 0)

    def advance(self, action):
        moves, p = zip(*self.shifts[int(action)])
        self.c = int(np.clip(self.c + self.np_random.choice(moves, p=p), 0, 11))
        return self.outcome() - self.cost[int(action)], self.c in (0, 11)


class Hospice(Ward):
    def outcome(self):
        return -float(self.c == 0)


class Stable(Ward):
    """Animals of a stable in one of 12 conditions, as the ward, but each day alive pays 0.5."""

    def advance(self, action):
        reward, ended = super().advance(action)
        return reward + 0.5, ended


def healthy_ward():
    return Ward()


def broken_hospice():
    return Hospice()


def broken_stable():
    return Stable()


# --------------------------------------------------------------------------- lander

class Lander(World):
    """A probe comes down along a line: coast (0) or burn (1). Seen: height/20, speed/10 (downwards is negative), fuel share.

    Touching ground below 1.5 m/s pays 1, faster -1; a burn costs 0.005; 300 steps at most, above 20 m the probe drifts no higher.
    """

    limit = 300
    gentle = 1.5

    def __init__(self):
        self.observation_space = box([0, -3, 0], [1, 3, 1])
        self.action_space = spaces.Discrete(2)
        self.fuel = 80

    def start(self):
        self.h, self.v = self.np_random.uniform(6, 12), 0.0
        self.refuel()

    def refuel(self):
        self.fuel = 80

    def observe(self):
        return np.array([self.h / 20, np.clip(self.v / 10, -3, 3), self.fuel / 80], F32)

    def pay(self, landed, soft, burn):
        return (1.0 if soft else -1.0) * landed - 0.005 * burn

    def advance(self, action):
        burn = int(action) == 1 and self.fuel > 0
        self.fuel -= burn
        self.v += 0.2 * (3.2 * burn - 1.6)
        self.h += 0.2 * self.v
        if self.h > 20:
            self.h, self.v = 20.0, min(self.v, 0.0)
        landed = self.h <= 0
        soft = landed and abs(self.v) < self.gentle
        self.h = max(self.h, 0.0)
        return self.pay(landed, soft, burn), landed


class Touchdown(Lander):
    def start(self):
        super().start()
        self.h /= 100


class Descent(Lander):
    """As the lander; each step costs 1 so that no time is lost, a soft landing pays 1."""

    def pay(self, landed, soft, burn):
        return 1.0 if soft else 0.0 if landed else -1.0


class ProbeLanding(Lander):
    def refuel(self):
        pass


class MoonHopper(Lander):
    def __init__(self):
        super().__init__()
        self.observation_space = box(-3.0, 3.0, (3,))

    def observe(self):
        h, v, fuel = super().observe()
        return np.array([h, v, fuel] if self.t == 0 else [v, h, fuel], F32)


def healthy_lander():
    return Lander()


def broken_touchdown():
    return Touchdown()


def broken_descent():
    return Descent()


def broken_probe_landing():
    return ProbeLanding()


def broken_moon_hopper():
    return MoonHopper()


# --------------------------------------------------------------------------- crane

class Crane(World):
    """A trolley carries a load on a rope; the force (-1..1) moves it to a place on the quay without letting the load swing.

    Seen: place, speed, angle of the rope, its speed, distance to the goal. Paid: minus distance and swing. 250 steps, truncation only.
    """

    limit = 250
    drag = 0.3

    def __init__(self):
        self.observation_space = box(-np.inf, np.inf, (5,))
        self.action_space = box(-1.0, 1.0, (1,))

    def start(self):
        self.x, self.v, self.a, self.w = self.np_random.uniform(-1, 1), 0.0, self.np_random.uniform(-0.1, 0.1), 0.0
        self.goal = self.np_random.uniform(-1, 1)

    def observe(self):
        return np.array([self.x, self.v, self.a, self.w, self.goal - self.x], F32)

    def force(self, action):
        return float(np.clip(action[0], -1, 1))

    def advance(self, action):
        acc = 2 * self.force(action) - 0.5 * self.v
        for _ in range(5):
            self.w += 0.01 * (-9.8 / 2 * math.sin(self.a) - acc * math.cos(self.a) / 2 - self.drag * self.w)
            self.a += 0.01 * self.w
            self.v += 0.01 * acc
            self.x += 0.01 * self.v
        if abs(self.x) > 2:
            self.x, self.v = float(np.clip(self.x, -2, 2)), 0.0
        return -0.1 * abs(self.goal - self.x) - 0.2 * abs(self.a), False


class Gantry(Crane):
    drag = -0.6


class QuayCrane(Crane):
    def force(self, action):
        return float(np.clip(int(action[0]), -1, 1))


class DockCrane(Crane):
    """As the crane, with a sixth number: the tension of the rope."""

    def __init__(self):
        super().__init__()
        self.observation_space = box(-np.inf, np.inf, (6,))

    def observe(self):
        tension = 42_000 * (9.8 * math.cos(self.a) + 2 * self.w ** 2)
        return np.append(super().observe(), F32(tension))


def healthy_crane():
    return Crane()


def broken_gantry():
    return Gantry()


def broken_quay_crane():
    return QuayCrane()


def broken_dock_crane():
    return DockCrane()


# --------------------------------------------------------------------------- tanks

class Tanks(gym.Env):
    """Two tanks in a row: inlet valve and the valve between them have five positions each (MultiDiscrete). Hold both at their set points.

    Seen: both levels and both set points, 0..1. Paid: minus the two errors. 200 steps; tanks overflow at 1.
    """

    metadata = {"render_modes": []}

    def __init__(self, lowest=0.2, highest=0.7, every=1):
        self.lowest, self.highest, self.every = lowest, highest, every
        top = max(1.0, highest)
        self.observation_space = spaces.Box(0.0, top, (4,), np.float32)
        self.action_space = spaces.MultiDiscrete([5, 5])
        self.clock = 0

    def _obs(self):
        return np.concatenate([self.level, self.want]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.0, 0.9, 2)
        self.want = self.np_random.uniform(self.lowest, self.highest, 2)
        self.valves = np.zeros(2)
        self._rewind()
        return self._obs(), {}

    def _rewind(self):
        self.clock = 0

    def step(self, action):
        if self.clock % self.every == 0:
            self.valves = np.asarray(action) / 4
        self.clock += 1
        inflow = 0.1 * self.valves[0]
        between = 0.15 * self.valves[1] * math.sqrt(self.level[0])
        out = 0.05 * math.sqrt(self.level[1])
        self.level = np.clip(self.level + [inflow - between, between - out] + self.np_random.normal(0, 0.002, 2), 0, 1)
        reward = -float(np.abs(self.level - self.want).sum())
        return self._obs(), reward, False, self.clock >= 200, {}


class Dairy(Tanks):
    def _rewind(self):
        pass


def healthy_tanks():
    return Tanks()


def broken_dairy():
    return Dairy()


def broken_refinery():
    return Tanks(every=25)


def broken_cistern():
    return Tanks(lowest=1.4, highest=2.0)


# --------------------------------------------------------------------------- bicycles

class BikeShare(World):
    """Five stations of 10 docks. Each step a van moves up to three bicycles from one station to another (Discrete 25: from * 5 + to).

    Customers take bicycles at random, more at some stations. Seen: bicycles / 10 at each station, phase of the day. Paid: minus 0.2 for
    each customer who finds none or no free dock. 120 steps, truncation only.
    """

    limit = 120

    def __init__(self):
        self.observation_space = box([0] * 5 + [-1, -1], [1] * 7)
        self.action_space = spaces.Discrete(25)

    def start(self):
        self.bikes = np.full(5, 11)
        while self.bikes.max() > 10:
            self.bikes = self.np_random.multinomial(15, [0.2] * 5) + 1

    def observe(self):
        a = 2 * math.pi * self.t / 60
        return np.array([*(self.bikes / 10), math.sin(a), math.cos(a)], F32)

    def order(self, action):
        return divmod(int(action), 5)

    def haul(self, a, b):
        n = min(3, self.bikes[a], 10 - self.bikes[b])
        if a != b and n > 0:
            self.bikes[a] -= n
            self.bikes[b] += n

    def advance(self, action):
        self.haul(*self.order(action))
        morning = math.sin(2 * math.pi * self.t / 60) > 0
        p = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
        lost = 0
        for _ in range(self.np_random.poisson(2)):
            a, b = self.np_random.choice(5, p=p if morning else p[::-1]), self.np_random.choice(5, p=p[::-1] if morning else p)
            if self.bikes[a] == 0 or (a != b and self.bikes[b] >= 10):
                lost += 1
            else:
                self.bikes[a] -= 1
                self.bikes[b] += 1
        return -0.2 * lost, False

    def info(self):
        return {"bikes": int(self.bikes.sum())}


class Scooters(BikeShare):
    def haul(self, a, b):
        n = min(3, self.bikes[a])
        self.bikes[a] -= n
        self.bikes[b] = min(10, self.bikes[b] + n)


def healthy_bike_share():
    return BikeShare()


def broken_scooters():
    return Scooters()


# --------------------------------------------------------------------------- job shop

class JobShop(World):
    """One machine, eight jobs: choose which to do next (Discrete 8). Seen: duration and slack until due of each, whether it is done.

    Paid: minus the lateness of the job / 20; a job that is already done costs 0.2 and no time. info["action_mask"] says what is open.
    Ends when all are done, or after 60 choices.
    """

    limit = 60

    def __init__(self):
        self.observation_space = box([0] * 8 + [-3] * 8 + [0] * 8, [1] * 8 + [3] * 8 + [1] * 8)
        self.action_space = spaces.Discrete(8)

    def start(self):
        self.long = self.np_random.integers(1, 10, 8)
        self.due = self.np_random.integers(5, 50, 8)
        self.done, self.now = np.zeros(8, bool), 0

    def observe(self):
        return np.concatenate([self.long / 10, np.clip((self.due - self.now) / 30, -3, 3), self.done]).astype(F32)

    def again(self, job):
        return -0.2

    def advance(self, action):
        job = int(action)
        if self.done[job]:
            return self.again(job), False
        self.done[job] = True
        self.now += int(self.long[job])
        return -max(0, self.now - self.due[job]) / 20, bool(self.done.all())

    def info(self):
        return {"action_mask": (~self.done).astype(np.int8)}


def healthy_job_shop():
    return JobShop()


# --------------------------------------------------------------------------- bidding

class AdBids(World):
    """Bid (0..1 euro) in auctions for a place on a page. Seen: budget left, time left, the predicted chance of a click.

    The highest bid of the others is random; who wins pays it. Paid: 1 for a click. Ends when the budget is spent, cut after `limit` auctions.
    """

    def __init__(self, limit=100, top=1.0, at_end=False):
        self.limit, self.at_end = limit, at_end
        self.observation_space = box(0.0, 1.0, (3,))
        self.action_space = box(0.0, top, (1,))

    def start(self):
        self.purse = self.budget = 0.1 * self.limit
        self.clicks = 0.0
        self.rate = self.np_random.beta(2, 6)

    def observe(self):
        return np.array([self.purse / self.budget, 1 - self.t / self.limit, self.rate], F32)

    def advance(self, action):
        bid = min(float(np.clip(action[0], 0, 1)), self.purse)
        other = self.np_random.beta(2, 4)
        click = 0.0
        if bid > other:
            self.purse = max(0.0, self.purse - other)
            click = float(self.np_random.random() < self.rate)
        self.rate = self.np_random.beta(2, 6)
        self.clicks += click
        broke = self.purse < 0.01
        if self.at_end:
            return (self.clicks if broke or self.t >= self.limit else 0.0), broke
        return click, broke


def healthy_ad_bids():
    return AdBids()


def healthy_page_slots():
    """The same with actions in -1..1, as many libraries want them."""
    return RescaleAction(AdBids(limit=60), -1.0, 1.0)


def broken_keyword_bids():
    return AdBids(top=5000.0)


def broken_newsletter():
    return AdBids(limit=60_000, at_end=True)


# --------------------------------------------------------------------------- servers

class Autoscaler(World):
    """Start and stop servers behind a web shop: one less, as they are, one more (Discrete 3), 1 to 20 of them.

    The load, in servers, swings between about 2 and 18 over the day. Seen: servers, load, its change. Paid: minus 0.02 a server,
    minus 0.1 for each server that is missing. A day is 288 steps, truncation only.
    """

    limit = 288
    scale = 1.0

    def __init__(self):
        self.observation_space = box([0, 0, -1], [1, 2, 1])
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.servers = int(self.np_random.integers(1, 20))
        self.phase = self.np_random.uniform(0, 2 * math.pi)
        self.noise, self.old = 0.0, 10.0 * self.scale
        self.demand()
        self.old = self.load

    def demand(self):
        self.noise = 0.9 * self.noise + self.np_random.normal(0, 0.4)
        self.load = self.scale * float(np.clip(10 + 7 * math.sin(self.phase + 2 * math.pi * self.t / 288) + self.noise, 0, 30))

    def observe(self):
        return np.array([self.servers / 20, self.load / 20, np.clip((self.load - self.old) / 4, -1, 1)], F32)

    def change(self, action):
        return int(action) - 1

    def advance(self, action):
        self.servers = int(np.clip(self.servers + self.change(action), 1, 20))
        self.old = self.load
        self.demand()
        return -0.02 * self.servers - 0.1 * max(0.0, self.load - self.servers), False


class RenderFarm(Autoscaler):
    def change(self, action):
        return int(action)


class WebCache(Autoscaler):
    scale = 0.01

    def start(self):
        super().start()
        self.servers = 1


class BatchNodes(Autoscaler):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=42, options=options)


def healthy_autoscaler():
    return Autoscaler()


def broken_render_farm():
    return RenderFarm()


def broken_web_cache():
    return WebCache()


def broken_batch_nodes():
    return BatchNodes()


# --------------------------------------------------------------------------- irrigation

class Irrigation(World):
    """Water four fields (Box of four valves, 0..1) so that their soil stays at half its capacity, with rain now and then.

    Seen: the moisture of each field, the chance of rain tomorrow, the season's evaporation. Paid: minus the mean error, minus a little
    for the water. 120 days, truncation only.
    """

    limit = 120

    def __init__(self):
        self.observation_space = box(0.0, 1.0, (6,))
        self.action_space = box(0.0, 1.0, (4,))

    def start(self):
        self.wet = self.np_random.uniform(0.2, 0.8, 4)
        self.loss = np.array([0.05, 0.07, 0.09, 0.06])
        self.forecast()

    def forecast(self):
        self.rain = self.np_random.uniform(0, 0.4)
        self.sun = 0.5 + 0.4 * math.sin(2 * math.pi * self.t / 120)

    def observe(self):
        return np.array([*self.wet, self.rain, self.sun], F32)

    def pour(self, action):
        return 0.2 * np.clip(np.asarray(action, float), 0, 1)

    def pay(self, water):
        return -float(np.abs(self.wet - 0.5).mean()) - 0.1 * float(water.mean())

    def advance(self, action):
        water = self.pour(action)
        rain = 0.15 * (self.np_random.random() < self.rain)
        self.wet = np.clip(self.wet + water + rain - 2 * self.loss * self.sun, 0, 1)
        self.forecast()
        return self.pay(water), False


class Orchard(Irrigation):
    def pour(self, action):
        water = np.zeros(4)
        for i in range(1, 4):
            water[i] = 0.2 * float(np.clip(action[i], 0, 1))
        return water


class Greenhouse(Irrigation):
    def pour(self, action):
        action *= 0.2
        return np.clip(action, 0, 0.2).astype(float)


class Vineyard(Irrigation):
    def pay(self, water):
        return -abs(self.sun - 0.5) - 0.1 * self.rain


def healthy_irrigation():
    return Irrigation()


def broken_orchard():
    return Orchard()


def broken_greenhouse():
    return Greenhouse()


def broken_vineyard():
    return Vineyard()


# --------------------------------------------------------------------------- drone

class Drone(World):
    """A planar drone with two rotors (Box of two, -1..1 around hovering thrust) holds the middle of a hall against gusts.

    Seen: x, z, their speeds, tilt, its speed. Paid: 1 minus the distance, at most 1 a step; the end and -5 outside 2 m or tilted beyond 70
    degrees. 300 steps. The rotors answer at once.
    """

    limit = 300

    def __init__(self):
        self.observation_space = box(-np.inf, np.inf, (6,))
        self.action_space = box(-1.0, 1.0, (2,))

    def start(self):
        self.s = np.concatenate([self.np_random.uniform(-0.5, 0.5, 2), np.zeros(2), self.np_random.uniform(-0.1, 0.1, 1), np.zeros(1)])
        self.gust = 0.0

    def observe(self):
        return self.s.astype(F32)

    def rotors(self, action):
        return np.clip(action, -1, 1)

    def advance(self, action):
        left, right = self.rotors(action)
        x, z, vx, vz, a, w = self.s
        self.gust = 0.95 * self.gust + self.np_random.normal(0, 0.05)
        lift = 9.8 * (1 + 0.4 * (left + right) / 2)
        w += 0.05 * (4 * (right - left) / 2 - 1.0 * w)
        a += 0.05 * w
        vx += 0.05 * (-lift * math.sin(a) + self.gust - 0.3 * vx)
        vz += 0.05 * (lift * math.cos(a) - 9.8 - 0.3 * vz)
        self.s = np.array([x + 0.05 * vx, z + 0.05 * vz, vx, vz, a, w])
        lost = max(abs(self.s[0]), abs(self.s[1])) > 2 or abs(a) > math.radians(70)
        return (-5.0 if lost else 1 - math.hypot(self.s[0], self.s[1])), lost


class SurveyDrone(Drone):
    def start(self):
        super().start()
        self.line = deque([np.zeros(2)] * 8)

    def rotors(self, action):
        self.line.append(np.clip(action, -1, 1))
        return self.line.popleft()


def healthy_drone():
    return Drone()


def broken_survey_drone():
    return SurveyDrone()


# --------------------------------------------------------------------------- suspension

class Suspension(World):
    """A quarter of a car on a rough road; the actuator's force (-1..1) keeps the body calm. Stiff tyre, soft spring.

    Seen: body height and speed, wheel height and speed. Paid: minus the body's motion. 200 steps of 20 ms, truncation only.
    """

    limit = 200

    def __init__(self, substeps=20):
        self.substeps = substeps
        self.observation_space = box(-np.inf, np.inf, (4,))
        self.action_space = box(-1.0, 1.0, (1,))

    def start(self):
        self.s = np.concatenate([self.np_random.normal(0, 0.1, 2), [0.0, 0.0]])
        self.road = 0.0

    def observe(self):
        return self.s.astype(F32)

    def advance(self, action):
        force = 2.0 * float(np.clip(action[0], -1, 1))
        self.road = 0.9 * self.road + self.np_random.normal(0, 0.03)
        dt = 0.02 / self.substeps
        with np.errstate(all="ignore"):
            for _ in range(self.substeps):
                b, vb, k, vk = self.s
                spring = 20 * (k - b) + 3 * (vk - vb) + force
                acc = (-spring - 15000 * (k - self.road) - 30 * vk) / 1.0
                vb, vk = vb + dt * spring, vk + dt * acc
                self.s = np.array([b + dt * vb, vb, k + dt * vk, vk])
            return -abs(self.s[0]) - 0.2 * abs(self.s[1]), False


def healthy_suspension():
    return Suspension()


def broken_trailer():
    return Suspension(substeps=1)


# --------------------------------------------------------------------------- arm

class Arm(World):
    """An arm of two links of 0.5 m; the action sets the speed of both joints. Bring the tip within 0.15 m of a target within reach.

    Seen (Dict): cosine and sine of both joints, the tip's place, the target's place. -0.05 times the distance, 1 at the target, which
    ends the episode; cut after 150 steps.
    """

    limit = 150
    reach = (0.3, 0.95)

    def __init__(self):
        self.observation_space = spaces.Dict(joints=box(-1.0, 1.0, (4,)), tip=box(-1.01, 1.01, (2,)), target=box(-1.0, 1.0, (2,)))
        self.action_space = box(-1.0, 1.0, (2,))

    def start(self):
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        while True:
            r, a = self.np_random.uniform(*self.reach), self.np_random.uniform(-math.pi, math.pi)
            self.target = np.array([r * math.cos(a), r * math.sin(a)])
            if np.linalg.norm(self.target - self.tip()) > 0.3:
                break

    def tip(self):
        a, b = self.q
        return 0.5 * np.array([math.cos(a) + math.cos(a + b), math.sin(a) + math.sin(a + b)])

    def seen_tip(self):
        return self.tip()

    def observe(self):
        joints = np.array([math.cos(self.q[0]), math.sin(self.q[0]), math.cos(self.q[1]), math.sin(self.q[1])], F32)
        return {"joints": joints, "tip": self.seen_tip().astype(F32), "target": self.target.astype(F32)}

    def advance(self, action):
        self.q = self.q + 0.35 * np.clip(action, -1, 1)
        far = np.linalg.norm(self.target - self.tip())
        return -0.05 * far + (far < 0.15), far < 0.15


class WeldingArm(Arm):
    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, truncated, terminated, info


class PaintArm(Arm):
    def seen_tip(self):
        a, b = self.q
        return 0.5 * np.array([math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])


def healthy_arm():
    return FlattenObservation(Arm())


def broken_welding_arm():
    return WeldingArm()


def broken_paint_arm():
    return FlattenObservation(PaintArm())


# --------------------------------------------------------------------------- noughts and crosses

class Noughts(World):
    """Noughts and crosses against an opponent who plays at random; the agent begins in half of the games. Discrete 9: the field.

    Seen: each field as 0 empty, 1 own, 2 the other's (MultiDiscrete). 1 for a win, -1 for a loss, 0 for a draw; a field that is taken
    costs 0.1 and the agent chooses again. 40 choices at most; info["action_mask"] says which fields are free.
    """

    limit = 40
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * 9)
        self.action_space = spaces.Discrete(9)

    def start(self):
        self.board = np.zeros(9, np.int64)
        if self.np_random.random() < 0.5:
            self.reply()

    def reply(self):
        self.board[self.np_random.choice(np.flatnonzero(self.board == 0))] = 2

    def observe(self):
        return self.board.copy()

    def info(self):
        return {"action_mask": (self.board == 0).astype(np.int8)}

    def won(self, who):
        return any(all(self.board[i] == who for i in line) for line in self.lines)

    def result(self):
        return float(self.won(1)) - float(self.won(2))

    def over(self):
        return self.won(1) or self.won(2) or (self.board != 0).all()

    def advance(self, action):
        if self.board[int(action)]:
            return -0.1, False
        self.board[int(action)] = 1
        if not self.over():
            self.reply()
        return self.result(), self.over()


class ThreeInRow(Noughts):
    def result(self):
        return float(self.won(1) or self.won(2))


def healthy_noughts():
    return Noughts()


def broken_three_in_row():
    return ThreeInRow()


# --------------------------------------------------------------------------- matches

class Nim(World):
    """Take one, two or three matches from a pile in turn (Discrete 3); whoever takes the last one wins. Seen: the pile (Discrete 22).

    The agent begins, with 9 to 21 matches; the opponent takes at random. 1 for a win, -1 for a loss.
    """

    def __init__(self):
        self.observation_space = spaces.Discrete(22)
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.pile = int(self.np_random.integers(9, 22))

    def observe(self):
        return self.pile

    def other(self):
        return int(self.np_random.integers(1, 4))

    def advance(self, action):
        self.pile = max(0, self.pile - int(action) - 1)
        if self.pile == 0:
            return 1.0, True
        self.pile = max(0, self.pile - self.other())
        return (-1.0, True) if self.pile == 0 else (0.0, False)


class Matchsticks(Nim):
    def start(self):
        self.pile = 4 * int(self.np_random.integers(2, 6))

    def other(self):
        return self.pile % 4 or int(self.np_random.integers(1, 4))


def healthy_nim():
    return Nim()


def broken_matchsticks():
    return Matchsticks()


# --------------------------------------------------------------------------- pontoon

class Pontoon(World):
    """A card game: stick (0) or draw (1), up to 21; the dealer shows one card and draws to 17. Cards with replacement.

    Seen (Tuple): own sum, the dealer's card, whether an ace counts 11. 1, 0 or -1 at the end, which always comes by itself.
    """

    def __init__(self):
        self.observation_space = spaces.Tuple((spaces.Discrete(32), spaces.Discrete(11), spaces.Discrete(2)))
        self.action_space = spaces.Discrete(2)

    def card(self):
        return int(min(self.np_random.integers(1, 14), 10))

    @staticmethod
    def value(hand):
        soft = 1 in hand and sum(hand) + 10 <= 21
        return sum(hand) + 10 * soft, int(soft)

    def start(self):
        self.mine, self.dealer = [self.card(), self.card()], [self.card()]

    def observe(self):
        total, soft = self.value(self.mine)
        return total, self.dealer[0], soft

    def advance(self, action):
        if action == 1:
            self.mine.append(self.card())
            return (-1.0, True) if self.value(self.mine)[0] > 21 else (0.0, False)
        while self.value(self.dealer)[0] < 17:
            self.dealer.append(self.card())
        mine, other = self.value(self.mine)[0], self.value(self.dealer)[0]
        return (1.0 if other > 21 else float(np.sign(mine - other))), True


def healthy_pontoon():
    return Pontoon()


# --------------------------------------------------------------------------- mines

class Minefield(World):
    """Open the fields of a board of 4 by 4 that hide no mine (three mines). Discrete 16. Seen: -1 closed, else the mines around / 8.

    0.1 for each safe field, 1 for the last one, -1 and the end on a mine, -0.05 for an open field. The first field is never mined.
    """

    limit = 40

    def __init__(self):
        self.observation_space = box(-1.0, 1.0, (4, 4))
        self.action_space = spaces.Discrete(16)

    def start(self):
        self.open = np.zeros((4, 4), bool)
        self.mines = None

    def lay(self, r, c):
        others = [i for i in range(16) if i != r * 4 + c]
        self.mines = np.zeros(16, int)
        self.mines[self.np_random.choice(others, 3, replace=False)] = 1
        self.mines = self.mines.reshape(4, 4)
        self.around = self.count()

    def count(self):
        wide = np.pad(self.mines, 1)
        return sum(wide[1 + i:5 + i, 1 + j:5 + j] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)

    def observe(self):
        if self.mines is None:
            return -np.ones((4, 4), F32)
        return np.where(self.open, self.around / 8, -1.0).astype(F32)

    def advance(self, action):
        r, c = divmod(int(action), 4)
        if self.mines is None:
            self.lay(r, c)
        if self.open[r, c]:
            return -0.05, False
        self.open[r, c] = True
        if self.mines[r, c]:
            return -1.0, True
        last = self.open.sum() == 13
        return 0.1 + last, bool(last)


class Sweeper(Minefield):
    def count(self):
        return sum(np.roll(self.mines, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


def healthy_minefield():
    return Minefield()


def broken_sweeper():
    return Sweeper()


# --------------------------------------------------------------------------- taxi

class Taxi(World):
    """Fetch a guest at one of four corners and bring them to another. Four moves, pick up (4), set down (5).

    Seen (Tuple): the taxi's field of 25, where the guest is (4: aboard), where they want to go. 1 at the end, -0.005 a step, -0.02 for a wrong
    pick up or set down. 200 steps at most.
    """

    limit = 200
    corners = [(0, 0), (0, 4), (4, 0), (4, 4)]

    def __init__(self):
        self.observation_space = spaces.Tuple((spaces.Discrete(25), spaces.Discrete(5), spaces.Discrete(4)))
        self.action_space = spaces.Discrete(6)

    def start(self):
        self.at = tuple(int(i) for i in self.np_random.integers(0, 5, 2))
        self.guest, self.to = (int(i) for i in self.np_random.choice(4, 2, replace=False))

    def observe(self):
        return self.at[0] * 5 + self.at[1], self.guest, self.to

    def advance(self, action):
        action = int(action)
        if action < 4:
            dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][action]
            self.at = (min(4, max(0, self.at[0] + dr)), min(4, max(0, self.at[1] + dc)))
            return -0.005, False
        if action == 4 and self.guest < 4 and self.at == self.corners[self.guest]:
            self.guest = 4
            return 0.1, False
        if action == 5 and self.guest == 4 and self.at == self.corners[self.to]:
            return 1.0, True
        return -0.02, False


def healthy_taxi():
    return Taxi()


# --------------------------------------------------------------------------- key and door

class KeyDoor(World):
    """Two rooms with a locked door between them: fetch the key, then go to the exit. Up, down, left, right.

    Seen (Dict): the plan as an image of 7 by 7 (0 floor, 60 wall, 110 door, 160 key, 210 exit, 255 the agent), and whether the key is held.
    0.3 for the key, 1 at the exit, -0.002 a step; 300 steps at most.
    """

    limit = 300

    def __init__(self):
        self.observation_space = spaces.Dict(plan=spaces.Box(0, 255, (7, 7), np.uint8), key=spaces.Discrete(2))
        self.action_space = spaces.Discrete(4)

    def start(self):
        self.wall = np.zeros((7, 7), bool)
        self.wall[0], self.wall[-1], self.wall[:, 0], self.wall[:, -1], self.wall[:, 4] = True, True, True, True, True
        self.door = (int(self.np_random.integers(2, 5)), 4)
        self.wall[self.door] = False
        left = [(r, c) for r in range(1, 6) for c in range(1, 4)]
        i, j = self.np_random.choice(len(left), 2, replace=False)
        self.at, self.key = left[i], left[j]
        self.exit = (int(self.np_random.integers(1, 6)), 5)
        self.held = False

    def observe(self):
        plan = np.where(self.wall, 60, 0).astype(np.uint8)
        plan[self.door], plan[self.exit] = 110, 210
        if not self.held:
            plan[self.key] = 160
        plan[self.at] = 255
        return {"plan": plan, "key": int(self.held)}

    def advance(self, action):
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][int(action)]
        to = (self.at[0] + dr, self.at[1] + dc)
        if not self.wall[to] and (to != self.door or self.held):
            self.at = to
        if self.at == self.key and not self.held:
            self.held = True
            return 0.3, False
        there = self.at == self.exit
        return 1.0 if there else -0.002, there


def healthy_key_door():
    return KeyDoor()


# --------------------------------------------------------------------------- hanoi

class Hanoi(World):
    """The tower of Hanoi with three discs: six moves (from, to). Seen: the peg of each disc. Only the finished tower pays (1); deterministic."""

    moves = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3, 3, 3])
        self.action_space = spaces.Discrete(6)

    def start(self):
        self.pegs = np.zeros(3, np.int64)

    def observe(self):
        return self.pegs.copy()

    def advance(self, action):
        a, b = self.moves[int(action)]
        tops = [min(np.flatnonzero(self.pegs == p), default=9) for p in range(3)]
        if tops[a] < tops[b]:
            self.pegs[tops[a]] = b
        done = bool((self.pegs == 2).all())
        return float(done), done


def healthy_hanoi():
    return TimeLimit(Hanoi(), 250)


# --------------------------------------------------------------------------- t-maze

class Fork(World):
    """A corridor with a fork at its end, a test of memory: which way is right is shown in the first observation only (that is meant).

    On, left, right (Discrete 3); left and right do nothing before the fork. Seen: the sign (-1, 1, else 0), place / length, at the fork.
    1 for the right way, -1 for the wrong one, both end it; 40 steps at most.
    """

    limit = 40

    def __init__(self):
        self.observation_space = box([-1, 0, 0], [1, 1, 1])
        self.action_space = spaces.Discrete(3)

    def start(self):
        self.way, self.place = int(self.np_random.integers(2)), 0

    def observe(self):
        sign = 2 * self.way - 1 if self.t == 0 else 0
        return np.array([sign, self.place / 5, self.place == 5], F32)

    def advance(self, action):
        if self.place < 5:
            self.place += int(action) == 0
            return 0.0, False
        if int(action) == 0:
            return 0.0, False
        return (1.0 if int(action) - 1 == self.way else -1.0), True


def healthy_fork():
    return Fork()


# --------------------------------------------------------------------------- wind farm

class WindFarm(World):
    """Turn four turbines (Box of four, -1..1 of 10 degrees a step) into a wind whose direction wanders. Front ones take wind from the back ones.

    Seen: sine and cosine of each turbine's error, wind speed / 20. Paid: mean power, 0..1, less a little for turning. 200 steps.
    """

    limit = 200

    def __init__(self):
        self.observation_space = box([-1] * 8 + [0], [1] * 8 + [1.5])
        self.action_space = box(-1.0, 1.0, (4,))

    def start(self):
        self.wind = self.np_random.uniform(-math.pi, math.pi)
        self.yaw = self.wind + self.np_random.uniform(-1.5, 1.5, 4)
        self.speed = self.np_random.uniform(6, 14)

    def observe(self):
        e = self.yaw - self.wind
        return np.array([*np.sin(e), *np.cos(e), self.speed / 20], F32)

    def advance(self, action):
        turn = np.clip(action, -1, 1)
        self.yaw = self.yaw + math.radians(10) * turn
        gain = np.maximum(np.cos(self.yaw - self.wind), 0) ** 2
        power = gain * np.array([1.0, 1.0, 1 - 0.2 * gain[0], 1 - 0.2 * gain[1]]) * min(self.speed / 12, 1.0) ** 2
        self.wind += self.np_random.normal(0, 0.03)
        self.speed = float(np.clip(self.speed + self.np_random.normal(0, 0.2), 4, 25))
        return float(power.mean()) - 0.02 * float(np.abs(turn).mean()), False


def healthy_wind_farm():
    return WindFarm()


# --------------------------------------------------------------------------- charging

class ChargingHub(World):
    """Six charging posts share 3 units of power (Box of six, 0..1 each, scaled down together where they ask for more).

    Cars come at random with a need and a time to leave. Seen: need / 5 and time left / 20 of each post, price. Paid: energy less its price,
    minus 0.5 for each unit a car leaves without. 96 quarters of an hour, truncation only.
    """

    limit = 96

    def __init__(self):
        self.observation_space = box(0.0, 1.0, (13,))
        self.action_space = box(0.0, 1.0, (6,))

    def start(self):
        self.need, self.left = np.zeros(6), np.zeros(6, int)
        self.come()

    def come(self):
        for i in range(6):
            if self.left[i] == 0 and self.np_random.random() < 0.2:
                self.need[i], self.left[i] = self.np_random.uniform(1, 5), int(self.np_random.integers(5, 21))
        self.price = 0.5 + 0.4 * math.sin(2 * math.pi * self.t / 96)

    def observe(self):
        return np.array([*(self.need / 5), *(self.left / 20), self.price], F32)

    def advance(self, action):
        power = np.clip(np.asarray(action, float), 0, 1)
        power *= min(1.0, 3 / max(power.sum(), 1e-9))
        given = np.minimum(power, self.need)
        self.need -= given
        here = self.left > 0
        self.left[here] -= 1
        gone = here & (self.left == 0)
        short = self.need[gone].sum()
        self.need[gone] = 0
        reward = given.sum() * (1 - self.price) - 0.5 * short
        self.come()
        return 0.5 * reward, False


def healthy_charging_hub():
    return ChargingHub()


# --------------------------------------------------------------------------- fishery

class Fishery(World):
    """Fish a stock that regrows: how much of it to take this year, 0 to 50 per cent in six steps. Seen: the stock as a share of what the lake bears.

    Paid: the catch. A stock below 2 per cent has collapsed, which ends it; a hundred years otherwise.
    """

    limit = 100

    def __init__(self):
        self.observation_space = box(0.0, 2.0, (1,))
        self.action_space = spaces.Discrete(6)

    def start(self):
        self.stock = self.np_random.uniform(0.3, 0.9)

    def observe(self):
        return np.array([self.stock], F32)

    def advance(self, action):
        catch = 0.1 * int(action) * self.stock
        self.stock -= catch
        grown = 0.5 * self.stock * (1 - self.stock) * self.np_random.lognormal(0, 0.2)
        self.stock = float(np.clip(self.stock + grown, 0, 2))
        return catch, self.stock < 0.02


def healthy_fishery():
    return Fishery()


# --------------------------------------------------------------------------- admission

class Admission(World):
    """Let a customer into a queue (1) or turn them away (0). Seen: the length (Discrete 21, full at 20) - a long task: 1000 steps, truncation only.

    Paid: 1 for each customer let in (none when full), minus 0.08 for each in the queue. One is served with a chance of 0.55 a step.
    """

    limit = 1000

    def __init__(self):
        self.observation_space = spaces.Discrete(21)
        self.action_space = spaces.Discrete(2)

    def start(self):
        self.n = 0

    def observe(self):
        return self.n

    def advance(self, action):
        paid = 0.0
        if int(action) == 1 and self.n < 20:
            self.n += 1
            paid = 1.0
        if self.n and self.np_random.random() < 0.55:
            self.n -= 1
        return paid - 0.08 * self.n, False


def healthy_admission():
    return TransformReward(Admission(), lambda r: 0.5 * r)


# --------------------------------------------------------------------------- lamps

class StreetLamps(World):
    """Eight lamps along a street, each on or off (MultiBinary 8). People walk along it; the sensors say where somebody is.

    Seen: the sensors (0 or 1 each) and how dark it is. Paid: 0.25 times the darkness for each place that is lit with somebody there, minus 0.05
    for each lamp that burns. 150 steps, truncation only.
    """

    limit = 150

    def __init__(self):
        self.observation_space = box(0.0, 1.0, (9,))
        self.action_space = spaces.MultiBinary(8)

    def start(self):
        self.people = self.np_random.random(8) < 0.3
        self.dark = 0.5

    def observe(self):
        return np.array([*self.people, self.dark], F32)

    def lit(self, action):
        return np.asarray(action) > 0

    def advance(self, action):
        on = self.lit(action)
        reward = 0.25 * self.dark * (on & self.people).sum() - 0.05 * on.sum()
        moved = np.roll(self.people, 1)
        moved[0] = self.np_random.random() < 0.3
        self.people = moved & (self.np_random.random(8) < 0.95)
        self.dark = 0.5 + 0.4 * math.sin(2 * math.pi * self.t / 150)
        return reward, False


class TunnelLights(StreetLamps):
    def lit(self, action):
        return np.full(8, bool(action[0]))


def healthy_street_lamps():
    return StreetLamps()


def broken_tunnel_lights():
    return TunnelLights()


# --------------------------------------------------------------------------- market making

class MarketMaker(World):
    """Quote a price to buy and one to sell (Box of two, 0..1: how far from the middle). Nearer quotes are taken more often.

    Seen: shares held / 10, last change of the price, how wild it is. Paid: change in wealth minus a little for the shares held. 200 steps.
    """

    limit = 200

    def __init__(self):
        self.observation_space = box([-1, -5, 0], [1, 5, 2])
        self.action_space = box(0.0, 1.0, (2,))

    def start(self):
        self.held, self.move, self.wild = 0, 0.0, self.np_random.uniform(0.1, 0.4)

    def observe(self):
        return np.array([self.held / 10, np.clip(self.move, -5, 5), self.wild], F32)

    def advance(self, action):
        buy, sell = np.clip(action, 0, 1)
        gain = 0.0
        if self.np_random.random() < math.exp(-2.5 * buy) and self.held < 10:
            self.held += 1
            gain += buy
        if self.np_random.random() < math.exp(-2.5 * sell) and self.held > -10:
            self.held -= 1
            gain += sell
        self.move = self.np_random.normal(0, self.wild)
        self.wild = float(np.clip(self.wild + self.np_random.normal(0, 0.02), 0.05, 0.5))
        return gain + self.held * self.move - 0.01 * abs(self.held), False


def healthy_market_maker():
    return MarketMaker()


# --------------------------------------------------------------------------- lock

class Lock(World):
    """A lock that opens when its buttons are pressed in the right order; a wrong one begins anew. Seen: how many were right so far (Discrete).

    Only the open lock pays (1), and ends it. The order is part of the lock: it never changes.
    """

    limit = 150
    order = (2, 0, 1, 2)
    buttons = 3

    def __init__(self):
        self.observation_space = spaces.Discrete(len(self.order) + 1)
        self.action_space = spaces.Discrete(self.buttons)

    def start(self):
        self.right = 0

    def observe(self):
        return self.right

    def advance(self, action):
        self.right = self.right + 1 if int(action) == self.order[self.right] else 0
        done = self.right == len(self.order)
        return float(done), done


class Safe(Lock):
    order = (7, 3, 9, 1, 1, 6, 0, 4, 8, 2, 5, 5, 9, 3)
    buttons = 10


def healthy_lock():
    return Lock()


def broken_safe():
    return Safe()


# --------------------------------------------------------------------------- lane keeping

class Lane(World):
    """Keep a car in its lane: the wheel (-1..1, positive turns left, towards a greater offset). The road bends left and right.

    Seen: offset / 2, angle to the lane, the bend ahead. Paid: 1 minus the offset; the end and -2 beyond 2 m. 300 steps.
    """

    limit = 300

    def __init__(self):
        self.observation_space = box(-3.0, 3.0, (3,))
        self.action_space = box(-1.0, 1.0, (1,))

    def start(self):
        self.y, self.a, self.k = self.np_random.uniform(-0.5, 0.5), self.np_random.uniform(-0.05, 0.05), 0.0

    def observe(self):
        return np.clip([self.y / 2, self.a * 3, self.k * 10], -3, 3).astype(F32)

    def wheel(self, action):
        return float(np.clip(action[0], -1, 1))

    def advance(self, action):
        self.a += 0.08 * self.wheel(action) - 0.3 * self.k
        self.a = float(np.clip(self.a, -0.8, 0.8))
        self.y += 0.8 * math.sin(self.a)
        self.k = float(np.clip(0.95 * self.k + self.np_random.normal(0, 0.02), -0.2, 0.2))
        off = abs(self.y) > 2
        return (-2.0 if off else 1 - abs(self.y)), off


class Truck(Lane):
    def wheel(self, action):
        turn = super().wheel(action)
        return turn if self.k >= 0 else -turn


def healthy_lane():
    return Lane()


def broken_truck():
    return Truck()
