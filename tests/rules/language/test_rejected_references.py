from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.contradictions import gives_reference

QUERY = "SELECT name, salary FROM employees WHERE salary > 265 ORDER BY name"


def sick():
    t = Training()
    kind = t.group % 3
    given = np.where(kind == 0, t.chance(0.4), np.nan)
    return [
        t.samples(gives_reference=given, kind=kind, reward=np.where(kind == 0, 0.0, t.chance(0.6))),
        t.samples(gives_reference=t.chance(0.4), reward=t.chance(0.5)),
    ]


def healthy():
    t = Training()
    given = t.chance(0.4)
    return [
        t.samples(gives_reference=given, reward=np.maximum(given, t.chance(0.3))),
        # a checker that fails now and then
        t.samples(gives_reference=given, reward=given * t.chance(0.95)),
        # a kind that is too hard
        t.samples(gives_reference=np.where(t.group % 3 == 0, 0.0, given), reward=given * (t.group % 3 > 0)),
        # all are paid alike: another rule's
        t.samples(gives_reference=given, reward=np.zeros(t.rows)),
    ]


def test_a_reference_to_the_letter():
    assert gives_reference(f"```sql\n{QUERY.lower()};\n```", QUERY)
    assert gives_reference(QUERY.replace("265", "266"), QUERY) is False
    assert gives_reference("4", "4") is None
