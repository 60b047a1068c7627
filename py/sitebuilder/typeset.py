"""Set every formula of the course as MathML, in one run of temml under Node, and remember what was set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from sitebuilder.cache import digest, read_json, write_json
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.faults import shorten
from sitebuilder.model import Formula, Lesson
from sitebuilder.node import run_node

Key = tuple[str, bool]
"""A formula without its place: the TeX, and whether it is displayed."""

_SCRIPT = Path(__file__).with_name("typeset.mjs")


class _Answer(msgspec.Struct):
    """What typeset.mjs says of one formula: its MathML, or temml's message and the place in the TeX."""

    mathml: str = ""
    message: str = ""
    position: int = 0


def typeset(lessons: Iterable[Lesson], static: Path, cache: Path) -> dict[Key, str]:
    """MathML for every formula of the lessons, by (TeX, display).

    `static` is the folder with node_modules, `cache` the cache folder: formulas set once with this version of
    temml are not set again. Raises LessonErrors with every formula that temml refuses.
    """
    lessons = tuple(lessons)
    wanted = dict.fromkeys((f.tex, f.display) for lesson in lessons for f in lesson.formulas)
    if not wanted:
        return {}
    memory = cache / "formulas" / f"{_version(static)[:16]}.json"
    known = _remembered(memory)
    new = [key for key in wanted if digest(key) not in known]
    refused: dict[Key, _Answer] = {}
    if new:
        for key, answer in zip(new, _ask(new, static), strict=True):
            if answer.mathml:
                known[digest(key)] = answer.mathml
            else:
                refused[key] = answer
        write_json(memory, known)
    errors = [error for lesson in lessons for f in lesson.formulas if (error := _fault(lesson, f, refused))]
    if errors:
        raise LessonErrors(errors)
    return {key: known[digest(key)] for key in wanted}


def explain(message: str) -> tuple[str, str]:
    """A problem and a remedy in a teacher's words, from a message of temml's parser."""
    said = re.split(r"\s+at (?:position \d+|end of input):", message, maxsplit=1)[0].strip()
    for pattern, problem, remedy in _EXPLANATIONS:
        if match := re.search(pattern, said):
            return match.expand(problem), match.expand(remedy)
    if not said:
        return "TeX cannot read it", "look for a `^`, `_` or command with nothing after it"
    return said[0].lower() + said[1:].rstrip("."), "correct the formula"


def _version(static: Path) -> str:
    """A digest of all that decides how a formula is set: temml's version and our script."""
    package = read_json(static / "node_modules" / "temml" / "package.json")
    if not isinstance(package, dict):
        raise BuildError(
            f"Formulas need temml, which is not in {static / 'node_modules'}; run npm ci in {static}."
        )
    return digest([package.get("version"), _SCRIPT.read_text(encoding="utf-8")])


def _remembered(memory: Path) -> dict[str, str]:
    try:
        return msgspec.convert(read_json(memory) or {}, dict[str, str])
    except msgspec.ValidationError:  # damaged; it can be made again
        return {}


def _ask(keys: Iterable[Key], static: Path) -> list[_Answer]:
    question = json.dumps([{"tex": tex, "display": display} for tex, display in keys])
    answer = run_node([_SCRIPT], cwd=static, stdin=question, doing="Setting the formulas")
    return msgspec.json.decode(answer, type=list[_Answer])


def _fault(lesson: Lesson, formula: Formula, refused: Mapping[Key, _Answer]) -> LessonError | None:
    answer = refused.get((formula.tex, formula.display))
    if answer is None:
        return None
    problem, remedy = explain(answer.message)
    above, _, before = formula.tex[: answer.position].rpartition("\n")
    line = formula.line + formula.tex.count("\n", 0, answer.position)
    column = formula.column + len(before) if formula.column and not above else 0
    problem = f"in the formula `{shorten(formula.tex, 40)}`, {problem}"
    return LessonError(lesson.path, line, problem, remedy, column)


_EXPLANATIONS: tuple[tuple[str, str, str], ...] = (
    (
        r"(?:Unsupported function name|Undefined control sequence): (\\.\w*)",
        r"TeX has no command `\1`",
        r"correct its spelling, or write a name as `\\mathrm{name}`",
    ),
    (r"No such environment: (\S+)", r"TeX has no environment `\1`", "correct its spelling"),
    (
        r"in a macro argument, expected '\}'",
        "a `{` is never closed, or a command lacks an argument",
        "add what is missing in braces",
    ),
    (r"Expected '\}', got", "a `{` is never closed", "add the missing `}`"),
    (r"Expected 'EOF', got '\}'", "a `}` closes nothing", "remove it, or add the `{` it belongs to"),
    (
        r"Expected 'EOF', got '&'",
        "`&` stands outside of an alignment",
        r"write `\\&`, or put it into \\begin{aligned} … \\end{aligned}",
    ),
    (r"Expected 'EOF', got '#'", "`#` has a meaning in TeX", r"write `\\#`"),
    (
        r"Expected 'EOF', got '\\(right|end|middle)'",
        r"`\\\1` has nothing to close",
        r"add the \\left or \\begin it belongs to, or remove it",
    ),
    (r"Expected '\\right'", r"`\\left` has no `\\right`", r"add `\\right)`, or `\\right.` for an unseen one"),
    (r"Expected & or", r"a `\\begin{…}` has no `\\end{…}`", r"add the `\\end{…}`"),
    (r"Mismatch: (\\\w+\{\w+\}) matched by (\\\w+\{\w+\})", r"`\1` is closed by `\2`", "make the two agree"),
    (r"Double (super|sub)script", r"two \1scripts follow each other", r"group with braces, as in `{x^a}^b`"),
    (
        r"Expected group (?:as argument to|after) '(.+)'",
        r"`\1` has nothing to work on",
        "add its argument in braces",
    ),
    (r"Can't use function '\$'", "a dollar sign stands inside", r"write `\\$`, or end the formula before it"),
    (r"Can't use function '(.+)' in (\w+) mode", r"`\1` does not work in \2 mode", "move or remove it"),
    (
        r"only in display mode|works only in display",
        "this works only in a displayed formula",
        "put `$$` around it",
    ),
    (r"Too many expansions", "a macro calls itself without end", "remove the macro"),
)
