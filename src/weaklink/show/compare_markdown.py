"""A comparison of evaluations as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.show import compare_wording as told
from weaklink.show import wording
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.text import code, prose
from weaklink.verbs.compare import Compared


def report(compared: Compared) -> str:
    """The diagnosis, the protocol, the scores and the looks."""
    diagnosis = compared.diagnosis
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        answer = told.reason(compared)
    else:
        answer = f"{first.link.value}, {wording.title(first)}"
    lines = [f"## {diagnosis.verdict.value.upper()}: {prose(answer)}", "", prose(", ".join(told.facts(compared)))]
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, None, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    if compared.contrast is not None:
        lines += _table("Protocol", *told.protocol(compared.contrast))
    if compared.scores is not None:
        title = "Scores" if compared.comparable else f"Scores ({told.NOT_COMPARABLE})"
        lines += _table(title, *told.scores(compared.scores))
        lines += listed("Against the first", map(prose, told.pairs(compared.scores, conclude=compared.comparable)))
    elif compared.contrast is not None:
        lines += ["", "The scores are not shown, because they may not be compared; `--anyway` shows them."]
    if compared.overlap is not None and compared.overlap.seen:
        lines += _table("Items met in the training data", told.SEEN, told.seen(compared.overlap))
    if compared.contrast is not None and compared.contrast.looks:
        lines += _table("Looks at each split", told.LOOKS, told.looks(compared.contrast))
    lines += listed("Notes", map(prose, diagnosis.notes))
    return "\n".join(lines) + "\n"


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    cells = [table_row((code(row[0]), *map(prose, row[1:]))) for row in rows]
    return ["", f"**{title}**", "", table_row(map(prose, head)), table_row("---" for _ in head), *cells]
