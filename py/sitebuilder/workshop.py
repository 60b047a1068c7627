"""The real effects of a build: Node, npm, Pyodide and the network, bound to a project and a cache."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from sitebuilder.assets import Assets, bundle_assets, install_packages
from sitebuilder.cache import cache_folder
from sitebuilder.errors import LessonError, LessonErrors
from sitebuilder.execute import Executor
from sitebuilder.external import unreachable
from sitebuilder.mathfont import math_font
from sitebuilder.model import Lesson, Recording
from sitebuilder.models import provide_model
from sitebuilder.notices import (
    Notice,
    bundled_packages,
    model_notices,
    npm_notices,
    pyodide_notices,
    wheel_notices,
)
from sitebuilder.packages import PackageFaults
from sitebuilder.runtime import Runtime, provide_runtime
from sitebuilder.site import Folders
from sitebuilder.trained import Model, indices
from sitebuilder.typeface import typefaces
from sitebuilder.typeset import typeset


@dataclass(frozen=True, slots=True)
class Workshop:
    """What `build` calls `Tools`. `wheels` is a folder to look for runtime files in before the network."""

    folders: Folders
    console: Console
    wheels: Path | None = None
    cache: Path = field(default_factory=cache_folder)

    def bundle(self) -> Assets:
        install_packages(self.folders.static, cache=self.cache, console=self.console)
        static, cache = self.folders.static, self.cache
        return bundle_assets(static, cache=cache, console=self.console, typefaces=typefaces(static, cache))

    def typeset(self, lessons: Sequence[Lesson]) -> Mapping[tuple[str, bool], str]:
        return typeset(lessons, self.folders.static, self.cache)

    def math_font(self, mathml: Iterable[str]) -> Path | None:
        return math_font(mathml, self.folders.static, self.cache)

    def runtime(self, lessons: Sequence[Lesson]) -> Runtime:
        entries = dict.fromkeys(entry for lesson in lessons for entry in lesson.meta.packages)
        try:
            return provide_runtime(
                entries,
                npm=self.folders.static / "node_modules" / "pyodide",
                lectern=self.folders.python / "lectern",
                cache=self.cache,
                console=self.console,
                wheels=self.wheels,
            )
        except PackageFaults as error:
            raise LessonErrors(self._package_faults(lessons, error)) from error

    def models(self, lessons: Sequence[Lesson]) -> Sequence[Model]:
        named = {name: index for lesson in lessons for name, index in indices(lesson).items()}
        return [provide_model(*each, cache=self.cache, console=self.console) for each in named.items()]

    def execute(
        self, lessons: Sequence[Lesson], runtime: Runtime, models: Sequence[Model]
    ) -> Mapping[str, Recording]:
        js, folders = self.folders.static / "js", {model.digest: model.folder for model in models}
        executor = Executor(
            runtime, js / "start.js", js / "graph.js", self.cache, self.console, models=folders
        )
        return executor.execute(lessons)

    def notices(self, runtime: Runtime, models: Sequence[Model]) -> Sequence[Notice]:
        return [
            *pyodide_notices(runtime.lock.version, runtime.lock.python),
            *wheel_notices(runtime.wheel_files),
            *model_notices(models),
            *npm_notices(bundled_packages(self.folders.static)),
        ]

    def unreachable(self, addresses: Collection[str]) -> Mapping[str, str]:
        return unreachable(addresses)

    def _package_faults(self, lessons: Sequence[Lesson], error: PackageFaults) -> Iterator[LessonError]:
        """The faults of `packages:` entries, at each lesson that has such an entry."""
        for fault in error.faults:
            for lesson in lessons:
                if fault.entry in lesson.meta.packages:
                    source = self.folders.lessons / lesson.slug / "lesson.md"
                    line = _line_of_entry(source.read_text(encoding="utf-8").splitlines(), fault.entry)
                    yield LessonError(lesson.path, line, fault.problem, fault.remedy)


def _line_of_entry(lines: Sequence[str], entry: str) -> int:
    """Where an entry of `packages:` stands: on the key's line or, in a list, on one of its own."""
    key = next((i for i, line in enumerate(lines) if line.startswith("packages:")), 0)
    end = next((i for i, line in enumerate(lines) if i > key and line.rstrip() == "---"), len(lines))
    return next((i for i in range(key, end) if entry in lines[i]), key) + 1
