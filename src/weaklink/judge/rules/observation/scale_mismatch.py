from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.evidence.survey import Survey
from weaklink.base.proving import RETURN_RISES, Change, Intervention
from weaklink.judge.rules._healthy import MARGIN, HealthyStanding, compare_with_healthy
from weaklink.judge.rules._hyperparameters import get_last_part, read_flag
from weaklink.judge.rules.observation._columns import DEAD, label_column, measure_columns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_SWITCHES = ("normalize", "norm_obs", "normalize_observations", "normalize_observation", "normalize_input", "obs_norm")
_WORDS = ("observation_filter", "state_preprocessor", "observation_preprocessor", "obs_normalizer")


class ColumnSpread(NamedTuple):
    """The standard deviations of the two numeric columns that vary most and least, of those that vary at all."""

    large: int
    small: int
    most: float
    least: float

    @property
    def ratio(self) -> float:
        """How many times as much the one varies as the other."""
        return self.most / self.least


@rule(
    "OBS103",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("VAL301", "VAL304", "OPT301", "REW301"),
    experiment=Intervention(
        change=Change(setting="normalise_observations", to=True),
        promise=RETURN_RISES,
        if_confirmed="The unlike scales held learning back: normalise the observations.",
        if_refuted="Normalised observations learn no faster: this network copes with the scales.",
    ),
    marks=("left to trainers",),
)
def scale_mismatch(survey: Survey, *, ratio: float = 100.0, steps: int = 200) -> Answer:
    """The scales of observation columns differ by a factor of more than a hundred.

    ## What it sees
    The largest standard deviation among the numeric columns that change, divided by the smallest. More than a hundred
    is info. It warns where an on-policy algorithm is configured and nothing normalises the observations, and, whatever
    is configured, where the ratio is three times that of every healthy environment known, or the largest standard
    deviation itself is and the ratio is above three hundred; at a hundred times it is an error. A normaliser, as a
    wrapper or in the settings, keeps it at info.

    ## Why it is bad
    The first layer weighs its inputs by their size. The large columns dominate the output and the gradient, and the
    information in the small ones is learned last or never.

    ## What to do
    1. Normalise the observations: `VecNormalize` in Stable-Baselines3, `NormalizeObservation` in Gymnasium, and save
       the statistics with the model.
    2. Or choose units in which every column has a standard deviation of about 1.

    ## How to prove it
    Train two short runs, with and without normalised observations and everything else equal. The first must learn
    faster. `weaklink confirm OBS103 my_project.py` does this.

    ## When it is wrong
    Columns that change rarely, such as contact forces, have a small standard deviation by nature. Off-policy algorithms
    with large networks often cope.

    ## References
    Andrychowicz et al., What Matters in On-Policy Reinforcement Learning, 2021; RLlib issue #4191.
    """
    seen = measure_columns(survey)
    if seen is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    if seen.steps < steps:
        return CannotTell(("random",), f"only {seen.steps:,} of {steps:,} steps")
    spread = find_spread(survey)
    if spread is None or not spread.ratio > ratio:
        return None
    standing = _compare(spread, ratio)
    handled = _is_normalised(survey)
    exposed = infer_family(survey.config, ()) == "on-policy" and not handled
    harm = f"; nothing normalises them for {survey.config.algorithm}" if exposed else ""
    return Finding(
        message=f"The standard deviation of {label_column(survey, spread.large)} is {spread.ratio:,.0f} times that of "
        f"{label_column(survey, spread.small)} ({spread.most:.3g} against {spread.least:.3g}, limit {ratio:g}): "
        f"{standing.words}{harm}.",
        level=Level.INFO if handled else max(standing.level, Level.WARN if exposed else Level.INFO),
        confidence=MEDIUM if exposed and not standing.beyond else HIGH,
        evidence=(
            Evidence(metric="observation.spread_ratio", value=spread.ratio, limit=ratio),
            Evidence(metric=f"{label_column(survey, spread.large)} std", value=spread.most),
            Evidence(metric=f"{label_column(survey, spread.small)} std", value=spread.least),
        ),
    )


def _compare(spread: ColumnSpread, limit: float) -> HealthyStanding:
    """Where the ratio stands among healthy ones, or the largest spread where that is further out.

    Units that all columns share are no trouble. So large units alone warn only where the ratio, too, is past its limit
    by the margin, as it is in few healthy environments. At the distance of an error no network copes with them.
    """
    by_ratio = compare_with_healthy("observation.spread_ratio", spread.ratio)
    by_size = compare_with_healthy("observation.largest_std", spread.most)
    counts = by_size.level is not Level.WARN or spread.ratio > MARGIN * limit
    return max(by_ratio, by_size, key=lambda each: each.times) if counts else by_ratio


def find_spread(survey: Survey) -> ColumnSpread | None:
    """The columns that vary most and least; None where fewer than two numeric columns vary."""
    seen = measure_columns(survey)
    kinds = survey.column_kinds
    if seen is None:
        return None
    live = [
        place for place, kind in enumerate(kinds) if kind == "number" and DEAD <= float(seen.std[place]) < float("inf")
    ]
    if len(live) < 2:
        return None
    spreads = seen.std[live]
    large, small = live[int(np.argmax(spreads))], live[int(np.argmin(spreads))]
    return ColumnSpread(large, small, float(seen.std[large]), float(seen.std[small]))


def _is_normalised(survey: Survey) -> bool:
    """Whether a wrapper or a setting normalises the observations."""
    wrappers = [str(name).lower() for name in survey.facts.get("wrappers") or ()]
    wrapped = any(("norm" in name and "reward" not in name) or "rescaleobs" in name for name in wrappers)
    return wrapped or _is_configured(survey.config)


def _is_configured(config: Config) -> bool:
    if read_flag(config, *_SWITCHES) or config.flag("normalize"):
        return True
    said = (str(value).lower() for key, value in config.raw.items() if get_last_part(key) in _WORDS)
    return any(word not in ("", "none", "nofilter", "false") for word in said)
