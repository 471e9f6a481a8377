"""The rules as the judge of a live training."""

from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.collect.monitor.judging import LiveJudgement
from weaklink.judge.diagnosis.about import is_settled_at_once
from weaklink.judge.diagnosis.engine import diagnose, judge_rollout
from weaklink.judge.diagnosis.settings import RuleSettings


class RuleJudge:
    """Judges by the rules: what a monitor asks for."""

    def __init__(self, settings: RuleSettings) -> None:
        self.settings = settings

    def prepare(self) -> None:
        """Loads the rules."""
        self.settings.rules((Rollout,))
        self.settings.rules((Run,))

    def judge_rollout(self, rollout: Rollout) -> LiveJudgement:
        """Judges one look at an update."""
        answers = judge_rollout(rollout, self.settings)
        return LiveJudgement(tuple(finding for _, finding in answers.fired), tuple(answers.clean), answers.unable)

    def judge_run(self, run: Run) -> LiveJudgement:
        """Judges the run so far."""
        diagnosis = diagnose(run, self.settings)
        settled = frozenset(one.code for one in diagnosis.findings if is_settled_at_once(one.code))
        return LiveJudgement(diagnosis.findings, diagnosis.clean, diagnosis.unable, settled)
