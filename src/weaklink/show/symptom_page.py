"""The index of symptoms, from the table that `--symptom` uses."""

from __future__ import annotations

from weaklink.judge.diagnosis.symptoms import SYMPTOMS, Symptom
from weaklink.show.pages import find_file, record_code


def write_symptom_page() -> str:
    """The page: a line for each symptom, then each with its rules in the order to look in."""
    lines = [
        "# What you see",
        "",
        "Find the line that sounds like your run. The codes are in the order to look in: stop at the first that fits,",
        "because what comes later often follows from it. It is the table behind",
        "",
        "```sh",
        'weaklink diagnose runs/ppo_1 --symptom "reward flat"',
        "```",
        "",
        "which asks these rules of your run and says what became of each.",
        "",
        "| you see | look at, in this order |",
        "|---|---|",
    ]
    for symptom in SYMPTOMS:
        codes = ", ".join(f"[{code}](rules/{find_file(code)})" for code in symptom.codes)
        lines.append(f"| [{symptom.name}](#{_make_anchor(symptom)}) | {codes} |")
    for symptom in SYMPTOMS:
        lines += _write_section(symptom)
    return "\n".join(lines) + "\n"


def _write_section(symptom: Symptom) -> list[str]:
    lines = ["", f"## {symptom.name}", "", symptom.advice, "", "| code | link | what it would say |", "|---|---|---|"]
    for code in symptom.codes:
        rule = record_code(code)
        said = rule["summary"].replace("|", "/")
        lines.append(f"| [{code} {rule['name']}](rules/{find_file(code)}) | {rule['link']} | {said} |")
    return lines


def _make_anchor(symptom: Symptom) -> str:
    """The anchor of a heading, as Markdown renderers make it."""
    return "".join(letter for letter in symptom.name.replace(" ", "-") if letter.isalnum() or letter == "-")
