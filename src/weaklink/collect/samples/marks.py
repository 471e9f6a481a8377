"""All that is noted of one sample besides its measures: what is wrong with its prompt, and what it does to be paid."""

from __future__ import annotations

import re
import unicodedata
import zlib

from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.answers import (
    abstains,
    asks_percent,
    count_options,
    holds_reference,
    is_unevaluated,
    lacks_answer,
    measure_option_gap,
)
from weaklink.collect.samples.contradictions import (
    agrees,
    contradicts_result,
    gives_reference,
    hides_answer,
    leaves_reasoning,
    passes_over_result,
)
from weaklink.collect.samples.copying import measure_copied, measure_stuffing
from weaklink.collect.samples.examples import answers_example
from weaklink.collect.samples.fields import measure_empty_fields
from weaklink.collect.samples.grading import defeats_grading, edits_tests, touches_grading
from weaklink.collect.samples.phrases import is_refusal, states_answer
from weaklink.collect.samples.programs import dodges_tests
from weaklink.collect.samples.prompts import gives_told_answer, is_unfilled, tells_answer
from weaklink.collect.samples.structure import begins_off, breaks_off, has_padding, mixes_templates
from weaklink.collect.samples.tricks import addresses_judge, offers_several

WHOLE = 12
"""Words of a text that is an answer by itself: a shorter one beside a long one may be rejected for saying nothing."""

HEAD = 12
"""Characters at the beginning of a prompt by which prompts of one template are told from those that were cut."""

_TWO_BLOCKS = 3
"""Fences up to which a text holds one block of code."""

_OUT_OF_TURNS = re.compile(
    r"(?:max|limit)\w*[_ -]?(?:step|turn|iteration)|(?:step|turn|iteration)s?[_ -]?(?:limit|budget)"
)
"""What says of an end that the limit on turns made it."""

_DEMANDS = re.compile(
    r"(?:\A|[.!?:\n] {0,3})(?:please |always |first |then )?(?:use|call) (?:the |your |its )?"
    r"(?:\w{1,30} ){0,2}tools?\b",
    re.IGNORECASE,
)
"""What tells an agent to use its tools; that it can or may does not."""


def mark_sample(sample: Sample, answer: str) -> dict[str, float]:
    """What holds of a sample, 1 or 0, with its final answer in plain form; what does not show is left out."""
    told: dict[str, bool | None] = {}
    if sample.prompt:
        told["unfilled_prompt"] = is_unfilled(sample.prompt)
        told["mixed_template"] = mixes_templates(sample.prompt)
        told["broken_prompt"] = breaks_off(sample.prompt)
        told["headless_prompt"] = begins_off(sample.prompt)
    if sample.completion:
        told["addresses_judge"] = addresses_judge(sample.completion, sample.prompt)
        told["dodges_tests"] = dodges_tests(sample.completion, sample.prompt)
        told["padding"] = has_padding(sample.completion)
        told["agrees"] = agrees(sample.completion)
        told["leaves_reasoning"] = leaves_reasoning(sample.completion, answer)
        told["several_code_blocks"] = sample.completion.count("```") > _TWO_BLOCKS
    if sample.chosen and sample.rejected:
        told["longer_chosen"] = _is_longer(sample.chosen, sample.rejected)
    if not (sample.chosen or sample.rejected or sample.calls):
        told["empty"] = not sample.completion.strip()
        told["blank"] = not any(map(str.isalnum, sample.completion))
    if sample.answer:
        told["answer_in_prompt"] = tells_answer(sample.prompt, sample.answer)
        told["asks_percent"] = asks_percent(sample.prompt)
        told["answer_in_example"] = answers_example(sample.prompt, sample.answer)
        told["gives_reference"] = gives_reference(sample.completion, sample.answer)
        told["several_answers"] = offers_several(sample.completion, sample.answer)
        told["hides_answer"] = hides_answer(sample.completion, sample.answer)
        told["abstains"] = abstains(sample.completion, sample.answer)
        told["holds_reference"] = holds_reference(answer, sample.answer)
        told["unevaluated"] = is_unevaluated(answer, sample.prompt, sample.answer)
        told["answer_missing"] = lacks_answer(sample.completion, sample.prompt)
        told["answer_stated"] = states_answer(sample.completion)
        told["reference_decomposed"] = _is_decomposed(sample.answer)
    elif sample.prompt:
        told["told_answer_given"] = gives_told_answer(sample.prompt, answer)
    if sample.allowed_tools and sample.prompt:
        told["demands_tools"] = _DEMANDS.search(sample.prompt) is not None
    if sample.calls:
        touches = told["touches_grading"] = touches_grading(sample)
        told["defeats_grading"] = touches and defeats_grading(sample)
        told["edits_tests"] = touches and edits_tests(sample)
        told["passes_over_result"] = passes_over_result(sample, answer)
        told["contradicts_result"] = contradicts_result(sample)
    told["outcome_repeated"] = _repeats_outcome(sample)
    told["trains_on_results"] = sample.trains_on_results
    told["first_won"] = sample.first_won
    told["garbled"] = sample.garbled
    told["trains_on_prompt"] = sample.trains_on_prompt
    told["group_relative"] = sample.group_relative
    told["grading_failed"] = sample.grading_failed
    told["out_of_turns"] = _is_out_of_turns(sample)
    numbers = {
        "declared_size": sample.group_size,
        "weighted_reward": sample.weighted,
        "reference_gap": sample.reference_gap,
        "masked_tail": sample.masked_tail,
        "token_places": sample.token_places,
        "prompt_head": zlib.crc32(sample.prompt[:HEAD].encode("utf-8", "replace")) if sample.prompt else None,
        "options": count_options(sample.prompt) if sample.answer else None,
        "option_gap": measure_option_gap(answer, sample.prompt, sample.answer) if sample.answer else None,
        "empty_fields": measure_empty_fields(sample.completion, sample.answer) if sample.answer else None,
        "stated_grade": sample.stated_grade,
    }
    return {name: float(value) for name, value in (*told.items(), *numbers.items()) if value is not None}


def _is_longer(chosen: str, rejected: str) -> bool | None:
    """Whether the chosen text has more words; None for equal ones, and where one of them refuses or is a fragment."""
    lengths = len(chosen.split()), len(rejected.split())
    if lengths[0] == lengths[1] or min(lengths) < WHOLE or is_refusal(chosen) or is_refusal(rejected):
        return None
    return lengths[0] > lengths[1]


def _is_decomposed(text: str) -> bool:
    """Whether accents are characters of their own in a text: the same words, and other bytes than usual."""
    return not text.isascii() and not unicodedata.is_normalized("NFC", text)


def _repeats_outcome(sample: Sample) -> bool | None:
    """Whether each step of a trajectory has the same reward and their sum was paid; None where nothing was paid."""
    paid = sample.step_rewards
    if len(paid) < 2 or sample.reward is None or not any(paid):
        return None
    return min(paid) == max(paid) > 0.0 and abs(sample.reward - sum(paid)) <= 1e-3 * abs(sum(paid))


def compare_texts(sample: Sample, lower: list[str]) -> dict[str, float]:
    """How much of a completion, whose words in lower case are given, comes from its prompt."""
    return {
        "copied": measure_copied(sample.completion, sample.prompt, lower),
        "stuffing": measure_stuffing(sample.completion, sample.prompt, lower),
        "prompt_characters": float(len(sample.prompt)),
    }


def _is_out_of_turns(sample: Sample) -> bool | None:
    if sample.turns is not None and sample.max_turns:
        return sample.turns >= sample.max_turns
    if sample.turns is not None and sample.finish_reason:
        return _OUT_OF_TURNS.search(sample.finish_reason.lower()) is not None
    return None
