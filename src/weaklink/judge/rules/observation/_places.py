"""Small pictures of bytes in which only the brightest things are left: what the environment holds and none shows."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import MEDIUM, Evidence, Finding

BYTE = 255.0
CHANNELS = (1, 3, 4)
FEWEST, FEWEST_PLACES = 100, 10  # pictures, and different places in which something has been
SHOWN = 0.1  # of the steps in which its field is not empty: something else may stand there


def find_lost_places(survey: Survey, blocks: list[Array]) -> Finding | None:
    """The finding, if a picture is declared up to 255, never exceeds 1, and lacks something that has a place in it."""
    space, held = survey.observation, survey.held
    if space is None or held is None or space.kind != "box" or len(space.shape) != 3 or space.high is None:
        return None
    if space.dtype != "uint8" or float(space.high.min()) != BYTE or space.shape[2] not in CHANNELS or not blocks:
        return None
    largest = max(float(block.max(initial=0.0)) for block in blocks)
    if largest != 1.0 or held.successors.shape[1] != space.size or len(held.successors) < FEWEST:
        return None
    pictures = held.successors.reshape(-1, *space.shape).max(axis=3)
    found = _list_places(held, space.shape)
    seen = {name: _measure_seen(pictures, rows) for name, rows in found.items()}
    lost = [name for name, share in seen.items() if share <= SHOWN]
    if not lost or not any(share >= 1.0 - SHOWN for share in seen.values()):
        return None
    return Finding(
        message=f"The picture of shape {' x '.join(map(str, space.shape))} is declared up to 255 and never exceeds 1, "
        f"and `{lost[0]}`, which has a place in it, is in {seen[lost[0]]:.0%} of the pictures: they were divided by "
        "255 before they became bytes, and what was not the brightest is lost.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="observation.largest", value=largest, limit=BYTE),),
    )


def _list_places(held: HeldState, shape: tuple[int, ...]) -> dict[str, Array]:
    """The attributes that begin with a row and a column of the picture, and where they are after each step."""
    found = {}
    for name, columns in held.attributes.items():
        rows = held.after[:, columns[:2]]
        known = rows[np.isfinite(rows).all(axis=1)]  # what grows, as a snake does, is known while it is short
        if len(columns) < 2 or len(known) < FEWEST or np.any(known != np.round(known)):
            continue
        if np.any(known < 0) or np.any(known >= shape[:2]) or len(np.unique(known, axis=0)) < FEWEST_PLACES:
            continue
        found[name] = rows
    return found


def _measure_seen(pictures: Array, places: Array) -> float:
    """The share of the pictures in which its field is not empty."""
    known = np.flatnonzero(np.isfinite(places).all(axis=1))
    rows, columns = places[known].astype(int).T
    return float(np.mean(pictures[known, rows, columns] > 0.0))
