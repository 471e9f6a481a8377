from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Array
from weaklink.base.stats.correlation import ranks
from weaklink.judge.rules._assigned import NEXT, find_owner, is_dice
from weaklink.judge.rules._common import tell_common, tell_digits, tell_ending, tell_worded
from weaklink.judge.rules._draws import FEWEST_DRAWS, FEWEST_ROWS, add_columns, hash_draws, select_complete
from weaklink.judge.rules._samples import EARLY, LIKELY, convert_to_z, ends, measure_course, split
from weaklink.judge.rules._within import measure_effect, tell_followed
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_WRONG = 30, 8
"""Rows with both scores, and rows that are overrated: with fewer a share is chance."""
CLEAR = 3.0
"""Standard errors by which overrating must exceed underrating; it must be twice as frequent besides."""
SCALES = ((-1.0, 1.0), (1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))
"""Common scales of scores besides 0 to 1; one is evident where values reach both of its ends and none lies outside."""
SMALL = 0.1
"""Scores that never exceed this are not on a scale of 0 to 1, where all of them were the lowest."""
INVERTED = -0.5
"""The agreement, chance allowed for, below which a reward ranks rows the wrong way round: errors alone do not."""
PARTNERS = 20
"""Random rows that each row is compared with: enough for an agreement to two digits, in linear time."""

TRUTHS = ("human_score", "gold", "state_reached", "answer_right")
"""Scores that are trusted, the first that is there."""
REJECTED, LASTING = 0.2, 0.8
"""The share of right rows with the lowest reward, below which a format that is asked for besides may be what they lack;
and the part of it that must be left at the end of training: a format that is being learned goes below it."""
SAYS = {
    "human_score": ("have a human score below {low:g}", "people rate as good"),
    "gold": ("have a gold score below {low:g}", "are right by their gold score"),
    "state_reached": ("ended in a state that is not the expected one", "reached the expected state"),
    "answer_right": ("give a wrong answer, not the reference", "give the reference as their answer"),
}
"""How a bad row and a good one are told, by what is trusted."""
VERDICTS = 12
"""Different rewards up to which a reward is a verdict, such as a verifier's, and must be that of the gold score."""
ALIGN = (
    "Follow one row from sampling to its reward: look for a list that loses or gains an entry, or is sorted.",
    "Carry an id with every completion, and join rewards by it instead of by position.",
)
EXCESS = "reward above the trusted score"
STRICT = (
    "Read ten of these rows: what does the reward trip over (a unit, a full stop, `.0`, spacing, case, a missing tag)?",
    "Normalise both sides before they are compared, and compare numbers as numbers.",
    "Try the reward function with right answers in other forms: `weaklink audit --verifier module:reward`.",
)
FLIPPED = (
    "Score a right answer and a wrong one with the reward function: the right one must get more.",
    "Look for a distance or a loss that is paid as it is, a sign that is applied twice, and labels that are swapped.",
)
CONSTANT = (
    "Call the reward function on an answer that is right and on one that is wrong: their rewards must differ.",
    "Look for a default that is returned where an error is caught, and for a threshold that every answer passes.",
)


@rule(
    "LLM301",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", TRUTHS),
    leads_to=("LLM302", "LLM303", "LLM305", "LLM311", "LLM352", "REW305"),
)
def reward_human_mismatch(
    samples: Samples,
    *,
    high: float = 0.9,
    low: float = 0.4,
    share: float = 0.1,
    agreement: float = 0.1,
    verdict: float = 0.4,
    seed: int = 0,
) -> Answer:
    """The highest rewards do not go to what people, or a score that is trusted, rate as good.

    ## What it sees
    Rows with a reward above 0.9 and a human score below 0.4; where no human score is given the gold score counts, and
    without that whether the final state is the expected one, or the answer the reference. It is an alarm where they
    are a tenth or more of the rows with the highest reward, and the reward overrates bad rows at least twice as often
    as it underrates good ones: noise alone errs both ways. It is an alarm too where the rankings by reward and by
    that score hardly agree: of pairs that differ in both, those in the same order outnumber the others by less than a
    tenth, or by less than 0.4 where a verdict is compared with what is known to be right. Where the others outnumber
    them by half, the reward is inverted: an error. Where rewards go with the score of another row, up to 64 before or
    after (correlation 0.5) or at the other end of their group, and not with their own, they are misaligned: an error.
    A reward that is the same for all rows, though a tenth of them or more deserve another, is named as such. Without
    human scores all but the rows off is asked of verdicts only: rewards that take at most 12 values; of others, where
    rows give a right answer, only whether they follow it at all (by a tenth or more, or among rows of one draw). It
    is an alarm as well where such verdicts reject what is right: a fifth or more of the rows that are right by a
    score of two values have the lowest reward, at the end of training no less than before, and at least twice as
    often as wrong ones have the highest. Where such rows have a thing in common that the others have not, a value of
    another field or the form of their texts, the message names it.

    Scores on another scale are rescaled to 0 to 1 where the scale is evident (-1 to 1, 1 to 5, 0 to 10 and similar
    ones, and two values are its ends); otherwise the ranks of both are used, and the message says so.

    ## Why it is bad
    Training moves towards the highest reward. Where people reject that, the reward curve rises as the model gets worse.

    ## What to do
    1. Read the ten rows with the highest reward and the lowest human scores: what do they have in common?
    2. Look at the components of their reward one by one.
    3. Retrain the reward model with these rows, or close the hole that they exploit.
    4. Keep a set of human scores, and check the reward against it before each training.

    ## How to prove it
    Have fifty rows with the highest reward and fifty random ones judged blind by a second person: the first must win.

    ## When it is wrong
    Human scores of few rows, from hurried judges, or on a scale of which only a part is used.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022. Both limits are those of an earlier reward audit.
    """
    truth = next(name for name in TRUTHS if name in samples)
    rows = select_complete(samples, "reward", truth)
    if len(rows) < FEWEST or len(np.unique(hash_draws(rows))) < FEWEST_DRAWS:
        return CannotTell((truth,), f"fewer than {FEWEST} rows with reward and {truth}")
    human, human_ranked = _unit(rows[truth])
    paid, paid_ranked = _unit(rows["reward"])
    if (
        paid is not None and human_ranked and not paid_ranked
    ):  # four in ten ranks are low, whatever the scale of rewards
        paid, paid_ranked = (ranks(rows["reward"]) - 0.5) / len(rows), True
    if paid is None or human is None or (truth == "state_reached" and not human.any()):
        return CannotTell(("reward", truth), "one of the two never changes")
    if (shifted := _shifted(rows, truth, paid, human)) is not None:
        return shifted
    if truth != "human_score" and len(np.unique(rows["reward"])) > VERDICTS:
        return _unrelated(rows, truth, paid, human, agreement, np.random.default_rng(seed))
    varies = np.ptp(samples["reward"][np.isfinite(samples["reward"])]) > 0.0
    if not varies and (constant := _constant(rows, truth, human, low, share)) is not None:
        return constant
    ranked = _compare_rankings(rows, paid, human, np.random.default_rng(seed))
    if ranked is not None and ranked[1] < INVERTED:
        return _inverted(truth, ranked[0], len(rows))
    told = " by rank" if paid_ranked or human_ranked else ""
    everything, parts = np.ones(len(rows), bool), ends(rows)
    for part in (everything,) if parts is None else (everything, parts[1]):
        seen = _overrated(rows, paid, human, part, high, low)
        if seen is not None and seen[0] >= share:
            told += tell_digits(rows, paid, human, high)
            wrong = (human < low) & (paid > high)
            shared = tell_common(rows, wrong, human < low) or tell_worded(rows, wrong, human > 1.0 - low)
            overpaid = _overpaid(rows, seen, high, low, share, truth, told, shared)
            return _date(overpaid, rows, paid - human)
    if (rejected := _rejected(rows, truth, paid, human, high, low)) is not None:
        return rejected
    least = agreement if truth == "human_score" else verdict
    if ranked is None or ranked[1] >= least:
        return None
    if is_dice(rows):
        return CannotTell(("reward",), "one and the same text gets different rewards: they are noise")
    return _date(_unlike(rows, truth, ranked[0], least), rows, paid - human)


def _unrelated(rows: Samples, truth: str, paid: Array, human: Array, least: float, rng: np.random.Generator) -> Answer:
    """Rewards on a scale that do not follow right and wrong, neither over all rows nor among those of one draw.

    Only where rows give a right answer: a task without one may be paid for something else, such as helpfulness.
    """
    ranked = _compare_rankings(rows, paid, human, rng) if len(np.unique(human)) == 2 and "reference" in rows else None
    inside = measure_effect(rows, "reward", human, None) if ranked is not None and ranked[1] < least else None
    if ranked is None or ranked[1] >= least or (inside is not None and inside.z >= LIKELY):
        # a score that follows something else has a rule for what it follows
        return CannotTell(("human_score",), "rewards are no verdicts, and no human score says how good rows are")
    return _date(_unlike(rows, truth, ranked[0], least), rows, paid - human)


def _date(finding: Finding, rows: Samples, excess: Array) -> Finding:
    """The finding with the step from which on rows are overrated, where that grew during training."""
    marked = add_columns(rows, **{EXCESS: excess})
    parts = split(replace(marked, baseline=None), EXCESS)
    shift = None if parts is None else parts.shift(EXCESS)
    over = None if shift is None or not shift.rose else measure_course(marked, EXCESS)
    if shift is None or over is None:
        return finding
    onset = over.crossed((shift.before + shift.after) / 2)
    width = float(over.steps[-1] - over.steps[0]) * EARLY
    return msgspec.structs.replace(finding, onset=onset, onset_within=0.0 if onset is None else width)


def _unit(values: Array) -> tuple[Array | None, bool]:
    """The values on a scale from 0 to 1, and whether these are ranks; None for a constant."""
    least, most = float(values.min()), float(values.max())
    if least == most:
        return (values if 0.0 <= least <= 1.0 else None), False
    if least >= 0.0 and most <= 1.0:
        return (values if most > SMALL else values / most), False
    for start, end in SCALES:
        slack = 0.05 * (end - start)
        if start <= least <= start + slack and end - slack <= most <= end:
            return (values - start) / (end - start), False
    if ((values == least) | (values == most)).all():
        return (values - least) / (most - least), False
    return (ranks(values) - 0.5) / len(values), True


def _overrated(
    rows: Samples, paid: Array, human: Array, part: Flags, high: float, low: float
) -> tuple[float, int] | None:
    """The share of the rows with the highest reward that people reject and their number, beyond noise both ways."""
    best, bad, good = part & (paid > high), part & (human < low), part & (human > 1.0 - low)
    wrong, under = best & bad, good & (paid < 1.0 - high)
    if best.sum() < FEWEST_ROWS or not _errs_one_way(rows, part, (wrong, bad), (under, good)):
        return None
    return float(wrong.sum() / best.sum()), int(wrong.sum())


def _errs_one_way(rows: Samples, part: Flags, errors: tuple[Flags, Flags], opposite: tuple[Flags, Flags]) -> bool:
    """Whether errors, among the rows that can have them, are beyond chance more frequent than the opposite ones."""
    (wrong, could), (other, could_other) = errors, opposite
    if wrong.sum() < FEWEST_WRONG:
        return False
    total, total_other = could.sum(), max(could_other.sum(), 1)
    rate, rate_other = float(wrong.sum() / total), float(other.sum() / total_other)
    _, owner = np.unique(hash_draws(rows)[part], return_inverse=True)
    left = (wrong - rate * could) / total - (other - rate_other * could_other) / total_other
    pull = np.bincount(owner, left[part])
    guess = float((wrong.sum() + 1) / (total + 2))
    # at worst all rows of a draw are one observation
    error = max(float(np.sqrt((pull**2).sum())), (guess * (1 - guess) / len(pull)) ** 0.5)
    return rate >= 2.0 * rate_other and convert_to_z((rate - rate_other) / error, len(pull)) >= CLEAR


def _rejected(rows: Samples, truth: str, paid: Array, human: Array, high: float, low: float) -> Finding | None:
    """Right rows that verdicts reject, at the end no less than before: a format may first have to be learned."""
    if len(np.unique(human)) != 2 or len(np.unique(rows["reward"])) > VERDICTS:
        return None
    whole: Flags = np.ones(len(rows), bool) if "truncated" not in rows else rows["truncated"] != 1.0
    good, bad = whole & (human > 1.0 - low), whole & (human < low)
    under, over = good & (paid < 1.0 - high), bad & (paid > high)
    parts = ends(rows)
    late = whole if parts is None else whole & parts[1]
    share, now = (float((under & part).sum() / max((good & part).sum(), 1)) for part in (whole, late))
    shared = tell_common(rows, under, good)
    # what has one thing in common is rejected for that, and learns no format in the meantime
    if now < (REJECTED if shared else max(REJECTED, LASTING * share)) or (good & late).sum() < FEWEST_ROWS:
        return None
    if not _errs_one_way(rows, whole, (under, good), (over, bad)):
        return None
    return Finding(
        message=f"{share:.0%} of the rows that {_say(rows, truth, 1)} ({int(under.sum()):,} rows) have the lowest "
        f"reward: the reward rejects right answers{shared}.",
        confidence=MEDIUM if truth == "answer_right" else HIGH,
        evidence=(Evidence(metric="right and rejected", value=share, limit=REJECTED),),
        fix=STRICT,
    )


def _overpaid(
    rows: Samples, seen: tuple[float, int], high: float, low: float, limit: float, truth: str, told: str, shared: str
) -> Finding:
    share, count = seen
    accepts = ": the reward accepts wrong answers" if truth != "human_score" else ""
    return Finding(
        message=f"{share:.0%} of the rows with a reward over {high:g} ({count:,} rows) "
        f"{_say(rows, truth, 0).format(low=low)}{told}{accepts}{shared}.",
        confidence=HIGH if not told else MEDIUM,
        evidence=(Evidence(metric="best-paid and rejected", value=share, limit=limit),),
    )


def _say(rows: Samples, truth: str, place: int) -> str:
    """How a bad row (0) or a good one (1) is told, with the file's own name of the score."""
    name = rows.named.get(truth, "")
    return f"{SAYS[truth][place]} ({name})" if name else SAYS[truth][place]


def _name(truth: str) -> str:
    return {"human_score": "human", "answer_right": "reference", "state_reached": "state"}.get(truth, truth)


def _constant(rows: Samples, truth: str, human: Array, low: float, share: float) -> Finding | None:
    """One reward for all rows, although many deserve another."""
    reward = float(rows["reward"][0])
    wrong = human < low if reward > 0.5 else human > 1.0 - low
    if wrong.sum() < FEWEST_WRONG or wrong.mean() < share:
        return None
    beyond = f"below {low:g}" if reward > 0.5 else f"above {1.0 - low:g}"
    return Finding(
        message=f"All {len(rows):,} rows have the same reward, {reward:g}, and {wrong.mean():.0%} of them have a "
        f"{_name(truth)} score {beyond}: the reward is constant and tells nothing apart.",
        confidence=HIGH,
        evidence=(Evidence(metric="one reward for all, and wrong", value=float(wrong.mean()), limit=share),),
        fix=CONSTANT,
    )


def _shifted(rows: Samples, truth: str, paid: Array, human: Array) -> Finding | None:
    """Rewards that go with the trusted scores of other rows, and not with their own."""
    found = find_owner(rows, paid, human)
    if found is None:
        return None
    whose, how, near, own = found
    return Finding(
        message=f"Rewards are misaligned: they follow the {_name(truth)} score of {whose} (correlation {near:.2f} over "
        f"{len(paid):,} rows) and not their own ({own:.2f}): they are assigned {how}.",
        level=Level.ERROR,
        link=Link.DATA,
        confidence=HIGH,
        evidence=(Evidence(metric=f"reward and {truth} of other rows", value=near, limit=NEXT),),
        fix=ALIGN,
    )


def _compare_rankings(rows: Samples, paid: Array, human: Array, rng: np.random.Generator) -> tuple[float, float] | None:
    """How alike both scores rank rows, over random pairs that differ in both, and how much that may be at most."""
    other = rng.integers(0, len(paid), (PARTNERS, len(paid)))
    signs = np.sign(paid - paid[other]) * np.sign(human - human[other])
    differ = np.abs(signs).sum(axis=0)
    total = float(differ.sum())
    spread = float(np.quantile(human, 0.9) - np.quantile(human, 0.1))
    if total < FEWEST * PARTNERS / 2 or spread < 0.2:
        return None
    gamma = float(signs.sum() / total)
    _, owner = np.unique(hash_draws(rows), return_inverse=True)
    pull = np.bincount(owner, signs.sum(axis=0) - gamma * differ)
    error = 2.0 * float(np.sqrt((pull**2).sum())) / total
    return gamma, gamma + LIKELY * error


def _inverted(truth: str, gamma: float, count: int) -> Finding:
    return Finding(
        message=f"The reward is inverted: it ranks {count:,} rows opposite to their {_name(truth)} score "
        f"({gamma:.2f}; 1 is perfect, 0 is chance, limit {INVERTED:g}), so wrong answers are paid.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric=f"agreement of reward and {truth}", value=gamma, limit=INVERTED),),
        fix=FLIPPED,
    )


def _unlike(rows: Samples, truth: str, gamma: float, least: float) -> Finding:
    return Finding(
        message=f"The rankings by reward and by {_name(truth)} score hardly agree: {gamma:.2f} over {len(rows):,} rows "
        f"(1 is perfect, 0 is chance, limit {least:g}): rewards are nearly unrelated to what is right"
        f"{tell_followed(rows)}{tell_ending(rows)}.",
        confidence=HIGH if gamma < 0 else MEDIUM,
        evidence=(Evidence(metric=f"agreement of reward and {truth}", value=gamma, limit=least),),
    )
