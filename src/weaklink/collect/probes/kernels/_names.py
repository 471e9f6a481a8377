"""Every kernel by its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from weaklink.base.errors import UsageError

if TYPE_CHECKING:
    from weaklink.collect.probes.kernels._kernel import Kernel

NAMES = (
    "discounted_returns", "gae", "n_step_returns", "vtrace", "td_target", "q_target", "double_q_target",
    "soft_q_target", "ppo_policy_loss", "value_loss", "kl_estimate", "categorical_kl", "categorical_entropy",
    "gaussian_entropy", "gaussian_log_prob", "squashed_log_prob", "normalised_advantages", "masked_mean",
    "group_advantages", "rloo_advantages", "merged_moments", "running_moments", "replay_buffer",
    "rollout_buffer",
)  # fmt: skip


def find_kernel(name: str) -> Kernel:
    """The kernel of this name."""
    if name not in NAMES:
        raise UsageError(f"No kernel is called '{name}'. There are {', '.join(NAMES)}.")
    found: Kernel = import_module(f"weaklink.collect.probes.kernels.{name}").KERNEL
    return found
