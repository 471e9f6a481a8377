from __future__ import annotations

from collections import deque

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import box, changed, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import Finding, Level
from weaklink.collect.survey.frames import count_equal_frames
from weaklink.judge.rules.observation.repeated_frames import repeated_frames

PICTURE = Space(kind="box", shape=(12, 12, 3), dtype="uint8", low=np.zeros(432), high=np.full(432, 255.0))


def shown(count, **fields):
    return changed(world(), **({"observation": box(12), "equal_frames": count} | fields))


def sick():
    grey = shown(3, observation=PICTURE)
    return [
        shown(4),
        shown(2),
        grey,
        shown(3, observation=PICTURE, facts={"wrappers": ("LastFrames",)}),
        shown(3, observation=PICTURE, frames_held=True),
    ]


def healthy():
    # the last is over before anything moves, so that a place and a goal stay equal
    return [world(), shown(0), shown(None), with_play(shown(2), random=play("random", length=1))]


class Stack(gym.ObservationWrapper):
    """The newest frame, several times."""

    def __init__(self, env, count=4, flat=False):
        super().__init__(env)
        self.count, self.flat = count, flat
        shape = (count * 4,) if flat else (count, 4)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, shape, np.float32)

    def observation(self, observation):
        return np.array([observation] * self.count, dtype=np.float32).reshape(self.observation_space.shape)


def ask(make):
    return repeated_frames.rule.ask(survey_before("the same seed twice", make, steps=300, episodes=3))


def test_a_stack_of_one_frame_is_found_in_each_shape():
    for flat in (False, True):
        answer = ask(lambda flat=flat: Stack(gym.make("CartPole-v1"), flat=flat))
        assert isinstance(answer, Finding)
        assert answer.severity is Level.WARN
        assert "The 4 blocks" in answer.message


def test_frames_of_different_moments_are_right():
    assert ask(lambda: gym.wrappers.FrameStackObservation(gym.make("CartPole-v1"), 4)) is None
    assert ask(lambda: gym.make("CartPole-v1")) is None


class Canvas(gym.Env):
    """A ball that is drawn into one picture; the last three are kept, as copies or as three times the same array."""

    observation_space = gym.spaces.Box(0, 255, (3, 8, 8), np.uint8)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, copies):
        self.copies, self.canvas, self.frames = copies, np.zeros((8, 8), np.uint8), deque(maxlen=3)

    def draw(self):
        self.canvas.fill(0)
        self.canvas[self.place // 8, self.place % 8] = 255
        self.frames.append(self.canvas.copy() if self.copies else self.canvas)
        return np.stack(self.frames)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(64))
        return [self.draw() for _ in range(3)][-1], {}

    def step(self, action):
        self.place = (self.place + 2 * int(action) - 1) % 64
        return self.draw(), float(self.place == 0), self.place == 0, False, {}


def test_a_list_of_pictures_that_is_held_is_a_stack_and_no_grey_picture():
    assert ask(lambda: Canvas(copies=False)).severity is Level.WARN
    assert ask(lambda: Canvas(copies=True)) is None


def test_a_grey_picture_in_colour_is_worth_knowing_only():
    assert repeated_frames.rule.ask(shown(3, observation=PICTURE)).severity is Level.INFO
    named = shown(3, observation=PICTURE, facts={"wrappers": ("LastFrames",)})
    assert repeated_frames.rule.ask(named).severity is Level.WARN


def test_a_list_that_begins_with_zeros_is_one_picture_once_it_is_full():
    frames = np.zeros((128, 3, 8, 8), np.uint8)
    ages = np.arange(128) % 16
    for place, age in enumerate(ages):
        frames[place, max(0, 2 - age) :, place % 8, age // 2] = 255
    assert count_equal_frames(list(frames), ages.tolist()) == 3
    frames[100, 0] = 1
    assert count_equal_frames(list(frames), ages.tolist()) == 0
