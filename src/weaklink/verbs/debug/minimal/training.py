"""One training of the smallest agent on one version of the task. Runs where the target is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.verbs.debug.minimal.easing import build_maker
from weaklink.verbs.debug.minimal.evidence import PlayedEpisodes, TrainingAttempt
from weaklink.verbs.debug.minimal.plan import AttemptJob
from weaklink.verbs.debug.minimal.playing import play_episodes
from weaklink.verbs.debug.target import CaseTarget, LoadedTarget

POINTS = 40
SHARE_PLAYED = 0.25
"""Of the seconds of a training, for random play and again for what was learnt."""

TELL_EVERY = 0.5


class EpisodeRecorder:
    """The episodes of a training."""

    def __init__(self) -> None:
        self.steps = 0
        self.episodes: list[tuple[int, float]] = []

    def stepped(self) -> None:
        """One more step was taken."""
        self.steps += 1

    def ended(self, total: float, length: int) -> None:
        """An episode ended."""
        self.episodes.append((self.steps, total))


def train_attempt(
    job: AttemptJob, target: CaseTarget, thing: LoadedTarget, tell: Callable[[int], None]
) -> TrainingAttempt:
    """Random play, a short training, and what the trained agent then earns."""
    began = time.monotonic()
    small = import_module("weaklink.adapters.sb3.smallest")
    heard = EpisodeRecorder()
    make = build_maker(job.task, target, thing, pay_part=True)
    whole = build_maker(job.task, target, thing, pay_part=False)
    watched = import_module("weaklink.adapters.gymnasium.episodes").Watched
    trial = whole()
    random = _play_randomly(trial, job)
    agent = small.Smallest(lambda: watched(make(), heard), job.algorithm, job.seed, job.gamma)
    steps = agent.learn(job.steps, _make_time_check(job.seconds, tell))
    masks = small.masks_of(trial, job.algorithm)
    after = _play_agent(trial, lambda: agent.player(masks), job, 1000)
    agent.close()
    trial.close()
    return TrainingAttempt(
        task=job.task.name,
        seed=job.seed,
        steps=steps,
        seconds=time.monotonic() - began,
        random=random,
        trained=after,
        curve=_merge_episodes(heard.episodes),
        late=steps < job.steps,
    )


def _play_randomly(env: Any, job: AttemptJob) -> PlayedEpisodes:
    env.action_space.seed(job.seed)
    allowed = getattr(env, "get_wrapper_attr", None)

    def act(observation: Any) -> Any:
        if job.algorithm == "MaskablePPO" and allowed is not None:
            return env.action_space.sample(np.asarray(allowed("action_masks")(), dtype=np.int8))
        return env.action_space.sample()

    return _play_agent(env, lambda: act, job, 0)


def _play_agent(env: object, player: Callable[[], Callable[[Any], Any]], job: AttemptJob, seed: int) -> PlayedEpisodes:
    seconds = job.seconds * SHARE_PLAYED
    return play_episodes(env, player, job.episodes, seconds, job.parts, 10_000 * (job.seed + 1) + seed)


def _make_time_check(seconds: float, tell: Callable[[int], None]) -> Callable[[int], bool]:
    """Whether a training goes on; tells now and then how far it is."""
    until = time.monotonic() + seconds
    told = 0.0

    def going(steps: int) -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > TELL_EVERY:
            told = now
            tell(steps)
        return now < until

    return going


def _merge_episodes(episodes: list[tuple[int, float]]) -> tuple[tuple[float, float], ...]:
    """Training episodes merged into a few points: the step of the last and the mean of their returns."""
    if not episodes:
        return ()
    pieces = np.array_split(np.asarray(episodes, dtype=float), min(len(episodes), POINTS))
    return tuple((float(piece[-1, 0]), float(piece[:, 1].mean())) for piece in pieces)
