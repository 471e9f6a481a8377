"""What was done in training, row by row."""

from __future__ import annotations

import os

import numpy as np
import pytest

from weaklink.adapters.gymnasium.probe import ProbeEnvironment
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.recording import (
    COLUMNS,
    MOST_ROWS,
    ROW_BYTES,
    StepRecorder,
    _list_row_files,
    _RowFiles,
    count_steps,
    read_steps,
    summarise_behaviour,
)


def row(*, state=0, right=1.0, action=1.0, allowed=1.0, inside=1.0, ends=1.0):
    return state, right, action, allowed, inside, ends


def rows(*each):
    return np.array(each, float).reshape(-1, COLUMNS)


def test_rows_come_back_in_their_order():
    recorder = StepRecorder()
    for number in range(5):
        recorder.add(row(action=number))
    assert recorder.rows()[:, 2].tolist() == [0, 1, 2, 3, 4]
    assert StepRecorder().rows().shape == (0, COLUMNS)


def test_rows_in_memory_are_bounded():
    recorder = StepRecorder()
    for _ in range(MOST_ROWS + 10):
        recorder.add((0.0,) * COLUMNS)
    assert len(recorder.rows()) == MOST_ROWS


def test_of_a_long_training_the_first_and_the_newest_steps_are_kept():
    recorder = StepRecorder()
    for step in range(2 * MOST_ROWS):
        recorder.add(row(action=step, right=float(step >= MOST_ROWS)))
    kept = recorder.rows()
    assert recorder.steps == 2 * MOST_ROWS
    assert (kept[0, 2], kept[-1, 2], len(kept)) == (0, 2 * MOST_ROWS - 1, MOST_ROWS)
    done = summarise_behaviour(kept, find_probe("Terminal"), recorder.steps)
    assert (done.steps, done.early, done.late) == (2 * MOST_ROWS, 0.0, 1.0)


def test_a_folder_keeps_the_first_and_the_newest_steps_too(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.probes.recording.PART", 1000)
    first, second = StepRecorder(tmp_path), StepRecorder(tmp_path)
    for step in range(20_000):
        for recorder in (first, second):
            recorder.add(row(action=step))
            recorder.flush()
        if step % 2500 == 0:  # as it would be found if the process were killed here
            assert count_steps(tmp_path) == 2 * (step + 1)
            assert read_steps(tmp_path)[-1, 2] == step
    kept = read_steps(tmp_path)[:, 2]
    assert count_steps(tmp_path) == 40_000
    assert len(kept) == 8000
    assert kept[:4000].tolist() == [step for step in range(2000) for _ in range(2)]
    assert kept[4000:].tolist() == [step for step in range(18_000, 20_000) for _ in range(2)]
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) == 8000 * ROW_BYTES


def test_an_environment_goes_on_where_one_of_its_name_has_ended(tmp_path):
    for steps in (3, 4):
        files = _RowFiles(tmp_path, "same")
        for step in range(steps):
            files.add(row(action=10 * steps + step))
        files.flush()
    assert count_steps(tmp_path) == 7
    assert read_steps(tmp_path)[:, 2].tolist() == [30, 31, 32, 40, 41, 42, 43]


def test_members_in_a_folder_take_turns(tmp_path):
    first, second = StepRecorder(tmp_path), StepRecorder(tmp_path)
    for step in range(3):
        first.add(row(state=0, action=step))
        second.add(row(state=1, action=step))
    for recorder in (first, second):
        recorder.flush()
    assert read_steps(tmp_path)[:, 2].tolist() == [0, 0, 1, 1, 2, 2]
    assert len(list(tmp_path.glob("*.rows"))) == 2


def test_little_is_lost_when_nobody_closes(tmp_path):
    recorder = StepRecorder(tmp_path)
    for _ in range(2000):
        recorder.add(row())
    assert len(read_steps(tmp_path)) >= 1800


def test_half_a_row_is_left_out(tmp_path):
    recorder = StepRecorder(tmp_path)
    recorder.add(row())
    recorder.flush()
    (file,) = tmp_path.glob("*.rows")
    file.write_bytes(file.read_bytes() + b"\0" * 20)
    assert read_steps(tmp_path).tolist() == [list(row())]
    assert read_steps(tmp_path / "nothing").shape == (0, COLUMNS)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="for POSIX")
def test_a_folder_that_is_gone_costs_no_training(tmp_path):
    recorder = StepRecorder(tmp_path / "missing")
    for _ in range(10):
        recorder.add(row())
    recorder.flush()


def test_early_and_late_shares():
    wrong, right = row(right=0.0, action=0), row(right=1.0, action=1)
    done = summarise_behaviour(rows(*[wrong] * 100, *[right] * 900), find_probe("TwoActions"))
    assert (done.steps, done.episodes, done.early, done.late) == (1000, 1000, 0.0, 1.0)
    assert done.first_choice == 1.0
    assert (done.invalid, done.beyond, done.spread) == (0, 0.0, None)


def test_too_little_says_nothing():
    done = summarise_behaviour(rows(*[row()] * 5), find_probe("TwoActions"))
    assert (done.steps, done.early, done.late, done.first_choice) == (5, None, None, None)
    empty = summarise_behaviour(rows(), find_probe("TwoActionsContinuous"))
    assert (empty.steps, empty.beyond, empty.spread) == (0, 0.0, None)


def test_where_no_action_is_right_there_is_no_share():
    done = summarise_behaviour(rows(*[row(right=np.nan)] * 200), find_probe("Terminal"))
    assert (done.early, done.late) == (None, None)


def test_the_first_choice_is_that_of_the_most_even_state():
    sure = [row(state=0, action=1)] * 40
    even = [row(state=1, action=number % 2) for number in range(40)]
    assert summarise_behaviour(rows(*sure, *even), find_probe("MatchingAction")).first_choice == pytest.approx(
        0.5, abs=0.1
    )


def test_the_spread_is_relative_to_the_bounds():
    rng = np.random.default_rng(0)
    drawn = [row(state=0, action=50 + 25 * rng.normal()) for _ in range(4000)]
    assert summarise_behaviour(rows(*drawn), find_probe("VeryWideAction")).spread == pytest.approx(0.5, rel=0.1)
    held = [row(state=number % 2, action=number % 2) for number in range(400)]
    assert summarise_behaviour(rows(*held), find_probe("WideAction")).spread == 0.0, (
        "what differs by state is no spread"
    )


def test_beyond_counts_late_and_invalid_all():
    done = summarise_behaviour(rows(*[row(allowed=0.0)] * 10, *[row(inside=0.0)] * 90), find_probe("WideAction"))
    assert (done.invalid, done.beyond) == (10, 1.0)


def test_an_environment_tells_its_steps():
    recorder = StepRecorder()
    env = ProbeEnvironment(find_probe("MatchingActionMasked"), recorder)
    env.reset(seed=0)
    state = int(recorder_state(env))
    env.step(1 + 2 * state)
    env.step(3 - 2 * state)
    first, second = recorder.rows().tolist()
    assert first == [state, 1.0, 1.0 + 2 * state, 1.0, 1.0, 1.0]
    assert second[3] == 0.0, "forbidden"
    wide = StepRecorder()
    env = ProbeEnvironment(find_probe("WideAction"), wide)
    env.reset(seed=0)
    env.step(np.array([2.0], np.float32))
    env.step(np.array([0.5], np.float32))
    assert wide.rows()[:, 4].tolist() == [0.0, 1.0]


def recorder_state(env) -> int:
    return int(env.action_masks()[2])


def test_a_file_that_is_taken_away_while_it_is_looked_at_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.probes.recording.PART", 10)
    recorder = StepRecorder(tmp_path)
    for step in range(40):
        recorder.add(row(action=step))
        recorder.flush()
    listed = _list_row_files(tmp_path)
    gone = listed[1].rows()[:, 2].tolist()
    listed[1].file.unlink()
    monkeypatch.setattr("weaklink.collect.probes.recording._list_row_files", lambda folder: listed)
    assert count_steps(tmp_path) == 40
    kept = read_steps(tmp_path)[:, 2].tolist()
    assert gone
    assert sorted([*kept, *gone]) == list(range(40))
