"""What the code of an environment says by itself, read and not run."""

from __future__ import annotations

import msgspec

OVERWRITTEN, UNUSED, DEGREES, UNREAD = "overwritten", "unused", "degrees", "unread"
PAID_FOR, CONVERTED, LATCHED, ALIASED = "paid for", "converted", "latched", "aliased"
CUT_END = "cut end"


class CodeFlaw(msgspec.Struct, frozen=True, kw_only=True):
    """One place in the code of an environment or of a wrapper.

    `kind` is `overwritten` (a value is replaced by another before anything reads it), `unused` (what a step works out
    from its action, a condition or a cost is never read), `degrees` (the sine or cosine of an angle that is kept in
    degrees), `converted` (an angle is converted to the unit that it is in; `name` ends with that unit), `unread` (a
    number is declared and nothing reads it), `paid for` (a term of the reward whose name says the opposite of its sign;
    `name` is that name and the term), `latched` (a flag that a step sets and no reset clears), `aliased` (what was
    meant to keep an array as it was is the array itself, which then changes in place) or `cut end` (an end of the task
    by its name that a step reports as truncated). `name` is what is written to or
    read, `function` the method in which it stands, `where` the file and line, `later` the line of what replaces or
    changes it, 0 where nothing does. `part` says what it was for: `observation`, `reward`, `action`, `end` (terminated
    or truncated), `info`, or nothing where that cannot be told.
    """

    kind: str
    name: str
    function: str
    where: str
    later: int = 0
    part: str = ""
