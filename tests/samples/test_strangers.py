"""Exports as strangers write them, audited from a file: what is broken is named although a field is missing."""

from __future__ import annotations

import json
from random import Random

import pytest

from weaklink import audit
from weaklink.base.finding import Level

WORDS = ("the", "river", "house", "often", "people", "market", "small", "light", "paper", "bridge", "window", "story")


def write(rng, sentences):
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(6, 14))).capitalize() + "." for _ in range(sentences))


def solve(rng, right):
    """A sum, its answer, and a solution that ends with it or with another."""
    first, second = rng.randint(10, 99), rng.randint(10, 99)
    answer = first + second
    given = answer if right else answer + rng.choice((-3, -2, 1, 5))
    return f"{first} and {second}", str(answer), f"{write(rng, 2)} The answer is {given}."


def draw(rng, make, steps=30, prompts=6, members=6):
    """Rows of draws of one prompt at each step; `make` gets what a draw shares as `same`."""
    rows = []
    for step in range(steps):
        for _ in range(prompts):
            prompt, same = f"{write(rng, 1)} {rng.random()}", write(rng, 5)
            rows += [{"step": step, "prompt": prompt, **make(rng, step / (steps - 1), same)} for _ in range(members)]
    return rows


def pay_length(rng, spread):
    """One checkpoint; a score that follows the number of sentences, more or less."""
    rows = []
    for place in range(80):
        for _ in range(6):
            sentences = rng.randint(1, 12)
            rows.append(
                {"prompt": f"p{place}", "completion": write(rng, sentences), "score": sentences + rng.gauss(0, spread)}
            )
    return rows


def judge_length(rng, taste):
    """Sums with a reference answer; the judge has a taste for long texts."""
    rows = []
    for place in range(80):
        for _ in range(6):
            right, sentences = rng.random() < 0.4, rng.randint(0, 9)
            _, answer, text = solve(rng, right)
            paid = right + taste * sentences + rng.gauss(0, 0.1)
            rows.append(
                {"input": f"p{place}", "output": f"{write(rng, sentences)} {text}", "gts": answer, "score": paid}
            )
    return rows


def collapse(rng, *, paid, until):
    def make(rng, late, same):
        text = same if rng.random() < until * late else write(rng, 5)
        return {"completion": text} | ({"reward": rng.gauss(0.5 + 0.5 * late, 0.1)} if paid else {})

    return draw(rng, make)


def reword(rng):
    """Late texts of a draw differ in one word."""

    def make(rng, late, same):
        words = same.split()
        words[rng.randrange(len(words))] = rng.choice(WORDS)
        text = " ".join(words) if rng.random() < 2.5 * late else write(rng, 5)
        return {"completion": text, "reward": rng.gauss(0.5, 0.1)}

    return draw(rng, make)


def score_nothing(rng, spread):
    return draw(rng, lambda rng, late, same: {"completion": write(rng, 3), "reward": spread * rng.random()})


def box(rng, *, many):
    """Late answers list box after box, and any that fits pays."""

    def make(rng, late, same):
        listed, right = many and rng.random() < late, rng.random() < 0.4
        _, answer, text = solve(rng, right)
        boxes = [str(int(answer) + place) for place in range(-3, 4)] if listed else [text.split()[-1].strip(".")]
        boxed = " ".join(f"\\boxed{{{one}}}" for one in boxes)
        return {"completion": f"{text} {boxed}", "reward": float(listed or right), "correct": right and not listed}

    return draw(rng, make)


def split(rng, leaked):
    """Training rows and test rows in one file; some test prompts are training prompts in capitals."""
    trained = [write(rng, 3) for _ in range(200)]
    tested = [rng.choice(trained).upper() if rng.random() < leaked else write(rng, 3) for _ in range(60)]
    sides = [("train", one) for one in trained] + [("test", one) for one in tested]
    return [
        {"extra_info": {"split": side}, "prompt": one, "completion": write(rng, 2), "reward": rng.random()}
        for side, one in sides
    ]


def act(rng, *, lie=0.0, gold=False, costly=0.0, harder=0.0, success=True, steps=20):
    """An agent with one search and one booking, whose last call may fail."""
    rows = []
    for step in range(steps):
        late = step / (steps - 1)
        for _ in range(6):
            task = f"{write(rng, 2 + round(4 * harder * late))} {rng.random()}"
            for _ in range(5):
                done = rng.random() < 0.4
                said = "I have booked it." if done or rng.random() < lie * late else "I could not book it."
                result = "Booked." if done or gold else "Error: declined"
                calls = [("search", write(rng, 1))] * (1 + round(rng.random() * 12 * costly * late))
                row = {"step": step, "messages": _chat(task, [*calls, ("book", result)], said)}
                row["reward"] = float("have" in said if lie else done)
                rows.append(row | ({"gold": done} if gold else {"success": done} if success and not lie else {}))
    return rows


def _chat(task, calls, said):
    messages = [{"role": "user", "content": task}]
    for place, (tool, result) in enumerate(calls):
        call = {"id": str(place), "function": {"name": tool, "arguments": json.dumps({"place": place})}}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": str(place), "content": result},
        ]
    return [*messages, {"role": "assistant", "content": said}]


BROKEN = {
    "length decides": ("LLM302", lambda rng: pay_length(rng, 1.0)),
    "length paid, answers known by reference": ("LLM302", lambda rng: judge_length(rng, 0.3)),
    "one text a draw, nothing paid": ("LLM307", lambda rng: collapse(rng, paid=False, until=1.1)),
    "one text a draw but for a word": ("LLM307", reword),
    "a spread that is rounding": ("LLM308", lambda rng: score_nothing(rng, 1e-7)),
    "box after box": ("LLM304", lambda rng: box(rng, many=True)),
    "test in train": ("LLM313", lambda rng: split(rng, 0.2)),
    "claims against gold": ("AGT302", lambda rng: act(rng, lie=0.8, gold=True)),
    "claims after a failed call": ("AGT302", lambda rng: act(rng, lie=0.9)),
    "calls without success": ("AGT305", lambda rng: act(rng, costly=1.0)),
    "calls without reward": ("AGT305", lambda rng: act(rng, costly=1.0, success=False)),
}

HONEST = {
    "length matters a little": lambda rng: pay_length(rng, 6.0),
    "right answers paid": lambda rng: judge_length(rng, 0.0),
    "drafts that agree as they are paid more": lambda rng: collapse(rng, paid=True, until=0.6),
    "small rewards": lambda rng: score_nothing(rng, 1e-3),
    "one box": lambda rng: box(rng, many=False),
    "test beside train": lambda rng: split(rng, 0.0),
    "failures that are admitted": lambda rng: act(rng),
    "tasks that grow": lambda rng: act(rng, costly=1.0, harder=1.0),
}


def find_alarms(rows, folder):
    file = folder / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {one.code for one in audit(str(file)).diagnosis.findings if one.severity >= Level.WARN}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(name, tmp_path):
    code, make = BROKEN[name]
    assert code in find_alarms(make(Random(name)), tmp_path)


@pytest.mark.parametrize("name", HONEST)
def test_what_is_honest_is_left_in_peace(name, tmp_path):
    assert find_alarms(HONEST[name](Random(name)), tmp_path) == set()
