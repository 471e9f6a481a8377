"""PyTorch in a process of our own."""

from __future__ import annotations

import torch


def use_one_thread() -> None:
    """One thread, and without the kernels that are slow for tiny networks on some machines."""
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
