from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.task.tasks import cart_pole, lasting, lunar_lander, mountain_car, paid, recorded, survey_of, zoo
from tests.show.made import HOSTILE
from tests.worlds import box, changed, play, sweep, with_play, world
from weaklink.base.evidence.survey import CUT, TERMINATED, Survey
from weaklink.show.document import TERMINAL
from weaklink.show.figures import (
    MOST_DIMENSIONS,
    MOST_POINTS,
    ColumnTrace,
    RewardBar,
    SurveyFigures,
    TraceFigure,
    make_figures,
)
from weaklink.show.layout import TerminalSheet
from weaklink.show.renderers.json import encode_line
from weaklink.show.renderers.selection import select_sections
from weaklink.show.renderers.terminal_blocks import write_sections
from weaklink.show.subjects.preflight import draw_pictures


def drawn(survey_or_pictures, width: int = 80, *, unicode: bool = True) -> str:
    sheet = TerminalSheet(width, unicode=unicode)
    shown = survey_or_pictures if isinstance(survey_or_pictures, SurveyFigures) else make_figures(survey_or_pictures)
    write_sections(select_sections(draw_pictures(shown), TERMINAL), {}, sheet)
    return sheet.plain()


def part(survey: Survey, name: str, **given) -> str:
    """One picture alone."""
    return drawn(SurveyFigures(**{name: getattr(make_figures(survey), name)}), **given)


def with_components(survey: Survey) -> Survey:
    def parted(one):
        steps = np.arange(len(one.rewards))
        parts = {"forward": np.where(steps % 2, 3.0, -3.0), "control": np.where(steps % 2, 1.0, -1.0) - 0.5}
        return msgspec.structs.replace(one, components=parts)

    return changed(survey, plays={name: parted(one) for name, one in survey.plays.items()})


# -- returns


def spread_out() -> Survey:
    even = [[value] for value in range(101)]
    high = [[value] for value in range(60, 81)]
    return survey_of(paid("random", even), paid("automaton", high))


def test_returns_are_drawn_on_one_axis():
    assert part(spread_out(), "baselines") == (
        "Returns of the baselines  the mean with its interval (95 %, by resampling)\n"
        "             0                           100  mean  (interval)\n"
        "  random     ├───────━━━━━━━╋━━━━━━━───────┤    50  (44.4 to 55.6)  101 episodes\n"
        "  automaton                    ├─━╋━─┤          70  (67.3 to 72.5)  21 episodes\n"
        "  automaton > random\n"
    )


def test_returns_in_ascii():
    assert part(spread_out(), "baselines", unicode=False) == (
        "Returns of the baselines  the mean with its interval (95 %, by resampling)\n"
        "             0                           100  mean  (interval)\n"
        "  random     |-------[======|======]-------|    50  (44.4 to 55.6)  101 episodes\n"
        "  automaton                    |-[|]-|          70  (67.3 to 72.5)  21 episodes\n"
        "  automaton > random\n"
    )


def test_a_narrow_page_keeps_the_plot_and_the_mean():
    assert part(spread_out(), "baselines", width=40) == (
        "Returns of the baselines  the mean with\n"
        "  its interval (95 %, by resampling)\n"
        "             0                 100  mean\n"
        "  random     ├────━━━━━╋━━━━━────┤    50\n"
        "  automaton              ├━╋━┤        70\n"
        "  automaton > random\n"
    )


def test_returns_that_are_all_the_same_stand_in_the_middle():
    same = survey_of(lasting("random", np.full(30, 5), 1.0))
    lines = part(same, "baselines").splitlines()
    assert lines[2].strip().startswith("random")
    assert lines[2].count("╋") == 1
    assert lines[1].index("5") == lines[2].index("╋")


def test_plays_that_cannot_be_told_apart_are_said_to_be_so():
    text = part(mountain_car("automaton"), "baselines")
    assert "automaton > random ≈ zero ≈ search  (≈ no difference beyond chance)" in text
    assert "automaton > random ~ zero ~ search  (~ no difference" in part(
        mountain_car("automaton"), "baselines", unicode=False
    )


def test_the_numbers_of_the_returns():
    shown = make_figures(spread_out()).baselines
    first = shown.plays[0]
    assert (first.low, first.quarter, first.middle, first.three_quarters, first.high) == (0, 25, 50, 75, 100)
    assert first.mean_low < first.mean == 50 < first.mean_high
    assert [(duel.first, duel.second, duel.better) for duel in shown.duels] == [("random", "automaton", "automaton")]
    assert shown.duels[0].low < shown.duels[0].difference == -20 < shown.duels[0].high


@pytest.mark.slow
def test_many_episodes_cost_no_more_than_a_blink():
    many = survey_of(*(lasting(name, np.full(200_000, 1), 1.0) for name in ("random", "search")))
    assert [one.episodes for one in make_figures(many).baselines.plays] == [200_000, 200_000]


# -- rewards


def test_few_values_have_a_bar_each_and_zero_has_its_own():
    survey = survey_of(paid("random", [[0.0] * 60 + [-1.0] * 30 + [100.0] * 10]))
    assert part(survey, "rewards", width=60) == (
        "Rewards  100 steps\n"
        "   -1  ████████████████████                       30 %  30\n"
        "    0  ████████████████████████████████████████   60 %  60\n"
        "  100  ██████▋                                    10 %  10\n"
    )
    assert make_figures(survey).rewards.zeros == 60
    assert make_figures(survey).rewards.bars == (
        RewardBar(low=-1, high=-1, count=30),
        RewardBar(low=100, high=100, count=10),
    )


def test_many_values_fall_into_round_bins_none_of_which_reaches_over_zero():
    rewards = np.concatenate([np.linspace(-0.95, 0.37, 1000), np.zeros(50)])
    shown = make_figures(survey_of(paid("random", [rewards]))).rewards
    assert shown.zeros == 50
    assert sum(bar.count for bar in shown.bars) == 1000
    assert len(shown.bars) <= 12
    assert {round((bar.high - bar.low) * 100) for bar in shown.bars} == {20}
    assert not [bar for bar in shown.bars if bar.low < 0 < bar.high]
    assert "-0.2 to 0" in part(survey_of(paid("random", [rewards])), "rewards")


def test_a_rare_reward_is_never_drawn_as_nothing():
    rare = survey_of(paid("random", [[0.0] * 99_999 + [1.0]]))
    line = part(rare, "rewards").splitlines()[2]
    assert "▏" in line
    assert "<1 %" in line
    assert "#" in part(rare, "rewards", unicode=False).splitlines()[2]


def test_rewards_that_are_no_numbers_are_counted():
    odd = survey_of(paid("random", [[np.nan, np.inf, 1.0, 1.0, 0.0]]))
    assert part(odd, "rewards").startswith("Rewards  5 steps, 2 of them no finite number\n")


def test_returns_of_a_log_are_no_rewards():
    logged = with_play(cart_pole(), policy=recorded([500.0] * 100))
    assert make_figures(logged).rewards == make_figures(cart_pole()).rewards
    assert "policy" in part(logged, "baselines")


# -- parts of the reward


def test_parts_of_the_reward_for_random_play_and_the_best():
    parted = with_components(world())
    assert part(parted, "shares", width=60) == (
        "Parts of the reward  share of the variance, mean a step\n"
        "policy  part      share  mean\n"
        "random  forward    90 %     0\n"
        "random  control    10 %  -0.5\n"
        "and 4 more: --format json has them all\n"
    )
    both = drawn(parted)
    assert both.count("forward") == 2
    assert "search  forward" in both
    assert [(one.component, one.mean) for one in make_figures(parted).shares[:2]] == [
        ("forward", 0.0),
        ("control", -0.5),
    ]


def test_parts_that_never_vary_have_no_share():
    still = cart_pole()
    still.plays["random"].components["alive"] = np.ones(len(still.plays["random"].rewards))
    assert make_figures(still).shares[0].share == 0.0
    assert "alive    0 %     1" in part(still, "shares")


# -- observations


def test_traces_keep_the_extremes():
    rows = np.zeros((5000, 3))
    rows[3333, 1] = 9.0
    rows[3334, 1] = -7.0
    shown = make_figures(survey_of(play("random", episodes=1, length=5000, observations=rows))).traces
    trace = shown.traces[1]
    assert (trace.low, trace.high, len(trace.lows)) == (-7.0, 9.0, MOST_POINTS)
    assert (min(trace.lows), max(trace.highs)) == (-7.0, 9.0)


def test_traces_are_drawn():
    ramp = ColumnTrace(label="position[0]", low=0.0, high=7.0, lows=tuple(range(8)), highs=tuple(range(8)))
    still = ColumnTrace(label="goal", low=3.0, high=3.0, lows=(3.0,) * 8, highs=(3.0,) * 8)
    lost = ColumnTrace(label="sonar", low=np.nan, high=np.nan, lows=(), highs=(), not_finite=8)
    traces = TraceFigure(policy="random", episode=3, steps=8, left_out=40, traces=(ramp, still, lost))
    assert drawn(SurveyFigures(traces=traces)) == (
        "What is seen  one episode of random, 8 steps, 40 more columns not shown\n"
        "  position[0]  0 ▁▂▃▄▅▆▇█ 7\n"
        "  goal         3 always\n"
        "  sonar        never a finite number\n"
    )


def test_the_last_whole_episode_of_usual_length_is_shown_and_a_trained_policy_before_others():
    lengths = [50, 60, 70, 3, 40]
    ends = [TERMINATED] * 4 + [CUT]
    survey = survey_of(play("random", lengths=lengths, ends=ends))
    assert (make_figures(survey).traces.episode, make_figures(survey).traces.steps) == (2, 70)
    assert make_figures(with_play(survey, policy=play("policy"))).traces.policy == "policy"


def test_of_many_columns_some_from_everywhere_are_shown():
    wide = survey_of(play("random", columns=500), observation=box(500))
    shown = make_figures(wide).traces
    assert len(shown.traces) == MOST_DIMENSIONS
    assert shown.left_out == 480
    assert (shown.traces[0].label, shown.traces[-1].label) == ("observation[0]", "observation[499]")


# -- actions


def test_dimensions_of_the_action_share_one_scale():
    survey = changed(world(), sweeps=(sweep(0), sweep(1, near=0.05, far=0.01), sweep(2, near=0.0, far=0.0)))
    assert part(survey, "sweeps") == (
        "What actions do  at once; after 20 steps: how far the observation changes, from\n"
        "  the lowest action to the highest\n"
        "  action[0]  █▅▁▅█ max 0.1    █▅▁▅█ max 1\n"
        "  action[1]  ▅▃▁▃▅ max 0.05   ▁▁▁▁▁ max 0.01\n"
        "  action[2]  ▁▁▁▁▁ max 0      ▁▁▁▁▁ max 0\n"
    )


# -- everything


EMPTY = Survey(name="empty")
ODD = {
    "empty": EMPTY,
    "one episode": survey_of(play("random", episodes=1)),
    "one step": survey_of(paid("random", [[1.0]])),
    "nothing but zero": survey_of(paid("random", [np.zeros(50)] * 20)),
    "constant": survey_of(lasting("random", np.full(30, 7), 2.0)),
    "no number at all": survey_of(play("random", rewards=np.full(5000, np.nan))),
    "some that are no numbers": survey_of(play("random", rewards=np.where(np.arange(5000) % 7, 1.0, np.nan))),
    "huge": survey_of(play("random", rewards=np.linspace(-1.0, 1.0, 5000) * 3e307)),
    "tiny": survey_of(play("random", rewards=np.linspace(-1, 1, 5000) * 1e-310)),
    "almost the same": survey_of(play("random", rewards=1e9 + np.linspace(0, 1e-6, 5000))),
    "cut": survey_of(play("random", ends=CUT)),
    "no observations": survey_of(play("random", observations=None, successors=None)),
    "observations that are no numbers": survey_of(play("random", observations=np.full((5000, 3), np.nan))),
    "hostile names": with_components(changed(world(), sweeps=(sweep(label=HOSTILE),))),
    **zoo(),
}


def test_nothing_is_drawn_of_nothing():
    assert make_figures(EMPTY) == SurveyFigures()
    assert drawn(EMPTY) == "\n"


@cache
def make_odd_figures(name: str) -> SurveyFigures:
    return make_figures(ODD[name])


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [40, 53, 80, 200])
@pytest.mark.parametrize("name", ODD)
def test_nothing_is_wider_than_the_page(name, width, unicode):
    text = drawn(make_odd_figures(name), width, unicode=unicode)
    assert max(map(len, text.splitlines()), default=0) <= width
    assert unicode or (text.isascii() and ("?" not in text or name == "hostile names"))


@pytest.mark.parametrize("name", ODD)
def test_everything_can_be_written_as_json(name):
    body = msgspec.to_builtins(make_odd_figures(name))
    assert msgspec.json.decode(encode_line(body)) is not None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=60),
    st.integers(1, 30),
    st.sampled_from([40, 61, 100]),
)
def test_any_rewards_can_be_drawn(rewards, length, width):
    pieces = [rewards[at : at + length] for at in range(0, len(rewards), length)]
    survey = with_components(survey_of(paid("random", pieces)))
    shown = make_figures(survey).rewards
    assert shown.zeros + shown.not_finite + sum(bar.count for bar in shown.bars) == shown.steps == len(rewards)
    assert max(map(len, drawn(survey, width).splitlines())) <= width


def test_all_together_in_the_order_of_the_loop():
    text = drawn(with_components(lunar_lander("automaton")))
    heads = ["Returns", "Rewards", "Parts of the reward", "What is seen", "What actions do"]
    places = [text.index(head) for head in heads]
    assert places == sorted(places)
