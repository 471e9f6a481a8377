"""Secrets and names planted wherever a run can hold a text: none leaves by a report, a page or a recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapters.test_dialects import LOGS
from tests.cli.logs import invoke
from tests.show import planted
from weaklink.base.evidence import store
from weaklink.show.allowing import allow_name

RUNS = {"recording": planted.write_recording, "console": planted.write_console_log}


def run_report(*arguments: object) -> str:
    result = invoke("report", *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def find_leaks(text: str) -> list[str]:
    """What was planted and is there, as it is or as Markdown and JSON escape it."""
    plain = text.replace("\\", "").replace("u002f", "/")
    return [one for one in planted.ALL if one in text or one in plain]


def test_there_is_enough_to_find() -> None:
    assert len(set(planted.ALL)) >= 60


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS)
def test_no_bug_report_holds_any_of_it(write: Callable[[Path], Path], tmp_path: Path) -> None:
    text = run_report(write(tmp_path / "narwhal" / "run"), "--bugreport")
    assert find_leaks(text) == []
    assert "narwhal" not in text


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS)
def test_the_numbers_are_still_there(write: Callable[[Path], Path], tmp_path: Path) -> None:
    text = run_report(write(tmp_path / "run"), "--bugreport")
    for value in ("PPO", "CartPole-v1", "MlpPolicy", "tanh", "adamw", "linear", "[48, 24]", "4711", "policy.kl"):
        assert value in text, value
    numbers = (value for value in planted.USEFUL.values() if isinstance(value, float))
    for number in (*numbers, -1.25):
        assert f"{number}" in text, number


def test_a_bug_report_of_a_recording_shows_its_command(tmp_path: Path) -> None:
    text = run_report(planted.write_recording(tmp_path / "run"), "--bugreport")
    assert "python train.py --lr 0.00037 --gamma=0.9931" in text
    assert "abababababab" in text, "the commit"


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS)
def test_no_page_holds_any_of_it_unless_it_is_asked_for(write: Callable[[Path], Path], tmp_path: Path) -> None:
    run, page = write(tmp_path / "run"), tmp_path / "page.html"
    run_report(run, "-o", page)
    text = page.read_text(encoding="utf-8")
    assert find_leaks(text) == []
    for value in (
        "0.00037",
        "0.9931",
        "0.217",
        "CartPole-v1",
        "MlpPolicy",
        "approx_kl" if run.joinpath("train.log").exists() else "policy.kl",
    ):
        assert value in text, value
    run_report(run, "-o", page, "--show-all")
    shown = page.read_text(encoding="utf-8")
    for value in ("zephyrium", "mschmidt", "falcon-lab"):
        assert value in shown


def test_a_recording_is_written_without_secrets(tmp_path: Path) -> None:
    with store.Recording(
        tmp_path, config=planted.make_config(), context={"command": planted.make_command()}
    ) as recording:
        recording.add("config", {"later": {"api_key": "hunter2", "note": planted.TOKENS[0]}})
    text = (tmp_path / store.FILE).read_text(encoding="utf-8")
    assert [one for one in (*planted.TOKENS, *planted.WORDS) if one in text] == []
    for value in ("0.00037", "0.9931", "CartPole-v1", "MlpPolicy", '"max_grad_norm":0.47'):
        assert value in text


PUBLIC = [
    "CartPole-v1", "ALE/Pong-v5", "BreakoutNoFrameskip-v4", "MiniGrid-DoorKey-5x5-v0", "HalfCheetah-v4",
    "dm_control/walker-walk-v0", "Isaac-Velocity-Rough-Anymal-C-v0", "LunarLanderContinuous-v2",
    "Qwen/Qwen2.5-0.5B-Instruct", "meta-llama/Llama-3.2-1B", "rollout/ep_rew_mean", "charts/episodic_return",
    "losses/approx_kl", "train/entropy_loss", "Episode_Reward/track_lin_vel_xy_exp", "policy_kwargs.net_arch",
    "per_device_train_batch_size", "gradient_accumulation_steps", "num_generations", "exploration_final_eps",
    "stable_baselines3.common.atari_wrappers.AtariWrapper", "MlpLstmPolicy", "RecurrentPPO", "adamw_torch",
    "cosine_with_restarts", "TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics",
    "cuda:0", "bfloat16",
]  # fmt: skip


def test_keys_that_frameworks_log_pass() -> None:
    keys = {key for _, table in LOGS.values() for key in table}
    assert len(keys) > 200
    assert [key for key in keys if allow_name(key) != key] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_pass(name: str) -> None:
    assert allow_name(name) == name


@pytest.mark.parametrize(
    "name", [*planted.TOKENS, *planted.WORDS, *planted.PEOPLE, *planted.ODD, "AcmeWarehouse-v3", "müller"]
)
def test_names_that_are_not_known_do_not_pass(name: str) -> None:
    assert name not in allow_name(name)
