"""`weaklink memory`: what a training needs on the accelerator."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from weaklink.cli.exit_status import FINDINGS
from weaklink.cli.options import OutputFormat, OutputOption, TextFormatOption


def _make_option(help: str, *names: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, show_default=False)


def memory(
    config: Annotated[
        str, _make_option("The config.json of a Hugging Face model, or its folder.", metavar="FILE")
    ] = "",
    parameters: Annotated[str, _make_option("Parameters of the model, such as 7B.", metavar="COUNT")] = "",
    hidden: Annotated[int | None, _make_option("Width of the model.")] = None,
    layers: Annotated[int | None, _make_option("Layers of the model.")] = None,
    heads: Annotated[int | None, _make_option("Attention heads.")] = None,
    kv_heads: Annotated[int | None, _make_option("Key and value heads.")] = None,
    intermediate: Annotated[int | None, _make_option("Inner width of a layer.")] = None,
    vocabulary: Annotated[int | None, _make_option("Words of the tokenizer.")] = None,
    tied: Annotated[bool, _make_option("One table serves for both ends of the model.", "--tied")] = False,
    layer_sizes: Annotated[
        str, _make_option("A plain network instead: sizes of its layers, such as 17,256,256,6.", metavar="SIZES")
    ] = "",
    device_memory: Annotated[str, _make_option("Memory of the device, such as 80GB.", metavar="SIZE")] = "",
    prompt: Annotated[int, typer.Option(help="Tokens of a prompt.")] = 512,
    completion: Annotated[int, typer.Option(help="Tokens of a completion.")] = 512,
    micro_batch: Annotated[int, typer.Option(help="Rows that pass forward and backward at a time.")] = 1,
    accumulation: Annotated[int, typer.Option(help="Micro-batches of a step.")] = 1,
    rollouts: Annotated[int, typer.Option(help="Rows kept between generating and learning.")] = 8,
    generation_batch: Annotated[int, typer.Option(help="Rows generated at a time.")] = 8,
    logit_chunks: Annotated[int, typer.Option(help="Chunks in which log-probabilities are worked out.")] = 1,
    whole_logits: Annotated[bool, _make_option("The prompt is scored too.", "--whole-logits")] = False,
    precision: Annotated[str, typer.Option(help="fp32, autocast, mixed, bf16 or fp16.")] = "autocast",
    state_precision: Annotated[str, _make_option("fp32 or bf16: of the states of the optimizer.")] = "",
    optimizer: Annotated[str, typer.Option(help="adamw, adamw-8bit, adafactor, momentum or sgd.")] = "adamw",
    step_kernel: Annotated[str, typer.Option(help="foreach, fused or loop: how the optimizer steps.")] = "foreach",
    attention: Annotated[str, typer.Option(help="sdpa, flash or eager.")] = "sdpa",
    checkpointing: Annotated[bool, _make_option("Activations are worked out again.", "--checkpointing")] = False,
    lora: Annotated[int, _make_option("Rank of LoRA; all weights are trained without it.", metavar="RANK")] = 0,
    lora_targets: Annotated[str, typer.Option(help="Matrices with an adapter.")] = "q,k,v,o,gate,up,down",
    base_bits: Annotated[int, typer.Option(help="4, 8 or 16: of the frozen base under LoRA.")] = 16,
    critic: Annotated[bool, _make_option("A critic of the same size is trained too.", "--critic")] = False,
    reference: Annotated[bool, _make_option("A reference model is held too.", "--reference")] = False,
    reward_parameters: Annotated[
        str, _make_option("Parameters of a reward model on the device.", metavar="COUNT")
    ] = "",
    no_generation: Annotated[bool, _make_option("Completions are generated elsewhere.", "--no-generation")] = False,
    engine_memory: Annotated[str, _make_option("What a generation engine holds on the device.", metavar="SIZE")] = "",
    sharding: Annotated[str, typer.Option(help="none, zero1, zero2, zero3 or fsdp.")] = "none",
    devices: Annotated[int, typer.Option(help="Devices that share the work.")] = 1,
    offload: Annotated[str, _make_option("optimizer, reference, reward: kept in host memory.")] = "",
    format: TextFormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Estimates the accelerator memory of a training, and what to change first where it does not fit."""
    from weaklink.cli.output import OutputStream
    from weaklink.verbs.memory import MemoryOptions, estimate_memory, plan_memory
    from weaklink.verbs.memory.quantities import parse_count, parse_size

    plan = plan_memory(
        {
            "prompt": prompt,
            "completion": completion,
            "micro_batch": micro_batch,
            "accumulation": accumulation,
            "rollouts": rollouts,
            "generation_batch": generation_batch,
            "logit_chunks": logit_chunks,
            "whole_logits": whole_logits,
            "precision": precision,
            "state_precision": state_precision or None,
            "optimizer": optimizer,
            "step_kernel": step_kernel,
            "attention": attention,
            "checkpointing": checkpointing,
            "lora_rank": lora,
            "lora_targets": _split_words(lora_targets),
            "base_bits": base_bits,
            "critic": critic,
            "reference": reference,
            "reward_parameters": parse_count(reward_parameters, "--reward-parameters") if reward_parameters else 0.0,
            "generate": not no_generation and not engine_memory,
            "engine_memory": parse_size(engine_memory, "--engine-memory") if engine_memory else 0.0,
            "sharding": sharding,
            "devices": devices,
            "offload": _split_words(offload),
        }
    )
    options = MemoryOptions(
        config=config or None,
        parameters=parameters or None,
        layer_sizes=_parse_sizes(layer_sizes),
        device_memory=device_memory or None,
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        intermediate=intermediate,
        vocabulary=vocabulary,
        tied=tied or None,
        plan=plan,
    )
    found = estimate_memory(options)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    out.show(found, format)
    raise typer.Exit(FINDINGS if found.fits is False else 0)


def _split_words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _parse_sizes(text: str) -> tuple[int, ...] | None:
    if not text:
        return None
    from weaklink.base.errors import UsageError

    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(
            f"--layer-sizes must be whole numbers with commas, such as 17,256,256,6, not '{text}'."
        ) from None
