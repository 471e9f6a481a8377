"""Everything that reads a stranger's file: what it is called, what a real one looks like, and what is done with it."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from tests.fuzz.mutating import (
    BINARY,
    JSON,
    TEXT,
    Mutator,
    inside_gzip,
    inside_pieces,
    inside_records,
    inside_zip,
    mutate,
    spoil_json,
    spoil_msgpack,
)
from tests.samples.files import sums
from weaklink.base.evidence import store
from weaklink.base.evidence.packing import pack_part
from weaklink.collect import readers
from weaklink.collect.readers.evaluations import read_party
from weaklink.collect.readers.growing import GrowingRecording, is_growing
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.readers.texts import open_texts
from weaklink.collect.samples.gathering import gather
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.show.rendering import render
from weaklink.verbs.debug.debugging import read_case
from weaklink.verbs.debug.folder import CaseIndex, encode_struct
from weaklink.verbs.debug.target import CaseTarget
from weaklink.verbs.memory.hugging_face import read_shape
from weaklink.verbs.targets import JudgedRun

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
VIEWS = ("terminal", "json", "markdown", "html")
SHARE_SHOWN = 0.02
"""Of what can be read, this share is judged and shown in every view as well: it costs fifty times the reading."""


def read_runs(path: Path, shown: bool) -> None:
    """Whatever a log holds, as `weaklink diagnose` reads it."""
    for found in readers.discover(path):
        runs = found.read()
        if is_growing(found):
            growing = GrowingRecording(found)
            growing.take()
            growing.run()
        for run in runs if shown else ():
            judged = JudgedRun(run, diagnose(run, RuleSettings()))
            for view in VIEWS:
                render(judged.diagnosis, view, **({} if view == "json" else {"run": run}))


def read_pasted(path: Path, shown: bool) -> None:
    """Text on standard input."""
    readers.read_text(path.read_bytes().decode("utf-8", "replace"))


def read_samples(path: Path, shown: bool) -> None:
    """Completions, as `weaklink audit` reads them."""
    rows = open_samples(path)
    gathered = gather(rows, rows.source)
    assert len(gathered) == rows.count


def read_texts(path: Path, shown: bool) -> None:
    """Any data set of texts."""
    rows = open_texts(path)
    for _ in rows.training():
        pass
    for _ in open_texts(path).questions():
        pass


def read_evaluation(path: Path, shown: bool) -> None:
    """One side of a comparison."""
    read_party(str(path))


def read_settings(path: Path, shown: bool) -> None:
    """A configuration."""
    config = readers.read_config(path)
    config.number("learning_rate")
    str(dict(config.raw))


def read_model_shape(path: Path, shown: bool) -> None:
    """The config.json of a language model."""
    read_shape(path)


def read_case_folder(path: Path, shown: bool) -> None:
    """The folder of a case."""
    render(read_case(path.parent), "json")


@dataclass(frozen=True)
class FuzzTarget:
    """One kind of file: its name on disk, real ones to begin with, how they are spoilt, what reads them.

    `beside` are files that lie there too, whole.
    """

    name: str
    file: str
    seeds: Callable[[], tuple[bytes, ...]]
    mutators: tuple[Mutator, ...]
    read: Callable[[Path, bool], None]
    beside: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)

    def make(self, draw: Random) -> bytes:
        """A spoilt one."""
        return mutate(draw.choice(self.known()), self.mutators, draw)

    def known(self) -> tuple[bytes, ...]:
        """The real ones, read once."""
        return _load_seeds(self.name)

    def lay_out(self, folder: Path, content: bytes) -> Path:
        """The file on disk, in a folder of its own."""
        shutil.rmtree(folder, ignore_errors=True)
        for name, make in {**self.beside, self.file: lambda: content}.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(make())
        return folder / self.file


@cache
def _load_seeds(name: str) -> tuple[bytes, ...]:
    return TARGETS[name].seeds()


def _of(*patterns: str, most: int = 1500) -> Callable[[], tuple[bytes, ...]]:
    """The first bytes of real files; none of them cut where `most` is 0."""

    def load() -> tuple[bytes, ...]:
        files = [file for pattern in patterns for file in sorted(SAMPLES.glob(pattern))]
        assert files, patterns
        return tuple(file.read_bytes()[: most or None] for file in files)

    return load


def _plain(*seeds: bytes) -> Callable[[], tuple[bytes, ...]]:
    return lambda: seeds


def _make_recording() -> tuple[bytes, ...]:
    header = {"weaklink": "0.1.0", "schema": 1, "created": 1.0, "config": {"lr": 0.1}, "context": {"framework": "sb3"}}
    rows = [
        {
            "step": step,
            "time": step / 2,
            "metrics": {"policy.kl": 0.1, "reward.episode_return": 2.0 * step, "mine": "nan"},
        }
        for step in range(12)
    ]
    others = [
        {"finding": {"code": "RET201", "name": "x", "link": "returns", "severity": "error", "message": "m"}},
        {"gap": {"start": 2, "end": 9, "updates": 3, "why": "budget"}},
        {"checked": {"code": "RET202"}},
        {"dropped": 3},
    ]
    return (b"".join(map(store.encode_line, (header, *rows, *others))),)


def _make_samples() -> tuple[bytes, ...]:
    rows = sums(steps=2)[:12]
    chat = [{"messages": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}], "reward": 1.0}]
    tools = [{"step": 1, "steps": [{"tool": "search", "args": {"q": "x"}, "result": "none"}], "success": True}]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in (*rows, *chat, *tools))
    return (
        lines,
        json.dumps({"rows": rows}).encode(),
        json.dumps(rows, indent=1).encode(),
        lines.decode().encode("utf-16"),
    )


def _make_packed_samples() -> tuple[bytes, ...]:
    return (gzip.compress(_make_samples()[0], mtime=0),)


def _make_parquet() -> tuple[bytes, ...]:
    import pyarrow
    import pyarrow.parquet

    rows = [{key: value for key, value in row.items() if key != "rewards"} for row in sums(steps=2)[:12]]
    nested = [{"messages": [{"role": "assistant", "content": "4"}], "reward": 1.0, "step": 1}]
    made = []
    for table in (rows, nested):
        for packing in ("snappy", "none"):
            file = io.BytesIO()
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), file, compression=packing)
            made.append(file.getvalue())
    return tuple(made)


def _make_evaluation() -> tuple[bytes, ...]:
    manifest = {"kind": "evaluation", "schema": 1, "task": "t", "model": "m", "scores": {"a": [1.0, 0.0], "b": [1.0]},
                "temperature": 0.0, "seeds": [1, 2], "split": "test"}  # fmt: skip
    return (json.dumps(manifest).encode(),)


def _make_index() -> bytes:
    target = CaseTarget(word="main.py", name="main", module="main.py")
    index = CaseIndex(target=target, stages=("preflight", "probe", "diagnose"), seconds={"watch": 1.0})
    return encode_struct(index)


def _make_survey() -> tuple[bytes, ...]:
    from tests.worlds import world

    made = world()
    return (pack_part({name: getattr(made, name) for name in made.__struct_fields__ if name != "config"}),)


def _make_outcome() -> tuple[bytes, ...]:
    from tests.outcomes import climbed, failing

    return (msgspec.msgpack.encode(climbed(failing("Terminal"))),)


_ROWS = b"".join(b'{"id": "%d", "score": %d}\n' % (at, at % 2) for at in range(8))
_COLUMNS = b'{"loss": [1, 2, 3, 4, 5, 6, 7, 8, 9], "step": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'
_SHAPE = (
    b'{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99}'
)
_EVENTS = "events.out.tfevents.1700000000.host.1.0"
_FLOW = b"a: {b: [1, 2.5, 'x'], c: null}\nlist:\n- 1\n- {x: y}\ntext: |\n  some\n  lines\nlr: 3.0e-4\n"

TARGETS = {
    target.name: target
    for target in (
        FuzzTarget("csv", "progress.csv", _of("sb3/progress.csv"), TEXT, read_runs),
        FuzzTarget("any-csv", "table.csv", _plain(b"step,loss\n1,2\n2,3\n3,nan\n", b"a;b\n1,5;2\n"), TEXT, read_runs),
        FuzzTarget("spinningup", "progress.txt", _of("spinningup/*/progress.txt"), TEXT, read_runs),
        FuzzTarget("json-rows", "progress.json", _of("sb3/progress.json", "verl/*.jsonl"), JSON, read_runs),
        FuzzTarget(
            "json-list",
            "rows.json",
            _plain(b'[{"step": 1, "loss": 0.5},\n{"step": 2, "loss": NaN}]', _COLUMNS),
            JSON,
            read_runs,
        ),
        FuzzTarget("monitor", "0.monitor.csv", _of("sb3/*.monitor.csv"), TEXT, read_runs),
        FuzzTarget("npz", "evaluations.npz", _of("sb3/*.npz", most=0), (*BINARY, inside_zip(BINARY[0])), read_runs),
        FuzzTarget("rllib", "result.json", _of("rllib/*/result.json", most=4000), JSON, read_runs),
        FuzzTarget("trainer-state", "trainer_state.json", _of("trainer_state/**/trainer_state.json"), JSON, read_runs),
        FuzzTarget("torchrl", "scalars/loss.csv", _plain(b"0,1.0\n1,2.0\n2,nan\n"), TEXT, read_runs),
        FuzzTarget("dvclive", "plots/metrics/loss.tsv", _of("dvclive/**/*.tsv"), TEXT, read_runs),
        FuzzTarget("console", "train.log", _of("console/*"), TEXT, read_runs),
        FuzzTarget(
            "tensorboard",
            _EVENTS,
            _of("tensorboard/*/events*", most=6000),
            (*BINARY, inside_records, inside_records),
            read_runs,
        ),
        FuzzTarget(
            "wandb", "run-x.wandb", _of("wandb/*.wandb", most=0), (*BINARY, inside_pieces, inside_pieces), read_runs
        ),
        FuzzTarget("mlflow", "mlflow.db", _of("mlflow/mlflow.db", most=0), BINARY, read_runs),
        FuzzTarget("trackio", "project.db", _of("trackio/*.db", most=0), BINARY, read_runs),
        FuzzTarget(
            "comet",
            "key.zip",
            _of("comet/*.zip", most=0),
            (*BINARY, inside_zip(spoil_json), inside_zip(spoil_json)),
            read_runs,
        ),
        FuzzTarget("recording", "weaklink.jsonl", _make_recording, JSON, read_runs),
        FuzzTarget("pasted", "pasted.txt", _of("console/*", "sb3/progress.*"), JSON, read_pasted),
        FuzzTarget("yaml", "config.yaml", lambda: (*_of("rl_zoo/**/*.yml")(), _FLOW), TEXT, read_settings),
        FuzzTarget("json-config", "params.json", _of("rllib/*/params.json"), JSON, read_settings),
        FuzzTarget("model-shape", "config.json", _plain(_SHAPE), JSON, read_model_shape),
        FuzzTarget("samples", "samples.jsonl", _make_samples, JSON, read_samples),
        FuzzTarget(
            "packed-samples", "samples.jsonl.gz", _make_packed_samples, (*BINARY, inside_gzip(spoil_json)), read_samples
        ),
        FuzzTarget("parquet", "samples.parquet", _make_parquet, BINARY, read_samples),
        FuzzTarget("texts", "texts.jsonl", _make_samples, JSON, read_texts),
        FuzzTarget("evaluation", "evaluation.json", _make_evaluation, JSON, read_evaluation),
        FuzzTarget("scores", "scores.jsonl", _plain(_ROWS), JSON, read_evaluation),
        FuzzTarget("case", "case.json", lambda: (_make_index(),), JSON, read_case_folder),
        FuzzTarget(
            "case-survey",
            "preflight.survey",
            _make_survey,
            (*BINARY, spoil_msgpack, spoil_msgpack),
            read_case_folder,
            {"case.json": _make_index},
        ),
        FuzzTarget(
            "case-outcome",
            "probe.outcome",
            _make_outcome,
            (*BINARY, spoil_msgpack, spoil_msgpack),
            read_case_folder,
            {"case.json": _make_index},
        ),
    )
}
