"""The numbers of a trajectory: its calls counted, its end compared with what was expected."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.columns import hash_text
from weaklink.collect.samples.completing import ANSWERED_CALLS, INLINED
from weaklink.collect.samples.phrases import claims_success
from weaklink.collect.samples.repeats import count_repeated, find_longest_loop

FEWEST_WORDS = 12
"""Words of a result that answers something: shorter ones, such as `ok` or `not found`, are the same for many calls."""

_LOOKS_UP = re.compile(
    r"search|quer|look_?up|find|retriev|(?:^|_)(?:get|fetch|browse|read|open|list|show|ask|wiki\w*|web)(?:_|$)",
    re.IGNORECASE,
)
"""Tools that are asked for something; what others do may well be confirmed in one and the same sentence."""


def is_trajectory(sample: Sample) -> bool:
    """Whether a sample is one, or says what only trajectories have."""
    told = (sample.turns, sample.call_count, sample.final_state, sample.success)
    return bool(sample.calls) or any(value is not None for value in told)


def mark_trajectory(sample: Sample, numbers: dict[str, float], codes: dict[str, int]) -> None:
    """Notes the numbers and codes of a trajectory."""
    numbers["claims_success"] = float(claims_success(sample.completion))
    if sample.turns is not None or sample.calls:
        if sample.turns is not None:
            numbers["turns"] = sample.turns
        numbers.update(count_calls(sample))
        if sample.invented is not None:
            numbers["invented_results"] = sample.invented
        if sample.asked_again is not None:
            numbers["asks_again"] = float(sample.asked_again > 1)
            numbers[INLINED], numbers[ANSWERED_CALLS] = sample.inlined, sample.tool_messages
    if sample.call_count is not None and not sample.calls:
        numbers["tool_calls"] = sample.call_count
    if sample.calls:
        codes.update(hash_lookup(sample))
    codes.update(hash_world(sample))
    if sample.prompt:
        numbers["prompt_length"] = float(len(sample.prompt.split()))
    if sample.final_state is not None and sample.initial_state is not None:
        numbers["state_changed"] = float(sample.final_state != sample.initial_state)
    if sample.final_state is not None and sample.expected_state is not None:
        numbers["state_reached"] = float(state_reached(sample.final_state, sample.expected_state))


def hash_lookup(sample: Sample) -> dict[str, int]:
    """The last call that looks something up and was answered, and its answer; nothing without one."""
    for call in reversed(sample.calls):
        answered = call.ok is not False and len(call.result.split()) >= FEWEST_WORDS
        if answered and call.arguments and _LOOKS_UP.search(call.tool):
            asked = f"{call.tool}\0{call.arguments}"
            return {"lookup": hash_text(asked), "lookup_result": hash_text(" ".join(call.result.split()))}
    return {}


def count_paid_again(sample: Sample) -> float | None:
    """How often one and the same call was paid in a trajectory; None where steps have no rewards of their own."""
    if not sample.calls or len(sample.step_rewards) != len(sample.calls):
        return None
    paid = Counter(
        (call.tool, call.arguments)
        for call, reward in zip(sample.calls, sample.step_rewards, strict=True)
        if reward > 0
    )
    return float(max(paid.values(), default=0))


def hash_world(sample: Sample) -> dict[str, int]:
    """What a trajectory begins and ends with: its states without the names around them, its first call and result."""
    codes = {}
    if sample.initial_state is not None:
        codes["start"] = hash_text(_strip_state(sample.initial_state))
    if sample.final_state is not None:
        codes["end"] = hash_text(_strip_state(sample.final_state))
    if sample.calls and sample.calls[0].result:
        first = sample.calls[0]
        codes["first_call"] = hash_text(f"{first.tool}\0{first.arguments}")
        codes["first_result"] = hash_text(first.result)
    return codes


def _strip_state(state: str) -> str:
    """A state without names of its one part: a cart before and an order after may hold the same."""
    try:
        held = msgspec.json.decode(state)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return state
    while isinstance(held, dict) and len(held) == 1 and isinstance(inner := next(iter(held.values())), dict | list):
        held = inner
    return repr(held) if held else ""


def count_calls(sample: Sample) -> dict[str, float]:
    """Calls of tools by kind; kinds of which nothing is known are left out."""
    calls = sample.calls
    counts = {
        "tool_calls": float(len(calls)),
        "repeated_calls": float(count_repeated(calls)),
    }
    if any(call.result for call in calls):
        counts["longest_loop"] = float(find_longest_loop(calls))
    elif not calls and sample.longest_echo:
        counts["longest_loop"] = float(sample.longest_echo)
    if sample.allowed_tools is not None:
        allowed = frozenset(sample.allowed_tools)
        counts["illegal_calls"] = float(sum(call.tool not in allowed for call in calls))
        counts["offered_tools"] = float(len(allowed))
    if (again := count_paid_again(sample)) is not None:
        counts["paid_again"] = again
    if sample.malformed is not None:
        counts["malformed_calls"] = float(sample.malformed)
    if any(call.ok is not None or call.result for call in calls):  # a result that tells of no failure is none
        counts["failed_calls"], counts["recovered_calls"] = _count_failures(sample)
        counts["ended_failed"] = float(calls[-1].ok is False)
    return counts


def _count_failures(sample: Sample) -> tuple[float, float]:
    """Failed calls, and those of them that a later call of the same tool made good."""
    failed = recovered = 0
    mended: set[str] = set()
    for call in reversed(sample.calls):
        if call.ok is False:
            failed += 1
            recovered += call.tool in mended
        else:
            mended.add(call.tool)
    return float(failed), float(recovered)


def state_reached(final: str, expected: str) -> bool:
    """Whether a state is the expected one, or holds all that is expected of it where both are objects."""
    if final == expected:
        return True
    if expected[:1] != "{" or final[:1] != "{":
        return False
    try:
        return _holds(msgspec.json.decode(final), msgspec.json.decode(expected))
    except (msgspec.DecodeError, RecursionError):
        return False


def _holds(state: object, expected: object) -> bool:
    if isinstance(expected, dict) and isinstance(state, dict):
        return all(name in state and _holds(state[name], value) for name, value in expected.items())
    return bool(state == expected)
