"""What broke first and what followed from it.

Earlier outranks later. An onset is known up to an interval of the log; onsets whose intervals overlap cannot be told
apart: then a cause comes before what it leads to, and otherwise the decision tree and the loop decide.

A consequence needs a cause that came no later and an edge (`leads_to`) from it; what has none stands on its own.

Proof outranks pattern: what was recomputed inside of the loop and found wrong comes first whatever the curves say. It
was wrong before anyone looked, so what it leads to follows from it at any time; so does an alarm further down the loop
that began later. When it was looked at says little of when it began: of proofs what is certainly wrong comes before
warnings, but for those that lead to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.base.finding import LOW, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import LAST_IN_TREE, Rule

SURE = -1.0  # before the first step: what is wrong on paper was wrong before training began

TWICE = 2.0
"""Times its limit: a setting beyond that is borne out by what it drives, whatever the return did."""

# the place in the decision tree of rules that have none of their own, by their link
_TREE_OF_LINK = {
    Link.VALUE: 1.0,
    Link.EXPLORATION: 2.0,
    Link.OPTIMIZER: 3.0,
    Link.RETURNS: 0.9,
    Link.POLICY: 5.0,
    Link.SYSTEM: 95.0,
}


class PlacedFinding(msgspec.Struct, frozen=True):
    """A finding with the interval of the run, from 0 to 1, in which it began, and whether it is proven."""

    finding: Finding
    rule: Rule
    after: float
    before: float
    proven: bool = False

    @property
    def rank(self) -> tuple[bool, float, int, str]:
        """Which of several that began together is named first: of proofs what is certainly wrong before a warning.

        A time limit taken for an end is in nearly all older code, and would hide what else is proven.
        """
        warned = self.proven and self.finding.severity < Level.ERROR
        tree = float(self.rule.tree)
        if self.rule.tree == LAST_IN_TREE:
            link = self.finding.link or self.rule.link
            tree = _TREE_OF_LINK.get(link, 0.1 + 0.01 * link.order)
        return warned, tree, self.rule.link.order, self.rule.code


def place_finding(finding: Finding, rule: Rule, run: Run | None = None) -> PlacedFinding:
    """Where in the run the finding began; findings without a step are true from before the start."""
    if run is None or finding.onset is None or not finding.evidence:
        return PlacedFinding(finding, rule, SURE, SURE)
    metric = finding.evidence[0].metric
    after = run.progress(metric, finding.onset)
    return PlacedFinding(finding, rule, after, run.progress(metric, finding.onset + finding.onset_within))


def place_proof(finding: Finding, rule: Rule, run: Run) -> PlacedFinding:
    """Where in the run something was seen inside of the loop; an alarm that is no mere suspicion is proof."""
    seen = SURE if finding.onset is None else run.progress("", finding.onset)
    return PlacedFinding(finding, rule, seen, seen, finding.severity >= Level.WARN and finding.confidence > LOW)


def is_far_off(finding: Finding, times: float) -> bool:
    """Whether a setting lies so many times beyond its limit."""
    value, limit = (
        (float(finding.evidence[0].value), float(finding.evidence[0].limit or 0.0)) if finding.evidence else (0.0, 0.0)
    )
    small, large = sorted((abs(value), abs(limit)))
    return large > times * small


def raise_suspicions(placed: Sequence[PlacedFinding]) -> list[PlacedFinding]:
    """The findings with a setting that is odd on paper made a break, where the curves show what it leads to.

    Where the setting lies far off, a curve that such settings drive and that is merely worth knowing by itself is
    enough: the two agree, whatever the return did.
    """
    shown = [one for one in placed if one.rule.on is Run]
    alarms = [one for one in shown if one.finding.severity >= Level.WARN]
    driven = [one for one in shown if "driven" in one.rule.marks]
    return [_raise_suspicion(one, alarms, driven) for one in placed]


def _drives(cause: Rule, shown: Rule) -> bool:
    """Whether settings of one rule act on what another measures: of the same link, or on how far updates go."""
    return cause.link is shown.link or (cause.link, shown.link) == (Link.OPTIMIZER, Link.POLICY)


def _list_led_to(one: PlacedFinding) -> set[str]:
    """The codes of what a setting leads to: one that is too large does not hold anything still."""
    evidence = one.finding.evidence
    above = bool(evidence) and float(evidence[0].value) > float(evidence[0].limit or 0.0)
    return {code for code in one.rule.leads_to if not above or code not in one.rule.only_below}


def _is_told_apart(shown: PlacedFinding, one: PlacedFinding, led_to: set[str], alarms: Sequence[PlacedFinding]) -> bool:
    """Whether a fault that a setting does not lead to, and that began no later, explains what is shown.

    A setting that lies far off is borne out all the same.
    """
    if is_far_off(one.finding, TWICE):
        return False
    others = (each for each in alarms if each is not shown and each.rule.code not in led_to)
    return any(_leads(each, shown) and not _leads(shown, each) and each.after <= shown.before for each in others)


def _raise_suspicion(
    one: PlacedFinding, alarms: Sequence[PlacedFinding], driven: Sequence[PlacedFinding]
) -> PlacedFinding:
    """A suspicion with what bears it out; any other finding as it is."""
    seen = [*alarms, *(each for each in driven if _drives(one.rule, each.rule) and is_far_off(one.finding, TWICE))]
    led_to = _list_led_to(one)
    borne_out = [each for each in seen if each.rule.code in led_to and not _is_told_apart(each, one, led_to, alarms)]
    shown = [each.finding for each in sorted(borne_out, key=lambda each: "course of the return" in each.rule.marks)]
    if "suspect" not in one.rule.marks or one.finding.severity >= Level.WARN or not shown:
        return one
    evidence = (*one.finding.evidence, *(each.evidence[0] for each in shown if each.evidence))
    raised = msgspec.structs.replace(
        one.finding,
        level=Level.WARN,
        message=f"{one.finding.message} The curves bear it out: {shown[0].message}",
        evidence=evidence,
    )
    return msgspec.structs.replace(one, finding=raised)


def order_findings(placed: Sequence[PlacedFinding]) -> list[PlacedFinding]:
    """Findings by which broke first: proof before patterns, alarms before what is merely worth knowing."""
    proofs = [one for one in placed if one.proven]
    alarms = [one for one in placed if one.finding.severity >= Level.WARN and not one.proven]
    others = [one for one in placed if one.finding.severity < Level.WARN]
    return _sort_proofs(proofs) + _sort_by_cause(alarms) + _sort_by_cause(others)


def _sort_proofs(proofs: Sequence[PlacedFinding]) -> list[PlacedFinding]:
    """Errors with the warnings that lead to any of them, then all other warnings."""
    errors = [one for one in proofs if one.finding.severity >= Level.ERROR]
    first = [one for one in proofs if one in errors or any(_leads(one, error) for error in errors)]
    return _sort_by_cause(first) + _sort_by_cause([one for one in proofs if one not in first])


def _sort_by_cause(remaining: list[PlacedFinding]) -> list[PlacedFinding]:
    ordered: list[PlacedFinding] = []
    left = list(remaining)
    while left:
        earliest = min(one.before for one in left)
        together = [one for one in left if one.after <= earliest]
        causes = [one for one in together if not any(_leads(other, one) for other in together if other is not one)]
        chosen = min(causes or together, key=lambda one: one.rank)
        ordered.append(chosen)
        left.remove(chosen)
    return ordered


def fold_consequences(ordered: Sequence[PlacedFinding]) -> list[Finding]:
    """Each finding with its cause filled in, consequences right after it: those first that surely were there first."""
    causes: dict[str, str] = {}
    for index, one in enumerate(ordered):
        for earlier in ordered[:index]:
            if _explains(earlier, one) and earlier.finding.severity >= Level.WARN:
                causes[one.rule.code] = causes.get(earlier.rule.code, earlier.rule.code)
                break
    roots = [one for one in ordered if one.rule.code not in causes]
    result: list[Finding] = []
    for root in roots:
        result.append(root.finding)
        result.extend(
            msgspec.structs.replace(one.finding, consequence_of=root.rule.code)
            for one in sorted(ordered, key=lambda one: one.before)
            if causes.get(one.rule.code) == root.rule.code
        )
    return result


def _leads(cause: PlacedFinding, effect: PlacedFinding) -> bool:
    return effect.rule.code in cause.rule.leads_to


def _explains(cause: PlacedFinding, effect: PlacedFinding) -> bool:
    """Whether one may be the consequence of the other."""
    if _leads(cause, effect):
        return cause.proven or cause.after <= effect.before
    if not cause.proven or effect.proven or effect.finding.severity < Level.WARN:
        return False
    above, below = cause.finding.link or cause.rule.link, effect.finding.link or effect.rule.link
    return above.order < below.order and below is not Link.SYSTEM and cause.after < effect.after
