from __future__ import annotations

from tests.worlds import changed, world
from weaklink.base.evidence.survey import TrajectoryComparison
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.slows_down import slows_down


def timed(*pairs):
    compared = (
        TrajectoryComparison(kind="after_play", seed=seed, steps=200, step_seconds=pair)
        for seed, pair in enumerate(pairs)
    )
    return changed(world(), comparisons=tuple(compared))


def sick():
    return [timed((1e-4, 1.4e-3), (9e-5, 1.5e-3)), timed((2e-3, 0.02), (2e-3, 0.03), (2e-3, 0.04))]


def healthy():
    return [
        timed((1e-4, 1.1e-4), (1e-4, 0.9e-4)),
        # another process had the machine once
        timed((1e-4, 1.4e-3), (1e-4, 1e-4), (1e-4, 1e-4)),
        # a first step that compiles makes the new one slow
        timed((5e-3, 1e-4), (4e-3, 1e-4)),
        # three times nothing
        timed((1e-6, 5e-6), (1e-6, 5e-6)),
    ]


def test_says_both_times_and_blames_the_system():
    answer = slows_down.rule.ask(sick()[0])
    assert (answer.severity, answer.link) == (Level.WARN, Link.SYSTEM)
    assert "A step takes 1.4 ms in an instance that has played before and 0.1 ms in a new one" in answer.message


def test_one_comparison_is_too_few():
    assert isinstance(slows_down.rule.ask(timed((1e-4, 1e-2))), CannotTell)
    assert isinstance(slows_down.rule.ask(world()), CannotTell)
