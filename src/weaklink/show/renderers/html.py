"""The page as one file: the built script and look, and the document as data beside them.

Nothing that came from a log becomes markup. The document stands in the file as JSON in which no character can end the
element that holds it; the script reads it and sets it as text. The policy in the head lets this one script and this one
style run by their hashes and nothing else load, and forbids the script itself to make markup of strings.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.show.document import HTML, Document, Page
from weaklink.show.renderers.selection import select_page, select_sections

BUILT = Path(__file__).parent / "built"

_ESCAPED = ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026"))
_ENDS_OF_LINES = (("\u2028".encode(), b"\\u2028"), ("\u2029".encode(), b"\\u2029"))

_FILE = """<!doctype html>
<html lang="en"{live}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>weaklink</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This page draws itself with the script that it holds: allow it to run.</noscript>
<div id="page"></div>
{data}<script>{script}</script>
</body>
</html>
"""


def write_document(document: Document) -> str:
    """One file that shows the document, offline and by itself."""
    data = f'<script type="application/json" id="document">{encode_document(document)}</script>\n'
    return _fill_page(data=data)


def write_live_page(events: str) -> str:
    """The same page without a document: each arrives from `events`, the address of a stream of server-sent events.

    The stream sends what show/live/stream.py names; its data is what `encode_json` makes of a document or its parts.
    """
    return _fill_page(live=f' data-events="{escape(events)}"', connect=" connect-src 'self';")


def encode_document(document: Document) -> str:
    """A document as the browser gets it: without what is shown elsewhere alone."""
    pages = tuple(select_page(page, HTML) for page in document.pages)
    together = select_sections(document.together, HTML)
    return encode_json(msgspec.structs.replace(document, pages=pages, together=together))


def encode_page(page: Page) -> bytes:
    """One page of a document as the browser gets it."""
    return encode_json(select_page(page, HTML)).encode()


def encode_json(document: object) -> str:
    """A document, or a part of one, as JSON that can stand inside any element: no `<`, `>` or `&`, and one line."""
    try:
        encoded = msgspec.json.encode(document)
    except UnicodeEncodeError:  # half of a character, as logs of cut texts hold them: JSON can say it, UTF-8 cannot
        encoded = json.dumps(
            _replace_non_finite(msgspec.to_builtins(document)), separators=(",", ":"), allow_nan=False
        ).encode()
    for found, escaped in (*_ESCAPED, *_ENDS_OF_LINES):
        encoded = encoded.replace(found, escaped)
    return encoded.decode()


def _replace_non_finite(value: Any) -> Any:
    """Plain data with None for every number that JSON has no word for, as msgspec writes it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _replace_non_finite(one) for key, one in value.items()}
    return [_replace_non_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _fill_page(*, data: str = "", live: str = "", connect: str = "") -> str:
    script, style = _read_built("page.js"), _read_built("page.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:;{connect}"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return _FILE.format(live=live, policy=policy, style=style, data=data, script=script)


@cache
def _read_built(name: str) -> str:
    """A file that `web/build.mjs` made."""
    try:
        return (BUILT / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"The page needs its script, which npm builds: {BUILT / name} is not there. In a checkout, install npm and"
            " run `make page`; an installed weaklink without it was built where npm was missing."
        ) from None


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
