"""Turn lessons into pages: the only module that knows Jinja2. Pure, apart from reading the templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    pass_context,
)
from jinja2.runtime import Context
from markupsafe import Markup, escape

from sitebuilder.errors import BuildError
from sitebuilder.heatmap import script_json
from sitebuilder.highlight import highlight_python, preformatted
from sitebuilder.lines import well_formed
from sitebuilder.markdown import render_markdown
from sitebuilder.model import Cell, Markdown, Quiz, Section, Stream
from sitebuilder.pages import Ingredients, Page, index_page, lesson_page, missing_page, notices_page
from sitebuilder.site import Site


def render_site(made: Ingredients) -> dict[str, str]:
    """Every page of the site, by its path below the site's root. Raises BuildError for a faulty template."""
    site = made.site
    env = environment(site.folders.templates)

    def render(template: str, page: Page, **more: Any) -> str:
        return well_formed(env.get_template(template).render(site=site, page=page, **more))

    try:
        return {
            "index.html": render("index.html", index_page(made)),
            **{
                f"{lesson.slug}/index.html": render("lesson.html", lesson_page(made, lesson), lesson=lesson)
                for lesson in site.lessons
            },
            "notices/index.html": render("notices.html", notices_page(made)),
            "404.html": render("404.html", missing_page(made)),
        }
    except TemplateSyntaxError as error:
        raise BuildError(f"templates/{error.name}:{error.lineno}: {error.message}") from error
    except TemplateError as error:
        raise BuildError(f"A template in {site.folders.templates} is at fault: {error.message}") from error


def environment(templates: Path) -> Environment:
    """Jinja2 with escaping always on, undefined names refused, and the few filters that templates use.

    `markdown` and `highlight` look into `page.context`, because formulas and drawings belong to a page.
    """
    env = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters |= {
        "markdown": _markdown,
        "highlight": _highlight,
        "preformatted": pre_text,
        "script_json": script_json,
    }
    env.tests |= {
        "markdown": lambda block: isinstance(block, Markdown),
        "cell": lambda block: isinstance(block, Cell),
        "quiz": lambda block: isinstance(block, Quiz),
        "section": lambda block: isinstance(block, Section),
        "stream": lambda output: isinstance(output, Stream),
    }
    return env


@pass_context
def _markdown(context: Context, text: Markdown) -> Markup:
    return render_markdown(text, context["page"].context)


@pass_context
def _highlight(context: Context, source: str) -> Markup:
    return highlight_python(source, context["page"].context.notation)


def pre_text(text: str) -> Markup:
    """Text for a `<pre>`, whose first line break HTML would swallow."""
    return Markup("\n" if text.startswith("\n") else "") + preformatted(text)


def sitemap(site: Site) -> str | None:
    """sitemap.xml, or None while nobody knows the site's public address (the format wants full URLs)."""
    if site.url is None:
        return None
    urls = [site.url, *(f"{site.url}{lesson.slug}/" for lesson in site.lessons)]
    body = "".join(f"  <url><loc>{escape(url)}</loc></url>\n" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{body}</urlset>\n'
    )
