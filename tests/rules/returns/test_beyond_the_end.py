from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Finding
from weaklink.judge.rules.returns.beyond_the_end import beyond_the_end

LENGTH = rising(19, 52, 2)
DOWN = np.append(rising(20, 60, 2, points=50), rising(60, 20, 2, points=50))


def paid(values, lengths=LENGTH, pay=1.0, name="value.mean", config=None, returns=None):
    given = pay * lengths if returns is None else returns
    return run_of({"reward.episode_return": given, "task.episode_length": lengths, name: values}, config)


def sick():
    return [
        paid(ramp(0, 110)),
        paid(ramp(0, 400), name="value.q_mean"),
        paid(ramp(10, 110), name="returns.target_mean"),
        paid(-ramp(0, 110), pay=-1.0),
    ]


def healthy():
    return [
        paid(rising(0, 26)),
        paid(rising(0, -26), pay=-1.0),
        paid(ramp(0, 50), lengths=DOWN),  # a critic that remembers a better policy
        paid(noisy(90, 1), lengths=np.minimum(rising(19, 70, 2), 50)),  # a time limit ends them, and values go on
        paid(ramp(0, 110), returns=LENGTH * np.abs(noisy(1.0, 0.2))),  # steps are paid differently
        paid(ramp(0, 110), config={"reward_scale": 10}),
    ]


def test_a_soft_critic_counts_entropy_too():
    soft = paid(ramp(0, 110)).series | run_of({"exploration.temperature": noisy(0.2, 0.01)}).series
    assert not isinstance(beyond_the_end.rule.ask(run_of({name: each.values for name, each in soft.items()})), Finding)
