"""The runtime comes whole from whichever source answers, or not at all; a lesson fetches what it names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sitebuilder.cache import sha256
from sitebuilder.errors import BuildError
from sitebuilder.pack import ARCHIVES, GLUE, LECTERN, PYTHON
from sitebuilder.runtime import Runtime
from tests.local_index import use_index
from tests.small_runtime import (
    FILES,
    MICROPIP,
    NOWHERE,
    NUMPY,
    PACKAGING,
    PACKED,
    PLOT,
    SCRIPTS,
    VERSION,
    Workshop,
    content,
    lock,
    write_files,
)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    use_index(monkeypatch, tmp_path / "index")
    return Workshop(tmp_path)


def packs_numpy(runtime: Runtime) -> bool:
    """Whether the true NumPy went into the pack."""
    return content(runtime)[PYTHON].endswith(FILES[NUMPY])


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


# Where files come from


def test_the_folder_given_by_wheels_is_enough(workshop: Workshop, cdn: Cdn) -> None:
    runtime = workshop.provide(wheels=workshop.wheels(), cdn=cdn.url)
    assert packs_numpy(runtime)
    assert f"Took {NUMPY} from --wheels" in workshop.said.getvalue()
    assert cdn.asked == []


def test_the_cdn_is_asked_by_version_for_what_the_folder_lacks(workshop: Workshop, cdn: Cdn) -> None:
    runtime = workshop.provide(wheels=workshop.wheels({NUMPY: FILES[NUMPY]}), cdn=cdn.url)
    assert content(runtime)[MICROPIP] == FILES[MICROPIP]
    assert [f"GET {MICROPIP}", f"GET {PACKAGING}"] == [asked for asked in cdn.asked if "GET" in asked]


def test_pypi_is_asked_when_the_cdn_cannot_be_reached(workshop: Workshop) -> None:
    workshop.offer_on_pypi(FILES)
    assert packs_numpy(workshop.provide())
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
    assert packs_numpy(runtime)


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
    assert packs_numpy(second)
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


def test_the_folder_holds_glue_packs_and_the_wheels_that_pages_may_install(stocked: Workshop) -> None:
    runtime = stocked.provide()
    assert set(content(runtime)) == {*GLUE, *PACKED, MICROPIP, PACKAGING}
    assert runtime.folder.name == runtime.digest
    assert len(runtime.digest) == 12


def test_the_shipped_lock_names_numpy_and_exactly_the_shipped_packages(stocked: Workshop) -> None:
    for entries, packages in (
        ((), {"numpy", "micropip", "packaging"}),
        (("plot",), {"numpy", "micropip", "packaging", "plot"}),
    ):
        files = content(stocked.provide(*entries))
        shipped, _ = json.JSONDecoder().raw_decode(files[LECTERN].decode())
        assert shipped["packages"].keys() == packages
        names = {package["file_name"] for package in shipped["packages"].values()}
        assert names - files.keys() == {NUMPY}, "which is in the pack"
        assert shipped["info"] == lock()["info"]


def test_a_boot_fetches_glue_and_packs_but_no_archive_and_no_wheel(stocked: Workshop) -> None:
    manifest = stocked.provide("plot").manifest()
    names = {file["name"] for file in manifest["files"]}
    assert names == {*GLUE, *PACKED} - {*ARCHIVES}
    assert [file["name"] for file in manifest["archives"]] == [*ARCHIVES]
    assert (manifest["packages"], manifest["wheels"]) == ([], [])
    assert (manifest["python"], manifest["pyodide"]) == ("3.14", VERSION)


def test_a_lesson_that_names_a_package_boots_with_it_and_what_it_needs(stocked: Workshop) -> None:
    manifest = stocked.provide("plot").manifest(["plot"])
    assert manifest["packages"] == ["packaging", "plot"]
    assert {PLOT, PACKAGING} <= {file["name"] for file in manifest["files"]}


def test_sizes_and_hashes_are_those_of_the_files(stocked: Workshop) -> None:
    runtime = stocked.provide()
    files = content(runtime)
    for file in runtime.manifest()["files"]:
        data = files[file["name"]]
        assert file == {"name": file["name"], "bytes": len(data), "sha256": sha256(data)}
    assert runtime.size_on_wire() == sum(file["bytes"] for file in runtime.manifest()["files"])


def test_the_digest_changes_with_any_content(stocked: Workshop) -> None:
    before = stocked.provide().digest
    write_files(stocked.root / "lectern", {"runner.py": b"x = 2\n"})
    changed = stocked.provide().digest
    assert changed != before
    assert stocked.provide("plot").digest not in (before, changed)


def test_a_damaged_runtime_folder_is_made_anew(stocked: Workshop) -> None:
    runtime = stocked.provide()
    (runtime.folder / PYTHON).unlink()
    (runtime.folder / "pyodide.mjs.zst").unlink()
    files = content(stocked.provide())
    assert files["pyodide.mjs.zst"] == SCRIPTS["pyodide.mjs"]
    assert packs_numpy(runtime)


def test_the_licences_of_packed_and_shipped_wheels_are_at_hand(stocked: Workshop) -> None:
    names = {file.name.partition("-")[2] for file in stocked.provide().wheel_files}
    assert names == {NUMPY, MICROPIP, PACKAGING}
