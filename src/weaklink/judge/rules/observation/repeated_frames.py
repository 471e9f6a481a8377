from __future__ import annotations

import re

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

COLOURS = 3  # channels of a picture, and its axes: three equal channels are a grey picture in colour

LASTING = 3  # steps of an episode, below which a place and a goal, or two frames, may be equal throughout

_STACKS = re.compile(r"frame|stack|history", re.IGNORECASE)


@rule(
    "OBS113",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("OBS108", "OBS110", "TSK102", "TSK103", "TSK106"),
)
def repeated_frames(survey: Survey) -> Answer:
    """The frames that are stacked are all the same one.

    ## What it sees
    An observation splits into two to eight blocks of the same shape, along its first or last axis or as parts of a
    vector. In each of over 30 steps all blocks are exactly equal, although they change from step to step. Three equal
    channels of a picture are info, unless a wrapper is named after frames or a history, or the environment holds a list
    of as many arrays: grey pictures have them.

    ## Why it is bad
    Frames are stacked to show motion. Copies of one frame show none: velocities and directions are hidden, at several
    times the cost of one frame.

    ## What to do
    1. Look at where the new frame is added: the buffer must drop its oldest frame and keep the others, and `[frame] *
       n` belongs into the reset alone.
    2. Copy each frame as it is added: references to one array all show its newest content.
    3. Use `FrameStackObservation` or `VecFrameStack`.

    ## How to prove it
    Take ten steps and compare the first frame of the stack with the last: they must differ while something moves. Then
    run `weaklink preflight ENV` again.

    ## When it is wrong
    A vector that repeats its numbers on purpose.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015; Gymnasium, `FrameStackObservation`.
    """
    count = survey.equal_frames
    if count is None or survey.observation is None:
        return CannotTell(("observation",), "too few different arrays were seen")
    if count < 2:
        return None
    random = survey.plays.get(RANDOM)
    if random is not None and random.episodes and float(np.median(random.ended_lengths)) < LASTING:
        return CannotTell((RANDOM,), "episodes are over before anything could move")
    named = any(_STACKS.search(str(name)) for name in survey.facts.get("wrappers") or ())
    stacked = named or survey.frames_held
    is_grey = count == COLOURS and len(survey.observation.shape) == COLOURS and not stacked
    return Finding(
        message=f"The {count} blocks of the observation are equal to each other in every step, although they change"
        f"{': a grey picture in colour' if is_grey else ': the stack holds one frame several times'}.",
        level=Level.INFO if is_grey else Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.equal_frames", value=float(count), limit=1.0),),
    )
