/**
 * Pins what static/js/internals.js relies on in the installed Pyodide. If an upgrade fails here, read that file again
 * before anything else: Pyodide's start has changed, and a lesson might not start, or start slowly.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../static/node_modules/pyodide/", import.meta.url);
const VERSION = JSON.parse(readFileSync(new URL("package.json", FOLDER), "utf8")).version;
const LOADER = readFileSync(new URL("pyodide.mjs", FOLDER), "utf8");
const MODULE = readFileSync(new URL("pyodide.asm.mjs", FOLDER), "utf8");

for (const { what, source, pattern } of [
  { what: "a global WasmOffsetConverter keeps it from fetching its wasm", source: LOADER, pattern: /typeof WasmOffsetConverter<"u"\)return/ },
  { what: "the standard library is fetched from stdLibURL", source: LOADER, pattern: /\.stdLibURL!=null\?\w+=\w+\.stdLibURL/ },
  { what: "in Node, an address with :// is fetched and not read", source: LOADER, pattern: /includes\(":\/\/"\)\?\{response:fetch\(/ },
  { what: "createPyodideModule replaces the import of pyodide.asm.mjs", source: LOADER, pattern: /if\(\w+\.createPyodideModule\)return \w+\.createPyodideModule/ },
  { what: "the wasm asks for Jsv_GetError_import and JsvError_Check", source: LOADER, pattern: /env\.Jsv_GetError_import=\w+,\w+\.env\.JsvError_Check=/ },
  { what: "fsInit is called before Python starts", source: LOADER, pattern: /\.fsInit\)\]/ },
  { what: "instantiateWasm is Emscripten's hook", source: MODULE, pattern: /Module\["instantiateWasm"\]\(info,\(inst,mod\)/ },
  { what: "allowUndefined spares the look through all symbols", source: MODULE, pattern: /if\(!flags\.allowUndefined\)\{reportUndefinedSymbols\(\)/ },
  { what: "libraries are looked up in preloadedWasm by name", source: MODULE, pattern: /var preloaded=preloadedWasm\[libName\]/ },
  { what: "loadWebAssemblyModule takes a compiled module", source: MODULE, pattern: /var module=binary instanceof WebAssembly\.Module\?binary:/ },
  { what: "onRuntimeInitialized is called before main", source: MODULE, pattern: /Module\["onRuntimeInitialized"\]\?\.\(\);var noInitialRun/ },
  { what: "with _loadSnapshot, main does not run", source: LOADER, pattern: /await \w+\._loadSnapshot,.{0,80}\.noInitialRun=!0/ },
  { what: "a snapshot is a header, whose length is its second number, and the memory", source: MODULE, pattern: /\w\[0\]=\w+,\w\[1\]=(\w),.{0,90}\w\.subarray\(\1\)\.set\(Module\.HEAP8\)/ },
  { what: "of a snapshot, what follows the header is copied", source: MODULE, pattern: /t=t\.subarray\(r\);.{0,90}Module\.HEAP8\.set\(t\)/ },
  { what: "a snapshot is taken while the list of packages is empty", source: MODULE, pattern: /API\.getExpectedKeys=function\(\)\{return\[null,.{0,60},\{\}\]\}/ },
  { what: "a small module is compiled for each JavaScript function, from its signature alone", source: MODULE, pattern: /convertJsFunctionToWasm=\(func,sig\)=>\{var bytes=Uint8Array\.of.{0,200}var module=new WebAssembly\.Module\(bytes\);var instance=/ },
  { what: "the module exports what links libraries", source: MODULE, pattern: /Module\["loadDynamicLibrary"\]=loadDynamicLibrary/ },
]) {
  test(`Pyodide works inside as static/js/internals.js expects: ${what}`, () => {
    assert.match(source, pattern, `Pyodide ${VERSION} differs from 314.0.3 here; adapt static/js/internals.js`);
  });
}
