from __future__ import annotations

import math

import numpy as np
import pytest

from tests.monitor.measures import cases
from weaklink.base.evidence.model import Parameter
from weaklink.collect.monitor.measures.gradients import (
    NoiseScale,
    compute_gradient_statistics,
    dead_unit_share,
    step_statistics,
    typical_change,
)


def tensors(seed):
    draws = np.random.default_rng(seed)
    return [draws.normal(size=shape).astype(np.float32) for shape in ((4, 3), (4,), (2, 4), (), (0,))]


@cases.each_seed
def test_the_size_of_a_gradient_agrees_with_plain_loops(seed):
    entries = [each for tensor in tensors(seed) for each in cases.flat(tensor)]
    squares = sum(each**2 for each in entries)
    assert compute_gradient_statistics(tensors(seed)) == pytest.approx({
        "optimizer.gradient_abs_max": max(abs(each) for each in entries),
        "optimizer.gradient_mean_square": squares / len(entries),
        "optimizer.gradient_norm": math.sqrt(squares),
    })  # fmt: skip


@cases.each_seed
def test_the_size_of_a_step_agrees_with_plain_loops(seed):
    before, after = tensors(seed), tensors(seed + 50)
    old = [each for tensor in before for each in cases.flat(tensor)]
    moved = [new - each for new, each in zip([e for tensor in after for e in cases.flat(tensor)], old, strict=True)]
    assert step_statistics(before, after) == pytest.approx({
        "optimizer.step_abs_max": max(abs(each) for each in moved),
        "optimizer.step_mean_square": sum(each**2 for each in moved) / len(moved),
        "optimizer.parameter_change": math.sqrt(sum(each**2 for each in moved) / sum(each**2 for each in old)),
    })  # fmt: skip


def test_sizes_by_hand():
    found = compute_gradient_statistics([np.array([3.0]), np.array([[-4.0, 0.0]])])
    assert found == pytest.approx({
        "optimizer.gradient_abs_max": 4.0,
        "optimizer.gradient_mean_square": 25.0 / 3.0,
        "optimizer.gradient_norm": 5.0,
    })  # fmt: skip
    assert step_statistics([np.array([3.0, 4.0])], [np.array([3.0, 4.5])])["optimizer.parameter_change"] == 0.1
    assert compute_gradient_statistics([]) == {}
    assert step_statistics([np.zeros(2)], [np.zeros(3)]) == {}
    assert set(step_statistics([np.zeros(2)], [np.ones(2)])) == {"optimizer.step_abs_max", "optimizer.step_mean_square"}


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 1])
def test_an_entry_that_is_none_shows_wherever_it_lies(bad, place):
    gradients = [np.ones(3), np.ones(3)]
    gradients[place][1] = bad
    assert all(math.isnan(each) for each in compute_gradient_statistics(gradients).values())
    assert math.isnan(step_statistics([np.ones(3)] * 2, gradients)["optimizer.step_abs_max"])


def test_the_typical_change_is_that_of_most_weights():
    def weights(size, changed, **more):
        return Parameter(name="w", size=size, changed=changed, **more)

    net = [
        weights(5000, 0.01),
        weights(64, 5.0),
        weights(4096, 0.02),
        weights(1, None),
        weights(9999, 0.0, trainable=False),
    ]
    assert typical_change(net) == 0.01
    assert typical_change([*net, weights(5000, 0.03)]) == 0.02
    assert typical_change([weights(9, 0.5), weights(100, 0.0, in_optimizer=False)]) == 0.5
    assert typical_change([weights(1, None)]) is None
    assert math.isnan(typical_change([*net, weights(3, math.nan)]))


def slow_noise(updates):
    signals, noises = [], []
    for gradients, size in updates:
        count, width = len(gradients), len(gradients[0])
        average = [sum(each[entry] for each in gradients) / count for entry in range(width)]
        small = sum(sum(entry**2 for entry in each) for each in gradients) / count
        large = sum(entry**2 for entry in average)
        signals.append((count * size * large - size * small) / (count * size - size))
        noises.append((small - large) / (1.0 / size - 1.0 / (count * size)))
    return cases.mean(signals), cases.mean(noises)


@cases.each_seed
def test_the_noise_scale_agrees_with_plain_loops(seed):
    draws = np.random.default_rng(seed)
    updates = [(draws.normal(1.0, 1.0, (count, 5)), size) for count, size in ((4, 64), (2, 32), (8, 64))]
    estimate = NoiseScale()
    for gradients, size in updates:
        estimate.add(np.linalg.norm(gradients, axis=1), float(np.linalg.norm(gradients.mean(axis=0))), size)
    signal, noise = slow_noise([(gradients.tolist(), size) for gradients, size in updates])
    assert estimate.signal == pytest.approx(signal)
    assert estimate.noise == pytest.approx(noise)
    assert estimate.scale == (pytest.approx(max(0.0, noise / signal)) if signal > 0 else None)


def test_the_noise_scale_finds_what_was_put_in():
    draws, estimate = np.random.default_rng(0), NoiseScale()
    truth = np.full(10, 0.5)  # squared norm 2.5; variance of one sample 10 * 16 = 160: equal at 64 samples
    for _ in range(2000):
        gradients = truth + draws.normal(0.0, 4.0 / math.sqrt(32), (8, 10))
        estimate.add(np.linalg.norm(gradients, axis=1), float(np.linalg.norm(gradients.mean(axis=0))), 32)
    assert estimate.signal == pytest.approx(2.5, rel=0.05)
    assert estimate.noise == pytest.approx(160.0, rel=0.05)
    assert estimate.scale == pytest.approx(64.0, rel=0.08)


def test_a_noise_scale_that_forgets_follows_a_change():
    estimate = NoiseScale(memory=0.5)
    for _ in range(30):
        estimate.add([1.0, 1.0], 1.0, 8)
    assert estimate.scale == 0.0
    for _ in range(30):
        estimate.add([2.0, 2.0], 1.5, 8)
    alone = NoiseScale()
    alone.add([2.0, 2.0], 1.5, 8)
    assert estimate.scale == pytest.approx(alone.scale)


def test_no_noise_scale_from_nothing():
    estimate = NoiseScale()
    estimate.add([1.0], 1.0, 8)
    estimate.add([1.0, math.nan], 1.0, 8)
    estimate.add([1.0, 2.0], 1.0, 0)
    assert (estimate.scale, estimate.signal, estimate.noise) == (None, None, None)
    estimate.add([1.0, 1.0], 0.0, 8)
    assert estimate.scale is None


@pytest.mark.parametrize("shape", [(20, 6), (5, 4, 8), (7, 1)], ids=str)
@cases.each_seed
def test_dead_units_agree_with_plain_loops(shape, seed):
    draws = np.random.default_rng(seed)
    fired = np.maximum(draws.normal(-1.0, 1.0, shape), 0.0)
    fired[..., draws.random(shape[-1]) < 0.4] = 0.0
    rows = fired.reshape(-1, shape[-1])
    dead = [all(float(row[unit]) == 0.0 for row in rows) for unit in range(shape[-1])]
    assert dead_unit_share(fired) == pytest.approx(sum(dead) / len(dead))


def test_dead_units_by_hand():
    assert dead_unit_share([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]]) == 0.5
    assert dead_unit_share([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0]], axis=0) == 0.0
    channels = np.zeros((2, 4, 3, 3))
    channels[0, 1, 2, 2] = 1.0
    assert dead_unit_share(channels, axis=1) == 0.75
    assert dead_unit_share([]) is None
    assert dead_unit_share(3.0) is None
    assert math.isnan(dead_unit_share([[0.0, math.nan]]))
