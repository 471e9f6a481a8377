from __future__ import annotations

from weaklink.base.evidence.samples import ToolCall
from weaklink.collect.samples.repeats import count_repeated


def calls(*results: str, ok: bool | None = None) -> list[ToolCall]:
    return [ToolCall(tool="status", arguments="7", result=result, ok=ok) for result in results]


def test_the_same_call_with_the_same_result():
    assert count_repeated(calls("a", "a", "a")) == 2
    assert count_repeated(calls("", "")) == 1
    assert count_repeated(calls("a")) == count_repeated([]) == 0


def test_other_arguments_are_another_call():
    assert (
        count_repeated(
            [ToolCall(tool="read", arguments="1"), ToolCall(tool="read", arguments="2"), ToolCall(tool="list")]
        )
        == 0
    )


def test_asking_until_the_answer_changes_is_none():
    assert count_repeated(calls("pending", "pending", "done")) == 0
    assert count_repeated(calls("version 1", "version 2")) == 0
    assert count_repeated(calls("pending", "done", "done", "done")) == 2


def test_trying_again_after_a_failure_is_none():
    assert count_repeated([*calls("timed out", "timed out", ok=False), *calls("a", ok=True)]) == 0
