"""Read the text of one lesson into a `Lesson`, or raise every fault in it at once, each with its line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from markdown_it.token import Token

from sitebuilder.exercises import Exercises
from sitebuilder.faults import Faults, suggest, unify_newlines
from sitebuilder.fences import FenceKind, Names, fence_kind, fence_line, read_cell
from sitebuilder.frontmatter import read_front_matter
from sitebuilder.markdown import make_parser
from sitebuilder.model import SECTION_KINDS, Block, FrontMatter, Lesson, Markdown, Section
from sitebuilder.prose import Prose
from sitebuilder.quiz import read_quiz

_LONGEST_LINE = 100_000
"""No author's line is longer; on a line of a megabyte of brackets the Markdown parser takes minutes."""


_NO_FRONT_MATTER = FrontMatter(title="", number=0, tagline="", summary="")
"""Stands in for one that is at fault, while the rest of the lesson is checked."""


def parse_lesson(text: str, path: PurePath) -> Lesson:
    """Read a lesson. `path` is that of its `lesson.md`; the folder's name is the lesson's slug.

    Raises LessonErrors with all faults of the text, and with what could be read: formulas, pictures and, if
    no fence is at fault, cells.
    """
    slug = path.parent.name
    lines = unify_newlines(text).split("\n")
    faults = Faults(path, lines)
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST_LINE:
            faults.add(
                number,
                f"this line has {len(line):,} characters",
                "break it, or put data into a file of its own",
            )
    faults.raise_any()
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            problem = "this line holds a NUL character, which is no text"
            faults.add(number, problem, "delete it; few editors show it", piece="\0")
    front = read_front_matter(lines, slug, faults)
    if front is None:
        faults.raise_any()
        raise AssertionError("unreachable: no front matter is a fault")

    # The front matter becomes empty lines, so that the line numbers of tokens are those of the file.
    body = "\n" * front.end + "\n".join(lines[front.end :])
    env: dict[str, Any] = {}
    tokens = make_parser().parse(body, env)
    reader = _Reader(Prose(faults, env.get("references", {})), faults)
    reader.prose.read(tokens)
    blocks = reader.read(tokens)
    reader.prose.read_headings(tokens)
    reader.prose.resolve_links(blocks)
    _check_footnotes(env, faults)
    prose = reader.prose
    lesson = Lesson(
        path=path,
        slug=slug,
        meta=front.meta or _NO_FRONT_MATTER,
        blocks=blocks if reader.cells_are_sound else (),
        headings=tuple(prose.headings),
        formulas=tuple(sorted(prose.formulas, key=lambda formula: formula.line)),
        images=tuple(prose.images),
        links=tuple(prose.links),
        citations=tuple(prose.citations),
    )
    faults.raise_any(lesson)
    return lesson


class _Reader:
    """Cuts the token list of a lesson into blocks."""

    def __init__(self, prose: Prose, faults: Faults) -> None:
        self.prose = prose
        self._faults = faults
        self._names = Names(faults)
        self._exercises = Exercises(prose, faults)
        self.cells_are_sound = True

    def read(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        """The blocks of the lesson."""
        blocks = self._blocks(tokens)
        faults_before = len(self._faults.errors)
        blocks = self._exercises.put_together(blocks)
        self._note_soundness(faults_before)
        return blocks

    def _blocks(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        """The blocks of the lesson or of a section; tokens between cells, quizzes, sections stay together."""
        blocks: list[Block] = []
        pending: list[Token] = []

        def flush() -> None:
            if pending:
                blocks.append(Markdown(tuple(pending)))
                pending.clear()

        position, depth = 0, 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "container_open":
                end = _matching_close(tokens, position)
                self._check_place(token, depth, "a block")
                flush()
                blocks.extend(self._section(token, tokens[position + 1 : end]))
                position = end + 1
                continue
            faults_before = len(self._faults.errors)
            kind = fence_kind(token, self._faults) if token.type == "fence" else "shown"
            if kind == "shown":
                depth += token.nesting
                pending.append(token)
            elif kind in ("part", "hint"):  # they have no place of their own: what is around them goes on
                self._check_place(token, depth, "a part of an exercise")
                self._exercises.gather(token)
            else:
                self._check_place(token, depth, "a cell or quiz")
                flush()
                blocks.extend(self._cell_or_quiz(kind, token))
            if kind not in ("quiz", "hint"):
                self._note_soundness(faults_before)
            position += 1
        flush()
        return tuple(blocks)

    def _note_soundness(self, faults_before: int) -> None:
        """After a faulty cell none is run: others may raise that are not at fault."""
        if len(self._faults.errors) > faults_before:
            self.cells_are_sound = False

    def _check_place(self, token: Token, depth: int, what: str) -> None:
        if depth:
            problem = f"{what} stands inside a list, quotation or footnote"
            self._faults.add(fence_line(token), problem, "move it to the left margin, after the list")

    def _cell_or_quiz(self, kind: FenceKind, token: Token) -> list[Block]:
        words = token.info.split()
        if kind == "quiz":
            return self._quiz(words[1:], token)
        cell = read_cell(words, token, self._names, self._faults) if kind == "cell" else None
        if cell is None:
            self._exercises.lose()
            return []
        return [cell]

    def _quiz(self, rest: list[str], token: Token) -> list[Block]:
        line = fence_line(token)
        if len(rest) != 1:
            problem = (
                "this quiz has no name" if not rest else f"a quiz has one name, but here are {len(rest)}"
            )
            self._faults.add(line, problem, "write `quiz NAME`")
        else:
            self._names.claim(rest[0], line, "quiz")
        quiz = read_quiz(rest[0] if rest else "", token.content.rstrip("\n"), line, self.prose, self._faults)
        return [quiz] if quiz else []

    def _section(self, opening: Token, inside: Sequence[Token]) -> list[Block]:
        line = fence_line(opening)
        word, _, rest = opening.info.partition(" ")
        name, title = "", rest.strip()
        kind = next((known for known in SECTION_KINDS if known == word), None)
        if kind is None:
            self._faults.add(line, f"unknown block `{word}`", suggest(word, SECTION_KINDS), piece=word)
        if not opening.meta["closed"]:
            self._faults.add(line, f"the block `::: {word}` is never closed", "add a line `:::` after it")
        if kind == "figure":
            name, _, title = title.partition(" ")
            if name:
                self._names.claim(name, line, "figure")
            else:
                self._faults.add(line, "this figure has no name", "write `::: figure NAME`")
        blocks = self._blocks(inside)
        if not inside:
            self._faults.add(line, f"the block `::: {word}` is empty", "write something in it or remove it")
        read = self.prose.inline if kind == "figure" else self.prose.title  # a caption may hold links
        heading = read(title.strip(), line) if title.strip() else None
        # What stands in an unknown block is still checked, as if it stood by itself.
        return [Section(kind, name, blocks, line, heading)] if kind else list(blocks)


def _matching_close(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for position in range(start, len(tokens)):
        if tokens[position].type == "container_open":
            depth += 1
        elif tokens[position].type == "container_close":
            depth -= 1
            if not depth:
                return position
    return len(tokens)


def _check_footnotes(env: dict[str, Any], faults: Faults) -> None:
    """A footnote that nothing refers to, or that another one replaces, would vanish without a word."""
    first: dict[str, int] = {}
    numbers = env.get("footnotes", {}).get("refs", {})
    for label, line in env.get("footnote_places", ()):
        if label in first:
            problem = f"the footnote `{label}` is defined again, first on line {first[label]}"
            faults.add(line, problem, "give one of them another name")
        elif numbers.get(f":{label}", 0) < 0:
            remedy = f"write `[^{label}]` in the text, or remove it"
            faults.add(line, f"nothing refers to the footnote `{label}`", remedy)
        first.setdefault(label, line)
