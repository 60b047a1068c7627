"""One clear line for every step that takes more than a second; a bar where the terminal can redraw it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

MB = 1_000_000
_PLAIN_INTERVAL = 10.0
"""Seconds between two lines in a log that cannot redraw: enough to see that it lives, few enough to read."""


def say(console: Console, text: str) -> None:
    """Print one line as it is: no markup, no wrapping, no colouring of numbers."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def waiting_for_another(console: Console) -> Callable[[], None]:
    """What to say while `cache.alone` waits."""
    return lambda: say(console, "Another build is fetching the same files; waiting for it")


@contextmanager
def meter(console: Console, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how far a download of about `total` bytes is; yields a function that takes the bytes so far."""
    if console.is_terminal:
        label = TextColumn("{task.description}", markup=False)
        with Progress(label, BarColumn(), DownloadColumn(), TransferSpeedColumn(), console=console) as bars:
            task = bars.add_task(what, total=total)
            yield lambda done: bars.update(task, completed=done)
        return
    say(console, f"{what}, {total / MB:.0f} MB" if total >= MB else what)
    last = time.monotonic()

    def plain(done: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_INTERVAL:
            last = time.monotonic()
            say(console, f"  {done / MB:.0f} of {total / MB:.0f} MB")

    yield plain
