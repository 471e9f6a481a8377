"""What a trainer writes beside a completion, known by what it holds: log-probabilities, masks, errors of a grader."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from weaklink.collect.readers.samples.drafts import SampleDraft

LONGEST_STATUS = 2_000
"""Characters of a text that may be the status of a grader: a longer one is a text."""

_PROBABILITIES = re.compile(r"log_?p(?:rob|s?\b|s?_)", re.IGNORECASE)
_OTHER_PROBABILITIES = re.compile(r"ref|cum|sum|total|chosen|rejected|top|base|ratio|diff|entropy", re.IGNORECASE)
"""Log-probabilities under another model, of something else, or added up."""
_REFERENCE = re.compile(r"(?:^|[_./])(?:ref|reference|base|initial)(?:_?model|_?policy|_action)?_?log", re.IGNORECASE)
"""Log-probabilities under the reference model."""
_MASK = re.compile(r"(?!\w*(?:att|pad|prompt|tool|obs|env|special|position|causal))\w+_?mask|mask", re.IGNORECASE)
"""A mask of what is trained on; one of attention covers the prompt rightly, and others say what kind a token is of."""
_PROMPT_TOKENS = re.compile(r"prompt_?(?:len|length|tokens|token_count)|(?:num|n)_prompt_tokens", re.IGNORECASE)
_STATUS_NAME = re.compile(
    r"status|error|stderr|exception|verdict|result|detail|reason|log|message|info|feedback|grad|verif|exec|judge",
    re.IGNORECASE,
)
_GRADERS = r"(?:verifier|grader|grading|judge|sandbox|worker|container|evaluator|executor|runner|server|api|harness)"
_GRADER_FAILED = re.compile(
    rf"\berrno \d+|too many open files|no space left|connection (?:reset|refused|aborted|closed|timed out)"
    rf"|\b{_GRADERS}\b[^.\n]{{0,40}}\b(?:time[ds]?[ -]?out|crash\w*|unavailable|died|killed|did not|not reach"
    rf"|not respond|fail\w*|error|exception|busy|lost)\b|service unavailable|bad gateway|gateway timeout"
    rf"|rate limit(?:ed)?\b|too many requests"
    rf"|\b(?:http )?(?:429|50[0-4])\b[^.\n]{{0,20}}(?:error|server|too many|unavailable)",
    re.IGNORECASE,
)
"""What goes wrong with a grader and not with the program that it tries: that one may be wrong, or take for ever."""

Taker = Callable[[SampleDraft, Any], None]


def make_trained_taker(name: str, value: object) -> Taker | None:
    """How to take a field of which no sample has a name; None where it tells nothing."""
    if isinstance(value, str):
        return _take_status if _STATUS_NAME.search(name) and len(value) <= LONGEST_STATUS else None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and _PROMPT_TOKENS.fullmatch(name):
        return _take_prompt_tokens
    if is_loss_mask(name) and _is_numbers(value):
        return _take_mask
    if not _PROBABILITIES.search(name) or not (number or _is_numbers(value)):
        return None
    if not _OTHER_PROBABILITIES.search(name):
        return _take_probabilities
    return _take_reference if _REFERENCE.search(name) and not number else None


def is_loss_mask(name: str) -> bool:
    """Whether a name says that a list of 0 and 1 marks what is trained on."""
    return _MASK.fullmatch(name.rpartition(".")[2]) is not None


def finish_trained(draft: SampleDraft) -> None:
    """Adds what fields say together to the values of a draft."""
    told = draft.trained
    if len(told.get("probabilities", ())) > 1:
        gap = _measure_gap(*told["probabilities"][:2])
        if gap is not None:
            draft.values["sampler_gap"] = gap
    own, reference = told.get("probabilities", ()), told.get("reference")
    if own and reference and (apart := _measure_gap(own[0], reference)) is not None:
        draft.values["reference_gap"] = apart
    if own and isinstance(own[0], list):
        draft.values["masked_tail"] = _measure_tail(told.get("mask"), own[0])
        draft.values["token_places"] = len(own[0])
    mask, asked, answered = told.get("mask"), told.get("prompt_tokens"), draft.values.get("response_len")
    if mask and asked and answered and len(mask) == asked + answered:
        draft.values["trains_on_prompt"] = 2 * sum(mask[: int(asked)]) > asked


def _take_status(draft: SampleDraft, value: object) -> None:
    if isinstance(value, str):
        failed = len(value) <= LONGEST_STATUS and _GRADER_FAILED.search(value) is not None
        draft.values["grading_failed"] = failed or draft.values.get("grading_failed", False)


def _take_prompt_tokens(draft: SampleDraft, value: object) -> None:
    draft.trained["prompt_tokens"] = value if isinstance(value, int | float) else None


def _take_mask(draft: SampleDraft, value: Any) -> None:
    if _is_numbers(value) and set(value) <= {0, 1}:
        draft.trained["mask"] = value


def _take_probabilities(draft: SampleDraft, value: object) -> None:
    if isinstance(value, int | float) or _is_numbers(value):
        draft.trained.setdefault("probabilities", []).append(value)


def _take_reference(draft: SampleDraft, value: object) -> None:
    if _is_numbers(value):
        draft.trained["reference"] = value


def _measure_tail(mask: list[int] | None, written: list[float]) -> float | None:
    """The share of a completion from whose end the mask takes the loss; None where it is no mask of these tokens.

    A mask of nothing is left out: it takes the whole completion out, on purpose. So is one of padding, whose
    log-probabilities are all the same.
    """
    if mask is None or len(mask) != len(written) or not any(mask):
        return None
    tail = next(place for place, counted in enumerate(reversed(mask)) if counted)
    return 0.0 if len(set(written[len(written) - tail :])) <= 1 else tail / len(mask)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, int | float) for one in value)


def _measure_gap(first: Any, second: Any) -> float | None:
    """How far log-probabilities of the same tokens are apart on average; None where they are not of the same."""
    pair = [one if isinstance(one, list) else [one] for one in (first, second)]
    if len(pair[0]) != len(pair[1]) or any(max(one) > 0.0 for one in pair):
        return None
    gap = sum(abs(one - other) for one, other in zip(*pair, strict=True)) / len(pair[0])
    return gap if gap - gap == 0.0 else None
