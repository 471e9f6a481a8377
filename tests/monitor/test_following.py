"""The loop of `weaklink watch` without a screen, on files that grow, shrink, vanish and come back."""

from __future__ import annotations

import os
import shutil
import time
from functools import partial
from pathlib import Path

import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.growing import PROVEN, STEPS, curves, into_recording, into_table, prove_in
from tests.patience import PATIENCE
from weaklink.base.errors import UsageError
from weaklink.base.evidence.store import FILE
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.readers import discover, read
from weaklink.collect.readers.growing import GrowingRecording, is_growing
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.verbs.watch import followed, pace
from weaklink.verbs.watch import following as following_module
from weaklink.verbs.watch.events import Event, EventKind
from weaklink.verbs.watch.files import measure_files, was_restarted
from weaklink.verbs.watch.following import RunFollower
from weaklink.verbs.watch.pace import LONGEST_REST, SHARE, TimeAccount
from weaklink.verbs.watch.told import ToldFindings


def finding(code: str, level: Level = Level.WARN, link: Link = Link.POLICY) -> Finding:
    return Finding(message="seen", code=code, name="made", link=link, level=level)


def codes(findings: list[Finding]) -> list[str]:
    return [one.code for one in findings]


class Clock:
    """Time passes only where the loop sleeps: however fast or slow the machine is, so many turns are made."""

    time = staticmethod(time.time)

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def thread_time(self) -> float:
        return 0.0


CLOCK = Clock()


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    for module in (followed, following_module, pace):
        monkeypatch.setattr(module, "time", CLOCK)
    monkeypatch.setattr(following_module, "TimeAccount", partial(TimeAccount, CLOCK.monotonic, CLOCK.thread_time))


def turned(following: RunFollower, seconds: float, until: EventKind | None = None) -> list[Event]:
    """The events of some time, or up to the first of a kind."""
    events: list[Event] = []
    ends = CLOCK.monotonic() + seconds
    for turn in following.follow():
        events.extend(turn)
        if CLOCK.monotonic() > ends or (until is not None and any(event.kind is until for event in events)):
            return events
    return events


def of(events: list[Event], kind: EventKind) -> list[str]:
    return [event.finding.code if event.finding else event.message for event in events if event.kind is kind]


def age(file: Path, seconds: float = 3600.0) -> None:
    then = time.time() - seconds
    os.utime(file, (then, then))


# what is told when


def test_a_warning_needs_two_looks_in_a_row():
    told = ToldFindings()
    assert told.look([finding("POL301")]) == ([], [])
    assert told.look([]) == ([], [])
    assert told.look([finding("POL301")]) == ([], [])
    fresh, gone = told.look([finding("POL301")])
    assert (codes(fresh), gone) == (["POL301"], [])
    assert told.look([finding("POL301")]) == ([], [])


@pytest.mark.parametrize(("level", "certain"), [(Level.ERROR, ()), (Level.WARN, ("POL301",))])
def test_an_error_and_what_the_run_says_itself_need_one(level, certain):
    assert codes(ToldFindings().look([finding("POL301", level)], certain)[0]) == ["POL301"]


def test_the_order_of_the_diagnosis_is_kept_and_one_illness_is_told_once():
    findings = [finding("POL303"), finding("POL301"), finding("POL301"), finding("POL301", link=Link.VALUE)]
    told = ToldFindings()
    told.look(findings)
    assert codes(told.look(findings)[0]) == ["POL303", "POL301", "POL301"]


def test_gone_is_told_once_and_coming_back_is_not():
    told = ToldFindings()
    here = [finding("POL301")]
    told.look(here), told.look(here)
    assert told.look([]) == ([], [])
    assert codes(told.look([])[1]) == ["POL301"]
    for _ in range(3):
        assert told.look(here) == ([], [])
    for _ in range(3):
        assert told.look([]) == ([], [])


def test_what_becomes_worse_is_told_again():
    told = ToldFindings()
    told.look([finding("POL301", Level.INFO)]), told.look([finding("POL301", Level.INFO)])
    assert codes(told.look([finding("POL301", Level.ERROR)])[0]) == ["POL301"]
    assert told.look([finding("POL301", Level.INFO)]) == ([], [])


def test_what_waits_is_told_when_no_look_will_come():
    told = ToldFindings()
    told.look([finding("POL301")])
    assert told.waiting
    assert codes(told.settle()) == ["POL301"]
    assert not told.waiting
    assert told.settle() == []


# how often


def test_looking_is_paid_for():
    clock = {"now": 0.0, "worked": 0.0}
    pace = TimeAccount(lambda: clock["now"], lambda: clock["worked"])
    while clock["now"] < 10_000.0:
        clock["now"] += 0.5
        if pace.free:
            with pace.spent():
                clock["worked"] += 0.2
    assert clock["worked"] / clock["now"] == pytest.approx(SHARE, rel=0.01)
    with pace.spent():
        clock["worked"] += 1000.0
    assert not pace.free
    clock["now"] += LONGEST_REST + 1.0
    assert pace.free


# a recording, read on


def growing(folder: Path) -> GrowingRecording:
    (found,) = discover(folder)
    assert is_growing(found)
    return GrowingRecording(found)


def same(left, right) -> bool:
    return (
        left.name == right.name
        and left.source == right.source
        and left.framework == right.framework
        and left.proven == right.proven
        and list(left.series) == list(right.series)
        and all(left[name].values.tolist() == right[name].values.tolist() for name in left.series)
        and all(left[name].steps.tolist() == right[name].steps.tolist() for name in left.series)
    )


def test_reading_on_gives_what_reading_the_whole_gives(tmp_path):
    write = into_recording(tmp_path / "run")
    rows = curves(30)
    write(STEPS, rows[0])
    followed = growing(tmp_path / "run")
    for index, row in enumerate(rows[1:], 2):
        write(STEPS * index, row)
        if index % 7 == 0:
            followed.take()
            assert same(followed.run(), read(tmp_path / "run"))
        if index == 10:
            prove_in(tmp_path / "run")
    followed.take()
    assert same(followed.run(), read(tmp_path / "run"))
    assert followed.told == [PROVEN]
    assert codes(list(followed.run().proven)) == [PROVEN]


def test_every_cut_of_a_recording_is_read_on(tmp_path):
    write = into_recording(tmp_path / "made")
    for index, row in enumerate(curves(3), 1):
        write(STEPS * index, row)
    content = (tmp_path / "made" / FILE).read_bytes()
    file = tmp_path / "run" / FILE
    file.parent.mkdir()
    file.write_bytes(content[:40])
    followed = growing(tmp_path / "run")
    for end in range(40, len(content) + 1, 3):
        file.write_bytes(content[:end])
        followed.take()
    file.write_bytes(content)
    followed.take()
    assert followed.restarts == 0
    assert len(followed.run()["policy.kl"]) == 3


def test_a_recording_that_is_cut_off_or_replaced_is_begun_anew(tmp_path):
    write = into_recording(tmp_path / "run")
    for index, row in enumerate(curves(10), 1):
        write(STEPS * index, row)
    followed = growing(tmp_path / "run")
    followed.take()
    file = tmp_path / "run" / FILE
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 3])
    followed.take()
    assert followed.restarts == 1
    assert 0 < len(followed.run()["policy.kl"]) < 10
    other = into_recording(tmp_path / "other")
    for index, row in enumerate(curves(20), 1):
        other(STEPS * index, row)
    file.write_bytes((tmp_path / "other" / FILE).read_bytes())
    followed.take()
    assert followed.restarts == 2
    assert len(followed.run()["policy.kl"]) == 20


def test_only_a_log_that_lost_most_of_itself_was_begun_anew(tmp_path):
    file = tmp_path / "progress.csv"
    file.write_bytes(b"x" * 1000)
    before = measure_files([file])
    file.write_bytes(b"x" * 900)
    assert not was_restarted(before, measure_files([file]))
    file.write_bytes(b"x" * 100)
    assert was_restarted(before, measure_files([file]))
    file.unlink()
    assert not was_restarted(before, measure_files([file]))


# the loop


def test_an_old_log_is_told_at_once_and_as_it_is_diagnosed(tmp_path):
    log = sick_log(tmp_path / "run")
    age(log)
    events = turned(RunFollower([tmp_path]), 0.0)
    assert events[0].kind is EventKind.RUN
    assert of(events, EventKind.FINDING) == codes(list(diagnose(read(log)).findings))


def test_a_healthy_log_is_met_in_silence(tmp_path):
    age(healthy_log(tmp_path / "run"))
    events = turned(RunFollower([tmp_path]), 1.5)
    assert [event.kind for event in events] == [EventKind.RUN]


def test_a_run_that_comes_later_is_met(tmp_path):
    age(healthy_log(tmp_path / "first"))
    following = RunFollower([tmp_path])
    turned(following, 0.0)
    log = sick_log(tmp_path / "later")
    age(log)
    events = turned(following, PATIENCE, EventKind.FINDING)
    assert [event.target for event in events if event.kind is EventKind.RUN] == [str(tmp_path / "later")]
    assert "POL301" in of(events, EventKind.FINDING)


def test_a_log_begun_anew_is_told_anew(tmp_path):
    log = sick_log(tmp_path)
    age(log)
    following = RunFollower([log])
    assert "POL301" in of(turned(following, 0.0), EventKind.FINDING)
    whole = log.read_text()
    log.write_text("\n".join(whole.splitlines()[:3]) + "\n")
    events = turned(following, PATIENCE, EventKind.RUN)
    assert any("begun anew" in note for note in of(events, EventKind.NOTE))
    log.write_text(whole)
    age(log, 60)
    assert "POL301" in of(turned(following, PATIENCE, EventKind.FINDING), EventKind.FINDING)


def test_a_folder_that_vanishes_for_a_moment_is_told_once(tmp_path):
    folder = tmp_path / "runs"
    age(sick_log(folder / "a"))
    following = RunFollower([folder])
    turned(following, 0.0)
    shutil.move(folder, tmp_path / "away")
    events = turned(following, 6.0)
    assert [event.kind for event in events] == [EventKind.NOTE]
    shutil.move(tmp_path / "away", folder)
    assert turned(following, 3.0) == []
    verdicts = [event.diagnosis.verdict for event in following.verdicts() if event.diagnosis]
    assert verdicts == ["broken"]


def test_one_run_of_several_that_vanishes_is_told_once(tmp_path):
    for name in ("a", "b"):
        age(healthy_log(tmp_path / name))
    following = RunFollower([tmp_path])
    turned(following, 0.0)
    shutil.rmtree(tmp_path / "a")
    events = turned(following, 5.0)
    assert [(event.kind, event.target) for event in events] == [(EventKind.NOTE, str(tmp_path / "a"))]


def test_a_folder_without_a_run_is_waited_for(tmp_path):
    following = RunFollower([tmp_path])
    events = turned(following, 2.5)
    assert [event.kind for event in events] == [EventKind.NOTE]
    age(sick_log(tmp_path / "run"))
    assert "POL301" in of(turned(following, PATIENCE, EventKind.FINDING), EventKind.FINDING)


def test_a_log_that_is_still_empty_is_met_with_its_first_row(tmp_path):
    write = into_table(tmp_path / "run")
    age(tmp_path / "run" / "progress.csv")
    following = RunFollower([tmp_path])
    assert turned(following, 1.0) == []
    assert [event.message for event in following.verdicts() if "holds no number" in event.message]
    for index, row in enumerate(curves(5), 1):
        write(STEPS * index, row)
    assert EventKind.RUN in [event.kind for event in turned(following, PATIENCE, EventKind.RUN)]


def test_what_is_missing_is_misuse_unless_it_is_waited_for(tmp_path):
    with pytest.raises(UsageError, match="--wait"):
        RunFollower([tmp_path / "none"])
    with pytest.raises(UsageError, match="Standard input"):
        RunFollower(["-"])
    following = RunFollower([tmp_path / "none"], wait=True)
    turned(following, 0.0)
    age(sick_log(tmp_path / "none"))
    assert "POL301" in of(turned(following, PATIENCE, EventKind.FINDING), EventKind.FINDING)


def test_how_a_run_stands(tmp_path):
    write = into_recording(tmp_path / "run")
    rows = curves(20)
    for index, row in enumerate(rows[:10], 1):
        write(STEPS * index, row)
    following = RunFollower([tmp_path / "run"])
    turned(following, 0.0)
    for index, row in enumerate(rows[10:], 11):
        write(STEPS * index, row)
    turned(following, 2.5)
    (status,) = following.statuses
    assert status.diagnosis.steps == 20 * STEPS
    assert status.rate > 0
    assert (status.measure, status.value) == ("reward.episode_return", rows[-1]["reward.episode_return"])
