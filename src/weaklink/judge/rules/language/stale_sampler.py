from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_DRAWS, find_steps, hash_columns, hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 40
"""Rows of prompts that were drawn at an earlier step too."""

LONG, VARIED = 12.0, 0.5
"""The median length from which on two completions need not be the same by chance, and the share of different texts
within a draw: where it is lower, sampling itself repeats and the policy is certain."""

ERRORS = 2.0
"""Standard errors of the share (Wilson's interval), by which it must lie above its level: 95 %."""


@rule(
    "LLM332",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("text", "prompt", "length", ("step", "policy_version")),
    leads_to=("LLM307", "LLM312", "REW301"),
)
def stale_sampler(samples: Samples, *, most: float = 0.3) -> Answer:
    """Prompts that come back get the completions that they got before, word for word.

    ## What it sees
    Of the rows whose prompt was drawn at an earlier step too, clearly more than 0.3 repeat a completion of that step to
    the letter, although completions have a dozen words and more and those of one draw differ from each other. The limit
    grows to the share that chance gives: by how often two completions of one draw agree (where there are none to
    compare, half of those of a dozen words, and half as many for each dozen more), and how many came before each row.
    Completions that several prompts get, such as refusals, are left out.

    ## Why it is bad
    Sampling with a temperature does not write the same paragraph twice. Either completions come from a cache or a file
    that is read again, or the sampler starts every epoch from the same seed with the same weights: updates never reach
    it, and training learns from one fixed set.

    ## What to do
    1. Compare a weight of the sampler with that of the trainer after ten updates: they must be equal, and not those of
       the start.
    2. Look for a cache of completions by prompt, and for a seed that is set anew for each epoch.
    3. Log the version of the policy with every completion.

    ## How to prove it
    Draw one prompt twice at temperature 1 with different seeds: the completions must differ.

    ## When it is wrong
    Training from a fixed set of completions on purpose (rejection sampling, offline methods).

    ## References
    verl and OpenRLHF issues on weights that do not reach the inference engine.
    """
    rows = _leave_out_phrases(select_complete(samples, "text", "prompt", "length"))
    clock = find_steps(rows)
    if clock is None or not len(rows) or float(np.median(rows["length"])) < LONG:
        return CannotTell(("completion",), "completions are too short to differ from each other")
    order = np.argsort(clock, kind="stable")
    prompt, text, when = rows.codes["prompt"][order], rows.codes["text"][order], clock[order]
    again = when > _find_first(prompt, when)
    if again.sum() < FEWEST or len(np.unique(hash_draws(rows))) < FEWEST_DRAWS:
        return CannotTell(("prompt",), f"fewer than {FEWEST} rows have a prompt that was drawn before")
    both = hash_columns(prompt, text).view(np.int64)
    repeated = again & (when > _find_first(both, when))
    share = float(repeated.sum() / again.sum())
    most = max(most, float(_expect_repeats(prompt, when, _estimate_agreement(rows))[again].mean()))
    if _bound_below(share, int(again.sum())) <= most or _measure_variety(rows) < VARIED:
        return None
    return Finding(
        message=f"{share:.0%} of {int(again.sum()):,} completions of prompts that were drawn before are identical to "
        f"an earlier one (limit {most:.0%}), while those of one draw differ: the same completions are repeated, so the "
        "sampler does not get new weights, or reads from a cache.",
        onset=float(when[repeated].min()),
        confidence=HIGH if share > 2 * most else MEDIUM,
        evidence=(Evidence(metric="completions repeated at a later step", value=share, limit=most),),
    )


def _leave_out_phrases(rows: Samples) -> Samples:
    """The rows whose completion is of one prompt alone: what is said to several (refusals) comes back by itself."""
    both = np.unique(np.stack((rows.codes["text"], rows.codes["prompt"])), axis=1)
    texts, prompts = np.unique(both[0], return_counts=True)
    return rows.where(np.isin(rows.codes["text"], texts[prompts == 1]))


def _find_first(codes: np.ndarray, when: np.ndarray) -> np.ndarray:
    """For each row the first time at which its code occurs; rows are in the order of time."""
    _, first, owner = np.unique(codes, return_index=True, return_inverse=True)
    found: np.ndarray = when[first][owner]
    return found


def _estimate_agreement(rows: Samples) -> float:
    """The chance that two completions of a prompt are the same, from the pairs within draws.

    Before any pair is seen it is a half for completions of a dozen words, and half of that for each dozen more; that
    counts as one pair (Laplace's rule of succession).
    """
    draws = hash_draws(rows)
    pairs, agreeing = (_count_pairs(keys) for keys in (draws, hash_columns(draws.view(np.int64), rows.codes["text"])))
    before = 0.5 ** (float(np.median(rows["length"])) / LONG)
    return float((agreeing + before) / (pairs + 1.0))


def _count_pairs(keys: np.ndarray) -> float:
    sizes = np.unique(keys, return_counts=True)[1].astype(np.float64)
    return float((sizes * (sizes - 1.0)).sum() / 2.0)


def _expect_repeats(prompt: np.ndarray, when: np.ndarray, agreement: float) -> np.ndarray:
    """For each row the chance that it agrees with a completion of its prompt before; rows are in the order of time."""
    clocks = np.unique(when, return_inverse=True)[1]
    order = np.lexsort((clocks, prompt))
    _, starts, owner = np.unique(prompt[order], return_index=True, return_inverse=True)
    both = hash_columns(prompt[order], clocks[order])
    _, first, draw = np.unique(both, return_index=True, return_inverse=True)
    before = np.empty(len(order))
    before[order] = first[draw] - starts[owner]
    expected: np.ndarray = 1.0 - (1.0 - agreement) ** before
    return expected


def _bound_below(share: float, count: int) -> float:
    """The lower end of Wilson's interval."""
    extra = ERRORS**2 / count
    spread = ERRORS * float(np.sqrt(share * (1.0 - share) / count + extra / (4.0 * count)))
    return float((share + extra / 2.0 - spread) / (1.0 + extra))


def _measure_variety(rows: Samples) -> float:
    """The share of different texts within draws of several rows; nothing where there is one row a draw."""
    _, draw, sizes = np.unique(hash_draws(rows), return_inverse=True, return_counts=True)
    several = sizes[draw] > 1
    if not several.any():
        return 1.0
    texts = hash_columns(draw[several].astype(np.int64), rows.codes["text"][several])
    drawn = len(np.unique(draw[several]))
    return float((len(np.unique(texts)) - drawn) / (several.sum() - drawn))
