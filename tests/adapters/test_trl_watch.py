"""Trainers of TRL, watched: the training stays the same to the last bit, and what is planted in it is found."""

from __future__ import annotations

import random
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny_language import language_trainer, offline, saved_model
from weaklink.base.evidence.rollout import COLLECTED, UPDATED, Rollout
from weaklink.base.finding import Finding
from weaklink.judge.rules._registry import find_rule, load_rules_on

offline()

pytestmark = [
    pytest.mark.skipif(find_spec("trl") is None, reason="needs trl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def find_kind(name: str) -> Any:
    """A trainer of TRL, or one with a fault: loading TRL takes seconds, which only those who train with it spend."""
    return getattr(import_module("tests.adapters.trl_trainers"), name)


def watch(trainer, watcher):
    return import_module("weaklink.adapters.trl.watch").watch(trainer, watcher)


class Recorder:
    """Takes whatever it is told, and lets every fault through."""

    def __init__(self, last=3):
        self.stop, self.config, self.context = False, {}, {}
        self.last, self.asked = last, []
        self.rollouts, self.rows, self.parts = [], [], []
        self.save = None

    def attempt(self, part, work):
        self.parts.append(part)
        return work()

    def looks(self, update):
        self.asked.append(update)
        return update <= self.last

    def measures(self, update=None):
        return True

    def take(self, rollout):
        self.rollouts.append(rollout)

    def metrics(self, step, numbers):
        self.rows.append((step, dict(numbers)))

    def on_failure(self, save):
        self.save = save

    def looked(self, moment=COLLECTED):
        return [rollout for rollout in self.rollouts if rollout.moment == moment]


class Deaf(Recorder):
    """A watcher whose every part fails."""

    def attempt(self, part, work):
        return None


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    threads, fast = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(threads)
    torch.backends.mkldnn.enabled = fast


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    return saved_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def forgetful(tmp_path_factory) -> Path:
    return saved_model(tmp_path_factory.mktemp("dropout"), dropout=0.2)


def trained(kind, model, output, *, watcher=None, change=None, **settings):
    """A finished training: its trainer, watched if a watcher is given."""
    trainer = language_trainer(find_kind(kind), model, output, **settings)
    if change is not None:
        change(trainer)
    detach = None if watcher is None else watch(trainer, watcher)
    trainer.train()
    if detach is not None:
        detach()
    return trainer


def left_behind(trainer):
    """The weights, and where all random generators stand."""
    weights = {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}
    numpys = np.random.get_state()[1].tolist()  # noqa: NPY002
    return weights, (random.getstate(), numpys, torch.get_rng_state().tolist())


def findings(watcher):
    answers = [
        (rule.code, answer)
        for rollout in watcher.rollouts
        for rule in load_rules_on(Rollout).values()
        if isinstance(answer := rule.ask(rollout), Finding | tuple)
    ]
    return [(code, finding.message) for code, finding in answers]


def answer_of(code, watcher):
    """What a rule says of the first look."""
    return find_rule(code).ask(watcher.looked()[0])


WHOLE = pytest.mark.whole

ACCUMULATED = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "steps_per_generation": 4}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("GRPOTrainer", {}),
        ("GRPOTrainer", {"beta": 0.1, "num_iterations": 2}),
        ("GRPOTrainer", ACCUMULATED),
        ("RLOOTrainer", {}),
    ],
    ids=["grpo", "grpo with a reference", "grpo in parts", "rloo"],
)
def test_watching_changes_nothing(kind, settings, model, tmp_path):
    alone = left_behind(trained(kind, model, tmp_path, **settings))
    watcher = Recorder()
    watched = left_behind(trained(kind, model, tmp_path, watcher=watcher, **settings))
    assert all(torch.equal(alone[0][name], tensor) for name, tensor in watched[0].items())
    assert watched[1] == alone[1]
    assert len(watcher.looked()) == min(3, len(watcher.asked))
    assert findings(watcher) == []


def test_dropout_is_drawn_as_without_watching(forgetful, tmp_path):
    alone = left_behind(trained("GRPOTrainer", forgetful, tmp_path, beta=0.1))
    watcher = Recorder()
    watched = left_behind(trained("GRPOTrainer", forgetful, tmp_path, beta=0.1, watcher=watcher))
    assert all(torch.equal(alone[0][name], tensor) for name, tensor in watched[0].items())
    assert watched[1] == alone[1]
    assert watcher.looked()[0].sampler.floor > 1e-3
    assert findings(watcher) == []


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("GRPOTrainer", {"seed": 1, "temperature": 0.7, "max_completion_length": 16}),
        pytest.param("GRPOTrainer", {"seed": 2, "scale_rewards": "batch", "loss_type": "dr_grpo"}, marks=WHOLE),
        ("GRPOTrainer", {"seed": 3, "scale_rewards": "none", "loss_type": "bnpo", "mask_truncated_completions": True}),
        pytest.param("GRPOTrainer", {"seed": 4, "bf16": True, "beta": 0.05}, marks=WHOLE),
        ("GRPOTrainer", {"seed": 5, "top_k": 5, "top_entropy_quantile": 0.5, "max_completion_length": 16}),
        ("GRPOTrainer", {"seed": 6, "importance_sampling_level": "sequence", "num_iterations": 2, "warmup_steps": 2}),
        ("RLOOTrainer", {"seed": 7, "normalize_advantages": True, "reward_clip_range": (0.0, 4.0)}),
        pytest.param("RLOOTrainer", {"seed": 8, "beta": 0.0, "num_generations": 8, "num_iterations": 2}, marks=WHOLE),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_sound_training_raises_nothing(kind, settings, model, tmp_path):
    watcher = Recorder(last=9)
    trained(kind, model, tmp_path, watcher=watcher, **settings)
    assert findings(watcher) == []
    assert all(rollout.groups is not None and rollout.tokens is not None for rollout in watcher.looked())
    hidden = settings.get("mask_truncated_completions")
    assert hidden or all(rollout.sampler is not None and rollout.sampler.mask.any() for rollout in watcher.looked())


def test_what_a_look_holds(model, tmp_path):
    watcher = Recorder()
    trained("GRPOTrainer", model, tmp_path, watcher=watcher, beta=0.1, num_iterations=2, max_steps=6)
    first, *later = watcher.looked()
    assert (first.step, first.update, first.framework, first.algorithm) == (0.0, 1, "trl", "grpo")
    assert first.family == "language"
    assert np.array_equal(first.groups.prompts, np.repeat([0, 1], 4))
    assert first.groups.scale == "group"
    assert np.abs(first.reference.kl).max() < 1e-9
    assert all(rollout.reference is None for rollout in later)
    assert np.abs(first.probabilities.stored - first.probabilities.fresh).max() < 1e-5
    moved = watcher.looked(UPDATED)[0].movement
    assert moved.learning_rate == pytest.approx(1e-3)
    assert all(each.changed > 0 and each.reached and each.in_optimizer for each in moved.parameters)


def test_a_batch_without_a_better_answer_need_not_move_anything(model, tmp_path):
    def constant(completions, **_):
        return [1.0] * len(completions)

    watcher = Recorder()
    trained("GRPOTrainer", model, tmp_path, watcher=watcher, reward=constant, beta=0.1, max_steps=2)
    assert watcher.looked(UPDATED) == []
    assert findings(watcher) == []


def test_numbers_are_told_by_the_vocabulary(model, tmp_path):
    watcher = Recorder(last=0)
    trained("GRPOTrainer", model, tmp_path, watcher=watcher)
    assert watcher.rollouts == []
    assert watcher.parts == ["log of TRL"] * len(watcher.parts)
    step, row = watcher.rows[0]
    assert step == 1.0
    assert {"reward.mean", "optimizer.gradient_norm", "task.truncated_fraction", "exploration.entropy"} <= set(row)
    assert "reward.component.small_numbers" in row
    assert (watcher.config["num_generations"], watcher.config["algo"]) == (4, "grpo")
    assert watcher.context["framework"] == "trl"


def test_a_watcher_stops_the_training_and_knows_how_to_save(model, tmp_path):
    watcher = Recorder(last=0)

    def stop_after_two(trainer):
        step = trainer.training_step

        def training_step(*arguments, **named):
            watcher.stop = trainer.state.global_step == 1
            return step(*arguments, **named)

        trainer.training_step = training_step

    trainer = trained("GRPOTrainer", model, tmp_path / "run", watcher=watcher, change=stop_after_two, max_steps=20)
    assert trainer.state.global_step == 2
    watcher.save(str(tmp_path / "saved"))
    assert (tmp_path / "saved" / "model.safetensors").is_file()


def test_detaching_leaves_the_trainer_as_it_was(model, tmp_path):
    trainer = language_trainer(find_kind("GRPOTrainer"), model, tmp_path)
    own = trainer._compute_loss
    trainer._compute_loss = own
    before, callbacks = dict(trainer.__dict__), list(trainer.callback_handler.callbacks)
    detach = watch(trainer, Recorder())
    assert trainer._compute_loss is not own
    detach()
    detach()
    assert trainer.__dict__ == before
    assert trainer.callback_handler.callbacks == callbacks


def test_a_watcher_that_fails_does_no_harm(model, tmp_path):
    alone = left_behind(trained("GRPOTrainer", model, tmp_path))
    watched = left_behind(trained("GRPOTrainer", model, tmp_path, watcher=Deaf()))
    assert all(torch.equal(alone[0][name], tensor) for name, tensor in watched[0].items())


def test_only_trainers_of_these_kinds_are_watched(model, tmp_path):
    watches = import_module("weaklink.adapters.trl.watch").watches
    assert watches(language_trainer(find_kind("RLOOTrainer"), model, tmp_path))
    assert not watches(object())


@pytest.mark.parametrize(
    ("kind", "code", "said", "settings"),
    [
        ("Mixed", "LLM204", "grouped by their position in the batch", {}),
        ("SpreadOfTheBatch", "LLM204", "divided by the standard deviation of the whole batch", {}),
        ("PromptsLearned", "LLM203", "prompt tokens", {}),
        ("PaddingLearned", "LLM203", "padding tokens", {"max_completion_length": 24}),
        ("EndsLeftOut", "LLM203", "EOS tokens that the model generated", {"max_completion_length": 24}),
        ("Untempered", "LLM201", "the trainer's are those without the temperature of 0.6", {"temperature": 0.6}),
        ("RawEngine", "LLM201", "the sampler's are those without the temperature of 0.6", {"temperature": 0.6}),
    ],
)
def test_what_is_planted_is_found(kind, code, said, settings, model, tmp_path):
    watcher = Recorder()
    trained(kind, model, tmp_path, watcher=watcher, max_steps=1, **settings)
    assert said in answer_of(code, watcher).message
    assert {found for found, _ in findings(watcher)} == {code}


def test_completions_mixed_under_leave_one_out_are_found(model, tmp_path):
    watcher = Recorder()
    trained("MixedToo", model, tmp_path, watcher=watcher, max_steps=1)
    assert "grouped by their position in the batch" in answer_of("LLM204", watcher).message


@pytest.mark.parametrize("kind", ["GRPOTrainer", "RLOOTrainer"])
def test_another_reference_is_found(kind, model, tmp_path):
    other = saved_model(tmp_path / "other", seed=5)

    def exchange(trainer):
        from safetensors.torch import load_file

        trainer.ref_model.load_state_dict(load_file(other / "model.safetensors"))

    watcher = Recorder()
    trained(kind, model, tmp_path / "run", watcher=watcher, change=exchange, beta=0.1, max_steps=1)
    assert answer_of("LLM205", watcher).message.startswith("The KL to the reference is ")
    assert {code for code, _ in findings(watcher)} == {"LLM205"}


def test_positions_that_padding_moves_are_found(tmp_path):
    """TRL gives the model no positions, so that padding on the left moves those of a model that learned them."""
    model = saved_model(tmp_path / "model", learned_positions=True)
    watcher = Recorder()
    trained("GRPOTrainer", model, tmp_path / "run", watcher=watcher, max_steps=1)
    assert "rows carry all of it, so look at their padding and positions" in answer_of("LLM201", watcher).message


def with_a_tool(prompts, trainer):
    """Writes each completion as a model with a tool would: three words, two of the tool, three words."""
    draw = random.Random(0)
    return {
        "prompt_ids": [trainer.processing_class(prompt)["input_ids"] for prompt in prompts],
        "completion_ids": [[draw.randrange(3, 20) for _ in range(8)] for _ in prompts],
        "logprobs": None,
        "env_mask": [[1, 1, 1, 0, 0, 1, 1, 1] for _ in prompts],
    }


@pytest.mark.parametrize("kind", ["GRPOTrainer", "ToolsLearned"])
def test_what_a_tool_wrote_is_told_apart(kind, model, tmp_path):
    def change(trainer):
        trainer.rollout_func = with_a_tool

    watcher = Recorder()
    trained(kind, model, tmp_path, watcher=watcher, change=change, max_steps=1)
    planted = [("LLM203", "The loss includes 16 of 16 tool output tokens.")]
    assert findings(watcher) == ([] if kind == "GRPOTrainer" else planted)


def test_an_evaluation_is_no_update(model, tmp_path):
    from tests.tiny_language import prompts

    trainer = language_trainer(find_kind("GRPOTrainer"), model, tmp_path, max_steps=2, per_device_eval_batch_size=4)
    watcher = Recorder()
    detach = watch(trainer, watcher)
    trainer.evaluate(prompts(1))
    assert watcher.asked == []
    assert "evaluation.return" in watcher.rows[-1][1]
    trainer.train()
    detach()
    assert watcher.asked == [1, 2]
