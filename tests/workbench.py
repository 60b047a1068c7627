"""A workbench for whole-site tests: small courses in a temporary folder, built with a given outside world.

What the tests leave out is Node, Pyodide and the network, which `build` takes as a parameter. Everything
between a lesson's text and the files of the site is the real thing.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.build import Options, build
from sitebuilder.errors import LessonErrors
from sitebuilder.memory import Memory
from sitebuilder.model import CellRun, Lesson, Recording, Stream
from sitebuilder.notices import Notice
from sitebuilder.report import Built, Report
from sitebuilder.site import Address, Folders
from sitebuilder.trained import Model
from tests.project import ROOT

COURSE = """\
title = "A small course"
tagline = "Two lessons."
language = "en"
author = "Somebody"
licence = "CC BY 4.0"
repository = "https://github.com/Owner/repo"
"""

LESSON = """\
---
title: {title}
number: {number}
tagline: One line.
summary: A sentence about it.
---

{body}
"""

BODY = """\
## First part

```python run hello
print("hello")
```
"""


@dataclass(frozen=True, slots=True)
class GivenBundle:
    """A bundle of five empty scripts, an empty style and two fonts."""

    folder: Path
    fonts: tuple[str, ...] = (
        "serif-400-italic.woff2",
        "serif-400.woff2",
    )

    def __getitem__(self, name: str) -> str:
        stem, dot, suffix = name.rpartition(".")
        return f"{stem}-0123abcd{dot}{suffix}"

    def preloads(self, name: str) -> tuple[str, ...]:
        return ("chunk-0123abcd.js",) if name == "main.js" else ()

    def made(self) -> GivenBundle:
        self.folder.mkdir(exist_ok=True)
        for name in (
            "main.js",
            "worker.js",
            "chunk.js",
            "service-worker.js",
            "first.js",
            "embed.js",
            "main.css",
        ):
            (self.folder / self[name]).write_bytes(b"")
        for name in self.fonts:
            (self.folder / self[name]).write_bytes(bytes(20_000))
        return self


@dataclass(frozen=True, slots=True)
class GivenRuntime:
    """A runtime of one file."""

    folder: Path
    digest: str = "0123456789ab"

    def manifest(self, entries: Iterable[str] = (), /) -> Mapping[str, Any]:
        return {"python": "3.14", "files": [], "archives": [], "packages": list(entries), "wheels": []}

    def size_on_wire(self, entries: Iterable[str] = (), /) -> int:
        return 1_000_000 + len(list(entries))

    def made(self) -> GivenRuntime:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "pyodide.asm.wasm").write_bytes(b"\0asm")
        return self


@dataclass(frozen=True, slots=True)
class GivenWorld:
    """What a build asks of the outside: every cell prints its name, unless `runs` says otherwise."""

    folder: Path
    runs: Mapping[str, CellRun] = field(default_factory=dict)
    raises: Sequence[LessonErrors] = ()

    def bundle(self) -> GivenBundle:
        return GivenBundle(self.folder / "bundle").made()

    def typeset(self, lessons: Sequence[Lesson]) -> Mapping[tuple[str, bool], str]:
        formulas = [formula for lesson in lessons for formula in lesson.formulas]
        return {(f.tex, f.display): f"<math><mi>{len(f.tex)}</mi></math>" for f in formulas}

    def math_font(self, mathml: Iterable[str]) -> Path | None:
        font = self.folder / "0123456789abcdef.woff2"
        if not list(mathml):
            return None
        font.write_bytes(b"wOF2")
        return font

    def runtime(self, lessons: Sequence[Lesson]) -> GivenRuntime:
        del lessons
        return GivenRuntime(self.folder / "runtime").made()

    def models(self, lessons: Sequence[Lesson]) -> Sequence[Model]:
        del lessons
        return ()

    def execute(
        self, lessons: Sequence[Lesson], runtime: GivenRuntime, models: Sequence[Model]
    ) -> Mapping[str, Recording]:
        del runtime, models
        for errors in self.raises:
            raise errors
        return {
            lesson.slug: {cell.name: self._run(cell.name) for cell in lesson.cells("run")}
            for lesson in lessons
        }

    def notices(self, runtime: GivenRuntime, models: Sequence[Model]) -> Sequence[Notice]:
        del runtime, models
        return [Notice("Pyodide", "1.0", "MPL-2.0", "Python", "https://example.org/", ("The licence.\n",))]

    def unreachable(self, addresses: Collection[str]) -> Mapping[str, str]:
        return {address: "there is no such page" for address in addresses if "dead" in address}

    def _run(self, name: str) -> CellRun:
        return self.runs.get(name) or CellRun(name, (Stream("stdout", f"{name}\n"),))


@dataclass(frozen=True, slots=True)
class Bench:
    """A course below `folder`, and the site that is built from it."""

    folder: Path

    @property
    def lessons(self) -> Path:
        return self.folder / "lessons"

    @property
    def out(self) -> Path:
        return self.folder / "dist"

    def write(self, files: Mapping[str, str]) -> None:
        """Write sources below lessons/, by path."""
        for name, text in {"course.toml": COURSE, **files}.items():
            path = self.lessons / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def build(
        self,
        *,
        base: str | None = None,
        url: str | None = None,
        check: bool = False,
        runs: Mapping[str, CellRun] | None = None,
        raises: Sequence[LessonErrors] = (),
        out: Path | None = None,
        templates: Path = ROOT / "templates",
        static: Path = ROOT / "static",
        memory: Memory | None = None,
        external: bool = False,
    ) -> Built:
        world = self.folder / "world"
        world.mkdir(exist_ok=True)
        silent = Console(file=io.StringIO())
        folders = Folders(self.folder, self.lessons, templates, static, ROOT / "py")
        options = Options(folders, Address.read(url, base), None if check else out or self.out, external)
        return build(options, GivenWorld(world, runs or {}, raises), Report(silent, silent), memory)

    def page(self, path: str) -> str:
        return (self.out / path).read_text(encoding="utf-8")

    def site(self) -> dict[str, bytes]:
        """The built site: every file by its path."""
        files = (file for file in self.out.rglob("*") if file.is_file())
        return {file.relative_to(self.out).as_posix(): file.read_bytes() for file in files}


def lesson(number: int, body: str = BODY, title: str = "A title") -> str:
    """A lesson's source."""
    return LESSON.format(number=number, body=body, title=title)


def two_lessons() -> dict[str, str]:
    """Sources of a course of two lessons that link to each other."""
    see = "\nSee [the next](../02-second/#details) and [above](#first-part).\n"
    return {
        "01-first/lesson.md": lesson(1, BODY + see),
        "02-second/lesson.md": lesson(2, "## Details\n\nBack to [the first](../01-first/).\n"),
    }
