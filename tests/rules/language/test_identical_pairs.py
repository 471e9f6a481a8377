from __future__ import annotations

import json

import numpy as np

from weaklink import audit
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM328")


def pairs(same: float, count: int = 200) -> Samples:
    return Samples.of(same_pair=(np.random.default_rng(3).random(count) < same) * 1.0)


def sick():
    return [pairs(0.5), pairs(0.15), pairs(1.0, 30)]


def healthy():
    return [pairs(0.0), pairs(0.03), pairs(0.0, 25)]


def test_few_pairs_do_not_tell():
    assert isinstance(RULE.ask(pairs(1.0, 5)), CannotTell)


def test_a_file_of_pairs(tmp_path):
    rows = [
        {
            "prompt": f"Say something of lake {number}.",
            "chosen": f"Lake {number} is deep.",
            "rejected": f"Lake  {number} is deep." if number % 2 else f"Lake {number} is wet.",
        }
        for number in range(80)
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    assert audit(str(file)).diagnosis.first_break.code == "LLM328"
    file.write_text("\n".join(json.dumps(row | {"rejected": "It is a lake."}) for row in rows))
    assert audit(str(file)).diagnosis.first_break is None
