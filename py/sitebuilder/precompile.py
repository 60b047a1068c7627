"""Turn Python sources into one container of bytecode. Runs in Pyodide, which alone can compile for itself.

The same sources give the same bytes: names are sorted, code objects are marshalled in one fixed order in a
fresh interpreter with a fixed hash seed, and nothing carries a time.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import marshal
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_UNCHECKED = struct.pack("<I", 0b01)
"""PEP 552: named by the hash of a source that Python is told not to look for."""


def precompile(request: Path, sources: Path, out: Path) -> None:
    """Make every container that the JSON file `request` describes, of files from the archive `sources`.

    A container is described by its `name` and `members`; a member by `source` (its name in the archive),
    `path` (where Python finds it), `file` (its path for tracebacks), `docstrings` and `zip` (the zip file it
    goes into, or null).
    """
    with zipfile.ZipFile(sources) as archive:
        for wanted in json.loads(request.read_bytes()):
            files = _compiled(wanted["members"], archive)
            (out / wanted["name"]).write_bytes(container(files))


def container(files: Mapping[str, bytes]) -> bytes:
    """Files end to end behind a table of their names and sizes, as static/js/pack.js reads it."""
    # Kin beside kin compresses best: first by kind, then by path.
    names = sorted(files, key=lambda name: (Path(name).suffix, name))
    table = json.dumps([[name, len(files[name])] for name in names], separators=(",", ":")).encode()
    return struct.pack("<I", len(table)) + table + b"".join(files[name] for name in names)


def bytecode(source: bytes, file: str, *, docstrings: bool) -> bytes:
    """The `.pyc` of a module whose tracebacks shall name `file`."""
    tree = ast.parse(source, file)
    if not docstrings:
        _drop_docstrings(tree)
    code = compile(tree, file, "exec", dont_inherit=True, optimize=0)  # 0: assertions stay
    return importlib.util.MAGIC_NUMBER + _UNCHECKED + bytes(8) + marshal.dumps(code)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of these files, stored: the container is compressed as a whole, which is smaller."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _compiled(members: Iterable[Mapping[str, Any]], archive: zipfile.ZipFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    zips: dict[str, dict[str, bytes]] = {}
    for member in members:
        content, path = archive.read(member["source"]), member["path"]
        if path.endswith(".py"):
            content, path = bytecode(content, member["file"], docstrings=member["docstrings"]), path + "c"
        if member["zip"]:
            zips.setdefault(member["zip"], {})[path] = content
        else:
            files[path] = content
    return files | {name: zipped(inside) for name, inside in zips.items()}


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]
