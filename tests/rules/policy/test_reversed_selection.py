from __future__ import annotations

from dataclasses import replace

from tests.curves import STEPS_PER_POINT, noisy, ramp, rising, run_of
from weaklink.base.evidence.series import Series


def searched(returns, elite, key="elite_mean"):
    run = run_of({"reward.episode_return": returns})
    steps = [STEPS_PER_POINT * (place + 1) for place in range(len(elite))]
    return replace(run, unknown={key: Series.of(key, steps, elite)})


def sick():
    return [
        searched(rising(-1500, -1850, 10), rising(-1700, -1960, 10)),
        searched(noisy(5, 3), noisy(-15, 4), "search/elite"),
    ]


def healthy():
    return [
        searched(rising(-1850, -300), rising(-1200, -200)),
        # nothing is learned, and what is selected is the best
        searched(noisy(5, 3), noisy(25, 4)),
        # a cost under the name of a return: the search succeeds
        searched(ramp(300, 20, 5), ramp(200, 10, 5), "elite_cost"),
        searched(noisy(5, 3), noisy(0.1, 0.01), "elite_frac"),
        searched(noisy(5, 3), noisy(1, 0.1), "elite_std"),
    ]
