from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._foreign import mark_foreign
from weaklink.judge.rules._latency import find_delay, is_view_late
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._mid_step import find_half_shown
from weaklink.judge.rules.observation._shown import EXACT, ShownAttribute, fit_line, list_shown, predict
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 60
FEWEST_EPISODES = 3
FEWEST_REPEATS = 50  # states that were met before
FEWEST_RESETS = 8
OTHERS = 0.2  # the share of repeated states that must show otherwise, where what is shown is not of now

WIDEST = 64  # columns that are compared with attributes one by one

CLEAR = 1e-2  # of a column's spread: the present is not shown

DELIBERATE = "DelayObservation"  # Gymnasium's own wrapper for it


@rule(
    "OBS115",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS108", "OBS110", "OBS111", "ACT103", "ENV103", "ENV108", "REW107", "TSK102", "TSK103", "TSK106"),
)
def stale_observation(survey: Survey) -> Answer:
    """The observation shows the state of the step before, or of the episode before.

    ## What it sees
    A column of the observation is, at every step, exactly a straight line (or sine or cosine) of an attribute of the
    environment as it was before the step, and not as it is now; with the first observation of an episode it is the
    same line of the present. Or, where states repeat, the observation follows from the state before the step without
    any exception and not from that of now. And in every episode the whole first observation is handed out again after
    the first step. Or each column that changes is such a line of an attribute as it was before the step, whatever the
    first observation shows, and none is one of now. Or a column is such a line of an attribute after every step, but
    after a reset it still shows what the attribute was before the reset; or every reset hands out the last observation
    of the episode before. Or a column is such a line with the first observation of every episode and stays as it is to
    the end, while the attribute changes and no other column shows it. Or an array of the environment is shown as it is
    by first observations, and later without part of what the step changed in it, as the reply of an opponent, which the
    next observation shows.

    ## Why it is bad
    What the last action did is not seen, and the state in which an episode ends is never seen. The policy acts on the
    past, the critic learns the value of the state before.

    ## What to do
    1. Build the observation after the simulation was stepped and after the reset drew the new state, not before.
    2. Return what was just built, not what an attribute kept from the last call.

    ## How to prove it
    Print the attribute beside the observation after a reset and after three steps. Then run `weaklink preflight ENV`
    again.

    ## When it is wrong
    A delay that is meant (a slow sensor, a forecast of what comes next) is no fault of the code; add the last actions
    then. Gymnasium's own wrapper
    for delays is left alone, and longer delays are another rule's.

    ## References
    Katsikopoulos and Engelbrecht, Markov Decision Processes with Delays and Asynchronous Cost Collection, 2003;
    practice.
    """
    held = survey.held
    assert held is not None
    if len(held.rewards) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES:
        return CannotTell(("held",), "too few steps or episodes beside the attributes of the environment")
    delay = find_delay(survey, 2.0)
    if DELIBERATE in survey.facts.get("wrappers", ()) or (delay is not None and is_view_late(delay)):
        return None
    late = _find_late(held)
    if late is not None:
        return _describe(
            f"After each of {len(held.rewards):,} steps {survey.labels[late.column]} shows "
            f"`{held.labels[late.attribute]}` as it was before the step, and all {len(held.lengths)} episodes hand out "
            "their first observation twice: observations are one step late.",
        )
    if _follows_from_before(held):
        return _describe(
            f"Observations follow from the state before the step ({len(held.rewards):,} steps, no exception), not from "
            f"that after it, and all {len(held.lengths)} episodes hand out their first observation twice: observations "
            "are one step late.",
        )
    kept = _find_kept(held)
    if kept is None:
        return (
            _judge_frozen(survey, held)
            or _judge_resets(held)
            or _judge_all_late(survey, held)
            or _judge_mid_step(survey, held)
        )
    return _describe(
        f"{survey.labels[kept.column]} shows `{held.labels[kept.attribute]}` after every step, but after each of "
        f"{len(held.lengths) - 1} resets it shows what that was before the reset: the first observation of an episode "
        "is of the episode before.",
    )


def _begins_twice(held: HeldState) -> bool:
    """Whether every episode hands out its first observation again after the first step, and moves later on.

    A clock and noise, which are no part of the state, may move at once.
    """
    moved = np.any(held.successors[held.firsts] != held.observations[held.firsts], axis=0)
    own = ~moved
    if moved.any():
        times = np.arange(len(held.rewards)) - np.repeat(held.firsts, held.lengths)
        own = ~mark_foreign(held.successors, times)
    return (
        bool(own.any()) and not moved[own].any() and bool(np.any(held.successors[:, own] != held.observations[:, own]))
    )


def _follows_from_before(held: HeldState) -> bool:
    """Whether equal states before a step always have equal observations after it, and equal states after it do not."""
    if not _begins_twice(held):
        return False
    moving = _find_state(held)
    earlier, wrong = _count_repeats(held.before[:, moving], held.successors)
    later, others = _count_repeats(held.after[:, moving], held.successors)
    return earlier >= FEWEST_REPEATS and wrong == 0 and later >= FEWEST_REPEATS and others > OTHERS * later


def _find_state(held: HeldState) -> Array:
    """The attributes that change, without counters, which never repeat."""
    change = held.after - held.before
    counts = np.all(change == change[:1], axis=0)
    return np.asarray(np.flatnonzero(held.finite & ~counts & np.any(change != 0, axis=0)))


def _count_repeats(states: Array, rows: Array) -> tuple[int, int]:
    """How many states had been met before, and how many of these with another observation."""
    if not states.shape[1]:
        return 0, 0
    known: dict[bytes, bytes] = {}
    repeats = others = 0
    for state, row in zip(np.ascontiguousarray(states), np.ascontiguousarray(rows), strict=True):
        key, seen = state.tobytes(), row.tobytes()
        if key in known:
            repeats += 1
            others += known[key] != seen
        known.setdefault(key, seen)
    return repeats, others


def _judge_resets(held: HeldState) -> Finding | None:
    """Resets that all hand out the last observation of the episode before, although the state is another one."""
    later, moving = held.firsts[1:], _find_state(held)
    if len(later) < FEWEST_RESETS or not len(moving):
        return None
    first, last = held.observations[later], held.successors[later - 1]
    changed = np.any(held.before[later][:, moving] != held.after[later - 1][:, moving], axis=1)
    if not np.all(first == last) or not changed.all() or len(np.unique(first, axis=0)) < FEWEST_RESETS // 2:
        return None
    return _describe(
        f"Each of {len(later)} resets hands out the last observation of the episode before, although the state is "
        "another one."
    )


def _find_late(held: HeldState) -> ShownAttribute | None:
    """A column that shows an attribute of the step before, in an observation that is handed out twice at the start."""
    firsts = held.firsts
    if not _begins_twice(held) or held.observations.shape[1] > WIDEST:
        return None
    for shown in list_shown(held, held.before):
        now = predict(held.after, shown)
        seen = held.successors[: len(now), shown.column]
        begun = predict(held.before[firsts], shown)
        spread = float(np.std(held.successors[:, shown.column]))
        present = float(np.sqrt(np.mean((now - seen) ** 2))) / spread
        if present > CLEAR and np.all(np.abs(begun - held.observations[firsts, shown.column]) <= 10 * EXACT * spread):
            return shown
    return None


def _judge_all_late(survey: Survey, held: HeldState) -> Finding | None:
    """The finding, if each column that moves shows an attribute as it was before the step, and none as it is now.

    A column of the past beside others of the present, as the demand of yesterday, is no lag of the whole.
    """
    moving = set(np.flatnonzero(np.any(held.successors != held.successors[:1], axis=0)).tolist())
    if len(moving) > WIDEST or len(np.unique(held.successors, axis=0)) < FEWEST_REPEATS:
        return None
    present = {(shown.column, shown.attribute) for shown in list_shown(held, held.after)}  # a counter is a line of both
    late = {
        shown.column: shown for shown in list_shown(held, held.before) if (shown.column, shown.attribute) not in present
    }
    if not moving or set(late) != moving:
        return None
    names = join_names(dict.fromkeys(f"`{held.labels[shown.attribute]}`" for shown in late.values()))
    return _describe(
        f"After each of {len(held.rewards):,} steps all {len(late)} columns of the observation that change "
        f"({survey.labels[min(late)]} first) show {names} as it was before the step, and none as it is when the next "
        "action is taken: observations are one step late."
    )


def _judge_mid_step(survey: Survey, held: HeldState) -> Finding | None:
    """The finding, if observations are made after one part of the step and before the other, as a reply."""
    half = find_half_shown(held)
    if half is None:
        return None
    return _describe(
        f"First observations show `{half.attribute}` as it is, in {survey.labels[half.column]} and what follows. In "
        f"{half.steps:,} of {half.of:,} steps that end no episode a part of what the step changed in it is shown as it "
        "was before, and only after the next step as it is: observations are made in the middle of the step."
    )


def _find_kept(held: HeldState) -> ShownAttribute | None:
    """A column that shows an attribute as it is after steps, and as it was before the reset after resets."""
    later = held.firsts[1:]
    if len(later) < FEWEST_EPISODES or held.observations.shape[1] > WIDEST:
        return None
    for shown in list_shown(held, held.after):
        seen = held.observations[later, shown.column]
        new, old = predict(held.before[later], shown), predict(held.after[later - 1], shown)
        spread = float(np.std(held.successors[:, shown.column]))
        apart = np.abs(new - old) > CLEAR * spread
        kept = np.abs(old - seen) <= 10 * EXACT * spread
        if apart.sum() >= FEWEST_EPISODES and kept.all():
            return shown
    return None


def _judge_frozen(survey: Survey, held: HeldState) -> Finding | None:
    """A column that shows an attribute as it was when the episode began, which nothing shows as it is now."""
    firsts, seen = held.firsts, held.successors
    begun = np.repeat(firsts, held.lengths)
    if len(firsts) < FEWEST_RESETS or seen.shape[1] > WIDEST:
        return None
    still = np.flatnonzero(np.all(seen == held.observations[begun], axis=0))
    moving = np.flatnonzero(held.finite & np.any(held.after != held.before[begun], axis=0))
    now = {shown.attribute for shown in list_shown(held, held.after)} if len(still) else set()
    for column in still.tolist():
        first = held.observations[firsts, column]
        for attribute in (one for one in moving.tolist() if one not in now):
            if (
                len(np.unique(first)) >= FEWEST_RESETS // 2
                and fit_line(held.before[firsts, attribute], first) is not None
            ):
                return _describe(
                    f"{survey.labels[column]} shows `{held.labels[attribute]}` as it is at the start of each of "
                    f"{len(firsts)} episodes and never changes after that, although the attribute does and no other "
                    "column shows it."
                )
    return None


def _describe(message: str) -> Finding:
    return Finding(
        message=message,
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.steps_late", value=1.0, limit=0.0),),
    )
