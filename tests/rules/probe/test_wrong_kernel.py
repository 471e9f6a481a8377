from __future__ import annotations

import pytest

from weaklink.base.evidence.kernels import KernelCheck, KernelChecks
from weaklink.base.finding import HIGH, MEDIUM, CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RIGHT = KernelCheck(
    kernel="gae", function="compute_gae", link=Link.RETURNS, verdict="right", cases=200, convention="advantages"
)
SHIFTED = KernelCheck(
    kernel="gae",
    function="compute_gae",
    link=Link.RETURNS,
    file="my.py",
    line=12,
    verdict="wrong",
    cases=200,
    failing=120,
    variant="done mask shifted by one",
    matched=200,
    smallest="rewards [1, 2]: it gives [3, 2],\nright is [1, 2]",
    error=0.8,
    look="the masks",
    fix="Mask step t with the flag that step t returned.",
)
UNCLEAR = KernelCheck(kernel="gae", function="compute_gae", link=Link.RETURNS, note="it has no rewards.")
UNNAMED = KernelCheck(
    kernel="value_loss", function="loss", link=Link.VALUE, verdict="wrong", cases=200, failing=30, error=float("inf")
)
RAISING = KernelCheck(
    kernel="gae", function="g", link=Link.RETURNS, verdict="wrong", cases=200, failing=9, raised="IndexError: 1"
)


def of(*checks):
    return KernelChecks(name="module", checks=checks)


def sick():
    return [of(SHIFTED), of(RIGHT, UNNAMED), of(RAISING, UNCLEAR)]


def healthy():
    return [of(RIGHT), of(UNCLEAR), of(RIGHT, UNCLEAR), KernelChecks()]


def test_the_message_names_place_mistake_and_count():
    (finding,) = find_rule("PRB301").ask(of(SHIFTED))
    assert finding.message.startswith("my.py:12 compute_gae equals 'done mask shifted by one' on 200 of 200 cases.")
    assert finding.fix[0] == SHIFTED.fix
    assert finding.confidence == HIGH
    assert {each.value for each in finding.evidence} == {120.0, 200.0, 0.8}


def test_the_link_is_that_of_the_kernel():
    (finding,) = find_rule("PRB301").ask(of(UNNAMED))
    assert (finding.link, finding.confidence) == (Link.VALUE, MEDIUM)
    assert "like no known mistake" in finding.message


@pytest.mark.parametrize("evidence", [KernelChecks(), of(UNCLEAR), of(RIGHT, UNCLEAR)])
def test_what_could_not_be_called_is_no_accusation(evidence):
    assert isinstance(find_rule("PRB301").ask(evidence), CannotTell)
