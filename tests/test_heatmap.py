"""The heat map that the build draws: the browser's labels and sentences, light, and safe to embed."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitebuilder.headwords import comparison, head_words
from sitebuilder.heatmap import (
    HeatMapView,
    LargeMapView,
    heatmap_view,
    label_length,
    score_limit,
    script_json,
    shown_token,
)
from tests.project import ROOT

CASES = json.loads((ROOT / "tests/js/heatmap-cases.json").read_text(encoding="utf-8"))
"""What must come out the same here and in static/js/frame.js."""

WORDS = ["The", "animal", "did", "n't", "cross", "the", "street", "because", "it", "was", "too", "tired"]


def frame(h: int = 4, tokens: list[str] = WORDS, **changes: Any) -> dict[str, Any]:
    """A frame of softmaxed noise with a strong diagonal, as `lectern.display` makes them."""
    n = len(tokens)
    logits = np.random.default_rng(0).normal(size=(h, n, n)) + 4 * np.eye(n)
    weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)  # (h, n, n)
    return {
        "version": 2,
        "h": h,
        "nq": n,
        "nk": n,
        "queryTokens": tokens,
        "keyTokens": tokens,
        "weights": [[round(float(w), 6) for w in head.ravel()] for head in weights],
        "scores": None,
        "mask": None,
        "headLabels": None,
        "checks": [],
        **changes,
    }


def rendered(data: Mapping[str, Any], name: str = "heads") -> str:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return str(environment.get_template("_heatmap.html").module.heatmap(heatmap_view(data, name)))  # type: ignore[attr-defined]


def view_of(data: Mapping[str, Any], name: str = "m") -> HeatMapView:
    view = heatmap_view(data, name)
    assert isinstance(view, HeatMapView)
    return view


class Elements(HTMLParser):
    """The start tags of a page with their attributes, and the text of the data script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.script = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and not self.script:
            self.script = data

    def count(self, tag: str, **attributes: str) -> int:
        return sum(t == tag and attributes.items() <= a.items() for t, a in self.tags)


@pytest.mark.parametrize(("token", "shown"), CASES["shownToken"])
def test_tokens_become_visible_labels(token: str, shown: str) -> None:
    assert shown_token(token) == shown


@pytest.mark.parametrize(("tokens", "length"), CASES["labelLength"])
def test_the_longest_label_sets_the_room(tokens: list[str], length: int) -> None:
    assert label_length(tokens) == length


@pytest.mark.parametrize(("scores", "limit"), CASES["scoreLimit"])
def test_all_scores_share_one_scale(scores: list[list[float | None]], limit: float) -> None:
    assert score_limit(scores) == limit


@pytest.mark.parametrize(("weights", "mask", "words"), CASES["headWords"])
def test_a_head_is_a_sentence(weights: list[float | None], mask: list[int] | None, words: str) -> None:
    assert head_words(weights, mask or [], ["x", "y"], ["x", "y"])[0] == words


@pytest.mark.parametrize(("entropies", "words"), CASES["comparison"])
def test_heads_are_compared_by_their_entropy(entropies: list[float | None], words: str) -> None:
    assert comparison([math.nan if bits is None else bits for bits in entropies]) == words


def test_without_scripts_each_head_is_there_in_words() -> None:
    html = rendered(
        frame(2, ["a", "b"], weights=[[1, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]], headLabels=["same", ""])
    )
    assert re.findall("<li>(.*?)</li>", html) == [
        "Head 1, same: strongest \u2068a\u2069 → \u2068a\u2069, 1.00; entropy 0.00 of at most 1.00 bits.",
        "Head 2: strongest \u2068a\u2069 → \u2068a\u2069, 0.50; entropy 1.00 of at most 1.00 bits.",
        "Head 1 is the most pointed, head 2 the most even.",
    ]


def test_scores_and_a_mask_make_three_stages() -> None:
    data = frame(1, ["a", "b"], scores=[[2.0, -4.0, 0.01, 1.0]], mask=[0, 1, 0, 0])
    stages = view_of(data).stages
    assert stages
    assert [(level.weight, level.path, level.negative) for level in stages.levels] == [
        ("1", "M1 0h1v1h-1z", True),
        (".25", "M1 1h1v1h-1z", False),
        (".5", "M0 0h1v1h-1z", False),
    ]
    html = rendered(data)
    names = re.findall("<b>(\\w+)</b>", html)
    assert names == ["scores", "masked", "weights"]
    assert "--stages:3" in html


def test_without_a_mask_there_are_two_stages() -> None:
    html = rendered(frame(1, ["a", "b"], scores=[[2.0, -4.0, 0.01, 1.0]]))
    assert re.findall("<b>(\\w+)</b>", html) == ["scores", "weights"]


def test_a_figure_of_three_stages_and_ten_tokens_weighs_at_most_four_kilobytes_compressed() -> None:
    scores = np.random.default_rng(1).normal(size=100).round(4)
    data = frame(
        1, WORDS[:10], scores=[scores.tolist()], mask=np.triu(np.ones((10, 10), int), 1).ravel().tolist()
    )
    assert len(gzip.compress(rendered(data).encode(), 9)) <= 4_000


def test_cells_of_one_shade_are_one_path_and_zero_is_the_page() -> None:
    view = view_of(
        frame(1, ["a", "b", "c"], weights=[[0.5, 0.501, 0.0, 1.0, 0.0, 0.004, 0.5, None, 0.2]]), "m"
    )
    assert [(level.weight, level.path) for level in view.heads[0].levels] == [
        (".2", "M2 2h1v1h-1z"),
        (".5", "M0 0h2v1h-2zM0 2h1v1h-1z"),
        ("1", "M0 1h1v1h-1z"),
    ]
    assert view.heads[0].broken == "M1.2 2.2l.6 .6m0-.6l-.6 .6"


@pytest.mark.parametrize(("weight", "shown"), [(-0.2, []), (1.7, ["1"]), (0.995, ["1"]), (0.994, [".99"])])
def test_shades_stay_within_the_scale(weight: float, shown: list[str]) -> None:
    view = view_of(frame(1, ["a"], weights=[[weight]]), "m")
    assert [level.weight for level in view.heads[0].levels] == shown


def test_tables_give_two_decimals_and_name_what_is_no_weight() -> None:
    view = view_of(frame(1, ["a", "b"], weights=[[1.0, 0.0, None, 0.666666]], mask=[0, 1, 0, 0]), "m")
    assert view.heads[0].rows == (("1.00", "masked"), ("NaN", "0.67"))
    assert view.masked == "M1 0h1v1h-1z"


def test_every_head_has_its_picture_and_its_table() -> None:
    page = Elements(rendered(frame(headLabels=["previous", "same", "subject", "broad"])))
    assert page.count("div", **{"class": "hm-head"}) == 4
    assert page.count("table") == 4
    assert page.count("th", scope="row") == 4 * 12
    assert page.count("th", scope="col") == 4 * 13
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert page.count("use", href="#hm-heads-1") == 1


@pytest.mark.parametrize(
    ("h", "n", "thumbnails", "tabs", "names", "tables"),
    [
        (1, 12, True, False, 1, 1),
        (4, 12, True, True, 4, 4),
        (16, 12, True, True, 16, 16),
        (24, 12, False, False, 1, 24),
    ],
)
def test_large_frames_do_not_make_the_page_heavy(
    h: int, n: int, thumbnails: bool, tabs: bool, names: int, tables: int
) -> None:
    view = view_of(frame(h, [f"t{i}" for i in range(n)]), "m")
    assert (view.thumbnails, view.tabs, len(view.named), len(view.tabled)) == (
        thumbnails,
        tabs,
        names,
        tables,
    )
    assert view.heads[0].levels


@pytest.mark.parametrize(("h", "n"), [(16, 64), (72, 12)])
def test_what_is_too_much_for_a_page_is_drawn_when_the_cell_runs(h: int, n: int) -> None:
    large = frame(h, [f"t{i}" for i in range(n)])
    assert heatmap_view(large, "m") == LargeMapView("m", h, n, n)


def test_a_map_of_four_heads_and_twelve_tokens_weighs_at_most_six_kilobytes_compressed() -> None:
    assert len(gzip.compress(rendered(frame()).encode(), 9)) <= 6_000


def test_tokens_are_text_wherever_they_stand() -> None:
    hostile = ["</script><img src=x onerror=alert(1)>", "<b>&amp;", '"><svg onload=1>']
    html = rendered(frame(2, hostile))
    page = Elements(html)
    assert page.count("img") == 0
    assert [a for tag, a in page.tags if tag == "b" and "data-axis" not in a] == []
    assert not re.search(r"<svg[^>]*onload", html)
    assert json.loads(page.script)["queryTokens"] == hostile


def test_the_frame_in_the_page_is_the_frame_to_five_decimals() -> None:
    data = frame(2, ["a", "ü", "\u2028"])
    found = json.loads(Elements(rendered(data)).script)
    assert found["weights"] == [pytest.approx(head, abs=5e-6) for head in data["weights"]]
    assert found | {"weights": None} == data | {"weights": None}


def test_script_json_cannot_close_its_element() -> None:
    assert not re.search("[<>&]", script_json({"a": "</script>&<!--"}))


def test_another_version_of_the_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="version 1"):
        heatmap_view(frame(version=1), "m")


def test_what_was_found_wrong_is_said_below_the_picture() -> None:
    page = Elements(rendered(frame(1, ["a"], checks=[{"kind": "sum", "text": "Rows do not sum to 1."}])))
    assert page.count("strong", **{"class": "hm-note", "data-kind": "sum"}) == 1


@pytest.mark.parametrize("weights", [None, {"buffer": 0}])
def test_a_map_too_large_for_a_page_waits_for_the_run(weights: Any) -> None:
    data = frame(2, WORDS, weights=weights)
    assert heatmap_view(data, "m") == LargeMapView("m", 2, 12, 12)
    html = rendered(data)
    assert "Run the cell to draw this map: 2 heads of 12 × 12 weights." in html
    assert "<script" not in html
