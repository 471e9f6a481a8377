"""Chat messages: what was said, and which tools were called with what result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from weaklink.base.evidence.samples import ToolCall
from weaklink.collect.readers.samples.results import judge_result, read_verdict
from weaklink.collect.readers.samples.speakers import ASSISTANT, ROLES, TOOL_ROLES, name_speakers

CONTENTS = ("content", "value", "text", "message", "utterance")
MESSAGE_KEYS = frozenset((*ROLES, "content", "value"))

LOSSES = ("loss", "loss_weight", "loss_mask", "train", "trainable", "trained", "train_on")
"""Fields of a message that say whether it is trained on."""


class NotChat(ValueError):
    """What should be chat messages or steps has another form; the message says which."""


@dataclass
class ToldTrajectory:
    """What a trajectory holds: the texts before the first answer, the answers, the calls, and how many turns.

    `invented` counts answers with the result of a tool in the agent's own words, `inlined` those with a call and its
    result in one message, `tool_messages` the messages of tools. `longest_echo` is how often in a row the agent said
    the same and was answered the same, `asked_again` counts its questions that it had asked before. `paid` are the
    rewards of steps, and `trained` says of which roles messages are trained on, where they tell.
    """

    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    turns: int = 0
    invented: int = 0
    inlined: int = 0
    tool_messages: int = 0
    longest_echo: int = 0
    asked_again: int | None = None
    paid: list[float] = field(default_factory=list)
    trained: dict[str, bool] = field(default_factory=dict)
    _exchange: tuple[str, str] = ("", "")
    _echoes: int = 0
    _waiting: dict[str, int] = field(default_factory=dict)
    _answered: int = 0

    @property
    def prompt(self) -> str:
        """All that came before the first answer."""
        return "\n".join(self.asked)

    @property
    def completion(self) -> str:
        """All that the policy said."""
        return "\n".join(self.said)

    def exchange(self, reply: str) -> None:
        """Notes what an environment that speaks as the user answered to the last message."""
        pair = (self.said[-1], reply) if self.said else ("", "")
        self._echoes = self._echoes + 1 if pair == self._exchange else 1
        self._exchange = pair
        self.longest_echo = max(self.longest_echo, self._echoes)

    def call(self, tool: str, arguments: object, key: str = "") -> None:
        """Notes a call whose result may come later."""
        if key:
            self._waiting[key] = len(self.calls)
        self.calls.append(ToolCall(tool=tool, arguments=format_canonical(arguments)))

    def result(self, content: str, ok: bool | None, key: str = "") -> None:
        """Gives a call its result: the one with this key, else the first that has none yet."""
        place = self._waiting.pop(key, self._answered)
        if place < len(self.calls):
            self._answered = max(self._answered, place + 1)
            verdict = judge_result(content) if ok is None else ok
            self.calls[place] = msgspec.structs.replace(self.calls[place], result=content, ok=verdict)


def is_chat(value: object) -> bool:
    """Whether this is a list of chat messages."""
    return (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict) and bool(MESSAGE_KEYS & value[0].keys())
    )


def read_messages(messages: object, *, answers: bool = False) -> ToldTrajectory:
    """Reads chat messages; `answers` where they hold the completion alone, so that nothing in them was asked."""
    if not isinstance(messages, list):
        raise NotChat(f"must be a list of messages, not {describe_kind(messages)}")
    told = ToldTrajectory()
    for role, message in zip(name_speakers(messages), messages, strict=True):
        if not isinstance(message, dict):
            raise NotChat(f"must list messages with role and content, not {describe_kind(message)}")
        content = take_first(message, *CONTENTS)
        _note_loss(told.trained, "tool" if role in TOOL_ROLES else role, message)
        if role == ASSISTANT:
            told.turns += 1
            _take_answer(told, message, content)
        elif role in TOOL_ROLES:
            key = str(message.get("tool_call_id") or message.get("id") or "")
            told.tool_messages += 1
            told.result(extract_text(content), read_verdict(message), key)
        else:
            _take_question(told, content, answers)
    asked = [text.strip() for text in told.said if text.rstrip().endswith("?")]
    told.asked_again = len(asked) - len(set(asked))
    return told


def _note_loss(trained: dict[str, bool], role: str, message: Mapping[str, Any]) -> None:
    """Notes whether a message says that the loss is taken over it."""
    said = next((message[name] for name in LOSSES if isinstance(message.get(name), bool | int | float)), None)
    if said is not None:
        trained[role] = trained.get(role, False) or bool(said)


def read_tools(value: object) -> tuple[str, ...]:
    """The names of tools: a list of names, of function schemas, or an object with names as keys."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            raise NotChat(f"must be a list of names, not {describe_kind(value)}") from None
    if isinstance(value, dict):
        return tuple(value)
    if not isinstance(value, list):
        raise NotChat(f"must be a list of names, not {describe_kind(value)}")
    names = []
    for tool in value:
        if isinstance(tool, dict):
            inner = tool.get("function")
            tool = inner.get("name") if isinstance(inner, dict) else tool.get("name")
        if not isinstance(tool, str):
            raise NotChat(f"must list the names of tools, not {describe_kind(tool)}")
        names.append(tool)
    return tuple(names)


def extract_text(content: object) -> str:
    """The text of a message: a string, the text parts of a list, or JSON for anything else."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        if any(isinstance(part, str) for part in parts):
            return "\n".join(part for part in parts if isinstance(part, str))
        if all(isinstance(part, dict) and part.get("type") for part in content):
            return ""
    return format_canonical(content)


def format_canonical(value: object) -> str:
    """Any value as text that is equal where the value is: JSON with its keys in order."""
    if value is None:
        return ""
    told = value
    if isinstance(value, str):
        text = value.strip()
        if text[:1] not in ("{", "["):
            return value
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
    try:
        return msgspec.json.encode(value, order="sorted").decode("utf-8", "replace")
    except RecursionError:  # a text that holds JSON of any depth: rows themselves are not so deep
        return str(told)
    except (TypeError, ValueError):
        return repr(value)


_TEXT_CALL = re.compile(
    r"<tool_call>\s*(?P<call>\{.*?\})\s*</tool_call>"
    r"|^[ \t]*Action:[ \t]*(?P<tool>[^\n(]{1,80})(?:\n[ \t]*Action Input:[ \t]*(?P<input>[^\n]*))?"
    r"|<(?P<tag>search|python|code_interpreter)>(?P<query>.*?)</(?P=tag)>",
    re.DOTALL | re.MULTILINE,
)
_TEXT_RESULT = re.compile(
    r"\s*(?:<(?P<tag>tool_response|information|result|output|interpreter)>(?P<told>.*?)</(?P=tag)>"
    r"|\n?[ \t]*Observation:[ \t]*(?P<seen>[^\n]*))",
    re.DOTALL,
)
_TEXT_MARKS = ("<tool_call>", "Action:", "<search>", "<python>", "<code_interpreter>")
LONGEST_WRITTEN = 200_000
"""Characters of a text in which calls are looked for."""


def read_written_calls(text: str) -> tuple[ToolCall, ...]:
    """Calls that stand in a text: `<tool_call>` tags, the lines of ReAct, tags of search and code, with results."""
    if len(text) > LONGEST_WRITTEN or not any(map(text.__contains__, _TEXT_MARKS)):
        return ()
    told = ToldTrajectory()
    for found in _TEXT_CALL.finditer(text):
        tool, arguments = _parse_written_call(found)
        if not tool:
            continue
        told.call(tool, arguments)
        result = _TEXT_RESULT.match(text, found.end())
        if result is not None:
            told.result(result.group("told") or result.group("seen") or "", None)
    return tuple(told.calls)


_OWN_RESULT = re.compile(
    r"^[ \t]*(?:Observation|Tool (?:result|output|response)|Function (?:result|output|response))[ \t]*:"
    r"|<(?:tool_response|tool_result|function_results|observation)>",
    re.MULTILINE | re.IGNORECASE,
)


def writes_result(text: str) -> bool:
    """Whether a message of the agent holds the result of a tool, and no call that a log may have answered in it."""
    return len(text) <= LONGEST_WRITTEN and _OWN_RESULT.search(text) is not None and not _TEXT_CALL.search(text)


def _parse_written_call(found: re.Match[str]) -> tuple[str, object]:
    if found.group("tag"):
        return found.group("tag"), found.group("query").strip()
    if found.group("tool"):
        return found.group("tool").strip(), (found.group("input") or "").strip()
    try:
        call = msgspec.json.decode(found.group("call"))
    except (msgspec.DecodeError, RecursionError):
        return "", None
    name = call.get("name") if isinstance(call, dict) else None
    return (name, take_first(call, "arguments", "args", "parameters")) if isinstance(name, str) else ("", None)


def describe_kind(value: object) -> str:
    """A value as an error message shows it."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    if value is None:
        return "null"
    return f"{value!r:.60}" if isinstance(value, str) else names.get(type(value), type(value).__name__)


def _take_question(told: ToldTrajectory, content: object, answers: bool) -> None:
    results = [part for part in _list_parts(content) if part.get("type") == "tool_result"]
    for part in results:
        told.result(extract_text(part.get("content")), read_verdict(part), str(part.get("tool_use_id") or ""))
    if not results and not answers and not told.turns:
        told.asked.append(extract_text(content))
    elif not results and told.turns:
        told.exchange(extract_text(content))


def _take_answer(told: ToldTrajectory, message: Mapping[str, Any], content: object) -> None:
    if text := extract_text(content):
        told.said.append(text)
        told.invented += writes_result(text)
    listed = message.get("tool_calls") or ()
    single = message.get("function_call")
    used = [part for part in _list_parts(content) if part.get("type") == "tool_use"]
    if not listed and not single and not used and (tool := take_first(message, "tool", "tool_name")):
        used = [{"name": str(tool), "input": take_first(message, "tool_input", "args", "arguments", "input")}]
    calls = (*(listed if isinstance(listed, list) else ()), *((single,) if single else ()), *used)
    if text and not calls:
        _take_written(told, text)
    for call in calls:
        if not isinstance(call, dict):
            raise NotChat(f"must have tool_calls with a name and arguments, not {describe_kind(call)}")
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        name = inner.get("name") or function or ""
        told.call(str(name), take_first(inner, "arguments", "args", "input", "parameters"), str(call.get("id") or ""))


def _take_written(told: ToldTrajectory, text: str) -> None:
    """Takes the calls that stand in the text of an answer; their results may come later, in messages of the tool."""
    written = read_written_calls(text)
    for call in written:
        told.call(call.tool, call.arguments)
        if call.result:
            told.result(call.result, call.ok)
    told.inlined += any(call.result for call in written)
    told.turns = max(told.turns, len(told.calls))


def _list_parts(content: object) -> Iterable[Mapping[str, Any]]:
    return (part for part in content if isinstance(part, dict)) if isinstance(content, list) else ()


def take_first(step: Mapping[str, Any], *names: str) -> Any:
    """What the first of these fields holds that holds anything."""
    return next((step[name] for name in names if step.get(name) is not None), None)
