"""What a code stands for, for those who show findings and know no rule: the link it blames, its name, its page."""

from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.loop import FAMILIES, Link
from weaklink.judge.rules._registry import Rule, load_rules, load_rules_on


def find_link(code: str) -> Link | None:
    """The link that a rule blames, None for a code that is not known."""
    family = FAMILIES.get(code[:3])
    if family is not None:
        return family
    rule = _find_rule(code)
    return None if rule is None else rule.link


def find_name(code: str) -> str:
    """The name of a rule, empty for a code that is not known."""
    rule = _find_rule(code)
    return "" if rule is None else rule.name


def find_summary(code: str) -> str:
    """What a rule says, in one sentence; empty for a code that is not known."""
    rule = _find_rule(code)
    return "" if rule is None else rule.summary


def describe_rule(code: str) -> str:
    """What a rule says and why that is bad, in a few sentences: the beginnings of its page."""
    rule = _find_rule(code)
    if rule is None:
        return ""
    why = rule.page.get("Why it is bad", "").partition("\n\n")[0]
    return " ".join(f"{rule.summary} {why}".split())


def is_settled_at_once(code: str) -> bool:
    """Whether one look at a running training settles what a rule finds: a NaN does not get better by waiting."""
    rule = _find_rule(code)
    return rule is not None and "settled at once" in rule.marks


def list_proving_codes() -> tuple[str, ...]:
    """The codes of the rules that recompute what happens inside of the loop."""
    from weaklink.base.evidence.rollout import Rollout  # its many classes take longer to make than a small log to judge

    return tuple(load_rules_on(Rollout))


def _find_rule(code: str) -> Rule | None:
    """A rule by its code; those on runs are loaded whenever a run was judged, and loading the others takes longer."""
    return load_rules_on(Run, Config).get(code) or load_rules().get(code)
