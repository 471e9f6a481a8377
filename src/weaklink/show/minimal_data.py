"""The emergency procedure as data."""

from __future__ import annotations

import msgspec

from weaklink.show import minimal_wording as words
from weaklink.show.data import encoded, envelope
from weaklink.verbs.debug.minimal.evidence import Minimal


def line(result: Minimal) -> str:
    """The whole of it as one line of JSON; `works` is null where there is no answer."""
    body = msgspec.to_builtins(result)
    named = {"target": result.target.word or result.target.name, "verdict": words.VERDICTS[result.works]}
    return encoded({**envelope("debug --minimal"), **body, **named})
