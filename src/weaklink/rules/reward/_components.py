"""What says that the task was done: measures beside the reward, and components of it by their names."""

from __future__ import annotations

import re

from weaklink.evidence.performance import course_of
from weaklink.evidence.run import Run

TRUE = ("evaluation.score", "reward.human_score", "evaluation.success_rate", "task.success_rate", "evaluation.win_rate")

_OUTCOME = re.compile(
    r"(correct|accura|success|solve|passed|pass_rate|pass@|gold|ground_truth|is_right|win|exact_match|goal)"
)
_NEGATED = re.compile(r"(incorrect|inaccura|penalty|fail)")


def is_outcome(name: str) -> bool:
    """Whether a component, by its name, measures the outcome of the task rather than its form or a shaping term."""
    return bool(_OUTCOME.search(name)) and not _NEGATED.search(name)


def task_improved(run: Run) -> bool:
    """Whether a measure of the task itself rose."""
    courses = [course_of(run[name]) for name in TRUE if name in run]
    return any(course is not None and course.improved for course in courses)
