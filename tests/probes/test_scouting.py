"""Training scripts as people have them, put on the ladder by their file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probes import scripts
from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RIGHT, WRONG
from weaklink.collect.probes.command import WARMUP
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.scouting import FIRST_STEPS, ScriptSetup, _count_first_steps, set_up_script
from weaklink.collect.probes.script_options import EVERY, ROLLOUT, ScriptOption
from weaklink.verbs.probe import ProbeOptions, _plan_for_script, probe

pytest.importorskip("gymnasium")

SOURCES = Path(__file__).parents[2] / "src"


@pytest.fixture
def script(tmp_path, tmp_path_factory, monkeypatch):
    """Writes a script into a folder of its own, from which it is started."""
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("temporary")))

    def written(text):
        (tmp_path / "train.py").write_text(text)
        return "train.py"

    return written


def climbed(script, *only, arguments=(), **plan):
    options = ProbeOptions(script=script, arguments=arguments, plan=ProbePlan(only=only, everything=True, **plan))
    return probe(options).outcome


def verdicts(outcome):
    return {rung.problem: rung.verdict for rung in outcome.rungs}


def test_a_script_with_options_is_told_the_environment_and_climbs(script):
    file = script(scripts.BY_ARGPARSE)
    setup = set_up_script(file, ("--rate", "0.3", "--seed=9"), ProbePlan())
    assert not setup.in_place
    assert setup.kind == "discrete"
    assert setup.command.endswith("train.py --rate 0.3 --env-id '{env}' --total-timesteps '{steps}' --seed '{seed}'")
    assert setup.notes == ()
    rungs = ("TwoActions", "MatchingAction")
    assert verdicts(climbed(file, *rungs)) == dict.fromkeys(rungs, RIGHT)


@pytest.mark.whole  # tests/cli/test_probe.py probes the same script by the command
def test_a_script_that_learns_the_wrong_way_round_is_found(script):
    outcome = climbed(script(scripts.BY_ARGPARSE), "TwoActions", arguments=("--rate", "-0.3"), steps=500)
    [rung] = outcome.rungs
    assert rung.verdict == WRONG
    assert len(rung.final) == 3  # two more seeds before it is called broken
    assert outcome.again(rung) == "weaklink probe train.py --steps 500 --only TwoActions -- --rate -0.3"


@pytest.mark.whole
def test_a_hard_coded_environment_is_replaced_and_its_budget_is_no_failure(script, tmp_path):
    file = script(scripts.HARD_CODED)
    setup = set_up_script(file, (), ProbePlan())
    assert setup.in_place
    assert (setup.asked, setup.numbers) == (("CartPole-v1",), 4)
    assert [note.partition(":")[0] for note in setup.notes] == ["environment", "total steps", "seed"]
    rungs = ("ConstantReward", "TwoActions", "MatchingAction")
    outcome = climbed(file, *rungs)
    assert verdicts(outcome) == dict.fromkeys(rungs, RIGHT)
    assert outcome.shows == ("behaviour", "log")  # the log that it writes beside itself was read
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.py"]  # and was not left there


@pytest.mark.whole
def test_a_probe_has_the_shape_of_the_environment_whose_place_it_takes(script):
    rungs = ("TwoActions", "MatchingAction")
    assert verdicts(climbed(script(scripts.ONLY_FOUR_NUMBERS), *rungs)) == dict.fromkeys(rungs, RIGHT)


def test_a_script_for_continuous_actions_gets_continuous_problems(script):
    file = script(scripts.ONLY_BOXES)
    assert set_up_script(file, (), ProbePlan()).kind == "continuous"
    rungs = ("TwoActionsContinuous", "MatchingActionContinuous")
    assert verdicts(climbed(file, *rungs)) == dict.fromkeys(rungs, RIGHT)


def test_a_vector_that_is_made_by_name_is_replaced(script):
    outcome = climbed(script(scripts.ONE_VECTOR), "TwoActions", levels=1)
    assert verdicts(outcome) == {"TwoActions": RIGHT}  # it always takes the second action, which is the right one


@pytest.mark.parametrize(("action", "verdict"), [("1", RIGHT), ("0", WRONG)])
def test_a_training_is_ended_once_its_actions_have_answered(script, action, verdict):
    plan = {"steps": 8000, "levels": 1, "seconds": 60.0}
    outcome = climbed(script(scripts.ALWAYS), "TwoActions", arguments=(action,), **plan)
    trials = outcome.rungs[0].trials
    assert verdicts(outcome) == {"TwoActions": verdict}
    assert all((trial.taken < 7000) is (verdict == RIGHT) for trial in trials)
    assert trials[0].measures[0].what == "behaviour"


@pytest.mark.parametrize(("text", "told"), [
    (scripts.WITHOUT_MAKE, "gymnasium.make"),
    (scripts.NEEDS_MORE, "does not start: ModuleNotFoundError: No module named 'surely_not_installed'. Install"),
    ("raise RuntimeError('no data')", "does not come to its first step .*RuntimeError: no data"),
])  # fmt: skip
def test_a_script_that_cannot_be_probed_is_told_what_to_do(script, text, told):
    with pytest.raises(UsageError, match=told):
        set_up_script(script(text), (), ProbePlan())


def test_time_that_is_up_leaves_rungs_out_and_calls_nothing_broken(script):
    outcome = climbed(script(scripts.CRAWLS.replace("sys.argv[1]", "'CartPole-v1'").replace("sys.argv[2]", "9e9")),
                      "TwoActions", seconds=12.0)  # fmt: skip
    assert outcome.rungs == ()
    assert outcome.untried == ("TwoActions",)


def option(name, default):
    return {name: ScriptOption(f"--{name}", default)}


def test_a_learner_from_a_replay_begins_with_as_many_steps_as_make_a_thousand_updates():
    replay = option(WARMUP, 25_000)
    assert _count_first_steps(replay) == 1000  # SAC, TD3
    assert _count_first_steps(replay | option(EVERY, 2)) == 2000
    assert _count_first_steps(replay | option(EVERY, 10)) == FIRST_STEPS  # DQN
    assert _count_first_steps(replay | option(EVERY, None)) == 1000
    assert _count_first_steps(replay | option(ROLLOUT, 128)) == FIRST_STEPS
    assert _count_first_steps({}) == FIRST_STEPS


def test_the_largest_budget_of_a_rung_does_not_depend_on_the_first():
    for steps, levels in ((1000, 4), (4000, 3), (4096, 3), (16_384, 2), (100_000, 2)):
        setup = ScriptSetup(command="train.py", kind="discrete", in_place=False, steps=steps)
        assert _plan_for_script(ProbePlan(), setup, 0.0).levels == levels
