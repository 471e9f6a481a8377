"""The emergency procedure: the smallest agent, easier versions, parts of the reward alone, and what the model sees."""

from __future__ import annotations

import json
import signal
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.case.projects import ROOM, written
from tests.cli.logs import invoke
from tests.unwrapping import unwrapped
from weaklink.base.errors import UsageError
from weaklink.base.evidence.survey import Play
from weaklink.show.rendering import render
from weaklink.show.subjects import minimal as minimal_subject
from weaklink.verbs.debug.folder import CaseFolder, decode_struct, encode_struct
from weaklink.verbs.debug.minimal import children, playing
from weaklink.verbs.debug.minimal.answer import answer_minimal
from weaklink.verbs.debug.minimal.easing import AS_IT_IS, build_maker, find_easy_environments, list_tasks
from weaklink.verbs.debug.minimal.evidence import (
    FAILED,
    LEARNT,
    NOT_LEARNT,
    NOTHING_TO_LEARN,
    SOMETIMES,
    UNCLEAR,
    Minimal,
    MinimalLook,
    PlayedEpisodes,
    TaskVersion,
    TrainingAttempt,
)
from weaklink.verbs.debug.minimal.judging import find_conflicts, judge_version, measure_effects
from weaklink.verbs.debug.minimal.plan import MinimalPlan
from weaklink.verbs.debug.minimal.playing import play_episodes as episodes_of
from weaklink.verbs.debug.minimal.procedure import order_versions, run_minimal
from weaklink.verbs.debug.minimal.seeing import describe_part
from weaklink.verbs.debug.target import load_target, parse_target

TUG = '''
import gymnasium
import numpy as np


class Tug(gymnasium.Env):
    """Going to the side that is shown pays; going left and going right are paid for as well."""

    def __init__(self, length=16):
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.made = 0
        return self.look(), {}

    def look(self):
        self.side = int(self.np_random.integers(2))
        shown = 2.0 * self.side - 1.0
        return np.array([shown, shown, 0.5, self.np_random.uniform(-1, 1)], np.float32)

    def step(self, action):
        left, right = float(action == 0), float(action == 1)
        self.made += 1
        paid = left + right + float(action == self.side)
        return self.look(), paid, self.made >= self.length, False, {"reward_left": left, "reward_right": right}


def make_env(length=16):
    return Tug(length)


easiest = {"length": 8}
'''

OF_ITS_OWN = """

def deadly():
    import os

    os._exit(3)


easy_envs = {"deadly": deadly}
easiest = None
"""

QUICK = MinimalPlan(seconds=200.0, steps=1536, seeds=1, workers=1, episodes=12)
needs_agent = pytest.mark.skipif(
    not find_spec("stable_baselines3"), reason="needs stable-baselines3, which is not loaded in this process"
)
SPREAD = np.random.default_rng(0).normal(0.0, 1.0, 20)


def played(mean: float, **parts: float) -> PlayedEpisodes:
    return PlayedEpisodes(
        returns=tuple(mean + SPREAD),
        lengths=(5,) * len(SPREAD),
        parts={name: tuple(value + SPREAD) for name, value in parts.items()},
    )


def attempt(task: str = AS_IT_IS, *, random: float = 0.0, trained: float = 0.0, **changes: object) -> TrainingAttempt:
    facts = {"task": task, "seed": 0, "steps": 5000, "random": played(random), "trained": played(trained)}
    return TrainingAttempt(**{**facts, **changes})


EASY = TaskVersion(name="easy", told=("one start",), one_start=True)
WHOLE = TaskVersion(name=AS_IT_IS)


def concluded(*given: tuple[TaskVersion, TrainingAttempt], looked: MinimalLook | None = None) -> Minimal:
    versions = tuple(judge_version(task, [one]) for task, one in given)
    found = measure_effects(versions, ("a", "b"))
    target = parse_target(environment="CartPole-v1")
    return answer_minimal(
        Minimal(
            target=target,
            looked=looked or MinimalLook(algorithm="PPO", settings={"network": [32, 32], "learning_rate": 0.003}),
            versions=versions,
            effects=found,
            fights=find_conflicts(found),
        )
    )


# -- judging ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempts", "state"),
    [
        ([attempt(trained=5.0)], LEARNT),
        ([attempt(trained=5.0), attempt(trained=0.0, seed=1)], SOMETIMES),
        ([attempt(trained=0.2)], NOT_LEARNT),
        ([attempt(trained=-5.0)], NOT_LEARNT),
        ([attempt(trained=0.0, steps=100)], UNCLEAR),
        ([attempt(failure="ValueError: no")], FAILED),
        ([attempt(random=0.0, trained=float("nan"))], UNCLEAR),
        ([attempt(random=0.0, trained=5.0), attempt(failure="ValueError: no")], LEARNT),
        ([attempt(trained=0.2, steps=3000, late=True)], UNCLEAR),
        ([attempt(trained=5.0, steps=3000, late=True)], LEARNT),
    ],
)
def test_a_version_is_judged_against_random_play(attempts: list[TrainingAttempt], state: str) -> None:
    assert judge_version(WHOLE, attempts).state == state


def test_a_reward_that_never_differs_is_nothing_to_learn() -> None:
    same = PlayedEpisodes(returns=(-200.0,) * 20, lengths=(200,) * 20)
    version = judge_version(WHOLE, [attempt(random=0.0, trained=0.0), attempt()])
    assert version.state == NOT_LEARNT
    flat = TrainingAttempt(task=AS_IT_IS, seed=0, steps=5000, random=same, trained=same)
    assert judge_version(WHOLE, [flat]).state == NOTHING_TO_LEARN
    assert "-200" in judge_version(WHOLE, [flat]).why


def test_the_same_return_whatever_was_done_is_not_learnt_from() -> None:
    """The mean of equal numbers depends on how many there are, in its last digit."""
    first = TrainingAttempt(
        task=AS_IT_IS,
        seed=0,
        steps=5000,
        random=PlayedEpisodes(returns=(-0.29,) * 20),
        trained=PlayedEpisodes(returns=(-0.29,) * 13),
    )
    second = TrainingAttempt(
        task=AS_IT_IS,
        seed=1,
        steps=5000,
        random=PlayedEpisodes(returns=(0.1,) * 7),
        trained=PlayedEpisodes(returns=(0.1,) * 20),
    )
    assert judge_version(WHOLE, [first, second]).state == NOTHING_TO_LEARN


def test_few_episodes_are_no_evidence() -> None:
    few = PlayedEpisodes(returns=(500.0,) * 3)
    version = judge_version(
        WHOLE, [attempt(), TrainingAttempt(task=AS_IT_IS, seed=1, steps=5000, random=few, trained=few)]
    )
    assert version.state == NOT_LEARNT
    alone = judge_version(WHOLE, [TrainingAttempt(task=AS_IT_IS, seed=1, steps=5000, random=few, trained=few)])
    assert alone.state == UNCLEAR
    assert "episodes" in alone.why


class Slow:
    """Episodes of ten steps, a hundredth of a second each, by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def reset(self, *, seed: int) -> tuple[int, dict[str, float]]:
        self.left = 10
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, float]]:
        self.now += 0.01
        self.left -= 1
        return 0, 1.0, self.left == 0, False, {"a": 2.0}


def test_a_few_episodes_are_played_whatever_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    slow = Slow()
    monkeypatch.setattr(playing, "time", slow)
    seen = episodes_of(slow, lambda: lambda observation: 0, 100, 0.25, ("a",), 0)
    assert len(seen.returns) == 5
    assert seen.parts["a"] == (20.0,) * 5


def test_chance_is_not_learning() -> None:
    """Of a hundred agents that learnt nothing hardly one is taken for one that did."""
    rng = np.random.default_rng(0)
    pairs = [(tuple(rng.normal(size=8)), tuple(rng.normal(size=8))) for _ in range(100)]
    made = (
        TrainingAttempt(
            task=AS_IT_IS, seed=0, steps=5000, random=PlayedEpisodes(returns=one), trained=PlayedEpisodes(returns=other)
        )
        for one, other in pairs
    )
    assert sum(judge_version(WHOLE, [each]).state == LEARNT for each in made) <= 2


def alone(part: str, **after: float) -> tuple[TaskVersion, TrainingAttempt]:
    task = TaskVersion(name=f"{part} alone", told=(f"only {part}",), part=part)
    before = played(0.0, a=0.0, b=0.0)
    return task, TrainingAttempt(task=task.name, seed=0, steps=5000, random=before, trained=played(0.0, **after))


def test_parts_that_fight_are_told() -> None:
    result = concluded((WHOLE, attempt(trained=5.0)), alone("a", a=5.0, b=-5.0), alone("b", a=-5.0, b=5.0))
    assert result.fights == (("a", "b"),)
    assert any("a and b fight" in step for step in result.next_steps)


def test_parts_that_only_cost_one_way_do_not_fight() -> None:
    result = concluded((WHOLE, attempt(trained=5.0)), alone("a", a=5.0, b=-5.0), alone("b", a=0.0, b=5.0))
    assert result.fights == ()


# -- the answer ------------------------------------------------------------------------------------------------------


def test_what_learns_the_easiest_version_is_scaled_up() -> None:
    result = concluded((EASY, attempt("easy", trained=5.0)), (WHOLE, attempt(trained=0.0)))
    assert result.works is True
    assert "learns the easiest version, easy" in result.headline
    assert "the loop works" in result.headline
    assert "it does not learn" in result.headline
    assert result.next_steps[1] == "Take back the easing: one start."


def test_what_learns_the_whole_task_points_at_the_set_up() -> None:
    result = concluded((EASY, attempt("easy", trained=5.0)), (WHOLE, attempt(trained=5.0)))
    assert result.works is True
    assert any("your set-up" in step for step in result.next_steps)


def test_what_does_not_learn_even_that_says_what_to_look_at() -> None:
    result = concluded((EASY, attempt("easy")), (WHOLE, attempt()))
    assert result.works is False
    assert result.headline.startswith("Not even the easiest version")
    assert "look at the reward first" in result.headline


def test_parts_that_are_learnt_alone_blame_their_sum() -> None:
    result = concluded((WHOLE, attempt()), alone("a", a=5.0, b=0.0), alone("b", a=0.0, b=0.0))
    assert "a alone can be learnt, the sum cannot" in result.headline
    assert any("Not learnt even alone: b" in step for step in result.next_steps)


def test_a_blind_network_is_blamed_before_the_reward() -> None:
    seen = (describe_part("", "float32", np.ones((20, 3), dtype=np.float32)),)
    result = concluded((WHOLE, attempt()), looked=MinimalLook(algorithm="PPO", seen=seen))
    assert "3 of 3 entries are constant or copies" in result.headline


def test_the_same_from_one_start_whatever_is_done_points_at_the_actions() -> None:
    same = PlayedEpisodes(returns=(2.0,) * 20)
    flat = TrainingAttempt(task="easy", seed=0, steps=5000, random=same, trained=same)
    result = concluded((EASY, flat), (WHOLE, attempt()))
    assert "look at what actions do" in result.headline
    never = TrainingAttempt(task=AS_IT_IS, seed=0, steps=5000, random=same, trained=same)
    assert "look at the reward, which never" in concluded((EASY, flat), (WHOLE, never)).headline


def test_too_few_steps_are_no_answer() -> None:
    result = concluded((EASY, attempt("easy", steps=10)), (WHOLE, attempt(steps=10)))
    assert result.works is None
    assert result.headline.startswith("No answer")


# -- what the model sees ---------------------------------------------------------------------------------------------


def test_odd_entries_are_noted() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 5))
    rows[:, 1] = rows[:, 0]
    rows[:, 2] = 3.0
    rows[:, 3] *= 1e4
    rows[7, 4] = np.nan
    part = describe_part("", "float64", rows)
    assert [entry.notes for entry in part.entries] == [
        (),
        ("the same as [0]",),
        ("constant",),
        ("large",),
        ("not finite",),
    ]
    assert part.odd == 4
    assert part.entries[2].low == part.entries[2].high == 3.0


def test_of_wide_observations_the_odd_ones_are_shown() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 500))
    rows[:, 123] = 0.0
    part = describe_part("state", "float32", rows)
    assert "state[123]" in {entry.label for entry in part.entries}
    assert part.left_out == 500 - len(part.entries)


def test_an_image_is_drawn() -> None:
    frames = np.zeros((3, 2, 40, 60), dtype=np.float32)
    frames[-1, 0, :20] = 1.0
    part = describe_part("", "uint8", frames)
    assert [picture.label for picture in part.pictures] == ["channel 0", "channel 1"]
    rows = part.pictures[0].rows
    assert set(rows[0]) == {255}
    assert set(rows[-1]) == {0}
    assert len({len(row) for row in rows}) == 1


def test_the_network_is_asked_after_all_wrappers() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    gymnasium = pytest.importorskip("gymnasium")
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    from weaklink.adapters.sb3.sight import record_network_inputs

    class Mixed(gymnasium.Env):
        """An image, a choice, and numbers of which one is far away and never changes."""

        observation_space = gymnasium.spaces.Dict(
            {
                "image": gymnasium.spaces.Box(0, 255, (40, 48, 1), np.uint8),
                "choice": gymnasium.spaces.Discrete(3),
                "numbers": gymnasium.spaces.Box(-1e5, 1e5, (2,), np.float32),
            }
        )
        action_space = gymnasium.spaces.Discrete(2)

        def look(self):
            numbers = np.array([1000.0 * self.np_random.normal(), 5000.0], np.float32)
            return {"image": np.full((40, 48, 1), self.made, np.uint8), "choice": self.made % 3, "numbers": numbers}

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.made = 0
            return self.look(), {}

        def step(self, action):
            self.made += 1
            return self.look(), 0.0, self.made >= 20, False, {}

    environment = VecNormalize(DummyVecEnv([Mixed]), norm_obs_keys=["numbers"])
    model = sb3.PPO("MultiInputPolicy", environment, n_steps=8, batch_size=8, device="cpu")
    given = record_network_inputs(model, model.get_env(), 40, seed=0)
    assert {key: (kind, rows.shape) for key, (kind, rows) in given.items()} == {
        "choice": ("int64", (40, 3)),
        "image": ("uint8", (40, 1, 40, 48)),
        "numbers": ("float32", (40, 2)),
    }
    parts = {key: describe_part(key, kind, rows) for key, (kind, rows) in given.items()}
    assert parts["image"].pictures
    assert parts["image"].entries[0].high <= 1.0
    assert np.abs(given["numbers"][1][:, 0]).max() < 10.0
    assert parts["numbers"].entries[1].notes == ("constant",)


# -- easier versions -------------------------------------------------------------------------------------------------


def play(rewards: list[float], length: int) -> Play:
    count = len(rewards) // length
    return Play(policy="random", rewards=np.asarray(rewards), lengths=np.full(count, length), ends=np.full(count, 1))


def test_arguments_of_the_target_make_it_easier(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    target = parse_target(written(tmp_path, TUG, "tug.py"))
    (task,) = list_tasks(target, None)
    assert task.arguments == {"length": 8}
    thing = load_target(target)
    assert build_maker(task, target, thing, pay_part=True)().unwrapped.length == 8
    assert build_maker(WHOLE, target, thing, pay_part=True)().unwrapped.length == 16


def test_easy_environments_of_the_target_come_first(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    code = ROOM + "\n\neasy_envs = {'near': make_env, 'far': 'CartPole-v1'}\n"
    target = parse_target(written(tmp_path, code, "easy_rooms.py"))
    assert list(find_easy_environments(target)) == ["near", "far"]
    near, far = list_tasks(target, None)
    thing = load_target(target)
    assert type(build_maker(near, target, thing, pay_part=True)().unwrapped).__name__ == "Room"
    assert build_maker(far, target, thing, pay_part=True)().spec.id == "CartPole-v1"


def test_an_easy_environment_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    target = parse_target(written(tmp_path, ROOM + "\n\neasy_envs = {'near': 3}\n", "odd_rooms.py"))
    with pytest.raises(UsageError, match="'near' is none"):
        find_easy_environments(target)


def test_without_an_offer_there_is_one_start() -> None:
    pytest.importorskip("gymnasium")
    target = parse_target(environment="CartPole-v1")
    (task,) = list_tasks(target, None)
    assert task.one_start
    made = build_maker(task, target, load_target(target), pay_part=True)()
    first, second = made.reset()[0], made.reset(seed=9)[0]
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("rewards", "length", "horizon"),
    [(list(range(1000)), 500, 200), ([0.0] * 999 + [1.0], 500, 0), (list(range(100)), 50, 0)],
    ids=["dense and long", "a goal at the end", "short"],
)
def test_only_long_episodes_with_many_rewards_are_cut(rewards: list[float], length: int, horizon: int) -> None:
    (task,) = list_tasks(parse_target(environment="CartPole-v1"), play([float(reward) for reward in rewards], length))
    assert task.horizon == horizon


def test_one_part_alone_is_not_tried() -> None:
    assert [task.name for task in order_versions(MinimalLook(algorithm="PPO", parts=("a",)))] == [AS_IT_IS]


# -- the whole -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Minimal:
    """The procedure on a project with two parts of the reward that fight, and an easy environment that is deadly.

    Its trainings end before anything is learnt, which a longer one shows below.
    """
    target = parse_target(written(tmp_path_factory.mktemp("tug"), TUG + OF_ITS_OWN, "deadly_tug.py"))
    return run_minimal(target, msgspec.structs.replace(QUICK, steps=128, episodes=3))


@pytest.mark.whole
@needs_agent
def test_the_smallest_agent_learns_and_parts_fight(tmp_path: Path) -> None:
    target = parse_target(written(tmp_path, TUG + OF_ITS_OWN, "deadly_tug.py"))
    result = run_minimal(target, QUICK)
    states = {version.task.name: version.state for version in result.versions}
    assert list(states) == ["deadly", AS_IT_IS, "reward_left alone", "reward_right alone"]
    assert states["reward_left alone"] == states["reward_right alone"] == LEARNT
    assert result.fights == (("reward_left", "reward_right"),)
    assert result.looked.algorithm == "PPO"
    (part,) = result.looked.seen
    assert [entry.notes for entry in part.entries] == [(), ("the same as [0]",), ("constant",), ()]


@needs_agent
def test_a_process_that_dies_fails_one_version_and_no_more(result: Minimal) -> None:
    deadly, *others = result.versions
    assert deadly.state == FAILED
    assert "exit code 3" in deadly.why
    assert all(version.state != FAILED for version in others)


@needs_agent
def test_every_view_tells_it(result: Minimal) -> None:
    terminal = render(result, "terminal")
    markdown = render(result, "markdown")
    for text in (terminal, markdown.replace("\\", "")):
        for wanted in ("reward_left alone", "the same as [0]", "Scale up" if result.works else "Look at"):
            assert wanted in text
    data = json.loads(render(result, "json"))
    assert data["command"] == "debug --minimal"
    assert [version["state"] for version in data["versions"]] == [version.state for version in result.versions]
    page = minimal_subject.build(result)
    assert [section.id for section in page.sections][:2] == ["minimal", "model-sees"]
    assert page.headline == result.headline
    assert minimal_subject.show_procedure(result)[0].blocks[0].title == "The answer"


@needs_agent
def test_it_is_kept_and_read_again(result: Minimal, tmp_path: Path) -> None:
    assert decode_struct(encode_struct(result), Minimal).headline == result.headline
    folder = CaseFolder.opened(tmp_path / "case", result.target, fresh=True)
    folder.keep_minimal(result)
    assert encode_struct(folder.minimal()) == encode_struct(result), "not a number is not equal to itself"


@needs_agent
def test_an_environment_that_raises_is_said_and_fails(tmp_path: Path) -> None:
    file = written(tmp_path, ROOM.replace("self.left -= 1", "raise ValueError('the door is stuck')"), "stuck.py")
    arguments = ["debug", file, "--minimal", "--seconds", "10", "--case", str(tmp_path / "case")]
    shown = invoke(*arguments)
    assert shown.exit_code == 1
    assert "NOT EVEN THAT" in unwrapped(shown.output)
    assert "the door is stuck" in unwrapped(shown.output)
    assert (tmp_path / "case" / "minimal.json").is_file()
    again = invoke("report", tmp_path / "case", "-f", "markdown")
    assert again.exit_code == 0
    assert "the door is stuck" in unwrapped(again.output)
    issue = invoke("report", tmp_path / "case", "--bugreport")
    assert "the door is stuck" in unwrapped(issue.output)
    assert str(tmp_path) not in issue.output


@needs_agent
def test_a_target_that_cannot_be_loaded_is_wrong_use(tmp_path: Path) -> None:
    target = parse_target(written(tmp_path, "import nothing_like_this\n", "no_import.py"))
    with pytest.raises(UsageError, match="nothing_like_this"):
        run_minimal(target, QUICK)


HANGS = """

def frozen():
    env = Room()
    env.step = lambda action: time.sleep(3600)
    return env


import time

easy_envs = {"frozen": frozen}
"""


@pytest.mark.whole
@needs_agent
def test_an_environment_that_hangs_fails_one_version_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "GRACE", 15.0)
    target = parse_target(written(tmp_path, ROOM + HANGS, "frozen_room.py"))
    result = run_minimal(target, MinimalPlan(seconds=10.0, steps=1024, seeds=1, workers=1, episodes=6))
    states = {version.task.name: version for version in result.versions}
    assert states["frozen"].state == FAILED
    assert "did not come back in time" in states["frozen"].why
    assert states[AS_IT_IS].state != FAILED


@pytest.mark.whole
@needs_agent
def test_an_interruption_keeps_what_was_found(tmp_path: Path) -> None:
    target = parse_target(written(tmp_path, TUG + OF_ITS_OWN, "interrupted_tug.py"))

    def interrupting(task: str, steps: int) -> None:
        """Ctrl-C as soon as the first version has ended."""
        if task.startswith("deadly"):
            signal.raise_signal(signal.SIGINT)

    result = run_minimal(target, QUICK, interrupting)
    assert result.stopped
    assert [version.task.name for version in result.versions] == ["deadly"]
    assert "Stopped before the end" in unwrapped(render(result, "terminal"))
