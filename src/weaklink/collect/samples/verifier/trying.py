"""Asks about every attack and every form of every case, beside the plain right and the plain wrong answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from weaklink.base.evidence.verifier import (
    ATTACK,
    COMPANY,
    DIED,
    FORM,
    HUNG,
    NEGLIGIBLE,
    VERBATIM,
    UnsteadyScore,
    VerifierAttempt,
)
from weaklink.collect.samples.verifier.asking import Asker
from weaklink.collect.samples.verifier.attacks import list_attacks
from weaklink.collect.samples.verifier.calling import RowScore, VerifierRow
from weaklink.collect.samples.verifier.carriers import PLAIN
from weaklink.collect.samples.verifier.cases import VerifierCase
from weaklink.collect.samples.verifier.clock import ExaminationClock
from weaklink.collect.samples.verifier.forms import list_forms
from weaklink.collect.samples.verifier.settling import SettledVerifier, VerifierSetting

SHOWN = 300


@dataclass
class VerifierTrial:
    """One text and what it got."""

    family: str
    kind: str
    change: str
    case: VerifierCase
    number: int
    text: str
    chat: bool
    domain: str
    deadly: bool = False
    knowing: bool = False
    right: float = 0.0
    wrong: float = 0.0
    scored: RowScore = field(default_factory=RowScore)
    again: float | None = None

    @property
    def row(self) -> VerifierRow:
        """What is asked."""
        return self.case.row(self.text)

    def attempt(self) -> VerifierAttempt:
        """As evidence."""
        return VerifierAttempt(
            family=self.family,
            kind=self.kind,
            case=self.number,
            prompt=self.case.prompt[:SHOWN],
            answer=self.case.right[:SHOWN],
            text=self.text[:SHOWN],
            characters=len(self.text),
            right=self.right,
            wrong=self.wrong,
            score=self.scored.score,
            again=self.again,
            failed=self.scored.failed,
            error=self.scored.error,
            executed=self.scored.executed,
            change=self.change,
            domain=self.domain,
            knowing=self.knowing,
        )


class VerifierTrials:
    """All that is asked, in order, until the time is up."""

    def __init__(self, asker: Asker, clock: ExaminationClock, share: float) -> None:
        self._asker, self._clock, self._share = asker, clock, share
        self._fatal: set[str] = set()
        self._cases = 0
        self.done: list[VerifierTrial] = []
        self.company: list[UnsteadyScore] = []
        self.asked = self.apart = 0
        self.stopped = self.in_company = False

    def run(self, setting: VerifierSetting) -> None:
        """Tries everything on the cases of a setting."""
        self._look_at_company(setting)
        unpaid: list[VerifierTrial] = []
        for case in setting.cases:
            if self._clock.over(self._share):
                self.stopped = True
                break
            found = self._of_case(setting, case)
            if found is not None:
                unpaid.append(found)
        paid = [trial for trial in self.done if trial.domain == setting.domain]
        forms = {trial.case.carrier is None for trial in paid}  # a form that none of its kind is paid in is no fault
        for trial in (each for each in unpaid if (each.case.carrier is None) in forms):
            trial.right, trial.wrong = paid[0].right, paid[0].wrong
            self.done.append(trial)

    def degenerate(self, case: VerifierCase, settled: SettledVerifier) -> None:
        """Tries degenerate answers where no form tells right from wrong: something may be paid all the same."""
        levels = settled.levels()
        for attack in list_attacks(case, PLAIN):
            trial = VerifierTrial(
                ATTACK, attack.kind, "", case, 0, attack.text, settled.chat, case.kind, attack.deadly, attack.knowing
            )
            trial.right, trial.wrong = levels["right"], levels["lowest"]
            self._try(trial, case.row(case.right), case.row(case.wrong))

    def _of_case(self, setting: VerifierSetting, case: VerifierCase) -> VerifierTrial | None:
        """Tries everything on one case; the right answer itself where it is not paid."""
        carrier, number = setting.of(case), self._cases
        self._cases += 1
        plain = VerifierTrial(FORM, "the answer as it stands", VERBATIM, case, number, carrier.wrap(case.right),
                              setting.chat, setting.domain)  # fmt: skip
        wrongs = [carrier.wrap(case.wrong), PLAIN.wrap(case.wrong)]
        known = self._level(plain, wrongs)
        if not case.beside:
            self.asked += 1
        if known is None:
            return None if case.beside else plain
        self.apart += not case.beside
        right, wrong = known
        for trial in _plan_trials(setting, case, number):
            trial.right, trial.wrong = right, wrong
            self._try(trial, plain.row, case.row(wrongs[0]))
        return None

    def _level(self, plain: VerifierTrial, wrongs: list[str]) -> tuple[float, float] | None:
        """The scores of the right and of the lowest wrong answer; None where they are no pair to measure by."""
        rows = [plain.row, *(plain.case.row(text) for text in wrongs)]
        if self.in_company:
            scored = self._asker.ask(rows, plain.chat)
        else:
            scored = [self._asker.ask([row], plain.chat)[0] for row in rows]
        plain.scored = scored[0]
        low = [each.score for each in scored[1:] if each.score is not None]
        if scored[0].score is None or not low or scored[0].score - min(low) <= NEGLIGIBLE:
            return None
        if scored[1].score is not None and scored[0].score - scored[1].score <= NEGLIGIBLE:
            return None
        return scored[0].score, min(low)

    def _try(self, trial: VerifierTrial, right: VerifierRow, wrong: VerifierRow) -> None:
        if self._clock.over(self._share):
            self.stopped = True
            return
        if trial.kind in self._fatal or (trial.deadly and not self._asker.isolated):
            return
        if self.in_company:
            scored = self._asker.ask([right, wrong, trial.row], trial.chat)
            trial.scored = scored[2]
            if scored[0].score is not None and scored[1].score is not None:
                trial.right, trial.wrong = scored[0].score, scored[1].score
        else:
            trial.scored = self._asker.ask([trial.row], trial.chat)[0]
        if trial.scored.failed in (HUNG, DIED):
            self._fatal.add(trial.kind)
        self.done.append(trial)

    def _look_at_company(self, setting: VerifierSetting) -> None:
        """Whether a completion is scored by what else is in its batch; then everything is asked in company."""
        if not self._asker.batched or self.in_company:
            return
        case = setting.cases[0]
        texts = [setting.of(case).wrap(case.right), setting.of(case).wrap(case.wrong)]
        rows = [case.row(text) for text in texts]
        together = self._asker.ask(rows, setting.chat)
        alone = [self._asker.ask([row], setting.chat)[0] for row in rows]
        if not any(map(_differ, together, alone)):
            return
        again = [self._asker.ask([row], setting.chat)[0] for row in rows]
        if any(map(_differ, alone, again)):  # it changes by itself, which is found later
            return
        self.in_company = True
        span = abs((together[0].score or 0.0) - (together[1].score or 0.0))
        for text, one, other in zip(texts, together, alone, strict=True):
            self.company += [_make_unsteady(case, text, one, other, span)] if _differ(one, other) else []


def _differ(one: RowScore, other: RowScore) -> bool:
    return one.score is not None and other.score is not None and abs(one.score - other.score) > NEGLIGIBLE


def _make_unsteady(case: VerifierCase, text: str, one: RowScore, other: RowScore, span: float) -> UnsteadyScore:
    return UnsteadyScore(
        how=COMPANY,
        kind="a plain answer",
        prompt=case.prompt[:SHOWN],
        text=text[:SHOWN],
        first=one.score or 0.0,
        second=other.score or 0.0,
        span=span,
    )


def _plan_trials(setting: VerifierSetting, case: VerifierCase, number: int) -> list[VerifierTrial]:
    carrier = setting.of(case)
    common = (case, number)
    tried = [
        VerifierTrial(
            ATTACK, attack.kind, "", *common, attack.text, setting.chat, setting.domain, attack.deadly, attack.knowing
        )
        for attack in ([] if case.beside else list_attacks(case, carrier))
    ]
    others = [
        VerifierTrial(FORM, form.kind, form.change, *common, form.text, setting.chat, setting.domain)
        for form in list_forms(case, carrier)
    ]
    return [*others, *tried]
