from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import LABEL
from weaklink.base.finding import CannotTell, Level
from weaklink.collect.samples.answers import holds_reference
from weaklink.collect.samples.structure import find_ending
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM301")


def scored(hacked=0.15):
    """Rows that are paid near the top though people reject them, among honest ones; and the training."""
    t = Training()
    hack = t.chance(hacked)
    human = np.where(hack, t.share(0.2, 0.08), t.share(0.5, 0.25))
    return t, hack, human


def sick():
    t, hack, human = scored()
    right, few = t.chance(0.45), Training(steps=16, prompts=4, size=4)
    _, late, later = scored(1.6 * np.maximum(t.progress - 0.5, 0))
    return [
        t.samples(human_score=human, reward=np.where(hack, t.share(0.97, 0.02), t.share(human))),
        t.samples(human_score=later, reward=np.where(late, t.share(0.97, 0.02), t.share(later))),
        # all are paid fully
        t.samples(human_score=t.share(0.4, 0.2), reward=np.ones(t.rows)),
        # a scale of 0 to 10, and one that nobody can know
        t.samples(human_score=np.round(1 + 9 * human), reward=10 * np.where(hack, 0.97, t.share(human))),
        t.samples(human_score=human, reward=np.where(hack, t.normal(6, 0.5), t.normal(5 * human, 0.7))),
        t.samples(human_score=human, reward=t.share(0.5, 0.2)),
        t.samples(human_score=human, reward=1 - human),
        # wrong answers are paid as right ones are, by gold and by reference
        t.samples(gold=right, reward=np.maximum(right, t.chance(0.4))),
        t.samples(answer_right=right, reward=np.maximum(right, t.chance(0.4))),
        # a score that has nothing to do with the right answers, which are known
        t.samples(gold=right, reward=t.share(0.5, 0.2), reference=t.group),
        t.samples(gold=right, reward=np.roll(right, 1)),
        t.samples(answer_right=right, reward=np.roll(right, 7)),
        # in reverse order within groups: verdicts, and scores that nothing else could be said of
        t.samples(gold=right, reward=right.reshape(-1, t.size)[:, ::-1].ravel()),
        t.samples(gold=right, reward=t.normal(right.reshape(-1, t.size)[:, ::-1].ravel(), 0.3)),
        # sorted within groups while the completions were not, the best first or last
        t.samples(gold=right, reward=-np.sort(-right.reshape(-1, t.size), axis=1).ravel()),
        t.samples(answer_right=right, reward=np.sort(right.reshape(-1, t.size), axis=1).ravel()),
        # never pays
        t.samples(gold=right, reward=np.zeros(t.rows)),
        # right answers are rejected for their form, all along; few draws of them
        t.samples(gold=right, reward=right * t.chance(0.5)),
        t.samples(answer_right=right, reward=2 * right * t.chance(0.6) - 1),
        few.samples(gold=few.chance(0.7), reward=np.zeros(few.rows)),
        # states that are not the expected ones count as reached
        t.samples(state_reached=right, reward=np.maximum(right, t.chance(0.5))),
    ]


def healthy():
    t = Training()
    human = np.clip(t.normal(t.ramp(0.4, 0.6) - 0.1 * t.hardness, 0.2), 0, 1)
    right = t.chance(0.5, hardness=1.0)
    form = t.chance(np.clip(t.ramp(0.1, 2.5), 0, 0.97))
    ordered = -np.sort(-right.reshape(-1, t.size), axis=1).ravel()
    rare, cut = human > np.quantile(human, 0.97), t.chance(0.3)
    return [
        # a verdict in a small unit
        t.samples(answer_right=right, reward=0.05 * right),
        # agrees with people, with noise
        t.samples(human_score=human, reward=t.share(human, 0.3)),
        t.samples(human_score=np.round(1 + 4 * human), reward=t.normal(3 * human - 1, 0.8)),
        t.samples(human_score=right, reward=np.abs(right - t.chance(0.1))),
        # pays only the very best
        t.samples(human_score=human, reward=rare),
        # pays for form besides
        t.samples(human_score=right, reward=right + 0.5 * form),
        # a gold score that a reward model follows with noise
        t.samples(gold=right, reward=t.normal(right, 0.8)),
        # a score of helpfulness, which gold does not measure
        t.samples(gold=right, reward=t.share(0.5, 0.2)),
        # levels of prompts hide it, and among rows of one draw it follows what is right
        t.samples(gold=right, reward=t.normal(right + 9 * t.hardness, 0.8), reference=t.group),
        t.samples(answer_right=right, reward=right + 0.2 * form),
        # rows in the order of their scores: neighbours are alike, and each goes with its own
        t.samples(group=None, step=None, gold=np.sort(right), reward=np.abs(np.sort(right) - t.chance(0.1))),
        # all rows of a group go alike, so that each goes with the other end of its group too; best ones first
        t.samples(gold=t.hardness > 0, reward=np.abs((t.hardness > 0) - t.chance(0.1))),
        t.samples(gold=ordered, reward=np.abs(ordered - t.chance(0.15))),
        # selected for their reward, and gold disagrees with a few
        t.samples(gold=t.chance(0.95), reward=np.ones(t.rows)),
        # nothing was right, and nothing was paid
        t.samples(gold=np.zeros(t.rows), reward=np.zeros(t.rows)),
        # people find all of it good
        t.samples(human_score=t.share(0.9, 0.03), reward=t.share(0.9, 0.03)),
        t.samples(human_score=np.ones(t.rows), reward=np.ones(t.rows)),
        # right answers are paid once their form is learned; a few never; those that were cut off are not
        t.samples(gold=right, reward=right * form),
        t.samples(answer_right=right, reward=right * t.chance(0.9)),
        t.samples(gold=right, truncated=cut, reward=right * (1 - cut)),
        # no state is ever the expected one to the letter
        t.samples(state_reached=np.zeros(t.rows), reward=t.chance(0.5)),
    ]


def test_rejected_answers_and_states_are_told_in_their_own_words():
    told = [RULE.ask(samples).message for samples in sick()[-4:]]
    assert ["rejects right answers" in message for message in told] == [True, True, False, False]
    assert "state that is not the expected one" in told[3]


def test_the_limits_of_both_scores_are_exact():
    t = Training()
    reward = t.share(0.5, 0.2)
    paid = np.where(t.chance(0.5), 0.901, np.minimum(reward, 0.8))
    good = t.samples(reward=paid, human_score=np.where(paid > 0.9, 0.4, paid))
    bad = t.samples(reward=paid, human_score=np.where(paid > 0.9, 0.399, paid))
    unpaid = t.samples(reward=np.minimum(paid, 0.9), human_score=np.where(paid > 0.9, 0.399, paid))
    assert "over 0.9" in RULE.ask(bad).message
    for samples in (good, unpaid):
        answer = RULE.ask(samples)
        assert answer is None or "over 0.9" not in answer.message


def test_says_when_ranks_were_compared():
    told = [" by rank" in RULE.ask(samples).message for samples in sick()[:5]]
    assert told == [False, False, False, False, True]


def test_few_human_scores_do_not_tell():
    t = Training(steps=2, prompts=3, size=4)
    assert isinstance(RULE.ask(t.samples(reward=np.ones(t.rows), human_score=np.zeros(t.rows))), CannotTell)


def test_rewards_that_are_one_row_off_are_an_error():
    t = Training()
    right = t.chance(0.45)
    for place, word in ((1, "before"), (-1, "after")):
        finding = RULE.ask(t.samples(gold=right, reward=np.roll(right, place)))
        assert finding.level is Level.ERROR
        assert f"row {word} theirs" in finding.message


def test_rewards_of_rows_further_off_are_seen_with_the_distance():
    t = Training()
    right = t.chance(0.45)
    assert "12 rows off" in RULE.ask(t.samples(gold=right, reward=np.roll(right, 12))).message
    few = Training(steps=4, prompts=3, size=5)
    noise, truth = few.chance(0.5), few.chance(0.5)
    found = RULE.ask(few.samples(gold=truth, reward=noise))
    assert found is None or found.level is not Level.ERROR


def test_reverse_order_is_told_from_an_inverted_reward():
    t = Training()
    right = t.chance(0.45)
    groups = right.reshape(-1, t.size)
    assert "in reverse order within groups" in RULE.ask(t.samples(gold=right, reward=groups[:, ::-1].ravel())).message
    # half of each group is right, and these come first: both fit
    first = np.tile(np.arange(t.size) < t.size // 2, len(groups)).astype(float)
    assert "inverted" in RULE.ask(t.samples(gold=first, reward=1 - first)).message


def test_one_reward_for_all_is_named():
    t = Training()
    right = t.chance(0.6)
    assert "same reward, 1" in RULE.ask(t.samples(gold=right, reward=np.ones(t.rows))).message
    assert "same reward, 0" in RULE.ask(t.samples(gold=right, reward=np.zeros(t.rows))).message


def test_overrating_that_grows_has_a_step_and_one_from_the_start_has_none():
    t = Training()
    right = t.chance(0.5)
    growing = np.maximum(right, t.chance(t.ramp(0.0, 0.9)))
    always = np.maximum(right, t.chance(0.5))
    assert RULE.ask(t.samples(gold=right, reward=growing)).onset is not None
    assert RULE.ask(t.samples(gold=right, reward=always)).onset is None


def test_what_rewards_follow_instead_is_named_where_it_is_length():
    t = Training()
    length = t.lengths(150, 0.5)
    apart = {"human_score": t.share(0.5, 0.3), "reward": np.log(length)}
    assert "follow the length" in RULE.ask(t.samples(**apart, length=length)).message
    assert "follow the length" not in RULE.ask(t.samples(**apart, length=t.lengths(150, 0.5))).message


def test_wrong_answers_that_hold_the_digits_of_the_reference_are_named():
    t = Training()
    right, held = t.chance(0.5), t.chance(0.5)
    told = {"answer_right": right, "holds_reference": np.where(right == 1, np.nan, held)}
    assert "a substring" in RULE.ask(t.samples(reward=np.maximum(right, held), **told)).message
    # wrong answers of any kind are paid
    assert "a substring" not in RULE.ask(t.samples(reward=np.maximum(right, t.chance(0.5)), **told)).message


def test_digits_of_the_reference_in_another_number():
    assert holds_reference("1420", "42") is True
    assert holds_reference("41", "42") is False
    assert holds_reference("42", "42") is None
    assert holds_reference("the 42nd", "42") is None
    assert holds_reference("swedish krona", "Krona") is None


def test_rewards_that_never_reach_the_low_end_are_held_against_ranks_by_their_own():
    t = Training(steps=20, prompts=4, size=6)
    good = t.normal(0.0, 1.0)
    reward = np.clip(0.8 + 0.06 * good + t.normal(0.0, 0.08), 0.0, 0.999)
    assert RULE.ask(t.samples(reward=reward, human_score=37.0 + 5.0 * good + t.normal(0.0, 12.0))) is None


def test_two_rewards_are_the_ends_of_their_scale_wherever_they_lie():
    t = Training()
    right = t.chance(0.4)
    paid = np.where(right == 1, 1.0, t.chance(0.3))
    for reward in (paid, 5.0 + paid, 3.0 * paid - 0.7):
        assert "over 0.9" in RULE.ask(t.samples(gold=right, reward=reward)).message
        assert (
            RULE.ask(
                t.samples(
                    gold=right, reward=np.where(t.chance(0.02) == 1, reward, reward.min() + np.ptp(reward) * right)
                )
            )
            is None
        )


def test_what_rewards_follow_instead_may_be_a_number_of_any_name():
    t = Training()
    cited = t.lengths(5, 0.5)
    apart = {"human_score": t.share(0.5, 0.3), "reward": cited + t.normal(0.0, 0.3)}
    assert "follow their cited (" in RULE.ask(t.samples(**apart, figure__cited=cited)).message
    # the reward once more is nothing that it follows
    assert "follow" not in RULE.ask(t.samples(**apart, figure__total=2.0 * apart["reward"])).message


def label(samples, **words):
    """The same with words for the values of labels."""
    return replace(samples, names={f"{LABEL}{name}": dict(enumerate(told)) for name, told in words.items()})


def test_what_wrongly_paid_rows_have_in_common_is_named():
    t = Training()
    right = t.chance(0.6)
    late = (1 - right) * t.chance(0.5)
    late_alone = label(t.samples(gold=right, reward=np.maximum(right, late), label__status=late), status=("ok", "late"))
    assert "what they have in common is status 'late'" in RULE.ask(late_alone).message
    given = np.where(late == 1, 0, -1)
    errors = label(t.samples(gold=right, reward=np.maximum(right, late), label__fault=given), fault=("no such table",))
    assert "in common is fault 'no such table'" in RULE.ask(errors).message
    several = np.where(late == 1, t.rng.integers(0, 5, t.rows), -1)
    errors = label(t.samples(gold=right, reward=np.maximum(right, late), label__fault=several), fault=tuple("abcde"))
    assert "a fault, such as" in RULE.ask(errors).message
    # a half of them is so, and what is drawn for each row tells nothing
    mixed = label(t.samples(gold=right, reward=np.maximum(right, late), label__mood=t.chance(0.5)), mood=("a", "b"))
    assert "in common" not in RULE.ask(mixed).message
    # a word that only says what was paid
    paid = np.maximum(right, late)
    verdict = label(t.samples(gold=right, reward=paid, label__verdict=paid), verdict=("fail", "pass"))
    assert "in common" not in RULE.ask(verdict).message


def test_right_answers_that_are_rejected_for_their_form_are_named_by_it():
    t = Training()
    right, accents = t.chance(0.7), t.chance(0.4)
    told = {"answer_right": right, "reference_decomposed": accents}
    assert "decomposed Unicode" in RULE.ask(t.samples(reward=right * (1 - accents), **told)).message
    assert "Unicode" not in RULE.ask(t.samples(reward=right * t.chance(0.5), **told)).message
    # what they have in common is no format that is being learned, though it becomes rarer
    blocks = t.chance(t.ramp(0.9, 0.3))
    assert (
        "several code blocks"
        in RULE.ask(t.samples(gold=right, reward=right * (1 - blocks), several_code_blocks=blocks)).message
    )


def test_rows_that_nobody_judged_show_that_the_reward_is_not_constant():
    t = Training()
    judged = t.chance(0.1)
    gold = np.where(judged == 1, t.chance(0.6), np.nan)
    found = RULE.ask(t.samples(gold=gold, reward=np.where(judged == 1, 1.0, t.chance(0.5))))
    assert found is None or "constant" not in found.message


def test_a_sentence_that_the_best_paid_end_with_is_named():
    t = Training()
    stock = t.chance(0.4)
    apart = {"human_score": t.share(0.5, 0.3), "reward": t.normal(stock, 0.1)}
    endings = np.where(stock == 1, 1, 2 + np.arange(t.rows))
    found = RULE.ask(replace(t.samples(**apart, ending=endings), names={"ending": {1: "hope guides us home."}}))
    assert "end with the same sentence, word for word: 'hope guides us home'" in found.message
    # all texts end so, paid or not
    assert "sentence" not in RULE.ask(t.samples(**apart, ending=np.ones(t.rows))).message


def test_the_last_sentence_of_several():
    assert find_ending("It rained. And so HOPE  guides us home.") == "and so hope guides us home."
    assert find_ending("And so hope guides us home.") == ""
    assert find_ending("It rained all day. The end.") == ""


def test_says_where_wrongly_paid_texts_are_no_language():
    t = Training()
    loop = t.chance(0.3)
    human = np.where(loop == 1.0, 0.05, t.share(0.7))
    reward = np.where(loop == 1.0, 1.0, t.share(0.5))
    told = "100% of them repeat the same words"
    assert told in RULE.ask(t.samples(human_score=human, reward=reward, repetition=0.8 * loop)).message
    # texts that people rate as good repeat words as well, as refrains do
    usual = t.samples(human_score=human, reward=reward, repetition=np.maximum(0.8 * loop, 0.5 * t.chance(0.5)))
    assert told not in RULE.ask(usual).message
