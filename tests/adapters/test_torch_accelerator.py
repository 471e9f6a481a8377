"""What the accelerator says of itself, and nothing where there is none."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from weaklink.adapters.torch import accelerator as torch_accelerator  # noqa: E402
from weaklink.base.evidence.metrics import METRICS  # noqa: E402


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_cuda_there_is_nothing_to_read():
    assert torch_accelerator.read() == {}
    told = torch_accelerator.describe()
    assert told["device"] == "cpu"
    assert told["torch"] == str(torch.__version__)
    assert told["default_dtype"] == "float32"


def test_the_line_of_the_drivers_tool():
    assert torch_accelerator.parse_answers("1024, 143771, 37, 41\n") == (1024.0, 143771.0, 37.0, 41.0)
    assert torch_accelerator.parse_answers("1024, 143771, [N/A], 41\nmore\n") == (1024.0, 143771.0, None, 41.0)
    assert torch_accelerator.parse_answers("") == (None, None, None, None)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_on_cuda_every_number_has_its_name_and_makes_sense():
    held = torch.zeros(2**20, device="cuda")
    found = torch_accelerator.read()
    assert set(found) <= set(METRICS)
    assert found["system.memory_allocated"] >= held.numel() * 4
    assert found["system.memory_gross"] >= found["system.memory_allocated"] * 0.5
    assert 0.0 <= found["system.accelerator_memory"] <= 1.0
    assert torch_accelerator.describe()["device"] != "cpu"
