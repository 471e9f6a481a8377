from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import CONVERTED, DEGREES, CodeFlaw
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ENV120",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("ACT118", "OBS108", "OBS110", "REW103", "TSK102", "TSK103", "TSK104", "TSK106"),
)
def degrees_as_radians(survey: Survey) -> Answer:
    """An angle is taken for one in another unit: degrees for radians, or radians for degrees.

    ## What it sees
    The source of the environment, as far as it is your own. An attribute that a step takes modulo 360 or a reset draws
    from a circle of 360 degrees, or a variable that is clipped to a round number of degrees either way (30, 45, 90,
    180), stands alone in a sine, a cosine or a tangent, which take radians. Where it is converted on the way
    (`np.radians`, a factor) nothing is said. Or a name that holds nothing but a converted angle is converted to the
    same unit once more, alone or in a product.

    ## Why it is bad
    A degree more turns by 57. The direction that is moved in, or shown, has nothing to do with the one that is kept:
    small steps of an angle lead anywhere, and no policy can steer by it. An angle that is converted twice is a fifty-
    seventh of what was meant, or fifty-seven times as large.

    ## What to do
    1. Convert where the angle is used: `np.cos(np.radians(angle))`; or keep it in radians.
    2. Look at the other places that read the same angle: those in the same unit are right or wrong together.

    ## How to prove it
    Print the angle and its cosine at 0, 90 and 180 degrees: 1, 0 and -1.

    ## When it is wrong
    A variable with such bounds that is no angle.

    ## References
    Practice: Python's and numpy's sines take radians.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    found = [one for one in survey.code if one.kind == DEGREES]
    again = [one for one in survey.code if one.kind == CONVERTED]
    if not found and not again:
        return None
    flaw = (found or again)[0]
    file, _, line = flaw.where.rpartition(":")
    at = f"(line {line} of {Path(file).name})"
    name, _, unit = flaw.name.partition(" ")
    message = f"`{name}` is {unit} already, and `{flaw.function}` converts it once more {at}."
    if found:
        message = (
            f"`{name}` is kept in degrees, and `{flaw.function}` takes its sine, cosine or tangent as it is {at}, "
        )
        message += "which is meant for radians."
    return Finding(
        message=message,
        link=_blame(found or again),
        confidence=HIGH,
        evidence=(Evidence(metric=f"wrong uses of {name}", value=float(len(found or again)), limit=0.0),),
    )


def _blame(found: list[CodeFlaw]) -> Link | None:
    """The action, where it is what is turned, and the observation, where nothing but what is shown is wrong."""
    if all(one.part == "action" for one in found):
        return Link.ACTION
    return None if any(one.function in ("step", "action") for one in found) else Link.OBSERVATION
