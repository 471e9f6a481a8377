"""After an audit: judges samples, the curves beside them and the verifier as one training."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import STYLE, Samples
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import LOW, Finding, Level
from weaklink.judge.diagnosis.by_kind import ask_by_kind
from weaklink.judge.diagnosis.causes import (
    SURE,
    PlacedFinding,
    fold_consequences,
    order_findings,
    place_finding,
    place_proof,
)
from weaklink.judge.diagnosis.diagnosis import Diagnosis, MetricWish, Verdict
from weaklink.judge.diagnosis.engine import (
    RuleAnswers,
    ask_rules,
    find_first_break,
    list_checked,
    list_proven,
)
from weaklink.judge.diagnosis.engine import list_wishes as wishes_of_logs
from weaklink.judge.diagnosis.health import PAIR, is_health_shown
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule

LOG, BASELINE = "--run LOG", "--baseline SAMPLES"

FIELDS = {
    "outcome": ("gold", "the true outcome of each row, judged by something that training does not see"),
    "gold": ("gold", "the true outcome of each row, judged by something that training does not see"),
    "human_score": ("human_score", "what a human gave, from 0 to 1; a few hundred rows are enough"),
    "success": ("success", "whether the task was done, true or false"),
    "reward": ("reward", "what was paid for each row"),
    "reward_not_finite": ("reward", "what was paid for each row"),
    "reward.": ("rewards", "each component of the reward by its name"),
    "step": ("step", "the training step at which each row was sampled"),
    "group": ("group", "the same word for all completions of one draw of a prompt"),
    "prompt": ("prompt", "what was asked"),
    "length": ("response_len", "tokens of each completion"),
    "truncated": ("finish_reason", "`length` where the cap cut a completion off, else `stop`"),
    "unsafe_prompt": ("prompt_kind", "`unsafe` where the prompt asks for something unsafe"),
    "unsafe": ("unsafe", "whether a completion is unsafe, as a classifier or a human says"),
    "chosen_quality": ("chosen", "with `rejected`: the two completions of a preference pair"),
    **dict.fromkeys(
        ("same_pair", "longer_chosen", "first_won", "pair", "pair_side"),
        ("chosen", "with `rejected`: the two completions of a preference pair"),
    ),
    "rejected_quality": ("chosen", "with `rejected`: the two completions of a preference pair"),
    "advantage": ("advantage", "as the trainer worked it out"),
    "difficulty": ("difficulty", "how hard each prompt is, as a number"),
    "kl": ("kl", "the distance of each completion to the reference"),
    "refusal": ("completion", "the text itself"),
    "repetition": ("completion", "the text itself"),
    "answer": ("completion", "the text itself"),
    "claims_success": ("completion", "the text itself"),
    "overrun": ("completion", "the text itself"),
    "other_language": ("prompt", "what was asked"),
    "unfilled_prompt": ("prompt", "what was asked"),
    "addresses_judge": ("completion", "the text itself"),
    "dodges_tests": ("completion", "the text itself"),
    "garbled": ("completion", "the text itself"),
    "gibberish": ("completion", "the text itself"),
    "padding": ("completion", "the text itself"),
    "leaves_reasoning": ("completion", "the text itself"),
    "agrees": ("completion", "the text itself"),
    f"{STYLE}praise": ("completion", "the text itself"),
    f"{STYLE}hedges": ("completion", "the text itself"),
    "sampler_gap": ("logprobs", "with `rollout_logprobs`: log-probabilities of the trainer and of the sampler"),
    "trains_on_prompt": ("loss_mask", "with `prompt_length` and `response_len`: which tokens are trained on"),
    "grading_failed": ("verifier_status", "what the grader said of itself: `ok`, or why it failed"),
    "mixed_template": ("prompt", "what was asked"),
    "cut_prompt": ("prompt", "what was asked"),
    "copied": ("prompt", "what was asked"),
    "stuffing": ("prompt", "what was asked"),
    "hides_answer": ("answer", "the right answer, as plain text"),
    "declared_size": ("num_generations", "how many completions each group has"),
    "weighted_reward": ("reward_weights", "with `rewards`: the weight of each component"),
    "offered_tools": ("allowed_tools", "the names of the tools that may be called"),
    "malformed_calls": ("allowed_tools", "the schemas of the tools that may be called"),
    "gives_reference": ("answer", "the right answer, as plain text"),
    "out_of_turns": ("max_turns", "the limit on the turns of a trajectory"),
    "touches_grading": (
        "steps",
        "the calls of tools with `tool`, `args`, `result` and `ok`, or `messages` in chat form",
    ),
    "passes_over_result": ("steps", "the calls of tools with their results, or `messages` in chat form"),
    "text": ("completion", "the text itself"),
    "foreign_prompt": ("prompt", "what was asked"),
    "asks_percent": ("prompt", "what was asked"),
    **dict.fromkeys(
        ("chosen_broken", "rejected_broken", "chosen_words", "rejected_words"),
        ("chosen", "with `rejected`: the two completions of a preference pair"),
    ),
    **dict.fromkeys(
        ("lookup", "lookup_result", "first_call", "first_result"),
        ("steps", "the calls of tools with their results, or `messages` in chat form"),
    ),
    **dict.fromkeys(("task", "prompt_length"), ("prompt", "what was asked")),
    "start": ("initial_state", "with `final_state`: the state of the environment before and after"),
    "end": ("final_state", "with `initial_state`: the state of the environment after and before"),
    "paid_again": ("step_rewards", "what each step was paid"),
    **dict.fromkeys(
        (
            "several_answers",
            "unevaluated",
            "abstains",
            "answer_stated",
            "answer_missing",
            "options",
            "option_gap",
            "empty_fields",
        ),
        ("answer", "the right answer, as plain text"),
    ),
    "kind": ("data_source", "where the prompt comes from, or of what kind it is"),
    "stated_grade": ("judge_output", "what the judge wrote, with the grade that it states"),
    "reference_gap": ("ref_logprobs", "with `logprobs`: log-probabilities of the reference and of the policy"),
    "masked_tail": ("loss_mask", "with `logprobs`: which tokens of the completion are trained on"),
    "trains_on_results": ("messages", "with `loss` in each message: whether it is trained on"),
    "outcome_repeated": ("steps", "with `reward`: what each step was paid"),
    "reference": ("answer", "the right answer, as plain text"),
    "policy_version": ("policy_version", "the training step of the weights that sampled each row"),
    "longest_loop": ("steps", "the calls of tools with `tool`, `args`, `result` and `ok`, or `messages` in chat form"),
    "invented_results": ("messages", "the trajectory in chat form, results in messages of the tool"),
    "asks_again": ("messages", "the conversation in chat form"),
    "turns": ("steps", "the calls of tools with `tool`, `args`, `result` and `ok`, or `messages` in chat form"),
    "tool_calls": ("steps", "the calls of tools with `tool`, `args`, `result` and `ok`, or `messages` in chat form"),
    "path": ("steps", "the calls of tools with `tool`, `args`, `result` and `ok`, or `messages` in chat form"),
    "failed_calls": ("steps", "with `ok`, which says whether a call went well"),
    "illegal_calls": ("allowed_tools", "the names of the tools that may be called"),
    "state_changed": ("final_state", "with `initial_state`: the state of the environment after and before"),
    "state_reached": ("expected_state", "with `final_state`: what the state should be when the task is done"),
    "cost": ("cost", "money, seconds or tokens that each row took"),
    "baseline": (BASELINE, "samples from before training, to compare with"),
}
"""What a rule lacks, the field of a row (or the option) that would supply it, and what belongs there."""


TRAJECTORY = ("turns", "tool_calls", "state_reached", "state_changed")
COMPARED = (*PAIR, "longer_chosen", "first_won", "chosen_broken")
"""Columns that only trajectories and only preference pairs have: rules on these are not asked about anything else."""


def judge_samples(
    samples: Samples | None,
    log: Run | None = None,
    verifier: VerifierCheck | None = None,
    settings: RuleSettings | None = None,
    *,
    overlap: Overlap | None = None,
    whole: bool = True,
) -> Diagnosis:
    """Every finding in the order in which the loop broke, consequences under their cause.

    Args:
        samples: what was sampled, with its curves; None where only a verifier is judged.
        log: the run of a log, where there is one: then all rules on runs are asked, else those on language models.
        verifier: what a reward function did with degenerate answers and with right ones.
        settings: which rules to ask and with which thresholds.
        overlap: what the training and the evaluation rows have in common, where the samples hold both.
        whole: whether everything was read that was given; what was stopped is never called healthy.
    """
    chosen = settings or RuleSettings()
    curves = None if samples is None else samples.run
    evidence = _collect_evidence(samples, log, verifier, overlap)
    made_of_samples = log is None
    asked = _drop_unfit_rules(chosen, log, evidence)
    answers = ask_rules(asked, evidence, "language", closest=made_of_samples)
    if samples is not None:
        answers.fired.extend(ask_by_kind(samples, asked, answers))
    proofs = []
    if log is not None:
        proofs = [place_proof(finding, rule, log) for rule, finding in list_proven(log, chosen)]
        answers.clean.extend(list_checked(log, chosen))
    placed = [
        _place_finding(_fill_experiment(finding, samples, verifier), rule, samples) for rule, finding in answers.fired
    ]
    findings = tuple(fold_consequences(order_findings([*proofs, *placed])))
    verdict = _decide_verdict(findings, answers, samples, log)
    return Diagnosis(
        target=_write_target(samples, verifier),
        verdict=verdict if whole or verdict is Verdict.BROKEN else Verdict.UNCLEAR,
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
        wishes=list_sample_wishes(answers.blind, log, samples),
        unknown_keys=() if log is None else tuple(key for key in log.unknown if key not in log.unused),
        notes=(*(() if samples is None else samples.notes), *(() if curves is None else curves.notes)),
        framework="" if log is None else log.framework,
        steps=0.0 if curves is None else curves.last_step,
    )


def _collect_evidence(
    samples: Samples | None, log: Run | None, verifier: VerifierCheck | None, overlap: Overlap | None
) -> Mapping[type, Any]:
    """What there is to judge; hyper-parameters only where a log gives them."""
    evidence: dict[type, Any] = {}
    if samples is not None:
        evidence |= {Samples: samples, Run: samples.run or Run(name=samples.name)}
    if log is not None:
        evidence[Config] = log.config
    if verifier is not None:
        evidence[VerifierCheck] = verifier
    if overlap is not None:
        evidence[Overlap] = overlap
    return evidence


def _drop_unfit_rules(settings: RuleSettings, log: Run | None, evidence: Mapping[type, Any]) -> RuleSettings:
    """The settings without rules that have nothing to say of what there is."""
    rules = settings.rules(evidence)
    return RuleSettings(frozenset(rule.code for rule in rules if _fits(rule, log, evidence)), settings.thresholds)


def _fits(rule: Rule, log: Run | None, evidence: Mapping[type, Any]) -> bool:
    """Whether a rule is for this: for language models where there is no log, and for this kind of sample."""
    if log is None and rule.of != "language" and Run in rule.reads and Samples not in rule.reads:
        return False
    seen = rule.pick(evidence)
    if not all(map(rule.missing, seen)):
        return True
    needs = {name for need in rule.needs for name in ((need,) if isinstance(need, str) else need)}
    only = TRAJECTORY if rule.code.startswith("AGT") else COMPARED if needs & set(COMPARED) else ()
    return not only or any(name in evidence[Samples] for name in only if Samples in evidence)


def _place_finding(finding: Finding, rule: Rule, samples: Samples | None) -> PlacedFinding:
    """Where in training it began. What a verifier was seen to pay for is proof, and was wrong before training."""
    if VerifierCheck in rule.reads:
        return PlacedFinding(finding, rule, SURE, SURE, finding.severity >= Level.WARN and finding.confidence > LOW)
    if samples is None or samples.run is None:
        return PlacedFinding(finding, rule, SURE, SURE)
    metric = finding.evidence[0].metric if finding.evidence else ""
    if finding.onset is None or metric in samples.run or "step" not in samples:
        return place_finding(finding, rule, samples.run)
    first, last = float(np.nanmin(samples["step"])), float(np.nanmax(samples["step"]))
    reach = max(last - first, 1e-12)
    after = (finding.onset - first) / reach
    return PlacedFinding(finding, rule, after, after + finding.onset_within / reach)


def _fill_experiment(finding: Finding, samples: Samples | None, verifier: VerifierCheck | None) -> Finding:
    """The finding with the experiment spelled for these samples and this verifier, fit to be copied."""
    spelled = finding.verify
    if samples is not None and samples.source:
        spelled = spelled.replace("weaklink audit SAMPLES", f"weaklink audit {shlex.quote(samples.source)}")
    if verifier is not None:
        spelled = spelled.replace("--verifier MODULE:FUNCTION", f"--verifier {shlex.quote(verifier.name)}")
    return msgspec.structs.replace(finding, verify=spelled)


def _write_target(samples: Samples | None, verifier: VerifierCheck | None) -> str:
    if samples is not None:
        return samples.source or samples.name
    return "" if verifier is None else verifier.name


def _decide_verdict(
    findings: tuple[Finding, ...], answers: RuleAnswers, samples: Samples | None, log: Run | None
) -> Verdict:
    """Healthy needs rules enough that found nothing, and something that says whether what is paid is really good.

    An outcome says so, scores of both sides of preference pairs, or many rewards that the rules could judge by the
    texts that they were given for.

    A verifier alone is healthy when it was attacked and nothing came of it.
    """
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    if samples is None:
        whole = answers.clean and not answers.blind and not answers.unable
        return Verdict.HEALTHY if whole and not findings else Verdict.UNCLEAR
    learns = log is None or log.performance is None or log.performance.improved
    return Verdict.HEALTHY if learns and not findings and is_health_shown(samples, answers) else Verdict.UNCLEAR


def list_sample_wishes(
    blind: Mapping[str, tuple[str, ...]], log: Run | None, samples: Samples | None = None
) -> tuple[MetricWish, ...]:
    """The fields that would let most rules judge first; a log where none was given; then what to log in it.

    What the rows say already is no wish: a rule that could not judge with it lacks something else.
    """
    unlocked: dict[tuple[str, str], list[str]] = defaultdict(list)
    curves = []
    for code, missing in blind.items():
        name = _pick_first(missing)
        if samples is not None and (name in samples or FIELDS.get(name, ("",))[0] in samples):
            continue
        if name in FIELDS:
            unlocked[FIELDS[name]].append(code)
        elif log is None and all("." in name for name in missing):
            curves.append(code)
    if curves:
        unlocked[LOG, "the log of the training beside its samples"] = curves
    found = [MetricWish(field, tuple(codes), how) for (field, how), codes in unlocked.items()]
    more = () if log is None else wishes_of_logs(dict(blind), "language")
    return tuple(sorted([*found, *more], key=lambda wish: -len(wish.unlocks)))


def _pick_first(missing: Iterable[str]) -> str:
    """The one thing that is lacking, of alternatives the first; nothing where several things are."""
    names = tuple(missing)
    return names[0].partition(" or ")[0].partition(":")[0] if len(names) == 1 else ""
