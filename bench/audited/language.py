"""Every labelled set of completions: hacks by code and style, and honest controls."""

from __future__ import annotations

from bench.audited import language_controls, language_groups, language_hacks, language_judged
from bench.audited.labelled import LabelledSet

SETS: tuple[LabelledSet, ...] = (
    *language_hacks.SETS,
    *language_judged.SETS,
    *language_groups.SETS,
    *language_controls.SETS,
)
