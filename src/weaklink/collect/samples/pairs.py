"""Preference pairs: what is told of their two sides."""

from __future__ import annotations

from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.columns import hash_text
from weaklink.collect.samples.phrases import find_final_answer, normalise_answer
from weaklink.collect.samples.structure import breaks_off
from weaklink.collect.samples.text import measure_repetition

REPETITIVE = 0.2


def hash_pair(sample: Sample) -> int:
    """The prompt and both sides, in either order."""
    return hash_text("\0".join((sample.prompt, *sorted((sample.chosen, sample.rejected)))))


def compare_sides(sample: Sample) -> dict[str, float]:
    """The columns of a pair."""
    chosen, rejected = _measure_qualities(sample)
    return {
        "chosen_quality": chosen,
        "rejected_quality": rejected,
        "pair_scored": float(_has_scores(sample)),
        "pair_side": float(sample.chosen <= sample.rejected),
        "same_pair": float(sample.chosen.split() == sample.rejected.split()),
        "chosen_words": float(len(sample.chosen.split())),
        "rejected_words": float(len(sample.rejected.split())),
        "chosen_broken": float(breaks_off(sample.chosen)),
        "rejected_broken": float(breaks_off(sample.rejected)),
    }


def measure_quality(text: str, answer: str = "") -> float:
    """A plain statistic of quality, in steps so coarse that length and style make no difference.

    Where the right answer is known, whether the text gives it; otherwise 1, half of it for a text that repeats itself,
    and 0 for an empty one.
    """
    if answer and (given := find_final_answer(text)):
        return float(given == normalise_answer(answer))
    if not text.strip():
        return 0.0
    return 0.5 if measure_repetition(text) > REPETITIVE else 1.0


def _has_scores(sample: Sample) -> bool:
    return sample.chosen_score is not None and sample.rejected_score is not None


def _measure_qualities(sample: Sample) -> tuple[float, float]:
    if sample.chosen_score is not None and sample.rejected_score is not None:
        return sample.chosen_score, sample.rejected_score
    return measure_quality(sample.chosen, sample.answer), measure_quality(sample.rejected, sample.answer)
