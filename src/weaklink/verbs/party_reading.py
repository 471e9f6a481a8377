"""The sides of a comparison read: by this process, or each run and evaluation by a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from weaklink.adapters.ray.tasks import RayTasks
from weaklink.base.errors import ReadError
from weaklink.base.evidence.contrast import EvaluationEntry, EvaluationParty
from weaklink.collect.readers.evaluations import find_party, make_party, read_entries, read_party

FUNCTION = f"{__name__}:answer_message"
MOST_TRIES = 2


class PathAsked(msgspec.Struct, frozen=True):
    """A path to read, and the folder that it is meant from."""

    path: str
    folder: str


class PathRead(msgspec.Struct, frozen=True):
    """What a path holds, or why it cannot be read."""

    entries: tuple[EvaluationEntry, ...] = ()
    refusal: str = ""


def answer_message(message: bytes) -> bytes:
    """Reads the path of a message; this runs in the processes of Ray."""
    asked = msgspec.msgpack.decode(message, type=PathAsked)
    if os.path.isdir(asked.folder):
        os.chdir(asked.folder)
    try:
        return msgspec.msgpack.encode(PathRead(read_entries(asked.path)))
    except ReadError as error:
        return msgspec.msgpack.encode(PathRead(refusal=str(error)))


def read_parties(words: Sequence[str], ray: str = "") -> list[EvaluationParty]:
    """The sides of a comparison, each called by its word; `ray` is the address of a cluster that reads them.

    Raises:
        ReadError: one holds nothing, or cannot be read.
        UsageError: the cluster cannot be reached.
    """
    if not ray:
        return [read_party(word) for word in words]
    found = [(word, path) for word in words for path in find_party(word)]
    messages = {number: msgspec.msgpack.encode(PathAsked(path, os.getcwd())) for number, (_, path) in enumerate(found)}
    cluster = RayTasks(ray)
    try:
        answers = dict(cluster.answer_all(FUNCTION, messages, MOST_TRIES))
    finally:
        cluster.close()
    held: dict[str, list[EvaluationEntry]] = {word: [] for word in words}
    for number, (word, path) in enumerate(found):
        held[word].extend(_unpack(path, answers[number]))
    return [make_party(word, entries) for word, entries in held.items()]


def _unpack(path: str, answer: bytes | str) -> tuple[EvaluationEntry, ...]:
    if isinstance(answer, str):
        raise ReadError(f"{path} could not be read by the cluster: {answer}. Compare without --ray.")
    read = msgspec.msgpack.decode(answer, type=PathRead)
    if read.refusal:
        raise ReadError(read.refusal)
    return read.entries
