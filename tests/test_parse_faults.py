"""What is wrong with a lesson: every fault at its exact line, in a sentence that says what to do."""

from __future__ import annotations

import re

import pytest

from tests.test_parse import BODY, HEAD, PATH, QUIZ
from tests.test_parse import faults as located


def faults(text: str) -> list[str]:
    """The faults of a text as an author sees them, without the path."""
    return [str(fault).removeprefix(f"{PATH}:") for fault in located(text)]


# Each: what is wrong, the body (its first line is line 1), the line of the fault, a piece of the sentence.
BAD_BODIES: list[tuple[str, str, int, str]] = [
    # fences
    (
        "an unknown role",
        "```python runn heads\n1\n```\n",
        1,
        "unknown role `runn`; did you mean `run`? There are `setup`, `run`, `read`, `exercise`, `check`,",
    ),
    (
        "a role of no kind",
        "\n```python zzz split\n1\n```\n",
        2,
        "unknown role `zzz`; use `setup`, `run`, `read`, `exercise`, `check`, `solution` or `mistake`",
    ),
    ("a role without a language", "```run heads\n1\n```\n", 1, "write `python run heads`"),
    (
        "a misspelt language",
        "```pyton run heads\n1\n```\n",
        1,
        "unknown language `pyton`; did you mean `python`?",
    ),
    ("a misspelt plain language", "```Python3\n1\n```\n", 1, "did you mean `python`?"),
    ("a misspelt quiz", "```quizz why\nA?\n```\n", 1, "unknown language `quizz`; did you mean `quiz`?"),
    ("a role in another language", "```js run heads\n1\n```\n", 1, "`js` takes nothing after it"),
    ("a cell without a name", "```python run\n1\n```\n", 1, "this cell has no name; write `python run NAME`"),
    ("a cell with two names", "```python run two heads\n1\n```\n", 1, "here are 2: two heads; join them"),
    ("a name in capitals", "```python run MyHeads\n1\n```\n", 1, "`MyHeads` cannot be the name of a cell"),
    ("a name with underscores", "```python run two_heads\n1\n```\n", 1, "as in `two-heads`"),
    ("a name that begins with a digit", "```python run 2-heads\n1\n```\n", 1, "as in `heads`"),
    (
        "a name used twice",
        "```python run heads\n1\n```\n\n```python read heads\n1\n```\n",
        5,
        f"the name `heads` is already used on line {BODY}",
    ),
    ("a quiz with a cell's name", "```python run why-split\n1\n```\n" + QUIZ, 4, "already used on line"),
    (
        "a figure with a cell's name",
        "```python run a\n1\n```\n::: figure a\nx\n:::\n",
        4,
        "already used on line",
    ),
    (
        "a setup named like a run",
        "```python run setup\n1\n```\n```python setup setup\n1\n```\n",
        4,
        "already used",
    ),
    ("an empty cell", "text\n\n```python run heads\n\n```\n", 3, "this cell has no code"),
    ("an unclosed fence", "text\n\n```python run heads\nx = 1\n", 3, "this code fence is never closed"),
    ("an unclosed plain fence", "~~~\nx = 1\n", 1, "never closed; add a line `~~~`"),
    (
        "a fence closed by the next one",
        "```python run a\n1\n```python run b\n2\n```\n",
        1,
        f"not closed before the next one on line {BODY + 2}",
    ),
    ("a cell in a list", "- item\n\n  ```python run heads\n  1\n  ```\n", 3, "stands inside a list"),
    ("a cell in a quotation", "> ```python run heads\n> 1\n> ```\n", 1, "stands inside a list, quotation"),
    # links, footnotes, characters
    ("an empty link", "text\n\n[here]()\n", 3, "this link leads nowhere; write its address"),
    ("a link to an empty definition", "[here][a]\n\n[a]: <>\n", 1, "this link leads nowhere"),
    ("an empty link in HTML", "text <a href=''>here</a>\n", 1, "this link leads nowhere"),
    ("a link that runs code", "so [here](javascript:go()) it is\n", 1, "`javascript:` cannot be linked to"),
    ("one with a definition", "[here][a]\n\n[a]: javascript:go()\n", 3, "`javascript:` cannot be linked to"),
    ("one in HTML", "text\n<a href=' JavaScript:go()'>here</a>\n", 2, "`JavaScript:` cannot be linked to"),
    ("a link to a disk", "[here](file:///x.csv)\n", 1, "`file:` cannot be linked to; link to"),
    (
        "a footnote defined twice",
        "a[^1]\n\n[^1]: one\n\n- [^1]: two\n",
        5,
        f"the footnote `1` is defined again, first on line {BODY + 2}",
    ),
    ("a footnote of no use in a list", "a\n\n- [^n]: one\n", 3, "nothing refers to the footnote `n`"),
    ("a NUL in the text", "text\na\0b\n", 2, "this line holds a NUL character"),
    ("a NUL in a cell", "```python run a\nx = '\0'\n```\n", 2, "this line holds a NUL character"),
    # Python
    ("no Python", "```python run heads\nx = 1\ny = = 2\n```\n", 3, "this is not Python: invalid syntax"),
    ("an unclosed bracket", "```python run heads\nx = 1\n\nprint(x\n```\n", 4, "'(' was never closed"),
    ("a bad indent", "```python setup\nx = 1\n  y = 2\n```\n", 3, "unexpected indent"),
    ("return outside a function", "```python run a\n1\nreturn 2\n```\n", 3, "'return' outside function"),
    ("another magic", "```python run a\n1\n%matplotlib inline\n```\n", 3, "only `%pip install` works"),
    ("a shell line", "```python run a\n!ls\n```\n", 2, "`!ls` is not Python"),
    ("not Python after pip", "```python run a\n%pip install einops\nx =\n```\n", 3, "this is not Python"),
    ("not Python in a read cell", "```python read torch\nimport torch as\n```\n", 2, "this is not Python"),
    # quizzes
    ("a quiz without a name", QUIZ.replace(" why-split", ""), 1, "this quiz has no name; write `quiz NAME`"),
    (
        "a quiz with two names",
        QUIZ.replace("why-split", "why split"),
        1,
        "a quiz has one name, but here are 2",
    ),
    ("a quiz without a question", QUIZ.replace("Why split?\n", ""), 1, "the quiz `why-split` asks nothing"),
    ("a quiz without answers", "```quiz why\nWhy?\n```\n", 1, "has no answers; write at least two"),
    ("a quiz with one answer", "```quiz why\nWhy?\n\n- [x] So. — Yes.\n```\n", 1, "has one answer"),
    ("no right answer", QUIZ.replace("[x]", "[ ]"), 1, "no right answer; tick one with `- [x]`"),
    ("two right answers", QUIZ.replace("[ ]", "[X]"), 5, f"after the one on line {BODY + 3}"),
    ("no feedback", QUIZ.replace(" — Right.", ""), 5, "“Each head has its own softmax.” has no feedback"),
    ("empty feedback", QUIZ.replace(" — Right.", " —"), 5, "has no feedback"),
    ("a hyphen for a dash", QUIZ.replace(" — Right.", " - Right."), 5, "`-` is not a dash between spaces"),
    ("a short dash", QUIZ.replace(" — No", " – No"), 4, "`–` is not a dash between spaces"),
    ("a dash without spaces", QUIZ.replace(" — No", "—No"), 4, "`—` is not a dash between spaces"),
    ("an empty answer", QUIZ.replace("Fewer parameters.", ""), 4, "this answer is empty"),
    ("a bad box", QUIZ.replace("[ ]", "[]"), 4, "`[]` is not a box"),
    ("a box with another letter", QUIZ.replace("[ ]", "[y]"), 4, "`[y]` is not a box"),
    (
        "an answer without a box",
        QUIZ.replace("- [ ] Fewer", "- [ ] A — b.\n- Fewer"),
        5,
        "this answer has no box",
    ),
    (
        "text after the answers",
        QUIZ.replace("Right.\n", "Right.\n\nWell?\n"),
        7,
        "text stands after the answers",
    ),
    ("a heading in a quiz", QUIZ.replace("Why split?", "## Why split?"), 2, "a quiz has no headings"),
    (
        "a cell in a quiz",
        "`" + QUIZ.replace("split?", "split?\n\n```python run a\n1\n```")[:-1] + "`\n",
        4,
        "only shown",
    ),
    ("a footnote in a quiz", QUIZ.replace("split?", "split?[^1]"), 2, "the footnote `1` is not defined"),
    # blocks
    ("an unknown block", "::: takeaway\nx\n:::\n", 1, "unknown block `takeaway`; did you mean `takeaways`?"),
    ("a very unknown block", "::: zzz\nx\n:::\n", 1, "unknown block `zzz`; use `without`, `takeaways`"),
    ("an unclosed block", "text\n\n::: note\nx\n", 3, "the block `::: note` is never closed"),
    ("an unclosed outer block", "::: note\n::: without\nx\n:::\n", 1, "the block `::: note` is never closed"),
    ("a stray close", "text\n\n:::\n", 3, "this `:::` closes nothing"),
    ("a close too many", "::: note\nx\n:::\n:::\n", 4, "this `:::` closes nothing"),
    ("an empty block", "::: note\n:::\n", 1, "the block `::: note` is empty"),
    ("a figure without a name", "::: figure\nx\n:::\n", 1, "this figure has no name"),
    (
        "a figure with a bad name",
        "::: figure Shapes of heads\nx\n:::\n",
        1,
        "`Shapes` cannot be the name of a figure",
    ),
    ("a block in a list", "- item\n\n  ::: note\n  x\n  :::\n", 3, "a block stands inside a list"),
    ("a fault inside a block", "::: note\n```python run A\n1\n```\n:::\n", 2, "cannot be the name"),
    ("a fence that swallows the close", "::: note\n```\nx\n:::\n", 2, "this code fence is never closed"),
    # headings
    ("a first-level heading", "# Title\n", 1, "begin this one with `##`"),
    ("an underlined first-level heading", "text\n\nTitle\n=====\n", 3, "begin this one with `##`"),
    ("a skipped level", "## One\n\n#### Two\n", 3, "skips a level (## to ####); write `###`"),
    ("a first heading too deep", "### One\n", 1, "skips a level (# to ###); write `##`"),
    ("an empty heading", "##\n", 1, "this heading is empty"),
    ("a link in a heading", "## See [this](x.html)\n", 1, "a heading is a link to itself"),
    ("a citation in a heading", "## See [@this]\n", 1, "a heading is a link to itself"),
    (
        "a link in a title",
        "::: takeaways See [this](x.html)\nx\n:::\n",
        1,
        "the title of a block holds only words",
    ),
    ("an id used twice", "{#a}\n## One\n\n[x]{#a}\n", 4, f"the id `a` is taken (first on line {BODY + 1})"),
    ("an id of the page", '<div id="main"></div>\n', 1, "the id `main` is taken (the page itself uses it)"),
    # formulas
    ("a formula inside a line", "Then $$x$$ holds.\n", 1, "a displayed formula stands inside a paragraph"),
    ("an unclosed displayed formula", "text\n\n$$\nx^2\n", 3, "this `$$` has no partner"),
    ("a formula with a space", "Let\n$ \\alpha $ be.\n", 2, "its dollar signs do not match"),
    ("an unclosed formula", "Let $\\sqrt{d_k} be.\n", 1, "its dollar signs do not match"),
    ("an empty formula", "$$\n\n$$\n", 1, "this formula is empty"),
    ("a comment in a formula", "About $50 %$ of it.\n", 1, "`%` hides the rest of this formula"),
    # pictures and footnotes
    ("a picture without text", "See\n![](shapes.svg)\n", 2, "has no text for those who cannot see it"),
    ("a picture without a file", "![shapes]()\n", 1, "this picture names no file"),
    ("a picture elsewhere", "![x](https://example.org/a.png)\n", 1, "lies on another site"),
    ("a picture at the root", "![x](/a.png)\n", 1, "begins with a slash"),
    ("an HTML picture without text", "<p>\n<img src='a.png'>\n</p>\n", 2, "has no text for those"),
    ("a footnote that is not defined", "One\ntwo[^x].\n", 2, "the footnote `x` is not defined"),
    ("a footnote that nobody reads", "One.\n\n[^x]: Two.\n", 3, "nothing refers to the footnote `x`"),
]


@pytest.mark.parametrize(
    ("body", "line", "piece"), [c[1:] for c in BAD_BODIES], ids=[c[0] for c in BAD_BODIES]
)
def test_a_fault_in_the_body_is_named_with_its_line(body: str, line: int, piece: str) -> None:
    found = faults(HEAD + body)
    assert len(found) == 1, found
    assert re.match(rf"{BODY - 1 + line}:(\d+:)? ", found[0]), found
    assert piece in found[0]
    assert "; " in found[0], "every fault says what to do"


# Each: what is wrong, the whole text, then line and piece of each fault.
BAD_HEADS: list[tuple[str, str, list[tuple[int, str]]]] = [
    ("empty", "", [(1, "the lesson is empty")]),
    ("only spaces", " \n\t\n", [(1, "the lesson is empty")]),
    ("no front matter", "Hello\n", [(1, "the front matter is missing; make `---` the first line")]),
    ("never closed", HEAD.removesuffix("---\n"), [(1, "the front matter is never closed")]),
    (
        "a misspelt key",
        HEAD.replace("title", "titel"),
        [(1, "`title` is missing"), (2, "did you mean `title`?")],
    ),
    ("an unknown key", HEAD.replace("\n---", "\nzzz: 1\n---"), [(6, "unknown key `zzz`; use `title`")]),
    (
        "a missing key",
        HEAD.replace("summary: One sentence.\n", ""),
        [(1, "`summary` is missing; add a line `summary")],
    ),
    (
        "an empty front matter",
        "---\n---\n",
        [(1, "`number`"), (1, "`summary`"), (1, "`tagline`"), (1, "`title`")],
    ),
    ("a number in words", HEAD.replace("31", "one"), [(3, "`number` must be a whole number, not text")]),
    ("a number with a point", HEAD.replace("31", "31.5"), [(3, "`number` must be a whole number")]),
    (
        "an audience that is none",
        HEAD.replace("\n---", "\naudience: instructor\n---"),
        [(6, "`audience` has no meaning for `instructor`; did you mean `instructors`?")],
    ),
    ("a negative number", HEAD.replace("31", "-1"), [(3, "folder is called 31-multi"), (3, "is negative")]),
    (
        "another number than the folder's",
        HEAD.replace("31", "30"),
        [(3, "but the folder is called 31-multi-head")],
    ),
    (
        "a title that is a number",
        HEAD.replace("Multi-head attention", "42"),
        [(2, "must be text, not a whole number; put")],
    ),
    (
        "a title that is a date",
        HEAD.replace("Multi-head attention", "2024-01-01"),
        [(2, "must be text, not a date")],
    ),
    (
        "a title that is a bad date",
        HEAD.replace("Multi-head attention", "2024-13-41"),
        [(2, "cannot be read; put it in")],
    ),
    ("an empty title", HEAD.replace("Multi-head attention", ""), [(2, "`title` is empty")]),
    ("a blank title", HEAD.replace("Multi-head attention", "' '"), [(2, "`title` is empty")]),
    (
        "a colon in a title",
        HEAD.replace("attention", "attention: why"),
        [(2, "put the whole value in quotes")],
    ),
    ("an open quote", HEAD.replace("One", '"One'), [(5, "a quotation mark is never closed")]),
    ("an open bracket", HEAD.replace("One sentence.", "[a, b"), [(5, "a bracket is never closed")]),
    ("a tab", HEAD.replace("summary: One", "summary:\n\tOne"), [(6, "a tab stands where YAML wants spaces")]),
    ("a line without a key", HEAD.replace("number: 31", "number"), [(4, "no `key: value`")]),
    ("no space after a colon", HEAD.replace("title: ", "title:"), [(2, "`title:` has no space after its")]),
    ("none in the last line", HEAD.replace("summary: ", "summary:"), [(5, "write `summary: …`")]),
    (
        "an indented key",
        HEAD.replace("\nnumber", "\n  number"),
        [(3, "the key `number` is indented, so it seems to belong to a line above; write `number:` without")],
    ),
    ("a NUL", HEAD.replace("One", "One\0"), [(5, "this line holds a NUL character")]),
    ("a bell", HEAD.replace("One", "One\a"), [(5, "the character U+0007 cannot stand here")]),
    ("an indented first key", HEAD.replace("title", " title"), [(2, "the key `title` is indented")]),
    ("a key after a tab", HEAD.replace("number", "\tnumber"), [(3, "the key `number` is indented")]),
    (
        "a key twice",
        HEAD.replace("\n---", "\nnumber: 31\n---"),
        [(6, "`number` stands here again, first on line 3")],
    ),
    ("a list", "---\n- a\n---\n", [(2, "the front matter is not `key: value` lines")]),
    ("a key that is a list", HEAD.replace("\n---", "\n? [a]\n: b\n---"), [(6, "this key is not a word")]),
    (
        "packages as text",
        HEAD.replace("\n---", "\npackages: numpy\n---"),
        [(6, "must be a list, not text; write it in")],
    ),
    (
        "a package that is a number",
        HEAD.replace("\n---", "\npackages: [a, 1]\n---"),
        [(6, "item 2 of `packages` must be text")],
    ),
    (
        "a package with a version",
        HEAD.replace("\n---", "\npackages: ['a>1']\n---"),
        [(6, "`a>1` is not a package name")],
    ),
    (
        "a Python tag",
        HEAD.replace("31", "!!python/name:os.system"),
        [(3, "the value of `number` cannot be read")],
    ),
    ("a control character", HEAD.replace("One", "\x07One"), [(5, "cannot stand here; delete it")]),
    ("a deep nest", f"---\ntitle: {'[' * 1000}\n---\n", [(2, "nested too deeply")]),
    ("an endless number", HEAD.replace("31", "3" * 5000), [(3, "the value of `number` cannot be read")]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in BAD_HEADS], ids=[c[0] for c in BAD_HEADS])
def test_a_fault_in_the_front_matter_is_named_with_its_line(
    text: str, expected: list[tuple[int, str]]
) -> None:
    found = faults(text)
    assert len(found) == len(expected), found
    for fault, (line, piece) in zip(found, expected, strict=True):
        assert re.match(rf"{line}:(\d+:)? ", fault), fault
        assert piece in fault


def test_all_faults_of_a_lesson_come_at_once_in_order() -> None:
    body = "# One\n\n```python runn a\nx = = 1\n```\n\n::: nte\nx\n:::\n\n![](a.svg)\n" + QUIZ.replace(
        "[x]", "[ ]"
    )
    found = faults(HEAD.replace("title:", "titel:") + body)
    lines = [int(fault.partition(":")[0]) for fault in found]
    assert lines == [1, 2, BODY, BODY + 2, BODY + 3, BODY + 6, BODY + 10, BODY + 11]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_numbers_hold_for_every_kind_of_line_end_and_with_a_byte_order_mark(
    newline: str, mark: str
) -> None:
    text = mark + (HEAD + "Text.\n\n```python run a\nx = 1\n\ty = = 2\n```\n").replace("\n", newline)
    assert [fault.partition(":")[0] for fault in faults(text)] == [str(BODY + 4)]
