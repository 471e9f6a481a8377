"""No rule on the reward raises an alarm on the likeness of a well-known task."""

from __future__ import annotations

import numpy as np

from tests.looping import loop_over
from tests.rules.reward.likenesses import likenesses
from tests.rules.task.tasks import recorded
from tests.worlds import with_play
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import load_rules

RULES = [rule for code, rule in load_rules().items() if code.startswith(("REW10", "REW11")) and rule.on is Survey]
TASKS = likenesses()


def test_every_rule_is_asked():
    assert len(RULES) >= 11


@loop_over(rule=RULES, task=TASKS)
def test_no_alarm(task, rule):
    answer = rule.ask(TASKS[task])
    findings = answer if isinstance(answer, tuple) else (answer,)
    assert all(not isinstance(one, Finding) or one.level == Level.INFO for one in findings), answer


@loop_over(rule=RULES, task=TASKS)
def test_a_trained_policy_known_by_its_returns_changes_nothing(task, rule):
    better = recorded(np.linspace(2000.0, 3000.0, 100))
    assert rule.ask(with_play(TASKS[task], policy=better)) == rule.ask(TASKS[task])
