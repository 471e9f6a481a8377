"""How functions are called and read: by name, by order, in any layout; and what is said when that fails."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.probes.kernels.planted_over_time import gae_right, gae_shifted
from weaklink.base.errors import UsageError
from weaklink.base.reference.remedies import REMEDIES
from weaklink.collect.monitor.reading.short_rollouts import ONE_NEXT
from weaklink.collect.probes.kernels import NAMES, check, check_module, find_kernel
from weaklink.testing import WrongKernel, check_kernel, kernel_names

CASES = 20


def test_parameters_without_names_go_by_order():
    found = check("gae", lambda a, b, c, d, e, f: gae_right(a, b, c, d, e, f), cases=CASES)
    assert found.verdict == "right"


def test_parameters_can_be_given_names():
    def mine(gains, guesses, stops, beyond, decay, trace):
        return gae_right(gains, guesses, stops, beyond, decay, trace)

    def other_order(decay, gains, rewards, stops, beyond, trace):
        return gae_right(gains, rewards, stops, beyond, decay, trace)

    assert check("gae", mine, cases=CASES).verdict == "right"
    names = {"gains": "rewards", "rewards": "values", "stops": "dones", "beyond": "last_value", "decay": "gamma"}
    assert check("gae", other_order, cases=CASES, names=names | {"trace": "lam"}).verdict == "right"


def test_a_function_that_cannot_be_called_is_not_accused():
    found = check("gae", lambda rewards, values, weather: rewards, cases=CASES)
    assert found.verdict == "unclear"
    assert "weather" in found.note
    assert "names=" in found.note


@pytest.mark.parametrize(
    "function",
    [
        lambda rewards, values, dones, last_value, gamma, lam: "nothing",
        lambda rewards, values, dones, last_value, gamma, lam: np.zeros((3, 3, 3)),
        lambda rewards, values, dones, last_value, gamma, lam: None,
        lambda rewards, values, dones, last_value, gamma, lam: 1 / 0,
        lambda rewards, values, dones, last_value, gamma, lam: 3.7 * gae_right(
            rewards, values, dones, last_value, gamma, lam
        ),
    ],
    ids=["text", "shape", "nothing", "raises", "unknown convention"],
)  # fmt: skip
def test_what_is_not_understood_is_not_accused(function):
    found = check("gae", function, cases=CASES)
    assert found.verdict == "unclear"
    assert found.note


def test_a_legitimate_case_that_raises_is_a_finding():
    def needs_two_steps(rewards, values, dones, last_value, gamma, lam):
        rewards[1]
        return gae_right(rewards, values, dones, last_value, gamma, lam)

    found = check("gae", needs_two_steps, cases=CASES)
    assert found.verdict == "wrong"
    assert found.raised.startswith("IndexError")
    assert "it raises IndexError" in found.smallest
    assert 0 < found.failing < CASES / 2


def test_a_partly_wrong_function_without_a_name_is_told_as_such():
    def off_at_the_end(rewards, values, dones, last_value, gamma, lam):
        out = gae_right(rewards, values, dones, last_value, gamma, lam)
        if len(rewards) > 7:
            out[2] += 0.5
        return out

    found = check("gae", off_at_the_end, cases=CASES)
    assert (found.verdict, found.variant) == ("wrong", "")
    assert "like no known mistake" in found.told


def test_a_built_in_discount_can_be_given():
    def built_in(rewards, dones):
        out, total = np.zeros_like(rewards), 0.0
        for t in reversed(range(len(rewards))):
            total = rewards[t] + 0.73 * total * (1 - dones[t])
            out[t] = total
        return out

    found = check("discounted_returns", built_in, cases=CASES)
    assert found.verdict == "unclear"
    assert "gamma=" in found.note
    assert check("discounted_returns", built_in, cases=CASES, gamma=0.73).verdict == "right"


def test_a_layout_can_be_fixed():
    def batch_first(rewards, values, dones, last_value, gamma, lam):
        return gae_right(rewards.T, values.T, dones.T, last_value, gamma, lam).T

    assert check("gae", batch_first, cases=CASES).verdict == "right"
    assert check("gae", batch_first, cases=CASES, layout="TN").verdict != "right"


def test_the_same_seed_gives_the_same_cases():
    first, second = (check("gae", gae_shifted, cases=CASES, seed=3) for _ in range(2))
    assert first == second
    assert check("gae", gae_shifted, cases=CASES, seed=4).smallest != first.smallest


def test_inputs_are_not_shared_and_the_global_generators_are_left_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002

    def spoils(rewards, values, dones, last_value, gamma, lam):
        out = gae_right(rewards.copy(), values, dones, last_value, gamma, lam)
        rewards[:] = np.random.random(rewards.shape)  # noqa: NPY002
        return out

    assert check("gae", spoils, cases=CASES).verdict == "right"
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


@pytest.mark.parametrize("options", [{"cases": 3}, {"layout": "XY"}, {"names": {"a": "b"}}, {"beta": 1.0}])
def test_wrong_options_are_misuse(options):
    with pytest.raises(UsageError):
        check("gae", gae_right, **options)


def test_an_unknown_kernel_is_misuse():
    with pytest.raises(UsageError, match="No kernel is called 'gea'"):
        check("gea", gae_right)


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_is_whole(name):
    kernel = find_kernel(name)
    assert kernel.name == name
    assert kernel.what
    assert kernel.look
    assert set(kernel.variants) <= set(REMEDIES)


def test_every_cure_belongs_to_a_mistake():
    known = {variant for name in NAMES for variant in find_kernel(name).variants}
    assert set(REMEDIES) == known | {ONE_NEXT}
    assert sum(len(find_kernel(name).variants) for name in NAMES) >= 45


def test_the_front_for_tests():
    assert check_kernel("gae", gae_right, cases=CASES).verdict == "right"
    assert "gae" in kernel_names()
    with pytest.raises(WrongKernel, match="done mask shifted by one") as raised:
        check_kernel("gae", gae_shifted, cases=CASES)
    assert isinstance(raised.value, AssertionError)
    assert "smallest failing case: rewards [" in str(raised.value)
    with pytest.raises(UsageError, match="could not be judged"):
        check_kernel("gae", lambda rewards: rewards, cases=CASES)


MODULE = """
def compute_gae(rewards, values, dones, last_value, gamma, lam):
    out, running, following = values * 0, 0, last_value
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * following - values[t] + gamma * lam * running
        out[t], following = running, values[t]
    return out

def masked_mean(x, mask):
    return (x * mask).sum() / mask.sum()

def brew(coffee):
    raise RuntimeError("never called")
"""


def test_the_kernels_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_kernels.py").write_text(MODULE)
    found = check_module("my_kernels.py", cases=CASES)
    assert [(each.kernel, each.verdict, each.variant) for each in found.checks] == [
        ("gae", "wrong", "done ignored"),
        ("masked_mean", "right", ""),
    ]
    assert found.checks[0].place == "my_kernels.py:2 compute_gae"
    assert found.unrecognised == ("brew",)


WRAPPING = """
import functools
from functools import partial, lru_cache
from math import fsum as entropy
{first}

def _core(rewards, dones, gamma):
    out, running = rewards * 0, rewards[0] * 0
    for t in range(len(rewards) - 1, -1, -1):
        running = rewards[t] + (1 - dones[t]) * running
        out[t] = running
    return out

def masked_mean(x, mask):
    return (x * mask).sum() / mask.sum()

largest = partial(max)
compute_returns = {wrapped}
brew = lru_cache(lambda coffee: coffee)
"""
JITTED = "torch.jit.script(_core)"


@pytest.mark.parametrize("wrapped", ["partial(_core)", "lru_cache(_core)", "lru_cache(partial(_core))"])
def test_a_wrapped_function_of_the_module_is_one_of_its_own(tmp_path, monkeypatch, wrapped):
    """What is imported or wraps nothing of the module's own stays out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrapping.py").write_text(WRAPPING.format(first="", wrapped=wrapped))
    found = check_module("wrapping.py", cases=CASES)
    assert [(each.kernel, each.function) for each in found.checks] == [
        ("masked_mean", "masked_mean"),
        ("discounted_returns", "compute_returns"),
    ]
    told = found.checks[1].told
    cached_arrays = "lru_cache" in wrapped and "torch" not in sys.modules  # a cache takes tensors, but no arrays
    assert ("unhashable" if cached_arrays else "equals 'gamma ignored'") in told
    assert found.unrecognised == ("_core", "brew")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize("wrapped", [JITTED, "lru_cache(_core)"])
def test_a_wrapped_function_of_torch_is_judged(tmp_path, monkeypatch, wrapped):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    text = WRAPPING.format(first="import torch", wrapped=wrapped).replace("gamma)", "gamma: float)")
    (tmp_path / "wrapping.py").write_text(text)
    found = check_module("wrapping.py", cases=CASES).checks[1]
    assert (found.function, found.variant) == ("compute_returns", "gamma ignored")
    if wrapped == JITTED:
        assert found.place == "wrapping.py:7 compute_returns"


def test_a_kernel_that_exits_cannot_be_judged():
    def discount(rewards, dones, gamma):
        raise SystemExit(0)

    found = check("discounted_returns", discount, cases=CASES)
    assert found.verdict == "unclear"
    assert "SystemExit: 0" in found.note


def test_a_module_may_list_its_kernels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "listing_kernels.py").write_text(
        "def f(x, mask):\n    return (x * mask).mean()\nWEAKLINK_KERNELS = {'masked_mean': f}\n"
    )
    (only,) = check_module("listing_kernels", cases=CASES).checks
    assert only.variant == "mask applied after the mean"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("def brew():\n    pass\n", "WEAKLINK_KERNELS"),
        ("WEAKLINK_KERNELS = {}\n", "must be a mapping"),
        ("WEAKLINK_KERNELS = {'gae': 3}\n", "must be a function"),
        ("WEAKLINK_KERNELS = {'gea': len}\n", "No kernel is called"),
        ("1 / 0\n", "failed: ZeroDivisionError: division by zero .*without.py:1"),
        ("import sys\nsys.exit(0)\n", "it called sys.exit.0. .*without.py:2"),
    ],
)
def test_a_module_without_kernels_is_misuse(tmp_path, text, match):
    file = tmp_path / "without.py"
    file.write_text(text)
    with pytest.raises(UsageError, match=match):
        check_module(str(file))
