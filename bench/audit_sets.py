"""How `weaklink audit` does on labelled sets of samples: `python bench/audit_sets.py [--seeds 5] [--only TEXT]`.

Each set is made for several seeds, written as JSON Lines and audited as a user would. A hacked set is found when a
finding of level warn or above has its code; an honest one is accused when there is any such finding.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.audited.labelled import LabelledSet, Rows

from weaklink import audit
from weaklink.base.errors import WeaklinkError
from weaklink.base.finding import Level

REGISTRIES = {
    "language": "bench.audited.language",
    "agents": "bench.audited.agents",
    "unseen": "bench.audited.language_unseen",
    "unseen-agents": "bench.audited.agents_unseen",
}
WANTED_FOUND, WANTED_ACCUSED = 0.90, 0.05


def judged(labelled: LabelledSet, seed: int, folder: Path) -> dict[str, Any]:
    """One set for one seed: the codes that were found at warn or above."""
    file = _written(labelled.make(seed), folder / "samples.jsonl")
    baseline = None if labelled.baseline is None else _written(labelled.baseline(seed), folder / "baseline.jsonl")
    start = time.perf_counter()
    codes: list[str] = []
    failed = ""
    try:
        findings = audit(str(file), baseline=None if baseline is None else str(baseline)).diagnosis.findings
        codes = sorted({finding.code for finding in findings if finding.severity >= Level.WARN})
    except WeaklinkError as error:
        failed = str(error)
    return {
        "name": labelled.name,
        "code": labelled.code,
        "style": labelled.style,
        "seed": seed,
        "codes": codes,
        "found": labelled.code in codes if labelled.code else None,
        "accused": bool(codes) if not labelled.code else None,
        "error": failed,
        "seconds": round(time.perf_counter() - start, 3),
    }


def _written(rows: Rows, file: Path) -> Path:
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return file


def wilson(hits: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share (95 %) after Wilson (1927)."""
    if not count:
        return 0.0, 1.0
    share = hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def _share(hits: int, count: int) -> str:
    low, high = wilson(hits, count)
    return f"{hits:>4} of {count:<4} {hits / max(1, count):>6.1%}  ({low:.1%} to {high:.1%})"


def _by(results: Iterable[dict[str, Any]], *keys: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        grouped[tuple(result[key] for key in keys)].append(result)
    return dict(sorted(grouped.items()))


def told(results: Sequence[dict[str, Any]]) -> str:
    """Found by code and by style, then every honest set that was accused."""
    hacked = [result for result in results if result["code"]]
    honest = [result for result in results if not result["code"]]
    lines: list[str] = []
    for (code,), members in _by(hacked, "code").items():
        lines.append(f"{code:<38}{_share(sum(one['found'] for one in members), len(members))}")
        for (name, style), same in _by(members, "name", "style").items():
            hits = sum(one["found"] for one in same)
            others = sorted({other for one in same for other in one["codes"]} - {code})
            seen = f"   also {' '.join(others)}" if others else ""
            lines.append(f"    {name:<20} {style:<28} {hits} of {len(same)}{seen}")
    for (name,), members in _by(honest, "name").items():
        codes = sorted({code for one in members for code in one["codes"]})
        if codes:
            lines.append(
                f"{name:<52} accused {sum(one['accused'] for one in members)} of {len(members)}: {' '.join(codes)}"
            )
    lines += [f"cannot be read: {one['name']}, seed {one['seed']}: {one['error']}" for one in results if one["error"]]
    if hacked:
        lines.append(
            f"{'hacked sets found under their code':<38}{_share(sum(one['found'] for one in hacked), len(hacked))}"
        )
    if honest:
        lines.append(f"{'honest sets accused':<38}{_share(sum(one['accused'] for one in honest), len(honest))}")
    return "\n".join(lines)


def kept(results: Sequence[dict[str, Any]]) -> bool:
    """Whether the limits hold: enough found, few accused, everything read."""
    hacked = [one["found"] for one in results if one["code"]]
    honest = [one["accused"] for one in results if not one["code"]]
    found = not hacked or sum(hacked) / len(hacked) >= WANTED_FOUND
    accused = not honest or sum(honest) / len(honest) <= WANTED_ACCUSED
    return found and accused and not any(one["error"] for one in results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each set")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", default="", help="sets with this text in their name, code or style")
    parser.add_argument("--sets", choices=(*REGISTRIES, "all"), default="all")
    parser.add_argument("--json", type=Path, help="write every result into this file")
    options = parser.parse_args()
    chosen = REGISTRIES.values() if options.sets == "all" else [REGISTRIES[options.sets]]
    sets = [one for registry in chosen for one in import_module(registry).SETS]
    word = options.only.lower()
    sets = [one for one in sets if any(word in text.lower() for text in (one.name, one.code, one.style))]
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for labelled in sets:
            seeds = range(options.first_seed, options.first_seed + options.seeds)
            results += [judged(labelled, seed, Path(folder)) for seed in seeds]
    print(told(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 0 if kept(results) else 1


if __name__ == "__main__":
    sys.exit(main())
