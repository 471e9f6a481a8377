"""Pictures in a recording: kept from all over the run, and broken ones passed over."""

from __future__ import annotations

from copy import deepcopy

import pytest

from tests.show.pages.reading import blocks, charts, curve, read_back, steps
from weaklink.base.evidence.snapshots import MOST_KEPT, EvenSampler, Snapshots
from weaklink.base.evidence.store import Recording
from weaklink.collect.readers import discover, read
from weaklink.collect.readers.growing import GrowingRecording
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.show.subjects.run import build


def test_first_and_last_are_kept_of_any_number():
    for count in (1, 2, 64, 65, 1000, 4097):
        spread = EvenSampler()
        for number in range(count):
            spread.add(number)
        assert spread.all[0] == 0
        assert spread.all[-1] == count - 1
        assert len(spread.all) <= MOST_KEPT + 1
        assert spread.all == sorted(set(spread.all))


def test_a_copy_grows_alone():
    spread = EvenSampler()
    spread.add(1)
    other = deepcopy(spread)
    other.add(2)
    assert (spread.all, other.all) == ([1], [1, 2])


@pytest.mark.parametrize(
    "line",
    [
        {"histogram": {"metric": "value", "step": 1, "edges": [0, 1], "counts": [1, 2]}},
        {"histogram": {"metric": "value", "step": "nan", "edges": [0, 1], "counts": [1]}},
        {"histogram": {"metric": "value", "step": 1, "edges": [0, "x"], "counts": [1]}},
        {"histogram": {"metric": "value", "step": 1, "edges": [0, 1], "counts": [-1]}},
        {"histogram": 3},
        {"trace": {"step": 1, "values": [1, 2], "rewards": [1]}},
        {"trace": {"step": 1, "values": [], "rewards": []}},
        {"trace": {"values": [1], "rewards": [1]}},
        {"finding": {"code": "POL301"}},
    ],
)
def test_what_is_no_picture_is_passed_over(line):
    snapshots = Snapshots()
    snapshots.take(line)
    assert not snapshots.distributions
    assert not snapshots.traces.all


def test_a_recording_shows_its_pictures_and_its_context(tmp_path):
    context = {"framework": "sb3", "versions": {"torch": "2.0"}, "command": ["train.py", "--lr", "1"]}
    with Recording(tmp_path, config={"lr": 0.1}, context=context) as recording:
        for step in range(20):
            recording.write(step, {"policy.kl": 0.01 * step})
            counts = {"metric": "value", "step": step, "edges": [0.0, 1.0, 2.0], "counts": [step, 1]}
            recording.add("histogram", counts)
            recording.add("trace", {"step": step, "values": [1.0, 2.0, step], "rewards": [0.0, 0.0, 1.0], "first": 5})
    growing = GrowingRecording(discover(tmp_path)[0])
    growing.take()
    for run in (read(tmp_path), growing.run()):
        assert run.context["versions"] == {"torch": "2.0"}
        page = read_back(build(diagnose(run), run))["pages"][0]
        histogram = next(blocks(page, "histogram"))
        assert [one["count"] for one in histogram["bins"]] == [19, 1]
        late, early = charts(page)["trace-values"]["lines"]
        assert curve(late).tolist() == [1.0, 2.0, 19.0]
        assert curve(early).tolist() == [1.0, 2.0, 0.0]
        assert steps(late, page).tolist() == [5.0, 6.0, 7.0]
        assert ["versions.torch", "2.0"] in [row["cells"] for block in blocks(page, "table") for row in block["rows"]]
