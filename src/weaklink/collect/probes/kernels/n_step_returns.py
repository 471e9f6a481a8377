"""n-step returns."""

from __future__ import annotations

import numpy as np

from weaklink.base.loop import Link
from weaklink.base.reference.multistep import N_STEP_VARIANTS, n_step_returns
from weaklink.collect.probes.kernels._forms import answer_variants, make_answers
from weaklink.collect.probes.kernels._kernel import AnswerForm, Array, Facts, Forms, Kernel, KernelArgument, KernelCall
from weaklink.collect.probes.kernels._trajectories import (
    FINAL_VALUES,
    FLAGS,
    GAMMA,
    GAMMAS,
    LAST_VALUE,
    NEXT_VALUES,
    REWARDS,
    VALUES,
    list_calls_over_time,
)

INPUTS = ("rewards", "following", "terminated", "truncated", "gamma", "n")
STEPS = KernelArgument(
    "n", ("n_steps", "n_step", "nstep", "nsteps", "horizon", "k", "steps", "multi_step"), number=True
)


def make_forms(returns: Array, facts: Facts) -> Forms:
    """Returns of every step, or of those alone that have n steps ahead of them; also less the value."""
    whole = len(returns) - facts["n"] + 1
    made = {"returns": AnswerForm((returns,)), "advantages": AnswerForm((returns - facts["values"],))}
    if whole >= 1:
        made["returns of full windows"] = AnswerForm((returns[:whole],))
    else:
        made["returns of full windows"] = AnswerForm((np.full_like(returns, np.nan),))
    return made


def _answer_here(facts: Facts) -> Forms:
    """The value of the observation before the last of n steps, in the place of the one after it."""
    return make_forms(n_step_returns(*(facts[name] for name in ("rewards", "values", *INPUTS[2:]))), facts)


def _draw_n(rng: np.random.Generator, facts: Facts) -> Facts:
    return facts | {"n": int(rng.integers(1, 5)), "also": ("n",)}


def list_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Records of steps, with values to continue from."""
    if "rewards" not in names or not names & {"values", "next_values"}:
        return ()
    return list_calls_over_time(names, values=True, more=_draw_n)


KERNEL = Kernel(
    name="n_step_returns",
    what="the rewards of the next n steps and the value of where they lead",
    link=Link.RETURNS,
    look="where the window stops at an episode's end, and the power of gamma on the bootstrap",
    names=(
        "n_step_returns", "nstep_returns", "n_step_return", "compute_n_step_returns", "compute_nstep_returns",
        "n_step_targets", "multi_step_returns", "n_step_target", "compute_n_step_return",
    ),
    arguments=(REWARDS, VALUES, NEXT_VALUES, LAST_VALUE, FINAL_VALUES, *FLAGS, GAMMA, STEPS),
    orders=(
        ("rewards", "next_values", "dones", "gamma", "n"),
        ("rewards", "next_values", "terminated", "truncated", "gamma", "n"),
    ),
    usual={"gamma": GAMMAS, "n": (3, 5, 1, 2, 4, 10)},
    calls=list_calls,
    right=make_answers(n_step_returns, INPUTS, make_forms),
    variants=answer_variants(N_STEP_VARIANTS, INPUTS, make_forms) | {"bootstrap from s instead of s'": (_answer_here,)},
)  # fmt: skip
