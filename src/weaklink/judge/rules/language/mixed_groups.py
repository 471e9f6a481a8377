from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, hash_columns, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_GROUPS = 10
SEVERAL, FITTING = 2, 0.9
"""Groups of a step: a batch that is called a group may be centred as a whole on purpose; and the share of groups whose
advantages are their rewards on another scale."""
FEWEST_ANSWERS = 5
"""Different right answers: of two, such as yes and no, several questions of a group share one by chance."""
CENTRED = 0.05
"""The largest mean of advantages of a group, as a share of their spread, that rounding and a small epsilon leave."""


@rule(
    "LLM354",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Samples,
    needs=("group", "prompt", "reward"),
    leads_to=("LLM307", "LLM308", "LLM310", "LLM311", "LLM312", "REW301", "REW304"),
)
def mixed_groups(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Groups hold completions of different prompts, and advantages compare one with the other.

    ## What it sees
    More than 0.2 of the groups hold several prompts, and the prompts of these occur in other groups of the same step,
    as many times over all as a group has rows: what should be a group was dealt out over several. Where advantages are
    given, those of a group must sum to 0, and those of a prompt must not. It is an alarm too where groups hold all
    completions of several prompts, several such groups make up a step, and the advantages of each are its rewards times
    a number minus their mean over all of these prompts, to the digit.

    ## Why it is bad
    A completion is compared with answers to other questions. Its advantage mostly tells whether its prompt was easy,
    which no answer can change, and the signal drowns. The training still runs, and often still learns a little.

    ## What to do
    1. Keep the completions of one prompt together until advantages are computed: shuffle afterwards.
    2. Group by the prompt itself, or an id of it, instead of by the position in the batch.
    3. Check the repeat of prompts (interleaved or in blocks) against the reshape that makes groups.

    ## How to prove it
    Give all completions of a prompt the same reward, different for each prompt: every advantage must be 0.

    ## When it is wrong
    A field that is called a group and names something else, such as the worker that sampled. Groups that are baselined
    together on purpose, since their prompts are one question in several wordings, are told by their one right answer.

    ## References
    trl issue #3857; Shao et al., DeepSeekMath, 2024 (group-relative advantages).
    """
    rows = select_complete(samples, "group", "prompt", "reward")
    if not len(rows):
        return CannotTell(("group", "prompt"), "no row has both")
    steps = find_steps(rows)
    clock: Array = np.zeros(len(rows)) if steps is None else np.nan_to_num(steps) + 0.0
    _, group, sizes = np.unique(rows.codes["group"], return_inverse=True, return_counts=True)
    _, draw, drawn = np.unique(hash_columns(clock, rows.codes["prompt"]), return_inverse=True, return_counts=True)
    pairs = np.unique(np.stack((group, draw)), axis=1)
    prompts, places = np.bincount(pairs[0], minlength=len(sizes)), np.bincount(pairs[1], minlength=len(drawn))
    if int((sizes > 1).sum()) < FEWEST_GROUPS:
        return CannotTell(("group",), f"fewer than {FEWEST_GROUPS} groups of two and more")
    mixed = (sizes > 1) & (prompts > 1)
    share = float(mixed.sum() / (sizes > 1).sum())
    astray = float((places[draw[mixed[group]]] > 1).mean()) if mixed.any() else 0.0
    if share > limit and astray == 0.0:
        return _find_joined(rows, clock, group, draw, share, limit)
    if share <= limit or astray < 0.5 or np.median(sizes) != np.median(drawn):
        return None
    if "advantage" in rows and not (_is_centred(rows, group) and not _is_centred(rows, draw)):
        return None
    return Finding(
        message=f"{share:.0%} of {int((sizes > 1).sum()):,} groups hold completions of different prompts (limit "
        f"{limit:.0%}), and {astray:.0%} of their rows have a prompt that lies in other groups too: group-relative "
        "advantages compare answers to unlike questions.",
        confidence=HIGH if "advantage" in rows else MEDIUM,
        evidence=(Evidence(metric="groups of several prompts", value=share, limit=limit),),
    )


def _find_joined(rows: Samples, clock: Array, group: Ints, draw: Ints, share: float, limit: float) -> Finding | None:
    """Groups of whole draws whose advantages are taken over all of their prompts."""
    several = len(np.unique(np.stack((clock, group)), axis=1).T) >= SEVERAL * len(np.unique(clock))
    if "advantage" not in rows or not several or not _is_centred(rows, group) or _is_centred(rows, draw):
        return None
    if _asks_one_thing(rows, group):
        return None
    known = np.isfinite(rows["advantage"])
    if not _follows_rewards(rows["reward"][known], rows["advantage"][known], group[known]):
        return None
    return Finding(
        message=f"{share:.0%} of the groups hold all completions of different prompts (limit {limit:.0%}), and "
        "advantages are centred over these together, not over those of each prompt: several prompts share a group, so "
        "answers to unlike questions are compared.",
        confidence=HIGH,
        evidence=(Evidence(metric="groups of several prompts", value=share, limit=limit),),
    )


def _asks_one_thing(rows: Samples, group: Ints) -> bool:
    """Whether the prompts of nearly every group have one right answer, and those of other groups another one.

    Then they are one question in other words, such as with and without an instruction.
    """
    if "reference" not in rows:
        return False
    answers = rows.codes["reference"]
    pairs = np.unique(np.stack((group, answers)), axis=1)
    one = np.bincount(pairs[0]) == 1
    return float(one.mean()) >= FITTING and len(np.unique(answers)) >= FEWEST_ANSWERS


def _follows_rewards(reward: Array, advantage: Array, owner: Ints) -> bool:
    """Whether in nearly every group in which rewards differ advantages are these on another scale."""
    counts = np.maximum(np.bincount(owner), 1)
    paid, credit = (values - (np.bincount(owner, values) / counts)[owner] for values in (reward, advantage))
    power = np.bincount(owner, paid**2)
    slope = np.bincount(owner, paid * credit) / np.where(power > 0.0, power, 1.0)
    missed = np.bincount(owner, (credit - slope[owner] * paid) ** 2)
    fits = missed <= CENTRED**2 * np.bincount(owner, credit**2)
    varied = power > 0.0
    return int(varied.sum()) >= FEWEST_GROUPS and float(fits[varied].mean()) >= FITTING


def _is_centred(rows: Samples, owner: Ints) -> bool:
    """Whether the advantages of nearly every owner sum to 0."""
    known = np.isfinite(rows["advantage"])
    column, owner = rows["advantage"][known], owner[known]
    counts = np.bincount(owner)
    means = np.abs(np.bincount(owner, column) / np.maximum(counts, 1))[counts > 1]
    return bool(len(means)) and float((means <= CENTRED * max(float(column.std()), 1e-12)).mean()) >= 0.9
