from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.rollouts import look
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Estimates, Minibatch, Pairing
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT201")


def walked(steps: int = 128, members: int = 2, *, seed: int = 0, next_step_reset: bool = False) -> dict[str, Any]:
    """Random walks of two numbers that end at a wall or after 20 steps, stepped and stored by a plain loop."""
    rng = np.random.default_rng(seed)
    names = ("observations", "next_observations", "given_observations", "final_observations")
    out: dict[str, list] = {name: [] for name in (*names, "given_rewards", "given_terminated", "given_truncated")}
    here, age, over = rng.normal(size=(members, 2)), np.zeros(members), np.zeros(members, bool)
    for _ in range(steps):
        out["observations"].append(here.copy())
        after = here + rng.normal(0, 0.4, (members, 2))
        age += 1
        terminated, truncated = np.abs(after[:, 0]) > 1.5, age >= 20
        rewards = after[:, 1] * 0.5 + rng.normal(0, 0.1, members)
        if next_step_reset:
            after = np.where(over[:, None], rng.normal(0, 0.3, (members, 2)), after)
            rewards, terminated = np.where(over, 0.0, rewards), terminated & ~over
            truncated, age = truncated & ~over, np.where(over, 0, age)
        truncated &= ~terminated
        final, ended = after.copy(), terminated | truncated
        given = after if next_step_reset else np.where(ended[:, None], rng.normal(0, 0.3, (members, 2)), after)
        over, age = ended, np.where(ended & (not next_step_reset), 0, age)
        row = (final.copy(), given.copy(), final.copy(), rewards, terminated.copy(), truncated.copy())
        for name, value in zip(list(out)[1:], row, strict=True):
            out[name].append(value)
        here = given
    made: dict[str, Any] = {name: np.stack(values) for name, values in out.items()}
    made = {name: value if value.dtype == bool else value.astype(np.float32) for name, value in made.items()}
    ended = made["given_terminated"] | made["given_truncated"]
    made["final_observations"] = np.where(ended[..., None], made["final_observations"], 0.0)
    return made | {"rewards": made["given_rewards"].copy(), "stored_ended": made["given_terminated"].copy()}


def paired(made: dict[str, Any] | None = None, *, family: str = "off-policy", **given: Any):
    fields = (walked() if made is None else made) | given
    return look(pairing=Pairing(**fields), family=family)


def later(array: np.ndarray) -> np.ndarray:
    """Every row holds what belongs one step earlier."""
    return np.concatenate([array[:1], array[:-1]])


def batch(columns: dict[str, tuple[np.ndarray, np.ndarray]]):
    return look(minibatch=Minibatch(columns=columns))


def drawn(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=256).astype(np.float32)
    return whole, rng.permutation(256)[:64]


def sick():
    made = walked()
    rng = np.random.default_rng(4)
    noise = 1 + rng.normal(0, 0.1, made["rewards"].shape)
    whole, rows = drawn()
    bonus = np.where(made["given_truncated"], 3.0, 0.0)
    ended = made["given_terminated"] | made["given_truncated"]
    swapped = np.where(rng.random((128, 2, 1)) < 0.1, rng.normal(size=(128, 2, 2)), made["observations"])
    return [
        paired(rewards=later(made["given_rewards"])),
        paired(rewards=np.concatenate([made["given_rewards"][1:], made["given_rewards"][-1:]])),
        paired(rewards=-made["given_rewards"]),
        paired(rewards=made["given_rewards"] * noise),
        paired(rewards=np.ascontiguousarray(made["given_rewards"].T).reshape(128, 2)),
        paired(observations=made["given_observations"]),
        paired(observations=later(made["observations"])),
        paired(observations=swapped),
        paired(next_observations=made["observations"]),
        paired(next_observations=np.concatenate([made["given_observations"][1:], made["given_observations"][-1:]])),
        paired(next_observations=made["given_observations"]),  # the first of the next episode at time limits
        paired(stored_ended=made["stored_ended"] & False),
        paired(stored_ended=later(ended)),
        paired(walked(next_step_reset=True)),
        paired(family="on-policy", stored_ended=ended, reward_bonus=bonus, next_observations=None),
        batch({"advantages": (whole[rows], whole[:64])}),
        batch({"observations": (whole[rows], whole[rows]), "returns": (whole[:64], whole[rows])}),
    ]


def healthy():
    made = walked()
    rewards = made["given_rewards"]
    bonus = np.where(made["given_truncated"], 3.0, 0.0).astype(np.float32)
    ended = made["given_terminated"] | made["given_truncated"]
    counts = np.arange(1, 129)[:, None]
    running = np.sqrt(np.cumsum(rewards.mean(axis=1, keepdims=True) ** 2, axis=0) / counts + 0.1)
    alone = walked(members=1)
    whole, rows = drawn()
    chosen = whole[rows]
    constant = np.ones_like(rewards)
    return [
        paired(),
        paired(alone),
        paired(walked(256, 8, seed=3)),
        paired(rewards=rewards * 0.1),  # scaled
        paired(rewards=np.clip(rewards, -0.2, 0.2)),
        paired(rewards=np.sign(rewards)),
        paired(rewards=rewards / running),  # a running normaliser
        paired(alone, rewards=alone["given_rewards"] / (1 + 1 / np.arange(5, 133)[:, None])),
        paired(rewards=constant, given_rewards=constant),  # nothing to tell a shift by
        paired(family="on-policy", rewards=rewards + bonus, reward_bonus=bonus, stored_ended=ended),
        paired(family="on-policy", reward_bonus=bonus, stored_ended=made["given_terminated"]),
        # the value at time limits is in the reward, though nobody said how much
        paired(family="on-policy", rewards=rewards + bonus, stored_ended=ended),
        # at terminals the next observation is masked, whatever it is
        paired(next_observations=np.where(made["given_terminated"][..., None], 7.0, made["next_observations"])),
        paired(observations=np.clip(made["observations"], -1, 1)),
        paired(observations=made["observations"] * 3 + 1),  # normalised by the trainer
        paired(given_observations=None, final_observations=None),
        paired(rewards=rewards[:4], observations=None, next_observations=None, stored_ended=None),
        batch({"advantages": (chosen, whole[rows])}),
        batch({"advantages": ((chosen - chosen.mean()) / (chosen.std() + 1e-8), whole[rows])}),
        batch({"advantages": (np.zeros(64), np.zeros(64))}),
        # the flags before each step are another way to keep them: what is made of them is judged elsewhere
        look(
            pairing=Pairing(stored_ended=later(ended), given_terminated=ended, given_truncated=ended & False),
            estimates=Estimates(rewards=rewards),
        ),
    ]


@pytest.mark.parametrize(
    ("case", "words", "link"),
    [
        (0, "those of the step before, in 25", Link.DATA),
        (1, "the step after", Link.DATA),
        (2, "opposite sign", Link.REWARD),
        (3, "nothing explains it", Link.REWARD),
        (4, "mixed up", Link.DATA),
        (5, "those after the step", Link.DATA),
        (6, "those of the step before", Link.DATA),
        (7, "of the stored observations are not", Link.DATA),
        (8, "is the observation itself", Link.DATA),
        (9, "too far ahead", Link.DATA),
        (10, "first of the next episode", Link.DATA),
        (11, "never reach the learner", Link.ENVIRONMENT),
        (12, "Stored done flags are those of the step before", Link.DATA),
        (13, "only resets", Link.ENVIRONMENT),
        (14, "not bootstrapped", Link.RETURNS),
        (15, "advantages do not belong to its rows", Link.DATA),
    ],
)
def test_names_what_happened(case, words, link):
    answer = RULE.ask(sick()[case])
    found = answer if isinstance(answer, tuple) else (answer,)
    assert [finding.link for finding in found if words in finding.message] == [link]


def test_a_bonus_is_told_and_no_alarm():
    made = walked()
    curiosity = np.random.default_rng(0).exponential(0.2, made["rewards"].shape)
    finding = RULE.ask(paired(made, rewards=made["given_rewards"] + curiosity))
    assert finding.level is Level.INFO


def test_too_little_to_compare():
    assert isinstance(RULE.ask(look(pairing=Pairing(rewards=np.ones(64)))), CannotTell)
    assert isinstance(RULE.ask(look()), CannotTell)


def climbed(*, late: bool):
    """A climb of ten steps again and again, of which only what was stored is known; resets take a step where `late`."""
    rng = np.random.default_rng(0)
    rows = [
        (0.1 * (step % 11) + rng.normal(0, 0.01), 0.0 if step % 11 == 10 else 1.0, step % 11 == 9) for step in range(99)
    ]
    if not late:
        rows = [row for row in rows if row[1]]
    seen, rewards, ended = (np.array(column) for column in zip(*rows, strict=True))
    return look(
        pairing=Pairing(observations=seen[:, None, None], ended=ended[:, None]),
        estimates=Estimates(rewards=rewards, terminated=ended),
    )


def test_a_reset_that_is_stored_shows_without_what_the_environment_gave():
    assert "one row late" in RULE.ask(climbed(late=True)).message
    assert not isinstance(RULE.ask(climbed(late=False)), Finding)


def test_time_limits_that_a_replay_keeps_as_ends_are_told():
    made = walked()
    ended = made["given_terminated"] | made["given_truncated"]
    assert "time limits are stored as terminations" in RULE.ask(paired(made, stored_ended=ended)).message


def test_steps_that_only_reset_and_are_learned_from_are_reported():
    learned = RULE.ask(look(recovered=RecoveredUpdate(resets=20, possible_resets=20)))
    assert isinstance(learned, Finding)
    assert "After 20 episode ends the step that only resets" in learned.message
    assert (learned.link, learned.level) == (Link.ENVIRONMENT, Level.WARN)
    assert RULE.ask(look(recovered=RecoveredUpdate(resets=0, possible_resets=20))) is None
    assert isinstance(RULE.ask(look(recovered=RecoveredUpdate())), CannotTell)
