"""A stream of samples to columns, in bounded memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, FIGURE, LABEL, Sample, Samples
from weaklink.base.evidence.series import Array
from weaklink.collect.readers.samples import SampleRows
from weaklink.collect.samples.belonging import BelongingFinder
from weaklink.collect.samples.columns import CodeNames, Number, SampleColumns, hash_text
from weaklink.collect.samples.completing import TRAIT, complete_columns
from weaklink.collect.samples.looking import SampleGallery
from weaklink.collect.samples.measurers import Measurers
from weaklink.collect.samples.measuring import COLUMNS as MEASURED
from weaklink.collect.samples.measuring import LOOKED_AT, SPARSE, SampleMeasure, is_compared
from weaklink.collect.samples.partings import PartingFinder
from weaklink.collect.samples.trajectories import is_trajectory

MOST_ROWS = 1_000_000
MOST_COMPONENTS = 64
MOST_UNKNOWN = 12
"""Fields of numbers, and of short texts, that are kept although nobody knows their names."""
MOST_SPLITS = 8
CUT_SHORT = re.compile(
    r"length|max_?(?:new_?)?tokens?|trunc|token_(?:limit|budget)|overlong|(?:max|limit)\w*_?(?:step|turn|iteration)"
    r"|(?:step|turn|context|time)s?_?(?:limit|window|budget)|timeout|cut_?off"
)
"""What says of an end that a limit made it."""
UNSAFE_KINDS = (
    "unsafe", "harm", "toxic", "jailbreak", "danger", "malicious", "attack", "red_team", "red-team", "illegal",
    "weapon", "violen", "drugs", "suicide", "hate_speech", "hate speech", "crim", "terror", "sexual", "abuse", "fraud",
    "malware", "explosive", "unethical",
)  # fmt: skip
SAFE_KINDS = ("safe", "benign", "harmless", "helpful", "normal", "not_", "non")
PLAIN = (
    "step", "policy_version", "reward", "gold", "human_score", "success", "difficulty", "advantage", "entropy", "kl",
    "cost", "max_tokens", "unsafe", "tokens", "truncated", "unsafe_prompt", "reward_not_finite",
)  # fmt: skip
CODES = ("group", "prompt", "kind", "text", "template", "opening", "gist", "answer")
CALLS = ("tool_calls", "repeated_calls", "illegal_calls", "failed_calls", "recovered_calls", "ended_failed")
VERDICTS = ("failed_calls", "recovered_calls", "ended_failed")
_NOTHING_MEASURED = (None,) * len(MEASURED)
_NOTHING_TOLD = (-1, -1, -1, -1, -1)


def gather(rows: Iterable[Sample], name: str, *, most: int = MOST_ROWS, seed: int = 0) -> Samples:
    """Makes columns of a stream of samples.

    Args:
        rows: the samples, such as those of `open_samples`.
        name: what to call them.
        most: how many rows to keep; beyond it, whole groups are left out, each with the same chance.
        seed: of what is kept and of what is shown.
    """
    gathering = SampleGatherer(most=most, seed=seed)
    with Measurers() as measurers:
        for sample in rows:
            for measured in measurers.give(sample):
                gathering.take(*measured)
        for measured in measurers.rest():
            gathering.take(*measured)
    found = gathering.samples(name)
    if isinstance(rows, SampleRows):
        notes = (*found.notes, *rows.notes)
        return replace(
            found,
            source=rows.source,
            notes=notes,
            faults=tuple(rows.faults),
            unknown=rows.unknown,
            named=dict(rows.named),
        )
    return found


class SampleGatherer:
    """Columns in the making."""

    def __init__(self, *, most: int = MOST_ROWS, seed: int = 0) -> None:
        self._columns = SampleColumns((*PLAIN, *MEASURED), CODES, most=most, seed=seed)
        self._names = CodeNames()
        self._gallery = SampleGallery(seed=seed)
        self._partings = PartingFinder(seed=seed)
        self._belonging = BelongingFinder()
        self._components: dict[str, str] = {}
        self._kept: dict[str, set[str]] = {FIGURE: set(), LABEL: set()}
        self._left_out: set[str] = set()
        self._splits: Counter[str] = Counter()
        self._tokens = self._unpaid = 0
        self._verdicts = False
        self._rows = 0

    def take(self, sample: Sample, measured: SampleMeasure) -> None:
        """Takes one more sample, and what was measured of it."""
        others, paths = measured.marks, measured.codes
        if sample.rewards:
            self._take_components(sample, others)
        if is_trajectory(sample):
            self._take_trajectory(sample, paths)
        if sample.response_len is not None:
            self._tokens += 1
        if sample.reward is None or sample.reward != sample.reward:
            self._unpaid += 1
        if sample.split and (sample.split in self._splits or len(self._splits) < MOST_SPLITS):
            self._splits[sample.split] += 1
        if measured.ending:
            paths["ending"] = self._names.code("ending", measured.ending)
        if sample.answer:
            paths["reference"] = self._names.code("reference", measured.reference)
        if sample.sampler_gap is not None:
            others["sampler_gap"] = sample.sampler_gap
        if is_compared(self._rows):
            self._take_unknown(sample, others, paths)
        self._gallery.show(sample, self._rows, _pick_outcome(sample, others))
        self._rows += 1
        prompt = self._names.code("prompt", sample.prompt) if sample.prompt else -1
        kind = self._names.code("kind", sample.prompt_kind) if sample.prompt_kind else -1
        if sample.id:
            paths["id"] = hash_text(sample.id)
        if sample.trait:
            paths[TRAIT] = self._names.code("kind", sample.trait)
        numbers, codes = self._read(sample, measured)
        group = _hash_group(sample)
        self._belonging.take(sample, self._rows - 1, group)
        self._columns.add((*_read_plain_columns(sample), *numbers), (group, prompt, kind, *codes), others, paths)

    def samples(self, name: str) -> Samples:
        """All that was gathered."""
        numbers, codes = self._columns.arrays()
        if len(self._columns) == self._rows:  # where rows were left out, the numbers of the others are not known
            numbers.update(self._belonging.columns(self._rows))
        notes = self._columns.notes()
        complete_columns(numbers, codes, notes)
        unit = self._choose_length(numbers, notes)
        if len(self._splits) > 1:
            told = ", ".join(f"{split} ({count:,} rows)" for split, count in self._splits.most_common())
            notes.append(f"several splits are judged together: {told}")
        if 0 < self._unpaid < self._rows:
            notes.append(f"{self._unpaid:,} of {self._rows:,} rows have no reward")
        if self._rows > LOOKED_AT:
            notes.append(
                f"beyond the first {LOOKED_AT:,} rows, every {SPARSE}th is compared with its prompt word by word, and "
                "its fields under names that nobody knows are kept"
            )
        if self._left_out:
            notes.append(f"{len(self._left_out)} reward components beyond the first {MOST_COMPONENTS} left out")
        if "tool_calls" in numbers and not np.nansum(numbers["tool_calls"]) and "illegal_calls" not in numbers:
            for column in CALLS:
                numbers.pop(column, None)
        for column in () if self._verdicts else VERDICTS:
            numbers.pop(column, None)
        return Samples(
            name=name,
            numbers=numbers,
            codes=codes,
            names=self._names.kept(),
            rows=self._rows,
            best=self._gallery.best,
            worst=self._gallery.worst,
            random=self._gallery.random,
            partings=self._partings.found(),
            unit=unit,
            notes=tuple(notes),
            splits=tuple(self._splits),
        )

    def _read(self, sample: Sample, measured: SampleMeasure) -> tuple[Sequence[Number], Sequence[int]]:
        """The numbers and codes of a completion; a pair has none, and an agent without words says what it did."""
        text = sample.completion
        if not text and sample.calls:
            done = "\n".join(f"{call.tool} {call.arguments}" for call in sample.calls)
            return _NOTHING_MEASURED, (hash_text(done), *_NOTHING_TOLD[1:])
        if not text and (sample.chosen or sample.rejected or sample.turns is not None):
            return _NOTHING_MEASURED, _NOTHING_TOLD
        code = self._names.code
        return measured.numbers, (
            hash_text(text),
            code("template", measured.template),
            code("opening", measured.opening) if measured.opening else -1,
            hash_text(measured.gist),
            code("answer", measured.answer) if measured.answer else -1,
        )

    def _take_components(self, sample: Sample, numbers: dict[str, float]) -> None:
        for part, value in sample.rewards.items():
            column = self._components.get(part)
            if column is None:
                if len(self._components) >= MOST_COMPONENTS:
                    self._left_out.add(part)
                    continue
                column = self._components[part] = COMPONENT + part
            numbers[column] = value

    def _take_unknown(self, sample: Sample, numbers: dict[str, float], codes: dict[str, int]) -> None:
        """Keeps what stands under names that nobody knows, of the first such fields."""
        for name in self._list_kept(FIGURE, sample.figures):
            numbers[FIGURE + name] = sample.figures[name]
        for name in self._list_kept(LABEL, sample.labels):
            codes[LABEL + name] = self._names.code(LABEL + name, sample.labels[name])

    def _list_kept(self, prefix: str, told: Iterable[str]) -> list[str]:
        kept = self._kept[prefix]
        for name in told:
            if len(kept) < MOST_UNKNOWN:
                kept.add(name)
        return [name for name in told if name in kept]

    def _take_trajectory(self, sample: Sample, codes: dict[str, int]) -> None:
        if sample.turns is not None or sample.calls:
            self._verdicts = self._verdicts or any(call.ok is not None for call in sample.calls)
            self._partings.take(sample)
        if sample.calls:
            codes["path"] = self._names.code("path", " > ".join(call.tool for call in sample.calls))
        if sample.prompt or sample.initial_state:
            codes["task"] = self._names.code("task", f"{sample.prompt}\0{sample.initial_state or ''}")

    def _choose_length(self, numbers: dict[str, Array], notes: list[str]) -> str:
        """Tokens where most rows count them, else words: never both in one column."""
        words, tokens = numbers.pop("words", None), numbers.pop("tokens", None)
        if tokens is not None and 2 * self._tokens >= self._rows:
            numbers["length"] = tokens
            if self._tokens < self._rows:
                notes.append(f"{self._rows - self._tokens:,} rows count no tokens: their length is left out")
            return "tokens"
        if words is not None:
            numbers["length"] = words
        return "words"


def is_unsafe(kind: str) -> bool | None:
    """Whether a kind of prompt asks for something unsafe; None where its name does not say."""
    lower = kind.lower()
    if lower.startswith(SAFE_KINDS):
        return False
    return True if any(word in lower for word in UNSAFE_KINDS) else None


def _read_plain_columns(sample: Sample) -> tuple[Number, ...]:
    """What the row says of itself, in the order of `PLAIN`."""
    return (
        sample.step,
        sample.policy_version,
        sample.reward,
        sample.gold,
        sample.human_score,
        sample.success,
        sample.difficulty,
        sample.advantage,
        sample.entropy,
        sample.kl,
        sample.cost,
        sample.max_tokens,
        sample.unsafe,
        sample.response_len,
        _is_truncated(sample),
        is_unsafe(sample.prompt_kind) if sample.prompt_kind else None,
        sample.reward_not_finite,
    )


def _is_truncated(sample: Sample) -> bool | None:
    if sample.finish_reason:
        return CUT_SHORT.search(sample.finish_reason.lower().replace(" ", "_").replace("-", "_")) is not None
    if sample.response_len is not None and sample.max_tokens:
        return sample.response_len >= sample.max_tokens
    return None


def _hash_group(sample: Sample) -> int:
    """A group is a draw: the same name or prompt at another step is another group."""
    about = sample.group or sample.prompt
    return hash_text(f"{sample.step}\0{about}") if about else -1


def _pick_outcome(sample: Sample, others: dict[str, float]) -> float | None:
    known = sample.gold, sample.human_score, others.get("state_reached"), sample.success
    return next((value for value in known if value is not None), None)
