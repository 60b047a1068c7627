"""An author's page under `serve`: it follows every save, stays in place, shows faults over the old page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.serving import serving
from tests.workbench import COURSE, lesson

PARTS = 40
BODY = "\n\n".join(
    [
        "Before the cell.",
        '```python run hello\nprint("hello")\n```',
        *(
            f"## Part {n}\n\nA paragraph of part {n}. It says one thing, and says it once."
            for n in range(PARTS)
        ),
    ]
)


@dataclass(frozen=True)
class Desk:
    """A course that is being written, and its page in a browser."""

    lessons: Path
    url: str
    page: Page

    def save(self, body: str) -> None:
        (self.lessons / "01-first/lesson.md").write_text(lesson(1, body), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, browser: Browser) -> Iterator[Desk]:
    lessons = tmp_path / "lessons"
    (lessons / "01-first").mkdir(parents=True)
    (lessons / "course.toml").write_text(COURSE, encoding="utf-8")
    (lessons / "01-first/lesson.md").write_text(lesson(1, BODY), encoding="utf-8")
    with serving(lessons, tmp_path / "dist") as url, browser.new_context() as profile:
        profile.set_default_timeout(30_000)
        page = profile.new_page()
        page.goto(f"{url}01-first/")
        yield Desk(lessons, url, page)


def top_of(page: Page, part: int) -> float:
    """Where a part's heading stands in the window, in px from its upper edge."""
    top: float = page.locator(f"#part-{part}").evaluate("e => e.getBoundingClientRect().top")
    return top


def faults(page: Page) -> str:
    return page.locator("lectern-faults details").inner_text()


def test_a_save_shows_and_what_was_read_stays_in_its_place(desk: Desk) -> None:
    page = desk.page
    page.locator("#part-20").evaluate("e => scrollTo({top: e.offsetTop - 100, behavior: 'instant'})")
    before = top_of(page, 20)
    for n in range(3):
        above = "\n\n".join(f"Written above, {n} {line}." for line in range(10 * n + 3))
        desk.save(f"{above}\n\n{BODY}")
        expect(page.get_by_text(f"Written above, {n} 1.")).to_be_attached()
        page.wait_for_function(
            "before => Math.abs(document.querySelector('#part-20').getBoundingClientRect().top - before) < 2",
            arg=before,
        )


def test_a_save_keeps_what_the_reader_has_written_in_a_cell(desk: Desk) -> None:
    page = desk.page
    page.locator('code-cell[name="hello"] .cell-code').click()
    expect(page.locator('code-cell[name="hello"] .cm-content')).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text('print("mine")')
    desk.save(f"{BODY}\n\nOne more sentence.")
    expect(page.get_by_text("One more sentence.")).to_be_attached()
    expect(page.locator('code-cell[name="hello"]')).to_contain_text('print("mine")')


def test_a_fault_stands_over_the_old_page_until_it_is_mended(desk: Desk) -> None:
    page = desk.page
    desk.save(BODY.replace("run hello", "rum hello"))
    place = page.locator("lectern-faults code")
    expect(place).to_have_text(re.compile(r"01-first/lesson\.md:10(:\d+)?$"))
    assert "unknown role `rum`; did you mean `run`?" in faults(page)
    assert "1 fault." in faults(page)
    expect(page.get_by_text("A paragraph of part 3.")).to_be_attached()

    page.keyboard.press("Escape")
    expect(place).to_be_hidden()
    page.locator("lectern-faults summary").press("Enter")
    expect(place).to_be_visible()

    desk.save(f"{BODY}\n\nMended.")
    expect(page.get_by_text("Mended.")).to_be_attached()
    expect(page.locator("lectern-faults")).to_have_count(0)


def test_the_faults_of_a_first_build_wait_in_the_page_too(tmp_path: Path, browser: Browser) -> None:
    lessons = tmp_path / "lessons"
    (lessons / "01-first").mkdir(parents=True)
    (lessons / "course.toml").write_text(COURSE, encoding="utf-8")
    source = lessons / "01-first/lesson.md"
    source.write_text(lesson(1, "::: wihtout\nx\n:::"), encoding="utf-8")
    with serving(lessons, tmp_path / "dist") as url, browser.new_context() as profile:
        page = profile.new_page()
        page.goto(url)
        expect(page.locator("lectern-faults code")).to_have_text(re.compile(r"lesson\.md:8(:\d+)?$"))
        source.write_text(lesson(1, "::: without\nx\n:::"), encoding="utf-8")
        expect(page.get_by_role("link", name="A title")).to_be_visible(timeout=30_000)
        expect(page.locator("lectern-faults")).to_have_count(0)
