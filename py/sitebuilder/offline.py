"""What each lesson needs to work without a network: the lists by which a reader's browser keeps files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote, urlsplit

from sitebuilder.assembled import ASSETS, shared_assets
from sitebuilder.beside import manifest_with_files
from sitebuilder.cache import sha256, sha256_of
from sitebuilder.model import Lesson
from sitebuilder.pages import Ingredients
from sitebuilder.site import lesson_files
from sitebuilder.trained import digest_of, indices

RETIRED = Path(__file__).with_name("retire.js")


@dataclass(frozen=True, slots=True)
class OfflineList:
    """`Contents` of static/js/shelf.js for a lesson. `path` names the content, so lessons may share one."""

    path: str
    content: str


def offline_lists(made: Ingredients) -> dict[str, OfflineList]:
    """The list of every lesson, by slug; none where the course is not to work offline."""
    if not made.site.course.offline:
        return {}
    bundle = {path: sha256_of(file) for path, file in shared_assets(made.bundle).items()}
    runtime = {f"{made.runtime_path}/{f.name}": sha256_of(f) for f in sorted(made.runtime.folder.iterdir())}
    return {lesson.slug: _list(made, lesson, bundle, runtime) for lesson in made.site.lessons}


def _list(
    made: Ingredients, lesson: Lesson, bundle: Mapping[str, str], runtime: Mapping[str, str]
) -> OfflineList:
    own = {f"{lesson.slug}/{name}": file for name, file in lesson_files(lesson, made.site.folders).items()}
    files = {**bundle, **runtime, **{path: sha256_of(file) for path, file in own.items()}}
    if (icon := made.site.folders.static / "favicon.svg").is_file():
        files["favicon.svg"] = sha256_of(icon)
    if made.math_font:
        files[made.math_font_path] = sha256_of(made.math_font)
    manifest = manifest_with_files(made.runtime.manifest(lesson.meta.packages), lesson)
    started = {f"{made.runtime_path}/{file['name']}": file["sha256"] for file in manifest["files"]}
    files |= started
    own_models = {digest_of(index) for index in indices(lesson).values()}
    for model in (model for model in made.models if model.digest in own_models):
        files |= {path: model.files[file.name] for path, file in model.served()}
    needed = {
        *(path for path in bundle if path.endswith((".js", ".css"))),
        *started,
        *pictures(lesson, made.drawings.get(lesson.slug, {})),
    }
    archives = {f"{made.runtime_path}/{archive['name']}" for archive in manifest["archives"]}
    parts = {
        "needed": {path: files[path] for path in sorted(files) if path in needed},
        "imported": {path: files[path] for path in sorted(files) if path in archives},
        "further": {path: files[path] for path in sorted(files) if path not in needed | archives},
    }
    content = json.dumps(parts, separators=(",", ":"))
    return OfflineList(f"{ASSETS}/offline-{sha256(content.encode())[:12]}.json", content)


def pictures(lesson: Lesson, drawn: Iterable[str]) -> set[str]:
    """The pictures that a lesson's page loads, by their paths in the site; `drawn` ones it holds itself."""
    sources = (unquote(urlsplit(image.src).path) for image in lesson.images if image.src not in set(drawn))
    return {normpath(f"{lesson.slug}/{source}") for source in sources}
