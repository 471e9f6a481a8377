"""`make audit`: what weaklink is made of, and whether any of it is known to be vulnerable.

Writes bills of materials (CycloneDX 1.5) into build/: `bom-wheel.json` of the wheel with all that it needs and what its
extras may bring, `bom-page.json` of what npm bundles into the page's script. Then pip-audit looks the Python packages
up, and `npm audit` those of the page. Where the registries cannot be reached it says so and exits with 3: nothing was
found, because nobody was asked. A known vulnerability exits with 1.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
PROJECT = "weaklink"
EXTRAS = ("gymnasium", "sb3", "torchrl", "trl", "samples", "live")
"""Those that users install; the others are for developers."""
SECONDS = 300
KNOWN, NOT_ASKED = 1, 3
UNREACHABLE = re.compile(
    r"ConnectionError|ServiceError|Max retries|ENOTFOUND|EAI_AGAIN|ENOAUDIT|audit endpoint|HTTPError"
)


def find_requirements(name: str, extras: tuple[str, ...] = ()) -> set[str]:
    """The packages that a distribution asks for by itself and for its extras, of those that are installed."""
    found = set()
    for line in metadata.distribution(name).requires or ():
        wanted, _, condition = line.partition(";")
        named = re.findall(r"extra\s*==\s*['\"]([\w.-]+)['\"]", condition)
        if not named or set(named) & set(extras):
            word = re.match(r"[\w.-]+", wanted.strip())
            if word is not None and is_installed(word[0]):
                found.add(word[0].lower().replace("_", "-"))
    return found


def is_installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def gather_packages(extras: tuple[str, ...]) -> set[str]:
    """Everything that is needed, and whatever that needs in its turn."""
    found: set[str] = set()
    waiting = find_requirements(PROJECT, extras)
    while waiting - found:
        new = waiting - found
        found |= new
        waiting = set().union(*(find_requirements(name) for name in new))
    return found


def describe_package(name: str, required: bool) -> dict[str, object]:
    about = metadata.metadata(name)
    license = about.get("License-Expression") or (about.get("License") or "").strip().partition("\n")[0]
    version = metadata.version(name)
    component: dict[str, object] = {
        "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version.partition('+')[0]}",
        "scope": "required" if required else "optional",
    }  # fmt: skip
    return component | ({"licenses": [{"license": {"name": license}}]} if license else {})


def list_wheel_components() -> list[dict[str, object]]:
    needed = gather_packages(())
    return [describe_package(name, name in needed) for name in sorted(needed | gather_packages(EXTRAS))]


def list_page_components(lock: Path) -> list[dict[str, object]]:
    """What the bundle of the page holds: all but what is needed to build it."""
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return [
        {
            "type": "library", "name": (name := place.rpartition("node_modules/")[2]), "version": about["version"],
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{about['version']}", "scope": "required",
            "licenses": [{"license": {"name": about.get("license", "unknown")}}],
        }
        for place, about in packages.items()
        if place and not about.get("dev")
    ]  # fmt: skip


def make_bill(name: str, components: list[dict[str, object]]) -> dict[str, object]:
    version = metadata.version(PROJECT)
    whole = {"type": "application", "name": name, "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": whole},
        "components": components,
    }


def write_bills() -> list[dict[str, object]]:
    """Both bills; gives back the Python packages."""
    BUILD.mkdir(exist_ok=True)
    wheel, page = list_wheel_components(), list_page_components(ROOT / "web" / "package-lock.json")
    for file, name, components in (("bom-wheel.json", PROJECT, wheel), ("bom-page.json", f"{PROJECT}-page", page)):
        bill = json.dumps(make_bill(name, components), indent=1)
        (BUILD / file).write_text(bill + "\n", encoding="utf-8")
        print(f"build/{file}: {len(components)} packages")
    return wheel


def ask(title: str, command: list[str], asked: tuple[int, ...] = (0, 1)) -> int:
    """Runs one auditor: 0, KNOWN, or NOT_ASKED where it could not find out."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{title}: not asked ({type(error).__name__})")
        return NOT_ASKED
    said = (done.stdout + done.stderr).strip()
    if UNREACHABLE.search(said) or done.returncode not in asked or not said:
        last = said.splitlines()[0][:200] if said else f"exit status {done.returncode}"
        print(f"{title}: not asked, its registry could not be reached or does not answer ({last})")
        return NOT_ASKED
    print(f"{title}: {said if done.returncode else said.splitlines()[-1]}")
    return KNOWN if done.returncode else 0


def audit_python(packages: list[dict[str, object]]) -> int:
    """Looks the packages up at their very versions; pip-audit is installed for it, outside of the environment."""
    tools = BUILD / "audit"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(tools)]
    if not (tools / "pip_audit").is_dir():
        subprocess.run([*pip, "pip-audit"], capture_output=True, timeout=SECONDS)
    if not (tools / "pip_audit").is_dir():
        print("Python packages: not asked, pip-audit is not there and could not be installed")
        return NOT_ASKED
    pinned = BUILD / "audited.txt"
    lines = [f"{one['name']}=={str(one['version']).partition('+')[0]}" for one in packages]
    pinned.write_text("\n".join(lines) + "\n", encoding="utf-8")
    start = f"import sys; sys.path.insert(0, {str(tools)!r}); from pip_audit._cli import audit; audit()"
    words = ["--requirement", str(pinned), "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    return ask("Python packages", [sys.executable, "-c", start, *words])


def audit_page() -> int:
    npm = shutil.which("npm")
    if npm is None:
        print("npm packages: not asked, npm is not installed")
        return NOT_ASKED
    return ask("npm packages", [npm, "audit", "--omit=dev", "--prefix", str(ROOT / "web")])


def main() -> None:
    found = {audit_python(write_bills()), audit_page()}
    raise SystemExit(KNOWN if KNOWN in found else max(found))


if __name__ == "__main__":
    main()
