from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, Samples
from weaklink.collect.samples.gathering import gather


def pairs(
    t: Training, cut: float, *, other: float = 0.0, spread: float = 0.02, side: str = "rejected", whole: float = 45.0
) -> Samples:
    """Pairs in which so many texts of a side, and of the other, break off at about 90 words."""
    left = "chosen" if side == "rejected" else "rejected"
    broken = t.chance(max(cut, 1e-9))
    words = np.where(broken == 1, t.lengths(90, spread), t.lengths(whole))
    return t.samples(
        **{
            f"{side}_broken": broken,
            f"{side}_words": words,
            f"{left}_broken": t.chance(max(other, 1e-9)),
            f"{left}_words": t.lengths(60),
        }
    )


def sick():
    t = Training()
    return [pairs(t, 0.9), pairs(t, 0.5), pairs(t, 0.6, side="chosen", other=0.02)]


def healthy():
    t = Training()
    return [
        pairs(t, 0.0),
        # a few reach the limit; both sides do; one side is written without full stops, at any length
        pairs(t, 0.1),
        pairs(t, 0.6, other=0.6),
        pairs(t, 0.6, spread=0.5),
        # texts without a full stop are of one length, and whole ones are longer: no limit made them
        pairs(t, 0.6, whole=200.0),
    ]


def test_texts_of_several_sentences_that_stop_in_the_middle_of_one():
    whole = "Use a dry rag. Put one drop on each link. Turn the pedals. Wipe off the rest."
    rows = [
        Sample(prompt="p", chosen=whole, rejected=f"{whole} Then measure the"),
        Sample(prompt="p", chosen="no stop", rejected=whole),
    ]
    found = gather(rows, "x")
    assert found["rejected_broken"].tolist() == [1.0, 0.0]
    assert found["chosen_broken"].tolist() == [0.0, 0.0]
    assert found["rejected_words"].tolist() == [20.0, 17.0]
