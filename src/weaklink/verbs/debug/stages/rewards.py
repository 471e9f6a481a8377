"""The reward functions that a trainer holds are attacked, before anything that follows from them is blamed.

It takes seconds and no training, and what a reward function was seen to pay for is proof.
"""

from __future__ import annotations

import time

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.collect.samples.verifier import examine
from weaklink.judge.diagnosis.auditing import judge_samples
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import QUESTION
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.inside import REWARD
from weaklink.verbs.debug.work import CaseWork

SECONDS = 10.0
"""For each function, once it is loaded. A function of rules answers all that is asked of it in two."""

MOST_FUNCTIONS = 8


def gather_evidence(work: CaseWork) -> None:
    """Attacks each function once; one that cannot be loaded or asked alone is left out."""
    key = work.key(QUESTION, work.model)
    if not work.model.rewards or work.folder.index.keys.get(QUESTION) == key:
        return
    began, checks = time.monotonic(), []
    for place, word in enumerate(work.model.rewards[:MOST_FUNCTIONS]):
        work.listener.doing(f"attacking the reward function {word.rpartition(':')[2] or place + 1}")
        try:
            checks.append(
                examine(word or work.part(f"{REWARD}{place}"), style="trl", seconds=SECONDS, seed=work.options.seed)
            )
        except UsageError:
            continue
    work.folder.keep_rewards(tuple(checks))
    work.folder.finish(QUESTION, key, time.monotonic() - began)


def judge_rewards(checks: tuple[VerifierCheck, ...], settings: RuleSettings) -> tuple[Diagnosis, ...]:
    """What is wrong with each function that tells right answers from wrong ones.

    One that does not may reward a format beside another that looks at the answer, or be made for questions of a kind
    that it was not asked: nothing is said of it.
    """
    return tuple(judge_samples(None, None, check, settings) for check in checks if check.domains)


def list_facts(checks: tuple[VerifierCheck, ...]) -> tuple[tuple[str, str], ...]:
    """Which functions were attacked, and how often they were asked."""
    told = ", ".join(f"{check.called} (asked {check.calls} times)" for check in checks)
    return (("reward functions attacked", told),) if told else ()


def load_rewards(folder: CaseFolder) -> tuple[VerifierCheck, ...]:
    """What the functions did, where they were attacked."""
    return folder.rewards() if QUESTION in folder.index.seconds else ()
