/**
 * Bundles what the browser loads, in one esbuild run. Reads {static, out, typefaces} as JSON from stdin; prints
 * {"files": {logical name: hashed name}, "imports": {logical name: hashed names}} or {"faults": [{file, line, text}]}.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative, resolve } from "node:path";

const { static: folder, out, typefaces } = JSON.parse(readFileSync(0, "utf8"));
const esbuild = createRequire(join(folder, "package.json"))("esbuild");

/** Browsers that know light-dark() and module workers; older ones get the page without its script. */
const TARGET = ["es2022", "chrome123", "firefox121", "safari17.5"];

/** Styles name the fonts that the build has cut `typefaces/…`; they lie in the cache. @type {import("esbuild").Plugin} */
const cut = {
  name: "typefaces",
  setup(build) {
    build.onResolve({ filter: /^typefaces\// }, ({ path }) =>
      typefaces ? { path: join(typefaces, basename(path)) } : undefined,
    );
  },
};

/** `import text from "styles:name.css"`: styles that come with the script that needs them. @type {import("esbuild").Plugin} */
const carried = {
  name: "styles",
  setup(build) {
    build.onResolve({ filter: /^styles:/ }, ({ path }) => ({ path: join(folder, "css", path.slice(7)), namespace: "styles" }));
    build.onLoad({ filter: /./, namespace: "styles" }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: TARGET });
      return { contents: code, loader: "text" };
    });
  },
};

/** `import text from "worker:name.js"`: a worker that comes as text, for pages where it has no address. @type {import("esbuild").Plugin} */
const within = {
  name: "worker",
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, ({ path }) => ({ path: join(folder, "js", path.slice(7)), namespace: "worker" }));
    build.onLoad({ filter: /./, namespace: "worker" }, async ({ path }) => {
      const made = await esbuild
        .build({ entryPoints: [path], bundle: true, format: "iife", minify: true, write: false, target: TARGET, logLevel: "silent" })
        .catch(faultsOf);
      return made.outputFiles ? { contents: made.outputFiles[0].text, loader: "text" } : { errors: made.errors };
    });
  },
};

const result = await esbuild
  .build({
    absWorkingDir: folder,
    entryPoints: ["js/main.js", "js/worker.js", "css/main.css"],
    outdir: out,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    legalComments: "none", // the page of notices carries the licences
    target: TARGET,
    external: ["*/pyodide.mjs"], // the worker imports it from the runtime's folder
    loader: { ".woff2": "file", ".svg": "file", ".png": "file" },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    plugins: [cut, carried, within],
    metafile: true,
    logLevel: "silent",
  })
  .catch(faultsOf);

/** The styles of the heat map alone, as text for its script: they must not touch the page that it stands on. */
const styles = await esbuild
  .build({
    absWorkingDir: folder,
    entryPoints: ["css/embed.css"],
    outdir: out,
    bundle: true,
    minify: true,
    write: false,
    target: TARGET,
    logLevel: "silent",
  })
  .catch(faultsOf);
const embedded = (styles.outputFiles?.[0]?.text ?? "").replaceAll(":root", "heat-map");

// Classic scripts, each in one file. A browser knows a service worker by its address, so that never changes; the first
// script of a page stands in the page itself.
const single = await esbuild
  .build({
    absWorkingDir: folder,
    entryPoints: ["js/service-worker.js", "js/first.js", "js/embed.js"],
    define: { EMBEDDED_STYLES: JSON.stringify(embedded) },
    plugins: [carried, within],
    outdir: out,
    bundle: true,
    format: "iife",
    minify: true,
    legalComments: "none",
    target: TARGET,
    metafile: true,
    logLevel: "silent",
  })
  .catch(faultsOf);

// esbuild only warns of a syntax error in CSS, and a warning that scrolls by is lost. Those in packages are not ours.
const faults = [result, styles, single]
  .flatMap(({ errors, warnings }) => [...errors, ...warnings])
  .filter(({ location }) => !location?.file.includes("node_modules"))
  .map(({ location, text }) => ({ file: location?.file ?? "", line: location?.line ?? 1, text }));

const outputs = { ...result.metafile?.outputs, ...single.metafile?.outputs };
console.log(JSON.stringify(faults.length > 0 ? { faults } : describe(outputs)));

/** @param {any} error */
function faultsOf(error) {
  if (!Array.isArray(error.errors)) throw error;
  return error;
}

/** @param {import("esbuild").Metafile["outputs"]} outputs */
function describe(outputs) {
  /** @type {Record<string, string>} */ const files = {};
  /** @type {Record<string, string[]>} */ const imports = {};
  for (const [path, output] of Object.entries(outputs)) {
    const inputs = Object.keys(output.inputs);
    const source = output.entryPoint ?? (/\.(js|css)$/.test(path) ? null : inputs[0]);
    if (!source) continue; // a chunk that two scripts share has no name of its own
    files[basename(source)] = hashed(path);
    imports[basename(source)] = [...statically(path)].map(hashed);
  }
  return { files, imports };

  /** All that a script imports before it can start. @param {string} path */
  function statically(path, found = new Set()) {
    for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || external || found.has(next)) continue;
      found.add(next);
      statically(next, found);
    }
    return found;
  }
}

/** @param {string} path  of an output, relative to the static folder */
function hashed(path) {
  return relative(out, resolve(folder, path)).replaceAll("\\", "/");
}
