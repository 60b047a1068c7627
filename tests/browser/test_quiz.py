"""A quiz by mouse and by keyboard: feedback for the chosen answer, announced, and free to try again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visit import Visit


@pytest.fixture
def quiz(lesson: Visit) -> Locator:
    return lesson.page.locator('quiz-card[name="why-split"]')


def test_every_answer_has_its_own_feedback(quiz: Locator) -> None:
    said = set()
    answer = quiz.locator("[data-feedback]")
    expect(answer).to_have_attribute("aria-live", "polite")
    for choice in quiz.get_by_role("radio").all():
        choice.check()
        expect(answer).to_be_empty()
        quiz.locator("button[data-action=check]").click()
        written = quiz.locator(f'[data-feedback-for="{choice.get_attribute("value")}"]')
        expect(answer).to_have_text(written.text_content() or "")
        said.add(answer.text_content())
    assert len(said) == 4


def test_it_works_by_keyboard_alone(lesson: Visit, quiz: Locator) -> None:
    keyboard = lesson.page.keyboard
    quiz.get_by_role("radio").nth(0).focus()
    keyboard.press("ArrowDown")
    expect(quiz.get_by_role("radio").nth(1)).to_be_checked()
    keyboard.press("Tab")
    expect(quiz.locator("button[data-action=check]")).to_be_focused()
    keyboard.press("Enter")
    expect(quiz.locator("[data-feedback]")).to_have_attribute("data-verdict", "right")


def test_checking_without_a_choice_says_what_to_do(lesson: Visit) -> None:
    quiz = lesson.page.locator('quiz-card[name="what-grows"]')
    quiz.locator("button[data-action=check]").click()
    expect(quiz.locator("[data-feedback]")).to_have_text("Choose an answer first.")


def test_a_right_answer_is_remembered(fresh_lesson: Visit) -> None:
    page = fresh_lesson.page
    kept = "() => Object.keys(localStorage).filter((key) => key.endsWith(':answered'))"
    for choice in page.locator('quiz-card[name="why-split"]').get_by_role("radio").all():
        assert page.evaluate(kept) == []
        choice.check()
        page.locator('quiz-card[name="why-split"] button[data-action=check]').click()
        if page.locator('quiz-card[name="why-split"] .feedback[data-verdict="right"]').count():
            break
    assert [key.rpartition(":31")[2] for key in page.evaluate(kept)] == [
        "-multi-head-attention:why-split:answered"
    ]
