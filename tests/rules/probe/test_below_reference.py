from __future__ import annotations

import msgspec
import pytest

from tests.rules.probe.contests import STEPS, chance, compared, contest, failing, normal, side
from weaklink.base.evidence.comparison import DIED, HUNG, RAISED, AgentAnswers, Comparison, Contestant
from weaklink.base.evidence.standing import compute_standing
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB130")
GOOD, POOR = normal(400.0, 30.0), normal(40.0, 8.0)
SLOW = "no end within 9 seconds"


def hung_once(contestant: Contestant) -> Contestant:
    lost = failing(contestant.name, HUNG, SLOW, range(7, 8)).trainings
    return msgspec.structs.replace(contestant, trainings=(*contestant.trainings, *lost))


def sick() -> list[Comparison]:
    return [
        contest(POOR, GOOD),
        contest(POOR, GOOD, seeds=5, alike=0.5),
        contest(normal(150.0, 40.0), normal(480.0, 15.0)),
        contest(POOR, GOOD, promise=7.0),
        contest(POOR, GOOD, promise=None),
        contest(POOR, GOOD, late=400.0),
        compared(failing("mine.py:train", RAISED, "ValueError: no such space."), side("sb3:PPO", GOOD, range(3))),
        compared(failing("mine.py:train", DIED, "the whole process died of SIGSEGV"), side("sb3:PPO", GOOD, range(3))),
        compared(failing("mine.py:train", HUNG, SLOW), side("sb3:PPO", GOOD, range(3))),
        compared(failing("mine.py:train", HUNG, SLOW, range(1)), side("sb3:PPO", GOOD, range(1))),
        compared(failing("mine.py:train", RAISED, "E: e", range(1)), side("sb3:PPO", GOOD, range(1))),
        compared(failing("mine.py:train", RAISED, "E: e"), hung_once(side("sb3:PPO", GOOD, range(2)))),
    ]


def healthy() -> list[Comparison]:
    return [
        contest(GOOD, GOOD),
        contest(normal(470.0, 20.0), GOOD),
        contest(normal(360.0, 40.0), GOOD),
        contest(normal(495.0, 1.0), normal(500.0, 0.0)),
        contest(chance(0.5), chance(0.8), seeds=5),
        contest(normal(200.0, 150.0), normal(350.0, 150.0)),
        contest(POOR, GOOD, seeds=2),
        contest(POOR, normal(20.0, 4.0)),
        contest(POOR, GOOD, taken=STEPS // 8),
        contest(GOOD, normal(100.0, 10.0)),
        compared(failing("mine.py:train", HUNG, SLOW), failing("sb3:PPO", HUNG, SLOW)),
        compared(failing("mine.py:train", HUNG, SLOW), hung_once(side("sb3:PPO", GOOD, range(2)))),
        compared(side("mine.py:train", POOR, range(3)), failing("sb3:PPO", RAISED, "ValueError: no such space")),
        compared(failing("mine.py:train", RAISED, "E: e"), failing("sb3:PPO", RAISED, "E: e")),
        contest(POOR, GOOD, seeds=0),
        msgspec.structs.replace(contest(POOR, GOOD), random=()),
    ]


def asked(comparison: Comparison) -> Finding:
    finding = RULE.ask(comparison)
    assert isinstance(finding, Finding)
    return finding


@pytest.mark.parametrize(
    ("place", "link", "level"),
    [
        (0, Link.POLICY, Level.WARN),
        (3, Link.VALUE, Level.WARN),
        (4, Link.POLICY, Level.WARN),
        (5, Link.EVALUATION, Level.INFO),
        (6, Link.SYSTEM, Level.ERROR),
        (8, Link.SYSTEM, Level.ERROR),
        (9, Link.SYSTEM, Level.ERROR),
        (10, Link.SYSTEM, Level.ERROR),
    ],
)
def test_blames_what_differs(place, link, level):
    finding = asked(sick()[place])
    assert (finding.link, finding.level) == (link, level), finding.message


def test_says_where_they_differ():
    message = asked(contest(POOR, GOOD, seeds=5, alike=0.5)).message
    assert "the reference's own seeds agree in" in message
    assert "times the returns that follow" in message
    assert "in 5 seeds each" in message
    mute = contest(POOR, GOOD, promise=None)
    silent = [msgspec.structs.replace(each, answers=AgentAnswers()) for each in mute.trainer.trainings]
    trainer = msgspec.structs.replace(mute.trainer, trainings=tuple(silent))
    assert "Expose `value`" in asked(msgspec.structs.replace(mute, trainer=trainer)).message


def test_a_hang_may_be_slowness_and_says_so():
    hung, raised = (
        asked(compared(failing("mine.py:train", kind, SLOW), side("sb3:PPO", GOOD, range(3))))
        for kind in (HUNG, RAISED)
    )
    assert (hung.confidence, raised.confidence) == (MEDIUM, HIGH)
    assert f"fails in 3 of 3 seeds ({SLOW})" in hung.message
    assert any("--timeout" in step for step in hung.fix)


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        (contest(POOR, GOOD, seeds=2), "3 seeds"),
        (contest(POOR, normal(20.0, 4.0)), "--steps"),
        (contest(POOR, GOOD, taken=STEPS // 8), "the same budget"),
        (compared(side("a:b", POOR, range(3)), failing("sb3:PPO", RAISED, "E: e")), "sb3:PPO"),
        (msgspec.structs.replace(contest(POOR, GOOD), random=()), "random play"),
    ],
)
def test_says_why_it_cannot_tell(comparison, told):
    answer = RULE.ask(comparison)
    assert isinstance(answer, CannotTell)
    assert told in answer.missing[0]


WORLDS = {
    "even": normal(300.0, 40.0),
    "noisy": normal(250.0, 150.0),
    "half of the seeds": chance(0.5),
    "most seeds": chance(0.8),
    "at the ceiling": normal(520.0, 60.0),
}


@pytest.mark.parametrize("world", WORLDS)
def test_rarely_parts_a_trainer_from_itself_once_more_seeds_are_in(world):
    alarms = 0
    for trial in range(100):
        first = contest(WORLDS[world], WORLDS[world], seeds=3, first_seed=10 * trial)
        if isinstance(RULE.ask(first), Finding):
            more = contest(WORLDS[world], WORLDS[world], seeds=5, first_seed=10 * trial)
            alarms += isinstance(RULE.ask(more), Finding)
    assert alarms == 0


def test_half_way_is_counted_from_random_play():
    found = compute_standing(contest(GOOD, GOOD))
    assert found.reference.half_way is not None
    assert 0.2 * STEPS < found.reference.half_way < 0.6 * STEPS
    assert compute_standing(contest(POOR, GOOD)).trainer.half_way is None
