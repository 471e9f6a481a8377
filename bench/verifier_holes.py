"""How the test of verifiers does on planted holes and on sound verifiers.

    python bench/verifier_holes.py [--only TEXT] [--seconds N] [--verbose]

Every function of bench/verifiers is examined as `weaklink audit --verifier` does it: by its name, in a process of its
own, with the built-in questions. A hole counts as found when the right code comes at level warn or above. Any such
finding on a sound verifier is a false claim. Exits with 1 where a hole is missed or a false claim is made.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.collect.samples.verifier import examine
from weaklink.judge.rules._registry import load_rules_on

HERE = Path(__file__).parent / "verifiers"
EXPLOITABLE, BLIND = "LLM314", "LLM315"
ANSWERS = {
    "substring": EXPLOITABLE,
    "any_number": EXPLOITABLE,
    "last_or_none": EXPLOITABLE,
    "evaluated": EXPLOITABLE,
    "pays_when_it_fails": EXPLOITABLE,
    "format_bonus": EXPLOITABLE,
    "length_bonus": EXPLOITABLE,
    "keyword_judge": EXPLOITABLE,
    "choice_anywhere": EXPLOITABLE,
    "denial": EXPLOITABLE,
    "generous_tolerance": EXPLOITABLE,
    "one_off_is_fine": EXPLOITABLE,
    "not_greater": EXPLOITABLE,
    "normalised_away": EXPLOITABLE,
    "prompt_counts": EXPLOITABLE,
    "recall_only": EXPLOITABLE,
    "any_box": EXPLOITABLE,
    "judge_reply": EXPLOITABLE,
    "answer_as_pattern": EXPLOITABLE,
    "relative_to_larger": EXPLOITABLE,
    "yes_judge": EXPLOITABLE,
    "raises": EXPLOITABLE,
    "always": EXPLOITABLE,
    "noisy": BLIND,
    "normalised_by_batch": BLIND,
    "remembers": BLIND,
    "no_stripping": BLIND,
}
CODE = dict.fromkeys(("exit_code", "counts_passed", "in_process", "output_holds", "same_text"), EXPLOITABLE)
SOUND = (
    "maths_with_units",
    "maths_with_format_bonus",
    "exact",
    "words_without_points",
    "shorter_is_better",
    "plus_and_minus",
    "last_line_choice",
    "last_number",
    "same_set",
    "code_by_tests",
    "code_by_output",
)


def verifiers() -> dict[str, str]:
    """Every verifier by its target, with the code that it should get; none for a sound one."""
    answers = {f"{HERE / 'holed_answers.py'}:{name}": code for name, code in ANSWERS.items()}
    code = {f"{HERE / 'holed_code.py'}:{name}": found for name, found in CODE.items()}
    return {**answers, **code, **{f"{HERE / 'sound.py'}:{name}": "" for name in SOUND}}


def findings(check: VerifierCheck) -> list[Finding]:
    """All that the rules say of a verifier."""
    found: list[Finding] = []
    for rule in load_rules_on(VerifierCheck).values():
        answer = rule.ask(check)
        if answer is not None and not isinstance(answer, CannotTell):
            found.extend(answer if isinstance(answer, tuple) else (answer,))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="verifiers whose name holds this text")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--verbose", action="store_true", help="messages, and every text that was paid")
    options = parser.parse_args()
    counts = {"found": 0, "missed": 0, "quiet": 0, "false claim": 0}
    for target, code in verifiers().items():
        name = target.rpartition(":")[2]
        if options.only not in name:
            continue
        began = time.monotonic()
        check = examine(target, seconds=options.seconds)
        told = findings(check)
        serious = {finding.code for finding in told if finding.severity >= Level.WARN}
        outcome = ("found" if code in serious else "missed") if code else "false claim" if serious else "quiet"
        counts[outcome] += 1
        took = time.monotonic() - began
        print(
            f"{outcome:12} {name:24} {check.style:6} {', '.join(check.domains):28} {check.calls:5} calls {took:5.1f} s"
        )
        if options.verbose or outcome in ("missed", "false claim"):
            for finding in told:
                print(f"    {finding.code} {finding.severity.word}: {finding.message}")
            print(*(f"    note: {note}" for note in check.notes), sep="\n", end="\n" if check.notes else "")
    print(", ".join(f"{outcome} {count}" for outcome, count in counts.items()))
    return 1 if counts["missed"] or counts["false claim"] else 0


if __name__ == "__main__":
    sys.exit(main())
