"""The user's own kernels against the right answers: one kernel a file, found by its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weaklink.base.errors import UsageError

if TYPE_CHECKING:
    from weaklink.base.evidence.kernels import KernelCheck, KernelChecks
    from weaklink.collect.probes.kernels._kernel import Kernel

NAMES = (
    "discounted_returns", "gae", "n_step_returns", "vtrace", "td_target", "q_target", "double_q_target",
    "soft_q_target", "ppo_policy_loss", "value_loss", "kl_estimate", "categorical_kl", "categorical_entropy",
    "gaussian_entropy", "gaussian_log_prob", "squashed_log_prob", "normalised_advantages", "masked_mean",
    "group_advantages", "rloo_advantages", "merged_moments", "running_moments", "replay_buffer",
    "rollout_buffer",
)  # fmt: skip


def kernel_named(name: str) -> Kernel:
    """The kernel of this name."""
    if name not in NAMES:
        raise UsageError(f"No kernel is called '{name}'. There are {', '.join(NAMES)}.")
    found: Kernel = import_module(f"weaklink.collect.probes.kernels.{name}").KERNEL
    return found


def check(name: str, function: Any, **options: Any) -> KernelCheck:
    """Compares a function of the user's own with the right answer of this kernel.

    The options are those of the engine: cases, seed, names, layout, and numbers that the function has built in.
    """
    from weaklink.collect.probes.kernels._engine import check as compare

    return compare(kernel_named(name), function, **options)


def check_module(word: str, cases: int = 200, seed: int = 0) -> KernelChecks:
    """Checks every kernel of a module, given as `module` or `path/to/file.py`."""
    from weaklink.collect.probes.kernels._modules import checked

    return checked(word, cases, seed)
