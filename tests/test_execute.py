"""Lessons run in the shipped Pyodide: outputs are recorded, and what goes wrong has a place in the source."""

from __future__ import annotations

import io
import json
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import pytest
from rich.console import Console

from sitebuilder.assets import install_packages
from sitebuilder.cache import cache_folder
from sitebuilder.errors import BuildError, LessonErrors
from sitebuilder.execute import Executor
from sitebuilder.model import ATTENTION_MIME, Cell, CellRole, Display, FrontMatter, Lesson, LessonFile, Stream
from sitebuilder.pack import PyodidePacker
from sitebuilder.runtime import provide_runtime
from sitebuilder.trained import without_models
from tests.local_index import use_index, write_wheel
from tests.project import ROOT

TINY = "tiny==1.0"
GRAPH = ROOT / "static/js/graph.js"


def cell(name: str, source: str, line: int, role: CellRole = "run") -> Cell:
    return Cell(role, name, source, line)


def lesson(
    slug: str, *cells: Cell, packages: tuple[str, ...] = (), files: tuple[LessonFile, ...] = ()
) -> Lesson:
    path = PurePath("lessons", slug, "lesson.md")
    return Lesson(path, slug, FrontMatter(slug, 1, "", "", packages), cells, (), (), files=files)


GOOD = lesson(
    "good",
    cell("words", "for word in ('query', 'key'):\n    print(word)\nx.sum()", 10),
    cell("order", "print({'query', 'key', 'value', 'mask'})\nimport tiny\ntiny.ANSWER", 20),
    cell("warned", "import sys\nprint('careful', file=sys.stderr)\nprint('\\ud83d')", 30),
    cell("map", "show_attention(np.full((1, 2, 2), 0.5), ['the', 'cat'])", 40),
    cell("framework", "import torch", 50, role="read"),
    cell("prepare", "import numpy as np\nx = np.arange(4.0)", 60, role="setup"),
    cell("own", "import toys\nprint(toys.ANSWER, open('table.csv').read())", 70),
    packages=(TINY,),
    files=(LessonFile("toys.py", b"ANSWER = 43\n"), LessonFile("table.csv", b"1,2")),
)
HANGING = lesson("hanging", cell("quick", "1", 5), cell("loop", "while True:\n    pass", 12))
RAISING = lesson(
    "raising",
    cell("fine", "x = 1", 10),
    cell("wrong", "def f():\n    return x / 0\n\nf()", 20),
    cell("later", "print('never run')", 30),
)
DYING = lesson("dying", cell("quick", "1", 5), cell("exit", "import js\njs.process.exit(3)", 10))
NESTED = lesson("nested", cell("deep", "x = []\nfor _ in range(10**5):\n    x = [x]\nprint(x)", 10))
LOGGING = lesson(
    "logging",
    cell("log", "from js import console, process\nconsole.log('hi')\nprint('said')", 10),
    cell("forge", 'process.stdout.write(\'half a line {"type": "end"}\\n{"type": "end"}\\n{\')\n1', 20),
)


@dataclass
class Stage:
    """The executor with a recordings cache of its own, and what the last execution said."""

    executor: Executor
    said: io.StringIO

    def execute(self, *lessons: Lesson) -> dict[str, object]:
        self.said.truncate(0)
        return dict(self.executor.execute(lessons))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The real runtime, from this user's cache or the network, with a tiny package of PyPI's kind added."""
    wheels = tmp_path_factory.mktemp("wheels")
    folder, said = tmp_path_factory.mktemp("stage"), io.StringIO()
    npm = install_packages(ROOT / "static", cache=cache_folder(), console=Console()) / "pyodide"
    lectern = ROOT / "py/lectern"
    real = provide_runtime((), npm=npm, lectern=lectern, cache=cache_folder(), console=Console())
    for wheel in real.wheel_files:
        shutil.copyfile(wheel, wheels / wheel.name.partition("-")[2])
    write_wheel(folder / "index", "tiny", "1.0", {"tiny.py": "ANSWER = 42\n"})
    console = Console(file=said, width=200)
    with pytest.MonkeyPatch.context() as patch:
        use_index(patch, folder / "index")
        cache = folder / "cache"
        packer = PyodidePacker(
            cache_folder(), console
        )  # packing takes a minute, so it keeps this user's results
        runtime = provide_runtime(
            [TINY], npm=npm, lectern=lectern, cache=cache, console=console, wheels=wheels, packer=packer
        )
    return Stage(Executor(runtime, ROOT / "static/js/start.js", GRAPH, cache, console, timeout=8.0), said)


@pytest.fixture(scope="module")
def faults(stage: Stage) -> list[str]:
    """What a build is told that meets a good lesson, a hanging one and a raising one."""
    with pytest.raises(LessonErrors) as caught:
        stage.execute(HANGING, GOOD, RAISING)
    return [str(error) for error in caught.value.errors]


@pytest.fixture(scope="module")
def recorded(stage: Stage, faults: list[str]) -> dict[str, list[Stream | Display]]:
    """The good lesson's outputs by cell. (After `faults`, so that Python starts once for all.)"""
    assert not any("good" in fault for fault in faults)
    return {name: list(run.outputs) for name, run in stage.executor.execute([GOOD])["good"].items()}


def test_a_raising_cell_is_told_with_the_line_that_raised(faults: list[str]) -> None:
    [told] = [fault for fault in faults if "raising" in fault]
    assert told.startswith('lessons/raising/lesson.md:21: cell "wrong" raises ZeroDivisionError: ')
    assert "; " in told, "it must also say what to do"


def test_a_cell_that_never_ends_is_named_and_the_other_lessons_run(faults: list[str]) -> None:
    [told] = [fault for fault in faults if "hanging" in fault]
    assert told.startswith('lessons/hanging/lesson.md:12: cell "loop" was still running when the lesson')
    assert len(faults) == 2


def test_setup_runs_first_and_cells_share_their_variables(
    recorded: dict[str, list[Stream | Display]],
) -> None:
    assert list(recorded) == ["prepare", "words", "order", "warned", "map", "own"]
    assert recorded["prepare"] == []
    assert recorded["words"][-1] == Display("text/plain", "6.0")


def test_streams_are_recorded_whole_in_order_and_apart(recorded: dict[str, list[Stream | Display]]) -> None:
    assert recorded["words"][0] == Stream("stdout", "query\nkey\n")
    assert recorded["warned"] == [Stream("stderr", "careful\n"), Stream("stdout", "\ud83d\n")]


def test_packages_of_the_lesson_are_there(recorded: dict[str, list[Stream | Display]]) -> None:
    assert recorded["order"][-1] == Display("text/plain", "42")


def test_a_figure_is_recorded_as_data(recorded: dict[str, list[Stream | Display]]) -> None:
    [figure] = recorded["map"]
    assert isinstance(figure, Display)
    assert figure.mime == ATTENTION_MIME
    assert figure.data["weights"] == [[0.5] * 4]


@pytest.mark.usefixtures("recorded")
def test_an_unchanged_lesson_starts_no_python(stage: Stage) -> None:
    started = time.monotonic()
    stage.execute(GOOD)
    assert stage.said.getvalue() == ""
    assert time.monotonic() - started < 0.2


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("damage", ["", "{", "{}", '[{"cell": "prepare"}]', "[]"])
def test_a_damaged_recording_is_as_good_as_none(stage: Stage, damage: str) -> None:
    [file] = (stage.executor.cache / "recordings").iterdir()
    sound = file.read_bytes()
    file.write_text(damage, encoding="utf-8")
    assert stage.executor.recorded(GOOD) is None
    file.write_bytes(sound)
    assert stage.executor.recorded(GOOD) is not None


@pytest.mark.usefixtures("recorded")
def test_any_change_of_what_runs_asks_for_a_new_run(stage: Stage) -> None:
    changed = replace(GOOD, blocks=(*GOOD.blocks[:-1], cell("prepare", "x = 2", 60, role="setup")))
    assert stage.executor.recorded(changed) is None
    newer = replace(stage.executor, runtime=replace(stage.executor.runtime, digest="another"))
    assert newer.recorded(GOOD) is None


@pytest.mark.usefixtures("recorded")
def test_a_cell_that_only_moved_is_not_run_again(stage: Stage) -> None:
    moved = replace(
        GOOD, blocks=tuple(replace(b, line=b.line + 7) for b in GOOD.blocks if isinstance(b, Cell))
    )
    assert stage.executor.recorded(moved) is not None


def test_a_cell_imports_and_opens_what_lies_beside_its_lesson(
    recorded: dict[str, list[Stream | Display]],
) -> None:
    assert recorded["own"] == [Stream("stdout", "43 1,2\n")]


@pytest.mark.usefixtures("recorded")
def test_a_changed_file_beside_the_lesson_runs_it_again(stage: Stage) -> None:
    assert stage.executor.recorded(replace(GOOD, files=GOOD.files[1:])) is None


def test_a_second_execution_gives_the_same_recording(
    stage: Stage, recorded: dict[str, list[Stream | Display]], tmp_path: Path
) -> None:
    again = replace(stage.executor, cache=tmp_path).execute([GOOD])["good"]
    assert {name: list(run.outputs) for name, run in again.items()} == recorded


def test_a_lesson_without_cells_needs_no_python(stage: Stage) -> None:
    assert stage.execute(lesson("prose")) == {"prose": {}}
    assert stage.said.getvalue() == ""


def test_a_cell_that_breaks_python_is_named_and_the_other_lessons_run(stage: Stage) -> None:
    with pytest.raises(LessonErrors) as caught:
        stage.execute(DYING, NESTED, LOGGING)
    told = [str(error).split("; ")[0] for error in caught.value.errors]
    assert told == [
        'lessons/dying/lesson.md:10: cell "exit" broke Python (Node.js ended with code 3)',
        'lessons/nested/lesson.md:10: cell "deep" broke Python '
        "(RangeError: Maximum call stack size exceeded)",
    ]
    assert stage.executor.recorded(LOGGING) is not None


def test_what_a_cell_writes_past_python_is_no_message(stage: Stage) -> None:
    runs = stage.executor.execute([LOGGING])["logging"]
    assert [run.outputs for run in runs.values()] == [
        (Stream("stdout", "said\n"),),
        (Display("text/plain", "1"),),
    ]


def test_a_runtime_that_does_not_start_is_told_in_its_own_words(stage: Stage, tmp_path: Path) -> None:
    broken = replace(stage.executor, start=tmp_path / "start.js")
    broken.start.write_text(
        """export const GLUE = { loader: "pyodide.mjs.zst", module: "pyodide.asm.mjs.zst" };
        export const PACKS = {};
        export function prepare() {}
        export async function startPython() { throw new Error('no disk') }"""
    )
    with pytest.raises(BuildError, match="no disk"):
        broken.execute([HANGING])


def test_faults_found_are_kept_when_python_does_not_start_again(stage: Stage, tmp_path: Path) -> None:
    once = replace(stage.executor, start=tmp_path / "start.js", cache=tmp_path / "cache")
    once.start.write_text(ONCE)
    with pytest.raises(LessonErrors, match='cell "quick" broke Python'):
        once.execute([HANGING, DYING])


ONCE = """
import { existsSync, writeFileSync } from "node:fs";
const flag = new URL("./started", import.meta.url);
export const GLUE = { loader: "pyodide.mjs.zst", module: "pyodide.asm.mjs.zst" };
export const PACKS = {};
export function prepare() {}
export async function startPython() {
  if (existsSync(flag)) throw new Error("no disk");
  writeFileSync(flag, "");
  return { run: () => process.exit(0), outline: () => [] };
}
"""
"""Starts once, and dies at the first cell."""


def test_a_cell_whose_model_is_left_out_says_so_and_is_no_fault(stage: Stage) -> None:
    about = {"model": "M", "requirement": "m==1", "sha256": "", "licence": "", "url": "", "changes": ""}
    served = json.dumps(about | {"files": {"core": [1, ""]}}).encode()
    reading = lesson(
        "reading",
        cell("load", "from lectern.fetched import Fetched\nfiles = Fetched('m.model.json')", 10),
        cell("use", "print(files.name)", 20),
        files=(LessonFile("m.model.json", served),),
    )
    runs = stage.executor.execute([without_models(reading)])["reading"]
    assert "built without M, so this cell cannot run here" in str(runs["load"].outputs[0])
    assert runs["use"].outputs == ()
