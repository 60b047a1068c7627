"""Begin a lesson: a small whole one that passes `check`, with comments that teach the format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import yaml

from sitebuilder.cache import scratch
from sitebuilder.course import read_course
from sitebuilder.errors import BuildError
from sitebuilder.faults import decode_source
from sitebuilder.site import COURSE, SLUG, Folders, lesson_folders

_TEXT = Path(__file__).with_name("new-lesson.md")

_SELDOM = {
    "figure": """
<!-- A figure has a name and a caption, and holds a table, formula or picture: `![what it shows](shapes.svg)`,
     with the file beside this one. -->

::: figure numbers The numbers and their sum
| $x_1$ | $x_2$ | $x_3$ | sum |
|---|---|---|---|
| 2 | 4 | 9 | 15 |
:::
""",
    "read": """
<!-- A `read` cell is shown and never run in the page: for packages that do not fit into a browser. -->

```python read in-torch
torch.tensor([2.0, 4.0, 9.0]).mean()
```
""",
    "tip": "\n::: tip\nWhat makes it easier.\n:::\n",
    "warning": "\n::: warning\nWhat can be lost.\n:::\n",
    "pitfall": "\n::: pitfall\nWhat people get wrong here, and why.\n:::\n",
}
"""What a new lesson holds only in a course that requires it of every lesson."""


def new_lesson(folders: Folders, name: str, title: str | None = None) -> Path:
    """Make the lesson `name` (NN-slug), complete or not at all; returns its lesson.md.

    Without `title` the slug's words are the title. Raises BuildError if the name is none, or is taken.
    """
    taken = {folder.name: _number(folder.name) for folder in lesson_folders(folders.lessons)}
    if not SLUG.fullmatch(name):
        raise BuildError(f"{name or '“”'} cannot be a lesson's name; {_better(name, taken)}")
    number = int(name.partition("-")[0])
    target = folders.lessons / name
    if target.exists():
        raise BuildError(f"{folders.shown(target)} is there already; choose another name.")
    for other, its_number in taken.items():
        if its_number == number:
            free = f"{_free(taken)}-{name.partition('-')[2]}"
            raise BuildError(f"Number {number} is taken by {other}; try {free}, or renumber the other one.")
    words = " ".join((title if title is not None else _words(name)).split())
    if not words:
        raise BuildError("The title is empty; write one after --title, or leave it out.")
    with scratch(folders.lessons) as work:
        made = work / name
        made.mkdir()
        (made / "lesson.md").write_text(_text(folders, number, words), encoding="utf-8", newline="\n")
        made.rename(target)
    return target / "lesson.md"


def _text(folders: Folders, number: int, title: str) -> str:
    """The source of the new lesson, with what the course requires of every lesson."""
    in_yaml = yaml.safe_dump(title, allow_unicode=True, width=10**6).removesuffix("...\n").strip()
    text = _TEXT.read_text(encoding="utf-8")
    text = text.replace("{{title}}", in_yaml).replace("{{number}}", str(number))
    settings = folders.lessons / COURSE
    if settings.is_file():  # that it is missing is told by `check`
        shown = folders.shown(settings)
        course = read_course(decode_source(settings.read_bytes(), shown), shown)
        text += "".join(more for part, more in _SELDOM.items() if part in course.required)
    return text


def _number(folder: str) -> int | None:
    """The number that a lesson's folder begins with."""
    digits = re.match(r"[0-9]+", folder)
    return int(digits[0]) if digits else None


def _free(taken: Mapping[str, int | None]) -> str:
    """The first number after all that are taken, as folders carry it."""
    return f"{max((number for number in taken.values() if number is not None), default=0) + 1:02}"


def _words(name: str) -> str:
    """`32-positional-encoding` as a title: Positional encoding."""
    words = name.partition("-")[2].replace("-", " ")
    return words[0].upper() + words[1:]


def _better(name: str, taken: Mapping[str, int | None]) -> str:
    """A remedy for a name that is none: the nearest one that is."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if not re.match(r"[0-9]+(-|$)", slug):
        slug = f"{_free(taken)}-{slug}".rstrip("-")
    if SLUG.fullmatch(slug):
        return f"did you mean {slug}?"
    return "write a number, then lower-case words joined by -, as in 32-positional-encoding."
