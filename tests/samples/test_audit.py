"""The whole of an audit on real files: what is read, what is judged with what, and what is refused."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import weaklink
from tests.curves import run_of
from tests.samples.files import sums, written
from weaklink import audit
from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.auditing import BASELINE, LOG, judge_samples, list_sample_wishes
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.verbs.audit import AuditOptions
from weaklink.verbs.audit import audit as audit_with


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("samples")
    written(place / "padded.jsonl", sums(padded=True))
    written(place / "honest.jsonl", sums())
    return place


@pytest.fixture(scope="module")
def padded(folder):
    return audit(folder / "padded.jsonl")


def codes(result) -> set[str]:
    return {finding.code for finding in result.diagnosis.findings if finding.severity >= Level.WARN}


def test_a_hacked_training_is_named(padded):
    assert padded.diagnosis.verdict is Verdict.BROKEN
    assert "LLM302" in codes(padded)
    assert padded.diagnosis.unable == {}
    assert padded.diagnosis.target.endswith("padded.jsonl")
    assert padded.diagnosis.steps == 190.0
    assert padded.samples.run["task.completion_length"].last_step == 190.0


def test_an_honest_one_is_not_accused(folder):
    result = audit(folder / "honest.jsonl")
    assert codes(result) == set(), [one.message for one in result.diagnosis.findings]
    assert result.diagnosis.unable == {}
    assert result.diagnosis.verdict is Verdict.HEALTHY


def test_consequences_stand_under_their_cause(padded):
    first = padded.diagnosis.first_break
    roots = [one for one in padded.diagnosis.findings if one.consequence_of is None and one.severity >= Level.WARN]
    assert roots[0].code == first.code
    assert all(
        one.consequence_of in {root.code for root in roots} for one in padded.diagnosis.findings if one.consequence_of
    )


def test_only_rules_for_language_models_are_asked_without_a_log(padded):
    diagnosis = padded.diagnosis
    asked = {*diagnosis.clean, *diagnosis.blind, *(one.code for one in diagnosis.findings)}
    assert {code[:3] for code in asked} <= {"LLM", "AGT"}


def test_a_log_brings_its_rules_and_its_curves(folder):
    steps = np.arange(200.0)
    log = run_of({"policy.kl_reference": 0.01 + steps * 1e-4, "optimizer.gradient_norm": np.ones(200)})
    result = audit(folder / "padded.jsonl", run=log)
    diagnosis = result.diagnosis
    asked = {*diagnosis.clean, *diagnosis.blind, *(one.code for one in diagnosis.findings)}
    assert {"OPT300", "LLM310"} & asked == {"OPT300", "LLM310"}
    assert "policy.kl_reference" in result.samples.run
    assert "task.completion_length" in result.samples.run
    assert "LLM302" in codes(result)


def test_a_baseline_is_there_to_compare_with(folder):
    early = [row for row in sums(padded=True, seed=5) if row["step"] == 0]
    result = audit(folder / "padded.jsonl", baseline=written(folder / "before.jsonl", early))
    assert result.samples.baseline.rows == len(early)
    assert "baseline" in result.samples


def test_settings_reach_the_rules(folder):
    only = audit(folder / "padded.jsonl", select=["LLM302"])
    assert codes(only) == {"LLM302"}
    assert only.diagnosis.asked == 1
    lax = audit(folder / "padded.jsonl", select=["LLM302"], thresholds={"LLM302": {"factor": 50.0, "strength": 1.0}})
    assert codes(lax) == set()


def test_rows_that_cannot_be_read_are_counted_and_named(tmp_path):
    rows = [*sums(steps=3), '{"completion": "x", "reward": "much"}', "no JSON", '{"reward": 1}']
    result = audit(written(tmp_path / "some.jsonl", rows))
    assert result.faulty == 3
    assert len(result.samples.faults) == 3
    assert "reward must be a number" in result.samples.faults[0]
    assert result.samples.rows == len(rows) - 3


def test_fields_that_mean_nothing_are_told(tmp_path):
    result = audit(written(tmp_path / "some.jsonl", [{"completion": "a", "reward": 1, "colour": "red"}]))
    assert result.samples.unknown == ("colour",)
    assert result.diagnosis.verdict is Verdict.UNCLEAR


def test_a_folder_is_read_as_one(tmp_path):
    rows = sums(steps=4)
    written(tmp_path / "dump" / "10.jsonl", rows[:50])
    written(tmp_path / "dump" / "20.jsonl", rows[50:])
    assert audit(tmp_path / "dump").samples.rows == len(rows)


@pytest.mark.parametrize("content", ["", "\n\n", "just words\nand more\n", "[]", '{"loss": 1}\n', "\x00\x01\x02"])
def test_what_holds_no_samples_is_wrong_use(tmp_path, content):
    file = tmp_path / "odd.jsonl"
    file.write_text(content)
    with pytest.raises(WeaklinkError, match=r"odd\.jsonl"):
        audit(file)


def test_what_cannot_be_asked_for(tmp_path):
    with pytest.raises(UsageError, match="Give SAMPLES"):
        audit()
    with pytest.raises(UsageError, match="--run is read beside samples"):
        audit(verifier="x:y", run="log")
    with pytest.raises(UsageError, match="--baseline is read beside samples"):
        audit(verifier="x:y", baseline="before")
    with pytest.raises(UsageError, match="--cases FILE is for"):
        audit(Samples.of(reward=[1.0]), cases="cases")
    with pytest.raises(WeaklinkError, match=r"missing\.jsonl"):
        audit(tmp_path / "missing.jsonl")


def test_the_same_seed_gives_the_same(folder):
    first, second = audit(folder / "honest.jsonl", seed=3), audit(folder / "honest.jsonl", seed=3)
    assert first.samples.random == second.samples.random
    assert first.tables == second.tables
    assert audit(folder / "honest.jsonl", seed=4).samples.random != first.samples.random


def test_what_was_read_until_it_was_stopped_is_judged(tmp_path):
    file = written(tmp_path / "long.jsonl", sums(steps=60))
    told = []

    @contextmanager
    def after_a_while():
        yield lambda: len(told) > 1

    result = audit_with(AuditOptions(samples=file), lambda stage, rows: told.append((stage, rows)), after_a_while)
    assert result.stopped
    assert result.samples.rows == 1000
    assert result.diagnosis.verdict is not Verdict.HEALTHY
    assert told == [("samples", 0), ("samples", 1000)]
    assert "Stopped after 1,000 rows" in result.diagnosis.notes[-1]


def test_the_public_name_does_the_same(folder):
    result = weaklink.audit(folder / "padded.jsonl", select=["LLM302"])
    assert isinstance(result, weaklink.Audited)
    assert codes(result) == {"LLM302"}
    assert weaklink.audit(result.samples, ignore=["LLM302"]).diagnosis.findings is not None


# -- judging


def test_wishes_name_fields_options_and_the_log():
    found = list_sample_wishes(
        {
            "LLM301": ("human_score",),
            "LLM306": ("outcome",),
            "LLM311": ("gold or human_score",),
            "LLM310": ("policy.kl_reference",),
            "AGT301": ("tool_calls",),
            "X": ("baseline",),
            "Y": ("reward", "gold"),
        },
        None,
    )
    unlocked = {wish.metric: wish.unlocks for wish in found}
    assert unlocked["human_score"] == ("LLM301",)
    assert set(unlocked["gold"]) == {"LLM306", "LLM311"}
    assert unlocked[LOG] == ("LLM310",)
    assert unlocked[BASELINE] == ("X",)
    assert "Y" not in [code for codes in unlocked.values() for code in codes]
    assert found[0].metric == "gold"


def test_what_is_there_already_is_no_wish():
    assert list_sample_wishes({"LLM301": ("reward",)}, None, Samples.of(reward=[1.0])) == ()
    assert list_sample_wishes({"LLM301": ("reward",)}, None, Samples.of(gold=[1.0]))[0].metric == "reward"


def test_every_column_that_a_rule_needs_has_its_field():
    from weaklink.base.evidence.samples import COMPONENT
    from weaklink.judge.diagnosis.auditing import FIELDS
    from weaklink.judge.rules._registry import load_rules_on

    for rule in load_rules_on(Samples).values():
        needs = rule.samples if rule.samples is not None else rule.needs
        for need in needs:
            name = need if isinstance(need, str) else need[0]
            assert name in FIELDS or name.startswith(COMPONENT), f"{rule.code} needs {name}"


def test_healthy_needs_something_that_says_what_is_good(folder):
    samples = audit(folder / "honest.jsonl").samples

    def judge_without(*names):
        left = {name: column for name, column in samples.numbers.items() if name not in names}
        return judge_samples(replace(samples, numbers=left)).verdict

    # many rewards that rules could judge by their texts; nothing about them; a reward that is known of few rows
    assert judge_without("gold", "answer_right") is Verdict.HEALTHY
    assert judge_without("gold", "answer_right", "reward") is Verdict.UNCLEAR
    few = np.where(np.arange(len(samples)) % 4 == 0, samples["reward"], np.nan)
    rare = replace(samples, numbers={**samples.numbers, "gold": few * np.nan, "reward": few})
    assert judge_samples(rare).verdict is Verdict.UNCLEAR


@pytest.mark.parametrize(("last", "verdict"), [(0.9, Verdict.HEALTHY), (0.45, Verdict.UNCLEAR)])
def test_healthy_needs_an_outcome_that_keeps_pace_with_the_reward(folder, last, verdict):
    samples = audit(folder / "honest.jsonl").samples
    rng, progress = np.random.default_rng(0), samples["step"] / samples["step"].max()
    gold = (rng.random(len(samples)) < 0.3 + (last - 0.3) * progress).astype(float)
    reward = 0.4 * gold + 0.6 * np.clip(0.1 + 0.8 * progress + rng.normal(0.0, 0.1, len(samples)), 0.0, 1.0)
    left = {name: column for name, column in samples.numbers.items() if not name.startswith("reward.")}
    left.pop("answer_right", None)
    made = replace(samples, numbers={**left, "gold": gold, "reward": reward}, run=None)
    assert judge_samples(made).verdict is verdict


def test_rows_that_are_nearly_all_paid_the_same_are_not_called_healthy(folder):
    samples = audit(folder / "honest.jsonl").samples
    rare = np.where(np.arange(len(samples)) % 20 == 0, 1.0, 0.0)
    made = replace(samples, numbers={**samples.numbers, "reward": rare, "gold": rare}, run=None)
    assert judge_samples(made).verdict is not Verdict.HEALTHY


def test_an_empty_verifier_check_is_unclear():
    diagnosis = judge_samples(None, None, VerifierCheck(name="grader"))
    assert diagnosis.target == "grader"
    assert diagnosis.verdict is Verdict.UNCLEAR


def test_rules_for_agents_and_pairs_are_for_agents_and_pairs(padded):
    def asked(samples: Samples) -> set[str]:
        diagnosis = judge_samples(samples)
        return {*diagnosis.clean, *diagnosis.blind, *(one.code for one in diagnosis.findings)}

    plain = asked(padded.samples)
    assert not any(code.startswith("AGT") for code in plain)
    assert "LLM316" not in plain
    assert "LLM301" in plain
    assert "AGT301" in asked(Samples.of(reward=[1.0] * 9, tool_calls=[2.0] * 9))
    assert "LLM316" in asked(Samples.of(chosen_quality=[1.0] * 9, rejected_quality=[0.0] * 9))


def test_a_log_with_tool_calls_lets_rules_for_agents_judge(folder):
    log = run_of({"action.tool_calls": np.linspace(2, 3, 200), "reward.mean": np.linspace(0, 1, 200)})
    diagnosis = audit(folder / "honest.jsonl", run=log).diagnosis
    assert "AGT301" in {*diagnosis.clean, *diagnosis.blind, *(one.code for one in diagnosis.findings)}


def leaky(completion, answer):
    return 1.0 if str(answer) in completion else 0.0


def test_what_a_verifier_was_seen_to_do_is_proof_and_comes_first(folder):
    result = audit(folder / "padded.jsonl", verifier=leaky, seconds=20)
    first = result.diagnosis.first_break
    assert (first.code, first.step) == ("LLM314", None)
    assert "LLM302" in codes(result)
    told = next(one for one in result.diagnosis.findings if one.code == "LLM314")
    assert "MODULE:FUNCTION" not in told.verify
    assert result.tried
