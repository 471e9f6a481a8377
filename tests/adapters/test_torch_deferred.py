"""Numbers of a device arrive in order; on the processor at once."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from weaklink.adapters.torch.deferred import WIDEST, DeferredNumbers  # noqa: E402


def test_on_the_processor_numbers_arrive_at_once():
    found = []
    DeferredNumbers().put([torch.tensor(1.5), torch.tensor([2], dtype=torch.int64), torch.tensor(True)], found.append)
    assert found == [[1.5, 2.0, 1.0]]


def test_nothing_put_is_nothing_found_and_too_much_is_cut():
    found = []
    deferred = DeferredNumbers()
    deferred.put([], found.append)
    deferred.put([torch.tensor(0.0)] * (WIDEST + 5), found.append)
    assert [len(each) for each in found] == [0, WIDEST]


def test_what_is_put_may_have_a_graph_behind_it():
    found = []
    weights = torch.ones(3, requires_grad=True)
    DeferredNumbers().put([weights.sum()], found.append)
    assert found == [[3.0]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_on_cuda_nothing_waits_and_nothing_is_lost():
    found = []
    deferred = DeferredNumbers(length=4)
    deferred.put([torch.zeros((), device="cuda")], found.append)
    deferred.finish()
    busy = torch.randn(8192, 8192, device="cuda")
    torch.cuda.synchronize()
    for _ in range(40):
        busy = busy @ busy * 1e-4
    for number in range(6):
        deferred.put([torch.full((), float(number), device="cuda")], found.append)
    waiting = len(found)
    deferred.finish()
    assert waiting == 1, "it waited for the device"
    assert found == [[0.0], [0.0], [1.0], [2.0], [3.0]]
    assert deferred.dropped == 2
    deferred.put([torch.full((), 9.0, device="cuda")], found.append)
    deferred.finish()
    assert found[-1] == [9.0]
