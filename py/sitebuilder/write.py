"""Put a finished site on disk, all of it or nothing: the only module that changes the output folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sitebuilder.errors import BuildError

Content = str | bytes | Path
"""Text, bytes, or a file to be copied. Never linked: an edit in the output folder would change the cache."""

MARK = ".nojekyll"
"""Every site we write holds this file, so a folder without it is somebody else's and is left alone."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a site on disk holds: for each file what it was made from, and how to know that it still does."""

    files: Mapping[str, object]
    mark: object

    @classmethod
    def of(cls, out: Path, files: Mapping[str, Content]) -> Written:
        return cls({name: _version(content) for name, content in files.items()}, _version(out / MARK))


def write_site(out: Path, files: Mapping[str, Content], before: Written | None = None) -> Written:
    """Have the folder `out` hold exactly `files` (paths below `out`, with forward slashes).

    The new site is completed beside the old one and then takes its name, so a killed or failed run leaves
    the old site as it was. If the folder still is what this process wrote `before`, only what differs is
    written, each file whole. Raises BuildError if `out` is not a folder that this program wrote, or if the
    system refuses.
    """
    refuse_foreign_folder(out)
    if before and (out / MARK).is_file() and before.mark == _version(out / MARK):
        _renew(out, files, before)
    else:
        _replace(out, files)
    return Written.of(out, files)


def _renew(out: Path, files: Mapping[str, Content], before: Written) -> None:
    try:
        for name, content in files.items():
            if name not in before.files or before.files[name] != _version(content):
                part = out / f"{name}.part"
                _put(part, content)
                part.replace(out / name)
        for name in before.files.keys() - files.keys():
            (out / name).unlink(missing_ok=True)
            _remove_empty((out / name).parent, out)
    except OSError as error:
        raise _refused(out, error) from error


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _replace(out: Path, files: Mapping[str, Content]) -> None:
    new, old = _beside(out, "new"), _beside(out, "old")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        clean_up(out)
        for name, content in files.items():
            _put(new / name, content)
        if out.exists():
            out.rename(old)
        new.rename(out)
    except BaseException as error:  # Ctrl-C and our own mistakes leave nothing behind either
        if old.exists() and not out.exists():
            old.rename(out)
        shutil.rmtree(new, ignore_errors=True)
        if isinstance(error, OSError):
            raise _refused(out, error) from error
        raise
    shutil.rmtree(old, ignore_errors=True)


def _refused(out: Path, error: OSError) -> BuildError:
    return BuildError(f"Could not write {out}: {error}. Choose another folder with --out.")


def _version(content: Content) -> object:
    """Differs when the content does; of a file that is its place, time and size."""
    if not isinstance(content, Path):
        return content
    seen = content.stat()
    return content, seen.st_ino, seen.st_mtime_ns, seen.st_size


def clean_up(out: Path) -> None:
    """Remove what a killed run left beside `out`; bring the old site back if it was killed in mid-swap."""
    for left in sorted(out.parent.glob(f".{out.name}.*-*")):
        kind, _, pid = left.name.removeprefix(f".{out.name}.").partition("-")
        if kind not in ("new", "old") or not pid.isdigit() or _alive(int(pid)):
            continue
        if kind == "old" and not out.exists():
            left.rename(out)
        else:
            shutil.rmtree(left, ignore_errors=True)


def refuse_foreign_folder(out: Path) -> None:
    """Raise BuildError if `out` exists and is anything but a site that we wrote, or cannot be a folder."""
    for path in (out, *out.parents):
        if os.path.lexists(path) and not path.is_dir():
            raise BuildError(f"{path} is not a folder; choose another folder with --out.")
    try:
        ours = (out / MARK).is_file() and not (out / ".git").exists()  # a checkout of a site is more than one
        foreign = out.is_dir() and any(out.iterdir()) and not ours
    except OSError as error:
        raise BuildError(f"Could not look into {out}: {error}. Choose another folder with --out.") from error
    if foreign:
        raise BuildError(
            f"{out} holds files that are not a built site and would be lost; "
            f"choose another folder with --out, or empty this one."
        )


def _put(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="\n")
    else:
        shutil.copyfile(content, path)


def _beside(out: Path, kind: str) -> Path:
    return out.parent / f".{out.name}.{kind}-{os.getpid()}"


def _alive(pid: int) -> bool:
    """Whether another build with this process id may still be at work."""
    if pid == os.getpid():
        return False
    if os.name == "nt":  # there os.kill would end the process instead of asking after it
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
