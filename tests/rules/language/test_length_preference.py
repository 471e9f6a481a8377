from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Sample, Samples
from weaklink.collect.samples.gathering import gather
from weaklink.judge.rules._registry import find_rule


def pairs(longer: float, count: int = 260) -> Samples:
    rng = np.random.default_rng(0)
    return Samples.of(longer_chosen=(rng.random(count) < longer).astype(float), pair_scored=np.zeros(count))


def sick():
    return [pairs(1.0), pairs(0.97)]


def healthy():
    # human preferences, a set in which better answers are longer, and too few pairs
    scored = pairs(1.0)
    # scores say why one was chosen
    scored.numbers["pair_scored"][:] = 1.0
    return [pairs(0.6), pairs(0.8), pairs(0.5), pairs(1.0, 30), scored]


def test_refusals_and_fragments_tell_nothing_of_length():
    answer = "Soak the beans over night and boil them for an hour with a bay leaf."
    refused = "I'm sorry, but I cannot help with that request, since it goes against my guidelines."
    rows = [Sample(prompt="How?", chosen=answer, rejected=other) for other in (refused, "", "Boil.", answer) * 40]
    found = gather(rows, "pairs")
    assert "longer_chosen" not in found
    kept = gather(
        [Sample(prompt="How?", chosen=answer, rejected="Boil them for an hour, and then wait until they are soft.")]
        * 80,
        "pairs",
    )
    assert find_rule("LLM370").ask(kept).code == "LLM370"
