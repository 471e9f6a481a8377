"""Right answers in other forms, which a verifier should pay as well unless its contract says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from weaklink.base.evidence.verifier import BEHAVIOUR, NOTATION, SPACING
from weaklink.collect.samples.verifier.carriers import PLAIN, Carrier
from weaklink.collect.samples.verifier.cases import CODE, MATHS, VerifierCase

CLOSED = ("}", "</answer>", "</solution>")
"""How carriers with a bracket or a tag go on: what stands inside of them may have blanks around it."""


class AnswerForm(msgspec.Struct, frozen=True):
    """A right completion and what sets it apart from the plain one."""

    change: str
    kind: str
    text: str


def list_forms(case: VerifierCase, carrier: Carrier) -> list[AnswerForm]:
    """The other forms of the right answer to a case."""
    plain = carrier.wrap(case.right)
    found = {form.text: form for form in (*_vary_spacing(case, carrier), *_vary_notation(case, carrier))}
    found.pop(plain, None)
    return list(found.values())


def _vary_spacing(case: VerifierCase, carrier: Carrier) -> Iterator[AnswerForm]:
    plain = carrier.wrap(case.right)
    yield AnswerForm(SPACING, "a newline at the end", plain + "\n")
    if case.kind != CODE and (carrier == PLAIN or carrier.after.lstrip().startswith(CLOSED)):
        yield AnswerForm(SPACING, "blanks around the answer", carrier.wrap(f" {case.right} "))


def _vary_notation(case: VerifierCase, carrier: Carrier) -> Iterator[AnswerForm]:
    for change, kind, content in case.forms or _derive_forms(case):
        yield AnswerForm(change, kind, carrier.wrap(content))
    if case.kind != CODE and not carrier.after and carrier.before:
        yield AnswerForm(NOTATION, "full stop", carrier.wrap(f"{case.right}."))


def _derive_forms(case: VerifierCase) -> Iterator[tuple[str, str, str]]:
    """For a case of the user's own: what can be made of its answer without knowing more."""
    if case.kind == CODE:
        yield BEHAVIOUR, "comments and blank lines", f"# a solution\n\n{case.right}\n\n"
        return
    if case.kind != MATHS:
        yield NOTATION, "upper case", case.right.upper()
        yield NOTATION, "full stop", f"{case.right}."
        yield NOTATION, "quotes", f'"{case.right}"'
        return
    bare = case.right.replace(",", "").replace("−", "-")
    if bare.lstrip("+-").isdigit():
        yield NOTATION, "thousands separator", f"{int(bare):,}"
        yield NOTATION, "no thousands separator", bare
        yield NOTATION, "trailing zero", f"{bare}.0"
    if bare.startswith("-"):
        yield NOTATION, "minus sign of typography", bare.replace("-", "−")
    else:
        yield NOTATION, "plus sign", f"+{bare.lstrip('+')}"
    yield NOTATION, "dollar signs", f"${case.right}$"
