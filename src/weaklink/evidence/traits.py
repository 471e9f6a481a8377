"""What a trainer says of itself, so that only problems are put to it that it can take."""

from __future__ import annotations

import msgspec

DISCRETE, CONTINUOUS = "discrete", "continuous"


class Traits(msgspec.Struct, frozen=True):
    """What is known of a trainer.

    `steps` is the budget in which a right one solves the easiest problem; `actions` the kinds of action that it
    takes; `remembers` says that it is recurrent, `masks` that it obeys masks of actions, `several` that it takes
    several choices at once, and `scales` that it brings its actions to the bounds of the environment by itself.
    `forms` are the kinds of observation beside plain vectors that it takes and learns from reliably. `guessed` says
    that nobody told which spaces it takes: one that it refuses is then left out and no fault. `language` says that it
    trains a policy over tokens, `steps` being updates then, and `tools` that it takes completions in which tools speak.
    """

    steps: int = 3000
    actions: tuple[str, ...] = (DISCRETE, CONTINUOUS)
    remembers: bool = False
    masks: bool = False
    several: bool = False
    scales: bool = True
    forms: tuple[str, ...] = ("image", "dict")
    guessed: bool = False
    language: bool = False
    tools: bool = False
