/** One visit to a lesson in Firefox: reads, runs, edits, asks, hangs and stops, comes back; prints what it saw as JSON. */

import { readFileSync } from "node:fs";

import puppeteer from "puppeteer-core";

const [executablePath, address] = process.argv.slice(2);
const BOOT = { timeout: 120_000 }; // an upper bound for a busy machine, never a wait

const size = ["--width=1280", "--height=900"]; // Firefox ESR has no command for the viewport
const browser = await puppeteer.launch({ browser: "firefox", executablePath, defaultViewport: null, args: size });
const page = await browser.newPage();
page.setDefaultTimeout(BOOT.timeout);

const seen = { errors: [] };
page.on("pageerror", ({ message }) => {
  const step = Object.keys(seen).at(-1);
  // What Firefox itself says of a worker that is ended in the middle of a loop; nobody could catch it.
  if (step === "loops" && message === "uncaught exception: undefined") return;
  seen.errors.push(`${message} (after ${step})`);
});

const cell = (name) => `code-cell[name="${name}"]`;
const press = (name, action) => page.locator(`${cell(name)} button[data-action="${action}"]`).click();
const text = (name) => page.$eval(`${cell(name)} [data-output]`, (output) => output.innerText);
const state = (name) => page.$eval(cell(name), (element) => element.dataset.state);

async function ends(name) {
  await page.waitForSelector(`${cell(name)}:is([data-state="done"], [data-state="error"])`, BOOT);
  return state(name);
}

async function write(name, source) {
  await page.locator(`${cell(name)} .cell-code`).click();
  await page.waitForSelector(`${cell(name)} .cm-focused`);
  await page.$eval(`${cell(name)} .cm-content`, (content) => getSelection().selectAllChildren(content));
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type(source);
}

async function writeAndRun(name, source) {
  await write(name, source);
  await press(name, "run");
}

try {
  await page.goto(address);
  seen.beforeRun = await page.$eval("html", (root) => root.dataset.runtime);

  await press("heads", "run");
  seen.heads = { state: await ends("heads"), text: await text("heads") };
  seen.aboveRan = await state("projections");

  await page.focus(`heat-map [role="grid"] [tabindex="0"], heat-map [role="grid"][tabindex="0"]`);
  const head = () => page.$eval("heat-map", (map) => map.dataset.head);
  seen.turned = [await head()];
  await page.keyboard.press("]");
  seen.turned.push(await head());

  await writeAndRun("counts", "sum(x**2 for x in range(4))");
  seen.edited = { state: await ends("counts"), text: await text("counts") };

  seen.suspends = await page.evaluate(() => "Suspending" in WebAssembly);
  await writeAndRun("counts", "input('Name?')");
  const asks = page.waitForSelector(`${cell("counts")} [data-output] form`, BOOT).then(() => "waits", () => "left");
  seen.asked = await Promise.race([asks, ends("counts").then(() => text("counts"))]);

  if (seen.suspends) await press("counts", "stop").then(() => ends("counts"));
  await writeAndRun("counts", "while True: pass");
  await page.waitForSelector(`${cell("counts")}[data-state="running"]`);
  seen.loops = true;
  await press("counts", "stop");
  await ends("counts");
  await page.waitForSelector(`${cell("counts")} .restored`, BOOT);
  await writeAndRun("heads-add", "weights.shape");
  seen.afterStop = { state: await ends("heads-add"), text: await text("heads-add") };

  await press("read-sentence", "run");
  const frame = `${cell("read-sentence")} heat-map`;
  seen.realHeads = { state: await ends("read-sentence"), h: await page.$eval(frame, (map) => map.frame.h) };

  await page.waitForSelector("html[data-snapshot=kept]", BOOT);
  await page.reload();
  await press("multi-head", "run");
  seen.secondVisit = { state: await ends("multi-head"), code: await page.$eval(cell("counts"), (c) => c.source) };

  const lazy = readFileSync(new URL("lazy-map.js", import.meta.url), "utf8").trim().replace(/;$/, "");
  seen.lazy = await page.evaluate(`(${lazy})()`);
} catch (error) {
  seen.failed = String(error);
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
