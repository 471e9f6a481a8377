"""What a trainer says of itself, so that only problems are put to it that it can take."""

from __future__ import annotations

import msgspec

DISCRETE, CONTINUOUS = "discrete", "continuous"
ACTIONS, FORMS = "actions", "forms"


class Traits(msgspec.Struct, frozen=True):
    """What is known of a trainer.

    `steps` is the budget in which a right one solves the easiest problem; `actions` the kinds of action that it
    takes; `remembers` says that it is recurrent, `masks` that it obeys masks of actions, `several` that it takes
    several choices at once, and `scales` that it brings its actions to the bounds of the environment by itself.
    `forms` are the kinds of observation beside plain vectors that it takes and learns from reliably. `guessed` names
    the traits, of `actions` and `forms`, that nobody told: spaces that it refuses are then left out and no fault, and
    so are observations from which it learns nothing. `language` says that it trains a policy over tokens, `steps` being
    updates then, and `tools` that it takes completions in which tools speak.
    """

    steps: int = 3000
    actions: tuple[str, ...] = (DISCRETE, CONTINUOUS)
    remembers: bool = False
    masks: bool = False
    several: bool = False
    scales: bool = True
    forms: tuple[str, ...] = ("image", "dict")
    guessed: tuple[str, ...] = ()
    language: bool = False
    tools: bool = False
