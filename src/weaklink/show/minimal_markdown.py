"""The emergency procedure as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.show import minimal_wording as words
from weaklink.show.markdown import listed, table_row
from weaklink.show.text import code, prose
from weaklink.verbs.debug.minimal.evidence import Minimal


def report(result: Minimal) -> str:
    """The answer, what to do, the versions, the parts of the reward, and what the model sees."""
    lines = [f"## {words.WORDS[result.works].upper()}: {prose(result.headline)}", ""]
    lines += [f"{code(result.target.word or result.target.name)}, {prose(words.agent(result))}, {result.seconds:.0f} s"]
    lines += listed("Next", map(prose, result.next_steps), numbered=True)
    if result.versions:
        lines += ["", "**Versions of the task**", *_table(words.VERSION_HEAD, map(words.version_row, result.versions))]
    if result.effects:
        head, rows = words.matrix(result.effects)
        lines += ["", "**Each part of the reward alone** (+ more than random play, - less, = not to be told apart)"]
        lines += _table(head, rows)
        lines += listed("Fights", (f"{code(one)} and {code(other)}" for one, other in result.fights))
    lines += _seen(result)
    lines += listed("Remarks", map(prose, words.remarks(result)))
    return "\n".join(lines) + "\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = [prose(name) for name in head]
    yield from ("", table_row(names), table_row("---" for _ in names))
    for row in rows:
        yield table_row(prose(cell) for cell in row)


def _seen(result: Minimal) -> Iterator[str]:
    if result.looked.seen:
        yield from ("", f"**What the model sees** ({words.seen_by(result)})")
    for part in result.looked.seen:
        yield from ("", prose(words.seen_title(part)))
        yield from _table(words.SEEN_HEAD, words.seen_rows(part))
        for picture in part.pictures:
            yield from ("", prose(picture.label), "", "```text", *words.drawn(picture), "```")
