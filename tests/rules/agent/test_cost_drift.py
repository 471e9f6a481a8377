from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import CannotTell
from weaklink.rules._registry import find_rule

GRPO = {"algo": "grpo"}
DEARER = ramp(1.0, 3.0, 0.1)


def sick():
    return [
        run_of({"task.cost": DEARER, "task.success_rate": noisy(0.4, 0.02)}, GRPO),
        run_of({"task.turns": ramp(5, 15, 0.5), "evaluation.score": ramp(0.5, 0.3, 0.02)}, GRPO),
        run_of(
            {"task.turns": ramp(5, 15, 0.5), "action.tool_calls": noisy(3, 0.2), "task.success_rate": noisy(0.4, 0.02)}
        ),
    ]


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
    ]


def test_without_success_it_cannot_tell():
    assert isinstance(find_rule("AGT305").ask(healthy()[3]), CannotTell)
