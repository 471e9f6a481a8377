"""One line of console output: what logging put before it, and the numbers that it names."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.collect.readers._rows import flatten_numbers
from weaklink.collect.readers.raw import parse_number

LONGEST = 20_000

_NUMBER = r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|NaN|NAN|inf|Inf|Infinity)\b"
# a look ahead is never taken back: a long row of digits is not tried at every length, and no number is cut short
_VALUE = rf"(?=(?P<value>{_NUMBER}))(?P=value)"
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6}

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\((?:[\w.:@-]+ )?pid=\d+(?:, ip=[\d.]+)?\)\s?",  # Ray's workers
        r"\[(?:rank|Rank|default)\s?\d*\]:?\s?",  # torchrun
        r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s?:?(?:\s?-\s|\s)?",
        r"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s(?:-\s)?",
        r"\[?(?:DEBUG|INFO|WARNING|WARN|ERROR)\]?(?:\s\d\d-\d\d \d\d:\d\d:\d\d)?"
        r"(?:\s\[?[\w./]+\.py:\d+\]?)?\s?[:\-|]?\s?",
        r"[\w.]+(?::|\s-\s)(?:DEBUG|INFO|WARNING|WARN|ERROR)(?::|\s-\s)\s?",
        r"(?:root|__main__)(?::|\s-\s)\s?",
        r"\[[\w./]+:\d+\]\s?",
        r"[\w-]+_\d+\s+\|\s",  # docker compose
    )
)
_PAIR = re.compile(
    r"(?<![\w./%@()-])(?P<name>[A-Za-z_][\w./%@()-]*(?: [A-Za-z_(][\w./%@()-]*){0,4})\s*[:=]\s*(?:[\[(]\s*)?"
    rf"{_VALUE}(?P<scale>[kKM]\b)?(?![\w.]*[:(])"
)
_COUNTED = re.compile(
    r"(?<![\w/])(?P<name>(?:global |env |time)?(?:step|iteration|iter|episode|epoch|update|frame|batch)s?)"
    r"\s*(?:[#\[(]\s*)?(?=(?P<value>\d+))(?P=value)(?![\w.]*[:(%])",
    re.IGNORECASE,
)
_PIECE = re.compile(rf"\s*(?P<name>[A-Za-z_][\w./%-]*(?: [A-Za-z_][\w./%-]*){{0,3}})\s+{_VALUE}\s*")
_ROW = re.compile(rf"(?:\s*[A-Za-z_][\w./%-]*\s+(?:{_NUMBER})(?=\s|$)){{2,}}\s*")
_ROW_PAIR = re.compile(rf"(?P<name>[A-Za-z_][\w./%-]*)\s+(?P<value>{_NUMBER})(?=\s|$)")
_VERL = re.compile(r"step:(\d+) - (\S+:.*)")
_BARE = re.compile(r"(?<=[:\[(,\s])(-?)(nan|inf)(?=\s*[,}\])])")
_WRAPPED = re.compile(rf"\b(?:np\.|numpy\.|torch\.)?(?:float|int|tensor|array|bfloat)\d*\(\s*\[?{_VALUE}\]?[^()]*\)")
_RSL_RL = (
    (re.compile(r"Mean episode (rew_.+)"), r"Episode/\1"),
    (re.compile(r"Mean (.+?) loss"), r"Loss/\1"),
    (re.compile(r"(?:Mean )?value[ _]function loss", re.IGNORECASE), "Loss/value_function"),
    (re.compile(r"(?:Mean )?surrogate loss", re.IGNORECASE), "Loss/surrogate"),
    (re.compile(r"Mean action (?:noise )?std"), "Policy/mean_noise_std"),
    (re.compile(r"Mean (?:total )?reward"), "Train/mean_reward"),
    (re.compile(r"Mean episode length"), "Train/mean_episode_length"),
    (re.compile(r"Computation"), "Perf/total_fps"),
)
_BAR = re.compile(r"\s*\d+%\|[^|]*\|\s*(\d+)/(\d+) \[")


def clean(line: str) -> str:
    """A line without colours and without what loggers and launchers put before it; its indentation kept."""
    line = (_ESCAPES.sub("", line) if "\x1b" in line else line).rstrip()
    for _ in range(6):
        for prefix in _PREFIXES:
            match = prefix.match(line)
            if match is not None and match.end():
                line = line[match.end() :]
                break
        else:
            return line
    return line


def parse_progress_bar(line: str) -> int | None:
    """The step at which a nameless progress bar stands, as Hugging Face trainers draw it."""
    match = _BAR.match(line)
    return int(match.group(1)) if match is not None and len(match.group(1)) < 16 else None


def find_rsl_rl_key(label: str) -> str:
    """The name under which rsl_rl logs what its console output calls by a label."""
    for pattern, key in _RSL_RL:
        match = pattern.fullmatch(label)
        if match is not None:
            return match.expand(key)
    return label


def parse_verl_row(line: str) -> tuple[float, dict[str, float]] | None:
    """`step:12 - actor/pg_loss:0.1 - actor/entropy:np.float64(0.5)` as its step and numbers."""
    match = _VERL.search(line)
    if match is None or len(match.group(1)) > 15:
        return None
    found: dict[str, float] = {}
    for piece in _unwrap_numbers(match.group(2)).split(" - "):
        key, _, value = piece.rpartition(":")
        number = parse_number(value.strip())
        if key and number is not None:
            found[key.strip()] = number
    return (float(match.group(1)), found) if found else None


def parse_dict_row(line: str) -> dict[str, float] | None:
    """The numbers of a Python dictionary or a JSON object that was printed."""
    start, end = line.find("{"), line.rfind("}")
    if start < 0 or end < start or line[start + 1 : start + 2] not in ("'", '"'):
        return None
    value = parse_dict(line[start : end + 1])
    return None if value is None else flatten_numbers(value) or None


def parse_dict(content: str) -> Mapping[str, Any] | None:
    """A Python dictionary or a JSON object that was printed."""
    value = _parse_json(content)
    if value is None:
        value = _parse_python(_BARE.sub(r"'\1\2'", _unwrap_numbers(content)))
    return value if isinstance(value, Mapping) else None


def parse_named_numbers(line: str) -> dict[str, float]:
    """The numbers of a line such as `Episode 10 | reward: 3.2, loss=0.1`, by name."""
    if len(line) > LONGEST:
        return {}
    line = _unwrap_numbers(line)
    found: dict[str, float] = {}
    for match in _COUNTED.finditer(line):
        found.setdefault(match.group("name").strip(), float(match.group("value")))
    for piece in re.split(r"[|,;\t]", line):
        named = _PIECE.fullmatch(piece)
        for match in (named,) if named is not None else _list_row(piece):
            found.setdefault(match.group("name"), float(match.group("value")))
    for match in _PAIR.finditer(line):
        number = parse_number(match.group("value"))
        if number is not None:
            found[match.group("name").strip()] = number * _SCALES.get(match.group("scale") or "", 1.0)
    return found


def _list_row(piece: str) -> Iterator[re.Match[str]]:
    """The pairs of a line that is nothing but names and numbers in turn, such as `step 1024 v_loss inf kl 0.002`."""
    return _ROW_PAIR.finditer(piece) if _ROW.fullmatch(piece) else iter(())


def _unwrap_numbers(text: str) -> str:
    """`np.float64(0.1)` and `tensor(0.1, device='cuda:0')` as `0.1`."""
    return _WRAPPED.sub(r"\1", text) if "(" in text else text


def _parse_json(content: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _parse_python(content: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.literal_eval(content)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
