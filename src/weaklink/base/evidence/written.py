"""What the code of an environment says by itself, read and not run."""

from __future__ import annotations

import msgspec

OVERWRITTEN, UNUSED, DEGREES, UNREAD = "overwritten", "unused", "degrees", "unread"
PAID_FOR = "paid for"


class CodeFlaw(msgspec.Struct, frozen=True, kw_only=True):
    """One place in the code of an environment or of a wrapper.

    `kind` is `overwritten` (a value is replaced by another before anything reads it), `unused` (what a step works out
    from its action, a condition or a cost is never read), `degrees` (the sine or cosine of an angle that is kept in
    degrees), `unread` (a number is declared and nothing reads it) or `paid for` (a term of the reward whose name says
    the opposite of its sign; `name` is that name and the term). `name` is what is written to or read, `function` the
    method in which it stands, `where` the file and line, `later` the line of what replaces it, 0 where nothing does.
    `part` says what it was for: `observation`, `reward`, `action`, or nothing where that cannot be told.
    """

    kind: str
    name: str
    function: str
    where: str
    later: int = 0
    part: str = ""
