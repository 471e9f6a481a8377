from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.observation._columns import list_plays
from weaklink.judge.rules.observation._places import find_lost_places
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)

Faults = tuple[tuple[bool, float, str], ...]

BYTE = 255.0
TWICE = 0.01  # a white pixel divided by 255 twice is 0.004

FEWEST = 100  # images from which on a value that never occurs may be called absent


@rule(
    "OBS109",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS105", "OBS108", "VAL304", "REW301"),
    marks=("left to trainers",),
)
def unnormalised_image(survey: Survey, *, unit: float = 1.5, raw: float = 25.0) -> Answer:
    """Images have a dtype, range or layout that image policies misread.

    ## What it sees
    Pixels stored as floats that go up to 255. Bytes declared up to 255 that never exceed 1, and floats that never
    exceed 0.01: they were divided by 255 once too often. Pixels declared between 0 and 1 that exceed 1. A shape whose
    channel axis, the shortest, is neither the first nor the last, or of which two axes are equally short. A small
    picture, which may be a grid of anything, is told by values that are bytes divided by 255 twice; or, declared as
    bytes up to 255 and never above 1, by a place that the environment holds, that moves, and that no picture shows.

    ## Why it is bad
    Libraries divide bytes by 255 and leave floats alone. Raw values in floats saturate the first layers; images divided
    twice are almost black and almost constant. With the channels on the wrong axis the convolution slides over colours
    instead of over the image.

    ## What to do
    1. Return bytes (`uint8`) from 0 to 255 with the shape height, width, channels, and let the library scale them.
    2. If you scale them yourself, use `float32` from 0 to 1, declare the bounds 0 and 1, and switch the library's
       scaling off (`normalize_images=False` in Stable-Baselines3).
    3. Move axes with a transpose, never with a reshape.

    ## How to prove it
    Save one observation as a picture and look at it, then print the smallest and largest value that enters the first
    layer of the network. They must be about 0 and 1.

    ## When it is wrong
    Maps of heights or distances are images in other units. A custom network may scale its input itself.

    ## References
    Huang et al., The 37 Implementation Details of Proximal Policy Optimization, 2022; Stable-Baselines3, documentation
    of custom environments.
    """
    space = survey.observation
    if space is None:
        return None
    rows = [each.before for each in list_plays(survey)]
    if not space.images:
        return _check_grid(space, rows) or find_lost_places(survey, rows)
    if not rows:
        return CannotTell(("random",), "no images were kept")
    width = min(block.shape[1] for block in rows)
    found = []
    for key, image in space.images.items():
        name = key or "observation"
        places = [place for place, label in enumerate(survey.labels[:width]) if label.startswith(f"{name}[")]
        found.append(
            _check_layout(name, image) or _check_range(name, image, [block[:, places] for block in rows], unit, raw)
        )
    return answer_with(filter(None, found))


def _check_grid(space: Space, blocks: list[Array]) -> Finding | None:
    """A finding, if a grid that is too small for a picture is declared up to 1 and shows bytes divided by 255 twice."""
    if space.kind != "box" or len(space.shape) not in (2, 3) or space.high is None or sum(map(len, blocks)) < FEWEST:
        return None
    values = np.unique(np.concatenate([block.ravel() for block in blocks]))
    bytes_seen = values * BYTE * BYTE
    if not np.isfinite(values).all() or float(space.high.max()) != 1.0 or not 0.0 < values[-1] <= 1.0 / BYTE + 1e-6:
        return None
    if values[0] < 0.0 or bytes_seen[-1] < 2.0 or np.abs(bytes_seen - np.round(bytes_seen)).max() > 1e-2:
        return None
    return Finding(
        message=f"The observation of shape {' x '.join(map(str, space.shape))} is declared up to 1, never exceeds "
        f"{values[-1]:.2g}, and holds whole numbers over 255 x 255: it was divided by 255 twice.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.largest", value=float(values[-1]), limit=1.0),),
    )


def _check_layout(name: str, image: Space) -> Finding | None:
    if len(image.shape) != 3:
        return None
    small = [axis for axis, edge in enumerate(image.shape) if edge == min(image.shape)]
    if small in ([0], [2]):
        return None
    shape = " x ".join(map(str, image.shape))
    which = "in the middle of its axes" if small == [1] else "ambiguous"
    return Finding(
        message=f"The image {name} has the shape {shape}: its channels are {which}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"{name}.channel_axis", value=float(small[0])),),
    )


def _check_range(name: str, image: Space, blocks: list[Array], unit: float, raw: float) -> Finding | None:
    finite = [values for block in blocks if len(values := block[np.isfinite(block)])]
    if not finite or image.high is None:
        return None
    values = np.concatenate(finite)
    least, most, many = float(values.min()), float(values.max()), sum(map(len, blocks)) >= FEWEST
    faults = _list_range_faults(image, least, most, bool(np.all(values == np.round(values))), many, unit, raw)
    limit, words = next(((limit, words) for found, limit, words in faults if found), (0.0, ""))
    if not words:
        return None
    return Finding(
        message=f"The image {name} {words}.",
        confidence=HIGH if most > unit else MEDIUM,
        evidence=(Evidence(metric=f"{name}.largest", value=most, limit=limit),),
    )


def _list_range_faults(
    image: Space, least: float, most: float, whole: bool, many: bool, unit: float, raw: float
) -> Faults:
    """What can be wrong with the range of an image: whether it is, the limit, and words for it."""
    top = 0.0 if image.high is None else float(image.high.max())
    floating = image.dtype.startswith(("float", "bfloat"))
    positive = floating and least >= 0.0
    stored = f"is stored as {image.dtype} and"
    return (
        (top <= 1.0 and most > unit, top, f"is declared to go up to {top:g} and goes up to {most:.4g}"),
        (
            positive and most > raw and (top == BYTE or whole),
            1.0,
            f"{stored} goes up to {most:.4g}: nothing divides it by 255",
        ),
        (
            not floating and top == BYTE and 0.0 < most <= 1.0 and many,
            BYTE,
            f"{stored} never exceeds {most:g}: it was already divided by 255",
        ),
        (
            positive and top >= 1.0 and 0.0 < most <= TWICE and many,
            1.0,
            f"never exceeds {most:.2g}: it was divided by 255 twice",
        ),
    )
