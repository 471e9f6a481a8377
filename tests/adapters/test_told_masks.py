"""Masks that come beside observations, as environments and vectors of them tell them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.monitor.reading.many_choices import Shop
from weaklink.adapters.gymnasium.listening import listen
from weaklink.adapters.gymnasium.tape import TapeRecorder
from weaklink.adapters.gymnasium.told_masks import MaskReader


def test_the_mask_of_a_row_is_the_one_told_before_its_step() -> None:
    recorder = TapeRecorder()
    undo = listen(recorder)
    try:
        env, told = Shop(), []
        info = env.reset(seed=0)[1]
        for _ in range(40):
            told.append(info["mask"])
            *_, truncated, info = env.step(env.action_space.sample())
            info = env.reset()[1] if truncated else info
    finally:
        undo()
    (tape,) = recorder.read()
    assert tape.masks is not None
    assert np.array_equal(tape.masks, np.stack(told))


def test_the_masks_of_a_vector_have_a_row_for_each_member() -> None:
    recorder = TapeRecorder()
    undo = listen(recorder)
    try:
        envs = gymnasium.vector.SyncVectorEnv([Shop, Shop])
        first = envs.reset(seed=0)[1]["mask"]
        for _ in range(5):
            envs.step(envs.action_space.sample())
    finally:
        undo()
    tape = next(each for each in recorder.read() if each.members == 2)
    assert tape.masks is not None
    assert np.array_equal(tape.masks[:2], first)


@pytest.mark.parametrize(
    ("observation", "info"),
    [
        (np.zeros(3), {"masked": True}),  # one yes or no is about no choice
        (np.zeros(3), {"mask": [0.5, 0.5]}),
        (np.zeros(3), {"mask": "none"}),
        (np.zeros(3), None),
        (np.zeros(3), {"legal_actions": np.array([0, 1])}),
        (np.zeros(3), {"mask": [[1], [1, 0]]}),  # no array at all
    ],
)
def test_what_is_no_mask_is_not_taken_for_one(observation: Any, info: Any) -> None:
    reader = MaskReader(1, vector=False)
    reader.look(observation, info)
    assert reader.now is None


def test_a_mask_may_stand_among_the_observations() -> None:
    reader = MaskReader(1, vector=False)
    reader.look({"board": np.zeros(4), "action_mask": np.array([1, 0, 1], np.int8)}, {})
    assert reader.now is not None
    assert reader.now.tolist() == [[True, False, True]]
