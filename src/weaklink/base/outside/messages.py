"""Messages between processes, a line each, and how a worker takes part in them whatever the user's code does to it."""

from __future__ import annotations

import base64
import contextlib
import faulthandler
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

Message = TypeVar("Message")

# taken while they are what they are: the user's code may replace those of the module
_read_process_id, _end_at_once, _duplicate, _change_folder = os.getpid, os._exit, os.dup2, os.chdir
_encode, _decode = msgspec.msgpack.encode, msgspec.msgpack.decode
_to_text, _to_bytes = base64.b64encode, base64.b64decode


def pack_line(message: Any) -> bytes:
    """A message as a line that keeps bytes and numbers which are not finite; in JSON only for integers too large."""
    try:
        return _to_text(_encode(message)) + b"\n"
    except OverflowError:
        return msgspec.json.encode(message) + b"\n"


def unpack_line(line: bytes, kind: type[Message]) -> Message:
    """The message of such a line.

    Raises:
        ValueError: it is no whole message.
    """
    if line.startswith((b"{", b"[")):
        return msgspec.json.decode(line, type=kind)
    return _decode(_to_bytes(line.rstrip(), validate=True), type=kind)


class ParentChannel:
    """The way to the parent. Nothing that is printed, read or closed in this process can disturb it.

    What is printed to standard output goes to standard error, and whoever reads standard input finds nothing.

    `input` is for a worker that listens without waiting, to be read by its number alone. `cut` says whether something
    in this process closed the way all the same.

    Args:
        quiet: whether warnings are left out of what is printed.
    """

    def __init__(self, *, quiet: bool = True) -> None:
        self._process, self.cut = _read_process_id(), False
        self.input, self._output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
        self._streams = os.open(os.devnull, os.O_RDONLY), os.dup(2), os.dup(2)
        self._restore_streams()
        faulthandler.enable(file=self._streams[2])
        if quiet:
            warnings.simplefilter("ignore")

    def _restore_streams(self) -> None:
        for number, kept in enumerate(self._streams):
            _duplicate(kept, number)

    def hear(self, kind: type[Message]) -> Message:
        """The next message."""
        return unpack_line(self.input.readline(), kind)

    def hear_all(self, kind: type[Message]) -> Iterator[Message]:
        """Every further message until the parent has no more.

        Each finds the streams and the folder as the first one did: what came before may have closed or left them.
        """
        folder, streams = os.getcwd(), {"stdout": sys.stdout, "stderr": sys.stderr}
        for line in self.input:
            self._restore_streams()
            with contextlib.suppress(OSError):
                _change_folder(folder)
            for number, (name, stream) in enumerate(streams.items(), start=1):
                lost = stream is None or stream.closed
                setattr(sys, name, os.fdopen(number, "w", 1, encoding="utf-8", closefd=False) if lost else stream)
            yield unpack_line(line, kind)

    def say(self, message: Any) -> None:
        """Sends a message; a fork of the user's that runs on in our code is not the one that was asked, and ends."""
        if _read_process_id() != self._process:
            _end_at_once(0)
        rest = memoryview(pack_line(message))
        try:
            while rest:
                rest = rest[self._output.write(rest) or 0 :]
        except OSError as error:
            self.cut = self.cut or not isinstance(error, BrokenPipeError)  # otherwise nobody listens any more
