from __future__ import annotations

import gymnasium as gym
import msgspec
import numpy as np
import pytest

from tests.rules.reward.likenesses import likenesses
from tests.rules.task.tasks import cart_pole, ending, fetch, frozen_lake, lasting, paid, pendulum, survey_of
from tests.surveying import UNHURRIED, survey_before
from tests.worlds import box, changed, held, play, with_play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Finding, Level
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.rules.reward.sign_confusion import sign_confusion


def earned(policy: str, mean: float, spread: float = 1.0) -> Play:
    """One step an episode, which pays around the mean."""
    rewards = np.random.default_rng([30, *policy.encode()]).normal(mean, spread, 100)
    return play(policy, length=1, rewards=rewards)


def known(mean: float, name: str = "automaton") -> Survey:
    return survey_of(earned("random", 0.0), earned("zero", 0.0), earned(name, mean), facts={})


def scored(name: str, slope: float, *, level: float = 0.0, pay: float = 0.0, scatter: float = 0.5) -> Play:
    """A score for each episode, and a return that rises with it by this slope."""
    rng = np.random.default_rng([31, *name.encode()])
    score = rng.normal(level, 1.0, 60)
    returns = pay + slope * (score - level) + rng.normal(0.0, scatter, 60)
    rewards = np.repeat(returns / 20, 20)
    return play(name, episodes=60, length=20, rewards=rewards, metrics={"score": np.repeat(score, 20)})


def scores(*plays: Play) -> Survey:
    return survey_of(*plays, goal_metric="score", facts={})


def turned(survey: Survey, factor: float = -1.0) -> Survey:
    """The same with every reward turned round."""
    plays = {
        name: play(
            name,
            lengths=one.lengths,
            ends=one.ends,
            rewards=factor * one.rewards,
            metrics=one.metrics,
            components=one.components,
        )
        for name, one in survey.plays.items()
    }
    return changed(survey, plays=plays)


def solved_at(survey: Survey, threshold: object) -> Survey:
    return changed(survey, facts={"reward_threshold": threshold})


def acrobot_turned() -> Survey:
    """Paid for each step until the end, and solved at -100."""
    lengths = np.random.default_rng(32).integers(300, 500, 40)
    return solved_at(survey_of(lasting("random", lengths, 1.0)), -100.0)


def obstacles() -> Survey:
    """Bumping costs 1 and ends the episode, the goal pays and was never met."""
    bumped = np.random.default_rng(33).random(60) < 0.7
    ends = np.where(bumped, TERMINATED, TRUNCATED)
    lengths = np.where(bumped, 20, 100)
    plays = [ending(name, np.where(bumped, -1.0, 0.0), lengths, ends) for name in ("random", "search")]
    return solved_at(survey_of(*plays), 0.9)


def tracked(sign: float, called: str = "target") -> Survey:
    """A level that is to follow what this attribute says, paid by how far it is away."""
    made = held(
        {
            "level": lambda rng, step, before: (
                rng.uniform(0, 1, 2) if before is None else before + rng.normal(0, 0.05, 2)
            ),
            called: lambda rng, step, before: rng.uniform(0, 1) if before is None else before,
        },
        lambda now, *rest: now["level"],
        pay=lambda before, after: sign * abs(float(after["level"][1]) - float(after[called][0])),
    )
    return changed(world(), held=made)


def sick():
    return [
        tracked(1.0),
        tracked(1.0, "robot.set_point"),
        known(-3.0),
        known(-3.0, "cheat"),
        scores(scored("random", -2.0)),
        scores(scored("random", 0.0, level=0.0, pay=0.0), scored("search", 0.0, level=-3.0, pay=5.0)),
        turned(fetch({"random": 0.2, "search": 0.4})),
        acrobot_turned(),
        turned(solved_at(cart_pole(), 475.0)),
        # a warning only
        obstacles(),
    ]


def healthy():
    return [
        *likenesses().values(),
        tracked(-1.0),
        tracked(0.0),
        # nobody says that this is where to be
        tracked(1.0, "hunter"),
        known(3.0),
        known(0.0),
        scores(scored("random", 2.0)),
        scores(scored("random", 0.0), scored("search", 0.0, level=3.0, pay=5.0)),
        solved_at(pendulum(), None),
    ]


class TestYourOwnPolicy:
    def test_must_lose_in_three_of_four_comparisons(self):
        answer = sign_confusion(known(-3.0))
        assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
        assert "automaton play earns -2.8" in answer.message
        assert sign_confusion(known(-1.4)).confidence == MEDIUM
        # worse beyond chance, but only on average
        assert sign_confusion(known(-0.6)) is None
        assert isinstance(sign_confusion(known(-0.6), beats=0.5), Finding)

    def test_losing_by_a_few_bad_episodes_is_no_proof(self):
        rare = earned("automaton", 0.5)
        rewards = np.where(np.arange(100) < 20, -50.0, rare.rewards)
        survey = with_play(known(0.0), automaton=play("automaton", length=1, rewards=rewards))
        assert sign_confusion(survey) is None

    def test_a_search_that_fails_proves_nothing(self):
        survey = survey_of(earned("random", 0.0), earned("search", -3.0), facts={})
        assert isinstance(sign_confusion(survey), CannotTell)


class TestTheMetric:
    def test_within_a_play(self):
        answer = sign_confusion(scores(scored("random", -2.0)))
        assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
        assert "the return falls as 'score' rises (correlation -0.9" in answer.message
        assert "60 episodes of random play" in answer.message

    def test_a_weak_tie_is_none(self):
        assert sign_confusion(scores(scored("random", -0.5, scatter=1.5))) is None

    def test_a_play_that_agrees_outweighs_one_that_does_not(self):
        assert sign_confusion(scores(scored("random", -2.0), scored("search", 2.0))) is None
        assert isinstance(sign_confusion(scores(scored("random", -2.0), scored("search", -2.0))), Finding)

    def test_between_plays(self):
        answer = sign_confusion(scores(scored("random", 0.0), scored("search", 0.0, level=-3.0, pay=5.0)))
        assert (answer.level, answer.confidence) == (Level.ERROR, MEDIUM)
        assert "policies with a better 'score' earn less" in answer.message

    def test_two_plays_that_agree_outweigh_one_that_does_not(self):
        survey = scores(
            scored("random", 0.0),
            scored("zero", 0.0, level=-3.0, pay=2.0),
            scored("search", 0.0, level=3.0, pay=5.0),
        )
        assert sign_confusion(survey) is None

    def test_few_successes_say_nothing_whenever_they_come(self):
        few = turned(fetch({"random": 0.05, "search": 0.05}))
        assert sign_confusion(few) is None
        later = {
            name: play(
                name,
                lengths=one.lengths,
                ends=one.ends,
                rewards=np.roll(one.rewards, 500),
                metrics={"is_success": np.roll(one.metrics["is_success"], 500)},
            )
            for name, one in few.plays.items()
        }
        assert sign_confusion(changed(few, plays=later)) is None
        assert isinstance(sign_confusion(turned(fetch({"random": 0.2, "search": 0.2}))), Finding)

    def test_an_unnamed_metric_is_not_believed(self):
        survey = changed(scores(scored("random", -2.0)), goal_metric="")
        assert isinstance(sign_confusion(survey), CannotTell)


class TestTheThreshold:
    def test_paid_for_each_step_where_a_negative_return_is_wanted(self):
        answer = sign_confusion(acrobot_turned())
        assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
        assert "no reward is below 0, and the environment counts as solved at -100" in answer.message

    def test_a_cost_of_each_step_where_a_positive_return_is_wanted(self):
        answer = sign_confusion(turned(solved_at(cart_pole(), 475.0)))
        assert (answer.level, answer.confidence) == (Level.ERROR, MEDIUM)
        assert "no reward is above 0, and the environment counts as solved at 475" in answer.message

    def test_fines_whose_prize_was_never_met_are_a_warning(self):
        assert sign_confusion(obstacles()).level == Level.WARN
        crash = [np.append(np.full(30, -0.1), -1.0) for _ in range(40)]
        assert sign_confusion(solved_at(survey_of(paid("random", crash)), 10.0)).level == Level.WARN
        steady = [np.append(np.full(30, -0.1), -0.1) for _ in range(40)]
        assert sign_confusion(solved_at(survey_of(paid("random", steady)), 10.0)).level == Level.ERROR

    def test_costs_larger_than_the_threshold_are_those_of_a_bad_start(self):
        episodes = [np.full(30, -1.0) for _ in range(40)]
        assert sign_confusion(solved_at(survey_of(paid("random", episodes)), 10.0)) is None

    def test_episodes_must_terminate_for_a_prize_to_be_missing(self):
        episodes = [np.full(30, -0.1) for _ in range(40)]
        assert sign_confusion(solved_at(survey_of(paid("random", episodes, TRUNCATED)), 10.0)) is None

    @pytest.mark.parametrize("threshold", [None, 0.0, True, "high"])
    def test_a_threshold_that_says_nothing(self, threshold):
        answer = sign_confusion(solved_at(turned(cart_pole()), threshold))
        assert answer is None or isinstance(answer, CannotTell)

    def test_one_reward_of_the_right_sign_is_enough(self):
        survey = acrobot_turned()
        rewards = survey.plays["random"].rewards.copy()
        rewards[5] = -1.0
        fields = {"lengths": survey.plays["random"].lengths, "rewards": rewards}
        assert sign_confusion(with_play(survey, random=play(**fields))) is None

    def test_a_wrapper_that_turns_rewards_round_and_one_that_pays_something_else(self):
        survey = acrobot_turned()
        one = survey.plays["random"]

        def inside(raw):
            return with_play(survey, random=play(lengths=one.lengths, rewards=one.rewards, raw_rewards=raw))

        assert isinstance(sign_confusion(inside(-0.5 * one.rewards)), Finding)
        assert sign_confusion(inside(np.random.default_rng(0).normal(0, 1, len(one.rewards)))) is None
        assert sign_confusion(inside(np.zeros(len(one.rewards)))) is None


def test_signs_add_up():
    survey = with_play(turned(solved_at(cart_pole(), 475.0)), automaton=lasting("automaton", np.full(30, 500), -1.0))
    answer = sign_confusion(survey)
    assert "; " in answer.message
    assert len(answer.evidence) == 2
    assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)


def test_cannot_tell_where_nothing_says_what_is_right():
    assert isinstance(sign_confusion(changed(world(), facts={})), CannotTell)
    assert isinstance(sign_confusion(with_play(known(-3.0), random=play(rewards=np.full(5000, np.inf)))), CannotTell)
    assert sign_confusion(solved_at(frozen_lake(), 0.7)) is None


class Reach(gym.Env):
    """A goal environment whose reward is computed from the two goals, with a factor."""

    def __init__(self, factor=-1.0):
        spot = gym.spaces.Box(-5, 5, (2,))
        self.observation_space = gym.spaces.Dict(observation=spot, achieved_goal=spot, desired_goal=spot)
        self.action_space = gym.spaces.Box(-1, 1, (2,))
        self.factor = factor

    def observed(self):
        spot, goal = self.spot.astype(np.float32), self.goal.astype(np.float32)
        return {"observation": spot, "achieved_goal": spot.copy(), "desired_goal": goal}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.spot, self.goal, self.left = np.zeros(2), self.np_random.uniform(-1, 1, 2), 30
        return self.observed(), {}

    def step(self, action):
        self.spot, self.left = np.clip(self.spot + 0.2 * np.asarray(action), -5, 5), self.left - 1
        reward = self.factor * float(np.linalg.norm(self.spot - self.goal))
        return self.observed(), reward, False, self.left == 0, {}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("factor", "level"), [(-1.0, None), (1.0, Level.ERROR)])
def test_a_goal_environment_that_pays_for_going_away(factor, level):
    seen = surveyed(lambda: Reach(factor), SurveyPlan(seconds=UNHURRIED, steps=900, episodes=30))
    answer = sign_confusion(seen)
    if level is None:
        assert not isinstance(answer, Finding)
    else:
        assert answer.level is level
        assert "nearest to the goal" in answer.message


class SpeedBonus(gym.Wrapper):
    """Pays a car for its speed, beside what it costs to be late."""

    def __init__(self, scale):
        super().__init__(gym.make("MountainCar-v0"))
        self.scale = scale

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        return observation, float(reward) + self.scale * abs(float(observation[1])), *rest


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("scale", "found"), [(500.0, True), (5.0, False)])
def test_a_bonus_that_outweighs_what_each_step_costs(scale, found):
    answer = sign_confusion(survey_before("the same seed twice", lambda: SpeedBonus(scale), steps=2000, episodes=10))
    assert isinstance(answer, Finding) == found
    assert not found or "inside of the wrappers every step costs 1" in answer.message


def shaped(prize):
    """Effort costs something inside and is paid outside; the end has a prize inside."""
    rng = np.random.default_rng(0)
    raw = -rng.uniform(0.01, 0.1, 5000)
    raw[49::50] += prize
    made = play("random", rewards=raw + rng.uniform(0.0, 0.3, 5000))
    return changed(world(), plays={"random": changed(made, raw_rewards=raw)})


def test_a_prize_inside_is_worth_what_each_step_costs():
    assert isinstance(sign_confusion.rule.ask(shaped(0.0)), Finding)
    assert not isinstance(sign_confusion.rule.ask(shaped(100.0)), Finding)


def booked(signs: tuple[float, ...], net: tuple[float, ...], scatter: float = 0.0) -> Survey:
    """A shop whose info tells revenue, orders, what holding costs, and a net of the three."""
    rng = np.random.default_rng(33)
    parts = {name: rng.gamma(2.0, 1.0, 5000) for name in ("revenue", "orders", "holding")}
    paid = sum(sign * part for sign, part in zip(signs, parts.values(), strict=True))
    told = sum(sign * part for sign, part in zip(net, parts.values(), strict=True)) + rng.normal(0, scatter, 5000)
    made = play("random", rewards=paid, metrics={**parts, "net": told})
    return survey_of(made, play("search", rewards=paid), facts={})


def test_a_part_with_the_other_sign_than_in_the_books():
    answer = sign_confusion(booked((1, -1, 1), (1, -1, -1)))
    assert answer.level == Level.WARN
    assert "it adds info['holding'], which info['net'], a net of the same parts, subtracts" in answer.message


@pytest.mark.parametrize(
    "survey",
    [
        booked((1, -1, -1), (1, -1, -1)),
        # a cost, a turnover, and a net that leaves something out or is told with an error
        booked((1, -1, -1), (-1, 1, 1)),
        booked((1, -1, -1), (1, 1, 1)),
        booked((1, -1, -1), (1, -1, 0)),
        booked((1, -1, 1), (1, -1, -1), scatter=0.1),
    ],
)
def test_books_that_agree_or_are_of_something_else(survey):
    assert not isinstance(sign_confusion(survey), Finding)


def desk(weight, name="fee", size=-0.05, gain=0.0):
    """Exchanges with a fee; `gain` is what an exchange earns beside it."""
    rng = np.random.default_rng(0)
    made = play("random", length=100)
    due = rng.random(len(made.rewards)) < 0.5
    fee = np.where(due, size, 0.0)
    rewards = rng.normal(0, 0.15, len(fee)) + weight * fee + gain * due
    return changed(world(), plays={"random": changed(made, rewards=rewards, metrics={name: fee})})


def test_a_cost_that_the_info_tells_of_must_not_pay():
    for sick in (desk(-1.0, size=-0.2), desk(1.0, name="bumps", size=1.0), desk(1.0, name="energy_cost", size=0.5)):
        answer = sign_confusion.rule.ask(sick)
        assert isinstance(answer, Finding)
        assert "which is a cost by its name" in answer.message
    for healthy in (
        # charged, as a cost below 0 or above, in part, or against a sale that earns more
        desk(1.0, size=-0.2),
        desk(-1.0, name="bumps", size=1.0),
        desk(-0.1, name="energy_cost", size=0.5),
        desk(-1.0, name="fee", size=0.2, gain=1.0),
        # what is no cost by its name, or one that was saved
        desk(1.0, name="hits", size=1.0),
        desk(1.0, name="saved_cost", size=0.5),
    ):
        assert not isinstance(sign_confusion.rule.ask(healthy), Finding)


def stocked(holding, purchase=-1.0, *, name="holding_cost", scatter=0.0, beside=0.0):
    """A shop that is paid for sales, less what it orders and what storing costs, all of which the info tells."""
    rng = np.random.default_rng(0)
    made = play("random", length=100)
    steps = len(made.rewards)
    told = {
        "sales": rng.integers(0, 20, steps).astype(float),
        name: rng.integers(0, 30, steps) / 10,
        "purchase_cost": 5.0 * rng.integers(0, 9, steps),
    }
    if beside:
        told["half_cost"] = beside * told[name]
    rewards = 2.0 * told["sales"] + holding * told[name] + purchase * told["purchase_cost"]
    return changed(
        world(), plays={"random": changed(made, rewards=rewards + rng.normal(0, scatter, steps), metrics=told)}
    )


def test_a_cost_that_is_added_to_a_sum_of_known_parts():
    answer = sign_confusion.rule.ask(stocked(1.0))
    assert isinstance(answer, Finding)
    assert "a sum of 3 numbers of the info and adds 1 times info['holding_cost']" in answer.message
    for healthy in (
        stocked(-1.0),
        # its weight is not known where another number has all its values, or where more is paid than is told
        stocked(1.0, beside=0.5),
        stocked(0.3, scatter=5.0),
        # what is saved, or what an older one would have cost
        stocked(1.0, name="saved_cost"),
        stocked(1.0, name="old_cost"),
    ):
        assert not isinstance(sign_confusion.rule.ask(healthy), Finding)


def heated(pay, *, drawn=False, begin=15.0):
    """A room that wanders around the temperature that it should have, which is set or drawn by each reset."""

    def warm(rng, step, before):
        return begin + rng.normal(0, 4) if before is None else before + rng.normal(0.3, 0.5)

    def wish(rng, step, before):
        return rng.uniform(19, 23) if before is None else before

    attributes = {"temp": warm, **({"setpoint": wish} if drawn else {})}

    def paid(before, after):
        wanted = float(after["setpoint"][0]) if drawn else 21.0
        return pay(float(after["temp"][0]) - wanted)

    kept = held(attributes, lambda now, before, ended: now["temp"], pay=paid, episodes=20, length=30)
    settings = {} if drawn else {"setpoint": 21.0, "leak": 0.5}
    return changed(world(), observation=box(1), held=msgspec.structs.replace(kept, settings=settings))


def test_the_reward_goes_on_rising_through_what_should_be_best():
    for sick in (
        heated(lambda away: -0.2 * away),
        heated(lambda away: away, drawn=True),
        # degrees of another scale, in which the room is far from what it should have
        heated(lambda away: -abs(1.8 * (away + 21.0) + 32.0 - 21.0)),
    ):
        answer = sign_confusion.rule.ask(sick)
        assert answer.severity is Level.WARN
        assert "as if nothing were best there" in answer.message
    for healthy in (
        heated(lambda away: -abs(away)),
        heated(lambda away: -(away**2)),
        heated(lambda away: -abs(away), drawn=True),
        # too warm costs more, within a degree all is well, and it never gets there
        heated(lambda away: -away if away > 0 else 0.3 * away),
        heated(lambda away: -max(abs(away) - 1.0, 0.0)),
        heated(lambda away: -0.2 * away, begin=-20.0),
    ):
        assert not isinstance(sign_confusion.rule.ask(healthy), Finding)


def shop(pay, name="makespan"):
    """Jobs that are put on machines: the time at which all are done grows by now this and now that."""
    made = play("random", length=20)
    growth = np.random.default_rng(0).integers(0, 9, len(made.rewards)).astype(float)
    done = np.concatenate([np.cumsum(each) for each in growth.reshape(-1, 20)])
    return changed(world(), plays={"random": changed(made, rewards=pay(done, growth), metrics={name: done})})


def test_what_is_to_be_made_small_is_not_to_pay_by_growing():
    for sick in (
        shop(lambda done, growth: growth),
        shop(lambda done, growth: 0.1 * done, "tracking_error"),
        shop(lambda done, growth: growth, "waiting_time"),
    ):
        assert "which is to be made small" in sign_confusion.rule.ask(sick).message
    for healthy in (
        shop(lambda done, growth: -growth),
        shop(lambda done, growth: -0.1 * done, "tracking_error"),
        # a score, and what is paid beside something else
        shop(lambda done, growth: growth, "score"),
        shop(lambda done, growth: growth + np.sin(done)),
    ):
        assert not isinstance(sign_confusion.rule.ask(healthy), Finding)


class Nim(gym.Env):
    """Take one to three from the pile against chance; who takes the last wins, which the info says in words."""

    observation_space = gym.spaces.Discrete(22)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, paid, words):
        self.paid, self.words = paid, words

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pile = int(self.np_random.integers(10, 22))
        return self.pile, {}

    def step(self, action):
        for winner, taken in enumerate((int(action) + 1, int(self.np_random.integers(1, 4)))):
            self.pile = max(self.pile - taken, 0)
            if not self.pile:
                return 0, self.paid[winner], True, False, {"winner": self.words[winner]}
        return self.pile, 0.0, False, False, {}


def test_who_has_won_is_read_where_the_info_says_it_in_words():
    def ask(*given):
        return sign_confusion.rule.ask(
            survey_before("the same seed twice", lambda: Nim(*given), steps=2000, episodes=200)
        )

    assert "the return falls as 'won' rises" in ask((-1.0, 1.0), ("agent", "other")).message
    assert "the return falls as 'won' rises" in ask((0.0, 5.0), ("WIN", "loss")).message
    assert ask((1.0, -1.0), ("agent", "other")) is None
    # two names that do not say who the agent is
    assert isinstance(ask((-1.0, 1.0), ("black", "white")), CannotTell)


def board_games(lost=1.0, drawn=0.0, reply=-1.0):
    """Games on nine fields that end after some moves: by one's own stone, by a reply, or with a full board."""
    rng = np.random.default_rng(0)
    before, after, rewards, lengths = [], [], [], []
    for _ in range(120):
        board, last, replied = np.zeros(9), int(rng.integers(2, 5)), bool(rng.integers(2))
        order = rng.permutation(9)
        for move in range(last):
            before.append(board.copy())
            board[order[2 * move]] = 1.0
            over = move == last - 1
            if not over or replied:
                board[order[2 * move + 1]] = reply
            after.append(board.copy())
            rewards.append(0.0 if not over else drawn if (board != 0).all() else lost if replied else 1.0)
        lengths.append(last)
    made = play(
        lengths=lengths, rewards=np.array(rewards), observations=np.array(before), successors=np.array(after), columns=9
    )
    return changed(world(), observation=box(9, -1.0, 1.0), plays={"random": made})


def test_a_game_that_pays_for_losing():
    answer = sign_confusion.rule.ask(board_games())
    assert isinstance(answer, Finding)
    assert "that are decided by a move of the other side pay 1" in answer.message
    for healthy in (board_games(lost=-1.0), board_games(lost=0.0), board_games(reply=0.5)):
        assert not isinstance(sign_confusion.rule.ask(healthy), Finding)
