"""Files of a lesson that are too large for its first Run: fetched when a program asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from lectern.streams import current_outbox

Read = Callable[[str], bytes]
"""Returns the content of a file of the site, by its path from the runtime's folder; or raises."""


def _nowhere(path: str) -> bytes:
    raise OSError(f"there is no site to fetch {path} from")


_read: Read = _nowhere


def read_with(read: Read) -> None:
    """Say how files come: the bridge gives the worker's own way, a test a folder."""
    global _read
    _read = read


_REMEDY = "reload the page: the site may have been published again."


class NotServed(LookupError):
    """This copy of the course was built without the files."""


class Fetched:
    """The files that an index beside the lesson names, with size and SHA-256 (sitebuilder/models.py)."""

    def __init__(self, index: str | Path) -> None:
        content = Path(index).read_bytes()
        about = json.loads(content)
        self.name: str = about["model"]
        self._folder = f"../{_sha256(content)[:12]}/"
        self._files: dict[str, tuple[int, str]] = about["files"]
        if not self._files:
            raise NotServed(
                f"This copy of the course was built without {self.name}, so this cell cannot run here. "
                "It runs where the course is published with it."
            )

    def names(self, beginning: str) -> list[str]:
        """The names that begin so, in order."""
        return sorted(name for name in self._files if name.startswith(beginning))

    def read(self, *names: str) -> bytes:
        """The content of these files, one after the other; see `each`."""
        return b"".join(self.each(*names))

    def each(self, *names: str) -> Iterator[bytes]:
        """The content of one file after the other, as it comes. The page shows how much of all has come.

        Raises ConnectionError with a sentence: what did not come, and what to do.
        """
        total = sum(self._files[name][0] for name in names)
        loaded = 0
        outbox = current_outbox()
        for name in names:
            if outbox:
                outbox.fetching(loaded, total)
            content = self._checked(name)
            loaded += len(content)
            yield content
        if outbox and names:
            outbox.fetching(total, total)

    def _checked(self, name: str) -> bytes:
        """What comes damaged is asked for once more, by an address that no cache has an answer to."""
        for path in (self._folder + name, f"{self._folder}{name}?anew"):
            try:
                content = _read(path)
            except Exception as error:
                reason = str(error).removeprefix("Error: ")  # of JavaScript
                raise ConnectionError(
                    f"{name} of {self.name} could not be fetched ({reason}). Check the connection, then run "
                    f"the cell again. If it fails again, {_REMEDY}"
                ) from None
            if _sha256(content) == self._files[name][1]:
                return content
        raise ConnectionError(f"{name} of {self.name} arrived damaged, twice. To have it anew, {_REMEDY}")


def _sha256(content: bytes) -> str:
    from hashlib import sha256  # every start would wait for it, and few lessons fetch anything

    return sha256(content).hexdigest()
