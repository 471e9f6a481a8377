from __future__ import annotations

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [t.samples(garbled=t.chance(0.3)), t.samples(garbled=t.chance(t.ramp(0.0, 0.5)))]


def healthy():
    t = Training()
    # a question about character sets, now and then
    return [t.samples(garbled=t.chance(0.0)), t.samples(garbled=t.chance(0.02))]


def read(text: str) -> bool | None:
    return make_sample({"prompt": "a", "completion": "b", "original": text, "reward": 1.0}).garbled


def test_text_that_was_decoded_as_another_character_set():
    for text in ("Der B\u00e4r l\u00e4uft", "l'\u00e9t\u00e9", "\u201cwell\u201d", "\u00c5se", "20 \u00b0C"):
        assert read(text) is False, text
        for wrong in ("latin-1", "cp1252"):
            if wrong == "latin-1" or "\u201d" not in text:  # a byte that Windows-1252 lacks
                assert read(text.encode().decode(wrong)) is True, text
    for text in ("N\u00c3O", "ch\u00e2teau", "\u00c2ge", "pâ\u00a0: non", "\u4f60\u597d"):
        assert read(text) is False, text
