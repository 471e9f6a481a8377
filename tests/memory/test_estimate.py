"""The estimate against published figures, and against itself."""

from __future__ import annotations

import pytest

import weaklink
from weaklink import memory_estimate as estimate
from weaklink.base.errors import UsageError
from weaklink.verbs.memory.hugging_face import read_shape

LLAMA_8B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
}
QUIET = {"prompt": 1, "completion": 1, "rollouts": 1, "generation_batch": 1}


def part(found, phase, name):
    for each in found.phases:
        if each.name == phase:
            return sum(one.bytes for one in each.parts if one.name == name)
    raise AssertionError(f"no phase {phase}")


@pytest.mark.parametrize(
    ("config", "billions"),
    [
        (LLAMA_8B, 8.03),
        ({**LLAMA_8B, "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 32000}, 6.74),
        ({**LLAMA_8B, "model_type": "mistral", "vocab_size": 32000}, 7.24),
        (
            {
                **LLAMA_8B,
                "model_type": "mixtral",
                "vocab_size": 32000,
                "num_local_experts": 8,
                "num_experts_per_tok": 2,
            },
            46.7,
        ),
        (
            {
                "model_type": "qwen2",
                "hidden_size": 896,
                "num_hidden_layers": 24,
                "num_attention_heads": 14,
                "num_key_value_heads": 2,
                "intermediate_size": 4864,
                "vocab_size": 151936,
                "tie_word_embeddings": True,
            },
            0.494,
        ),
        (
            {
                "model_type": "gpt2",
                "n_embd": 768,
                "n_layer": 12,
                "n_head": 12,
                "n_positions": 1024,
                "vocab_size": 50257,
            },
            0.1244,
        ),
    ],
    ids=["Llama-3.1-8B", "Llama-2-7B", "Mistral-7B", "Mixtral-8x7B", "Qwen2.5-0.5B", "GPT-2"],
)
def test_parameters_of_known_models(config, billions):
    assert read_shape(config)[0].parameters / 1e9 == pytest.approx(billions, rel=0.005)


@pytest.mark.parametrize(
    ("plan", "bytes_each"),
    [
        ({"precision": "mixed"}, 16),
        ({"precision": "fp32"}, 16),
        ({"precision": "bf16", "state_precision": "fp32"}, 12),
        ({"precision": "bf16"}, 8),
        ({"precision": "bf16", "optimizer": "adamw-8bit"}, 6.03),
        ({"precision": "bf16", "optimizer": "sgd"}, 4),
        ({"precision": "bf16", "optimizer": "momentum", "state_precision": "fp32"}, 8),
    ],
    ids=str,
)
def test_bytes_of_each_parameter(plan, bytes_each):
    """Weights, gradients and states: 16 bytes in mixed precision (Rajbhandari et al. 2019, section 3.1)."""
    found = estimate(LLAMA_8B, **QUIET, step_kernel="fused", **plan)
    kept = sum(part(found, "optimizer step", name) for name in ("actor weights", "actor optimizer", "gradients"))
    assert kept / found.parameters == pytest.approx(bytes_each, rel=0.01)


@pytest.mark.parametrize(("sharding", "gigabytes"), [("none", 120), ("zero1", 31.4), ("zero2", 16.6), ("zero3", 1.9)])
def test_the_table_of_the_zero_paper(sharding, gigabytes):
    """7.5 billion parameters on 64 devices (Rajbhandari et al. 2019, figure 1)."""
    found = estimate(parameters="7.5B", precision="mixed", sharding=sharding, devices=64, **QUIET)
    kept = sum(part(found, "optimizer step", name) for name in ("actor weights", "actor optimizer", "gradients"))
    assert kept / 1e9 == pytest.approx(gigabytes, rel=0.02)


def test_the_cache_of_a_known_model():
    """Llama-3.1-8B keeps 128 KiB for each token in 16 bits: 2 x 32 layers x 8 heads x 128 x 2 bytes."""
    found = estimate(LLAMA_8B, precision="bf16", prompt=1024, completion=1024, generation_batch=4)
    assert part(found, "generation", "kv cache") == 4 * 2048 * 128 * 1024


def test_base_of_four_bits():
    found = estimate(LLAMA_8B, precision="bf16", lora_rank=16, base_bits=4, **QUIET)
    assert 5.5e9 < part(found, "training", "actor weights") < 6.3e9
    assert found.trained == 41_943_040  # rank 16 on all seven matrices


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ({"micro_batch": 1}, {"micro_batch": 2}),
        ({"completion": 512}, {"completion": 1024}),
        ({"checkpointing": True}, {}),
        ({"logit_chunks": 8}, {"logit_chunks": 1}),
        ({}, {"reference": True}),
        ({}, {"critic": True}),
        ({}, {"reward_parameters": 1e9}),
        ({"attention": "flash"}, {"attention": "sdpa"}),
        ({"attention": "sdpa"}, {"attention": "eager"}),
        ({"lora_rank": 8, "lora_targets": ("q", "v")}, {"lora_rank": 16}),
        ({"sharding": "fsdp", "devices": 8}, {"sharding": "fsdp", "devices": 4}),
        ({"sharding": "zero1", "devices": 4}, {"sharding": "none", "devices": 4}),
        ({"sharding": "zero2", "devices": 4}, {"sharding": "zero1", "devices": 4}),
    ],
    ids=str,
)
def test_more_of_anything_never_needs_less(smaller, larger):
    """Compared at learning, where all of these count."""
    common = {"precision": "bf16", "micro_batch": 8, "accumulation": 2}
    less, more = (estimate(LLAMA_8B, **{**common, **plan}) for plan in (smaller, larger))
    training = {phase.name: phase.bytes for phase in less.phases}["training"]
    assert training < {phase.name: phase.bytes for phase in more.phases}["training"]
    assert less.needed <= more.needed


def test_peak_is_the_highest_phase():
    found = estimate(LLAMA_8B, reference=True)
    assert found.allocated == max(phase.bytes for phase in found.phases)
    assert found.allocated < found.reserved < found.needed
    assert found.fits is None


def test_changes_lead_to_a_plan_that_fits():
    found = estimate(LLAMA_8B, micro_batch=8, reference=True, device_memory="80GB")
    assert found.fits is False
    left = found.needed
    for change in found.changes:
        assert change.saves > 0
        assert change.leaves == pytest.approx(left - change.saves)
        left = change.leaves
    assert left <= 80e9
    tiers = [change.tier for change in found.changes]
    assert tiers[0] == 0


def test_nothing_to_change_where_it_fits():
    found = estimate(parameters="100M", device_memory="80GiB")
    assert found.fits
    assert found.changes == ()


def test_without_a_limit_the_largest_saving_comes_first():
    saved = [change.saves for change in estimate(LLAMA_8B, micro_batch=8).changes]
    assert len(saved) > 3
    assert saved == sorted(saved, reverse=True)


def test_a_reference_under_lora_is_the_base_itself():
    with_one, without = (estimate(LLAMA_8B, lora_rank=8, reference=each) for each in (True, False))
    assert part(with_one, "training", "reference weights") == 0
    assert with_one.allocated == pytest.approx(without.allocated, rel=1e-4)


def test_a_plain_network():
    found = estimate(layer_sizes=(17, 256, 256, 6), critic=True, rollouts=1_000_000, micro_batch=256)
    assert found.parameters == 17 * 256 + 256 + 256 * 256 + 256 + 256 * 6 + 6
    assert part(found, "training", "rollouts") == 1_000_000 * 4 * (2 * 17 + 6 + 4)


def test_what_was_assumed_is_said():
    found = weaklink.memory_estimate(parameters="7B", layers=32)
    assert found.parameters == pytest.approx(7e9)
    assert any("vocabulary" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "model is not known"),
        ({"parameters": "7Q"}, "such as 7B"),
        ({"parameters": "-1"}, "such as 7B"),
        ({"parameters": "1k"}, "too few"),
        ({"parameters": "7B", "device_memory": "lots"}, "such as 80GB"),
        ({"parameters": "7B", "precision": "fp8"}, "must be one of fp32"),
        ({"parameters": "7B", "micro_batch": 0}, "1 or more"),
        ({"parameters": "7B", "micro_batch": float("nan")}, "1 or more"),
        ({"parameters": "7B", "micro_batch": 1.5}, "wrong value"),
        ({"parameters": "7B", "base_bits": 4}, "--lora"),
        ({"parameters": "7B", "lora_rank": 4, "lora_targets": ("z",)}, "no matrix 'z'"),
        ({"parameters": "7B", "sharding": "fsdp"}, "several devices"),
        ({"parameters": "7B", "offload": ("actor",)}, "cannot be offloaded"),
        ({"hidden": 64, "layers": 2, "heads": 3, "kv_heads": 2}, "multiple"),
        ({"hidden": 64.5, "layers": 2}, "whole number"),
        ({"config": {"hidden_size": 64}}, "does not say the layers"),
        ({"config": {**LLAMA_8B, "hidden_size": "wide"}}, "must be a whole number"),
        ({"config": LLAMA_8B, "parameters": "7B"}, "given twice"),
        ({"layer_sizes": (4,)}, "two or more"),
        ({"layer_sizes": (4, 2), "config": LLAMA_8B}, "given twice"),
        ({"parameters": "7B", "device_memory": 80}, "give a unit"),
    ],
    ids=str,
)
def test_bad_input_is_told(given, said):
    with pytest.raises(UsageError, match=said):
        estimate(**given)


def test_an_engine_keeps_its_own_memory_whole():
    plain = estimate(LLAMA_8B, generate=False)
    beside = estimate(LLAMA_8B, generate=False, engine_memory=2e11)
    assert beside.needed - plain.needed == pytest.approx(2e11)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"is_encoder_decoder": True}, "encoder"),
        ({"vision_config": {}}, "images"),
        ({"kv_lora_rank": 512}, "latent"),
    ],
)
def test_what_is_not_modelled_is_said(more, said):
    assert any(said in note for note in estimate({**LLAMA_8B, **more}).notes)
    assert estimate(LLAMA_8B).notes == ()


def test_the_smallest_change_that_is_enough_is_taken():
    just_over = estimate(LLAMA_8B, precision="bf16", lora_rank=8, micro_batch=8)
    found = estimate(
        LLAMA_8B, precision="bf16", lora_rank=8, micro_batch=8, device_memory=just_over.needed - 0.02 * just_over.needed
    )
    assert len(found.changes) == 1
    alone = [change for change in just_over.changes if change.tier == 0 and change.saves >= 0.02 * just_over.needed]
    assert found.changes[0].saves == pytest.approx(min(change.saves for change in alone))
