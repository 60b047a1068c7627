"""The output folder: whose it must be, and what it holds when a build fails, is killed or ends well."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sitebuilder.errors import BuildError, LessonErrors
from sitebuilder.write import MARK, Content, write_site
from tests.workbench import Bench, lesson, two_lessons


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_faults_leave_the_old_site_as_it_was(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    before = bench.site()
    bench.write({"02-second/lesson.md": lesson(2, "[nowhere](#nowhere)")})
    with pytest.raises(LessonErrors):
        bench.build()
    assert bench.site() == before
    assert sorted(path.name for path in bench.folder.iterdir()) == ["dist", "lessons", "world"]


def test_files_of_the_old_site_go_with_it(bench: Bench) -> None:
    bench.write({**two_lessons(), "02-second/old.txt": "old"})
    bench.build()
    (bench.lessons / "02-second/old.txt").unlink()
    bench.build()
    assert "02-second/old.txt" not in bench.site()


def test_a_check_writes_nothing(bench: Bench) -> None:
    bench.write(two_lessons())
    assert bench.build(check=True).lessons == 2
    assert not bench.out.exists()


def test_a_folder_of_somebody_else_is_left_alone(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.out.mkdir()
    (bench.out / "thesis.tex").write_text("years of work")
    with pytest.raises(BuildError, match="not a built site"):
        bench.build()
    assert [file.name for file in bench.out.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("below", ["", "site", "deep/er/site"])
@pytest.mark.parametrize("make", [os.mkfifo, Path.touch, lambda path: path.symlink_to("/dev/null")])
def test_what_is_no_folder_is_left_alone(bench: Bench, make: Callable[[Path], None], below: str) -> None:
    bench.write(two_lessons())
    make(bench.out)
    kind = stat.S_IFMT(bench.out.lstat().st_mode)
    with pytest.raises(BuildError, match=r"dist is not a folder; choose another folder with --out\.$"):
        bench.build(out=bench.out / below)
    assert stat.S_IFMT(bench.out.lstat().st_mode) == kind


def test_a_place_where_nothing_can_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"^Could not .* Choose another folder with --out\.$"):
        write_site(tmp_path / ("x" * 300) / "site", {"index.html": ""})


@pytest.mark.parametrize(
    "content", [{"a": "fine", "b": "\ud800"}, {"a": "fine", "a/b": "no folder"}, {"a": Path("nowhere")}]
)
def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, content: dict[str, Content]) -> None:
    write_site(tmp_path / "dist", {MARK: "", "index.html": "old"})
    with pytest.raises((BuildError, UnicodeEncodeError)):
        write_site(tmp_path / "dist", content)
    assert [path.name for path in tmp_path.iterdir()] == ["dist"]
    assert (tmp_path / "dist/index.html").read_text() == "old"


def test_a_checkout_of_a_site_is_left_alone(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    (bench.out / ".git").mkdir()
    with pytest.raises(BuildError, match="not a built site"):
        bench.build()
    assert (bench.out / ".git").is_dir()


def test_what_a_killed_run_left_is_cleaned_up(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    dead, alive = 2**22 + 1, os.getppid()
    for name in (f".dist.new-{dead}", f".dist.new-{alive}", ".dist.news"):
        (bench.folder / name).mkdir()
    bench.build()
    left = sorted(path.name for path in bench.folder.iterdir() if path.name.startswith(".dist"))
    assert left == sorted([f".dist.new-{alive}", ".dist.news"])


def test_a_run_killed_in_mid_swap_gives_the_old_site_back(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    before = bench.site()
    bench.out.rename(bench.folder / f".dist.old-{2**22 + 1}")
    bench.write({"02-second/lesson.md": lesson(2, "[nowhere](#nowhere)")})
    with pytest.raises(LessonErrors):
        bench.build()
    assert bench.site() == before


def test_what_this_process_wrote_before_is_brought_up_to_date_file_by_file(tmp_path: Path) -> None:
    out, picture = tmp_path / "dist", tmp_path / "picture.svg"
    picture.write_text("one")
    first: dict[str, Content] = {MARK: "", "a/index.html": "a", "b/c/index.html": "b", "p.svg": picture}
    before = write_site(out, first)
    untouched = (out / "a/index.html").stat().st_mtime_ns

    picture.write_text("another")
    second: dict[str, Content] = {MARK: "", "a/index.html": "a", "p.svg": picture, "d/index.html": "d"}
    after = write_site(out, second, before)
    assert {f.relative_to(out).as_posix(): f.read_text() for f in out.rglob("*") if f.is_file()} == {
        MARK: "",
        "a/index.html": "a",
        "p.svg": "another",
        "d/index.html": "d",
    }
    assert not (out / "b").exists()
    assert (out / "a/index.html").stat().st_mtime_ns == untouched

    write_site(out, {MARK: "", "a/index.html": "by another process"})
    write_site(out, second, after)
    assert (out / "a/index.html").read_text() == "a"
