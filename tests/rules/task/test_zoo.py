"""No rule on the task raises an alarm on the likeness of a well-known task."""

from __future__ import annotations

import numpy as np

from tests.looping import loop_over
from tests.rules.task.tasks import recorded, zoo
from tests.worlds import with_play
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import load_rules

RULES = [rule for code, rule in load_rules().items() if code.startswith("TSK1")]
TASKS = zoo()
OF_STEPS = [rule for rule in RULES if rule.code not in ("TSK101", "TSK102")]


@loop_over(rule=RULES, task=TASKS)
def test_no_alarm(task, rule):
    answer = rule.ask(TASKS[task])
    assert not isinstance(answer, Finding) or answer.level == Level.INFO, answer


@loop_over(rule=OF_STEPS, task=TASKS)
def test_returns_alone_say_nothing_of_steps(task, rule):
    better = recorded(np.linspace(2000.0, 3000.0, 100))
    assert rule.ask(with_play(TASKS[task], policy=better)) == rule.ask(TASKS[task])
