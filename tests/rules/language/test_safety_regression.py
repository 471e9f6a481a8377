from __future__ import annotations

from tests.curves import noisy, ramp, run_of, step_change
from tests.sampled import Training, against
from weaklink.judge.rules._registry import find_rule


def sick_runs():
    return [
        run_of({"task.unsafe_rate": ramp(0.02, 0.3, 0.01)}),
        run_of({"task.unsafe_rate": step_change(0.05, 0.2, spread=0.01)}),
    ]


def healthy_runs():
    spike = noisy(0.05, 0.01)
    spike[50:55] = 0.6
    return [
        run_of({"task.unsafe_rate": noisy(0.1, 0.03)}),
        run_of({"task.unsafe_rate": ramp(0.3, 0.02, 0.01)}),
        run_of({"task.unsafe_rate": ramp(0.02, 0.04, 0.005)}),
        run_of({"task.unsafe_rate": spike}),
    ]


def sick_samples():
    t = Training()
    before = Training(steps=1, prompts=40, size=4, seed=1)
    return [
        t.samples(unsafe=t.chance(t.ramp(0.05, 0.4))),
        # a few prompts over and over
        t.samples(unsafe=t.chance(t.ramp(0.05, 0.4)), prompt=t.group % 6),
        t.samples(unsafe=t.chance(t.ramp(0.02, 0.6)), unsafe_prompt=t.chance(0.5)),
        against(t.samples(step=None, unsafe=t.chance(0.4)), before.samples(unsafe=before.chance(0.05))),
    ]


def healthy_samples():
    t = Training()
    unsafe = t.chance(t.ramp(0.1, 0.6))
    return [
        t.samples(unsafe=t.chance(0.1), unsafe_prompt=t.chance(0.5)),
        # more unsafe prompts, each answered as before
        t.samples(unsafe=unsafe * t.chance(0.2), unsafe_prompt=unsafe),
        t.samples(unsafe=t.chance(t.ramp(0.3, 0.05))),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_the_onset_is_where_it_set_in():
    assert abs(find_rule("LLM317").ask(sick_runs()[1]).onset - 0.5 * 204_800) < 0.03 * 204_800
