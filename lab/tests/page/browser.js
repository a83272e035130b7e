// Opens pages in Debian's Chromium, and hears what a page of ours must never do.

import { test as bounded } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const PROGRAM = "/usr/bin/chromium";
const ARGUMENTS = [
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

export const PHONE = { width: 360, height: 780 };
export const DESKTOP = { width: 1280, height: 900 };

const LIMIT = 120_000;

/// A test that ends, whatever the browser does. The last to leave ends the browser: as long as it runs so does Node.js,
/// which would wait for it before it calls hooks.
export function test(name, look) {
  bounded(name, { timeout: LIMIT }, async (told) => {
    clearTimeout(leaving);
    told.signal.addEventListener("abort", end);
    try {
      await look(told);
    } finally {
      leaving = setTimeout(end, 1_000);
    }
  });
}

let leaving;
let server;
let running;
/// By whether scripts run.
let tabs = {};

/// One browser for all tests of this process, with a profile of its own that goes with it.
async function browser() {
  running ??= start();
  return running;
}

async function start() {
  server = await chromium.launchServer({ executablePath: PROGRAM, args: ARGUMENTS, chromiumSandbox: false });
  return chromium.connect(server.wsEndpoint());
}

function end() {
  server?.kill();
  server = running = undefined;
  tabs = {};
}

/// Opens a file and gives back what `use(page, noises)` does; noises are what nobody should ever hear from a page.
export async function opened(file, options, use) {
  const { scripts = true, scheme = "light", size = DESKTOP, forcedColors = "none" } = options;
  const tab = await (tabs[scripts] ??= open(scripts));
  const { page } = tab;
  tab.address = pathToFileURL(file).href;
  tab.noises = new Set();
  try {
    await page.setViewportSize(size);
    await page.emulateMedia({ media: "screen", colorScheme: scheme, forcedColors });
    await page.goto(tab.address, { waitUntil: "load" });
    return await use(page, tab.noises);
  } finally {
    // Nothing of it is left for who comes next, the place of the mouse included.
    await page.mouse.move(0, 0);
    await page.goto("about:blank");
  }
}

/// A tab is opened once: to open one takes four times what a page takes in it.
async function open(scripts) {
  const context = await (await browser()).newContext({ javaScriptEnabled: scripts });
  const tab = { page: await context.newPage() };
  await listen(context, tab);
  return tab;
}

async function listen(context, tab) {
  const { page } = tab;
  const heard = (noise) => tab.noises.add(noise);
  page.on("console", (said) => ["error", "warning"].includes(said.type()) && heard(`console: ${said.text()}`));
  page.on("pageerror", (error) => heard(`error: ${error.message}`));
  page.on("dialog", (dialog) => heard(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on("popup", (other) => heard(`window: ${other.url()}`) && other.close());
  await context.route("**/*", (route) => {
    const asked = route.request().url();
    if (asked.split("#")[0] === tab.address) return route.continue();
    heard(`request: ${asked}`);
    return route.abort();
  });
  await context.exposeBinding("noticed", (_, what) => heard(what));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      globalThis.noticed(`policy: ${event.violatedDirective} forbids ${event.blockedURI}`);
    });
  });
}

/// The noises, once what was under way has been done.
export async function heard(page, noises) {
  await page.waitForTimeout(100);
  return [...noises];
}

/// Sizes a page for a phone and a desk, light and dark, and calls `look(words, scheme)` at each; `words` say which it is.
export async function everyLook(page, look) {
  for (const size of [PHONE, DESKTOP]) {
    for (const scheme of ["light", "dark"]) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme });
      await look(`${size.width} pixels wide, ${scheme}`, scheme);
    }
  }
}
