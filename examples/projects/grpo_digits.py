"""GRPO by TRL, for a language model of a few thousand weights that is to write odd digits.

Nothing is wrong with it.
"""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

DIGITS = [str(digit) for digit in range(10)]
ODD = {"1", "3", "5", "7", "9"}


def make_tokenizer():
    words = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *DIGITS])}
    plain = Tokenizer(models.WordLevel(vocab=words, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", padding_side="left"
    )


def make_policy(tokenizer):
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, initializer_range=0.1, tie_word_embeddings=False,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    return Qwen2ForCausalLM(config)


def reward(completions, **columns):
    written = [completion.split() for completion in completions]
    return [sum(word in ODD for word in words) / max(len(words), 1) for words in written]


def make_model():
    tokenizer = make_tokenizer()
    settings = GRPOConfig(
        output_dir=tempfile.mkdtemp(prefix="grpo-"), per_device_train_batch_size=32, num_generations=8,
        max_completion_length=24, learning_rate=1e-3, max_steps=60, logging_steps=1, save_strategy="no", report_to=[],
        use_cpu=True, bf16=False, gradient_checkpointing=False, disable_tqdm=True,
    )  # fmt: skip
    prompts = Dataset.from_dict({"prompt": ["1 2 3", "4 5", "6 7 8 9", "0", "1 1", "5 0 5"] * 20})
    return GRPOTrainer(
        model=make_policy(tokenizer),
        reward_funcs=reward,
        args=settings,
        train_dataset=prompts,
        processing_class=tokenizer,
    )
