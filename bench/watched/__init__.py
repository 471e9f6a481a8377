"""Small trainers with one fault each, to be watched for three updates.

Each file has trainers by name, `FAULTS` that can be planted in them, and `train(trainer, fault, folder, seed)`, which
returns the closed monitor; an empty fault is none. A fault is named as in the published lists of faults, and a word
after a stroke tells several ways to make it apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


@dataclass(frozen=True)
class Fault:
    """One fault: where it can be planted, what should be said of it (any of the codes, with these words), and what it
    is. `unseen` says why nothing can be said of it from inside the loop."""

    name: str
    trainers: tuple[str, ...]
    codes: tuple[str, ...] = ()
    words: str = ""
    what: str = ""
    unseen: str = ""
