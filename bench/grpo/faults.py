"""The faults that can be planted in the loop, one at a time, and the component that each breaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`name` is what the loop asks for; `code` the rung that looks at the component; `said` a word of the cause."""

    name: str
    component: str
    code: str
    said: str


FAULTS = (
    Fault("not centred", "advantage", "PRB201", "without the group-mean baseline"),
    Fault("no epsilon", "advantage", "PRB201", "divides by zero"),
    Fault("not shifted", "token shift", "PRB202", "not shifted"),
    Fault("shifted twice", "token shift", "PRB202", "shifted twice"),
    Fault("prompt scored", "mask", "PRB203", "prompt tokens"),
    Fault("padding scored", "mask", "PRB203", "includes padding"),
    Fault("padding attended", "mask", "PRB203", "attention mask"),
    Fault("tools scored", "mask", "PRB204", "tools"),
    Fault("temperature left out", "temperature", "PRB205", "left out"),
    Fault("old at another temperature", "temperature", "PRB205", "old log-probabilities"),
    Fault("sign", "sign", "PRB206", "sign"),
    Fault("groups shuffled", "advantage grouping", "PRB206", "prompts"),
    Fault("groups interleaved", "advantage grouping", "PRB206", "prompts"),
    Fault("whole batch", "advantage grouping", "PRB206", "other prompts"),
    Fault("next prompt's rewards", "advantage grouping", "PRB206", "another prompt"),
    Fault("next row's rewards", "advantage grouping", "PRB206", "neighbouring"),
    Fault("stale", "old log-probabilities", "PRB207", "older policy"),
    Fault("end left out", "end token", "PRB208", "EOS token"),
    Fault("KL sign", "KL", "PRB211", "wrong sign"),
    Fault("KL twice", "KL", "PRB211", "counts 2"),
    Fault("KL left out", "KL", "PRB211", "does not act"),
    Fault("KL first estimate in the loss", "KL", "PRB211", ""),
    Fault("reference moves", "KL", "PRB211", "moves"),
    Fault("by response", "length normalisation", "PRB212", "length"),
    Fault("long completions first", "length normalisation", "PRB212", "length"),
)
