"""JSON rows, a line each, in a list, over several lines, or as columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import json_lines

SAMPLES = Path(__file__).parent / "samples"
ROWS = [{"step": step, "loss": 1.0 / step, "train": {"kl": step * 0.1}} for step in range(1, 9)]


def read(path: Path):
    return json_lines.read([path])[0]


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def written(folder: Path, content: str, name: str = "metrics.jsonl") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_log_of_sb3():
    path = SAMPLES / "sb3" / "progress.json"
    assert json_lines.handles(path)
    log = read(path)
    assert log.axis == "env_steps"
    assert series(log, "eval/mean_reward").steps.tolist() == [600, 1200, 1800]


def test_the_file_logger_of_verl():
    path = SAMPLES / "verl" / "gsm8k.jsonl"
    assert json_lines.handles(path)
    log = read(path)
    assert series(log, "actor/pg_loss").steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert series(log, "actor/grad_norm").nonfinite.first_step == 4


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, ROWS)) + "\n",
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        "\n".join(json.dumps(row, indent=1) for row in ROWS),
        ",\n".join(json.dumps(row, indent=1) for row in ROWS),
    ],
    ids=["lines", "list", "indented list", "indented objects", "objects and commas"],
)
def test_layouts(tmp_path, content):
    path = written(tmp_path, content)
    assert json_lines.handles(path)
    log = read(path)
    assert series(log, "loss").steps.tolist() == list(range(1, 9))
    assert series(log, "train/kl").values[1] == pytest.approx(0.2)
    assert set(log.columns) == {"loss", "train/kl"}
    assert not log.notes


def test_a_long_list_over_many_chunks(tmp_path):
    rows = [{"step": step, "text": "x" * 300, "loss": float(step)} for step in range(4000)]
    log = read(written(tmp_path, json.dumps(rows, indent=2), "rows.json"))
    assert series(log, "loss").values.tolist() == [float(step) for step in range(4000)]


def test_columns(tmp_path):
    columns = {"loss": [1.0 / n for n in range(1, 21)], "steps": list(range(0, 200, 10)), "eval": [1, 2], "name": "x"}
    path = written(tmp_path, json.dumps(columns), "history.json")
    assert json_lines.handles(path)
    log = read(path)
    assert series(log, "loss").steps[-1] == 190
    assert series(log, "eval").steps.tolist() == [0, 1]


def test_names_and_values(tmp_path):
    rows = [{"tag": tag, "value": step * 0.5, "step": step} for step in range(4) for tag in ("loss", "kl")]
    log = read(written(tmp_path, "\n".join(map(json.dumps, rows))))
    assert series(log, "loss").values.tolist() == series(log, "kl").values.tolist() == [0, 0.5, 1, 1.5]


def test_settings_in_a_row(tmp_path):
    log = read(written(tmp_path, '{"config": {"lr": 0.1}}\n{"step": 1, "loss": 0.5}\n'))
    assert log.config == {"lr": 0.1}
    assert list(log.columns) == ["loss"]


def test_settings_among_the_metrics_of_a_row(tmp_path):
    log = read(
        written(tmp_path, '{"step": 0, "config/lr": 0.1, "config/algo": "PPO", "loss": 1}\n{"step": 1, "loss": 0.5}\n')
    )
    assert log.config == {"lr": 0.1, "algo": "PPO"}
    assert set(log.columns) == {"loss"}


def test_numbers_that_json_does_not_know(tmp_path):
    content = (
        '{"step": 1, "a": NaN, "b": "nan", "c": -Infinity, "d": 1}\n{"step": 2, "a": 1, "b": 1, "c": 1, "d": 1e999}\n'
    )
    log = read(written(tmp_path, content))
    assert {key: series(log, key).nonfinite.first_step for key in "abcd"} == {"a": 1, "b": 1, "c": 1, "d": 2}


def test_numbers_beyond_all_range(tmp_path):
    log = read(written(tmp_path, '{"step": 1, "b": 2, "a": 1' + "0" * 400 + "}\n"))
    assert list(log.columns) == ["b"]


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_a_remark(tmp_path, cut):
    content = "\n".join(map(json.dumps, ROWS))
    log = read(written(tmp_path, content[:-cut]))
    assert series(log, "loss").steps.tolist() == list(range(1, 8))
    assert log.notes == ["metrics.jsonl: the last line was cut off and left out"]


def test_a_torn_list_is_a_remark(tmp_path):
    log = read(written(tmp_path, json.dumps(ROWS, indent=2)[:-30], "rows.json"))
    assert series(log, "loss").steps.tolist() == list(range(1, 8))
    assert len(log.notes) == 1


def test_damaged_lines_within(tmp_path):
    log = read(written(tmp_path, '{"step": 1, "loss": 1}\n{"step": 2, "lo{"step": 2}\nhello\n{"step": 3, "loss": 3}\n'))
    assert series(log, "loss").steps.tolist() == [1, 3]
    assert log.notes == ["metrics.jsonl: 2 lines without a JSON row left out"]


def test_nesting_without_end(tmp_path):
    path = written(tmp_path, '{"step": 1, "loss": 1}\n' + '{"a":' * 100_000 + "\n" + '{"step": 2, "loss": 2}\n')
    assert series(read(path), "loss").steps.tolist() == [1, 2]
    assert not json_lines.handles(written(tmp_path, "[" * 100_000))


def test_ragged_rows_carry_the_step(tmp_path):
    log = read(written(tmp_path, '{"step": 5, "loss": 1}\n{"reward": 2}\n{"step": 6, "loss": 1}\n'))
    assert series(log, "reward").steps.tolist() == [5]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("samples.jsonl", '{"prompt": "2+2", "completion": "4", "reward": 1.0}\n'),
        ("package.json", '{"name": "x", "version": 1}'),
        ("config.json", '{"lr": 0.1, "step": 3}'),
        ("a.jsonl", '{"text": "no number"}\n'),
        ("a.jsonl", "[1, 2, 3]"),
        ("a.jsonl", ""),
        ("a.json", "hello"),
        ("a.txt", '{"step": 1, "loss": 2}\n'),
    ],
)
def test_what_is_no_log(tmp_path, name, content):
    assert not json_lines.handles(written(tmp_path, content, name))


def test_a_summary_with_a_step_is_one_row(tmp_path):
    path = written(tmp_path, '{"_step": 7, "train/loss": 0.5, "_wandb": {"runtime": 4}}', "wandb-summary.json")
    assert json_lines.handles(path)
    assert series(read(path), "train/loss").steps.tolist() == [7]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("part", ["", "history", "train"])
def test_columns_behind_settings(tmp_path, indent, part):
    courses = {"step": list(range(0, 800, 100)), "return": [float(value) for value in range(8)]}
    held = {
        "config": {"lr": 0.3, "layers": [64, 64]},
        "sizes": {"net": [64, 64]},
        **({part: courses} if part else courses),
    }
    path = written(tmp_path, json.dumps(held, indent=indent), "curves.json")
    assert json_lines.handles(path)
    log = read(path)
    key = "train/return" if part == "train" else "return"
    assert series(log, key).values.tolist() == courses["return"]
    if not part:
        assert series(log, key).steps.tolist() == courses["step"]
    assert log.config["lr"] == 0.3
    assert not any("layers" in name or "net" in name for name in log.columns)


@pytest.mark.parametrize("indent", [None, 1])
def test_rows_in_a_list_behind_settings(tmp_path, indent):
    rows = [{"step": 100 * turn, "train": {"return": float(turn), "loss": 0.1}} for turn in range(1, 9)]
    tested = [{"step": 400 * turn, "return": 10.0 * turn} for turn in (1, 2)]
    held = {"config": {"lr": 0.3, "layers": [64, 64]}, "history": rows, "evaluations": tested, "seconds": 3.5}
    path = written(tmp_path, json.dumps(held, indent=indent), "run.json")
    assert json_lines.handles(path)
    log = read(path)
    assert series(log, "train/return").steps.tolist() == [row["step"] for row in rows]
    assert series(log, "evaluations/return").values.tolist() == [10.0, 20.0]
    assert log.config["lr"] == 0.3
    path.write_text(json.dumps(held, indent=indent)[: 420 if indent is None else 600])
    assert len(series(read(path), "train/return")) >= 3


def test_samples_in_a_list_are_no_log(tmp_path):
    rows = [{"prompt": "2 + 2", "completion": "4", "reward": 1.0} for _ in range(9)]
    assert not json_lines.handles(written(tmp_path, json.dumps({"config": {}, "rows": rows}, indent=1), "kept.json"))


def test_lists_in_rows_of_a_line_each_are_no_columns(tmp_path):
    rows = [{"step": step, "loss": 1.0, "rewards": [0.0] * 8, "lengths": [5] * 8} for step in range(3)]
    log = read(written(tmp_path, "\n".join(map(json.dumps, rows)), "rows.jsonl"))
    assert series(log, "loss").steps.tolist() == [0, 1, 2]
