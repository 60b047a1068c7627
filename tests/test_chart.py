"""Charts: what `show_chart` draws of numbers, how a run redraws one, what a page shows without scripts."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lectern.chart import BOTTOM, LEFT, MOST_POINTS, RIGHT, TOP, chart_frame
from lectern.display import CHART_MIME
from lectern.streams import MAX_DISPLAYS
from sitebuilder.model import CellRun, Display
from tests.cells import Page
from tests.workbench import Bench, lesson

HEADS = [1, 2, 4, 8, 16]


def test_lines_lie_between_the_axes() -> None:
    frame = chart_frame({"loss": [2.0, 0.0, 1.0]}, x="step", y="loss")
    assert frame["series"] == [
        {
            "kind": "line",
            "label": "loss",
            "path": f"M{LEFT:g} {TOP:g}L{(LEFT + RIGHT) / 2:g} {BOTTOM:g}L{RIGHT:g} {(TOP + BOTTOM) / 2:g}",
            "dots": [[LEFT, TOP], [(LEFT + RIGHT) / 2, BOTTOM], [RIGHT, (TOP + BOTTOM) / 2]],
        }
    ]
    assert [label for _, label in frame["y"]["ticks"]] == ["0", "0.5", "1", "1.5", "2"]


def test_places_on_the_x_axis_are_equally_far_apart() -> None:
    frame = chart_frame({"yours": {16: 0.7, 1: 0.5}}, ticks=HEADS, within=(0, 1))
    places = [place for place, _ in frame["x"]["ticks"]]
    assert [label for _, label in frame["x"]["ticks"]] == ["1", "2", "4", "8", "16"]
    assert {round(b - a, 1) for a, b in pairwise(places)} == {69.2}
    assert [x for x, _ in frame["series"][0]["dots"]] == [places[0], places[-1]]


def test_a_band_runs_along_its_upper_edge_and_back_along_the_lower() -> None:
    frame = chart_frame({}, bands={"runs": ([1, 2], [0.5, 0.5], [0.5, 0.25])}, within=(0, 1))
    at = [LEFT, RIGHT]
    middle, quarter = (TOP + BOTTOM) / 2, (BOTTOM - TOP) / 4
    corners = [(at[0], TOP), (at[1], middle - quarter), (at[1], middle + quarter), (at[0], BOTTOM)]
    assert frame["series"][0]["path"] == "M" + "L".join(f"{x:g} {y:g}" for x, y in corners) + "Z"
    assert frame["table"] == [["x", "runs"], ["1", "0.500 ± 0.500"], ["2", "0.500 ± 0.250"]]


def test_the_numbers_are_there_as_words_and_as_a_table() -> None:
    frame = chart_frame({"a": {1: 0.5, 2: 1}, "b": {2: 0.25}}, x="heads", y="right", title="Peak")
    assert frame["alt"] == "Peak. Chart of right against heads. a: 0.500 at 1, 1.000 at 2. b: 0.250 at 2."
    assert frame["table"] == [["heads", "a", "b"], ["1", "0.500", ""], ["2", "1.000", "0.250"]]


def test_a_long_line_is_thinned_and_keeps_its_ends() -> None:
    frame = chart_frame({"loss": [1 / (k + 1) for k in range(5_000)]}, y="loss")
    [line] = frame["series"]
    assert line["path"].count("L") == MOST_POINTS - 1
    assert line["path"].startswith(f"M{LEFT:g} {TOP:g}")
    assert (line["dots"], frame["table"]) == ([], [])
    assert frame["alt"].endswith("loss: ends at 0.000.")


def test_what_is_not_a_number_leaves_a_gap() -> None:
    path = chart_frame({"a": [1.0, float("nan"), 3.0, 4.0]})["series"][0]["path"]
    assert re.findall("[ML]", path) == ["M", "M", "L"]


@pytest.mark.parametrize("lines", [{}, {"a": []}, {"a": [1.0]}, {"a": [float("inf")]}])
def test_too_little_to_draw_is_an_empty_chart(lines: dict[str, Any]) -> None:
    assert len(chart_frame(lines)["y"]["ticks"]) > 1


@pytest.mark.parametrize(
    ("lines", "options", "kind", "message"),
    [
        ({"a": ["x"]}, {}, TypeError, "“a” must be numbers, not list"),
        ({"a": [[1, 2]]}, {}, ValueError, "one row of numbers; its shape is (1, 2)"),
        ({"a": {3: 1.0}}, {"ticks": HEADS}, ValueError, "ticks has no place for x = 3"),
        ({}, {"bands": {"b": [1, 2]}}, ValueError, "“b” must be three lists"),
        ({}, {"bands": {"b": ([1], [1, 2], [1])}}, ValueError, "“b” has 1 / 2 / 1 numbers"),
        ({str(k): [1] for k in range(7)}, {}, ValueError, "at most 6 lines and bands; 7 came"),
    ],
)
def test_what_does_not_fit_is_told(
    lines: dict[str, Any], options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        chart_frame(lines, **options)
    assert message in str(caught.value)


def test_a_chart_that_is_redrawn_a_thousand_times_sends_few_messages_and_its_last_state() -> None:
    source = "losses = []\nfor k in range(1000):\n    losses.append(k)\n    show_chart({'loss': losses[-3:]})"
    answer = Page().run(source)
    sent = [message for message in answer.messages if message["type"] == "display"]
    assert len(sent) < 100
    assert {(message["mime"], message["key"]) for message in sent} == {(CHART_MIME, "")}
    assert "997.000 at 1, 998.000 at 2, 999.000 at 3" in sent[-1]["data"]["alt"]


def test_charts_of_different_titles_count_as_figures() -> None:
    source = f"for k in range({MAX_DISPLAYS + 3}):\n    show_chart({{'a': [k]}}, title=f'{{k}}')"
    answer = Page().run(source)
    assert len(answer.values) == MAX_DISPLAYS
    assert "No more figures" in answer.text("stderr")


def test_a_page_shows_the_chart_before_any_script(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    frame = chart_frame({"<yours>": {1: 0.5, 2: 1}}, ticks=[1, 2], x="heads", title="Peak", guess="Where?")
    bench.write({"01-first/lesson.md": lesson(1)})
    bench.build(runs={"hello": CellRun("hello", (Display(CHART_MIME, frame, "Peak"),))})
    page = bench.page("01-first/index.html")
    assert '<line-chart data-key="Peak" data-question="Where?">' in page
    assert frame["series"][0]["path"] in page
    assert page.count("<circle") == 2
    assert '<tr><th scope="row">2</th><td>1.000</td></tr>' in page
    assert "<yours>" not in page
