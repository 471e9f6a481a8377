"""The estimate of `weaklink memory` against what torch really takes: `python bench/memory_peak.py [--only TEXT]`.

Each case trains a decoder of random weights for two steps: the first makes the states of the optimizer, the second is
measured phase by phase. It needs torch and a CUDA device; `--tiny --device cpu` only shows that every case runs.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from memory_decoder import Decoder, Sizes
from memory_optimizer import OwnAdam

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from weaklink import memory_estimate
from weaklink.verbs.memory import Estimate, MemoryPlan

LIMIT = 0.15

TINY = Sizes(64, 2, 4, 2, 128, 300)
SMALL = Sizes(768, 12, 12, 12, 2048, 32_000)
MIDDLE = Sizes(1024, 24, 16, 16, 2816, 32_000)
HALF = Sizes(896, 24, 14, 2, 4864, 151_936)
ONE = Sizes(2048, 22, 32, 4, 5632, 32_000)
TWO = Sizes(2560, 24, 20, 20, 6912, 50_000)


SHORT = {"prompt": 768, "completion": 256}


@dataclass(frozen=True)
class Case:
    """A model and a plan, in the words of the plan."""

    name: str
    sizes: Sizes
    plan: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("full, fp32, AdamW", SMALL, {"precision": "fp32", "micro_batch": 8, "prompt": 256, "completion": 256}),
    Case("full, autocast, AdamW", MIDDLE, {"precision": "autocast", "micro_batch": 8, "whole_logits": True, **SHORT}),
    Case(
        "bf16 weights, states in fp32",
        ONE,
        {"precision": "bf16", "state_precision": "fp32", "step_kernel": "loop", "micro_batch": 4, **SHORT},
    ),
    Case(
        "mixed, master weights, accumulation",
        MIDDLE,
        {"precision": "mixed", "step_kernel": "loop", "micro_batch": 8, "accumulation": 2},
    ),
    Case(
        "bf16, checkpointing",
        ONE,
        {
            "precision": "bf16",
            "step_kernel": "fused",
            "checkpointing": True,
            "micro_batch": 16,
            "rollouts": 16,
            "attention": "flash",
            **SHORT,
        },
    ),
    Case("LoRA 16 on bf16", TWO, {"precision": "bf16", "lora_rank": 16, "micro_batch": 4, **SHORT}),
    Case(
        "LoRA 8 on q and v, checkpointing",
        TWO,
        {"precision": "bf16", "lora_rank": 8, "lora_targets": ("q", "v"), "micro_batch": 8, "checkpointing": True},
    ),
    Case(
        "GRPO, autocast, reference, large vocabulary",
        HALF,
        {
            "reference": True,
            "micro_batch": 4,
            "prompt": 256,
            "completion": 256,
            "generation_batch": 128,
            "rollouts": 128,
            "step_kernel": "fused",
        },
    ),
    Case(
        "PPO, bf16, critic and reference",
        MIDDLE,
        {"precision": "bf16", "critic": True, "reference": True, "micro_batch": 8, "prompt": 256, "completion": 256},
    ),
    Case("bf16, AdamW of 8 bits", ONE, {"precision": "bf16", "optimizer": "adamw-8bit", "micro_batch": 2}),
)


class Training:
    """One case in the flesh."""

    def __init__(self, case: Case, plan: MemoryPlan, device: str) -> None:
        self.case, self.plan, self.device = case, plan, device
        wide = {"fp32": torch.float32, "autocast": torch.float32}
        self.kind = wide.get(plan.precision.value, torch.bfloat16)
        self.actor = self._model(case.sizes.vocab_size, self.kind)
        if plan.lora_rank:
            self.actor.adapt(plan.lora_rank, plan.lora_targets)
        self.critic = self._model(1, self.kind) if plan.critic else None
        calm = torch.float32 if plan.precision.value == "fp32" else torch.bfloat16
        self.reference = self._model(case.sizes.vocab_size, calm).requires_grad_(False) if plan.reference else None
        trained = [*self.actor.parameters(), *(self.critic.parameters() if self.critic else ())]
        self.optimizer = self._optimizer([p for p in trained if p.requires_grad])
        self.ids = torch.randint(case.sizes.vocab_size, (plan.rollouts, plan.sequence), device=device)
        self.kept = [torch.ones_like(self.ids)]
        numbers = 1 + plan.reference + 3 * plan.critic
        self.kept += [torch.zeros(plan.rollouts, plan.completion, device=device) for _ in range(numbers)]

    def _model(self, outputs: int, kind: torch.dtype) -> Decoder:
        grouped = self.plan.attention.value == "flash"
        with torch.device(self.device):
            before = torch.get_default_dtype()
            torch.set_default_dtype(kind)
            try:
                return Decoder(self.case.sizes, outputs=outputs, checkpointing=self.plan.checkpointing, grouped=grouped)
            finally:
                torch.set_default_dtype(before)

    def _optimizer(self, trained: list[torch.Tensor]) -> Any:
        plan = self.plan
        if plan.optimizer.value == "adamw-8bit":
            return OwnAdam(trained, bits=8)
        if plan.precision.value == "mixed" or plan.state_precision is not None:
            return OwnAdam(trained, master=plan.precision.value == "mixed")
        kernel = {"foreach": {"foreach": True}, "fused": {"fused": True}, "loop": {"foreach": False}}
        return torch.optim.AdamW(trained, lr=1e-4, **kernel[plan.step_kernel.value])

    def arithmetic(self) -> Any:
        if self.plan.precision.value != "autocast":
            return nullcontext()
        return torch.autocast(self.device, dtype=torch.bfloat16)

    def _scored(self, model: Decoder, ids: torch.Tensor) -> torch.Tensor:
        logits = model(ids, kept=self.plan.scored)
        chosen = torch.log_softmax(logits.float(), dim=-1)
        return chosen.gather(-1, ids[:, -self.plan.scored :, None])

    @torch.no_grad()
    def generation(self) -> None:
        rows = self.ids[: self.plan.generation_batch, : self.plan.prompt]
        caches: list[list] = [[] for _ in self.actor.layers]
        with self.arithmetic():
            start, given = 0, rows
            for _ in range(self.plan.completion):
                logits = self.actor(given, kept=1, caches=caches, start=start)[:, -1].float()
                start += given.shape[1]
                given = torch.multinomial(torch.softmax(logits / 0.9, dim=-1), 1)

    @torch.no_grad()
    def scoring(self) -> None:
        rows = self.ids[: self.plan.scored_at_once]
        for model in (self.actor, self.reference):
            if model is not None:
                with self.arithmetic():
                    self._scored(model, rows)

    def training(self) -> None:
        rows = self.ids[: self.plan.micro_batch]
        assert len(rows) == self.plan.micro_batch, "a micro-batch cannot be larger than the rollouts"
        with self.arithmetic():
            loss = -self._scored(self.actor, rows).mean()
            if self.critic is not None:
                loss = loss + self.critic(rows, kept=self.plan.scored).float().pow(2).mean()
        loss.backward()

    def update(self) -> None:
        self.optimizer.step()

    def cleared(self) -> None:
        self.optimizer.zero_grad()


def phases(case: Case, plan: MemoryPlan, device: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """Runs the first step, then yields the phases of the second one."""
    run = Training(case, plan, device)
    run.training()
    run.update()
    run.cleared()
    yield "generation", run.generation
    yield "log-probabilities", run.scoring
    for _ in range(plan.accumulation - 1):
        run.training()
    yield "training", run.training
    yield "optimizer step", run.update


def measured(case: Case, plan: MemoryPlan, device: str) -> dict[str, tuple[float, float]]:
    """Allocated and reserved peak of each phase; nothing but zeros on a CPU."""
    found: dict[str, tuple[float, float]] = {}
    gpu = device == "cuda"
    if gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    for name, work in phases(case, plan, device):
        if gpu:
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        work()
        allocated, reserved = 0.0, 0.0
        if gpu:
            torch.cuda.synchronize()
            allocated, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
        found[name] = (float(allocated), float(reserved))
    return found


def shrunk(case: Case) -> Case:
    """The same case, small enough for any machine."""
    small = {"prompt": 4, "completion": 4, "micro_batch": 2, "generation_batch": 2, "rollouts": 4}
    return replace(case, sizes=TINY, plan={**case.plan, **small})


def judged(case: Case, device: str, *, compare: bool) -> list[dict[str, Any]]:
    """One row a phase, and one for the peak of the whole case."""
    expected: Estimate = memory_estimate(asdict(case.sizes), **case.plan)
    seen = measured(case, expected.plan, device)
    if not compare:
        return []
    rows = []
    for phase in expected.phases:
        allocated, reserved = seen[phase.name]
        parts = {part.name: round(part.bytes / 1e9, 3) for part in phase.parts}
        rows.append(_row(case.name, phase.name, expected.parameters, phase.bytes, allocated, reserved, parts))
    peak_allocated, peak_reserved = (max(values[place] for values in seen.values()) for place in (0, 1))
    whole = _row(case.name, "peak", expected.parameters, expected.allocated, peak_allocated, peak_reserved, {})
    whole["estimated_reserved"] = expected.reserved
    return [*rows, whole]


def _row(
    case: str,
    phase: str,
    parameters: float,
    expected: float,
    allocated: float,
    reserved: float,
    parts: dict[str, float],
) -> dict[str, Any]:
    return {
        "case": case,
        "phase": phase,
        "parameters": parameters,
        "estimated": expected,
        "allocated": allocated,
        "reserved": reserved,
        "ratio": expected / allocated,
        "parts": parts,
    }


def told(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| case | parameters | phase | estimated | allocated | ratio | reserved |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        numbers = [f"{row[name] / 1e9:.2f}" for name in ("estimated", "allocated")]
        numbers += [f"{row['ratio']:.2f}", f"{row['reserved'] / 1e9:.2f}"]
        lines.append(f"| {row['case']} | {row['parameters'] / 1e6:,.0f} M | {row['phase']} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true", help="tiny models, and nothing measured")
    parser.add_argument("--only", default="", help="cases with this text in their names")
    parser.add_argument("--json", type=Path, help="write every figure into this file")
    options = parser.parse_args()
    torch.manual_seed(0)
    compare = options.device == "cuda" and not options.tiny
    rows: list[dict[str, Any]] = []
    for case in CASES:
        if options.only.lower() not in case.name.lower():
            continue
        start = time.perf_counter()
        rows += judged(shrunk(case) if options.tiny else case, options.device, compare=compare)
        gc.collect()
        print(f"{case.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    if not compare:
        print("every case ran; nothing was measured")
        return 0
    free, total = torch.cuda.mem_get_info()
    outside = total - free - torch.cuda.memory_reserved()
    print(told(rows))
    print(f"\n{torch.cuda.get_device_name()}, torch {torch.__version__}; outside the allocator: {outside / 1e9:.2f} GB")
    for row in rows:
        if row["phase"] != "peak" and abs(row["ratio"] - 1) > LIMIT:
            print(f"parts of {row['case']}, {row['phase']} (estimated): {row['parts']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    peaks = [row for row in rows if row["phase"] == "peak"]
    within = sum(abs(row["ratio"] - 1) <= LIMIT for row in peaks)
    print(f"{within} of {len(peaks)} peaks within {LIMIT:.0%}")
    return 0 if within == len(peaks) else 1


if __name__ == "__main__":
    sys.exit(main())
