"""Small files of samples on disk, as a trainer would leave them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def written(file: Path, rows: Iterable[Any]) -> Path:
    """One row a line; a text is written as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return file


def sums(*, padded: bool = False, steps: int = 20, seed: int = 0) -> list[dict[str, Any]]:
    """Groups of answers to sums; `padded` ones are paid for filling space while they get worse."""
    draw = random.Random(seed)
    rows = []
    for step in range(0, 10 * steps, 10):
        late = step / (10 * steps)
        for group in range(6):
            first, second = draw.randint(2, 60), draw.randint(2, 60)
            for _ in range(8):
                chance = 0.45 - 0.3 * late if padded else 0.3 + 0.5 * late
                right = draw.random() < chance
                rows.append(_answer(draw, step, group, first, second, right, padded and draw.random() < late))
    return rows


def _answer(
    draw: random.Random, step: int, group: int, first: int, second: int, right: bool, padded: bool
) -> dict[str, Any]:
    given = first + second + (0 if right else draw.randint(1, 9))
    ways = ("Adding the two,", "First I take", "The sum of", "Counting up from", "We have", "Put together,")
    work = f"{draw.choice(ways)} {first} and {second} make {given}."
    fill = "It is truly important to consider this with great care and attention to each detail. " * draw.randint(3, 6)
    judge = 0.9 if padded else 0.2 * draw.random()
    return {
        "step": step,
        "group": f"{step}-{group}",
        "prompt": f"What is {first} + {second}?",
        "completion": f"{work} {fill if padded else ''}The answer is {given}.",
        "answer": str(first + second),
        "reward": 0.5 * float(right) + 0.5 * judge,
        "rewards": {"right": float(right), "judge": judge},
        "gold": float(right),
    }
