"""The file around the document: what may run in it, and what is said where the script was never built."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from tests.browser.documents import document
from weaklink.base.errors import UsageError
from weaklink.show.renderers import html as file


@pytest.fixture
def unbuilt(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "BUILT", tmp_path)
    file._read_built.cache_clear()
    yield tmp_path
    file._read_built.cache_clear()


def policy_of(text: str) -> dict[str, str]:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert found
    return dict(part.strip().partition(" ")[::2] for part in found[1].split(";"))


def hash_of(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_only_its_own_script_and_style_may_run_and_nothing_may_load():
    text = file.write_document(document())
    policy = policy_of(text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == hash_of(script)
    assert policy["style-src"] == hash_of(style)
    assert "connect-src" not in policy
    assert not re.search(r"""(?:src|href)=["']?(?!data:,)\w+:""", text.replace(script, ""))


def test_the_live_page_asks_its_own_server_alone():
    text = file.write_live_page('events?token="><script>')
    assert policy_of(text)["connect-src"] == "'self'"
    assert 'data-events="events?token=&quot;&gt;&lt;script&gt;"' in text
    assert 'id="document"' not in text


def test_a_script_that_was_never_built_is_a_matter_of_use(unbuilt):
    with pytest.raises(UsageError, match=r"which npm builds: .*page\.js is not there.*make page"):
        file.write_document(document())


def test_the_licence_of_what_is_bundled_is_in_the_file():
    assert "Permission is hereby granted, free of charge" in file.write_document(document())
