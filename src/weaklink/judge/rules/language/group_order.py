from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.rollout import CompletionGroups, Rollout
from weaklink.base.reference.groups import (
    GROUP_VARIANTS,
    RLOO_VARIANTS,
    centred,
    grpo,
    grpo_batch_scale,
    interleave,
    rloo,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

Array = NDArray[Any]

SMALL_NUMBERS = (1e-4, 1e-6, 1e-8)
"""What trainers add to a standard deviation before they divide by it."""

CLOSE, ROUNDING = 0.01, 1e-4
"""How far advantages may differ: a share of the largest one, plus what half precision rounds."""


@rule(
    "LLM204",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Rollout,
    needs=("groups",),
    leads_to=("RET301", "LLM308", "LLM310", "POL307", "REW301", "REW302", "REW304"),
)
def group_order(rollout: Rollout) -> Answer:
    """The advantages are not relative to the completion's own group.

    ## What it sees
    The advantages, recomputed from the rewards of the completions of each prompt. They differ from what the settings
    ask for: they belong to another grouping of the rows (a reshape of a shuffled batch), are divided by another
    standard deviation, lack the mean baseline, have the wrong sign; or those of a prompt do not sum to 0.

    ## Why it is bad
    A completion is then compared with answers to other questions. The advantage mostly rewards getting an easy prompt,
    which no answer can change, and the signal drowns. The training still runs, and often still learns a little.

    ## What to do
    1. Keep the completions of one prompt together until the advantages are computed: shuffle afterwards.
    2. Group by the prompt itself instead of by the position in the batch.
    3. Centre and scale within the group, with a small epsilon added to the standard deviation.

    ## How to prove it
    Give all completions of a prompt the same reward, different for each prompt: every advantage must be 0.

    ## When it is wrong
    Advantages that are reweighted on purpose, by length or difficulty, need not sum to 0; then it is a warning.

    ## References
    Dr. GRPO (Liu et al., 2025), RLOO (Ahmadian et al., 2024); PipelineRL issue #54.
    """
    groups = rollout.groups
    if groups is None:
        return CannotTell(("groups",))
    chosen = _whole(groups)
    if isinstance(chosen, CannotTell):
        return chosen
    rewards, advantages, prompts = chosen
    if not np.isfinite(advantages).all():
        broken = float((~np.isfinite(advantages)).sum())
        said = "Some advantages are not finite: the standard deviation in their denominator has no epsilon."
        return _finding(rollout, said, Evidence(metric="advantages that are not finite", value=broken, limit=0.0))
    right = list(_right(groups, rewards, prompts))
    if _fits(advantages, right):
        return None
    cause = _cause(groups, rewards, advantages, prompts)
    if cause:
        apart = min(float(np.abs(each - advantages).max()) for each in right)
        proof = Evidence(metric="advantages off by", value=apart, limit=_near(advantages))
        return _finding(rollout, f"The advantages are not group-relative as configured: {cause}.", proof)
    return _unbalanced(rollout, groups, advantages, prompts)


def _whole(groups: CompletionGroups) -> tuple[Array, Array, Array] | CannotTell:
    """Rewards, advantages and prompts of the rows that can be judged."""
    rewards, advantages = np.asarray(groups.rewards, float), np.asarray(groups.advantages, float)
    prompts = np.asarray(groups.prompts)
    if rewards.ndim != 1 or not rewards.shape == advantages.shape == prompts.shape:
        return CannotTell(("groups",), "there is not one reward and one advantage per completion")
    if not groups.centred or groups.size < 2:
        return CannotTell(("groups",), "the rewards are not compared within groups")
    if not np.isfinite(rewards).all():
        return CannotTell(("groups",), "some completions have no reward")
    _, counts = np.unique(prompts, return_counts=True)
    if not counts.size or (counts != groups.size).any():
        return CannotTell(("groups",), f"not every prompt has {groups.size} completions here")
    if np.ptp(rewards) <= ROUNDING * max(1.0, float(np.abs(rewards).max())):
        return CannotTell(("groups",), "all completions got the same reward")
    return rewards, advantages, prompts


def _near(advantages: Array) -> float:
    return CLOSE * float(np.abs(advantages).max()) + ROUNDING


def _fits(advantages: Array, candidates: Iterable[Array]) -> bool:
    near = _near(advantages)
    return any(np.isfinite(each).all() and float(np.abs(each - advantages).max()) <= near for each in candidates)


def _right(groups: CompletionGroups, rewards: Array, prompts: Array) -> Iterator[Array]:
    """What the settings ask for; all usual formulas where they are not known."""
    if groups.leave_one_out:
        plain = rloo(rewards, prompts)
        if groups.scale in ("none", ""):
            yield plain
        if groups.scale in ("batch", ""):
            yield (plain - plain.mean()) / (plain.std(ddof=1) + SMALL_NUMBERS[0])
        return
    if groups.scale in ("none", ""):
        yield centred(rewards, prompts)
    for small in SMALL_NUMBERS:
        for sample in (True, False):
            if groups.scale in ("group", ""):
                yield grpo(rewards, prompts, sample=sample, eps=small)
            if groups.scale in ("batch", ""):
                yield grpo_batch_scale(rewards, prompts, sample=sample, eps=small)


def _cause(groups: CompletionGroups, rewards: Array, advantages: Array, prompts: Array) -> str:
    rows = np.arange(len(rewards))
    for places in (rows // groups.size, interleave(prompts)):
        if _fits(advantages, _right(groups, rewards, places)):
            return "the rows were grouped by their position in the batch and not by their prompt"
    if not groups.leave_one_out:
        for scale, said in (("group", "each group"), ("batch", "the whole batch")):
            if scale != groups.scale and _fits(advantages, _scaled(rewards, prompts, scale)):
                return f"they are divided by the standard deviation of {said}, which the settings do not ask for"
        if _fits(advantages, [centred(rewards, prompts)]):
            return "they are not divided by a standard deviation, although the settings ask for it"
    variants = RLOO_VARIANTS if groups.leave_one_out else GROUP_VARIANTS
    for name, ways in variants.items():
        if _fits(advantages, (np.asarray(way(rewards, prompts)) for way in ways)):
            return name
    return ""


def _scaled(rewards: Array, prompts: Array, scale: str) -> Iterator[Array]:
    way = grpo if scale == "group" else grpo_batch_scale
    return (way(rewards, prompts, sample=sample, eps=small) for small in SMALL_NUMBERS for sample in (True, False))


def _unbalanced(rollout: Rollout, groups: CompletionGroups, advantages: Array, prompts: Array) -> Answer:
    sums = np.array([advantages[prompts == prompt].sum() for prompt in np.unique(prompts)])
    limit = _near(advantages) * groups.size
    off = int((np.abs(sums) > limit).sum())
    if not off:
        return None
    proof = Evidence(metric="sum over a group", value=float(np.abs(sums).max()), limit=limit)
    said = f"The advantages of {off} of {len(sums)} prompts do not sum to 0."
    return _finding(rollout, said, proof, named=False)


def _finding(rollout: Rollout, message: str, proof: Evidence, *, named: bool = True) -> Finding:
    return Finding(
        message=message,
        onset=rollout.step,
        confidence=HIGH if named else MEDIUM,
        level=Level.ERROR if named else Level.WARN,
        evidence=(proof,),
    )
