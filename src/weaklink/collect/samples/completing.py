"""What rows do not say one by one and show together: a cap on their length, groups, whether answers are right."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints
from weaklink.base.evidence.series import Array

ANSWERED = "answer_right"
TRAIT = "trait"
"""A switch of the rows under a name that nobody knows."""
OUTCOMES = ("gold", "human_score", "state_reached", "success")
"""Columns that tell the outcome themselves."""

MOSTLY, SOMETIMES = 0.8, 0.05
"""Answers are compared with references where that is possible in most rows, and where some are right: a reference that
is never met is no answer, or is written in another way."""

FEWEST, SHORTEST_CAP, SHARE, STANDS_OUT, DIFFERENT = 20, 32, 0.03, 5, 10
"""Rows at the cap; tokens of a cap; their share of the rows; how many times as many as at any other length; different
lengths of the others. A length that is the longest and by far the commonest is a cap."""

ALIKE, ABOVE = 0.15, 0.1
"""Texts that break off at a cap are of one length in tokens, so their words vary by a few per cent (standard deviation
over mean), and few whole texts are longer than they."""

LONE = 0.95
"""The share of rows alone in their group from which a group names rows and not draws."""


def complete_columns(numbers: dict[str, Array], codes: dict[str, Ints], notes: list[str]) -> None:
    """Adds what can be told from all rows together, and takes out what turned out to tell nothing."""
    _keep_answers(numbers)
    _mark_harmless(numbers, codes)
    _mend_groups(numbers, codes, notes)
    _tell_kinds(codes)
    if "truncated" not in numbers:
        found = _find_token_cap(numbers) or _find_broken_off(numbers)
        if found is not None:
            numbers["truncated"], told = found
            notes.append(told)
    numbers.pop("unfinished", None)


def _keep_answers(numbers: dict[str, Array]) -> None:
    """Keeps the comparison of answers where it is the outcome."""
    right = numbers.get(ANSWERED)
    if right is None:
        return
    known = np.isfinite(right)
    told = any(name in numbers and np.isfinite(numbers[name]).any() for name in OUTCOMES)
    if told or known.mean() < MOSTLY or not float(right[known].mean()) >= SOMETIMES:
        del numbers[ANSWERED]


def _mark_harmless(numbers: dict[str, Array], codes: dict[str, Ints]) -> None:
    """Where some kinds of prompts are unsafe by their names, prompts of the other kinds are not."""
    unsafe, kinds = numbers.get("unsafe_prompt"), codes.get("kind")
    if unsafe is not None and kinds is not None and (unsafe == 1.0).any():
        numbers["unsafe_prompt"] = np.where(np.isnan(unsafe) & (kinds >= 0), 0.0, unsafe)


def _tell_kinds(codes: dict[str, Ints]) -> None:
    """Takes a switch for the kind of prompts where no field gives it and all completions of a draw have it alike."""
    trait, group = codes.pop(TRAIT, None), codes.get("group")
    if trait is None or group is None or "kind" in codes or (trait < 0).any():
        return
    draws, pairs = len(np.unique(group)), np.unique(np.stack((group, trait)), axis=1)
    if pairs.shape[1] == draws and 2 * draws <= len(group):
        codes["kind"] = trait


def _mend_groups(numbers: dict[str, Array], codes: dict[str, Ints], notes: list[str]) -> None:
    """Takes the prompt at its step for the group where what is called a group is different in every row."""
    group, prompt = codes.get("group"), codes.get("prompt")
    if group is None or prompt is None or len(group) < FEWEST:
        return
    clock = next((numbers[name] for name in ("step", "policy_version") if name in numbers), np.zeros(len(group)))
    _, first, draw = np.unique(np.stack((prompt, clock.view(np.int64))), axis=1, return_index=True, return_inverse=True)
    lone = len(np.unique(group)) >= LONE * len(group)
    if not lone or len(first) > 0.5 * len(group) or (prompt < 0).any():
        return
    codes["group"] = group[first][draw.reshape(-1)]
    notes.append("the field of the group is different in every row: rows with one prompt at one step are a group")


def _find_token_cap(numbers: dict[str, Array]) -> tuple[Array, str] | None:
    """Which rows are as long as the cap, where so many have the longest length that it must be one."""
    tokens = numbers.get("tokens")
    if tokens is None:
        return None
    lengths, counts = np.unique(tokens[np.isfinite(tokens)], return_counts=True)
    if len(lengths) <= DIFFERENT or lengths[-1] < SHORTEST_CAP or counts[-1] < max(FEWEST, SHARE * counts.sum()):
        return None
    if counts[-1] < STANDS_OUT * counts[:-1].max():
        return None
    told = (
        f"{counts[-1]:,} of {counts.sum():,} rows have exactly {lengths[-1]:,.0f} tokens, the most of all: they count"
    )
    return np.where(np.isfinite(tokens), tokens >= lengths[-1], np.nan), f"{told} as truncated"


def _find_broken_off(numbers: dict[str, Array]) -> tuple[Array, str] | None:
    """Which texts break off, where those are of one length and the longest."""
    broken, words = numbers.get("unfinished"), numbers.get("words")
    if broken is None or words is None:
        return None
    known = np.isfinite(broken) & np.isfinite(words)
    cut: Flags = known & (broken > 0)
    whole: Flags = known & ~cut
    if cut.sum() < max(FEWEST, SHARE * known.sum()) or whole.sum() < FEWEST:
        return None
    lengths = words[cut]
    if lengths.mean() < SHORTEST_CAP or lengths.std() > ALIKE * lengths.mean():
        return None
    if float((words[whole] > np.quantile(lengths, ABOVE)).mean()) > ABOVE:
        return None
    told = f"{cut.sum():,} of {known.sum():,} rows break off, all at about {np.median(lengths):,.0f} words"
    return np.where(known, cut, np.nan), f"{told}: they count as truncated"
