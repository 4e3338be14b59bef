from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from polars.exceptions import ComputeError
from refusal import refused

from celosia.core.errors import FileError
from celosia.io import atomic
from celosia.io.atomic import writing_folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_whole(tmp_path):
    target = tmp_path / "a.txt"
    with atomic.writing(target) as temporary:
        temporary.write_text("nuevo")
        assert not target.exists()
        assert temporary.parent == target.parent
    assert target.read_text() == "nuevo"
    assert names(tmp_path) == ["a.txt"]


FULL = (
    OSError(errno.ENOSPC, "full"),
    OSError("No space left on device (os error 28)"),  # as polars says it of CSV
    ComputeError("parquet: underlying IO error: No space left on device (os error 28)"),
)


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ValueError(), ComputeError("otra cosa"), *FULL])
def test_a_failure_while_writing_leaves_the_old_file(tmp_path, failure):
    target = tmp_path / "a.txt"
    target.write_text("viejo")
    expected = FileError if failure in FULL else type(failure)
    with pytest.raises(expected) as caught, atomic.writing(target) as temporary:
        temporary.write_text("a medias")
        raise failure
    assert target.read_text() == "viejo"
    assert names(tmp_path) == ["a.txt"]
    if failure in FULL:
        assert caught.value.code == "disk-full"


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx", "sav", "dta", "por", "xpt"])
def test_a_write_that_the_system_stops_leaves_the_old_file(tmp_path, suffix):
    program = f"""
import resource, signal, sys
import polars as pl
import celosia
from celosia.core.errors import FileError
path = "d.{suffix}"
celosia.write(pl.DataFrame({{"x": [1, 2]}}), path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    celosia.write(pl.DataFrame({{"x": [i * 7919 % 1000003 / 7 for i in range(50_000)]}}), path)
except FileError as error:
    print(error.code)
    assert celosia.read(path).height == 2
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "write-failed", done
    assert not [name for name in names(tmp_path) if name.startswith(".")], "no litter"


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_at_the_end_leaves_the_old_file(tmp_path, monkeypatch, call):
    target = tmp_path / "a.txt"
    target.write_text("viejo")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(FileError, match=r"a\.txt"), atomic.writing(target) as temporary:
        temporary.write_text("nuevo")
    assert target.read_text() == "viejo"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("existed", [True, False])
def test_several_files_change_together_or_not_at_all(tmp_path, monkeypatch, existed):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    if existed:
        first.write_text("viejo a")
        second.write_text("viejo b")
    before = names(tmp_path)
    replace, calls = os.replace, []

    def second_fails(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", second_fails)
    with pytest.raises(KeyboardInterrupt), atomic.writing_all(first, second) as temporaries:
        for temporary in temporaries:
            temporary.write_text("nuevo")
    assert names(tmp_path) == before
    if existed:
        assert (first.read_text(), second.read_text()) == ("viejo a", "viejo b")


@pytest.mark.parametrize("stopped_after", [1, 2, 3])
def test_stopped_just_after_a_file_took_its_place(tmp_path, monkeypatch, stopped_after):
    targets = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    targets[0].write_text("viejo")
    replace, calls = os.replace, []

    def stop(source, target):
        replace(source, target)
        calls.append(target)
        if len(calls) == stopped_after:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt), atomic.writing_all(*targets) as temporaries:
        for temporary in temporaries:
            temporary.write_text("nuevo")
    whole = stopped_after == 3
    assert names(tmp_path) == (["a.txt", "b.txt", "c.txt"] if whole else ["a.txt"])
    assert targets[0].read_text() == ("nuevo" if whole else "viejo")


def test_permissions_of_an_old_file_are_kept(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("viejo")
    target.chmod(0o640)
    with atomic.writing(target) as temporary:
        temporary.write_text("nuevo")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileError) as caught, atomic.writing(tmp_path / "no" / "a.txt"):
        pass
    assert caught.value.code == "folder-missing"


def filled(folder, text):
    (folder / "inner").mkdir()
    (folder / "inner" / "file.txt").write_text(text)


def test_a_folder_takes_the_place_of_another(tmp_path):
    target = tmp_path / "public"
    for said in ("one", "two"):
        with writing_folder(target) as folder:
            filled(folder, said)
            assert target.exists() == (said == "two")
        assert (target / "inner" / "file.txt").read_text() == said
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_folder(tmp_path, failure):
    target = tmp_path / "public"
    with writing_folder(target) as folder:
        filled(folder, "one")
    with pytest.raises(failure), writing_folder(target) as folder:
        filled(folder, "two")
        raise failure
    assert (target / "inner" / "file.txt").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


def test_a_rename_that_fails_puts_the_old_folder_back(tmp_path, monkeypatch):
    target = tmp_path / "public"
    with writing_folder(target) as folder:
        filled(folder, "one")
    rename = Path.rename

    def second_fails(self, other):
        if self.name.endswith(".part"):
            raise OSError(5, "no")
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", second_fails)
    with refused("write-failed"), writing_folder(target) as folder:
        filled(folder, "two")
    assert (target / "inner" / "file.txt").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["public"]


def test_what_a_killed_process_left_between_two_renames_is_put_back(tmp_path):
    target = tmp_path / "public"
    old = tmp_path / ".public.old"
    old.mkdir()
    filled(old, "one")
    with pytest.raises(ValueError), writing_folder(target) as folder:
        assert (target / "inner" / "file.txt").read_text() == "one"
        filled(folder, "two")
        raise ValueError
    assert (target / "inner" / "file.txt").read_text() == "one" and not old.exists()
