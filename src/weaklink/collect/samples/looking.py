"""The best, the worst and some random samples, kept to be looked at."""

from __future__ import annotations

import heapq
import random
import re

from weaklink.base.evidence.samples import Sample, ShownSample

KEPT = 5
LONGEST_PROMPT = 1500
LONGEST_COMPLETION = 3000
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")
_Entry = tuple[float, float, int, ShownSample]


class SampleGallery:
    """Keeps a few samples of each kind in full; among equals chance decides, and one text is shown once."""

    def __init__(self, *, seed: int = 0, most: int = KEPT) -> None:
        self._most = most
        self._draw = random.Random(seed).random
        self._best: list[_Entry] = []
        self._worst: list[_Entry] = []
        self._random: list[_Entry] = []

    def show(self, sample: Sample, row: int, outcome: float | None = None) -> None:
        """Looks at one sample and keeps it where it belongs among those shown."""
        lot = self._draw()
        if len(self._random) < self._most or lot > self._random[0][0]:
            self._keep(self._random, lot, lot, sample, row, outcome)
        lot = self._draw()  # another one, or the random ones would also be the first among equals
        reward = outcome if sample.reward is None else sample.reward
        if reward is None or reward != reward:
            return
        if len(self._best) < self._most or (reward, lot) > self._best[0][:2]:
            self._keep(self._best, reward, lot, sample, row, outcome)
        if len(self._worst) < self._most or (-reward, lot) > self._worst[0][:2]:
            self._keep(self._worst, -reward, lot, sample, row, outcome)

    @property
    def best(self) -> tuple[ShownSample, ...]:
        """The samples with the highest reward, or outcome where no reward is known; the best first."""
        return self._in_order(self._best)

    @property
    def worst(self) -> tuple[ShownSample, ...]:
        """The samples with the lowest, the worst first."""
        return self._in_order(self._worst)

    @property
    def random(self) -> tuple[ShownSample, ...]:
        """Samples drawn with equal chances, in the order of their rows."""
        return tuple(sorted((entry[3] for entry in self._random), key=lambda shown: shown.row))

    def _keep(
        self, kept: list[_Entry], rank: float, lot: float, sample: Sample, row: int, outcome: float | None
    ) -> None:
        shown = clip_sample(sample, row, outcome)
        if any(entry[3].completion == shown.completion and entry[3].prompt == shown.prompt for entry in kept):
            return
        entry = (rank, lot, row, shown)
        if len(kept) < self._most:
            heapq.heappush(kept, entry)
        else:
            heapq.heapreplace(kept, entry)

    def _in_order(self, kept: list[_Entry]) -> tuple[ShownSample, ...]:
        return tuple(entry[3] for entry in sorted(kept, key=lambda entry: (-entry[0], entry[2])))


def clip_sample(sample: Sample, row: int, outcome: float | None = None) -> ShownSample:
    """A sample with its texts cut; a pair shows both of its sides."""
    completion = sample.completion
    if not completion and (sample.chosen or sample.rejected):
        half = LONGEST_COMPLETION // 2 - 20
        completion = f"[chosen]\n{clip_text(sample.chosen, half)}\n[rejected]\n{clip_text(sample.rejected, half)}"
    return ShownSample(
        prompt=clip_text(sample.prompt, LONGEST_PROMPT),
        completion=clip_text(completion, LONGEST_COMPLETION),
        step=sample.step,
        reward=sample.reward,
        outcome=outcome,
        rewards=dict(list(sample.rewards.items())[:64]),
        row=row,
    )


def clip_text(text: str, most: int) -> str:
    """A text of at most so many characters: its beginning and its end, with what was left out counted between them."""
    if len(text) > most:
        left = len(text) - most
        head = most * 2 // 3
        text = f"{text[:head]}\n[... {left:,} characters left out ...]\n{text[head - most :]}"
    return _HALF_CHARACTERS.sub("\ufffd", text)
