"""A verifier whose import does not come to an end."""

from __future__ import annotations

import time

time.sleep(100)


def reward(completion, answer):
    return completion == answer
