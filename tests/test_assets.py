"""Scripts and styles become hashed files, once; faults are told by file and line; npm runs when it must."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from sitebuilder.assets import Assets, bundle_assets, install_packages
from sitebuilder.errors import BuildError

STATIC = Path(__file__).parents[1] / "static"

MAIN = """
import { shared } from "./shared.js";
const opened = () => import("./editor.js");
document.title = shared(String(opened));
"""
SOURCES = {
    "js/main.js": MAIN,
    "js/worker.js": """
        import { shared } from "./shared.js";
        self.onmessage = async ({ data }) => import(data.url + "pyodide.mjs").then(() => shared("up"));
    """,
    "js/service-worker.js": 'import { shared } from "./shared.js";\nself.onfetch = () => shared("kept");\n',
    "js/first.js": "document.title = 'first';\n",
    "js/embed.js": "document.title = EMBEDDED_STYLES;\n",
    "css/embed.css": ":root { --paper: white }\n",
    "js/shared.js": "export const shared = (text) => `shared: ${text}`;\n",
    "js/editor.js": "export const editor = 'the editor';\n",
    "css/main.css": '@import "./page.css";\n@font-face { font-family: A; src: url("./a.woff2") }\n',
    "css/page.css": "a { color: light-dark(oklch(0.4 0.1 260), white) }\n",
    "css/a.woff2": "not really a font",
}


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def with_packages(static: Path) -> Path:
    """The tiny sources with the project's own esbuild beside them."""
    modules = install_packages(STATIC, cache=static.parent / "cache", console=Console(file=io.StringIO()))
    (static / "node_modules").symlink_to(modules, target_is_directory=True)
    return static


def bundle(static: Path, said: io.StringIO | None = None) -> Assets:
    return bundle_assets(static, cache=static.parent / "cache", console=Console(file=said or io.StringIO()))


def text_of(assets: Assets, name: str) -> str:
    return (assets.folder / assets[name]).read_text(encoding="utf-8")


def test_every_entry_has_a_hashed_name_in_one_flat_folder(with_packages: Path) -> None:
    assets = bundle(with_packages)
    for name in ("main.js", "worker.js", "main.css", "editor.js", "a.woff2"):
        stem, suffix = name.split(".")
        assert re.fullmatch(rf"{stem}-[A-Z0-9]{{8}}\.{suffix}", assets[name])
        assert (assets.folder / assets[name]).is_file()
    assert assets.fonts == ("a.woff2",)
    assert {f.name for f in assets.folder.iterdir()} == {*assets.files.values(), *assets.preloads("main.js")}


def test_scripts_refer_to_each_other_by_hashed_names(with_packages: Path) -> None:
    assets = bundle(with_packages)
    assert assets["editor.js"] in text_of(assets, "main.js")
    assert assets["a.woff2"] in text_of(assets, "main.css")
    [shared] = assets.preloads("main.js")
    assert assets.preloads("worker.js") == (shared,)
    assert "the editor" not in text_of(assets, "main.js"), "the editor must load on first intent only"


def test_the_worker_imports_pyodide_from_the_runtime_folder_at_run_time(with_packages: Path) -> None:
    assert re.search(r'import\(\w+\.url\+"pyodide\.mjs"\)', text_of(bundle(with_packages), "worker.js"))


def test_modern_colours_are_left_to_the_browser(with_packages: Path) -> None:
    assert "light-dark(oklch(" in text_of(bundle(with_packages), "main.css").replace(" ", "")


def test_an_unchanged_folder_is_bundled_once_and_starts_no_node(with_packages: Path) -> None:
    first_said, second_said = io.StringIO(), io.StringIO()
    first = bundle(with_packages, first_said)
    started = time.monotonic()
    second = bundle(with_packages, second_said)
    assert second == first
    assert "Bundling" in first_said.getvalue()
    assert second_said.getvalue() == ""
    assert time.monotonic() - started < 0.1


def test_a_change_gives_another_name_to_what_changed_and_only_to_that(with_packages: Path) -> None:
    before = bundle(with_packages)
    (with_packages / "css/page.css").write_text("a { color: green }", encoding="utf-8")
    after = bundle(with_packages)
    assert after["main.css"] != before["main.css"]
    assert after["main.js"] == before["main.js"]


def test_a_damaged_bundle_in_the_cache_is_made_anew(with_packages: Path) -> None:
    assets = bundle(with_packages)
    (assets.folder / assets["main.js"]).write_text("damaged", encoding="utf-8")
    assert "document.title" in text_of(bundle(with_packages), "main.js")


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("js/main.js", "\nlet x = = 1;\n", r"static/js/main\.js:2: Unexpected \"=\""),
        (
            "js/main.js",
            "\n\nimport './gone.js';\n",
            r"static/js/main\.js:3: Could not resolve \"\./gone\.js\"",
        ),
        ("css/page.css", "a {\n  color red;\n}\n", r"static/css/page\.css:2: Expected \":\""),
        ("css/main.css", '@import "./gone.css";\n', r"static/css/main\.css:1: Could not resolve"),
    ],
)
def test_a_fault_in_a_source_is_told_with_file_and_line(
    with_packages: Path, name: str, source: str, told: str
) -> None:
    (with_packages / name).write_text(source, encoding="utf-8")
    with pytest.raises(BuildError, match=told):
        bundle(with_packages)


def test_all_faults_are_told_at_once(with_packages: Path) -> None:
    (with_packages / "js/shared.js").write_text("let = ;", encoding="utf-8")
    (with_packages / "css/page.css").write_text("a { color red }", encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        bundle(with_packages)
    assert {line.split(":")[0].rsplit("/", 1)[-1] for line in str(caught.value).splitlines()} == {
        "shared.js",
        "page.css",
    }


def test_a_failed_bundle_leaves_nothing_that_a_later_build_would_take(with_packages: Path) -> None:
    (with_packages / "js/main.js").write_text("let x = = 1;", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(BuildError):
            bundle(with_packages)
    (with_packages / "js/main.js").write_text(MAIN, encoding="utf-8")
    assert bundle(with_packages)["main.js"]


def test_npm_runs_once_and_again_when_the_lock_changes(static: Path) -> None:
    root = {"name": "tiny", "version": "1.0.0"}
    lock = root | {"lockfileVersion": 3, "packages": {"": root}}
    (static / "package.json").write_text(json.dumps(root), encoding="utf-8")
    (static / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")

    def said() -> str:
        out = io.StringIO()
        install_packages(static, cache=static.parent / "cache", console=Console(file=out))
        return out.getvalue()

    assert "npm" in said()
    assert said() == ""
    (static / "package-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8")
    assert "npm" in said()


def test_a_lock_that_does_not_fit_is_told(static: Path) -> None:
    (static / "package.json").write_text('{"name": "tiny", "dependencies": {"a": "1.0.0"}}', encoding="utf-8")
    with pytest.raises(BuildError, match="npm ci failed"):
        install_packages(static, cache=static.parent / "cache", console=Console(file=io.StringIO()))
