"""Finds out what a verifier is for: the kind of question, and the form of an answer, that it tells right from wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import HUNG, NEGLIGIBLE
from weaklink.collect.samples.verifier import questions
from weaklink.collect.samples.verifier.asking import Asker, TooManyDeaths
from weaklink.collect.samples.verifier.calling import PROMPT, TRL, RowScore, VerifierRow
from weaklink.collect.samples.verifier.carriers import FOR_ANSWERS, FOR_CODE, OWN, PLAIN, Carrier
from weaklink.collect.samples.verifier.cases import CODE, GIVEN, VerifierCase
from weaklink.collect.samples.verifier.clock import ExaminationClock

PROBED = 2
"""Cases that each form is tried on."""

USUAL = (OWN, "plain", "boxed in a sentence", "think and answer tags", "fenced code")
"""Forms that are tried on every kind of question before any other is."""

MOST_OWN = 3
"""Forms of cases with a whole completion that are tried on those without one."""

LONGEST, PART = 0.5, 0.1
"""Shares of the time: for all of this, and for one kind of question."""

SLOW = 0.1
"""Seconds a call from which on the first form that is paid is taken, and none that may be paid more is looked for."""


@dataclass
class VerifierSetting:
    """Cases of one kind and how their answers are to be carried."""

    domain: str
    cases: list[VerifierCase]
    carrier: Carrier
    chat: bool
    right: float

    def of(self, case: VerifierCase) -> Carrier:
        """The carrier of a case: its own where it came with a whole completion."""
        return case.carrier or self.carrier


@dataclass
class SettledVerifier:
    """The settings found, and the scores seen on the way; failures by whether it was asked in chat messages."""

    settings: list[VerifierSetting] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    failures: dict[bool, list[RowScore]] = field(default_factory=dict)
    told: int = 0
    chat: bool = False

    @property
    def in_chat(self) -> bool:
        """Whether it is asked in chat messages."""
        return self.settings[0].chat if self.settings else self.chat

    def levels(self) -> dict[str, float]:
        """The scores of right and wrong answers, where there were any."""
        if not self.right or not self.wrong:
            return {}
        both = [*self.right, *self.wrong]
        return {"right": max(self.right), "wrong": max(self.wrong), "lowest": min(both), "highest": max(both)}


@dataclass
class CaseCandidate:
    """A kind of question that may be the verifier's, with the forms to try."""

    domain: str
    cases: list[VerifierCase]
    carriers: Sequence[Carrier]

    def probed(self) -> list[VerifierCase]:
        """The cases that forms are tried on."""
        few = 1 if self.cases[0].kind == CODE else PROBED  # code takes long
        cases = [case for case in self.cases if not case.beside]
        bare = [case for case in cases if case.carrier is None][:1]  # a form is looked for on its account
        return [*bare, *(case for case in cases if case not in bare)][:few]


def settle(asker: Asker, given: list[VerifierCase] | None, clock: ExaminationClock) -> SettledVerifier:
    """Tries kinds of questions and forms of answers until some are told right from wrong.

    Raises:
        UsageError: every call failed, so the verifier cannot be asked at all.
    """
    settled = SettledVerifier()
    candidates = _list_given(given) if given else _list_built_in(asker.parameters)
    try:
        _search(asker, candidates, settled, clock)
    except TooManyDeaths:
        settled.settings.clear()
    if settled.failures and not settled.right:
        settled.chat = _miscounted(settled.failures)
    return settled


def _miscounted(failures: dict[bool, list[RowScore]]) -> bool:
    """Whether it was in chat messages that every batch came back with another number of scores."""
    for chat, failed in failures.items():
        if all(each.count is not None for each in failed):
            return chat
    raise UsageError(_explain_never_scored([each for failed in failures.values() for each in failed]))


def _search(asker: Asker, candidates: list[CaseCandidate], settled: SettledVerifier, clock: ExaminationClock) -> None:
    for chat in (False, True) if asker.style == TRL else (False,):
        for usual in (True, False):
            for candidate in candidates:
                if clock.over(LONGEST) or _needless(candidate, settled):
                    continue
                found = _find_best(asker, candidate, chat, usual, settled, clock)
                if found is not None:
                    settled.settings.append(found)
            if settled.settings:
                return


def _explain_never_scored(failures: list[RowScore]) -> str:
    first = failures[0]
    if first.failed == HUNG:
        return f"The verifier never answered: {first.error}, in {len(failures)} calls. --seconds gives it more."
    return (
        f"The verifier failed in every call that was tried, first with {first.error}. Say how it is called by --style "
        "trl, verl or plain, and what it is asked by --cases with the columns that it needs."
    )


def _list_given(cases: list[VerifierCase]) -> list[CaseCandidate]:
    own = list(dict.fromkeys(case.carrier for case in cases if case.carrier))
    carriers = (*own[:MOST_OWN], *(FOR_CODE if cases[0].kind == CODE else FOR_ANSWERS))
    return [CaseCandidate(GIVEN, cases, (PLAIN,) if all(case.carrier for case in cases) else carriers)]


def _list_built_in(parameters: tuple[str, ...]) -> list[CaseCandidate]:
    """All kinds of questions; those of code first where a parameter says that it is about tests."""
    answers = {
        "maths": questions.list_maths_cases(),
        "text": questions.list_text_cases(),
        "choice": questions.list_choice_cases(),
    }
    found = [CaseCandidate(domain, cases, FOR_ANSWERS) for domain, cases in answers.items()]
    code = [CaseCandidate(f"code, {shape}", cases, FOR_CODE) for shape, cases in questions.list_code_cases().items()]
    if "test_list" in parameters:
        code.sort(key=lambda candidate: "list" not in candidate.domain)
    return [*code, *found] if any("test" in name for name in parameters) else [*found, *code]


def _needless(candidate: CaseCandidate, settled: SettledVerifier) -> bool:
    """One shape of tests is enough, and what reads answers runs no code."""
    code = candidate.cases[0].kind == CODE
    return any(code or setting.cases[0].kind == CODE for setting in settled.settings)


def _find_best(
    asker: Asker, candidate: CaseCandidate, chat: bool, usual: bool, settled: SettledVerifier, clock: ExaminationClock
) -> VerifierSetting | None:
    """The shortest of the carriers whose right answers are paid most, where they are told from wrong ones."""
    first = [carrier for carrier in candidate.carriers if carrier.name in USUAL] or list(candidate.carriers)
    rest = [carrier for carrier in candidate.carriers if carrier not in first]
    best: VerifierSetting | None = None
    until = clock.part(PART)
    for carrier in _order_carriers(first, rest, usual):
        if clock.spent > until or (best is not None and clock.a_call() > SLOW):
            break
        if best is None and usual and carrier in rest:
            break
        right = _measure_paid(asker, candidate, carrier, chat, settled)
        if right is not None and (best is None or _better(right, carrier, best)):
            best = VerifierSetting(candidate.domain, candidate.cases, carrier, chat, right)
    return best


def _better(right: float, carrier: Carrier, best: VerifierSetting) -> bool:
    """Whether right answers are paid more, or as much in fewer characters."""
    if abs(right - best.right) > NEGLIGIBLE:
        return right > best.right
    return len(carrier.wrap("")) < len(best.carrier.wrap(""))


def _order_carriers(first: Sequence[Carrier], rest: Sequence[Carrier], usual: bool) -> Iterator[Carrier]:
    yield from first if usual else ()
    yield from rest


def _measure_paid(
    asker: Asker, candidate: CaseCandidate, carrier: Carrier, chat: bool, settled: SettledVerifier
) -> float | None:
    """The mean score of right answers in this form; None where they are not told from wrong ones."""
    cases = candidate.probed()
    rows: list[VerifierRow] = []
    for case in cases:
        form = case.carrier or carrier
        rows += [case.row(form.wrap(case.right)), case.row(form.wrap(case.wrong))]
    scored = ask_each(asker, rows, chat)
    failures = [each for each in scored if each.failed]
    if failures:
        settled.failures.setdefault(chat, []).extend(failures)
    pairs = list(zip(scored[::2], scored[1::2], strict=True))
    known = [
        (right.score, wrong.score) for right, wrong in pairs if right.score is not None and wrong.score is not None
    ]
    settled.right += [right for right, _ in known]
    settled.wrong += [wrong for _, wrong in known]
    settled.told += len(cases)
    settled.chat = chat if known else settled.chat
    apart = sum(right - wrong > NEGLIGIBLE for right, wrong in known)
    if _guesses(asker) or not apart or apart < len(cases) / (2 if candidate.domain == GIVEN else 1):
        return None
    return sum(right for right, _ in known) / len(known)


def _guesses(asker: Asker) -> bool:
    """Whether it sees neither question nor right answer, so that what it tells apart is chance."""
    return asker.answerless and not set(asker.parameters) & {"prompts", *PROMPT}


def ask_each(asker: Asker, rows: Sequence[VerifierRow], chat: bool) -> list[RowScore]:
    """Scores of rows, in one call where that works and one by one where it fails."""
    if asker.batched:
        together = asker.ask(rows, chat)
        if not any(each.failed for each in together):
            return together
    return [asker.ask([row], chat)[0] for row in rows]
