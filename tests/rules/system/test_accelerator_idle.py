from __future__ import annotations

from tests.curves import noisy, run_of
from weaklink.judge.rules.system.accelerator_idle import accelerator_idle


def sick():
    return [
        run_of({"system.accelerator_utilisation": noisy(0.12, 0.03)}),
        run_of({"system.accelerator_utilisation": noisy(12, 3)}),  # in percent
        run_of({"system.accelerator_memory": noisy(0.975, 0.004)}),
    ]


def healthy():
    return [
        run_of({"system.accelerator_utilisation": noisy(0.8, 0.1), "system.accelerator_memory": noisy(0.7, 0.02)}),
        run_of({"system.accelerator_utilisation": noisy(85, 5)}),
    ]


def test_tells_what_tensors_use_of_it():
    curves = {
        "system.accelerator_memory": noisy(0.98, 0.002),
        "system.memory_allocated": noisy(2e10, 1e8),
        "system.memory_reserved": noisy(8e10, 1e8),
    }
    assert "tensors use 25%" in accelerator_idle.rule.ask(run_of(curves)).message
