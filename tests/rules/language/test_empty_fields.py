from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.fields import measure_empty_fields


def sick():
    t = Training()
    hollow = t.chance(t.ramp(0.1, 0.8))
    return [
        t.samples(empty_fields=0.8 * hollow, reward=np.ones(t.rows)),
        t.samples(empty_fields=0.8 * hollow, reward=t.chance(0.9)),
        t.samples(step=None, empty_fields=t.chance(0.3), reward=t.share(0.5)),
    ]


def healthy():
    t = Training()
    hollow = t.chance(0.3)
    return [
        t.samples(empty_fields=np.zeros(t.rows), reward=t.chance(0.5)),
        # what is left empty is not paid
        t.samples(empty_fields=hollow, reward=1.0 - hollow),
        t.samples(empty_fields=hollow, reward=0.1 + 0.8 * (1.0 - hollow) * t.chance(0.8)),
        # one field of several now and then, and few objects
        t.samples(empty_fields=t.share(0.1), reward=t.chance(0.5)),
        t.samples(empty_fields=t.chance(0.01), reward=np.ones(t.rows)),
    ]


def test_the_share_of_fields_that_are_left_empty():
    right = '{"name": "Ada", "city": "Leeds", "due": null, "tags": ["a"]}'
    for text, share in (
        ('{"name": "Ada", "city": "Leeds", "due": null, "tags": ["b"]}', 0.0),
        ('Sure:\n```json\n{"name": "", "city": "N/A", "due": "x", "tags": []}\n```', 1.0),
        ('{"name": null, "city": "Leeds", "due": null, "tags": [1]}', 1 / 3),
        # other fields, one field, and no object
        ('{"first": null, "last": null}', None),
        ('{"name": null}', None),
        ("name: Ada", None),
        ("[1]", None),
    ):
        assert measure_empty_fields(text, right) == share, text
    assert measure_empty_fields('{"a": null, "b": null}', '{"a": null, "b": ""}') is None
