"""The climb: in which order, how often, when it stops, and what it finds."""

from __future__ import annotations

import gymnasium
import pytest
from msgspec.structs import replace

from tests import trainers
from weaklink import probe
from weaklink.base.evidence.outcome import (
    OUT_OF_TIME,
    RIGHT,
    UNDECIDED,
    UNSEEN,
    WRONG,
    Measure,
    Outcome,
    Rung,
    RungTrial,
)
from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredUpdate, RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.rollout_packing import pack_rollout
from weaklink.base.evidence.traits import Traits
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.collect.probes.catalogue import ALL_PROBES, find_probe
from weaklink.collect.probes.inline import InlineRunner
from weaklink.collect.probes.ladder import ANSWERED, LadderClimb, ProbeJob
from weaklink.collect.probes.plan import ProbePlan, ScriptPlan
from weaklink.collect.probes.registration import READ_TITLES
from weaklink.collect.probes.trainers import read_traits
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.verbs.probe import climb

SMALL = Traits(steps=100, actions=("discrete",), forms=())
FIRST = ("constant-reward", "observed-reward", "delayed-reward", "two-actions")


class Played:
    """Carries out trainings by a table of what each gives; what is not in it is right. Nothing is read of updates."""

    def __init__(self, gives=None, *, room: int = 1, shows: tuple[str, ...] = ("value",)) -> None:
        self.room = room
        self.begun: list[ProbeJob] = []
        self.closed = False
        self._gives = gives or (lambda job: True)
        self._shows = shows
        self._running: list[ProbeJob] = []

    def begin(self, job: ProbeJob) -> None:
        assert len(self._running) < self.room
        if job.title not in READ_TITLES:
            self.begun.append(job)
        self._running.append(job)

    def finished(self) -> tuple[ProbeJob, RungTrial]:
        job = self._running.pop(0)
        given = None if job.title in READ_TITLES else self._gives(job)
        if isinstance(given, str):
            return job, RungTrial(seed=job.seed, steps=job.steps, failure=given, kind="raised")
        measures = () if given is None else (measured(1.0 if given else 0.0),)
        return job, RungTrial(seed=job.seed, steps=job.steps, taken=job.steps, measures=measures, shows=self._shows)

    def close(self) -> None:
        self.closed = True


def measured(value: float) -> Measure:
    return Measure(what="value", where="anywhere", measured=value, right=1.0, low=0.9, high=1.1)


def climbed(runner: Played, *, traits: Traits = SMALL, **fields) -> Outcome:
    outcome = climb("made", traits, ProbePlan(**fields), runner)
    assert runner.closed
    return outcome


def names(outcome: Outcome) -> list[str]:
    return [rung.name for rung in outcome.rungs]


def test_the_rungs_are_climbed_in_their_order():
    runner = Played(shows=("value", "q"))
    outcome = climbed(runner)
    assert [rung.problem for rung in outcome.rungs] == list(dict.fromkeys(job.title for job in runner.begun))
    codes = [rung.code for rung in outcome.rungs]
    assert codes == sorted(codes)
    assert names(outcome)[:4] == list(FIRST)
    assert {len(rung.trials) for rung in outcome.rungs} == {3}
    assert (outcome.trainer, outcome.stopped, outcome.shows) == ("made", False, ("value", "q"))


def job_name(job: ProbeJob) -> str:
    return find_probe(job.title).name


def test_every_rung_of_a_right_trainer_is_right_whatever_runs_at_once():
    alone, many = climbed(Played()), climbed(Played(room=5))
    assert [(rung.code, rung.verdict) for rung in alone.rungs] == [(rung.code, rung.verdict) for rung in many.rungs]
    assert {rung.verdict for rung in many.rungs} == {RIGHT}


def test_nothing_else_begins_before_the_first_agent_is_seen():
    runner = Played(room=50, shows=())
    climbed(runner, seeds=2)
    assert [job_name(job) for job in runner.begun[:2]] == ["constant-reward"] * 2
    assert "observed-reward" not in {job_name(job) for job in runner.begun}


@pytest.mark.parametrize("room", [1, 4, 40])
def test_it_stops_at_the_first_broken_rung(room):
    runner = Played(lambda job: job_name(job) != "delayed-reward", room=room)
    outcome = climbed(runner)
    assert names(outcome) == ["constant-reward", "observed-reward", "delayed-reward"]
    assert [rung.verdict for rung in outcome.rungs] == [RIGHT, RIGHT, WRONG]


@pytest.mark.parametrize("room", [1, 4])
def test_rungs_that_tell_its_causes_apart_are_climbed_all_the_same(room):
    assert find_probe("TwoActions").world.told_apart_by == ("matching-action",)
    assert find_probe("ConstantReward").world.told_apart_by == ("observed-reward", "two-actions")
    outcome = climbed(Played(lambda job: job_name(job) != "two-actions", room=room))
    assert names(outcome)[-2:] == ["two-actions", "matching-action"]
    assert [rung.verdict for rung in outcome.rungs][-2:] == [WRONG, RIGHT]


def test_everything_goes_on_after_it():
    outcome = climbed(Played(lambda job: job_name(job) != "delayed-reward"), everything=True)
    assert names(outcome)[-1] == "reward-scale"
    assert [rung.name for rung in outcome.rungs if rung.verdict == WRONG] == ["delayed-reward"]


def test_seeds_that_missed_get_a_larger_budget():
    runner = Played(lambda job: job.seed != 1 or job.level > 0)
    (rung,) = climbed(runner, only=("terminal",), first_seed=0).rungs
    assert [(job.seed, job.steps, job.level) for job in runner.begun] == [
        (0, 100, 0),
        (1, 100, 0),
        (2, 100, 0),
        (1, 400, 1),
    ]
    assert rung.verdict == RIGHT
    assert [trial.steps for trial in rung.final] == [100, 400, 100]


def test_budgets_grow_as_often_as_the_plan_says():
    runner = Played(lambda job: False)
    climbed(runner, only=("terminal",), seeds=1, levels=3, first_seed=7)
    assert [(job.seed, job.steps) for job in runner.begun] == [(7, 100), (7, 400), (7, 1600)]
    alone = Played(lambda job: False)
    climbed(alone, only=("terminal",), seeds=1, levels=1)
    assert len(alone.begun) == 1


def test_a_failure_is_not_tried_again_with_a_larger_budget():
    runner = Played(lambda job: "ValueError: no")
    (rung,) = climbed(runner).rungs
    assert len(runner.begun) == 3
    assert rung.verdict == WRONG


def test_two_more_seeds_when_it_is_undecided():
    runner = Played(lambda job: job.seed != 2)
    (rung,) = climbed(runner, only=("terminal",)).rungs
    assert [job.seed for job in runner.begun] == [0, 1, 2, 2, 3, 4]
    assert rung.verdict == UNDECIDED
    worse = Played(lambda job: job.seed not in (2, 4))
    (rung,) = climbed(worse, only=("terminal",)).rungs
    assert rung.verdict == WRONG
    assert len(rung.failed) == 2


def test_a_single_seed_asks_for_no_more():
    runner = Played(lambda job: False)
    (rung,) = climbed(runner, only=("terminal",), seeds=1, levels=1).rungs
    assert (len(runner.begun), rung.verdict) == (1, WRONG)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ((True, True, True), RIGHT),
        ((False, False, False), WRONG),
        ((True, False, False), WRONG),
        ((True, True, False), UNDECIDED),
        ((True, True, True, False, False), WRONG),
        ((True, True, True, True, False), UNDECIDED),
        ((True, True, True, True, False, False), UNDECIDED),
        ((False,), WRONG),
        ((None, None), UNSEEN),
        ((), UNSEEN),
        ((None, True), RIGHT),
    ],
)
def test_verdicts(said, verdict):
    trials = [
        RungTrial(seed=seed, steps=9, measures=() if one is None else (measured(float(one)),))
        for seed, one in enumerate(said)
    ]
    rung = Rung(code="PRB101", name="constant-reward", problem="X", environment="x", trials=tuple(trials))
    assert rung.verdict == verdict


def test_rungs_that_the_agent_cannot_answer_are_left_with_the_reason():
    outcome = climbed(Played(shows=()))
    assert outcome.left["Terminal"] == "expose `value` or `q`"
    assert "expose `q`" in outcome.left["QValues"]
    assert "not recurrent" in outcome.left["Memory"]
    assert "continuous" in outcome.left["ContinuousTarget"]
    assert not set(outcome.left) & {rung.problem for rung in outcome.rungs}
    every = {*outcome.left, *(rung.problem for rung in outcome.rungs)}
    assert every == {probe.title for probe in ALL_PROBES}


def test_a_trainer_that_always_fails_is_not_told_what_to_expose():
    outcome = climbed(Played(lambda job: "ValueError: no"))
    assert names(outcome) == ["constant-reward"]
    assert not [reason for reason in outcome.left.values() if "expose" in reason]
    everything = climbed(Played(lambda job: "ValueError: no"), everything=True)
    assert len(everything.rungs) > 10


def test_what_an_agent_shows_is_learned_from_the_first_that_comes_back():
    outcome = climbed(Played(lambda job: "no" if job_name(job) == "constant-reward" else True), everything=True)
    assert outcome.shows == ("value",)
    assert "expose `q`" in outcome.left["QValues"]
    assert "q-values" not in names(outcome)


@pytest.mark.parametrize(("shows", "budgets"), [
    (("behaviour",), [100, 400]),  # perhaps it logs later
    (("behaviour", "numbers"), [100]),  # it logs, and nothing about values
])  # fmt: skip
def test_the_first_rung_of_a_script_is_trained_for_longer_where_it_may_log_later(shows, budgets):
    runner = Played(lambda job: None, shows=shows)
    climb("made", SMALL, ScriptPlan(seeds=1), runner)
    assert [job.steps for job in runner.begun if job_name(job) == "constant-reward"] == budgets


def test_values_of_several_steps_are_not_asked_of_the_log_of_a_soft_agent():
    outcome = climbed(Played(shows=("behaviour", "log", "soft")))
    left = {title for title, why in outcome.left.items() if "a bonus for entropy" in why}
    assert left == {"DelayedReward", "TimeLimit", "LastObservation", "Terminal", "ShiftedPairing"}
    assert "observed-reward" in names(outcome)


class Slow(Played):
    """A runner whose trainings take ten seconds each by the clock of the climb, and whose updates are read."""

    def __init__(self, monkeypatch, gamma):
        super().__init__(shows=("behaviour", "log"))
        self.now, values = 0.0, (RecoveredValues(head="critic", kind=STATE_VALUES, gamma=gamma),)
        self._read = pack_rollout(Rollout(step=1.0, update=1, recovered=RecoveredUpdate(values=values)))
        monkeypatch.setattr("weaklink.collect.probes.ladder.time.monotonic", lambda: self.now)

    def finished(self):
        job, trial = super().finished()
        self.now += 10.0
        return job, replace(trial, readings=(self._read,)) if job.title in READ_TITLES else trial


@pytest.mark.parametrize("gamma", [0.9, None])
def test_what_a_read_update_tells_is_trained_last_and_not_missed(monkeypatch, gamma):
    runner = Slow(monkeypatch, gamma)
    outcome = climb("made", SMALL, ScriptPlan(seeds=1, seconds=65.0), runner)
    first, *others = [job_name(job) for job in runner.begun]
    assert first == "constant-reward"
    if gamma is None:  # nothing was said about targets: in their order
        assert others[:2] == ["observed-reward", "delayed-reward"]
        assert outcome.left["Terminal"] == outcome.left["LongCredit"] == OUT_OF_TIME
    else:
        assert others == ["two-actions", "matching-action", "exploration", "long-credit", "reward-scale"]
        assert outcome.left["Terminal"] == outcome.left["ObservedReward"] == ANSWERED
        assert outcome.left["SmallRewards"] == OUT_OF_TIME


def test_only_some():
    outcome = climbed(Played(), only=("terminal", "two-actions", "LongCredit"))
    assert [rung.problem for rung in outcome.rungs] == ["TwoActions", "Terminal", "LongCredit"]
    assert outcome.left == {}


def test_both_forms_of_action():
    both = Traits(steps=100, forms=())
    titles = [rung.problem for rung in climbed(Played(), traits=both, actions="both").rungs]
    assert titles[:4] == ["ConstantReward", "ConstantRewardContinuous", "ObservedReward", "ObservedRewardContinuous"]
    usual = [rung.problem for rung in climbed(Played(), traits=both).rungs]
    assert "ConstantRewardContinuous" not in usual
    assert "ContinuousTarget" in usual
    other = [rung.problem for rung in climbed(Played(), traits=both, actions="continuous").rungs]
    assert "ConstantReward" not in other


def test_ctrl_c_keeps_what_was_found():
    def interrupted(job: ProbeJob) -> bool:
        if job_name(job) == "delayed-reward":
            raise KeyboardInterrupt
        return True

    outcome = climbed(Played(interrupted))
    assert outcome.stopped
    assert names(outcome) == ["constant-reward", "observed-reward"]


def test_a_miss_on_its_way_is_none_where_the_climb_was_stopped():
    asked = []

    def interrupted(job: ProbeJob) -> bool:
        if job_name(job) != "delayed-reward":
            return True
        asked.append(job)
        if len(asked) > 1:
            raise KeyboardInterrupt
        return False

    outcome = climbed(Played(interrupted))
    assert outcome.stopped
    assert [rung.verdict for rung in outcome.rungs if rung.name != "delayed-reward"] == ["right", "right"]
    assert "wrong" not in [rung.verdict for rung in outcome.rungs]


def test_what_goes_wrong_in_a_runner_closes_it():
    def broken(job: ProbeJob) -> bool:
        raise RuntimeError("no more processes")

    runner = Played(broken)
    with pytest.raises(RuntimeError):
        LadderClimb("made", SMALL, ProbePlan(), runner).climbed()
    assert runner.closed


def test_progress_is_told():
    told = []
    LadderClimb("made", SMALL, ProbePlan(only=FIRST), Played(), lambda *words: told.append(words)).climbed()
    assert told[0] == ("constant-reward (0 rungs done, 4 left)", 0, 0)
    assert told[-1][0].startswith("two-actions (")
    assert told[-1][1:] == (11, 11)


# -- real trainings


@pytest.mark.parametrize(
    "train",
    [
        pytest.param(trainers.remembering, id="remembering", marks=pytest.mark.whole),
        pytest.param(trainers.q_learner, id="q_learner"),
    ],
)
def test_a_right_trainer_is_healthy_on_its_whole_ladder(train):
    result = probe(train)
    assert result.diagnosis.verdict is Verdict.HEALTHY
    assert {rung.verdict for rung in result.outcome.rungs} == {RIGHT}
    assert [finding for finding in result.diagnosis.findings if finding.severity >= Level.WARN] == []
    assert all(len(rung.trials) == 3 for rung in result.outcome.rungs), "no rung needed more"
    assert len(result.outcome.rungs) >= 14


def test_a_right_trainer_is_healthy_with_continuous_actions():
    titles = [f"{name}Continuous" for name in ("TwoActions", "MatchingAction", "TimeLimit", "LongCredit")]
    result = probe(trainers.right, only=(*titles, "WideAction"), seeds=2)
    assert result.diagnosis.verdict is Verdict.HEALTHY
    assert len(result.outcome.rungs) == 5
    assert {rung.verdict for rung in result.outcome.rungs} == {RIGHT}


@pytest.mark.parametrize(
    ("name", "only", "code", "link"),
    [
        ("sign_flipped", (), "PRB104", Link.POLICY),
        ("terminal_ignored", (), "PRB101", Link.ENVIRONMENT),
        ("no_discount", (), "PRB103", Link.RETURNS),
        pytest.param("short_sighted", (), "PRB103", Link.RETURNS, marks=pytest.mark.whole),
        ("limits_are_ends", (*FIRST, "time-limit", "terminal"), "PRB106", Link.ENVIRONMENT),
        pytest.param("reset_taken_in", (), "PRB106", Link.ENVIRONMENT, marks=pytest.mark.whole),
        ("masks_ignored", ("spaces",), "PRB119", Link.ACTION),
        ("memory_leaks", ("memory-reset",), "PRB113", Link.DATA),
        ("not_finite", (), "PRB101", Link.OPTIMIZER),
        ("ends_early", (), "PRB123", Link.DATA),
        ("raises", (), "PRB120", Link.SYSTEM),
    ],
)
def test_planted_faults_are_found_where_they_are(name, only, code, link):
    result = probe(getattr(trainers, name), only=only, seeds=2)
    first = result.diagnosis.first_break
    assert result.diagnosis.verdict is Verdict.BROKEN
    assert first is not None
    assert (first.code, first.link) == (code, link)


def test_a_seed_without_luck_is_no_alarm():
    result = probe(trainers.chancy, only=FIRST, actions="discrete")
    assert result.diagnosis.verdict is Verdict.HEALTHY
    assert [rung.verdict for rung in result.outcome.of("two-actions")] == [UNDECIDED]
    assert {finding.severity for finding in result.diagnosis.findings} == {Level.INFO}


def test_a_slow_trainer_is_given_the_time_that_it_needs():
    train = trainers.slow
    outcome = LadderClimb(
        "slow", read_traits(train), ProbePlan(only=("TwoActions",), seeds=2), InlineRunner(train)
    ).climbed()
    assert [(trial.steps, trial.holds) for trial in outcome.rungs[0].trials] == [
        (1000, False),
        (1000, False),
        (4000, True),
        (4000, True),
    ]
    assert outcome.rungs[0].verdict == RIGHT


def test_an_agent_that_only_acts_is_judged_by_what_it_does():
    result = probe(trainers.silent, seeds=1)
    assert result.diagnosis.verdict is Verdict.HEALTHY
    assert [rung.name for rung in result.outcome.rungs if rung.verdict == UNSEEN] == ["constant-reward"]
    assert any("could not be judged: constant-reward" in note for note in result.diagnosis.notes)


def picky(kind):
    """A trainer that says nothing of itself and refuses other actions, and observations other than vectors."""

    def train(make_env, steps, seed, gamma=0.9):
        env = make_env()
        if kind not in type(env.action_space).__name__.lower().replace("box", "continuous"):
            raise TypeError(f"cannot take {env.action_space}")
        if not isinstance(env.observation_space, gymnasium.spaces.Box) or len(env.observation_space.shape) != 1:
            raise ValueError("vectors only")
        return trainers.right(make_env, steps, seed, gamma)

    return train


@pytest.mark.parametrize(("kind", "suffix"), [("discrete", ""), ("continuous", "Continuous")])
def test_spaces_that_a_trainer_refuses_are_no_fault(kind, suffix):
    probed = probe(picky(kind), seeds=1, steps=1000)
    assert probed.diagnosis.verdict is Verdict.HEALTHY
    assert "does not take it" in probed.outcome.left[f"MatchingActionDict{suffix}"]
    assert f"TwoActions{suffix}" in {rung.problem for rung in probed.outcome.rungs}


def blind(**said):
    """A trainer of vectors that takes anything, and sees nothing of images and dictionaries."""

    def train(make_env, steps, seed, gamma=0.9):
        vectors = make_env().observation_space.shape is not None and len(make_env().observation_space.shape) == 1
        return (trainers.right if vectors else trainers.sign_flipped)(make_env, steps, seed, gamma)

    vars(train).update({"actions": "discrete", "steps": 1000, **said})
    return train


def test_observations_that_nobody_said_it_learns_from_are_no_fault():
    probed = probe(blind(), seeds=2, only=(*FIRST, "matching-action", "spaces"))
    assert probed.diagnosis.verdict is Verdict.HEALTHY
    assert "does not learn from image observations" in probed.outcome.left["MatchingActionImage"]
    assert "train.forms" in probed.outcome.left["MatchingActionDict"]
    assert "spaces" not in probed.outcome


@pytest.mark.parametrize("forms", [pytest.param(("image", "dict"), marks=pytest.mark.whole), "image"])
def test_observations_that_it_is_said_to_learn_from_are_judged(forms):
    probed = probe(blind(forms=forms), seeds=2, only=(*FIRST, "matching-action", "spaces"))
    assert probed.diagnosis.first_break.code == "PRB119"


def test_who_says_only_which_actions_it_takes_may_refuse_images():
    train = picky("discrete")
    train.actions = ("discrete",)
    probed = probe(train, seeds=1, steps=1000)
    assert probed.diagnosis.verdict is Verdict.HEALTHY
    assert "vectors only" in probed.outcome.left["MatchingActionImage"]


@pytest.mark.parametrize("only", [(), ("ConstantReward",), ("TwoActions",), ("PRB114",)])
def test_a_trainer_that_takes_nothing_fails(only):
    probed = probe(picky("neither"), seeds=1, only=only)
    assert probed.diagnosis.first_break.code == "PRB120"


@pytest.mark.parametrize("at", ["Discrete", "Box"])
def test_ctrl_c_ends_a_trainer_that_raises(at):
    """Whether it comes while the first kind of action is tried, or while the second is."""
    trained = []

    def train(make_env, steps, seed):
        trained.append(type(make_env().action_space).__name__)
        if trained.count(at) == 2:
            raise KeyboardInterrupt
        raise TypeError("a shape is wrong")

    outcome = probe(train, seeds=2, only=("constant-reward",)).outcome
    assert outcome.stopped
    assert trained[-1] == at
    assert [trial.kind for rung in outcome.rungs for trial in rung.trials].count("raised") >= 1
