from __future__ import annotations

import pytest

import weaklink
from tests.cli.logs import healthy_log, sick_log
from weaklink.base.errors import UnknownRule


def test_a_path_or_a_run_can_be_diagnosed(tmp_path):
    log = sick_log(tmp_path)
    by_path, by_text = weaklink.diagnose(log), weaklink.diagnose(str(log))
    by_run = weaklink.diagnose(weaklink.read(log))
    assert by_path == by_text == by_run
    assert by_run.first_break is not None
    assert isinstance(by_run, weaklink.Diagnosis)


def test_settings_are_taken(tmp_path):
    log = sick_log(tmp_path)
    strict = weaklink.diagnose(log, select=["POL301"], thresholds={"POL301": {"lasting": 0.95}})
    assert strict.clean == ("POL301",)
    with pytest.raises(UnknownRule):
        weaklink.diagnose(healthy_log(tmp_path / "b"), ignore=["NOPE"])


def test_every_public_name_is_there():
    assert set(weaklink.__all__) <= set(dir(weaklink))
    for name in weaklink.__all__:
        assert getattr(weaklink, name) is not None
    with pytest.raises(AttributeError):
        weaklink.nothing_of_the_kind  # noqa: B018
