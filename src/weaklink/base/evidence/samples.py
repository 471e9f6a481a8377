"""Completions and trajectories as evidence: one row a sample, one column a quantity, and a few texts to look at.

A reader makes a `Sample` of each row of a file. Gathering turns the stream of them into `Samples`: numbers that can be
judged in bounded memory, with the best, the worst and some random ones kept in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

COMPONENT = "reward."
"""Columns of reward components begin with this."""

STYLE = "style."
"""Columns that count features of style begin with this."""

FIGURE, LABEL = "figure.", "label."
"""Columns of numbers, and of short texts, under names that are no field of a sample begin with these."""

COLUMNS = {
    "step": "training step",
    "policy_version": "version of the policy that sampled",
    "reward": "what was paid",
    "reward_not_finite": "whether what was paid is no finite number, 0 or 1",
    "gold": "the true outcome",
    "human_score": "what a human, or a judge that is trusted, gave",
    "success": "whether the task was done, 0 or 1",
    "answer_right": "whether the final answer is the reference, 0 or 1; only where no row tells the outcome itself",
    "difficulty": "of the prompt",
    "advantage": "as the trainer worked it out",
    "entropy": "mean entropy of the tokens",
    "kl": "to the reference",
    "cost": "of the sample: money, seconds or tokens, as logged",
    "length": "tokens where they were counted, else words",
    "max_tokens": "the cap on the length",
    "truncated": "whether the cap cut it off, 0 or 1",
    "repetition": "the share of runs of four words that stood in the same text before",
    "density": "the share of different words",
    "refusal": "whether it refuses, 0 or 1",
    "overrun": "whether it goes on after the end of its turn, 0 or 1",
    "other_language": "whether it is in another language than its prompt, 0 or 1; not where that names languages",
    "empty": "whether it has no character at all but spaces, 0 or 1",
    "blank": "whether it has neither a letter nor a digit, 0 or 1",
    "answer_in_prompt": "whether the answer that the prompt states is the reference, 0 or 1; only where it states one",
    "answer_in_example": "whether an example in the prompt that is the question itself has the reference, 0 or 1",
    "asks_percent": "whether the prompt asks for per cent, and for no fraction or decimal, 0 or 1",
    "unfilled_prompt": "whether the prompt is a template that was not filled in, 0 or 1",
    "several_answers": "whether it offers others beside the reference as its final answer, 0 or 1",
    "addresses_judge": "whether it talks to whoever grades it, 0 or 1; not where the prompt is about grading",
    "dodges_tests": "whether its program gets round its tests, 0 or 1; only where it holds a program",
    "gibberish": "the share of words that are none; not of programs",
    "option_gap": "how many options after the one of the reference its option comes, going round",
    "empty_fields": "the share of fields that the right object fills and this one leaves empty",
    "stated_grade": "the grade that its judge states in words",
    "unsafe_prompt": "whether the prompt asks for something unsafe, 0 or 1",
    "unsafe": "whether the completion is unsafe, 0 or 1",
    "chosen_quality": "of a pair: a plain statistic of quality, gold or human score of the chosen one",
    "rejected_quality": "of a pair: the same of the rejected one",
    "foreign_prompt": "whether it is about the prompt of another draw, by the rare words that it shares, 0 or 1",
    "foreign_reference": "whether it is worded like the reference of another draw, 0 or 1",
    "garbled": "whether a text of the row was decoded with the wrong character set, 0 or 1",
    "padding": "whether tokens that pad a sequence, or several ends of one, stand in it, 0 or 1",
    "mixed_template": "whether the prompt has marks of two chat templates, or one header twice, 0 or 1",
    "cut_prompt": "whether a limit cut the prompt short, 0 or 1; only where the rows show that together",
    "headless_prompt": "whether its prompt was cut at the beginning, 0 or 1; only where the rows show that together",
    "copied": "the share of runs of six words that stand in the prompt",
    "stuffing": "the share of words that come from the prompt and stood in the completion before",
    "leaves_reasoning": "whether the final answer is a number that the reasoning never names, 0 or 1",
    "gives_reference": "whether it is the reference, but for spacing and case, 0 or 1; not of short references",
    "reference_decomposed": "whether accents are characters of their own in the reference (NFD), 0 or 1",
    "several_code_blocks": "whether it holds more than one fenced block of code, 0 or 1",
    "agrees": "whether it begins by agreeing, 0 or 1",
    "told_answer_given": "whether its final answer is the one that the prompt states, 0 or 1; only without a reference",
    "sampler_gap": "how far the log-probabilities of sampler and trainer are apart on average, a token",
    "reference_gap": "how far the log-probabilities of policy and reference are apart on average, a token",
    "masked_tail": "the share of its tokens from the end on that the loss mask leaves out",
    "token_places": "how many tokens its log-probabilities are of, padding too",
    "trains_on_results": "whether the loss is taken over messages of tools, 0 or 1; only where messages say so",
    "trains_on_prompt": "whether the loss mask covers the tokens of the prompt, 0 or 1; only where rows count these",
    "grading_failed": "whether what grades it failed: a crash, a lost connection, a limit of its own; 0 or 1",
    "same_pair": "of a pair: whether both sides are the same text, 0 or 1",
    "longer_chosen": "of a pair: whether the chosen one has more words, 0 or 1; not where one refuses",
    "chosen_words": "of a pair: words of the chosen one",
    "rejected_words": "of a pair: words of the rejected one",
    "chosen_broken": "of a pair: whether the chosen one, of several sentences, stops in the middle of one, 0 or 1",
    "rejected_broken": "of a pair: the same of the rejected one",
    "first_won": "of a pair: whether the answer that the judge saw first was chosen, 0 or 1",
    "pair_side": "of a pair: whether the chosen one comes first in the order of the alphabet, 0 or 1",
    "pair_scored": "of a pair: whether the row gives both scores itself, 0 or 1",
    "outcome_repeated": "whether every step was paid the same and their sum is the reward, 0 or 1",
    "turns": "messages or steps of a trajectory",
    "tool_calls": "calls of tools",
    "repeated_calls": "calls that repeat an earlier one to the letter and learn nothing from it",
    "paid_again": "how often one and the same call was paid, where steps have rewards of their own",
    "longest_loop": "how often in a row one call gets one result, where that does not change afterwards",
    "asks_again": "whether the agent asks twice or more what it asked before, word for word, 0 or 1",
    "invented_results": "messages of the agent that hold the result of a tool, which no tool gave",
    "touches_grading": "whether it reads a file of answers or changes tests, 0 or 1",
    "edits_tests": "whether it changes, skips or deletes tests, 0 or 1",
    "defeats_grading": "whether it makes tests pass in any case, or hands in what a file of answers held, 0 or 1",
    "passes_over_result": "whether its answer is another number than its last call gave, 0 or 1",
    "contradicts_result": "whether its last words give something else than the reference that a result states, 0 or 1",
    "out_of_turns": "whether the limit on turns ended it, 0 or 1",
    "illegal_calls": "calls of tools that are not allowed",
    "malformed_calls": "calls whose arguments do not fit the schema of their tool",
    "demands_tools": "whether the prompt tells it to use its tools, 0 or 1",
    "offered_tools": "how many tools it may call",
    "group_relative": "whether its method, by the name that is given, takes advantages relative to the group, 0 or 1",
    "declared_size": "how many completions its group should have",
    "weighted_reward": "the components of its reward, added up by the weights that the row declares",
    "abstains": "whether it says that it does not know, 0 or 1; only where there is an answer",
    "holds_reference": "whether its wrong answer is a number with the digits of the reference in it, 0 or 1",
    "unevaluated": "whether its answer is an expression of the question, not worked out, 0 or 1",
    "answer_missing": "whether it lacks the mark of an answer that its prompt asks for, 0 or 1",
    "answer_stated": "whether it comes to an answer, 0 or 1; only where there is a reference",
    "options": "how many options its prompt lists by letters",
    "hides_answer": "whether its place for the answer holds none while its reasoning names the reference, 0 or 1",
    "failed_calls": "calls that failed",
    "recovered_calls": "failed calls that another call of the same tool made good",
    "ended_failed": "whether the last call failed, 0 or 1",
    "prompt_length": "words of the task",
    "claims_success": "whether the text says that the task is done, 0 or 1",
    "state_changed": "whether the final state differs from the initial one, 0 or 1",
    "state_reached": "whether the final state is the expected one, 0 or 1",
}
"""Columns and what they hold; not a number where a row does not say. Those of `COMPONENT`, `STYLE` and `FIGURE` come on
top.
"""

CODES = (
    "group", "prompt", "kind", "template", "opening", "gist", "answer", "text", "path", "task", "reference", "id",
    "pair", "lookup", "lookup_result", "start", "end", "first_call", "first_result",
    "ending",
)  # fmt: skip
"""Columns of whole numbers that say which rows are alike: equal numbers, equal things; -1 where a row does not say.

`group` is a draw of completions of one prompt, `kind` what kind of prompt that is, `template` the skeleton of a
completion without its words, `opening` its first words, `gist` words from its middle, `answer` its final answer, `text`
all of it, `path` the sequence of tools of a trajectory, `task` what it is about (its initial state or prompt),
`reference` the right answer, `id` the name of the row, `pair` two texts that were compared, in either order, `lookup`
the last call by which an agent looked something up, and `lookup_result` what it was told, `start` and `end` the states
of a trajectory without the names around them, `first_call` and `first_result` what was done first and what came of it,
`ending` the last sentence of a text.
"""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a tool. `ok` is None where nothing says whether it went well."""

    tool: str
    arguments: str = ""
    result: str = ""
    ok: bool | None = None


class Sample(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One row, whatever the file called its fields. What the row does not say is None or empty."""

    completion: str = ""
    prompt: str = ""
    id: str = ""
    group: str = ""
    split: str = ""
    prompt_kind: str = ""
    trait: str = ""
    labels: dict[str, str] = {}
    figures: dict[str, float] = {}
    answer: str = ""
    finish_reason: str = ""
    step: float | None = None
    policy_version: float | None = None
    difficulty: float | None = None
    reward: float | None = None
    reward_not_finite: bool = False
    rewards: dict[str, float] = {}
    gold: float | None = None
    human_score: float | None = None
    success: float | None = None
    unsafe: float | None = None
    response_len: float | None = None
    max_tokens: float | None = None
    max_turns: float | None = None
    entropy: float | None = None
    kl: float | None = None
    advantage: float | None = None
    cost: float | None = None
    chosen: str = ""
    rejected: str = ""
    chosen_score: float | None = None
    rejected_score: float | None = None
    calls: tuple[ToolCall, ...] = ()
    turns: int | None = None
    invented: int | None = None
    inlined: int = 0
    tool_messages: int = 0
    longest_echo: int = 0
    asked_again: int | None = None
    garbled: bool | None = None
    sampler_gap: float | None = None
    reference_gap: float | None = None
    masked_tail: float | None = None
    token_places: int | None = None
    trains_on_prompt: bool | None = None
    trains_on_results: bool | None = None
    step_rewards: tuple[float, ...] = ()
    first_won: bool | None = None
    grading_failed: bool | None = None
    call_count: float | None = None
    malformed: int | None = None
    group_size: int | None = None
    weighted: float | None = None
    stated_grade: float | None = None
    group_relative: bool | None = None
    allowed_tools: tuple[str, ...] | None = None
    initial_state: str | None = None
    final_state: str | None = None
    expected_state: str | None = None


class ShownSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample to look at, its texts cut to what fits on a screen or two."""

    prompt: str
    completion: str
    step: float | None = None
    reward: float | None = None
    outcome: float | None = None
    rewards: dict[str, float] = {}
    row: int = 0


class TrajectoryParting(msgspec.Struct, frozen=True, kw_only=True):
    """Where the trajectories of one task part: the calls that all share, then what successes and failures did."""

    task: str
    shared: tuple[str, ...]
    successful: str
    failed: str
    successes: int
    failures: int


@dataclass(frozen=True, eq=False)
class Samples:
    """Many samples, a column a quantity.

    `numbers` holds arrays of one length, with not-a-number where a row does not say; `codes` those of `CODES`. `rows`
    counts what was read; where that is more than the columns hold, whole groups were left out at random. `baseline` is
    another set to compare with; `run` the curves: those of a log where there is one, else those made of the samples.
    `named` says what the file calls fields that go by another name there. `splits` names the splits that rows say they
    belong to. `kind` is the kind of prompt of all rows, where these are the rows of one kind and others were sampled
    beside them.
    """

    name: str
    numbers: Mapping[str, Array] = field(default_factory=dict)
    codes: Mapping[str, Ints] = field(default_factory=dict)
    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    rows: int = 0
    best: tuple[ShownSample, ...] = ()
    worst: tuple[ShownSample, ...] = ()
    random: tuple[ShownSample, ...] = ()
    partings: tuple[TrajectoryParting, ...] = ()
    source: str = ""
    unit: str = "words"
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    baseline: Samples | None = None
    run: Run | None = None
    kind: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    splits: tuple[str, ...] = ()

    def __len__(self) -> int:
        return next((len(column) for column in (*self.numbers.values(), *self.codes.values())), 0)

    def __contains__(self, name: object) -> bool:
        """Whether any row says anything of this; `outcome` and `baseline` can be asked for too."""
        if name == "outcome":
            return self.outcome is not None
        if name == "baseline":
            return self.baseline is not None
        if name in self.codes:
            return bool((self.codes[str(name)] >= 0).any())
        return name in self.numbers and bool(np.isfinite(self.numbers[str(name)]).any())

    def __getitem__(self, name: str) -> Array:
        return self.numbers[name]

    def columns(self, prefix: str) -> Iterator[tuple[str, Array]]:
        """The columns whose names begin with this, without it."""
        return ((name.removeprefix(prefix), self[name]) for name in self.numbers if name.startswith(prefix))

    @cached_property
    def outcome(self) -> str | None:
        """The column that says best whether a sample is really good; whether the answer is right where no row tells."""
        known = ("gold", "human_score", "state_reached", "success", "answer_right")
        return next((name for name in known if name in self.numbers and np.isfinite(self[name]).any()), None)

    def where(self, rows: Flags | Ints) -> Samples:
        """The same columns of some rows."""
        return Samples(
            name=self.name,
            numbers={name: column[rows] for name, column in self.numbers.items()},
            codes={name: column[rows] for name, column in self.codes.items()},
            names=self.names,
            rows=self.rows,
            unit=self.unit,
            baseline=self.baseline,
            run=self.run,
            kind=self.kind,
            named=self.named,
        )

    @classmethod
    def of(cls, name: str = "samples", **columns: object) -> Samples:
        """Samples from columns by name; those of `CODES` and labels are counted, points in a name are written `__`."""
        numbers = {key.replace("__", "."): np.asarray(values, np.float64) for key, values in columns.items()}
        coded = [key for key in numbers if key in CODES or key.startswith(LABEL)]
        codes = {key: numbers.pop(key).astype(np.int64) for key in coded}
        rows = max(map(len, (*numbers.values(), *codes.values())), default=0)
        return cls(name=name, numbers=numbers, codes=codes, rows=rows)
