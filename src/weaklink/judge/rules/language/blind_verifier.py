from __future__ import annotations

from weaklink.base.evidence.verifier import AGAIN, COMPANY, FORM, NOTATION, VERBATIM, Attempt, VerifierCheck, by_kind
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

SHOWN = 120
MOST_NAMED = 6


@rule(
    "LLM315",
    link=Link.REWARD,
    level=Level.WARN,
    on=VerifierCheck,
    leads_to=("LLM308", "LLM312", "REW301"),
)
def blind_verifier(check: VerifierCheck, *, share: float = 0.5, often: float = 0.5, steady: float = 0.01) -> Answer:
    """The reward function refuses right answers for how they are written, or is not the same twice.

    ## What it sees
    A right answer in another form gets less than half of what lies between the verifier's own scores of a plain
    wrong and a plain right answer: with a newline at its end or blanks around it, as code with comments, other
    names or another algorithm, or even as it stands in the cases. Other notations (thousands separators, fractions,
    units, capitals) are told as worth knowing, and only where the verifier takes some of them: one that takes none
    compares to the letter by contract. Besides, every text is asked about twice, in another order and another
    process, with other completions in its batch, and the two scores differ.

    ## Why it is bad
    What is right and unpaid teaches the policy to write what the verifier reads, and hides how good it is. A
    score that changes by itself is noise in every advantage; one that depends on the rest of the batch is no score
    of the answer.

    ## What to do
    1. Strip blanks, and normalise both sides alike before they are compared.
    2. Say in the prompt in which form the answer is wanted, and read that form only.
    3. Judge code by what it does. Seed what draws random numbers, and score each completion by itself.

    ## How to prove it
    `weaklink audit --verifier MODULE:FUNCTION --select LLM315` after the change: the same texts are asked again.

    ## When it is wrong
    A task may want its answer to the letter, blanks included. A judge that samples is not the same twice by
    nature: average it, or set `steady` to the noise that you accept. Rewards for being unlike the rest of the batch
    depend on it by design.

    ## References
    Huang et al., Pitfalls of Rule- and Model-based Verifiers: A Case Study on Mathematical Reasoning, 2025.
    """
    if not check.domains:
        return _unpaid(check)
    found = [*_refused(check, share, often), *_wavering(check, steady)]
    return tuple(found) or None


def _unpaid(check: VerifierCheck) -> Answer:
    """The answer where no kind of question is told apart."""
    levels = check.levels
    if check.answerless:
        return CannotTell(("answer",), "it is not given the right answer, or does not look at it")
    if not check.given or not levels:
        return CannotTell(("cases",), "no right answer was paid; --cases gives it questions of its own kind")
    if levels["right"] > levels["lowest"] or levels["right"] > 0.0:
        return CannotTell(("cases",), "right and wrong answers are paid alike")
    return Finding(
        message=f"{check.called} pays none of {check.asked} right answers in any form tried: right ones get at most "
        f"{levels['right']:.3g}, wrong ones {levels['wrong']:.3g}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="verifier.right", value=levels["right"], limit=levels["wrong"]),),
        fix=("Give a whole right completion as 'completion' in the cases, if it has a form of its own.",),
    )


def _refused(check: VerifierCheck, share: float, often: float) -> list[Finding]:
    """Forms that are not paid, of the first kind of question that the verifier knows."""
    if any(each.how == COMPANY for each in check.unsteady):  # then no score is one of the answer alone
        return []
    tried = [each for each in check.of(FORM) if each.domain == check.domains[0]]
    refused: dict[str, list[Attempt]] = {}
    for kind, same in by_kind(tried).items():
        unpaid = [each for each in same if not _accepted(each, share)]
        if unpaid and len(unpaid) >= often * len(same):
            refused[kind] = unpaid
    itself = [each for each in tried if each.change == VERBATIM and not check.unsteady]
    refused = {kind: same for kind, same in refused.items() if same[0].change != VERBATIM}
    strict = {kind: same for kind, same in refused.items() if same[0].change != NOTATION}
    loose = {kind: same for kind, same in refused.items() if same[0].change == NOTATION}
    takes_some = any(each.change == NOTATION and _accepted(each, share) for each in tried)
    found = [_unread(check, itself)] if itself else []
    found += [_told(check, strict, Level.WARN)] if strict else []
    return [*found, _told(check, loose, Level.INFO)] if loose and takes_some else found


def _accepted(attempt: Attempt, share: float) -> bool:
    return attempt.share >= share


def _unread(check: VerifierCheck, itself: list[Attempt]) -> Finding:
    """Right answers that are refused in the very form that is paid elsewhere."""
    first = itself[0]
    return Finding(
        message=f"{check.called} does not pay {len(itself)} of {check.asked} right answers as they stand in the cases: "
        f"{_shown(first.text)} gets {_got(first)} where others in this form get {first.right:.3g}.",
        confidence=HIGH,
        evidence=(Evidence(metric="verifier.refused", value=float(len(itself)), limit=0.0),),
    )


def _got(attempt: Attempt) -> str:
    if attempt.failed:
        return attempt.error
    return "nothing" if attempt.score is None else f"{attempt.score:.3g}"


def _told(check: VerifierCheck, refused: dict[str, list[Attempt]], level: Level) -> Finding:
    first = next(iter(refused.values()))[0]
    names = list(refused)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return Finding(
        message=f"{check.called} does not pay right answers written with {', '.join(names[:MOST_NAMED])}{more}: "
        f"{_shown(first.text)} gets {_got(first)} where the plain {_shown(first.answer)} gets {first.right:.3g}.",
        level=level,
        confidence=HIGH,
        evidence=tuple(
            Evidence(metric=f"verifier.{kind.replace(' ', '_')}", value=float(len(same)), limit=0.0)
            for kind, same in refused.items()
        ),
    )


def _wavering(check: VerifierCheck, steady: float) -> list[Finding]:
    """Scores that change by themselves, and scores that change with their company."""
    found = []
    for how, cause in ((AGAIN, "asked twice"), (COMPANY, "in another batch")):
        moved = [
            each for each in check.unsteady if each.how == how and abs(each.first - each.second) > steady * each.span
        ]
        if not moved:
            continue
        worst = max(moved, key=lambda each: abs(each.first - each.second))
        of = f" of {check.repeated}" if how == AGAIN and check.repeated else ""
        found.append(
            Finding(
                message=f"{check.called} is not the same {cause}: {_shown(worst.text)} got {worst.first:.3g} and "
                f"{worst.second:.3g}; {len(moved)}{of} texts changed their score.",
                confidence=HIGH,
                evidence=(
                    Evidence(
                        metric="verifier.change", value=abs(worst.first - worst.second), limit=steady * worst.span
                    ),
                ),
            )
        )
    return found


def _shown(text: str) -> str:
    shown = text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
    return f"'{shown[:SHOWN]}...'" if len(shown) > SHOWN else f"'{shown}'"
