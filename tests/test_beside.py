"""A lesson's own modules and data: which files they are, what is wrong with them, how they reach the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import zstandard

from sitebuilder.beside import MOST_BYTES, container, files_beside
from sitebuilder.cache import sha256
from sitebuilder.model import LessonFile
from tests.workbench import Bench, lesson


def test_modules_and_data_beside_the_lesson_are_for_its_cells(tmp_path: Path) -> None:
    names = ["b.py", "a.csv", "lesson.md", "recorded.json", "shapes.svg", ".hidden.py", "below/c.py"]
    (tmp_path / "below").mkdir()
    for name in names:
        (tmp_path / name).write_text(name)
    assert files_beside(tmp_path) == (LessonFile("a.csv", b"a.csv"), LessonFile("b.py", b"b.py"))


def test_a_container_is_a_table_and_the_contents() -> None:
    packed = zstandard.decompress(container([LessonFile("é.py", b"1"), LessonFile("x.npz", b"\0\xff")]))
    length = int.from_bytes(packed[:4], "little")
    assert json.loads(packed[4 : 4 + length]) == [["é.py", 1], ["x.npz", 2]]
    assert packed[4 + length :] == b"1\0\xff"


def test_they_come_with_the_first_run_of_their_own_lesson_and_under_a_name_of_their_content(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.write(
        {"01-first/lesson.md": lesson(1), "01-first/toys.py": "X = 1\n", "02-second/lesson.md": lesson(2)}
    )
    bench.build()

    def runtime(page: str) -> dict[str, object]:
        data = re.search(r'id="lesson-data">(.*?)</script>', bench.page(page))
        assert data
        return dict(json.loads(data[1])["runtime"])

    own, packed = runtime("01-first/index.html")["own"], container([LessonFile("toys.py", b"X = 1\n")])
    assert own == f"01-first-{sha256(packed)[:12]}.pack.zst"
    assert runtime("01-first/index.html")["files"] == [
        {"name": own, "bytes": len(packed), "sha256": sha256(packed)}
    ]
    assert bench.site()[f"runtime/0123456789ab/{own}"] == packed
    assert (runtime("02-second/index.html")["own"], runtime("02-second/index.html")["files"]) == (None, [])


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("statistics.py", "", "01-first/statistics.py:1: the module statistics.py would hide Python’s own "),
        ("numpy.py", "", "01-first/numpy.py:1: the module numpy.py would hide "),
        ("lectern.py", "", "01-first/lectern.py:1: the module lectern.py would hide "),
        ("my-toys.py", "", "01-first/my-toys.py:1: the module my-toys.py cannot be imported: "),
        ("class.py", "", "01-first/class.py:1: the module class.py cannot be imported: "),
        (
            "large.csv",
            "x" * MOST_BYTES,
            "01-first/lesson.md:1: the files beside this lesson have 1,000,002 bytes",
        ),
    ],
)
def test_a_fault_names_the_file_and_what_to_do(tmp_path: Path, name: str, content: str, fault: str) -> None:
    bench = Bench(tmp_path)
    bench.write({"01-first/lesson.md": lesson(1), f"01-first/{name}": content, "01-first/ok.txt": "ok"})
    with pytest.raises(Exception, match="; ") as caught:
        bench.build()
    assert str(caught.value).startswith(f"lessons/{fault}")
