"""A problem in each of its forms, and the environment that plays it."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.adapters.gymnasium.probe import ProbeEnvironment
from weaklink.base.evidence.spaces import Space
from weaklink.collect.probes.catalogue import ALL_PROBES, Probe, find_probe
from weaklink.collect.probes.probe import CONTINUOUS, EDGE, MASKED
from weaklink.judge.diagnosis.probing import list_rung_codes

EVERY = pytest.mark.parametrize("probe", ALL_PROBES, ids=lambda probe: probe.title)
CHOSEN = [probe for probe in ALL_PROBES if probe.world.choices > 1]


def test_titles_are_ids_and_codes_stand_in_order():
    assert len({probe.title for probe in ALL_PROBES}) == len(ALL_PROBES)
    assert find_probe("Terminal").id == "weaklink/Terminal-v0"
    codes = [list_rung_codes()[probe.name] for probe in ALL_PROBES]
    assert codes == sorted(codes)
    assert set(codes) == {f"PRB{number}" for number in range(101, 120)}


@EVERY
def test_what_is_shown_lies_in_its_space(probe: Probe):
    space = ProbeEnvironment(probe).observation_space
    for state in range(probe.world.states):
        assert space.contains(probe.shown(state))
    alone = probe.shown(0)
    other = probe.shown(0)
    assert alone is not other
    looks = {flat(probe.shown(state)) for state in range(probe.world.states)}
    assert len(looks) == int(probe.world.kinds.max()) + 1, "what looks different can be told apart in every form"


def flat(observation) -> bytes:
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    return b"".join(np.asarray(part).tobytes() for part in parts)


@EVERY
def test_an_action_stands_for_its_choice(probe: Probe):
    space = ProbeEnvironment(probe).action_space
    options = range(probe.world.choices) if probe.world.choices else map(probe.world.oracle, range(probe.world.states))
    for choice in options:
        native = probe.native(choice)
        assert space.contains(native)
        if probe.world.choices > 1:
            assert probe.choice(native) == choice
        elif probe.world.choices == 0:
            assert float(native[0]) == pytest.approx(choice)


@EVERY
def test_a_right_agent_earns_what_the_problem_pays(probe: Probe):
    env = ProbeEnvironment(probe)
    world = probe.world
    env.reset(seed=0)
    visited = 0
    for _ in range(120):
        state = env.state
        native = probe.native(world.oracle(state))
        assert probe.share_right(state, native) == 1.0 or not world.right(state)
        seen, reward, terminated, truncated, info = env.step(native)
        ways = [way for way in world.law(state, world.oracle(state)) if way.to == env.state]
        assert reward in [pytest.approx(way.reward, abs=1e-6) for way in ways]
        assert (terminated, truncated) in {(way.terminated, way.truncated) for way in ways}
        assert flat(seen) == flat(probe.shown(env.state))
        assert ("action_mask" in info) == (probe.acts == MASKED)
        visited += 1
        if terminated or truncated:
            env.reset()
            assert env.state in world.starts
    assert visited == 120


@pytest.mark.parametrize("probe", CHOSEN, ids=lambda probe: probe.title)
def test_only_right_choices_count_as_right(probe: Probe):
    for state in range(probe.world.states):
        shares = [probe.share_right(state, probe.native(choice)) for choice in range(probe.world.choices)]
        options = probe.world.right(state)
        if options:
            assert shares == [float(choice in options) for choice in range(probe.world.choices)]
        else:
            assert np.isnan(shares).all()


def test_images_and_dictionaries():
    image = find_probe("MatchingActionImage")
    assert image.observation == Space(
        kind="box",
        shape=(EDGE, EDGE, 1),
        dtype="uint8",
        low=image.observation.low,
        high=image.observation.high,
    )
    dark, bright = image.shown(0), image.shown(1)
    assert (dark.min(), bright.max()) == (0, 255)
    assert dark[0, 0, 0] == bright[0, 0, 0] == 128, "the ground is grey in both"
    both = find_probe("MatchingActionDict").shown(1)
    assert (both["cue"].tolist(), both["idle"].tolist()) == ([1.0], [0.0])


def test_several_choices_are_judged_one_by_one():
    pair = find_probe("MatchingActionMultiDiscrete")
    assert [pair.ways(1, action)[0].reward for action in ([0, 1], [0, 0], [1, 1], [1, 0])] == [1.0, 0.0, 0.0, -1.0]
    assert [pair.choice(pair.native(choice)) for choice in range(4)] == [0, 1, 2, 3]


def test_masks_say_what_is_allowed():
    masked = find_probe("MatchingActionMasked")
    assert masked.mask(0).tolist() == [True, True, False, False]
    assert masked.mask(1).tolist() == [False, False, True, True]
    env = ProbeEnvironment(masked)
    _, info = env.reset(seed=0)
    assert info["action_mask"].dtype == np.int8
    assert info["action_mask"].tolist() == env.action_masks().astype(int).tolist()
    assert find_probe("TwoActions").mask(0).tolist() == [True, True]


def test_rewards_change_gradually_with_a_continuous_action():
    leaning = find_probe("TwoActionsContinuous")
    rewards = [leaning.ways(0, [action])[0].reward for action in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    assert rewards == pytest.approx([-1.0, -0.5, 0.0, 0.5, 1.0])
    assert leaning.ways(0, [7.0]) == leaning.ways(0, [1.0]), "beyond the bounds is at the bounds"
    assert [leaning.share_right(0, [action]) for action in (-1.0, 0.2, 0.4, 1.0)] == [0.0, 0.0, 1.0, 1.0]


def test_where_nothing_is_paid_for_leaning_further_half_is_enough():
    long = find_probe("LongCreditContinuous")
    assert long.ways(0, [0.1]) == long.ways(0, [1.0])
    assert [long.share_right(0, [action]) for action in (-1.0, -0.1, 0.1, 1.0)] == [0.0, 0.0, 1.0, 1.0]


def test_distances_are_in_halves_of_the_range():
    wide, very = find_probe("WideAction"), find_probe("VeryWideAction")
    assert wide.world.oracle(4) == pytest.approx(1.6)
    assert wide.distance(4, [1.6]) == pytest.approx(0.0)
    assert wide.distance(4, [-0.4]) == pytest.approx(1.0)
    assert very.distance(2, [0.0]) == pytest.approx(1.0)
    assert very.distance(2, [150.0]) == pytest.approx(2.0)


def test_a_seed_says_which_member_it_is():
    probe = find_probe("VectorPairing")
    for seed in range(8):
        env = ProbeEnvironment(probe)
        seen = {tuple(env.reset(seed=seed)[0][:2])}
        for _ in range(20):
            env.step(0)
            seen.add(tuple(env.reset()[0][:2]))
        assert seen == {tuple(probe.world.looks[2 * (seed % 4)][:2])}
    made = [ProbeEnvironment(probe) for _ in range(4)]
    assert len({tuple(env.reset()[0][:2]) for env in made}) == 4, "without seeds they are told apart by their order"


def test_continuous_forms_have_bounds():
    for probe in ALL_PROBES:
        if probe.acts == CONTINUOUS:
            space = ProbeEnvironment(probe).action_space
            assert (space.low[0], space.high[0]) == probe.world.bounds
