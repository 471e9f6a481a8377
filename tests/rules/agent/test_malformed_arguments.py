from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import ToolCall
from weaklink.collect.readers.samples.declared import count_malformed, count_unreadable

BOOK = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {"type": "object", "properties": {"date": {}, "title": {}}, "required": ["date"]},
    },
}


def sick():
    t = Training()
    return [
        t.samples(malformed_calls=t.chance(0.6)),
        t.samples(malformed_calls=t.chance(t.ramp(0.02, 0.5))),
    ]


def healthy():
    t = Training()
    return [
        t.samples(malformed_calls=t.chance(0.03)),
        # what is being learned
        t.samples(malformed_calls=t.chance(t.ramp(0.9, 0.3))),
    ]


def count(arguments: str) -> int | None:
    return count_malformed([BOOK], [ToolCall(tool="book", arguments=arguments)])


def test_arguments_are_held_against_the_schema():
    assert count('{"date": "today"}') == 0
    assert count('{"date": "today", "title": "a"}') == 0
    assert count('{"title": "a"}') == 1
    assert count('{"date": "today", "room": 3}') == 1
    assert count('{"date": "tod') == 1
    assert count("[1]") == 1
    assert count("") == 1
    # a tool that the schemas do not name, and tools that are names alone
    assert count_malformed([BOOK], [ToolCall(tool="other", arguments="{}")]) == 0
    assert count_malformed(["book"], [ToolCall(tool="book")]) is None


def unreadable(arguments: str, result: str = "") -> int | None:
    return count_unreadable([ToolCall(tool="book", arguments=arguments, result=result)])


def test_arguments_without_a_schema():
    assert unreadable('{"date": "today"}') == 0
    assert unreadable('{"date": "today"') == 1
    assert unreadable("{'date': 'today'}") == 1
    assert unreadable("date: today", "Error: could not parse tool arguments: Expecting value") == 1
    # plain text, and a failure of another kind
    assert unreadable("print(1)") is None
    assert unreadable('{"date": "today"}', "Error: no room is free") == 0
    assert unreadable('{"page": 3}', "Error: could not parse the page") == 0
