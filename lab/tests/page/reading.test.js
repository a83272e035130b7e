// The page reads the same everywhere: with scripts off, on the narrowest phone, on paper, in forced colours.

import assert from "node:assert/strict";
import { opened, test } from "./browser.js";
import { every } from "./pages.js";
import { wrongPlots } from "./plots.js";

/// The narrowest phone; the narrowest screen that is told no phone, beside a scroll bar too; a tablet.
const WIDTHS = [320, 641, 650, 768];
/// A sheet of A4 between the margins that Chromium leaves.
const PAPER = { width: 703, height: 1000 };

for (const [name, page] of every) {
  test(`${name} reads the same with scripts off`, async () => {
    const without = await opened(page(), { scripts: false }, async (page) => {
      assert.deepEqual(await wrongPlots(page), []);
      return words(page);
    });
    assert.ok(without.length > 100, "says next to nothing");
    const with_ = await opened(page(), {}, async (page) => {
      return words(page);
    });
    assert.deepEqual(without, with_);
  });

  test(`${name} does not scroll sideways`, async () => {
    await opened(page(), {}, async (page) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 640 });
        assert.deepEqual(await page.evaluate(wider), [], `${width} pixels wide`);
      }
    });
  });

  test(`${name} has all of it on the paper`, async () => {
    await opened(page(), { size: PAPER }, async (page) => {
      await page.emulateMedia({ media: "print" });
      assert.deepEqual(await page.evaluate(beyond), []);
    });
  });

  test(`${name} can be printed`, async () => {
    await opened(page(), {}, async (page) => {
      const before = await page.evaluate(shown);
      await page.emulateMedia({ media: "print" });
      assert.deepEqual(missing(before, await page.evaluate(shown)), []);
      const paper = await page.pdf({ format: "A4" });
      assert.ok((paper.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length > 0, "no page came out");
    });
  });

  test(`${name} keeps its marks in forced colours`, async () => {
    await opened(page(), { forcedColors: "active" }, async (page) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await wrongPlots(page), [], colorScheme);
      }
    });
  });
}

/// All words of a page but those on what only a script can do.
function words(page) {
  return page.evaluate(() => {
    document.querySelectorAll("main .tools").forEach((tool) => tool.remove());
    return document.querySelector("main").innerText.split(/\s+/).filter(Boolean);
  });
}

function wider() {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const over = [...document.querySelectorAll("main *")].filter(
    (element) => !element.closest(".scrolled, svg") && element.getBoundingClientRect().right > root.clientWidth + 1,
  );
  return [`${root.scrollWidth} pixels`, ...over.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))];
}

/// Parts that are wider than the paper, or than their own box: nobody scrolls on paper.
function beyond() {
  const edge = document.documentElement.clientWidth;
  const cut = (element) => element.getBoundingClientRect().right > edge + 1 || element.scrollWidth > element.clientWidth + 1;
  const all = [...document.querySelectorAll("main table, main .scrolled, main ul, main p")];
  const shown = all.filter((element) => element.checkVisibility() && !element.matches(".hidden") && cut(element));
  const told = (element) => `${element.scrollWidth} pixels: ${element.outerHTML.slice(0, 200)}`;
  const { scrollWidth } = document.documentElement;
  return [...(scrollWidth > edge ? [`${scrollWidth} pixels`] : []), ...shown.map(told)];
}

/// The text of the main part, line by line, and how many of its drawings are there.
function shown() {
  const main = document.querySelector("main");
  const drawings = [...main.querySelectorAll("svg[role=img]")].filter((svg) => svg.getBoundingClientRect().width > 0);
  const nav = new Set([...main.querySelectorAll("nav, .tools")].flatMap((part) => part.innerText.split("\n")));
  return [...main.innerText.split("\n").filter((line) => line.trim() && !nav.has(line)), `${drawings.length} drawings`];
}

function missing(before, after) {
  const words = new Set(after.flatMap((line) => line.split(/\s+/)));
  return before.flatMap((line) => line.split(/\s+/)).filter((word) => word && !words.has(word));
}
