"""A site that is built without its trained models: lesson 31 says so, and shows real heads all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.labs.record_maps import PICTURES, SENTENCES
from tests.project import build


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "dist"
    build(out, "--without-models")
    return out


def test_no_weights_are_served(site: Path) -> None:
    assert [*site.rglob("core-*.bin"), *site.rglob("rare-*.bin")] == []


def test_the_lesson_says_so_and_shows_recorded_heads(site: Path) -> None:
    page = (site / "31-multi-head-attention/index.html").read_text(encoding="utf-8")
    assert "was built without all-MiniLM-L6-v2, so this cell cannot run here" in page
    figure = page.split('id="figure-real-heads"')[1].split("</figure>")[0]
    assert figure.count("<svg") == figure.count('aria-label="Layer') == len(PICTURES)
    assert figure.count('<g transform="translate(') == len(SENTENCES) * sum(map(len, PICTURES.values()))
