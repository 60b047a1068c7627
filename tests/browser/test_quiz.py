"""A quiz by mouse and by keyboard: feedback for the chosen answer, announced, and free to try again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visit import Visit


@pytest.fixture
def quiz(lesson: Visit) -> Locator:
    return lesson.page.locator('quiz-card[name="why-split"]')


@pytest.mark.parametrize(
    ("choice", "feedback"),
    [
        (0, "16,384"),
        (2, "exactly as many multiplications"),
        (3, "compares every query"),
        (1, "four rows of weights"),
    ],
)
def test_every_answer_has_its_own_feedback(quiz: Locator, choice: int, feedback: str) -> None:
    quiz.get_by_role("radio").nth(choice).check()
    quiz.locator("button[data-action=check]").click()
    answer = quiz.locator("[data-feedback]")
    expect(answer).to_be_visible()
    expect(answer).to_contain_text(feedback)
    expect(answer).to_have_attribute("aria-live", "polite")


def test_it_works_by_keyboard_alone(lesson: Visit, quiz: Locator) -> None:
    keyboard = lesson.page.keyboard
    quiz.get_by_role("radio").nth(1).focus()
    keyboard.press("ArrowDown")
    expect(quiz.get_by_role("radio").nth(2)).to_be_checked()
    keyboard.press("Tab")
    expect(quiz.locator("button[data-action=check]")).to_be_focused()
    keyboard.press("Enter")
    expect(quiz.locator("[data-feedback]")).to_contain_text("exactly as many multiplications")
