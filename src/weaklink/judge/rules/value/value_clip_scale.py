from __future__ import annotations

from math import isfinite

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.proving import RETURN_RISES, RISES, Change, Intervention, Promise
from weaklink.judge.rules._hyperparameters import read_number, read_positive
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the usual size of a return once rewards are divided by the standard deviation of returns
NORMALISED_RETURN = 3.0


@rule(
    "VAL101",
    link=Link.VALUE,
    level=Level.INFO,
    on=Config,
    needs=("value_clip_range",),
    leads_to=("VAL301", "VAL304", "VAL305"),
    experiment=Intervention(
        change=Change(setting="clip_range_vf", to=None),
        promise=Promise(metrics=("value.explained_variance",), then=RISES),
        if_confirmed="Value clipping held the critic back: leave it out.",
        if_refuted="Value clipping is not what holds the critic: look at its targets and its learning rate.",
        also=(RETURN_RISES,),
    ),
)
def value_clip_scale(config: Config, *, share: float = 0.1) -> Answer:
    """Value clipping lets the critic move only a small part of the way to its targets in each update.

    ## What it sees
    A value clip range below a tenth of the size of returns, where that size is known (`return_scale`,
    `reward_threshold`, or `reward_max` with a discount), or a clip range of zero.

    ## Why it is bad
    Value clipping is in the units of the return, so a range of 0.2 or 10 means nothing by itself. With returns of
    several hundred the critic needs dozens of updates for what should take one, and advantages are wrong meanwhile.

    ## What to do
    1. Switch value clipping off, or set it to about the standard deviation of returns.
    2. Or normalise rewards so that returns are of order one, and keep the range.

    ## How to prove it
    Repeat a short run without value clipping: the explained variance must rise faster.
    `weaklink confirm VAL101 my_project.py` does this.

    ## When it is wrong
    Where a wrapper that the configuration does not mention normalises rewards, returns are small and the range is
    right.

    ## References
    RLlib issue #8908 on `vf_clip_param`; Andrychowicz et al., What Matters In On-Policy Reinforcement
    Learning?, 2020.
    """
    if infer_family(config, ()) in ("off-policy", "language"):
        return None
    clip = config.number("value_clip_range")
    if clip is None:
        if not config.flag("value_clip_range"):
            return None
        clip = config.number("clip_range")  # a flag: values share the clip range of the ratio
    if clip is None or not isfinite(clip):
        return CannotTell(("value_clip_range",), "it is not a number")
    if clip < 0:
        return None  # switched off
    if clip == 0:
        return _describe(0.0, 0.0, "A value clip range of 0 keeps the critic from moving at all.", HIGH)
    scale = _estimate_return_scale(config)
    if scale is None:
        return CannotTell(("return_scale",), "the configuration does not say how large returns are")
    if clip >= share * scale:
        return None
    sure = LOW if config.flag("normalize_reward") else MEDIUM
    words = f"Value updates are clipped to {clip:g}, but returns are of the order of {scale:,.0f}."
    return _describe(clip, share * scale, words, sure)


def _estimate_return_scale(config: Config) -> float | None:
    if config.flag("normalize_reward"):
        return NORMALISED_RETURN
    named = read_number(config, "return_scale", "max_return", "return_max", "reward_threshold")
    if named is not None:
        return abs(named) or None
    reward, gamma = read_number(config, "reward_max", "max_reward"), read_positive(config, "gamma")
    if reward is None or gamma is None or gamma >= 1:
        return None
    episode = read_number(config, "max_episode_steps", "episode_length") or float("inf")
    return abs(reward) * min(1.0 / (1.0 - gamma), max(episode, 1.0)) or None


def _describe(clip: float, limit: float, words: str, sure: float) -> Finding:
    return Finding(
        message=words,
        confidence=sure,
        evidence=(Evidence(metric="value_clip_range", value=clip, limit=limit),),
    )
