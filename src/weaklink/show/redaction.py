"""What no text that leaves the house may hold, taken out: keys, passwords, names, addresses, and where files lie.

It is the second lock. The first is that a text to be shown to strangers is made of what is allowed in, and of nothing
else. Names of metrics, versions, hashes of commits and links into public documentation stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from weaklink.base.privacy import PEOPLE, PRIVATE_KEY, TELLTALE, hide_opaque, is_secret, split_name
from weaklink.show.known_words import WORDS

HIDDEN = "(hidden)"
ADDRESS, MAIL, HOST, SOMEBODY = "(address)", "(e-mail)", "(ip)", "(name)"

PUBLIC_HOSTS = (
    "github.com", "gitlab.com", "arxiv.org", "pypi.org", "python.org", "readthedocs.io", "github.io", "farama.org",
    "pytorch.org", "numpy.org", "huggingface.co", "openai.com", "stackoverflow.com", "wikipedia.org", "doi.org",
)  # fmt: skip
"""Links to these are kept, without what stands behind a question mark; any other address is hidden."""

NOBODY = frozenset((
    "root", "user", "users", "admin", "administrator", "ubuntu", "debian", "home", "localhost", "docker", "runner",
    "nobody", "guest", "test", "python", "conda", "work", "main", "train", "agent", "colab", "kaggle", "jovyan", "app",
    "vscode", "default", "host", "container", "sandbox", "node", "local",
))  # fmt: skip
"""Names that tell nothing of anybody."""

SHORTEST_NAME = 3
MOST_KEPT = 4096
"""Texts whose redaction is remembered: the same name comes again and again."""

_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+(?=[^\s]*[0-9=])[\w.~+/=-]{10,}")
_AFTER_LOGIN = re.compile(r"(?i)\b(login|api[ _-]?key|key is|token is)(\s+(?:--\S+\s+)*)[\"']?[\w-]{20,}[\"']?")
_VALUE = re.compile(
    r"\((?:hidden|address|e-mail|ip|name)\)|\\?\[hidden\\?\]|\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&|<>\"'`)\]}]+"
)
_NAMED = re.compile(
    r"(?<![A-Za-z0-9])(?P<name>[A-Za-z][\w.-]{1,80})(?:[\"']?[ \t]*(?:=|:(?!/))[ \t]*)"
    r"|(?<![\w-])(?P<option>--?[A-Za-z][\w.-]{1,60})[ \t]+(?!-)"
)
_ADDRESS = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]{1,15})://([^\s<>\"'`|)\]}]+)")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")
_AT_HOST = re.compile(r"(?<![\w.+-])[a-z_][\w.-]*@[A-Za-z0-9][\w.-]*(?=:)")
_QUAD = re.compile(r"(?<![\w.=+-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)")
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|release|driver|cudnn|cublas|cuda|nccl|build|firmware|[a-z0-9-]+-cu\d+)\W{1,4}$"
)
_SIX = re.compile(
    r"(?<![\w:])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}"
    r"|(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2})(?![\w:])"
)
_HOST_NAME = re.compile(
    r"(?i)(?<![\w.@/-])(?:[a-z0-9-]+\.){2,}(?:com|org|net|edu|gov|mil|io|ai|dev|cloud|app|eu|de|uk|fr|ch|nl|cn|jp|kr|in|ca|au)"
    r"(?![\w.-])|(?<![\w.@/-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|local|lan|corp|intranet|cluster|hpc|ec2)(?![\w.-])"
    r"|(?<![A-Za-z0-9])(?:ip(?:-\d{1,3}){4}|(?:gpu|dgx|hgx|node|login|compute|worker)[_-]?(?:node[_-]?)?\d{2,4})(?![A-Za-z0-9])"
)
"""Machines by their whole name, by those of private networks, and as clusters number them."""
_QUOTED_PATH = re.compile(r"([\"'])(?:~|[A-Za-z]:[\\/]|\\\\|/)[^\"'\n]*[\\/]([^\"'\n\\/]+)[\\/]?\1")
_PATH = re.compile(r"(?<![\w/.)\]}%<*~\\-])~?(?:/[^\s/\"'`|<>,;:()\[\]{}*]+)+/?")
_AT_HOME = re.compile(r"(?:/(?:home|Users)/|[A-Za-z]:\\{1,2}Users\\{1,2})[^\s/\\\"'`|<>,;:()]+")
_HOME = re.compile(r"/(?:home|Users)/[^\s/\"'`|<>,;:()]+(?:/[^\s/\"'`|<>,;:()\[\]{}*]+)*/?")
_WINDOWS = re.compile(
    r"(?<![A-Za-z])[A-Za-z]:(?:\\{1,2}[^\s\\/\"'`|<>,;:()*?]+)+\\*|\\\\[^\s\\\"'`|<>,;]+(?:\\[^\s\\\"'`|<>,;]+)+"
)
_HIDDEN_ALREADY = re.compile(r"\((?:hidden|address|e-mail|ip|name)\)|\\?\[hidden\\?\]")
_HARMLESS = re.compile(
    r"(?i)[-+]?[\d_.,]+(?:e[-+]?\d+)?|true|false|none|null|nan|<[\w|/ -]*>?"
    r"|\((?:hidden|address|e-mail|ip|name)\)|\\?\[hidden\\?\]|"
)


def redact(text: str, names: Iterable[str] = (), *, paths: bool = False) -> str:
    """The text without keys, passwords, addresses, names of people and machines; of a path, its last part is left.

    Args:
        text: anything, prose or code. What Markdown or HTML would escape should not be escaped yet.
        names: words that are hidden wherever they stand, such as those of the user and of the machine.
        paths: whether paths stay, without whose home they lead through.
    """
    text = PRIVATE_KEY.sub(HIDDEN, text)
    text = TELLTALE.sub(HIDDEN, text)
    text = _BEARER.sub(lambda found: f"{found[1]} {HIDDEN}", text)
    text = _AFTER_LOGIN.sub(lambda found: f"{found[1]}{found[2]}{HIDDEN}", text)
    text = _ADDRESS.sub(_hide_address, text)
    text = "".join(_hide_named_values(text))
    text = _MAIL.sub(MAIL, text)
    text = _AT_HOST.sub(SOMEBODY, text)
    text = _HOST_NAME.sub(_hide_host_name, text)
    text = _QUAD.sub(_hide_ip, text)
    text = _SIX.sub(HOST, text)
    text = _AT_HOME.sub("~", text) if paths else _shorten_paths(text)
    text = hide_opaque(text, HIDDEN)
    return _hide_names(text, names)


def _hide_named_values(text: str) -> Iterator[str]:
    """`name = value`, `"name": "value"` and `--name value` with the value hidden where the name says that it is one."""
    done = 0
    while (found := _NAMED.search(text, done)) is not None:
        yield text[done : found.end()]
        done = found.end()
        value = _VALUE.match(text, done)
        if value is not None and _hides(found["name"] or found["option"], value[0].strip("\"'")):
            yield HIDDEN
            done = value.end()
    yield text[done:]


def _hides(name: str, value: str) -> bool:
    if is_secret(name, value):
        return _HIDDEN_ALREADY.fullmatch(value) is None
    return bool(PEOPLE & split_name(name)) and _HARMLESS.fullmatch(value) is None


def _hide_address(found: re.Match[str]) -> str:
    scheme, rest = found[1].lower(), found[2]
    if scheme == "file":
        return rest.rstrip("/").rpartition("/")[2]
    place = rest.rpartition("@")[2] if "@" in rest.partition("/")[0] else rest
    host = re.split(r"[/:?#]", place)[0].lower()
    if not _is_public(host):
        return ADDRESS
    return f"{scheme}://{re.split(r'[?#]', place)[0]}"


def _hide_host_name(found: re.Match[str]) -> str:
    return found[0] if _is_public(found[0].lower()) else SOMEBODY


def _is_public(host: str) -> bool:
    return any(host == public or host.endswith(f".{public}") for public in PUBLIC_HOSTS)


def _hide_ip(found: re.Match[str]) -> str:
    numbers = [int(part) for part in found[0].split(".")]
    nobody = max(numbers) > 255 or numbers[0] in (0, 127) or _VERSION_BEFORE.search(found.string[: found.start()][-40:])
    return found[0] if nobody else HOST


def _shorten_paths(text: str) -> str:
    for known, shorten in (
        (_QUOTED_PATH, _shorten_quoted),
        (_HOME, _keep_last_part),
        (_PATH, _keep_last_part),
        (_WINDOWS, _keep_last_part),
    ):
        text = known.sub(shorten, text)
    return text


def _shorten_quoted(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{found[1]}"


def _keep_last_part(found: re.Match[str]) -> str:
    """The last part of a path; of somebody's home itself, nothing."""
    parts = [part for part in re.split(r"[\\/]+", found[0]) if part and part != "~"]
    if len(parts) == 2 and parts[0].lower() in ("home", "users"):
        return "~"
    return parts[-1] if parts else found[0]


def _hide_names(text: str, names: Iterable[str]) -> str:
    pattern = _compile_names(tuple(sorted({name.strip() for name in names}, key=len, reverse=True)))
    return text if pattern is None else pattern.sub(SOMEBODY, text)


@lru_cache(64)
def _compile_names(names: tuple[str, ...]) -> re.Pattern[str] | None:
    """One pattern for all names; a separator inside one stands for any, so that `deep-team` is found as `deep_team`."""
    telling = [name for name in names if len(name) >= SHORTEST_NAME and name.lower() not in NOBODY | WORDS]
    if not telling:
        return None
    forms = "|".join(r"[\s._-]".join(map(re.escape, re.split(r"[\s._-]", name))) for name in telling)
    return re.compile(rf"(?i)(?<![A-Za-z0-9])(?:{forms})(?![A-Za-z0-9])")


Redaction = Callable[[str], str]
"""A text made fit for strangers."""


def make_redaction(names: Iterable[str], *, paths: bool = False) -> Redaction:
    """A redaction that knows these names."""
    known = tuple(names)
    return lru_cache(MOST_KEPT)(lambda text: redact(text, known, paths=paths))
