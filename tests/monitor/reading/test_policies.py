"""Scored actions, weights and the entropy bonus of a policy's loss, from the gradients of real torch losses."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from tests.monitor.reading.densities import train
from tests.monitor.reading.listening import read_updates
from tests.monitor.reading.ppo import Options, Truth, update
from weaklink.base.evidence.recovered import BETA
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.densities import gaussian_log_prob
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import ChoiceFit, fit_choices, split_choices
from weaklink.collect.monitor.reading.gaussian import fit_gaussian, fit_shared_entropy
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.weights import WeightRows, fit_weights, measure_clip, undo_normalising

CASES = {
    "two choices": Options(),
    "three choices": Options(environment="Acrobot-v1", normalise=False),
    "no bonus": Options(entropy=0.0),
    "sign flipped": Options(fault="sign flipped"),
    "other rows": Options(fault="other rows"),
    "drawn anew": Options(environment="Acrobot-v1", fault="drawn anew"),
    "entropy punished": Options(environment="Acrobot-v1", fault="entropy punished"),
}


def before(reading: UpdateReading) -> np.ndarray:
    """What the actor answered while collecting, by row of the tape."""
    found = [answer for answer in reading.answers if answer.head == "actor"]
    return np.concatenate([answer.outputs for answer in found])[np.argsort(np.concatenate([a.rows for a in found]))]


@cache
def read(name: str) -> tuple[UpdateReading, Truth, JoinedCalls, ChoiceFit, WeightRows]:
    reading, truth = update(CASES[name])
    joined, taken = join_calls(reading.of_head("actor")), reading.tape.actions[:, 0]
    fit = fit_choices(joined.outputs, joined.asked, taken[joined.rows])
    old = log_softmax(before(reading))[joined.rows, taken[joined.rows]]
    parts = (joined.rows, joined.batches, fit.weights, fit.entropy_column, fit.log_probs - old, joined.steps)
    return reading, truth, joined, fit, WeightRows(*parts)


@pytest.mark.parametrize("name", ["two choices", "three choices", "no bonus"])
def test_advantages_entropy_and_clip_range_are_recovered(name: str) -> None:
    reading, truth, _, choices, seen = read(name)
    fit = fit_weights(seen, truth.advantages)
    assert fit is not None
    assert fit.correlation > 0.999
    assert fit.power == 1
    found = undo_normalising(seen, fit, reading.tape.rows)
    known = np.isfinite(found)
    assert known.mean() > 0.7
    assert np.corrcoef(found[known], truth.advantages[known])[0, 1] > 0.999
    bonus = fit.entropy_weight if choices.entropy_weight is None else choices.entropy_weight
    assert bonus == pytest.approx(CASES[name].entropy, abs=1e-4)
    clip = measure_clip(seen, fit.entropy_weight)
    assert clip is not None
    assert clip[0] <= 0.2 <= clip[1]
    assert clip[1] - clip[0] < 0.02


def test_normalised_advantages_have_slopes_of_their_minibatches() -> None:
    _, truth, joined, _, seen = read("two choices")
    fit = fit_weights(seen, truth.advantages)
    assert fit is not None
    spreads = [truth.advantages[joined.rows[joined.batches == each]].std(ddof=1) for each in range(len(fit.slopes))]
    assert fit.slopes == pytest.approx(1.0 / np.array(spreads), rel=1e-3)
    plain = fit_weights(read("three choices")[4], read("three choices")[1].advantages)
    assert plain is not None
    assert plain.slopes == pytest.approx(1.0, rel=1e-3)


def test_the_scored_choice_is_the_taken_one_unless_it_is_drawn_anew() -> None:
    for name, expected in (("three choices", 0.0), ("entropy punished", 0.0)):
        reading, _, joined, fit, _ = read(name)
        assert np.mean(fit.scored != reading.tape.actions[joined.rows, 0]) == expected
        assert fit.unexplained < 1e-4
    reading, _, joined, fit, _ = read("drawn anew")
    assert np.mean(fit.scored != reading.tape.actions[joined.rows, 0]) > 0.4
    assert fit.unexplained > 0.3


def test_a_punished_entropy_has_a_weight_below_zero() -> None:
    assert read("entropy punished")[3].entropy_weight == pytest.approx(-0.01, abs=1e-4)
    assert read("drawn anew")[3].entropy_weight == pytest.approx(0.01, abs=1e-3)


def test_a_flipped_sign_and_the_advantages_of_other_rows_show() -> None:
    _, truth, _, _, seen = read("sign flipped")
    fit = fit_weights(seen, truth.advantages)
    assert fit is not None
    assert fit.correlation < -0.999
    _, truth, _, _, seen = read("other rows")
    fit = fit_weights(seen, truth.advantages)
    assert fit is not None
    assert abs(fit.correlation) < 0.3


def test_means_of_a_gaussian() -> None:
    reading, truth = update(Options(environment="Pendulum-v1"))
    joined, taken = join_calls(reading.of_head("actor")), reading.tape.actions.astype(float)
    std = np.exp(np.stack([each.values for each in reading.parameters]))[joined.steps]
    fit = fit_gaussian(joined.outputs, joined.asked, std, taken[joined.rows])
    old = gaussian_log_prob(taken[joined.rows], before(reading)[joined.rows], std[:1])
    nothing = np.zeros(len(old))
    seen = WeightRows(joined.rows, joined.batches, fit.weights, nothing, fit.log_probs - old, joined.steps)
    explained = fit_weights(seen, truth.advantages)
    assert explained is not None
    assert explained.correlation > 0.999
    first = joined.batches == 0
    z = (taken[joined.rows] - joined.outputs) / std
    gradient = reading.parameters[0].gradient
    assert gradient is not None
    assert fit_shared_entropy(fit.weights[first], z[first], gradient) == pytest.approx(0.01, abs=1e-4)


def ask(outputs: torch.Tensor, loss: torch.Tensor) -> np.ndarray:
    (gradient,) = torch.autograd.grad(loss, outputs)
    return gradient.numpy().astype(float) * len(outputs)


def test_several_choices_masks_and_probabilities() -> None:
    torch.manual_seed(0)
    logits = torch.randn(200, 7, requires_grad=True)
    weights, taken = torch.randn(200), torch.stack([torch.randint(3, (200,)), torch.randint(4, (200,))], 1)
    parts = [torch.distributions.Categorical(logits=part) for part in logits.split([3, 4], 1)]
    score = sum(part.log_prob(taken[:, i]) for i, part in enumerate(parts))
    bonus = sum(part.entropy() for part in parts)
    asked = ask(logits, -(weights * score + 0.02 * bonus).mean())
    pieces = split_choices(asked, 2)
    assert pieces == [slice(0, 3), slice(3, 7)]
    for i, piece in enumerate(pieces):
        fit = fit_choices(logits.detach().numpy()[:, piece], asked[:, piece], taken[:, i].numpy())
        assert fit.weights == pytest.approx(weights.numpy(), abs=1e-4)
        assert fit.entropy_weight == pytest.approx(0.02, abs=1e-4)
    assert split_choices(asked, 3) is None

    logits = torch.randn(200, 6, requires_grad=True)
    mask = torch.rand(200, 6) < 0.7
    mask[:, :3] = True
    chance = torch.distributions.Categorical(logits=logits.masked_fill(~mask, -1e8))
    drawn = chance.sample()
    fit = fit_choices(logits.detach().numpy(), ask(logits, -(weights * chance.log_prob(drawn)).mean()), drawn.numpy())
    assert fit.weights == pytest.approx(weights.numpy(), abs=1e-4)
    assert fit.masked == pytest.approx(float((~mask).float().mean()))
    # normalised before they are masked, as MaskablePPO does: rounding leaves a little at masked entries
    chance = torch.distributions.Categorical(logits=logits.log_softmax(1).masked_fill(~mask, -1e8))
    asked = ask(logits, -(weights * chance.log_prob(drawn) + 0.05 * chance.entropy()).mean())
    fit = fit_choices(logits.detach().numpy(), asked, drawn.numpy())
    assert fit.weights == pytest.approx(weights.numpy(), abs=1e-4)
    assert fit.entropy_weight == pytest.approx(0.05, abs=1e-4)

    chances = torch.softmax(torch.randn(200, 5), 1).requires_grad_()
    spread = torch.distributions.Categorical(probs=chances)
    drawn = spread.sample()
    asked = ask(chances, -(weights * spread.log_prob(drawn) + 0.05 * spread.entropy()).mean())
    fit = fit_choices(chances.detach().numpy().astype(float), asked, drawn.numpy())
    assert fit.weights == pytest.approx(weights.numpy(), abs=1e-3)
    assert fit.entropy_weight == pytest.approx(0.05, abs=1e-3)


def test_a_log_std_of_each_row_and_clipped_actions() -> None:
    torch.manual_seed(1)
    out = torch.randn(300, 6, requires_grad=True)
    mean, log_std = out.split(3, 1)
    chance = torch.distributions.Independent(torch.distributions.Normal(mean, log_std.exp()), 1)
    drawn, weights = chance.sample(), torch.randn(300)
    asked = ask(out, -(weights * chance.log_prob(drawn) + 0.03 * chance.entropy()).mean())
    given = drawn.clamp(-2.0, 2.0).numpy().astype(float)
    numbers = out.detach().numpy().astype(float)
    fit = fit_gaussian(numbers[:, :3], asked[:, :3], np.exp(numbers[:, 3:]), given, asked[:, 3:])
    assert fit.unexplained is not None
    assert fit.unexplained < 1e-4
    assert 0.2 < fit.inside.mean() < 0.9
    assert fit.weights[fit.inside] == pytest.approx(weights.numpy()[fit.inside], abs=1e-3)
    assert fit.entropy_weight == pytest.approx(0.03, abs=1e-3)
    other = fit_gaussian(numbers[:, :3], asked[:, :3], np.exp(numbers[:, 3:]), np.roll(given, 1, axis=0))
    assert other.unexplained is not None
    assert other.unexplained > 0.3


def test_a_row_or_two_of_each_minibatch_explain_nothing() -> None:
    random = np.random.default_rng(0)
    rows = np.arange(80)
    nothing = np.zeros(80)
    for size in (1, 2):
        seen = WeightRows(rows, rows // size, random.normal(size=80), nothing, nothing, rows // size)
        assert fit_weights(seen, random.normal(size=80)) is None


@pytest.mark.parametrize(("kind", "exact"), [("beta", 1e-5), ("beta one head", 1e-5), ("beta exp", 1e-4)])
def test_a_beta_distribution_tells_weights_bonus_and_clip_range(kind: str, exact: float) -> None:
    (policy,) = recover_update(read_updates(lambda: train(kind))[1], {}).update.policies
    assert policy.kind == BETA
    assert policy.correlation == pytest.approx(1.0, abs=1e-6)
    assert policy.entropy_weight == pytest.approx(0.01, abs=exact)
    assert policy.clip_range is None or policy.clip_range[0] <= 0.2 <= policy.clip_range[1]


def test_a_bonus_that_dimensions_disagree_about_is_not_known() -> None:
    rng = np.random.default_rng(0)
    weights, z = rng.normal(size=64), rng.normal(size=(64, 2))
    asked = -np.mean(weights[:, None] * (z**2 - 1.0), axis=0) - 0.01
    assert fit_shared_entropy(weights, z, asked) == pytest.approx(0.01)
    assert fit_shared_entropy(weights, z, asked + np.array([0.0, 0.004])) is None
    assert fit_shared_entropy(weights, z, asked + 0.01) == pytest.approx(0.0, abs=1e-12)


def test_rows_that_are_taken_for_the_same_few_steps_say_nothing_of_the_scored_choices() -> None:
    """Of a batch that was collected in many environments only a few steps were heard."""
    reading = read("three choices")[0]
    calls = tuple(replace(call, rows=np.where(call.rows >= 0, call.rows % 14, -1)) for call in reading.calls)
    policies = [recover_update(one, {}).update.policies for one in (reading, replace(reading, calls=calls))]
    assert [[policy.compared > 0 for policy in each] for each in policies] == [[True], []]


def test_a_policy_that_is_sure_of_its_choices_tells_of_no_bonus():
    random = np.random.default_rng(0)
    advantages = random.normal(0.0, 3.0, 160)
    rounding = random.normal(0.0, 3e-7, 160)
    rows, none = np.arange(160), np.zeros(160)
    for column, told in ((random.normal(0.0, 1e-4, 160), None), (random.normal(0.0, 0.3, 160), 0.0)):
        seen = WeightRows(rows, rows // 10, advantages + rounding, column, none, none.astype(int))
        fit = fit_weights(seen, advantages, (0,))
        assert fit is not None
        assert fit.entropy_weight == told
