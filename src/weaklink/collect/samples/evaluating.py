"""An evaluation written down with its protocol, and the look at its split counted."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec

from weaklink._version import __version__
from weaklink.base.errors import UsageError
from weaklink.base.evidence.ledger import add_looks, find_ledger, look_at
from weaklink.base.evidence.manifest import FILE, KIND, SCHEMA, Manifest, make_document


def write_evaluation(
    folder: str | os.PathLike[str],
    *,
    scores: Any = None,
    ledger: str | os.PathLike[str] | None = None,
    selected: str = "",
    **protocol: Any,
) -> Path:
    """Writes `weaklink-evaluation.json` into a folder; an older one there is replaced.

    Raises:
        UsageError: a value cannot be what its name says, or the folder cannot be written.
    """
    stated = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), **protocol}
    manifest = Manifest.of(scores=scores, **stated)
    if scores is not None and not manifest.scores:
        raise UsageError(
            f"scores of an evaluation must hold at least one, not {scores!r}. Leave `scores` out to write down the "
            "protocol alone."
        )
    file = Path(folder) / FILE
    envelope = {"weaklink": __version__, "kind": KIND, "schema": SCHEMA}
    _put(file, msgspec.json.format(msgspec.json.encode({**envelope, **make_document(manifest)}), indent=2) + b"\n")
    if manifest.scores:
        add_looks(Path(ledger) if ledger else find_ledger(file.parent), look_at([manifest], KIND, selected))
    return file


def _put(file: Path, content: bytes) -> None:
    """All of it or nothing: whoever reads meanwhile never sees half a file."""
    aside = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            aside.write_bytes(content)
            aside.replace(file)
        finally:
            with suppress(OSError):
                aside.unlink()
    except OSError as error:
        raise UsageError(
            f"Cannot write {file}: {error.strerror or error}. Choose a folder that you may write."
        ) from error
