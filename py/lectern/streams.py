"""The way out of a running cell: one outbox per run that orders, batches and caps its messages.

A program's first lines leave at once. A flood is sent in batches, and after a limit is not sent at all, so no
program can freeze the page that shows its output.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Literal

StreamName = Literal["stdout", "stderr"]
Emit = Callable[[dict[str, Any]], None]
Ask = Callable[[str], str]
"""Waits for the reader's answer to a prompt. Raises EOFError, with a sentence, where nobody can be asked."""

MAX_CHARACTERS = 256_000
MAX_LINES = 4_000
"""What the page shows whole (static/js/lines.js), so that what this notice says is what the reader sees."""
MAX_DISPLAYS = 12

# The rhythm of messages. No timer fires while Python computes, so what is held back waits for the next write.
# Hence the generous allowance: a program that prints a line per step shows each line at once.
ALLOWANCE = 200  # messages that may leave at once
REFILL = 50  # per second
BATCH_CHARACTERS = 8_192
BATCH_SECONDS = 0.05
REDRAW_SECONDS = 0.2  # between two states of a picture that grows while a cell computes: the page draws each

NOTICE = (
    f"[Output ends here: one run shows at most {MAX_LINES:,} lines or {MAX_CHARACTERS:,} characters. "
    "The cell itself goes on.]\n"
)
DISPLAY_NOTICE = f"[No more figures: one run shows at most {MAX_DISPLAYS}. The cell itself goes on.]\n"
READ_REFUSED = (
    "input() cannot ask here: this browser cannot pause a cell while it runs. "
    'Assign the value in the code instead, for example: name = "Ada"'
)


class Outbox:
    """The messages of one run, in order. `emit` receives dicts as typed in static/js/protocol.js."""

    def __init__(self, emit: Emit, run_id: int, clock: Callable[[], float] = monotonic) -> None:
        self._emit, self._id, self._clock = emit, run_id, clock
        self._name: StreamName = "stdout"
        self._pending: list[str] = []
        self._size = 0
        self._since = 0.0  # when the oldest pending text came
        self._allowance, self._refilled = float(ALLOWANCE), clock()
        self._characters, self._lines, self._displays = MAX_CHARACTERS, MAX_LINES, MAX_DISPLAYS
        self._late: dict[str, tuple[str, Any]] = {}  # pictures not yet sent, by key
        self._keys: set[str] = set()
        self._redrawn = -REDRAW_SECONDS
        self._open, self._full, self._at_line_start = True, False, True

    def write(self, name: StreamName, text: str) -> None:
        """Take text of the stream `name`: it leaves now, with a later batch or, beyond the limit, never."""
        if not text or not self._open or self._full:
            return
        kept = self._within_limits(text)
        self._append(name, kept)
        if len(kept) < len(text):
            self._full = True
            self._append("stderr", NOTICE if self._at_line_start else "\n" + NOTICE)
            self.flush()
        elif (
            self._size >= BATCH_CHARACTERS
            or self._clock() - self._since >= BATCH_SECONDS
            or ("\n" in kept and self._may_leave_now())
        ):
            self.flush()

    def display(self, mime: str, data: Any, buffers: Sequence[Any] = (), *, key: str | None = None) -> None:
        """Send a display, after all text that was written before it; `buffers` are arrays beside its data."""
        if not self._open or self._displays < 0:
            return
        self._displays -= 1
        if self._displays < 0:
            self._append("stderr", DISPLAY_NOTICE)
        self.flush()
        if self._displays >= 0:
            message = {"type": "display", "id": self._id, "mime": mime, "data": data}
            beside = ({} if key is None else {"key": key}) | ({"buffers": [*buffers]} if buffers else {})
            self._emit(message | beside)

    def redraw(self, mime: str, data: Any, key: str) -> None:
        """Send a picture that replaces this run's last one of the same `key`; soon, if one has just left."""
        if self._open:
            self._late[key] = (mime, data)
            if self._clock() - self._redrawn >= REDRAW_SECONDS:
                self._send_late()

    def fetching(self, loaded: int, total: int) -> None:
        """Tell how many bytes of what the cell waits for have come."""
        if self._open:
            self._emit({"type": "fetching", "id": self._id, "loaded": loaded, "total": total})

    def _send_late(self) -> None:
        late, self._late = self._late, {}
        for key, (mime, data) in late.items():
            self._displays += key in self._keys  # the place of the one that it replaces
            self._keys.add(key)
            self.display(mime, data, key=key)
        self._redrawn = self._clock()

    def hurry(self) -> None:
        """The program asked for a flush: grant it while the rate is low."""
        if self._pending and self._may_leave_now():
            self.flush()

    def flush(self) -> None:
        """Send all pending text now."""
        if self._pending:
            text = "".join(self._pending)
            self._pending, self._size = [], 0
            self._emit({"type": "stream", "id": self._id, "name": self._name, "text": text})

    def close(self) -> None:
        """Send what is pending; whatever comes later is dropped."""
        self._send_late()
        self.flush()
        self._open = False

    def _append(self, name: StreamName, text: str) -> None:
        if not text:
            return
        if name != self._name:
            self.flush()
            self._name = name
        self._at_line_start = text.endswith("\n")
        if not self._pending:
            self._since = self._clock()
        self._pending.append(text)
        self._size += len(text)

    def _within_limits(self, text: str) -> str:
        """The part of `text` that may still be shown, counted against the limits."""
        if self._lines == 0:
            return ""
        kept = text[: self._characters]
        newlines = kept.count("\n")
        if newlines > self._lines:
            kept = "".join(line + "\n" for line in kept.split("\n", self._lines)[: self._lines])
            newlines = self._lines
        self._characters -= len(kept)
        self._lines -= newlines
        return kept

    def _may_leave_now(self) -> bool:
        now = self._clock()
        self._allowance = min(ALLOWANCE, self._allowance + (now - self._refilled) * REFILL)
        self._refilled = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True


_current: Outbox | None = None


@contextmanager
def delivering_to(outbox: Outbox) -> Iterator[None]:
    """While this lasts, `outbox` is where the cell's streams and displays go; it is closed at the end."""
    global _current  # one cell runs at a time, and student code must reach its outbox without being handed it
    _current = outbox
    try:
        yield
    finally:
        _current = None
        outbox.close()


def current_outbox() -> Outbox | None:
    """The outbox of the cell that is running, if one is."""
    return _current


class CellStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of every cell.

    It lives as long as the runner: loggers and leftover tasks of an earlier cell may hold it. They write to
    the cell that is running, and between runs to nothing.
    """

    encoding = "utf-8"
    errors = "surrogatepass"

    def __init__(self, name: StreamName) -> None:
        self.name = f"<{name}>"
        self._stream: StreamName = name

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if _current:
            _current.write(self._stream, str.__str__(text))  # a plain str, whatever a subclass overrides
        return len(text)

    def flush(self) -> None:
        if _current:
            _current.hurry()

    def close(self) -> None:
        """A student who closes stdout loses nothing."""


class CellInput(io.TextIOBase):
    """`sys.stdin` of every cell: one line per answer, from the reader where the browser can wait for them."""

    ask: Ask | None = None  # of the run in hand

    def question(self, prompt: str) -> str:
        """The reader's answer. Both are left in the output, as a terminal leaves them."""
        if self.ask is None:
            raise EOFError(READ_REFUSED)
        if _current:
            _current.flush()
        answer = self.ask(prompt)
        if _current:
            _current.write("stdout", f"{prompt}{answer}\n")
        return answer

    def readable(self) -> bool:
        return True

    def read(self, _size: int | None = -1, /) -> str:
        raise EOFError("sys.stdin has no end here. Read one line with input() or sys.stdin.readline().")

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]
        return self.question("") + "\n"

    def close(self) -> None:
        """Closing it changes nothing for the next cell."""
