from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.rollout import CompletionGroups, Rollout
from weaklink.base.finding import CannotTell, Level
from weaklink.base.reference.groups import centred, grpo, grpo_batch_scale, rloo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM204")
SIZE, PROMPTS = 4, 5
BLOCKS = np.repeat(np.arange(PROMPTS), SIZE)
SHUFFLED = np.random.default_rng(3).permutation(BLOCKS)


def paid(prompts):
    """Rewards that depend on the prompt much more than on the completion."""
    rng = np.random.default_rng(0)
    return rng.normal(0, 1, len(prompts)) * (1 + prompts) / 3 + 5.0 * prompts


def seen(advantages, prompts=BLOCKS, rewards=None, **settings):
    rewards = paid(prompts) if rewards is None else rewards
    groups = CompletionGroups(rewards=rewards, advantages=advantages, prompts=prompts, size=SIZE, **settings)
    return Rollout(step=0, update=1, groups=groups)


def trl(rewards, prompts):
    return grpo(rewards, prompts, sample=True, eps=1e-4)


def sick():
    rewards, mixed = paid(BLOCKS), paid(SHUFFLED)
    flat = rewards.copy()
    flat[:SIZE] = 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.concatenate([(own - own.mean()) / own.std() for own in flat.reshape(-1, SIZE)])
    return [
        # a reshape of a shuffled batch
        seen(trl(mixed, BLOCKS), SHUFFLED, scale="group"),
        seen(trl(rewards, np.arange(len(rewards)) % PROMPTS), scale="group"),
        seen(rloo(mixed, BLOCKS), SHUFFLED, scale="none", leave_one_out=True),
        seen(grpo_batch_scale(rewards, BLOCKS, sample=True, eps=1e-4), scale="group"),
        seen(trl(rewards, BLOCKS), scale="none"),
        seen(centred(rewards, BLOCKS), scale="group"),
        seen((rewards - rewards.mean()) / (rewards.std(ddof=1) + 1e-4), scale="group"),
        seen(without, rewards=flat, scale="group"),
        seen(-trl(rewards, BLOCKS), scale="group"),
        seen(centred(rewards, BLOCKS), scale="none", leave_one_out=True),
        # nothing that is known, and not balanced
        seen(np.random.default_rng(9).normal(0, 1, len(rewards)), scale="group"),
    ]


def healthy():
    rewards, mixed = paid(BLOCKS), paid(SHUFFLED)
    alone = rloo(rewards, BLOCKS)
    flat = np.where(BLOCKS == 2, 0.1, rewards)
    tiny = 1e-3 * np.random.default_rng(1).normal(0, 1, len(rewards))
    ragged = BLOCKS.copy()
    ragged[0] = 9
    lost = rewards.copy()
    lost[3] = np.nan
    weights = np.repeat(np.random.default_rng(2).uniform(0.2, 3, PROMPTS), SIZE)
    return [
        seen(trl(rewards, BLOCKS), scale="group"),
        seen(trl(rewards, BLOCKS).astype(np.float32), scale="group"),
        seen(trl(mixed, SHUFFLED), SHUFFLED, scale="group"),
        seen(grpo(rewards, BLOCKS, eps=1e-8), scale="group"),
        seen(grpo_batch_scale(rewards, BLOCKS, sample=True, eps=1e-4), scale="batch"),
        seen(centred(rewards, BLOCKS), scale="none"),
        seen(alone, scale="none", leave_one_out=True),
        seen((alone - alone.mean()) / (alone.std(ddof=1) + 1e-4), scale="batch", leave_one_out=True),
        # the settings are not known
        seen(grpo_batch_scale(rewards, BLOCKS)),
        seen(centred(rewards, BLOCKS)),
        seen(trl(flat, BLOCKS), rewards=flat, scale="group"),
        seen(trl(tiny, BLOCKS), rewards=tiny, scale="group"),
        # weighted by the difficulty of the prompt, on purpose
        seen(weights * trl(rewards, BLOCKS), scale="group"),
        seen(np.zeros(len(rewards)), rewards=np.ones(len(rewards)), scale="group"),
        seen(trl(rewards, BLOCKS), ragged, scale="group"),
        seen(trl(rewards, BLOCKS), rewards=lost, scale="group"),
        seen(np.zeros((len(rewards), 3)), scale="group"),
    ]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (0, "grouped by their position in the batch"),
        (1, "grouped by their position in the batch"),
        (2, "grouped by their position in the batch"),
        (3, "divided by the standard deviation of the whole batch"),
        (4, "divided by the standard deviation of each group"),
        (5, "not divided by a standard deviation"),
        (6, "normalised over the whole batch"),
        (7, "not finite"),
        (8, "sign flipped"),
        (9, "group mean including the sample itself"),
    ],
)
def test_names_the_mistake(at, said):
    answer = RULE.ask(sick()[at])
    assert said in answer.message
    assert answer.level is Level.ERROR


def test_what_is_only_unbalanced_is_a_warning():
    answer = RULE.ask(sick()[-1])
    assert "do not sum to 0" in answer.message
    assert answer.level is Level.WARN


@pytest.mark.parametrize("at", [-4, -3, -2, -1])
def test_without_whole_groups_it_cannot_tell(at):
    assert isinstance(RULE.ask(healthy()[at]), CannotTell)
