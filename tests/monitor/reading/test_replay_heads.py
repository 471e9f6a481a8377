"""What losses on replayed rows ask for: action values, critics that are climbed, value distributions."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.monitor.reading.replay import ALPHA, GAMMA, Replayed, learn_atoms, learn_dqn, learn_quantiles, learn_sac
from weaklink.base.evidence.recovered import NOTHING, OWN_NEXT, TERMINAL
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.base.reference.densities import squashed_log_prob
from weaklink.collect.monitor.reading.action_values import OneStepFit, find_moved, fit_one_step
from weaklink.collect.monitor.reading.atoms import AtomRows, AtomTargets, fit_targets
from weaklink.collect.monitor.reading.climbing import find_climb, fit_log_prob_weight
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.state_values import HUBER, SQUARE
from weaklink.collect.monitor.reading.value_distributions import find_blocks, fit_atoms, fit_quantiles


def join_answers(made: Replayed, head: str) -> np.ndarray:
    return np.concatenate([answer.outputs for answer in made.reading.answers if answer.head == head]).astype(float)


def read_dqn(made: Replayed, double: bool) -> tuple[np.ndarray, OneStepFit | None]:
    joined, tape = join_calls(made.reading.of_head("online")), made.tape
    moved, index = find_moved(joined.asked), np.arange(len(joined.rows))
    ahead = join_answers(made, "slow")
    following = {"max": ahead.max(1), "min": ahead.min(1)}
    if double:
        following["double"] = ahead[index, join_answers(made, "online").argmax(1)]
    ended = (tape.terminated | tape.truncated)[joined.rows]
    parts = joined.outputs[index, moved], joined.asked[index, moved], tape.rewards[joined.rows], ended
    return moved == tape.actions[joined.rows, 0], fit_one_step(*parts, following)


@pytest.mark.parametrize(("loss", "weight"), [("huber", 1.0), ("mse", 2.0)])
@pytest.mark.parametrize("double", [False, True])
def test_targets_of_action_values(loss: str, weight: float, double: bool) -> None:
    made = learn_dqn(loss, double)
    right_entry, fit = read_dqn(made, double)
    assert right_entry.all()
    assert fit is not None
    assert fit.source in (("double", "min") if double else ("max",))
    assert (fit.weight, fit.gamma) == pytest.approx((weight, GAMMA), rel=1e-3)
    assert fit.loss == {"huber": HUBER, "mse": SQUARE}[loss]
    targets = np.concatenate(made.targets)
    known = np.isfinite(fit.targets)
    assert known.mean() > (0.99 if loss == "mse" else 0.2)
    assert np.all(np.abs(fit.targets - targets)[known] < 1e-3 * targets.std())


def test_rows_at_ends_show_what_they_are_pulled_towards() -> None:
    made = learn_dqn("mse", fault="ends ignored")
    _, fit = read_dqn(made, False)
    assert fit is not None
    assert fit.gamma == pytest.approx(GAMMA, abs=1e-3)
    ended, targets = made.tape.terminated[np.concatenate(made.rows)], np.concatenate(made.targets)
    known = ended & np.isfinite(fit.targets)  # the largest gradient of all may be at the limit of a Huber loss
    assert known.sum() > 5
    assert known.sum() >= ended.sum() - 1
    assert fit.targets[known] == pytest.approx(targets[known], abs=1e-3 * float(targets.std()))


def test_the_entry_of_another_action_shows() -> None:
    assert not read_dqn(learn_dqn("mse", fault="other action"), False)[0].any()


@cache
def sac(soft: bool = True, fault: str = "") -> Replayed:
    return learn_sac(soft=soft, fault=fault)


def read_critic(made: Replayed, soft: bool) -> OneStepFit | None:
    calls = [call for call in made.reading.of_head("critic0") if find_climb(call.gradients) is None]
    joined, tape = join_calls(calls), made.tape
    first, second = (join_answers(made, f"slow{i}")[:, 0] for i in range(2))
    log_probs = None
    if soft:
        out = join_answers(made, "actor")
        drawn = np.concatenate([a.inputs[:, 3:] for a in made.reading.answers if a.head == "slow0"]).astype(float)
        log_probs = squashed_log_prob(np.arctanh(drawn), out[:, :1], np.exp(out[:, 1:]))
    following = {"min": np.minimum(first, second), "mean": (first + second) / 2, "first": first}
    ended = (tape.terminated | tape.truncated)[joined.rows]
    rewards = tape.rewards[joined.rows]
    return fit_one_step(joined.outputs[:, 0], joined.asked[:, 0], rewards, ended, following, log_probs)


@pytest.mark.parametrize("soft", [True, False])
def test_targets_of_twin_critics(soft: bool) -> None:
    made = sac(soft)
    fit = read_critic(made, soft)
    assert fit is not None
    assert fit.source == "min"
    assert (fit.weight, fit.gamma) == pytest.approx((2.0, GAMMA), rel=1e-3)
    assert fit.soft == (pytest.approx(ALPHA, rel=1e-2) if soft else None)
    targets = np.concatenate(made.targets)
    assert np.mean(np.abs(fit.targets - targets) < 1e-3 * targets.std()) >= 0.99


def test_actors_climb_the_smaller_critic_or_the_first() -> None:
    shares = {}
    for soft, fault, weight in ((True, "", -1.0), (False, "", -1.0), (True, "descends", 1.0)):
        reading = sac(soft, fault).reading
        for head in ("critic0", "critic1"):
            climbs = [find_climb(call.gradients * len(call.rows)) for call in reading.of_head(head)]
            found = [each for each in climbs if each is not None]
            assert all(each.weight == pytest.approx(weight, rel=1e-4) for each in found)
            shares[soft, head] = np.mean([each.share for each in found]) if found else 0.0
    assert shares[True, "critic0"] + shares[True, "critic1"] == pytest.approx(1.0)
    assert (shares[False, "critic0"], shares[False, "critic1"]) == (1.0, 0.0)


def test_the_weight_of_the_log_probability() -> None:
    reading = sac().reading
    joined = join_calls(reading.of_head("actor"))
    climbed = [call for call in reading.of_head("critic0") if find_climb(call.gradients) is not None]
    drawn = np.arctanh(np.concatenate([call.inputs[:, 3:] for call in climbed]).astype(float))
    found = fit_log_prob_weight(joined.outputs[:, :1], drawn, joined.asked[:, :1], joined.asked[:, 1:])
    assert found is not None
    assert found[0] == pytest.approx(ALPHA, rel=1e-3)
    assert found[1] < 1e-3


def test_atoms_of_a_categorical_distribution() -> None:
    made = learn_atoms()
    joined = join_calls(made.reading.of_head("online"))
    blocks = find_blocks(joined.asked, 2)
    assert blocks is not None
    assert np.all(blocks.moved == made.tape.actions[joined.rows, 0])
    index = np.arange(len(joined.rows))
    own, asked = (blocks.shape(each)[index, blocks.moved] for each in (joined.outputs, joined.asked))
    fit = fit_atoms(own, asked)
    assert fit is not None
    assert fit.weight == pytest.approx(1.0, rel=1e-3)
    assert fit.targets == pytest.approx(np.concatenate(made.targets), abs=1e-3)
    assert fit.valid == 1.0


def test_actions_may_be_the_inner_axis() -> None:
    joined = join_calls(learn_quantiles().reading.of_head("online"))
    other = joined.asked.reshape(len(joined.rows), 2, -1).swapaxes(1, 2).reshape(len(joined.rows), -1)
    plain, turned = find_blocks(joined.asked, 2), find_blocks(other, 2)
    assert plain is not None
    assert turned is not None
    assert (plain.last, turned.last) == (False, True)
    assert np.array_equal(plain.moved, turned.moved)
    assert find_blocks(np.ones((50, 8)), 2) is None


def test_quantiles() -> None:
    made = learn_quantiles()
    joined, tape = join_calls(made.reading.of_head("online")), made.tape
    index, taken = np.arange(len(joined.rows)), tape.actions[joined.rows, 0]
    shape = (len(index), 2, -1)
    ahead = join_answers(made, "slow").reshape(shape)
    best = ahead[index, ahead.mean(2).argmax(1)]
    ended = (tape.terminated | tape.truncated)[joined.rows]
    own, asked = (each.reshape(shape)[index, taken] for each in (joined.outputs, joined.asked))
    fit = fit_quantiles(own, asked, tape.rewards[joined.rows], ended, best, np.array([0.9, 0.96, 0.99, 1.0]))
    assert fit is not None
    assert fit[0] == pytest.approx(GAMMA, abs=2e-3)
    assert fit[1] == pytest.approx(1.0 / 16, rel=1e-2)
    assert fit[2] < 1e-2


@pytest.mark.parametrize("learn", [learn_atoms, learn_quantiles])
@pytest.mark.parametrize("fault", ["", "ends ignored"])
def test_discount_and_ends_of_value_distributions(learn: Callable[..., Replayed], fault: str) -> None:
    (found,) = recover_update(learn(fault=fault).reading, {}).update.values
    assert found.gamma == pytest.approx(GAMMA, abs=1e-4)
    assert found.source == "max"
    goes_on = OWN_NEXT if fault else NOTHING
    assert [(end.place, end.goes_on_with) for end in found.ends] == [(TERMINAL, goes_on)]


def test_targets_of_atoms_follow_rewards_of_any_size() -> None:
    random = np.random.default_rng(0)
    chances, following = (random.dirichlet(np.full(31, 0.3), 200) for _ in range(2))
    rewards = random.normal(0.0, 2.0, 200)
    # a support from -10 to 20: each atom is 1, so that the middle lies at 5
    right = AtomTargets(0.9, 1.0, -0.1 * 5.0)
    asked = random.uniform(0.5, 2.0, (200, 1)) * (chances - right.project(rewards, following))
    line, left = fit_targets(AtomRows(chances, asked, rewards, following))
    assert (line.gamma, line.slope, line.offset) == pytest.approx((0.9, 1.0, -0.5), abs=1e-3)
    assert left < 1e-3
    other, left = fit_targets(AtomRows(chances, asked, rewards, following[::-1]))
    assert left > 0.1, other


def forget_rows(reading: UpdateReading, share: float) -> UpdateReading:
    """An update of whose rows so many are on no tape."""
    random = np.random.default_rng(0)
    calls = [
        replace(call, rows=np.where(random.random(len(call.rows)) < share, UNMATCHED, call.rows))
        for call in reading.calls
    ]
    return replace(reading, calls=tuple(calls))


def test_rows_that_a_trainer_makes_up_do_not_tell_which_action_was_taken() -> None:
    """Relabelled goals make rows that are on no tape, and a few that look like others which are."""
    reading = learn_dqn("mse", fault="other action").reading
    (whole,) = recover_update(reading, {}).update.values
    assert whole.other > 0.9
    for made in (reading, learn_atoms().reading, learn_quantiles().reading):
        (found,) = recover_update(forget_rows(made, 0.8), {}).update.values
        assert (found.compared, found.other) == (0, 0.0)


def test_next_values_of_the_rows_that_something_follows_are_those_of_all() -> None:
    """As in the tutorial of PyTorch: the target network is asked about next observations that are not None."""
    made = learn_dqn("mse", fault="masked")
    (found,) = recover_update(made.reading, {}).update.values
    assert (found.gamma, found.source) == (pytest.approx(GAMMA, abs=1e-3), "max")
    assert [(end.place, end.goes_on_with) for end in found.ends] == [(TERMINAL, NOTHING)]
    targets = np.concatenate(made.targets)
    assert found.targets is not None
    known = np.isfinite(found.targets)
    assert known.mean() > 0.99
    assert found.targets[known] == pytest.approx(targets[known], abs=1e-3 * float(targets.std()))
