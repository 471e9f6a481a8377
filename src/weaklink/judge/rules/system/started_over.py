from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import level, noise
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RETURN = "reward.episode_return"
WITNESSES = (
    "exploration.entropy", "exploration.action_std", "value.explained_variance", "value.loss", "value.mean",
    "value.q_mean", "value.q_loss", "policy.kl", "policy.clip_fraction", "optimizer.gradient_norm",
    "exploration.epsilon",
)  # fmt: skip

# the spread of a policy, which no update that does harm brings back to where it began
OF_POLICY = ("exploration.entropy", "exploration.action_std")

# the share of the gain that must be gone at the first point: averages over episodes lag behind
AT_ONCE = 0.5

# what tells that a critic knows as little as at first
OF_CRITIC = ("value.explained_variance", "value.loss", "value.q_loss", "value.mean", "value.q_mean")

# what leaps where data come from another policy than the one that learns, or the critic knows nothing; and how many
# times its highest value until then
SHAKEN, LEAP = ("policy.kl", "policy.clip_fraction", "value.loss", "value.q_loss"), 2.0

# points of the return without which there is no course that could begin again
FEWEST_POINTS = 20

# points that make a level, and those that the run must have had before it falls back
LEVEL, EARLIEST = 4, 6

# how many times its noise a curve must have moved before a return to its beginning says anything
MOVED = 4.0

# how much of its way a witness may keep
KEPT = 0.35

# of what had been gained: what a second course must show some of, and what is none
GOOD_PART, NOTHING_GAINED = 0.3, 0.1

# standard errors by which a mean differs by chance
CHANCE = 2.0


@rule(
    "SYS303",
    link=Link.SYSTEM,
    level=Level.WARN,
    on=Run,
    needs=(RETURN, WITNESSES),
    leads_to=("REW303", "REW304", "REW307", "EXP302"),
)
def started_over(run: Run, *, fallen: float = 0.8, witnesses: int = 2) -> Answer:
    """In the middle of the run everything goes back to its first values at once.

    ## What it sees
    Within two points the return loses four fifths of what it had gained, after having moved by four times its noise,
    and at that step the entropy of the policy or two other curves of the trainer (explained variance, losses, values)
    are back at their own first values as well, from which they had moved away just as clearly; or the entropy alone is
    back there from one point to the next, where the KL, the clip fraction or the critic's loss is twice what it ever
    was before, or two curves of the critic are back as well, and the return loses half of its gain; or epsilon begins
    again and the return is no better than in its first course. Or the steps of the log begin again and so does the
    return, and the second training has not come as far as the first did; where it has, this is info. A return that
    stays down for as long as it took to rise at first is no new beginning.

    ## Why it is bad
    A policy that is damaged by an update does not get its first entropy, its first losses and its first explained
    variance back: this is another policy. Mostly a job was resumed and its weights were not loaded, or the networks
    were made anew. All that was learned before is lost, and curves over the whole run mislead.

    ## What to do
    1. Look at what happens at that step: a restart of the job, a checkpoint, a new phase.
    2. Load the weights of the policy, of the critic and of targets, the optimizer's state and the normaliser's.
    3. Compare the policy's answers to a few fixed observations before saving and after loading.

    ## How to prove it
    Save, load and evaluate without training in between: the return must be that of before.

    ## When it is wrong
    A task that is exchanged for another one in the middle, with a policy that is meant to begin again. Two trainings
    that were meant to stand in one file: keep each in a file of its own.

    ## References
    Practice.
    """
    course = run[RETURN]
    again = _find_second_training(course, run.earlier.get(RETURN))
    if again is not None:
        return again
    if len(course) < FEWEST_POINTS:
        return CannotTell((RETURN,), f"fewer than {FEWEST_POINTS} points")
    place = _find_fall(course, fallen)
    if place is None:
        return _find_spread_renewed(run, course, witnesses)
    step = float(course.steps[place])
    back = [run[name] for name in WITNESSES if name in run and _is_back(run[name], step)]
    sure = any(series.name in OF_POLICY or _runs_again(series, course, step) for series in back)
    if (len(back) < witnesses and not sure) or _stays_down(course, place):
        return None
    before, after, start = (
        level(course.values[part]) for part in (slice(place - LEVEL, place), slice(place, place + 2), slice(0, LEVEL))
    )
    names = ", ".join(series.name for series in back)
    return Finding(
        message=f"At step {step:,.0f} the return falls at once from {before:,.4g} to {after:,.4g} (it began at "
        f"{start:,.4g}), and {names} {'is' if len(back) == 1 else 'are'} back at the first values: training began "
        "anew.",
        onset=step,
        onset_within=course.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=RETURN, value=after, limit=before, step=step),
            *(Evidence(metric=series.name, value=_read_after(series, step), step=step) for series in back),
        ),
    )


def _stays_down(course: Series, place: int) -> bool:
    """Whether the return has gained next to nothing in a time in which it had gained a good part at first.

    A policy that begins anew learns as it did before.
    """
    values, since = course.values, len(course) - place
    if not 2 * LEVEL <= since <= place:
        return False
    start, before, first, again = (
        level(part)
        for part in (values[:LEVEL], values[place - LEVEL : place], values[since - LEVEL : since], values[-LEVEL:])
    )
    return (first - start) / (before - start) > GOOD_PART and (again - start) / (before - start) < NOTHING_GAINED


def _runs_again(epsilon: Series, course: Series, step: float) -> bool:
    """Whether the exploration takes its first course again, and the return is then no better than it was in the first.

    A policy that had kept what it learned would be better at the same share of random actions.
    """
    if epsilon.name != "exploration.epsilon":
        return False
    place, begun = int(np.searchsorted(course.steps, step)), int(np.searchsorted(epsilon.steps, step))
    fallen = int(np.argmax(epsilon.values[:begun] <= epsilon.values[:begun].min()))
    many = min(int(np.searchsorted(course.steps, epsilon.steps[fallen])), len(course) - place)
    if many < LEVEL:
        return False
    first, second = course.values[:many], course.values[place : place + many]
    doubt = CHANCE * noise(course.values) / float(np.sqrt(many))
    return float(second.mean() - first.mean()) <= doubt


def _find_second_training(course: Series, earlier: Series | None) -> Finding | None:
    """A log whose steps and return both begin again; a run that goes on from a checkpoint begins with neither."""
    if earlier is None or min(len(earlier), len(course)) < LEVEL or course.first_step > float(earlier.steps[0]):
        return None
    start, reached, again = (level(part) for part in (earlier.values[:2], earlier.values[-LEVEL:], course.values[:2]))
    moved = abs(reached - start)
    if moved <= MOVED * noise(earlier.values) or abs(again - start) > KEPT * moved:
        return None
    last = float(earlier.steps.max())
    return Finding(
        message=f"After step {last:,.0f} the steps of the log begin again at {course.first_step:,.0f} and the return "
        f"at {again:,.4g}, having reached {reached:,.4g}: a second training was begun from nothing in the same log.",
        level=Level.WARN if course.last_step < last else Level.INFO,
        onset=course.first_step,
        onset_within=course.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=RETURN, value=again, limit=reached, step=course.first_step),),
    )


def _find_spread_renewed(run: Run, course: Series, witnesses: int) -> Finding | None:
    """The spread of the policy back at its first value from one point to the next, and the return falling after it.

    A mean of many episodes takes a while to fall. The update at that step is far larger than any before, since the
    data came from another policy, or the critic's loss is, since it knows nothing; or two curves of the critic are
    back at their own first values as well.
    """
    for name in OF_POLICY:
        spread = run.get(name)
        at = None if spread is None else _find_renewal(spread)
        if spread is None or at is None:
            continue
        step = float(spread.steps[at])
        shaken = [one for other in SHAKEN if (one := run.get(other)) is not None and _leaps(one, step, spread.interval)]
        critic = [one for other in OF_CRITIC if (one := run.get(other)) is not None and _is_back(one, step)]
        before = course.values[course.steps < step]
        after = course.values[course.steps >= step]
        if not (shaken or len(critic) >= witnesses) or len(before) < EARLIEST or len(after) < LEVEL:
            continue
        start, top, low = (level(before[:2]), level(before[-LEVEL:]), float(after.min()))
        gain = top - start
        if gain <= MOVED * noise(before) or top - low < AT_ONCE * gain or float(after.max()) > top + KEPT * gain:
            continue
        return Finding(
            message=f"At step {step:,.0f} {name} is back at {spread.values[at]:.3g}, where it began, from one point to "
            f"the next, {_tell_witnesses(shaken, critic)}, and the return falls from {top:,.4g} to {low:,.4g} from "
            f"there on (it began at {start:,.4g}): training began anew.",
            onset=step,
            onset_within=spread.interval,
            confidence=MEDIUM,
            evidence=(
                Evidence(metric=name, value=float(spread.values[at]), limit=float(spread.values[at - 1]), step=step),
                Evidence(metric=RETURN, value=low, limit=top, step=step),
            ),
        )
    return None


def _tell_witnesses(shaken: list[Series], critic: list[Series]) -> str:
    """What else happened at that step, in words."""
    return f"{shaken[0].name} leaps" if shaken else f"and so are {' and '.join(one.name for one in critic)}"


def _find_renewal(spread: Series) -> int | None:
    """The point at which a spread that had moved away from its beginning is there again at once."""
    values = spread.values
    places = np.arange(EARLIEST, len(values) - 1)
    if not len(places):
        return None
    start = level(values[:2])
    moved = np.abs(_measure_levels(values)[places - LEVEL] - start)
    leapt = np.abs(values[places] - values[places - 1]) > (1 - KEPT) * moved
    back = np.abs(values[places] - start) < KEPT * moved
    found = np.flatnonzero((moved > MOVED * noise(values)) & leapt & back)
    return int(places[found[0]]) if len(found) else None


def _leaps(series: Series, step: float, near: float) -> bool:
    """Whether a curve has its highest point by far at this step, compared with all that came before."""
    earlier = series.values[series.steps < step]
    here = series.highs[np.abs(series.steps - step) <= near]
    return len(earlier) >= EARLIEST and len(here) > 0 and float(here.max()) > LEAP * float(np.abs(earlier).max())


def _find_fall(course: Series, fallen: float) -> int | None:
    """The first point at which the return has lost most of its gain, while the point before had hardly lost any."""
    values, scatter = course.values, max(noise(course.values), 1e-12)
    start = level(values[:LEVEL])
    places = np.arange(EARLIEST, len(values) - LEVEL)
    levels = _measure_levels(values)[places - LEVEL]
    moved = levels - start > MOVED * scatter  # a return that comes back from below learns
    gains = np.where(moved, levels - start, np.inf)
    lost = [(levels - values[places + after]) / gains for after in (-1, 0, 1)]
    found = np.flatnonzero(moved & (lost[0] < 1.0 - fallen) & (lost[1] > AT_ONCE) & (lost[2] >= fallen))
    return int(places[found[0]]) if len(found) else None


def _is_back(series: Series, step: float) -> bool:
    """Whether a curve had moved away from its beginning before a step and is there again afterwards."""
    earlier = series.values[series.steps < step]
    if len(earlier) < EARLIEST or not np.any(series.steps >= step):
        return False
    start, before = level(earlier[:2]), level(earlier[-LEVEL:])
    moved = abs(before - start)
    return moved > MOVED * noise(earlier) and abs(_read_after(series, step) - start) < KEPT * moved


def _read_after(series: Series, step: float) -> float:
    return level(series.values[series.steps >= step][:2])


def _measure_levels(values: Array) -> Array:
    """The medians of each few points in a row."""
    windows = np.sort(np.lib.stride_tricks.sliding_window_view(values, LEVEL), axis=1)
    return np.asarray(windows[:, (LEVEL - 1) // 2 : LEVEL // 2 + 1].mean(axis=1))
