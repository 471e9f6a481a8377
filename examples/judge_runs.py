"""Judges every run below a folder and tells which link broke first: `python judge_runs.py runs/`."""

from __future__ import annotations

import sys

import weaklink
from weaklink.collect.readers import read_all

for run in read_all(sys.argv[1]):
    if not isinstance(run, weaklink.Run):
        print(f"unreadable: {run}")
        continue
    diagnosis = weaklink.diagnose(run, ignore=["SYS"])
    broke = diagnosis.first_break
    where = f"{broke.link.value} broke first, by {broke.code}" if broke else f"judged by {diagnosis.judged} rules"
    print(f"{run.name}: {diagnosis.verdict.value}, {where}")
