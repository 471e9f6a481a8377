"""Which rules to ask, and with which thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from weaklink.base.errors import UnknownRule, UsageError
from weaklink.judge.rules._registry import Rule, find_rule, load_rules, load_rules_on


class RuleSettings(msgspec.Struct, frozen=True):
    """The rules asked by code, and the thresholds that differ from their defaults."""

    codes: frozenset[str] | None = None
    thresholds: dict[str, dict[str, Any]] = {}

    @classmethod
    def of(
        cls,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> RuleSettings:
        """Checks what a user wrote: codes, families (`POL`) or names to select and to ignore, and thresholds."""
        chosen = _choose_codes(tuple(select), tuple(ignore))
        checked = {}
        for code, values in (thresholds or {}).items():
            rule = find_rule(code)
            checked[rule.code] = rule.checked(values)
        return cls(chosen, checked)

    def rules(self, kinds: Iterable[type]) -> list[Rule]:
        """The rules to ask about these kinds of evidence, in the order of the loop."""
        return [rule for rule in load_rules_on(*kinds).values() if self.codes is None or rule.code in self.codes]


def _choose_codes(select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str] | None:
    """The codes to ask; None for all of them, which need not be loaded to be known."""
    if not select and not ignore:
        return None
    chosen = set(_match_codes(select)) if select else set(load_rules())
    chosen -= set(_match_codes(ignore))
    if not chosen:
        raise UsageError("No rule is left to ask: --select and --ignore exclude each other.")
    return frozenset(chosen)


def _match_codes(words: Iterable[str]) -> Iterable[str]:
    """The codes that each word means: a code, a beginning of codes, or a name."""
    for word in words:
        prefix = word.strip().upper()
        codes = [code for code in load_rules() if prefix and code.startswith(prefix)]
        if codes:
            yield from codes
        else:
            yield find_rule(word).code


def parse_threshold(text: str) -> tuple[str, str, str]:
    """`CODE.name=value` taken apart."""
    place, equals, value = text.partition("=")
    code, dot, name = place.partition(".")
    if not (equals and dot and code and name and value):
        raise UsageError(f"--set takes CODE.name=value, such as POL301.lasting=0.4, not '{text}'.")
    return code.strip(), name.strip(), value.strip()


__all__ = ["RuleSettings", "UnknownRule", "parse_threshold"]
