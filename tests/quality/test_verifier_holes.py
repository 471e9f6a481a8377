"""Planted holes of verifiers are found and sound ones are left alone: a fast part of bench/verifier_holes.py."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import pytest

from tests.sparing import spare
from weaklink.base.finding import Level
from weaklink.collect.samples.verifier import examine

BENCH = Path(__file__).parents[2] / "bench" / "verifier_holes.py"


def bench():
    """The bench, which lies beside the package."""
    spec = util.spec_from_file_location("verifier_holes", BENCH)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOLES = bench()
# one that evaluates what it is given takes a minute: `make bench-verifiers` has it
VERIFIERS = {target: code for target, code in HOLES.verifiers().items() if "evaluated" not in target}
SLOW = ("holed_code", "code_by")
QUICKEST = ("exit_code", "code_by_output")  # a hole and a sound one; `make test-whole` has the others
FAST = {target: code for target, code in VERIFIERS.items() if not any(word in target for word in SLOW)}


PATIENCE = 600.0
"""Seconds: what is tested is what is found, not how soon, and verifiers of code start a process for every answer."""


def serious(target: str) -> set[str]:
    findings = HOLES.findings(examine(target, seconds=PATIENCE))
    return {finding.code for finding in findings if finding.severity >= Level.WARN}


AGAIN = {
    # judged by the words, by the last number, by a pattern or by a tolerance as others are
    *("any_number", "pays_when_it_fails", "length_bonus", "choice_anywhere", "generous_tolerance", "not_greater"),
    *("prompt_counts", "any_box", "answer_as_pattern", "yes_judge", "always"),
    *("last_or_none", "keyword_judge", "normalised_away", "recall_only", "relative_to_larger"),
    # sound
    *("words_without_points", "maths_with_units", "shorter_is_better", "last_number"),
}
"""Those of which there is another of the same kind."""


@pytest.mark.parametrize(
    "target",
    spare(FAST, lambda target: target.rpartition(":")[2] not in AGAIN),
    ids=lambda target: target.rpartition(":")[2],
)
def test_holes_are_found_and_sound_verifiers_left_alone(target):
    code = FAST[target]
    found = serious(target)
    assert (code in found) if code else not found


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(target, id=name, marks=() if name in QUICKEST else pytest.mark.whole)
        for target in sorted(set(VERIFIERS) - set(FAST))
        for name in [target.rpartition(":")[2]]
    ],
)
def test_and_so_are_those_that_take_longer(target):
    code = VERIFIERS[target]
    found = serious(target)
    assert (code in found) if code else not found


def test_enough_of_both_are_planted():
    codes = list(HOLES.verifiers().values())
    assert sum(map(bool, codes)) >= 16
    assert codes.count("") >= 5
