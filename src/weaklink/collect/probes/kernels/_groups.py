"""Groups of samples that share a prompt: how they are drawn, and how functions are told which belong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.collect.probes.kernels._batches import TOKEN_MASK
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Array, Facts, Forms, KernelArgument, KernelCall

REWARDS = KernelArgument("rewards", ("reward", "scores", "score", "r", "outcome_rewards", "rewards_flat"))
TOKEN_REWARDS = KernelArgument("token_level_rewards", ("token_rewards", "token_level_scores"))
SIZE = KernelArgument(
    "group_size",
    (
        "num_generations",
        "n",
        "k",
        "g",
        "num_samples",
        "group",
        "n_samples",
        "rloo_k",
        "samples_per_prompt",
        "G",
        "size",
    ),
    number=True,
)
IDS = KernelArgument("groups", ("group_ids", "index", "uids", "uid", "prompt_ids", "group_index", "ids", "group_id"))
ARGUMENTS = (REWARDS, TOKEN_REWARDS, SIZE, IDS, TOKEN_MASK)


def _draw(rng: np.random.Generator, size: float, *, shuffled: bool) -> Facts:
    """Rewards of prompts of differing difficulty; the answers to some prompts all get the same."""
    prompts, members = 1 + int(size * 3) + int(rng.integers(0, 2)), 2 + int(rng.integers(0, 2 + int(2 * size)))
    rewards = rng.integers(0, 5, (prompts, members)) / 4 + rng.integers(-2, 3, (prompts, 1))
    rewards[:, 0] += np.where(np.ptp(rewards, axis=1) == 0, 0.75, 0.0)
    level = rng.random(prompts) < 0.25
    rewards[level] = rewards[level][:, :1]
    group = np.repeat(np.arange(prompts), members)
    order = rng.permutation(len(group)) if shuffled else np.arange(len(group))
    length = 2 + int(size * 3)
    mask = np.arange(length)[None, :] < rng.integers(1, length + 1, len(group))[:, None]
    flat = rewards.reshape(-1)[order].astype(np.float64)
    last = mask.sum(axis=1) - 1
    return {
        "rewards": flat,
        "group": group[order],
        "shape": rewards.shape,
        "members": members,
        "mask": mask,
        "spread": np.where(np.arange(length)[None, :] == last[:, None], flat[:, None], 0.0),
    }


def list_group_calls(names: frozenset[str]) -> tuple[KernelCall, ...]:
    """Groups by size, by number, or by the rows of a table."""
    if not names & {"rewards", "token_level_rewards"}:
        return ()
    if "groups" in names:
        as_array = _make_call("groups by number", lambda facts: {"groups": facts["group"]}, shuffled=True)
        as_list = _make_call("groups by number", lambda facts: {"groups": facts["group"].tolist()}, shuffled=True)
        return as_array, as_list
    if "group_size" in names:
        return (_make_call("one group after the other", lambda facts: {}, shuffled=False),)
    return (
        _make_call(
            "a row a group", lambda facts: {"rewards": facts["rewards"].reshape(facts["shape"])}, shuffled=False
        ),
    )


def _make_call(told: str, give: Callable[[Facts], dict[str, Any]], *, shuffled: bool) -> KernelCall:
    def given(facts: Facts) -> dict[str, Any]:
        plain = {"rewards": facts["rewards"], "token_level_rewards": facts["spread"], "mask": facts["mask"]}
        return plain | {"group_size": int(facts["members"])} | give(facts)

    return KernelCall(told, lambda rng, size, layout: _draw(rng, size, shuffled=shuffled), given)


def answer_groups(compute: Callable[..., Any], slack: float = 3e-3) -> Answers:
    """One advantage a sample: flat, in rows, or at every token."""

    def answer(facts: Facts) -> Forms:
        advantages: Array = np.asarray(compute(facts["rewards"], facts["group"]))
        tokens = np.where(facts["mask"], advantages[:, None], np.nan)
        return {
            "one a sample": AnswerForm((advantages,), slack),
            "a row a group": AnswerForm((advantages.reshape(facts["shape"]),), slack),
            "one a token": AnswerForm((tokens,), slack),
            "one a token, twice": AnswerForm((tokens, tokens), slack),
        }

    return answer


def answer_conventions(computes: dict[str, Callable[..., Any]]) -> Answers:
    """Several conventions, each in every form."""

    def answer(facts: Facts) -> Forms:
        made: Forms = {}
        for name, compute in computes.items():
            made |= {f"{name}, {form}": value for form, value in answer_groups(compute)(facts).items()}
        return made

    return answer
