"""What no text that leaves the house may hold, taken out: keys, passwords, names, addresses, and where files lie.

It is the second lock. The first is that a text to be shown to strangers is made of what is allowed in, and of nothing
else. Names of metrics, versions, hashes of commits and links into public documentation stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

HIDDEN = "(hidden)"
ADDRESS, MAIL, HOST, SOMEBODY = "(address)", "(e-mail)", "(ip)", "(name)"

SECRET = frozenset((
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "credential", "credentials", "apikey",
    "authorization",
))  # fmt: skip
"""A value under a name with one of these words in it is hidden, whatever it is."""

TOKENS = frozenset(("token", "jwt", "bearer", "session", "sessionid", "auth", "cookie", "signature", "sig", "webhook"))
"""Likewise, unless it is a number or one of the marks that language models know as tokens."""

KEYS_OF = frozenset(
    ("api", "access", "private", "secret", "ssh", "auth", "service", "account", "encryption", "license")
)
MARKS = frozenset(
    ("pad", "eos", "bos", "unk", "mask", "sep", "cls", "image", "stop", "end", "start", "special", "type")
)
PEOPLE = frozenset(("entity", "username", "user", "hostname", "host", "email", "login", "owner", "author"))
"""Names of people, teams and machines."""

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

UNREST = 0.4
"""The share of neighbours in a random string that are of different kinds; names in camel case have half of it."""
AMAZON, AMAZON_UNREST = 40, 0.3
"""The length of a secret access key: of just that length, less is enough."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\Z)", re.DOTALL
)
_TELLTALE = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"hf_[A-Za-z0-9]{16,}|api_org_[A-Za-z0-9]{16,}|sk-[\w-]{12,}|sk_(?:live|test)_\w{8,}|rk_(?:live|test)_\w{8,}"
    r"|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,}"
    r"|AIza[\w-]{30,}|ya29\.[\w-]{12,}|pypi-[\w-]{16,}|npm_[A-Za-z0-9]{20,}|nvapi-[\w-]{16,}|gsk_\w{16,}|r8_\w{16,}"
    r"|dop_v1_\w{16,}|dapi[0-9a-f]{16,}|hvs\.[\w-]{12,}|SG\.[\w-]{12,}\.[\w-]{12,}|wandb_v\d_\w{12,}|local-[0-9a-f]{40}"
    r"|\d{8,10}:[\w-]{35}|eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?"
    r")"
)
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
_QUOTED_PATH = re.compile(r"([\"'])(?:~|[A-Za-z]:[\\/]|\\\\|/)[^\"'\n]*[\\/]([^\"'\n\\/]+)[\\/]?\1")
_PATH = re.compile(r"(?<![\w/.)\]}%<*~\\-])~?(?:/[^\s/\"'`|<>,;:()\[\]{}*]+)+/?")
_HOME = re.compile(r"/(?:home|Users)/[^\s/\"'`|<>,;:()]+(?:/[^\s/\"'`|<>,;:()\[\]{}*]+)*/?")
_WINDOWS = re.compile(
    r"(?<![A-Za-z])[A-Za-z]:(?:\\{1,2}[^\s\\/\"'`|<>,;:()*?]+)+\\*|\\\\[^\s\\\"'`|<>,;]+(?:\\[^\s\\\"'`|<>,;]+)+"
)
_OPAQUE = re.compile(r"(?<![\w+/=-])[\w+/=-]{28,}")
_HARMLESS = re.compile(
    r"(?i)[-+]?[\d_.,]+(?:e[-+]?\d+)?|true|false|none|null|nan|<[\w|/ -]*>?"
    r"|\((?:hidden|address|e-mail|ip|name)\)|\\?\[hidden\\?\]|"
)


def redact(text: str, names: Iterable[str] = ()) -> str:
    """The text without keys, passwords, addresses, names of people and machines; of a path, its last part is left.

    Args:
        text: anything, prose or code. What Markdown or HTML would escape should not be escaped yet.
        names: words that are hidden wherever they stand, such as those of the user and of the machine.
    """
    text = _PRIVATE_KEY.sub(HIDDEN, text)
    text = _TELLTALE.sub(HIDDEN, text)
    text = _BEARER.sub(lambda found: f"{found[1]} {HIDDEN}", text)
    text = _AFTER_LOGIN.sub(lambda found: f"{found[1]}{found[2]}{HIDDEN}", text)
    text = _ADDRESS.sub(_hide_address, text)
    text = "".join(_hide_named_values(text))
    text = _MAIL.sub(MAIL, text)
    text = _AT_HOST.sub(SOMEBODY, text)
    text = _QUAD.sub(_hide_ip, text)
    text = _SIX.sub(HOST, text)
    for known, shorten in (
        (_QUOTED_PATH, _shorten_quoted),
        (_HOME, _keep_last_part),
        (_PATH, _keep_last_part),
        (_WINDOWS, _keep_last_part),
    ):
        text = known.sub(shorten, text)
    text = _OPAQUE.sub(_hide_opaque, text)
    return _hide_names(text, names)


def is_private(name: str) -> bool:
    """Whether a value under this name is a secret, or names somebody: it is left out and not only blackened."""
    words = _split_name(name)
    return _is_secret(words) or bool(PEOPLE & words) or (bool(TOKENS & words) and not MARKS & words)


def _is_secret(words: set[str]) -> bool:
    return bool(SECRET & words) or (bool({"key", "keys"} & words) and bool(KEYS_OF & words))


def _split_name(name: str) -> set[str]:
    found = {word.lower() for word in _WORD.findall(name)}
    return found | {"".join(word.lower() for word in _WORD.findall(name))}


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
    words = _split_name(name)
    if _is_secret(words):
        return value.lower() not in ("", "true", "false", "none", "null")
    if (TOKENS & words and not MARKS & words) or PEOPLE & words:
        return _HARMLESS.fullmatch(value) is None
    return False


def _hide_address(found: re.Match[str]) -> str:
    scheme, rest = found[1].lower(), found[2]
    if scheme == "file":
        return rest.rstrip("/").rpartition("/")[2]
    place = rest.rpartition("@")[2] if "@" in rest.partition("/")[0] else rest
    host = re.split(r"[/:?#]", place)[0].lower()
    if not any(host == public or host.endswith(f".{public}") for public in PUBLIC_HOSTS):
        return ADDRESS
    return f"{scheme}://{re.split(r'[?#]', place)[0]}"


def _hide_ip(found: re.Match[str]) -> str:
    numbers = [int(part) for part in found[0].split(".")]
    nobody = max(numbers) > 255 or numbers[0] in (0, 127) or _VERSION_BEFORE.search(found.string[: found.start()][-40:])
    return found[0] if nobody else HOST


def _shorten_quoted(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{found[1]}"


def _keep_last_part(found: re.Match[str]) -> str:
    """The last part of a path; of somebody's home itself, nothing."""
    parts = [part for part in re.split(r"[\\/]+", found[0]) if part and part != "~"]
    if len(parts) == 2 and parts[0].lower() in ("home", "users"):
        return "~"
    return parts[-1] if parts else found[0]


def _hide_opaque(found: re.Match[str]) -> str:
    """A long string that looks drawn at random: letters of both cases and digits, mixed. Hexadecimal is a hash."""
    text = found[0]
    if not (re.search(r"[a-z]", text) and re.search(r"[A-Z]", text) and re.search(r"\d", text)):
        return text
    pairs = [
        (_classify_character(one), _classify_character(other))
        for one, other in pairwise(text)
        if one.isalnum() and other.isalnum()
    ]
    enough = AMAZON_UNREST if len(text) == AMAZON else UNREST
    return HIDDEN if pairs and sum(one != other for one, other in pairs) >= enough * len(pairs) else text


def _classify_character(character: str) -> int:
    return 0 if character.isdigit() else 1 if character.isupper() else 2


def _hide_names(text: str, names: Iterable[str]) -> str:
    for name in sorted({name.strip() for name in names}, key=len, reverse=True):
        if len(name) >= SHORTEST_NAME and name.lower() not in NOBODY:
            text = re.sub(rf"(?i)(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", SOMEBODY, text)
    return text


Redaction = Callable[[str], str]
"""A text made fit for strangers."""


def make_redaction(names: Iterable[str]) -> Redaction:
    """A redaction that knows these names."""
    known = tuple(names)
    return lru_cache(MOST_KEPT)(lambda text: redact(text, known))
