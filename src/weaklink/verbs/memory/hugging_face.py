"""The shape of a model from its config.json, read as plain JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.limits import LARGEST_CONFIG, LARGEST_INTEGER, read_bounded
from weaklink.verbs.memory.shape import ModelShape, check_shape

_NAMES = {
    "hidden": ("hidden_size", "n_embd", "d_model", "dim"),
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv"),
    "head_size": ("head_dim",),
    "intermediate": ("moe_intermediate_size", "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"),
    "vocabulary": ("vocab_size", "n_vocab"),
    "positions": ("n_positions", "max_position_embeddings"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts"),
    "active_experts": ("num_experts_per_tok", "num_experts_per_token", "moe_k"),
    "shared_experts": ("n_shared_experts",),
    "shared_intermediate": ("shared_expert_intermediate_size",),
}  # fmt: skip
_UNGATED = (
    "bloom",
    "codegen",
    "falcon",
    "gpt2",
    "gpt_bigcode",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "mpt",
    "opt",
    "phi",
    "starcoder2",
)
_LEARNT_POSITIONS = ("gpt2", "gpt_bigcode", "gpt_neo", "opt")
_ONE_KV_HEAD = ("multi_query",)


def read_shape(source: Mapping[str, Any] | str | os.PathLike[str]) -> tuple[ModelShape, tuple[str, ...]]:
    """The shape in a configuration (a mapping, its file or the folder of the model), and what is not modelled."""
    if isinstance(source, Mapping):
        return _parse_shape(source, "the configuration"), _list_unmodelled(source)
    path = Path(source)
    path = path / "config.json" if path.is_dir() else path
    try:
        cure = "Give that of a decoder."
        document = json.loads(read_bounded(path, LARGEST_CONFIG, "The config.json of a model", cure))
    except OSError as error:
        raise UsageError(
            f"Cannot read {path}: {error.strerror or error}. --config takes the config.json of a model, or its folder."
        ) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} must be the config.json of a model, but it is no valid JSON: {error}.") from None
    if not isinstance(document, dict):
        raise UsageError(
            f"{path} must hold an object, as the config.json of a model does, not {type(document).__name__}."
        )
    return _parse_shape(document, str(path)), _list_unmodelled(document)


def _list_unmodelled(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Parts of a model that are read as if it were a plain decoder."""
    known = {
        "an encoder beside the decoder": document.get("is_encoder_decoder") is True,
        "what sees images or hears": any(key in document for key in ("vision_config", "audio_config")),
        "attention through a latent of lower rank": document.get("kv_lora_rank") is not None,
    }
    return tuple(
        f"{part} is not modelled: the estimate is that of a plain decoder" for part, there in known.items() if there
    )


def _parse_shape(document: Mapping[str, Any], place: str) -> ModelShape:
    for part in ("text_config", "llm_config", "language_config"):
        if isinstance(document.get(part), Mapping):
            document = {**document, **document[part]}
    kind = str(document.get("model_type", ""))
    found = {name: _read_whole_number(document, keys, place) for name, keys in _NAMES.items()}
    hidden, layers, heads = (_require(found, name, place) for name in ("hidden", "layers", "heads"))
    gated = kind not in _UNGATED
    experts = found["experts"] or 0
    if not experts:
        found["intermediate"] = _read_whole_number(document, _NAMES["intermediate"][1:], place)
    intermediate = found["intermediate"] or (4 * hidden if not gated else round(8 * hidden / 3))
    multi_query = any(document.get(key) is True for key in _ONE_KV_HEAD)
    shape = ModelShape(
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=found["kv_heads"] or (1 if multi_query else heads),
        head_size=found["head_size"] or max(1, hidden // max(1, heads)),
        intermediate=intermediate,
        vocabulary=_require(found, "vocabulary", place),
        gated=gated,
        tied=bool(document.get("tie_word_embeddings", kind in ("gpt2", "gemma", "gemma2", "gemma3", "opt", "bloom"))),
        biased=kind in _UNGATED,
        fused_norm=kind in _UNGATED,
        positions=(found["positions"] or 0) if kind in _LEARNT_POSITIONS else 0,
        experts=experts,
        active_experts=(found["active_experts"] or 1) if experts else 0,
        shared_intermediate=found["shared_intermediate"] or (found["shared_experts"] or 0) * intermediate,
        name=str(document.get("_name_or_path") or kind),
    )
    return check_shape(shape)


def _read_whole_number(document: Mapping[str, Any], keys: tuple[str, ...], place: str) -> int | None:
    for key in keys:
        value = document.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST_INTEGER:
            told = f"{value:.1e}" if isinstance(value, float) else repr(value)[:40]
            raise UsageError(f"{key} in {place} must be a whole number of 64 bits at most, not {told}.")
        return value
    return None


def _require(found: Mapping[str, int | None], name: str, place: str) -> int:
    value = found[name]
    if value is None:
        raise UsageError(
            f"{place} does not say the {name} of the model: it needs one of {', '.join(_NAMES[name])}. "
            "Give the config.json of a decoder, or numbers such as --hidden and --layers."
        )
    return value
