"""The returns at the end of a training stand among those of the baselines."""

from __future__ import annotations

import numpy as np

from tests.worlds import world
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.show.document import Boxes
from weaklink.show.subjects.preflight import show_survey
from weaklink.show.subjects.trained import draw_trained

LEARNED = np.concatenate([np.zeros(40), np.full(10, 7.0)])


def run_of(**series: np.ndarray) -> Run:
    names = {"training": "reward.episode_return", "evaluated": "evaluation.return"}
    return Run(
        name="run",
        series={names[key]: Series.of(names[key], np.arange(len(row)) * 100.0, row) for key, row in series.items()},
    )


def boxes(trained) -> Boxes:
    [found] = [one for part in show_survey(world(), trained) for one in part.blocks if isinstance(one, Boxes)]
    return found


def test_the_trained_policy_is_one_row_more():
    alone, beside = boxes(None), boxes(draw_trained(run_of(training=LEARNED)))
    assert beside.rows[:-1] == alone.rows
    assert (beside.rows[-1].label, beside.rows[-1].mean) == ("trained policy", 7.0)
    assert "last 10 rows of reward.episode_return, from step 4,000" in beside.rows[-1].note
    assert "trained policy" in beside.title
    assert "trained policy" not in alone.title


def test_an_evaluation_is_taken_first_and_too_little_is_left_out():
    assert draw_trained(run_of(training=LEARNED, evaluated=np.full(8, 9.0))).mean == 9.0
    assert draw_trained(run_of(training=np.ones(2))) is None
    assert draw_trained(Run(name="run")) is None
