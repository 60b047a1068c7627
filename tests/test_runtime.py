"""The runtime comes whole from whichever source answers, or not at all; a lesson fetches what it names."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console

from sitebuilder.cache import sha256
from sitebuilder.errors import BuildError
from sitebuilder.packages import PackageFaults
from sitebuilder.runtime import Runtime, provide_runtime, zip_package
from tests.local_index import use_index, write_wheel

VERSION = "314.0.3"
NOWHERE = "http://127.0.0.1:9/"
"""Port 9 is `discard`: nothing listens there."""

NUMPY, MICROPIP, PACKAGING, PLOT = (
    "numpy-2.4.3.whl",
    "micropip-0.11.1.whl",
    "packaging-26.1.whl",
    "plot-3.whl",
)
FILES = {name: f"the true {name}".encode() for name in (NUMPY, MICROPIP, PACKAGING, PLOT)}
DEPENDS = {PLOT: ["numpy", "packaging"]}
CORE = {
    "pyodide.asm.wasm": b"\0asm" + bytes(4000),
    "pyodide.asm.mjs": b"glue",
    "pyodide.mjs": b"loader",
    "python_stdlib.zip": bytes(1000),
}


def lock() -> dict[str, object]:
    packages = {}
    for file, content in FILES.items():
        name, version = file.removesuffix(".whl").split("-")
        packages[name] = {
            "name": name,
            "version": version,
            "file_name": file,
            "sha256": sha256(content),
            "depends": DEPENDS.get(file, []),
        }
    return {"info": {"python": "3.14.0"}, "packages": packages}


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@dataclass
class Workshop:
    """A small npm package, a small `lectern`, an empty cache, an index, and what the last build said."""

    root: Path
    said: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        write_files(self.root / "npm", CORE | {"package.json": json.dumps({"version": VERSION}).encode()})
        write_files(self.root / "npm", {"pyodide-lock.json": json.dumps(lock()).encode()})
        write_files(self.root / "lectern", {"__init__.py": b"", "runner.py": b"x = 1\n"})

    def provide(self, *entries: str, wheels: Path | None = None, cdn: str = NOWHERE) -> Runtime:
        self.said = io.StringIO()
        return provide_runtime(
            entries,
            npm=self.root / "npm",
            lectern=self.root / "lectern",
            cache=self.root / "cache",
            console=Console(file=self.said, width=200),
            wheels=wheels,
            cdn=cdn,
        )

    def wheels(self, files: Mapping[str, bytes] = FILES) -> Path:
        return write_files(self.root / "wheels", files)

    def offer_on_pypi(self, files: Mapping[str, bytes]) -> None:
        carried = {f"open_webui/frontend/pyodide/{name}": content for name, content in files.items()}
        write_wheel(self.root / "index", "open-webui", "0.12.4", carried)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    use_index(monkeypatch, tmp_path / "index")
    return Workshop(tmp_path)


@dataclass
class Cdn:
    url: str
    folder: Path
    asked: list[str]


@pytest.fixture
def cdn(tmp_path: Path) -> Iterator[Cdn]:
    """A server that plays Pyodide's CDN."""
    folder, asked = write_files(tmp_path / "cdn" / VERSION, FILES), []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(f"{self.command} {self.path.rsplit('/', 1)[-1]}")

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tmp_path / "cdn"))) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield Cdn(f"http://127.0.0.1:{server.server_port}/{{version}}/", folder, asked)
        server.shutdown()


def content(runtime: Runtime) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in runtime.folder.iterdir()}


# Where files come from


def test_the_folder_given_by_wheels_is_enough(workshop: Workshop, cdn: Cdn) -> None:
    runtime = workshop.provide(wheels=workshop.wheels(), cdn=cdn.url)
    assert content(runtime)[NUMPY] == FILES[NUMPY]
    assert f"Took {NUMPY} from --wheels" in workshop.said.getvalue()
    assert cdn.asked == []


def test_the_cdn_is_asked_by_version_for_what_the_folder_lacks(workshop: Workshop, cdn: Cdn) -> None:
    runtime = workshop.provide(wheels=workshop.wheels({NUMPY: FILES[NUMPY]}), cdn=cdn.url)
    assert content(runtime)[MICROPIP] == FILES[MICROPIP]
    assert [f"GET {MICROPIP}", f"GET {PACKAGING}"] == [asked for asked in cdn.asked if "GET" in asked]


def test_pypi_is_asked_when_the_cdn_cannot_be_reached(workshop: Workshop) -> None:
    workshop.offer_on_pypi(FILES)
    assert content(workshop.provide())[NUMPY] == FILES[NUMPY]
    assert "Pyodide's CDN cannot be reached" in workshop.said.getvalue()
    assert "Fetching open-webui==0.12.4 on PyPI, 106 MB" in workshop.said.getvalue()


def test_pypi_is_asked_for_what_the_cdn_lacks(workshop: Workshop, cdn: Cdn) -> None:
    (cdn.folder / PACKAGING).unlink()
    workshop.offer_on_pypi({PACKAGING: FILES[PACKAGING]})
    assert content(workshop.provide(cdn=cdn.url))[PACKAGING] == FILES[PACKAGING]


def test_only_the_needed_files_of_the_large_wheel_stay_in_the_cache(workshop: Workshop) -> None:
    workshop.offer_on_pypi(FILES | {"large": bytes(3_000_000)})
    workshop.provide()
    sizes = [file.stat().st_size for file in (workshop.root / "cache").rglob("*") if file.is_file()]
    assert max(sizes) < 1_000_000


def test_a_second_build_fetches_nothing(workshop: Workshop, cdn: Cdn) -> None:
    first = workshop.provide(cdn=cdn.url)
    cdn.asked.clear()
    second = workshop.provide(cdn=cdn.url)
    assert second == first
    assert cdn.asked == []
    assert workshop.said.getvalue() == ""


def test_a_warm_cache_builds_without_any_network(workshop: Workshop, cdn: Cdn) -> None:
    first = workshop.provide(cdn=cdn.url)
    assert workshop.provide(cdn=NOWHERE) == first


def test_two_builds_at_once_both_succeed(workshop: Workshop, cdn: Cdn) -> None:
    results: list[Runtime] = []
    builds = [
        threading.Thread(target=lambda: results.append(workshop.provide(cdn=cdn.url))) for _ in range(4)
    ]
    for build in builds:
        build.start()
    for build in builds:
        build.join()
    assert len(results) == 4
    assert len({result.digest for result in results}) == 1
    assert len([asked for asked in cdn.asked if asked == f"GET {NUMPY}"]) == 1


# What is refused


def test_a_wrong_file_in_the_folder_is_refused_by_name_and_had_elsewhere(
    workshop: Workshop, cdn: Cdn
) -> None:
    runtime = workshop.provide(wheels=workshop.wheels({NUMPY: b"tampered with"}), cdn=cdn.url)
    assert f"Refused {NUMPY} from --wheels" in workshop.said.getvalue()
    assert content(runtime)[NUMPY] == FILES[NUMPY]


@pytest.mark.parametrize("source", ["--wheels", "cdn", "PyPI"])
def test_a_wrong_file_is_refused_whatever_its_source(workshop: Workshop, cdn: Cdn, source: str) -> None:
    wrong = FILES | {NUMPY: b"tampered with"}
    if source == "--wheels":
        args = {"wheels": workshop.wheels(wrong)}
    elif source == "cdn":
        write_files(cdn.folder, wrong)
        args = {}
    else:
        workshop.offer_on_pypi(wrong)
        args = {}
    with pytest.raises(BuildError, match=f"refused {NUMPY}: wrong SHA-256"):
        workshop.provide(cdn=cdn.url if source == "cdn" else NOWHERE, **args)


def test_a_damaged_file_in_the_cache_is_thrown_away_and_fetched_anew(workshop: Workshop, cdn: Cdn) -> None:
    first = workshop.provide(cdn=cdn.url)
    for file in (workshop.root / "cache").rglob(f"*{NUMPY}"):
        file.unlink()
        file.write_bytes(b"half a fi")
    second = workshop.provide(cdn=cdn.url)
    assert f"{NUMPY} in the cache is damaged" in workshop.said.getvalue()
    assert content(second)[NUMPY] == FILES[NUMPY]
    assert second == first


def test_when_every_source_fails_one_sentence_says_what_was_tried_and_what_to_do(workshop: Workshop) -> None:
    with pytest.raises(BuildError) as caught:
        workshop.provide(wheels=workshop.wheels({}))
    told = str(caught.value)
    assert told.startswith(f"Cannot get {NUMPY}, {MICROPIP}, {PACKAGING}")
    for part in (
        "the cache",
        "--wheels",
        f"has no {NUMPY}",
        NOWHERE,
        "open-webui==0.12.4 on PyPI",
        "Connect",
    ):
        assert part in told
    assert "\n" not in told


def test_the_large_wheel_is_not_fetched_again_for_a_file_it_does_not_carry(workshop: Workshop) -> None:
    workshop.offer_on_pypi({NUMPY: FILES[NUMPY], MICROPIP: FILES[MICROPIP]})
    for attempt in ("Fetching open-webui", ""):
        with pytest.raises(BuildError, match="does not carry"):
            workshop.provide()
        assert ("Fetching open-webui" in workshop.said.getvalue()) == bool(attempt)


def test_a_damaged_npm_package_is_told(workshop: Workshop) -> None:
    (workshop.root / "npm/pyodide-lock.json").unlink()
    with pytest.raises(BuildError, match=r"npm package pyodide .* is missing or damaged"):
        workshop.provide()


# What the folder holds


@pytest.fixture
def stocked(workshop: Workshop) -> Workshop:
    workshop.provide("plot", wheels=workshop.wheels())
    return workshop


def test_the_folder_holds_core_lock_wheels_and_lectern(stocked: Workshop) -> None:
    runtime = stocked.provide()
    names = {*CORE, "pyodide-lock.json", NUMPY, MICROPIP, PACKAGING, "lectern.zip"}
    assert set(content(runtime)) == names
    assert runtime.folder.name == runtime.digest
    assert len(runtime.digest) == 12


def test_the_shipped_lock_names_exactly_the_shipped_packages(stocked: Workshop) -> None:
    for entries, packages in (
        ((), {"numpy", "micropip", "packaging"}),
        (("plot",), {"numpy", "micropip", "packaging", "plot"}),
    ):
        files = content(stocked.provide(*entries))
        shipped = json.loads(files["pyodide-lock.json"])
        assert shipped["packages"].keys() == packages
        assert all(package["file_name"] in files for package in shipped["packages"].values())
        assert shipped["info"] == lock()["info"]


def test_a_boot_fetches_core_numpy_and_lectern_but_not_micropip(stocked: Workshop) -> None:
    manifest = stocked.provide("plot").manifest()
    names = [*CORE, "pyodide-lock.json", NUMPY, "lectern.zip"]
    assert [file["name"] for file in manifest["files"]] == names
    assert manifest["packages"] == ["numpy"]
    assert manifest["wheels"] == []
    assert (manifest["python"], manifest["pyodide"]) == ("3.14", VERSION)


def test_a_lesson_that_names_a_package_boots_with_it_and_what_it_needs(stocked: Workshop) -> None:
    manifest = stocked.provide("plot").manifest(["plot"])
    assert manifest["packages"] == ["numpy", "packaging", "plot"]
    assert {PLOT, PACKAGING} <= {file["name"] for file in manifest["files"]}


def test_sizes_and_hashes_are_those_of_the_files(stocked: Workshop) -> None:
    runtime = stocked.provide()
    files = content(runtime)
    for file in runtime.manifest()["files"]:
        data = files[file["name"]]
        compressed = file["name"].endswith((".wasm", ".mjs", ".json"))
        wire = len(gzip.compress(data, 6)) if compressed else len(data)
        assert file == {"name": file["name"], "bytes": len(data), "wire": wire, "sha256": sha256(data)}
    assert runtime.size_on_wire() == sum(file["wire"] for file in runtime.manifest()["files"])


def test_the_digest_changes_with_any_content(stocked: Workshop) -> None:
    before = stocked.provide().digest
    write_files(stocked.root / "lectern", {"runner.py": b"x = 2\n"})
    changed = stocked.provide().digest
    assert changed != before
    assert stocked.provide("plot").digest not in (before, changed)


def test_a_damaged_runtime_folder_is_made_anew(stocked: Workshop) -> None:
    runtime = stocked.provide()
    (runtime.folder / "lectern.zip").write_bytes(b"")
    (runtime.folder / "pyodide.mjs").unlink()
    files = content(stocked.provide())
    assert files["pyodide.mjs"] == CORE["pyodide.mjs"]
    assert zipfile.is_zipfile(io.BytesIO(files["lectern.zip"]))


def test_the_zip_of_lectern_is_the_same_bytes_wherever_and_whenever_it_is_made(tmp_path: Path) -> None:
    files = {"runner.py": b"x = 1\n", "__init__.py": b"", ".hidden": b""}
    one = write_files(tmp_path / "one" / "lectern", files)
    two = write_files(tmp_path / "two" / "lectern", dict(reversed(files.items())))
    write_files(two / "__pycache__", {"runner.cpython-314.pyc": b"\0"})
    (two / "runner.py").touch()
    assert zip_package(one) == zip_package(two)
    with zipfile.ZipFile(io.BytesIO(zip_package(one))) as archive:
        assert archive.namelist() == ["lectern/__init__.py", "lectern/runner.py"]


# What a lesson may name


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("numpi", 'package "numpi" is not in Pyodide 314.0.3; did you mean numpy?'),
        ("einops", "write its exact version, einops==…"),
        ("a b", 'package "a b" is not a name or name==version'),
        ("../etc/passwd", "is not a name or name==version"),
        ("einops>=0.8", "is not a name or name==version"),
        ("https://example.org/a.whl", "is not a name or name==version"),
        ("absent==1.0", "has no pure-Python wheel"),
        ("compiled==1.0", "has no pure-Python wheel"),
        ("needs-compiled==1.0", "has no pure-Python wheel"),
        ("numpy==1.0", "write numpy for Pyodide's own 2.4.3"),
    ],
)
def test_a_package_that_cannot_be_had_is_refused_by_name(stocked: Workshop, entry: str, told: str) -> None:
    index = stocked.root / "index"
    write_wheel(index, "compiled", "1.0", {}, tag="cp314-cp314-manylinux_2_17_x86_64")
    write_wheel(index, "needs-compiled", "1.0", {}, needs=["compiled"])
    with pytest.raises(PackageFaults) as caught:
        stocked.provide(entry)
    [fault] = caught.value.faults
    assert fault.entry == entry
    assert told in str(fault)


def test_all_wrong_packages_are_told_at_once(stocked: Workshop) -> None:
    with pytest.raises(PackageFaults) as caught:
        stocked.provide("numpi", "plot", "a b")
    assert [fault.entry for fault in caught.value.faults] == ["numpi", "a b"]


@pytest.mark.parametrize("entry", ["plot", "Plot", "plot==3", "numpy == 2.4.3"])
def test_a_package_of_the_lock_may_be_written_in_several_ways(stocked: Workshop, entry: str) -> None:
    assert stocked.provide(entry).wheels([entry]) == ()


def test_a_pure_package_of_pypi_is_served_from_the_site_with_what_it_needs(stocked: Workshop) -> None:
    index = stocked.root / "index"
    write_wheel(
        index, "tiny", "1.0", {"tiny.py": "x = 1"}, needs=["numpy>=2", "helper", 'gone; extra == "no"']
    )
    write_wheel(index, "helper", "2.0", {"helper.py": "y = 1"})
    runtime = stocked.provide("tiny==1.0")
    wheels = {"helper-2.0-py3-none-any.whl", "tiny-1.0-py3-none-any.whl"}
    manifest = runtime.manifest(["tiny==1.0"])
    assert set(manifest["wheels"]) == wheels
    assert manifest["packages"] == ["numpy"]
    assert wheels <= set(content(runtime))
    assert wheels <= {file["name"] for file in manifest["files"]}

    shutil.rmtree(index)
    assert stocked.provide("tiny==1.0") == runtime, "the second build must not ask PyPI"
    assert stocked.said.getvalue() == ""
