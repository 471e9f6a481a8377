"""Calls a reward function as its trainer would, and reads what it gives back."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.collect.samples.verifier.sight import reads_keywords

TRL, VERL, PLAIN, AUTO = "trl", "verl", "plain", "auto"
STYLES = (AUTO, TRL, VERL, PLAIN)

TRUTH = (
    "answer", "answers", "solution", "solutions", "ground_truth", "ground_truths", "target", "targets",
    "label", "labels", "gold", "golds", "reference", "references", "expected", "truth",
    "correct_answer", "final_answer",
    "test", "tests", "test_list", "test_cases", "test_code", "unit_tests", "verification_info",
)  # fmt: skip
"""What the column of the right answers is called in the field."""

COMPLETION = (
    "completion", "response", "output", "prediction", "pred", "text", "generated", "generated_text", "generation",
    "model_output", "candidate", "solution_str", "predicted", "model_answer", "code",
)  # fmt: skip
PROMPT = ("prompt", "question", "query", "problem", "instruction", "input")
TRAINER = ("prompts", "completions", "completion_ids", "trainer_state", "log_extra", "log_metric")
"""What TRL hands over besides the columns."""

DATA_SOURCE = "weaklink"


class VerifierRow(msgspec.Struct, frozen=True):
    """One completion of one prompt, with the columns of its dataset."""

    prompt: str
    completion: str
    answer: Any
    columns: dict[str, Any] = {}


class RowScore(msgspec.Struct, frozen=True):
    """What one row got: a number, None where the function said that it does not apply, or what went wrong.

    `count` is how many scores came back where that was another number than was asked for.
    """

    score: float | None = None
    failed: str = ""
    error: str = ""
    executed: bool = False
    count: int | None = None


class CallConvention:
    """How one function wants to be called."""

    def __init__(self, function: Callable[..., Any], style: str = AUTO) -> None:
        if style not in STYLES:
            raise UsageError(f"The style of a verifier is one of {', '.join(STYLES)}, not '{style}'.")
        self._function = function
        self._bound = frozenset(function.keywords) if isinstance(function, functools.partial) else frozenset()
        self._parameters = {n: p for n, p in _read_parameters(function).items() if n not in self._bound}
        self._takes_any = any(p.kind is p.VAR_KEYWORD for p in self._parameters.values())
        self.style = self._recognised() if style == AUTO else style

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(self._parameters)

    @property
    def batched(self) -> bool:
        """Whether one call scores several completions."""
        return self.style == TRL or "solution_strs" in self._parameters

    @property
    def answerless(self) -> bool:
        """Whether nothing that it is given, or looks at, holds the right answer."""
        known = {TRL: (*TRAINER, *PROMPT), VERL: ("data_source", "solution_str"), PLAIN: (*COMPLETION, *PROMPT)}
        named = [p for p in self._parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        if any(p.kind is p.VAR_POSITIONAL for p in self._parameters.values()):
            return False
        if self.style == PLAIN and not any(p.name.lower() in COMPLETION for p in named):
            named = named[1:]  # the first one gets the completion
        given = [p for p in named if p.default is p.empty or p.name in TRUTH or p.name.startswith("extra_info")]
        if any(p.name.lower() not in known[self.style] for p in given):
            return False
        return not reads_keywords(self._function, self._parameters.values())

    def _recognised(self) -> str:
        names = set(self._parameters)
        if "completions" in names:
            return TRL
        if names & {"solution_str", "solution_strs", "data_source"}:
            return VERL
        if all(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in self._parameters.values()):
            return TRL
        return PLAIN

    def scores(self, rows: Sequence[VerifierRow], chat: bool) -> list[float | None]:
        """One score for each row; whatever the function raises comes through."""
        if not self.batched:
            call = self._verl if self.style == VERL else self._plain
            return [_parse_score(_await_result(call(row))) for row in rows]
        returned = _await_result(self._trl(rows, chat) if self.style == TRL else self._verl_batch(rows))
        return _parse_scores(returned, len(rows))

    def _trl(self, rows: Sequence[VerifierRow], chat: bool) -> Any:
        def said(role: str, text: str) -> Any:
            return [{"role": role, "content": text}] if chat else text

        given: dict[str, Any] = {
            "prompts": [said("user", row.prompt) for row in rows],
            "completions": [said("assistant", row.completion) for row in rows],
            "completion_ids": [list(range(1 + len(row.completion.split()))) for row in rows],
            "trainer_state": None,
            "log_extra": lambda *_: None,
            "log_metric": lambda *_: None,
        }
        for name in self._wanted(rows[0], given):
            given[name] = [_find_value(row, name) for row in rows]
        return self._function(**self._taken(given))

    def _verl(self, row: VerifierRow) -> Any:
        given = {
            "data_source": row.columns.get("data_source", DATA_SOURCE),
            "solution_str": row.completion,
            "ground_truth": row.answer,
            "extra_info": {"prompt": row.prompt, "question": row.prompt, "split": "train", "index": 0, **row.columns},
        }
        for name in self._wanted(row, given):
            given[name] = _find_value(row, name)
        return self._function(**self._taken(given))

    def _verl_batch(self, rows: Sequence[VerifierRow]) -> Any:
        return self._function(
            data_sources=[row.columns.get("data_source", DATA_SOURCE) for row in rows],
            solution_strs=[row.completion for row in rows],
            ground_truths=[row.answer for row in rows],
            extra_infos=[{"prompt": row.prompt, **row.columns} for row in rows],
        )

    def _plain(self, row: VerifierRow) -> Any:
        """By position, unless the names say that the order is another one."""
        named = [p for p in self._parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        roles = _guess_roles(named, row)
        values = {"completion": row.completion, "answer": row.answer, "prompt": row.prompt}
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for place, (parameter, role) in enumerate(zip(named, roles, strict=True)):
            if role not in values and parameter.name not in row.columns and parameter.default is not parameter.empty:
                continue
            value = values[role] if role in values else row.columns.get(parameter.name, row.answer)
            if parameter.kind is not parameter.KEYWORD_ONLY and place == len(positional):
                positional.append(value)
            else:
                keywords[parameter.name] = value
        lacking = [] if named else ["completion"]
        if len(positional) + len(keywords) == roles.count("completion") + roles.count("prompt"):  # nothing but these
            lacking.append("answer")
        if any(p.kind is p.VAR_POSITIONAL for p in self._parameters.values()):
            positional += [values[role] for role in lacking]
        elif self._takes_any and lacking:
            more = {**row.columns, **{role: values[role] for role in lacking}}
            keywords |= {name: value for name, value in more.items() if name not in {*self._parameters, *self._bound}}
        return self._function(*positional, **keywords)

    def _wanted(self, row: VerifierRow, given: Mapping[str, Any]) -> list[str]:
        """The columns to hand over: those that it asks for by name; all of them where it takes any."""
        by_name = [
            p.name
            for p in self._parameters.values()
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            and (p.default is p.empty or p.name in row.columns or p.name in TRUTH)
        ]
        names = [*by_name, *(row.columns if self._takes_any else ()), *(TRUTH if self._takes_any else ())]
        return [name for name in dict.fromkeys(names) if name not in given and name not in self._bound]

    def _taken(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return dict(given) if self._takes_any else {k: v for k, v in given.items() if k in self._parameters}


def _read_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise UsageError(
            f"The verifier must be a function whose parameters can be read; {function!r} is none."
        ) from None


def _find_value(row: VerifierRow, name: str) -> Any:
    if name in row.columns:
        return row.columns[name]
    return row.prompt if name in PROMPT else row.answer


def _guess_role(name: str, row: VerifierRow) -> str:
    lowered = name.lower()
    if name in row.columns:
        return "column"
    for role, names in (("completion", COMPLETION), ("answer", TRUTH), ("prompt", PROMPT)):
        if lowered in names:
            return role
    return "unknown"


def _guess_roles(named: Sequence[inspect.Parameter], row: VerifierRow) -> list[str]:
    """What each parameter is for; the first two are the completion and the answer where no name tells."""
    roles = [_guess_role(parameter.name, row) for parameter in named]
    if "completion" not in roles:
        roles[:2] = ["completion", "answer"][: len(roles)]
    return roles


def _await_result(returned: Any) -> Any:
    async def wait() -> Any:
        return await returned

    return asyncio.run(wait()) if inspect.isawaitable(returned) else returned


def _parse_scores(returned: object, count: int) -> list[float | None]:
    if hasattr(returned, "tolist"):
        returned = returned.tolist()
    if not isinstance(returned, list | tuple):
        raise NotANumber(f"a list of {count} numbers is needed, not {_format_value(returned)}")
    if len(returned) != count:
        raise WrongCount(f"{count} completions gave {len(returned)} scores", len(returned))
    return [_parse_score(each) for each in returned]


def _parse_score(returned: object) -> float | None:
    """The score in what came back: a number, a scalar of numpy or torch, a dict with `score`, or a tuple led by one."""
    if isinstance(returned, Mapping):
        found = [returned[key] for key in ("score", "reward") if key in returned]
        if not found:
            raise NotANumber(f"a dict with 'score' is needed, not {_format_value(returned)}")
        returned = found[0]
    if isinstance(returned, list | tuple) and returned:
        returned = returned[0]
    if returned is None:
        return None
    if hasattr(returned, "item"):
        returned = returned.item()
    if not isinstance(returned, int | float):
        raise NotANumber(f"a number is needed, not {_format_value(returned)}")
    number = float(returned)
    if not math.isfinite(number):
        raise NotANumber(f"the score is {number}")
    return number


def _format_value(thing: object) -> str:
    return repr(thing)[:80]


class NotANumber(Exception):
    """What came back is no score."""


class WrongCount(NotANumber):
    """There are more or fewer scores than completions."""

    def __init__(self, told: str, count: int) -> None:
        super().__init__(told)
        self.count = count
