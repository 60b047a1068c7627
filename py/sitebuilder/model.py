"""What a lesson is, once read: frozen data that knows nothing of files, HTML or Python's runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal, get_args

from markdown_it.token import Token

CellRole = Literal["setup", "run", "read", "exercise", "check", "solution"]
"""`setup` is hidden and runs first; `run` is shown and editable; `read` is shown, never run in the page.

`exercise` is what a student starts from; its `check` and `solution` stand nowhere in the page's text.
"""

SectionKind = Literal[
    "without", "takeaways", "where-used", "removed", "note", "tip", "warning", "pitfall", "figure"
]

Audience = Literal["students", "instructors"]
"""Whom a lesson is for. Those for instructors stand apart on the front page and between no two lessons."""

PLACED_ROLES: tuple[CellRole, ...] = ("setup", "run", "read", "exercise")
"""Those of cells that have a place of their own in a lesson."""

ASIDE_KINDS: tuple[SectionKind, ...] = ("note", "tip", "warning", "pitfall")
"""Those that stand beside the text: where they help, and in no lesson because it must have one."""

SECTION_KINDS: tuple[SectionKind, ...] = get_args(SectionKind)


@dataclass(frozen=True, slots=True)
class Formula:
    """A piece of TeX as it stands in a source. `line` and `column` (0: unknown) count from 1 in the file."""

    tex: str
    display: bool
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of a lesson. `src` is as in the page (percent-encoded), relative to the lesson's folder.

    `column` is that of `src` in its line, 0 if it is not known.
    """

    src: str
    alt: str
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a lesson, `href` as in the page and as the author wrote it; `line` and `column` (0: unknown)
    are where to mend it.
    """

    href: str
    written: str
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of a reference by its key; `line` and `column` (0: unknown) are where it stands."""

    key: str
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """What lessons cite: an entry of `lessons/references.toml`. `label` is how the text names it."""

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    url: str
    venue: str
    label: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Markdown:
    """Parsed Markdown. It stays a token list until render time, when formulas become MathML.

    Compared and hashed by identity: tokens are mutable, and sections that hold them serve as dictionary keys.
    """

    tokens: tuple[Token, ...]
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One block of code with a role and a name; `line` is that of its first line of code."""

    role: CellRole
    name: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: `text` is inline Markdown, `feedback` holds paragraphs."""

    text: Markdown
    correct: bool
    feedback: Markdown


@dataclass(frozen=True, slots=True)
class Quiz:
    """A question with exactly one right answer; every answer has feedback of its own."""

    name: str
    question: Markdown
    choices: tuple[Choice, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer that students give, and the feedback it must receive; `line` as in `Cell`."""

    source: str
    promise: str
    line: int


@dataclass(frozen=True, slots=True)
class Exercise:
    """A task in code. The starter stands in the page; its check fails it, passes the solution, and tells each
    mistake what was promised. Hints are in the order in which they open. `line` is that of the first fence.
    """

    name: str
    starter: Cell
    check: Cell
    solution: Cell
    mistakes: tuple[Mistake, ...]
    hints: tuple[Markdown, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """A `::: kind` block. Figures have a name (`::: figure shapes Title`), the others may have a title only.

    `name` is empty for all but figures; `title` is inline Markdown.
    """

    kind: SectionKind
    name: str
    blocks: tuple[Block, ...]
    line: int
    title: Markdown | None = None


Block = Markdown | Cell | Quiz | Exercise | Section


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry of the table of contents: `level` 2 or 3, `id` as in the page."""

    level: int
    id: str
    text: Markdown


@dataclass(frozen=True, slots=True)
class FrontMatter:
    title: str
    number: int
    tagline: str
    summary: str
    packages: tuple[str, ...] = ()
    audience: Audience = "students"


@dataclass(frozen=True, slots=True)
class LessonFile:
    """A file beside lesson.md that cells import or open by its name."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as written. `path` is its `lesson.md`, `slug` its folder's name and its URL."""

    path: PurePath
    slug: str
    meta: FrontMatter
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    formulas: tuple[Formula, ...]
    images: tuple[Image, ...] = ()
    links: tuple[Link, ...] = ()
    citations: tuple[Citation, ...] = ()
    files: tuple[LessonFile, ...] = ()

    def cells(self, *roles: CellRole) -> tuple[Cell, ...]:
        """The cells with one of these roles (all roles if none is given), in source order.

        Of an exercise that is the starter: its check and solution have no place among them.
        """
        blocks = (b.starter if isinstance(b, Exercise) else b for b in _flat(self.blocks))
        return tuple(b for b in blocks if isinstance(b, Cell) and (not roles or b.role in roles))

    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises in source order."""
        return tuple(b for b in _flat(self.blocks) if isinstance(b, Exercise))

    def quizzes(self) -> tuple[Quiz, ...]:
        """The quizzes in source order."""
        return tuple(b for b in _flat(self.blocks) if isinstance(b, Quiz))

    def sections(self) -> tuple[Section, ...]:
        """The `:::` blocks in source order, an outer one before those inside it."""
        return tuple(b for b in _flat(self.blocks) if isinstance(b, Section))


def _flat(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _flat(block.blocks)


@dataclass(frozen=True, slots=True)
class Course:
    """`lessons/course.toml`: what all lessons share."""

    title: str
    tagline: str
    language: str
    author: str
    licence: str
    repository: str
    required: tuple[str, ...] = ()
    offline: bool = True
    """Whether readers' browsers keep lessons for times without a network."""
    snapshot: bool = True
    """Whether readers' browsers keep a snapshot of Python, from which it starts faster."""
    notation: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    theme: Mapping[str, Any] = field(default_factory=dict)
    """Colours of its own, as `theme.py` reads them: key → "light" or "dark" → colour."""


# What an execution saw. The same shapes as the worker's messages in static/js/protocol.js.


@dataclass(frozen=True, slots=True)
class Stream:
    name: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True)
class Display:
    """`key`, if there is one, names the picture of a run of which only the last state counts."""

    mime: str
    data: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class CellFault:
    """Why a cell failed: exception type, message, 1-based line within the cell (None if unknown)."""

    kind: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class CellRun:
    """What one cell printed and displayed, in order, and how it ended."""

    cell: str
    outputs: tuple[Stream | Display, ...]
    error: CellFault | None = None


Recording = Mapping[str, CellRun]
"""The runs of one lesson's cells by cell name."""

TEXT_MIME = "text/plain"
"""The media type of the value of a cell's last expression."""

CHART_MIME = "application/vnd.lectern.chart+json"
"""The media type of a chart frame, as `lectern.display` emits it."""

ATTENTION_MIME = "application/vnd.lectern.attention+json"
"""The media type of an attention frame, as `lectern.display` emits it and `<heat-map>` draws it."""
