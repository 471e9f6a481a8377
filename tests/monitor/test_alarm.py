"""What is told of a fault, and how often."""

from __future__ import annotations

from msgspec.structs import replace

from weaklink.base.finding import Finding, Level
from weaklink.collect.monitor.alarm import Alarm


class Kept(list):
    """A recorder and sinks in one: keeps the level of whatever it is handed."""

    def add(self, kind, value):
        assert kind == "finding"

    def tell(self, finding, run):
        self.append(finding.severity)


FOUND = Finding(message="A gradient is NaN.", code="OPT300", level=Level.WARN)


def test_a_fault_is_told_once_and_again_where_it_became_an_error():
    kept = Kept()
    alarm = Alarm("run", kept, kept, stops=True)
    for _ in range(3):
        alarm.tell(FOUND)
    assert (kept, alarm.fatal) == ([Level.WARN], None)
    worse = replace(FOUND, level=Level.ERROR, message="It has been NaN since.")
    for finding in (worse, FOUND, worse):
        alarm.tell(finding)
    assert kept == [Level.WARN, Level.ERROR]
    assert alarm.told == [worse]
    assert alarm.fatal == worse
