"""CRC-32C, the checksum of TFRecord files, of one record or of many equally long ones at once."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_POLYNOMIAL = np.uint32(0x82F63B78)
_START = 0xFFFFFFFF
_STRIPE = 256
_LONG = 4096


def compute_masked_crc32c(data: bytes) -> int:
    """The checksum of some bytes, masked as TFRecord stores it."""
    return _mask(compute_crc32c(data))


def compute_masked_crc32c_of_rows(rows: NDArray[np.uint8], length: int) -> Words:
    """The masked checksum of the first `length` bytes of each row; rows are a multiple of 4 bytes wide."""
    words = np.ascontiguousarray(rows.view("<u4")[:, : length // 4].T)
    state = _advance(np.full(len(rows), _START, np.uint32), words)
    for column in range(length - length % 4, length):
        state = _make_byte_table()[(state ^ rows[:, column]) & 0xFF] ^ (state >> np.uint32(8))
    crc = ~state
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)


def compute_crc32c(data: bytes) -> int:
    """The checksum of some bytes."""
    state = _START
    if len(data) >= _LONG:
        whole = len(data) - len(data) % _STRIPE
        state = _fold(state, data[:whole])
        data = data[whole:]
    table = _make_byte_list()
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state ^ _START


def _mask(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _advance(state: Words, columns: Words) -> Words:
    """Takes each state through its own column of words, four bytes a turn."""
    first, second = _make_wide_table(), _make_pair_table()
    for column in columns:
        state = state ^ column
        state = first.take(state & 0xFFFF) ^ second.take(state >> 16)
    return state


def _fold(state: int, data: bytes) -> int:
    """Takes a state through long data: its stripes side by side, then joined, as a CRC is linear."""
    stripes = np.frombuffer(data, "<u4").reshape(-1, _STRIPE // 4)
    partial = _advance(np.zeros(len(stripes), np.uint32), np.ascontiguousarray(stripes.T))
    shifted = _make_stripe_shift()
    for crc in partial.tolist():
        moved = 0
        for byte, table in zip(state.to_bytes(4, "little"), shifted, strict=True):
            moved ^= table[byte]
        state = moved ^ crc
    return state


def _advance_through_zeros(state: Words, bits: int) -> Words:
    for _ in range(bits):
        state = (state >> np.uint32(1)) ^ ((state & np.uint32(1)) * _POLYNOMIAL)
    return state


@cache
def _make_byte_table() -> Words:
    return _advance_through_zeros(np.arange(1 << 8, dtype=np.uint32), 8)


@cache
def _make_byte_list() -> list[int]:
    entries: list[int] = _make_byte_table().tolist()
    return entries


@cache
def _make_pair_table() -> Words:
    return _advance_through_zeros(np.arange(1 << 16, dtype=np.uint32), 16)


@cache
def _make_wide_table() -> Words:
    return _advance_through_zeros(_make_pair_table(), 16)


@cache
def _make_stripe_shift() -> list[list[int]]:
    """What each byte of a state becomes after a stripe of zeros."""
    zeros = np.zeros((_STRIPE // 4, 1 << 8), np.uint32)
    every_byte = np.arange(1 << 8, dtype=np.uint32)
    return [_advance(every_byte << np.uint32(8 * place), zeros).tolist() for place in range(4)]
