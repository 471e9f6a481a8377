"""What torch loads only when it is first used, loaded: a process that is forked later need not do it again."""

from __future__ import annotations

import torch


def preload_optimizer() -> None:
    """Makes one optimizer and lets it step on nothing; no gradient is taken, so no thread is started."""
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))]).step()
