"""Public training scripts on the ladder, unmodified, one command each: rungs climbed, findings, seconds.

    python bench/script_ladder.py FOLDER [NAME ...] [--seconds N] [--only RUNG] [--path FOLDER ...] [--output FILE]

FOLDER holds the scripts, which are not part of the project; each file in it that is named in `KNOWN`, or in NAMES, is
probed by `weaklink probe SCRIPT --all`. `--path` are folders with packages that they need beside those of this Python.
`KNOWN` says under which names which scripts are expected and which faults of theirs are real: a finding under another
code is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from weaklink.base.evidence.outcome import OUT_OF_TIME
from weaklink.collect.probes.ladder import ANSWERED

TIME_LIMIT, NEXT_STEP, CRASH = "PRB106", "PRB109", "PRB120"
OF_ON_POLICY = {
    **dict.fromkeys((TIME_LIMIT, "RET201", "RET203"), "a time limit is treated as an end"),
    **dict.fromkeys((NEXT_STEP, "DAT201"), "resets are stored as transitions"),
}
"""Of CleanRL's loops on policy: missed on the ladder, or read from their updates."""

KNOWN: dict[str, dict[str, str]] = {
    "cleanrl_ppo": OF_ON_POLICY,
    "cleanrl_ppo_continuous_action": OF_ON_POLICY,
    "cleanrl_dqn": {CRASH: "final_observation is gone since Gymnasium 1.0", NEXT_STEP: "resets are stored"},
    "cleanrl_c51": {CRASH: "final_observation is gone since Gymnasium 1.0", NEXT_STEP: "resets are stored"},
    "cleanrl_sac_continuous_action": {CRASH: "final_observation is gone since Gymnasium 1.0", NEXT_STEP: "resets"},
    "cleanrl_td3_continuous_action": {CRASH: "final_observation is gone since Gymnasium 1.0", NEXT_STEP: "resets"},
    "minimalrl_ppo": dict.fromkeys((TIME_LIMIT, "ENV201"), "an episode that is cut off goes on"),
    "old_gym_ppo": dict.fromkeys((TIME_LIMIT, "RET203"), "gym before 0.26 has one word for both ends"),
}
"""The scripts, and by code the faults that they are known to have with some version of Gymnasium."""


def probe(script: Path, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """What came of one script: the document of the probe, how it ended, and what it took."""
    words = [sys.executable, "-m", "weaklink", "probe", str(script), "--all", "--format", "json"]
    words += ["--seconds", str(options.seconds)] if options.seconds else []
    words += [word for rung in options.only for word in ("--only", rung)]
    path = os.pathsep.join(filter(None, (*options.path, os.environ.get("PYTHONPATH", ""))))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "script": script.name,
        "code": done.returncode,
        "document": json.loads(done.stdout) if done.stdout.strip() else None,
        "said": done.stderr.strip(),
        "wall": time.monotonic() - began,
        "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }


def summarise(result: dict[str, Any]) -> str:
    """One line of the table."""
    document, known = result["document"], KNOWN.get(Path(result["script"]).stem, {})
    if document is None:
        said = result["said"].splitlines() or ["nothing"]
        return f"{result['script']:34} does not run here: {said[-1]}"
    verdicts = [rung["verdict"] for rung in document["ladder"]]
    codes = list(dict.fromkeys(finding["code"] for finding in document["findings"]))
    told = [f"{code} ({known[code]})" if code in known else f"{code} (false alarm?)" for code in codes]
    left = sum(why == OUT_OF_TIME for why in document["left"].values())
    answered = sum(why == ANSWERED for why in document["left"].values())
    return (
        f"{result['script']:34} {verdicts.count('right'):2} of {len(verdicts):2} right, "
        f"{verdicts.count('unseen')} not seen, {answered} read, {left} out of time; {', '.join(told) or 'no finding'}; "
        f"{result['wall']:.0f} s, processor {result['processor']:.0f} s"
    )


def main() -> None:
    """Probes them one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--output", type=Path)
    options = parser.parse_intermixed_args()
    wanted = options.names or list(KNOWN)
    scripts = [options.folder.absolute() / f"{name}.py" for name in wanted]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for script in scripts:
            if not script.is_file():
                print(f"{script.name:34} is not in {options.folder}", flush=True)
                continue
            results.append(probe(script, options, folder))
            print(summarise(results[-1]), flush=True)
        left = sorted(os.listdir(folder))
    print(f"left behind: {', '.join(left) or 'nothing'}")
    if options.output:
        options.output.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
