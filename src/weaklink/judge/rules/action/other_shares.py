from __future__ import annotations

import re

import numpy as np

from weaklink.base.evidence.metrics import ACTION_SHARE
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.patterns import compile_late
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ENTROPY = "exploration.entropy"

# a key that says that it is of an action, by its first word
_OF_ACTION = compile_late(r"(?:.*/)?(?:a|act|action|actions)[/_.]([A-Za-z0-9_]+)", re.IGNORECASE)

# of another policy than the one whose entropy is logged in training
_OTHER = compile_late(r"eval|test|greedy|determin|valid", re.IGNORECASE)

# the folders of what a policy draws and of what an environment is given, and how far apart shares of one choice lie
_DRAWN, _TAKEN = (
    frozenset(("policy", "agent", "chosen", "sampled")),
    frozenset(("env", "environment", "executed", "taken")),
)
FAR_APART = 0.25

# how near to 1 shares add up, of the rows, and the actions that a message names
WHOLE, NEARLY_ALL, MOST_NAMED = 0.01, 0.8, 3


@rule(
    "ACT306",
    link=Link.ACTION,
    level=Level.WARN,
    needs=(ENTROPY,),
    leads_to=(*BEARS_OUT, "EVA304"),
)
def other_shares(run: Run, *, apart: float = 0.1) -> Answer:
    """The actions that are taken vary less than the policy that draws them, or are not those that it draws.

    ## What it sees
    The log has the entropy of a policy over choices and the share of each choice among what was taken: numbers under
    names of actions that add up to 1. In four of five rows the entropy of these shares lies more than a tenth of a nat
    below that of the policy, which never exceeds the log of the number of actions. Or the log has the shares of the
    same choices twice, under a name of the policy and one of the environment: in four of five rows those of one choice
    lie more than a quarter apart.

    ## Why it is bad
    Taken together, actions vary at least as much as in each state by itself: the entropy of a mixture is no less than
    the mean entropy of its parts. What is taken is therefore not what the policy draws. Between them stands a table, a
    mask or an index that sends some choices elsewhere, and the policy is paid for actions that it did not take.

    ## What to do
    1. Print choice and executed action of twenty steps side by side: each choice must have its own action.
    2. Look for a list of actions with one entry twice, an index that is off by one, or a clip of the index.

    ## How to prove it
    Send each action once from the same reset: their effects must differ.

    ## When it is wrong
    An entropy of another distribution than the one that acts, such as of the policy while another explores. Shares
    under names of an evaluation are left out.

    ## References
    Cover and Thomas, Elements of Information Theory, 2006, section 2.7 (concavity of entropy).
    """
    sent_otherwise = _find_sent_otherwise(run)
    if sent_otherwise is not None:
        return sent_otherwise
    entropy, shares = run[ENTROPY], _find_shares(run)
    if len(shares) < 2 or min(map(len, (entropy, *shares))) < FEWEST:
        return CannotTell((f"{ACTION_SHARE}0",), "the shares of the actions are not logged")
    most = float(np.log(len(shares)))
    if float(entropy.highs.max()) > most + WHOLE:
        return CannotTell((ENTROPY,), "the entropy is not one of these actions, or not in nats")
    taken = np.stack([series.values for series in shares])
    mixed = -np.sum(np.where(taken > 0, taken * np.log(np.maximum(taken, 1e-12)), 0.0), axis=0)
    drawn = np.interp(shares[0].steps, entropy.steps, entropy.values)
    if float(np.mean(drawn - mixed > apart)) < NEARLY_ALL:
        return None
    never = [_name(series) for series in shares if float(series.highs.max()) == 0.0]
    told = f", and {name_some(never, MOST_NAMED)} never" if never else ""
    first = shares[0]
    return Finding(
        message=f"The actions taken have an entropy of {level(mixed):.3g}, less than the {level(drawn):.3g} of the "
        f"policy that draws them, which cannot be{told}: some choices are sent as other actions.",
        onset=first.first_step,
        onset_within=first.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=ENTROPY, value=level(drawn), limit=level(mixed), step=first.first_step),),
    )


def _find_shares(run: Run) -> list[Series]:
    """The shares of the choices: as the vocabulary has them, or what stands under names of actions and adds up to 1."""
    known = list(run.matching(ACTION_SHARE))
    for found in (known, [series for key, series in run.unknown.items() if _OF_ACTION.fullmatch(key)]):
        shares = [series for series in found if not _OTHER.search(series.provenance.key)]
        if len(shares) >= 2 and len({len(series) for series in shares}) == 1 and len(shares[0]):
            values: Array = np.stack([series.values for series in shares])
            if float(values.min()) >= 0 and float(np.abs(values.sum(axis=0) - 1.0).max()) <= WHOLE:
                return shares
    return []


def _find_sent_otherwise(run: Run) -> Finding | None:
    """One choice that the environment is given far more or less often than the policy draws it."""
    drawn, taken = _list_folder(run, _DRAWN), _list_folder(run, _TAKEN)
    if len(drawn) < 2 or drawn.keys() != taken.keys() or len(set(map(len, (*drawn.values(), *taken.values())))) != 1:
        return None
    sides = [np.stack([side[name].values for name in drawn]) for side in (drawn, taken)]
    whole = all(
        side.min(initial=1.0) >= 0 and np.abs(side.sum(axis=0) - 1.0).max(initial=0.0) <= WHOLE for side in sides
    )
    apart = sides[1] - sides[0]
    worst = int(np.argmax(np.abs(apart).mean(axis=1)))
    if not whole or apart.shape[1] < FEWEST or float(np.mean(np.abs(apart[worst]) > FAR_APART)) < NEARLY_ALL:
        return None
    name, (asked, given) = list(drawn)[worst], (level(side[worst]) for side in sides)
    series = taken[name]
    return Finding(
        message=f"The environment is given {name!r} in {given:.0%} of the steps, and the policy draws it in "
        f"{asked:.0%}: what is executed is not what was chosen.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=given, limit=asked, step=series.first_step),),
    )


def _list_folder(run: Run, folders: frozenset[str]) -> dict[str, Series]:
    """What the log holds under one of these names and no metric has, by the rest of its key."""
    split = ((*key.rpartition("/")[::2], series) for key, series in run.unknown.items())
    return {name: series for folder, name, series in split if folder.lower() in folders and len(series)}


def _name(series: Series) -> str:
    return series.provenance.key.rpartition("/")[2]
