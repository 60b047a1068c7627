"""Ask other sites whether the addresses that lessons link to still lead somewhere (`check --external`)."""

from __future__ import annotations

import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

_AT_ONCE = 16
_SECONDS = 10.0
_GONE = {404: "there is no such page", 410: "the page was taken away"}
_REFUSES_HEAD = frozenset({400, 403, 404, 405, 406, 501, 503})
"""Some hosts answer so to HEAD, or to programs, about pages that a browser gets; GET decides."""

# Some hosts turn away programs that do not name themselves.
_HEADERS = {"User-Agent": "Lectern link check (urllib)", "Accept": "text/html,*/*"}


def unreachable(addresses: Collection[str], seconds: float = _SECONDS) -> Mapping[str, str]:
    """Why each dead one of these web addresses is dead, as a clause; all are asked side by side.

    A host that answers anything but 404 and 410 is there: what it thinks of programs is not the reader's
    trouble. `seconds` is the time for one answer.
    """
    asked = sorted(set(addresses))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda address: _why_dead(address, seconds), asked)
    return {address: why for address, why in zip(asked, answers, strict=True) if why}


def _why_dead(address: str, seconds: float) -> str:
    """A clause, or "" for an address that answers."""
    address = f"https:{address}" if address.startswith("//") else address
    status, why = _ask(address, "HEAD", seconds)
    if why or status in _REFUSES_HEAD:
        status, why = _ask(address, "GET", seconds)
    return why or _GONE.get(status, "")


def _ask(address: str, method: str, seconds: float) -> tuple[int, str]:
    """The status of the answer, or why there is none."""
    try:
        request = urllib.request.Request(address, headers=_HEADERS, method=method)
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, ""
    except (OSError, HTTPException, ValueError) as error:
        return 0, _explain(getattr(error, "reason", error), seconds)


def _explain(reason: object, seconds: float) -> str:
    match reason:
        case TimeoutError():
            return f"the host did not answer within {seconds:g} s"
        case socket.gaierror():
            return "no host has this name"
        case ssl.SSLError():
            return "the host cannot prove who it is (its certificate is not accepted)"
        case ConnectionError():
            return "the host refuses the connection"
        case _:
            return f"no answer ({' '.join(str(reason).split())})"
