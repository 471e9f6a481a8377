"""Planted mistakes are named, and right kernels are left alone, in whatever style they are written."""

from __future__ import annotations

import pytest

from tests.probes.kernels import planted_elsewhere, planted_over_time, sound
from weaklink.base.reference.remedies import REMEDIES
from weaklink.collect.probes.kernels import check

CASES = 20
WRONG = [*planted_over_time.PLANTED, *planted_elsewhere.PLANTED]


def of_torch(kind: str) -> list:
    try:
        import torch
    except ImportError:
        return []
    from tests.probes.kernels import of_torch as module

    torch.set_num_threads(1)
    return getattr(module, kind)


def named(row: tuple) -> str:
    return f"{row[0]}-{row[1].__name__}"


@pytest.mark.parametrize("row", [*WRONG, *of_torch("PLANTED")], ids=named)
def test_a_planted_mistake_is_named(row):
    kernel, function, variant = row
    found = check(kernel, function, cases=CASES)
    assert (found.verdict, found.variant) == ("wrong", variant), (found.told, found.smallest, found.inputs)
    assert found.matched == CASES
    assert found.failing > 0
    assert found.fix == REMEDIES[variant]
    assert found.place.startswith("tests/probes/kernels/") or found.file.endswith(".py")
    assert len(found.smallest) < 600


@pytest.mark.parametrize("row", [*sound.SOUND, *of_torch("SOUND")], ids=named)
def test_a_right_kernel_is_left_alone(row):
    kernel, function = row
    found = check(kernel, function, cases=CASES, seed=1)
    assert found.verdict == "right", (found.told, found.smallest, found.inputs)


def test_enough_of_both():
    assert len(WRONG) >= 35
    assert len({(kernel, variant) for kernel, _, variant in WRONG}) >= 45
    assert len(sound.SOUND) >= 30
