"""One folder for each run: a lock, gone with its process, tells whether a recording is still being written."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.store import FILE, HEADER_START, begins_recording

fcntl: Any = None  # Windows has no such locks
with suppress(ImportError):
    fcntl = import_module("fcntl")

LOCK = "weaklink.lock"
MOST_FOLDERS = 10_000


class FolderClaim:
    """A folder that this process records into."""

    def __init__(self, folder: Path, handle: int | None) -> None:
        self.folder = folder
        self._handle = handle

    def renew(self) -> None:
        """Claims the folder again after it was removed; the folder above it must still be there.

        Raises:
            OSError: it cannot be made, or another process has taken it since.
        """
        with suppress(FileExistsError):
            self.folder.mkdir()
        self.forget()
        self._handle = _lock_folder(self.folder)

    def release(self) -> None:
        """Gives the folder free."""
        if self._handle is not None:
            with suppress(OSError):
                (self.folder / LOCK).unlink()
        self.forget()

    def forget(self) -> None:
        """Lets go of the lock without a word: in a forked child it would outlive the process that records."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                os.close(handle)


def claim_folder(folder: Path, inside: str = "") -> FolderClaim:
    """Claims a folder, or the first of `folder-2`, `folder-3`, ... where it is being recorded into or holds a file of
    somebody else's. A recording that has ended is continued.

    Args:
        folder: of the run.
        inside: the folder in it that is claimed, where it is not the run's own.

    Raises:
        UsageError: the folder cannot be made.
    """
    for number in range(1, MOST_FOLDERS):
        place = (folder if number == 1 else folder.with_name(f"{folder.name}-{number}")) / inside
        try:
            place.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"Cannot record into {place}: {reason}. Choose a folder that you may write.") from error
        if _is_foreign(place / FILE):
            continue
        with suppress(BlockingIOError):
            return FolderClaim(place, _lock_folder(place))
    raise UsageError(f"Cannot record into {folder}: there are {MOST_FOLDERS} of its name. Choose another.")


def _lock_folder(folder: Path) -> int | None:
    """The handle that holds the lock of a folder; None where locks cannot be had, as on some network disks.

    Raises:
        BlockingIOError: another recording holds it.
    """
    if fcntl is None:
        return None
    path = folder / LOCK
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                _sign(handle)
                return handle
        except FileNotFoundError:
            pass
        except BlockingIOError:
            os.close(handle)
            raise
        except OSError:
            os.close(handle)
            return None
        os.close(handle)  # its owner removed it between the two calls: the next one is to be had


def _sign(handle: int) -> None:
    """Notes who holds the lock, for people; whether it is held is a matter of the lock alone."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())


def _is_foreign(path: Path) -> bool:
    """Whether there is a file that no recording begins like."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return not begins_recording(file.readline(len(HEADER_START)))
    except OSError:
        return False
