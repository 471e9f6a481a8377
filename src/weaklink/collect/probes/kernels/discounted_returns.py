"""Discounted returns, the reward to go."""

from __future__ import annotations

from weaklink.base.loop import Link
from weaklink.base.reference.discounting import RETURN_VARIANTS, discounted_returns
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers, make_scaled_forms
from weaklink.collect.probes.kernels._kernel import Array, Facts, Forms, Kernel, KernelCall
from weaklink.collect.probes.kernels._trajectories import (
    FINAL_VALUES,
    FLAGS,
    GAMMA,
    GAMMAS,
    LAST_VALUE,
    NEXT_VALUES,
    REWARDS,
    list_calls_over_time,
)

INPUTS = ("rewards", "terminated", "truncated", "last_value", "gamma", "following")


def make_forms(returns: Array, facts: Facts) -> Forms:
    """Returns, normalised or not."""
    return make_scaled_forms("returns", returns)


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Records of steps; without a value to continue with, nothing follows the last step."""
    return list_calls_over_time(names, values=False) if "rewards" in names else ()


KERNEL = Kernel(
    name="discounted_returns",
    what="the discounted sum of the rewards from each step to the end of its episode",
    link=Link.RETURNS,
    look="where the running sum is set back, and how often gamma enters",
    names=(
        "discounted_returns", "compute_returns", "discount_rewards", "discounted_rewards", "rewards_to_go",
        "reward_to_go", "discount_cumsum", "calculate_returns", "get_returns", "discounted_cumsum", "mc_returns",
        "monte_carlo_returns", "compute_discounted_returns", "calc_returns", "discount",
    ),
    arguments=(
        REWARDS, NEXT_VALUES, LAST_VALUE, FINAL_VALUES, *FLAGS, GAMMA,
    ),
    orders=(
        ("rewards", "gamma"),
        ("rewards", "dones", "gamma"),
        ("rewards", "dones", "last_value", "gamma"),
        ("rewards", "terminated", "truncated", "last_value", "gamma"),
    ),
    usual={"gamma": GAMMAS},
    calls=list_calls,
    right=make_answers(discounted_returns, INPUTS, make_forms),
    variants=answer_variants(RETURN_VARIANTS, INPUTS, make_forms),
)  # fmt: skip
