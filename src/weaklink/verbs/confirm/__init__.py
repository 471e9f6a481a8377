"""Experiments that prove a finding or not: one variable changed, several seeds, a short run, a test."""

from __future__ import annotations

import shlex


def has_experiment(code: str) -> bool:
    """Whether `weaklink confirm` has an experiment for the findings of a rule."""
    from weaklink.base.errors import UnknownRule
    from weaklink.judge.rules._registry import find_rule
    from weaklink.verbs.confirm._registry import find_designs

    try:
        return bool(find_designs(find_rule(code)))
    except UnknownRule:
        return False


def write_command(code: str, target: str) -> str:
    """The command that carries the experiment of a finding out; empty where there is none.

    Args:
        code: of the rule.
        target: the words of a target, such as `project.py` or `--algo sb3:PPO --env CartPole-v1`, or a case folder.
    """
    if not has_experiment(code):
        return ""
    said = target if target.startswith("--") else shlex.quote(target)
    return f"weaklink confirm {code} {said}"
