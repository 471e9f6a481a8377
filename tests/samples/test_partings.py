from __future__ import annotations

import random
import tracemalloc

from weaklink.base.evidence.samples import Sample, ToolCall
from weaklink.collect.samples.partings import ENDS, PartingFinder


def trajectory(task: str, calls: str, **ends: float) -> Sample:
    """A trajectory whose calls are written `tool:argument`, an exclamation mark for one that fails."""
    made = []
    for word in calls.split():
        tool, _, arguments = word.rstrip("!").partition(":")
        made.append(ToolCall(tool=tool, arguments=arguments, ok=False if word.endswith("!") else None))
    return Sample(prompt=task, calls=tuple(made), turns=len(made) + 1, **ends)


def found(*samples: Sample, **limits: int):
    partings = PartingFinder(**limits)
    for sample in samples:
        partings.take(sample)
    return partings.found()


def test_the_first_call_that_tells_successes_from_failures():
    good = [trajectory("t", "open:a read:b edit:c test:d", success=1) for _ in range(5)]
    bad = [trajectory("t", "open:a read:b delete:c test:d", success=0) for _ in range(4)]
    (parting,) = found(*good, *bad)
    assert parting.shared == ("open(a)", "read(b)")
    assert (parting.successful, parting.failed) == ("edit(c)", "delete(c)")
    assert (parting.successes, parting.failures) == (5, 4)
    assert parting.task == "t"


def test_most_share_is_enough_and_strays_are_left_behind():
    good = [trajectory("t", "open:a edit:c", success=1) for _ in range(6)] + [trajectory("t", "list:x", success=1)]
    bad = [trajectory("t", "open:a", success=0) for _ in range(6)] + [trajectory("t", "list:y", success=0)]
    (parting,) = found(*good, *bad)
    assert parting.shared == ("open(a)",)
    assert (parting.successful, parting.failed) == ("edit(c)", ENDS)
    assert (parting.successes, parting.failures) == (6, 6)


def test_free_arguments_do_not_part():
    good = [trajectory("t", f"search:query{i} cite:page", success=1) for i in range(6)]
    bad = [trajectory("t", f"search:other{i} guess:page", success=0) for i in range(6)]
    (parting,) = found(*good, *bad)
    assert parting.shared == ("search(...)",)
    assert (parting.successful, parting.failed) == ("cite(page)", "guess(page)")


def test_a_failed_call_is_another_one():
    good = [trajectory("t", "open:a test:b", success=1) for _ in range(4)]
    bad = [trajectory("t", "open:a test:b!", success=0) for _ in range(4)]
    (parting,) = found(*good, *bad)
    assert (parting.successful, parting.failed) == ("test(b)", "test(b) fails")


def test_the_same_calls_to_the_end():
    samples = [trajectory("t", "open:a test:b", success=number % 2) for number in range(8)]
    (parting,) = found(*samples)
    assert parting.shared == ("open(a)", "test(b)")
    assert parting.successful == parting.failed == ENDS


def test_what_chance_parts_is_followed_further():
    good = [trajectory("t", f"look:{word} edit:c", success=1) for word in "aabbccdd"]
    bad = [trajectory("t", f"look:{word} drop:c", success=0) for word in "aaaccefb"]
    (parting,) = found(*good, *bad)
    assert parting.shared == ("look(a)",)
    assert (parting.successful, parting.failed) == ("edit(c)", "drop(c)")


def test_those_that_share_nothing_part_at_once():
    good = [trajectory("t", f"look:{word}", success=1) for word in "aabb"]
    bad = [trajectory("t", f"look:{word}", success=0) for word in "ccdd"]
    (parting,) = found(*good, *bad)
    assert parting.shared == ()
    assert parting.successful in ("look(a)", "look(b)")
    assert parting.failed in ("look(c)", "look(d)")


def test_a_task_without_both_has_no_parting():
    assert found(*[trajectory("t", "a:b", success=1) for _ in range(5)]) == ()
    assert found(*[trajectory("t", "", success=number % 2) for number in range(6)]) == ()
    assert found(Sample(prompt="t", completion="text", success=1), Sample(prompt="t", success=0)) == ()


def test_success_is_told_by_gold_before_success_before_state_before_reward():
    liar = trajectory("t", "a:x", gold=0.0, success=1.0, reward=1.0)
    honest = trajectory("t", "b:x", gold=1.0, success=0.0, reward=0.0)
    (parting,) = found(liar, honest)
    assert (parting.successful, parting.failed) == ("b(...)", "a(...)")
    wrong, right = trajectory("t", "a:x", reward=1.0), trajectory("t", "b:x", reward=1.0)
    wrong.final_state, wrong.expected_state = "1", "2"
    right.final_state, right.expected_state = "2", "2"
    assert found(wrong, right)[0].failed == "a(...)"


def test_rewards_on_any_scale():
    good = [trajectory("t", "a:x", reward=12.0) for _ in range(3)]
    bad = [trajectory("t", "b:x", reward=-3.0) for _ in range(3)]
    (parting,) = found(*good, *bad)
    assert (parting.successful, parting.failed) == ("a(x)", "b(x)")
    assert found(trajectory("t", "a:x", reward=0.1), trajectory("t", "b:x", reward=0.2)) == ()


def test_tasks_are_told_apart_by_prompt_and_state_or_else_by_group():
    one, two = trajectory("t", "a:x", success=1), trajectory("t", "b:x", success=0)
    one.initial_state, two.initial_state = "1", "2"
    assert found(one, two) == ()
    for sample in (one, two):
        sample.prompt, sample.initial_state, sample.group = "", None, "g"
    assert found(one, two)[0].task == "g"


def test_which_tasks_are_kept_does_not_depend_on_their_order():
    samples = [trajectory(f"t{task}", calls, success=calls == "a:x") for task in range(40) for calls in ("a:x", "b:x")]
    few = found(*samples, most_tasks=5)
    random.Random(1).shuffle(samples)
    assert len(few) == 5
    assert {parting.task for parting in few} == {parting.task for parting in found(*samples, most_tasks=5)}


def test_memory_is_bounded():
    partings = PartingFinder(most_tasks=50, most_trajectories=8)
    rng = random.Random(0)
    tracemalloc.start()
    for number in range(20_000):
        calls = " ".join(f"tool:{rng.random()}" for _ in range(5))
        partings.take(trajectory(f"task {number % 5000} " * 20, calls, success=number % 3 == 0))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(partings.found()) <= 50
    assert held < 3_000_000
