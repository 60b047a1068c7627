"""Turn lessons into pages: the only module that knows Jinja2. Pure, apart from reading the templates."""

from __future__ import annotations

import traceback
from pathlib import Path, PurePath
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    pass_context,
)
from jinja2.runtime import Context
from markupsafe import Markup, escape

from sitebuilder.errors import BuildError
from sitebuilder.faults import decode_source
from sitebuilder.heatmap import script_json
from sitebuilder.highlight import highlight_python, preformatted
from sitebuilder.lines import well_formed
from sitebuilder.markdown import render_markdown
from sitebuilder.memory import Memory
from sitebuilder.model import Cell, Exercise, Lesson, Markdown, Quiz, Section, Stream
from sitebuilder.pages import (
    Ingredients,
    Page,
    index_page,
    lesson_page,
    missing_page,
    notices_page,
    page_sources,
)
from sitebuilder.site import Site


def render_site(made: Ingredients, memory: Memory) -> dict[str, str]:
    """Every page of the site, by its path below the site's root. Raises BuildError for a faulty template."""
    site = made.site
    templates = _sources(site.folders.templates)
    env = memory.recall("templates", templates, lambda: environment(site.folders.templates))

    def render(template: str, page: Page, **more: Any) -> str:
        return well_formed(env.get_template(template).render(site=site, page=page, **more))

    def render_lesson(lesson: Lesson) -> str:
        return memory.recall(
            ("page", lesson.slug),
            (templates, *page_sources(made, lesson)),
            lambda: render("lesson.html", lesson_page(made, lesson), lesson=lesson),
        )

    try:
        return {
            "index.html": render("index.html", index_page(made)),
            **{f"{lesson.slug}/index.html": render_lesson(lesson) for lesson in site.lessons},
            "notices/index.html": render("notices.html", notices_page(made)),
            "404.html": render("404.html", missing_page(made)),
        }
    except Exception as error:
        if fault := _template_fault(error, site.folders.templates):
            raise BuildError(fault) from error
        raise


def _sources(templates: Path) -> dict[str, bytes]:
    """What the templates say now."""
    files = (path for path in templates.rglob("*") if path.is_file())
    return {str(path.relative_to(templates)): path.read_bytes() for path in files}


def _template_fault(error: Exception, templates: Path) -> str | None:
    """What is wrong with a template, as a sentence; None if the builder's own code raised this."""
    what = " ".join(str(error).split())
    if isinstance(error, TemplateSyntaxError):
        return f"templates/{error.name}:{error.lineno}: {error.message}; correct the template"
    if isinstance(error, UnicodeDecodeError):
        for file in sorted(templates.rglob("*.html")):
            decode_source(file.read_bytes(), PurePath("templates", file.relative_to(templates)))
        return None
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if Path(frame.filename).is_relative_to(templates)]
    ours = Path(frames[-1].filename).parent == Path(__file__).parent
    if isinstance(error, TemplateNotFound):
        what = f"there is no template {error.name}"
    elif not isinstance(error, TemplateError):
        if ours or not places:
            return None
        what = f"{type(error).__name__}: {what}"
    if not places:
        return f"In {templates}: {what}; bring it back or correct the template that names it"
    name = Path(places[-1].filename).relative_to(templates).as_posix()
    return f"templates/{name}:{places[-1].lineno}: {what}; correct the template"


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
        "exercise": lambda block: isinstance(block, Exercise),
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
