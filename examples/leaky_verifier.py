"""A reward function as many are written first: the right number anywhere in the completion is worth everything."""

from __future__ import annotations


def reward(completions, answer, **columns):
    """Pays 1 for each completion that holds the answer, in the form in which TRL asks for it."""
    return [1.0 if str(right) in text else 0.0 for text, right in zip(completions, answer, strict=True)]
