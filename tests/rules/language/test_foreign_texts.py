from __future__ import annotations

import random

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples import gathering
from weaklink.collect.samples.gathering import gather


def sick():
    t = Training()
    return [
        t.samples(foreign_prompt=(t.progress > 0.5) * 1.0),
        t.samples(foreign_prompt=t.chance(0.5)),
        t.samples(foreign_prompt=np.zeros(t.rows), foreign_reference=t.chance(t.ramp(0.0, 0.9))),
    ]


def healthy():
    t = Training()
    return [
        t.samples(foreign_prompt=np.zeros(t.rows)),
        # a few prompts are about the same, and what was mixed up at the start was mended
        t.samples(foreign_prompt=t.chance(0.08)),
        t.samples(foreign_prompt=(t.progress < 0.3) * 1.0),
    ]


SYLLABLES = ("bra", "tol", "ven", "ki", "mor", "sa", "lu", "per", "do", "fi")


def name_things(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices(SYLLABLES, k=4)) for _ in range(count)]


def shifted(since: int, *, draws: int = 60, off: int = 1, foreign_words: bool = False) -> list[Sample]:
    """Notes about things, and completions that from one draw on are about those of the next one."""
    rng = random.Random(3)
    notes = [name_things(rng, 12) for _ in range(draws)]
    rows = []
    for draw in range(draws):
        about = notes[(draw + off) % draws] if draw >= since else notes[draw]
        for _ in range(2):
            said = [word[::-1] for word in about] if foreign_words else rng.sample(about, 10)
            rows.append(
                Sample(
                    prompt=f"Say in short: {' '.join(notes[draw])}.",
                    completion=f"In short, {' '.join(said)}.",
                    step=float(draw // 4),
                )
            )
    return rows


@pytest.mark.parametrize(("since", "share"), [(60, 0.0), (30, 0.5), (20, 2 / 3)])
def test_texts_of_another_draw_are_told_by_their_words(since, share):
    column = gather(shifted(since), "x")["foreign_prompt"]
    assert column.mean() == pytest.approx(share, abs=0.05)
    assert not column[: 2 * since].any()


def test_where_no_text_is_at_home_nothing_is_told():
    assert "foreign_prompt" not in gather(shifted(60, foreign_words=True), "x")
    assert "foreign_prompt" not in gather(shifted(0), "x")
    assert "foreign_prompt" not in gather(shifted(10, draws=12), "x")


def test_where_rows_are_left_out_nothing_is_told(monkeypatch):
    monkeypatch.setattr("weaklink.collect.samples.columns.BLOCK", 10)
    found = gather(shifted(30), "x", most=60)
    assert len(found) < 120
    assert "foreign_prompt" not in found
    assert gathering.gather(shifted(30), "x")["foreign_prompt"].any()
