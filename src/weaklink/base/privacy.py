"""What is nobody's business: the names that secrets, people and machines go by, and the forms that secrets have.

The one list for all that weaklink writes: recordings, pages and texts for strangers. A recording hides secrets, a page
names of people and machines as well, and a text for strangers is made of what is known to be harmless alone
(`show/bugreport/allowing.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[hidden]"
"""What stands in a recording where a secret stood."""

SECRET = frozenset((
    "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "otp", "secret", "secrets",
    "credential", "credentials", "creds", "apikey", "apikeys", "authorization", "oauth", "dsn", "netrc",
    "kubeconfig",
))  # fmt: skip
"""A value under a name with one of these words in it is hidden, unless it is a switch."""

TOKENS = frozenset((
    "token", "jwt", "bearer", "session", "sessionid", "auth", "cookie", "cookies", "signature", "sig",
    "webhook", "pat", "pass", "salt", "nonce",
))  # fmt: skip
"""Likewise, unless it is a number or one of the marks that language models know as tokens."""
MARKS = frozenset((
    "pad", "eos", "bos", "unk", "mask", "sep", "cls", "image", "stop", "end", "start", "special", "type", "per",
    "entropy", "level", "truncate", "mean", "think",
))  # fmt: skip

KEYS_OF = frozenset((
    "api", "access", "private", "secret", "ssh", "auth", "service", "account", "encryption", "license", "wandb",
    "openai", "hf", "aws", "gcp", "azure", "github", "rsa", "pgp", "gpg", "signing", "deploy", "host", "user",
    "storage", "subscription",
))  # fmt: skip
"""A key of one of these is a secret; `key` alone is one only where it holds text."""

PEOPLE = frozenset((
    "entity", "username", "user", "hostname", "host", "email", "mail", "login", "owner", "author", "team",
    "org", "organization", "organisation", "company", "customer", "tenant", "employer", "maintainer", "contact",
    "phone", "project", "workspace", "nodename", "nodelist", "node", "machine", "cluster", "fqdn", "server",
    "namespace", "bucket", "repo", "repository", "branch", "folder", "ip", "uri", "url", "endpoint",
))  # fmt: skip
"""Names of people, teams, projects and machines, where the value is a text."""

COMMITS = frozenset(("commit", "revision", "sha", "oid"))
"""The one long hexadecimal number that is no secret."""

LONGEST_HARMLESS = 20
"""From this length on, a string without words in it is taken for a key; hashes shortened by git have 7 to 12."""
SHORTEST_WORD = 3.0
"""Letters in a row, on average, that names have at least; in a key drawn at random it is under two."""
FEWEST_CHANGES = 3
"""Places where a digit follows a letter or a letter a digit: `resnet50v2` has three, 20 random characters about six."""
AMAZON = 40
"""The length of a secret access key, which may have slashes in it: of just that length, less is enough."""
DEEPEST = 12

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\Z)", re.DOTALL
)
TELLTALE = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"hf_[A-Za-z0-9]{16,}|api_org_[A-Za-z0-9]{16,}|sk-[\w-]{12,}|[sr]k_(?:live|test)_\w{8,}|whsec_\w{12,}"
    r"|gh[pousr]_\w{16,}|github_pat_\w{16,}|gl[a-z]{2,6}-[\w-]{12,}|xox[a-z](?:\.[a-z]+)?-[\w-]{10,}|xapp-[\w-]{10,}"
    r"|A(?:KIA|SIA|GPA|IDA|ROA|NPA|NVA|BIA|CCA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{12,}|1//[\w-]{20,}|GOCSPX-[\w-]{12,}"
    r"|pypi-[\w-]{16,}|npm_[A-Za-z0-9]{20,}|nvapi-[\w-]{16,}|gsk_\w{16,}|xai-[\w-]{16,}|pplx-\w{16,}|r8_\w{16,}|co_\w{30,}"
    r"|do[opr]_v1_\w{16,}|dapi[0-9a-f]{16,}|hv[sb]\.[\w-]{12,}|SG\.[\w-]{12,}\.[\w-]{12,}|wandb_v\d+_\w{12,}|local-[0-9a-f]{40}"
    r"|\d{8,10}:[\w-]{35}|eyJ[\w-]{6,}(?:\.[\w-]{6,}){1,4}(?:\.[\w-]*)?|tvly-[\w-]{12,}|lsv2_[a-z]{2}_\w{16,}|ls__\w{16,}"
    r"|rpa_\w{16,}|nomic-\w{16,}|pul-\w{20,}|figd_[\w-]{12,}|shp(?:at|ca|pa|ss)_\w{16,}|sq0[a-z]{3}-[\w-]{16,}|AC[0-9a-f]{32}"
    r"|EAA[A-Za-z0-9]{20,}|age-secret-key-1\w{20,}|tskey-[\w-]{12,}|dckr_pat_[\w-]{12,}|vercel_\w{16,}|cfp?_[\w-]{24,}"
    r")",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_RUN = re.compile(r"(?<![\w+/=-])[\w+/=-]{20,}")
_UUID = re.compile(r"(?i)(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
_HEX = re.compile(rf"(?i)(?<![A-Za-z0-9])[0-9a-f]{{{LONGEST_HARMLESS},}}(?![A-Za-z0-9])")
_COMMIT = re.compile(r"(?i)commit\W{1,4}$")
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_PARTS = re.compile(r"[^A-Za-z0-9+=]+")
_SWITCHES = frozenset(("", "true", "false", "none", "null", "yes", "no", "on", "off"))
_NUMBER = re.compile(r"[-+]?[\d_]*\.?[\d_]*(?:e[-+]?\d+)?", re.IGNORECASE)


def split_name(name: str) -> set[str]:
    """The words of a name in lower case, and all of them written as one."""
    found = [word.lower() for word in WORD.findall(name)]
    return {*found, "".join(found)}


def names_secret(name: str) -> bool:
    """Whether a text under this name is a secret."""
    words = split_name(name)
    return _always_hides(words) or (bool(TOKENS & words) and not MARKS & words)


def is_secret(name: str, value: object) -> bool:
    """Whether a value under this name is a secret: a switch never is, a number only where the name leaves no doubt."""
    if value is None or isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in _SWITCHES):
        return False
    counts = isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value.strip()))
    return _always_hides(split_name(name)) if counts else names_secret(name)


def _always_hides(words: set[str]) -> bool:
    return bool(SECRET & words) or (bool({"key", "keys"} & words) and bool(KEYS_OF & words))


def is_private(name: str) -> bool:
    """Whether a text under this name is a secret, or names somebody."""
    return names_secret(name) or bool(PEOPLE & split_name(name))


def hide_secrets(text: str, hidden: str = HIDDEN) -> str:
    """A text without keys of the known forms, credentials in addresses, and long strings that are no words."""
    text = TELLTALE.sub(hidden, PRIVATE_KEY.sub(hidden, text))
    text = _CREDENTIALS.sub(f"{hidden}@", text)
    return hide_opaque(text, hidden)


def hide_opaque(text: str, hidden: str) -> str:
    """A text without identifiers, hexadecimal numbers and mixed strings of 20 characters or more; a commit stays."""
    text = _HEX.sub(lambda found: _hide_hexadecimal(found, hidden), _UUID.sub(hidden, text))
    return _RUN.sub(lambda found: hidden if _looks_drawn(found[0]) and not _follows_commit(found) else found[0], text)


def _hide_hexadecimal(found: re.Match[str], hidden: str) -> str:
    digits = found[0]
    wordless = not digits.isalpha() or len(digits) >= 2 * LONGEST_HARMLESS
    return hidden if wordless and not digits.isdigit() and not _follows_commit(found) else digits


def _follows_commit(found: re.Match[str]) -> bool:
    return _COMMIT.search(found.string[: found.start()][-12:]) is not None


def _looks_drawn(run: str) -> bool:
    """Whether a run of letters and digits is no name: pieces too short for words, and digits among them."""
    for part in (run, *_PARTS.split(run)):
        pieces = WORD.findall(part)
        letters = sum(map(len, pieces))
        amazon = len(part) == AMAZON and "/" in part
        changes = FEWEST_CHANGES - amazon
        if letters < LONGEST_HARMLESS or len(_CHANGE.findall(part)) < changes:
            continue
        if letters / len(pieces) < SHORTEST_WORD + amazon:
            return True
    return False


def hide_in_mapping(values: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Plain data as it may be recorded: what is a secret by its name or by its form is hidden."""
    return {
        hide_secrets(str(name)): HIDDEN if is_secret(str(name), value) else _hide_in(value, str(name), depth)
        for name, value in values.items()
    }


def _hide_in(value: Any, name: str, depth: int) -> Any:
    if isinstance(value, str):
        return value if COMMITS & split_name(name) else hide_secrets(value)
    if depth < DEEPEST and isinstance(value, Mapping):
        return hide_in_mapping(value, depth + 1)
    if depth < DEEPEST and isinstance(value, list | tuple):
        return hide_in_arguments([_hide_in(one, name, depth + 1) for one in value])
    return value


def hide_in_arguments(arguments: Iterable[Any]) -> list[Any]:
    """A command line, or any list, in which passwords, tokens and keys are hidden."""
    shown: list[Any] = []
    hide_next = False
    for argument in arguments:
        if not isinstance(argument, str):
            shown.append(argument)
            hide_next = False
            continue
        name, equals, value = argument.partition("=")
        is_option = argument.startswith("-")
        if hide_next and not is_option:
            shown.append(HIDDEN)
        elif equals and is_secret(name, value):
            shown.append(f"{name}={HIDDEN}")
        else:
            shown.append(hide_secrets(argument))
        hide_next = is_option and not equals and names_secret(name)
    return shown
