"""What a lesson may write under `packages:`, and how what it may not is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitebuilder.packages import PackageFaults
from tests.local_index import use_index, write_wheel
from tests.small_runtime import Workshop, content


@pytest.fixture
def stocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """A workshop that has every file of its lock, so that only the index is left to ask."""
    use_index(monkeypatch, tmp_path / "index")
    workshop = Workshop(tmp_path)
    workshop.provide("plot", wheels=workshop.wheels())
    return workshop


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
    assert manifest["packages"] == []
    assert wheels <= set(content(runtime))
    assert wheels <= {file["name"] for file in manifest["files"]}

    shutil.rmtree(index)
    assert stocked.provide("tiny==1.0") == runtime, "the second build must not ask PyPI"
    assert stocked.said.getvalue() == ""
