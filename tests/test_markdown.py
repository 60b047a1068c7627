"""What Markdown becomes in the page."""

from __future__ import annotations

import pytest

from sitebuilder.markdown import RenderContext, render_markdown
from sitebuilder.model import Markdown
from sitebuilder.notation import Notation
from tests.test_parse import lesson

SVG = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<!-- made by hand -->\n'
    '<svg xmlns="http://www.w3.org/2000/svg" class="wide" viewBox="0 0 9 9"><path d="M0 0"/></svg>\n'
)
CONTEXT = RenderContext(
    mathml={("Q", False): "<math><mi>Q</mi></math>", ("Q", True): '<math display="block"><mi>Q</mi></math>'},
    notation=Notation.of({"query": ("Q",)}),
    svgs={"shapes.svg": SVG},
)


def render(body: str) -> str:
    return "".join(
        render_markdown(b, CONTEXT) for b in lesson(body).blocks if isinstance(b, Markdown)
    ).strip()


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("*a* **b**", "<p><em>a</em> <strong>b</strong></p>"),
        ('"It\'s" -- so', "<p>“It’s” -- so</p>"),
        ("$Q$", '<p><math><mi class="sym-query">Q</mi></math></p>'),
        (
            "so ($Q$), and $Q$ too",
            '<p>so <span class="unbroken">(<math><mi class="sym-query">Q</mi></math>),</span>'
            ' and <math><mi class="sym-query">Q</mi></math> too</p>',
        ),
        (
            "$$\nQ\n$$",
            '<div class="math-display" tabindex="0" role="group" aria-label="Formula">'
            '<math display="block"><mi class="sym-query">Q</mi></math></div>',
        ),
        (
            "`Q` `Q.T` `<x>`",
            '<p><code class="sym-query">Q</code> <code>Q.T</code> <code>&lt;x&gt;</code></p>',
        ),
        ("[queries]{.q}", '<p><span class="q">queries</span></p>'),
        ("{.lead}\nText", '<p class="lead">Text</p>'),
        ("## The *idea*", '<h2 id="the-idea"><a class="anchor" href="#the-idea">The <em>idea</em></a></h2>'),
        ("[a](../30-x/)", '<p><a href="../30-x/">a</a></p>'),
        (
            "<https://example.org>",
            '<p><a href="https://example.org" rel="noopener">https://example.org</a></p>',
        ),
        (
            '[a](https://example.org "t")',
            '<p><a href="https://example.org" title="t" rel="noopener">a</a></p>',
        ),
        (
            "[a](HTTPS://example.org){.x}",
            '<p><a href="HTTPS://example.org" class="x" rel="noopener">a</a></p>',
        ),
        (
            "![A *fine* $Q$](a.png)",
            '<p><img src="a.png" alt="A fine Q" loading="lazy" decoding="async"></p>',
        ),
        (
            '![Heads & "tails"](shapes.svg){.big}',
            '<p><svg viewBox="0 0 9 9" class="wide big" role="img" '
            'aria-label="Heads &amp; &quot;tails&quot;">'
            '<path d="M0 0"/></svg></p>',
        ),
        (
            "```python\nQ = 1\n```",
            '<pre class="code" tabindex="0"><code data-language="python">'
            '<span class="sym-query">Q</span> = <span class="n">1</span></code></pre>',
        ),
        (
            "```text\n<Q>\n```",
            '<pre class="code" tabindex="0"><code data-language="text">&lt;Q&gt;</code></pre>',
        ),
        ("~~~\nplain\n~~~", '<pre class="code" tabindex="0"><code>plain</code></pre>'),
        ("<kbd>Esc</kbd>", "<p><kbd>Esc</kbd></p>"),
        (
            "| a | b |\n|:--|--:|\n| 1 | $Q$ |",
            '<div class="table-scroll" tabindex="0" role="group" aria-label="Table">\n'
            "<table>\n<thead>\n<tr>\n"
            '<th scope="col" style="text-align:left">a</th>\n'
            '<th scope="col" style="text-align:right">b</th>\n'
            '</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align:left">1</td>\n'
            '<td style="text-align:right">'
            '<math><mi class="sym-query">Q</mi></math></td>\n</tr>\n</tbody>\n</table>\n</div>',
        ),
        (
            "Text\n$$\nQ\n$$\nmore",
            '<p>Text</p>\n<div class="math-display" tabindex="0" role="group" aria-label="Formula">'
            '<math display="block"><mi class="sym-query">Q</mi></math></div>\n<p>more</p>',
        ),
        (
            "One[^a], again[^a].\n\n[^a]: Note.",
            '<p>One<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>, '
            'again<sup class="footnote-ref"><a href="#fn1" id="fnref1-2">1</a></sup>.</p>\n'
            '<section class="footnotes" aria-label="Footnotes">\n<ol>\n'
            '<li id="fn1" class="footnote-item"><p>Note. '
            '<a class="footnote-back" href="#fnref1" aria-label="Back to the text of footnote 1">↩︎</a> '
            '<a class="footnote-back" href="#fnref1-2" '
            'aria-label="Back to the text of footnote 1">↩︎</a></p>\n'
            "</li>\n</ol>\n</section>",
        ),
    ],
)
def test_markdown_becomes_html(body: str, html: str) -> None:
    assert render(body + "\n") == html


def test_rendering_twice_gives_the_same() -> None:
    read = lesson("## A\n\n![x](shapes.svg){.big} [y](https://example.org) `Q`{.z}\n")
    (block,) = read.blocks
    assert isinstance(block, Markdown)
    assert render_markdown(block, CONTEXT) == render_markdown(block, CONTEXT)


def test_titles_answers_and_headings_are_inline() -> None:
    read = lesson(
        "## On $Q$\n\n::: note Why $Q$?\nx\n:::\n\n```quiz k\nW?\n\n- [ ] `Q` — No.\n- [x] $Q$ — Yes.\n```\n"
    )
    heading, title = read.headings[0].text, read.sections()[0].title
    choice = read.quizzes()[0].choices[0]
    assert title
    assert render_markdown(heading, CONTEXT) == 'On <math><mi class="sym-query">Q</mi></math>'
    formula = '<math><mi class="sym-query">Q</mi></math>'
    assert render_markdown(title, CONTEXT) == f'Why <span class="unbroken">{formula}?</span>'
    assert render_markdown(choice.text, CONTEXT) == '<code class="sym-query">Q</code>'
    assert render_markdown(choice.feedback, CONTEXT) == "<p>No.</p>\n"


def test_a_quiz_knows_the_link_definitions_of_its_lesson() -> None:
    read = lesson("```quiz k\nSee [the paper][p].\n\n- [ ] a — b\n- [x] c — d\n```\n\n[p]: ../30-x/\n")
    assert (
        render_markdown(read.quizzes()[0].question, CONTEXT)
        == '<p>See <a href="../30-x/">the paper</a>.</p>\n'
    )
