"""How an evaluation was made, kept with its scores: what must be alike before two of them may be compared.

    {"weaklink": "0.1.0", "kind": "evaluation", "schema": 1, "task": "gsm8k", "model": "step-800", "split": "dev",
     "temperature": 0.0, "max_tokens": 512, "pass_at_k": 1, "per": "item", "scores": {"q1": 1.0, "q2": 0.0}}

Scores are by item or by seed; an item that was tried several times has a list. What has no field of its own is kept
under `settings` and compared like the rest.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.fleet import shorten_value

FILE = "weaklink-evaluation.json"
KIND = "evaluation"
SCHEMA = 1
ITEM, SEED = "item", "seed"

SPLITS = ("smoke", "dev", "public", "private", "human audit")
"""From the one that may be looked at as often as one likes to those that are kept for the last word."""

_OTHER_NAMES = {
    **dict.fromkeys(("val", "valid", "validation", "development", "devel"), "dev"),
    **dict.fromkeys(("test", "public test", "public_test"), "public"),
    **dict.fromkeys(("private test", "private_test", "hidden", "holdout", "held-out", "held out"), "private"),
    **dict.fromkeys(("human", "human_audit", "human-audit", "audit"), "human audit"),
}
# lowest and highest value, and whether it must be whole
_NUMBERS = {
    "temperature": (0.0, math.inf, False),
    "top_p": (0.0, 1.0, False),
    "max_tokens": (1, math.inf, True),
    "timeout": (0.0, math.inf, False),
    "pass_at_k": (1, math.inf, True),
    "episodes": (1, math.inf, True),
}
_TEXTS = ("task", "model", "date", "split", "prompt_template_hash", "env_version", "source")


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation: what was evaluated, on what, how, and what it scored.

    `task` is the benchmark or environment, `model` the model or checkpoint, `scores` by item or by seed as `per` says.
    """

    task: str = ""
    model: str = ""
    date: str = ""
    split: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    prompt_template_hash: str = ""
    tools: tuple[str, ...] | None = None
    timeout: float | None = None
    pass_at_k: int | None = None
    deterministic: bool | None = None
    env_version: str = ""
    episodes: int | None = None
    seeds: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    per: str = ITEM
    scores: dict[str, tuple[float, ...]] = {}
    source: str = ""

    @classmethod
    def of(cls, *, scores: object = None, prompt_template: str | None = None, **stated: object) -> Manifest:
        """Takes what a user or a file states and checks it.

        Args:
            scores: by item or seed: a mapping, a list in order, or one number; an item may have a list.
            prompt_template: the template itself; only its hash is kept.
            stated: the fields of `Manifest`; other names are kept as settings.

        Raises:
            UsageError: a value cannot be what its name says.
        """
        fields: dict[str, Any] = {name: _check_value(name, stated[name]) for name in _list_known() & set(stated)}
        fields = {name: value for name, value in fields.items() if value is not None}
        if prompt_template is not None:
            fields["prompt_template_hash"] = hash_template(prompt_template)
        others = {name: value for name, value in stated.items() if name not in _list_known()}
        fields["settings"] = {**fields.get("settings", {}), **_format_settings(others)}
        seeds = fields.get("seeds", ())
        per = fields.get("per") or _infer_unit(scores, seeds)
        return cls(**{**fields, "per": per, "scores": _parse_scores(scores, per, seeds)})

    @property
    def protocol(self) -> dict[str, str]:
        """The settings that must be alike, as text; what is not stated is not there."""
        tools = None if self.tools is None else ", ".join(sorted(self.tools)) or "none"
        stated = {
            "split": self.split,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "prompt template": self.prompt_template_hash,
            "tools": tools,
            "timeout": self.timeout,
            "pass@k": self.pass_at_k,
            "deterministic": self.deterministic,
            "episodes": self.episodes,
            **self.settings,
        }
        return {name: shorten_value(value) for name, value in stated.items() if value is not None and value != ""}

    @property
    def digest(self) -> str:
        """Equal for evaluations that show the same scores of the same model on the same split."""
        shown = msgspec.json.encode((self.task, self.model, self.split, self.per, sorted(self.scores.items())))
        return hashlib.sha256(shown).hexdigest()[:16]


def hash_template(template: str) -> str:
    """A prompt template as something that fits into a table and differs where it differs."""
    return "sha256:" + hashlib.sha256(template.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def normalise_split(name: str) -> str:
    """The split by its usual name; an unknown one as it is."""
    plain = name.strip().lower()
    return _OTHER_NAMES.get(plain, plain)


def make_document(manifest: Manifest) -> dict[str, Any]:
    """The manifest as it is written, without what is not stated."""
    body: dict[str, Any] = msgspec.to_builtins(manifest)
    told = {name: value for name, value in body.items() if value not in (None, "", {}) and name != "source"}
    stated = {name: value for name, value in told.items() if name != "seeds" or value}
    stated["scores"] = {name: one[0] if len(one) == 1 else list(one) for name, one in manifest.scores.items()}
    return stated


@cache
def _list_known() -> frozenset[str]:
    return frozenset(Manifest.__struct_fields__) - {"scores"}


def _check_value(name: str, value: object) -> Any:
    if value is None:
        return None
    if name in _NUMBERS:
        return _parse_number(name, value)
    if name in _TEXTS:
        if not isinstance(value, str | int | float):
            raise UsageError(f"{name} of an evaluation must be a text, not {value!r}.")
        return normalise_split(str(value)) if name == "split" else str(value)
    if name == "deterministic":
        if not isinstance(value, bool):
            raise UsageError(f"deterministic of an evaluation must be true or false, not {value!r}.")
        return value
    if name == "per":
        if value not in (ITEM, SEED):
            raise UsageError(f"per of an evaluation must be '{ITEM}' or '{SEED}', not {value!r}.")
        return value
    if name == "settings":
        if not isinstance(value, Mapping):
            raise UsageError(f"settings of an evaluation must be a mapping, not {value!r}.")
        return _format_settings(value)
    return _parse_names(name, value)


def _parse_number(name: str, value: object) -> float | int:
    low, high, whole = _NUMBERS[name]
    number = math.nan if isinstance(value, bool | str | bytes) else _parse_float(value)
    if not low <= number <= high or not math.isfinite(number) or (whole and number != int(number)):
        kind = "a whole number" if whole else "a number"
        reach = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
        raise UsageError(f"{name} of an evaluation must be {kind} {reach}, not {value!r}.")
    return int(number) if whole else number + 0.0


def _parse_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _parse_names(name: str, value: object) -> tuple[str, ...]:
    """Seeds and tools: a list, or one of them alone."""
    if isinstance(value, str | int):
        value = [value]
    if not isinstance(value, Sequence) or not all(isinstance(one, str | int | float) for one in value):
        raise UsageError(f"{name} of an evaluation must be a list of names or numbers, not {value!r}.")
    names = tuple(shorten_value(one) for one in value)
    twice = next((one for one in names if names.count(one) > 1), "") if name == "seeds" else ""
    if twice:
        raise UsageError(f"seeds of an evaluation must differ, but {twice} is given twice.")
    return names


def _format_settings(stated: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): shorten_value(value) for name, value in stated.items() if value is not None}


def _infer_unit(scores: object, seeds: tuple[str, ...]) -> str:
    """A number alone, or a list beside seeds, is by seed; anything else by item."""
    if isinstance(scores, Mapping):
        return SEED if seeds and set(map(shorten_value, scores)) <= set(seeds) else ITEM
    if isinstance(scores, Sequence) or hasattr(scores, "__len__"):
        return SEED if seeds and len(scores) else ITEM
    return SEED


def _format_count(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _parse_scores(scores: Any, per: str, seeds: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    if scores is None:
        return {}
    if hasattr(scores, "tolist"):
        scores = scores.tolist()
    if isinstance(scores, Mapping):
        return {str(name): _parse_tries(str(name), value) for name, value in scores.items()}
    alone = not isinstance(scores, Sequence) or isinstance(scores, str)
    listed = [scores] if alone else list(scores)
    if per == SEED and seeds and len(seeds) != len(listed) and not alone:
        raise UsageError(
            f"{_format_count(len(listed), 'score')} cannot belong to {_format_count(len(seeds), 'seed')} of an "
            "evaluation: give a score for each seed. "
            "Where they are scores of items, say per='item' or give them by name."
        )
    names = seeds if per == SEED and len(seeds) == len(listed) else tuple(str(place) for place in range(len(listed)))
    return {name: _parse_tries(name, value) for name, value in zip(names, listed, strict=True)}


def _parse_tries(name: str, value: object) -> tuple[float, ...]:
    tries = list(value) if isinstance(value, list | tuple) else [value]
    numbers = [math.nan if isinstance(one, str | bytes) else _parse_float(one) for one in tries]
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(
            f"The score of '{name}' must be a finite number or a list of them, not {value!r}. Leave out what was not "
            "scored, and score a failed try as 0."
        )
    return tuple(numbers)
