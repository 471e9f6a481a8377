from __future__ import annotations

import json

import pytest

import weaklink
from tests.cli.logs import healthy_log
from weaklink.base.errors import CorruptLog, ReadError, UsageError
from weaklink.base.evidence.manifest import FILE
from weaklink.collect.readers.evaluations import read_manifest, read_party


def test_what_is_written_is_read_back(tmp_path):
    stated = {
        "task": "gsm8k", "model": "m", "split": "dev", "temperature": 0.5, "top_p": 0.9, "max_tokens": 64,
        "timeout": 2.5, "pass_at_k": 4, "deterministic": False, "env_version": "v2", "episodes": 3,
    }  # fmt: skip
    file = weaklink.evaluation(tmp_path, scores={"a": [1, 0], "b": 0.5}, tools=[], seeds=[1], judge="x", **stated)
    found = read_manifest(file)
    for name, value in stated.items():
        assert getattr(found, name) == value
    assert found.tools == ()
    assert found.seeds == ("1",)
    assert found.settings == {"judge": "x"}
    assert found.scores == {"a": (1.0, 0.0), "b": (0.5,)}
    assert found.per == "item"
    assert found.date


def test_an_older_one_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    weaklink.evaluation(tmp_path, scores=[1])
    weaklink.evaluation(tmp_path, scores=[0])
    assert read_manifest(tmp_path / FILE).scores == {"0": (0.0,)}
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_one_written_by_hand_needs_no_envelope(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('{"scores": {"a": 1}, "temperature": 0, "judge": "v2"}')
    (entry,) = read_party(str(file)).entries
    assert entry.manifest.protocol == {"temperature": "0", "judge": "v2"}


def test_a_tree_of_evaluations_is_one_party(tmp_path):
    for task in ("a", "b"):
        for seed in range(2):
            weaklink.evaluation(tmp_path / task / str(seed), scores=1.0, seeds=[seed], task=task)
    found = read_party(str(tmp_path))
    assert found.tasks == ("a", "b")
    assert [entry.manifest.seeds for entry in found.on("a")] == [("0",), ("1",)]


def test_evaluations_one_a_line(tmp_path):
    file = tmp_path / "all.jsonl"
    rows = [{"kind": "evaluation", "task": "t", "seeds": [seed], "scores": seed / 2} for seed in range(3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [next(iter(entry.manifest.scores.values())) for entry in read_party(str(file)).entries] == [
        (0.0,),
        (0.5,),
        (1.0,),
    ]


def test_rows_without_names_are_known_by_what_they_ask(tmp_path):
    file = tmp_path / "rows.jsonl"
    rows = [{"prompt": "a", "passed": True}, {"prompt": "b", "passed": False}, {"prompt": "a", "passed": False}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (entry,) = read_party(str(file)).entries
    assert entry.manifest.scores == {"a": (1.0, 0.0), "b": (0.0,)}


def test_a_manifest_without_scores_takes_the_rows_beside_it(tmp_path):
    weaklink.evaluation(tmp_path, temperature=0, task="t")
    (tmp_path / "rows.jsonl").write_text('{"id": "q", "score": 0.5}\n')
    (entry,) = read_party(str(tmp_path)).entries
    assert entry.manifest.scores == {"q": (0.5,)}
    assert entry.manifest.temperature == 0


def test_a_log_is_a_party_too(tmp_path):
    (entry,) = read_party(str(healthy_log(tmp_path))).entries
    assert entry.manifest.per == "seed"
    assert entry.finals["evaluation.return"] == pytest.approx(400, rel=0.1)
    assert entry.finals["reward.episode_return"] == pytest.approx(395, rel=0.1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is no valid JSON"),
        ("[]", "is no evaluation"),
        ('{"loss": 1}', "is no evaluation"),
        ('{"kind": "evaluation", "schema": "x"}', "newer schema"),
        ('{"kind": "evaluation", "scores": {"a": null}}', "The score of 'a' must be"),
        ('{"kind": "evaluation", "top_p": 7}', "top_p of an evaluation must be a number from 0 to 1, not 7"),
    ],
)
def test_a_bad_manifest_is_told_with_its_place(tmp_path, content, told):
    file = tmp_path / FILE
    file.write_text(content)
    with pytest.raises(CorruptLog) as error:
        read_manifest(file)
    assert told in str(error.value)
    assert str(file) in str(error.value)


@pytest.mark.parametrize("line", ['{"id": 2}', "[1]", '{"id": 2, "score": "x"}'])
def test_a_bad_row_is_told_with_its_number(tmp_path, line):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "score": 1}\n' + line + "\n")
    with pytest.raises(ReadError, match="row 2"):
        read_party(str(file))


def test_a_folder_that_is_a_file_cannot_be_written_into(tmp_path):
    (tmp_path / "x").touch()
    with pytest.raises(UsageError, match="Cannot write"):
        weaklink.evaluation(tmp_path / "x", scores=[1])
