"""The grammar of a quiz: a question, then per answer `- [ ]` or `- [x]`, its text, ` — ` and feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sitebuilder.faults import Faults, shorten
from sitebuilder.fences import fence_kind
from sitebuilder.model import Choice, Markdown, Quiz
from sitebuilder.prose import Prose

_ANSWER = re.compile(r"( {0,3}[-*+] +)\[([ xX])\](?: +(.*))?$")
_BAD_BOX = re.compile(r" {0,3}[-*+] *\[([^\]]{0,3})\](?!\()")
_BULLET = re.compile(r" {0,3}[-*+] +\S")
_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DASH = re.compile(r"\s—\s")
_OPAQUE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$]*\$", re.DOTALL)
_ALMOST_DASH = re.compile(r"\s(?:--?|–)\s|—")


@dataclass
class _Answer:
    """An answer as it stands in the source: its first line's number, whether it is ticked, its lines."""

    line: int
    correct: bool
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip()


def read_quiz(name: str, source: str, line: int, prose: Prose, faults: Faults) -> Quiz | None:
    """Read the inside of a quiz fence. `line` is that of the fence; faults are noted and None returned."""
    before = len(faults.errors)
    question, answers = _split(source.split("\n"), line + 1, faults)
    if not "".join(question).strip():
        faults.add(line, f"the quiz `{name}` asks nothing", "write the question above the answers")
    asked = _blocks("\n".join(question), line + 1, prose, faults)
    choices = [_choice(answer, prose, faults) for answer in answers]
    _check_count(name, answers, line, faults)
    if len(faults.errors) > before:
        return None
    return Quiz(name, asked, tuple(choice for choice in choices if choice), line)


def _split(lines: list[str], first: int, faults: Faults) -> tuple[list[str], list[_Answer]]:
    question: list[str] = []
    answers: list[_Answer] = []
    indent = 0
    for number, (text, in_code) in enumerate(_with_code(lines), first):
        match = None if in_code else _ANSWER.match(text)
        if match:
            indent = len(match[1])
            answers.append(_Answer(number, match[2] != " ", [(match[3] or "").strip()]))
        elif not in_code and (box := _BAD_BOX.match(text)):
            faults.add(
                number,
                f"`[{box[1]}]` is not a box",
                "write `- [ ]` for a wrong answer, `- [x]` for the right one",
            )
            answers.append(_Answer(number, False))
        elif not answers:
            question.append(text)
        elif not in_code and _BULLET.match(text) and len(text) - len(text.lstrip()) < indent:
            faults.add(
                number,
                "this answer has no box",
                "write `- [ ]` for a wrong answer, `- [x]` for the right one",
            )
            answers.append(_Answer(number, False))
        elif text.strip() and not text.startswith(" ") and not answers[-1].lines[-1:]:
            continue  # goes on with an answer that was refused
        elif text.strip() and not text[0].isspace() and not answers[-1].lines[-1].strip():
            faults.add(
                number, "text stands after the answers", "move it above them, or indent it to its answer"
            )
        elif answers[-1].lines:
            answers[-1].lines.append(text[indent:] if not text[:indent].strip() else text.lstrip())
    return question, answers


def _with_code(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it belongs to a code fence at the left margin."""
    fence = ""
    for text in lines:
        match = _CODE_FENCE.match(text)
        if fence:
            yield text, True
            if match and match[1].startswith(fence) and not text.strip(" " + fence[0]):
                fence = ""
        else:
            fence = match[1] if match else ""
            yield text, bool(match)


def _choice(answer: _Answer, prose: Prose, faults: Faults) -> Choice | None:
    if not answer.lines:  # its box was refused already
        return None
    masked = _OPAQUE.sub(lambda match: "x" * len(match[0]), answer.text)
    dash = _DASH.search(masked) or _DASH.search(masked + " ")
    said = answer.text[: dash.start()] if dash else answer.text
    feedback = answer.text[dash.end() :] if dash else ""
    if not said.strip():
        faults.add(answer.line, "this answer is empty", "write `- [ ] answer — feedback`")
    elif dash is None and masked.startswith("— "):
        faults.add(answer.line, "this answer is empty", "write `- [ ] answer — feedback`")
    elif dash is None and (almost := _ALMOST_DASH.search(masked)):
        mark = answer.text[almost.start() : almost.end()].strip()
        problem = f"no feedback: `{mark}` is not a dash between spaces"
        faults.add(answer.line, problem, "write ` — ` between answer and feedback")
    elif not feedback.strip():
        faults.add(
            answer.line,
            f"the answer “{shorten(said)}” has no feedback",
            "add ` — ` and what a student who chose it should know",
        )
    elif "\n\n" in said:
        faults.add(answer.line, "an answer is one paragraph", "put the ` — ` before the empty line")
    skipped = answer.text[: dash.end()].count("\n") if dash else 0
    return Choice(
        prose.inline(said, answer.line),
        answer.correct,
        _blocks(feedback, answer.line + skipped, prose, faults),
    )


def _check_count(name: str, answers: list[_Answer], line: int, faults: Faults) -> None:
    right = [answer for answer in answers if answer.correct]
    if len(answers) < 2:
        how_many = "one answer" if answers else "no answers"
        faults.add(
            line, f"the quiz `{name}` has {how_many}", "write at least two lines `- [ ] answer — feedback`"
        )
    elif not right and all(answer.lines for answer in answers):
        faults.add(line, f"the quiz `{name}` has no right answer", "tick one with `- [x]`")
    for other in right[1:]:
        faults.add(
            other.line,
            f"a second right answer, after the one on line {right[0].line}",
            "leave one `[x]`, make the others `[ ]`",
        )


def _blocks(text: str, line: int, prose: Prose, faults: Faults) -> Markdown:
    """Parsed paragraphs of a quiz, which hold no headings, blocks or cells."""
    parsed = prose.blocks(text, line)
    for token in parsed.tokens:
        at = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            faults.add(at, "a quiz has no headings", "write the line as a paragraph")
        elif token.type == "container_open":
            faults.add(at, "a quiz holds no `:::` blocks", "move the block out of the quiz")
        elif token.type == "fence" and fence_kind(token, faults) in ("cell", "quiz"):
            faults.add(at, "code in a quiz is only shown", "write the language alone after the fence")
    return parsed
