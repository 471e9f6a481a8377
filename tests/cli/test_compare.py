from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weaklink
from tests.cli.logs import call, call_here, progress_csv
from tests.curves import rising
from tests.unwrapping import unwrapped
from weaklink.base.errors import UsageError

PROTOCOL = {"task": "gsm8k", "temperature": 0.0, "top_p": 1.0, "max_tokens": 512, "pass_at_k": 1}


def evaluated(folder: Path, skill: float, split: str = "dev", **protocol) -> Path:
    hard = np.random.default_rng(0).random(150)
    scores = {f"q{place}": float(each < skill) for place, each in enumerate(hard)}
    weaklink.evaluation(folder, scores=scores, split=split, **{**PROTOCOL, "model": folder.name, **protocol})
    return folder


def trained(folder: Path, end: float, seed: int, **config) -> None:
    progress_csv(folder, {"rollout/ep_rew_mean": rising(20, end, points=60, seed=seed)})
    stated = {"algo": folder.name.split("_")[0], "env": "CartPole-v1", "seed": seed, **config}
    (folder / "config.json").write_text(json.dumps(stated))


def seeds(root: Path, algorithm: str, end: float, count: int = 5, **config) -> None:
    for seed in range(count):
        trained(root / f"{algorithm}_{seed}", end + 5 * np.random.default_rng(seed).normal(), seed, **config)


def document(*arguments: object, cwd: Path) -> tuple[int, dict]:
    done = call_here("compare", *arguments, "-f", "json", cwd=cwd)
    return done.returncode, json.loads(done.stdout)


def test_groups_of_seeds(tmp_path):
    seeds(tmp_path, "ppo", 300)
    seeds(tmp_path, "sac", 400)
    done = call("compare", "ppo_*", "sac_*", "--target", "475", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("COMPARABLE  ")
    assert "so sac_* is better than ppo_*" in unwrapped(done.stdout)
    assert "reward.episode_return" in done.stdout
    assert "Performance profiles" in done.stdout
    code, found = document("ppo_*", "sac_*", cwd=tmp_path)
    assert code == 0
    assert found["scores"]["unit"] == "seed"
    assert [party["count"] for party in found["scores"]["parties"]] == [5, 5]
    assert found["scores"]["pairs"][0]["better"] == "sac_*"
    assert found["comparable"] is True


def test_another_environment_version_is_refused(tmp_path):
    seeds(tmp_path, "old", 300, env="Hopper-v4")
    seeds(tmp_path, "new", 400, env="Hopper-v5")
    done = call_here("compare", "old_*", "new_*", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("BROKEN  evaluation  EVA302 protocol-drift")
    assert "interquartile" not in done.stdout


def test_evaluations_under_one_protocol(tmp_path):
    evaluated(tmp_path / "base", 0.5)
    evaluated(tmp_path / "tuned", 0.65)
    done = call_here("compare", "base", "tuned", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "so tuned is better than base" in unwrapped(done.stdout)
    assert "McNemar" in done.stdout


def test_other_protocols_are_refused_and_shown_only_when_asked(tmp_path):
    evaluated(tmp_path / "base", 0.5)
    evaluated(tmp_path / "hot", 0.65, temperature=0.8)
    code, found = document("base", "hot", cwd=tmp_path)
    assert code == 1
    assert found["first_break"]["code"] == "EVA302"
    assert found["scores"] is None
    assert found["comparable"] is False
    assert found["protocol"][0] == {"name": "temperature", "values": ["0", "0.8"], "differs": True}
    done = call_here("compare", "base", "hot", "--anyway", cwd=tmp_path)
    assert done.returncode == 1
    assert "not comparable: shown because you asked for it anyway" in unwrapped(done.stdout)
    assert "tuned is better" not in unwrapped(done.stdout)
    assert "so hot" not in unwrapped(done.stdout)
    marked = call_here("compare", "base", "hot", "--anyway", "-f", "markdown", cwd=tmp_path).stdout
    assert "not comparable" in marked


@pytest.mark.parametrize(
    "changed",
    [
        {"top_p": 0.9},
        {"max_tokens": 1024},
        {"prompt_template": "Q:"},
        {"tools": ["python"]},
        {"timeout": 5},
        {"pass_at_k": 8},
        {"deterministic": False},
        {"split": "public"},
        {"judge": "v2"},
        {"env_version": "v2"},
    ],
)
def test_every_setting_counts(tmp_path, changed):
    usual = {
        "prompt_template": "A:",
        "tools": [],
        "timeout": 9,
        "deterministic": True,
        "judge": "v1",
        "env_version": "v1",
    }
    evaluated(tmp_path / "a", 0.5, **usual)
    evaluated(tmp_path / "b", 0.6, **{**usual, **changed})
    found = weaklink.compare(tmp_path / "a", tmp_path / "b")
    assert not found.comparable
    assert found.scores is None
    assert len([row for row in found.contrast.protocol if row.differs]) == 1


def test_other_items_are_another_evaluation(tmp_path):
    evaluated(tmp_path / "a", 0.5)
    weaklink.evaluation(tmp_path / "b", scores={f"p{place}": 1.0 for place in range(150)}, split="dev", **PROTOCOL)
    found = weaklink.compare(tmp_path / "a", tmp_path / "b")
    assert not found.comparable
    assert found.contrast.protocol[0].name == "items"


@pytest.mark.parametrize(("kept", "may"), [(5, False), (140, False), (150, True), (300, True)])
def test_a_picked_subset_is_another_evaluation(tmp_path, kept, may):
    weaklink.evaluation(tmp_path / "all", scores={f"q{place}": float(place % 2) for place in range(300)}, **PROTOCOL)
    weaklink.evaluation(tmp_path / "some", scores={f"q{place}": 1.0 for place in range(kept)}, **PROTOCOL)
    for order in (("all", "some"), ("some", "all")):
        found = weaklink.compare(*(tmp_path / name for name in order))
        assert found.comparable is may
        assert (found.contrast.protocol[0].name == "items") is not may


def test_rows_are_known_by_a_chat_as_by_a_text(tmp_path):
    for name, order in (("a", range(40)), ("b", range(39, -1, -1))):
        rows = ({"messages": [{"role": "user", "content": f"{place}?"}], "score": place % 2} for place in order)
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (pair,) = weaklink.compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl").scores.pairs
    assert (pair.only_first, pair.only_second) == (0, 0)


def test_a_number_that_is_none_beside_the_score_does_not_matter(tmp_path):
    for name in ("a", "b"):
        rows = ({"id": place, "score": 1.0, "logprob": float("nan")} for place in range(5))
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert weaklink.compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl").scores.unit == "item"


def test_rows_of_scores_with_the_manifest_beside_them(tmp_path):
    for name, right in (("a", 40), ("b", 70)):
        folder = evaluated(tmp_path / name, 0.5)
        rows = ({"id": f"q{place}", "correct": place < right} for place in range(100))
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, found = document("a/rows.jsonl", "b/rows.jsonl", cwd=tmp_path)
    assert code == 0
    assert [party["value"] for party in found["scores"]["parties"]] == [0.4, 0.7]
    assert found["protocol"][0]["name"] == "split"


def test_rows_that_say_nothing_of_their_protocol_are_unclear(tmp_path):
    for name, right in (("a", 40), ("b", 70)):
        rows = ({"id": place, "score": float(place < right)} for place in range(100))
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = call_here("compare", "a.jsonl", "b.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("UNCLEAR  not all say how they were evaluated")


def test_a_protocol_that_one_alone_states_settles_nothing(tmp_path):
    evaluated(tmp_path / "a", 0.5)
    scores = {f"q{place}": 1.0 for place in range(150)}
    weaklink.evaluation(tmp_path / "b", scores=scores, task="gsm8k")
    found = weaklink.compare(tmp_path / "a", tmp_path / "b")
    assert found.comparable
    assert found.diagnosis.verdict.value == "unclear"


def test_looks_are_counted_and_repeats_are_not(tmp_path):
    ledger = tmp_path / "weaklink-looks.jsonl"
    ledger.touch()
    for name in ("a", "b"):
        evaluated(tmp_path / name, 0.5, "private")
    for _ in range(3):
        found = weaklink.compare(tmp_path / "a", tmp_path / "b")
    (looked,) = found.contrast.looks
    assert (looked.looks, looked.repeats) == (2, 3)
    assert not (tmp_path / "a" / "weaklink-looks.jsonl").exists()
    assert [finding.code for finding in found.diagnosis.findings] == ["LLM313"]


def test_choosing_by_the_private_split_is_told(tmp_path):
    for name, skill in (("a", 0.5), ("b", 0.7)):
        evaluated(tmp_path / name, skill, "private")
    done = call_here("compare", "a", "b", "--keep", "b", "--ledger", "looks.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert "LLM313 contaminated-evaluation" in unwrapped(done.stdout)
    assert "was used to select b, after 1 evaluation with 2 models" in unwrapped(done.stdout)
    (look,) = map(json.loads, (tmp_path / "looks.jsonl").read_text().splitlines())
    assert look["selected"] == "b"
    assert look["models"] == ["a", "b"]


def test_choosing_by_the_dev_split_is_what_it_is_for(tmp_path):
    for name, skill in (("a", 0.5), ("b", 0.7)):
        evaluated(tmp_path / name, skill)
    assert call_here("compare", "a", "b", "--keep", "b", cwd=tmp_path).returncode == 0


def test_scores_that_are_refused_were_not_looked_at(tmp_path):
    evaluated(tmp_path / "a", 0.5, "private", ledger=tmp_path / "one.jsonl")
    evaluated(tmp_path / "b", 0.6, "private", ledger=tmp_path / "one.jsonl", temperature=1)
    call_here("compare", "a", "b", "--ledger", "one.jsonl", cwd=tmp_path)
    assert len((tmp_path / "one.jsonl").read_text().splitlines()) == 2
    call_here("compare", "a", "b", "--ledger", "one.jsonl", "--anyway", cwd=tmp_path)
    assert len((tmp_path / "one.jsonl").read_text().splitlines()) == 3


def test_contamination(tmp_path):
    words = np.random.default_rng(0).choice([f"w{place}" for place in range(200)], (30, 40))
    asked = [" ".join(row) for row in words]
    (tmp_path / "eval.jsonl").write_text(
        "".join(json.dumps({"id": f"q{n}", "prompt": t}) + "\n" for n, t in enumerate(asked))
    )
    rows = [f"something before {asked[4].upper()} and after", "nothing of the kind"]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    done = call_here("compare", "--train", "train.jsonl", "--evaluation", "eval.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("BROKEN  evaluation  LLM313 contaminated-evaluation")
    assert "q4" in done.stdout
    code, found = document("--train", "train.jsonl", "--evaluation", "eval.jsonl", cwd=tmp_path)
    assert code == 1
    assert found["overlap"]["seen"][0] | {"text": ""} == {
        "item": "q4", "text": "", "share": 1.0, "place": "row 1", "exact": True,
    }  # fmt: skip
    (tmp_path / "train.jsonl").write_text(json.dumps({"text": "nothing of the kind"}) + "\n")
    clean = call_here("compare", "--train", "train.jsonl", "--evaluation", "eval.jsonl", cwd=tmp_path)
    assert clean.returncode == 0
    assert clean.stdout.startswith("HEALTHY  none of 30 items stands in 1 training row")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("base",), "Give at least two"),
        ((), "Give at least two"),
        (("base", "base"), "The same path is given twice"),
        (("base", "nope"), "there is no such file or folder"),
        (("base", "nope_*"), "nothing fits this pattern"),
        (("base", "empty"), "No reader knows"),
        (("base", "broken.json"), "temperature of an evaluation must be a number"),
        (("base", "newer.json"), "newer schema (9)"),
        (("base", "other"), "There is no task that all were evaluated on: base has gsm8k; other has math"),
        (("base", "torn.jsonl"), "row 2: it is no JSON"),
        (("base", "scoreless"), "holds no score"),
        (("base", "nameless.jsonl"), "row 1: an item must have an `id`"),
        (("nameless.jsonl", "half.jsonl"), "row 1: an item must have an `id`"),
        (("base", "unnamed"), "row 1: an item must have an `id`"),
        (("base", "half.jsonl"), "row 2: an item must have an `id`"),
        (("base", "nan.jsonl"), "row 3: its score must be a finite number, not nan"),
        (("base", "first.jsonl"), "row 1: its score must be a finite number, not inf"),
        (("base", "nan.json"), "The score of 'q2' must be a finite number"),
        (("base", "tuned", "--target", "nan"), "--target must be a finite number, not nan"),
        (("base", "tuned", "--target", "inf"), "--target must be a finite number, not inf"),
        (("base", "tuned", "--keep", "x"), "--keep must name one of what is compared (base, tuned), not 'x'"),
        (("base", "tuned", "--ledger", "no/such/file"), "Cannot count this look"),
        (("ppo_0", "ppo_1", "--metric", "evaluation.return"), "--metric must be a measure that every run holds"),
        (("--train", "base"), "--train and --evaluation belong together"),
        (("--train", "nope", "--evaluation", "rows.jsonl"), "nope is no file and no folder"),
    ],
)
def test_bad_input_is_one_line_and_two(tmp_path, arguments, told):
    evaluated(tmp_path / "base", 0.5)
    evaluated(tmp_path / "tuned", 0.6)
    evaluated(tmp_path / "other", 0.5, task="math")
    weaklink.evaluation(tmp_path / "scoreless", temperature=0)
    (tmp_path / "empty").mkdir()
    seeds(tmp_path, "ppo", 300, 2)
    (tmp_path / "broken.json").write_text('{"scores": {"q1": 1}, "temperature": "hot"}')
    (tmp_path / "newer.json").write_text('{"kind": "evaluation", "schema": 9, "scores": {"q1": 1}}')
    (tmp_path / "torn.jsonl").write_text('{"id": 1, "score": 1}\n{"id": 2, "sc')
    (tmp_path / "nameless.jsonl").write_text('{"score": 0.0}\n' * 12)
    (tmp_path / "unnamed").mkdir()
    (tmp_path / "unnamed" / "scores.jsonl").write_text('{"correct": true}\n' * 12)
    (tmp_path / "half.jsonl").write_text('{"id": 1, "score": 0.0}\n{"score": 0.0}\n')
    (tmp_path / "nan.jsonl").write_text('{"id": 1, "score": 1}\n\n{"id": 2, "score": NaN}\n')
    (tmp_path / "first.jsonl").write_text('{"id": 1, "score": Infinity}\n{"id": 2, "score": 1}\n')
    (tmp_path / "nan.json").write_text('{"scores": {"q1": 1, "q2": NaN}, "temperature": 0}')
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "prompt": "a b c d e f"}\n')
    done = call_here("compare", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.startswith("weaklink: ")
    assert len(done.stderr.splitlines()) == 1


def test_from_python(tmp_path):
    file = weaklink.evaluation(tmp_path / "a", scores=[1, 0, 1], task="t", seeds=[1, 2, 3], episodes=10)
    assert json.loads(file.read_text())["scores"] == {"1": 1.0, "2": 0.0, "3": 1.0}
    weaklink.evaluation(tmp_path / "b", scores=[1, 1, 1], task="t", seeds=[1, 2, 3], episodes=10)
    found = weaklink.compare(tmp_path / "a", tmp_path / "b", target=1.0)
    assert isinstance(found, weaklink.Compared)
    assert [score.gap for score in found.scores.parties] == pytest.approx([1 / 3, 0.0])
    with pytest.raises(TypeError, match="'metrics'"):
        weaklink.compare(tmp_path / "a", tmp_path / "b", metrics="x")
    assert weaklink.compare(tmp_path / "a", tmp_path / "b", select=["EVA302"]).diagnosis.clean == ("EVA302",)


@pytest.mark.parametrize(
    ("scores", "seeds", "told"),
    [
        ([1, 2], [1], "2 scores cannot belong to 1 seed"),
        ([1], [1, 2], "1 score cannot belong to 2 seeds"),
        ([1, 2], [1, 1], "seeds of an evaluation must differ, but 1 is given twice"),
        ([], None, "scores of an evaluation must hold at least one"),
        ([], [], "scores of an evaluation must hold at least one"),
        ({}, None, "scores of an evaluation must hold at least one"),
    ],
)
def test_scores_that_do_not_fit_are_not_written(tmp_path, scores, seeds, told):
    with pytest.raises(UsageError, match=told):
        weaklink.evaluation(tmp_path / "a", scores=scores, seeds=seeds)
    assert not (tmp_path / "a").exists()


def test_names_from_files_are_escaped(tmp_path):
    for name in ("a", "b"):
        evaluated(tmp_path / name, 0.5, **{"judge|<b>": "\x1b[31mred"})
    shown = call_here("compare", "a", "b", "-f", "markdown", cwd=tmp_path).stdout
    assert "\x1b" not in shown
    assert "`judge\\|<b>`" in shown
