"""One row of a file to one sample, whatever the file calls its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weaklink.base.evidence.samples import Sample
from weaklink.collect.readers.samples.bodies import (
    find_reference,
    find_written,
    take_arguments,
    take_safe,
    take_truncated,
)
from weaklink.collect.readers.samples.chat import (
    NotChat,
    describe_kind,
    extract_text,
    format_canonical,
    is_chat,
    read_messages,
    read_tools,
    read_written_calls,
)
from weaklink.collect.readers.samples.declared import take_declared
from weaklink.collect.readers.samples.drafts import SampleDraft
from weaklink.collect.readers.samples.encodings import find_garbled
from weaklink.collect.readers.samples.names import BODIES, NESTED, NUMBERS, TEXTS, find_component, find_field, is_grade
from weaklink.collect.readers.samples.numbers import FaultyRow, divide_counts, parse_number, take_outcome
from weaklink.collect.readers.samples.steps import is_steps, read_steps
from weaklink.collect.readers.samples.trained import finish_trained, make_trained_taker
from weaklink.collect.readers.samples.unknown import make_unknown_taker

MOST_NAMES = 500
CLOCKS = frozenset(("epoch", "batch", "round", "batch_id"))
"""What orders rows that have no step."""
COUNTED_TURNS = frozenset(("turns", "num_turns", "n_turns"))
STATES = frozenset(("initial_state", "final_state", "expected_state"))
_HOLDS: dict[str, type | tuple[type, ...]] = {"completion": (str, list), "messages": list, "steps": list}
"""What a body under a foreign name must be: something else, such as the number of a trace, means another thing."""


class RowTranslator:
    """Turns rows into samples; how each column is to be taken is worked out once a layout.

    Args:
        components: columns that hold reward components although their names do not say so.
    """

    def __init__(self, components: Iterable[str] = ()) -> None:
        self.unknown: dict[str, None] = {}
        self.summed = False
        self.taken = ""
        self.named: dict[str, str] = {}
        self._takers: dict[str, Callable[[SampleDraft, Any], None] | None] = {}
        for name in components:
            self._takers[name] = _make_component_taker(find_component(name) or name)

    def sample(self, row: Any) -> Sample:
        """The sample that a row holds.

        Raises:
            FaultyRow: it holds none.
        """
        if type(row) is not dict:
            raise FaultyRow(f"a row must be an object with fields, not {describe_kind(row)}")
        draft = SampleDraft()
        takers = self._takers
        for name, value in row.items():
            if value is None:
                continue
            try:
                taker = takers[name]
            except KeyError:
                taker = self._taker(name, value)
                if len(takers) < MOST_NAMES:
                    takers[name] = taker
            if taker is not None:
                taker(draft, value)
        for inner in draft.nested:
            self._take_nested(draft, inner)
        return self._finished(draft, row)

    def _take_nested(self, draft: SampleDraft, inner: Mapping[str, Any]) -> None:
        """Takes the fields of an object inside of the row, as far as the row itself does not give them."""
        for name, value in inner.items():
            field = find_field(name) if isinstance(name, str) else None
            if field is None or field in draft.values or value is None:
                continue
            if field in NUMBERS and isinstance(value, bool | int | float):
                draft.values[field] = parse_number(name, value)
            elif field in TEXTS and isinstance(value, str | int | float):
                draft.values[field] = value if isinstance(value, str) else format_canonical(value)

    def _taker(self, name: str, value: object) -> Callable[[SampleDraft, Any], None] | None:
        field = find_field(name)
        if field is None and (part := find_component(name)) and isinstance(value, bool | int | float):
            return _make_component_taker(part)
        if name in COUNTED_TURNS and isinstance(value, int | float):
            return _take_turns
        if name in CLOCKS and isinstance(value, int | float):
            return _take_epoch
        if name == "arguments" and isinstance(value, dict | list):
            return take_arguments
        if name == "tool_calls" and isinstance(value, int | float):
            return _make_number_taker(name, "call_count", own=False)
        if name in NESTED and isinstance(value, dict):
            return _take_object
        own = name == field
        loose = not own or isinstance(value, int | float)  # a count of steps or turns is no body, whatever its name
        if field is None and is_grade(name) and isinstance(value, int | float):
            return _take_grade
        if field is None or (loose and not isinstance(value, _HOLDS.get(field, object))):
            trained = make_trained_taker(name, value)
            if trained is None and len(self.unknown) < MOST_NAMES:
                self.unknown[name] = None
            return make_unknown_taker(name, trained)
        if field in NUMBERS:
            if not own:
                self.named.setdefault(field, name)
            return _make_number_taker(name, field, own)
        if field in TEXTS:
            return _make_text_taker(field, own)
        return _OTHERS[field] if own else _make_fallback_taker(field)

    def _take_unnamed(self, draft: SampleDraft, row: Mapping[str, Any]) -> bool:
        """Takes messages, steps or a text that stand under a name that does not say so; whether there are any."""
        name = next(
            (name for name, value in row.items() if name in self.unknown and (is_chat(value) or is_steps(value))), ""
        )
        if name:
            del self.unknown[name]
            self._takers[name] = _take_steps
            _take_steps(draft, row[name])
        elif written := find_written(row, draft.values, self.unknown):
            name = self.taken = written
            draft.values["completion"] = row[name]
            if reference := find_reference(row):
                _make_text_taker("answer", own=True)(draft, row[reference])
        return bool(name)

    def _finished(self, draft: SampleDraft, row: Mapping[str, Any]) -> Sample:
        values = draft.values
        written = draft.body or "completion" in values or "chosen" in values
        if not written and not self._take_unnamed(draft, row):
            known = ", ".join(BODIES)
            raise FaultyRow(f"a row must have one of {known}; it has {', '.join(map(str, list(row)[:8])) or 'nothing'}")
        if not values.get("calls") and (calls := read_written_calls(values.get("completion", ""))):
            values["calls"] = calls
            values["turns"] = max(values.get("turns") or 0, len(calls))
        take_declared(draft, row)
        values["garbled"] = find_garbled(row)
        values["labels"], values["figures"] = draft.labels, draft.figures
        if draft.rewards:
            values["rewards"] = draft.rewards
            if "reward" not in values:
                finite = [value for value in draft.rewards.values() if value == value]
                if finite:
                    values["reward"] = math.fsum(finite)
                    self.summed = True
        if draft.grade is not None:
            values.setdefault("reward", draft.grade)
        if draft.epoch is not None and values.get("step") is None:
            values["step"] = draft.epoch
        divide_counts(values, row)
        if draft.trained:
            finish_trained(draft)
        return Sample(**values)


def _make_number_taker(name: str, field: str, own: bool) -> Callable[[SampleDraft, Any], None]:
    def take(draft: SampleDraft, value: object) -> None:
        if own or field not in draft.values:
            draft.values[field] = value if type(value) is float and value - value == 0.0 else parse_number(name, value)

    def take_where_it_is_one(draft: SampleDraft, value: object) -> None:
        # a foreign name may mean something else: what is no number there is passed over
        if field not in draft.values and isinstance(value, bool | int | float):
            draft.values[field] = parse_number(name, value)
        elif field in ("gold", "success") and isinstance(value, str):
            take_outcome(draft.values, field, value)

    return take if own else take_where_it_is_one


def _make_text_taker(field: str, own: bool) -> Callable[[SampleDraft, Any], None]:
    def take(draft: SampleDraft, value: object) -> None:
        if own or field not in draft.values:
            draft.values[field] = value if type(value) is str else format_canonical(value)

    return take


def _make_fallback_taker(field: str) -> Callable[[SampleDraft, Any], None]:
    """Takes a field from a foreign name where the row has not given it under another."""
    take_own = _OTHERS[field]

    def take(draft: SampleDraft, value: object) -> None:
        if field not in draft.values and not (draft.body and field in ("completion", "messages", "steps")):
            take_own(draft, value)

    return take


def _make_component_taker(part: str) -> Callable[[SampleDraft, Any], None]:
    def take(draft: SampleDraft, value: object) -> None:
        if (number := parse_number(part, value)) is not None:
            draft.rewards[part] = number

    return take


def _take_completion(draft: SampleDraft, value: object) -> None:
    if type(value) is str:
        draft.values["completion"] = value
    elif is_chat(value):
        told = _read_field(read_messages, "completion", value, answers=True)
        draft.values.pop("completion", None)
        draft.take(told)
        draft.values.setdefault("completion", "")
    elif isinstance(value, list) and len(value) == 1:
        _take_completion(draft, value[0])
    elif isinstance(value, list) and not value:
        draft.values["completion"] = ""
    else:
        raise FaultyRow(f"completion must be text or a list of messages, not {describe_kind(value)}")


def _take_prompt(draft: SampleDraft, value: object) -> None:
    draft.values["prompt"] = value if type(value) is str else _join_texts(value)


def _make_preference_taker(field: str) -> Callable[[SampleDraft, Any], None]:
    def take(draft: SampleDraft, value: object) -> None:
        if not is_chat(value):
            draft.values[field] = extract_text(value)
            return
        told = _read_field(read_messages, field, value)
        draft.values[field] = told.completion
        if told.prompt and not draft.values.get("prompt"):
            draft.values["prompt"] = told.prompt

    return take


def _take_reward(draft: SampleDraft, value: object) -> None:
    if isinstance(value, dict):
        _take_rewards(draft, value)
        total = value.get("total", value.get("reward", value.get("score")))
        if isinstance(total, int | float):
            draft.values["reward"] = parse_number("reward", total)
    elif (number := parse_number("reward", value)) is not None:
        draft.values["reward"] = number
    else:
        draft.values["reward_not_finite"] = True


def _take_rewards(draft: SampleDraft, value: object) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            if part is not None and name not in ("total", "reward", "score"):
                number = parse_number(f"rewards.{name}", part)
                if number is not None:
                    draft.rewards[str(name)] = number
    elif isinstance(value, list):
        numbers = [parse_number("rewards", part) for part in value if part is not None]
        if numbers and "reward" not in draft.values:
            draft.values["reward"] = math.fsum(number for number in numbers if number is not None)
    elif isinstance(value, bool | int | float):
        draft.values.setdefault("reward", parse_number("rewards", value))
    else:
        raise FaultyRow(f"rewards must be an object of component and value, not {describe_kind(value)}")


def _take_messages(draft: SampleDraft, value: object) -> None:
    draft.take(_read_field(read_messages, "messages", value))


def _take_steps(draft: SampleDraft, value: object) -> None:
    draft.take(_read_field(read_steps if not is_chat(value) else read_messages, "steps", value))


def _take_turns(draft: SampleDraft, value: object) -> None:
    if (number := parse_number("turns", value)) is not None and "turns" not in draft.values:
        draft.values["turns"] = int(number)


def _take_epoch(draft: SampleDraft, value: object) -> None:
    """Notes the epoch, which orders rows that have no step of their own."""
    draft.epoch = parse_number("epoch", value)


def _take_grade(draft: SampleDraft, value: object) -> None:
    """Notes what a judge gave, which is the reward where the row gives no other."""
    draft.grade = parse_number("grade", value) if draft.grade is None else draft.grade


def _take_tools(draft: SampleDraft, value: object) -> None:
    draft.values["allowed_tools"] = _read_field(read_tools, "allowed_tools", value)


def _make_state_taker(field: str) -> Callable[[SampleDraft, Any], None]:
    def take(draft: SampleDraft, value: object) -> None:
        draft.values[field] = format_canonical(value)

    return take


def _take_object(draft: SampleDraft, value: object) -> None:
    if isinstance(value, dict):
        draft.nested.append(value)


def _read_field(read: Callable[..., Any], field: str, value: object, **options: bool) -> Any:
    try:
        return read(value, **options)
    except NotChat as error:
        raise FaultyRow(f"{field} {error}") from None


def _join_texts(value: Any) -> str:
    if is_chat(value):
        return "\n".join(extract_text(message.get("content", message.get("value"))) for message in value if message)
    return extract_text(value)


_OTHERS: dict[str, Callable[[SampleDraft, Any], None]] = {
    "completion": _take_completion,
    "prompt": _take_prompt,
    "reward": _take_reward,
    "rewards": _take_rewards,
    "messages": _take_messages,
    "steps": _take_steps,
    "allowed_tools": _take_tools,
    "truncated": take_truncated,
    "safe": take_safe,
    "chosen": _make_preference_taker("chosen"),
    "rejected": _make_preference_taker("rejected"),
    **{state: _make_state_taker(state) for state in STATES},
}
