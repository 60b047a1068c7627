/** Streams as a terminal would show them, and numbers as a reader wants them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LineBuffer } from "../../static/js/lines.js";
import { count, duration, share, size } from "../../static/js/words.js";

const cases = JSON.parse(readFileSync(new URL("./lines-cases.json", import.meta.url), "utf8"));
for (const { name, chunks, text } of cases) {
  test(`in a stream, ${name}`, () => {
    const buffer = new LineBuffer();
    for (const chunk of chunks) buffer.append(chunk);
    assert.equal(buffer.text, text);
  });
}

test("a long stream keeps its last lines and counts the rest", () => {
  const buffer = new LineBuffer(10);
  for (let i = 0; i < 1000; i++) buffer.append(`${i}\n`);
  assert.ok(buffer.lines.length >= 10 && buffer.lines.length <= 20, `${buffer.lines.length} lines`);
  assert.equal(buffer.lines.at(-1), "999");
  assert.equal(buffer.dropped + buffer.lines.length, 1000);
});

for (const { got, expected } of [
  { got: size(412_300), expected: "412 kB" },
  { got: size(999_600), expected: "1.0 MB" },
  { got: size(9_312_345), expected: "9.3 MB" },
  { got: share(3_140_000, 9_312_345), expected: "3.1 of 9.3 MB" },
  { got: share(40_000, 9_312_345), expected: "40 kB of 9.3 MB" },
  { got: duration(0.2), expected: "1 ms" },
  { got: duration(12.4), expected: "12 ms" },
  { got: duration(999.7), expected: "1.0 s" },
  { got: duration(9_960), expected: "10 s" },
  { got: duration(59_600), expected: "1 min 0 s" },
  { got: count(1, "line"), expected: "1 line" },
  { got: count(12_345, "line"), expected: "12,345 lines" },
]) {
  test(`a reader sees ${expected}`, () => assert.equal(got, expected));
}
