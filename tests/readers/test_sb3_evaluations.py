"""SB3's evaluations.npz."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from weaklink.base.errors import CorruptLog, TooLarge
from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import sb3_evaluations

SAMPLE = Path(__file__).parent / "samples" / "sb3" / "evaluations.npz"


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def test_what_sb3_wrote():
    assert sb3_evaluations.handles(SAMPLE)
    log = sb3_evaluations.read([SAMPLE])[0]
    with np.load(SAMPLE) as archive:
        results = archive["results"]
    assert series(log, "evaluations/return").steps.tolist() == [600, 1200, 1800]
    assert series(log, "evaluations/return").values == pytest.approx(results.mean(axis=1))
    assert series(log, "evaluations/return_std").values == pytest.approx(results.std(axis=1, ddof=1))
    assert "evaluations/length" in log.columns


def test_successes_and_single_episodes(tmp_path):
    path = tmp_path / "evaluations.npz"
    np.savez(path, timesteps=[10, 20], results=[[1.0], [np.nan]], successes=[[True], [False]])
    log = sb3_evaluations.read([path])[0]
    assert series(log, "evaluations/success_rate").values.tolist() == [1, 0]
    assert series(log, "evaluations/return").nonfinite.first_step == 20
    assert "evaluations/return_std" not in log.columns


def test_nothing_evaluated_yet(tmp_path):
    path = tmp_path / "evaluations.npz"
    np.savez(path, timesteps=[], results=[])
    assert not sb3_evaluations.read([path])[0].columns


def test_a_pickle_is_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("the pickle was loaded",))

    path = tmp_path / "evaluations.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("timesteps.npy", pickle.dumps(Bomb()))
    with pytest.raises(CorruptLog, match="Copy it again"):
        sb3_evaluations.read([path])


def test_an_archive_that_unpacks_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(sb3_evaluations, "MOST_UNPACKED", 10)
    with pytest.raises(TooLarge, match=r"`timesteps` may have 10 bytes at most: that of .* has \d+\. Copy it again"):
        sb3_evaluations.read([SAMPLE])


@pytest.mark.parametrize("cut", [4, 100, 500])
def test_a_torn_archive(tmp_path, cut):
    path = tmp_path / "evaluations.npz"
    path.write_bytes(SAMPLE.read_bytes()[:-cut])
    with pytest.raises(CorruptLog):
        sb3_evaluations.read([path])


def test_sniffing(tmp_path):
    other = tmp_path / "evaluations.npz"
    other.write_bytes(b"hello")
    assert not sb3_evaluations.handles(other)
    assert not sb3_evaluations.handles(tmp_path)
