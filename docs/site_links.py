"""What the site has that the folder of pages has not: files beside docs/, and pages that are made from the code.

Pages link to each other as they lie in the repository, so that links work on a code host and in an editor. What they
link to outside of docs/ is taken into the site under source/, and the links of every page are written anew for that.
The pages of rules, probes and symptoms are in the site alone (`make site` writes them into build/pages): there
codes of rules and `weaklink explain ...` become links to them.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = "source"
DOCS = "docs"
MADE = ROOT / "build" / "pages"
TOPICS = {"metrics": "rules/METRICS.md", "probes": "probes/README.md", "symptoms": "symptoms.md"}
PAGES = (
    "SKILL.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "bench/README.md",
    "examples/README.md",
    "examples/projects/README.md",
)
EXAMPLES = "examples"
SHOWN = (".py", ".csv", ".jsonl")
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"\[[^\]]*\]\([^)]*\)|`weaklink explain (\w+)`|`[^`]*`|\b([A-Z]{3}[1-9]\d\d)\b")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def on_config(config: Any) -> Any:
    """Puts every page of a rule and of a probe into the navigation, by the letters of its code."""
    if not (MADE / "rules").is_dir():
        raise PluginError("The pages that are made from the code are missing: `make site` writes them first.")
    for section in config.nav:
        name, entries = next(iter(section.items()))
        if name in ("Rules", "Probes"):
            entries.extend(_by_family(MADE / name.lower()))
    return config


def _by_family(folder: Path) -> list[dict[str, Any]]:
    families: dict[str, list[dict[str, str]]] = {}
    for file in sorted(folder.glob("[A-Z]*[0-9]-*.md")):
        code, _, name = file.stem.partition("-")
        families.setdefault(code[:3], []).append({f"{code} {name}": f"{folder.name}/{file.name}"})
    return [{family: pages} for family, pages in families.items()]


def on_files(files: Any, config: Any) -> Any:
    """Takes in the pages and examples that lie outside of docs/, and the pages that are made from the code."""
    for file in sorted(MADE.rglob("*.md")):
        files.append(File.generated(config, file.relative_to(MADE).as_posix(), abs_src_path=str(file)))
    shown = (file for ending in SHOWN for file in sorted((ROOT / EXAMPLES).rglob(f"*{ending}")))
    for path in (*PAGES, *(str(file.relative_to(ROOT)) for file in shown)):
        files.append(File.generated(config, f"{OUTSIDE}/{path}", abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Writes the links of a page as the site has them."""
    here = posixpath.dirname(in_repository(page.file.src_uri))
    text = FRONT_MATTER.sub("", markdown)
    done, made = 0, []
    for fence in FENCE.finditer(text):
        made += [_linked(text[done : fence.start()], here, page), fence.group()]
        done = fence.end()
    return "".join([*made, _linked(text[done:], here, page)])


def _linked(text: str, here: str, page: Any) -> str:
    start = posixpath.dirname(page.file.src_uri)

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, link[2]))
        return f"{link[1]}{posixpath.relpath(in_site(target), start or '.')}{link[3] or ''}{link[4]}"

    def explained(word: re.Match[str]) -> str:
        target = _page_of(word[1] or word[2] or "")
        leads_on = target and target != page.file.src_uri
        return f"[{word[0]}]({posixpath.relpath(target, start or '.')})" if leads_on else word[0]

    lines = LINK.sub(moved, text).splitlines(keepends=True)
    return "".join(line if line.startswith("#") else CODE.sub(explained, line) for line in lines)


@cache
def _page_of(word: str) -> str:
    """Where in the site the page of a code or a topic is; empty where there is none."""
    page = next((MADE / "rules").glob(f"{word}-*.md"), None) if word else None
    return f"rules/{page.name}" if page else TOPICS.get(word, "")


def in_repository(uri: str) -> str:
    """Where a page of the site lies in the repository."""
    return uri.removeprefix(f"{OUTSIDE}/") if uri.startswith(f"{OUTSIDE}/") else f"{DOCS}/{uri}"


def in_site(path: str) -> str:
    """Where a file of the repository lies in the site."""
    return path.removeprefix(f"{DOCS}/") if path.startswith(f"{DOCS}/") else f"{OUTSIDE}/{path}"
