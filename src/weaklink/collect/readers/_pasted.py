"""Text that somebody pasted or piped: console output, or the content of a log file."""

from __future__ import annotations

from weaklink.base.errors import CorruptLog, EmptyLog, ReadError
from weaklink.base.evidence.run import Run
from weaklink.collect.readers import console, csv_table, json_lines, trainer_state
from weaklink.collect.readers._assembly import make_printable
from weaklink.collect.readers._files import TextSource, clean
from weaklink.collect.readers.raw import RawLog, assemble


def read_pasted(content: str, name: str) -> Run:
    """The run that the text tells of."""
    name = clean(name)
    log = RawLog(name=name, source=name)
    try:
        _parse(TextSource(content=clean(content.lstrip("\ufeff")), name=name), log)
    except ReadError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise CorruptLog(f"{name} could not be read: {reason}. Save it to a file and name that.") from error
    if not any(map(len, log.columns.values())):
        raise EmptyLog(
            f"{name} holds no metrics. "
            "Paste lines such as `step: 10, reward: 3.2`, a table of SB3, or rows of CSV or JSON."
        )
    make_printable(log)
    return assemble(log)


def _parse(text: TextSource, log: RawLog) -> None:
    opening = text.opening.lstrip()
    if opening.startswith("{") and '"log_history"' in opening:
        log.framework, log.axis = "trl", "updates"
        trainer_state.parse(text, log)
    elif opening.startswith(("{", "[")) and json_lines.is_rows(opening, lines=True):
        json_lines.parse(text, log)
    elif _is_table(opening):
        csv_table.parse(text, log)
    if not log.columns:
        console.parse(text, log)


def _is_table(opening: str) -> bool:
    """Whether every one of the first lines has the cells of the first: a table, not talk with commas in it."""
    if opening.startswith("|") or not csv_table.is_table(opening):
        return False
    lines = [line for line in opening.splitlines()[:6] if line.strip() and not line.startswith("#")]
    shape = csv_table.detect_shape(lines)
    if shape is None or len(lines) < 2:
        return False
    return all(line.count(shape.delimiter) == lines[0].count(shape.delimiter) for line in lines[1:-1])
