"""Files of a lesson that are too large for its first Run: fetched when a program asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
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


class NotServed(LookupError):
    """This copy of the course was built without the files."""


class Fetched:
    """The files that an index beside the lesson names, with size and SHA-256 (sitebuilder/models.py)."""

    def __init__(self, index: str | Path) -> None:
        content = Path(index).read_bytes()
        about = json.loads(content)
        self.name: str = about["model"]
        self._folder = f"../{sha256(content).hexdigest()[:12]}/"
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
        """The content of these files, one after the other. The page shows how much of it has come.

        Raises ConnectionError with a sentence: what did not come, and what to do.
        """
        total = sum(self._files[name][0] for name in names)
        content = bytearray()
        outbox = current_outbox()
        for name in names:
            if outbox:
                outbox.fetching(len(content), total)
            content += self._checked(name)
        if outbox:
            outbox.fetching(total, total)
        return bytes(content)

    def _checked(self, name: str) -> bytes:
        try:
            content = _read(self._folder + name)
        except Exception as error:
            problem = f"{name} of {self.name} could not be fetched ({error})"
            raise ConnectionError(f"{problem}. Check the connection, then run the cell again.") from None
        if sha256(content).hexdigest() != self._files[name][1]:
            remedy = "Reload the page: the site may have been published anew."
            raise ConnectionError(f"{name} of {self.name} arrived damaged. {remedy}")
        return content
