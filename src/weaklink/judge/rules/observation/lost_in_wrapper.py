from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.judge.rules.observation._columns import list_columns
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 50  # steps of a wrapper below which a bound may have been met by chance


@rule(
    "OBS126",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("OBS102", "OBS103", "OBS105", "OBS108", "OBS110", "OBS301", "OBS302"),
)
def lost_in_wrapper(survey: Survey, *, most: float = 0.3) -> Answer:
    """A wrapper takes from the observation what the environment inside of it shows.

    ## What it sees
    Every wrapper is listened to on both sides over some episodes of random play, where observations are arrays of one
    shape. Reported are columns that change inside and never outside, and columns that are a straight line of those
    inside but for a bound at which they are cut off in `most` of the steps or more.

    ## Why it is bad
    What is lost there no network gets back: all states beyond a bound look the same, and a speed that is divided by an
    infinite bound is always 0. A policy may get some way without it, and no further.

    ## What to do
    1. Check what each column is divided by and clipped to: `observation_space.high` is infinite for many speeds.
    2. Clip behind a normaliser, and far out: at 5 or 10 standard deviations hardly anything is cut off.
    3. Clip to the range that the column has, which may be negative.

    ## How to prove it
    Print the observation inside of the wrapper and outside of it at ten steps. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    A wrapper that leaves a column out on purpose, to make the task harder, is reported as well: leave the column out of
    the space instead. Bins and one-hot codes are no straight lines and are not judged.

    ## References
    Gymnasium, documentation of TransformObservation and RescaleObservation; practice.
    """
    if not survey.layers or survey.seen_columns is not None:
        return CannotTell(("observation",), "there is no wrapper of the user's choice, or too many columns")
    return next((found for each in survey.layers if (found := _judge(survey, each, most)) is not None), None)


def _judge(survey: Survey, layer: WrapperLayer, most: float) -> Finding | None:
    width = len(survey.labels)
    if layer.steps < FEWEST or any(column >= width for column, _ in layer.clipped):
        return None
    if layer.silenced and max(layer.silenced) < width > len(layer.silenced):
        return _describe(survey, layer, layer.silenced, "never change outside of it", 1.0, 0.0)
    clipped = {column: share for column, share in layer.clipped if share >= most}
    if not clipped:
        return None
    largest = max(clipped.values())
    words = f"are cut off at a bound in up to {largest:.0%} of the steps and handed on as they are in the others"
    return _describe(survey, layer, tuple(clipped), words, largest, most)


def _describe(
    survey: Survey, layer: WrapperLayer, columns: Sequence[int], words: str, share: float, limit: float
) -> Finding:
    return Finding(
        message=f"{len(columns)} of {len(survey.labels)} observation columns that change inside of the wrapper "
        f"`{layer.name}` {words}, over {layer.steps:,} steps: {list_columns(survey, list(columns))}.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.steps_lost", value=share, limit=limit),),
    )
