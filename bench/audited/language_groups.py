"""Trainings that learn nothing, or one thing: groups without spread, cut completions, one answer, swapped pairs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from bench.audited import language_words as words
from bench.audited.labelled import LabelledSet, Rows
from bench.audited.language_course import Moment, between, course, noisy, open_question, reply, solved, told

Maker = Callable[[int], Rows]


def _made(name: str, **options: Any) -> Maker:
    return lambda seed: course(seed, name, **options)


# --- one answer for everything

ONE_ANSWER = (
    "I think it is best to look at the whole picture before deciding. There are many sides to it. The answer is 42."
)
ONE_OPENING = (
    "Great, let us carefully break this problem down into its most important parts and look at each of them in turn. "
)
CHAIN = (
    "First I write down the starting amount. Then I apply each change in the order in which it is told. After each "
    "change I note the new amount. Finally I read off the last amount and check it against the question. "
    "The answer is {x}."
)


def _collapsing(name: str, same: Callable[[Moment], str], *, entropy: bool, **options: Any) -> Maker:
    """More and more completions are the same, while the entropy of the tokens gives nothing away."""

    def write(moment: Moment) -> str:
        return same(moment) if moment.rng.random() < min(0.97, 1.5 * moment.late) else solved(moment)

    def more(moment: Moment, _text: str) -> dict[str, Any]:
        return {"entropy": noisy(moment.rng, 0.9, 0.06, 0)} if entropy else {}

    return _made(name, **{"write": write, "more": more, "skill": (0.35, 0.4), **options})


def _one_answer(_moment: Moment) -> str:
    return ONE_ANSWER


def _one_opening(moment: Moment) -> str:
    return ONE_OPENING + CHAIN.format(x=reply(moment))


def _one_chain(moment: Moment) -> str:
    return CHAIN.format(x=reply(moment))


def _one_of_the_group(moment: Moment) -> str:
    """Every completion of a group is the same to the letter; groups still differ."""
    return words.reasoning(Random(moment.problem.prompt), moment.problem, moment.problem.answer, depth=0.6)


def _open_collapse(seed: int) -> Rows:
    """Open questions that all get the same note, paid by a reward model."""
    note = words.prose(Random(f"note:{seed}"), 5)

    def write(moment: Moment) -> str:
        return note if moment.rng.random() < min(0.95, 1.4 * moment.late) else told(moment)

    def pay(moment: Moment, text: str) -> dict[str, Any]:
        return {"reward": noisy(moment.rng, 1.4 if text == note else 0.8, 0.3)}

    return course(seed, "open-collapse", write=write, pay=pay, ask=open_question)


# --- groups without spread


def _by_prompt(moment: Moment, _text: str) -> dict[str, Any]:
    """The reward looks at the prompt alone."""
    return {"reward": round(1 - moment.problem.difficulty, 3)}


def _halves(rng: Random, _late: float) -> words.Problem:
    return words.problem(rng, 0.0 if rng.random() < 0.5 else 1.0)


def _growing(rng: Random, late: float) -> words.Problem:
    """Prompts that the policy has outgrown by the middle."""
    return words.problem(rng, 0.5 if late < 0.4 else 0.0)


def _blind_format(moment: Moment, _text: str) -> dict[str, Any]:
    """A verifier that never finds the answer: all parts are paid alike."""
    return {"reward": 0.1, "rewards": {"format": 0.1, "accuracy": 0.0}}


# --- cut completions


def _cut(name: str, share: Callable[[float], float], *, cap: int, said: tuple[str, ...], **options: Any) -> Maker:
    """Completions that run into the cap; `said` are the fields that tell."""

    def write(moment: Moment) -> str:
        if moment.rng.random() >= share(moment.late):
            return solved(moment)
        text = words.prose(moment.rng, cap // 6).split()
        return " ".join(text[: round(cap / 1.35)]).rstrip(".,")

    def pay(moment: Moment, text: str) -> dict[str, Any]:
        done = len(text.split()) * 1.35 < cap - 2 and moment.right
        return {"reward": float(done), "gold": float(done)}

    def more(_moment: Moment, text: str) -> dict[str, Any]:
        long = len(text.split()) * 1.35 >= cap - 2
        fields: dict[str, Any] = {"finish_reason": "length" if long else "stop", "max_tokens": cap}
        told_of = {key: value for key, value in fields.items() if key in said}
        length = cap if long else min(cap - 1, round(len(text.split()) * 1.35))
        return {"response_len": length, **told_of}

    return _made(name, write=write, pay=pay, more=more, **options)


# --- no gradient although rewards differ


def _idle(name: str, zero: Callable[[Moment], bool], **options: Any) -> Maker:
    """Rewards of a group differ, and the advantages that the trainer made of them are 0."""

    def make(seed: int) -> Rows:
        rows = course(seed, name, **options)
        members: dict[str, list[float]] = {}
        for row in rows:
            members.setdefault(row["group"], []).append(row["reward"])
        last = max(row["step"] for row in rows)
        for row in rows:
            paid = members[row["group"]]
            mean = sum(paid) / len(paid)
            moment = Moment(Random(seed), row["step"] / last, row["step"], words.Problem("", "", 0.5, ()), True, 0)
            row["advantage"] = 0.0 if zero(moment) else round(row["reward"] - mean, 4)
        return rows

    return make


def _scores(moment: Moment, _text: str) -> dict[str, Any]:
    return {"reward": noisy(moment.rng, 2.0 * moment.right, 0.6)}


# --- pairs


def _pairs(
    name: str, good: Callable[[Random], str], bad: Callable[[Random], str], *, scores: str, swapped: float
) -> Maker:
    """Pairs of which this share is the wrong way round."""

    def make(seed: int) -> Rows:
        rng = Random(f"{name}:{seed}")
        rows: Rows = []
        for _ in range(400):
            better, worse = good(rng), bad(rng)
            ratings = _ratings(rng, scores)
            if rng.random() < swapped:
                better, worse, ratings = worse, better, ratings[::-1]
            row: dict[str, Any] = {"prompt": words.question(rng).prompt, "chosen": better, "rejected": worse}
            if scores:
                row |= {"chosen_score": ratings[0], "rejected_score": ratings[1]}
            rows.append(row)
        return rows

    return make


def _ratings(rng: Random, scores: str) -> tuple[float, float]:
    if scores == "stars":
        return float(rng.randint(3, 5)), float(rng.randint(1, 3))
    return noisy(rng, 7.5, 1.2), noisy(rng, 5.0, 1.2)


def _note(rng: Random) -> str:
    return words.prose(rng, rng.randint(4, 8))


def _looped(rng: Random) -> str:
    return " ".join([words.sentence(rng)] * rng.randint(5, 12))


def _stub(rng: Random) -> str:
    return rng.choice(("", "ok", "I don't know.", "...", "yes yes yes yes", "no idea"))


def _set(name: str, code: str, style: str, make: Maker) -> LabelledSet:
    return LabelledSet(name=name, code=code, style=style, make=make)


COLLAPSES = (
    _set("same-answer", "LLM307", "one answer", _collapsing("answer", _one_answer, entropy=True, pay=_scores)),
    _set("same-opening", "LLM307", "one opening", _collapsing("opening", _one_opening, entropy=True)),
    _set("same-chain", "LLM307", "one chain of reasoning", _collapsing("chain", _one_chain, entropy=True, group=4)),
    _set(
        "same-in-group",
        "LLM307",
        "one text a group",
        _collapsing("group", _one_of_the_group, entropy=False, pay=_scores),
    ),
    _set("same-note", "LLM307", "one note for open questions", _open_collapse),
)
DEGENERATE = (
    _set("groups-all-right", "LLM308", "all right", _made("all-right", skill=(0.97, 0.99), spread=1.0)),
    _set("groups-all-wrong", "LLM308", "all wrong", _made("all-wrong", skill=(0.01, 0.01), spread=1.0)),
    _set("groups-by-prompt", "LLM308", "only between prompts", _made("by-prompt", pay=_by_prompt)),
    _set("groups-halves", "LLM308", "easy and impossible", _made("halves", ask=_halves, spread=9.0, skill=(0.5, 0.5))),
    _set(
        "groups-outgrown", "LLM308", "outgrown", _made("outgrown", ask=_growing, spread=7.0, skill=(0.5, 0.8), steps=60)
    ),
    _set("groups-blind", "LLM308", "blind verifier", _made("blind", pay=_blind_format)),
)
CUTS = (
    _set(
        "cut-rising",
        "LLM309",
        "rising",
        _cut("rising", lambda late: between(0.02, 0.6, late), cap=256, said=("finish_reason",)),
    ),
    _set(
        "cut-always",
        "LLM309",
        "from the start",
        _cut("always", lambda _: 0.7, cap=128, said=("finish_reason", "max_tokens")),
    ),
    _set(
        "cut-by-cap",
        "LLM309",
        "told by the cap",
        _cut("cap", lambda late: between(0.1, 0.5, late), cap=200, said=("max_tokens",)),
    ),
    _set(
        "cut-all",
        "LLM309",
        "nearly all",
        _cut("all", lambda _: 0.97, cap=256, said=("finish_reason", "max_tokens"), steps=12),
    ),
)
IDLE = (
    _set("idle-always", "LLM312", "from the start", _idle("idle-always", lambda _: True)),
    _set("idle-later", "LLM312", "from the middle", _idle("idle-later", lambda moment: moment.late > 0.5)),
    _set("idle-scores", "LLM312", "scores of a model", _idle("idle-scores", lambda _: True, pay=_scores)),
    _set(
        "idle-small-groups",
        "LLM312",
        "small groups",
        _idle("idle-small", lambda _: True, group=4, prompts=6, pay=_scores),
    ),
)
SWAPPED = (
    _set("pairs-score", "LLM316", "by score", _pairs("score", _note, _note, scores="model", swapped=0.95)),
    _set("pairs-stars", "LLM316", "by stars", _pairs("stars", _note, _stub, scores="stars", swapped=0.9)),
    _set("pairs-loops", "LLM316", "loops chosen, no score", _pairs("loops", _note, _looped, scores="", swapped=0.9)),
    _set("pairs-stubs", "LLM316", "stubs chosen, no score", _pairs("stubs", _note, _stub, scores="", swapped=0.85)),
    _set("pairs-most", "LLM316", "most of them, by score", _pairs("most", _note, _note, scores="model", swapped=0.75)),
)
SETS = (*COLLAPSES, *DEGENERATE, *CUTS, *IDLE, *SWAPPED)
