"""Whether an audit that found nothing shows health: what must be known, and what must not be left open."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.diagnosis.engine import ENOUGH_JUDGED, RuleAnswers
from weaklink.judge.rules._registry import load_rules_on
from weaklink.judge.rules._samples import MeanShift, split

PAIR = ("chosen_quality", "rejected_quality", "same_pair")
"""Columns that only preference pairs have, and that all rules on their scores need."""

NEARLY_ALL, FEWEST_PROMPTS, MANY_PROMPTS, ENOUGH_ON_REWARD = 0.9, 20, 100, 7
"""What rewards must be like to be judged without an outcome: the share of rows that have one, different prompts with
several completions or different prompts at all, and rules on rewards that found nothing."""

ROSE = 0.5
"""The rise of the reward, in standard deviations of rows, with which the outcome must rise too."""

KEPT_PACE = 0.25
"""The part of that rise, in standard deviations of its own rows, that an outcome must have risen by."""


def is_health_shown(samples: Samples, answers: RuleAnswers) -> bool:
    """Whether rules enough found nothing, and something says whether what is paid is really good."""
    known = samples.outcome is not None and len(answers.clean) >= ENOUGH_JUDGED
    judged = known or _are_sound_pairs(samples, answers) or _is_reward_judged(samples, answers)
    return judged and _is_paid_by_knowledge(samples) and not _pays_for_nothing(samples)


def _is_paid_by_knowledge(samples: Samples) -> bool:
    """Whether the reward is known and tells rows apart; where rows have none, whether no field is left over.

    A field that nothing knows may be the reward, and rows nearly all of which are paid the same teach next to nothing.
    """
    if "reward" not in samples:
        return "pair_scored" in samples or not samples.unknown
    paid = samples["reward"][np.isfinite(samples["reward"])]
    _, counts = np.unique(paid, return_counts=True)
    return bool(len(counts)) and int(counts.max()) <= NEARLY_ALL * len(paid)


def _pays_for_nothing(samples: Samples) -> bool:
    """Whether the reward rose by much during training, and no outcome, or one by little: it rose for something else."""
    parts = None if samples.outcome is None or "reward" not in samples else split(samples, "reward")
    reward = None if parts is None else parts.shift("reward")
    if parts is None or reward is None or not reward.rose or reward.change < ROSE * reward.deviation:
        return False
    best = max((_measure_rise(shift) for shift in parts.measures.values()), default=0.0)
    return parts.better is not True or best < KEPT_PACE * _measure_rise(reward)


def _measure_rise(shift: MeanShift) -> float:
    """A change in standard deviations of rows."""
    return shift.change / shift.deviation if shift.deviation else 0.0


def _is_reward_judged(samples: Samples, answers: RuleAnswers) -> bool:
    """Whether nearly all rows have texts and rewards that differ, over prompts enough, and rules judged the rewards."""
    if len(answers.clean) < ENOUGH_JUDGED or not {"reward", "text", "prompt"} <= {*samples.numbers, *samples.codes}:
        return False
    paid = np.isfinite(samples["reward"])
    told = (samples.codes["text"] >= 0) & (samples.codes["prompt"] >= 0)
    asked, counts = np.unique(samples.codes["prompt"][paid & told], return_counts=True)
    if (paid & told).mean() < NEARLY_ALL or len(asked) < FEWEST_PROMPTS or not np.ptp(samples["reward"][paid]) > 0:
        return False
    several = (counts > 1).sum() >= FEWEST_PROMPTS or len(asked) >= MANY_PROMPTS
    rules = load_rules_on(Samples).values()
    on_reward = [rule.code for rule in rules if any("reward" in _flatten_need(need) for need in rule.needs)]
    return bool(several) and sum(code in answers.clean for code in on_reward) >= ENOUGH_ON_REWARD


def _flatten_need(need: str | tuple[str, ...]) -> tuple[str, ...]:
    return (need,) if isinstance(need, str) else need


def _are_sound_pairs(samples: Samples, answers: RuleAnswers) -> bool:
    """Whether all rows are preference pairs with a score of either side, and every rule on pairs found nothing."""
    if "pair_scored" not in samples or not bool((samples["pair_scored"] == 1.0).all()):
        return False
    asked = {rule.code for rule in load_rules_on(Samples).values() if set(rule.needs) & set(PAIR)}
    return asked <= set(answers.clean)
