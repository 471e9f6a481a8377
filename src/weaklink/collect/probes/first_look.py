"""A first look at a script: which environments it makes, and whether it comes to its first step with a probe's spaces.

The script's process writes it (`stand_in.py`), the process that started it reads it (`scouting.py`).
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

LOOK = "WEAKLINK_PROBE_LOOK"
"""The environment variable that names the file into which it is written; without, scripts are trained to their end."""


class ScriptLook(msgspec.Struct):
    """What was seen of a script up to its first step.

    `made` says that it made an environment, `asked` are the ids of those that are no probes, `kind` the kind of action
    of the first, empty where it could not be made; `misfit` says why no probe can have its shape. `numbers` is how many
    numbers of its observation a probe can use and `looks` how many observations there are, each 0 where that is no
    matter. `stepped` says that the script came to its first step.
    """

    made: bool = False
    asked: list[str] = []
    kind: str = ""
    misfit: str = ""
    numbers: int = 0
    looks: int = 0
    stepped: bool = False


def read_look(file: str | Path | None = None) -> ScriptLook:
    """What was written so far."""
    try:
        return msgspec.json.decode(Path(file or os.environ.get(LOOK, "")).read_bytes(), type=ScriptLook)
    except (OSError, msgspec.DecodeError):
        return ScriptLook()


def write_look(look: ScriptLook) -> None:
    """Writes it, where a look was asked for; whole or not at all."""
    file = os.environ.get(LOOK)
    if file:
        part = f"{file}.{os.getpid()}"
        Path(part).write_bytes(msgspec.json.encode(look))
        os.replace(part, file)


class FirstStep:
    """Takes the first step of a script and ends its process: more was not to be known of it."""

    def __init__(self) -> None:
        look = read_look()
        look.made = True
        write_look(look)

    def add(self, row: tuple[float, ...]) -> None:
        """Writes that it came so far."""
        look = read_look()
        look.stepped = True
        write_look(look)
        os._exit(0)

    def count_reset(self) -> None:
        """An episode began."""

    def flush(self) -> None:
        """Nothing is held."""
