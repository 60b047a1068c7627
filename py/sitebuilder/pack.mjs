/**
 * Makes the runtime's packed files, with Pyodide itself as the compiler. Reads {pyodide, script, work, out, containers,
 * compress, minify} as JSON from stdin: `work` holds request.json and sources.zip for precompile.py (`script`); `compress`
 * and `minify` map further files to their names in `out`, where all end in .zst; scripts are minified before.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";

const { pyodide: folder, script, work, out, containers, compress, minify } = JSON.parse(readFileSync(0, "utf8"));

if (containers.length > 0) {
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  const pyodide = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" }, stdout: console.error });
  pyodide.FS.mkdirTree("/packing");
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: work }, "/packing");
  pyodide.runPython(readFileSync(script, "utf8"), { filename: "precompile.py" });
  pyodide.runPython(`precompile(Path("/packing/request.json"), Path("/packing/sources.zip"), Path("/packing"))`);
}
const files = [...containers.map((/** @type {string} */ name) => [join(work, name), name]), ...Object.entries(compress)];
for (const [source, name] of files) writeFileSync(join(out, `${name}.zst`), squeeze(readFileSync(source)));

for (const [source, name] of Object.entries(minify)) {
  const esbuild = createRequire(join(folder, "package.json"))("esbuild");
  const { code } = await esbuild.transform(readFileSync(source, "utf8"), { minify: true, target: "es2022", legalComments: "none" });
  writeFileSync(join(out, `${name}.zst`), squeeze(Buffer.from(code)));
}

/** @param {Buffer} bytes */
function squeeze(bytes) {
  return zstdCompressSync(bytes, {
    pledgedSrcSize: bytes.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: 22,
      [constants.ZSTD_c_checksumFlag]: 0, // we have SHA-256
      [constants.ZSTD_c_contentSizeFlag]: 1, // the decoder makes its buffer once
    },
  });
}
