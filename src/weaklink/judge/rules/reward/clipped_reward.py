from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Play, Survey
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._wrappers import DROPPED, LAST_ONLY, LATE, REPEATED, RewardChange, find_reward_changes
from weaklink.judge.rules.reward._components import split_reward
from weaklink.judge.rules.reward._plays import correlate, is_sound, select_sound_plays
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

CLOSE = 1e-6  # equal but for the rounding of float32

FEWEST_STEPS = 50  # rewards below which a bound may be the largest value by chance

MOSTLY = 0.5  # the share of rewards at a bound from which on they say hardly more than their sign

FEWEST_RATIOS = 20  # rewards below the bound that are enough to estimate their common factor

FOLLOWS = 0.9  # the rank correlation from which on a reward follows a number

# wrappers that leave the reward alone
_HARMLESS = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics", "Autoreset"}


class _Cut(NamedTuple):
    """Rewards cut at a bound: how many, which share of the total is lost, and by which factor at most.

    `mild` marks usual cuts: of rewards of similar size, or at zero.
    """

    bound: float
    steps: int
    lost: float
    times: float
    mild: bool


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
    """A clip or a wrapper cuts real rewards: large and small ones become equal, or some are never paid.

    ## What it sees
    The rewards outside the wrappers stop at a bound where those of the environment inside continue, the components add
    up to the reward except where it stops at a bound, or a number of the info is the reward itself except where it
    stops at one, as it does in half of all steps. It is a warning where the reward follows a number of the info, and
    stops at a bound other than 0 in half of all steps, all of them where that number goes on far beyond. It is an error
    where a twentieth of the total reward is lost, or one reward is cut to a fifth. Scaling alone is fine. Where all
    rewards are of similar size, as with the clip to -1, 0 and 1 in Atari games, it is info. Each wrapper is listened at
    on both sides too: one that pays rewards late, pays only the last of several steps, pays running sums, or drops
    rewards is named.

    ## Why it is bad
    The agent no longer distinguishes the small prize from the large one, the scratch from the crash. The bonus at the
    goal, which defines the task, is the first to be cut.

    ## What to do
    1. Divide rewards by a constant instead of clipping them.
    2. Raise the bound above the largest reward: for VecNormalize that is `clip_reward`, in standard deviations of the
       return.
    3. If the clip is there against outliers, fix what causes them.

    ## How to prove it
    Compare the returns of two policies with and without the wrapper: where their order changes, it has changed the
    task.

    ## When it is wrong
    Where the order of policies by clipped rewards is what you want, as in learning curves over many games. Rewards that
    are cut at zero from below (`only_positive_rewards` in legged robots) are usual and reported as info.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015 (the clip and its price).
    Stable-Baselines3, VecNormalize.
    """
    plays = select_sound_plays(survey)
    if RANDOM not in plays:
        return CannotTell((RANDOM,), "random play has no finite reward")
    changes = [change for change in find_reward_changes(survey) if change.kind in _LOSSES]
    if changes:
        return tuple(map(_describe_change, changes))
    for name, play in plays.items():
        wrapped = _find_wrapper_cut(survey, play, similar)
        told = None if wrapped else _find_told_cut(play, similar)
        cut = wrapped or told or _find_component_cut(play, most)
        if cut is not None:
            words = "a wrapper cuts" if wrapped else "the info tells more of" if told else _SUM_IS_CUT
            mild = cut.mild or (cut.lost < lost and cut.times < times)
            return _describe(cut, f"in {name} play {words}", mild, times)
    followed = _find_followed_cut(plays[RANDOM])
    if followed is not None:
        return followed
    if any(_read_raw_rewards(play) is not None or split_reward(play).add_up for play in plays.values()):
        return None
    stuck = _find_at_clip(survey, plays[RANDOM])
    bare = not survey.facts.get("clip_reward") and set(survey.facts.get("wrappers") or ()) <= _HARMLESS
    if stuck is not None or bare:
        return stuck
    return CannotTell(("rewards inside the wrappers",), "only the outer rewards are known")


_SUM_IS_CUT = "the sum of its components is cut for"

# what a wrapper does to rewards that loses some of them; dropping and repeating may be meant
_LOSSES = {LATE: Level.ERROR, LAST_ONLY: Level.ERROR, REPEATED: Level.WARN, DROPPED: Level.WARN}


def _describe_change(change: RewardChange) -> Finding:
    return Finding(
        message=f"The wrapper `{change.layer.name}` {change.words}: what comes out differs from what goes in at "
        f"{change.steps:,} of {change.layer.steps:,} steps.",
        level=_LOSSES[change.kind],
        confidence=HIGH,
        evidence=(Evidence(metric=f"{change.layer.name}: rewards changed", value=float(change.steps), limit=0.0),),
    )


def _describe(cut: _Cut, words: str, mild: bool, times: float) -> Finding:
    return Finding(
        message=f"Rewards stop at {cut.bound:.4g}: {words} {cut.steps:,} rewards, by up to {cut.times:.3g} times, and "
        f"{cut.lost:.1%} of the total reward is lost.",
        level=Level.INFO if mild else Level.ERROR,
        confidence=HIGH if cut.steps >= 10 else MEDIUM,
        evidence=(
            Evidence(metric="reward.bound", value=cut.bound),
            Evidence(metric="reward.cut_times", value=cut.times, limit=times),
        ),
    )


def _find_wrapper_cut(survey: Survey, play: Play, similar: float) -> _Cut | None:
    """A clip by a wrapper; that of Atari games to -1, 0 and 1 is mild."""
    raw = _read_raw_rewards(play)
    if raw is None:
        return None
    begin = len(raw) // 2 if survey.facts.get("normalises_rewards") else 0  # running statistics are wild at the start
    cut = _find_bound(raw[begin:], play.rewards[begin:], similar)
    if cut is None:
        return None
    return cut._replace(mild=cut.mild or (_is_atari(survey) and set(play.rewards.tolist()) <= {-1.0, 0.0, 1.0}))


def _read_raw_rewards(play: Play) -> Array | None:
    """The rewards inside the wrappers, where they are known."""
    raw = play.raw_rewards
    return raw if raw is not None and len(raw) == len(play.rewards) and is_sound(raw) else None


def _find_bound(raw: Array, paid: Array, similar: float) -> _Cut | None:
    """A bound at which outer rewards stop while inner ones continue, both in the same order."""
    if len(raw) < FEWEST_STEPS or _is_linear(raw, paid):
        return None
    cuts = [cut for sign in (1.0, -1.0) if (cut := _measure_cut(sign * raw, sign * paid, sign, similar)) is not None]
    return max(cuts, key=lambda cut: cut.lost) if cuts else None


def _is_linear(raw: Array, paid: Array) -> bool:
    """Whether the outer rewards are a linear function of the inner ones."""
    middle, spread = float(raw.mean()), float(raw.std())
    if spread == 0.0:
        return float(paid.std()) == 0.0
    handed = (paid == raw) & (raw != 0.0)
    if handed.any() and not handed.all() and bool(np.all((raw == raw.min()) | (raw == raw.max()))):
        return False  # any two values are a line; here one of them is unchanged, so the other is cut
    slope = float(np.mean((raw - middle) * (paid - paid.mean()))) / spread**2
    if abs(slope) * spread <= CLOSE * float(np.abs(paid).max()):
        return False
    gaps = paid - paid.mean() - slope * (raw - middle)
    return bool(np.abs(gaps).max() <= CLOSE * max(float(np.abs(paid).max()), 1e-300))


def _measure_cut(raw: Array, paid: Array, sign: float, similar: float) -> _Cut | None:
    bound = float(paid.max())
    if bound <= 0.0:
        return None
    at_bound = paid >= bound - CLOSE * abs(bound)
    inside = raw[at_bound]
    below = ~at_bound & (paid > 0)
    if np.any(raw[at_bound] <= 0.0) or (below.any() and np.mean(raw[below] > quantile(inside, 0.05)) > 0.05):
        return None
    slope = _fit_factor(raw, paid, below, bound / float(inside.min()))
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


def _fit_factor(raw: Array, paid: Array, below: Flags, otherwise: float) -> float | None:
    """The factor of rewards below the bound; None where larger ones are compressed smoothly, which is no clip.

    Where there are too few of them, those of the other sign show it, if they are unchanged.
    """
    if int(below.sum()) >= FEWEST_RATIOS:
        ratios = paid[below] / np.maximum(raw[below], 1e-300)
        bends = quantile(ratios, 0.95) > (1.0 + 1e-4) * quantile(ratios, 0.05)
        return None if bends and correlate(_rank(raw[below]), _rank(ratios)) < -0.9 else level(ratios)
    other = paid < 0.0
    same = np.abs(paid - raw)[other] <= CLOSE * float(np.abs(paid).max())
    return 1.0 if int(other.sum()) >= FEWEST_RATIOS and bool(np.all(same)) else otherwise


def _rank(values: Array) -> Array:
    return np.argsort(np.argsort(values)).astype(np.float64)


def _find_told_cut(play: Play, similar: float) -> _Cut | None:
    """A number of the info that is the reward where it lies between its bounds, and goes on where it stops."""
    low, high = float(play.rewards.min()), float(play.rewards.max())
    inside = (play.rewards > low) & (play.rewards < high) & (play.rewards != 0.0)
    at_bound = float(np.mean((play.rewards == low) | (play.rewards == high)))
    if int(inside.sum()) < FEWEST_RATIOS or at_bound < MOSTLY:
        return None
    for values in play.metrics.values():
        if len(values) == len(play.rewards) and is_sound(values):
            same = np.abs(np.clip(values, low, high) - play.rewards) <= CLOSE * max(abs(low), abs(high))
            if bool(np.all(same)):
                return _find_bound(values, play.rewards, similar)
    return None


def _find_followed_cut(play: Play) -> Finding | None:
    """A number of the info that the reward follows between its bounds, and that goes on far beyond where it stops."""
    for bound in (float(play.rewards.min()), float(play.rewards.max())):
        stops = play.rewards == bound
        free = ~stops
        if bound == 0.0 or np.mean(stops) < MOSTLY or len(np.unique(play.rewards[free])) < FEWEST_RATIOS:
            continue
        for name, values in play.metrics.items():
            if len(values) != len(stops) or not is_sound(values):
                continue
            order = correlate(_rank(values[free]), _rank(play.rewards[free]))
            beyond = np.sign(order) * (1.0 if bound > play.rewards[free].min() else -1.0)  # where the number goes on
            inside, outside = np.sort(beyond * values[free]), beyond * values[stops]
            edge, spread = quantile(inside, 0.9), float(inside[-1] - inside[0])
            if abs(order) >= FOLLOWS and quantile(outside, 0.05) >= edge and quantile(outside, 0.5) - edge >= spread:
                return _describe_followed(play, name, bound, stops)
    return None


def _describe_followed(play: Play, name: str, bound: float, stops: Flags) -> Finding:
    values, share = play.metrics[name][stops], float(np.mean(stops))
    return Finding(
        message=f"The reward follows `{name}` of the info and stops at {bound:.4g}, in {share:.0%} of the steps of "
        f"random play, in which `{name}` goes from {values.min():.4g} to {values.max():.4g}: there nothing tells a "
        "better state from a worse one.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="reward.share_at_bound", value=share, limit=MOSTLY),),
    )


def _find_component_cut(play: Play, most: float) -> _Cut | None:
    """Components that add up to the reward except at its largest or smallest value."""
    parts = [values for values in play.components.values() if len(values) == len(play.rewards) and is_sound(values)]
    if len(parts) < 2 or len(play.rewards) < FEWEST_STEPS:
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
        if _are_all_at(play.rewards[off], bound, size) and bool(np.all(beyond[off])) and int(off.sum()) >= 2:
            return _measure_lost_sum(due, play.rewards, off, bound)
    return None


def _are_all_at(rewards: Array, bound: float, size: float) -> bool:
    return bool(np.all(np.abs(rewards - bound) <= CLOSE * size))


def _measure_lost_sum(due: Array, paid: Array, off: Flags, bound: float) -> _Cut:
    lost = float(np.sum(np.abs(due - paid)[off])) / max(float(np.sum(np.abs(due))), 1e-300)
    times = float(np.abs(due[off]).max()) / abs(bound) if bound else np.inf
    return _Cut(bound, int(off.sum()), lost, times, mild=bound == 0.0)


def _find_at_clip(survey: Survey, play: Play) -> Finding | None:
    """Rewards that lie on the clip of a normaliser, where the original rewards are unknown."""
    clip = survey.facts.get("clip_reward")
    if not isinstance(clip, int | float) or clip <= 0:
        return None
    late = np.abs(play.rewards[len(play.rewards) // 2 :])
    stuck = int(np.sum(late >= clip * (1.0 - CLOSE)))
    if stuck < 3:
        return None
    return Finding(
        message=f"{stuck} of {len(late):,} rewards lie on the normaliser's clip of {clip:g}; the original rewards are "
        "unknown.",
        level=Level.INFO,
        confidence=LOW,
        evidence=(Evidence(metric="clip_reward", value=float(late.max()), limit=float(clip)),),
    )


def _is_atari(survey: Survey) -> bool:
    wrappers = " ".join(map(str, survey.facts.get("wrappers") or ()))
    return survey.name.startswith("ALE/") or "NoFrameskip" in survey.name or "Atari" in wrappers
