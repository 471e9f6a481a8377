from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Play, Survey
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._components import parts_of
from weaklink.judge.rules.reward._plays import correlation, is_sound, sound_plays

CLOSE = 1e-6


class _Cut(NamedTuple):
    """Rewards cut at a bound: how many, what share of all that was to be paid is lost, and by how much at most."""

    bound: float
    steps: int
    lost: float
    times: float
    similar: bool


@rule(
    "REW110",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW105", "REW107", "TSK102", "TSK103", "REW302", "REW305"),
    checks={"normaliser clip": "decides"},
)
def clipped_reward(
    survey: Survey, *, lost: float = 0.05, times: float = 5.0, similar: float = 5.0, most: float = 0.5
) -> Answer:
    """A clip cuts real rewards, so that large and small ones become the same.

    ## What it sees
    The rewards that come out of the wrappers stop at a bound where those of the environment inside go on, or the parts
    of the reward add up to it except where it stops at a bound. It is an error where a twentieth of all that would
    have been paid is lost, or one reward is cut to a fifth. Scaling alone is fine. Where all rewards are of similar
    size, as with the clip to -1, 0 and 1 in Atari games, it is only worth knowing.

    ## Why it is bad
    The agent no longer cares whether it gets the small prize or the large one, the scratch or the crash. The bonus at
    the goal, which is what the task is about, is the first to be cut.

    ## What to do
    1. Divide rewards by a constant in place of clipping them.
    2. Raise the bound above the largest reward: for VecNormalize that is `clip_reward`, in units of the spread of
       returns.
    3. If the clip is there against glitches, mend what makes the glitches.

    ## How to prove it
    Compare the returns of two policies with and without the wrapper: where their order changes, the clip has changed
    the task.

    ## When it is wrong
    Where the order of policies by clipped rewards is what you want, as in learning curves over many games. Parts that
    are cut from below at zero (`only_positive_rewards` in legged robots) are usual and only told.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015 (the clip and its price).
    Stable-Baselines3, VecNormalize.
    """
    plays = sound_plays(survey)
    if RANDOM not in plays:
        return CannotTell((RANDOM,), "random play has no reward that is a number")
    settled = bool(survey.facts.get("normalises_rewards"))
    judged = False
    for name, play in plays.items():
        raw = _raw(play)
        if raw is not None:
            judged = True
            begin = len(raw) // 2 if settled else 0  # running statistics are wild at the start
            cut = _wrapped(raw[begin:], play.rewards[begin:], similar)
            if cut is not None:
                little = cut.lost < lost and cut.times < times
                mild = little or cut.similar or (_atari(survey) and set(play.rewards.tolist()) <= {-1.0, 0.0, 1.0})
                return _finding(cut, f"in {name} play a wrapper cuts", mild, times)
        cut = _summed_up(play, most)
        if cut is not None:
            mild = (cut.lost < lost and cut.times < times) or cut.bound == 0.0
            return _finding(cut, f"in {name} play the sum of its components is cut", mild, times)
        judged = judged or parts_of(play).add_up
    stuck = _at_the_clip(survey, plays[RANDOM]) if not judged else None
    if stuck is not None:
        return stuck
    bare = not survey.facts.get("clip_reward") and set(survey.facts.get("wrappers") or ()) <= _HARMLESS
    return None if judged or bare else CannotTell(("rewards inside the wrappers",), "only the outer rewards were seen")


_HARMLESS = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics", "Autoreset"}


def _finding(cut: _Cut, words: str, mild: bool, times: float) -> Finding:
    return Finding(
        message=f"Rewards stop at {cut.bound:.4g}: {words} {cut.steps:,} rewards, by up to {cut.times:.3g} times and "
        f"{cut.lost:.1%} of all that was to be paid.",
        level=Level.INFO if mild else Level.ERROR,
        confidence=HIGH if cut.steps >= 10 else MEDIUM,
        evidence=(
            Evidence(metric="reward.bound", value=cut.bound),
            Evidence(metric="reward.cut_times", value=cut.times, limit=times),
        ),
    )


def _raw(play: Play) -> Array | None:
    """The rewards inside the wrappers, where they are told and differ from those outside."""
    raw = play.raw_rewards
    if raw is None or len(raw) != len(play.rewards) or not is_sound(raw):
        return None
    return raw


def _wrapped(raw: Array, paid: Array, similar: float) -> _Cut | None:
    """A bound that outer rewards stop at while inner ones go on, the order of both being the same."""
    if len(raw) < 50 or _affine(raw, paid):
        return None
    cuts = [cut for sign in (1.0, -1.0) if (cut := _stopped(sign * raw, sign * paid, sign, similar)) is not None]
    return max(cuts, key=lambda cut: cut.lost) if cuts else None


def _affine(raw: Array, paid: Array) -> bool:
    """Whether one is the other times a constant plus a constant."""
    middle, spread = float(raw.mean()), float(raw.std())
    if spread == 0.0:
        return float(paid.std()) == 0.0
    handed = (paid == raw) & (raw != 0.0)
    if handed.any() and not handed.all() and bool(np.all((raw == raw.min()) | (raw == raw.max()))):
        return False  # any two numbers can be made of any other two; here one of them stays, so that the other is cut
    slope = float(np.mean((raw - middle) * (paid - paid.mean()))) / spread**2
    if abs(slope) * spread <= CLOSE * float(np.abs(paid).max()):
        return False
    gaps = paid - paid.mean() - slope * (raw - middle)
    return bool(np.abs(gaps).max() <= CLOSE * max(float(np.abs(paid).max()), 1e-300))


def _stopped(raw: Array, paid: Array, sign: float, similar: float) -> _Cut | None:
    bound = float(paid.max())
    if bound <= 0.0:
        return None
    at_bound = paid >= bound - CLOSE * abs(bound)
    inside = raw[at_bound]
    below = ~at_bound & (paid > 0)
    if np.any(raw[at_bound] <= 0.0) or (below.any() and np.mean(raw[below] > quantile(inside, 0.05)) > 0.05):
        return None
    slope = _slope(raw, paid, below, bound / float(inside.min()))
    if slope is None:
        return None
    due = np.maximum(slope * inside, bound)
    cut = due > bound * (1.0 + 1e-3)
    if int(cut.sum()) < 2:
        return None
    whole = float(np.sum(np.where(at_bound, np.maximum(slope * raw, bound), np.abs(paid))))
    sizes = np.abs(raw[raw != 0.0])
    return _Cut(
        sign * bound,
        int(cut.sum()),
        float(np.sum(due - bound)) / whole,
        float(due.max()) / bound,
        quantile(sizes, 0.99) <= similar * quantile(sizes, 0.01),
    )


def _slope(raw: Array, paid: Array, below: Flags, otherwise: float) -> float | None:
    """What rewards below the bound are multiplied by; None where larger ones count ever less, which is no clip.

    Where there are too few of them, those of the other sign tell, if they are handed through as they are.
    """
    if int(below.sum()) >= 20:
        ratios = paid[below] / np.maximum(raw[below], 1e-300)
        bends = quantile(ratios, 0.95) > (1.0 + 1e-4) * quantile(ratios, 0.05)
        return None if bends and correlation(_ranks(raw[below]), _ranks(ratios)) < -0.9 else level(ratios)
    other = paid < 0.0
    same = np.abs(paid - raw)[other] <= CLOSE * float(np.abs(paid).max())
    return 1.0 if int(other.sum()) >= 20 and bool(np.all(same)) else otherwise


def _ranks(values: Array) -> Array:
    return np.argsort(np.argsort(values)).astype(np.float64)


def _summed_up(play: Play, most: float) -> _Cut | None:
    """Parts that add up to the reward except at its largest or smallest value."""
    parts = [values for values in play.components.values() if len(values) == len(play.rewards) and is_sound(values)]
    if len(parts) < 2 or len(play.rewards) < 50:
        return None
    due = np.sum(parts, axis=0)
    size = max(float(np.abs(due).max()), float(np.abs(play.rewards).max()), 1e-300)
    due = due + level(play.rewards - due)
    off = np.abs(due - play.rewards) > CLOSE * size
    if not off.any() or float(np.mean(off)) > most:
        return None
    for bound, beyond in (
        (float(play.rewards.max()), due > play.rewards),
        (float(play.rewards.min()), due < play.rewards),
    ):
        if _all_at(play.rewards[off], bound, size) and bool(np.all(beyond[off])) and int(off.sum()) >= 2:
            return _cut_sum(due, play.rewards, off, bound)
    return None


def _all_at(rewards: Array, bound: float, size: float) -> bool:
    return bool(np.all(np.abs(rewards - bound) <= CLOSE * size))


def _cut_sum(due: Array, paid: Array, off: Flags, bound: float) -> _Cut:
    lost = float(np.sum(np.abs(due - paid)[off])) / max(float(np.sum(np.abs(due))), 1e-300)
    times = float(np.abs(due[off]).max()) / abs(bound) if bound else np.inf
    return _Cut(bound, int(off.sum()), lost, times, False)


def _at_the_clip(survey: Survey, play: Play) -> Finding | None:
    """Rewards that sit on the clip of a normaliser, where nothing says what they were before."""
    clip = survey.facts.get("clip_reward")
    if not isinstance(clip, int | float) or clip <= 0:
        return None
    late = np.abs(play.rewards[len(play.rewards) // 2 :])
    stuck = int(np.sum(late >= clip * (1.0 - CLOSE)))
    if stuck < 3:
        return None
    return Finding(
        message=f"{stuck} of {len(late):,} rewards sit on the normaliser's clip of {clip:g}; what they were before is "
        "not known.",
        level=Level.INFO,
        confidence=LOW,
        evidence=(Evidence(metric="clip_reward", value=float(late.max()), limit=float(clip)),),
    )


def _atari(survey: Survey) -> bool:
    wrappers = " ".join(map(str, survey.facts.get("wrappers") or ()))
    return survey.name.startswith("ALE/") or "NoFrameskip" in survey.name or "Atari" in wrappers
