"""What was seen of an update, by row of the tape: which of several answers about a row counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.monitor.reading.ppo import Options, update
from weaklink.base.evidence.update import COLLECTING
from weaklink.collect.monitor.reading.tape_rows import read_answers


def test_what_was_asked_right_before_a_step_is_about_that_step() -> None:
    reading = update(Options(steps=32, epochs=1, minibatch=64))[0]
    before = read_answers(reading, "critic")
    assert before is not None
    asked = next(each for each in reading.answers if each.head == "critic" and each.when == COLLECTING)
    stamped = [
        replace(each, stamp=int(reading.tape.stamps[each.rows].min())) if np.all(each.rows >= 0) else each
        for each in reading.answers
    ]
    # a network with a memory is asked after the last step about something that looks like an earlier one
    later = replace(asked, outputs=asked.outputs + 1.0, stamp=reading.tape.rows)
    after = read_answers(replace(reading, answers=(*stamped, later)), "critic")
    np.testing.assert_array_equal(before, after)
