from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples, ToolCall
from weaklink.base.finding import CannotTell
from weaklink.collect.readers.samples import make_sample
from weaklink.collect.samples.repeats import find_longest_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT306")


def agent(loops, *, solved=(0.7, 0.1), **columns) -> Samples:
    """So many trajectories loop from start to end of training; the chances of success without a loop and with."""
    t = Training()
    loop = t.chance(np.clip(t.ramp(*loops), 1e-9, 1 - 1e-9))
    success = t.chance(np.where(loop == 1, solved[1], solved[0]))
    length = np.where(loop == 1, t.rng.integers(5, 18, t.rows), t.rng.integers(1, 4, t.rows))
    return t.samples(**({"longest_loop": length.astype(float), "success": success} | columns))


def unjudged(loops, reward) -> Samples:
    """The same where only the reward is known, which goes from one level to another for all."""
    t = Training(seed=3)
    return agent(loops, success=None, reward=t.chance(t.ramp(*reward)))


def paid_by_calls(loops, answers) -> Samples:
    """Calls are paid one by one, and so is the answer, which is right by chances from one level to another."""
    t = Training(seed=5)
    loop = t.chance(np.clip(t.ramp(*loops), 1e-9, 1 - 1e-9))
    length = np.where(loop == 1, t.rng.integers(5, 18, t.rows), t.rng.integers(1, 4, t.rows)).astype(float)
    calls, answer = 0.2 * length, t.chance(t.ramp(*answers))
    return t.samples(longest_loop=length, reward=calls + answer, **{"reward.calls": calls, "reward.answer": answer})


def sick():
    paid = Training()
    looping = np.tile([9.0, 1.0], paid.rows // 2)
    by_reward = paid.samples(longest_loop=looping, reward=paid.chance(np.where(looping > 5, 0.05, 0.7)))
    return [
        by_reward,
        # each call is paid, and the answers stay as they were
        paid_by_calls((0.0, 0.7), (0.5, 0.5)),
        agent((0.0, 0.5)),
        agent((0.4, 0.4)),
        agent((0.4, 0.4), step=None),
        agent((0.3, 0.3), solved=(0.5, 0.0)),
        # more and more of them, which succeed less, though more than half as often
        agent((0.0, 0.7), solved=(0.7, 0.45)),
        # no outcome, and a reward that does not rise with them
        unjudged((0.0, 0.7), (0.6, 0.6)),
    ]


def healthy():
    return [
        # each call is paid, and so is the answer, which gets better
        paid_by_calls((0.0, 0.7), (0.4, 0.7)),
        # each call is paid, and there are as few loops as ever
        paid_by_calls((0.02, 0.02), (0.5, 0.5)),
        agent((0.0, 0.0)),
        agent((0.03, 0.03)),
        # unlearned
        agent((0.5, 0.0)),
        # steps of a game: walking on is no worse
        agent((0.5, 0.5), solved=(0.6, 0.6)),
        # more and more steps of a game: they lead as far as others, or further
        agent((0.0, 0.7), solved=(0.6, 0.6)),
        agent((0.0, 0.7), solved=(0.5, 0.7)),
        # no outcome, and the reward rises with them
        unjudged((0.0, 0.7), (0.4, 0.7)),
        # as many as ever, which succeed a little less: hard tasks take more steps
        agent((0.4, 0.4), solved=(0.7, 0.45)),
        # a retry or two
        agent((0.0, 0.0), longest_loop=np.full(Training().rows, 3.0)),
    ]


def calls(*results: str, ok: bool | None = None) -> list[ToolCall]:
    return [ToolCall(tool="open", arguments="1", result=result, ok=ok) for result in results]


def test_the_longest_loop():
    assert find_longest_loop([]) == 0
    assert find_longest_loop(calls("none", "none", "none")) == 3
    assert find_longest_loop(calls("failed", "failed", ok=False)) == 2
    # asking until the answer changes
    assert find_longest_loop(calls("pending", "pending", "pending", "done")) == 1
    other = ToolCall(tool="search", arguments="x", result="y")
    assert find_longest_loop([*calls("none", "none"), other, *calls("none")]) == 2


def test_without_trajectories_that_do_not_loop_it_cannot_tell():
    assert isinstance(RULE.ask(agent((1.0, 1.0), solved=(0.1, 0.1))), CannotTell)


def talk(*exchanges: tuple[str, str]) -> int:
    said = [(("assistant", action), ("user", reply)) for action, reply in exchanges]
    messages = [{"role": role, "content": text} for pair in said for role, text in pair]
    return make_sample({"messages": [{"role": "user", "content": "Fetch it."}, *messages]}).longest_echo


def test_messages_that_act_are_calls():
    assert talk(*[("click[7]", "the same page")] * 6) == 6
    # walking on: every reply is another one
    assert talk(*[("go north", f"room {place}") for place in range(6)]) == 1
