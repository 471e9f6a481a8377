"""Loading a framework: garbage is searched for more rarely while it is loaded, and as often as before afterwards."""

from __future__ import annotations

import gc

import pytest

from weaklink.base.outside.loading import APART, collect_rarely
from weaklink.base.outside.named import load_module


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_a_module_is_loaded_without_searching_for_garbage_and_afterwards_all_is_as_before(tmp_path):
    (tmp_path / "watches_garbage.py").write_text("import gc\nseen = gc.get_threshold()\n")
    assert load_module(str(tmp_path / "watches_garbage.py"), "It").seen == (APART, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


def test_it_is_as_before_where_loading_fails():
    with pytest.raises(ZeroDivisionError), collect_rarely():
        raise ZeroDivisionError
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(5_000, 5, 5), (0, 10, 10)])
def test_what_is_loaded_may_set_limits_of_its_own(own):
    with collect_rarely():
        gc.set_threshold(*own)
    assert gc.get_threshold() == own


@pytest.mark.parametrize("before", [(0, 10, 10), (500_000, 10, 10)], ids=["never", "more rarely still"])
def test_nobody_is_made_to_search_more_often(before):
    gc.set_threshold(*before)
    with collect_rarely():
        assert gc.get_threshold() == before
    assert gc.get_threshold() == before
