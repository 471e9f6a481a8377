from __future__ import annotations

import numpy as np

from weaklink.base.evidence.metrics import OBSERVATION_STD
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._critic import explains_nothing
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SIZES = ("observation.max", "observation.mean", "observation.std", "observation.min")

# of the budget: columns that never change do not matter while nothing can be expected yet
BUDGET = 0.5

# columns that a message names before it counts the rest
MOST_NAMED = 3

# a large spread, how many times another column may be smaller, and of the episodes: a task that is solved
LARGE, APART, SOLVED = 100.0, 1e5, 0.9

# rows of the end in which nothing varies any more: a single one may be an episode that had just begun
FEWEST_SILENT = 5

# the explained variance of a critic that knows nothing but the mean
EXPLAINED = 0.05

# nothing that a float of 32 bits tells apart from a constant
CONSTANT = 1e-8


@rule(
    "OBS301",
    link=Link.OBSERVATION,
    level=Level.WARN,
    leads_to=(
        "OBS302",
        "EXP306",
        "POL307",
        "OPT300",
        "OPT301",
        "VAL301",
        "VAL304",
        "VAL305",
        "POL302",
        "POL303",
        "POL308",
        "EXP301",
        "EXP303",
        "POL309",
        "REW301",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 19, "about as good as random": 7},
)
def scale_in_training(run: Run, *, largest: float = 1000.0) -> Answer:
    """What the policy is given is constant, not a number, or of a size that networks cannot tell apart.

    ## What it sees
    The statistics of observations that the training logs: entries that are NaN or infinite; a spread of exactly 0, of
    all, of some columns, or of all from some step to the end; or a mean, spread or largest entry beyond 1,000 while
    the return does not improve, or while the critic explains nothing from start to end and its loss does not fall. Or
    the spreads of two columns are more than a hundred thousand times apart, the larger one is above 100, no
    normalisation is configured, and the task is not solved.

    ## Why it is bad
    A network sees differences of about the size of its weights: of numbers around 290,000 the first layer passes on one
    large constant, and the differences that matter are lost. Of a constant nothing can be learned at all.

    ## What to do
    1. Normalise: subtract a mean and divide by a spread, running or known from the sensors.
    2. For a constant, print what `reset` and `step` give and follow it to the policy: a buffer that is never filled, a
       wrapper that returns an old copy.
    3. For NaN, find the sensor or the division that makes it, and end the episode there.

    ## How to prove it
    Repeat a short run with normalised observations and nothing else changed: the explained variance must rise.

    ## When it is wrong
    Some blind policies improve a little: a return that does excuses a constant only where the critic explains it.
    Pixels from 0 to 255 are below the limit. Where the trainer normalises after logging, the return improves, the
    critic learns and nothing is said.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2021 (observation normalisation).
    """
    lost = run.get("observation.non_finite")
    if lost is not None and float(lost.highs.max()) > 0:
        first = float(lost.steps[np.flatnonzero(lost.highs > 0)[0]])
        return _describe(lost, first, float(lost.highs.max()), 0.0, "observations hold entries that are no numbers")
    improved = has_improved(run)
    dead = None if improved else _find_dead_columns(run)
    if dead is not None:
        return dead
    apart = _find_columns_apart(run, improved)
    if apart is not None:
        return apart
    known = [run[name] for name in SIZES if name in run]
    if not known or len(known[0]) < FEWEST:
        return CannotTell(SIZES[:1], f"fewer than {FEWEST} points")
    spread = run.get("observation.std")
    explained = run.get("value.explained_variance")
    blind = not improved or (explained is not None and level(explained.values) <= EXPLAINED)
    if spread is not None and blind and float(spread.highs.max()) <= CONSTANT:
        return _describe(spread, spread.first_step, 0.0, CONSTANT, "every observation is the same")
    if improved and not explains_nothing(run):
        return None
    gone = None if spread is None or improved else _find_gone_silent(spread)
    if gone is not None:
        return gone
    sizes = [(level(np.abs(series.values)), series) for series in known]
    size, series = max(sizes, key=lambda one: one[0])
    if size <= largest:
        return None
    lacks = "the critic explains nothing of the returns" if improved else "the return does not improve"
    why = f"networks do not tell numbers of that size apart, and {lacks}"
    return _describe(series, series.first_step, size, largest, why)


def _find_gone_silent(spread: Series) -> Finding | None:
    """Observations that varied and are all the same from some step to the end: what made them has died."""
    varied = np.flatnonzero(spread.highs > CONSTANT)
    if not len(varied) or len(spread) - 1 - varied[-1] < FEWEST_SILENT:
        return None
    before = float(spread.steps[varied[-1]])
    why = f"every observation is the same since then, where they had varied by {level(spread.values[varied]):.3g}"
    return _describe(spread, before, 0.0, CONSTANT, why)


def _find_columns_apart(run: Run, improved: bool) -> Finding | None:
    """Columns of such different sizes that the smaller ones vanish in the sum of the first layer."""
    columns = [series for series in run.matching(OBSERVATION_STD) if len(series) >= FEWEST]
    sizes = sorted((level(np.abs(series.values)), series.name, series) for series in columns)
    spread = [one for one in sizes if one[0] > CONSTANT]
    if len(spread) < 2 or spread[-1][0] < LARGE or spread[-1][0] < APART * spread[0][0]:
        return None
    measured = run.get("evaluation.success_rate", "task.success_rate")
    top = 1.0 if measured is None or measured.highs.max() <= 1.5 else 100.0
    solved = measured is not None and level(measured.values[-max(len(measured) // 5, 3) :]) >= SOLVED * top
    if run.config.flag("normalize") or solved or (improved and measured is None):
        return None
    (small, name, _), (large, other, series) = spread[0], spread[-1]
    numbers = other.removeprefix(OBSERVATION_STD), name.removeprefix(OBSERVATION_STD)
    why = f"{large / small:,.0f} times that of column {numbers[1]}, which vanishes beside it"
    return _describe(series, series.first_step, large, LARGE, why)


def _find_dead_columns(run: Run) -> Finding | None:
    """Columns that never change while others do and nothing is learned: what they were to tell is missing."""
    columns = [series for series in run.matching(OBSERVATION_STD) if len(series) >= FEWEST]
    dead = [series for series in columns if float(series.highs.max()) <= CONSTANT]
    if not dead or len(dead) == len(columns) or not has_come_far_enough(run, dead[0], BUDGET):
        return None
    numbers = [series.name.removeprefix(OBSERVATION_STD) for series in dead]
    names = name_some(numbers, MOST_NAMED)
    why = f"of {len(columns)} columns {len(dead)} never change ({names}), and the return does not improve"
    return _describe(dead[0], dead[0].first_step, 0.0, CONSTANT, why)


def _describe(series: Series, step: float, value: float, limit: float, why: str) -> Finding:
    return Finding(
        message=f"{series.name} is {value:.4g} from step {step:,.0f} on: {why}.",
        level=Level.ERROR if series.name.endswith("non_finite") else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM if value > 0 and not series.name.endswith("non_finite") else HIGH,
        evidence=(Evidence(metric=series.name, value=value, limit=limit, step=step),),
    )
