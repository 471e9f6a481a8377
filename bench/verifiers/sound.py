"""Verifiers without a hole, in several styles, with habits that are none: bonuses, partial credit, strict forms."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from fractions import Fraction


def _box(text):
    """What stands in the last box, brackets counted."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth, begin = 0, start + len("\\boxed{")
    for place in range(begin, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            if depth == 0:
                return text[begin:place]
            depth -= 1
    return None


def _value(text):
    """A number with or without separators, unit, fraction or per cent; None for anything else."""
    bare = text.strip().strip("$\"'").rstrip(".").replace("−", "-").replace("{,}", "").replace(",", "")
    bare = re.sub(r"\\d?frac\{(-?\d+)\}\{(\d+)\}", r"\1/\2", bare)
    bare = re.sub(r"\\text\{\s*[a-z ]*\}|\s+[a-z]+$", "", bare).strip()
    found = re.fullmatch(r"([-+]?\d{1,12}(?:\.\d{1,12})?)(?:/(\d{1,12}))?\s*(%|\\%)?", bare)
    if not found or (found.group(2) and int(found.group(2)) == 0):
        return None
    value = Fraction(found.group(1)) / int(found.group(2) or 1)
    return value / 100 if found.group(3) else value


def maths_with_units(completions, answer, **columns):
    """TRL with chat: the last box, as an exact number."""
    scores = []
    for completion, right in zip(completions, answer, strict=True):
        boxed = _box(completion[0]["content"])
        value = None if boxed is None else _value(boxed)
        scores.append(float(value is not None and value == _value(right)))
    return scores


def maths_with_format_bonus(completions, solution, **columns):
    """TRL: a fifth for the tags, the rest for the answer."""
    scores = []
    for text, right in zip(completions, solution, strict=True):
        found = re.fullmatch(r"\s*<think>.*?</think>\s*<answer>(.*?)</answer>\s*", text, re.DOTALL)
        value = None if found is None else _value(found.group(1))
        scores.append(0.2 * (found is not None) + 0.8 * (value is not None and value == _value(right)))
    return scores


async def exact(completion, answer):
    """Plain and async: to the letter, but for blanks at the ends."""
    return completion.strip() == str(answer)


def words_without_points(data_source, solution_str, ground_truth, extra_info=None):
    """verl: the last tags, compared without case, articles and punctuation."""

    def bare(text):
        kept = re.sub(r"[^\w\s]", "", text.lower())
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    found = re.findall(r"<answer>(.*?)</answer>", solution_str, re.DOTALL)
    return float(bool(found) and bare(found[-1]) == bare(ground_truth))


def shorter_is_better(completions, answer, **columns):
    """TRL with chat: right answers get less the longer they are, wrong ones cost less the longer they are."""
    scores = []
    for completion, right in zip(completions, answer, strict=True):
        text = completion[0]["content"]
        long, boxed = min(len(text) / 1000, 1.0), _box(text)
        scores.append(1.0 - 0.5 * long if boxed is not None and boxed.strip() == right else -1.0 + 0.5 * long)
    return scores


def plus_and_minus(data_source, solution_str, ground_truth, extra_info=None):
    """verl: one for right, minus one for wrong, nothing for no answer."""
    found = re.findall(r"^#### *(.+?) *$", solution_str.rstrip(), re.MULTILINE)
    if not found:
        return {"score": 0.0, "extracted": False}
    return {"score": 1.0 if found[-1].replace(",", "") == ground_truth else -1.0, "extracted": True}


def last_line_choice(prompt, completion, answer):
    """Plain: the last line is 'Answer: X' and nothing else."""
    lines = completion.strip().splitlines()
    found = re.fullmatch(r"Answer: ([A-J])", lines[-1].strip()) if lines else None
    return 1.0 if found and found.group(1) == answer else 0.0


def last_number(completion, answer):
    """Plain: the last number of a reply that ends with it, within one per cent."""
    found = re.search(r"(?:^|[\s$])([-+]?\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?)\$?\.?$", completion.strip())
    if found is None:
        return 0.0
    try:
        return float(math.isclose(float(found.group(1).replace(",", "")), float(answer), rel_tol=0.01))
    except ValueError:
        return 0.0


def same_set(completion, answer):
    """Plain: the same items in any order."""
    return float({item.strip() for item in completion.split(",")} == {item.strip() for item in str(answer).split(",")})


RUNNER = """
import json, sys
request = json.loads(sys.stdin.readline())
results = sys.stdout
sys.stdout = sys.stderr
space = {}
answers = []
try:
    exec(request["code"], space)
    for arguments in request["calls"]:
        answer = space[request["name"]](*arguments)
        answers.append(answer if type(answer) in (int, float, str, bool, list) else None)
finally:
    results.write(request["token"] + json.dumps(answers))
"""


def code_by_tests(completions, tests, entry_point, **columns):
    """TRL: calls in a process of their own, results compared out here; each test pays its share."""
    return [
        _passed(text, json.loads(json.dumps(pairs)), name)
        for text, pairs, name in zip(completions, tests, entry_point, strict=True)
    ]


def _passed(text, pairs, name):
    found = re.search(r"```(?:python)?\n(.*?)```", text, re.DOTALL)
    if found is None:
        return 0.0
    token = "8f2b-results:"
    request = {"code": found.group(1), "name": name, "calls": [arguments for arguments, _ in pairs], "token": token}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", RUNNER], input=json.dumps(request) + "\n", capture_output=True, text=True,
            timeout=5, check=False,
        )  # fmt: skip
        answers = json.loads(done.stdout.partition(token)[2])
    except (subprocess.TimeoutExpired, ValueError):
        return 0.0
    right = sum(type(one) is type(other) and one == other for one, (_, other) in zip(answers, pairs, strict=False))
    return right / len(pairs)


def code_by_output(data_source, solution_str, ground_truth, extra_info=None):
    """verl: whole programmes, fed and read line by line."""
    found = re.findall(r"```(?:python)?\n(.*?)```", solution_str, re.DOTALL)
    wanted = json.loads(ground_truth)
    if not found:
        return 0.0
    for given, output in zip(wanted["inputs"], wanted["outputs"], strict=True):
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", found[-1]],
                input=given,
                capture_output=True,
                text=True,
                timeout=5,
                check=False,
            )
        except (subprocess.TimeoutExpired, ValueError):
            return 0.0
        if done.returncode != 0 or done.stdout.split() != output.split():
            return 0.0
    return 1.0
