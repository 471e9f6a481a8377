"""Asks everything once more, in another order and another process: a verifier should say the same."""

from __future__ import annotations

import random

from weaklink.base.evidence.verifier import AGAIN, COMPANY, NEGLIGIBLE, UnsteadyScore
from weaklink.collect.samples.verifier.asking import Asker
from weaklink.collect.samples.verifier.clock import ExaminationClock
from weaklink.collect.samples.verifier.trying import SHOWN, VerifierTrial, VerifierTrials

TOGETHER = 4
"""Completions in a call of a verifier that takes several."""


def repeat_trials(
    trials: VerifierTrials, asker: Asker, clock: ExaminationClock, seed: int
) -> tuple[list[UnsteadyScore], int]:
    """The texts that got another score, and how many were asked again."""
    if trials.in_company:  # what differs is known already, and cannot be told from a change in time
        return [], 0
    asker.renew()
    scored = [trial for trial in trials.done if not trial.scored.failed and trial.scored.score is not None]
    random.Random(seed).shuffle(scored)
    found: list[UnsteadyScore] = []
    size = TOGETHER if asker.batched else 1
    count = 0
    for start in range(0, len(scored), size):
        if clock.over():
            break
        few = [trial for trial in scored[start : start + size] if trial.chat == scored[start].chat]
        for trial, result in zip(few, asker.ask([trial.row for trial in few], few[0].chat), strict=True):
            count += 1
            trial.again = result.score
            if _differs(trial):
                found.append(_describe_unsteady(trial, asker, few))
    return found, count


def _differs(trial: VerifierTrial) -> bool:
    first = trial.scored.score
    return first is not None and trial.again is not None and abs(trial.again - first) > NEGLIGIBLE


def _describe_unsteady(trial: VerifierTrial, asker: Asker, few: list[VerifierTrial]) -> UnsteadyScore:
    first, second, how = trial.scored.score or 0.0, trial.again or 0.0, AGAIN
    if len(few) > 1:
        alone = asker.ask([trial.row], trial.chat)[0].score
        how = COMPANY if alone is not None and abs(alone - first) <= NEGLIGIBLE else AGAIN
    return UnsteadyScore(how=how, kind=trial.kind, prompt=trial.case.prompt[:SHOWN], text=trial.text[:SHOWN],
                         first=first, second=second, span=trial.right - trial.wrong)  # fmt: skip
