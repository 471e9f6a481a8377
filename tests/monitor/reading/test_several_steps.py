"""Replayed targets of several steps, and of networks that are not in one module, read off the gradients alone."""

from __future__ import annotations

import pytest

from tests.monitor.reading.listening import read_updates
from tests.monitor.reading.replay_loops import GAMMA, learn_detached, learn_steps
from tests.recoveries import look_at, q_loop, steps_loop
from weaklink.base.evidence.flaw_kinds import ONE_DISCOUNT
from weaklink.base.evidence.recovered import ACTION_CRITIC, NOTHING, OWN_NEXT, TERMINAL
from weaklink.base.finding import Finding
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.judge.rules._registry import find_rule


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_discount_and_the_ends_of_windows_are_read(count: int) -> None:
    (found,) = steps_loop(count=count).recovered.values
    assert found.gamma == pytest.approx(GAMMA, abs=1e-3)
    assert found.source.startswith("max")
    assert {end.place: end.goes_on_with for end in found.ends}.get(TERMINAL, NOTHING) == NOTHING
    assert not [flaw for flaw in steps_loop(count=count).recovered.flaws if flaw.kind == ONE_DISCOUNT]


def test_a_discount_that_nobody_tries_is_found_by_its_power() -> None:
    read = steps_loop(config=(("gamma", 0.5),))
    assert read.recovered.values[0].gamma == pytest.approx(GAMMA, abs=1e-3)


def test_a_next_value_that_is_discounted_once_is_told_from_one_that_is_not() -> None:
    flaws = [flaw for flaw in steps_loop("once").recovered.flaws if flaw.kind == ONE_DISCOUNT]
    assert [(flaw.of, round(flaw.number, 3)) for flaw in flaws] == [(3, GAMMA)]


def test_a_window_that_a_time_limit_cuts_goes_on_with_fewer_discounts() -> None:
    read = assemble_rollout(read_updates(lambda: learn_steps(limit=8))[-1], 0.0, {})
    assert read.targets is not None
    assert read.recovered.values[0].gamma == pytest.approx(GAMMA, abs=1e-3)
    assert not isinstance(find_rule("RET202").ask(read), Finding)
    assert not isinstance(find_rule("RET203").ask(read), Finding)


def test_targets_of_one_step_are_left_as_they_are() -> None:
    (found,) = q_loop().recovered.values
    assert found.gamma == pytest.approx(GAMMA, abs=1e-3)
    assert {end.goes_on_with for end in found.ends} <= {NOTHING, OWN_NEXT}


def test_targets_that_are_detached_and_networks_that_are_joined_outside_are_read() -> None:
    found = look_at(read_updates(learn_detached)[-1]).recovered
    assert {(each.kind, each.source) for each in found.values} == {(ACTION_CRITIC, "min")}
    assert [each.gamma for each in found.values] == pytest.approx([GAMMA] * 2, abs=1e-3)
    assert found.flaws == ()
