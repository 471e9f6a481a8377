from __future__ import annotations

from weaklink.base.evidence.samples import Call
from weaklink.collect.samples.repeats import repeated


def calls(*results: str, ok: bool | None = None) -> list[Call]:
    return [Call(tool="status", arguments="7", result=result, ok=ok) for result in results]


def test_the_same_call_with_the_same_result():
    assert repeated(calls("a", "a", "a")) == 2
    assert repeated(calls("", "")) == 1
    assert repeated(calls("a")) == repeated([]) == 0


def test_other_arguments_are_another_call():
    assert repeated([Call(tool="read", arguments="1"), Call(tool="read", arguments="2"), Call(tool="list")]) == 0


def test_asking_until_the_answer_changes_is_none():
    assert repeated(calls("pending", "pending", "done")) == 0
    assert repeated(calls("version 1", "version 2")) == 0
    assert repeated(calls("pending", "done", "done", "done")) == 2


def test_trying_again_after_a_failure_is_none():
    assert repeated([*calls("timed out", "timed out", ok=False), *calls("a", ok=True)]) == 0
