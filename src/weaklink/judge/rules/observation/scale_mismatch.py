from __future__ import annotations

import numpy as np

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.evidence.survey import Survey
from weaklink.base.proving import RETURN_RISES, Change, Intervention
from weaklink.judge.rules._hyperparameters import get_last_part, read_flag
from weaklink.judge.rules.observation._columns import DEAD, label_column, measure_columns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_SWITCHES = ("normalize", "norm_obs", "normalize_observations", "normalize_observation", "normalize_input", "obs_norm")
_WORDS = ("observation_filter", "state_preprocessor", "observation_preprocessor", "obs_normalizer")


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
)
def scale_mismatch(survey: Survey, *, ratio: float = 100.0, steps: int = 200) -> Answer:
    """The scales of observation columns differ by a factor of more than a hundred.

    ## What it sees
    The largest standard deviation among the numeric columns that change, divided by the smallest. It warns where an
    on-policy algorithm is configured and nothing normalises the observations; otherwise this is info.

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
    kinds = survey.column_kinds
    live = [
        place for place, kind in enumerate(kinds) if kind == "number" and DEAD <= float(seen.std[place]) < float("inf")
    ]
    if len(live) < 2:
        return None
    spreads = seen.std[live]
    large, small = live[int(np.argmax(spreads))], live[int(np.argmin(spreads))]
    found = float(seen.std[large] / seen.std[small])
    if not found > ratio:
        return None
    exposed = infer_family(survey.config, ()) == "on-policy" and not _is_normalised(survey)
    harm = f", and nothing normalises them for {survey.config.algorithm}" if exposed else ""
    return Finding(
        message=f"The standard deviation of {label_column(survey, large)} is {found:,.0f} times that of "
        f"{label_column(survey, small)} ({seen.std[large]:.3g} against {seen.std[small]:.3g}, limit {ratio:g}){harm}.",
        level=Level.WARN if exposed else Level.INFO,
        confidence=MEDIUM if exposed else HIGH,
        evidence=(
            Evidence(metric="observation.spread_ratio", value=found, limit=ratio),
            Evidence(metric=f"{label_column(survey, large)} std", value=float(seen.std[large])),
            Evidence(metric=f"{label_column(survey, small)} std", value=float(seen.std[small])),
        ),
    )


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
