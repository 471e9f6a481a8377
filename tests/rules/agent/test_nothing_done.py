from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    idle = t.chance(t.ramp(0.03, 0.8))
    won = t.chance(0.3)
    calls = np.where(idle == 1, 0.0, t.lengths(5.0))
    return [t.samples(tool_calls=calls, claims_success=np.maximum(idle, won), reward=np.maximum(idle, won))]


def healthy():
    t = Training()
    idle, won = t.chance(0.4), t.chance(0.3)
    calls = np.where(idle == 1, 0.0, t.lengths(5.0))
    return [
        # it answers without a call, and claims nothing
        t.samples(tool_calls=calls, claims_success=np.zeros(t.rows), reward=np.maximum(idle, won)),
        # what does nothing gets nothing
        t.samples(tool_calls=calls, claims_success=np.maximum(idle, won), reward=won * (1 - idle)),
        # a task that hardly needs calls
        t.samples(tool_calls=t.chance(0.3), claims_success=np.ones(t.rows), reward=won),
    ]


def test_the_action_that_ends_an_episode_is_no_call():
    move = {"thought": "Go.", "action": {"tool": "act", "args": {"action": "go to desk 1"}}, "observation": "A desk."}
    end = {"thought": "", "action": {"tool": "finish", "args": {"answer": "done"}}, "observation": ""}
    sample = make_sample({"prompt": "Find the key.", "trajectory": [move, end], "reward": 1.0})
    assert [call.tool for call in sample.calls] == ["act"]
    assert sample.completion.endswith("done")
    assert make_sample({"prompt": "Find the key.", "trajectory": [end], "reward": 1.0}).calls == ()
    # a tool of that name that does something comes before others
    assert len(make_sample({"prompt": "Find it.", "trajectory": [end, move], "reward": 1.0}).calls) == 2
