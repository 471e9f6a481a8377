"""Marks of templates where none should be: padding in completions, two templates in a prompt; prompts cut short."""

from __future__ import annotations

import re
from functools import lru_cache

KEPT = 512
"""Prompts whose reading is remembered: the completions of a group share one."""

_PADDING = re.compile(
    r"<pad>|<\|pad\|>|\[PAD\]|<\|\w{1,30}_pad(?:_id)?\|>|<unk><unk>"
    r"|(?:<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return)\|>\s*){2}|(?:(?:</s>|<eos>|<end_of_turn>)\s*){2}"
)
_FAMILIES = tuple(
    re.compile(marks)
    for marks in (
        r"<\|im_(?:start|end)\|>",
        r"\[/?INST\]|<</?SYS>>",
        r"<\|(?:start_header_id|end_header_id|eot_id)\|>",
        r"<(?:start|end)_of_turn>",
        r"<\|(?:user|assistant|system)\|>",
        r"<｜(?:User|Assistant)｜>",
    )
)
"""Marks of turns by chat template: ChatML, Llama 2, Llama 3, Gemma, Zephyr and Phi, DeepSeek."""
_TWICE = re.compile(
    r"(<\|im_start\|>assistant|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model|<\|assistant\|>"
    r"|<｜Assistant｜>|\[INST\])\s*\1"
)
_BEGINS_TWICE = re.compile(r"\s*(<\|begin_of_text\|>|<s>|<bos>|<\|startoftext\|>|\[BOS\]|<｜begin▁of▁sentence｜>)\s*\1")
"""Two beginnings of a sequence: a text that a template has marked already went through it, or a tokenizer, again."""
_NESTED = re.compile(
    r"(<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|)user(?:<\|end_header_id\|>|\|>)?\s*"
    r"(?:<\|begin_of_text\|>|<s>|<bos>|<｜begin▁of▁sentence｜>)?\s*(?:\1(?:system|user|assistant|model)\b|<s>|<bos>)"
    r"|\[INST\]\s*(?:<s>\s*)?\[INST\]"
)
"""A turn of the user that begins with the header of another turn: a text that was formatted already."""
_ABOUT = re.compile(r"chat template|tokeni[sz]er|special token|control token", re.IGNORECASE)
FEWEST_SENTENCES = 3
"""Whole sentences that must come before one counts as broken off: a query of keywords has no full stop either."""
_LAST_LINE = 60
FEWEST_WORDS, _LONGEST_ENDING = 5, 600
"""Words of a sentence that does not end many texts by chance, and characters in which it is looked for."""


_LAST_SENTENCE = re.compile(r".*[.!?]\s+", re.DOTALL)
"""All up to the last sentence: a greedy dot looks for its beginning from the end."""


def find_ending(text: str) -> str:
    """The last sentence of a text of several, in plain form; empty where it is a few words, or all there is."""
    end = text[-_LONGEST_ENDING:].strip()
    before = _LAST_SENTENCE.match(end)
    words = [] if before is None else end[before.end() :].lower().split()
    return " ".join(words) if len(words) >= FEWEST_WORDS else ""


def has_padding(text: str) -> bool:
    """Whether tokens that pad or end a sequence stand in a text: any of padding, or two ends in a row."""
    return ("<" in text or "[PAD]" in text) and _PADDING.search(text) is not None


@lru_cache(KEPT)
def mixes_templates(prompt: str) -> bool:
    """Whether a prompt has marks of two chat templates, or one in the other; not where it is about them."""
    if "<" not in prompt and "INST]" not in prompt:
        return _BEGINS_TWICE.match(prompt) is not None
    if _BEGINS_TWICE.match(prompt):
        return True
    several = sum(marks.search(prompt) is not None for marks in _FAMILIES) > 1 or _TWICE.search(prompt) is not None
    several = several or _NESTED.search(prompt) is not None
    return several and _ABOUT.search(prompt) is None


@lru_cache(KEPT)
def begins_off(prompt: str) -> bool:
    """Whether a prompt of several sentences begins in the middle of one: no capital, digit or mark of a template."""
    start = prompt[:_LAST_LINE].lstrip(" ")
    first = start.partition(" ")[0]
    if not first[:1].islower() or not first.isalpha() or "\n" in start.partition(". ")[0]:
        return False
    return prompt.count(". ") + prompt.count(".\n") >= FEWEST_SENTENCES - 1


@lru_cache(KEPT)
def breaks_off(prompt: str) -> bool:
    """Whether a prompt of several sentences stops in the middle of one."""
    end = prompt.rstrip()
    last = end[-_LAST_LINE:].rpartition("\n")[2]
    broken = (
        (end[-1:].isalpha() or end[-1:] == ",") and " " in last.strip() and not last.lstrip().startswith(("<", "#"))
    )
    return broken and end.count(". ") + end.count(".\n") >= FEWEST_SENTENCES
