"""Questions with known answers: built in, or the user's own from JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.limits import LONGEST_LINE, read_bounded
from weaklink.collect.samples.verifier.calling import DATA_SOURCE, TRUTH, VerifierRow
from weaklink.collect.samples.verifier.carriers import Carrier, find_carrier

MATHS, TEXT, CHOICE, CODE, GIVEN = "maths", "text", "choice", "code", "given"
NUMBER = re.compile(r"^[-+−]?[\d,]*\.?\d+$")
LETTER = re.compile(r"^[A-J]$")
ENTRY = re.compile(r"^def (\w+)\(", re.MULTILINE)
MOST_GIVEN = 12
"""Of the user's own cases that are asked about; spread over all of them."""


class VerifierCase(msgspec.Struct, frozen=True, kw_only=True):
    """One question.

    `truth` is what the verifier is given as the right answer (for code: tests), `right` what a model would write,
    `wrong` a plainly wrong answer. `forms` are other spellings of the right one by what they change. `beside` marks a
    case that a sound verifier may leave unpaid by contract, such as a fraction where whole numbers are meant.
    """

    kind: str
    prompt: str
    truth: Any
    right: str
    wrong: str
    columns: dict[str, Any] = {}
    forms: tuple[tuple[str, str, str], ...] = ()
    others: tuple[str, ...] = ()
    beside: bool = False
    carrier: Carrier | None = None
    programme: bool = False

    def row(self, completion: str) -> VerifierRow:
        """The question with a completion."""
        return VerifierRow(self.prompt, completion, self.truth, self.columns)

    @property
    def entry(self) -> str:
        """The function that code has to define."""
        found = ENTRY.search(self.right)
        return found.group(1) if found else ""


def read_cases(source: str | Path | Iterable[Mapping[str, Any]]) -> list[VerifierCase]:
    """The user's own cases.

    Args:
        source: a file of JSON Lines, or rows: `prompt`, `answer`, optionally `completion` (a whole right one) and
            `wrong`; every other field is a column of the dataset.

    Raises:
        UsageError: a row lacks its answer, or there is no row.
    """
    if isinstance(source, str | Path):
        rows, place = _read_lines(Path(source)), str(source)
    else:
        rows, place = [dict(row) for row in source], "cases"
    for number, row in enumerate(rows, 1):
        if row.get("answer") is None:
            raise UsageError(f"{place}, row {number}: a case needs 'answer', and has {', '.join(row) or 'nothing'}.")
    if not rows:
        raise UsageError(f'{place}: no case is there. A case is a line such as {{"prompt": "...", "answer": "42"}}.')
    step = -(-len(rows) // MOST_GIVEN)
    chosen = rows[::step]
    return [_make_case(row, chosen, f"{place}, row {1 + step * index}") for index, row in enumerate(chosen)]


def _read_lines(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    try:
        text = read_bounded(path, LONGEST_LINE, "A file of cases", "Give fewer of them.").decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The cases {path} cannot be read: {error}.") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise UsageError(f"{path}, line {number}: every line is one JSON object, not {line[:60]!r}.") from None
        if not isinstance(row, dict):
            raise UsageError(f"{path}, line {number}: every line is one JSON object, not {line[:60]!r}.")
        rows.append(row)
    return rows


def _make_case(row: dict[str, Any], rows: Sequence[dict[str, Any]], place: str) -> VerifierCase:
    answer, completion = row["answer"], str(row.get("completion", ""))
    prompt = row.get("prompt", "")
    said = prompt if isinstance(prompt, str) else "\n".join(map(_read_turn, prompt))
    columns = {name: value for name, value in row.items() if name not in ("prompt", "completion", "wrong")}
    columns.setdefault("data_source", DATA_SOURCE)
    if not isinstance(answer, str | int | float) or "assert " in str(answer):
        if not completion:
            raise UsageError(f"{place}: an answer of tests needs 'completion', a completion that passes them.")
        return _make_code_case(row, said, completion, columns)
    right = str(answer)
    holder = find_carrier(completion, right) if completion else None
    if completion and holder is None:
        raise UsageError(f"{place}: 'completion' must hold the answer {right!r} as it stands in 'answer'.")
    kind = MATHS if NUMBER.match(right) else CHOICE if LETTER.match(right) else TEXT
    wrong = str(row.get("wrong") or _make_wrong_answer(right, kind, [str(other["answer"]) for other in rows]))
    return VerifierCase(kind=kind, prompt=said, truth=answer, right=right, wrong=wrong, columns=columns, carrier=holder)


def _make_code_case(row: dict[str, Any], prompt: str, completion: str, columns: dict[str, Any]) -> VerifierCase:
    fenced = re.search(r"```(?:python|py)?\n(.*?)\n```", completion, re.DOTALL)
    right = fenced.group(1) if fenced else completion
    entry = ENTRY.search(right)
    wrong = row.get("wrong") or (f"def {entry.group(1)}(*arguments):\n    return None" if entry else "pass")
    return VerifierCase(
        kind=CODE,
        prompt=prompt,
        truth=row["answer"],
        right=right,
        wrong=str(wrong),
        columns=columns,
        carrier=find_carrier(completion, right),
        programme=entry is None,
    )


def _read_turn(turn: object) -> str:
    return str(turn.get("content", "")) if isinstance(turn, Mapping) else str(turn)


def _make_wrong_answer(right: str, kind: str, answers: Sequence[str]) -> str:
    if kind == MATHS:
        value = float(right.replace(",", "").replace("−", "-"))
        return f"{abs(value) * 3 + 917:.0f}"
    if kind == CHOICE:
        return "B" if right != "B" else "C"
    far = (other for other in answers if not _alike(other, right) and not NUMBER.match(other))
    return next(far, "none of what was asked for")


def _alike(one: str, other: str) -> bool:
    first, second = one.lower().strip(), other.lower().strip()
    return first in second or second in first


def add_columns(case: VerifierCase) -> VerifierCase:
    """A built-in case with its truth under every name that a dataset may give it."""
    names = dict.fromkeys(TRUTH, case.truth)
    more = {"entry_point": case.entry} if case.kind == CODE and not case.programme else {}
    return msgspec.structs.replace(case, columns={**names, "data_source": DATA_SOURCE, **more})
