from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import FIGURE, Ints, Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_SEEDS = 20
"""Different seeds of the environment, each of which should have made another episode."""
FEWEST_CALLS, AGAIN = 2, 10
"""Different first actions, and trajectories that took each of them, whose results must be one and the same."""
LONG = 15
"""Words of a task that describe a world: a shorter one, or a set phrase, leaves that to what is observed."""
SEEDS = frozenset((
    "env_seed", "environment_seed", "reset_seed", "level_seed", "map_seed", "world_seed", "game_seed", "episode_seed",
    "task_seed", "scenario_seed",
))  # fmt: skip
"""Names of a seed that is the environment's: any other may be that of the sampler."""


@rule(
    "AGT321",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Samples,
    needs=("task", "first_call", "first_result", "prompt_length"),
    leads_to=("AGT301", "AGT305", "LLM307", "LLM322"),
)
def ignored_seed(samples: Samples) -> Answer:
    """The seed of the environment has no effect: every episode is the same, whatever seed it is given.

    ## What it sees
    Rows name a seed of the environment (`env_seed`, `level_seed`, ...), twenty different ones or more. All of them have
    one and the same task, of fifteen words or more, to the letter; and the same first action has the same result in
    every trajectory that takes it, over two such actions or more that ten trajectories or more take.

    ## Why it is bad
    The agent is trained in one world and learns its way by heart. The return rises, and says nothing about any other.

    ## What to do
    1. Reset the environment with two seeds and compare what it shows first.
    2. Follow the seed from the row to the generator: look for a default that wins, a generator that is made at import,
       and a cache of the first level.
    3. Evaluate on seeds that were never trained on.

    ## How to prove it
    Print the first observation for ten seeds: there must be more than one.

    ## When it is wrong
    Environments that are one fixed world on purpose, and are given a seed all the same.

    ## References
    Cobbe et al., Quantifying Generalization in Reinforcement Learning, 2019 (training on few levels).
    """
    seeds = next((name for name in samples.numbers if name.removeprefix(FIGURE).lower() in SEEDS), None)
    if seeds is None:
        return CannotTell(("env_seed",), "no row names the seed of its environment")
    rows = select_complete(samples, seeds, "task", "first_call", "first_result", "prompt_length")
    count = len(np.unique(rows[seeds]))
    if count < FEWEST_SEEDS:
        return CannotTell(("env_seed",), f"fewer than {FEWEST_SEEDS} different seeds")
    if len(np.unique(rows.codes["task"])) > 1 or rows["prompt_length"].min() < LONG:
        return None
    if not _has_one_result(rows.codes["first_call"], rows.codes["first_result"]):
        return None
    return Finding(
        message=f"The seed of the environment has no effect: {count:,} different seeds ({seeds.removeprefix(FIGURE)}) "
        f"gave one and the same task in all {len(rows):,} trajectories, and the same first action always has the same "
        "result: every episode is identical, whatever its seed.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="different tasks", value=1.0, limit=1.0),),
    )


def _has_one_result(calls: Ints, results: Ints) -> bool:
    """Whether each first action has one result, over several that are taken often and do not all have the same."""
    pairs = np.unique(np.stack((calls, results)), axis=1)
    taken, counts = np.unique(calls, return_counts=True)
    often = np.isin(pairs[0], taken[counts >= AGAIN])
    several = min(len(np.unique(side[often])) for side in pairs)
    return pairs.shape[1] == len(taken) and several >= FEWEST_CALLS
