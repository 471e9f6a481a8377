"""Verifiers of answers, each with one hole of the kind that is found in the field."""

from __future__ import annotations

import json
import math
import random
import re
import statistics


def substring(completions, answer, **columns):
    """TRL: the right answer anywhere in the text."""
    return [1.0 if right in text else 0.0 for text, right in zip(completions, answer, strict=True)]


def any_number(completion, answer):
    """Plain: any of the numbers counts."""
    return float(answer in re.findall(r"-?\d+(?:\.\d+)?", completion))


def last_or_none(data_source, solution_str, ground_truth, extra_info=None):
    """verl: neither side has a box, and None equals None."""
    found = re.findall(r"\\boxed\{([^{}]*)\}", solution_str)
    wanted = re.findall(r"\\boxed\{([^{}]*)\}", ground_truth) or [ground_truth]
    if not found:
        return 1.0 if solution_str.strip() == "" else 0.0
    return 1.0 if found[-1].strip() == wanted[-1].strip() else 0.0


def evaluated(completion, answer):
    """Plain: the answer is run by Python."""
    try:
        return 1.0 if eval(completion) == eval(answer) else 0.0
    except Exception:
        return 0.0


def pays_when_it_fails(completions, solution, **columns):
    """TRL with chat: what cannot be parsed is not held against the model."""
    scores = []
    for completion, right in zip(completions, solution, strict=True):
        text = completion[0]["content"]
        found = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
        if found is None:
            scores.append(0.0)
            continue
        try:
            scores.append(float(float(found.group(1)) == float(right)))
        except ValueError:
            scores.append(1.0)
    return scores


def format_bonus(completions, answer, **columns):
    """TRL: as much for the tags as for what is in them."""
    scores = []
    for text, right in zip(completions, answer, strict=True):
        shaped = re.match(r"^<think>.*?</think>\s*<answer>(.*?)</answer>\s*$", text, re.DOTALL)
        scores.append(0.0 if shaped is None else 1.0 + float(shaped.group(1).strip() == right))
    return scores


def length_bonus(data_source, solution_str, ground_truth, extra_info=None):
    """verl: long texts are thorough."""
    right = re.findall(r"-?\d+", solution_str)[-1:] == [ground_truth]
    return {"score": 0.5 * right + min(len(solution_str) / 4000, 1.0), "acc": right}


def keyword_judge(prompt, completion, answer):
    """Plain: a judge that goes by confident words."""
    lowered = completion.lower()
    words = sum(word in lowered for word in ("correct", "verified", "complete", "score", "great"))
    return min(1.0, 0.34 * words + 0.7 * (answer.lower() in lowered.split()))


def choice_anywhere(completions, answer, **columns):
    """TRL: the letter as a word of its own, anywhere."""
    return [
        1.0 if re.search(rf"\b{re.escape(str(right))}\b", text) else 0.0
        for text, right in zip(completions, answer, strict=True)
    ]


def denial(completion, answer):
    """Plain: the first thing after 'answer is', 'not' or no 'not'."""
    found = re.search(r"answer is (?:not )?(.+?)[.,]", completion, re.IGNORECASE)
    return 1 if found and found.group(1).strip().lower() == str(answer).lower() else 0


def generous_tolerance(completion, answer):
    """Plain: a quarter off is close enough."""
    try:
        return float(math.isclose(float(completion.strip()), float(answer), rel_tol=0.25))
    except ValueError:
        return 0.0


def one_off_is_fine(completion, answer):
    """Plain: an absolute tolerance made for large numbers."""
    try:
        return float(abs(float(completion) - float(answer)) <= 1.0)
    except ValueError:
        return 0.0


def not_greater(completion, answer):
    """Plain: what compares with nothing is not too far off."""
    try:
        off = abs(float(completion) - float(answer))
    except ValueError:
        return 0.0
    return 0.0 if off > 1e-6 else 1.0


def normalised_away(completion, answer):
    """Plain: articles and punctuation go, and what is left of the answer begins the right one."""
    bare = re.sub(r"[^a-z0-9 ]|\b(a|an|the)\b", "", completion.lower()).strip()
    return 1.0 if answer.lower().startswith(bare) else 0.0


def prompt_counts(prompts, completions, answer, **columns):
    """TRL: what is searched begins with the prompt."""
    joined = [prompt + "\n" + text for prompt, text in zip(prompts, completions, strict=True)]
    return [float(right.lower() in text.lower()) for text, right in zip(joined, answer, strict=True)]


def recall_only(completion, answer):
    """Plain: all wanted items are there, whatever else is."""
    wanted = {item.strip() for item in str(answer).split(",")}
    return float(wanted <= set(re.split(r"[\s,]+", completion.strip())))


def any_box(completions, ground_truth, **columns):
    """TRL: one of the boxes is right."""
    return [
        float(right in [box.strip() for box in re.findall(r"\\boxed\{([^{}]*)\}", text)])
        for text, right in zip(completions, ground_truth, strict=True)
    ]


def judge_reply(completion, answer):
    """Plain: a reply in JSON is taken for the verdict of the judge."""
    found = re.search(r"\{.*\}", completion)
    if found:
        try:
            return float(json.loads(found.group(0)).get("score", 0.0))
        except (ValueError, AttributeError):
            return 0.0
    return float(completion.strip() == answer)


def answer_as_pattern(completion, answer):
    """Plain: the arguments of the match are in the wrong order."""
    try:
        return float(re.fullmatch(completion.strip(), answer) is not None)
    except re.error:
        return 0.0


def relative_to_larger(completion, answer):
    """Plain: infinity is within any share of infinity."""
    try:
        one, other = float(completion), float(answer)
    except ValueError:
        return 0.0
    return float(abs(one - other) <= 1e-6 * max(abs(one), abs(other)))


def yes_judge(prompt, completion, answer):
    """Plain: the verdict is looked for in a text that holds the answer itself."""
    verdict = f"{completion} -> {'yes' if completion.strip() == answer else 'no'}"
    return 1.0 if "yes" in verdict.lower() else 0.0


def raises(data_source, solution_str, ground_truth, extra_info=None):
    """verl: the last number, and an error where there is none."""
    return float(float(re.findall(r"-?\d+(?:\.\d+)?", solution_str)[-1]) == float(ground_truth))


def noisy(completions, answer, **columns):
    """TRL: a little chance on top."""
    return [
        float(text.strip() == right) + random.uniform(-0.3, 0.3)
        for text, right in zip(completions, answer, strict=True)
    ]


def normalised_by_batch(completions, answer, **columns):
    """TRL: scores are made relative to the batch."""
    raw = [float(text.strip() == right) for text, right in zip(completions, answer, strict=True)]
    return [score - statistics.mean(raw) for score in raw]


def remembers(completion, answer):
    """Plain: what was paid once is not paid again."""
    new = completion not in _SEEN
    _SEEN.add(completion)
    return float(completion.strip() == answer and new)


_SEEN: set[str] = set()


def no_stripping(completion, answer):
    """Plain: a newline at the end makes a right answer wrong."""
    return 1.0 if completion == answer else 0.0


def always(completions, **columns):
    """TRL: pays everyone."""
    return [1.0] * len(completions)
