from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.observation._columns import played

BYTE = 255.0
MOST_CHANNELS = 16
TWICE = 0.01
"""What a bright pixel comes to when it is divided by 255 twice is 0.004."""

FEWEST = 100
"""Images without which nothing is said of what never occurs in one."""


@rule(
    "OBS109",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS105", "OBS108", "VAL304", "REW301"),
)
def unnormalised_image(survey: Survey, *, unit: float = 1.5, raw: float = 25.0) -> Answer:
    """Images come in a type, range or layout that policies for images misread.

    ## What it sees
    Pixels stored as floating-point numbers that go up to 255. Bytes declared up to 255 that never exceed 1, and
    floating-point numbers that never exceed 0.01: they were divided once too often. Pixels declared between 0 and 1
    that exceed it. A shape whose channels are neither its first nor its last axis.

    ## Why it is bad
    Libraries divide bytes by 255 and leave floating-point numbers alone. Raw values in floating point saturate the
    first layers; images divided twice are almost black and almost constant. With the channels in the wrong place the
    convolution slides over colours instead of over the picture.

    ## What to do
    1. Hand out bytes (`uint8`) from 0 to 255 with the shape height, width, channels, and let the library scale them.
    2. If you scale them yourself, use `float32` from 0 to 1, declare the bounds 0 and 1, and switch the library's own
       scaling off (`normalize_images=False` in Stable-Baselines3).
    3. Move axes with a transpose, never with a reshape.

    ## How to prove it
    Save one observation as a picture and look at it, then print the smallest and largest value that enters the first
    layer of the network. It must be about 0 and 1.

    ## When it is wrong
    Maps of heights or distances are images with units of their own. A network of yours may scale its input itself.

    ## References
    Huang et al., The 37 Implementation Details of Proximal Policy Optimization, 2022; Stable-Baselines3, documentation
    of custom environments.
    """
    space = survey.observation
    if space is None or not space.images:
        return None
    rows = [each.before for each in played(survey)]
    if not rows:
        return CannotTell(("random",), "no images were kept")
    width = min(block.shape[1] for block in rows)
    found = []
    for key, image in space.images.items():
        name = key or "observation"
        places = [place for place, label in enumerate(survey.labels[:width]) if label.startswith(f"{name}[")]
        finding = _layout(name, image) or _range(name, image, [block[:, places] for block in rows], unit, raw)
        if finding is not None:
            found.append(finding)
    return found[0] if len(found) == 1 else tuple(found) or None


def _layout(name: str, image: Space) -> Finding | None:
    if len(image.shape) != 3:
        return None
    small = [axis for axis, edge in enumerate(image.shape) if edge <= MOST_CHANNELS]
    if small in ([0], [2]):
        return None
    shape = " x ".join(map(str, image.shape))
    which = "in the middle of its axes" if small == [1] else "not to be told from its edges"
    return Finding(
        message=f"The image {name} has the shape {shape}: its channels are {which}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"{name}.channel_axis", value=float(small[0])),),
    )


def _range(name: str, image: Space, blocks: list[Array], unit: float, raw: float) -> Finding | None:
    finite = [values for block in blocks if len(values := block[np.isfinite(block)])]
    if not finite or image.high is None:
        return None
    least, most = min(float(values.min()) for values in finite), max(float(values.max()) for values in finite)
    declared, many = float(image.high.max()), sum(map(len, blocks)) >= FEWEST
    floating = image.dtype.startswith(("float", "bfloat"))
    if declared <= 1.0 and most > unit:
        told, limit = f"is declared to go up to {declared:g} and goes up to {most:.4g}", declared
    elif floating and least >= 0.0 and most > raw and (declared == BYTE or _whole(finite)):
        told, limit = f"is stored as {image.dtype} and goes up to {most:.4g}: nobody divides it by 255", 1.0
    elif not floating and declared == BYTE and 0.0 < most <= 1.0 and many:
        told, limit = f"is stored as {image.dtype} and never exceeds {most:g}: it was divided before", BYTE
    elif floating and declared >= 1.0 and least >= 0.0 and 0.0 < most <= TWICE and many:
        told, limit = f"never exceeds {most:.2g}: it was divided by 255 twice", 1.0
    else:
        return None
    return Finding(
        message=f"The image {name} {told}.",
        confidence=HIGH if most > unit else MEDIUM,
        evidence=(Evidence(metric=f"{name}.largest", value=most, limit=limit),),
    )


def _whole(blocks: list[Array]) -> bool:
    return all(bool(np.all(block == np.round(block))) for block in blocks)
