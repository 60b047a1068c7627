"""The arrows and limits that keep the project readable: who imports whom, and where values live."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.project import ROOT, files

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

BROWSER_ONLY = {"js", "pyodide", "pyodide_js", "micropip"}
"""Modules that exist only inside Pyodide."""

LONG_FILES: dict[str, str] = {}
"""Files that may exceed MAX_LINES, each with its reason."""
MAX_LINES = 350


def read(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def python_imports(path: Path) -> Iterator[str]:
    """The dotted names that a Python file imports, at any depth of nesting."""
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the package's full name instead of dots"
            yield f"{node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def roots(path: Path) -> set[str]:
    """The top-level packages that a Python file imports from."""
    return {name.split(".")[0] for name in python_imports(path)}


def javascript(path: Path) -> str:
    """A JavaScript file without its comments (JSDoc types name modules too, but load nothing)."""
    return re.sub(r"/\*.*?\*/|(?<![:\"'`\w])//[^\n]*", "", read(path), flags=re.DOTALL)


def javascript_imports(path: Path) -> list[str]:
    """The module names in `import … from`, `export … from`, `import "…"` and `import("…")`."""
    return re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""", javascript(path))


def local_imports(path: Path) -> list[Path]:
    """The project's own modules among a JavaScript file's imports, as paths from ROOT."""
    names = (name for name in javascript_imports(path) if name.startswith("."))
    return [(ROOT / path.parent / name).resolve().relative_to(ROOT) for name in names]


def closure(start: Path) -> set[Path]:
    """Everything a JavaScript module loads, itself included."""
    seen: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += local_imports(path)
    return seen


@dataclass(frozen=True)
class Layer:
    name: str
    modules: frozenset[str]
    uses: frozenset[str]
    """The layers it may import from; always its own as well."""


def layers(place: str) -> list[Layer]:
    """The table that CONTRIBUTING.md has below the heading for this folder: layer, modules, layers used."""
    section = CONTRIBUTING.split(f"### `{place}`")[1].split("\n### ")[0].split("\n## ")[0]
    rows = [line[1:-1].split("|") for line in section.splitlines() if line.startswith("|")][2:]
    return [
        Layer(
            name.strip(),
            frozenset(re.findall(r"`([\w-]+)`", modules)),
            frozenset(re.split(r",\s*", uses.strip())),
        )
        for name, modules, uses in rows
    ]


def wrong_arrows(table: Sequence[Layer], imports: dict[str, set[str]]) -> list[str]:
    """A sentence for each module without a place, each place without a module, and each arrow not allowed."""
    layer_of = {module: layer for layer in table for module in layer.modules}
    return [
        *(f"{module} has no place in the table" for module in sorted(imports.keys() - layer_of.keys())),
        *(
            f"{module} is in the table and not in the folder"
            for module in sorted(layer_of.keys() - imports.keys())
        ),
        *(
            f"{module} ({layer_of[module].name}) imports {other} ({layer_of[other].name})"
            for module, others in sorted(imports.items())
            for other in sorted(others)
            if module in layer_of and other in layer_of
            if layer_of[other].name not in layer_of[module].uses | {layer_of[module].name}
        ),
    ]


def circles(imports: dict[str, set[str]]) -> list[str]:
    try:
        list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        return [str(module) for module in error.args[1]]
    return []


def package_imports(package: str) -> dict[str, set[str]]:
    """For each module of a Python package, its siblings that it imports."""
    paths = [path for path in files(f"py/{package}/*.py") if path.stem != "__init__"]
    names = {path.stem for path in paths}
    return {
        path.stem: {name.split(".")[1] for name in python_imports(path) if name.startswith(f"{package}.")}
        & names
        for path in paths
    }


PY = files("*.py")
JS = files("static/js/*.js", "static/js/*.mjs")


def script_imports() -> dict[str, set[str]]:
    return {path.stem: {other.stem for other in local_imports(path)} for path in JS}


@pytest.mark.parametrize(
    ("place", "imports"),
    [
        ("py/sitebuilder", package_imports("sitebuilder")),
        ("py/lectern", package_imports("lectern")),
        ("static/js", script_imports()),
    ],
    ids=["sitebuilder", "lectern", "scripts"],
)
def test_modules_import_as_the_table_in_contributing_says(place: str, imports: dict[str, set[str]]) -> None:
    wrong = wrong_arrows(layers(place), imports)
    assert not wrong, "\n".join(wrong)
    assert circles(imports) == []


def test_the_worker_loads_nothing_of_the_page() -> None:
    worker = {layer.name: layer.modules for layer in layers("static/js")}
    assert {path.stem for path in closure(Path("static/js/worker.js"))} <= worker["worker"] | worker[
        "messages"
    ]


def test_worker_modules_touch_no_document() -> None:
    dom = re.compile(r"\b(?:document|window|HTMLElement|customElements)\b")
    assert [path for path in closure(Path("static/js/worker.js")) if dom.search(javascript(path))] == []


def test_build_py_imports_only_sitebuilder() -> None:
    assert roots(Path("build.py")) - set(sys.stdlib_module_names) == {"sitebuilder"}


def test_sitebuilder_never_imports_lectern() -> None:
    importing = [path for path in files("py/sitebuilder/*.py") if "lectern" in roots(path)]
    assert importing == []


def test_lectern_needs_only_the_standard_library_and_numpy() -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "lectern"}
    foreign = {path.stem: roots(path) - allowed for path in files("py/lectern/*.py")}
    assert foreign.pop("bridge") <= BROWSER_ONLY
    assert {name: modules for name, modules in foreign.items() if modules} == {}


@pytest.mark.parametrize(
    ("owner", "what"),
    [
        ("editor.js", r"""["']@(?:codemirror|lezer)/"""),
        ("pack.js", r"""["']zstddec"""),
        ("shelf.js", r"\bcaches\b"),
        ("progress.js", r"\b(?:localStorage|sessionStorage)\b"),
        ("store.js", r"\bindexedDB\b"),
    ],
)
def test_one_module_alone_knows(owner: str, what: str) -> None:
    assert [path.name for path in JS if re.search(what, javascript(path))] == [owner]


def test_no_template_touches_storage() -> None:
    storage = re.compile(r"\b(?:localStorage|sessionStorage|indexedDB)\b")
    assert [path for path in files("templates/*") if storage.search(read(path))] == []


def test_scale_is_pure() -> None:
    assert javascript_imports(Path("static/js/scale.js")) == []


HEX = r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b"
FUNCTION = r"\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\((?=\s*[\d.])"
NAME = r"\b(?:white|black|gr[ae]y|red|green|blue|yellow|orange|purple|navy|teal|silver)\b"
LITERAL_COLOUR = {
    "css": rf":[^;{{}}]*(?:{HEX}|{FUNCTION}|{NAME}(?!-))",
    "js": rf"""["'`]{HEX}["'`]|{FUNCTION}""",
    "html": rf"""(?:fill|stroke|color|background)\s*[=:]\s*["']?(?:{HEX}|{NAME})|{FUNCTION}""",
}
COLOURFUL = [
    path
    for path in files("static/css/*.css", "static/js/*.js", "templates/*", "py/sitebuilder/*.py")
    if path.name != "tokens.css"
]


def literal_colours(path: Path) -> list[str]:
    text = javascript(path) if path.suffix in {".css", ".js"} else read(path)
    pattern = LITERAL_COLOUR.get(path.suffix.removeprefix("."), LITERAL_COLOUR["html"])
    return [match.group() for match in re.finditer(pattern, text)]


def test_colours_stand_only_in_tokens_css() -> None:
    assert {str(path): found for path in COLOURFUL if (found := literal_colours(path))} == {}


@pytest.mark.parametrize(
    ("language", "text", "literal"),
    [
        ("css", "a { color: #fff }", True),
        ("css", "a { border: 1px solid rgb(0 0 0) }", True),
        ("css", "a { background: white }", True),
        ("css", "#add { color: var(--ink) }", False),
        ("css", "a { background: color-mix(in oklab, var(--heat-hi) 40%, var(--heat-lo)) }", False),
        ("css", "a { white-space: pre; color: CanvasText }", False),
        ("js", 'context.fillStyle = "#1a2b3c";', True),
        ("js", "this.#add(1); location.hash = '#main';", False),
        ("html", '<rect fill="#000"/>', True),
        ("html", '<a href="#fade">&#39;</a> <rect fill="currentColor"/>', False),
    ],
)
def test_the_colour_scan_knows_a_literal(language: str, text: str, literal: bool) -> None:
    assert bool(re.search(LITERAL_COLOUR[language], text)) is literal


SOURCES = files("*.py", "*.js", "*.mjs", "*.css", "*.html", "*.j2", ".ci/run")


def test_files_stay_short() -> None:
    lengths = {str(path): read(path).count("\n") for path in SOURCES}
    long = {path: lines for path, lines in lengths.items() if lines > MAX_LINES}
    assert long.keys() == LONG_FILES.keys(), f"find the second noun and split: {long}"


def opens_with_a_sentence(path: Path) -> bool:
    if path.suffix == ".py":
        return bool(ast.get_docstring(ast.parse(read(path))))
    return read(path).lstrip().startswith("/*")


def test_every_module_opens_with_a_sentence() -> None:
    assert [str(path) for path in [*PY, *JS] if not opens_with_a_sentence(path)] == []


# In pieces, so that this file does not hold what it forbids.
PRIVATE = [
    "".join(pieces)
    for pieces in (
        ("registry.", "npmjs"),
        ("npmjs.", "(?:com|org)"),
        ("pypi.", "org"),
        ("files.python", "hosted"),
        ("deb.", "debian"),
        ("artifac", "tory"),
        (r"(?<![\w.])/wo", "rk/"),
        (r"(?<![\w.])/tm", "p/"),
        (r"(?<![\w.])/ro", "ot/"),
        (r"(?<![\w.])/ho", r"me/\w+/"),
    )
]
TEXT = [path for path in files() if path.suffix not in {".woff2", ".png", ".jpg", ".ico", ".npz", ".npy"}]


def test_no_file_names_a_registry_or_a_place_on_somebodys_machine() -> None:
    named = {str(path): re.findall("|".join(PRIVATE), read(path)) for path in TEXT}
    assert {path: found for path, found in named.items() if found} == {}
