"""The Markdown of lessons: one parser for reading, and one renderer that turns its tokens into HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup
from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from sitebuilder.citations import citation_html, citation_plugin
from sitebuilder.containers import container_plugin
from sitebuilder.highlight import highlight_python, preformatted
from sitebuilder.model import Markdown, Reference
from sitebuilder.notation import NO_NOTATION, Notation, colour_mathml

_LOCATED = (
    "link",
    "image",
    "backticks",
    "math_inline",
    "html_inline",
    "autolink",
    "footnote_ref",
    "citation",
)
_EXTERNAL = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_TOUCHING = re.compile(r"([(“‘]*)(<math\b.*?</math>)([).,;:!?’”…]*)", re.DOTALL)
_SVG_TAG = re.compile(r"<svg\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What the HTML of Markdown needs besides its tokens.

    `mathml` maps (TeX, display) to MathML as `typeset` made it. `svgs` maps an image's `src` to the text of
    the SVG file, which is then inlined, so that it takes the theme's colours. `references` are by key, and
    `titles` name the course's lessons by slug, for links without words of their own.
    """

    mathml: Mapping[tuple[str, bool], str] = field(default_factory=dict)
    notation: Notation = NO_NOTATION
    svgs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, Reference] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)


Renderer = Callable[[Token, RenderContext], str]


@cache
def make_parser() -> MarkdownIt:
    """The process's one parser: CommonMark with tables, formulas, footnotes, attributes and `:::` blocks.

    Tokens of formulas, links, images and code know where they stand: `meta["start"]` and `meta["end"]` are
    positions in the content of their inline token.
    """
    md = MarkdownIt("commonmark", {"html": True, "typographer": True})
    md.enable(["table", "smartquotes"])
    # "$ 5 and 6 $" and "$5 or $6" are money; `$$` inside a paragraph is read so that it can be refused.
    dollarmath_plugin(md, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    footnote_plugin(md, inline=False)
    attrs_plugin(md, spans=True)
    attrs_block_plugin(md)
    container_plugin(md)
    citation_plugin(md)
    for inline in md.inline.ruler.__rules__:
        if inline.name in _LOCATED:
            md.inline.ruler.at(inline.name, _located(inline.fn))
    (math,) = (rule for rule in md.block.ruler.__rules__ if rule.name == "math_block")
    (note,) = (rule for rule in md.block.ruler.__rules__ if rule.name == "footnote_def")
    note.fn = _placed(note.fn)
    math.fn, math.alt = _interrupting(math.fn), ["paragraph", "reference", "blockquote", "list"]
    for name, render in _RENDERERS.items():
        md.add_render_rule(name, _as_rule(render))
    return md


def render_markdown(md: Markdown, context: RenderContext) -> Markup:
    """The HTML of a piece of Markdown. Formulas must be in `context.mathml` (KeyError otherwise)."""
    parser = make_parser()
    html = parser.renderer.render(list(md.tokens), parser.options, {"context": context})
    return Markup(_TOUCHING.sub(_unbroken, html))


def _unbroken(found: re.Match[str]) -> str:
    """Browsers may break a line on either side of a formula, even before a sentence’s full stop."""
    before, _, after = found.groups()
    return f'<span class="unbroken">{found[0]}</span>' if before or after else found[0]


def tex_of(token: Token) -> tuple[str, bool]:
    """The key of a formula token: its TeX without surrounding space, and whether it is displayed."""
    return token.content.strip(), token.type != "math_inline"


def plain_text(tokens: Sequence[Token]) -> str:
    """The words of inline tokens without markup: for alternative text, ids and messages."""
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline", "math_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.children:
            parts.append(plain_text(token.children))
    return "".join(parts).strip()


def _located(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def run(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        done = rule(state, silent)
        if done and not silent and len(state.tokens) > count:
            state.tokens[count].meta.setdefault("start", start)
            state.tokens[-1].meta["end"] = state.pos
        return done

    return run


def _placed(rule: Callable[[StateBlock, int, int, bool], bool]) -> Callable[..., bool]:
    """The plugin's rule for footnotes, which also keeps where each is defined: (label, line from 1)."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        before = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
        done = rule(state, start, end, silent)
        if done and not silent:
            label = before.partition("]:")[0].removeprefix("[^")
            state.env.setdefault("footnote_places", []).append((label, start + 1))
        return done

    return run


def _interrupting(rule: Callable[[StateBlock, int, int, bool], bool]) -> Callable[..., bool]:
    """The plugin's rule for `$$`, fit to end a paragraph: asked in silence, it must leave no trace."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        line, count = state.line, len(state.tokens)
        done = rule(state, start, end, silent)
        if silent:
            state.line = line
            del state.tokens[count:]
        return done

    return run


def _as_rule(render: Renderer) -> Callable[..., str]:
    def rule(
        _self: object, tokens: Sequence[Token], index: int, _options: object, env: Mapping[str, Any]
    ) -> str:
        return render(tokens[index], env["context"])

    return rule


# Render rules, each from a token to its HTML.


def _math_inline(token: Token, context: RenderContext) -> str:
    return colour_mathml(context.mathml[tex_of(token)], context.notation)


def _math_block(token: Token, context: RenderContext) -> str:
    # Focusable, because a wide formula scrolls. A group, because role=math would hide the MathML inside.
    mathml = _math_inline(token, context)
    return f'<div class="math-display" tabindex="0" role="group" aria-label="Formula">{mathml}</div>\n'


def _code_inline(token: Token, context: RenderContext) -> str:
    classes = f"{token.attrGet('class') or ''} {context.notation.css_class(token.content)}".strip()
    attributes = {**token.attrs, **({"class": classes} if classes else {})}
    return f"<code{_attributes(attributes)}>{escape(token.content)}</code>"


def _fence(token: Token, context: RenderContext) -> str:
    source = token.content.removesuffix("\n")
    language = token.info.strip()
    code = highlight_python(source, context.notation) if language == "python" else preformatted(source)
    attributes = {**token.attrs, "class": f"code {token.attrGet('class') or ''}".strip(), "tabindex": "0"}
    kind = _attributes({"data-language": language}) if language else ""
    return f"<pre{_attributes(attributes)}><code{kind}>{code}</code></pre>\n"


def _html(token: Token, _context: RenderContext) -> str:
    """Raw HTML without its comments, which are an author's notes and no reader's."""
    return _COMMENT.sub("", token.content)


def _heading_open(token: Token, _context: RenderContext) -> str:
    anchor = _attributes({"class": "anchor", "href": f"#{token.attrGet('id') or ''}"})
    return f"<{token.tag}{_attributes(token.attrs)}><a{anchor}>"


def _heading_close(token: Token, _context: RenderContext) -> str:
    return f"</a></{token.tag}>\n"


def _link_open(token: Token, _context: RenderContext) -> str:
    attributes = dict(token.attrs)
    if _EXTERNAL.match(str(attributes.get("href", ""))):
        attributes.setdefault("rel", "noopener")
    return f"<a{_attributes(attributes)}>"


def _citation(token: Token, context: RenderContext) -> str:
    return citation_html(token.meta["items"], context.references)


def _lesson_title(token: Token, context: RenderContext) -> str:
    return escape(context.titles.get(token.content, token.content))


def _table_open(token: Token, _context: RenderContext) -> str:
    return (
        '<div class="table-scroll" tabindex="0" role="group" aria-label="Table">\n'
        f"<table{_attributes(token.attrs)}>\n"
    )


def _table_close(_token: Token, _context: RenderContext) -> str:
    return "</table>\n</div>\n"


def _th_open(token: Token, _context: RenderContext) -> str:
    return f"<th{_attributes({'scope': 'col', **token.attrs})}>"


def _image(token: Token, context: RenderContext) -> str:
    alt = plain_text(token.children or ())
    src = str(token.attrs["src"])
    svg = context.svgs.get(src)
    rest = {key: value for key, value in token.attrs.items() if key not in ("src", "alt")}
    if svg is not None:
        return _inline_svg(svg, {**rest, "role": "img", "aria-label": alt})
    return f"<img{_attributes({'src': src, 'alt': alt, 'loading': 'lazy', 'decoding': 'async', **rest})}>"


def _inline_svg(svg: str, attributes: Mapping[str, str | int | float]) -> str:
    """The `<svg>` element of a file (whose prolog HTML cannot hold), with these attributes on it."""
    match = _SVG_TAG.search(svg)
    if not match:
        return ""
    own = {name: double or single for name, double, single in _ATTRIBUTE.findall(match[1])}
    merged = {name: value for name, value in own.items() if not name.startswith("xmlns")}
    classes = f"{own.get('class', '')} {attributes.get('class', '')}".strip()
    kept = "".join(
        f' {name}="{value}"' for name, value in merged.items() if name not in (*attributes, "class")
    )
    added = _attributes({**attributes, **({"class": classes} if classes else {})})
    end = svg.rfind("</svg>")
    return f"<svg{kept}{added}>{svg[match.end() : end if end >= 0 else None]}</svg>"


def _footnote_block_open(_token: Token, _context: RenderContext) -> str:
    return '<section class="footnotes" aria-label="Footnotes">\n<ol>\n'


def _footnote_ref(token: Token, _context: RenderContext) -> str:
    number, mark = _footnote_names(token)
    return f'<sup class="footnote-ref"><a href="#fn{number}" id="fnref{mark}">{number}</a></sup>'


def _footnote_anchor(token: Token, _context: RenderContext) -> str:
    number, mark = _footnote_names(token)
    label = f"Back to the text of footnote {number}"
    return f' <a class="footnote-back" href="#fnref{mark}" aria-label="{label}">\u21a9\ufe0e</a>'


def _footnote_names(token: Token) -> tuple[int, str]:
    number, repeat = token.meta["id"] + 1, token.meta.get("subId", 0)
    return number, f"{number}-{repeat + 1}" if repeat else str(number)


def _attributes(attributes: Mapping[str, str | int | float]) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items())


_RENDERERS: dict[str, Renderer] = {
    "math_inline": _math_inline,
    "math_block": _math_block,
    "code_inline": _code_inline,
    "fence": _fence,
    "html_block": _html,
    "html_inline": _html,
    "heading_open": _heading_open,
    "heading_close": _heading_close,
    "link_open": _link_open,
    "citation": _citation,
    "lesson_title": _lesson_title,
    "table_open": _table_open,
    "table_close": _table_close,
    "th_open": _th_open,
    "image": _image,
    "footnote_block_open": _footnote_block_open,
    "footnote_ref": _footnote_ref,
    "footnote_anchor": _footnote_anchor,
}
