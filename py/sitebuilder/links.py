"""Follow every internal link of the finished pages, so that no reader meets a dead one."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from urllib.parse import unquote, urlsplit

from sitebuilder.markup import Tag

_TARGET_ATTRIBUTES = frozenset({"href", "src", "poster", "action"})
_ELSEWHERE = ("http:", "https:", "mailto:", "tel:", "data:", "//")


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What one page offers and asks for: its ids (with repetitions), and its link targets as written."""

    ids: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A link on `page` that leads nowhere. `reason` is a clause: "there is no page …"."""

    page: str
    target: str
    reason: str
    remedy: str


def read_links(found: Iterable[Tag]) -> PageLinks:
    """The ids and link targets of a page with these tags, in document order."""
    ids: list[str] = []
    targets: list[str] = []
    for tag in found:
        for name, value in tag.attributes.items():
            if name == "id":
                ids.append(value)
            elif name in _TARGET_ATTRIBUTES and (value or name != "action"):
                targets.append(value)
            elif name == "srcset":
                targets += [part.split()[0] for part in value.split(",") if part.strip()]
    return PageLinks(tuple(ids), tuple(targets))


def dead_links(
    pages: Mapping[str, PageLinks],
    files: Collection[str],
    *,
    base: str = "/",
    read: Mapping[str, PageLinks] | None = None,
) -> Iterator[DeadLink]:
    """Every internal link of `pages` (by path in the site) that no page, file or anchor answers.

    `files` are the paths of everything in the site; `base` is the path that absolute links begin with; `read`
    are the pages whose ids are known, `pages` themselves unless given.
    """
    known = frozenset(files) | frozenset(pages)
    read = pages if read is None else read
    for page, links in pages.items():
        for target in dict.fromkeys(links.targets):
            if target.startswith(_ELSEWHERE):
                continue
            fault = _fault(page, target, base, known, read)
            if fault:
                yield DeadLink(page, target, *fault)


def repeated_ids(pages: Mapping[str, PageLinks]) -> Iterator[tuple[str, str]]:
    """Each (page, id) for an id that two elements of a page share: a link to it would be ambiguous."""
    for page, links in pages.items():
        yield from ((page, id) for id, count in Counter(links.ids).items() if count > 1)


def _fault(
    page: str, target: str, base: str, known: Collection[str], read: Mapping[str, PageLinks]
) -> tuple[str, str] | None:
    parts = urlsplit(target)
    path, anchor = unquote(parts.path), unquote(parts.fragment)
    if path.startswith("/"):
        if not path.startswith(base):
            return f"leads out of the site, which lies under {base}", "start the link with ../"
        path = path.removeprefix(base)
    elif path:
        path = posixpath.join(posixpath.dirname(page), path)
    else:
        path = page
    found = _resolve(path, known)
    if found is None:
        return _missing(target, known)
    if anchor and anchor != "top" and found in read and anchor not in read[found].ids:
        return f"nothing on that page has the id “{anchor}”", _nearest(anchor, read[found].ids)
    return None


def _resolve(path: str, known: Collection[str]) -> str | None:
    """The file that a static host answers with, or None."""
    clean = posixpath.normpath(path) if path else "."
    if clean.startswith(".."):
        return None
    if path.endswith("/") or clean == ".":
        clean = posixpath.normpath(posixpath.join(clean, "index.html"))
    return clean if clean in known else None


def _missing(target: str, known: Collection[str]) -> tuple[str, str]:
    name = urlsplit(target).path
    if name.endswith("lesson.md"):
        return "readers have no lesson.md", f"link to its page: {name.removesuffix('lesson.md')}"
    folder = posixpath.basename(name.rstrip("/"))
    if any(path.startswith(f"{folder}/") for path in known) and not name.endswith("/"):
        return "a link to a page ends in /", f"write {name}/"
    pages = (path.removesuffix("/index.html") for path in known if path.endswith("/index.html"))
    slugs = sorted(page for page in pages if page[0].isdigit())
    hint = _nearest(folder, slugs, "../{}/") if not posixpath.splitext(name)[1] else ""
    return "it leads to nothing", hint or "correct the path, or add the file to the lesson's folder"


def _nearest(wanted: str, names: Collection[str], form: str = "#{}") -> str:
    close = get_close_matches(wanted, list(names), n=1, cutoff=0.5)
    return f"did you mean {form.format(close[0])}?" if close else "correct it or take the link out"
