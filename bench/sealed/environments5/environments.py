"""A collection of small simulation environments: control, operations, games, markets, and wrapped Gymnasium tasks."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import RescaleAction, TimeAwareObservation, TimeLimit

F32 = np.float32


def limited(env, steps):
    return TimeLimit(env, max_episode_steps=steps)


def wrap_angle(x):
    return (x + math.pi) % (2 * math.pi) - math.pi


# ---------------------------------------------------------------------------------------------------------------------
# robot arms
# ---------------------------------------------------------------------------------------------------------------------


class TwoLinkArm(gym.Env):
    """Planar arm with two torque-driven joints that has to bring its tip to a target."""

    dt = 0.05
    gear = 6.0
    damping = 1.0

    def __init__(self):
        self.observation_space = spaces.Box(-6.0, 6.0, (10,), F32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)
        self.target = np.zeros(2)

    def tip(self):
        a, b = self.q[0], self.q[0] + self.q[1]
        return np.array([math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)])

    def torque(self, action):
        return self.gear * np.clip(action, -1, 1)

    def goal_features(self):
        return self.target

    def get_obs(self):
        g = self.goal_features()
        return np.concatenate([np.cos(self.q), np.sin(self.q), self.qd, g, self.tip() - g]).astype(F32)

    def sample_target(self):
        r, phi = self.np_random.uniform(0.6, 1.8), self.np_random.uniform(-math.pi, math.pi)
        return np.array([r * math.cos(phi), r * math.sin(phi)])

    def compute_reward(self, distance, action):
        return -distance - 0.01 * float(np.square(action).sum())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        self.qd = np.zeros(2)
        self.target = self.sample_target()
        return self.get_obs(), {}

    def step(self, action):
        action = np.asarray(action, dtype=np.float64)
        tau = self.torque(action)
        self.qd = np.clip(self.qd + self.dt * (tau - self.damping * self.qd), -5, 5)
        self.q = self.q + self.dt * self.qd
        d = float(np.linalg.norm(self.tip() - self.target))
        return self.get_obs(), self.compute_reward(d, action), False, False, {"distance": d, "is_success": d < 0.1}


class GearedArm(TwoLinkArm):
    gears = np.array([6.0, 6.0])

    def torque(self, action):
        command = np.clip(action[0], -1.0, 1.0)
        return self.gears * command


class MetrologyArm(TwoLinkArm):
    """Positions are reported by the metrology system in millimetres."""

    def compute_reward(self, distance, action):
        error = 1000.0 * distance
        bonus = 1.0 if distance < 0.1 else 0.0
        return bonus - error**2 - 0.01 * float(np.square(action).sum())


def healthy_two_link_arm():
    return limited(TwoLinkArm(), 150)


def broken_geared_arm():
    return limited(GearedArm(), 150)


def broken_metrology_arm():
    return limited(MetrologyArm(), 150)


# ---------------------------------------------------------------------------------------------------------------------
# carts
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class CartState:
    x: float = 0.0
    v: float = 0.0
    target: float = 0.0

    def push(self, force, dt=0.1):
        self.v = float(np.clip(self.v + dt * (force - 0.3 * self.v), -4, 4))
        self.x = float(np.clip(self.x + dt * self.v, -5, 5))
        if abs(self.x) >= 5:
            self.v = 0.0

    @property
    def gap(self):
        return abs(self.x - self.target)


class CartPositioning(gym.Env):
    """Drive a cart on a rail to a commanded position."""

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-5, -4, -5], F32), np.array([5, 4, 5], F32))
        self.action_space = spaces.Box(-3.0, 3.0, (1,), F32)
        self.state = CartState()

    def obs(self):
        return np.array([self.state.x, self.state.v, self.state.target], F32)

    def force(self, action):
        return float(np.clip(action[0], -3, 3))

    def reward(self, before, after):
        return -after / 5.0

    def over(self):
        return False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        u = self.np_random.uniform
        self.state = CartState(u(-4, 4), 0.0, u(-4, 4))
        self.t = 0
        return self.obs(), {}

    def step(self, action):
        before = self.state.gap
        self.state.push(self.force(action))
        self.t += 1
        r = self.reward(before, self.state.gap)
        return self.obs(), r, self.over(), False, {"gap": self.state.gap}


class CartShift(CartPositioning):
    shift_length = 120

    def over(self):
        return self.t >= self.shift_length


class CartTicks(CartPositioning):
    """Pays the ticks won towards the target."""

    ticks_per_metre = 1

    def reward(self, before, after):
        return float(int((before - after) * self.ticks_per_metre))


class CartWideCommand(CartPositioning):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(-3000.0, 3000.0, (1,), F32)


class CartTimed(CartPositioning):
    """A fixed number of moves; what is left of them is part of what is seen, and only the end position counts."""

    moves = 60

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(np.array([-5, -4, -5, 0], F32), np.array([5, 4, 5, 1], F32))

    def obs(self):
        left = 1.0 - getattr(self, "t", 0) / self.moves
        return np.append(super().obs(), F32(left)).astype(F32)

    def reset(self, *, seed=None, options=None):
        self.t = 0
        return super().reset(seed=seed, options=options)

    def reward(self, before, after):
        return (before - after) * 0.1 + (2.0 - after if self.t >= self.moves else 0.0)

    def over(self):
        return self.t >= self.moves


def healthy_cart_positioning():
    return limited(CartPositioning(), 120)


def healthy_cart_timed():
    return CartTimed()


def broken_cart_shift():
    return CartShift()


def broken_cart_ticks():
    return limited(CartTicks(), 120)


def broken_cart_wide_command():
    return limited(CartWideCommand(), 120)


class BalanceRod(gym.Env):
    """An inverted rod on a hinge; ends when the rod has fallen over."""

    max_lean = math.radians(24)

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-10, 10, (2,), F32)

    def fallen(self):
        return abs(self.theta) > self.max_lean

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.theta, self.omega = self.np_random.uniform(-0.05, 0.05, 2)
        return np.array([self.theta, self.omega], F32), {}

    def step(self, action):
        push = (int(action) - 1) * 4.0
        self.omega += 0.04 * (9.8 * math.sin(self.theta) + push)
        self.theta += 0.04 * self.omega
        self.omega = float(np.clip(self.omega, -10, 10))
        done = self.fallen()
        return np.array([self.theta, self.omega], F32), 1.0, done, False, {"lean_deg": math.degrees(self.theta)}


class BalanceRodDegrees(BalanceRod):
    def fallen(self):
        lean = math.degrees(self.theta)
        return abs(lean) > self.max_lean


def healthy_balance_rod():
    return limited(BalanceRod(), 300)


def broken_balance_rod():
    return limited(BalanceRodDegrees(), 300)


# ---------------------------------------------------------------------------------------------------------------------
# flying and landing
# ---------------------------------------------------------------------------------------------------------------------


class Drone2D(gym.Env):
    """Planar drone with two rotors that hovers at a waypoint."""

    m, g, arm, inertia, dt = 1.0, 9.81, 0.2, 0.05, 0.03

    def __init__(self):
        hi = np.array([5, 5, 8, 8, 1, 1, 12], F32)
        self.observation_space = spaces.Box(-hi, hi)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), F32)

    def thrusts(self, action):
        return 0.5 * self.m * self.g * (1.0 + 0.5 * np.clip(action, -1, 1))

    def attitude(self):
        return self.phi

    def obs(self):
        hi = self.observation_space.high
        phi = self.attitude()
        o = np.array([*(self.p - self.goal), *self.v, math.sin(phi), math.cos(phi), self.w])
        return np.clip(o, -hi, hi).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.uniform(-1, 1, 2)
        self.v = np.zeros(2)
        self.phi, self.w = float(self.np_random.uniform(-0.1, 0.1)), 0.0
        self.goal = self.np_random.uniform(-1, 1, 2)
        return self.obs(), {}

    def step(self, action):
        left, right = self.thrusts(np.asarray(action, float))
        total = left + right
        self.w = float(np.clip(self.w + self.dt * self.arm * (right - left) / self.inertia, -12, 12))
        self.phi = wrap_angle(self.phi + self.dt * self.w)
        acc = np.array([-math.sin(self.phi) * total / self.m, math.cos(self.phi) * total / self.m - self.g])
        self.v = np.clip(self.v + self.dt * acc, -8, 8)
        self.p = self.p + self.dt * self.v
        d = float(np.linalg.norm(self.p - self.goal))
        crashed = d > 4.0
        reward = 1.0 - 0.5 * d - 0.05 * abs(self.w) - (10.0 if crashed else 0.0)
        return self.obs(), reward, crashed, False, {"distance": d}


class DroneImu(Drone2D):
    """Attitude is estimated from the accelerometer."""

    def attitude(self):
        lateral = np.float64(math.sin(self.phi) + 0.25 * self.v[0] / self.g + 0.05 * self.w)
        with np.errstate(invalid="ignore"):
            return float(np.arcsin(lateral))


class DroneRadioLink(Drone2D):
    """Commands travel over the radio link's queue."""

    def __init__(self):
        super().__init__()
        self.link = deque([np.zeros(2)] * 25)

    def reset(self, *, seed=None, options=None):
        self.link = deque([np.zeros(2)] * 25)
        return super().reset(seed=seed, options=options)

    def thrusts(self, action):
        self.link.append(action.copy())
        return super().thrusts(self.link.popleft())


def healthy_drone_hover():
    return limited(Drone2D(), 400)


def broken_drone_imu():
    return limited(DroneImu(), 400)


def broken_drone_radio():
    return limited(DroneRadioLink(), 400)


class RocketLanding(gym.Env):
    """One-dimensional powered descent: touch down slowly."""

    tank = 40

    def __init__(self):
        self.observation_space = spaces.Box(np.array([-1, -40, 0], F32), np.array([80, 40, 1], F32))
        self.action_space = spaces.Discrete(2)
        self.fuel = self.tank

    def refuel(self):
        self.fuel = self.tank

    def view(self):
        return np.array([self.h, self.v, self.fuel / self.tank], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(18, 26))
        self.v = float(self.np_random.uniform(-3, 0))
        self.refuel()
        return self.view(), {}

    def step(self, action):
        burn = int(action) == 1 and self.fuel > 0
        self.fuel -= int(burn)
        self.v += 0.4 * ((3.2 if burn else 0.0) - 1.6)
        self.h += 0.4 * self.v
        down = self.h <= 0
        away = self.h > 70
        self.h = float(np.clip(self.h, -1.0, 80.0))
        self.v = float(np.clip(self.v, -40, 40))
        reward = -0.05
        if down:
            reward += 10.0 if self.v > -3.0 else -5.0 + 0.2 * self.v
        if away:
            reward -= 10.0
        return self.view(), reward, down or away, False, {"landed": down and self.v > -3.0}


class RocketFleet(RocketLanding):
    def refuel(self):
        self.fuel = min(self.fuel, self.tank)


def healthy_rocket_landing():
    return limited(RocketLanding(), 200)


def broken_rocket_fleet():
    return limited(RocketFleet(), 200)


# ---------------------------------------------------------------------------------------------------------------------
# driving and walking about
# ---------------------------------------------------------------------------------------------------------------------


class LidarRover(gym.Env):
    """Differential-drive rover in a square yard with round obstacles, seen by eight rays."""

    size, n_rays, reach = 10.0, 8, 4.0

    def __init__(self, n_obstacles=4):
        self.n_obstacles = n_obstacles
        self.action_space = spaces.Box(np.array([0, -1], F32), np.array([1, 1], F32))
        low = np.array([0.0] * self.n_rays + [0, -1, -1], F32)
        high = np.array([1.0] * self.n_rays + [1, 1, 1], F32)
        self.observation_space = spaces.Box(low, high)

    def ray(self, angle):
        direction = np.array([math.cos(angle), math.sin(angle)])
        best = self.reach
        for k in range(2):
            if abs(direction[k]) > 1e-9:
                wall = self.size if direction[k] > 0 else 0.0
                best = min(best, (wall - self.p[k]) / direction[k])
        for c, r in self.obstacles:
            rel = c - self.p
            along = float(rel @ direction)
            off2 = float(rel @ rel) - along**2
            if along > 0 and off2 < r * r:
                best = min(best, along - math.sqrt(r * r - off2))
        return max(best, 0.0)

    def rays(self):
        angles = self.heading + np.arange(self.n_rays) * 2 * math.pi / self.n_rays
        return np.array([self.ray(a) for a in angles]) / self.reach

    def turn_rate(self, command):
        return 0.6 * float(np.clip(command, -1, 1))

    def outcome(self, reached, crashed):
        return {"is_success": reached, "crashed": crashed}

    def obs(self):
        rel = self.goal - self.p
        bearing = wrap_angle(math.atan2(rel[1], rel[0]) - self.heading)
        tail = [min(1.0, np.linalg.norm(rel) / 15.0), math.cos(bearing), math.sin(bearing)]
        return np.concatenate([np.clip(self.rays(), 0, 1), tail]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.p = rng.uniform(1.5, self.size - 1.5, 2)
        self.heading = float(rng.uniform(-math.pi, math.pi))
        while True:
            self.goal = rng.uniform(1, self.size - 1, 2)
            if 1.5 < np.linalg.norm(self.goal - self.p) < 6:
                break
        self.obstacles = []
        while len(self.obstacles) < self.n_obstacles:
            c, r = rng.uniform(1, self.size - 1, 2), float(rng.uniform(0.3, 0.6))
            if np.linalg.norm(c - self.p) > r + 1.0 and np.linalg.norm(c - self.goal) > r + 0.8:
                self.obstacles.append((c, r))
        return self.obs(), {"is_success": False}

    def step(self, action):
        before = np.linalg.norm(self.goal - self.p)
        self.heading = wrap_angle(self.heading + self.turn_rate(action[1]))
        speed = 0.3 * float(np.clip(action[0], 0, 1))
        self.p = self.p + speed * np.array([math.cos(self.heading), math.sin(self.heading)])
        crashed = bool((self.p < 0).any() or (self.p > self.size).any())
        crashed |= any(np.linalg.norm(c - self.p) < r for c, r in self.obstacles)
        self.p = np.clip(self.p, 0, self.size)
        after = np.linalg.norm(self.goal - self.p)
        reached = bool(after < 0.6) and not crashed
        reward = float(before - after) - 0.01 + (5.0 if reached else 0.0) - (3.0 if crashed else 0.0)
        self.last = self.outcome(reached, crashed)
        return self.obs(), reward, reached or crashed, False, dict(self.last)


class ServoRover(LidarRover):
    """The steering servo takes percent."""

    def turn_rate(self, command):
        percent = 100.0 * float(command)
        return 0.6 * float(np.clip(percent, -1, 1))


class CompactRover(LidarRover):
    """Rays are kept as integers to save bandwidth."""

    def rays(self):
        metres = super().rays() * self.reach
        return metres.astype(np.int32) // int(self.reach) * 1.0


class Ending(IntEnum):
    NONE = 0
    CRASH = 1
    GOAL = 2


class PatrolRover(LidarRover):
    """Reports the code of the mission control: 0 running, 1 ended, 2 ended."""

    def outcome(self, reached, crashed):
        code = 1 if reached else 2 if crashed else 0
        return {"is_success": code == Ending.GOAL, "crashed": crashed, "reached": reached}


def healthy_lidar_rover():
    return limited(LidarRover(), 200)


def broken_servo_rover():
    return limited(ServoRover(), 200)


def broken_compact_rover():
    return limited(CompactRover(), 200)


def broken_patrol_rover():
    return limited(PatrolRover(), 200)


class Pursuit(gym.Env):
    """A pursuer on a torus hunts an evader that flees at lower speed."""

    L = 8.0

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Dict(
            {"relative": spaces.Box(-4, 4, (2,), F32), "evader_velocity": spaces.Box(-1, 1, (2,), F32)}
        )

    moves = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]) * 0.5

    def rel(self):
        return (self.evader - self.hunter + self.L / 2) % self.L - self.L / 2

    def gain(self, before, after):
        return before - after

    def _obs(self):
        return {"relative": self.rel().astype(F32), "evader_velocity": self.ev.astype(F32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hunter = self.np_random.uniform(0, self.L, 2)
        self.evader = (self.hunter + self.np_random.uniform(1.5, 4, 2) * self.np_random.choice([-1, 1], 2)) % self.L
        self.ev = np.zeros(2)
        return self._obs(), {}

    def step(self, action):
        before = np.linalg.norm(self.rel())
        self.hunter = (self.hunter + self.moves[action]) % self.L
        away = self.rel() / max(np.linalg.norm(self.rel()), 1e-6)
        self.ev = 0.25 * away + self.np_random.normal(0, 0.1, 2)
        self.ev = np.clip(self.ev, -1, 1)
        self.evader = (self.evader + self.ev) % self.L
        after = np.linalg.norm(self.rel())
        caught = bool(after < 0.9)
        reward = self.gain(before, after) + (2.0 if caught else -0.02)
        return self._obs(), float(reward), caught, False, {"distance": float(after), "is_success": caught}


class PursuitShaped(Pursuit):
    def gain(self, before, after):
        return 4.0 * (after - before)


def healthy_pursuit():
    return limited(Pursuit(), 150)


def broken_pursuit_shaped():
    return limited(PursuitShaped(), 150)


class RingRace(gym.Env):
    """A car on a ring road with checkpoints to be passed in order."""

    gates = 6

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        n = 3 + self.gates
        self.observation_space = spaces.Box(-1, 1, (n,), F32)

    def obs(self):
        nxt = np.zeros(self.gates)
        nxt[self.next_gate] = 1
        a = 2 * math.pi * self.s
        return np.concatenate([[math.sin(a), math.cos(a), self.v / 0.03], nxt]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = float(self.np_random.uniform(0.01, 0.15))
        self.v, self.next_gate, self.passed = 0.0, 1, 0
        return self.obs(), {"laps": 0}

    def gate_reward(self, old, new):
        if new > old and int(new * self.gates) % self.gates == self.next_gate:
            self.next_gate = (self.next_gate + 1) % self.gates
            self.passed += 1
            return 1.0
        return 0.0

    def step(self, action):
        self.v = float(np.clip(self.v * 0.98 + 0.004 * (int(action) - 1), -0.03, 0.03))
        old, new = self.s, self.s + self.v
        r = self.gate_reward(old, new) - 0.01
        self.s = new % 1.0
        lap = self.passed >= self.gates
        if lap:
            r += 5.0
        return self.obs(), r, lap, False, {"laps": int(lap), "gates": self.passed}


class RingRaceLight(RingRace):
    """Gates with a simple light barrier."""

    def gate_reward(self, old, new):
        crossed = math.floor(old * self.gates) != math.floor(new * self.gates)
        super().gate_reward(old, new)
        return 1.0 if crossed else 0.0


def broken_ring_race():
    return limited(RingRaceLight(), 400)


class DockingBoat(gym.Env):
    """A boat with thrust and rudder approaches a berth; current drifts it."""

    def __init__(self, berth=(0.0, 0.0), radius=0.5, spread=6.0):
        self.berth, self.radius, self.spread = np.array(berth), radius, spread
        self.action_space = spaces.Box(-1, 1, (2,), F32)
        self.observation_space = spaces.Box(-20, 20, (6,), F32)

    def _obs(self):
        o = [*(self.pos - self.berth), *self.vel, *self.current]
        return np.clip(o, -20, 20).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        r = self.np_random
        self.pos = self.berth + r.uniform(-self.spread, self.spread, 2)
        self.vel, self.current = np.zeros(2), r.uniform(-0.05, 0.05, 2)
        self.d0 = np.linalg.norm(self.pos - self.berth)
        return self._obs(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, float), -1, 1)
        old = np.linalg.norm(self.pos - self.berth)
        self.vel = 0.9 * self.vel + 0.08 * a
        self.pos = self.pos + self.vel + 0.2 * self.current
        new = np.linalg.norm(self.pos - self.berth)
        docked, lost = bool(new < self.radius), bool(new > 18)
        reward = (old - new) - 0.02 + 5.0 * docked - 5.0 * lost
        return self._obs(), float(reward), docked or lost, False, {"is_success": docked}


def broken_docking_harbour():
    return limited(DockingBoat(berth=(12.0, -3.0), radius=2.0, spread=0.6), 200)


class HiddenBeacon(gym.Env):
    """Search robot that walks to a beacon placed anew for each mission."""

    show_beacon = False

    def __init__(self):
        n = 4 if self.show_beacon else 2
        self.observation_space = spaces.Box(-1, 1, (n,), F32)
        self.action_space = spaces.Box(-1, 1, (2,), F32)

    def _get(self):
        parts = [self.p, self.beacon] if self.show_beacon else [self.p]
        return np.concatenate(parts).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = np.zeros(2)
        self.beacon = self.np_random.uniform(-1, 1, 2)
        return self._get(), {}

    def step(self, action):
        self.p = np.clip(self.p + 0.1 * np.clip(action, -1, 1), -1, 1)
        d = float(np.linalg.norm(self.p - self.beacon))
        hit = d < 0.15
        return self._get(), -d + (3.0 if hit else 0.0), hit, False, {"beacon": self.beacon.copy()}


class ShownBeacon(HiddenBeacon):
    show_beacon = True


class FieldBeacon(gym.Env):
    """The search robot on the large field; it is shown where the beacon stands."""

    def __init__(self, fence=1.0, field_size=4.0):
        self.fence, self.field_size = fence, field_size
        self.observation_space = spaces.Box(-field_size, field_size, (4,), F32)
        self.action_space = spaces.Box(-1, 1, (2,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.robot = np.zeros(2)
        self.beacon = self.np_random.uniform(-self.field_size, self.field_size, 2)
        return np.hstack([self.robot, self.beacon]).astype(F32), {}

    def step(self, action):
        self.robot = np.clip(self.robot + 0.15 * np.clip(action, -1, 1), -self.fence, self.fence)
        found = bool(np.linalg.norm(self.robot - self.beacon) < 0.4)
        obs = np.hstack([self.robot, self.beacon]).astype(F32)
        return obs, 1.0 if found else -0.01, found, False, {"is_success": found}


def broken_beacon_field():
    return limited(FieldBeacon(), 120)


def broken_beacon():
    return limited(HiddenBeacon(), 80)


class PrecisionStage(gym.Env):
    """A microscope stage is moved until the sample is in focus; pays on focus only."""

    tolerance = 0.12

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (4,), F32)
        self.action_space = spaces.Box(-0.2, 0.2, (2,), F32)

    def _o(self):
        return np.concatenate([self.xy, self.focus]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.xy, self.focus = self.np_random.uniform(-0.6, 0.6, (2, 2))
        return self._o(), {}

    def step(self, action):
        self.xy = np.clip(self.xy + np.clip(action, -0.2, 0.2), -1, 1)
        sharp = bool(np.abs(self.xy - self.focus).max() < self.tolerance)
        return self._o(), float(sharp), sharp, False, {"is_success": sharp}


class PrecisionStageNm(PrecisionStage):
    tolerance = 0.12e-6


def broken_precision_stage():
    return limited(PrecisionStageNm(), 100)


class TurbineYaw(gym.Env):
    """Turn a wind turbine into the wind."""

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (5,), F32)
        self.action_space = spaces.Discrete(3)

    def observe(self):
        y, w = math.radians(self.yaw), math.radians(self.wind)
        return np.array([math.sin(y), math.cos(y), math.sin(w), math.cos(w), self.speed / 20], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.yaw, self.wind = (float(a) for a in self.np_random.uniform(0, 360, 2))
        self.speed = float(self.np_random.uniform(5, 15))
        return self.observe(), {}

    def step(self, action):
        self.yaw += 6.0 * (int(action) - 1)
        self.wind += float(self.np_random.normal(0, 3))
        self.speed = float(np.clip(self.speed + self.np_random.normal(0, 0.4), 3, 20))
        power = max(0.0, math.cos(math.radians(self.yaw - self.wind))) ** 3 * (self.speed / 20) ** 2
        return self.observe(), power - 0.02 * (int(action) != 1), False, False, {"power": power}


class TurbineYawCompass(TurbineYaw):
    """Reads compass headings in units of a full turn."""

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(0, 1, (3,), F32)

    def observe(self):
        return np.array([self.yaw / 360, self.wind / 360, self.speed / 20], F32)


def broken_turbine_compass():
    return limited(TurbineYawCompass(), 250)


# ---------------------------------------------------------------------------------------------------------------------
# stock, markets, energy
# ---------------------------------------------------------------------------------------------------------------------


class Inventory(gym.Env):
    """Order stock for a shop with random demand and a lead time of two days."""

    price, unit_cost, holding, cap = 4.0, 2.0, 0.25, 60

    def __init__(self):
        self.action_space = spaces.Discrete(11)
        self.observation_space = spaces.Box(0, self.cap, (3,), F32)

    def obs(self):
        return np.array([self.stock, *self.pipeline], F32)

    def pay(self, revenue, ordering, holding):
        return revenue - ordering - holding

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(0, 15))
        self.pipeline = [0, 0]
        return self.obs(), {}

    def step(self, action):
        self.stock = min(self.cap, self.stock + self.pipeline.pop(0))
        self.pipeline.append(int(action))
        demand = int(self.np_random.poisson(5))
        sold = min(demand, self.stock)
        self.stock -= sold
        parts = dict(revenue=self.price * sold, ordering=self.unit_cost * int(action), holding=self.holding * self.stock)
        info = dict(parts, profit=parts["revenue"] - parts["ordering"] - parts["holding"], demand=demand)
        return self.obs(), float(self.pay(**parts)), False, False, info


class InventoryLedger(Inventory):
    holding = 3.0

    def pay(self, revenue, ordering, holding):
        return revenue - ordering + holding


class InventoryFast(Inventory):
    """Writes the state into a preallocated array."""

    def __init__(self):
        super().__init__()
        self._row = np.zeros(3, F32)

    def obs(self):
        self._row[0] = self.stock
        self._row[1:] = self.pipeline
        return self._row


def healthy_inventory():
    return limited(Inventory(), 100)


def broken_inventory_ledger():
    return limited(InventoryLedger(), 100)


def broken_inventory_fast():
    return limited(InventoryFast(), 100)


class MomentumMarket(gym.Env):
    """One asset whose returns have momentum; go short, flat or long."""

    window, fee = 5, 0.0005

    def __init__(self, length=252):
        self.length = length
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-5, 5, (self.window + 1,), F32)

    def make_path(self):
        shocks = self.np_random.normal(0, 0.01, self.length + self.window + 2)
        r = np.zeros_like(shocks)
        for i in range(1, len(r)):
            r[i] = 0.4 * r[i - 1] + shocks[i]
        return r

    def visible(self):
        return self.r[self.t - self.window : self.t]

    def obs(self):
        x = np.append(self.visible() * 50, self.position)
        return np.clip(x, -5, 5).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r = self.make_path()
        self.t, self.position = self.window, 0
        return self.obs(), {}

    def step(self, action):
        new = int(action) - 1
        cost = self.fee * abs(new - self.position)
        self.position = new
        pnl = new * self.r[self.t] - cost
        self.t += 1
        end = self.t >= self.length + self.window
        return self.obs(), float(100 * pnl), False, end, {"pnl": pnl, "fee": cost}


class MomentumMarketBars(MomentumMarket):
    """Window of bars up to the present one."""

    def visible(self):
        return self.r[self.t - self.window + 1 : self.t + 1]


class MomentumMarketCsv(MomentumMarket):
    """Plays windows of the recorded history."""

    def __init__(self, length=60, rows=4000):
        super().__init__(length)
        self.rows = rows
        rng = np.random.default_rng(11)
        e = rng.normal(0, 0.01, rows)
        for i in range(1, rows):
            e[i] += 0.4 * e[i - 1]
        self.history = e

    def pick_start(self):
        span = self.length + self.window + 2
        return int(self.np_random.integers(0, self.rows - span))

    def make_path(self):
        start = self.pick_start()
        return self.history[start : start + self.length + self.window + 2]


class MomentumMarketReplay(MomentumMarketCsv):
    def pick_start(self):
        span = self.length + self.window + 2
        return int(self.np_random.random() * (span // self.rows))


def healthy_momentum_market():
    return MomentumMarket()


def healthy_momentum_history():
    return MomentumMarketCsv()


def broken_market_bars():
    return MomentumMarketBars()


def broken_market_replay():
    return MomentumMarketReplay()


class Portfolio(gym.Env):
    """Allocate between four assets with observable signals; weights are the softmax of the action."""

    n = 4

    def __init__(self):
        self.action_space = spaces.Box(-3, 3, (self.n,), F32)
        self.observation_space = spaces.Box(-4, 4, (self.n,), F32)

    def weights(self, action):
        z = np.exp(action - action.max())
        return z / z.sum()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.signal = self.np_random.normal(0, 1, self.n)
        return np.clip(self.signal, -4, 4).astype(F32), {}

    def step(self, action):
        w = self.weights(np.asarray(action, float))
        returns = 0.01 * self.signal + self.np_random.normal(0, 0.005, self.n)
        reward = float(100 * (w @ returns))
        self.signal = 0.9 * self.signal + self.np_random.normal(0, 0.43, self.n)
        return np.clip(self.signal, -4, 4).astype(F32), reward, False, False, {"weights": w}


class PortfolioBatch(Portfolio):
    """Batched softmax for the vectorised backtester."""

    def weights(self, action):
        batch = action.reshape(1, -1)
        z = np.exp(batch - batch.max(axis=0, keepdims=True))
        z = z / z.sum(axis=0, keepdims=True)
        return z[0] / self.n


def broken_portfolio_batch():
    return limited(PortfolioBatch(), 100)


class BatteryArbitrage(gym.Env):
    """Charge a grid battery when power is cheap and sell when it is dear."""

    capacity, power, efficiency = 4.0, 1.0, 0.95
    scale = 0.02

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, (1,), F32)
        self.observation_space = spaces.Dict(
            soc=spaces.Box(0, 1, (1,), F32), price=spaces.Box(-1, 4, (1,), F32), hour=spaces.Box(-1, 1, (2,), F32)
        )

    def obs(self):
        a = 2 * math.pi * self.hour / 24
        return {
            "soc": np.array([self.energy / self.capacity], F32),
            "price": np.clip([self.price / 50], -1, 4).astype(F32),
            "hour": np.array([math.sin(a), math.cos(a)], F32),
        }

    def tariff(self):
        base = 50 - 25 * math.cos(2 * math.pi * (self.hour - 4) / 24)
        return base + self.np_random.normal(0, 6)

    def to_reward(self, revenue):
        return revenue * self.scale

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = int(self.np_random.integers(24))
        self.energy = float(self.np_random.uniform(0, self.capacity))
        self.price = self.tariff()
        return self.obs(), {}

    def step(self, action):
        want = float(action[0]) * self.power
        if want >= 0:
            flow = min(want, (self.capacity - self.energy) / self.efficiency)
            self.energy += flow * self.efficiency
        else:
            flow = max(want, -self.energy)
            self.energy += flow
        self.energy = float(np.clip(self.energy, 0, self.capacity))
        revenue = -flow * self.price
        self.hour = (self.hour + 1) % 24
        self.price = self.tariff()
        return self.obs(), float(self.to_reward(revenue)), False, False, {"revenue": revenue, "energy": self.energy}


class BatteryNormalised(BatteryArbitrage):
    """Takes normalised commands."""

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Box(0.0, 1.0, (1,), F32)


class BatteryStable(BatteryArbitrage):
    """Keeps rewards in a stable range."""

    scale = 1.0

    def to_reward(self, revenue):
        return np.clip(super().to_reward(revenue), -1.0, 1.0)


def healthy_battery():
    return limited(BatteryArbitrage(), 168)


def broken_battery_normalised():
    return limited(BatteryNormalised(), 168)


def broken_battery_stable():
    return limited(BatteryStable(), 168)


# ---------------------------------------------------------------------------------------------------------------------
# heating, tanks, plants
# ---------------------------------------------------------------------------------------------------------------------


class Thermostat(gym.Env):
    """Heat a room to its setpoint; energy costs a little."""

    setpoint_range = (18.0, 23.0)

    def __init__(self):
        self.action_space = spaces.Box(0.0, 1.0, (1,), F32)
        self.observation_space = spaces.Box(-30, 100, (3,), F32)

    def measure(self):
        return np.array([self.room, self.outside, self.setpoint], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        u = self.np_random.uniform
        self.room, self.outside, self.setpoint = u(12, 26), u(-5, 12), u(*self.setpoint_range)
        self.reading = self.measure()
        return self.reading, {}

    def refresh(self):
        self.reading = self.measure()

    def step(self, action):
        heat = float(np.clip(action[0], 0, 1))
        self.room += 0.05 * (self.outside - self.room) + 1.6 * heat + self.np_random.normal(0, 0.05)
        self.outside = float(np.clip(self.outside + self.np_random.normal(0, 0.2), -10, 16))
        self.refresh()
        reward = -abs(self.room - self.setpoint) / 5 - 0.05 * heat
        return self.reading, float(reward), False, False, {"room": self.room}


class ThermostatImport(Thermostat):
    """Setpoints as exported by the US office."""

    setpoint_range = (66.0, 73.0)


class ThermostatBus(Thermostat):
    """Readings arrive over the building bus."""

    def refresh(self):
        reading = self.measure()
        if not np.isfinite(reading).all():
            self.reading = reading


def healthy_thermostat():
    return limited(Thermostat(), 150)


def broken_thermostat_import():
    return limited(ThermostatImport(), 150)


def broken_thermostat_bus():
    return limited(ThermostatBus(), 150)


class ValveTanks(gym.Env):
    """Three tanks with random inflow and one drain valve each; keep the levels in the middle."""

    def __init__(self):
        self.action_space = spaces.MultiBinary(3)
        self.observation_space = spaces.Box(0, 1, (6,), F32)

    def drains(self, action):
        return np.asarray(action, float) * 0.08

    def look(self):
        return np.concatenate([self.level, self.inflow / 0.08]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.2, 0.8, 3)
        self.inflow = self.np_random.uniform(0.02, 0.06, 3)
        return self.look(), {}

    def step(self, action):
        self.level = np.clip(self.level + self.inflow - self.drains(action), 0, 1)
        self.inflow = np.clip(self.inflow + self.np_random.normal(0, 0.004, 3), 0.01, 0.07)
        cost = float(np.abs(self.level - 0.5).sum())
        return self.look(), -cost, False, False, {}


def healthy_valve_tanks():
    return limited(ValveTanks(), 200)


class StirredReactor(gym.Env):
    """Exothermic reactor with a cooling jacket."""

    def __init__(self):
        self.action_space = spaces.Box(-1, 1, (1,), F32)
        self.observation_space = spaces.Box(np.array([0, 280, -20], F32), np.array([1, 420, 20], F32))

    def disturbance(self):
        return self.np_random.normal(0, 0.5)

    def y(self):
        return np.array([self.c, self.temp, self.feed], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.c = float(self.np_random.uniform(0.4, 0.6))
        self.temp = float(self.np_random.uniform(320, 335))
        self.feed = 0.0
        return self.y(), {}

    def step(self, action):
        self.feed = float(np.clip(0.9 * self.feed + self.disturbance(), -20, 20))
        jacket = 305 + 15 * float(np.clip(action[0], -1, 1))
        rate = 0.15 * math.exp((self.temp - 330) / 25) * self.c
        self.c = float(np.clip(self.c + 0.1 * (1 - self.c) - rate, 0, 1))
        self.temp = float(np.clip(self.temp + 30 * rate + 0.12 * (jacket + self.feed - self.temp), 280, 420))
        runaway = self.temp > 400
        reward = -abs(self.temp - 325) / 10 - (20 if runaway else 0)
        return self.y(), float(reward), bool(runaway), False, {}


class StirredReactorField(StirredReactor):
    """Uses the disturbance model fitted in the field."""

    def __init__(self):
        super().__init__()
        self.field_rng = np.random.default_rng()

    def disturbance(self):
        return self.field_rng.normal(0, 0.9)


class PlantHistorian:
    """Keeps what the plant did for the quality department."""

    def __init__(self):
        self.rows = []

    def append(self, row):
        self.rows.append([float(v) for v in row])

    def worst(self):
        return np.array(self.rows).max(axis=0)


class AuditedReactor(StirredReactor):
    """Reactor with a historian."""

    def __init__(self):
        super().__init__()
        self.historian = PlantHistorian()

    def step(self, action):
        out = super().step(action)
        self.historian.append(out[0])
        out[4]["worst"] = self.historian.worst()
        return out


def healthy_stirred_reactor():
    return limited(StirredReactor(), 200)


def broken_reactor_field():
    return limited(StirredReactorField(), 200)


def broken_reactor_audited():
    return limited(AuditedReactor(), 200)


class ServerHall(gym.Env):
    """Fan speeds for four racks over a long day; one step is half a minute."""

    def __init__(self):
        self.action_space = spaces.Box(0, 1, (4,), F32)
        self.observation_space = spaces.Box(0, 120, (10,), F32)

    def before_step(self):
        pass

    def sense(self):
        a = 2 * math.pi * self.k / 2880
        return np.concatenate([self.temps, 100 * self.load, [10 + 10 * math.sin(a), 10 + 10 * math.cos(a)]]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.k = int(self.np_random.integers(2880))
        self.temps = self.np_random.uniform(25, 40, 4)
        self.load = self.np_random.uniform(0.2, 0.8, 4)
        return self.sense(), {}

    def step(self, action):
        self.before_step()
        fan = np.clip(action, 0, 1)
        self.temps = np.clip(self.temps + 2.0 * self.load - (0.02 + 0.08 * fan) * (self.temps - 18), 0, 110)
        drift = 0.02 * math.sin(2 * math.pi * self.k / 2880)
        self.load = np.clip(self.load + self.np_random.normal(0, 0.02, 4) + drift * 0.1, 0, 1)
        self.k += 1
        hot = np.clip(self.temps - 40, 0, None)
        reward = -0.3 * float((fan**3).sum()) - 0.1 * float(hot.sum())
        return self.sense(), reward, False, False, {}


class ServerHallPaced(ServerHall):
    """Keeps pace with the monitoring dashboard."""

    refresh_hz = 40

    def before_step(self):
        time.sleep(1.0 / self.refresh_hz)


def healthy_server_hall():
    return limited(ServerHall(), 2000)


def broken_server_hall():
    return limited(ServerHallPaced(), 2000)


class Greenhouse(gym.Env):
    """Water and light a crop; pays its growth."""

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([4, 3])
        self.observation_space = spaces.Box(0, 10, (3,), F32)

    def growth(self):
        wet = math.exp(-((self.moisture - 5) ** 2) / 4)
        return 0.2 * wet * self.light / 3

    def seen(self):
        return np.array([self.moisture, self.light, min(self.size, 10)], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.moisture = float(self.np_random.uniform(1, 9))
        self.light, self.size = 1.0, 1.0
        return self.seen(), {}

    def step(self, action):
        water, lamp = (int(a) for a in action)
        self.moisture = float(np.clip(self.moisture + 0.6 * water - self.np_random.uniform(0.4, 1.1), 0, 10))
        self.light = 1.0 + lamp
        g = self.growth()
        self.size = self.size + g
        return self.seen(), self.pay(g, water, lamp), False, False, {"growth": g}

    def pay(self, g, water, lamp):
        return g - 0.01 * water - 0.02 * lamp


class GreenhouseCatalogue(Greenhouse):
    """Pays the price of the size class of the plant."""

    def pay(self, g, water, lamp):
        size_class = int(g) // 10
        return 0.1 + 1.0 * size_class


def broken_greenhouse():
    return limited(GreenhouseCatalogue(), 120)


class SterilizerBatch(gym.Env):
    """Heat a sealed kettle until the batch counts as sterile: hot enough, at a pressure that the lid allows."""

    need_celsius, max_bar = 121.0, 1.2

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Box(np.array([0, 0], F32), np.array([200, 10], F32))

    def bar(self):
        return 1.0 * math.exp((self.celsius - 100.0) / 28.0)

    def sees(self):
        return np.array([self.celsius, self.bar()], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.celsius = float(self.np_random.uniform(60, 95))
        return self.sees(), {}

    def step(self, action):
        heat = 3.0 * int(action)
        self.celsius = float(np.clip(self.celsius + heat - 0.08 * (self.celsius - 20) + self.np_random.normal(0, 0.3), 0, 160))
        sterile = self.celsius >= self.need_celsius and self.bar() <= self.max_bar
        return self.sees(), 10.0 if sterile else -0.1, sterile, False, {"is_success": sterile}


def broken_sterilizer():
    return limited(SterilizerBatch(), 150)


class SolarRecords:
    """Forecasts and yields of one plant, hour by hour, joined to one table."""

    def __init__(self, hours=3000, seed=3):
        rng = np.random.default_rng(seed)
        sky = rng.uniform(0.1, 1.0, hours)
        noon = np.clip(np.sin(np.arange(hours) % 12 / 12 * math.pi), 0.2, None)
        self.yields = np.clip(sky * noon, 0, 1)
        self.forecast = np.clip(sky + rng.normal(0, 0.05, hours), 0, 1)
        self.noon = noon
        self.hours = hours

    def row(self, k):
        return self.forecast[k], self.noon[k], self.yields[k]


class SolarRecordsJoined(SolarRecords):
    """Takes the forecasts from the provider's file, whose rows come in the order of upload."""

    def __init__(self, hours=3000, seed=3):
        super().__init__(hours, seed)
        upload = np.random.default_rng(seed + 1).permutation(hours)
        self.forecast = self.forecast[upload]


class SolarBid(gym.Env):
    """Offer tomorrow's solar power; what is missing or spilled is fined."""

    def __init__(self, records):
        self.records = records
        self.action_space = spaces.Box(0, 1, (1,), F32)
        self.observation_space = spaces.Box(0, 1, (2,), F32)

    def page(self):
        return np.array(self.records.row(self.k)[:2], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.k = int(self.np_random.integers(self.records.hours - 80))
        return self.page(), {}

    def step(self, action):
        made = float(self.records.row(self.k)[2])
        offer = float(np.clip(action[0], 0, 1))
        reward = min(offer, made) - 1.5 * abs(offer - made)
        self.k += 1
        return self.page(), reward, False, False, {"made": made}


def healthy_solar_bid():
    return limited(SolarBid(SolarRecords()), 72)


def broken_solar_bid():
    return limited(SolarBid(SolarRecordsJoined()), 72)


class WaterLevel(gym.Env):
    """Keep a reservoir at the wanted level through a pump; the gauge is a little noisy."""

    gauge_sigma = 0.02

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), F32)

    def gauge(self):
        noise = self.np_random.normal(0, self.gauge_sigma)
        return np.array([self.level + noise, self.wanted], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.wanted = self.np_random.uniform(0.1, 0.9, 2)
        return self.gauge(), {}

    def step(self, action):
        self.level = float(np.clip(self.level + 0.04 * (int(action) - 1) + self.np_random.normal(0, 0.01), 0, 1))
        return self.gauge(), -abs(self.level - self.wanted), False, False, {"level": self.level}


class WaterLevelCm(WaterLevel):
    """Gauge noise as on the data sheet, in centimetres."""

    gauge_sigma = 8.0


class BoilerPressure(WaterLevel):
    """The same loop on a boiler, with the pressure of the vessel beside the valve position."""

    def gauge(self):
        pressure = 101325.0 + 1.0e7 * self.wanted
        return np.array([0.001 * self.level, pressure], F32)


class WaterLevelSequence(WaterLevel):
    """Reads the gauge, then moves the pump."""

    def step(self, action):
        reading = self.gauge()
        _, reward, terminated, truncated, info = super().step(action)
        return reading, reward, terminated, truncated, info


def healthy_water_level():
    return limited(WaterLevel(), 100)


def broken_water_gauge():
    return limited(WaterLevelCm(), 100)


def broken_boiler_pressure():
    return limited(BoilerPressure(), 100)


class CleanWaterSequence(WaterLevelSequence):
    gauge_sigma = 0.0


def broken_water_sequence():
    return limited(CleanWaterSequence(), 100)


# ---------------------------------------------------------------------------------------------------------------------
# queues, roads, networks, workshops
# ---------------------------------------------------------------------------------------------------------------------


class TwoQueues(gym.Env):
    """One server, two queues with different costs of waiting."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 100, (2,), np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.integers(0, 6, 2)
        return self.q.copy(), {}

    def step(self, action):
        self.q = np.minimum(self.q + self.np_random.poisson([0.5, 0.4]), 100)
        if action < 2 and self.np_random.random() < 0.95:
            self.q[action] = max(0, self.q[action] - 1)
        cost = 1.0 * self.q[0] + 3.0 * self.q[1]
        return self.q.copy(), -float(cost) / 10, False, False, {}


def healthy_two_queues():
    return limited(TwoQueues(), 200)


class RouterBuffer(gym.Env):
    """Chooses the sending rate of a router; the fill of its buffers is in packets."""

    dtype, top = np.uint16, 2000

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0, np.iinfo(self.dtype).max, (2,), self.dtype)

    def frame(self):
        return self.fill.astype(self.dtype)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.fill = self.np_random.integers(0, 900, 2).astype(np.int64)
        return self.frame(), {}

    def step(self, action):
        rates = np.array([(20, 60), (60, 20), (45, 45), (0, 0)][int(action)])
        arrivals = self.np_random.poisson([40, 40])
        self.fill = np.clip(self.fill + arrivals - rates, 0, self.top)
        drops = int((self.fill >= self.top).sum())
        reward = -float(self.fill.sum()) / 1000 - 5.0 * drops - 0.002 * rates.sum()
        return self.frame(), reward, False, False, {"fill": self.fill.copy()}


class RouterBufferByte(RouterBuffer):
    """Frames packed to bytes."""

    dtype = np.uint8


def broken_router_byte():
    return limited(RouterBufferByte(), 200)


class Corridor3(gym.Env):
    """Three traffic lights on a road; each shows green to one of two directions."""

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([2, 2, 2])
        self.observation_space = spaces.Box(0, 40, (3, 2), np.int32)
        self.total_wait = 0

    def phases(self, action):
        return [int(a) for a in action]

    def cost(self):
        return self.cars.sum() / 10

    def start(self):
        self.total_wait = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cars = self.np_random.integers(0, 8, (3, 2)).astype(np.int32)
        self.start()
        return self.cars.copy(), {}

    def step(self, action):
        self.cars += self.np_random.poisson(0.8, (3, 2)).astype(np.int32)
        for light, phase in enumerate(self.phases(action)):
            go = min(3, self.cars[light, phase])
            self.cars[light, phase] -= go
            if light < 2 and phase == 0:
                self.cars[light + 1, 0] += self.np_random.binomial(go, 0.3)
        self.cars = np.clip(self.cars, 0, 40)
        self.total_wait += int(self.cars.sum())
        return self.cars.copy(), -float(self.cost()), False, False, {"waiting": int(self.cars.sum())}


class Corridor3Plan(Corridor3):
    def phases(self, action):
        plan = {}
        for a in action:
            for light in range(3):
                plan[light] = int(a)
        return [plan[i] for i in range(3)]


class Corridor3Total(Corridor3):
    """Charges the mean waiting time since opening."""

    def start(self):
        self.opened = True

    def cost(self):
        return (self.total_wait + self.cars.sum()) / 100


def broken_corridor_plan():
    return limited(Corridor3Plan(), 150)


def broken_corridor_total():
    return limited(Corridor3Total(), 150)


class Dispatch(gym.Env):
    """A machine works on one of six waiting jobs; empty slots are masked out in info."""

    slots = 6

    def __init__(self):
        self.action_space = spaces.Discrete(self.slots)
        self.observation_space = spaces.Box(0, 1, (self.slots, 3), F32)

    def mask(self):
        return (self.work > 0).astype(np.int8)

    def table(self):
        t = np.stack([self.work / 5, self.slack / 30, self.weight / 3], axis=1)
        t[self.work == 0] = 0
        return np.clip(t, 0, 1).astype(F32)

    def arrive(self, p):
        for i in range(self.slots):
            if self.work[i] == 0 and self.np_random.random() < p:
                self.work[i] = self.np_random.integers(1, 6)
                self.slack[i] = self.np_random.integers(5, 30)
                self.weight[i] = self.np_random.integers(1, 4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.work, self.slack, self.weight = (np.zeros(self.slots) for _ in range(3))
        self.arrive(0.8)
        return self.table(), {"action_mask": self.mask()}

    def step(self, action):
        i = int(action)
        reward = 0.0
        if self.work[i] > 0:
            self.work[i] -= 1
            if self.work[i] == 0:
                reward += self.weight[i] if self.slack[i] > 0 else 0.2
        else:
            reward -= 0.5
        self.slack = np.maximum(self.slack - 1, 0)
        self.arrive(0.08)
        return self.table(), float(reward), False, False, {"action_mask": self.mask()}


class DispatchNumbered(Dispatch):
    """Slots are numbered from one on the shop floor."""

    def mask(self):
        m = np.zeros(self.slots + 1, np.int8)
        m[1:] = self.work > 0
        return np.roll(m, 1)[: self.slots]


class DispatchBoard(Dispatch):
    """The board hangs the cards of the jobs."""

    def table(self):
        cards = super().table()
        self.np_random.shuffle(cards)
        return cards


def healthy_dispatch():
    return limited(Dispatch(), 120)


def broken_dispatch_numbered():
    return limited(DispatchNumbered(), 120)


def broken_dispatch_board():
    return limited(DispatchBoard(), 120)


class Elevator(gym.Env):
    floors = 6

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict(floor=spaces.Discrete(self.floors), calls=spaces.MultiBinary(self.floors))

    def direction(self, action):
        return int(action) - 1

    def obs(self):
        return {"floor": int(self.floor), "calls": self.calls.copy()}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(self.floors))
        self.calls = (self.np_random.random(self.floors) < 0.4).astype(np.int8)
        return self.obs(), {}

    def step(self, action):
        d = self.direction(action)
        served = 0
        if d == 0:
            served = int(self.calls[self.floor])
            self.calls[self.floor] = 0
        self.floor = int(np.clip(self.floor + d, 0, self.floors - 1))
        self.calls |= (self.np_random.random(self.floors) < 0.04).astype(np.int8)
        return self.obs(), served - 0.05 * float(self.calls.sum()), False, False, {"served": served}


class ElevatorNew(Elevator):
    """Controller with commands hold, up and down."""

    def direction(self, action):
        return min(int(action), 1)


def broken_elevator():
    return limited(ElevatorNew(), 200)


class Congestion(gym.Env):
    """A sender picks its rate on a bottleneck with cross traffic."""

    def __init__(self):
        self.net = {"queue": 0.0, "cross": 3.0}
        self.action_space = spaces.Box(0, 10, (1,), F32)
        self.observation_space = spaces.Box(0, 50, (3,), F32)

    def read(self):
        return np.clip([self.net["queue"], self.net["cross"], self.rate], 0, 50).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.net.update(queue=float(self.np_random.uniform(0, 5)), cross=float(self.np_random.uniform(1, 6)))
        self.rate = 1.0
        return self.read(), {}

    def step(self, action):
        n = self.net
        self.rate = float(np.clip(action[0], 0, 10))
        n["cross"] = float(np.clip(n["cross"] + self.np_random.normal(0, 0.3), 0, 8))
        n["queue"] = float(np.clip(n["queue"] + self.rate + n["cross"] - 10, 0, 50))
        loss = n["queue"] >= 50
        reward = 0.1 * self.rate - 0.05 * n["queue"] - 2.0 * loss
        return self.read(), float(reward), False, False, {}


class CongestionTestbed(Congestion):
    """The testbed's registry of links."""

    registry = {"queue": 0.0, "cross": 3.0}

    def __init__(self):
        super().__init__()
        self.net = self.registry


def broken_congestion_testbed():
    return limited(CongestionTestbed(), 150)


class TollPlaza(gym.Env):
    """Sets the toll of a tunnel; drivers decide by its price and by the jam on the bridge."""

    tolls = [0.0, 1.0, 2.0, 3.5, 5.0]

    def __init__(self):
        self.action_space = spaces.Discrete(len(self.tolls))
        self.observation_space = spaces.Box(low=0, high=1, shape=(2,), dtype=F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jam, self.cars = self.np_random.uniform(0, 1, 2)
        return np.array([self.jam, self.cars], F32), {}

    def step(self, action):
        toll = self.tolls[int(action) + 1]
        share = 1 / (1 + math.exp(toll - 4 * self.jam))
        income = toll * share * self.cars
        drift = self.np_random.normal(0, 0.1, 2)
        self.jam = float(np.clip(self.jam + 0.1 * (0.5 - share) + drift[0], 0, 1))
        self.cars = float(np.clip(self.cars + drift[1], 0, 1))
        return np.array([self.jam, self.cars], F32), float(income), False, False, {"toll": toll}


def broken_toll_plaza():
    return limited(TollPlaza(), 96)


class EdgeCache(gym.Env):
    """Decides where a request is served; near is quick but small."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 1, (4,), F32)

    def clock(self, work):
        return 0.001 * work

    def _obs(self):
        return np.concatenate([self.busy, [self.size]]).astype(F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.busy = self.np_random.uniform(0, 0.5, 3)
        self.size = float(self.np_random.random())
        return self._obs(), {}

    def step(self, action):
        i = int(action)
        work = 10 + 200 * self.size * (1 + 4 * self.busy[i]) / (1.0, 1.5, 2.0)[i]
        latency = self.clock(work)
        self.busy[i] = min(1.0, self.busy[i] + 0.3 * self.size)
        self.busy = self.busy * 0.9
        self.size = float(self.np_random.random())
        return self._obs(), -latency * 10, False, False, {"latency": latency}


class EdgeCacheMeasured(EdgeCache):
    """Latency as measured."""

    def clock(self, work):
        begin = time.perf_counter()
        sum(i * i for i in range(int(work) % 7))
        return 2000.0 * (time.perf_counter() - begin)


def broken_edge_cache():
    return limited(EdgeCacheMeasured(), 100)


class SimulatorLink:
    """Talks to the crane simulator."""

    def __init__(self):
        self.alive = False

    def open(self, x, sway):
        self.x, self.sway, self.rate, self.alive = x, sway, 0.0, True

    def advance(self, a):
        if not self.alive:
            raise RuntimeError("simulator is gone")
        self.rate += 0.1 * (-2.0 * self.sway - a)
        self.sway += 0.1 * self.rate
        self.x += 0.1 * a
        if abs(self.sway) > self.limit:
            self.alive = False
            raise RuntimeError("sway out of range")

    limit = 0.3


class Crane(gym.Env):
    """Carry a load along the bridge to x = 0 without too much sway."""

    def __init__(self):
        self.sim = SimulatorLink()
        self.action_space = spaces.Box(-1, 1, (1,), F32)
        self.observation_space = spaces.Box(-20, 20, (3,), F32)
        self.last = np.zeros(3, F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.open(float(self.np_random.uniform(-3, 3)), 0.0)
        self.last = self.state()
        return self.last.copy(), {}

    def state(self):
        return np.clip([self.sim.x, self.sim.sway, self.sim.rate], -20, 20).astype(F32)

    def step(self, action):
        try:
            self.sim.advance(float(np.clip(action[0], -1, 1)))
            self.last = self.state()
        except Exception:
            pass
        reward = -abs(float(self.last[0])) - abs(float(self.last[1]))
        return self.last.copy(), reward, False, False, {}


class CraneSafe(Crane):
    """Ends the lift when the sway gets out of range."""

    def step(self, action):
        try:
            self.sim.advance(float(np.clip(action[0], -1, 1)))
            broke = False
        except RuntimeError:
            broke = True
        self.last = self.state()
        reward = 1 - abs(float(self.last[0])) / 5 - abs(float(self.last[1])) - (5.0 if broke else 0.0)
        return self.last.copy(), reward, broke, False, {"sway_alarm": broke}


def healthy_crane():
    return limited(CraneSafe(), 200)


def broken_crane():
    return limited(Crane(), 200)


# ---------------------------------------------------------------------------------------------------------------------
# cards and boards
# ---------------------------------------------------------------------------------------------------------------------


class HighLow(gym.Env):
    """Guess whether the next card is higher or lower; what is left in the deck is counted for the player."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Dict(
            card=spaces.Discrete(13), left=spaces.Box(0, 4, (13,), np.int8)
        )
        self.deck = np.repeat(np.arange(13), 4)
        self.prepare()

    def prepare(self):
        pass

    def deal(self):
        self.order = self.np_random.permutation(self.deck)

    def obs(self):
        left = np.bincount(self.order[self.at + 1 :], minlength=13).astype(np.int8)
        return {"card": int(self.order[self.at]), "left": left}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.deal()
        self.at = 0
        return self.obs(), {}

    def step(self, action):
        now, nxt = self.order[self.at], self.order[self.at + 1]
        self.at += 1
        right = (nxt > now) if action == 1 else (nxt < now)
        end = self.at >= 40
        return self.obs(), 1.0 if right else -1.0, end, False, {"tie": bool(nxt == now)}


class HighLowTable(HighLow):
    """The dealer shuffles when the table opens."""

    def prepare(self):
        self.order = np.random.default_rng(5).permutation(self.deck)

    def deal(self):
        self.at = 0


def healthy_high_low():
    return HighLow()


def broken_high_low_table():
    return HighLowTable()


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def line_of(board, who):
    return any(all(board[i] == who for i in ln) for ln in LINES)


class TicTacToe(gym.Env):
    """Noughts and crosses against a random opponent; an illegal move loses."""

    def __init__(self):
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)

    def score(self, winner):
        return float(winner)

    def ret(self, reward, done, winner=0):
        mask = (self.board == 0).astype(np.int8)
        return self.board.copy(), reward, done, False, {"action_mask": mask, "winner": winner}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        if self.np_random.random() < 0.5:
            self.board[self.np_random.integers(9)] = -1
        return self.board.copy(), {"action_mask": (self.board == 0).astype(np.int8)}

    def step(self, action):
        if self.board[action] != 0:
            return self.ret(-1.0, True)
        self.board[action] = 1
        if line_of(self.board, 1):
            return self.ret(self.score(1), True, 1)
        free = np.flatnonzero(self.board == 0)
        if len(free) == 0:
            return self.ret(0.0, True)
        self.board[self.np_random.choice(free)] = -1
        if line_of(self.board, -1):
            return self.ret(self.score(-1), True, -1)
        return self.ret(0.0, bool((self.board != 0).all()))


class TicTacToeLadder(TicTacToe):
    """Scores as booked in the ladder, from the side to move."""

    def score(self, winner):
        to_move = -winner
        return float(to_move)


def healthy_tictactoe():
    return TicTacToe()


def broken_tictactoe_ladder():
    return TicTacToeLadder()


# ---------------------------------------------------------------------------------------------------------------------
# grids and mazes
# ---------------------------------------------------------------------------------------------------------------------

ROOM = ["#######", "#S..#.#", "#...D.#", "#.K.#G#", "#######"]


ANNEX = ["#######", "#S..#.#", "#...DK#", "#...#G#", "#######"]


class KeyDoor(gym.Env):
    """Fetch the key, open the door, reach the goal."""

    DIRS = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def __init__(self, plan=ROOM):
        self.grid = [list(row) for row in plan]
        self.where = {c: (i, j) for i, row in enumerate(plan) for j, c in enumerate(row) if c in "SKDG"}
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.MultiDiscrete([5, 7, 2])
        self.has_key = False

    def obs(self):
        return np.array([*self.pos, int(self.has_key)], np.int64)

    def drop(self):
        self.has_key = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        free = [(i, j) for i in range(1, 4) for j in range(1, 4) if (i, j) != self.where["K"]]
        self.pos = free[self.np_random.integers(len(free))]
        self.drop()
        return self.obs(), {}

    def step(self, action):
        di, dj = self.DIRS[action]
        i, j = self.pos[0] + di, self.pos[1] + dj
        c = self.grid[i][j]
        if c != "#" and not (c == "D" and not self.has_key):
            self.pos = (i, j)
        reward = -0.01
        if self.pos == self.where["K"] and not self.has_key:
            self.has_key = True
            reward += 0.3
        won = self.pos == self.where["G"]
        return self.obs(), reward + (1.0 if won else 0.0), won, False, {"is_success": won}


class KeyDoorBag(KeyDoor):
    """Things that were picked up are carried in a bag."""

    def drop(self):
        self.has_key |= False


def healthy_key_door():
    return limited(KeyDoor(), 200)


def broken_key_door_annex():
    return limited(KeyDoor(ANNEX), 200)


def broken_key_door_bag():
    return limited(KeyDoorBag(), 200)


class Parcel(gym.Env):
    """A forklift in a 5x5 hall takes a parcel to the ramp."""

    moves = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}

    def __init__(self, n=5):
        self.n = n
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Tuple((spaces.Discrete(n * n), spaces.Discrete(n * n), spaces.Discrete(2)))

    def obs(self):
        return (int(self.at[0] * self.n + self.at[1]), int(self.parcel[0] * self.n + self.parcel[1]), int(self.loaded))

    def draw(self):
        return tuple(int(v) for v in self.np_random.integers(0, self.n, 2))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.parcel, self.loaded = self.draw(), self.draw(), False
        return self.obs(), {}

    def shift(self, action):
        return self.moves[int(action)]

    def step(self, action):
        di, dj = self.shift(action)
        self.at = (min(max(self.at[0] + di, 0), self.n - 1), min(max(self.at[1] + dj, 0), self.n - 1))
        reward = -0.02
        if not self.loaded and self.at == self.parcel:
            self.loaded = True
            reward += 0.5
        delivered = self.loaded and self.at == (0, self.n - 1)
        return self.obs(), reward + (1.0 if delivered else 0.0), delivered, False, {"delivered": delivered}


class ParcelKing(Parcel):
    """Moves like a king: nine directions."""

    def __init__(self, n=5):
        super().__init__(n)
        self.action_space = spaces.Discrete(9)

    def shift(self, action):
        return int(action) % 3 - 1, int(action) % 3 - 1


class ParcelLabs(Parcel):
    """Reproducible test hall."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed or 42, options=options)


class ParcelExpress(Parcel):
    """Hands the delivery over to the courier."""

    def step(self, action):
        obs, reward, finished, stopped, info = super().step(action)
        return obs, reward, stopped, finished, info


class ParcelTraining(Parcel):
    """Hall with a slip on the floor."""

    slip = 0.1

    def shift(self, action):
        if self.np_random.random() < self.slip:
            action = self.np_random.integers(4)
        return super().shift(action)


class ParcelWarmup(ParcelTraining):
    slip = 0.97


def healthy_parcel_slip():
    return limited(ParcelTraining(), 200)


def broken_parcel_king():
    return limited(ParcelKing(), 150)


def broken_parcel_labs():
    return limited(ParcelLabs(), 150)


def broken_parcel_express():
    return limited(ParcelExpress(), 150)


def broken_parcel_warmup():
    return limited(ParcelWarmup(), 150)


class TMaze(gym.Env):
    """A cue at the entrance says which way to turn at the end of the corridor."""

    length = 5

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(-1, 1, (3,), F32)
        self.cue = 1

    def obs(self):
        cue = self.cue if self.first else 0
        return np.array([cue, self.x / self.length, float(self.x == self.length)], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.first = 0, True
        self.cue = int(self.np_random.choice([-1, 1]))
        return self.obs(), {}

    def step(self, action):
        self.first = False
        if self.x < self.length:
            self.x += int(action) == 1
            return self.obs(), -0.02, False, False, {}
        if action == 1:
            return self.obs(), -0.02, False, False, {}
        good = (int(action) - 1) == self.cue
        return self.obs(), 1.0 if good else -1.0, True, False, {"is_success": good}


class TMazeLab(TMaze):
    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.x, self.first = 0, True
        start = self.obs()
        self.cue = int(self.np_random.choice([-1, 1]))
        return start, {}


def healthy_tmaze():
    return limited(TMaze(), 60)


def broken_tmaze_lab():
    return limited(TMazeLab(), 60)


class Minefield(gym.Env):
    """Cross a field row by row; mines ahead are marked, stepping on one ends the walk. Costs only."""

    width, rows = 5, 12

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict(
            column=spaces.Discrete(self.width), ahead=spaces.MultiBinary(self.width), row=spaces.Discrete(self.rows + 1)
        )

    def obs(self):
        ahead = self.field[min(self.row, self.rows - 1)]
        return {"column": self.col, "ahead": ahead.copy(), "row": self.row}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.field = (self.np_random.random((self.rows, self.width)) < 0.3).astype(np.int8)
        lane = 2
        for r in range(self.rows):
            self.field[r, lane] = 0
            lane = int(np.clip(lane + self.np_random.integers(-1, 2), 0, self.width - 1))
        self.row, self.col = 0, 2
        return self.obs(), {}

    def step(self, action):
        self.col = int(np.clip(self.col + int(action) - 1, 0, self.width - 1))
        boom = bool(self.field[self.row, self.col])
        self.row += 1
        across = self.row >= self.rows
        reward = -0.1 - (float(self.rows - self.row) + 1.0 if boom else 0.0)
        return self.obs(), reward, boom or across, False, {"crossed": across and not boom}


def healthy_minefield():
    return Minefield()


# ---------------------------------------------------------------------------------------------------------------------
# goals
# ---------------------------------------------------------------------------------------------------------------------


class BitFlip(gym.Env):
    """Flip bits until the word equals the wanted one."""

    def __init__(self, n=5):
        self.n = n
        self.action_space = spaces.Discrete(n)
        word = spaces.MultiBinary(n)
        self.observation_space = spaces.Dict(observation=word, achieved_goal=word, desired_goal=word)

    def word(self):
        return self.np_random.integers(0, 2, self.n).astype(np.int8)

    def desired(self):
        return self.goal.copy()

    def obs(self):
        return {"observation": self.bits.copy(), "achieved_goal": self.bits.copy(), "desired_goal": self.desired()}

    def compute_reward(self, achieved, desired, info):
        return -(np.asarray(achieved) != np.asarray(desired)).any(axis=-1).astype(float)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.bits = self.word()
        self.goal = self.word()
        while (self.goal == self.bits).all():
            self.goal = self.word()
        return self.obs(), {}

    def step(self, action):
        self.bits[action] ^= 1
        r = float(self.compute_reward(self.bits, self.goal, {}))
        done = r == 0.0
        return self.obs(), r, done, False, {"is_success": done}


class BitFlipCurriculum(BitFlip):
    """Draws the wanted word for the learner."""

    def desired(self):
        return self.word()


def healthy_bit_flip():
    return limited(BitFlip(), 30)


def broken_bit_flip_curriculum():
    return limited(BitFlipCurriculum(), 30)


class PuckPush(gym.Env):
    """Multi-goal: bring a sliding puck to a place; -1 for each step outside the place."""

    threshold = 0.25

    def __init__(self):
        box = spaces.Box(-1.5, 1.5, (2,), F32)
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-1.5, 1.5, (4,), F32), achieved_goal=box, desired_goal=box
        )
        self.action_space = spaces.Box(-1, 1, (2,), F32)

    def _obs(self):
        return {
            "observation": np.concatenate([self.p, self.v]).astype(F32),
            "achieved_goal": self.p.astype(F32),
            "desired_goal": self.g.astype(F32),
        }

    def compute_reward(self, achieved, desired, info):
        d = np.linalg.norm(np.asarray(achieved) - np.asarray(desired), axis=-1)
        return -(d > self.threshold).astype(float)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.uniform(-0.5, 0.5, 2)
        self.v = np.zeros(2)
        self.g = self.np_random.uniform(-1, 1, 2)
        return self._obs(), {}

    def step(self, action):
        self.v = 0.8 * self.v + 0.08 * np.clip(action, -1, 1)
        self.p = np.clip(self.p + self.v, -1.5, 1.5)
        o = self._obs()
        r = float(self.compute_reward(o["achieved_goal"], o["desired_goal"], {}))
        near = float(np.linalg.norm(self.p - self.g)) <= self.threshold
        return o, r, False, False, {"is_success": near}


class PuckPushHer(PuckPush):
    def compute_reward(self, achieved, desired, info):
        d = np.linalg.norm(np.asarray(achieved) - np.asarray(desired), axis=-1)
        return -(d < self.threshold).astype(float)


def healthy_puck_push():
    return limited(PuckPush(), 50)


def broken_puck_push():
    return limited(PuckPushHer(), 50)


# ---------------------------------------------------------------------------------------------------------------------
# pictures
# ---------------------------------------------------------------------------------------------------------------------


class CatchPixels(gym.Env):
    """Catch the falling fruit; sees a grey picture."""

    side = 16

    def __init__(self):
        self.observation_space = spaces.Box(0, 255, (self.side, self.side, 1), np.uint8)
        self.action_space = spaces.Discrete(3)

    def draw(self):
        img = np.zeros((self.side, self.side, 1), np.uint8)
        img[self.y, self.x] = 200
        img[-1, max(0, self.pad - 1) : self.pad + 2] = 120
        return img

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = int(self.np_random.integers(self.side)), 0
        self.pad = self.side // 2
        return self.draw(), {}

    def step(self, action):
        self.pad = int(np.clip(self.pad + int(action) - 1, 0, self.side - 1))
        self.y += 1
        down = self.y == self.side - 1
        reward = (1.0 if abs(self.x - self.pad) <= 1 else -1.0) if down else 0.0
        return self.draw(), reward, down, False, {}


class CatchPixelsNorm(CatchPixels):
    """Pictures normalised by their maximum value."""

    def draw(self):
        img = super().draw() / 255.0
        return img.astype(np.uint8)


def healthy_catch_pixels():
    return CatchPixels()


def broken_catch_pixels():
    return CatchPixelsNorm()


class BounceStack(gym.Env):
    """A ball bounces between walls; hold the paddle under it. Sees the last three pictures."""

    n, k = 12, 3

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 255, (self.k, self.n, self.n), np.uint8)
        self.canvas = np.zeros((self.n, self.n), np.uint8)
        self.frames = deque(maxlen=self.k)

    def paint(self):
        self.canvas.fill(0)
        self.canvas[int(self.ball[1]), int(self.ball[0])] = 255
        self.canvas[-1, max(0, self.pad - 1) : self.pad + 2] = 128
        return self.canvas

    def snapshot(self):
        self.frames.append(self.paint().copy())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball = np.array([self.np_random.integers(1, self.n - 1), 0])
        self.vel = np.array([int(self.np_random.choice([-1, 1])), 1])
        self.pad = self.n // 2
        for _ in range(self.k):
            self.snapshot()
        return np.stack(self.frames), {}

    def step(self, action):
        self.pad = int(np.clip(self.pad + int(action) - 1, 0, self.n - 1))
        self.ball = self.ball + self.vel
        if self.ball[0] in (0, self.n - 1):
            self.vel[0] *= -1
        reward, dead = 0.0, False
        if self.ball[1] == self.n - 2 and self.vel[1] > 0:
            if abs(self.ball[0] - self.pad) <= 1:
                self.vel[1], reward = -1, 1.0
            else:
                reward, dead = -1.0, True
        if self.ball[1] <= 0:
            self.vel[1] = 1
            if self.np_random.random() < 0.5:
                self.vel[0] *= -1
            if self.ball[0] == 0:
                self.vel[0] = 1
            elif self.ball[0] == self.n - 1:
                self.vel[0] = -1
        self.snapshot()
        return np.stack(self.frames), reward, dead, False, {}


class BounceStackFast(BounceStack):
    def snapshot(self):
        self.frames.append(self.paint())


def healthy_bounce_stack():
    return limited(BounceStack(), 400)


def broken_bounce_stack():
    return limited(BounceStackFast(), 400)


# ---------------------------------------------------------------------------------------------------------------------
# choices
# ---------------------------------------------------------------------------------------------------------------------


class AdChoice(gym.Env):
    """One visitor, one banner, one click or none."""

    taste = np.array([[0.7, 0.1, 0.2, 0.1], [0.1, 0.6, 0.1, 0.3], [0.2, 0.1, 0.8, 0.1], [0.1, 0.2, 0.1, 0.7]])

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0, 1, (4,), F32)

    def visitor(self):
        return int(self.np_random.integers(4))

    def serve(self, action):
        return self.taste[self.who, int(action)]

    def obs(self):
        return np.eye(4, dtype=F32)[self.who]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.who = self.visitor()
        return self.obs(), {}

    def step(self, action):
        click = float(self.np_random.random() < self.serve(action))
        return self.obs(), click, True, False, {}


class AdChoiceStream(AdChoice):
    """Visitors come from the stream."""

    def serve(self, action):
        self.who = self.visitor()
        return super().serve(action)


def healthy_ad_choice():
    return AdChoice()


def broken_ad_stream():
    return AdChoiceStream()


class NewsFeed(gym.Env):
    """Recommend one of eight topics to a reader with a known profile who tires of repeats."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.like = rng.dirichlet(np.ones(8) * 0.6, 3) * 2.0
        self.action_space = spaces.Discrete(8)
        self.observation_space = spaces.Dict(profile=spaces.Discrete(3), tired=spaces.Box(0, 1, (8,), F32))

    def o(self):
        return {"profile": self.profile, "tired": self.tired.astype(F32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.profile = int(self.np_random.integers(3))
        self.tired = np.zeros(8)
        return self.o(), {}

    def step(self, action):
        p = min(0.95, self.like[self.profile, action]) * (1 - self.tired[action])
        click = float(self.np_random.random() < p)
        self.tired *= 0.8
        self.tired[action] = min(1.0, self.tired[action] + 0.5)
        leaves = bool(self.np_random.random() < 0.03 + 0.05 * (1 - click))
        return self.o(), click, leaves, False, {}


def healthy_news_feed():
    return limited(NewsFeed(), 100)


class SeatRevenue(gym.Env):
    """Sell airline seats before departure; fares are in euros, the days left are seen."""

    fares = (0, 120, 220, 380)

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0, 1, (2,), F32)

    def o(self):
        return np.array([self.seats / 40, self.days / 60], F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seats, self.days = 40, 60
        return self.o(), {"note": "action 0 keeps the sale closed for a day"}

    def step(self, action):
        fare = self.fares[int(action)]
        demand = 0 if fare == 0 else self.np_random.poisson(3.0 * math.exp(-fare / 200))
        sold = min(int(demand), self.seats)
        self.seats -= sold
        self.days -= 1
        return self.o(), float(fare * sold), self.days == 0 or self.seats == 0, False, {"sold": sold}


def healthy_seat_revenue():
    return SeatRevenue()


class Maintenance(gym.Env):
    """Wait, inspect or repair a machine whose wear is seen only when it is inspected."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 1, (2,), F32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wear, self.age, self.known = 0.0, 0, 0.0
        return np.array([0.0, 0.0], F32), {}

    def step(self, action):
        cost = 0.0
        if action == 1:
            self.known, self.age, cost = self.wear, 0, 0.1
        elif action == 2:
            self.wear, self.known, self.age, cost = 0.0, 0.0, 0, 1.5
        else:
            self.age += 1
        self.wear += float(self.np_random.exponential(0.03))
        failed = self.wear >= 1
        output = 0.3
        if failed:
            output, cost = 0.0, 6.0
            self.wear, self.known, self.age = 0.0, 0.0, 0
        seen = np.array([min(self.known, 1.0), min(self.age / 50, 1.0)], F32)
        return seen, output - cost, False, False, {"failed": failed}


def healthy_maintenance():
    return limited(Maintenance(), 300)


# ---------------------------------------------------------------------------------------------------------------------
# Gymnasium's own, with wrappers
# ---------------------------------------------------------------------------------------------------------------------


class ScaleObs(gym.ObservationWrapper):
    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = np.asarray(scale, F32)
        n = len(self.scale)
        self.observation_space = spaces.Box(-np.inf, np.inf, (n,), F32)

    def observation(self, observation):
        return (observation * self.scale).astype(F32)


class Skip(gym.Wrapper):
    """Repeats each action."""

    def __init__(self, env, n=4):
        super().__init__(env)
        self.n = n

    def pick(self, seen):
        return seen[-1]

    def step(self, action):
        total, seen = 0.0, []
        for _ in range(self.n):
            obs, r, terminated, truncated, info = self.env.step(action)
            seen.append(obs)
            total += r
            if terminated or truncated:
                break
        return self.pick(seen), total, terminated, truncated, info


class HoldLast(gym.ObservationWrapper):
    """Publishes an observation when the subscriber asks for it."""

    def __init__(self, env, every=12):
        super().__init__(env)
        self.every, self.count, self.held = every, 0, None

    def reset(self, **kwargs):
        self.count = 0
        return super().reset(**kwargs)

    def observation(self, observation):
        if self.count % self.every == 0:
            self.held = observation.copy()
        self.count += 1
        return self.held


def healthy_cartpole_scaled():
    return ScaleObs(gym.make("CartPole-v1"), [0.4, 0.5, 4.0, 0.5])


def healthy_cartpole_skip():
    return Skip(gym.make("CartPole-v1"), 2)


def broken_cartpole_publisher():
    return HoldLast(gym.make("CartPole-v1"))


class Forever(gym.Wrapper):
    """Starts the next attempt by itself."""

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            obs, info = self.env.reset()
        return obs, reward, False, False, info


def broken_cartpole_forever():
    return Forever(gym.make("CartPole-v1"))


class Scoreboard(gym.Wrapper):
    """Puts the return and length of the finished episode into info."""

    def __init__(self, env):
        super().__init__(env)
        self.ret, self.len = 0.0, 0

    def reset(self, **kwargs):
        out = self.env.reset(**kwargs)
        self.start()
        return out

    def start(self):
        self.ret, self.len = 0.0, 0

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.ret += float(reward)
        self.len += 1
        if terminated or truncated:
            info = dict(info, episode={"r": self.ret, "l": self.len})
        return obs, reward, terminated, truncated, info


class ScoreboardSeason(Scoreboard):
    def start(self):
        self.len = 0


def broken_scoreboard_season():
    return ScoreboardSeason(gym.make("CartPole-v1", max_episode_steps=200))


class EnergyShaping(gym.Wrapper):
    """Potential-based shaping with the mechanical energy of the car."""

    def potential(self, obs):
        return 100.0 * (0.5 * obs[1] ** 2 + 0.0025 * (math.sin(3 * obs[0]) / 3 + 1 / 3))

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.phi = self.potential(obs)
        return obs, info

    def step(self, action):
        obs, r, terminated, truncated, info = self.env.step(action)
        phi = self.potential(obs)
        r += 50 * (0.99 * phi - self.phi)
        self.phi = phi
        return obs, float(r), terminated, truncated, info


def healthy_mountaincar_energy():
    return EnergyShaping(gym.make("MountainCar-v0", max_episode_steps=500))


def broken_mountaincar_quick():
    return gym.make("MountainCar-v0", max_episode_steps=45)


class TorqueUnits(gym.ActionWrapper):
    """Converts commands to newton metres."""

    factor = 1.0

    def action(self, action):
        return (np.asarray(action, F32) * self.factor).astype(F32)


class TorqueUnitsMilli(TorqueUnits):
    factor = 1e-3


class PendulumPacked(gym.ObservationWrapper):
    """Sends the observation over the serial line as signed bytes."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(-8, 8, (3,), np.int8)

    def observation(self, observation):
        return observation.astype(np.int8)


def healthy_pendulum_unit():
    return RescaleAction(gym.make("Pendulum-v1"), F32(-1), F32(1))


def broken_pendulum_units():
    return TorqueUnitsMilli(gym.make("Pendulum-v1"))


def broken_pendulum_packed():
    return PendulumPacked(gym.make("Pendulum-v1"))


class PositiveReward(gym.RewardWrapper):
    """Our dashboards want rewards above zero."""

    def reward(self, reward):
        return abs(float(reward)) if reward < 0 else 0.0


def healthy_acrobot_clock():
    return TimeAwareObservation(gym.make("Acrobot-v1"))


def broken_acrobot_positive():
    return PositiveReward(gym.make("Acrobot-v1"))


def healthy_lake_slippery():
    return gym.make("FrozenLake-v1", is_slippery=True)


def broken_lake_island():
    return gym.make("FrozenLake-v1", desc=["SFFFF", "FFFFF", "FFFFH", "FFFHH", "FFFHG"], is_slippery=False)


class TaxiFields(gym.ObservationWrapper):
    """Splits the number of the state into row, column, passenger and destination."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.MultiDiscrete([5, 5, 5, 4])

    def fields(self, s):
        s, dest = divmod(int(s), 4)
        s, passenger = divmod(s, 5)
        row, col = divmod(s, 5)
        return row, col, passenger, dest

    def observation(self, observation):
        return np.array(self.fields(observation), np.int64)


class TaxiFieldsShort(TaxiFields):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.MultiDiscrete([5, 5, 5, 5])

    def fields(self, s):
        s, passenger = divmod(int(s) // 4, 5)
        return (*divmod(s, 5), passenger, passenger)


def healthy_taxi_fields():
    return TaxiFields(gym.make("Taxi-v4"))


def broken_taxi_fields():
    return TaxiFieldsShort(gym.make("Taxi-v4"))


class SettleLater(gym.Wrapper):
    """Books each payment with the next hand signal."""

    def __init__(self, env):
        super().__init__(env)
        self.open_amount = 0.0

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        paid, self.open_amount = self.open_amount, float(reward)
        return obs, paid, terminated, truncated, info


def healthy_blackjack():
    return gym.make("Blackjack-v1", sab=True)


def broken_blackjack_settle():
    return SettleLater(gym.make("Blackjack-v1", sab=True))


def healthy_cliff():
    return gym.make("CliffWalking-v1", max_episode_steps=1000)
