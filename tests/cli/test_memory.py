from __future__ import annotations

import json

import pytest

from tests.cli.logs import invoke
from tests.unwrapping import unwrapped

CONFIG = {
    "model_type": "llama",
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 8192,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
}


def weaklink(*arguments):
    return invoke("memory", *arguments)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return tmp_path


def test_a_config_by_file_and_by_folder(model):
    by_folder = weaklink("--config", str(model))
    assert by_folder.exit_code == 0
    assert by_folder.stdout == weaklink("--config", str(model / "config.json")).stdout
    assert "1.24 B parameters" in unwrapped(by_folder.stdout)
    assert "<- peak" in unwrapped(by_folder.stdout)


def test_what_does_not_fit_says_what_to_change_and_exits_with_1(model):
    done = weaklink("--config", str(model), "--device-memory", "16GB", "--micro-batch", "8")
    assert done.exit_code == 1
    assert done.stdout.startswith("DOES NOT FIT")
    assert "What to change first" in unwrapped(done.stdout)
    assert "saves" in done.stdout


def test_what_fits_says_so(model):
    assert weaklink("--config", str(model), "--device-memory", "80GB").stdout.startswith("FITS")


def test_where_nothing_helps_it_says_so():
    done = weaklink("--parameters", "700B", "--device-memory", "1GB")
    assert "No change that is known here makes it fit" in unwrapped(done.stdout)


def test_as_data_and_as_markdown(model):
    document = json.loads(weaklink("--config", str(model), "--reference", "-f", "json").stdout)
    assert document["command"] == "memory"
    assert document["peak"]["bytes"] == max(phase["bytes"] for phase in document["phases"])
    for phase in document["phases"]:
        assert phase["bytes"] == pytest.approx(sum(phase["parts"].values()))
    page = weaklink("--config", str(model), "--device-memory", "8GB", "-f", "markdown").stdout
    assert page.startswith("## DOES NOT FIT")
    assert "| training |" in page


def test_every_option_reaches_the_plan(model):
    done = weaklink(
        *("--config", str(model), "-f", "json", "--prompt", "100", "--completion", "200", "--micro-batch", "3"),
        *("--accumulation", "2", "--rollouts", "5", "--generation-batch", "4", "--logit-chunks", "2", "--whole-logits"),
        *("--precision", "bf16", "--state-precision", "fp32", "--optimizer", "sgd", "--step-kernel", "fused"),
        *("--attention", "flash", "--checkpointing", "--lora", "8", "--lora-targets", "q,v", "--base-bits", "8"),
        *("--critic", "--reference", "--reward-parameters", "1B", "--engine-memory", "2GB", "--sharding", "zero2"),
        *("--devices", "2", "--offload", "reward"),
    )
    plan = json.loads(done.stdout)["plan"]
    assert plan == {
        "prompt": 100,
        "completion": 200,
        "micro_batch": 3,
        "accumulation": 2,
        "rollouts": 5,
        "generation_batch": 4,
        "scoring_batch": 0,
        "logit_chunks": 2,
        "whole_logits": True,
        "precision": "bf16",
        "state_precision": "fp32",
        "optimizer": "sgd",
        "step_kernel": "fused",
        "attention": "flash",
        "checkpointing": True,
        "lora_rank": 8,
        "lora_targets": ["q", "v"],
        "base_bits": 8,
        "critic": True,
        "reference": True,
        "reward_parameters": 1e9,
        "generate": False,
        "kv_bits": 16,
        "engine_memory": 2e9,
        "sharding": "zero2",
        "devices": 2,
        "offload": ["reward"],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "The model is not known"),
        (("--config", "nowhere.json"), "Cannot read nowhere.json"),
        (("--parameters", "7B", "--optimizer", "lion"), "optimizer must be one of"),
        (("--layer-sizes", "a,b"), "whole numbers"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(arguments, said):
    done = weaklink(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_is_no_config(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("[1, 2]", encoding="utf-8")
    assert "must hold an object" in weaklink("--config", str(file)).stderr
    file.write_text("{", encoding="utf-8")
    assert "no valid JSON" in weaklink("--config", str(file)).stderr
