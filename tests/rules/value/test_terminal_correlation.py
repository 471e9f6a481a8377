from __future__ import annotations

from tests.curves import noisy, rising, run_of, step_change


def sick():
    return run_of(
        {
            "value.terminal_correlation": rising(0, 0.93, 0.03),
            "value.penultimate_correlation": noisy(0.03, 0.05),
        }
    )


def healthy():
    last = rising(0, 0.95, 0.03)
    return [
        run_of({"value.terminal_correlation": last, "value.penultimate_correlation": rising(0, 0.9, 0.03, seed=1)}),
        # the last state is learnt first, the one before it follows
        run_of(
            {"value.terminal_correlation": last, "value.penultimate_correlation": step_change(0.05, 0.8, 0.5, 0.05)}
        ),
        run_of({"value.terminal_correlation": noisy(0, 0.1), "value.penultimate_correlation": noisy(0, 0.1)}),
    ]
