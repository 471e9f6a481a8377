from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.adapters.described import describe_space
from weaklink.base.evidence.spaces import (
    Space,
    find_bounds,
    find_rest_action,
    list_positions,
    make_flattener,
    sample_space,
    unflatten,
    unflatten_rows,
)

SHAPES = st.lists(st.integers(1, 3), min_size=0, max_size=3).map(tuple)
SEEDS = st.integers(0, 2**31)


@st.composite
def boxes(draw):
    shape, dtype = draw(SHAPES), draw(st.sampled_from(["float32", "float64", "int32", "int64", "uint8", "bool"]))
    if dtype == "bool":
        return spaces.Box(0, 1, shape, dtype)
    low = draw(st.integers(0 if dtype == "uint8" else -50, 50))
    high = low + draw(st.integers(1, 100))
    if dtype.startswith("float"):
        low = draw(st.sampled_from([float(low), -np.inf]))
        high = draw(st.sampled_from([float(high), np.inf]))
    return spaces.Box(low, high, shape, dtype)


leaves = st.one_of(
    boxes(),
    st.builds(lambda n, start: spaces.Discrete(n, start=start), st.integers(1, 9), st.integers(-5, 5)),
    st.builds(
        lambda counts, start: spaces.MultiDiscrete(counts, start=[start] * len(counts)),
        st.lists(st.integers(1, 5), min_size=1, max_size=4),
        st.integers(-3, 3),
    ),
    st.sampled_from([spaces.MultiDiscrete([[2, 3], [4, 5]]), spaces.MultiBinary([2, 3])]),
    st.builds(spaces.MultiBinary, st.integers(1, 5)),
)
every_space = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(["b", "a", "z", "goal"]), inner, max_size=3).map(spaces.Dict),
        st.lists(inner, min_size=1, max_size=3).map(spaces.Tuple),
    ),
    max_leaves=6,
)


def same(one, other) -> bool:
    if isinstance(one, dict):
        return set(one) == set(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)


@pytest.mark.slow
@given(every_space, SEEDS)
@settings(max_examples=150, deadline=None)
def test_a_value_flattened_and_back_is_the_same(space, seed):
    space.seed(seed)
    ours, value = describe_space(space), space.sample()
    row = np.empty(ours.size)
    row[:] = make_flattener(ours)(value)
    assert same(value, unflatten(ours, row))


@pytest.mark.slow
@given(every_space, SEEDS)
@settings(max_examples=150, deadline=None)
def test_whatever_is_sampled_lies_in_the_real_space(space, seed):
    ours = describe_space(space)
    rows = sample_space(ours, 12, np.random.default_rng(seed))
    assert rows.shape == (12, ours.size)
    values = unflatten_rows(ours, rows)
    assert all(value in space for value in values)
    assert all(same(value, unflatten(ours, row)) for value, row in zip(values, rows, strict=True))
    low, high = find_bounds(ours)
    assert np.all((rows >= low) & (rows <= high))


@given(every_space)
@settings(max_examples=80, deadline=None)
def test_there_is_a_column_for_every_number_and_no_two_have_one_label(space):
    ours = describe_space(space)
    labels = [column.label for column in ours.columns]
    assert len(labels) == ours.size == spaces_size(space)
    assert len(set(labels)) == len(labels)
    assert {column.kind for column in ours.columns} <= {"number", "category", "binary", "pixel"}


def spaces_size(space) -> int:
    """Numbers of a value, counted without our description."""
    if isinstance(space, spaces.Dict):
        return sum(map(spaces_size, space.values()))
    if isinstance(space, spaces.Tuple):
        return sum(map(spaces_size, space))
    return int(np.prod(np.shape(space.sample())))


def test_samples_reach_every_choice_and_both_ends():
    rng = np.random.default_rng(0)
    assert set(sample_space(describe_space(spaces.Discrete(3, start=-1)), 200, rng)[:, 0]) == {-1.0, 0.0, 1.0}
    assert set(sample_space(describe_space(spaces.MultiBinary(1)), 100, rng)[:, 0]) == {0.0, 1.0}
    whole = sample_space(describe_space(spaces.Box(0, 3, (1,), np.int64)), 300, rng)[:, 0]
    assert set(whole) == {0.0, 1.0, 2.0, 3.0}
    switches = unflatten_rows(describe_space(spaces.Box(0, 1, (1,), bool)), np.array([[0.2], [0.9]]))
    assert [bool(value[0]) for value in switches] == [False, True]
    wide = sample_space(describe_space(spaces.Box(-2.0, 6.0, (1,))), 4000, rng)[:, 0]
    assert wide.min() < -1.98
    assert wide.max() > 5.98
    assert abs(wide.mean() - 2.0) < 0.15


def test_samples_without_bounds_are_normal_and_stay_on_their_side_of_the_one_bound():
    rng = np.random.default_rng(0)
    free = sample_space(describe_space(spaces.Box(-np.inf, np.inf, (2,))), 4000, rng)
    assert np.abs(free.mean(axis=0)).max() < 0.1
    assert np.abs(free.std(axis=0) - 1.0).max() < 0.1
    half = sample_space(describe_space(spaces.Box(np.array([0.5]), np.array([np.inf]), dtype=np.float64)), 500, rng)
    assert half.min() == 0.5


def test_labels_and_bounds_of_each_kind():
    ours = describe_space(
        spaces.Dict(
            {
                "arm": spaces.Box(np.array([-1.0, 0.0]), np.array([1.0, np.inf]), dtype=np.float64),
                "gear": spaces.Discrete(4, start=2),
                "keys": spaces.MultiBinary(2),
                "pair": spaces.Tuple((spaces.MultiDiscrete([3, 4]), spaces.MultiDiscrete([2, 2]))),
            }
        )
    )
    told = {column.label: (column.kind, column.low, column.high) for column in ours.columns}
    assert told == {
        "arm[0]": ("number", -1.0, 1.0),
        "arm[1]": ("number", 0.0, np.inf),
        "gear": ("category", 2.0, 5.0),
        "keys[0]": ("binary", 0.0, 1.0),
        "keys[1]": ("binary", 0.0, 1.0),
        "pair.0[0]": ("category", 0.0, 2.0),
        "pair.0[1]": ("category", 0.0, 3.0),
        "pair.1[0]": ("binary", 0.0, 1.0),
        "pair.1[1]": ("binary", 0.0, 1.0),
    }


@pytest.mark.parametrize(
    ("shape", "dtype", "image"),
    [
        ((84, 84), "uint8", True),
        ((84, 84, 3), "uint8", True),
        ((4, 84, 84), "uint8", True),
        ((64, 64, 1), "float32", True),
        ((16, 16, 16), "float32", True),
        ((7, 7, 3), "uint8", False),
        ((100,), "float32", False),
        ((20, 20, 20), "float32", False),
        ((2, 40), "float32", False),
        ((4, 84, 84, 3), "uint8", False),
    ],
)
def test_what_counts_as_an_image(shape, dtype, image):
    ours = describe_space(spaces.Box(0, 1, shape, dtype))
    assert ours.is_image is image
    assert {column.kind for column in ours.columns} == {"pixel" if image else "number"}


def test_images_are_found_by_key():
    eye = spaces.Box(0, 255, (32, 32, 3), np.uint8)
    ours = describe_space(spaces.Dict({"eyes": spaces.Tuple((eye, eye)), "joints": spaces.Box(-1, 1, (4,))}))
    assert set(ours.images) == {"eyes.0", "eyes.1"}
    assert set(describe_space(eye).images) == {""}
    assert describe_space(spaces.Discrete(3)).images == {}


def test_goals_and_choices_are_recognised():
    goal = {key: spaces.Box(-1, 1, (2,)) for key in ("observation", "achieved_goal", "desired_goal")}
    assert describe_space(spaces.Dict(goal)).is_goal
    assert not describe_space(spaces.Dict({"observation": goal["observation"]})).is_goal
    assert describe_space(spaces.MultiDiscrete([2, 3])).is_discrete
    assert not describe_space(spaces.Box(-1, 1, (2,))).is_discrete


def test_what_cannot_be_flattened_takes_no_room():
    ours = describe_space(spaces.Dict({"text": spaces.Text(5), "x": spaces.Box(-1, 1, (2,))}))
    assert ours.parts["text"].kind == "other"
    assert ours.size == 2
    assert make_flattener(ours)({"text": "hello", "x": np.array([0.5, 1.0])}).tolist() == [0.5, 1.0]
    assert [column.label for column in ours.columns] == ["x[0]", "x[1]"]


def test_rest_is_zero_where_zero_is_allowed():
    assert find_rest_action(describe_space(spaces.Box(-1, 1, (2,)))).tolist() == [0.0, 0.0]
    assert (
        find_rest_action(
            describe_space(spaces.Dict({"a": spaces.Box(-1, 1, (2,)), "b": spaces.Box(0, 1, (1,))}))
        ).tolist()
        == [0] * 3
    )
    assert find_rest_action(describe_space(spaces.Box(0.5, 1, (2,)))) is None
    assert find_rest_action(describe_space(spaces.Discrete(2))) is None
    assert find_rest_action(describe_space(spaces.Tuple((spaces.Box(-1, 1, (1,)), spaces.Discrete(2))))) is None


def test_positions_go_from_lowest_to_highest():
    ours = describe_space(spaces.Box(np.array([-2.0, -np.inf]), np.array([6.0, np.inf]), dtype=np.float64))
    assert list_positions(ours, 3).tolist() == [[-2.0, -1.0], [2.0, 0.0], [6.0, 1.0]]


def test_a_box_without_bounds_is_unbounded():
    low, high = find_bounds(Space(kind="box", shape=(2,), dtype="float32"))
    assert low.tolist() == [-np.inf] * 2
    assert high.tolist() == [np.inf] * 2
