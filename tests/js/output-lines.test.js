/** Streams as a terminal would show them, and numbers as a reader wants them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { LineBuffer } from "../../static/js/lines.js";
import { count, duration, share, size } from "../../static/js/words.js";

for (const { name, chunks, text } of [
  { name: "chunks are one text", chunks: ["a", "b\nc", "\n"], text: "ab\nc\n" },
  { name: "an open line stays open", chunks: ["a\nb"], text: "a\nb" },
  { name: "empty lines count", chunks: ["\n\n", "x"], text: "\n\nx" },
  { name: "a carriage return starts the line over", chunks: ["10 %", "\r20 %", "\r100 %\n"], text: "100 %\n" },
  { name: "what is longer than the new text stays", chunks: ["abcdef\rXY"], text: "XYcdef" },
  { name: "Windows line ends are line ends", chunks: ["a\r\nb\r", "\nc"], text: "a\nb\nc" },
  { name: "markup is text", chunks: ["<img src=x onerror=alert(1)>\n"], text: "<img src=x onerror=alert(1)>\n" },
]) {
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
