"""What an address holds, copied into a folder of this machine; what is as it was the last time is not copied again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from weaklink.base.errors import ReadError, UsageError, WeaklinkError
from weaklink.base.patterns import compile_late

TOGETHER = 32
"""Objects that are asked for at once: a store answers slowly, but many at a time."""
OWN = ".weaklink-"
"""How files of our own begin there; a search for logs passes hidden files over."""
MOST_SHOWN = 200
"""Characters of an error of a store, which may be a whole page."""

_ADDRESS = compile_late(r"([a-z][a-z0-9+.-]+)://(?=/*[^/])(.*)", re.DOTALL)


def is_address(path: str) -> bool:
    """Whether this is an address (`s3://lab/sweep`) and no path."""
    return _ADDRESS.fullmatch(path) is not None


class StoredObject(msgspec.Struct, frozen=True):
    """An object: its name in the store, the file that it is copied to, and what changes when it does."""

    name: str
    file: str
    state: str


class StoreCopy:
    """The copy of what lies at an address, in batches: as many as its length, copied one by one when iterated.

    Args:
        address: a folder or an object of a store.
        wanted: asked by its name below the address whether an object may be a log; what is none is not copied.

    Raises:
        UsageError: what such an address needs is not installed.
        ReadError: the store refuses, or holds nothing there.
    """

    def __init__(self, address: str, wanted: Callable[[PurePosixPath], bool]) -> None:
        self.address = address.rstrip("/")
        self.path = _find_cache().joinpath(*_list_parts(self.address))
        try:
            self._system, found, root = _list_objects(address)
        except Exception as error:  # each store has errors of its own
            raise _make_refusal(self.address, error) from error
        alone = list(found) == [root]
        self._folder = self.path.parent if alone else self.path
        self._notes = self._folder / f"{OWN}{_digest(self.address)}.json"
        base = PurePosixPath(root).parent if alone else PurePosixPath(root)
        named = {name: _find_place(name, base) for name in found}
        self._objects = [
            StoredObject(name, str(place), _digest(repr(sorted(found[name].items()))))
            for name, place in sorted(named.items())
            if alone or wanted(place)
        ]
        self._known = self._read_notes()
        self._open = [one for one in self._objects if not self._is_known(one)]

    def __len__(self) -> int:
        return -(-len(self._open) // TOGETHER)

    def __iter__(self) -> Iterator[int]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._forget_gone()
            for first in range(0, len(self._open), TOGETHER):
                self._copy(self._open[first : first + TOGETHER])
                self._notes.write_bytes(msgspec.json.encode(self._known))
                yield first
        except OSError as error:
            raise UsageError(
                f"What lies at {self.address} is copied into {self._folder}, which failed "
                f"({error.strerror or error}). Make room there, or set XDG_CACHE_HOME to another folder."
            ) from error

    def find_address(self, file: str) -> str:
        """The address of something inside of the copy."""
        below = PurePosixPath(Path(os.path.relpath(file, self.path)))
        return self.address if str(below) == "." else f"{self.address}/{below}"

    def _copy(self, batch: Sequence[StoredObject]) -> None:
        """Copies under names of our own first, so that no half of an object is ever read."""
        parts = [self._folder / f"{OWN}part-{number}" for number in range(len(batch))]
        try:
            self._system.get([one.name for one in batch], [str(part) for part in parts])
        except Exception as error:
            raise _make_refusal(self.address, error) from error
        for one, part in zip(batch, parts, strict=True):
            file = self._folder / one.file
            file.parent.mkdir(parents=True, exist_ok=True)
            part.replace(file)
            self._known[one.file] = one.state

    def _is_known(self, one: StoredObject) -> bool:
        return self._known.get(one.file) == one.state and (self._folder / one.file).is_file()

    def _forget_gone(self) -> None:
        """Takes away what is no longer in the store."""
        for file in set(self._known) - {one.file for one in self._objects}:
            del self._known[file]
            (self._folder / file).unlink(missing_ok=True)

    def _read_notes(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(self._notes.read_bytes(), type=dict[str, str])
        except (OSError, msgspec.MsgspecError):
            return {}


def _list_objects(address: str) -> tuple[Any, Mapping[str, Mapping[str, Any]], str]:
    """The file system of an address, its objects by name, and its own name there."""
    if find_spec("fsspec") is None:
        raise UsageError(f"{address} needs fsspec, which is not installed: pip install 'weaklink[remote]'.")
    import fsspec

    system, root = fsspec.core.url_to_fs(address)
    system.invalidate_cache()  # what was listed a minute ago may have grown
    found = system.find(root, detail=True)
    if not found:
        raise ReadError(f"Nothing lies at {address}. Check the name of the bucket and what follows it.")
    return system, found, root.rstrip("/")


def _find_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weaklink" / "objects"


def _list_parts(address: str) -> list[str]:
    """The folders of an address below the cache; a name and a password in it are left out."""
    found = _ADDRESS.fullmatch(address)
    assert found is not None
    host, *below = found.group(2).split("/")
    parts = [found.group(1), host.rpartition("@")[2], *below]
    return [_check_part(part, address) for part in parts if part]


def _find_place(name: str, base: PurePosixPath) -> PurePosixPath:
    """Where an object goes below the copy."""
    place = PurePosixPath(name).relative_to(base)
    return PurePosixPath(*(_check_part(part, name) for part in place.parts))


def _check_part(part: str, name: str) -> str:
    """A store takes any text for a name; a file must not lead out of the copy.

    Raises:
        ReadError: this one would.
    """
    if part in ("..", ".") or "\\" in part or "\0" in part:
        raise ReadError(
            f"An object is copied under its name, and {name!r} is no path. Rename it, or name a folder of it."
        )
    return part


def _digest(text: str) -> str:
    import hashlib

    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _make_refusal(address: str, error: Exception) -> WeaklinkError:
    if isinstance(error, WeaklinkError):
        return error
    said = " ".join(str(error).split())[:MOST_SHOWN] or type(error).__name__
    if isinstance(error, ImportError):
        return UsageError(f"{address} needs a package that is not installed ({said}): pip install 'weaklink[remote]'.")
    return ReadError(
        f"Cannot read {address}: {said}. Check the address, and that its credentials are set where its own tools "
        "look for them (AWS_PROFILE, AWS_ENDPOINT_URL, GOOGLE_APPLICATION_CREDENTIALS)."
    )
