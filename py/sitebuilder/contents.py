"""What of Python and NumPy is in the first start's pack, and what waits in an archive for its import. Pure.

The pack holds what a start imports and what beginners' programs import. The rest stays importable: its names
are listed in the pack, and `lectern.archives` fetches its archive when one of them is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

STDLIB_REST = "stdlib-rest.pack"

_STARTED = """
__future__ _colorize _compat_pickle _opcode_metadata _py_warnings _pyodide _pyodide._base
_pyodide._core_docs _pyodide._future_helper _pyodide._importhook _pyodide.docs_argspec _pyodide.docstring
_pyodide.jsbind _weakrefset annotationlib ast asyncio asyncio.base_events asyncio.base_futures
asyncio.base_subprocess asyncio.base_tasks asyncio.constants asyncio.coroutines asyncio.events
asyncio.exceptions asyncio.format_helpers asyncio.futures asyncio.graph asyncio.locks asyncio.log
asyncio.mixins asyncio.protocols asyncio.queues asyncio.runners asyncio.selector_events asyncio.sslproto
asyncio.staggered asyncio.streams asyncio.subprocess asyncio.taskgroups asyncio.tasks asyncio.threads
asyncio.timeouts asyncio.transports asyncio.trsock asyncio.unix_events base64 bisect bz2 codeop
compression compression._common compression._common._streams compression.zstd compression.zstd._zstdfile
concurrent concurrent.futures concurrent.futures._base contextvars copyreg ctypes ctypes._endian dis email
encodings encodings.aliases encodings.ascii encodings.cp437 encodings.latin_1 encodings.utf_8 fnmatch glob
hmac importlib importlib._abc importlib._bootstrap importlib._bootstrap_external importlib.abc
importlib.machinery importlib.metadata importlib.metadata._collections importlib.metadata._functools
importlib.metadata._itertools importlib.metadata._meta importlib.util keyword linecache locale logging
lzma opcode platform pyodide pyodide._package_loader pyodide._state pyodide.code pyodide.common
pyodide.ffi pyodide.http pyodide.webloop re re._casefix re._compiler re._constants re._parser reprlib
secrets selectors shutil signal site socket stat struct subprocess sysconfig tempfile threading token
tokenize weakref zipfile zipfile._path zipfile._path.glob zipimport _collections_abc _sitebuiltins
_threading_local abc codecs genericpath io os posixpath nturl2path urllib urllib.parse ipaddress runpy
pkgutil _sysconfigdata__emscripten_wasm32-emscripten
"""
"""What Pyodide, NumPy and `lectern` import before the first cell runs. Not `ssl`: asyncio starts without it,
and a browser has no sockets."""

_TAUGHT = """
array calendar collections collections.abc contextlib copy csv dataclasses datetime decimal
difflib enum fractions functools hashlib heapq inspect itertools json json.decoder
json.encoder json.scanner math numbers operator pathlib pathlib._os pickle pprint queue random statistics
string string.templatelib textwrap this timeit traceback types typing uuid warnings _ast_unparse _pylong
_strptime
"""
"""What a beginner's program imports; these keep their docstrings, because `help` is part of learning."""

_STARTED_MODULES, _TAUGHT_MODULES = frozenset(_STARTED.split()), frozenset(_TAUGHT.split())

_TESTS = r"numpy/(.*/)?(tests|_examples)/"
_NUMPY_REST = {
    "numpy-rest.pack": re.compile(
        rf"{_TESTS}|numpy/(f2py|polynomial|testing|ctypeslib|core|char|strings|rec|doc|_pyinstaller)/"
        r"|numpy/lib/(recfunctions|_?user_array(_impl)?)\.py$|numpy/_core/(strings|defchararray)\.py$"
        r"|numpy/(conftest|matlib|_configtool|typing/mypy_plugin)\.py$|numpy/linalg/lapack_lite\."
    ),
    "numpy-ma.pack": re.compile(r"numpy/ma/"),
    "numpy-fft.pack": re.compile(r"numpy/fft/"),
}
"""What `import numpy` does without, by archive; the first that matches. `ma` has one of its own, because
`np.median` and `np.unique` import it."""

NUMPY_ARCHIVES = (*_NUMPY_REST,)
_NOT_FOR_BROWSERS = re.compile(
    r"\.(pyi|h|a|c|pxd|pyx|pc|ini|cfg|build|template|md|rst|in)$|/py\.typed$|/LICENSE[^/]*$"
)
"""For type checkers and compilers. Licences stand on the site's page of notices."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a pack; precompile.py says what each field means."""

    source: str
    path: str
    file: str
    docstrings: bool = True
    zip: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Places:
    """Where a Python version looks for its modules, inside Pyodide."""

    version: str

    @property
    def lib(self) -> str:
        return f"/lib/python{self.version}"

    @property
    def site(self) -> str:
        return f"{self.lib}/site-packages"

    @property
    def stdlib(self) -> str:
        return f"/lib/python{self.version.replace('.', '')}.zip"

    @property
    def stdlib_rest(self) -> str:
        return self.stdlib.replace(".zip", "-rest.zip")


def stdlib_members(names: Iterable[str], places: Places) -> tuple[list[Member], list[Member]]:
    """The first pack's and the rest's modules of a standard library with these files."""
    first: list[Member] = []
    rest: list[Member] = []
    for name in names:
        if not name.endswith(".py"):
            continue
        module, file = module_name(name), f"{places.stdlib}/{name}"
        if module in _STARTED_MODULES | _TAUGHT_MODULES:
            first.append(Member(f"stdlib/{name}", name, file, module in _TAUGHT_MODULES, places.stdlib))
        else:
            rest.append(Member(f"stdlib/{name}", name, file, zip=places.stdlib_rest))
    return first, rest


def numpy_members(names: Iterable[str], places: Places) -> tuple[list[Member], Mapping[str, list[Member]]]:
    """The first pack's files, and each archive's, of a NumPy wheel with these files."""
    first: list[Member] = []
    archives: dict[str, list[Member]] = {archive: [] for archive in NUMPY_ARCHIVES}
    for name in names:
        about = ".dist-info/" in name
        if name.endswith("/") or (about and not name.endswith(("/METADATA", "/WHEEL"))):
            continue
        if not _NOT_FOR_BROWSERS.search(name):
            member = Member(f"numpy/{name}", f"{places.site}/{name}", f"{places.site}/{name}")
            archive = next((archive for archive, own in _NUMPY_REST.items() if own.match(name)), None)
            (archives[archive] if archive else first).append(member)
    return first, archives


def waiting(members: Iterable[Member], archive: str, places: Places) -> Iterator[tuple[str, str]]:
    """The modules among the members of an archive, each with the archive's name."""
    for member in members:
        path = member.path.removeprefix(f"{places.site}/")
        if path.endswith((".py", ".so")):
            yield module_name(path), archive


def module_name(path: str) -> str:
    """`json/__init__.py` is `json`; `numpy/fft/_pocketfft.cpython-314.so` is `numpy.fft._pocketfft`."""
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    parts = [*folder.split("/"), stem] if folder else [stem]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
