from __future__ import annotations

from weaklink.base.evidence.ranks import RankRecord, Ranks
from weaklink.judge.rules._ranks import list_pairs
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# looks with equal states of random generators: two generators of different seeds are never in one state
FEWEST_LOOKS = 3

# what a rank that collects logs: episodes, or groups of completions
EPISODES, GROUPS = "reward.episode_return", "reward.group_std"


@rule("EXP401", link=Link.EXPLORATION, level=Level.WARN, on=Ranks, needs=("looks",), leads_to=("DAT401",))
def same_random_stream(ranks: Ranks) -> Answer:
    """Ranks of one training draw the same random numbers.

    ## What it sees
    The states of the random generators of Python, NumPy and torch on each rank. In a training that collects episodes,
    every generator that two ranks draw from is in the same state on both at every look. Of a language model that
    samples completions, those of torch that are drawn from between any two looks are compared.

    ## Why it is bad
    Each rank explores with the same draws. Where its environments are seeded alike too, or its prompts are the same,
    all ranks collect the same episodes or completions; where not, the noise of their actions is still the same, and
    averages over ranks are as noisy as one.

    ## What to do
    1. Seed by rank after the model is made: `torch.manual_seed(seed + rank)`, and likewise NumPy and `random`.
    2. Seed the environments by rank: `env.reset(seed=seed + rank)`.
    3. In a script with Accelerate: `set_seed(seed, device_specific=True)`, and no other seeding after it.

    ## How to prove it
    Print `torch.rand(1)` on every rank right after seeding, in a run of its own.

    ## When it is wrong
    Actions are drawn from generators of their own that differ between ranks, or completions are sampled by a server,
    and the global generators only shuffle minibatches or drop units out.

    ## References
    Huang et al., The 37 Implementation Details of PPO, ICLR blog track 2022 (seeds of a distributed PPO).
    """
    records = {record.rank: record for record in ranks.records}
    judged = 0
    for left, right in list_pairs(ranks):
        one, other = records[left], records[right]
        keys = [key for key in one.looks if key in other.looks]
        if EPISODES in one.series and EPISODES in other.series:
            moved = _find_moved(one, keys) | _find_moved(other, keys)
        elif GROUPS in one.series and GROUPS in other.series:
            moved = _find_sampled(one, keys) & _find_sampled(other, keys)
        else:
            continue
        if len(keys) < FEWEST_LOOKS or not moved:
            continue
        judged += 1
        if all(
            one.looks[key].streams.get(name) == other.looks[key].streams.get(name) for key in keys for name in moved
        ):
            return _report(left, right, keys, moved, one)
    return None if judged else CannotTell(("looks",), "no generator that is known was drawn from between looks")


def _find_moved(record: RankRecord, keys: list[tuple[int, int]]) -> set[str]:
    """The generators that were drawn from between two looks."""
    names = {name for key in keys for name in record.looks[key].streams}
    return {name for name in names if len({record.looks[key].streams.get(name) for key in keys}) > 1}


def _find_sampled(record: RankRecord, keys: list[tuple[int, int]]) -> set[str]:
    """The generators of torch that were drawn from between any two looks, as sampling tokens does."""
    states = {
        name: [record.looks[key].streams.get(name) for key in keys]
        for name in _find_moved(record, keys)
        if name.startswith("torch")
    }
    return {name for name, seen in states.items() if len(set(seen)) == len(seen)}


def _report(left: int, right: int, keys: list[tuple[int, int]], moved: set[str], one: RankRecord) -> Finding:
    at = one.looks[keys[0]].at
    return Finding(
        message=f"Ranks {left} and {right} draw the same random numbers: {', '.join(sorted(moved))} "
        f"{'is' if len(moved) == 1 else 'are'} in the same state on both at all {len(keys)} looks.",
        onset=at,
        confidence=MEDIUM,
        evidence=(Evidence(metric="looks with equal random states", value=len(keys), limit=FEWEST_LOOKS, step=at),),
    )
