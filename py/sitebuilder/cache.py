"""The user's cache folder, and how files get into it: whole or not at all, though two builds run at once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import platformdirs


def cache_folder() -> Path:
    """Where this user's builds keep what they need again; the variable LECTERN_CACHE overrules the system."""
    chosen = os.environ.get("LECTERN_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("lectern", appauthor=False)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sha256_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest(value: Any) -> str:
    """The SHA-256 of a JSON value, the same for equal values."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


@contextlib.contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A fresh folder inside `parent` (so that a rename from it is atomic), removed at the end."""
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part."""
    with scratch(file.parent) as folder:
        (folder / file.name).write_bytes(data)
        (folder / file.name).replace(file)


def write_json(file: Path, value: Any) -> None:
    """Write JSON in ASCII: a student's program may print half a surrogate pair, which UTF-8 cannot hold."""
    write_whole(file, json.dumps(value).encode())


def read_json(file: Path) -> Any:
    """The JSON in a cached file; None if it is missing or damaged, because a cache can be made again."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None


def folder_made_once(final: Path, make: Callable[[Path], None], *, sound: Callable[[Path], bool]) -> Path:
    """The folder `final`: as it is if `sound`, else made by `make` in a scratch folder and moved there."""
    if final.is_dir() and sound(final):
        os.utime(final)  # `keep_newest` goes by last use
        return final
    with scratch(final.parent) as work:
        make(fresh := work / "fresh")
        if final.is_dir():
            if sound(final):  # another build was faster
                return final
            final.rename(work / "damaged")
        try:
            fresh.rename(final)
        except OSError:
            if not (final.is_dir() and sound(final)):
                raise
    return final


def keep_newest(parent: Path, count: int) -> None:
    """Drop all but the `count` most recently used entries; old content hashes are never asked for again."""
    entries = {}
    for entry in parent.iterdir():
        with contextlib.suppress(OSError):  # another build dropped it
            if not entry.name.startswith("."):
                entries[entry] = entry.stat().st_mtime
    for entry in sorted(entries, key=entries.__getitem__, reverse=True)[count:]:
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


@contextlib.contextmanager
def alone(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Let one build at a time through, so that two do not fetch the same 100 MB.

    `waiting` is called once if this one must wait. The system releases the lock when a process dies. Where
    there are no locks (some network drives), both go on: writes are atomic, so the second only repeats work.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as stream:
        if not _lock(stream, wait=False):
            waiting()
            _lock(stream, wait=True)
        yield


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(stream: IO[bytes], *, wait: bool) -> bool:
        while True:
            try:
                stream.seek(0)
                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(0.2)

else:
    import fcntl

    def _lock(stream: IO[bytes], *, wait: bool) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True
