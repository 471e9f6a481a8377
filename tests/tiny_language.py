"""A language model of a few thousand weights, its tokenizer and its prompts, made in code: nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

WORDS = [f"w{number}" for number in range(24)]
PROMPTS = ["w1 w2 w3", "w4 w5", "w6 w7 w8 w9", "w10", "w11 w12 w13", "w14 w15 w16 w17 w18"]
END, PAD, UNKNOWN = "</s>", "<pad>", "<unk>"


def offline() -> None:
    """Keeps the libraries from asking any server."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ[name] = "1"


def tokenizer() -> Any:
    """One token a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    numbers = {word: number for number, word in enumerate([PAD, END, UNKNOWN, *WORDS])}
    plain = Tokenizer(models.WordLevel(vocab=numbers, unk_token=UNKNOWN))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token=PAD, eos_token=END, unk_token=UNKNOWN, padding_side="left"
    )


def saved_model(folder: Path, seed: int = 0, *, dropout: float = 0.0, learned_positions: bool = False) -> Path:
    """Saves a model with random weights: a trainer with a reference loads it again by its path.

    Args:
        folder: where to.
        seed: of its weights.
        dropout: on the attention.
        learned_positions: positions are learned, as in GPT-2, and not rotary, as in Qwen2.
    """
    import torch
    from transformers import GPT2LMHeadModel, Qwen2ForCausalLM

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        kind = GPT2LMHeadModel if learned_positions else Qwen2ForCausalLM
        kind(_learned(dropout) if learned_positions else _rotary(dropout)).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


# with the usual spread of 0.02 all tokens would be about as likely
_SPREAD = 0.2


def _rotary(dropout: float) -> Any:
    from transformers import Qwen2Config

    return Qwen2Config(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=_SPREAD,
        attention_dropout=dropout,
        tie_word_embeddings=False,
        **_special(),
    )


def _learned(dropout: float) -> Any:
    from transformers import GPT2Config

    return GPT2Config(
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=64,
        initializer_range=_SPREAD,
        attn_pdrop=dropout,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        **_special(),
    )


def _special() -> dict[str, Any]:
    words = tokenizer()
    return {
        "vocab_size": len(words),
        "eos_token_id": words.eos_token_id,
        "pad_token_id": words.pad_token_id,
        "bos_token_id": None,
    }


def prompts(times: int = 8) -> Any:
    """The prompts as a dataset."""
    from datasets import Dataset

    return Dataset.from_dict({"prompt": PROMPTS * times})


def small_numbers(completions: list[str], prompts: list[str], **_: Any) -> list[float]:
    """Pays for words with small numbers, and for some prompts more than for others."""
    paid = []
    for prompt, completion in zip(prompts, completions, strict=True):
        numbers = [int(word[1:]) for word in completion.split() if word[1:].isdigit()]
        paid.append(sum(number < 12 for number in numbers) / 8 + len(prompt.split()))
    return paid


def language_trainer(
    kind: Any, model: Path, output: Path, *, reward: Callable[..., Any] = small_numbers, **settings: Any
) -> Any:
    """A trainer of TRL, `GRPOTrainer`, `RLOOTrainer` or one made from them, on the tiny model and the CPU."""
    from transformers import AutoModelForCausalLM
    from trl import GRPOConfig, RLOOConfig

    config = GRPOConfig if any(ancestor.__name__ == "GRPOTrainer" for ancestor in kind.__mro__) else RLOOConfig
    newest = next(name for name in ("activation_checkpointing", "gradient_checkpointing") if hasattr(config, name))
    chosen = {
        "output_dir": str(output),
        "per_device_train_batch_size": 8,
        "num_generations": 4,
        "max_completion_length": 8,
        "learning_rate": 1e-3,
        "max_steps": 4,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": [],
        "use_cpu": True,
        "bf16": False,
        "disable_tqdm": True,
        "seed": 0,
        newest: False,  # Transformers renamed it, and warns of the older name
        **settings,
    }
    return kind(
        model=AutoModelForCausalLM.from_pretrained(str(model)),
        reward_funcs=reward,
        args=config(**chosen),
        train_dataset=prompts(),
        processing_class=tokenizer(),
    )
