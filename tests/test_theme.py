"""A course may choose its colours; what is none, or leaves text too faint, is refused where it stands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sitebuilder.colour import Colour, contrast, parse_colour
from sitebuilder.errors import LessonErrors
from sitebuilder.theme import KEYS, PageColours, overrides, read_tokens, theme_faults
from tests.project import ROOT
from tests.workbench import COURSE, Bench, lesson

TOKENS = ROOT / "static/css/tokens.css"
CSS = TOKENS.read_text(encoding="utf-8")


def colour(text: str) -> Colour:
    found = parse_colour(text)
    assert found
    return found


@pytest.mark.parametrize(
    ("text", "as_hex"),
    [
        ("#fff", "#ffffff"),
        ("#2B4c9b", "#2b4c9b"),
        ("oklch(0 0 0)", "#000000"),
        ("oklch(100% 0 0)", "#ffffff"),
        ("oklch(0.62796 0.25768 29.234)", "#ff0000"),
        ("oklch(0.45201 0.31321 264.05)", "#0000ff"),
    ],
)
def test_a_colour_is_read_as_css_reads_it(text: str, as_hex: str) -> None:
    assert colour(text).hex() == as_hex


@pytest.mark.parametrize(
    "text", ["", "blue", "#12", "#12345", "rgb(1 2 3)", "oklch(2 0 0)", "var(--x)", "#fff}"]
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_colour(text) is None


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000", "#fff", 21.0), ("#777", "#fff", 4.48), ("#767676", "#fff", 4.54), ("#fff", "#fff", 1.0)],
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    assert contrast(colour(one), colour(other)) == pytest.approx(ratio, abs=0.01)


def test_the_site_s_own_colours_are_all_read_and_stand_out() -> None:
    assert len(read_tokens(CSS)) == CSS.count("light-dark(") + CSS.count(": var(--accent") + 1
    assert list(theme_faults({}, "", Path("course.toml"), CSS, Path("tokens.css"))) == []


def test_a_faint_token_is_told_at_its_line() -> None:
    css = CSS.replace("--ink-faint: light-dark(oklch(0.51", "--ink-faint: light-dark(oklch(0.7")
    [fault] = theme_faults({}, "", Path("course.toml"), css, Path("tokens.css"))
    assert css.splitlines()[fault.line - 1].strip().startswith("--ink-faint")
    assert fault.problem.startswith("in light mode --ink-faint on --paper has a contrast of 2.")
    assert fault.remedy == "make `--ink-faint` darker"


def test_the_shades_of_a_chosen_colour_follow_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    theme = '[theme]\naccent = { light = "#8b1e3f", dark = "oklch(0.8 0.1 5)" }\n'
    bench.write({"course.toml": COURSE + theme, "01-first/lesson.md": lesson(1)})
    bench.build()
    for page in ("index.html", "01-first/index.html"):
        assert "<style>:root{--accent:light-dark(oklch(0." in bench.page(page)
        assert "--accent-wash:light-dark(oklch(0.950 " in bench.page(page)


def test_without_a_theme_pages_say_only_the_colour_of_their_paper(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write({"01-first/lesson.md": lesson(1)})
    bench.build()
    assert "--accent" not in bench.page("index.html")
    colours = PageColours.of({}, CSS)
    assert f'content="{colours.light}"' in bench.page("index.html")
    assert f'content="{colours.dark}"' in bench.page("index.html")


@pytest.mark.parametrize(
    ("theme", "said"),
    [
        (
            'acent = { light = "#222", dark = "#eee" }',
            "unknown key `acent` in the theme; did you mean `accent`?",
        ),
        ('accent = { light = "#222" }', "`accent` has no colour for dark"),
        ('accent = { light = "#222", dark = "#eee", dusk = "#777" }', "unknown key `dusk` of `accent`"),
        ('accent = { light = "navy", dark = "#eee" }', "`navy` is no colour that can be used here"),
        ('accent = "#222"', "`accent` needs a colour for light and one for dark"),
        (
            'accent = { light = "#c9c9c9", dark = "#eee" }',
            "in light mode --accent on --accent-wash has a contrast of",
        ),
        ('ink = { light = "#222", dark = "#444" }', "in dark mode --ink"),
        ('paper = { light = "#888", dark = "#111" }', "make `paper` lighter"),
    ],
)
def test_a_theme_that_cannot_be_used_is_refused(tmp_path: Path, theme: str, said: str) -> None:
    bench = Bench(tmp_path)
    bench.write({"course.toml": f"{COURSE}[theme]\n{theme}\n", "01-first/lesson.md": lesson(1)})
    with pytest.raises(LessonErrors) as caught:
        bench.build(check=True)
    [fault] = caught.value.errors
    assert said in str(fault)
    assert str(fault).startswith("lessons/course.toml:8: ")


def test_every_token_that_a_theme_changes_exists() -> None:
    grey = {"light": "#555", "dark": "#ccc"}
    changed = overrides({"accent": grey, "ink": grey, "paper": grey})
    assert changed.keys() <= read_tokens(CSS).keys()


def test_the_theme_that_readme_shows_can_be_used() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    source = "[theme]" + readme.split("```toml\n[theme]")[1].split("```")[0]
    theme = tomllib.loads(source)["theme"]
    assert theme.keys() == set(KEYS)
    assert list(theme_faults(theme, source, Path("course.toml"), CSS, TOKENS)) == []
