from __future__ import annotations

import re
from collections.abc import Iterator

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import read_flag, read_number, read_positive
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_WARM_UP = ("normalizer_warmup", "normaliser_warmup", "normalizer_warmup_steps", "norm_warmup_steps")


@rule(
    "REW120",
    link=Link.REWARD,
    level=Level.INFO,
    on=Config,
    leads_to=(
        "EVA303",
        "REW304",
        "VAL301",
    ),
    checks={"normaliser clip": "decides"},
)
def normaliser_trap(config: Config) -> Answer:
    """A normaliser of observations or rewards is configured so that it changes more than the scale.

    ## What it sees
    With a running normaliser in use: a reward clip below the largest reward; statistics that are not saved with the
    checkpoints; an evaluation environment left in training mode or reporting normalised rewards; no warm-up; a discount
    in the normaliser that differs from the learner's.

    ## Why it is bad
    A clipped bonus is worth no more than an ordinary step. A model without its statistics gets wrong inputs after
    loading. An evaluation that updates the normaliser changes what it measures.

    ## What to do
    1. Set the reward clip above the largest reward, or normalise observations only.
    2. Save the statistics with every checkpoint and load them before evaluating.
    3. Set `training = False` and `norm_reward = False` on the evaluation environment.
    4. Step the environment a thousand times with random actions before training, and give the normaliser the discount
       of the learner.

    ## How to prove it
    Evaluate one checkpoint twice, with its saved statistics and with fresh ones: the returns differ. For the clip,
    count the rewards that equal the clip.

    ## When it is wrong
    The clip applies to the reward after division by the standard deviation of returns, so a large bonus may pass under
    a smaller clip; that is why the clip is info only.

    ## References
    Stable-Baselines3 issues #473, #870, #1556; baselines issue #228.
    """
    used = _is_in_use(config)
    if used is None:
        return CannotTell(("normalize",), "it is not known whether observations or rewards are normalised")
    if not used:
        return None
    traps = list(_find_traps(config))
    if traps:
        level = max(level for level, _, _ in traps)
        return Finding(
            message=f"The normaliser is misconfigured: {'; '.join(words for _, words, _ in traps)}.",
            level=level,
            confidence=HIGH if level >= Level.WARN else LOW if traps[0][2].metric == "clip_reward" else MEDIUM,
            evidence=tuple(evidence for _, _, evidence in traps),
        )
    known = read_number(config, "reward_max", "max_reward"), config.flag("evaluation_training_mode")
    missing = tuple(
        name for name, value in zip(("reward_max", "evaluation_training_mode"), known, strict=True) if value is None
    )
    return CannotTell(missing, "the settings of the normaliser are only partly known") if missing else None


def _find_traps(config: Config) -> Iterator[tuple[Level, str, Evidence]]:
    clip, largest = read_positive(config, "clip_reward"), read_number(config, "reward_max", "max_reward")
    scales_rewards = _normalises_rewards(config) is not False
    if scales_rewards and clip is not None and largest is not None and clip < abs(largest):
        words = f"rewards of up to {abs(largest):g} meet a clip of {clip:g}"
        yield Level.INFO, words, Evidence(metric="clip_reward", value=clip, limit=abs(largest))
    for found, level, words, metric, value in _list_switches(config):
        if found:
            yield level, words, Evidence(metric=metric, value=value, limit=1.0 - value)
    inner, outer = _read_inner_discount(config), config.number("gamma")
    if scales_rewards and inner is not None and outer is not None and abs(inner - outer) > 1e-6:
        words = f"it discounts with {inner:g} and the learner with {outer:g}"
        yield Level.INFO, words, Evidence(metric="gamma", value=inner, limit=outer)


def _list_switches(config: Config) -> tuple[tuple[bool, Level, str, str, float], ...]:
    """Each switch: whether it is set wrongly, how bad that is, in words, its metric and its value."""
    saved = read_flag(config, "save_vecnormalize", "save_vec_normalize", "save_normalizer")
    cold = read_number(config, *_WARM_UP) == 0 or read_flag(config, *_WARM_UP) is False
    trained = bool(config.flag("evaluation_training_mode"))
    scaled = bool(read_flag(config, "eval_env_norm_reward", "eval_norm_reward"))
    left = "the evaluation environment is left in training mode"
    return (
        (trained, Level.WARN, left, "evaluation_training_mode", 1.0),
        (scaled, Level.WARN, "evaluation reports normalised rewards", "eval_env_norm_reward", 1.0),
        (saved is False, Level.INFO, "its statistics are not saved", "save_vecnormalize", 0.0),
        (cold, Level.INFO, "it has no warm-up", "normalizer_warmup", 0.0),
    )


def _is_in_use(config: Config) -> bool | None:
    answers = [config.flag("normalize"), config.flag("normalize_reward")]
    if any(answers):
        return True
    return None if all(answer is None for answer in answers) else False


def _normalises_rewards(config: Config) -> bool | None:
    """Whether rewards are normalised, also where the settings are one string."""
    whole = config.values.get("normalize")
    if isinstance(whole, str) and re.search(r"norm_reward\W+False", whole):
        return False
    return config.flag("normalize_reward")


def _read_inner_discount(config: Config) -> float | None:
    return next(
        (
            float(value)
            for key, value in config.raw.items()
            if re.search(r"normalize(_kwargs)?[./]gamma$", key.lower()) and isinstance(value, int | float)
        ),
        None,
    )
