// What can be read can be read everywhere: with scripts off, on the narrowest phone, on paper, in forced colours.

import assert from "node:assert/strict";
import { opened, test, unfold } from "./browser.js";
import { every } from "./pages.js";
import { wrongPlots } from "./plots.js";

const NARROWEST = { width: 320, height: 640 };

for (const [name, page] of every) {
  test(`${name} reads the same with scripts off`, async () => {
    const without = await opened(page(), { scripts: false }, async (page) => {
      await unfold(page);
      assert.deepEqual(await wrongPlots(page), []);
      return words(page);
    });
    assert.ok(without.length > 100, "says next to nothing");
    const with_ = await opened(page(), {}, async (page) => {
      await unfold(page);
      return words(page);
    });
    assert.deepEqual(without, with_);
  });

  test(`${name} does not scroll sideways`, async () => {
    await opened(page(), { size: NARROWEST }, async (page) => {
      await unfold(page);
      assert.deepEqual(await page.evaluate(wider), []);
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
      await unfold(page);
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
    document.querySelectorAll("main .tools, main .copy").forEach((tool) => tool.remove());
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

/// What the main part says, line by line, and how many of its drawings are there.
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
