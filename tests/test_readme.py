"""README keeps its word: its two lines, its links, its example lesson and its sizes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.project import ROOT, build, files

README = (ROOT / "README.md").read_text(encoding="utf-8")


def fences(language: str, text: str) -> list[str]:
    """The contents of the code blocks with this language; a longer fence may hold shorter ones."""
    return [
        body for _, body in re.findall(rf"^(`{{3,}}){language}\n(.*?)^\1$", text, re.DOTALL | re.MULTILINE)
    ]


def test_there_is_one_line_to_build_and_serve_and_one_to_test() -> None:
    assert [fence.strip() for fence in fences("sh", README)] == [
        "python -m pip install -e . && python build.py serve",
        "python -m pip install -e '.[test]' && python -m pytest",
    ]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_every_file_that_is_linked_exists(document: str) -> None:
    text = re.sub(r"`[^`\n]*`", "", (ROOT / document).read_text(encoding="utf-8"))  # code only shows links
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_tree_names_everything_at_the_top_and_nothing_else() -> None:
    tree = README.split("## The tree")[1].split("```")[1]
    named = {line.split()[0].split("/")[0] for line in tree.strip().splitlines()}
    top = {path.parts[0] for path in files()}
    documents = {"README.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml", ".gitignore"}
    assert named == top - documents


def test_the_example_lesson_builds_as_it_stands(tmp_path: Path) -> None:
    lessons = tmp_path / "lessons"
    folder = lessons / "01-softmax"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "lessons/course.toml", lessons)
    (folder / "lesson.md").write_text(fences("markdown", README)[0], encoding="utf-8")
    build(tmp_path / "dist", "--lessons", str(lessons))
    assert "Softmax" in (tmp_path / "dist/01-softmax/index.html").read_text(encoding="utf-8")
