"""No bytes on disk make anything but an error of weaklink."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.series import Provenance
from weaklink.collect import readers
from weaklink.collect.readers import (
    console,
    csv_table,
    dvclive,
    hyperparameters,
    json_lines,
    recording,
    rllib_result,
    sb3_evaluations,
    sb3_monitor,
    torchrl_csv,
    trainer_state,
)

SAMPLES = Path(__file__).parent / "samples"
RECORDING = (
    b'{"weaklink":"0.1.0","schema":1,"created":1.0,"config":{"lr":0.1},"context":{"framework":"sb3"}}\n'
    b'{"step":1,"time":1.0,"metrics":{"policy.kl":0.1,"optimizer.loss":"nan"}}\n{"finding":{"code":"X"}}\n'
)
CASES = {
    "progress.csv": (csv_table, (SAMPLES / "sb3" / "progress.csv").read_bytes()[:900]),
    "progress.txt": (csv_table, (SAMPLES / "spinningup" / "ppo_s0" / "progress.txt").read_bytes()),
    "progress.json": (json_lines, (SAMPLES / "sb3" / "progress.json").read_bytes()[:900]),
    "rows.json": (json_lines, b'[\n  {"step": 1, "loss": 0.5},\n  {"step": 2, "loss": NaN}\n]'),
    "columns.json": (json_lines, b'{"loss": [1, 2, 3, 4, 5, 6, 7, 8, 9], "step": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'),
    "0.monitor.csv": (sb3_monitor, (SAMPLES / "sb3" / "0.monitor.csv").read_bytes()[:300]),
    "evaluations.npz": (sb3_evaluations, (SAMPLES / "sb3" / "evaluations.npz").read_bytes()),
    "result.json": (rllib_result, next((SAMPLES / "rllib").rglob("result.json")).read_bytes()[:1500]),
    "trainer_state.json": (trainer_state, next((SAMPLES / "trainer_state").rglob("*state.json")).read_bytes()),
    "scalars/loss.csv": (torchrl_csv, b"0,1.0\n1,2.0\n2,nan\n"),
    "plots/metrics/loss.tsv": (dvclive, b"timestamp\tstep\tloss\n1700000000000\t0\t1.0\n1700000001000\t1\tnan\n"),
    "weaklink.jsonl": (recording, RECORDING),
    "sb3.log": (console, (SAMPLES / "console" / "sb3.txt").read_bytes()[:900]),
    "verl.out": (console, (SAMPLES / "console" / "verl.out").read_bytes()),
    "hugging_face.txt": (console, (SAMPLES / "console" / "hugging_face.log").read_bytes()[:500]),
    "rsl_rl.txt": (console, (SAMPLES / "console" / "rsl_rl.txt").read_bytes()[:900]),
    "config.yaml": (hyperparameters, next((SAMPLES / "rl_zoo").rglob("config.yml")).read_bytes()),
    "params.json": (hyperparameters, next((SAMPLES / "rllib").rglob("params.json")).read_bytes()),
}
SNIPPETS = st.sampled_from(
    [
        b"\n",
        b"\0",
        b"\xff\xfe",
        b'"',
        b"{",
        b"[",
        b"}",
        b"]",
        b",",
        b":",
        b"NaN",
        b"1e999",
        b"-",
        b"|",
        b"\r",
        b"#",
        b"1" * 400,
    ]
)


@st.composite
def damaged(draw, content: bytes) -> bytes:
    """The content cut, flipped, filled in and written over, or nothing of it."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200))
    spoiled = bytearray(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(spoiled)))
        if draw(st.booleans()):
            spoiled[place:place] = draw(SNIPPETS)
        else:
            spoiled[place : place + draw(st.integers(1, 20))] = draw(st.binary(max_size=4))
    return bytes(spoiled)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file(tmp_path, name, data):
    module, content = CASES[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.draw(damaged(content)))
    assert module.handles(path) in (True, False)
    with suppress(WeaklinkError):
        for log in module.read([path]):
            for key, column in log.columns.items():
                key.encode()
                column.build(key, Provenance(key))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_folder(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("run")
    for name in data.draw(st.lists(st.sampled_from(list(CASES)), max_size=5, unique=True)):
        path = folder / data.draw(st.sampled_from(["", "PPO_1", "checkpoint-5", "runs"])) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.draw(damaged(CASES[name][1])))
    with suppress(WeaklinkError):
        for result in readers.read_all(folder):
            str(result)
            getattr(result, "name", "").encode()


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_damaged_text(data):
    name = data.draw(st.sampled_from(list(CASES)))
    with suppress(WeaklinkError):
        readers.read_text(data.draw(damaged(CASES[name][1])).decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("name", CASES)
def test_a_whole_file(tmp_path, name):
    module, content = CASES[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    assert module.handles(path)
    log = module.read([path])[0]
    assert log.columns or log.config
