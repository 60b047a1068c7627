"""The text of a stream as the page will show it: the rule of static/js/lines.js, for recorded output."""

from __future__ import annotations

from array import array


def as_shown(text: str) -> str:
    """The same text as in a terminal: "\\r" goes back to the start of its line, what is longer stays.

    Columns are counted in UTF-16, as JavaScript counts them.
    """
    if "\r" not in text:
        return text
    units = array("H", text.encode("utf-16-le", "surrogatepass"))
    lines = "".join(map(chr, units)).split("\n")
    shown = array("H", map(ord, "\n".join(map(_overwritten, lines))))
    return shown.tobytes().decode("utf-16-le", "surrogatepass")


def _overwritten(line: str) -> str:
    seen = ""
    for part in reversed(line.split("\r")):  # the last one wins, the ones before stick out
        seen += part[len(seen) :]
    return seen


def well_formed(text: str) -> str:
    """The same text as a browser shows it: half a surrogate pair, which UTF-8 cannot hold, becomes \ufffd."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
