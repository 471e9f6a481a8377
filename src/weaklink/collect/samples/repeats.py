"""Calls that an agent makes again although it has the answer."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.base.evidence.samples import ToolCall


def count_repeated(calls: Iterable[ToolCall]) -> int:
    """How many calls repeat an earlier one to the letter and learn nothing from it.

    Trying again after a failure is none of them, and neither is asking until the answer changes: of calls whose results
    differ, only those after the last change count.
    """
    runs: dict[tuple[str, str], tuple[str, int]] = {}
    for call in calls:
        if call.ok is False:
            continue
        key = call.tool, call.arguments
        result, count = runs.get(key, (call.result, 0))
        runs[key] = (call.result, count + 1) if result == call.result else (call.result, 1)
    return sum(count - 1 for _, count in runs.values())


def find_longest_loop(calls: Iterable[ToolCall]) -> int:
    """How often in a row one call was made with one result, failed or not, where the next result is not another one.

    Who asks until the answer changes is no loop, and neither are other calls in between.
    """
    longest = count = 0
    key: tuple[str, str] | None = None
    result = ""
    for call in calls:
        if (call.tool, call.arguments) != key:
            longest = max(longest, count)
            key, count = (call.tool, call.arguments), 0
        elif call.result != result:
            count = 0
        result = call.result
        count += 1
    return max(longest, count)
