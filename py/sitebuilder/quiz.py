"""The grammar of a quiz: a question, then per answer `- [ ]` or `- [x]`, its text, ` — ` and feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sitebuilder.enclosed import read_enclosed
from sitebuilder.faults import Faults, shorten
from sitebuilder.model import Choice, Quiz
from sitebuilder.prose import Prose

_ANSWER = re.compile(r"( {0,3}[-*+] +)\[([ xX])\](?: +(.*))?$")
_BAD_BOX = re.compile(r" {0,3}[-*+] *\[([^\]]{0,3})\](?!\()")
_BULLET = re.compile(r" {0,3}[-*+] +\S")
_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DASH = re.compile(r"(?:^|\s)—(?:\s|$)")
_BOXES = "write `- [ ]` for a wrong answer, `- [x]` for the right one"
_OPAQUE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\$[^$]*\$", re.DOTALL)
_ALMOST_DASH = re.compile(r"\s(?:--?|–)\s|—")


@dataclass
class _Answer:
    """An answer as it stands in the source; a `refused` one has had its fault noted."""

    line: int
    lines: list[str]
    correct: bool = False
    refused: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip()

    def goes_on_with(self, text: str) -> bool:
        """Whether a line belongs to this answer: indented, empty, or right below its text."""
        return not text.strip() or text[0].isspace() or bool(self.lines[-1].strip())


def read_quiz(name: str, source: str, line: int, prose: Prose, faults: Faults) -> Quiz | None:
    """Read the inside of a quiz fence. `line` is that of the fence; faults are noted and None returned."""
    before = len(faults.errors)
    question, answers = _split(source.split("\n"), line + 1, faults)
    if not "".join(question).strip():
        faults.add(line, f"the quiz `{name}` asks nothing", "write the question above the answers")
    asked = read_enclosed("\n".join(question), line + 1, "quiz", prose, faults)
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
        answer = None if in_code else _ANSWER.match(text)
        box = None if in_code or answer else _BAD_BOX.match(text)
        if answer:
            indent = len(answer[1])
            answers.append(_Answer(number, [(answer[3] or "").strip()], answer[2] != " "))
        elif box:
            faults.add(number, f"`[{box[1]}]` is not a box", _BOXES)
            answers.append(_Answer(number, [text], refused=True))
        elif not answers:
            question.append(text)
        elif not in_code and _BULLET.match(text) and len(text) - len(text.lstrip()) < indent:
            faults.add(number, "this answer has no box", _BOXES)
            answers.append(_Answer(number, [text], refused=True))
        elif answers[-1].goes_on_with(text):
            answers[-1].lines.append(text.lstrip() if text[:indent].strip() else text[indent:])
        else:
            faults.add(
                number, "text stands after the answers", "move it above them, or indent it to its answer"
            )
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
    if answer.refused:
        return None
    # Dashes inside of code and formulas do not count.
    masked = _OPAQUE.sub(lambda match: "x" * len(match[0]), answer.text)
    dash = _DASH.search(masked)
    said = answer.text[: dash.start()] if dash else answer.text
    feedback = answer.text[dash.end() :] if dash else ""
    if not said.strip():
        faults.add(answer.line, "this answer is empty", "write `- [ ] answer — feedback`")
    elif dash is None and (almost := _ALMOST_DASH.search(masked)):
        problem = f"no feedback: `{almost[0].strip()}` is not a dash between spaces"
        faults.add(answer.line, problem, "write ` — ` between answer and feedback")
    elif not feedback.strip():
        problem = f"the answer “{shorten(said)}” has no feedback"
        faults.add(answer.line, problem, "add ` — ` and what a student who chose it should know")
    elif "\n\n" in said:
        faults.add(answer.line, "an answer is one paragraph", "put the ` — ` before the empty line")
    skipped = answer.text[: dash.end()].count("\n") if dash else 0
    return Choice(
        prose.inline(said, answer.line),
        answer.correct,
        read_enclosed(feedback, answer.line + skipped, "quiz", prose, faults),
    )


def _check_count(name: str, answers: list[_Answer], line: int, faults: Faults) -> None:
    right = [answer for answer in answers if answer.correct]
    if len(answers) < 2:
        how_many = "one answer" if answers else "no answers"
        faults.add(
            line, f"the quiz `{name}` has {how_many}", "write at least two lines `- [ ] answer — feedback`"
        )
    elif not right and not any(answer.refused for answer in answers):
        faults.add(line, f"the quiz `{name}` has no right answer", "tick one with `- [x]`")
    for other in right[1:]:
        problem = f"a second right answer, after the one on line {right[0].line}"
        faults.add(other.line, problem, "leave one `[x]`, make the others `[ ]`")
