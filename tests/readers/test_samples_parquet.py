"""Parquet files of samples: as TRL leaves them, as data sets are stored, and damaged."""

from __future__ import annotations

import sys

import pytest

from tests.readers.test_samples import written
from tests.tiny_language import language_trainer, offline, saved_model
from weaklink.base.errors import CorruptLog, UsageError
from weaklink.collect.readers.samples import open_samples


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and more")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install weaklink\[samples\]"):
        list(open_samples(tmp_path / "a.parquet"))


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow")


def table(arrow, columns, file, **options):
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), file, **options)
    return file


def completions(step, count=4):
    return {
        "step": [step] * count,
        "prompt": ["2+2?"] * count,
        "completion": [f"It is {number}." for number in range(count)],
        "accuracy_reward": [0.0, 1.0, None, 1.0],
        "format": [0.5, 0.5, 0.5, float("nan")],
        "judge_note": ["ok"] * count,
        "image": [b"\x89PNG"] * count,
        "advantage": [-1.0, 0.5, 0.5, 0.0],
    }


def test_a_folder_of_completions(tmp_path, arrow):
    for step in (10, 2):
        table(arrow, completions(step), tmp_path / f"completions_{step:05d}.parquet")
    read = open_samples(tmp_path)
    samples = list(read)
    assert [sample.step for sample in samples] == [2] * 4 + [10] * 4
    assert samples[0].rewards == {"accuracy": 0.0, "format": 0.5}
    assert samples[1].reward == 1.5
    assert samples[2].rewards == {"format": 0.5}, "a reward function that does not apply to a row gives none"
    assert samples[3].rewards == {"accuracy": 1.0}
    assert samples[0].advantage == -1.0
    assert read.unknown == ("image",), "bytes are no part of a sample; a text of the judge is, as it is in JSON"


def test_chat_completions_with_tools(tmp_path, arrow):
    call = {"type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}
    said = [
        {"role": "assistant", "content": None, "tool_calls": [call], "name": None},
        {"role": "tool", "content": '{"error": "no such tool"}', "tool_calls": None, "name": "add"},
        {"role": "assistant", "content": "It failed.", "tool_calls": None, "name": None},
    ]
    columns = {
        "prompt": [[{"role": "user", "content": "2+2?"}]],
        "completion": [said],
        "right": [1.0],
        "advantage": [0.0],
    }
    (sample,) = open_samples(table(arrow, columns, tmp_path / "chat.parquet"))
    assert (sample.prompt, sample.completion) == ("2+2?", "It failed.")
    assert [(made.tool, made.arguments, made.ok) for made in sample.calls] == [("add", '{"a":2}', False)]
    assert sample.rewards == {"right": 1.0}


def test_many_row_groups_are_streamed(tmp_path, arrow):
    columns = {"prompt": ["p"] * 5000, "completion": [str(n) for n in range(5000)], "reward": list(range(5000))}
    read = open_samples(table(arrow, columns, tmp_path / "many.parquet", row_group_size=700))
    rows = iter(read)
    assert next(rows).completion == "0"
    assert sum(1 for _ in rows) == 4999
    assert read.count == 5000


def test_a_preference_data_set(tmp_path):
    datasets = pytest.importorskip("datasets")
    said = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    rows = {"chosen": [said], "rejected": [said], "score_chosen": [4.0], "score_rejected": [1]}
    datasets.Dataset.from_dict(rows).to_parquet(str(tmp_path / "pairs.parquet"))
    (sample,) = open_samples(tmp_path / "pairs.parquet")
    assert (sample.prompt, sample.chosen, sample.chosen_score, sample.rejected_score) == ("q", "a", 4.0, 1.0)


def test_a_damaged_file(tmp_path, arrow):
    file = table(arrow, completions(1), tmp_path / "whole.parquet")
    content = file.read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(CorruptLog, match=r"cut\.parquet is no whole Parquet file"):
        list(open_samples(tmp_path / "cut.parquet"))
    read = open_samples(tmp_path)
    assert len(list(read)) == 4, "in a folder, what is whole is read all the same"
    assert any("cut.parquet" in note for note in read.notes)


def test_a_file_of_other_columns(tmp_path, arrow):
    with pytest.raises(UsageError, match="completion, messages, steps, chosen"):
        list(open_samples(table(arrow, {"loss": [1.0]}, tmp_path / "loss.parquet")))


def test_formats_can_be_mixed(tmp_path, arrow):
    table(arrow, completions(1), tmp_path / "b.parquet")
    written(tmp_path, {"completion": "first"}, name="a.jsonl")
    assert [sample.completion for sample in open_samples(tmp_path)][:2] == ["first", "It is 0."]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_what_trl_writes_itself(tmp_path):
    offline()
    trl = pytest.importorskip("trl")
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    model = saved_model(tmp_path / "model")
    trainer = language_trainer(trl.GRPOTrainer, model, tmp_path / "out", max_steps=2, log_completions=True)
    trainer.train()
    samples = list(open_samples(tmp_path / "out"))
    assert {sample.step for sample in samples} == {1.0, 2.0}
    assert len(samples) == 16
    for sample in samples:
        assert set(sample.rewards) == {"small_numbers"}
        assert sample.reward == sample.rewards["small_numbers"]
        assert sample.prompt
        assert sample.advantage is not None
    groups = [samples[place : place + 4] for place in range(0, 16, 4)]
    assert all(len({sample.prompt for sample in group}) == 1 for group in groups)
