"""The words and numbers that every view of the emergency procedure says the same way."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.show.text import number
from weaklink.verbs.debug.minimal.evidence import Effect, Minimal, Picture, SeenPart, Version

BRIGHTNESS = " .:-=+*#%@"
VERDICTS = {True: "healthy", False: "broken", None: "unclear"}
WORDS = {True: "it learns", False: "not even that", None: "no answer"}
VERSION_HEAD = ("version", "what became of it", "random", "trained", "steps", "made easier")
SEEN_HEAD = ("entry", "lowest", "mean", "highest", "spread", "odd")
EARNED = {"more": "+", "less": "-", "same": "="}


def agent(result: Minimal) -> str:
    """What the smallest agent is."""
    settings = result.looked.settings
    if not result.looked.algorithm:
        return "nothing was trained"
    parts = [result.looked.algorithm]
    if settings.get("network"):
        parts.append(f"network {'x'.join(str(width) for width in settings['network'])}")
    names = {"learning_rate": "learning rate", "ent_coef": "entropy bonus"}
    parts += [f"{told} {settings[name]}" for name, told in names.items() if name in settings]
    return ", ".join((*parts, f"discount {result.looked.gamma:g}"))


def version_row(version: Version) -> tuple[str, ...]:
    """One version as the cells under `VERSION_HEAD`."""
    state = f"{version.state}, {version.why}" if version.why else version.state
    return (
        version.task.name,
        state,
        _figure(version.random),
        _figure(version.trained),
        f"{version.steps:,}" if version.steps else "",
        "" if version.task.part else "; ".join(version.task.told) or "nothing",
    )


def seen_rows(part: SeenPart) -> list[tuple[str, ...]]:
    """The entries of one part as the cells under `SEEN_HEAD`."""
    return [
        (
            entry.label,
            *(_figure(value) for value in (entry.low, entry.mean, entry.high, entry.spread)),
            ", ".join(entry.notes),
        )
        for entry in part.entries
    ]


def seen_title(part: SeenPart) -> str:
    """What one part of the observation is."""
    shape = "x".join(map(str, part.shape)) or "1"
    cast = part.from_type if part.from_type == part.to_type else f"{part.from_type}, given as {part.to_type}"
    more = f", {part.left_out:,} more entries not shown" if part.left_out else ""
    return f"{part.name or 'observation'}: {shape} of {cast}, over {part.rows} steps of random play{more}"


def seen_by(result: Minimal) -> str:
    """Through whose eyes."""
    if result.looked.through_own_model:
        return "your own model's network, after all wrappers and preprocessing"
    return "the smallest agent's network, before its normaliser"


def drawn(picture: Picture) -> list[str]:
    """A picture in characters, from dark to bright."""
    most = len(BRIGHTNESS) - 1
    return ["".join(BRIGHTNESS[level * most // 255] for level in row) for row in picture.rows]


def matrix(effects: Sequence[Effect]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """What agents that are paid for one part earn of each: the head, random play, and a row for each part paid for."""
    of = list(dict.fromkeys(effect.of for effect in effects))
    cells = {(effect.paid_for, effect.of): effect for effect in effects}
    random = {effect.of: effect.random for effect in effects}
    rows = [("random play", *(_figure(random[part]) for part in of))]
    for paid_for in dict.fromkeys(effect.paid_for for effect in effects):
        found = (cells.get((paid_for, part)) for part in of)
        rows.append((paid_for, *("" if one is None else _earned(one) for one in found)))
    return ("paid for", *(part or "the whole reward" for part in of)), rows


def _earned(effect: Effect) -> str:
    return f"{EARNED[effect.tendency]} {_figure(effect.trained)}"


def _figure(value: float) -> str:
    return "" if value != value else number(value)


def remarks(result: Minimal) -> tuple[str, ...]:
    """What else should be known."""
    stopped = ("Stopped before the end: what was not tried is not in the answer.",) if result.stopped else ()
    return (*result.looked.notes, *stopped)
