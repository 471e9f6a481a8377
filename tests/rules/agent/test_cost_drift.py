from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training, against
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules._registry import find_rule

GRPO = {"algo": "grpo"}
DEARER = ramp(1.0, 3.0, 0.1)


def sick():
    return [
        run_of({"task.cost": DEARER, "task.success_rate": noisy(0.4, 0.02)}, GRPO),
        run_of({"task.turns": ramp(5, 15, 0.5), "evaluation.score": ramp(0.5, 0.3, 0.02)}, GRPO),
        run_of(
            {"task.turns": ramp(5, 15, 0.5), "action.tool_calls": noisy(3, 0.2), "task.success_rate": noisy(0.4, 0.02)}
        ),
        agent(cost=(1, 2.5), success=(0.5, 0.5)),
        agent(turns=(4, 9), success=(0.5, 0.3)),
        agent(made_good=(0.9, 0.2), success=(0.5, 0.5)),
        against(agent(cost=(2, 2), success=(0.5, 0.5), step=None), agent(cost=(1, 1), success=(0.5, 0.5), step=None)),
    ]


def agent(success, *, cost=None, turns=None, made_good=None, failures=(1, 1), **columns) -> Samples:
    training = Training()
    right = training.chance(training.ramp(*success))
    if cost:
        columns["cost"] = training.lengths(100 * training.ramp(*cost)) / 100
    if turns:
        columns["turns"] = 1 + training.rng.poisson(training.ramp(*turns)).astype(float)
    if made_good:
        failed = training.rng.poisson(training.ramp(*failures))
        columns["failed_calls"] = failed.astype(float)
        columns["recovered_calls"] = training.rng.binomial(failed, training.ramp(*made_good)).astype(float)
    return training.samples(success=right, **({"prompt": training.group % 12} | columns))


def healthy():
    return [
        run_of({"task.cost": DEARER, "task.success_rate": rising(0.2, 0.8)}, GRPO),
        run_of({"task.cost": noisy(1.0, 0.1), "task.success_rate": noisy(0.4, 0.02)}, GRPO),
        run_of({"task.cost": ramp(3, 1, 0.1), "task.success_rate": noisy(0.4, 0.02)}, GRPO),
        run_of({"task.cost": DEARER}, GRPO),
        # safe reinforcement learning: costs are constraints
        run_of(
            {"task.cost": DEARER, "task.success_rate": noisy(0.4, 0.02), "policy.clip_fraction": noisy(0.1, 0.01)},
            {"algo": "ppo"},
        ),
        run_of({"task.cost": DEARER, "task.success_rate": noisy(0.4, 0.02)}),
        agent(cost=(1, 2.5), success=(0.2, 0.7)),
        agent(cost=(1, 1.2), success=(0.5, 0.5)),
        agent(cost=(2, 1), success=(0.5, 0.5)),
        agent(made_good=(0.5, 0.5), success=(0.5, 0.5)),
        # what still fails cannot be made good, but far less fails
        agent(made_good=(0.9, 0.3), failures=(3, 0.2), success=(0.5, 0.5)),
        # harder tasks later on, told so
        agent(turns=(4, 9), success=(0.5, 0.5), prompt=None, difficulty=Training().step),
        against(agent(cost=(1, 1), success=(0.5, 0.5), step=None), agent(cost=(1, 1), success=(0.5, 0.5), step=None)),
    ]


def test_without_success_it_cannot_tell():
    assert isinstance(find_rule("AGT305").ask(healthy()[3]), CannotTell)


def test_tasks_that_may_have_become_harder_are_no_alarm():
    rule = find_rule("AGT305")
    assert rule.ask(agent(turns=(4, 9), success=(0.5, 0.5))).level == Level.WARN
    assert rule.ask(agent(turns=(4, 9), success=(0.5, 0.5), prompt=None)).level == Level.INFO
    assert rule.ask(agent(turns=(4, 9), success=(0.99, 0.99))).level == Level.INFO


def test_recovery_is_told_as_such():
    finding = find_rule("AGT305").ask(agent(made_good=(0.9, 0.2), success=(0.5, 0.5)))
    assert "failed calls that the agent recovers from fell from 0.8" in finding.message


def test_few_rows_are_enough_where_the_cost_is_threefold_and_success_does_not_move():
    few = Training(steps=20, prompts=8, size=1, seed=3)
    solved = np.tile((1.0, 0.0), few.rows // 2)
    more = np.where(few.progress > 0.5, np.tile((1.0, 1.0, 1.0, 0.0), few.rows // 4), solved)
    shared = {"prompt": few.group % 24, "prompt_length": np.full(few.rows, 9.0)}
    rule = find_rule("AGT305")
    found = rule.ask(few.samples(success=solved, cost=few.lengths(100 * few.ramp(1, 6)), **shared))
    assert isinstance(found, Finding)
    assert found.level == Level.WARN
    assert not isinstance(
        rule.ask(few.samples(success=more, cost=few.lengths(100 * few.ramp(1, 6)), **shared)), Finding
    )
