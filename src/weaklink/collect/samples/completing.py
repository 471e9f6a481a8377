"""What rows do not say one by one and show together: a cap on their length, groups, whether answers are right."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints
from weaklink.base.evidence.series import Array

ANSWERED = "answer_right"
TRAIT = "trait"
"""A switch of the rows under a name that nobody knows."""
INLINED, ANSWERED_CALLS = "inlined_results", "tool_messages"
"""Results that stand in the agent's own message after its call, and those that came in messages of the tool."""
OUTCOMES = ("gold", "human_score", "state_reached", "success")
"""Columns that tell the outcome themselves."""

MOSTLY, SOMETIMES = 0.8, 0.05
"""Answers are compared with references where that is possible in most rows, and where some are right: a reference that
is never met is no answer, or is written in another way."""

FEWEST, SHORTEST_CAP, SHARE, STANDS_OUT, DIFFERENT = 20, 32, 0.03, 5, 10
"""Rows at the cap; tokens of a cap; their share of the rows; how many times as many as at any other length; different
lengths of the others. A length that is the longest and by far the commonest is a cap."""

SHORTEST_PROMPT = 128
"""Characters of a prompt that a limit cut: as many as 32 tokens take."""

HEADLESS, SAME = 0.5, 0.05
"""The share of prompts that begin in mid-sentence and of different beginnings among them; how much lengths vary."""

ALIKE, ABOVE = 0.15, 0.1
"""Texts that break off at a cap are of one length in tokens, so their words vary by a few per cent (standard deviation
over mean), and few whole texts are longer than they."""

OFFICIAL = 0.1
"""The share of trajectories with results in messages of the tool, from which on others are not the tool's."""

LONE = 0.95
"""The share of rows alone in their group from which a group names rows and not draws."""


def complete_columns(numbers: dict[str, Array], codes: dict[str, Ints], notes: list[str]) -> None:
    """Adds what can be told from all rows together, and takes out what turned out to tell nothing."""
    _keep_answers(numbers)
    _mark_harmless(numbers, codes)
    _mend_groups(numbers, codes, notes)
    _tell_kinds(codes)
    _find_invented(numbers)
    _find_cut_prompts(numbers, codes, notes)
    if "truncated" not in numbers:
        found = _find_token_cap(numbers) or _find_broken_off(numbers)
        if found is not None:
            numbers["truncated"], told = found
            notes.append(told)
    numbers.pop("unfinished", None)


def _find_invented(numbers: dict[str, Array]) -> None:
    """Counts results in the agent's own messages as invented where tools have messages of their own."""
    inlined, official = numbers.pop(INLINED, None), numbers.pop(ANSWERED_CALLS, None)
    if inlined is None or official is None or not float((official > 0).mean()) >= OFFICIAL:
        return
    numbers["invented_results"] = numbers["invented_results"] + inlined


def _find_cut_prompts(numbers: dict[str, Array], codes: dict[str, Ints], notes: list[str]) -> None:
    """Marks prompts that break off, where those are of one length and the longest: each prompt counts once."""
    broken, length = numbers.pop("broken_prompt", None), numbers.pop("prompt_characters", None)
    if (headless := _find_headless(numbers, codes, length)) is not None:
        numbers["cut_prompt"] = numbers["headless_prompt"] = headless[0]
        notes.append(headless[1])
        return
    if broken is None or length is None or "prompt" not in codes:
        return
    _, first, prompt = np.unique(codes["prompt"], return_index=True, return_inverse=True)
    found = _find_alike(broken[first], length[first], SHORTEST_PROMPT, "characters")
    if found is not None:
        numbers["cut_prompt"] = found[0][prompt.reshape(-1)]
        notes.append(f"of the prompts, {found[1]}")


def _find_headless(numbers: dict[str, Array], codes: dict[str, Ints], length: Array | None) -> tuple[Array, str] | None:
    """Which prompts begin in mid-sentence, where most do, each in another way, and all are of one length."""
    headless, head = numbers.pop("headless_prompt", None), numbers.pop("prompt_head", None)
    if headless is None or head is None or length is None or "prompt" not in codes:
        return None
    _, first = np.unique(codes["prompt"], return_index=True)
    cut = first[headless[first] == 1.0]
    lengths = length[first][np.isfinite(length[first])]
    if len(cut) < max(FEWEST, HEADLESS * len(first)) or lengths.mean() < SHORTEST_PROMPT:
        return None
    if lengths.std() > SAME * lengths.mean() or len(np.unique(head[cut])) < HEADLESS * len(cut):
        return None
    told = f"{len(cut):,} of {len(first):,} begin in the middle of a sentence, all at about {np.median(lengths):,.0f}"
    return headless, f"of the prompts, {told} characters: they count as cut at their beginning"


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
    return None if broken is None or words is None else _find_alike(broken, words, SHORTEST_CAP, "words")


def _find_alike(broken: Array, words: Array, shortest: int, unit: str) -> tuple[Array, str] | None:
    """Which texts break off, where their lengths are alike and few others are longer."""
    known = np.isfinite(broken) & np.isfinite(words)
    cut: Flags = known & (broken > 0)
    whole: Flags = known & ~cut
    if cut.sum() < max(FEWEST, SHARE * known.sum()) or whole.sum() < FEWEST:
        return None
    lengths = words[cut]
    if lengths.mean() < shortest or lengths.std() > ALIKE * lengths.mean():
        return None
    if float((words[whole] > np.quantile(lengths, ABOVE)).mean()) > ABOVE:
        return None
    told = f"{cut.sum():,} of {known.sum():,} rows break off, all at about {np.median(lengths):,.0f} {unit}"
    return np.where(known, cut, np.nan), f"{told}: they count as truncated"
