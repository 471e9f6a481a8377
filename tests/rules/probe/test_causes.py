"""Whether the right link is blamed: each known mistake climbs the ladder until its first broken rung."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.outcomes import acting, agent, climbed, joined, mistaken, one_of_five, probed, rung, valued
from weaklink.base.evidence.outcome import RIGHT, UNDECIDED, WRONG, Outcome
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.base.reference.backups import MISTAKES
from weaklink.collect.probes.catalogue import ALL_PROBES, find_probe
from weaklink.collect.probes.probe import CONTINUOUS
from weaklink.judge.rules._registry import find_rule

VALUE_RUNGS = [probe.title for probe in ALL_PROBES if "value" in probe.world.asked]
FORMS = {
    "discrete": [title for title in VALUE_RUNGS if find_probe(title).acts != CONTINUOUS],
    "continuous": [title for title in VALUE_RUNGS if find_probe(title).acts == CONTINUOUS],
}
UNSEEN_BY_VALUES = {"time limit taken for a terminal": "TimeLimit", "discounted twice": "DelayedReward"}
SHOWN_BY_NO_VALUE = ("reward clipped",)


def first_break(mistake: str, titles: list[str], noise: float) -> tuple[str, Finding] | None:
    """Climbs with what a mistake learns until a rung is wrong: its title, and what its rule says."""
    rungs = []
    for title in titles:
        rungs.append(rung(title, mistaken(mistake, noise=noise)))
        if rungs[-1].verdict == WRONG:
            return title, find_rule(rungs[-1].code).ask(climbed(*rungs))
    return None


def blamed(mistake: str, title: str) -> set[Link]:
    """The links of a mistake and of those that no value on this rung tells from it."""
    predicted = probed(title).world.values(0.9)[1]
    twins = [name for name in MISTAKES if np.allclose(predicted[name], predicted[mistake], atol=0.05, equal_nan=True)]
    return {MISTAKES[name].link for name in twins}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mistake", [name for name in MISTAKES if name not in SHOWN_BY_NO_VALUE])
def test_each_mistake_blames_its_link_at_its_first_broken_rung(mistake, form):
    broken = first_break(mistake, FORMS[form], noise=0.01)
    assert broken is not None
    title, finding = broken
    assert finding.link in blamed(mistake, title), f"{title}: {finding.message}"
    assert MISTAKES[mistake].told in finding.message


@pytest.mark.parametrize("mistake", UNSEEN_BY_VALUES)
def test_some_mistakes_spare_all_rungs_but_one(mistake):
    title, _ = first_break(mistake, FORMS["discrete"], noise=0.0)
    assert title == UNSEEN_BY_VALUES[mistake]


def test_clipped_rewards_show_in_what_is_done_and_not_in_values_of_one():
    assert all(first_break(mistake, FORMS["discrete"], noise=0.0) is None for mistake in SHOWN_BY_NO_VALUE)
    world = find_probe("LargeRewards").world
    rewards = [world.law(0, choice)[0].reward for choice in (0, 1)]
    assert np.ptp(np.clip(rewards, -1, 1)) == 0.0


@pytest.mark.parametrize(("noise", "floor"), [(0.0, 1.0), (0.03, 0.9), (0.06, 0.8)])
def test_most_are_named_rightly_in_noise(noise, floor):
    told = [first_break(mistake, titles, noise) for mistake in MISTAKES for titles in FORMS.values()]
    names = [mistake for mistake in MISTAKES for _ in FORMS]
    judged = [(name, *found) for name, found in zip(names, told, strict=True) if found]
    right = [finding.link in blamed(name, title) for name, title, finding in judged]
    assert len(judged) >= 2 * (len(MISTAKES) - 1)
    assert np.mean(right) >= floor


@pytest.mark.parametrize("title", VALUE_RUNGS)
def test_on_a_rung_alone_the_mistake_or_its_twin_is_named(title):
    for mistake in MISTAKES:
        outcome = climbed(rung(title, mistaken(mistake, noise=0.0)))
        if outcome.rungs[0].verdict == RIGHT:
            continue
        finding = ask(outcome)
        assert finding.link in blamed(mistake, title), finding.message


def test_a_rung_that_holds_clears_the_mistakes_that_would_have_broken_it():
    half = valued(lambda state: (-0.45, 0.45)[state])
    assert "its answers are half" in ask(climbed(rung("ObservedReward", half))).message
    assert "its answers are half" not in ask(climbed(rung("ConstantReward"), rung("ObservedReward", half))).message


def test_the_commonest_of_mistakes_that_look_alike_is_named_first():
    finding = ask(climbed(rung("ConstantReward", mistaken("mask inverted", noise=0.0))))
    assert finding.message.index("through a terminal") < finding.message.index("nowhere else")


def ask(outcome: Outcome) -> Finding:
    return find_rule(outcome.rungs[-1].code).ask(outcome)


DISCRETE_PATTERNS = {
    "the sign of the loss": (0, {"late": 0.03}, Link.POLICY),
    "never updated": (0, {"early": 0.5, "late": 0.52}, Link.OPTIMIZER),
    "never updated, drawn askew": (0, {"early": 0.3, "late": 0.31}, Link.OPTIMIZER),
    "flattened": (1, {"early": 0.6, "late": 0.7}, Link.POLICY),
    "nothing tried": (0, {"early": 0.0, "late": 0.0, "first_choice": 1.0}, Link.EXPLORATION),
    "another agent handed over": (0, {"late": 0.98}, Link.EVALUATION),
}


@pytest.mark.parametrize("pattern", DISCRETE_PATTERNS)
def test_what_is_done_says_whom_to_blame(pattern):
    action, behaviour, link = DISCRETE_PATTERNS[pattern]
    assert ask(climbed(rung("TwoActions", acting(lambda state: action), **behaviour))).link is link


def of_the_first(outcome: Outcome) -> Finding:
    """What is said of the first rung; those after it were climbed to tell its causes apart."""
    return find_rule(outcome.rungs[0].code).ask(outcome)


@pytest.mark.parametrize("title", ["TwoActions", "TwoActionsContinuous"])
def test_values_and_actions_of_a_beginner_after_a_training_that_went_well_are_those_of_another_agent(title):
    never = rung("ConstantReward", mistaken("never learned"))
    beginner = rung(title, lambda probe, seed: agent(probe, act=lambda state: probe.native(seed % 2)), late=0.98)
    handed = of_the_first(climbed(never, beginner))
    assert handed.link is Link.EVALUATION
    assert "the agent that was handed over acts differently" in handed.message
    for policy in (rung(title, late=0.98), rung(title, acting(lambda state: 0), early=0.5, late=0.5)):
        assert of_the_first(climbed(never, policy)).link is Link.OPTIMIZER


def test_a_terminal_that_is_ignored_in_one_row_of_five_is_told_though_it_spares_the_rungs_above():
    part = rung("ConstantReward", valued(lambda state: 1.22))
    finding = of_the_first(climbed(part, rung("ObservedReward"), rung("TwoActions")))
    assert finding.link is Link.ENVIRONMENT
    assert "bootstraps through a terminal" in finding.message


def test_a_mistake_must_explain_the_next_rung_too_where_the_first_one_breaks():
    half = rung("ConstantReward", valued(lambda state: 0.52))
    shrunk = of_the_first(climbed(half, rung("ObservedReward", valued(lambda state: 0.01 * (-1) ** state))))
    assert shrunk.link is Link.OPTIMIZER
    assert "shrinks the weights" in shrunk.message
    advantage = of_the_first(climbed(half, rung("ObservedReward", mistaken("advantage for a target"))))
    assert advantage.link is Link.RETURNS


@pytest.mark.parametrize("steps", [2, 3, 5, 10])
def test_a_window_of_several_steps_that_runs_on_into_the_next_episode_is_counted(steps):
    total = sum(0.9**step for step in range(steps))
    finding = ask(climbed(answering(total, total, total)))
    assert finding.link is Link.RETURNS
    assert f"the sum of {steps} discounted rewards" in finding.message
    assert "the sum of" not in ask(climbed(answering(total, 1.05 * total, total))).message


def test_values_that_are_all_off_by_the_same_are_moved_by_another_loss():
    first = rung("ConstantReward", valued(lambda state: -1.0))
    moved = of_the_first(climbed(first, rung("ObservedReward", valued(lambda state: (-3.0, -1.0)[state]))))
    assert moved.link is Link.POLICY
    assert "off by -2" in moved.message
    negative = of_the_first(climbed(first, rung("ObservedReward", mistaken("reward with the wrong sign"))))
    assert negative.link is Link.REWARD


def test_who_learns_rewards_that_differ_and_not_one_that_is_always_the_same_takes_the_mean_out():
    lost = rung("ConstantReward", mistaken("never learned"))
    centred = of_the_first(climbed(lost, rung("ObservedReward")))
    assert centred.link is Link.REWARD
    assert "the mean is subtracted from the rewards" in centred.message
    assert of_the_first(climbed(lost, rung("ObservedReward", mistaken("never learned")))).link is Link.OPTIMIZER
    assert (
        of_the_first(climbed(rung("ConstantReward", valued(lambda state: 0.5)), rung("ObservedReward"))).link
        is not Link.REWARD
    )


def test_a_fast_learner_of_the_wrong_sign_is_not_taken_for_one_that_does_not_try():
    settled = {"early": 0.02, "late": 0.0, "first_choice": 0.98}
    long = rung("TwoActions", acting(lambda state: 0), **settled)
    short = rung("TwoActions", acting(lambda state: 0), seeds=[3], early=0.2, late=0.0, first_choice=0.8)
    assert ask(climbed(long)).link is Link.EXPLORATION
    assert ask(climbed(joined(short, long))).link is Link.POLICY


def test_a_sampling_agent_that_is_nearly_right_is_not_blamed_for_its_evaluation():
    def nearly(probe, seed):
        rng = np.random.default_rng(seed)
        return agent(probe, act=lambda state: int(rng.random() < 0.8))

    finding = ask(climbed(rung("TwoActions", nearly, late=0.9)))
    assert finding.link is not Link.EVALUATION


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_answers_that_are_no_numbers_are_wrong_and_read_well(broken):
    outcome = climbed(rung("ConstantReward", valued(lambda state: broken)))
    assert outcome.rungs[0].verdict == WRONG
    finding = ask(outcome)
    assert finding.link is Link.OPTIMIZER
    assert "is no finite number where 1 is right" in finding.message
    assert "diverged" in finding.message


@pytest.mark.parametrize(
    "probe",
    [probe for probe in ALL_PROBES if probe.world.asked[0] in ("value", "action")],
    ids=lambda probe: probe.title,
)
def test_one_seed_of_five_is_never_an_alarm(probe):
    outcome = one_of_five(probe.title, all_wrong)
    assert outcome.rungs[0].verdict == UNDECIDED
    finding = ask(outcome)
    assert finding.level is Level.INFO
    assert "1 of 5 seeds" in finding.message


def all_wrong(probe, seed):
    def wrong(state):
        choices = [choice for choice in range(probe.world.choices) if choice not in probe.world.right(state)]
        return probe.native(choices[0] if choices else 0)

    return agent(probe, value=lambda state: 50.0, act=wrong)


def test_a_mistake_that_spares_a_rung_does_not_explain_a_near_miss_of_it():
    finding = ask(climbed(rung("ConstantReward", valued(lambda state: 1.11))))
    assert finding.link is Link.VALUE
    assert not any(mistake.told in finding.message for mistake in MISTAKES.values())


def scattered(*values: float):
    return rung("ConstantReward", lambda probe, seed: agent(probe, value=lambda state: values[seed]))


def test_seeds_that_end_on_both_sides_of_the_right_value_have_overshot():
    assert ask(climbed(scattered(15.8, -0.3, 9.1))).link is Link.OPTIMIZER
    assert ask(climbed(scattered(9.4, 6.0, 9.1))).link is Link.ENVIRONMENT, "all on their way through a terminal"
    assert "overshoot" not in ask(climbed(scattered(0.85, 1.15, 1.2))).message, "a little apart is no overshooting"


def half_dead(apart: float, seeds: range):
    """Two of three states have nearly the same value: which two differs with the seed."""
    values = ((2.17, 2.17 - apart, 1.08), (1.8, 1.45, 1.45 - apart))
    return rung("Terminal", lambda probe, seed: agent(probe, value=lambda state: values[seed][state]), seeds=seeds)


def test_one_answer_to_the_last_digit_with_some_seeds_only_is_a_network_that_died():
    finding = ask(climbed(joined(half_dead(0.0, range(2)), rung("Terminal", seeds=[2]))))
    assert finding.link is Link.OPTIMIZER
    assert "units of the network are dead" in finding.message
    apart = ask(climbed(joined(half_dead(0.01, range(2)), rung("Terminal", seeds=[2]))))
    always = ask(climbed(half_dead(0.0, range(2))))
    assert "died" not in apart.message + always.message


def answering(*values: float, title: str = "ConstantReward", first: tuple[float, ...] | None = None):
    """A rung on which each seed has a value of its own, and had another one after the smaller budget."""
    by_seed = lambda given: lambda probe, seed: agent(probe, value=lambda state: given[seed])  # noqa: E731
    return rung(title, by_seed(values), first=by_seed(first) if first else None)


def test_a_value_of_which_no_digit_changes_with_the_budget_has_stopped():
    stopped = ask(climbed(answering(1.36, 1.41, 1.42, first=(1.36, 1.41, 1.42))))
    assert stopped.link is Link.OPTIMIZER
    assert "changes no digit" in stopped.message
    growing = ask(climbed(answering(4.0, 4.1, 4.2, first=(1.36, 1.41, 1.42))))
    assert growing.link is Link.ENVIRONMENT, "on its way through a terminal"


def test_seeds_that_stopped_at_places_of_their_own_made_no_mistake_in_the_targets():
    stopped = ask(climbed(answering(0.5, 0.505, 0.502, first=(0.5, 0.505, 0.502))))
    assert stopped.link is Link.OPTIMIZER
    half = ask(climbed(answering(0.5, 0.5, 0.5, first=(0.5, 0.5, 0.5))))
    assert half.link is Link.RETURNS, "all have come to what an advantage for a target makes of it"


def test_of_two_mistakes_that_nearly_agree_the_one_that_fits_exactly_is_told():
    stored = ask(climbed(answering(0.87, 0.86, 0.87)))
    assert "the automatic reset" in stored.message
    assert "discounted as well" in stored.message
    exact = ask(climbed(answering(0.8999, 0.8999, 0.8999)))
    assert exact.link is Link.RETURNS
    assert "the automatic reset" not in exact.message


def test_a_target_that_stands_still_is_told_from_learning_that_stopped():
    def standing(probe, seed):
        return agent(probe, value=lambda state: ((-0.22, 0.17, -0.36)[seed], 1.0)[state])

    below = [rung("ConstantReward"), rung("ObservedReward")]
    still = ask(climbed(*below, rung("DelayedReward", standing, first=standing)))
    assert still.link is Link.VALUE
    assert "the target network is never updated" in still.message


def test_a_value_that_has_hardly_begun_with_the_smaller_budget_is_slow_and_not_half():
    slow = ask(climbed(answering(0.29, 0.44, 0.41, first=(0.05, 0.07, 0.07))))
    assert slow.link is Link.OPTIMIZER
    assert "too slowly" in slow.message
    half = ask(climbed(answering(0.48, 0.48, 0.49, first=(0.15, 0.15, 0.15))))
    assert "its answers are half" in half.message, "all seeds have come to the same"


def test_one_multiple_of_the_right_value_is_a_scale_only_where_seeds_agree():
    assert ask(climbed(answering(0.2, 0.2, 0.21))).link is Link.REWARD
    assert ask(climbed(answering(-10.0, -9.9, -10.0))).link is Link.REWARD, "another reward in its place"
    assert ask(climbed(answering(0.05, 0.36, 0.2))).link is not Link.REWARD
    assert ask(climbed(answering(-0.4, 0.36, 0.4))).link is not Link.REWARD
    other = rung("ObservedReward", valued(lambda state: 3.0))
    assert of_the_first(climbed(answering(-10.0, -9.9, -10.0), other)).link is not Link.REWARD, (
        "another multiple beside it"
    )


def test_values_beyond_all_that_rewards_add_up_to_have_run_away():
    below = [rung("ConstantReward"), rung("ObservedReward")]
    far = rung("DelayedReward", valued(lambda state: (-860.0, -10.0)[state]))
    assert ask(climbed(*below, far)).link is Link.OPTIMIZER
    assert "run away" in ask(climbed(*below, far)).message
    thousandfold = ask(climbed(rung("ConstantReward", valued(lambda state: 1000.0))))
    assert thousandfold.link is Link.REWARD, "a scale, where nothing shows the size"


def test_an_agent_with_a_memory_that_is_wrong_at_later_steps_alone_remembers_otherwise():
    def forgetful(probe, seed):
        return agent(probe, value=lambda state: (0.9, 0.5 + 0.1 * seed)[state], remembers=True)

    below = [rung("ConstantReward"), rung("ObservedReward")]
    outcome = climbed(*below, rung("DelayedReward", forgetful))
    assert ask(outcome).link is Link.ENVIRONMENT
    assert ask(msgspec.structs.replace(outcome, shows=("value", "reset"))).link is Link.DATA


@pytest.mark.parametrize(("mean", "width", "link"), [(-0.9, 0.05, Link.ACTION), (0.0, 0.9, Link.EVALUATION)])
def test_an_agent_that_is_sure_of_the_opposite_of_what_arrives_is_told_from_one_that_is_not_trained(mean, width, link):
    def make(probe, seed):
        rng = np.random.default_rng(seed)
        return agent(
            probe,
            act=lambda state: np.array([mean]),
            sample=lambda state: np.array([mean + width * rng.uniform(-1, 1)]),
        )

    assert ask(climbed(rung("TwoActionsContinuous", make, seeds=range(6), late=0.99))).link is link


def test_a_prediction_that_is_no_number_speaks_for_nothing():
    broken = rung("DelayedReward", mistaken("no discount"))
    nothing = dict.fromkeys(MISTAKES, float("nan"))

    def blank(trial):
        measures = tuple(msgspec.structs.replace(one, mistakes=nothing) for one in trial.measures)
        return msgspec.structs.replace(trial, measures=measures)

    unfit = msgspec.structs.replace(broken, trials=tuple(map(blank, broken.trials)))
    finding = find_rule(broken.code).ask(climbed(unfit))
    assert not any(mistake.told in finding.message for mistake in MISTAKES.values())


@pytest.mark.parametrize("mistake", ["no discount", "terminal ignored", "reward with the wrong sign"])
def test_targets_that_were_read_and_are_right_are_not_guessed_at(mistake):
    title, _ = first_break(mistake, FORMS["discrete"], noise=0.01)
    broken = climbed(rung(title, mistaken(mistake, noise=0.01)))
    rule = find_rule(broken.rungs[0].code)
    assert MISTAKES[mistake].told in rule.ask(broken).message
    read = rule.ask(msgspec.structs.replace(broken, checked=("RET202",)))
    assert MISTAKES[mistake].told not in read.message


def test_a_policy_whose_loss_was_read_and_is_right_has_no_wrong_sign():
    worst = climbed(rung("TwoActions", acting(lambda state: 0), early=0.5, late=0.02))
    rule = find_rule("PRB104")
    assert rule.ask(worst).link is Link.POLICY
    assert "sign" in rule.ask(worst).fix[0]
    assert "sign" in rule.ask(msgspec.structs.replace(worst, checked=("POL205",))).fix[0]
    assert "sign" not in rule.ask(msgspec.structs.replace(worst, checked=("RET201", "POL205"))).fix[0]
