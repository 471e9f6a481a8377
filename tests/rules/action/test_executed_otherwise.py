from __future__ import annotations

from tests.curves import noisy, rising, run_of

FLAT = noisy(20.0, 2.0)


def made(returns=FLAT, **curves):
    named = {f"action.{name}": values for name, values in curves.items()}
    return run_of({"reward.episode_return": returns, **named})


def drawn(spread=0.6, **curves):
    """Actions of which only the spread of the policy is logged."""
    chosen = {"exploration.action_std": noisy(spread, 0.02)}
    return run_of({**chosen, "reward.episode_return": FLAT, "action.executed_size": curves["executed_size"]})


def sick():
    return [
        made(executed_share=noisy(0.3, 0.02)),
        made(size=noisy(0.5, 0.02), executed_size=noisy(0.01, 0.0004)),
        made(size=noisy(0.5, 0.02), executed_size=noisy(5.0, 0.2)),
        drawn(executed_size=[0.0] * 100),
    ]


def healthy():
    return [
        made(executed_share=[1.0] * 100),
        # sticky actions repeat a quarter, and some of the repeated are the chosen ones
        made(executed_share=noisy(0.8, 0.02)),
        # slippery ground, on which the task is learned
        made(rising(0.0, 0.8), executed_share=noisy(0.33, 0.02)),
        made(size=noisy(0.5, 0.02), executed_size=noisy(0.5, 0.02)),
        # the unit of the environment, with which the task is learned
        made(rising(20, 300), size=noisy(0.5, 0.02), executed_size=noisy(20.0, 0.5)),
        # clipped to a range
        made(size=noisy(0.9, 0.02), executed_size=noisy(0.5, 0.02)),
        drawn(executed_size=noisy(0.5, 0.02)),
        drawn(executed_size=noisy(0.9, 0.02), spread=5.0),
    ]
