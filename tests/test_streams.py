"""What a cell prints: in order, at once while the rate is low, batched in a flood, cut off at a limit."""

from __future__ import annotations

import asyncio
import sys

import pytest

from lectern.streams import MAX_CHARACTERS, MAX_DISPLAYS, MAX_LINES, Outbox
from tests.cells import Message, Page
from tests.project import run


@pytest.fixture
def page() -> Page:
    return Page()


def test_streams_and_displays_keep_their_order(page: Page) -> None:
    source = (
        "import sys\nprint('a')\nprint('b', file=sys.stderr)\nshow_attention([[1.0]], ['t'])\nprint('c')\n'd'"
    )
    kinds = [(m["type"], m.get("name") or m.get("mime")) for m in page.run(source).messages]
    assert kinds == [
        ("stream", "stdout"),
        ("stream", "stderr"),
        ("display", "application/vnd.lectern.attention+json"),
        ("stream", "stdout"),
        ("display", "text/plain"),
        ("done", None),
    ]


def test_an_early_line_leaves_at_once(page: Page) -> None:
    seen: list[Message] = []
    page.runner.namespace["seen"] = lambda: len(seen)
    asyncio.run(page.runner.run("cell", "print('early')\nassert seen() == 1", emit=seen.append))
    assert seen[-1]["ok"]


def test_a_flood_is_batched(page: Page) -> None:
    answer = page.run("for i in range(3_000): print(i)")
    assert answer.text() == "".join(f"{i}\n" for i in range(3_000))
    assert len(answer.messages) < 400


def test_a_flood_without_line_ends_is_batched_though_it_flushes(page: Page) -> None:
    answer = page.run("for i in range(20_000): print('.', end='', flush=True)")
    assert answer.text() == "." * 20_000
    assert len(answer.messages) < 400


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(50_000): print(i)",
        "print('x' * 10_000_000)",
        "print('\\n' * 1_000_000)",
        "while True:\n    print('long ' * 100)\n    n = globals().get('n', 0) + 1\n    if n > 5_000: break",
    ],
    ids=["many lines", "one long line", "empty lines", "long lines"],
)
def test_output_beyond_the_limit_is_cut_with_one_notice(page: Page, source: str) -> None:
    answer = page.run(source)
    assert answer.done["ok"]
    assert answer.text().count("\n") <= MAX_LINES
    assert len(answer.text()) <= MAX_CHARACTERS
    assert answer.text("stderr").strip().startswith("[Output ends here")
    assert answer.text("stderr").count("[Output") == 1


def test_output_of_exactly_the_limit_needs_no_notice(page: Page) -> None:
    assert page.run(f"print('\\n' * {MAX_LINES}, end='')").text("stderr") == ""


def test_no_part_of_a_line_is_shown_after_the_last_one(page: Page) -> None:
    answer = page.run(f"for i in range({MAX_LINES} + 9): print('line', i)")
    assert answer.text("stdout").endswith(f"line {MAX_LINES - 1}\n")


def test_figures_beyond_the_limit_are_cut_with_one_notice(page: Page) -> None:
    answer = page.run("for _ in range(200): show_attention([[1.0]], ['t'])")
    assert len(answer.values) == MAX_DISPLAYS
    assert answer.text("stderr").count("[No more figures") == 1


def test_a_held_line_leaves_when_time_has_passed() -> None:
    now = 0.0
    messages: list[Message] = []
    outbox = Outbox(messages.append, 1, clock=lambda: now)
    outbox.write("stdout", "no line end")
    assert messages == []
    now = 0.06
    outbox.write("stdout", " yet")
    assert [m["text"] for m in messages] == ["no line end yet"]


def test_what_is_written_after_the_run_goes_nowhere(page: Page) -> None:
    page.run("import sys\nkept = sys.stdout")
    sys_stdout = sys.stdout
    page.runner.namespace["kept"].write("late")
    assert sys.stdout is sys_stdout
    assert page.run("kept.write('now');").text() == "now"


def test_a_warning_is_printed_each_time_the_cell_runs() -> None:
    # In a process of its own, as pytest keeps warnings from being printed.
    script = (
        "from tests.cells import Page; page = Page(); "
        "print([page.run('import numpy as np\\nnp.ones(2) / 0').text('stderr') for _ in range(2)])"
    )
    expected = "<cell>:2: RuntimeWarning: divide by zero encountered in divide\n  np.ones(2) / 0\n"
    assert run([sys.executable, "-c", script]).strip() == str([expected, expected])
