/** Downloads against a real HTTP server that compresses, stalls, loses and damages files. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";

import { explain } from "../../static/js/boot.js";
import { download, DownloadError } from "../../static/js/download.js";

/** @typedef {import("node:http").ServerResponse} ServerResponse */

/** @type {Map<string, (response: ServerResponse, visit: number) => void>} */
const answers = new Map();
/** @type {Map<string, number>} */
const visits = new Map();
const server = createServer((request, response) => {
  const name = (request.url ?? "/").slice(1);
  const visit = (visits.get(name) ?? 0) + 1;
  visits.set(name, visit);
  const answer = answers.get(name);
  if (answer) answer(response, visit);
  else response.writeHead(404).end("no");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
const address = /** @type {import("node:net").AddressInfo} */ (server.address());
const BASE = `http://127.0.0.1:${address.port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
});

const text = Buffer.from("import numpy as np\n".repeat(20_000));
const noise = randomBytes(300_000);
const packed = gzipSync(text);

/** @param {string} name @param {Buffer} bytes */
function file(name, bytes) {
  return { name, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** @param {Buffer} body @param {Record<string, string>} [headers] */
const whole = (body, headers = {}) => (/** @type {ServerResponse} */ response) => {
  response.writeHead(200, { "content-length": body.length, ...headers }).end(body);
};

/** Without a Content-Length, as hosts that compress on the fly send it. @param {Buffer} body */
const chunked = (body) => async (/** @type {ServerResponse} */ response) => {
  response.writeHead(200, { "content-encoding": "gzip" });
  for (let at = 0; at < body.length; at += 400) {
    response.write(body.subarray(at, at + 400));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  response.end();
};

/** @param {import("../../static/js/protocol.js").RuntimeFile[]} files @param {Partial<import("../../static/js/download.js").Options>} [options] */
async function fetchAll(files, options = {}) {
  /** @type {[number, number][]} */
  const told = [];
  const contents = await download(BASE, files, { onProgress: (loaded, total) => told.push([loaded, total]), ...options });
  return { contents, told };
}

for (const { how, answer, total } of [
  { how: "compressed, with its length", answer: whole(packed, { "content-encoding": "gzip" }), total: packed.length },
  { how: "compressed on the fly", answer: chunked(packed), total: text.length },
  { how: "not compressed", answer: whole(text), total: text.length },
]) {
  test(`progress is true when a file is sent ${how}`, async () => {
    answers.set("glue.mjs", answer);
    answers.set("numpy.whl", whole(noise));
    const { contents, told } = await fetchAll([file("glue.mjs", text), file("numpy.whl", noise)]);
    assert.deepEqual(Buffer.from(contents.get("glue.mjs") ?? []), text);
    assert.deepEqual(Buffer.from(contents.get("numpy.whl") ?? []), noise);
    const loaded = told.map(([bytes]) => bytes);
    assert.deepEqual(loaded, [...loaded].sort((a, b) => a - b), "never falls");
    assert.deepEqual(told.at(-1), [total + noise.length, total + noise.length], "ends at the total");
    for (const [bytes, all] of told) assert.ok(bytes <= all);
  });
}

for (const { fault, answer, problem } of [
  { fault: "missing", answer: null, problem: /404 for numpy\.whl.*Reload/s },
  {
    fault: "refused",
    answer: (/** @type {ServerResponse} */ response) => response.writeHead(503).end(),
    problem: /503 for numpy\.whl.*try again/s,
  },
  { fault: "damaged", answer: whole(Buffer.from(noise).fill(0, 5, 9)), problem: /numpy\.whl arrived damaged.*SHA-256/s },
  { fault: "cut short", answer: whole(noise.subarray(0, 1000)), problem: /numpy\.whl arrived damaged.*1000 bytes/s },
  { fault: "too long", answer: whole(Buffer.concat([noise, noise])), problem: /numpy\.whl arrived damaged.*more than/s },
  {
    fault: "cut off",
    answer: (/** @type {ServerResponse} */ response) => {
      response.writeHead(200, { "content-length": noise.length });
      response.write(noise.subarray(0, 1000), () => response.destroy());
    },
    problem: /numpy\.whl could not be fetched.*connection/s,
  },
  {
    fault: "stalled",
    answer: (/** @type {ServerResponse} */ response) => {
      response.writeHead(200, { "content-length": noise.length });
      response.write(noise.subarray(0, 1000));
    },
    problem: /no data .* numpy\.whl.*connection/s,
  },
]) {
  test(`a ${fault} file is named, with what to do`, async () => {
    if (answer) answers.set("numpy.whl", answer);
    else answers.delete("numpy.whl");
    answers.set("glue.mjs", whole(text));
    const files = [file("glue.mjs", text), file("numpy.whl", noise)];
    await assert.rejects(fetchAll(files, { stallAfter: 200 }), (/** @type {unknown} */ error) => {
      assert.ok(error instanceof DownloadError);
      assert.match(error.message, problem);
      assert.deepEqual(explain(error), { message: error.message, file: "numpy.whl" });
      return true;
    });
  });
}

test("a file damaged in the cache is fetched once more past it", async () => {
  answers.set("stdlib.zip", (response, visit) => whole(visit === 1 ? noise.subarray(1) : noise)(response));
  const { contents } = await fetchAll([file("stdlib.zip", noise)]);
  assert.equal(contents.get("stdlib.zip")?.length, noise.length);
  assert.equal(visits.get("stdlib.zip"), 2);
});

test("without crypto.subtle the size is still checked", async () => {
  const twisted = Buffer.from(noise).fill(0, 5, 9);
  answers.set("a.whl", whole(twisted));
  const { contents } = await fetchAll([file("a.whl", noise)], { subtle: undefined });
  assert.deepEqual(Buffer.from(contents.get("a.whl") ?? []), twisted);
  answers.set("a.whl", whole(noise.subarray(1)));
  await assert.rejects(fetchAll([file("a.whl", noise)], { subtle: undefined }), /arrived damaged/);
});

test("each file is handed over as soon as it is there and vouched for", async () => {
  answers.set("early.zst", (response, visit) => whole(visit === 1 ? noise.subarray(1) : noise)(response));
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(null)));
  answers.set("late.zst", (response) => void released.then(() => whole(text)(response)));
  /** @type {[string, number][]} */
  const arrived = [];
  await fetchAll([file("late.zst", text), file("early.zst", noise)], {
    onFile: (name, bytes) => {
      arrived.push([name, bytes.length]);
      release();
    },
  });
  assert.deepEqual(arrived, [["early.zst", noise.length], ["late.zst", text.length]]);
});
