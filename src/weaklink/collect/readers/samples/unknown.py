"""Fields under names that nobody knows: their numbers and short texts are kept beside the sample."""

from __future__ import annotations

from weaklink.collect.readers.samples.drafts import SampleDraft
from weaklink.collect.readers.samples.judged import read_grade, speaks_of_judge
from weaklink.collect.readers.samples.trained import Taker

LONGEST_LABEL, LARGEST = 60, 1e300
"""Characters of a text, and the size of a number, that are kept."""


def make_unknown_taker(name: str, trained: Taker | None) -> Taker:
    """Takes a number or a short text under a name that nobody knows, besides what it tells of the training.

    The first switch may tell one kind of prompts from another.
    """

    of_judge = speaks_of_judge(name)

    def take(draft: SampleDraft, value: object) -> None:
        if trained is not None:
            trained(draft, value)
        if isinstance(value, bool):
            draft.values.setdefault("trait", f"{name}={str(value).lower()}")
            draft.labels[name] = str(value).lower()
        elif isinstance(value, str):
            if of_judge and (grade := read_grade(value)) is not None:
                draft.values.setdefault("stated_grade", grade)
            if 0 < len(value) <= LONGEST_LABEL:
                draft.labels[name] = value
        elif isinstance(value, int | float) and abs(value) < LARGEST:
            draft.figures[name] = float(value)

    return take
