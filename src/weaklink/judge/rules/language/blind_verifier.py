from __future__ import annotations

from weaklink.base.evidence.verifier import (
    AGAIN,
    COMPANY,
    FORM,
    NOTATION,
    VERBATIM,
    VerifierAttempt,
    VerifierCheck,
    group_by_kind,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SHOWN, MOST_NAMED = 120, 6
"""Characters of a text, and kinds of forms, that a message shows: it stays one readable sentence."""


@rule(
    "LLM315",
    link=Link.REWARD,
    level=Level.WARN,
    on=VerifierCheck,
    leads_to=("LLM308", "LLM312", "REW301"),
)
def blind_verifier(check: VerifierCheck, *, share: float = 0.5, often: float = 0.5, steady: float = 0.01) -> Answer:
    """The reward function rejects right answers for their notation, or gives different scores for the same text.

    ## What it sees
    A right answer in another form gets less than half of the difference between the verifier's scores of a plain wrong
    and a plain right answer: with a trailing newline or blanks around it, as code with comments, other names or another
    algorithm, or even exactly as it stands in the cases. Other notations (thousands separators, fractions, units,
    capitals) are reported as information, and only where the verifier accepts some of them: one that accepts none
    requires an exact match by contract. Besides, every text is scored twice, in another order and another process, with
    other completions in its batch; it fires where the two scores differ.

    ## Why it is bad
    Right answers without reward teach the policy the verifier's notation, and hide how good the policy is. A score that
    changes by itself adds noise to every advantage; one that depends on the rest of the batch is not a score of the
    answer.

    ## What to do
    1. Strip whitespace, and normalise both sides in the same way before comparing them.
    2. State in the prompt the form of the answer, and parse only that form.
    3. Judge code by what it does. Seed random number generators, and score each completion independently.

    ## How to prove it
    `weaklink audit --verifier MODULE:FUNCTION --select LLM315` after the change: the same texts are scored again.

    ## When it is wrong
    A task may require an exact match, whitespace included. A judge that samples gives varying scores by nature: average
    it, or set `steady` to the noise that you accept. Diversity rewards depend on the rest of the batch by design.

    ## References
    Huang et al., Pitfalls of Rule- and Model-based Verifiers: A Case Study on Mathematical Reasoning, 2025.
    """
    if not check.domains:
        return _judge_without_domain(check)
    found = [*_find_rejected(check, share, often), *_find_unsteady(check, steady)]
    return tuple(found) or None


def _judge_without_domain(check: VerifierCheck) -> Answer:
    """The answer where the verifier separates right from wrong in no kind of question."""
    levels = check.levels
    if check.answerless:
        return CannotTell(("answer",), "it does not get the right answer, or ignores it")
    if not check.given or not levels:
        return CannotTell(("cases",), "no right answer got a reward; give questions of its kind with --cases")
    if levels["right"] > levels["lowest"] or levels["right"] > 0.0:
        return CannotTell(("cases",), "right and wrong answers get the same reward")
    return Finding(
        message=f"{check.called} rewards none of {check.asked} right answers in any form tried: right ones get at most "
        f"{levels['right']:.3g}, wrong ones {levels['wrong']:.3g}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="verifier.right", value=levels["right"], limit=levels["wrong"]),),
        fix=("If completions have a special form, give a whole right one as 'completion' in the cases.",),
    )


def _find_rejected(check: VerifierCheck, share: float, often: float) -> list[Finding]:
    """Forms that are rejected, of the first kind of question that the verifier knows."""
    if any(each.how == COMPANY for each in check.unsteady):  # then no score belongs to the answer alone
        return []
    tried = [each for each in check.of(FORM) if each.domain == check.domains[0]]
    refused: dict[str, list[VerifierAttempt]] = {}
    for kind, same in group_by_kind(tried).items():
        unpaid = [each for each in same if not _accepted(each, share)]
        if unpaid and len(unpaid) >= often * len(same):
            refused[kind] = unpaid
    itself = [each for each in tried if each.change == VERBATIM and not check.unsteady]
    refused = {kind: same for kind, same in refused.items() if same[0].change != VERBATIM}
    strict = {kind: same for kind, same in refused.items() if same[0].change != NOTATION}
    loose = {kind: same for kind, same in refused.items() if same[0].change == NOTATION}
    takes_some = any(each.change == NOTATION and _accepted(each, share) for each in tried)
    found = [_report_verbatim(check, itself)] if itself else []
    found += [_report_rejected(check, strict, Level.WARN)] if strict else []
    return [*found, _report_rejected(check, loose, Level.INFO)] if loose and takes_some else found


def _accepted(attempt: VerifierAttempt, share: float) -> bool:
    return attempt.share >= share


def _report_verbatim(check: VerifierCheck, itself: list[VerifierAttempt]) -> Finding:
    """Right answers that are rejected in a form that is accepted elsewhere."""
    first = itself[0]
    return Finding(
        message=f"{check.called} rejects {len(itself)} of {check.asked} right answers exactly as in the cases: "
        f"{_shown(first.text)} gets {_got(first)} where others in this form get {first.right:.3g}.",
        confidence=HIGH,
        evidence=(Evidence(metric="verifier.refused", value=float(len(itself)), limit=0.0),),
    )


def _got(attempt: VerifierAttempt) -> str:
    if attempt.failed:
        return attempt.error
    return "nothing" if attempt.score is None else f"{attempt.score:.3g}"


def _report_rejected(check: VerifierCheck, refused: dict[str, list[VerifierAttempt]], level: Level) -> Finding:
    first = next(iter(refused.values()))[0]
    names = list(refused)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return Finding(
        message=f"{check.called} rejects right answers written with {', '.join(names[:MOST_NAMED])}{more}: "
        f"{_shown(first.text)} gets {_got(first)} where the plain {_shown(first.answer)} gets {first.right:.3g}.",
        level=level,
        confidence=HIGH,
        evidence=tuple(
            Evidence(metric=f"verifier.{kind.replace(' ', '_')}", value=float(len(same)), limit=0.0)
            for kind, same in refused.items()
        ),
    )


def _find_unsteady(check: VerifierCheck, steady: float) -> list[Finding]:
    """Scores that change between calls, and scores that depend on the rest of the batch."""
    found = []
    for how, cause in ((AGAIN, "when called twice"), (COMPANY, "in another batch")):
        moved = [
            each for each in check.unsteady if each.how == how and abs(each.first - each.second) > steady * each.span
        ]
        if not moved:
            continue
        worst = max(moved, key=lambda each: abs(each.first - each.second))
        of = f" of {check.repeated}" if how == AGAIN and check.repeated else ""
        found.append(
            Finding(
                message=f"{check.called} gives another score {cause}: {_shown(worst.text)} got {worst.first:.3g} and "
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
