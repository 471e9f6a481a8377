from __future__ import annotations

import json

import numpy as np
import pytest

from tests.cli.logs import healthy_log
from weaklink.base.errors import ReadError, UsageError
from weaklink.collect.survey.returns import MOST, read_returns


def test_a_list_of_numbers(tmp_path):
    file = tmp_path / "returns.json"
    file.write_text("[1.5, 2, -3]")
    play = read_returns(str(file))
    assert play.returns.tolist() == [1.5, 2.0, -3.0]
    assert play.returns_only
    assert play.policy == "policy"
    assert str(file) in play.told
    assert play.episodes == 3


def test_numbers_on_lines(tmp_path):
    file = tmp_path / "returns.txt"
    file.write_text("1.5\n2\n\n-3e2\n")
    assert read_returns(str(file)).returns.tolist() == [1.5, 2.0, -300.0]


def test_what_is_no_number_is_left_out_and_only_the_last_are_kept(tmp_path):
    file = tmp_path / "returns.json"
    file.write_text(json.dumps([float("nan"), float("inf"), *range(250)]))
    assert read_returns(str(file)).returns.tolist() == [float(number) for number in range(250 - MOST, 250)]


def test_a_log_of_evaluations(tmp_path):
    log = healthy_log(tmp_path)
    play = read_returns(str(log))
    column = np.genfromtxt(log, delimiter=",", names=True)["evalmean_reward"]
    assert play.returns == pytest.approx(column[-MOST:])


def test_a_run_folder_is_as_good_as_its_file(tmp_path):
    log = healthy_log(tmp_path)
    assert read_returns(str(tmp_path)).returns.tolist() == read_returns(str(log)).returns.tolist()


@pytest.mark.parametrize("text", ["[]", "[NaN]", "", "\n\n"])
def test_a_file_without_a_number_is_refused(tmp_path, text):
    file = tmp_path / "returns.json"
    file.write_text(text)
    with pytest.raises((UsageError, ReadError)) as raised:
        read_returns(str(file))
    assert "returns.json" in str(raised.value)


@pytest.mark.parametrize("text", ['{"a": 1}', "hello", "[[1, 2], [3]]", '["a"]', "\udcff"])
def test_a_file_of_another_kind_is_refused(tmp_path, text):
    file = tmp_path / "returns.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises((UsageError, ReadError)):
        read_returns(str(file))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises((UsageError, ReadError), match="missing"):
        read_returns(str(tmp_path / "missing.json"))
