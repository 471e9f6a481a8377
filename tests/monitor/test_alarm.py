"""What is told of a fault, and how often."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

import weaklink
from weaklink.base.finding import Finding, Level, encode_finding
from weaklink.base.loop import Link
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


def test_a_recording_is_read_with_what_became_of_a_fault(tmp_path):
    found = replace(
        FOUND, code="VAL201", name="a-name", link=Link.VALUE, confidence=0.9, verify="Look.", fix=("Mend.",)
    )
    findings = (found, replace(found, level=Level.ERROR), replace(found, code="RET201"))
    lines = ['{"weaklink":"0.1.0","schema":1}', '{"step":1.0,"time":0.1,"metrics":{"optimizer.loss":1.0}}']
    lines += [msgspec.json.encode({"finding": encode_finding(each)}).decode() for each in findings]
    (tmp_path / "weaklink.jsonl").write_text("\n".join(lines) + "\n")
    proven = weaklink.read(tmp_path).proven
    assert [(each.code, each.severity) for each in proven] == [("VAL201", Level.ERROR), ("RET201", Level.WARN)]
