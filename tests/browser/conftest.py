"""A real browser for the page; every page opened is watched for errors, dialogs and requests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from weaklink.show.document import Document
from weaklink.show.renderers.html import write_document

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-quic",
)  # fmt: skip
PATIENCE_MILLISECONDS = 60_000

Opened = Callable[..., Any]


def executable() -> str:
    """The browser; without one the tests are skipped, except where everything has to be tested."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "no chromium: sh tests/browser/install.sh"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return found


@pytest.fixture(scope="package")  # shorter than the session: playwright keeps an event loop running as long as it lives
def driver() -> Iterator[Any]:
    """What starts browsers; a process can have one only."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    with playwright.sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(driver: Any) -> Iterator[Any]:
    """A running chromium."""
    started = driver.chromium.launch(executable_path=executable(), args=list(ARGUMENTS))
    yield started
    started.close()


class Watch:
    """What a page did that no page may do."""

    def __init__(self, page: Any) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append(request.url))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    """Opens a document, or a file, from the file system; at the end it must have been silent and alone."""
    contexts: list[Any] = []
    watches: list[tuple[str, Watch]] = []

    def open_(
        shown: Document | Path, *, width: int = 1280, height: int = 860, fragment: str = "", **options: Any
    ) -> Any:
        path = shown
        if isinstance(shown, Document):
            path = tmp_path / f"page{len(contexts)}.html"
            path.write_text(write_document(shown), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        watches.append((path.as_uri(), Watch(page)))
        page.goto(path.as_uri() + fragment)
        return page

    yield open_
    for context in contexts:
        context.close()
    for address, watch in watches:
        assert watch.problems == []
        assert [url for url in watch.requests if url.partition("#")[0] not in (address, "data:,")] == []
