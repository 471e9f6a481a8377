"""Versions: of this machine, and of the run where it was recorded somewhere else or earlier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.base.outside.versions import PACKAGES
from weaklink.show.allowing import allow_name
from weaklink.show.bugreport.pen import MarkdownPen, fence_lines
from weaklink.verbs.bugreport import ReportMaterial

_VERSION = re.compile(r"\d[\w.+!-]{0,30}")
_PUBLIC = {"python", "weaklink"} | {
    name.replace("_", "-") for module, names in PACKAGES.items() for name in (module, *names)
}


def write_lines(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    """Versions as a block, with what the recorded run says of itself where that differs."""
    shown = [f"{name}: {pen.plain(value)}" for name, value in {**material.versions, **material.acceleration}.items()]
    if shown:
        yield from fence_lines(shown, "text")
    absent = [name for name in ("torch", "gymnasium") if name in PACKAGES and name not in material.versions]
    if material.versions and absent:
        yield from ("", f"Not installed where this report was made: {', '.join(absent)}.")
    other = list(_list_recorded_versions(material.context, material.versions, pen))
    if other:
        yield from (
            "",
            "The run itself was recorded with other versions, or on another machine:",
            *fence_lines(other, "text"),
        )


def _list_recorded_versions(context: Mapping[str, Any], here: Mapping[str, str], pen: MarkdownPen) -> Iterator[str]:
    known = {_normalise_name(name): version.partition(" ")[0] for name, version in here.items()}
    said = context.get("versions")
    for name, version in (said if isinstance(said, Mapping) else {}).items():
        if (
            _normalise_name(name) in _PUBLIC
            and _VERSION.fullmatch(str(version))
            and known.get(_normalise_name(name)) != version
        ):
            yield f"{name}: {version}"
    accelerator = context.get("accelerator")
    for name, value in (accelerator if isinstance(accelerator, Mapping) else {}).items():
        if isinstance(value, str | int | float):
            yield f"{pen.plain(allow_name(str(name)), 40)}: {pen.plain(allow_name(str(value)), 80)}"


def _normalise_name(name: object) -> str:
    return str(name).lower().replace("_", "-")
