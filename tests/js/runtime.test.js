/** The page's side of the protocol, against a worker whose every reply is written down. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Runtime } from "../../static/js/runtime.js";
import { cell, MANIFEST, ScriptedWorker, start } from "./scripted-worker.js";

test("nothing is fetched before somebody wants to run something", () => {
  const { runtime, workers } = start();
  assert.equal(runtime.status.state, "idle");
  assert.equal(workers.length, 0);
  runtime.start();
  runtime.start();
  assert.equal(workers.length, 1, "intent shown twice boots once");
  assert.deepEqual(workers[0]?.received, [{ type: "boot", manifest: MANIFEST, kit: null }]);
});

test("runs wait for the boot, then go one at a time, each with its own output and one done", async () => {
  const { runtime, worker, states } = start();
  /** @type {string[]} */
  const said = [];
  const emit = (/** @type {any} */ output) => said.push(output.text);
  const first = runtime.run(cell("1"), { emit });
  const second = runtime.run(cell("2"), { emit });
  assert.deepEqual(worker().sources, []);
  worker().ready();
  assert.deepEqual(worker().sources, ["1"], "the second waits for the first");
  worker().finish("one");
  assert.equal((await first).ok, true);
  assert.deepEqual(worker().sources, ["1", "2"]);
  worker().finish("two");
  await second;
  assert.deepEqual(said, ["one", "two"]);
  assert.deepEqual(states, ["loading", "ready", "running", "ready", "running", "ready"]);
});

test("a done or an output with another id is nobody's", async () => {
  const { runtime, worker } = start();
  /** @type {unknown[]} */
  const said = [];
  const run = runtime.run(cell("1"), { emit: (output) => said.push(output) });
  worker().ready();
  worker().say({ type: "stream", id: 99, name: "stdout", text: "stray" });
  const error = { kind: "ValueError", message: "no", line: 1, traceback: "", hint: null };
  worker().say({ type: "done", id: 99, ok: false, error, ms: 0 });
  worker().finish();
  worker().say({ type: "done", id: worker().lastRun, ok: false, error, ms: 0 });
  assert.equal((await run).ok, true);
  assert.deepEqual(said, []);
});

test("stop settles the running and the queued, and a fresh worker boots behind the scenes", async () => {
  const { runtime, workers, states } = start();
  let restarts = 0;
  runtime.addEventListener("restart", () => (restarts += 1));
  const runs = [runtime.run(cell("while True: pass")), runtime.run(cell("2"))];
  workers[0]?.ready();
  runtime.stop();
  const dones = await Promise.all(runs);
  assert.deepEqual(dones.map((done) => [done.ok, done.error?.kind]), [[false, "Stopped"], [false, "Stopped"]]);
  assert.match(dones[0]?.error?.message ?? "", /restarted/);
  assert.match(dones[1]?.error?.message ?? "", /while it was waiting/);
  assert.equal(workers[0]?.terminated, true);
  assert.equal(workers.length, 2);
  assert.deepEqual(workers[1]?.received.map(({ type }) => type), ["boot"]);
  assert.equal(restarts, 1);
  assert.equal(states.at(-1), "loading");
});

test("what the first worker has downloaded and prepared is handed to the next", () => {
  const { runtime, workers } = start();
  void runtime.run(cell("while True: pass"));
  workers[0]?.ready();
  const kit = /** @type {any} */ ({ scripts: { loader: new Blob(["a"]) }, assets: {}, others: new Map() });
  workers[0]?.say({ type: "kit", kit });
  runtime.stop();
  const [boot] = workers[1]?.received ?? [];
  assert.ok(boot?.type === "boot" && boot.kit?.scripts.loader instanceof Blob);
});

test("after a failed start the next one begins from the site's files", () => {
  const { runtime, workers } = start();
  void runtime.run(cell("1"));
  workers[0]?.say({ type: "kit", kit: /** @type {any} */ ({ assets: {} }) });
  workers[0]?.say({ type: "state", state: "failed", failure: { message: "too little memory", file: null } });
  runtime.retry();
  assert.deepEqual(workers[1]?.received, [{ type: "boot", manifest: MANIFEST, kit: null }]);
});

test("stop while Python loads takes the runs back and lets it load", async () => {
  const { runtime, workers } = start();
  const run = runtime.run(cell("1"));
  runtime.stop();
  const done = await run;
  assert.equal(done.error?.kind, "Stopped");
  assert.doesNotMatch(done.error?.message ?? "", /restarted/);
  assert.equal(workers.length, 1);
  assert.equal(workers[0]?.terminated, false);
});

test("late messages of a dead worker change nothing", async () => {
  const { runtime, workers } = start();
  void runtime.run(cell("1"));
  const dead = /** @type {ScriptedWorker} */ (workers[0]);
  dead.ready();
  runtime.stop();
  dead.ready();
  dead.crash("late");
  dead.say({ type: "state", state: "failed", failure: { message: "late", file: null } });
  assert.equal(runtime.status.state, "loading");
  const next = runtime.run(cell("2"));
  workers[1]?.ready();
  dead.say({ type: "done", id: workers[1]?.lastRun ?? -1, ok: false, error: null, ms: 0 });
  workers[1]?.finish();
  assert.equal((await next).ok, true);
});

test("a failed boot settles all that wait, and a retry boots anew", async () => {
  const { runtime, workers } = start();
  const runs = [runtime.run(cell("1")), runtime.run(cell("2"))];
  const failure = { message: "The server answered 404 for numpy.whl. Reload the page.", file: "numpy.whl" };
  workers[0]?.say({ type: "state", state: "failed", failure });
  for (const done of await Promise.all(runs)) {
    assert.equal(done.error?.kind, "RuntimeFailed");
    assert.equal(done.error?.message, failure.message);
  }
  assert.equal(runtime.status.state, "failed");
  assert.deepEqual(runtime.status.failure, failure);
  assert.equal(workers[0]?.terminated, true);
  runtime.retry();
  assert.equal(runtime.status.state, "loading");
  workers[1]?.ready();
  assert.equal(runtime.status.state, "ready");
});

test("where no worker may be started, every run is told so", async () => {
  const runtime = new Runtime(MANIFEST, {
    spawn: () => {
      throw new Error("cannot be accessed from origin 'null'");
    },
  });
  runtime.start();
  assert.equal(runtime.status.state, "failed");
  const done = await runtime.run(cell("1"));
  assert.equal(done.error?.kind, "RuntimeFailed");
  assert.match(done.error?.message ?? "", /tab of its own/);
});

test("Run after a failed boot is a retry", async () => {
  const { runtime, workers } = start();
  runtime.start();
  workers[0]?.crash("worker.js is missing");
  assert.equal(runtime.status.state, "failed");
  assert.match(runtime.status.failure?.message ?? "", /worker\.js is missing/);
  const run = runtime.run(cell("1"));
  workers[1]?.ready();
  workers[1]?.finish();
  assert.equal((await run).ok, true);
});

for (const { how, act } of [
  { how: "the worker throws", act: (/** @type {ScriptedWorker} */ worker) => worker.crash("out of memory") },
  {
    how: "the interpreter breaks",
    act: (/** @type {ScriptedWorker} */ worker) =>
      worker.say({
        type: "done",
        id: worker.lastRun,
        ok: false,
        ms: 1,
        error: { kind: "WorkerError", message: "out of memory", line: null, traceback: "", hint: null },
      }),
  },
]) {
  test(`a crash while cells run settles them and restarts Python: ${how}`, async () => {
    const { runtime, workers } = start();
    const runs = [runtime.run(cell("1")), runtime.run(cell("2"))];
    const first = /** @type {ScriptedWorker} */ (workers[0]);
    first.ready();
    act(first);
    for (const done of await Promise.all(runs)) {
      assert.equal(done.error?.kind, "WorkerError");
      assert.match(done.error?.message ?? "", /out of memory/);
    }
    assert.equal(workers.length, 2);
    assert.equal(runtime.status.state, "loading");
  });
}

const ERROR = { kind: "ValueError", message: "no", line: 1, traceback: "", hint: null };
const NAMES = { needs: [], binds: [], touches: [], chances: [] };

// Each would break the page only where it is shown. Those without an id get the one of the run.
for (const message of [
  { type: "done", ok: false, error: "no", ms: 1 },
  { type: "done", ok: false, error: null, ms: 1 },
  { type: "done", ok: false, error: {}, ms: 1 },
  { type: "done", ok: false, error: { ...ERROR, hint: 5 }, ms: 1 },
  { type: "done", ok: false, error: { ...ERROR, traceback: undefined }, ms: 1 },
  { type: "done", ok: false, error: { ...ERROR, line: "last" }, ms: 1 },
  { type: "done", ok: false, error: { ...ERROR, cell: {} }, ms: 1 },
  { type: "done", ok: true, error: ERROR, ms: 1 },
  { type: "done", ok: true, error: null, ms: "long" },
  { type: "stream", name: "stdout", text: 5 },
  { type: "display", mime: "text/plain", data: { toString: 5 } },
  { type: "ask", prompt: null },
  { type: "outlined", cells: null },
  { type: "outlined", cells: [undefined] },
  { type: "outlined", cells: [{ ...NAMES, needs: 5 }] },
  { type: "state", state: "failed", failure: null },
]) {
  test(`a message in no known form ends the run: ${JSON.stringify(message)}`, async () => {
    const { runtime, workers } = start();
    const run = runtime.run(cell("1"));
    workers[0]?.ready();
    workers[0]?.say(/** @type {any} */ ({ id: workers[0].lastRun, ...message }));
    const { error } = await run;
    assert.equal(error?.kind, "WorkerError");
    assert.match(error?.message ?? "", /restarted: a message could not be read/);
    assert.equal(workers.length, 2);
  });
}

test("a start that tells of its failure in no known form has failed", async () => {
  const { runtime, worker } = start();
  const run = runtime.run(cell("1"));
  worker().say(/** @type {any} */ ({ type: "state", state: "failed" }));
  assert.equal((await run).error?.kind, "RuntimeFailed");
  assert.match(runtime.status.failure?.message ?? "", /did not start .*try again/);
});

test("states that are told while a cell runs are not believed", async () => {
  const { runtime, worker } = start();
  const runs = [runtime.run(cell("1")), runtime.run(cell("2"))];
  worker().ready();
  worker().ready();
  worker().say({ type: "state", state: "loading", phase: "start", step: "Starting Python" });
  worker().say({ type: "state", state: "failed", failure: { message: "no", file: null } });
  assert.equal(runtime.status.state, "running");
  assert.deepEqual(worker().sources, ["1"]);
  worker().finish();
  worker().finish();
  assert.deepEqual((await Promise.all(runs)).map(({ ok }) => ok), [true, true]);
});

/** The byte that an isolated page shares with its worker. @param {ScriptedWorker} worker */
function interruptOf(worker) {
  const boot = worker.received.find((request) => request.type === "boot");
  return new Uint8Array(/** @type {any} */ (boot).interrupt);
}

test("an isolated page interrupts Python and keeps it", async () => {
  const { runtime, workers, worker } = start({ isolated: true });
  const runs = [runtime.run(cell("while True: pass")), runtime.run(cell("2"))];
  worker().ready();
  runtime.stop();
  assert.equal((await runs[1])?.error?.kind, "Stopped", "what waits is taken back at once");
  assert.deepEqual([...interruptOf(worker())], [2]);
  const error = { kind: "KeyboardInterrupt", message: "", line: 1, traceback: "", hint: null };
  worker().say({ type: "done", id: worker().lastRun, ok: false, error, ms: 5 });
  const done = await runs[0];
  assert.equal(done?.error?.kind, "Stopped");
  assert.match(done?.error?.message ?? "", /variables are kept/);
  assert.equal(done?.ms, 5);
  assert.equal(workers.length, 1);
  assert.equal(runtime.status.state, "ready");
});

test("a cell that ends by itself just then is not stopped, and neither is the next", async () => {
  const { runtime, worker } = start({ isolated: true, grace: 10 });
  const run = runtime.run(cell("1"));
  worker().ready();
  runtime.stop();
  worker().finish();
  assert.equal((await run).ok, true);
  assert.deepEqual([...interruptOf(worker())], [0]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(runtime.status.state, "ready");
});

for (const how of ["the interrupt does not take", "Stop is pressed again"]) {
  test(`a fresh worker takes over when ${how}`, async () => {
    const { runtime, workers } = start({ isolated: true, grace: how.startsWith("the") ? 10 : 60_000 });
    const run = runtime.run(cell("while True:\n try: ...\n except: ..."));
    workers[0]?.ready();
    runtime.stop();
    if (how.startsWith("Stop")) runtime.stop();
    assert.match((await run).error?.message ?? "", /restarted/);
    assert.equal(workers.length, 2);
    assert.deepEqual([...interruptOf(/** @type {ScriptedWorker} */ (workers[1]))], [0]);
  });
}

test("cells are read between runs, and a reading that cannot be had is a Done", async () => {
  const { runtime, workers } = start();
  const cells = [{ name: "a", source: "x = 1" }];
  const first = runtime.outline(cells, [0]);
  workers[0]?.ready();
  const asked = workers[0]?.received.at(-1);
  assert.equal(asked?.type, "outline");
  const names = { needs: [], binds: ["x"], touches: [], chances: [] };
  workers[0]?.say({ type: "outlined", id: asked?.type === "outline" ? asked.id : 0, cells: [names] });
  const reply = await first;
  assert.deepEqual(reply.type === "outlined" && reply.cells, [names]);
  const second = runtime.outline(cells, [0]);
  workers[0]?.crash("out of memory");
  const failed = await second;
  assert.equal(failed.type === "done" && failed.error?.kind, "WorkerError");
});

test("a start without a sign of life fails instead of spinning for ever; the next one trusts nothing kept", async () => {
  const { runtime, workers } = start({ silence: 20 });
  const done = await runtime.run(cell("1"));
  assert.equal(done.error?.kind, "RuntimeFailed");
  assert.equal(runtime.status.state, "failed");
  runtime.retry();
  assert.deepEqual(workers[1]?.received, [{ type: "boot", manifest: MANIFEST, kit: null, anew: true }]);
  workers[1]?.ready();
});

test("every step of loading is passed on", () => {
  const { runtime, worker } = start();
  /** @type {unknown[]} */
  const seen = [];
  runtime.addEventListener("state", () => seen.push(runtime.status.progress));
  runtime.start();
  worker().say({ type: "state", state: "loading", phase: "download", loaded: 5, total: 10 });
  worker().say({ type: "state", state: "loading", phase: "start", step: "Starting Python" });
  worker().ready();
  assert.deepEqual(seen, [
    null,
    { type: "state", state: "loading", phase: "download", loaded: 5, total: 10 },
    { type: "state", state: "loading", phase: "start", step: "Starting Python" },
    null,
  ]);
});
