from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._shown import fit_line
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 300
MEASURED = 20  # different values of what is held: fewer are codes
EXACT = 1e-5  # of the bounds: what is shown is float32
INSIDE = 10  # steps at which the bounds do not cut, where the column must be the attribute itself
WIDEST = 64


@rule(
    "OBS123",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS108", "OBS110", "REW103", "TSK102", "TSK103", "TSK106"),
)
def cut_off_view(survey: Survey, *, cut: float = 0.8, share: float = 0.5) -> Answer:
    """Most of what is observed is cut off at the bounds of the observation space.

    ## What it sees
    Columns of the observation that are exactly an attribute of the environment, or a multiple of it, where that lies
    within the declared bounds, and the bound itself where it lies beyond. Over 80 % of the steps lie beyond, and this
    holds of half of the columns or more.

    ## Why it is bad
    Of where things are only the sign is left. A policy sees the same observation nearly everywhere, and what it does
    about the rest is guessing.

    ## What to do
    1. Divide by the largest value before clipping: `position / 50`, not `clip(position, -1, 1)`.
    2. Or declare the bounds that the numbers have, and leave scaling to `VecNormalize`.

    ## How to prove it
    Print the attribute and the observation of ten resets side by side. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    Sensors that reach a short way on purpose, and are all that there is to see.

    ## References
    Andrychowicz et al., What matters for on-policy deep actor-critic methods, 2021, on clipping of observations.
    """
    held, columns = survey.held, survey.columns
    assert held is not None
    if len(held.observations) < FEWEST_STEPS or held.observations.shape[1] != len(columns) or len(columns) > WIDEST:
        return CannotTell(("held",), f"fewer than {FEWEST_STEPS} steps beside the attributes, or too many columns")
    found: dict[int, tuple[str, float, int]] = {}
    for place, column in enumerate(columns):
        if column.kind == "number" and np.isfinite([column.low, column.high]).all() and column.low < column.high:
            match = _find_cut(held, held.observations[:, place], column.low, column.high, cut)
            if match is not None:
                found[place] = match
    # that some number is within its bounds now and then shows that it is the attribute, and not its sign alone
    if len(found) < share * len(columns) or not any(inside >= INSIDE for _, _, inside in found.values()):
        return None
    least = min(lost for _, lost, _ in found.values())
    names = join_names(dict.fromkeys(f"`{name}`" for name, _, _ in found.values()))
    return Finding(
        message=f"{len(found)} of {len(columns)} columns of the observation are {names} cut off at the bounds of the "
        f"observation space, in {least:.0%} of {len(held.observations):,} steps or more (limit {cut:.0%}): only the "
        "side on which it lies is seen.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.cut_off", value=least, limit=cut),),
    )


def _find_cut(held: HeldState, shown: Array, low: float, high: float, cut: float) -> tuple[str, float, int] | None:
    """The attribute that a column shows, the share of steps at which it lies beyond the bounds, and those within."""
    close = EXACT * max(abs(low), abs(high), 1e-300)
    within = (shown > low + close) & (shown < high - close)
    for place in np.flatnonzero(held.finite).tolist():
        values = held.before[:, place]
        if len(np.unique(values)) < MEASURED:
            continue
        values = _put_in_its_units(values, shown, within)
        lost = float(np.mean((values < low - close) | (values > high + close)))
        if lost > cut and float(np.abs(np.clip(values, low, high) - shown).max(initial=0.0)) <= 10 * close:
            return held.labels[place], lost, int(np.count_nonzero((values >= low) & (values <= high)))
    return None


def _put_in_its_units(values: Array, shown: Array, within: Flags) -> Array:
    """An attribute in the units of a column, which are those of a straight line where the bounds do not cut."""
    if len(np.unique(shown[within])) < INSIDE:
        return values
    line = fit_line(values[within], shown[within])
    return values if line is None else line[0] * values + line[1]
