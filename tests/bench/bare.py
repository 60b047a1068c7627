"""The page that Lectern is measured against: stock Pyodide and NumPy from the same originals, in a worker."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.console import Console

from sitebuilder.lock import Lock
from sitebuilder.sources import CDN, Sources

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Stock Pyodide</title>
<link rel="icon" href="data:,">
<button>Run</button>
<script type="module">
  globalThis.run = (source) => new Promise((resolve, reject) => {
    const worker = new Worker("worker.mjs", { type: "module" });
    worker.onmessage = ({ data }) => (data === "done" ? resolve() : reject(new Error(data)));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(source);
  });
</script>
"""

WORKER = """import { loadPyodide } from "./pyodide/pyodide.mjs";

addEventListener("message", async ({ data: source }) => {
  try {
    const pyodide = await loadPyodide();
    await pyodide.loadPackage("numpy");
    pyodide.runPython(source);
    postMessage("done");
  } catch (error) {
    postMessage(String(error));
  }
});
"""


def write_bare_page(folder: Path, *, npm: Path, cache: Path, console: Console) -> None:
    """Write the page to `folder`. `npm` is the installed npm package pyodide, `cache` the builder's cache."""
    lock = Lock.read(npm)
    numpy = lock.file_of("numpy")
    source = Sources(cache / "files", CDN.format(version=lock.version), console, None).obtain([numpy])[numpy]
    runtime = folder / "pyodide"
    runtime.mkdir(parents=True)
    for name in CORE:
        shutil.copy(npm / name, runtime)
    shutil.copyfile(source, runtime / numpy.name)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "worker.mjs").write_text(WORKER, encoding="utf-8")
