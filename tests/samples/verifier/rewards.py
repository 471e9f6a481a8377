"""Reward functions in every style, for the tests."""

from __future__ import annotations

import os
import re
import time

import numpy as np


def trl_strings(completions, answer, **columns):
    return [float(text.strip() == right) for text, right in zip(completions, answer, strict=True)]


def trl_chat(prompts, completions, solution, **columns):
    assert all(prompt[0]["role"] == "user" for prompt in prompts)
    texts = [re.findall(r"<answer>(.*?)</answer>", each[0]["content"], re.DOTALL)[-1:] for each in completions]
    return [float([right] == [one.strip() for one in text]) for text, right in zip(texts, solution, strict=True)]


def trl_array(completions, answer, **columns):
    return np.asarray(trl_strings(completions, answer), np.float32)


async def trl_async(completions, ground_truth, **columns):
    return trl_strings(completions, ground_truth)


def verl(data_source, solution_str, ground_truth, extra_info=None):
    assert extra_info["split"] == "train"
    found = re.findall(r"#### (.+)", solution_str)
    return {"score": float(bool(found) and found[-1].strip() == ground_truth), "acc": 1}


def verl_batch(data_sources, solution_strs, ground_truths, extra_infos):
    return [float(text.strip() == right) for text, right in zip(solution_strs, ground_truths, strict=True)]


def plain(completion, answer):
    return completion.strip() == answer, "with a reason"


def plain_the_other_way(gold, prediction):
    return np.int64(prediction.strip() == gold)


def with_a_prompt(question, response, target):
    assert question.endswith("?") or "\n" in question
    return response.strip() == target


class Made:
    def __call__(self, completion, answer):
        return completion.strip() == answer


def not_applicable(completions, answer, **columns):
    return [
        None if not text.strip() else float(text.strip() == right)
        for text, right in zip(completions, answer, strict=True)
    ]


def with_columns(completions, answer, unit, **columns):
    return [float(text.strip() == f"{right} {one}") for text, right, one in zip(completions, answer, unit, strict=True)]


def hangs_when_empty(completion, answer):
    if not completion:
        time.sleep(60)
    return completion.strip() == answer


def dies_when_empty(completion, answer):
    if not completion:
        os._exit(7)
    return completion.strip() == answer


def takes_all_memory(completion, answer):
    if not completion:
        return len(bytearray(4 * 1024**3))
    return completion.strip() == answer


def prints(completion, answer):
    print('[{"score": 1.0}]')
    return completion.strip() == answer


def always_raises(completion, answer):
    raise RuntimeError("no judge at this address")


def says_good(completion, answer):
    return "good"


number = 3
