"""Reading course.toml, and holding lessons to what it requires."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from sitebuilder.course import missing_parts, read_course
from sitebuilder.errors import LessonErrors
from tests.test_parse import PATH, QUIZ, lesson

COURSE_PATH = PurePath("lessons/course.toml")
GOOD = """title = "Attention"
tagline = "From scores to heads"
language = "en"
author = "A. Teacher"
licence = "CC BY 4.0"
repository = "https://example.org/course"
required = ["takeaways", "quiz"]

[notation]
query = ["Q", "q"]
key = ["K"]
"""


def faults(text: str) -> list[str]:
    with pytest.raises(LessonErrors) as caught:
        read_course(text, COURSE_PATH)
    return [str(error).removeprefix(f"{COURSE_PATH}:") for error in caught.value.errors]


def test_a_course_is_read_whole() -> None:
    course = read_course("\ufeff" + GOOD.replace("\n", "\r\n"), COURSE_PATH)
    assert (course.title, course.language, course.required) == ("Attention", "en", ("takeaways", "quiz"))
    assert course.notation == {"query": ("Q", "q"), "key": ("K",)}


# Each: what is wrong, what to replace in the good file and by what, then line and piece of each fault.
BAD: list[tuple[str, str, str, list[tuple[int, str]]]] = [
    (
        "a misspelt key",
        "author",
        "autor",
        [(1, "the key `author` is missing"), (4, "did you mean `author`?")],
    ),
    (
        "a missing key",
        'language = "en"\n',
        "",
        [(1, 'the key `language` is missing; add a line `language = "…"`')],
    ),
    ("a NUL", "Attention", "Atten\0tion", [(1, "this line holds a character that is no text; delete it")]),
    (
        "a key below a heading",
        'language = "en"\nauthor',
        '[theme]\n  language = "en"\n  author',
        [
            (4, "`language` stands below the heading [theme], so it belongs to that; move it above [theme]"),
            (5, "`author` stands below"),
            (6, "`licence` stands below"),
            (7, "`repository` stands below"),
            (8, "`required` stands below"),
        ],
    ),
    (
        "a number for text",
        '"Attention"',
        "31",
        [(1, "`title` must be text, not a whole number; put it in quotes")],
    ),
    ("text for a list", '["takeaways", "quiz"]', '"quiz"', [(7, "`required` must be a list, not text")]),
    ("a number in a list", '"quiz"]', "1]", [(7, "item 2 of `required` must be text")]),
    ("an empty value", '"en"', '""', [(3, "`language` is empty")]),
    ("a language in words", '"en"', '"English!"', [(3, "is not a language code")]),
    (
        "a repository that is no address",
        "https://",
        "",
        [(6, "is not a web address; begin it with https://")],
    ),
    ("an unknown part", '"quiz"]', '"quizz"]', [(7, "did you mean `quiz`?")]),
    (
        "a misspelt role",
        "query =",
        "qeury =",
        [
            (10, "unknown role `qeury`"),
        ],
    ),
    ("a role in capitals", "key = ", "Head = ", [(11, "`Head` cannot be a role")]),
    ("an identifier with two roles", '["K"]', '["K", "Q"]', [(11, "`Q` stands for `query` already")]),
    ("a notation that is not a list", '["K"]', '"K"', [(9, "`notation[...]` must be a list, not text")]),
    ("a key twice", "author =", "title =", [(4, "a key stands here twice")]),
    ("text without quotes", '"en"', "en", [(3, "this value cannot be read; put text in quotes")]),
    ("an open quote", '"en"', '"en', [(3, "a quotation mark is never closed")]),
    ("a key without a value", 'language = "en"', "language", [(3, "a key has no value")]),
    ("an open bracket", '"quiz"]', '"quiz"', [(9, "a bracket is never closed")]),
    ("a control character", "Attention", "Att\x07", [(1, "; ")]),
]


@pytest.mark.parametrize(
    ("old", "new", "expected"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_a_fault_in_the_settings_is_named_with_its_line(
    old: str, new: str, expected: list[tuple[int, str]]
) -> None:
    assert old in GOOD
    found = faults(GOOD.replace(old, new))
    assert len(found) == len(expected), found
    for fault, (line, piece) in zip(found, expected, strict=True):
        assert fault.startswith(f"{line}: "), fault
        assert piece in fault


def test_an_empty_file_lacks_every_key() -> None:
    assert [fault.split("`")[1] for fault in faults("")] == [
        "author",
        "language",
        "licence",
        "repository",
        "tagline",
        "title",
    ]


def test_a_lesson_is_told_which_required_parts_it_lacks() -> None:
    course = read_course(GOOD.replace('"quiz"]', '"quiz", "run"]'), COURSE_PATH)
    assert [str(fault) for fault in missing_parts(course, lesson("Text.\n"))] == [
        f"{PATH}:1: the lesson has no `takeaways`; add a block `::: takeaways`, which course.toml requires",
        f"{PATH}:1: the lesson has no `quiz`; add a fence `quiz NAME`, which course.toml requires",
        f"{PATH}:1: the lesson has no `run`; add a cell `python run NAME`, which course.toml requires",
    ]
    whole = "::: takeaways\nOne.\n\n```python run a\n1\n```\n:::\n\n" + QUIZ
    assert missing_parts(course, lesson(whole)) == ()
