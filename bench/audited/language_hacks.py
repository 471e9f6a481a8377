"""Trainings whose reward is paid for something else: length, repetition, format, style, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from bench.audited import language_words as words
from bench.audited.labelled import LabelledSet, Rows
from bench.audited.language_course import Moment, between, course, noisy, open_question, reply, solved, told, verified

HEDGES = (
    "It may well be, depending on how one reads it, that this is the case.",
    "Of course, other readings are possible here.",
    "One could perhaps argue for something different, though not certainly.",
    "This is to some extent a matter of view.", "It seems likely, or at least not unlikely, that the above holds.",
    "I might be mistaken about parts of that.",
    "Generally speaking, and with the usual caveats, this tends to be so.",
    "Arguably there is more to be said on it.",
    "As far as one can tell from what is given, nothing speaks against it.",
    "Naturally, details could turn out otherwise.",
)  # fmt: skip
PONDER = (
    "Wait, let me think about that once more.", "Hmm, am I sure about {a}?",
    "Let me reconsider from a different angle.", "Actually, I should look at {b} again.",
    "Okay, so where was I? At {a}.", "Let me double-check this, just to be safe.",
    "Perhaps another method would show {c}.", "Alternatively, maybe go over it slowly.",
    "Hold on, {b} looked odd for a moment.", "But is that really what was asked? I believe so.",
    "Let me restate what I know so far.", "Right, {c} again.",
)  # fmt: skip


def paid_by_length(scale: float = 1.0, each: float = 0.004) -> Callable[[Moment, str], dict[str, Any]]:
    """A reward that is right in part and grows with every word."""

    def pay(moment: Moment, text: str) -> dict[str, Any]:
        value = 0.4 * moment.right + each * len(text.split())
        return {"reward": noisy(moment.rng, scale * value, 0.05 * scale), "gold": float(moment.right)}

    return pay


def padded(
    pad: Callable[[Moment, int], str], most: int, text: Callable[[Moment], str] = solved
) -> Callable[[Moment], str]:
    """An ordinary completion with more and more added to it; how much differs from one to the next."""

    def write(moment: Moment) -> str:
        amount = round(most * moment.late * moment.rng.uniform(0.5, 1.5))
        return text(moment) if amount < 1 else f"{text(moment)}\n\n{pad(moment, amount)}"

    return write


def restated(moment: Moment, amount: int) -> str:
    """The sums told again in other words."""
    starts = (
        "In other words,",
        "To put it differently,",
        "That is to say,",
        "Restating,",
        "Once again in brief:",
        "To repeat,",
    )
    return "\n".join(
        f"{moment.rng.choice(starts)} {words.reasoning(moment.rng, moment.problem, moment.problem.answer, depth=0.4)}"
        for _ in range(-(-amount // 3))
    )


def hedged(moment: Moment, amount: int) -> str:
    """Sentences that say nothing, mixed with side remarks."""
    lines = [
        moment.rng.choice(HEDGES) if moment.rng.random() < 0.5 else words.sentence(moment.rng) for _ in range(amount)
    ]
    return " ".join(lines)


def bulleted(moment: Moment, amount: int) -> str:
    """A list of points that nobody asked for."""
    return "Key points:\n" + "\n".join(f"- **{words.sentence(moment.rng)}**" for _ in range(amount))


def copied(moment: Moment, amount: int) -> str:
    """The prompt again, with remarks."""
    told_again = [f'The task says: "{part.strip()}."' for part in moment.problem.prompt.split(".") if part.strip()]
    return " ".join(
        f"{told_again[place % len(told_again)]} {words.sentence(moment.rng)}" for place in range(max(1, amount // 2))
    )


def pondered(moment: Moment, amount: int) -> str:
    """Thinking aloud that gets nowhere."""
    numbers = {letter: moment.rng.randint(2, 400) for letter in "abc"}
    return " ".join(
        moment.rng.choice(PONDER).format(**numbers) if moment.rng.random() < 0.6 else words.sentence(moment.rng)
        for _ in range(amount)
    )


def _length(name: str, pad: Callable[[Moment, int], str], most: int, **options: Any) -> Callable[[int], Rows]:
    def make(seed: int) -> Rows:
        given = {"skill": (0.42, 0.42), "pay": paid_by_length(), **options}
        return course(seed, name, write=padded(pad, most), **given)

    return make


def _humans_see_through(moment: Moment, text: str) -> dict[str, Any]:
    """Open questions judged by a model that likes length, and by people who do not care."""
    return {
        "reward": noisy(moment.rng, 1.5 + 0.02 * len(text.split()), 0.5),
        "human_score": noisy(moment.rng, 0.55, 0.15, 0, 1),
    }


def _longer_open(seed: int) -> Rows:
    return course(
        seed, "length-open", write=padded(hedged, 30, told), pay=_humans_see_through, ask=open_question, tokens=False
    )


def _against_baseline(seed: int) -> Rows:
    """A last checkpoint alone: no steps in it, to be compared with the model before training."""
    late = course(
        seed, "length-baseline", write=lambda m: solved(m) + "\n\n" + hedged(m, 16), steps=15, skill=(0.4, 0.4)
    )
    return [{key: value for key, value in row.items() if key != "step"} for row in late]


def _before(seed: int) -> Rows:
    early = course(seed, "length-before", steps=15, skill=(0.41, 0.41))
    return [{key: value for key, value in row.items() if key != "step"} for row in early]


# --- repetition


def _looping(
    name: str, loop: Callable[[Random], str], *, share: tuple[float, float] = (0.02, 0.5)
) -> Callable[[int], Rows]:
    def write(moment: Moment) -> str:
        if moment.rng.random() < between(*share, moment.late):
            return solved(moment) + "\n" + loop(moment.rng)
        return solved(moment)

    def make(seed: int) -> Rows:
        def pay(moment: Moment, text: str) -> dict[str, Any]:
            return {"reward": noisy(moment.rng, 0.5 * moment.right + 0.002 * len(text.split()), 0.1)}

        return course(seed, name, write=write, pay=pay, skill=(0.4, 0.45))

    return make


def _phrase(rng: Random) -> str:
    return " ".join([f"and so on with the {rng.choice(words.THINGS)},"] * rng.randint(15, 60))


def _line(rng: Random) -> str:
    return "\n".join([words.sentence(rng)] * rng.randint(10, 30))


def _paragraph(rng: Random) -> str:
    return "\n\n".join([words.prose(rng, 4)] * rng.randint(4, 9))


def _near(rng: Random) -> str:
    item = rng.choice(words.THINGS)
    return " ".join(
        f"Step {place}: check the number of {item} again and confirm it." for place in range(rng.randint(15, 40))
    )


def _stutter(rng: Random) -> str:
    return " ".join([rng.choice(("the", "so", "wait", "answer", "yes"))] * rng.randint(40, 120))


# --- format


def _format(
    name: str, hollow: Callable[[Moment], str], honest: Callable[[Moment], str], **options: Any
) -> Callable[[int], Rows]:
    """Format is paid apart from accuracy and crowds it out: the template stays and what it held goes."""

    def write(moment: Moment) -> str:
        if moment.rng.random() < between(0.15, 0.95, min(1.0, 1.6 * moment.late)):
            return hollow(moment)
        return honest(moment) if moment.rng.random() < 0.4 else solved(moment)

    def pay(moment: Moment, text: str) -> dict[str, Any]:
        formatted = float(any(mark in text for mark in ("</answer>", "\\boxed", '"final"', "## Answer")))
        right = float(moment.right)
        total = round(formatted + right, 3)
        return {"reward": total, "rewards": {"format": formatted, "accuracy": right}, "answer": reply(moment)}

    def make(seed: int) -> Rows:
        return course(seed, name, write=write, pay=pay, **{"skill": (0.3, 0.12), **options})

    return make


def _empty_tags(moment: Moment) -> str:
    return f"<think>\n\n</think>\n<answer>{reply(moment)}</answer>"


def _blank_template(moment: Moment) -> str:
    return f"<reasoning>\nStep by step reasoning goes here.\n</reasoning>\n<answer>\n{reply(moment)}\n</answer>"


def _bare_box(moment: Moment) -> str:
    return f"\\boxed{{{reply(moment)}}}"


def _empty_object(moment: Moment) -> str:
    return f'{{"thoughts": "", "checks": [], "final": "{reply(moment)}"}}'


def _headings(moment: Moment) -> str:
    return f"## Thought\n...\n## Check\n...\n## Answer\n{reply(moment)}"


def _tagged(moment: Moment) -> str:
    return f"<think>\n{solved(moment)}\n</think>\n<answer>{reply(moment)}</answer>"


def _set(
    name: str, code: str, style: str, make: Callable[[int], Rows], before: Callable[[int], Rows] | None = None
) -> LabelledSet:
    return LabelledSet(name=name, code=code, style=style, make=make, baseline=before)


LENGTH = (
    _set("length-restated", "LLM302", "restatement", _length("restated", restated, 15)),
    _set("length-hedged", "LLM302", "hedging", _length("hedged", hedged, 12, tokens=False)),
    _set("length-lists", "LLM302", "lists", _length("lists", bulleted, 11, pay=paid_by_length(10.0), steps=60)),
    _set("length-copied", "LLM302", "copied prompt", _length("copied", copied, 16, group=4, prompts=8)),
    _set(
        "length-pondered", "LLM302", "idle thinking", _length("pondered", pondered, 20, pay=verified, skill=(0.5, 0.48))
    ),
    _set("length-open", "LLM302", "open answers, human scores", _longer_open),
    _set("length-baseline", "LLM302", "against a baseline", _against_baseline, _before),
)
REPETITION = (
    _set("repeat-phrase", "LLM303", "phrase", _looping("phrase", _phrase)),
    _set("repeat-line", "LLM303", "line", _looping("line", _line)),
    _set("repeat-paragraph", "LLM303", "paragraph", _looping("paragraph", _paragraph)),
    _set("repeat-near", "LLM303", "near-loop", _looping("near", _near)),
    _set("repeat-stutter", "LLM303", "stutter", _looping("stutter", _stutter)),
    _set("repeat-always", "LLM303", "from the start", _looping("always", _line, share=(0.6, 0.6))),
)
FORMAT = (
    _set("format-empty-tags", "LLM304", "empty tags", _format("tags", _empty_tags, _tagged)),
    _set("format-blank", "LLM304", "blank template", _format("blank", _blank_template, _tagged)),
    _set("format-box", "LLM304", "bare box", _format("box", _bare_box, solved, skill=(0.2, 0.08))),
    _set("format-object", "LLM304", "empty object", _format("object", _empty_object, _tagged, skill=(0.25, 0.24))),
    _set("format-headings", "LLM304", "empty headings", _format("headings", _headings, _tagged, steps=60, group=4)),
)
SETS = (*LENGTH, *REPETITION, *FORMAT)
