"""The tape of environments: what each really gave, whoever wrapped it and however it is reset."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from weaklink.adapters.gymnasium.listening import listen
from weaklink.adapters.gymnasium.tape import MOST_GONE, TapeRecorder
from weaklink.adapters.gymnasium.taped import wrap
from weaklink.base.evidence.update import Tape


@pytest.fixture
def recorder():
    recorder = TapeRecorder()
    forget = listen(recorder)
    yield recorder
    forget()


class Counting(gymnasium.Env):
    """Counts its steps in its observation, gives the action as reward, and ends by itself after `length` steps."""

    observation_space = gymnasium.spaces.Box(-1e3, 1e3, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def __init__(self, length: int = 4) -> None:
        self.length, self.episode, self.at = length, 0, 0

    def _look(self) -> np.ndarray:
        return np.array([self.episode, self.at], np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.episode, self.at = self.episode + 1, 0
        return self._look(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at += 1
        return self._look(), float(action), self.at >= self.length, False, {}


def play(env: Any, steps: int, members: int) -> tuple[list[Any], list[Any]]:
    """Steps a vector and keeps what the caller was given."""
    seen, _ = env.reset(seed=0)
    observations, rewards = [], []
    for step in range(steps):
        observations.append(seen)
        seen, reward, *_ = env.step(np.arange(members) + step % 2)
        rewards.append(reward)
    return observations, rewards


def only(recorder: TapeRecorder) -> Tape:
    (tape,) = recorder.read()
    return tape


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_a_vector_is_written_down_as_its_caller_saw_it(recorder: TapeRecorder, mode: AutoresetMode) -> None:
    envs = SyncVectorEnv([lambda: Counting(4), lambda: Counting(6)], autoreset_mode=mode)
    observations, rewards = play(envs, 20, 2)
    tape = only(recorder)
    assert (tape.members, tape.times, tape.environment) == (2, 20, "Counting")
    assert np.array_equal(tape.observations.reshape(20, 2, 2), np.array(observations))
    assert np.array_equal(tape.rewards.reshape(20, 2), np.array(rewards))
    assert np.array_equal(tape.stamps.reshape(20, 2)[:, 0], np.arange(20))
    assert tape.known.all()
    ends = np.flatnonzero(tape.terminated)
    assert len(ends)
    # the observation after an end is the last of its episode, however the vector begins the next one
    assert set(tape.next_observations[ends, 1]) == {4.0, 6.0}
    assert np.array_equal(tape.next_observations[ends, 0], tape.observations[ends, 0])


def test_only_a_reset_at_the_next_step_leaves_a_step_that_was_none(recorder: TapeRecorder) -> None:
    play(SyncVectorEnv([Counting] * 2, autoreset_mode=AutoresetMode.NEXT_STEP), 15, 2)
    tape = only(recorder)
    ended = tape.terminated.reshape(15, 2)
    assert np.array_equal(tape.fillers.reshape(15, 2)[1:], ended[:-1])
    assert (tape.rewards[tape.fillers] == 0.0).all()


def test_a_reset_of_all_members_leaves_none(recorder: TapeRecorder) -> None:
    envs = SyncVectorEnv([Counting] * 2, autoreset_mode=AutoresetMode.NEXT_STEP)
    play(envs, 4, 2)  # the episodes end with the last step
    play(envs, 4, 2)
    assert not only(recorder).fillers.any()


def test_a_vector_that_does_not_give_last_observations_says_so(recorder: TapeRecorder) -> None:
    class Silent(gymnasium.vector.VectorWrapper):
        def step(self, actions: Any) -> Any:
            *rest, _ = self.env.step(actions)
            return (*rest, {})

    play(Silent(SyncVectorEnv([Counting] * 2, autoreset_mode=AutoresetMode.SAME_STEP)), 10, 2)
    tape = only(recorder)
    assert np.array_equal(tape.known, ~tape.terminated)


def test_of_nested_wrappers_only_what_the_caller_gets_counts(recorder: TapeRecorder) -> None:
    env = gymnasium.wrappers.TransformReward(gymnasium.wrappers.TimeLimit(Counting(9), 3), lambda reward: 10 * reward)
    env.reset(seed=0)
    results = [env.step(2) for _ in range(3)]
    tape = only(recorder)
    assert tape.rewards.tolist() == [20.0, 20.0, 20.0]
    assert tape.truncated.tolist() == [False, False, True]
    assert results[-1][3] is True


def test_single_environments_that_go_in_step_are_one_tape(recorder: TapeRecorder) -> None:
    envs = [Counting(5) for _ in range(3)]
    other = Counting(50)
    for env in (*envs, other):
        env.reset()
    other.step(0)
    for step in range(12):
        for place, env in enumerate(envs):
            if env.step(place)[2]:
                env.reset()
        assert env.at == (step + 1) % 5
    together = next(tape for tape in recorder.read() if tape.members == 3)
    assert together.times == 12
    assert np.array_equal(together.rewards.reshape(12, 3), np.tile([0.0, 1.0, 2.0], (12, 1)))


def test_classes_that_are_defined_later_are_heard_and_given_back(recorder: TapeRecorder) -> None:
    class Later(Counting):
        def step(self, action: Any) -> Any:
            return super().step(action)

    env = Later()
    env.reset()
    env.step(3)
    assert only(recorder).rewards.tolist() == [3.0]


def test_an_environment_in_another_process_is_not_disturbed(recorder: TapeRecorder) -> None:
    envs = AsyncVectorEnv([Counting, Counting])
    try:
        play(envs, 6, 2)
    finally:
        envs.close()
    assert only(recorder).rows == 12
    assert pickle.loads(pickle.dumps(Counting())).length == 4


def test_what_is_given_is_copied(recorder: TapeRecorder) -> None:
    class Reusing(Counting):
        memory = np.zeros(2, np.float32)

        def _look(self) -> np.ndarray:
            self.memory[:] = self.episode, self.at
            return self.memory

    env = Reusing(50)
    env.reset()
    for _ in range(5):
        env.step(0)
    tape = only(recorder)
    assert tape.observations[:, 1].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert tape.next_observations[:, 1].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_memory_is_bounded(recorder: TapeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weaklink.adapters.gymnasium.tape_stream.MOST_BYTES", 100 * 520)
    env = Counting(1000)
    env.reset()
    for _ in range(300):
        env.step(0)
    tape = only(recorder)
    assert tape.rows == 100
    assert tape.first == 200
    assert tape.observations[0, 1] == 200.0


def test_dictionaries_and_tuples_lie_side_by_side(recorder: TapeRecorder) -> None:
    class Parts(Counting):
        def _look(self) -> Any:
            return {"where": np.array([self.at, 1.0]), "what": (np.int64(self.episode), np.ones(2))}

    env = Parts()
    env.reset()
    env.step(0)
    assert only(recorder).next_observations.tolist() == [[1.0, 1.0, 1.0, 1.0, 1.0]]


def test_an_environment_of_another_kind_is_wrapped(recorder: TapeRecorder) -> None:
    class Old:
        name = "old"

        def reset(self) -> np.ndarray:
            return np.zeros(3)

        def step(self, action: Any) -> tuple[np.ndarray, float, bool, dict[str, Any]]:
            return np.ones(3), 1.0, True, {"TimeLimit.truncated": True}

    env = wrap(Old(), recorder)
    assert env.name == "old"
    env.reset()
    assert len(env.step(1)) == 4
    tape = only(recorder)
    assert (tape.terminated.tolist(), tape.truncated.tolist()) == ([False], [True])


def test_what_cannot_be_written_down_is_said_and_the_environment_goes_on(recorder: TapeRecorder) -> None:
    class Odd(Counting):
        def step(self, action: Any) -> Any:
            return "nothing"

    env = Odd()
    env.reset()
    assert env.step(0) == "nothing"
    assert recorder.read() == ()
    assert any("Odd" in note for note in recorder.left_out)


def test_a_recorder_at_rest_counts_and_keeps_nothing(recorder: TapeRecorder) -> None:
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    env.step(0)
    recorder.resting = True
    env.step(1)
    assert recorder.read() == ()
    recorder.resting = False
    since = recorder.steps
    env.step(0)  # what came before it was not kept
    observation, *_ = env.step(1)
    (tape,) = recorder.read(since)
    assert recorder.count == 4
    assert tape.rows == 1
    np.testing.assert_array_equal(tape.next_observations[0], observation)
    env.close()


def test_the_bounds_of_actions_are_those_that_the_trainer_sees(recorder):
    plain, vector = gymnasium.make("Pendulum-v1"), SyncVectorEnv([lambda: gymnasium.make("Pendulum-v1")] * 2)
    scaled = gymnasium.wrappers.RescaleAction(gymnasium.make("Pendulum-v1"), np.float32(-1.0), np.float32(1.0))
    for env, bound in ((plain, 2.0), (vector, 2.0), (scaled, 1.0), (Counting(), None)):
        since = recorder.steps
        env.reset(seed=0)
        env.step(env.action_space.sample())
        (tape,) = recorder.read(since)
        assert tape.bounds is None if bound is None else tape.bounds.tolist() == [[-bound], [bound]]


def test_a_reset_with_a_mask_begins_the_episodes_of_some_members(recorder):
    env = SyncVectorEnv([lambda: Counting(3), lambda: Counting(5)], autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    for _ in range(7):
        _, _, terminated, truncated, _ = env.step(np.zeros(2, np.int64))
        if (terminated | truncated).any():
            env.reset(options={"reset_mask": terminated | truncated})
    tape = only(recorder)
    np.testing.assert_array_equal(tape.resets, tape.terminated)
    assert tape.terminated.reshape(-1, 2).sum(axis=0).tolist() == [2, 1]


def test_environments_that_are_gone_are_forgotten_but_for_the_newest(recorder) -> None:
    several = [Counting() for _ in range(3 * MOST_GONE)]
    for env in several:
        env.reset()
        env.step(0)
    assert len(recorder.steps) == len(several)
    del env
    several.clear()
    gc.collect()
    Counting().reset()
    assert MOST_GONE <= len(recorder.steps) <= MOST_GONE + 1
    assert sum(recorder.steps.values()) >= MOST_GONE, "the newest are still known"
