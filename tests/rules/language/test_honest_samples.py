"""Honest trainings in full dress: no rule on language models may raise an alarm on any of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from tests.sparing import spare
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import load_rules_on

RULES = [rule for rule in load_rules_on(Samples).values() if rule.code.startswith("LLM")]
STYLES = ("list_items", "headings", "bold", "exclamations", "praise", "confidence", "emojis")
SIZES = {"usual": (40, 6, 6), "few steps": (5, 16, 8), "few rows": (10, 4, 4), "no groups": (60, 20, 1)}


def dressed(t: Training, **columns):
    """Samples with all that is read from any text, as a healthy policy writes it."""
    plain = {
        "prompt": t.group,
        "length": t.lengths(120),
        "repetition": t.share(0.03, 0.02),
        "density": t.share(0.75, 0.05),
        "refusal": t.chance(0.02),
        "template": t.rng.integers(0, 6, t.rows),
        "opening": t.rng.integers(0, 1000, t.rows),
        "answer": t.rng.integers(0, 6, t.rows),
        "text": np.arange(t.rows),
        **{f"style__{name}": np.floor(np.exp(t.normal(0.0, 1.0))) for name in STYLES},
    }
    return t.samples(**plain | columns)


def longer_because_better(t):
    right = t.chance(t.ramp(0.3, 0.75), hardness=1.0)
    return dressed(t, length=t.lengths(t.ramp(100, 400) * (1 + 0.2 * right)), gold=right, reward=right)


def longer_because_better_as_people_see(t):
    quality = np.clip(t.normal(t.ramp(0.35, 0.65) - 0.1 * t.hardness, 0.15), 0, 1)
    length = np.round(np.exp(np.log(t.ramp(100, 300)) + quality - 0.5 + t.normal(0, 0.25)))
    return dressed(t, length=length, human_score=t.share(quality, 0.15), reward=t.share(quality))


def terse(t):
    right, length = t.chance(t.ramp(0.3, 0.7)), t.lengths(t.ramp(150, 40))
    return dressed(t, length=length, gold=right, reward=right - 0.001 * length)


def one_word(t):
    right = t.chance(0.5, hardness=1.0)
    word = np.where(right, 0, t.rng.integers(0, 2, t.rows))
    same = {"answer": word, "text": word, "opening": word, "template": np.zeros(t.rows)}
    return dressed(t, length=np.ones(t.rows), density=np.ones(t.rows), gold=right, reward=right, **same)


def rightly_refused(t, *, told=True):
    unsafe = (t.rng.random(t.steps * t.prompts) < t.ramp(0.1, 0.6)[:: t.size])[t.group] * 1.0
    refused = np.where(unsafe, t.chance(0.9), t.chance(0.02))
    human = t.share(np.where(unsafe, 0.1 + 0.8 * refused, 0.7), 0.15)
    kind = {"unsafe_prompt": unsafe} if told else {}
    return dressed(t, refusal=refused, human_score=human, reward=t.share(human), **kind)


def rightly_refused_untold(t):
    return rightly_refused(t, told=False)


def form_before_accuracy(t):
    form = t.chance(np.clip(t.ramp(0.1, 2.5), 0, 0.97))
    right = form * t.chance(np.clip(0.1 + 0.9 * np.maximum(t.progress - 0.35, 0), 0, 1), hardness=1.0)
    alike = {name: np.where(form, 0, t.rng.integers(1, 900, t.rows)) for name in ("template", "opening")}
    paid = {"reward": right + 0.5 * form, "reward__format": 0.5 * form, "reward__accuracy": right}
    return dressed(t, length=t.lengths(80 + 60 * form), gold=right, **alike, **paid)


def easy(t):
    right = t.chance(0.99)
    return dressed(t, gold=right, reward=right, answer=1 - right)


def hard(t):
    right = t.chance(0.03, hardness=1.0)
    return dressed(t, gold=right, reward=right)


def noisy_reward_model(t):
    human = np.clip(t.normal(t.ramp(0.4, 0.6) - 0.1 * t.hardness, 0.2), 0, 1)
    return dressed(t, human_score=human, reward=t.share(human, 0.3))


def noisy_logits_and_stars(t):
    human = np.clip(t.normal(0.5 - 0.1 * t.hardness, 0.2), 0, 1)
    return dressed(t, human_score=np.round(1 + 4 * human), reward=t.normal(3 * human - 1, 0.8))


def noisy_verdicts(t):
    human = t.chance(0.5, hardness=1.0)
    return dressed(t, human_score=human, reward=np.abs(human - t.chance(0.1)))


def curriculum(t):
    harder = t.ramp(0.1, 0.9)
    right = t.chance(0.5 + 0.3 * t.progress - 0.4 * harder)
    return dressed(t, length=t.lengths(60 + 400 * harder), difficulty=harder, gold=right, reward=right)


def curriculum_untold(t):
    harder = t.ramp(0.1, 0.9)
    right = t.chance(0.6 - 0.3 * harder)
    return dressed(t, length=t.lengths(60 + 400 * harder), gold=right, reward=right)


def single_step(t):
    right = t.chance(0.4, hardness=1.0)
    return dressed(t, step=np.zeros(t.rows), gold=right, reward=right)


def several_languages(t):
    language = t.rng.integers(0, 3, t.steps * t.prompts)[t.group]
    right = t.chance(t.ramp(0.3, 0.6))
    length, density = np.array([100, 160, 60])[language], np.array([0.75, 0.6, 0.9])[language]
    return dressed(t, length=t.lengths(length), density=t.share(density, 0.05), gold=right, reward=right)


def tables_and_prose(t):
    table = t.rng.integers(0, 2, t.steps * t.prompts)[t.group]
    right = t.chance(t.ramp(0.4, 0.6), hardness=1.0)
    return dressed(t, repetition=t.share(0.04 + 0.31 * table, 0.08), gold=right, reward=right)


def small_groups(t):
    right, pairs = t.chance(0.5, hardness=1.5), np.arange(t.rows) // 2
    return dressed(t, group=pairs, prompt=pairs, gold=right, reward=right)


def nothing_moves(t):
    right = t.chance(0.4, hardness=1.0)
    logged = {"kl": t.normal(0.05, 0.02), "truncated": t.chance(0.05), "unsafe": t.chance(0.05)}
    return dressed(t, gold=right, reward=right, advantage=right - 0.4, entropy=t.normal(1.0, 0.1), **logged)


HONEST = [
    longer_because_better,
    longer_because_better_as_people_see,
    terse,
    one_word,
    rightly_refused,
    rightly_refused_untold,
    form_before_accuracy,
    easy,
    hard,
    noisy_reward_model,
    noisy_logits_and_stars,
    noisy_verdicts,
    curriculum,
    curriculum_untold,
    single_step,
    several_languages,
    tables_and_prose,
    small_groups,
    nothing_moves,
]


SMALL = (terse, rightly_refused, form_before_accuracy, noisy_verdicts, several_languages, nothing_moves)
"""Of these each size is tried, of the others the usual one."""


@pytest.mark.parametrize(
    ("honest", "size"),
    spare([(honest, size) for honest in HONEST for size in SIZES], lambda case: case[1] == "usual" or case[0] in SMALL),
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_no_alarm_on_an_honest_training(honest, size):
    for seed in range(2):
        samples = honest(Training(*SIZES[size], seed=seed))
        for rule in RULES:
            answer = rule.ask(samples)
            assert not (isinstance(answer, Finding) and answer.severity > Level.INFO), answer
