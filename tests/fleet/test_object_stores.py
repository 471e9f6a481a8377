"""Runs in an object store are judged as those on this machine are, and copied once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.sweeps import make_sweep, options
from weaklink.adapters.object_stores.copying import StoreCopy, is_address
from weaklink.base.errors import ReadError, UsageError
from weaklink.collect.readers import may_be_log
from weaklink.verbs.diagnose import diagnose

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def store():
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


@pytest.fixture(scope="module")
def s3():
    """A server that speaks the protocol of S3, with a bucket, and s3fs made to talk to it."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ACCESS_KEY_ID", "test")
        patched.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patched.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
        system = fsspec.filesystem("s3")
        system.mkdir("lab")
        yield system
    server.stop()


def copy(address: str) -> StoreCopy:
    found = StoreCopy(address, may_be_log)
    list(found)
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_sweep_in_s3_is_judged_as_on_this_machine(s3, tmp_path):
    sweep = make_sweep(tmp_path / "sweep", 6)
    (sweep / "run_000" / "policy.pt").write_bytes(b"\0" * 1000)
    s3.put(str(sweep), "lab/sweep", recursive=True)
    here, there = diagnose(options(sweep)), diagnose(options("s3://lab/sweep/"))
    assert len(there.results) == 6
    assert not there.failures
    assert [one.target for one in there.results] == [f"s3://lab/sweep/run_{number:03d}" for number in range(6)]
    assert [one.findings for one in there.results] == [one.findings for one in here.results]
    assert not list((tmp_path / "cache").rglob("policy.pt"))
    [alone] = diagnose(options("s3://lab/sweep/run_003/progress.csv")).results
    assert alone.target == "s3://lab/sweep/run_003/progress.csv"


@pytest.mark.filterwarnings("ignore")
def test_a_bucket_that_is_not_there_is_said_with_its_cure(s3):
    [failure] = diagnose(options("s3://nowhere/sweep")).failures
    assert "s3://nowhere/sweep" in failure.message
    assert not failure.own_fault


def test_only_what_changed_is_copied_again(store):
    store.pipe({"/lab/a/progress.csv": b"step,x\n1,2\n", "/lab/b/progress.csv": b"step,x\n1,3\n"})
    first = copy("memory://lab")
    assert (first.path / "b" / "progress.csv").read_bytes().endswith(b"1,3\n")
    assert len(StoreCopy("memory://lab", may_be_log)) == 0
    store.pipe("/lab/b/progress.csv", b"step,x\n1,3\n2,4\n")
    (first.path / "a" / "progress.csv").write_bytes(b"mine")
    again = copy("memory://lab")
    assert (again.path / "b" / "progress.csv").read_bytes().endswith(b"2,4\n")
    assert (again.path / "a" / "progress.csv").read_bytes() == b"mine", "what did not change is left alone"


def test_what_left_the_store_leaves_the_copy(store):
    store.pipe({"/lab/a/progress.csv": b"step,x\n1,2\n", "/lab/b/progress.csv": b"step,x\n1,3\n"})
    first = copy("memory://lab")
    store.rm("/lab/a/progress.csv")
    copy("memory://lab")
    assert not (first.path / "a" / "progress.csv").exists()
    assert (first.path / "b" / "progress.csv").exists()


def test_an_object_cannot_lead_out_of_the_copy(store, tmp_path):
    store.pipe("/lab/../../escaped.csv", b"step,x\n1,2\n")
    store.store["/lab/../../escaped.csv"] = store.store.pop(next(iter(store.store)))
    with pytest.raises(ReadError, match="no path"):
        StoreCopy("memory://lab", may_be_log)
    assert not list(Path(tmp_path).rglob("escaped.csv"))


@pytest.mark.parametrize(
    ("address", "error", "said"),
    [
        ("memory://empty", ReadError, "Nothing lies at"),
        ("unheardof://lab/sweep", ReadError, "unheardof"),
        ("memory://lab/../other", ReadError, "no path"),
    ],
)
def test_an_address_that_cannot_be_read_says_why(store, address, error, said):
    with pytest.raises(error, match=said):
        StoreCopy(address, may_be_log)


def test_a_copy_that_cannot_be_written_names_the_folder_and_the_cure(store, tmp_path, monkeypatch):
    store.pipe("/lab/a/progress.csv", b"step,x\n1,2\n")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="XDG_CACHE_HOME"):
        copy("memory://lab")


def test_a_password_in_an_address_is_no_part_of_the_copy(store):
    store.pipe("/somebody:hunter2@lab/a.csv", b"step,x\n1,2\n")
    assert "hunter2" not in str(copy("memory://somebody:hunter2@lab").path)


def test_paths_are_no_addresses():
    assert is_address("gs://lab/sweep")
    assert not any(map(is_address, ("runs/a", "C:\\runs", "-", "/a://b", "", "a b://c", "s3://", "s3:///")))
