"""What the monitor asks of whoever judges: it collects and measures, and knows no rule itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding


@dataclass(frozen=True, slots=True)
class LiveJudgement:
    """What a judge says: its findings, the codes of the rules that found nothing, and the rules that failed, with
    the fault. `settled` are the codes of findings that one look settles."""

    findings: tuple[Finding, ...] = ()
    clean: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    settled: frozenset[str] = frozenset()


class LiveJudge(Protocol):
    """Judges one update seen from inside the loop, and the run as far as it has come. It never raises."""

    def prepare(self) -> None:
        """Loads what judging takes, so that the training does not wait for it later."""

    def judge_rollout(self, rollout: Rollout) -> LiveJudgement:
        """Judges one look at an update."""

    def judge_run(self, run: Run) -> LiveJudgement:
        """Judges the run so far, findings that follow from others marked as such."""
