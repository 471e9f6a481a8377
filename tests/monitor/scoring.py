"""Evaluations of a policy at random in a real environment, and what is printed of them, rightly or not."""

from __future__ import annotations

import gymnasium
import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Rollout
from weaklink.collect.monitor.told_scores import ToldScores
from weaklink.collect.monitor.trained_scores import TrainedScores


class Walk(gymnasium.Env):
    """A walk to the right, whose steps cost more the further it is from the goal."""

    observation_space = gymnasium.spaces.Box(-1.0, 2.0, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-0.5, 0.5))
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place += 0.3 if action else -0.1
        return np.array([self.place], np.float32), self.place - 1.0, self.place >= 1.0, False, {}


def evaluate(env: gymnasium.Env, fault: str, episodes: int = 4) -> tuple[list[float], list[tuple[float, int, float]]]:
    """The scores as somebody adds them up, and the episodes as they were."""
    scores, played, score = [], [], 0.0
    for _ in range(episodes):
        env.reset()
        total, length, over = 0.0, 0, False
        score = score if fault == "never set back" else 0.0
        while not over:
            _, reward, over, _, _ = env.step(env.action_space.sample())
            total, length = total + reward, length + 1
            score = reward if fault == "last reward" else score + reward
        scores.append(score)
        played.append((total, length, reward))
    return scores, played


def tell(fault: str = "", line: str = "step {step} | eval return {mean:.2f} +- {std:.2f}", evaluations: int = 4):
    """The scores that were printed in so many evaluations."""
    env, told = Walk(), ToldScores()
    env.reset(seed=0)
    env.action_space.seed(0)
    for number in range(evaluations):
        scores, played = evaluate(env, fault)
        printed = line.format(
            step=1000 * number, mean=np.mean(scores), std=np.std(scores), best=max(scores), own=number / 7
        )
        told.note(printed, played)
    return told


def print_training(
    fault: str = "", line: str = "episode {episode} mean return {mean:.2f}", lines: int = 12
) -> TrainedScores:
    """The scores that were printed in a training, of the last ten episodes after every ten."""
    env, told = Walk(), TrainedScores()
    env.reset(seed=0)
    env.action_space.seed(0)
    scores: list[float] = []
    for number in range(lines):
        for _ in range(10):
            (score,), ((total, _, _),) = evaluate(env, "", 1)
            told.add(total)
            scores.append(scores[-1] + score if fault == "never set back" and scores else score)
        mean = max(scores) if fault == "best" else np.mean(scores[-10:])
        told.note(line.format(episode=10 * number, mean=mean))
    return told


def trained_rollout(fault: str = "", **options) -> Rollout:
    """What a run shows at its end that printed these scores."""
    flaws, looked = print_training(fault, **options).find_flaws()
    return look(recovered=RecoveredUpdate(flaws=flaws, looked=looked))


def told_rollout(fault: str = "", **options) -> Rollout:
    """What a run shows at its end that printed these scores."""
    flaws, looked = tell(fault, **options).find_flaws()
    return look(recovered=RecoveredUpdate(flaws=flaws, looked=looked))
