"""The text for an issue: what maintainers ask for is in it, what is nobody's business is not."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.logs import invoke
from tests.curves import rising, run_of
from tests.show import made
from weaklink.base.evidence import store
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import CheckerComplaint, Survey, SurveyFault
from weaklink.base.finding import Evidence
from weaklink.base.outside.versions import describe_accelerators, list_own_names, read_versions
from weaklink.judge.diagnosis.checklists import ChecklistItem
from weaklink.show.allowing import allow_setting
from weaklink.show.bugreport.curves import average_parts
from weaklink.show.bugreport.environment import describe_space
from weaklink.show.bugreport.report import LONGEST, write_bugreport
from weaklink.show.bugreport.reproduction import write_own_command, write_skeleton
from weaklink.verbs.bugreport import Judgement, ReportMaterial

TOKEN = "hf_" + "abcdefghijklmnopqrstuvwxyz"
PLANTED = (
    TOKEN,
    "hunter2",
    "/home/jane",
    "jane",
    "gpu07",
    "deep-team",
    "10.11.12.13",
    "jane@corp.example.org",
    "s3cr3t",
)
LEAK = f"{TOKEN} /home/jane/x/run.py by jane at gpu07 10.11.12.13, mail jane@corp.example.org, password=hunter2"

RUNS = Path(__file__).parents[1] / "quality" / "sick" / "runs"


def leaking() -> ReportMaterial:
    """A material with secrets in every place that can hold a text."""
    run = run_of({"policy.kl": rising(0.1, 0.2), "reward.episode_return": rising(0, 10)})
    config = {
        "learning_rate": 0.1,
        "env_id": "/home/jane/envs/x.py:make",
        "wandb_api_key": "s3cr3t",
        "entity": "deep-team",
        "db": {"password": "hunter2", "url": "postgres://jane:hunter2@10.11.12.13/x"},
        "notes": LEAK,
        "output_dir": "/home/jane/out",
        TOKEN: 3,
        "seed": 7,
    }
    finding = made.finding(message=LEAK, fix=(LEAK,), verify=LEAK, evidence=(Evidence(metric=LEAK, value=1.0),))
    diagnosis = made.broken(target=LEAK, findings=(finding,), unknown_keys=(LEAK,), notes=(LEAK,))
    survey = Survey(
        name=LEAK,
        observation=Space(kind="dict", parts={LEAK: Space(kind="discrete", choices=(3,))}),
        facts={"wrappers": (LEAK,), "host": "gpu07"},
        complaints=(CheckerComplaint(source=LEAK, level="warn", text=LEAK),),
        faults=(SurveyFault(kind="raised", stage=LEAK, message=LEAK, where=("/home/jane/x/env.py:3 in step",)),),
    )
    item = ChecklistItem(name=LEAK, question=LEAK, state="failed", told=LEAK, command=LEAK)
    return ReportMaterial(
        name=LEAK,
        judgements=(Judgement(about="The training", diagnosis=diagnosis, run=run),),
        survey=survey,
        checklists={"before training": (item,)},
        config=Config.of(config),
        framework=LEAK,
        versions={"system": "Linux 6.1", "torch": "2.5.0"},
        context={
            "host": "gpu07",
            "folder": "jane",
            "command": ["/home/jane/x/train.py", "--token", "s3cr3t", "--lr", "0.1", "--password=hunter2", LEAK],
            "variables": {"SECRET": "s3cr3t"},
            "versions": {"torch": "2.4.0", LEAK: "1", "numpy": LEAK},
            "accelerator": {"name": f"H100 {LEAK}"},
            "git": {"commit": "3f2a9b1c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", "branch": "jane/secret"},
        },
        tried=(LEAK,),
        commands=(f"weaklink diagnose {LEAK}",),
        names=("jane", "gpu07", "deep-team"),
    )


@pytest.mark.parametrize("secret", PLANTED)
def test_nothing_private_gets_in(secret: str) -> None:
    text = write_bugreport(leaking())
    assert secret not in text
    assert secret not in text.replace("\\", "")


def test_what_is_wanted_gets_in() -> None:
    text = write_bugreport(leaking())
    for wanted in (
        "POL301",
        "learning_rate",
        "0.1",
        "`seed` 7",
        "torch: 2.4.0",
        "3f2a9b1c4d5e",
        "train.py",
        "--lr 0.1",
    ):
        assert wanted in text
    assert "env.py:3 in step" in text


def is_balanced(text: str) -> bool:
    fences = sum(line.startswith("```") for line in text.splitlines())
    return text.count("<details>") == text.count("</details>") and fences % 2 == 0


@pytest.mark.slow
def test_the_longest_report_fits_into_an_issue() -> None:
    run = run_of({f"reward.component.{place}": rising(0, 1) for place in range(300)})
    long = "<script>" + "word " * 200_000
    findings = tuple(
        made.finding(f"POL{place}", message=long, evidence=tuple(Evidence(metric=long, value=1.0) for _ in range(50)))
        for place in range(60)
    )
    diagnosis = made.broken(findings=findings, target=long)
    material = ReportMaterial(
        name=long,
        judgements=(Judgement(about="The training", diagnosis=diagnosis, run=run),),
        config=Config.of({f"name_{place}": "x" * 50 for place in range(3000)}),
        tried=(long,) * 500,
    )
    text = write_bugreport(material)
    assert len(text) <= LONGEST
    assert is_balanced(text)
    assert "<script>" not in re.sub(r"`[^`\n]*`", "", text), "only as code"


def test_curves_tell_early_middle_and_late() -> None:
    run = run_of({"policy.kl": np.arange(100.0)})
    assert average_parts(run["policy.kl"]) == (4.5, 49.5, 94.5)


def test_spaces_are_written_as_people_write_them() -> None:
    box = Space(kind="box", shape=(2,), dtype="float32", low=np.array([-1.0, -1.0]), high=np.array([1.0, 1.0]))
    assert describe_space(box) == "Box(-1 to 1, (2,), float32)"
    assert describe_space(Space(kind="discrete", choices=(4,))) == "Discrete(4)"
    parts = {"a": box, "warehouse_secret": box}
    assert describe_space(Space(kind="dict", parts=parts)).startswith("Dict(a: Box(-1 to 1, (2,), float32), (hidden)")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [("gamma", 3, "3"), ("target_kl", None, "None"), ("policy", "MlpPolicy", "MlpPolicy"),
     ("env_id", "ALE/Pong-v5", "ALE/Pong-v5"), ("net_arch", [64, 64], "[64, 64]"), ("lr", "3e-4", "3e-4"),
     ("max_tokens", 512, "512"), ("env", "/home/x", None), ("policy", "two unicorns", None),
     ("policy", "a" * 200, None),
     ("net_arch", {"a": 1}, None), ("zorblax", 3, None), ("env", "AcmeWarehouse-v0", None),
     ("seed_of_token", "abc", None), ("api_key", 12345, None)],
)  # fmt: skip
def test_known_names_with_numbers_and_known_words_are_shown(name: str, value: object, shown: str | None) -> None:
    assert allow_setting(name, value) == shown


def test_the_command_is_the_script_and_its_options() -> None:
    assert write_own_command(["/home/jane/x/train.py", "--lr", "0.1"]) == "python train.py --lr 0.1"
    assert write_own_command(["KEY=1", "/usr/bin/tune"]) == "tune"
    assert write_own_command(None) == ""


def test_the_smallest_script_is_python() -> None:
    config = {"algo": "PPO", "env_id": "CartPole-v1", "learning_rate": 3e-4, "n_steps": 128, "total_timesteps": 5000}
    script = "\n".join(write_skeleton(Config.of(config), "stable-baselines3"))
    compile(script, "script.py", "exec")
    for part in ("from stable_baselines3 import PPO", 'gym.make("CartPole-v1")', "n_steps=128", "model.learn(5_000)"):
        assert part in script


def test_an_environment_that_is_no_name_gets_no_script() -> None:
    assert not list(write_skeleton(Config.of({"algo": "PPO", "env_id": 'x"); import os; ("'}), "stable-baselines3"))


def test_a_language_trainer_gets_its_own() -> None:
    script = "\n".join(write_skeleton(Config.of({"algorithm": "grpo", "num_generations": 8}), "trl"))
    compile(script, "script.py", "exec")
    assert "num_generations=8" in script


def test_versions_are_told_without_loading_anything() -> None:
    found = read_versions()
    assert {"system", "Python", "weaklink", "numpy"} <= set(found)
    assert all(isinstance(value, str) for value in (*found.values(), *describe_accelerators().values()))
    assert all(list_own_names())


def run_command(*arguments: str) -> str:
    result = invoke("report", "--bugreport", *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_log_becomes_a_report() -> None:
    text = run_command(str(RUNS / "cleanrl-learning-rate-acrobot"))
    assert is_balanced(text)
    for wanted in ("POL303 kl-spike", "losses/approx_kl", "--env-id Acrobot-v1", "Seeds: `seed` 1", "### Versions"):
        assert wanted in text
    assert str(RUNS.parent) not in text


def test_a_recording_tells_what_it_was_made_with(tmp_path: Path) -> None:
    config = {"algo": "PPO", "env": "CartPole-v1", "seed": 3, "api_key": "s3cr3t"}
    context = {"command": ["/srv/x/go.py", "--seed", "3"], "versions": {"torch": "1.2.3"}, "host": "gpu07"}
    with store.Recording(tmp_path / "run", config=config, context=context) as recording:
        for step in range(30):
            recording.write(step * 100, {"reward.episode_return": float(step), "policy.kl": 0.01, "gpu07/x": 1.0})
    text = run_command(str(tmp_path / "run"))
    for wanted in ("python go.py --seed 3", "torch: 1.2.3", "Seeds: `seed` 3", "from stable_baselines3 import PPO"):
        assert wanted in text
    assert "gpu07" not in text
    assert "s3cr3t" not in text


def test_without_a_path_it_tells_versions() -> None:
    text = run_command()
    assert "### Versions" in text
    assert "### Findings" not in text


def test_it_is_written_into_a_file(tmp_path: Path) -> None:
    assert run_command("-o", str(tmp_path / "issue.md")) == ""
    assert "### Versions" in (tmp_path / "issue.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("paths", [("nowhere",), ("a", "b")])
def test_wrong_use_is_said(paths: tuple[str, ...]) -> None:
    result = invoke("report", "--bugreport", *paths)
    assert result.exit_code == 2


@pytest.mark.slow
def test_an_environment_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    text = run_command("--env", "CartPole-v1")
    assert "observation space: Box(" in text
    assert "action space: Discrete(2)" in text
    assert "TimeLimit" in text


@pytest.mark.slow
def test_the_folder_of_a_case_is_read(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    from tests.case.projects import LEARNS, ROOM, written
    from weaklink.verbs.debug.debugging import debug
    from weaklink.verbs.debug.options import DebugOptions
    from weaklink.verbs.debug.target import parse_target

    target = parse_target(written(tmp_path, ROOM + LEARNS, "learns.py"))
    debug(DebugOptions(target=target, folder=tmp_path / "case", seconds=10.0, only=("watch", "diagnose")))
    text = run_command(str(tmp_path / "case"))
    assert is_balanced(text)
    for wanted in ("weaklink debug learns.py", "- watch: ", "### Curves", "reward.episode_return"):
        assert wanted in text
    assert str(tmp_path) not in text


def test_json_is_not_confused_with_a_case(tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text(json.dumps({"not": "a case"}))
    result = invoke("report", "--bugreport", tmp_path)
    assert result.exit_code == 2
