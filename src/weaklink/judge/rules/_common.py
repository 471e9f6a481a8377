"""What rows that a reward gets wrong have in common, by fields of any name and by the form of their texts."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

import numpy as np

from weaklink.base.evidence.samples import LABEL, Flags, Samples
from weaklink.base.evidence.series import Array

SHARED, OTHERS = 0.9, 0.1
"""The least share of such rows that have a thing in common, and the most of comparable rows without it that are so."""
FEWEST = 8
"""Rows of either kind: with fewer anything is common by chance."""
RESTATES = 0.95
"""How much oftener rows with a thing are paid in full, from which on it only says in words what was paid."""

LONGEST = 80
"""Characters of a sentence that is quoted."""
BEST, SAME_ENDING = 0.8, 0.6
"""From which quantile on rewards are the best, and the share of their texts that must end alike."""

WORDED = {"repetition": (0.3, "repeat the same words over and over"), "gibberish": (0.2, "are gibberish")}
"""Columns that say how much of a text is no language, from where on that shows, and how a message names it."""
HALF = 0.5
"""The share of wrongly paid rows that must be no language, where hardly any other is."""

FORMS = {
    "reference_decomposed": "a reference whose accents are characters of their own (decomposed Unicode, NFD)",
    "several_code_blocks": "several code blocks",
    "truncated": "been cut off by a limit",
}
"""Columns that say of which form a text is, and how a message names it."""


def tell_common(rows: Samples, marked: Flags, comparable: Flags) -> str:
    """What nearly all marked rows have and comparable rows that are not marked do not, for messages; else nothing."""
    top = rows["reward"] > (float(rows["reward"].min()) + float(rows["reward"].max())) / 2
    for had, told in _list_features(rows, marked):
        if float((marked & had).sum()) < SHARED * float(marked.sum()) or not _tells_apart(marked, comparable, had):
            continue
        if had.all() or abs(float(top[had].mean()) - float(top[~had].mean())) < RESTATES:
            return f"; what they have in common is {told}"
    return ""


def tell_worded(rows: Samples, marked: Flags, others: Flags) -> str:
    """Says so where half of the marked rows are no language, as hardly any of the others are."""
    if min(marked.sum(), others.sum()) < FEWEST:
        return ""
    for name, (limit, told) in WORDED.items():
        if name in rows:
            share, usual = (float((rows[name][part] >= limit).mean()) for part in (marked, others))
            if share >= HALF and usual <= OTHERS:
                return f"; {share:.0%} of them {told} ({usual:.0%} of those that are good)"
    return ""


def _tells_apart(marked: Flags, comparable: Flags, had: Flags) -> bool:
    """Whether comparable rows are marked where they have a thing, and not where they lack it.

    Where all comparable rows have it, the others must lack it.
    """
    others = comparable if (comparable & ~had).sum() >= FEWEST else np.ones(len(had), bool)
    kinds = [comparable & had, others & ~had]
    if any(kind.sum() < FEWEST for kind in kinds):
        return False
    inside, outside = (float(marked[kind].mean()) for kind in kinds)
    spread = float((others & had & ~marked).sum()) <= OTHERS * float((others & ~marked).sum())
    return inside >= 1.0 - 2 * OTHERS and outside <= OTHERS and (others is comparable or spread)


def _list_features(rows: Samples, marked: Flags) -> Iterator[tuple[Flags, str]]:
    """Which rows have a thing, and its name: forms of texts, the commonest value of a field, or that it is given."""
    for name, told in FORMS.items():
        if name in rows:
            yield rows[name] == 1.0, told
    for name, codes in rows.codes.items():
        if not name.startswith(LABEL) or not marked.any():
            continue
        values, counts = np.unique(codes[marked], return_counts=True)
        value = int(values[np.argmax(counts)])
        word = rows.names.get(name, {}).get(value, "")
        if value >= 0:
            yield codes == value, f"{name.removeprefix(LABEL)} '{word}'"
        if (codes < 0).any():
            yield codes >= 0, f"a {name.removeprefix(LABEL)}, such as '{word}'"


def tell_ending(rows: Samples) -> str:
    """Says so where the best paid texts end with one and the same sentence, and the others do not."""
    if "ending" not in rows:
        return ""
    paid, endings = rows["reward"], rows.codes["ending"]
    best = paid >= np.quantile(paid, BEST)
    values, counts = np.unique(endings[best & (endings >= 0)], return_counts=True)
    if not len(values) or counts.max() < max(FEWEST, SAME_ENDING * best.sum()):
        return ""
    code = int(values[np.argmax(counts)])
    if float((endings[paid < np.median(paid)] == code).mean()) > OTHERS:
        return ""
    words = shorten(rows.names.get("ending", {}).get(code, "").rstrip("."), LONGEST, placeholder="...")
    return f"; the best paid end with the same sentence, word for word: '{words}'"


def tell_digits(rows: Samples, paid: Array, human: Array, high: float) -> str:
    """Says so where wrong answers are paid that have the digits of the reference in them, and no others."""
    if "holds_reference" not in rows:
        return ""
    wrong, held = human < 0.5, rows["holds_reference"]
    sides = [paid[wrong & (held == side)] > high for side in (1.0, 0.0)]
    if any(len(side) < FEWEST for side in sides) or sides[0].mean() < 0.8 or sides[1].mean() > 0.1:
        return ""
    return ", but one with the digits of the reference in it (a substring)"
