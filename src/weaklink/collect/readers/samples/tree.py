"""The files of samples below a folder."""

from __future__ import annotations

import os
from pathlib import Path

from weaklink.collect.readers._files import make_natural_key
from weaklink.collect.readers._walk import SKIPPED_FOLDERS
from weaklink.collect.readers.samples import json_rows, parquet

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")
DEEPEST = 12


def find_sample_files(root: Path) -> list[Path]:
    """The files below a folder that look like samples, in natural order; no link is followed.

    Files named like Parquet are taken as they are; JSON must show a field of a sample in its first bytes, since the
    folder of a training holds many other JSON files.
    """
    found: list[Path] = []
    depth = len(root.parts)
    for folder, folders, files in os.walk(root, onerror=lambda error: None, followlinks=False):
        here = Path(folder)
        wanted = [name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS]
        folders[:] = sorted(wanted, key=make_natural_key) if len(here.parts) - depth < DEEPEST else []
        for name in sorted(files, key=make_natural_key):
            file = here / name
            if not name.startswith(".") and not file.is_symlink() and _looks_like_samples(file):
                found.append(file)
    return found


def _looks_like_samples(file: Path) -> bool:
    name = file.name.lower()
    if name.endswith(parquet.SUFFIXES):
        return parquet.handles(file)
    return name.endswith(JSON_SUFFIXES) and json_rows.looks_like_samples(file)
