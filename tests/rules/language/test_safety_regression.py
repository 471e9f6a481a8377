from __future__ import annotations

from tests.curves import noisy, ramp, run_of, step_change
from weaklink.rules._registry import find_rule


def sick():
    return [
        run_of({"task.unsafe_rate": ramp(0.02, 0.3, 0.01)}),
        run_of({"task.unsafe_rate": step_change(0.05, 0.2, spread=0.01)}),
    ]


def healthy():
    spike = noisy(0.05, 0.01)
    spike[50:55] = 0.6
    return [
        run_of({"task.unsafe_rate": noisy(0.1, 0.03)}),
        run_of({"task.unsafe_rate": ramp(0.3, 0.02, 0.01)}),
        run_of({"task.unsafe_rate": ramp(0.02, 0.04, 0.005)}),
        run_of({"task.unsafe_rate": spike}),
    ]


def test_the_onset_is_where_it_set_in():
    assert abs(find_rule("LLM317").ask(sick()[1]).onset - 0.5 * 204_800) < 0.03 * 204_800
