"""The designs of experiments: each a file of `designs/`, found by being there."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.judge.rules._registry import Rule, find_rule
from weaklink.verbs.confirm.experiment import Experiment


@cache
def load_designs() -> tuple[Any, ...]:
    """Every design, the most telling first: modules with RANK, `designed(rule)` and `carried_out(...)`."""
    files = sorted((Path(__file__).parent / "designs").glob("[a-z]*.py"))
    found = [import_module(f"weaklink.verbs.confirm.designs.{file.stem}") for file in files]
    return tuple(sorted(found, key=lambda module: module.RANK))


def find_designs(rule: Rule) -> list[tuple[Any, Experiment]]:
    """The designs that can prove a rule's findings, with the experiment of each."""
    made = ((design, design.designed(rule)) for design in load_designs())
    return [(design, experiment) for design, experiment in made if experiment is not None]


def find_provable_rule(word: str) -> Rule:
    """The rule of a code or name, if there is an experiment for it.

    Raises:
        UsageError: there is none; the message gives the page's own words.
    """
    rule = find_rule(word)
    if not find_designs(rule):
        by_hand = " ".join(rule.page["How to prove it"].split())
        raise UsageError(f"No experiment is known that proves {rule.code} by itself. By hand: {by_hand}")
    return rule
