"""A transformer of some twenty thousand weights, its tokenizer and prompts, made in code: nothing is downloaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from weaklink.base.evidence.tokens import Vocabulary

SPECIAL = ("<pad>", "<end>")
TOOLS = ("seen", "found", "none")
ASKERS = ("who", "what", "when", "where", "why", "how")
ANSWERS = ("red", "green", "blue", "grey", "pink", "brown", "white", "black")
WORDS = (*SPECIAL, *TOOLS, *ASKERS, *ANSWERS)

SPREAD = 0.2
"""Of the random weights: with the usual 0.02 all words would be about as likely."""

STEADY, UNHEARD = 4.0, -9.0
"""The first number of every embedding, and its weight for words that a completion never holds."""

ENDING = 0.15
"""Its weight for the end, so that completions of every length come up."""


APART = 4.0
"""How many times larger the words of prompts are: what must depend on the prompt is then soon told apart."""


def go_offline() -> None:
    """Keeps the libraries from asking any server."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ.setdefault(name, "1")


def make_vocabulary() -> Vocabulary:
    """The numbers of the words."""
    number = {word: place for place, word in enumerate(WORDS)}
    return Vocabulary(
        pad=number["<pad>"],
        end=number["<end>"],
        tools=tuple(number[word] for word in TOOLS),
        askers=tuple(number[word] for word in ASKERS),
        answers=tuple(number[word] for word in ANSWERS),
    )


def make_tokenizer() -> Any:
    """One token a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    plain = Tokenizer(models.WordLevel(vocab={word: place for place, word in enumerate(WORDS)}, unk_token="<pad>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<end>", unk_token="<pad>", padding_side="left"
    )


def save(folder: Path, seed: int) -> None:
    """Saves a model with random weights: a trainer that wants a reference loads it again by its path."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    known = make_vocabulary()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=len(WORDS),
                hidden_size=32,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=64,
                initializer_range=SPREAD,
                attention_dropout=0.0,
                tie_word_embeddings=False,
                pad_token_id=known.pad,
                eos_token_id=known.end,
                bos_token_id=None,
            )
        )
        _keep_to_answers(model, known)
    model.save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)


def _keep_to_answers(model: Any, known: Vocabulary) -> None:
    """Makes a completion of answers and an end: a number that no layer changes serves as the words' bias."""
    with torch.no_grad():
        model.model.embed_tokens.weight[list(known.askers)] *= APART
        model.model.embed_tokens.weight[:, 0] = STEADY
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight[0] = 0.0
            layer.mlp.down_proj.weight[0] = 0.0
        model.lm_head.weight[:, 0] = UNHEARD
        model.lm_head.weight[list(known.answers), 0] = 0.0
        model.lm_head.weight[known.end, 0] = ENDING


def load(folder: Path) -> Any:
    """The saved model, which knows its own path."""
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(str(folder), dtype=torch.float32)


def displace_model(model: Any, seed: int, distance: float) -> None:
    """Moves a model away from the saved one: other answers become likelier."""
    known = make_vocabulary()
    spoken = [*known.answers, known.end]
    noise = torch.randn((len(spoken), model.config.hidden_size), generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        model.lm_head.weight[spoken] += distance * noise
