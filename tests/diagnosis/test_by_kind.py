"""What goes wrong in one kind of prompt is found there, and an honest mix of kinds is left in peace."""

from __future__ import annotations

import json
from random import Random

from weaklink import audit
from weaklink.base.finding import Level

WORDS = ("the", "river", "house", "often", "people", "market", "small", "light", "paper", "bridge", "window", "story")
REFUSALS = ("I'm sorry, but I can't help with that.", "I cannot assist with this request.")


def write(rng, sentences):
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(6, 14))).capitalize() + "." for _ in range(sentences))


def make_rows(kinds, make, seed=0, steps=24, members=4):
    """A row for each member of a draw of each kind at each step."""
    rng, rows = Random(seed), []
    for step in range(steps):
        for place, kind in enumerate(kinds):
            prompt = f"{kind} {step} {place}: {write(rng, 1)}"
            asked = {"step": step, "prompt": prompt, "category": kind}
            rows += [{**asked, **make(rng, kind, step / (steps - 1))} for _ in range(members)]
    return rows


def find_alarms(rows, folder):
    file = folder / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {one.code: one for one in audit(str(file)).diagnosis.findings if one.severity >= Level.WARN}


KINDS = ("medical", "travel", "travel", "cooking", "cooking", "history", "history", "history")


def test_one_kind_that_is_refused(tmp_path):
    def make(rng, kind, late):
        refused = kind == "medical" and rng.random() < 0.02 + 0.9 * late
        return {"completion": rng.choice(REFUSALS) if refused else write(rng, 4), "reward": rng.gauss(0.5, 0.1)}

    alarms = find_alarms(make_rows(KINDS, make, steps=60), tmp_path)
    assert list(alarms) == ["LLM305"]
    assert "of the kind 'medical'" in alarms["LLM305"].message


def test_one_kind_that_is_truncated(tmp_path):
    def make(rng, kind, late):
        cut = rng.random() < (0.95 if kind == "medical" else 0.03)
        right = not cut and rng.random() < 0.3 + 0.5 * late
        return {"completion": write(rng, 3), "reward": float(right), "finish_reason": "length" if cut else "stop"}

    alarms = find_alarms(make_rows(KINDS, make, members=5), tmp_path)
    assert list(alarms) == ["LLM309"]


def test_a_mix_that_moves_to_longer_kinds_is_no_inflation(tmp_path):
    def make(rng, kind, late):
        return {"completion": write(rng, 10 if kind == "long" else 2), "reward": float(rng.random() < 0.5)}

    rng = Random(4)
    rows = [row for row in make_rows(("long", "short") * 5, make, steps=30) if _drawn(rng, row)]
    assert find_alarms(rows, tmp_path) == {}


def _drawn(rng, row):
    late = row["step"] / 29
    return rng.random() < (0.1 + 0.8 * late if row["category"] == "long" else 0.9 - 0.8 * late)


def test_a_kind_that_is_too_hard_and_many_kinds_raise_nothing(tmp_path):
    def make(rng, kind, late):
        chance = {"k0": 0.0, "k1": 1.0}.get(kind, 0.3 + 0.4 * late)
        return {"completion": write(rng, rng.randint(2, 5)), "reward": float(rng.random() < chance)}

    kinds = [f"k{place % 5}" for place in range(10)]
    assert find_alarms(make_rows(kinds, make, members=6), tmp_path) == {}
