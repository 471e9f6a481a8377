"""Actions that an environment itself calls valid or not, as evidence."""

from __future__ import annotations

import re

import msgspec

MASK_KEYS = re.compile(r"mask|^avail(able)?_actions$")
"""Keys of a mask; one of a list of valid actions, such as `legal_actions`, is none."""


class ActionMasks(msgspec.Struct, frozen=True, kw_only=True):
    """Which actions the environment itself calls valid: the share of invalid ones, over states, and of those taken.

    `empty` counts states in which none is valid although the episode goes on, `revived` those of the states after them
    in which one is again. `valid_idle` and `invalid_idle` count,
    of the valid and of the invalid actions that were taken, those that left the observation unchanged, and all.
    `refused` says how well the mask tells the steps that were refused (the observation as it was, at one price; or what
    paid least) from the others, by how many places further on it is read (0 for the mask as it is): the steps it told
    right, all of them, and those it forbids there. `late` counts
    the actions of which one number of the observation before the step always tells whether the mask after it calls them
    valid, and none of the observation after it does; `told` those of which one of that after it always does.
    `valid_refused` counts the valid actions that came to just what the invalid ones always came to (the observation as
    it was, the lowest reward of all, below 0, the episode over or not), and all valid ones; nothing where invalid ones
    came to this and that.
    """

    source: str
    invalid: float
    invalid_taken: float
    states: int
    empty: int = 0
    revived: int = 0
    valid_idle: tuple[int, int] = (0, 0)
    invalid_idle: tuple[int, int] = (0, 0)
    refused: dict[int, tuple[int, int, int]] = {}
    late: int = 0
    told: int = 0
    valid_refused: tuple[int, int] = (0, 0)
