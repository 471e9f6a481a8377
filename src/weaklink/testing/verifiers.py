"""A reward function of the user's own under attack, as an assertion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.collect.samples.verifier import examine
from weaklink.judge.rules._registry import load_rules_on


class HoledVerifier(AssertionError):
    """A reward function that pays what it should not, or refuses what it should pay; `check` has all of it."""

    def __init__(self, check: VerifierCheck, findings: Collection[Finding]) -> None:
        lines = [line for each in findings for line in (f"{each.code} {each.message}", f"fix: {each.fix[0]}")]
        super().__init__("\n".join(lines))
        self.check, self.findings = check, tuple(findings)


def check_verifier(
    verifier: str | Callable[..., Any],
    cases: str | Path | Iterable[Mapping[str, Any]] | None = None,
    *,
    ignore: Collection[str] = (),
    **options: Any,
) -> VerifierCheck:
    """Attacks a reward function, and gives the evidence when it holds.

    Args:
        verifier: `module:function` or `file.py:function`, asked in a process of its own; or a function, asked in this
            process and spared the answers that could end it.
        cases: a file of JSON Lines, or rows, of `prompt` and `answer`; built-in questions where there are none.
        ignore: codes of findings that are accepted.
        options: `style`, `seconds`, `memory` and `seed` of `weaklink.collect.samples.verifier.examine`.

    Raises:
        HoledVerifier: It has a hole or refuses right answers; the message has the smallest exploit.
        UsageError: It could not be called, or paid no right answer, so nothing can be told.
    """
    check = examine(verifier, cases=cases, **options)
    answers = [rule.ask(check) for code, rule in load_rules_on(VerifierCheck).items() if code not in ignore]
    findings = [each for answer in answers for each in _list_findings(answer) if each.severity >= Level.WARN]
    if findings:
        raise HoledVerifier(check, findings)
    blind = [answer for answer in answers if isinstance(answer, CannotTell)]
    if blind:
        raise UsageError(f"The verifier {check.called} could not be judged: {blind[0].why}.")
    return check


def _list_findings(answer: object) -> tuple[Finding, ...]:
    if isinstance(answer, Finding):
        return (answer,)
    return answer if isinstance(answer, tuple) else ()
