"""Console output: SB3's boxes, rsl_rl's blocks, Hugging Face's dictionaries, verl's lines, tables, `name: number`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from weaklink.base.evidence.run import ENDED_BY
from weaklink.collect.readers._console_lines import (
    LONGEST,
    clean,
    find_rsl_rl_key,
    parse_dict_row,
    parse_named_numbers,
    parse_progress_bar,
    parse_verl_row,
)
from weaklink.collect.readers._console_table import PrintedTable
from weaklink.collect.readers._files import TextSource, is_file
from weaklink.collect.readers._printed_settings import parse_settings
from weaklink.collect.readers._rows import LogRows, is_step_name
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "console output"
LOOKS_FOR = "*.log, *.txt"

SUFFIXES = frozenset((".txt", ".log", ".out", ".err", ".stdout", ".stderr"))
NAMES = frozenset(("stdout", "stderr", "output", "log", "console"))
MOST_SHAPES = 500
WIDEST_BOX = 400
HUGGING_FACE = frozenset(("loss", "learning_rate", "epoch"))

_CELLS = re.compile(r"\s*\|(\s+)(\S.*?)\s*\|\s*(.*?)\s*\|")
# what Python prints when an exception that nobody caught ends a program
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"[A-Za-z_][\w.]{0,80}(?:Error|Exception)(?::|$)")
_RULE = re.compile(r"\s*[-=+#]{5,}\s*")
_ITERATION = re.compile(r"\s*Learning iteration (\d{1,15})(?:/\d+)?\s*")
_MEASURE = re.compile(r"\s*([^:|{}]{1,120}?):\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?|nan|-?inf)(?:\s*[a-z%/]+(?:\s.*)?)?\s*")


def handles(path: Path) -> bool:
    """Whether the file is text in which metrics were printed again and again."""
    if not (path.suffix.lower() in SUFFIXES or path.name.lower() in NAMES) or not is_file(path):
        return False
    text = TextSource(path).opening
    return "\0" not in text and is_console(text)


def is_console(text: str) -> bool:
    """Whether metrics can be found in a text."""
    log = RawLog()
    parse(TextSource(content=text, name="text"), log, lone=False)
    return bool(log.columns)


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads what was printed during one run."""
    log = RawLog()
    for path in paths:
        part = RawLog(source=str(path))
        parse(TextSource(path), part)
        log.absorb(part)
    return [log]


def parse(text: TextSource, log: RawLog, *, lone: bool = True) -> None:
    """Files the printed metrics in the log; `lone`: also a line of a kind that was printed only once."""
    printed = PrintedLines(log)
    lines = text.lines()
    traced = ended = ""
    for line in lines:
        for piece in line.rstrip("\r\n").split("\r"):
            if not log.config and (settings := parse_settings(clean(piece[:LONGEST]))):
                log.config.update(settings)
                continue
            printed.take(piece)
            traced = piece if piece.startswith(_TRACEBACK) else traced
            ended = piece if traced and _RAISED.match(piece) else "" if piece.strip() else ended
    printed.finish(lone=lone)
    log.notes.extend(lines.remarks)
    if ended:
        log.notes.append(f"{ENDED_BY} {ended.split(':')[0]}")


class PrintedLines:
    """Turns printed lines into rows: boxes and blocks over several lines, the rest line by line.

    Lines of names and numbers are only used where nothing better was printed, and only if lines with the same names
    come again: what is printed once is a setting or a greeting.
    """

    def __init__(self, log: RawLog) -> None:
        self._log = log
        self._boxes, self._blocks, self._dicts, self._steps = (LogRows(log) for _ in range(4))
        self._loose = RawLog()
        self._loose_rows = LogRows(self._loose)
        self._shapes: dict[frozenset[str], list[dict[str, float]] | None] = {}
        self._table = PrintedTable(log)
        self._box: dict[str, float] = {}
        self._section = ""
        self._block: dict[str, float] | None = None
        self._block_step = 0.0
        self._bar: int | None = None
        self._loose_step: dict[str, float] = {}

    def take(self, raw_line: str) -> None:
        """Takes in the next line."""
        line = clean(raw_line[:LONGEST])
        if not line.strip():
            return
        if self._take_box(line) or self._take_block(line) or self._table.take(line):
            return
        bar = parse_progress_bar(line)
        if bar is not None:
            self._bar = bar
        stepped = parse_verl_row(line)
        if stepped is not None:
            self._steps.add(stepped[1], stepped[0])
            return
        printed = parse_dict_row(line) if "{" in line else None
        if printed is None:
            self._take_loose(parse_named_numbers(line) if bar is None else {})
        elif "train_runtime" not in printed:
            if self._bar is not None:
                printed.setdefault("step", self._bar)
            self._dicts.add(printed)
            if printed.keys() >= HUGGING_FACE:
                self._tells("trl", "updates")

    def finish(self, *, lone: bool) -> None:
        """Files what still waits."""
        self._end_box()
        self._end_block()
        for rows in (self._boxes, self._blocks, self._dicts, self._steps, self._table):
            rows.flush()
        if self._log.columns:
            return
        if lone and not any(shape is None for shape in self._shapes.values()):
            for waiting in self._shapes.values():
                for row in waiting or ():
                    if any(is_step_name(key) for key in row) and len(row) > 1:
                        self._loose_rows.add(row)
        self._loose_rows.flush()
        self._log.absorb(self._loose)

    def _take_box(self, line: str) -> bool:
        """A line of a box such as `|    ep_rew_mean     | 22.1     |` below `| rollout/           |          |`."""
        if _RULE.fullmatch(line):
            self._end_box()
            return False
        cells = _CELLS.fullmatch(line) if len(line) < WIDEST_BOX else None
        if cells is None:
            return False
        indent, key, value = cells.groups()
        if not value and key.endswith("/"):
            self._section = key
            return True
        number = parse_number(value)
        if number is None:
            return False
        self._box[f"{self._section if len(indent) > 3 else ''}{key}"] = number
        return True

    def _end_box(self) -> None:
        if self._box:
            self._boxes.add(self._box)
        self._box, self._section = {}, ""

    def _take_block(self, line: str) -> bool:
        """A line of a block such as `Mean reward: 3.10` below `Learning iteration 10/1500`."""
        opened = _ITERATION.fullmatch(line)
        if opened is not None:
            self._end_block()
            self._block, self._block_step = {}, float(opened.group(1))
            return True
        if self._block is None:
            return False
        measured = _MEASURE.fullmatch(line)
        number = parse_number(measured.group(2)) if measured is not None else None
        if measured is None or number is None or measured.group(1).strip() == "ETA":
            return False
        self._block.setdefault(find_rsl_rl_key(measured.group(1).strip()), number)
        return True

    def _end_block(self) -> None:
        if self._block:
            self._blocks.add(self._block, self._block_step)
            self._tells("rsl_rl", "updates")
        self._block = None

    def _tells(self, framework: str, axis: str) -> None:
        self._log.framework = self._log.framework or framework
        self._log.axis = self._log.axis or axis

    def _take_loose(self, row: dict[str, float]) -> None:
        """Holds the lines of a kind back until it has come again."""
        shape = frozenset(row)
        steps = {key: value for key, value in row.items() if is_step_name(key)}
        self._loose_step = steps or self._loose_step
        if len(steps) == len(row):
            return
        row = {**self._loose_step, **row}
        waiting = self._shapes.get(shape, [])
        if waiting is None:
            self._loose_rows.add(row)
        elif waiting or len(self._shapes) < MOST_SHAPES:
            waiting.append(row)
            self._shapes[shape] = waiting
            if len(waiting) >= (2 if len(shape) > 1 else 3):
                self._release(shape, waiting)

    def _release(self, shape: frozenset[str], waiting: Iterable[dict[str, float]]) -> None:
        for row in waiting:
            self._loose_rows.add(row)
        self._shapes[shape] = None
