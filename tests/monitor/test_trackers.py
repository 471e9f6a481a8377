"""Trackers: what is forwarded arrives in the real thing, beside what the user logs and without disturbing it."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from contextlib import closing

import pytest

from tests.monitor.findings import finding
from tests.patience import PATIENCE, wait_until
from tests.readers.columns import series
from weaklink.base.errors import UsageError
from weaklink.base.finding import Level
from weaklink.collect.monitor import trackers
from weaklink.collect.monitor.sinks import Sinks, sinks_from
from weaklink.collect.monitor.trackers import TrackerForwarder, find_tracker
from weaklink.collect.readers import mlflow as mlflow_reader
from weaklink.collect.readers import read
from weaklink.collect.readers import tensorboard as tensorboard_reader
from weaklink.collect.readers import trackio as trackio_reader
from weaklink.collect.readers import wandb_offline as wandb_reader

KL = "weaklink/policy.kl"


class Kept:
    """A tracker of the user's own."""

    def __init__(self) -> None:
        self.rows, self.alerts, self.closed = [], [], False

    def numbers(self, step, numbers):
        self.rows.append((step, dict(numbers)))

    def alert(self, told):
        self.alerts.append(told.code)

    def close(self):
        self.closed = True


@pytest.fixture
def at_once(monkeypatch):
    """Every row is sent."""
    monkeypatch.setattr(trackers, "EVERY", 0.0)


def settle(forwarding: TrackerForwarder) -> None:
    """Waits until everything that was handed over is sent."""
    done = threading.Event()
    forwarding._box.put(done.set)
    assert done.wait(20)


def test_a_row_a_second_and_the_last_at_the_end():
    kept, said = Kept(), []
    forwarding = TrackerForwarder(find_tracker(kept), said.append)
    for step in range(100):
        forwarding.numbers(step, {"policy.kl": float(step)})
    forwarding.numbers(100, {"reward.episode_return": 1.0})
    forwarding.tell(finding(), "run")
    forwarding.close()
    assert len(kept.rows) <= 4
    assert (99, {KL: 99.0}) in kept.rows
    assert kept.rows[-1] == (100, {"weaklink/reward.episode_return": 1.0})
    assert kept.alerts == ["POL303"]
    assert kept.closed
    assert said == []
    forwarding.numbers(101, {"policy.kl": 0.0})
    forwarding.tell(finding())
    forwarding.close()
    assert len(kept.alerts) == 1


def test_a_tracker_that_fails_rests_with_one_line(at_once):
    said = []

    class Failing(Kept):
        def numbers(self, step, numbers):
            self.rows.append(step)
            raise ConnectionError("no network")

    failing = Failing()
    forwarding = TrackerForwarder(find_tracker(failing), said.append)
    for step in range(20):
        forwarding.numbers(step, {"policy.kl": 0.1})
    forwarding.close(PATIENCE)
    assert len(failing.rows) == 1
    assert len(said) == 1
    assert said[0].endswith("failed and gets nothing for 10 s: ConnectionError: no network.")


def test_a_tracker_that_hangs_holds_nobody_up(at_once, monkeypatch):
    monkeypatch.setattr(trackers, "TIMEOUT", 0.1)
    said, release, woke = [], threading.Event(), []

    class Hanging(Kept):
        def numbers(self, step, numbers):
            woke.append(release.wait(PATIENCE))

    forwarding = TrackerForwarder(find_tracker(Hanging()), said.append)
    steps = itertools.count()
    wait_until(lambda: forwarding.numbers(next(steps), {"policy.kl": 0.1}) or said)
    forwarding.numbers(next(steps), {"policy.kl": 0.1})
    assert len(said) == 1
    forwarding.close()
    assert woke == [], "nobody waited for it"
    release.set()


def test_a_search_that_fails_is_said_once():
    said = []

    def broken():
        raise RuntimeError("half installed")

    forwarding = TrackerForwarder(broken, said.append)
    for step in range(3):
        forwarding.numbers(step, {"policy.kl": 0.1})
    forwarding.close()
    assert said == ["No tracker is told: RuntimeError: half installed"]


def test_choices():
    assert find_tracker("none") is None
    assert find_tracker(None) is None
    TrackerForwarder(None).numbers(1, {"a": 1.0})
    with pytest.raises(UsageError, match="wandb, mlflow, trackio, tensorboard"):
        find_tracker("neptune")
    with pytest.raises(UsageError, match="not a int"):
        find_tracker(3)


def test_a_tracker_that_is_not_installed_names_its_command(monkeypatch):
    monkeypatch.setattr(trackers, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install wandb"):
        find_tracker("wandb")


def test_nothing_in_use_is_nothing_told():
    said = []
    forwarding = TrackerForwarder(find_tracker("auto"), said.append)
    forwarding.numbers(1, {"policy.kl": 0.1})
    forwarding.tell(finding())
    forwarding.close()
    assert said == []


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    for name, value in {"MODE": "offline", "SILENT": "true", "DIR": tmp_path, "CONSOLE": "off"}.items():
        monkeypatch.setenv(f"WANDB_{name}", str(value))
    monkeypatch.setenv("WANDB__DISABLE_STATS", "true")
    module = pytest.importorskip("wandb")
    yield module
    module.finish()
    module.teardown()


@pytest.mark.filterwarnings("default")
def test_wandb(wandb, tmp_path, at_once):
    said = []
    forwarding = TrackerForwarder(find_tracker("auto"), said.append)
    forwarding.numbers(0, {"policy.kl": 0.0})  # before the run has begun
    run = wandb.init(project="p", settings=wandb.Settings(x_disable_stats=True))
    for step in range(5):
        forwarding.numbers(1000 * step, {"policy.kl": 0.1 * step})
        settle(forwarding)
        wandb.log({"loss": float(step)}, step=10 * step)
        forwarding.numbers(1000 * step + 1, {"value.explained_variance": 0.5})
        settle(forwarding)
        wandb.log({"accuracy": float(step)}, step=10 * step)
    forwarding.tell(finding(level=Level.ERROR))
    forwarding.close(wait=10)
    folder = tmp_path / "wandb"
    run.finish()
    forwarding.numbers(1, {"policy.kl": 0.1})
    wandb.teardown()  # only then is the file whole
    (file,) = folder.glob("offline-run-*/run-*.wandb")
    (raw,) = wandb_reader.read([file])
    assert series(raw, "loss").values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert series(raw, "accuracy").values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert series(raw, "loss").steps.tolist() == series(raw, "accuracy").steps.tolist() == [0, 10, 20, 30, 40]
    assert series(raw, KL).values.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4])  # the newest before each row
    assert series(raw, "weaklink/step").values.tolist() == [1000, 2000, 3000, 4000, 4001]
    assert b"POL303 kl-spike" in file.read_bytes()
    assert said == []


@pytest.mark.filterwarnings("default")
def test_wandb_counts_as_it_would_without(wandb, tmp_path, at_once):
    run = wandb.init(project="p", settings=wandb.Settings(x_disable_stats=True))
    forwarding = TrackerForwarder(find_tracker(run))
    for step in range(6):
        forwarding.numbers(step, {"policy.kl": 1.0})
        settle(forwarding)
        run.log({"loss": float(step)})
    run.finish()
    said = []
    late = TrackerForwarder(find_tracker(run), said.append)
    late.numbers(9, {"policy.kl": 1.0})
    late.tell(finding())
    late.close(wait=10)
    wandb.teardown()
    (file,) = (tmp_path / "wandb").glob("offline-run-*/run-*.wandb")
    (raw,) = wandb_reader.read([file])
    assert series(raw, "loss").steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert len(series(raw, KL).values.tolist()) == 6
    assert said == []


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("given", ["writer", "folder", "word"])
def test_tensorboard(tmp_path, at_once, given):
    pytest.importorskip("tensorboard")
    tensorboard = pytest.importorskip("torch.utils.tensorboard")
    writer = tensorboard.SummaryWriter(str(tmp_path)) if given == "writer" else None
    if given == "word":
        find = find_tracker("tensorboard", tmp_path)
    else:
        find = find_tracker(writer if writer is not None else tmp_path)
    said = []
    forwarding = TrackerForwarder(find, said.append)
    for step in range(5):
        forwarding.numbers(100 * step, {"policy.kl": 0.5 * step})
        settle(forwarding)
    forwarding.tell(finding())
    forwarding.close(wait=20)
    if writer is not None:
        writer.add_scalar("loss", 1.0, 1)
        writer.close()
    (file,) = (tmp_path if given == "writer" else tmp_path / "weaklink").glob("*tfevents*")
    (raw,) = tensorboard_reader.read([file])
    assert series(raw, KL).steps.tolist() == [0, 100, 200, 300, 400]
    assert series(raw, KL).values.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert b"weaklink/alert/POL303" in file.read_bytes()
    assert said == []


def test_tensorboard_needs_a_place():
    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="folder"):
        find_tracker("tensorboard")


@pytest.fixture(params=["database", "files"])
def mlflow(tmp_path, monkeypatch, request):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    if request.param == "database":
        pytest.importorskip("alembic")  # the small edition of MLflow comes without
    module = pytest.importorskip("mlflow")
    before = module.get_tracking_uri()
    places = {"database": f"sqlite:///{tmp_path}/mlflow.db", "files": f"file://{tmp_path}/mlruns"}
    module.set_tracking_uri(places[request.param])
    yield module
    module.end_run()
    module.set_tracking_uri(before)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_mlflow(mlflow, tmp_path, at_once):
    said = []
    forwarding = TrackerForwarder(find_tracker("auto"), said.append)
    sinks = Sinks(sinks_from("mlflow"), complain=said.append)
    with mlflow.start_run() as run:
        for step in range(3):
            forwarding.numbers(100 * step, {"policy.kl": 0.5 * step})
            settle(forwarding)
        elsewhere = threading.Thread(target=sinks.tell, args=(finding(), "x"))
        elsewhere.start()
        elsewhere.join()
        sinks.close(wait=20)
        forwarding.close(wait=20)
        mlflow.log_metric("loss", 1.0, step=7)
    tags = mlflow.get_run(run.info.run_id).data.tags
    assert tags["weaklink.alert.POL303"] == "warn: KL 0.31 is over 0.05."
    database = tmp_path / "mlflow.db"
    (raw,) = mlflow_reader.read([database if database.exists() else tmp_path / "mlruns" / "0" / run.info.run_id])
    assert series(raw, KL).steps.tolist() == [0, 100, 200]
    assert series(raw, KL).values.tolist() == [0.0, 0.5, 1.0]
    assert series(raw, "loss").steps.tolist() == [7]
    assert said == []


@pytest.mark.filterwarnings("default")
def test_trackio(tmp_path, monkeypatch, at_once):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    trackio = pytest.importorskip("trackio")
    utils = pytest.importorskip("trackio.utils")
    monkeypatch.setattr(utils, "TRACKIO_DIR", tmp_path)
    monkeypatch.setattr(pytest.importorskip("trackio.sqlite_storage"), "TRACKIO_DIR", tmp_path)
    said = []
    run = trackio.init(project="p", name="r", embed=False)
    forwarding = TrackerForwarder(find_tracker("auto"), said.append)
    for step in range(4):
        trackio.log({"loss": float(step)})
        forwarding.numbers(100 * step, {"policy.kl": 0.5 * step})
        settle(forwarding)
    forwarding.tell(finding(level=Level.ERROR))
    forwarding.close(wait=10)
    trackio.finish()
    late = TrackerForwarder(find_tracker(run), said.append)
    late.numbers(900, {"policy.kl": 9.0})
    late.close(wait=10)
    (file,) = tmp_path.rglob("p.db")
    (raw,) = trackio_reader.read([file])
    assert series(raw, "loss").steps.tolist() == [0, 1, 2, 3]
    assert series(raw, KL).steps.tolist() == [0, 1, 2, 3]
    assert series(raw, KL).values.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert series(raw, "weaklink/step").values.tolist() == [0, 100, 200, 300]
    with closing(sqlite3.connect(file)) as database:
        alerts = list(database.execute("select title, text, level from alerts"))
    assert alerts == [("POL303 kl-spike", "KL 0.31 is over 0.05.", "error")]
    assert said == []


def test_a_recording_is_read_as_one_run_beside_a_lock(tmp_path):
    from weaklink.collect.monitor.recorder import Recorder

    recorder = Recorder(tmp_path)
    recorder.write(1, {"policy.kl": 0.1})
    recorder.flush()
    assert read(tmp_path)["policy.kl"].values.tolist() == [0.1]
    recorder.close()
