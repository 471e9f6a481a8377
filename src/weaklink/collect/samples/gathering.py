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
from weaklink.collect.samples.completing import ANSWERED, ANSWERED_CALLS, INLINED, TRAIT, complete_columns
from weaklink.collect.samples.languages import ENGLISH, UNKNOWN, find_language, mixes_scripts, names_language
from weaklink.collect.samples.looking import SampleGallery
from weaklink.collect.samples.marks import compare_texts, mark_sample
from weaklink.collect.samples.measurers import Measurers
from weaklink.collect.samples.measuring import COLUMNS as MEASURED
from weaklink.collect.samples.measuring import LANGUAGE, Measure
from weaklink.collect.samples.pairs import compare_sides, hash_pair
from weaklink.collect.samples.partings import PartingFinder
from weaklink.collect.samples.phrases import (
    claims_success,
    match_answer,
    names_reference,
    normalise_answer,
)
from weaklink.collect.samples.structure import find_ending
from weaklink.collect.samples.trajectories import (
    count_calls,
    hash_lookup,
    hash_world,
    state_reached,
)

MOST_ROWS = 1_000_000
MOST_COMPONENTS = 64
MOST_UNKNOWN = 12
"""Fields of numbers, and of short texts, that are kept although nobody knows their names."""
MOST_SPLITS = 8
LOOKED_AT, SPARSE = 20_000, 16
"""Rows whose texts are compared with their prompts word by word, and then every so many: that takes as long as all
else, and more rows do not change a mean.
"""
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
_LANGUAGE_PLACE = MEASURED.index(LANGUAGE)
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

    def take(self, sample: Sample, measured: Measure) -> None:
        """Takes one more sample, and what was measured of its completion."""
        others: dict[str, float] = {}
        paths: dict[str, int] = {}
        if sample.rewards:
            self._take_components(sample, others)
        if _is_trajectory(sample):
            self._take_trajectory(sample, others, paths)
        if sample.chosen or sample.rejected:
            others.update(compare_sides(sample))
            paths["pair"] = hash_pair(sample)
        if sample.response_len is not None:
            self._tokens += 1
        if sample.reward is None or sample.reward != sample.reward:
            self._unpaid += 1
        if sample.split and (sample.split in self._splits or len(self._splits) < MOST_SPLITS):
            self._splits[sample.split] += 1
        if sample.prompt and sample.completion:
            self._compare_languages(sample, measured, others)
            if ending := find_ending(sample.completion):
                paths["ending"] = self._names.code("ending", ending)
        if sample.answer:
            paths["reference"] = self._names.code("reference", normalise_answer(sample.answer))
        others.update(mark_sample(sample, measured[-1]))
        if sample.sampler_gap is not None:
            others["sampler_gap"] = sample.sampler_gap
        if self._rows < LOOKED_AT or not self._rows % SPARSE:
            others.update(compare_texts(sample))
            self._take_unknown(sample, others, paths)
        self._gallery.show(sample, self._rows, _pick_outcome(sample, others))
        self._rows += 1
        if sample.answer and (right := _is_right(sample, measured[-1])) is not None:
            others[ANSWERED] = float(right)
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

    def _compare_languages(self, sample: Sample, measured: Measure, numbers: dict[str, float]) -> None:
        """Notes whether a completion is in another language than its prompt, unless the prompt speaks of languages."""
        given, asked = int(measured[0][_LANGUAGE_PLACE]), find_language(sample.prompt)
        mixed = mixes_scripts(sample.completion, sample.prompt)
        if asked != UNKNOWN and (mixed or given != UNKNOWN) and not names_language(sample.prompt):
            numbers["other_language"] = float(mixed or asked != given)

    def samples(self, name: str) -> Samples:
        """All that was gathered."""
        numbers, codes = self._columns.arrays()
        numbers.pop(LANGUAGE, None)
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

    def _read(self, sample: Sample, measured: Measure) -> tuple[Sequence[Number], Sequence[int]]:
        """The numbers and codes of a completion; a pair has none, and an agent without words says what it did."""
        text = sample.completion
        if not text and sample.calls:
            done = "\n".join(f"{call.tool} {call.arguments}" for call in sample.calls)
            return _NOTHING_MEASURED, (hash_text(done), *_NOTHING_TOLD[1:])
        if not text and (sample.chosen or sample.rejected or sample.turns is not None):
            return _NOTHING_MEASURED, _NOTHING_TOLD
        numbers, template, opening, gist, answer = measured
        code = self._names.code
        return numbers, (
            hash_text(text),
            code("template", template),
            code("opening", opening) if opening else -1,
            hash_text(gist),
            code("answer", answer) if answer else -1,
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

    def _take_trajectory(self, sample: Sample, numbers: dict[str, float], codes: dict[str, int]) -> None:
        numbers["claims_success"] = float(claims_success(sample.completion))
        if sample.turns is not None or sample.calls:
            if sample.turns is not None:
                numbers["turns"] = sample.turns
            numbers.update(count_calls(sample))
            if sample.invented is not None:
                numbers["invented_results"] = sample.invented
            if sample.asked_again is not None:
                numbers["asks_again"] = float(sample.asked_again > 1)
                numbers[INLINED], numbers[ANSWERED_CALLS] = sample.inlined, sample.tool_messages
            self._verdicts = self._verdicts or any(call.ok is not None for call in sample.calls)
            self._partings.take(sample)
        if sample.call_count is not None and not sample.calls:
            numbers["tool_calls"] = sample.call_count
        if sample.calls:
            codes.update(hash_lookup(sample))
            codes["path"] = self._names.code("path", " > ".join(call.tool for call in sample.calls))
        codes.update(hash_world(sample))
        if sample.prompt:
            numbers["prompt_length"] = float(len(sample.prompt.split()))
        if sample.prompt or sample.initial_state:
            codes["task"] = self._names.code("task", f"{sample.prompt}\0{sample.initial_state or ''}")
        if sample.final_state is not None and sample.initial_state is not None:
            numbers["state_changed"] = float(sample.final_state != sample.initial_state)
        if sample.final_state is not None and sample.expected_state is not None:
            numbers["state_reached"] = float(state_reached(sample.final_state, sample.expected_state))

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


def _is_right(sample: Sample, given: str) -> bool | None:
    """Whether an answer is the reference; names are looked for in English alone: other languages may have their own."""
    right = match_answer(given, sample.answer)
    if right is not None or find_language(sample.prompt) != ENGLISH:
        return right
    return names_reference(sample.completion, sample.answer)


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


def _is_trajectory(sample: Sample) -> bool:
    told = (sample.turns, sample.call_count, sample.final_state, sample.success)
    return bool(sample.calls) or any(value is not None for value in told)


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
