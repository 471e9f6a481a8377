"""A GRPO by hand and TRL's on the ladder for language models: right ones pass, planted faults are named."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

from grpo.faults import FAULTS  # noqa: E402
from grpo.loop import Grpo, factory  # noqa: E402
from weaklink import probe  # noqa: E402
from weaklink.base.evidence.outcome import RIGHT  # noqa: E402
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES  # noqa: E402
from weaklink.collect.probes.language.problem import FEW  # noqa: E402
from weaklink.collect.probes.language.trial import run_language_trial  # noqa: E402
from weaklink.judge.diagnosis.diagnosis import Verdict  # noqa: E402

pytestmark = pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")

LOOKS = tuple(each.name for each in LANGUAGE_PROBES if each.effort <= 2 * FEW)
NAMED = {fault.name: fault for fault in FAULTS}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    yield
    torch.set_num_threads(threads)


def planted(fault):
    def made(model, tokenizer, reward, prompts, settings):
        return Grpo(model, tokenizer, reward, prompts, settings, fault)

    made.tools = True
    return made


@pytest.mark.whole
def test_a_right_loop_holds_on_every_rung_that_needs_a_look():
    probed = probe(factory, seeds=1, only=LOOKS)
    assert [rung.name for rung in probed.outcome.rungs] == list(LOOKS)
    assert {rung.verdict for rung in probed.outcome.rungs} == {RIGHT}
    assert probed.diagnosis.verdict is Verdict.HEALTHY


def test_a_right_loop_learns_the_paid_token():
    probed = probe(factory, seeds=1, only=("rewarded-token",))
    assert probed.outcome.rungs[0].verdict == RIGHT


@pytest.mark.parametrize(
    ("name", "rung"),
    [("groups interleaved", "group-advantage"), ("prompt scored", "token-mask"), ("temperature left out", "PRB205")],
)
def test_a_planted_fault_is_named(name, rung):
    probed = probe(planted(name), seeds=2, levels=1, only=(rung,))
    first = probed.diagnosis.findings[0]
    assert first.code == NAMED[name].code
    assert NAMED[name].said in first.message


@pytest.mark.parametrize("error", [KeyError("logits"), SystemExit(3)])
def test_what_a_loop_raises_is_a_finding_with_its_place(error):
    def failing(model, tokenizer, reward, prompts, settings):
        raise error

    first = probe(failing, seeds=1, only=("scored-token",)).diagnosis.findings[0]
    assert first.code == "PRB120"
    assert type(error).__name__ in first.message


def test_a_function_that_trains_in_place_is_enough_and_generators_are_left_alone():
    def at_once(model, tokenizer, reward, prompts, settings):
        factory(model, tokenizer, reward, prompts, settings).train(3)

    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    trial = run_language_trial(at_once, LANGUAGE_PROBES[1], 3, seed=0)
    assert torch.rand(1) == expected
    assert trial.holds


def test_the_last_token_may_be_left_out_of_the_pass():
    class Shorter(Grpo):
        def log_probs(self, model, batch, temperature=None):
            logits = model(input_ids=batch.ids[:, :-1], attention_mask=batch.attention[:, :-1]).logits
            chances = torch.log_softmax(logits / self.settings.temperature, dim=-1)
            return chances.gather(2, batch.ids[:, 1:, None])[..., 0]

    def shorter(model, tokenizer, reward, prompts, settings):
        return Shorter(model, tokenizer, reward, prompts, settings)

    outcome = probe(shorter, seeds=1, only=("scored-token", "token-mask", "group-advantage")).outcome
    assert [rung.verdict for rung in outcome.rungs] == [RIGHT] * 3


def test_a_loop_that_never_learns_from_its_model_is_not_seen():
    def idle(model, tokenizer, reward, prompts, settings):
        return lambda steps: None

    probed = probe(idle, seeds=1, only=("scored-token", "group-advantage"))
    assert not probed.diagnosis.findings
    assert probed.diagnosis.verdict is Verdict.UNCLEAR


@pytest.mark.whole
def test_grpo_of_trl_groups_and_scores_right():
    pytest.importorskip("trl")
    from weaklink.collect.probes.trainers import find_trainer

    names = ("token-mask", "sampling-temperature", "group-advantage")
    trials = [
        run_language_trial(find_trainer("trl:GRPO"), each, 3, 0) for each in LANGUAGE_PROBES if each.name in names
    ]
    assert [trial.failure for trial in trials] == [""] * 3
    assert all(trial.holds for trial in trials)
    assert np.isclose(trials[2].measures[0].measured, 1.0, atol=1e-3)
