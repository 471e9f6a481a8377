from __future__ import annotations

import numpy as np

from tests.sampled import Training


def act(success=0.3, calls=0.0, offered=2.0, **columns):
    t = Training()
    told = {"success": t.chance(success)} if success is not None else {}
    return t.samples(
        offered_tools=np.full(t.rows, offered),
        tool_calls=t.chance(calls) if calls else np.zeros(t.rows),
        **told,
        **columns,
    )


def sick():
    t = Training()
    paid = {"reward": t.share(0.9)}
    return [act(), act(calls=0.005), act(success=None, demands_tools=np.ones(t.rows), **paid)]


def healthy():
    t = Training()
    paid = {"reward": t.share(0.9)}
    return [
        act(calls=0.6),
        # tasks that need none, tools that nobody has to use, and none at all
        act(success=0.95),
        act(success=None, demands_tools=np.zeros(t.rows), **paid),
        act(offered=0.0),
        act(calls=0.1),
    ]
