"""Highlighting keeps every character and marks the course's notation."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from sitebuilder.highlight import highlight_python
from sitebuilder.notation import Notation

NOTATION = Notation.of({"query": ("Q",), "weights": ("weights",)})


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def text_content(html: str) -> str:
    """What a browser reads as the text of this HTML: it makes bare carriage returns newlines first."""
    reader = _Text()
    reader.feed(str(html).replace("\r\n", "\n").replace("\r", "\n"))
    reader.close()
    return reader.text


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n",
        "\n\n  x = 1  \n\n",
        "x = 1",
        "\tif a:\n\t\tb\t=\t1",
        "a = 1\r\nb = 2\rc = 3",
        "  trailing   \n   ",
        "s = '<b>&amp;</b>' + \"</script>\"",
        "# é 日本 🧠 \u200b\u2028 ∑",
        "\ufeffx = 1",
        "x = = ? $ `",
        "'''never closed",
        'f"{Q!r:>{width}} {{}}"',
        "%pip install einops",
        "@decorate\nasync def f(*, x: int = 0o17) -> None: ...",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize("notation", [NOTATION, Notation({})])
def test_the_text_of_the_html_is_the_source(source: str, notation: Notation) -> None:
    assert text_content(highlight_python(source, notation)) == source


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("return x", '<span class="k">return</span> x'),
        ("a not in b", 'a <span class="k">not</span> <span class="k">in</span> b'),
        (
            "'a' 1.5 None",
            '<span class="s">&#39;a&#39;</span> <span class="n">1.5</span> <span class="k">None</span>',
        ),
        ("x # why", 'x <span class="c"># why</span>'),
        ("def attend(self):", '<span class="k">def</span> <span class="f">attend</span>(self):'),
        ("class Head:", '<span class="k">class</span> <span class="f">Head</span>:'),
        ("print(ValueError)", '<span class="b">print</span>(<span class="b">ValueError</span>)'),
        ("Q @ Qx", '<span class="sym-query">Q</span> @ Qx'),
        (
            "f(weights=w.weights)",
            'f(<span class="sym-weights">weights</span>=w.<span class="sym-weights">weights</span>)',
        ),
        ("'Q' # Q", '<span class="s">&#39;Q&#39;</span> <span class="c"># Q</span>'),
    ],
)
def test_tokens_have_short_classes(source: str, html: str) -> None:
    assert highlight_python(source, NOTATION) == html
