"""Member environments stepped in a loop, each reset in the step in which its episode ends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .spaces import ActionCode, ObservationCode


@dataclass
class Step:
    """One step of all members; `following` is what came of the action, before any reset."""

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    following: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    started: np.ndarray
    masks: np.ndarray | None


class Members:
    """Steps its environments with one drawn action each; `observations` are what to act on now."""

    def __init__(self, make_env: Callable[[], Any], count: int, seed: int, fault: str = "") -> None:
        self.fault, self.random = fault, np.random.default_rng(seed)
        self.envs = [make_env() for _ in range(count)]
        if fault == "W01":  # the same environment in every place
            self.envs = [self.envs[0]] * count
        self.code = ObservationCode(self.envs[0].observation_space, fault)
        self.actions = ActionCode(self.envs[0].action_space, fault)
        self.masked = hasattr(self.envs[0].unwrapped, "action_masks")
        self.observations = np.stack([self.code(env.reset(seed=seed + i)[0]) for i, env in enumerate(self.envs)])
        self.started = np.ones(count, dtype=bool)
        self.waiting = np.zeros(count, dtype=bool)
        self.last_rewards = np.zeros(count, dtype=np.float32)
        self.past: list[tuple[np.ndarray, float]] = []

    def masks(self) -> np.ndarray | None:
        if not self.masked:
            return None
        return np.stack([np.asarray(env.unwrapped.action_masks(), dtype=bool).reshape(-1) for env in self.envs])

    def step(self, drawn: np.ndarray, masks: np.ndarray | None = None) -> Step:
        # O01 keeps the array that the next step writes into
        observations = self.observations if self.fault == "O01" else self.observations.copy()
        started, count = self.started, len(self.envs)
        self.started = np.zeros(count, dtype=bool)
        following = np.empty_like(self.observations)
        rewards = np.zeros(count, dtype=np.float32)
        terminated, truncated = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        for i in range(count):
            following[i], rewards[i], terminated[i], truncated[i] = self._step_one(i, drawn[i])
        step = Step(observations, drawn, rewards, following, terminated, truncated, started, masks)
        return self._as_learned(step)

    def _step_one(self, i: int, drawn: np.ndarray) -> tuple[np.ndarray, float, bool, bool]:
        env = self.envs[i]
        if self.waiting[i]:  # E04: the reset takes a step of its own
            self.waiting[i] = False
            self.observations[i] = self.code(env.reset()[0])
            return self.observations[i].copy(), 0.0, False, False
        observation, reward, terminated, truncated, _ = env.step(self.actions.native(self._carried_out(drawn)))
        following = self.code(observation)
        if terminated or truncated:
            self.started[i] = True
            if self.fault == "E04":
                self.waiting[i] = True
                self.observations[i] = following
            else:
                self.observations[i] = self.code(env.reset()[0])
                if self.fault == "W02":  # what is stored as the outcome is the next episode's start
                    following = self.observations[i].copy()
        elif self.fault != "E06":  # E06: the agent goes on acting on the first observation
            self.observations[i] = following
        return following, float(reward), bool(terminated), bool(truncated)

    def _carried_out(self, drawn: np.ndarray) -> np.ndarray:
        if self.fault != "W03":
            return drawn
        if self.actions.continuous:  # W03: the actuator turns the other way
            return -drawn
        return (drawn + 1) % np.array(self.actions.choices)  # W03: counted from one

    def _as_learned(self, step: Step) -> Step:
        """What reaches the learner."""
        fault = self.fault
        if fault == "E01":
            step.terminated = np.zeros_like(step.terminated)
            step.truncated = np.zeros_like(step.truncated)
        elif fault == "E02":
            step.terminated = step.terminated | step.truncated
        elif fault == "E10":
            self._mix_up(step)
        elif fault == "R01":
            step.rewards = -step.rewards
        elif fault == "R03":
            step.rewards, self.last_rewards = self.last_rewards, step.rewards
        elif fault == "R04":
            step.rewards = np.clip(step.rewards, -1.0, 1.0)
        elif fault == "R06":
            step.rewards = step.rewards * 1000.0
        elif fault == "W04":  # the sign is lost
            step.rewards = np.abs(step.rewards)
        elif fault == "W05":
            step.rewards = np.roll(step.rewards, 1)
        elif fault == "W06":
            step.terminated, step.truncated = np.roll(step.terminated, 1), np.roll(step.truncated, 1)
        return step

    def _mix_up(self, step: Step) -> None:
        for i in range(len(self.envs)):
            self.past.append((step.following[i].copy(), float(step.rewards[i])))
            if self.random.random() < 0.3:
                step.following[i], step.rewards[i] = self.past[self.random.integers(len(self.past))]
