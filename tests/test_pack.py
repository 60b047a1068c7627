"""The pack: bytecode that is the same wherever it is made, few files first, and nothing lost."""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import marshal
import struct
import sys
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType

import pytest
from rich.console import Console

from lectern.archives import ArchiveFinder
from sitebuilder.assets import install_packages
from sitebuilder.cache import cache_folder
from sitebuilder.contents import Places, module_name, numpy_members, stdlib_members, waiting
from sitebuilder.pack import ARCHIVES, GLUE, LECTERN, NUMPY, PYTHON, WASM, Originals, PyodidePacker
from sitebuilder.precompile import bytecode, container, zipped
from tests.project import ROOT

PLACES = Places("3.14")


def write_zip(file: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    """A small Python and a small NumPy, and the real Pyodide to compile them."""
    folder = tmp_path_factory.mktemp("originals")
    npm = install_packages(ROOT / "static", cache=cache_folder(), console=Console()) / "pyodide"
    sets = (
        "KINDS = {'a', 'b', 'c', 'd'}\ndef kind(x):\n    '''Its kind.'''\n    return x in {'e', 'f', 'g'}\n"
    )
    stdlib = write_zip(folder / "lib.zip", {"json/__init__.py": sets, "ftplib.py": sets})
    numpy = write_zip(
        folder / "np.whl", {"numpy/__init__.py": sets, "numpy/ma/core.py": "x = 1", "numpy/a.pyi": ""}
    )
    (folder / "wasm").write_bytes(b"\0asm" * 1000)
    (folder / "lectern").mkdir()
    (folder / "lectern/__init__.py").write_text(sets)
    return Originals(npm, folder / "wasm", stdlib, numpy, folder / "lectern", b"{}", "3.14")


def test_the_same_originals_give_the_same_bytes_in_every_cache(originals: Originals, tmp_path: Path) -> None:
    silent = Console(file=io.StringIO())
    one, two = (PyodidePacker(tmp_path / cache, silent)(originals) for cache in ("one", "two"))
    assert one.keys() == {WASM, PYTHON, NUMPY, LECTERN, *GLUE, *ARCHIVES}
    assert {name: file.read_bytes() for name, file in one.items()} == {
        n: f.read_bytes() for n, f in two.items()
    }
    assert PyodidePacker(tmp_path / "one", silent)(originals) == one, "and the second time nothing is made"


def test_a_container_is_a_table_and_then_the_files() -> None:
    packed = container({"/b.py": b"bb", "/a.so": b"aaa", "/a.py": b""})
    (length,) = struct.unpack_from("<I", packed)
    assert json.loads(packed[4 : 4 + length]) == [["/a.py", 0], ["/b.py", 2], ["/a.so", 3]]
    assert packed[4 + length :] == b"bbaaa"


SOURCE = (
    b'"""Module."""\ndef f():\n    """Function."""\n    assert f, "kept"\n\nclass C:\n    """Only this."""\n'
)


@pytest.mark.parametrize("docstrings", [True, False])
def test_docstrings_go_where_they_are_not_wanted_and_assertions_stay(docstrings: bool) -> None:
    code = marshal.loads(bytecode(SOURCE, "m.py", docstrings=docstrings)[16:])
    namespace: dict[str, object] = {}
    exec(code, namespace)
    function, class_ = namespace["f"], namespace["C"]
    kept = [namespace.get("__doc__"), function.__doc__, class_.__doc__]
    assert kept == (["Module.", "Function.", "Only this."] if docstrings else [None, None, None])
    assert isinstance(code, CodeType)
    assert code.co_filename == "m.py"
    assert any("kept" in inner.co_consts for inner in code.co_consts if isinstance(inner, CodeType))


def test_a_pyc_is_never_compared_with_a_source(tmp_path: Path) -> None:
    (tmp_path / "packed_module.pyc").write_bytes(bytecode(b"x = 7", "packed_module.py", docstrings=True))
    spec = PathFinder.find_spec("packed_module", [str(tmp_path)])
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.x == 7


def test_every_module_of_python_and_numpy_is_in_the_pack_or_waits_in_an_archive() -> None:
    stdlib = ["json/__init__.py", "json/tool.py", "ftplib.py", "encodings/utf_8.py", "encodings/koi8_r.py"]
    numpy = [
        "numpy/__init__.py",
        "numpy/random/mtrand.cpython-314-x.so",
        "numpy/ma/core.py",
        "numpy/f2py/auxfuncs.py",
    ]
    useless = ["numpy/__init__.pyi", "numpy/_core/include/numpy/ndarraytypes.h", "numpy-2.dist-info/RECORD"]
    first, rest = stdlib_members(stdlib, PLACES)
    first_numpy, rest_numpy = numpy_members([*numpy, *useless, "numpy-2.dist-info/METADATA"], PLACES)
    named = {module_name(member.source.partition("/")[2]) for member in (*first, *first_numpy)}
    archives = {"s": rest, **rest_numpy}
    late = dict(entry for name, members in archives.items() for entry in waiting(members, name, PLACES))
    assert named >= {"json", "encodings.utf_8", "numpy", "numpy.random.mtrand"}
    assert late == {
        "json.tool": "s",
        "ftplib": "s",
        "encodings.koi8_r": "s",
        "numpy.ma.core": "numpy-ma.pack",
        "numpy.f2py.auxfuncs": "numpy-rest.pack",
    }


def module_zip(file: Path, files: dict[str, str]) -> str:
    file.write_bytes(zipped({name: text.encode() for name, text in files.items()}))
    return str(file)


@pytest.fixture
def split(tmp_path: Path) -> tuple[ArchiveFinder, list[str]]:
    """A package with one module in the first zip and one in the rest, which comes when it is fetched."""
    first = module_zip(tmp_path / "lib.zip", {"halves/__init__.py": "", "halves/near.py": "x = 1"})
    rest = {"halves/far.py": "from halves.near import x", "whole/__init__.py": "", "whole/part.py": "y = 2"}
    fetched: list[str] = []

    def fetch(archive: str) -> None:
        fetched.append(archive)
        module_zip(tmp_path / "rest.zip", rest)

    index = dict.fromkeys(["halves.far", "whole", "whole.part"], "late.zst")
    return ArchiveFinder(index, fetch, stdlib=first, rest=str(tmp_path / "rest.zip")), fetched


def test_an_import_fetches_its_archive_once_and_split_packages_are_whole(
    split: tuple[ArchiveFinder, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder, fetched = split
    monkeypatch.syspath_prepend(str(tmp_path / "lib.zip"))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    importlib.import_module("halves.near")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("nowhere_at_all")
    assert fetched == []
    assert importlib.import_module("halves.far").x == 1
    assert importlib.import_module("whole.part").y == 2
    assert fetched == ["late.zst"]


def test_precompile_needs_no_other_module_of_ours() -> None:
    tree = ast.parse((ROOT / "py/sitebuilder/precompile.py").read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(str(name).startswith("sitebuilder") for name in imported), "it runs alone, inside Pyodide"
