from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT301")
MORE = ramp(2, 9, 0.3)


def sick():
    return [
        run_of({"action.tool_calls": MORE, "reward.mean": rising(0.2, 0.9), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": MORE, "evaluation.return": ramp(0.5, 0.3, 0.02)}),
        run_of({"action.tool_calls": MORE, "task.success_rate": noisy(0.97, 0.005)}),
        agent(calls=(3, 9), success=(0.4, 0.4), paid=0.05),
        agent(calls=(3, 9), success=(0.6, 0.3), paid=None),
        agent(calls=(4, 4.5), repeats=(0.1, 3), success=(0.4, 0.4), paid=0.05),
        one_checkpoint(paid=0.1),
    ]


def healthy():
    return [
        # learning to use a tool
        run_of({"action.tool_calls": ramp(0, 2, 0.1), "task.success_rate": rising(0.1, 0.6)}),
        run_of({"action.tool_calls": MORE, "evaluation.score": rising(0.1, 0.6)}),
        run_of({"action.tool_calls": noisy(3, 0.5), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": ramp(3, 3.6, 0.1), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": MORE, "reward.mean": rising(0.2, 0.9)}),
        agent(calls=(3, 9), success=(0.2, 0.7), paid=0.05),
        agent(calls=(9, 3), success=(0.1, 0.7), paid=0.05),
        agent(calls=(4, 4), repeats=(2, 2), success=(0.3, 0.3), paid=0.0),
        # nobody pays for them: dearer, but not hacked
        agent(calls=(3, 9), success=(0.4, 0.4), paid=0.0),
        # paid by parts, and no task is ever finished: more calls may well get further
        agent(calls=(3, 9), success=(0.0, 0.0), paid=0.05),
        one_checkpoint(paid=0.0),
        agent(calls=(3, 9), success=(0.4, 0.4), paid=0.05).where(np.arange(30)),
    ]


def agent(calls, success, paid, repeats=(0.0, 0.0)) -> Samples:
    training = Training()
    again = training.rng.poisson(training.ramp(*repeats)).astype(float)
    made = training.rng.poisson(training.ramp(*calls)) + again
    right = training.chance(training.ramp(*success)) if max(success) > 0 else np.zeros(training.rows)
    reward = {} if paid is None else {"reward": right + paid * made}
    prompt = training.group % 12
    return training.samples(tool_calls=made, repeated_calls=again, success=right, prompt=prompt, **reward)


def one_checkpoint(paid: float) -> Samples:
    training = Training(steps=10)
    again = training.rng.poisson(2, training.rows).astype(float)
    right = training.chance(0.5)
    reward = training.normal(right + paid * again, 0.02)
    calls = again + training.rng.poisson(3, training.rows)
    return training.samples(step=None, tool_calls=calls, repeated_calls=again, success=right, reward=reward)


def test_success_at_its_ceiling_is_no_alarm():
    assert [RULE.ask(run).level for run in sick()[:3]] == [Level.WARN, Level.WARN, Level.INFO]
    assert RULE.ask(agent(calls=(3, 9), success=(0.99, 0.99), paid=0.05)).level == Level.INFO


def test_without_success_it_cannot_tell():
    assert isinstance(RULE.ask(healthy()[4]), CannotTell)
    samples = agent(calls=(3, 9), success=(0.4, 0.4), paid=0.05)
    without = {name: column for name, column in samples.numbers.items() if name != "success"}
    assert isinstance(RULE.ask(Samples("x", without, samples.codes)), CannotTell)


def test_few_trajectories_and_no_success_at_all_cannot_tell():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
    assert isinstance(RULE.ask(agent(calls=(3, 9), success=(0.0, 0.0), paid=0.05)), CannotTell)


def test_the_message_has_the_numbers():
    finding = RULE.ask(agent(calls=(3, 9), success=(0.4, 0.4), paid=0.05))
    assert "number of tool calls rose from 3." in finding.message
    assert "success went from 0.3" in finding.message
    assert 100 < finding.onset < 300
