"""One row of a file to one sample, whatever the file calls its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weaklink.base.evidence.samples import Sample
from weaklink.collect.readers.samples.chat import (
    NotChat,
    Told,
    canonical,
    is_chat,
    kind_of,
    text_of,
    told_by_messages,
    told_by_steps,
    tools_of,
)
from weaklink.collect.readers.samples.names import BODIES, FIELDS, NUMBERS, TEXTS, component_of

MOST_NAMES = 500
COUNTED_TURNS = frozenset(("turns", "num_turns", "n_turns"))
STATES = frozenset(("initial_state", "final_state", "expected_state"))


class FaultyRow(ValueError):
    """A row that is no sample; the message says what it must hold and what it holds."""


class Translator:
    """Turns rows into samples; how each column is to be taken is worked out once a layout.

    Args:
        components: columns that hold reward components although their names do not say so.
    """

    def __init__(self, components: Iterable[str] = ()) -> None:
        self.unknown: dict[str, None] = {}
        self.summed = False
        self._takers: dict[str, Callable[[Draft, Any], None] | None] = {}
        for name in components:
            self._takers[name] = _component(component_of(name) or name)

    def sample(self, row: Any) -> Sample:
        """The sample that a row holds.

        Raises:
            FaultyRow: it holds none.
        """
        if type(row) is not dict:
            raise FaultyRow(f"a row must be an object with fields, not {kind_of(row)}")
        draft = Draft()
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
        return self._finished(draft, row)

    def _taker(self, name: str, value: object) -> Callable[[Draft, Any], None] | None:
        field = FIELDS.get(name)
        if field is None and (part := component_of(name)) and isinstance(value, bool | int | float):
            return _component(part)
        if name in COUNTED_TURNS and isinstance(value, int | float):
            return _turns
        if field is None or (field == "steps" and isinstance(value, int | float)):
            if len(self.unknown) < MOST_NAMES:
                self.unknown[name] = None
            return None
        own = name == field
        if field in NUMBERS:
            return _number_taker(name, field, own)
        if field in TEXTS:
            return _text_taker(field, own)
        return _OTHERS[field] if own else _unless_there(field)

    def _finished(self, draft: Draft, row: Mapping[str, Any]) -> Sample:
        values = draft.values
        if "completion" not in values and not draft.body and "chosen" not in values:
            known = ", ".join(BODIES)
            raise FaultyRow(f"a row must have one of {known}; it has {', '.join(map(str, list(row)[:8])) or 'nothing'}")
        if draft.rewards:
            values["rewards"] = draft.rewards
            if "reward" not in values:
                finite = [value for value in draft.rewards.values() if value == value]
                if finite:
                    values["reward"] = math.fsum(finite)
                    self.summed = True
        return Sample(**values)


class Draft:
    """A sample in the making."""

    __slots__ = ("body", "rewards", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.rewards: dict[str, float] = {}
        self.body = False

    def take(self, told: Told) -> None:
        """Takes over what a trajectory tells; texts that the row gives itself stay."""
        self.body = True
        self.values["calls"] = tuple(told.calls)
        self.values["turns"] = told.turns
        if told.completion and not self.values.get("completion"):
            self.values["completion"] = told.completion
        if told.prompt and not self.values.get("prompt"):
            self.values["prompt"] = told.prompt


def number_of(name: str, value: Any) -> float | None:
    """A number, or None where it is not finite.

    Raises:
        FaultyRow: it is no number.
    """
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is int or kind is bool:
        try:
            return float(value)
        except OverflowError:
            return None
    if kind is str:
        try:
            number = float(value)
        except ValueError:
            raise FaultyRow(f"{name} must be a number, not {kind_of(value)}") from None
        return number if math.isfinite(number) else None
    if kind is list and len(value) == 1:
        return number_of(name, value[0])
    raise FaultyRow(f"{name} must be a number, not {kind_of(value)}")


def _number_taker(name: str, field: str, own: bool) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: object) -> None:
        if own or field not in draft.values:
            draft.values[field] = value if type(value) is float and value - value == 0.0 else number_of(name, value)

    def take_where_it_is_one(draft: Draft, value: object) -> None:
        # a foreign name may mean something else: what is no number there is passed over
        if field not in draft.values and isinstance(value, bool | int | float):
            draft.values[field] = number_of(name, value)

    return take if own else take_where_it_is_one


def _text_taker(field: str, own: bool) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: object) -> None:
        if own or field not in draft.values:
            draft.values[field] = value if type(value) is str else canonical(value)

    return take


def _unless_there(field: str) -> Callable[[Draft, Any], None]:
    """Takes a field from a foreign name where the row has not given it under another."""
    take_own = _OTHERS[field]

    def take(draft: Draft, value: object) -> None:
        if field not in draft.values and not (draft.body and field in ("completion", "messages", "steps")):
            take_own(draft, value)

    return take


def _component(part: str) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: object) -> None:
        number = number_of(part, value)
        if number is not None:
            draft.rewards[part] = number

    return take


def _completion(draft: Draft, value: object) -> None:
    if type(value) is str:
        draft.values["completion"] = value
    elif is_chat(value):
        told = _told(told_by_messages, "completion", value, answers=True)
        draft.values.pop("completion", None)
        draft.take(told)
        draft.values.setdefault("completion", "")
    elif isinstance(value, list) and len(value) == 1:
        _completion(draft, value[0])
    elif isinstance(value, list) and not value:
        draft.values["completion"] = ""
    else:
        raise FaultyRow(f"completion must be text or a list of messages, not {kind_of(value)}")


def _prompt(draft: Draft, value: object) -> None:
    draft.values["prompt"] = value if type(value) is str else _spoken(value)


def _preferred(field: str) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: object) -> None:
        if not is_chat(value):
            draft.values[field] = text_of(value)
            return
        told = _told(told_by_messages, field, value)
        draft.values[field] = told.completion
        if told.prompt and not draft.values.get("prompt"):
            draft.values["prompt"] = told.prompt

    return take


def _reward(draft: Draft, value: object) -> None:
    if isinstance(value, dict):
        _rewards(draft, value)
        total = value.get("total", value.get("reward", value.get("score")))
        if isinstance(total, int | float):
            draft.values["reward"] = number_of("reward", total)
    elif (number := number_of("reward", value)) is not None:
        draft.values["reward"] = number


def _rewards(draft: Draft, value: object) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            if part is not None and name not in ("total", "reward", "score"):
                number = number_of(f"rewards.{name}", part)
                if number is not None:
                    draft.rewards[str(name)] = number
    elif isinstance(value, list):
        numbers = [number_of("rewards", part) for part in value if part is not None]
        if numbers and "reward" not in draft.values:
            draft.values["reward"] = math.fsum(number for number in numbers if number is not None)
    else:
        raise FaultyRow(f"rewards must be an object of component and value, not {kind_of(value)}")


def _messages(draft: Draft, value: object) -> None:
    draft.take(_told(told_by_messages, "messages", value))


def _steps(draft: Draft, value: object) -> None:
    draft.take(_told(told_by_steps if not is_chat(value) else told_by_messages, "steps", value))


def _turns(draft: Draft, value: object) -> None:
    number = number_of("turns", value)
    if number is not None and "turns" not in draft.values:
        draft.values["turns"] = int(number)


def _tools(draft: Draft, value: object) -> None:
    draft.values["allowed_tools"] = _told(tools_of, "allowed_tools", value)


def _state(field: str) -> Callable[[Draft, Any], None]:
    def take(draft: Draft, value: object) -> None:
        draft.values[field] = canonical(value)

    return take


def _truncated(draft: Draft, value: object) -> None:
    if isinstance(value, bool | int | float):
        draft.values.setdefault("finish_reason", "length" if value else "stop")


def _told(read: Callable[..., Any], field: str, value: object, **options: bool) -> Any:
    try:
        return read(value, **options)
    except NotChat as error:
        raise FaultyRow(f"{field} {error}") from None


def _spoken(value: Any) -> str:
    if is_chat(value):
        return "\n".join(text_of(message.get("content", message.get("value"))) for message in value if message)
    return text_of(value)


_OTHERS: dict[str, Callable[[Draft, Any], None]] = {
    "completion": _completion,
    "prompt": _prompt,
    "reward": _reward,
    "rewards": _rewards,
    "messages": _messages,
    "steps": _steps,
    "allowed_tools": _tools,
    "truncated": _truncated,
    "chosen": _preferred("chosen"),
    "rejected": _preferred("rejected"),
    **{state: _state(state) for state in STATES},
}
