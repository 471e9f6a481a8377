from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.curves import rising, run_of
from weaklink.base.evidence.run import ENDED_BY
from weaklink.collect.readers import read

RUN = run_of({"reward.episode_return": rising(20, 300)})
TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 4, in main\n    work()\n'
ROWS = "".join(f"step: {step}, episode_return_mean: {step / 10}, epsilon: 0.1\n" for step in range(100, 2000, 100))


def sick():
    return [replace(RUN, notes=("two files", f"{ENDED_BY} MemoryError"))]


def healthy():
    return [RUN, replace(RUN, notes=("the last line was cut off and left out",))]


def test_the_exception_at_the_end_of_what_was_printed_is_noted_and_no_other(tmp_path: Path):
    told = {}
    for name, text in {
        "died": ROWS + TRACEBACK + "MemoryError: Unable to allocate 3.81 GiB\n",
        "caught": TRACEBACK + "ValueError: no display\n" + ROWS,
        "stopped": ROWS + TRACEBACK + "KeyboardInterrupt\n",
        "quiet": ROWS + "RuntimeError: 0\n",
    }.items():
        (tmp_path / f"{name}.log").write_text(text)
        notes = read(tmp_path / f"{name}.log").notes
        told[name] = [note.removeprefix(ENDED_BY).strip() for note in notes if note.startswith(ENDED_BY)]
    assert told == {"died": ["MemoryError"], "caught": [], "stopped": [], "quiet": []}
