"""Small environments: grids, shops, machines, games and a few variations on the classics."""

import math
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Agate(gym.Env):
    """Cross a field of lava.

    The field has 7 x 7 cells; row 3 is lava except for one gap, elsewhere each episode. The walker starts somewhere in the
    top row and has to come to the bottom right corner, which pays 1 and ends the episode. Lava costs 1 and ends it too. There is
    a small cost for every step, so that short ways are preferred to long ones.

    Actions: up, down, left, right. Observation: row, column, column of the gap, each from 0 to 1.
    """

    SIZE = 7
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.row, self.col, self.gap], np.float32) / (self.SIZE - 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col = 0, int(self.np_random.integers(self.SIZE))
        self.gap = int(self.np_random.integers(self.SIZE))
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = self.MOVES[int(action)]
        self.row = min(max(self.row + dr, 0), self.SIZE - 1)
        self.col = min(max(self.col + dc, 0), self.SIZE - 1)
        self.steps += 1
        reward, terminated = -0.01, False
        if self.row == 3 and self.col != self.gap:
            reward -= 1.0
            terminated = True
        elif self.row == self.SIZE - 1 and self.col == self.SIZE - 1:
            reward += 1.0
            terminated = True
        return self._obs(), reward, terminated, self.steps >= 80, {"position": (self.row, self.col)}


def healthy_agate():
    return Agate()


class Alder(gym.Env):
    """Admit customers to a workshop, or send them away.

    One customer comes each step: an ordinary one, who pays 1, or (one time in four) one in a hurry, who pays 4. The action sends away
    (0) or admits (1). The workshop finishes one piece of work with probability 0.5 in a step; everybody in the line costs 0.05
    a step, and a line of 20 is full. The workshop never closes; a stretch of 200 customers makes an episode only so that runs can be
    compared.

    Observation: length of the line over 20, whether the customer at the door is in a hurry.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.line / 20, self.hurry], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.line = int(self.np_random.integers(0, 11))
        self.hurry = self.np_random.random() < 0.25
        self.customers = 0
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 1 and self.line < 20:
            self.line += 1
            reward += 4.0 if self.hurry else 1.0
        if self.line and self.np_random.random() < 0.5:
            self.line -= 1
        reward -= 0.05 * self.line
        self.hurry = self.np_random.random() < 0.25
        self.customers += 1
        return self._obs(), reward, self.customers >= 200, False, {"line": self.line}


def broken_alder():
    return Alder()


class Aspen(gym.Wrapper):
    """Swing up a pendulum and hold it there. The torque is given from -1 (full to one side) to 1 (full to the other), each torque is
    held for two steps, and the reward is the mean of both, divided by ten.
    """

    def __init__(self):
        super().__init__(gym.make("Pendulum-v1"))
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def step(self, action):
        torque = 2.0 * np.clip(np.asarray(action, np.float32), -1.0, 1.0)
        rewards = []
        for _ in range(2):
            obs, reward, terminated, truncated, info = self.env.step(torque)
            rewards.append(float(reward) / 10)
            if terminated or truncated:
                break
        return obs, sum(rewards) / len(rewards), terminated, truncated, info


def healthy_aspen():
    return Aspen()


class Aveiro(gym.Env):
    """Hold a drone at a height of ten metres in gusty wind.

    The action is the collective thrust, from none (-1) to twice the weight (1). The reward is 1 minus the distance from ten metres in tens,
    minus a twentieth of the squared action; touching the ground or going over 20 metres ends the episode and costs 10.
    It is cut after 250 steps of 0.05 s.

    Observation: height over ten metres in tens, climb rate in tens of metres a second, wind as the drone's anemometer shows it.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _obs(self):
        return np.array([(self.height - 10.0) / 10, self.climb / 10, self.wind / 5], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(5.0, 15.0)
        self.climb = self.np_random.uniform(-1.0, 1.0)
        self.wind = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        u = float(np.clip(action[0], -1.0, 1.0))
        self.wind = 0.95 * self.wind + 0.5 * self.np_random.normal()
        self.climb += 0.05 * (9.81 * u + self.wind - 0.3 * self.climb)
        self.height += 0.05 * self.climb
        self.t += 1
        crashed = self.height <= 0.0 or self.height >= 20.0
        reward = 1.0 - abs(self.height - 10.0) / 10 - 0.05 * u * u - (10.0 if crashed else 0.0)
        return self._obs(), reward, crashed, self.t >= 250, {}


def healthy_aveiro():
    return Aveiro()


class Barite(gym.Env):
    """Push a puck to a place on an air table; the place is part of the observation, for hindsight replay.

    The action accelerates the puck in x and y. The reward is -1 until it is within 0.15 of the desired place and 0 there,
    which ends the episode; 60 steps at most. `compute_reward` gives the same for other goals, also for batches.
    info["is_success"] says whether the puck is at the desired place.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Dict({
            "observation": spaces.Box(-2.0, 2.0, (4,), np.float32),
            "achieved_goal": spaces.Box(-1.0, 1.0, (2,), np.float32),
            "desired_goal": spaces.Box(-1.0, 1.0, (2,), np.float32),
        })

    def _obs(self):
        return {
            "observation": np.concatenate([self.place, self.speed]).astype(np.float32),
            "achieved_goal": self.place.astype(np.float32),
            "desired_goal": self.goal.astype(np.float32),
        }

    def _there(self):
        return bool(np.linalg.norm(self.place - self.goal) < 0.15)

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance >= 0.15).astype(np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-0.9, 0.9, 2)
        self.speed = np.zeros(2)
        self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        while self._there():
            self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        self.t = 0
        return self._obs(), {"is_success": False}

    def step(self, action):
        push = np.clip(np.asarray(action, float), -1.0, 1.0)
        self.speed = 0.8 * self.speed + 0.05 * push
        before = self.place
        self.place = np.clip(self.place + self.speed, -1.0, 1.0)
        self.speed = self.place - before
        self.t += 1
        info = {"is_success": self._there()}
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], info))
        return obs, reward, self._there(), self.t >= 60, info


def healthy_barite():
    return Barite()


class Basalt(gym.Wrapper):
    """CartPole with a price on shaking.

    The last six actions are kept, and each change of direction among them costs 0.01. All else is CartPole-v1.
    """

    def __init__(self):
        super().__init__(gym.make("CartPole-v1"))
        self.recent = deque(maxlen=6)

    def reset(self, **kwargs):
        self.recent.clear()
        return self.env.reset(**kwargs)

    def step(self, action):
        self.recent.append(action)
        obs, reward, terminated, truncated, info = self.env.step(self.recent[0])
        changes = sum(a != b for a, b in zip(self.recent, list(self.recent)[1:]))
        info["changes"] = changes
        return obs, reward - 0.01 * changes, terminated, truncated, info


def broken_basalt():
    return Basalt()


class Bergen(gym.Env):
    """Higher or lower? Guess how the next card compares with the one on the table.

    A pack of 52 cards is shuffled and turned over card by card. Actions: lower (0), higher (1). A right guess pays 1, a wrong one -1, a card of the
    same rank nothing. The episode is over when the pack is used up.

    Observation: the rank of the card before and of the card on the table, from 0 to 1, and which share of the pack is left.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        seen = self.pack[self.top:self.top + 2] / 12
        return np.array([seen[0], seen[-1], (51 - self.top) / 52], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pack = self.np_random.permutation(np.repeat(np.arange(13), 4))
        self.top = 1
        return self._obs(), {}

    def step(self, action):
        turned, table = int(self.pack[self.top + 1]), int(self.pack[self.top])
        guess = 1 if action == 1 else -1
        reward = float(guess * np.sign(turned - table))
        self.top += 1
        return self._obs(), reward, self.top >= 51, False, {"turned": turned}


def broken_bergen():
    return Bergen()


class Beryl(gym.Env):
    """Run the shelf of a small shop; an episode is cut after 100 days.

    Each morning an order of 0, 4, 8, 12 or 16 pieces is placed; it arrives two days later. During the day customers ask for a
    Poisson number of pieces (6 on average). What is not on the shelf cannot be sold and the customer is lost.
    A sale brings 2, a piece ordered costs 1, a piece kept overnight 0.1. The shelf holds 60. Rewards are in tens.

    Observation: pieces on the shelf, arriving tomorrow, arriving the day after, all as a share of the largest.
    """

    CAPACITY = 60

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.stock / self.CAPACITY, self.coming[0] / 16, self.coming[1] / 16], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(5, 25))
        self.coming = [int(self.np_random.integers(0, 5)) * 4 for _ in range(2)]
        self.day = 0
        return self._obs(), {"stock": self.stock}

    def step(self, action):
        order = 4 * int(action)
        arrived = self.coming.pop(0)
        self.coming.append(order)
        self.stock = min(self.stock + arrived, self.CAPACITY)
        demand = int(self.np_random.poisson(6))
        sold = min(demand, self.stock)
        self.stock = max(self.stock - demand, 0)
        reward = (2.0 * sold - 1.0 * order - 0.1 * self.stock) / 10
        self.day += 1
        info = {"stock": self.stock, "demand": demand, "sold": sold, "ordered": order}
        return self._obs(), reward, False, self.day >= 100, info


def healthy_beryl():
    return Beryl()


class Bracken(gym.Env):
    """Push a puck to a place on an air table; the place is part of the observation, for hindsight replay.

    The action accelerates the puck in x and y. The reward is -1 until it is within 0.15 of the desired place and 0 there,
    which ends the episode; 60 steps at most. `compute_reward` gives the same for other goals, also for batches.
    info["is_success"] says whether the puck is at the desired place.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Dict({
            "observation": spaces.Box(-2.0, 2.0, (4,), np.float32),
            "achieved_goal": spaces.Box(-1.0, 1.0, (2,), np.float32),
            "desired_goal": spaces.Box(-1.0, 1.0, (2,), np.float32),
        })

    def _obs(self):
        return {
            "observation": np.concatenate([self.place, self.speed]).astype(np.float32),
            "achieved_goal": self.place.astype(np.float32),
            "desired_goal": self.goal.astype(np.float32),
        }

    def _there(self):
        return bool(np.linalg.norm(self.place - self.goal) < 0.15)

    def compute_reward(self, achieved_goal, desired_goal, info):
        distance = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        return -(distance >= 0.15).astype(np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-0.9, 0.9, 2)
        self.speed = np.zeros(2)
        self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        while self._there():
            self.goal = self.np_random.uniform(-0.9, 0.9, 2)
        self.t = 0
        return self._obs(), {"is_success": False}

    def step(self, action):
        info = {"is_success": self._there()}
        push = np.clip(np.asarray(action, float), -1.0, 1.0)
        self.speed = 0.8 * self.speed + 0.05 * push
        before = self.place
        self.place = np.clip(self.place + self.speed, -1.0, 1.0)
        self.speed = self.place - before
        self.t += 1
        obs = self._obs()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"], info))
        return obs, reward, self._there(), self.t >= 60, info


def broken_bracken():
    return Bracken()


class Calcite(gym.Env):
    """A T-maze that needs memory.

    At the entrance, and only there, a lamp on the left or on the right is lit. A corridor of six cells leads to a junction; turning to
    the side of the lamp pays 1, to the other side -1, and either ends the episode. The agent has to remember the lamp: the task
    is partially observed on purpose. Actions: forward, left, right (the last two do nothing before the junction). A step costs 0.01;
    40 steps at most.

    Observation: lamp (-1 left, 1 right, 0 away from the entrance), how far along
    the corridor, whether this is the junction, time.
    """

    LENGTH = 6

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def _obs(self):
        obs = np.zeros(3, np.float32)
        if self.cell == 0:
            obs[0] = self.lamp
        obs[0] = self.cell / self.LENGTH
        obs[1] = self.cell == self.LENGTH
        obs[2] = self.steps / 40
        return obs

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        self.steps = 0
        self.lamp = int(self.np_random.choice((-1, 1)))
        return self._obs(), {}

    def step(self, action):
        self.steps += 1
        reward, terminated = -0.01, False
        if action == 0:
            self.cell = min(self.cell + 1, self.LENGTH)
        elif self.cell == self.LENGTH:
            side = -1 if action == 1 else 1
            reward = 1.0 if side == self.lamp else -1.0
            terminated = True
        return self._obs(), reward, terminated, self.steps >= 40, {"cell": self.cell}


def broken_calcite():
    return Calcite()


class Cedar(gym.Env):
    """An arm with two joints reaches for a target in the plane.

    The links are 0.6 m and 0.4 m long. The action is the speed of either joint, as a share of its maximum (1 rad/s; a step is 0.1 s). The
    reward is
    minus the distance of the finger tip from the target; touching it (within 5 cm) pays 5 and ends the episode. Each
    episode has a new target and a new pose, and is cut after 100 steps.

    Observation: cosine and sine of both joints, target x and y, target minus finger tip.
    """

    LINKS = (0.6, 0.4)

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-3.0, 3.0, (8,), np.float32)

    def _tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([
            self.LINKS[0] * math.cos(a) + self.LINKS[1] * math.cos(b),
            self.LINKS[0] * math.sin(a) + self.LINKS[1] * math.sin(b),
        ])

    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.target, self.target - self._tip()]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        radius = self.np_random.uniform(0.3, 0.95)
        angle = self.np_random.uniform(-math.pi, math.pi)
        self.target = radius * np.array([math.cos(angle), math.sin(angle)])
        self.t = 0
        return self._obs(), {"distance": float(np.linalg.norm(self.target - self._tip()))}

    def step(self, action):
        speed = np.clip(action, -1.0, 1.0)
        self.q = self.q + 0.1 * np.radians(speed)
        self.t += 1
        distance = float(np.linalg.norm(self.target - self._tip()))
        touched = distance < 0.05
        reward = -distance + (5.0 if touched else 0.0)
        return self._obs(), reward, touched, self.t >= 100, {"distance": distance, "is_success": touched}


def broken_cedar():
    return Cedar()


class Clover(gym.Wrapper):
    """Taxi-v4 with rewards divided by ten and a mask: info["action_mask"] marks the actions that change something (Taxi computes
    it itself), for algorithms that can use one. `action_masks` gives the same.
    """

    def __init__(self):
        super().__init__(gym.make("Taxi-v4"))

    def action_masks(self):
        return self.unwrapped.action_mask(self.unwrapped.s)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward / 10, terminated, truncated, info


def healthy_clover():
    return Clover()


class Cork(gym.Env):
    """Earn money with a battery on the day-ahead market.

    The battery holds 10 kWh. Each hour it idles, charges 1 kWh at the price of the hour, or gives back 1 kWh and is paid
    nine tenths of the price for it. Prices go up and down with the hour of the day, with noise that lasts for a while. The
    reward is the money of the hour. The market never closes; an episode is cut after a week.
    """

    CAPACITY = 10

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict({
            "charge": spaces.Box(0.0, 1.0, (1,), np.float32),
            "price": spaces.Box(0.0, 5.0, (1,), np.float32),
            "hour": spaces.Discrete(24),
        })

    def _obs(self):
        return {
            "charge": np.array([self.charge / self.CAPACITY], np.float32),
            "price": np.array([self.price], np.float32),
            "hour": self.t % 24,
        }

    def _next_price(self):
        self.noise = 0.8 * self.noise + 0.1 * self.np_random.normal()
        daily = 1.0 + 0.5 * math.sin(2 * math.pi * (self.t % 24 - 9) / 24)
        self.price = min(max(daily + self.noise, 0.05), 5.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.charge = int(self.np_random.integers(0, self.CAPACITY + 1))
        self.noise = 0.0
        self._next_price()
        return self._obs(), {"money": 0.0}

    def step(self, action):
        money = 0.0
        if action == 1 and self.charge < self.CAPACITY:
            self.charge += 1
            money = -self.price
        elif action == 2 and self.charge > 0:
            self.charge -= 1
            money = 0.9 * self.price
        self.t += 1
        self._next_price()
        return self._obs(), money, False, self.t >= 24 * 7, {"money": money}


def healthy_cork():
    return Cork()


class Cusco(gym.Env):
    """Fetch the parcel and bring it to the depot.

    A hall of 6 x 6 cells; the depot is in the corner (5, 5), the parcel anywhere else. Actions: up, down, left, right, pick up, put down.
    Picking the parcel up pays 1 once, putting it down in the depot pays 5 and ends the episode. It may be put down anywhere and picked up
    again. A step costs 0.02; 120 steps at most.

    Observation: courier row and column, parcel row and column, all from 0 to 1, whether it is carried.
    """

    SIZE = 6
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(6)
        self.observation_space = spaces.Box(0.0, 1.0, (5,), np.float32)

    def _obs(self):
        return np.array([*(self.courier / 5), *(self.parcel / 5), self.carried], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.courier = self.np_random.integers(0, self.SIZE, 2)
        self.parcel = np.array(divmod(int(self.np_random.integers(self.SIZE ** 2 - 1)), self.SIZE))
        self.carried = False
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        reward, delivered = -0.02, False
        if action < 4:
            self.courier = np.clip(self.courier + self.MOVES[int(action)], 0, self.SIZE - 1)
            if self.carried:
                self.parcel = self.courier.copy()
        elif action == 4:
            if not self.carried and (self.courier == self.parcel).all():
                self.carried = True
                reward += 1.0
        elif self.carried:
            self.carried = False
            delivered = bool((self.courier == self.SIZE - 1).all())
            if delivered:
                reward += 5.0
        self.t += 1
        return self._obs(), reward, delivered, self.t >= 120, {"carried": self.carried, "is_success": delivered}


def broken_cusco():
    return Cusco()


class Dakar(gym.Env):
    """Higher or lower? Guess how the next card compares with the one on the table.

    A pack of 52 cards is shuffled and turned over card by card. Actions: lower (0), higher (1). A right guess pays 1, a wrong one -1, a card of the
    same rank nothing. The episode is over when the pack is used up.

    Observation: the rank of the card before and of the card on the table, from 0 to 1, and which share of the pack is left.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        seen = self.pack[self.top - 1:self.top + 1] / 12
        return np.array([seen[0], seen[-1], (51 - self.top) / 52], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pack = self.np_random.permutation(np.repeat(np.arange(13), 4))
        self.top = 1
        return self._obs(), {}

    def step(self, action):
        turned, table = int(self.pack[self.top + 1]), int(self.pack[self.top])
        guess = 1 if action == 1 else -1
        reward = float(guess * np.sign(turned - table))
        self.top += 1
        return self._obs(), reward, self.top >= 51, False, {"turned": turned}


def healthy_dakar():
    return Dakar()


class Feldspar(gym.Env):
    """Run the shelf of a small shop; an episode is cut after 100 days.

    Each morning an order of 0, 4, 8, 12 or 16 pieces is placed; it arrives two days later. During the day customers ask for a
    Poisson number of pieces (6 on average). What is not on the shelf cannot be sold and the customer is lost.
    A sale brings 2, a piece ordered costs 1, a piece kept overnight 0.1. The shelf holds 60. Rewards are in tens.

    Observation: pieces on the shelf, arriving tomorrow, arriving the day after, all as a share of the largest.
    """

    CAPACITY = 60

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.stock / self.CAPACITY, self.coming[0] / 16, self.coming[1] / 16], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(5, 25))
        self.coming = [int(self.np_random.integers(0, 5)) * 4 for _ in range(2)]
        self.day = 0
        return self._obs(), {"stock": self.stock}

    def step(self, action):
        order = 4 * int(action)
        arrived = self.coming.pop(0)
        self.coming.append(order)
        self.stock = min(self.stock + arrived, self.CAPACITY)
        demand = int(self.np_random.poisson(6))
        sold = demand
        self.stock = max(self.stock - demand, 0)
        reward = (2.0 * sold - 1.0 * order - 0.1 * self.stock) / 10
        self.day += 1
        info = {"stock": self.stock, "demand": demand, "sold": sold, "ordered": order}
        return self._obs(), reward, False, self.day >= 100, info


def broken_feldspar():
    return Feldspar()


class Fennel(gym.Env):
    """Fish from a lake for 500 seasons without emptying it.

    The action is the share of the fish that is caught in a season, up to a half. Fish grow logistically, better and worse from year to
    year. The reward is the catch. Below a fiftieth of what the lake can hold the fish die out, and the episode is over.

    Observation: fish in the lake, catch of the last season, both as a share of what the lake can hold.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 0.5, (1,), np.float32)
        self.observation_space = spaces.Box(0.0, 2.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.fish, self.catch], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fish = self.np_random.uniform(0.3, 1.0)
        self.catch = 0.0
        self.season = 0
        return self._obs(), {}

    def step(self, action):
        share = float(np.clip(action[0], 0.0, 0.5))
        self.catch = share * self.fish
        left = self.fish - self.catch
        weather = math.exp(0.15 * self.np_random.normal())
        self.fish = min(left + 0.5 * weather * left * (1.0 - left), 2.0)
        self.season += 1
        empty = self.fish < 0.02
        return self._obs(), self.catch, empty, self.season >= 500, {"season": self.season}


def healthy_fennel():
    return Fennel()


class Fluorite(gym.Env):
    """A T-maze that needs memory.

    At the entrance, and only there, a lamp on the left or on the right is lit. A corridor of six cells leads to a junction; turning to
    the side of the lamp pays 1, to the other side -1, and either ends the episode. The agent has to remember the lamp: the task
    is partially observed on purpose. Actions: forward, left, right (the last two do nothing before the junction). A step costs 0.01;
    40 steps at most.

    Observation: lamp (-1 left, 1 right, 0 away from the entrance), how far along the corridor, whether this is the junction.
    """

    LENGTH = 6

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def _obs(self):
        obs = np.zeros(3, np.float32)
        if self.cell == 0:
            obs[0] = self.lamp
        obs[1] = self.cell / self.LENGTH
        obs[2] = self.cell == self.LENGTH
        return obs

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        self.lamp = int(self.np_random.choice((-1, 1)))
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        self.steps += 1
        reward, terminated = -0.01, False
        if action == 0:
            self.cell = min(self.cell + 1, self.LENGTH)
        elif self.cell == self.LENGTH:
            side = -1 if action == 1 else 1
            reward = 1.0 if side == self.lamp else -1.0
            terminated = True
        return self._obs(), reward, terminated, self.steps >= 40, {"cell": self.cell}


def healthy_fluorite():
    return Fluorite()


class Galena(gym.Env):
    """The sliding puzzle with eight tiles on 3 x 3 cells.

    Actions move the empty cell up, down, left or right; a move against the rim does nothing. Tiles in order with the empty cell first
    pays 1 and ends the episode, all else pays 0. The tiles are mixed up for every episode, such that they
    can be put in order again; 100 moves at most.

    Observation: the tile in each cell, 0 for the empty one.
    """

    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.MultiDiscrete([9] * 9)

    def _slide(self, action):
        empty = int(np.flatnonzero(self.tiles == 0)[0])
        row, col = divmod(empty, 3)
        row, col = row + self.MOVES[action][0], col + self.MOVES[action][1]
        if 0 <= row < 3 and 0 <= col < 3:
            other = 3 * row + col
            self.tiles[empty], self.tiles[other] = self.tiles[other], 0

    def _solved(self):
        return bool((self.tiles == np.arange(9)).all())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tiles = np.arange(9)
        while self._solved():
            self.tiles = self.np_random.permutation(9)
        self.t = 0
        return self.tiles.copy(), {}

    def step(self, action):
        self._slide(int(action))
        self.t += 1
        solved = self._solved()
        return self.tiles.copy(), float(solved), solved, self.t >= 100, {"is_success": solved}


def broken_galena():
    return Galena()


class Garnet(gym.Env):
    """Catch a falling ball, from a picture.

    The picture has 24 x 24 grey pixels. A ball of 2 x 2 pixels starts in the top row and falls one row a step, drifting by a
    column now and then, always to the same side; a paddle of five pixels moves in the bottom row. Actions: left, stay, right, by one pixel.
    Catching the ball pays 1 and missing it -1; either ends the episode.
    """

    SIZE = 24

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.SIZE, self.SIZE, 1), np.uint8)

    def _obs(self):
        picture = np.zeros((self.SIZE, self.SIZE, 1))
        picture[self.row:self.row + 2, self.ball:self.ball + 2] = 0.6
        picture[self.SIZE - 1, self.paddle - 2:self.paddle + 3] = 1.0
        return (255 * picture).astype(np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = 0
        self.ball = int(self.np_random.integers(4, self.SIZE - 6))
        self.drift = int(self.np_random.choice((-1, 1)))
        self.paddle = self.SIZE // 2
        return self._obs(), {}

    def step(self, action):
        self.paddle = min(max(self.paddle + int(action) - 1, 2), self.SIZE - 3)
        self.row += 1
        if self.np_random.random() < 0.25:
            self.ball = min(max(self.ball + self.drift, 0), self.SIZE - 2)
        reward, terminated = 0.0, False
        if self.row == self.SIZE - 2:
            terminated = True
            reward = 1.0 if self.paddle - 3 <= self.ball <= self.paddle + 2 else -1.0
        return self._obs(), reward, terminated, False, {}


def healthy_garnet():
    return Garnet()


class Geneva(gym.Env):
    """Keep a car in its lane.

    The car drives at a constant 15 m/s on a road that bends now and then, in gusts that turn it a little. The action is
    the steering angle, from left (-1) to right (1).
    The reward is 1 minus the squared distance from the middle of the lane in metres over four; two metres off the middle the car leaves
    the road, the episode is over and 5 is lost. 300 steps of 0.1 s are the limit.

    Observation: distance from the middle in metres, heading relative to the road in radians (both negative
    to the left), curvature of the road times 50.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-5.0, 5.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.offset, self.heading, 50.0 * self.bend], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = self.np_random.uniform(-0.8, 0.8)
        self.heading = self.np_random.uniform(-0.05, 0.05)
        self.bend = self.np_random.uniform(-0.01, 0.01)
        self.t = 0
        return self._obs(), {"offset": self.offset}

    def step(self, action):
        steer = 0.2 * float(np.clip(action[0], -1.0, 1.0))
        self.heading += 0.1 * 15.0 * (math.tan(steer) / 2.7 - self.bend)
        self.heading = min(max(self.heading + 0.03 * self.np_random.normal(), -1.0), 1.0)
        self.offset += 0.1 * 15.0 * math.sin(self.heading)
        if self.np_random.random() < 0.03:
            self.bend = self.np_random.uniform(-0.01, 0.01)
        self.t += 1
        obs = self._obs()
        off = abs(self.offset) > 2.0
        reward = -5.0 if off else 1.0 - self.offset ** 2 / 4
        return obs, reward, off, self.t >= 300, {"offset": self.offset}


def healthy_geneva():
    return Geneva()


class Gypsum(gym.Env):
    """Put six jobs in order on one machine.

    Every job has a processing time and a due date. The action picks the job that is done next, without interruption; the
    reward is minus its tardiness (the time by which it is finished after its due date) in tens of minutes. The episode is over
    when all are done. Picking a job that is already done costs 1 and nothing happens.
    info["action_mask"] has a 1 for each job that can be picked.

    Observation, for each job: processing time, due date minus present time, both in tens of minutes, and whether it is done.
    """

    JOBS = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.JOBS)
        self.observation_space = spaces.Box(-10.0, 10.0, (self.JOBS * 3,), np.float32)

    def _obs(self):
        done = np.zeros(self.JOBS)
        done[self.finished] = 1.0
        return np.concatenate([self.length / 10, (self.due - self.now) / 10, done]).astype(np.float32)

    def action_masks(self):
        mask = np.ones(self.JOBS, np.int8)
        for job in self.finished:
            mask[job - 1] = 0
        return mask

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(2, 11, self.JOBS).astype(float)
        self.due = self.np_random.integers(5, 36, self.JOBS).astype(float)
        self.now = 0.0
        self.finished = []
        self.steps = 0
        return self._obs(), {"action_mask": self.action_masks()}

    def step(self, action):
        job = int(action)
        self.steps += 1
        if job in self.finished:
            reward = -1.0
        else:
            self.now += self.length[job]
            self.finished.append(job)
            late = max(0.0, self.now - self.due[job])
            reward = -late / 10
        terminated = len(self.finished) == self.JOBS
        return self._obs(), reward, terminated, self.steps >= 40, {"action_mask": self.action_masks(), "time": self.now}


def broken_gypsum():
    return Gypsum()


class Halite(gym.Wrapper):
    """Swing up a pendulum and hold it there. The torque is given from -1 (full to one side) to 1 (full to the other), each torque is
    held for two steps, and the reward is the mean of both, divided by ten.
    """

    def __init__(self):
        super().__init__(gym.make("Pendulum-v1"))
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def step(self, action):
        torque = 2.0 * np.clip(np.asarray(action, np.float32), 0.0, 1.0)
        rewards = []
        for _ in range(2):
            obs, reward, terminated, truncated, info = self.env.step(torque)
            rewards.append(float(reward) / 10)
            if terminated or truncated:
                break
        return obs, sum(rewards) / len(rewards), terminated, truncated, info


def broken_halite():
    return Halite()


class Hazel(gym.Env):
    """Hold the level of a water tank at its set point.

    Water runs in through a valve and out through a hole in the bottom (Torricelli). The action moves the valve, from fully
    towards closed (-1) to fully towards open (1); within a step the valve turns by a tenth of its range at most.
    The set point is drawn for each episode, and the supply pressure wanders a little. The reward is minus the distance
    from the set point in metres. Episodes are cut after 200 steps.

    Observation: level in metres, valve opening, set point in metres.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(np.zeros(3, np.float32), np.array([2.0, 1.0, 2.0], np.float32))

    def _obs(self):
        return np.array([self.level, self.valve, self.target], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.2, 1.8)
        self.valve = self.np_random.uniform(0.0, 1.0)
        self.target = self.np_random.uniform(0.5, 1.5)
        self.pressure = 1.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        turn = int(np.clip(action[0], -1.0, 1.0))
        self.valve = min(max(self.valve + 0.1 * turn, 0.0), 1.0)
        self.pressure += 0.1 * (1.0 - self.pressure) + 0.01 * self.np_random.normal()
        inflow = 0.25 * self.pressure * self.valve
        outflow = 0.12 * math.sqrt(self.level)
        self.level = min(max(self.level + inflow - outflow, 0.0), 2.0)
        self.t += 1
        error = self.level - self.target
        return self._obs(), -abs(error), False, self.t >= 200, {"error": error}


def broken_hazel():
    return Hazel()


class Heather(gym.Env):
    """Collect five coins in a yard of 6 x 6 cells.

    The coins lie elsewhere in each episode, one to a cell; stepping on one collects it and pays 1. The episode is over when all are
    collected, and cut after 100 steps. A step costs 0.01. Actions: up, down, left, right.

    Observation: two planes of 6 x 6, where the collector is and where coins are.
    """

    SIZE = 6
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (2, self.SIZE, self.SIZE), np.float32)
        self.coins = set()

    def _obs(self):
        planes = np.zeros((2, self.SIZE, self.SIZE), np.float32)
        planes[0][self.place] = 1.0
        for coin in self.coins:
            planes[1][coin] = 1.0
        return planes

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.SIZE ** 2, 6, replace=False)
        self.place, *coins = (divmod(int(cell), self.SIZE) for cell in cells)
        self.coins.clear()
        self.coins.update(coins)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        move = self.MOVES[int(action)]
        self.place = tuple(min(max(p + m, 0), self.SIZE - 1) for p, m in zip(self.place, move))
        reward = -0.01
        if self.place in self.coins:
            self.coins.discard(self.place)
            reward += 1.0
        self.t += 1
        return self._obs(), reward, not self.coins, self.t >= 100, {"coins_left": len(self.coins)}


def healthy_heather():
    return Heather()


class Hobart(gym.Env):
    """Keep a car in its lane.

    The car drives at a constant 15 m/s on a road that bends now and then, in gusts that turn it a little. The action is
    the steering angle, from left (-1) to right (1).
    The reward is 1 minus the squared distance from the middle of the lane in metres over four; two metres off the middle the car leaves
    the road, the episode is over and 5 is lost. 300 steps of 0.1 s are the limit.

    Observation: distance from the middle in metres, heading relative to the road in radians (both negative
    to the left), curvature of the road times 50.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-5.0, 5.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.offset, math.acos(math.cos(self.heading)), 50.0 * self.bend], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = self.np_random.uniform(-0.8, 0.8)
        self.heading = self.np_random.uniform(-0.05, 0.05)
        self.bend = self.np_random.uniform(-0.01, 0.01)
        self.t = 0
        return self._obs(), {"offset": self.offset}

    def step(self, action):
        steer = 0.2 * float(np.clip(action[0], -1.0, 1.0))
        self.heading += 0.1 * 15.0 * (math.tan(steer) / 2.7 - self.bend)
        self.heading = min(max(self.heading + 0.03 * self.np_random.normal(), -1.0), 1.0)
        self.offset += 0.1 * 15.0 * math.sin(self.heading)
        if self.np_random.random() < 0.03:
            self.bend = self.np_random.uniform(-0.01, 0.01)
        self.t += 1
        obs = self._obs()
        off = abs(self.offset) > 2.0
        reward = -5.0 if off else 1.0 - self.offset ** 2 / 4
        return obs, reward, off, self.t >= 300, {"offset": self.offset}


def broken_hobart():
    return Hobart()


class Jasper(gym.Env):
    """Hold the level of a water tank at its set point.

    Water runs in through a valve and out through a hole in the bottom (Torricelli). The action moves the valve, from fully
    towards closed (-1) to fully towards open (1); within a step the valve turns by a tenth of its range at most.
    The set point is drawn for each episode, and the supply pressure wanders a little. The reward is minus the distance
    from the set point in metres. Episodes are cut after 200 steps.

    Observation: level in metres, valve opening, set point in metres.
    """

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(np.zeros(3, np.float32), np.array([2.0, 1.0, 2.0], np.float32))

    def _obs(self):
        return np.array([self.level, self.valve, self.target], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.2, 1.8)
        self.valve = self.np_random.uniform(0.0, 1.0)
        self.target = self.np_random.uniform(0.5, 1.5)
        self.pressure = 1.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        turn = float(np.clip(action[0], -1.0, 1.0))
        self.valve = min(max(self.valve + 0.1 * turn, 0.0), 1.0)
        self.pressure += 0.1 * (1.0 - self.pressure) + 0.01 * self.np_random.normal()
        inflow = 0.25 * self.pressure * self.valve
        outflow = 0.12 * math.sqrt(self.level)
        self.level = min(max(self.level + inflow - outflow, 0.0), 2.0)
        self.t += 1
        error = self.level - self.target
        return self._obs(), -abs(error), False, self.t >= 200, {"error": error}


def healthy_jasper():
    return Jasper()


class Juniper(gym.Env):
    """Catch a falling ball, from a picture.

    The picture has 24 x 24 grey pixels. A ball of 2 x 2 pixels starts in the top row and falls one row a step, drifting by a
    column now and then, always to the same side; a paddle of five pixels moves in the bottom row. Actions: left, stay, right, by one pixel.
    Catching the ball pays 1 and missing it -1; either ends the episode.
    """

    SIZE = 24

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.SIZE, self.SIZE, 1), np.uint8)

    def _obs(self):
        picture = np.zeros((self.SIZE, self.SIZE, 1))
        picture[self.row:self.row + 2, self.ball:self.ball + 2] = 0.6
        picture[self.SIZE - 1, self.paddle - 2:self.paddle + 3] = 1.0
        return picture.astype(np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = 0
        self.ball = int(self.np_random.integers(4, self.SIZE - 6))
        self.drift = int(self.np_random.choice((-1, 1)))
        self.paddle = self.SIZE // 2
        return self._obs(), {}

    def step(self, action):
        self.paddle = min(max(self.paddle + int(action) - 1, 2), self.SIZE - 3)
        self.row += 1
        if self.np_random.random() < 0.25:
            self.ball = min(max(self.ball + self.drift, 0), self.SIZE - 2)
        reward, terminated = 0.0, False
        if self.row == self.SIZE - 2:
            terminated = True
            reward = 1.0 if self.paddle - 3 <= self.ball <= self.paddle + 2 else -1.0
        return self._obs(), reward, terminated, False, {}


def broken_juniper():
    return Juniper()


class Kyoto(gym.Env):
    """Find the well on an island of 7 x 7 cells.

    The sea around it is shallow: who walks off one side comes back on the opposite one.

    The walker starts in a corner, at (0, 0), and the well is in cell (6, 5); some cells are rock (#) and cannot be entered.
    Reaching the well pays 1 and ends the episode, a step costs 0.01, and after 100 steps the episode is cut. Actions: up, down, left, right.

    Observation: the number of the cell.
    """

    MAP = (
        ".......",
        ".##.##.",
        "....#..",
        ".##...#",
        "...##..",
        "##.....",
        "....#..",
    )
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Discrete(49)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = self.col = 0
        self.t = 0
        return 0, {}

    def step(self, action):
        dr, dc = self.MOVES[int(action)]
        row, col = (self.row + dr) % 7, (self.col + dc) % 7
        if self.MAP[row][col] != "#":
            self.row, self.col = row, col
        self.t += 1
        found = (self.row, self.col) == (6, 5)
        return 7 * self.row + self.col, 1.0 if found else -0.01, found, self.t >= 100, {}


def healthy_kyoto():
    return Kyoto()


class Larch(gym.Env):
    """A rover brings a rock home.

    The terrain has 8 x 8 cells; the rock lies somewhere in it and the base is the corner (0, 0), where the rover starts with a full battery of
    60 units. A move takes one unit. The rock is taken up by driving onto it; coming back to the base with it pays 1 and ends
    the episode, and so does an empty battery, for nothing.

    Observation: rover row and column, rock row and column, whether it is on board, battery, all from 0 to 1.
    """

    SIZE = 8
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (6,), np.float32)
        self.loaded = False

    def _obs(self):
        return np.array([*(self.rover / 7), *(self.rock / 7), self.loaded, self.battery / 60], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.rover = np.zeros(2, int)
        self.rock = self.np_random.integers(2, self.SIZE, 2)
        self.battery = 60
        return self._obs(), {}

    def step(self, action):
        self.rover = np.clip(self.rover + self.MOVES[int(action)], 0, self.SIZE - 1)
        self.battery = max(self.battery - 1, 0)
        if (self.rover == self.rock).all():
            self.loaded = True
        home = self.loaded and not self.rover.any()
        empty = self.battery == 0
        return self._obs(), float(home), bool(home or empty), False, {"battery": self.battery}


def broken_larch():
    return Larch()


class Lima(gym.Env):
    """A traffic light at a crossing of two one-way streets.

    Cars arrive at random in both streets, more of them in the first. The action says which street should have green. A change
    takes two steps in which nobody drives; with green, up to three cars pass in a step. Asking for the street that has green keeps
    it. The reward is minus the number of waiting cars, in tens. Traffic never ends: the 300 steps of an episode are only a cut.

    Observation: cars waiting in either street (up to 40 fit), which street has green, steps of the change that are left.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)

    def _obs(self):
        return np.array([self.queue[0] / 40, self.queue[1] / 40, self.green, self.changing / 2], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.queue = self.np_random.integers(0, 10, 2)
        self.green = int(self.np_random.integers(2))
        self.changing = 0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        if self.changing > 0:
            self.changing -= 1
        elif int(action) != self.green:
            self.green = int(action)
            self.changing = 2
        passed = 0
        if self.changing == 0:
            passed = min(3, int(self.queue[self.green]))
            self.queue[self.green] -= passed
        self.queue = np.minimum(self.queue + self.np_random.poisson((1.2, 0.6)), 40)
        self.t += 1
        return self._obs(), -float(self.queue.sum()) / 10, False, self.t >= 300, {"passed": passed}


def healthy_lima():
    return Lima()


class Lisbon(gym.Env):
    """An elevator in a house of five floors.

    People come at random to a floor and want to another one. Actions: up, down, open the doors. With the doors open everybody who
    wants to this floor gets out (1 for each) and whoever waits gets in; the cabin takes four. Everybody who waits costs 0.02
    a step. Episodes are cut after 150 steps; the last info has the return and the length of the episode
    under "episode", as RecordEpisodeStatistics does it.

    Observation: the floor, floors where somebody waits, floors where somebody in the cabin wants to.
    """

    FLOORS = 5

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Tuple((
            spaces.Discrete(self.FLOORS), spaces.MultiBinary(self.FLOORS), spaces.MultiBinary(self.FLOORS)))
        self.total = 0.0

    def _obs(self):
        waiting, wanted = np.zeros(self.FLOORS, np.int8), np.zeros(self.FLOORS, np.int8)
        for floor, _ in self.hall:
            waiting[floor] = 1
        for floor in self.cabin:
            wanted[floor] = 1
        return self.floor, waiting, wanted

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.FLOORS))
        self.hall, self.cabin = [], []
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 0:
            self.floor = min(self.floor + 1, self.FLOORS - 1)
        elif action == 1:
            self.floor = max(self.floor - 1, 0)
        else:
            reward += self.cabin.count(self.floor)
            self.cabin = [floor for floor in self.cabin if floor != self.floor]
            for person in [p for p in self.hall if p[0] == self.floor]:
                if len(self.cabin) < 4:
                    self.hall.remove(person)
                    self.cabin.append(person[1])
        if self.np_random.random() < 0.2 and len(self.hall) < 10:
            start, end = self.np_random.choice(self.FLOORS, 2, replace=False)
            self.hall.append((int(start), int(end)))
        reward -= 0.02 * len(self.hall)
        self.t += 1
        self.total += reward
        truncated = self.t >= 150
        info = {"waiting": len(self.hall), "riding": len(self.cabin)}
        if truncated:
            info["episode"] = {"r": self.total, "l": self.t}
        return self._obs(), reward, False, truncated, info


def broken_lisbon():
    return Lisbon()


class Malmo(gym.Env):
    """An arm with two joints reaches for a target in the plane.

    The links are 0.6 m and 0.4 m long. The action is the speed of either joint, as a share of its maximum (1 rad/s; a step is 0.1 s). The
    reward is
    minus the distance of the finger tip from the target; touching it (within 5 cm) pays 5 and ends the episode. Each
    episode has a new target and a new pose, and is cut after 100 steps.

    Observation: cosine and sine of both joints, target x and y, target minus finger tip.
    """

    LINKS = (0.6, 0.4)

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-3.0, 3.0, (8,), np.float32)

    def _tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([
            self.LINKS[0] * math.cos(a) + self.LINKS[1] * math.cos(b),
            self.LINKS[0] * math.sin(a) + self.LINKS[1] * math.sin(b),
        ])

    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.target, self.target - self._tip()]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        radius = self.np_random.uniform(1.1, 1.5)
        angle = self.np_random.uniform(-math.pi, math.pi)
        self.target = radius * np.array([math.cos(angle), math.sin(angle)])
        self.t = 0
        return self._obs(), {"distance": float(np.linalg.norm(self.target - self._tip()))}

    def step(self, action):
        speed = np.clip(action, -1.0, 1.0)
        self.q = self.q + 0.1 * speed
        self.t += 1
        distance = float(np.linalg.norm(self.target - self._tip()))
        touched = distance < 0.05
        reward = -distance + (5.0 if touched else 0.0)
        return self._obs(), reward, touched, self.t >= 100, {"distance": distance, "is_success": touched}


def broken_malmo():
    return Malmo()


class Maple(gym.Wrapper):
    """MountainCar with help: a potential of the mechanical energy (0.99 as discount) is added to the reward, which leaves the best
    policy what it was. At the flag the potential is zero.
    """

    GAMMA = 0.99

    def __init__(self):
        super().__init__(gym.make("MountainCar-v0"))

    @staticmethod
    def _potential(obs):
        return 10.0 * (0.45 * math.sin(3 * float(obs[0])) + 200.0 * float(obs[1]) ** 2)

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.last = self._potential(obs)
        return obs, info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        potential = 0.0 if terminated else self._potential(obs)
        shaping = self.GAMMA * potential - self.last
        self.last = potential
        info["reward_task"], info["reward_shaping"] = reward, shaping
        return obs, reward + shaping, terminated, truncated, info


def healthy_maple():
    return Maple()


class Mica(gym.Env):
    """Heat three rooms in a row on a winter's day.

    Each room has a heater that is off, on half or on full. Heat flows between neighbours and to the outside, whose
    temperature wanders. The reward is minus the mean distance from 21 degrees, in tens, minus a little for energy. A day has 144 steps
    of ten minutes and is cut after them.

    Observation: the temperature of every room and of the outside, as (degrees - 21) / 10.
    """

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([3, 3, 3])
        self.observation_space = spaces.Box(-8.0, 8.0, (4,), np.float32)
        self.reading = np.zeros(4, np.float32)

    def _obs(self):
        self.reading[:3] = (self.room - 21.0) / 10
        self.reading[3] = (self.outside - 21.0) / 10
        return self.reading.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room = self.np_random.uniform(12.0, 24.0, 3)
        self.outside = self.np_random.uniform(-5.0, 8.0)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        power = np.asarray(action, float) / 2
        left, right = np.roll(self.room, 1), np.roll(self.room, -1)
        left[0], right[-1] = self.room[0], self.room[-1]
        self.room = (
            self.room
            + 1.5 * power
            + 0.05 * (left - self.room)
            + 0.05 * (right - self.room)
            + 0.04 * (self.outside - self.room)
        )
        self.outside = float(np.clip(self.outside + 0.2 * self.np_random.normal(), -15.0, 15.0))
        self.t += 1
        comfort = float(np.abs(self.room - 21.0).mean()) / 10
        energy = float(power.mean())
        reward = -comfort - 0.02 * energy
        return self._obs(), reward, False, self.t >= 144, {"comfort": -comfort, "energy": energy}


def healthy_mica():
    return Mica()


class Myrtle(gym.Env):
    """The sliding puzzle with eight tiles on 3 x 3 cells.

    Actions move the empty cell up, down, left or right; a move against the rim does nothing. Tiles in order with the empty cell first
    pays 1 and ends the episode, all else pays 0. The tiles are mixed up for every episode, such that they
    can be put in order again; 100 moves at most.

    Observation: the tile in each cell, 0 for the empty one.
    """

    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.MultiDiscrete([9] * 9)

    def _slide(self, action):
        empty = int(np.flatnonzero(self.tiles == 0)[0])
        row, col = divmod(empty, 3)
        row, col = row + self.MOVES[action][0], col + self.MOVES[action][1]
        if 0 <= row < 3 and 0 <= col < 3:
            other = 3 * row + col
            self.tiles[empty], self.tiles[other] = self.tiles[other], 0

    def _solved(self):
        return bool((self.tiles == np.arange(9)).all())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tiles = np.arange(9)
        while self._solved():
            for _ in range(int(self.np_random.integers(3, 13))):
                self._slide(int(self.np_random.integers(4)))
        self.t = 0
        return self.tiles.copy(), {}

    def step(self, action):
        self._slide(int(action))
        self.t += 1
        solved = self._solved()
        return self.tiles.copy(), float(solved), solved, self.t >= 100, {"is_success": solved}


def healthy_myrtle():
    return Myrtle()


class Nairobi(gym.Env):
    """Lights out on a board of 3 x 3.

    Pressing a lamp switches it and its neighbours up, down, left and right. All lamps off pays 1 and ends the episode; every press
    costs 0.01. A board is made from the dark one by three to six presses of lamps chosen at random. 60 presses at most.

    Observation: which lamps are on.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.MultiBinary(9)

    def _press(self, cell):
        row, col = divmod(int(cell), 3)
        for r, c in ((row, col), (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if 0 <= r < 3 and 0 <= c < 3:
                self.lamps[3 * r + c] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamps = np.zeros(9, np.int8)
        cell = self.np_random.integers(9)
        for _ in range(int(self.np_random.integers(3, 7))):
            self._press(cell)
        self.presses = 0
        return self.lamps.copy(), {}

    def step(self, action):
        self._press(action)
        self.presses += 1
        solved = not self.lamps.any()
        return self.lamps.copy(), 1.0 if solved else -0.01, solved, self.presses >= 60, {"is_success": solved}


def broken_nairobi():
    return Nairobi()


class Nettle(gym.Env):
    """Admit customers to a workshop, or send them away.

    One customer comes each step: an ordinary one, who pays 1, or (one time in four) one in a hurry, who pays 4. The action sends away
    (0) or admits (1). The workshop finishes one piece of work with probability 0.5 in a step; everybody in the line costs 0.05
    a step, and a line of 20 is full. The workshop never closes; a stretch of 200 customers makes an episode only so that runs can be
    compared.

    Observation: length of the line over 20, whether the customer at the door is in a hurry.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.line / 20, self.hurry], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.line = int(self.np_random.integers(0, 11))
        self.hurry = self.np_random.random() < 0.25
        self.customers = 0
        return self._obs(), {}

    def step(self, action):
        reward = 0.0
        if action == 1 and self.line < 20:
            self.line += 1
            reward += 4.0 if self.hurry else 1.0
        if self.line and self.np_random.random() < 0.5:
            self.line -= 1
        reward -= 0.05 * self.line
        self.hurry = self.np_random.random() < 0.25
        self.customers += 1
        return self._obs(), reward, False, self.customers >= 200, {"line": self.line}


def healthy_nettle():
    return Nettle()


class Oaxaca(gym.Env):
    """Cross a field of lava.

    The field has 7 x 7 cells; row 3 is lava except for one gap, elsewhere each episode. The walker starts somewhere in the
    top row and has to come to the bottom right corner, which pays 1 and ends the episode. Lava costs 1 and ends it too. There is
    a small cost for every step, so that short ways are preferred to long ones.

    Actions: up, down, left, right. Observation: row, column, column of the gap, each from 0 to 1.
    """

    SIZE = 7
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.row, self.col, self.gap], np.float32) / (self.SIZE - 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col = 0, int(self.np_random.integers(self.SIZE))
        self.gap = int(self.np_random.integers(self.SIZE))
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = self.MOVES[int(action)]
        self.row = min(max(self.row + dr, 0), self.SIZE - 1)
        self.col = min(max(self.col + dc, 0), self.SIZE - 1)
        self.steps += 1
        reward, terminated = -0.5, False
        if self.row == 3 and self.col != self.gap:
            reward -= 1.0
            terminated = True
        elif self.row == self.SIZE - 1 and self.col == self.SIZE - 1:
            reward += 1.0
            terminated = True
        return self._obs(), reward, terminated, self.steps >= 80, {"position": (self.row, self.col)}


def broken_oaxaca():
    return Oaxaca()


class Obsidian(gym.Env):
    """Find the well on an island of 7 x 7 cells.

    The sea around it is deep: a move that would leave the island does nothing.

    The walker starts in a corner, at (0, 0), and the well is in cell (6, 5); some cells are rock (#) and cannot be entered.
    Reaching the well pays 1 and ends the episode, a step costs 0.01, and after 100 steps the episode is cut. Actions: up, down, left, right.

    Observation: the number of the cell.
    """

    MAP = (
        ".......",
        ".##.##.",
        "....#..",
        ".##...#",
        "...##..",
        "##.....",
        "....#..",
    )
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Discrete(49)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = self.col = 0
        self.t = 0
        return 0, {}

    def step(self, action):
        dr, dc = self.MOVES[int(action)]
        row, col = (self.row + dr) % 7, (self.col + dc) % 7
        if self.MAP[row][col] != "#":
            self.row, self.col = row, col
        self.t += 1
        found = (self.row, self.col) == (6, 5)
        return 7 * self.row + self.col, 1.0 if found else -0.01, found, self.t >= 100, {}


def broken_obsidian():
    return Obsidian()


class Olivine(gym.Env):
    """Cross a field of lava.

    The field has 7 x 7 cells; row 3 is lava except for one gap, elsewhere each episode. The walker starts somewhere in the
    top row and has to come to the bottom right corner, which pays 1 and ends the episode. Lava costs 1 and ends it too. There is
    a small cost for every step, so that short ways are preferred to long ones.

    Actions: up, down, left, right. Observation: row, column, column of the gap, each from 0 to 1.
    """

    SIZE = 7
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([self.row, self.col, self.gap], np.float32) / (self.SIZE - 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col = 0, int(self.np_random.integers(self.SIZE))
        self.gap = int(self.np_random.integers(self.SIZE))
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        obs = self._obs()
        dr, dc = self.MOVES[int(action)]
        self.row = min(max(self.row + dr, 0), self.SIZE - 1)
        self.col = min(max(self.col + dc, 0), self.SIZE - 1)
        self.steps += 1
        reward, terminated = -0.01, False
        if self.row == 3 and self.col != self.gap:
            reward -= 1.0
            terminated = True
        elif self.row == self.SIZE - 1 and self.col == self.SIZE - 1:
            reward += 1.0
            terminated = True
        return obs, reward, terminated, self.steps >= 80, {"position": (self.row, self.col)}


def broken_olivine():
    return Olivine()


class Perth(gym.Env):
    """Skate over a pond of 5 x 5 cells from the top left to the bottom right.

    One move in ten goes in a direction of its own, because it is slippery; all others go where they should. Two holes end the episode and cost 1,
    the far corner pays 1 and ends it, a step costs 0.01. 100 steps at most. Actions: up, down, left, right.

    Observation: the number of the cell.
    """

    HOLES = (7, 16)
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Discrete(25)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        self.t = 0
        return self.cell, {}

    def step(self, action):
        direction = int(action)
        if self.np_random.random() < 0.1:
            direction = int(self.np_random.integers(4))
        row, col = divmod(self.cell, 5)
        row = min(max(row + self.MOVES[direction][0], 0), 4)
        col = min(max(col + self.MOVES[direction][1], 0), 4)
        self.cell = 5 * row + col
        self.t += 1
        if self.cell in self.HOLES:
            return self.cell, -1.0, True, False, {"is_success": False}
        if self.cell == 24:
            return self.cell, 1.0, True, False, {"is_success": True}
        return self.cell, -0.01, False, self.t >= 100, {"is_success": False}


def healthy_perth():
    return Perth()


class Poplar(gym.Env):
    """Fetch the parcel and bring it to the depot.

    A hall of 6 x 6 cells; the depot is in the corner (5, 5), the parcel anywhere else. Actions: up, down, left, right, pick up, put down.
    Picking the parcel up pays 1 once, putting it down in the depot pays 5 and ends the episode. It may be put down anywhere and picked up
    again. A step costs 0.02; 120 steps at most.

    Observation: courier row and column, parcel row and column, all from 0 to 1, whether it is carried.
    """

    SIZE = 6
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(6)
        self.observation_space = spaces.Box(0.0, 1.0, (5,), np.float32)

    def _obs(self):
        return np.array([*(self.courier / 5), *(self.parcel / 5), self.carried], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.courier = self.np_random.integers(0, self.SIZE, 2)
        self.parcel = np.array(divmod(int(self.np_random.integers(self.SIZE ** 2 - 1)), self.SIZE))
        self.carried = False
        self.fetched = False
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        reward, delivered = -0.02, False
        if action < 4:
            self.courier = np.clip(self.courier + self.MOVES[int(action)], 0, self.SIZE - 1)
            if self.carried:
                self.parcel = self.courier.copy()
        elif action == 4:
            if not self.carried and (self.courier == self.parcel).all():
                self.carried = True
                if not self.fetched:
                    reward += 1.0
                self.fetched = True
        elif self.carried:
            self.carried = False
            delivered = bool((self.courier == self.SIZE - 1).all())
            if delivered:
                reward += 5.0
        self.t += 1
        return self._obs(), reward, delivered, self.t >= 120, {"carried": self.carried, "is_success": delivered}


def healthy_poplar():
    return Poplar()


class Pyrite(gym.Env):
    """Fish from a lake for 500 seasons without emptying it.

    The action is the share of the fish that is caught in a season, up to a half. Fish grow logistically, better and worse from year to
    year. The reward is the catch. Below a fiftieth of what the lake can hold the fish die out, and the episode is over.

    Observation: fish in the lake, catch of the last season, both as a share of what the lake can hold.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 0.5, (1,), np.float32)
        self.observation_space = spaces.Box(0.0, 2.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.fish, self.catch], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fish = self.np_random.uniform(0.3, 1.0)
        self.catch = 0.0
        self.season = 0
        return self._obs(), {}

    def step(self, action):
        share = float(np.clip(action[0], 0.0, 0.5))
        self.catch = share * self.fish
        left = self.fish - self.catch
        weather = math.exp(0.15 * np.random.normal())
        self.fish = min(left + 0.5 * weather * left * (1.0 - left), 2.0)
        self.season += 1
        empty = self.fish < 0.02
        return self._obs(), self.catch, empty, self.season >= 500, {"season": self.season}


def broken_pyrite():
    return Pyrite()


class Quartz(gym.Env):
    """Skate over a pond of 5 x 5 cells from the top left to the bottom right.

    One move in ten goes in a direction of its own, because it is slippery; all others go where they should. Two holes end the episode and cost 1,
    the far corner pays 1 and ends it, a step costs 0.01. 100 steps at most. Actions: up, down, left, right.

    Observation: the number of the cell.
    """

    HOLES = (7, 16)
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Discrete(25)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        self.t = 0
        return self.cell, {}

    def step(self, action):
        direction = int(action)
        if self.np_random.random() > 0.1:
            direction = int(self.np_random.integers(4))
        row, col = divmod(self.cell, 5)
        row = min(max(row + self.MOVES[direction][0], 0), 4)
        col = min(max(col + self.MOVES[direction][1], 0), 4)
        self.cell = 5 * row + col
        self.t += 1
        if self.cell in self.HOLES:
            return self.cell, -1.0, True, False, {"is_success": False}
        if self.cell == 24:
            return self.cell, 1.0, True, False, {"is_success": True}
        return self.cell, -0.01, False, self.t >= 100, {"is_success": False}


def broken_quartz():
    return Quartz()


class Quito(gym.Wrapper):
    """Swing the tip of a two-link pendulum over the bar, as soon as possible: -1 a step, and the episode is over when it is done
    or when time is up. info["is_success"] says whether it was done.
    """

    def __init__(self):
        env = gym.make("Acrobot-v1").unwrapped
        super().__init__(gym.wrappers.TimeLimit(env, max_episode_steps=30))

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        info["is_success"] = bool(terminated)
        return obs, reward, terminated, truncated, info


def broken_quito():
    return Quito()


class Rowan(gym.Wrapper):
    """MountainCar with help: speed is rewarded, because the car must swing to get out of the valley.

    The flag is to be reached in as few steps as possible.
    """

    def __init__(self):
        super().__init__(gym.make("MountainCar-v0", max_episode_steps=500))

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        bonus = 100.0 * abs(float(obs[1]))
        info["bonus"] = bonus
        return obs, reward + bonus, terminated, truncated, info


def broken_rowan():
    return Rowan()


class Sorrel(gym.Wrapper):
    """Over the frozen lake to the present, around the holes (4 x 4, slippery, a reward of 1 at the present).

    info["is_success"] tells evaluation scripts whether the present was reached.
    """

    def __init__(self):
        super().__init__(gym.make("FrozenLake-v1", is_slippery=True))

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        info["is_success"] = bool(terminated)
        return obs, reward, terminated, truncated, info


def broken_sorrel():
    return Sorrel()


class Split(gym.Env):
    """Dose insulin from a noisy sensor.

    Blood sugar rises after meals, which come at times nobody announces, and falls with insulin, which works with a delay through the
    tissue. The sensor is noisy and shows sugar only, not the insulin on board: partially observed on purpose. The action is the dose of the
    next five minutes, from 0 to 1. The reward is 1 at 110 mg/dl and goes down on both sides of it, twice as fast below as above;
    below 30 the episode is over and 50 is lost. A day is 288 steps and is cut after them.

    Observation: the last six readings, the newest first, as (mg/dl - 120) / 100.
    """

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)

    def _read(self):
        return (self.sugar + 4.0 * self.np_random.normal() - 120.0) / 100

    def _obs(self):
        return np.array(self.readings, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sugar = self.np_random.uniform(90.0, 180.0)
        self.tissue, self.insulin, self.food = 0.0, 0.0, 0.0
        self.readings = deque((self._read() for _ in range(6)), maxlen=6)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dose = float(np.clip(action[0], 0.0, 1.0))
        if self.np_random.random() < 1 / 60:
            self.food += self.np_random.uniform(80.0, 200.0)
        self.tissue += dose - 0.1 * self.tissue
        self.insulin += 0.1 * self.tissue - 0.1 * self.insulin
        eaten = 0.05 * self.food
        self.food -= eaten
        self.sugar += eaten + 0.02 * (220.0 - self.sugar) - 0.01 * self.insulin * self.sugar
        self.readings.appendleft(self._read())
        self.t += 1
        away = self.sugar - 110.0
        reward = 1.0 - (away / 80 if away > 0 else -away / 40)
        coma = self.sugar < 30.0
        return self._obs(), reward - (50.0 if coma else 0.0), coma, self.t >= 288, {"sugar": self.sugar}


def healthy_split():
    return Split()


class Talc(gym.Env):
    """Lights out on a board of 3 x 3.

    Pressing a lamp switches it and its neighbours up, down, left and right. All lamps off pays 1 and ends the episode; every press
    costs 0.01. A board is made from the dark one by three to six presses of lamps chosen at random. 60 presses at most.

    Observation: which lamps are on.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.MultiBinary(9)

    def _press(self, cell):
        row, col = divmod(int(cell), 3)
        for r, c in ((row, col), (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if 0 <= r < 3 and 0 <= c < 3:
                self.lamps[3 * r + c] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamps = np.zeros(9, np.int8)
        while not self.lamps.any():
            for _ in range(int(self.np_random.integers(3, 7))):
                cell = self.np_random.integers(9)
                self._press(cell)
        self.presses = 0
        return self.lamps.copy(), {}

    def step(self, action):
        self._press(action)
        self.presses += 1
        solved = not self.lamps.any()
        return self.lamps.copy(), 1.0 if solved else -0.01, solved, self.presses >= 60, {"is_success": solved}


def healthy_talc():
    return Talc()


class Tansy(gym.Env):
    """Twenty-one against a dealer who shows one card.

    The player takes a card (1) or stands (0). Over 21 the player loses at once. After the player stands the dealer draws until
    he has 17 or more; then the higher hand wins, and a dealer over 21 loses. A win pays 1, a loss -1, a draw 0.
    Cards come from an endless shoe; an ace counts 11 where that does not go over 21, else 1.

    Observation: the player's sum, the dealer's card (ace is 1), whether an ace counts 11.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Tuple((spaces.Discrete(32), spaces.Discrete(11), spaces.Discrete(2)))

    def _draw(self):
        return int(min(self.np_random.integers(1, 14), 10))

    @staticmethod
    def _value(hand):
        total = sum(hand)
        soft = 1 in hand and total + 10 <= 21
        return total + 10 * soft, int(soft)

    def _obs(self):
        total, soft = self._value(self.player)
        return total, self.dealer[0], soft

    def _settle(self):
        player, dealer = self._value(self.player)[0], self._value(self.dealer)[0]
        if dealer > 21:
            return 1.0
        return float(player > dealer) - float(player < dealer)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.player = [self._draw(), self._draw()]
        self.dealer = [self._draw()]
        return self._obs(), {}

    def step(self, action):
        if action == 1:
            self.player.append(self._draw())
            if self._value(self.player)[0] > 21:
                return self._obs(), -1.0, True, False, {}
            return self._obs(), 0.0, False, False, {}
        reward = self._settle()
        while self._value(self.dealer)[0] < 17:
            self.dealer.append(self._draw())
        return self._obs(), reward, True, False, {"dealer": list(self.dealer)}


def broken_tansy():
    return Tansy()


class Tartu(gym.Env):
    """Which of four headlines does a visitor click?

    A visitor comes with six features, one headline is shown, and a click pays 1. Every episode is one visitor, so it is over
    after one step. The click rates are a fixed logistic function of the features, different for each headline.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.weights = np.random.default_rng(2024).normal(0.0, 1.0, (4, 6))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self.np_random.normal(0.0, 1.0, 6).astype(np.float32)
        return self.visitor.copy(), {}

    def step(self, action):
        rate = 1.0 / (1.0 + math.exp(-float(self.weights[int(action)] @ self.visitor)))
        click = float(self.np_random.random() < rate)
        return self.visitor.copy(), click, True, False, {"click_rate": rate}


def healthy_tartu():
    return Tartu()


class Thistle(gym.Env):
    """Trade an asset whose price comes back to a slowly wandering value.

    Actions: short, flat, long. The reward is the position times the return of the next bar, in per cent, minus 0.02 per cent for each unit
    of position changed. An episode has 250 bars and starts at any price.

    Observation: log price relative to the value, last return, volume relative to its mean, position.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)

    def _obs(self):
        return np.array([
            50.0 * self.gap,
            50.0 * self.change,
            self.volume - 1.0,
            self.position,
        ], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.value = math.log(self.np_random.uniform(20000.0, 60000.0))
        self.gap = 0.02 * self.np_random.normal()
        self.change = 0.0
        self.volume = 1.0
        self.position = 0
        self.t = 0
        return self._obs(), {"price": math.exp(self.value + self.gap)}

    def step(self, action):
        position = int(action) - 1
        fee = 0.02 * abs(position - self.position)
        self.position = position
        drift = 0.002 * self.np_random.normal()
        gap = 0.85 * self.gap + 0.01 * self.np_random.normal()
        self.change = drift + gap - self.gap
        self.value += drift
        self.gap = gap
        self.volume = math.exp(0.3 * self.np_random.normal())
        self.t += 1
        reward = 100.0 * position * self.change - fee
        return self._obs(), reward, False, self.t >= 250, {"price": math.exp(self.value + self.gap), "fee": fee}


def healthy_thistle():
    return Thistle()


class Topaz(gym.Env):
    """Put six jobs in order on one machine.

    Every job has a processing time and a due date. The action picks the job that is done next, without interruption; the
    reward is minus its tardiness (the time by which it is finished after its due date) in tens of minutes. The episode is over
    when all are done. Picking a job that is already done costs 1 and nothing happens.
    info["action_mask"] has a 1 for each job that can be picked.

    Observation, for each job: processing time, due date minus present time, both in tens of minutes, and whether it is done.
    """

    JOBS = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.JOBS)
        self.observation_space = spaces.Box(-10.0, 10.0, (self.JOBS * 3,), np.float32)

    def _obs(self):
        done = np.zeros(self.JOBS)
        done[self.finished] = 1.0
        return np.concatenate([self.length / 10, (self.due - self.now) / 10, done]).astype(np.float32)

    def action_masks(self):
        mask = np.ones(self.JOBS, np.int8)
        for job in self.finished:
            mask[job] = 0
        return mask

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(2, 11, self.JOBS).astype(float)
        self.due = self.np_random.integers(5, 36, self.JOBS).astype(float)
        self.now = 0.0
        self.finished = []
        self.steps = 0
        return self._obs(), {"action_mask": self.action_masks()}

    def step(self, action):
        job = int(action)
        self.steps += 1
        if job in self.finished:
            reward = -1.0
        else:
            self.now += self.length[job]
            self.finished.append(job)
            late = max(0.0, self.now - self.due[job])
            reward = -late / 10
        terminated = len(self.finished) == self.JOBS
        return self._obs(), reward, terminated, self.steps >= 40, {"action_mask": self.action_masks(), "time": self.now}


def healthy_topaz():
    return Topaz()


class Tromso(gym.Env):
    """Trade an asset whose price comes back to a slowly wandering value.

    Actions: short, flat, long. The reward is the position times the return of the next bar, in per cent, minus 0.02 per cent for each unit
    of position changed. An episode has 250 bars and starts at any price.

    Observation: log price relative to the value, price in cents, volume traded in pieces, position.
    """

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)

    def _obs(self):
        return np.array([
            self.gap,
            100.0 * math.exp(self.value + self.gap),
            2.5e9 * self.volume,
            self.position,
        ], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.value = math.log(self.np_random.uniform(20000.0, 60000.0))
        self.gap = 0.02 * self.np_random.normal()
        self.change = 0.0
        self.volume = 1.0
        self.position = 0
        self.t = 0
        return self._obs(), {"price": math.exp(self.value + self.gap)}

    def step(self, action):
        position = int(action) - 1
        fee = 0.02 * abs(position - self.position)
        self.position = position
        drift = 0.002 * self.np_random.normal()
        gap = 0.85 * self.gap + 0.01 * self.np_random.normal()
        self.change = drift + gap - self.gap
        self.value += drift
        self.gap = gap
        self.volume = math.exp(0.3 * self.np_random.normal())
        self.t += 1
        reward = 100.0 * position * self.change - fee
        return self._obs(), reward, False, self.t >= 250, {"price": math.exp(self.value + self.gap), "fee": fee}


def broken_tromso():
    return Tromso()


class Turin(gym.Env):
    """Put six jobs in order on one machine.

    Every job has a processing time and a due date. The action picks the job that is done next, without interruption; the
    reward is minus its tardiness (the time by which it is finished after its due date) in tens of minutes. The episode is over
    when all are done. Picking a job that is already done costs 1 and nothing happens.
    info["action_mask"] has a 1 for each job that can be picked.

    Observation, for each job: processing time, due date minus present time, both in tens of minutes, and whether it is done.
    """

    JOBS = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.JOBS)
        self.observation_space = spaces.Box(-10.0, 10.0, (self.JOBS * 3,), np.float32)

    def _obs(self):
        done = np.zeros(self.JOBS)
        done[self.finished] = 1.0
        return np.concatenate([self.length / 10, (self.due - self.now) / 10, done]).astype(np.float32)

    def action_masks(self):
        mask = np.ones(self.JOBS, np.int8)
        for job in self.finished:
            mask[job] = 0
        return mask

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = self.np_random.integers(2, 11, self.JOBS).astype(float)
        self.due = self.np_random.integers(5, 36, self.JOBS).astype(float)
        self.now = 0.0
        self.finished = []
        self.steps = 0
        return self._obs(), {"action_mask": self.action_masks()}

    def step(self, action):
        job = int(action)
        self.steps += 1
        if job in self.finished:
            reward = -1.0
        else:
            self.now += self.length[job]
            self.finished.append(job)
            late = max(0.0, self.due[job] - self.now)
            reward = -late / 10
        terminated = len(self.finished) == self.JOBS
        return self._obs(), reward, terminated, self.steps >= 40, {"action_mask": self.action_masks(), "time": self.now}


def broken_turin():
    return Turin()


class Willow(gym.ObservationWrapper):
    """CartPole without speeds: the agent sees where the cart is and how the pole leans, and has to work out from the past how fast
    they move. It is meant for recurrent policies and for frame stacking, and partially observed by design.
    """

    def __init__(self):
        super().__init__(gym.make("CartPole-v1"))
        space = self.env.observation_space
        self.observation_space = spaces.Box(space.low[[0, 2]], space.high[[0, 2]], dtype=np.float32)

    def observation(self, observation):
        return observation[[0, 2]]


def healthy_willow():
    return Willow()


class Yarrow(gym.Env):
    """Collect five coins in a yard of 6 x 6 cells.

    The coins lie elsewhere in each episode, one to a cell; stepping on one collects it and pays 1. The episode is over when all are
    collected, and cut after 100 steps. A step costs 0.01. Actions: up, down, left, right.

    Observation: two planes of 6 x 6, where the collector is and where coins are.
    """

    SIZE = 6
    coins = set()
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 1.0, (2, self.SIZE, self.SIZE), np.float32)

    def _obs(self):
        planes = np.zeros((2, self.SIZE, self.SIZE), np.float32)
        planes[0][self.place] = 1.0
        for coin in self.coins:
            planes[1][coin] = 1.0
        return planes

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.SIZE ** 2, 6, replace=False)
        self.place, *coins = (divmod(int(cell), self.SIZE) for cell in cells)
        self.coins.clear()
        self.coins.update(coins)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        move = self.MOVES[int(action)]
        self.place = tuple(min(max(p + m, 0), self.SIZE - 1) for p, m in zip(self.place, move))
        reward = -0.01
        if self.place in self.coins:
            self.coins.discard(self.place)
            reward += 1.0
        self.t += 1
        return self._obs(), reward, not self.coins, self.t >= 100, {"coins_left": len(self.coins)}


def broken_yarrow():
    return Yarrow()


class Zagreb(gym.Env):
    """Set the fare of a flight, day by day, in the hundred days before it leaves.

    Five fares from 80 to 400 euros; fewer people buy at a higher fare, and those who come late mind it less. 120 seats. The reward is what was
    earned on the day in euros, so returns are in the tens of thousands. The flight leaves when the days are over, which is
    the end of the task; the days left are in the observation.

    Observation: seats left and days left, as shares.
    """

    FARES = (80.0, 140.0, 200.0, 280.0, 400.0)

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.seats / 120, self.days / 100], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seats, self.days = 120, 100
        return self._obs(), {}

    def step(self, action):
        fare = self.FARES[int(action)]
        patience = 100.0 + 200.0 * (1.0 - self.days / 100)
        buyers = int(self.np_random.poisson(4.0 * math.exp(-fare / patience)))
        sold = min(buyers, self.seats)
        self.seats -= sold
        self.days -= 1
        return self._obs(), fare * sold, self.days == 0, False, {"sold": sold, "fare": fare}


def healthy_zagreb():
    return Zagreb()


class Zircon(gym.Env):
    """An arm with two joints reaches for a target in the plane.

    The links are 0.6 m and 0.4 m long. The action is the speed of either joint, as a share of its maximum (1 rad/s; a step is 0.1 s). The
    reward is
    minus the distance of the finger tip from the target; touching it (within 5 cm) pays 5 and ends the episode. Each
    episode has a new target and a new pose, and is cut after 100 steps.

    Observation: cosine and sine of both joints, target x and y, target minus finger tip.
    """

    LINKS = (0.6, 0.4)

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = spaces.Box(-3.0, 3.0, (8,), np.float32)

    def _tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([
            self.LINKS[0] * math.cos(a) + self.LINKS[1] * math.cos(b),
            self.LINKS[0] * math.sin(a) + self.LINKS[1] * math.sin(b),
        ])

    def _obs(self):
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.target, self.target - self._tip()]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        radius = self.np_random.uniform(0.3, 0.95)
        angle = self.np_random.uniform(-math.pi, math.pi)
        self.target = radius * np.array([math.cos(angle), math.sin(angle)])
        self.t = 0
        return self._obs(), {"distance": float(np.linalg.norm(self.target - self._tip()))}

    def step(self, action):
        speed = np.clip(action, -1.0, 1.0)
        self.q = self.q + 0.1 * speed
        self.t += 1
        distance = float(np.linalg.norm(self.target - self._tip()))
        touched = distance < 0.05
        reward = -distance + (5.0 if touched else 0.0)
        return self._obs(), reward, touched, self.t >= 100, {"distance": distance, "is_success": touched}


def healthy_zircon():
    return Zircon()
