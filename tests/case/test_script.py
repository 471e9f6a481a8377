"""A plain training script as the target of a case: it is run as it is, watched, and diagnosed."""

from __future__ import annotations

from importlib import util

import pytest

from tests.case.projects import LEARNS, ROOM, written
from tests.run.running import SCRIPTS
from weaklink.verbs.debug.debugging import debug, read_case
from weaklink.verbs.debug.options import DebugOptions
from weaklink.verbs.debug.plain_script import is_plain_script
from weaklink.verbs.debug.target import parse_target

needs_torch = pytest.mark.skipif(not all(map(util.find_spec, ("torch", "gymnasium"))), reason="needs torch")


def test_only_a_script_without_parts_that_trains_is_one(tmp_path):
    assert is_plain_script(SCRIPTS / "own_dqn.py")
    assert is_plain_script(SCRIPTS / "three_models.py")
    assert not is_plain_script(SCRIPTS / "planted.py")  # it has make_model, which is a part
    for name, text in {
        "project.py": ROOM + LEARNS,
        "plain.py": "x = 1\n",
        "damaged.py": "import torch\nx = (\n",
        "named.py": "import torch\nfrom elsewhere import make_env\n",
    }.items():
        assert not is_plain_script(tmp_path / written(tmp_path, text, name)), name


@needs_torch
@pytest.mark.parametrize(
    ("skip", "probed"),
    [
        (("probe",), "skipped"),
        pytest.param((), "unclear", marks=pytest.mark.whole),  # it breaks in every training of the ladder
    ],
    ids=["watched", "probed and watched"],
)
def test_a_script_is_watched_and_how_it_ended_is_said(tmp_path, skip, probed):
    target = parse_target(str(SCRIPTS / "own_dqn.py"), arguments=("400", "350", "0.001"))
    case = debug(DebugOptions(target=target, folder=tmp_path / "case", seconds=300.0, skip=skip))
    states = {stage.stage: stage.state for stage in case.stages}
    assert (states["preflight"], states["probe"]) == ("skipped", probed)
    assert states["watch"] == "failed"
    assert "a plain script has no make_env" in case.stages[0].why
    assert "the simulator broke" in case.stages[2].why
    assert case.run is not None
    assert 300 <= case.run.last_step < 350
    assert case.first_break is not None
    assert read_case(tmp_path / "case").first_break == case.first_break
