"""All that is told of one sample by itself; `python -m weaklink.collect.samples.measuring` does it for another process.

It is sent batches of samples and answers each with their measures.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weaklink.base.evidence.samples import Sample
from weaklink.base.outside.messages import ParentChannel
from weaklink.collect.samples.completing import ANSWERED
from weaklink.collect.samples.languages import (
    ENGLISH,
    UNKNOWN,
    find_language,
    find_prompt_language,
    mixes_scripts,
    names_language,
)
from weaklink.collect.samples.marks import compare_texts, mark_sample
from weaklink.collect.samples.pairs import compare_sides, hash_pair
from weaklink.collect.samples.phrases import find_final_answer, match_answer, names_reference, normalise_answer
from weaklink.collect.samples.readability import measure_gibberish
from weaklink.collect.samples.structure import find_ending
from weaklink.collect.samples.text import STYLES, measure_text
from weaklink.collect.samples.trajectories import is_trajectory, mark_trajectory
from weaklink.collect.samples.turns import goes_on
from weaklink.collect.samples.words import lower_words

COLUMNS = ("words", "repetition", "density", "refusal", "unfinished", "overrun", "gibberish", *STYLES)
"""What the numbers of a measure are, in their order."""

LOOKED_AT, SPARSE = 20_000, 16
"""Rows whose texts are compared with their prompts word by word, and then every so many: that takes as long as all
else, and more rows do not change a mean.
"""


class SampleMeasure(msgspec.Struct, frozen=True, array_like=True):
    """What is told of a sample by itself.

    `numbers` are those of `COLUMNS`; `template`, `opening`, `gist` and `answer` are of its completion, `ending` is its
    last sentence and `reference` the right answer in plain form; `marks` and `codes` are further columns.
    """

    numbers: Sequence[float]
    template: str
    opening: str
    gist: str
    answer: str
    ending: str
    reference: str
    marks: dict[str, float]
    codes: dict[str, int]


def is_compared(row: int) -> bool:
    """Whether the texts of a row, counted from 0, are compared with each other."""
    return row < LOOKED_AT or not row % SPARSE


def measure(sample: Sample, row: int = 0) -> SampleMeasure:
    """Measures a sample that stands in this row."""
    text = sample.completion
    words = text.split()
    lower = lower_words(words)
    seen = measure_text(text, lower)
    answer = find_final_answer(text)
    marks: dict[str, float] = {}
    codes: dict[str, int] = {}
    if is_trajectory(sample):
        mark_trajectory(sample, marks, codes)
    if sample.chosen or sample.rejected:
        marks.update(compare_sides(sample))
        codes["pair"] = hash_pair(sample)
    both = bool(sample.prompt and text)
    if both and (other := _is_other_language(sample, find_language(text, lower))) is not None:
        marks["other_language"] = float(other)
    marks.update(mark_sample(sample, answer))
    if both and is_compared(row):
        marks.update(compare_texts(sample, lower))
    if sample.answer and (right := _is_right(sample, answer)) is not None:
        marks[ANSWERED] = float(right)
    return SampleMeasure(
        numbers=(
            seen.length,
            seen.repetition,
            seen.density,
            float(seen.refusal),  # a reply that says true in place of 1 is no measure
            float(seen.unfinished),
            float(goes_on(text)),
            measure_gibberish(text, words),
            *seen.style,
        ),
        template=seen.template,
        opening=seen.opening,
        gist=seen.gist,
        answer=answer,
        ending=find_ending(text) if both else "",
        reference=normalise_answer(sample.answer) if sample.answer else "",
        marks=marks,
        codes=codes,
    )


def _is_other_language(sample: Sample, given: int) -> bool | None:
    """Whether a completion is in another language than its prompt; None where the prompt speaks of languages."""
    asked = find_prompt_language(sample.prompt)
    mixed = mixes_scripts(sample.completion, sample.prompt)
    if asked == UNKNOWN or not (mixed or given != UNKNOWN) or names_language(sample.prompt):
        return None
    return mixed or asked != given


def _is_right(sample: Sample, given: str) -> bool | None:
    """Whether an answer is the reference; names are looked for in English alone: other languages may have their own."""
    right = match_answer(given, sample.answer)
    if right is not None or find_prompt_language(sample.prompt) != ENGLISH:
        return right
    return names_reference(sample.completion, sample.answer)


class SampleBatch(msgspec.Struct, frozen=True):
    """Samples to be measured, packed, and the row of the first."""

    number: int
    row: int
    packed: bytes


class BatchMeasures(msgspec.Struct, frozen=True, omit_defaults=True):
    """Those of a batch, none where they cannot be sent; the first message says that there is a process."""

    rows: list[SampleMeasure] = []
    ready: bool = False


def main() -> None:
    """Measures until nothing more is asked for."""
    parent = ParentChannel()
    parent.say(BatchMeasures(ready=True))
    unpack = msgspec.msgpack.Decoder(list[Sample]).decode
    for batch in parent.hear_all(SampleBatch):
        try:
            samples = unpack(batch.packed)
            parent.say(BatchMeasures([measure(sample, row) for row, sample in enumerate(samples, batch.row)]))
        except (msgspec.DecodeError, UnicodeEncodeError):
            parent.say(BatchMeasures())


if __name__ == "__main__":
    main()
