from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import HeldStretch, block_means, level
from weaklink.judge.rules._course import FEWEST, FORM, find_component_series, find_limit_held, measure_during
from weaklink.judge.rules._draws import find_steps, hash_draws, select_complete
from weaklink.judge.rules._samples import LIKELY, ends, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SHARE, SPREAD = "reward.zero_spread_fraction", "reward.group_std"
OF_SAMPLES = "over the samples of a step"
"""How curves of samples say that they are made: of these the share was counted wherever groups are large enough."""

SMALLEST, FEWEST_GROUPS, DEAD = 3, 10, 0.9
"""Smallest group (pairs agree too often by chance), fewest groups, and the share from which all-wrong groups are an
alarm: below it the other groups keep learning alive."""

NOTHING = 1e-6
"""A spread that what trainers add to the standard deviation (1e-6 to 1e-4) swallows."""

# of the range of rewards: no policy loses so much from one point to the next; a share of right answers below the second
# may be 0 by chance from then on
AT_ONCE, HIGH_SHARE = 0.7, 0.5

# points that show what a reward is like, the standard deviations that they lie away from the number that all later
# ones are, and the part of that distance that the last of them still have
SURE, APART, HALF = 20, 2.5, 0.5

RIGHT, WRONG, SPLIT, SAME, PAID, STOPPED, UNKNOWN = "right", "wrong", "split", "same", "paid", "stopped", "unknown"
_SAID = {
    PAID: "the reward is at the top of its range, and nothing but the form of an answer is rewarded",
    RIGHT: "the reward is at the top of its range, so their answers are all right",
    WRONG: "the reward is at the bottom of its range, so their answers are all wrong",
    SPLIT: "the reward is in the middle of its range, so each prompt is always right or always wrong",
    SAME: "every completion of the run got the same reward, so either it never pays or no answer was ever right",
    STOPPED: "the reward fell at once to one number for every completion, so it no longer pays",
    UNKNOWN: "no reward is logged to say whether their answers are all right or all wrong",
}
ALONE = 0.95
"""The share of groups that is nearly all of them."""
_SEEN = {
    RIGHT: "all answers got the highest reward",
    WRONG: "all answers got the lowest reward",
    SPLIT: "the reward depends on the prompt alone, whatever the completion says",
}
_FIX = {
    PAID: (
        "Reward what is right beside the form: all completions have the form already.",
        "Call the reward function on answers that you know to be wrong (`weaklink audit --verifier module:reward`).",
    ),
    RIGHT: ("Use harder prompts: the current ones are solved.", "Drop groups without spread and sample others."),
    STOPPED: (
        "Look at what happened to the reward function at that step: a service that ended, a time limit, an exception.",
        "Call it on answers that it paid before (`weaklink audit --verifier module:reward`).",
    ),
    WRONG: (
        "Look at the completions: are they truncated, or in a format that the reward rejects?",
        "Use easier prompts, or start from a model that is sometimes right.",
        "Sample more completions a prompt, at a higher temperature.",
    ),
    SPLIT: (
        "Sample more completions a prompt, at a higher temperature.",
        "Choose prompts that are sometimes answered right; drop groups without spread and sample others.",
        "Check that rewards are grouped with their own prompts.",
    ),
    SAME: (
        "Call the reward function on answers that you know to be right: it must reward them "
        "(`weaklink audit --verifier module:reward`).",
        "Look at the completions: are they truncated, or in a format that the reward rejects?",
        "Only then use easier prompts, or start from a model that is sometimes right.",
    ),
}


COLD = 0.3
"""A sampling temperature below which the likeliest token has the other ones' chances too, in all but name."""


@rule(
    "LLM308",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=((SHARE, SPREAD),),
    samples=("group", "reward"),
    leads_to=("LLM312", "OPT302", "POL302", "REW301", "REW302"),
)
def degenerate_groups(run: Run | Samples, *, alarm: float = 0.8, notice: float = 0.5) -> Answer:
    """All completions of most groups get the same reward, so their advantages are 0.

    ## What it sees
    The share of groups whose completions all got the same reward stays above 0.8 until the end of the log (above 0.5:
    information). The level of the reward within its range separates groups that are all right, all wrong, and prompts
    that are always one or the other. Where all completions of the run got the same reward, the reward function is the
    first suspect, as it is where all get the highest reward and nothing but form is rewarded, and where the reward
    falls from one point to the next by most of its range, to one number for all, or breaks off: of many points, all lay
    clearly above that number and the last ones as far as any. A score of evaluations that is 0 throughout as well
    blames the task, and groups that are all right or all wrong at a sampling temperature below 0.3 the exploration.
    Where the share is not logged, a spread within groups of exactly 0 tells it. A run that has learned its prompts
    raises no alarm.

    In samples, groups of three or more completions at the end of training are judged one by one; a spread below 1e-6 is
    none. All wrong is an alarm only where 90 % or more have no spread and the reward does not rise, because rewards on
    hard prompts are sparse at first, and not where it is true of one kind of prompt beside others. All right is
    information and no alarm: the prompts are solved. Where every completion from the first step to the last got one and
    the same reward, whatever it is, there never was anything to learn from: an alarm, which groups of two tell as well.

    ## Why it is bad
    Methods with a group-relative baseline learn nothing from a group without spread. The batch shrinks to the few other
    groups, the gradient grows noisy, and at a share of 1 it is exactly zero.

    ## What to do
    1. One reward for all: call the reward function on answers that you know to be right (`weaklink audit --verifier
       module:reward` does that); it must reward them.
    2. All wrong: look for truncated completions, or a format that the reward rejects; then use easier prompts.
    3. All right: use harder prompts.
    4. Neither: sample more completions per prompt, at a higher temperature, and check that rewards are grouped with
       their own prompts.
    5. Drop groups without spread and sample others in their place (dynamic sampling).

    ## How to prove it
    Score the completions of a few prompts by hand and by the reward function, group by group: both must give the same
    ranking.

    ## When it is wrong
    At the end of a run that solved its prompts the share rises to 1, which is reported as information. Pairs (groups of
    two) often agree by chance.

    ## References
    Yu et al., DAPO, 2025 (dynamic sampling); trl issue #3857, where all spread lay between prompts.
    """
    if isinstance(run, Samples):
        return _in_samples(run, alarm)
    if SHARE not in run and run[SPREAD].provenance.aggregation == OF_SAMPLES:
        return CannotTell((SHARE,), "groups of two agree too often by chance")
    flat = run.get(SHARE) or _count_no_spread(run[SPREAD])
    if len(flat) < FEWEST:
        return CannotTell((flat.name,), f"fewer than {FEWEST} points")
    found = find_limit_held(flat.values, alarm, notice)
    if found is None:
        return None
    held, limit = found
    step = float(flat.steps[held.start])
    reward = run.get("reward.mean", "reward.episode_return")
    cause = UNKNOWN if reward is None else _cause(run, flat, held, reward)
    learned = reward is not None and (course := measure_course(reward)) is not None and course.improved
    cut = measure_during(run, "task.truncated_fraction", flat, held.start)
    is_cut = cut is not None and cut >= 0.9
    said = f"{cut:.0%} of the completions are truncated at the length cap" if is_cut else _SAID[cause]
    never_right, cold = cause == SAME and _is_never_right(run), cause == SPLIT and _is_cold(run)
    if never_right:
        cause, said = WRONG, "no answer was ever right, in an evaluation of its own either: the task is too hard"
    if cold:
        said = f"at a sampling temperature of {run.config.number('temperature'):g} the answers of a group are all alike"
    quiet = limit < alarm or (learned and cause != WRONG)
    proof = Evidence(metric=flat.name, value=held.level, limit=limit, step=step)
    if flat.name != SHARE:
        proof = Evidence(metric=flat.name, value=level(run[flat.name].values), limit=NOTHING, step=step)
    return Finding(
        message=f"{held.level:.0%} of the groups have no spread of reward from step {step:,.0f} on "
        f"(limit {limit:.0%}): {said}.",
        onset=step,
        onset_within=flat.interval,
        level=Level.INFO if quiet else Level.WARN,
        link=Link.TASK if is_cut or cause in (RIGHT, WRONG) else Link.EXPLORATION if cold else Link.REWARD,
        fix=_FIX.get(WRONG if is_cut else cause, ()),
        confidence=HIGH if held.share > 0.5 and cause != UNKNOWN else MEDIUM,
        evidence=(proof,),
    )


def _count_no_spread(spread: Series) -> Series:
    """The share of groups without a spread, where their mean spread is logged: all of them where that is 0."""
    return replace(spread, values=(spread.values <= NOTHING).astype(float))


def _is_never_right(run: Run) -> bool:
    """Whether a score of evaluations, which the reward function does not make, is 0 throughout."""
    known = [run[name] for name in ("evaluation.score", "evaluation.success_rate") if name in run]
    return bool(known) and all(len(one) >= FEWEST and float(one.highs.max()) <= 0.0 for one in known)


def _is_cold(run: Run) -> bool:
    """Whether answers are sampled at so low a temperature that they are nearly always the likeliest one."""
    temperature = run.config.number("temperature")
    return temperature is not None and temperature < COLD


def _rewards_form_alone(run: Run) -> bool:
    """Whether all that is rewarded, as far as it is logged by its parts, is the form of an answer."""
    parts = list(run.matching(COMPONENT))
    return bool(parts) and len(parts) == len(list(find_component_series(run, FORM)))


def _cause(run: Run, flat: Series, held: HeldStretch, reward: Series) -> str:
    """All right, all wrong or split, by where the reward lies in the range that the run has seen."""
    now = measure_during(run, reward.name, flat, held.start)
    if now is None:
        return UNKNOWN
    seen = block_means(reward.values, 50)
    low, high = float(seen.min()), float(seen.max())
    share = low >= 0.0 and high <= 1.0  # a reward that reads as a share of right answers
    if share and now >= 0.9:
        return PAID if _rewards_form_alone(run) else RIGHT
    if float(reward.lows.min()) == float(reward.highs.max()):
        return SAME
    if _stops_at_once(reward):
        return STOPPED
    seen_range = high - low > 0.05 * max(abs(high), abs(low), 1e-12)
    place = (now - low) / (high - low) if seen_range else 0.0
    if share and now <= 0.1 and place < 0.8:  # a reward that is paid in small units is at its top at 0.01 too
        return WRONG
    if not seen_range:
        return UNKNOWN if abs(now) > 1e-9 else WRONG
    return RIGHT if place >= 0.8 else WRONG if place <= 0.2 else SPLIT


def _stops_at_once(reward: Series) -> bool:
    """Whether the reward falls from one point to the next by most of its range, to one number that it keeps."""
    last = np.flatnonzero(reward.values != reward.values[-1])
    if not len(last) or len(reward) - 1 - last[-1] < FEWEST:
        return False
    before = level(reward.values[max(last[-1] - 3, 0) : last[-1] + 1])
    is_share = reward.lows.min() >= 0.0 and reward.highs.max() <= 1.0
    limit = AT_ONCE * max(float(np.ptp(reward.values)), HIGH_SHARE if is_share else 0.0)
    return before - float(reward.values[-1]) > limit or _breaks_off(reward.values[: last[-1] + 1], reward.values[-1])


def _breaks_off(before: Array, after: float) -> bool:
    """Whether all points lay clearly above one number and none on the way to it, though all that follow are it."""
    if len(before) < SURE:
        return False
    usual = before[:-3]
    near = level(before[-3:]) - after >= HALF * (level(usual) - after)
    return near and level(usual) - after > APART * float(usual.std()) and bool(before.min() > after)


def _in_samples(samples: Samples, alarm: float) -> Answer:
    rows = select_complete(samples, "group", "reward")
    low, high, sizes = _ends_of_groups(select_settled(rows, "reward"))
    if len(low) < FEWEST_GROUPS:
        low, high, sizes = _ends_of_groups(rows)
    never = _never_varies(rows)
    if len(low) < FEWEST_GROUPS and never:  # pairs that agree by chance do not all get one reward
        low, high, sizes = _ends_of_groups(rows, smallest=2)
    if len(low) < FEWEST_GROUPS:
        return CannotTell(("group",), f"fewer than {FEWEST_GROUPS} groups of {SMALLEST} and more")
    flat = high - low <= np.maximum(1e-9 * np.maximum(np.abs(high), np.abs(low)), NOTHING)
    share, guess = float(flat.mean()), (flat.sum() + 1) / (len(flat) + 2)
    surely = share - LIKELY * (guess * (1 - guess) / len(flat)) ** 0.5
    if surely <= alarm:
        return None
    cause, part = _cause_of(low[flat], rows["reward"])
    parts = split(rows, "reward")
    reward = None if parts is None else parts.shift("reward")
    learns = parts is not None and (bool(parts.better) or (reward is not None and reward.z >= LIKELY))
    # one kind of prompt that is too hard leaves the others to learn from
    dead = {RIGHT: False, WRONG: surely >= DEAD and not rows.kind, SPLIT: bool(np.median(sizes) > SMALLEST)}[cause]
    # what a run learns may end the spread of its groups, but cannot have done so before it began
    learns = learns and not (cause == SPLIT and _starts_flat(rows, alarm))
    alone = _follows_prompt(rows, low[flat], share) if cause == SPLIT else False
    told = (
        f"in {part:.0%} of these {_SEEN[cause]}" if cause != SPLIT or alone else _tell_split(low[flat], rows["reward"])
    )
    if never:
        place = {RIGHT: ", the highest", WRONG: ", the lowest"}.get(cause, "")
        told = (
            f"all {len(rows):,} completions from the first step to the last got the same reward, "
            f"{float(rows['reward'][0]):g}{place}, so every advantage is 0"
        )
    return Finding(
        message=f"{share:.0%} of {len(flat):,} groups have no spread of reward, zero variance (limit {alarm:.0%}): "
        f"{told}.",
        level=Level.WARN if never or alone or (dead and not learns) else Level.INFO,
        link=Link.TASK if cause in (RIGHT, WRONG) else Link.REWARD,
        fix=_FIX[SAME] if never else _FIX.get(cause, ()),
        confidence=HIGH if len(flat) >= 3 * FEWEST_GROUPS else MEDIUM,
        evidence=(Evidence(metric="groups without spread", value=share, limit=alarm),),
    )


def _starts_flat(rows: Samples, alarm: float) -> bool:
    """Whether so many groups had no spread from the first steps on."""
    parts = ends(rows)
    if parts is None:
        return False
    low, high, _ = _ends_of_groups(rows.where(parts[0]))
    return len(low) >= FEWEST_GROUPS and float((high - low <= NOTHING).mean()) > alarm


def _follows_prompt(rows: Samples, paid: Array, share: float) -> bool:
    """Whether the reward is a fine scale that only the prompt decides, though completions differ: never a verdict."""
    fine = len(np.unique(paid)) >= 0.5 * len(paid)
    varied = "text" in rows and len(np.unique(rows.codes["text"])) >= 0.5 * len(rows)
    return share >= ALONE and fine and bool(varied)


def _tell_split(paid: Array, seen: Array) -> str:
    """How many of the groups are all right and all wrong, where their rewards are the ends of the scale."""
    right, wrong = float((paid == seen.max()).mean()), float((paid == seen.min()).mean())
    if right + wrong < ALONE:
        return "the reward differs only between prompts"
    return f"{right:.0%} of these are all right and {wrong:.0%} all wrong, so they carry no gradient"


def _never_varies(rows: Samples) -> bool:
    """Whether every completion from the first step to the last got one reward; not where this is one kind of prompt."""
    steps = find_steps(rows)
    over_time = steps is not None and len(np.unique(steps[np.isfinite(steps)])) > 1
    return over_time and not rows.kind and float(np.ptp(rows["reward"])) <= NOTHING


def _ends_of_groups(samples: Samples, smallest: int = SMALLEST) -> tuple[Array, Array, Array]:
    """The lowest and the highest reward, and the size, of each group that is large enough."""
    owners = hash_draws(samples)
    order = np.argsort(owners, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(owners[order]) != 0]) if len(order) else np.zeros(0, np.int64)
    if not len(first):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    sizes = np.diff(np.r_[first, len(order)])
    paid, large = samples["reward"][order], sizes >= smallest
    return np.minimum.reduceat(paid, first)[large], np.maximum.reduceat(paid, first)[large], sizes[large].astype(float)


def _cause_of(paid: Array, seen: Array) -> tuple[str, float]:
    """All right, all wrong or neither, with its share, by where groups lie in the range of all rewards."""
    low, high = float(seen.min()), float(seen.max())
    if low >= 0.0 and high <= 1.0:
        low, high = 0.0, 1.0
    elif high - low <= 1e-9 * max(abs(high), abs(low)):
        low, high = min(low, 0.0), max(high, 0.0)
    place = (paid - low) / (high - low)
    right, wrong = float((place >= 0.9).mean()), float((place <= 0.1).mean())
    if right >= 0.8:
        return RIGHT, right
    return (WRONG, wrong) if wrong >= 0.8 else (SPLIT, 1.0)
