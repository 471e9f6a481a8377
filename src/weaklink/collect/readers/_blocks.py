"""A large text in blocks of whole lines, and what is made of each worked out a little ahead."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from weaklink.base.limits import LONGEST_LINE
from weaklink.collect.readers._files import make_read_error

if TYPE_CHECKING:
    from concurrent.futures import Future

SIZE = 1 << 20
WORKERS = min(2, os.cpu_count() or 1)
"""numpy works on two blocks at once; more would wait for what is done with them."""

Made = TypeVar("Made")


class ByteBlocks:
    """The bytes of a file after its first lines: blocks that end with a line, and one more where the last is torn.

    Lines longer than any log has are passed over and counted. `whole` tells at the end whether the last line was ended,
    `began` the byte behind the lines that were skipped, which are those after the byte `start`.
    """

    def __init__(self, path: Path, skip: int, start: int = 0) -> None:
        self._path = path
        self._skip = skip
        self.began = start
        self.overlong = 0
        self.whole = True

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._path.open("rb") as file:
                file.seek(self.began)
                for _ in range(self._skip):
                    file.readline()
                self.began = file.tell()
                rest = b""
                while chunk := file.read(SIZE):
                    end = chunk.rfind(b"\n") + 1
                    self.whole = end == len(chunk)
                    if end:
                        yield rest + chunk[:end]
                        rest = chunk[end:]
                        continue
                    rest += chunk
                    if len(rest) >= LONGEST_LINE:
                        self.overlong += 1
                        rest = b""
                        while (more := file.readline(SIZE)) and not more.endswith(b"\n"):
                            pass
                if rest:
                    yield rest
        except OSError as error:
            raise make_read_error(self._path, error) from error


def make_ahead(make: Callable[[bytes], Made], blocks: Iterable[bytes]) -> Iterator[tuple[bytes, Made]]:
    """Each block with what is made of it, in their order; a few are made while the ones before are looked at."""
    from concurrent.futures import ThreadPoolExecutor  # small logs, nearly all, are spared the loading

    with ThreadPoolExecutor(WORKERS) as pool:
        waiting: deque[tuple[bytes, Future[Made]]] = deque()
        for block in blocks:
            waiting.append((block, pool.submit(make, block)))
            if len(waiting) > 2 * WORKERS:
                first, made = waiting.popleft()
                yield first, made.result()
        for block, made in waiting:
            yield block, made.result()
