// All of it without a mouse.

import assert from "node:assert/strict";
import { PHONE, opened, test } from "./browser.js";
import { changed, golden, rowsOf } from "./pages.js";

const page = () => golden("cliff");

test("tab reaches the skip link first, and from there all that can be used", async () => {
  await opened(page(), {}, async (page) => {
    const wanted = await page.evaluate(usable);
    assert.ok(wanted.length > 10, "finds next to nothing to use");
    const reached = await tabbed(page, wanted.length);
    assert.match(reached[0].what, /class="skip"/);
    assert.deepEqual(reached.map((place) => place.what), wanted);
    assert.deepEqual(reached.filter((place) => !place.seen), [], "focus cannot be seen there");
  });
});

test("the skip link leads to the results", async () => {
  await opened(page(), {}, async (page) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => location.hash), "#main");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
  });
});

test("a row that gets the focus shows its raw samples, arrows lead to others, escape puts them away", async () => {
  await opened(page(), { size: PHONE }, async (page) => {
    const tip = page.locator("#tip");
    await page.locator("tr[data-samples][tabindex='0']").last().evaluate((row) => row.focus());
    await page.locator("#tip:not([hidden])").waitFor();
    // It was below the screen: what the focus scrolls must not put away what the focus shows.
    await page.waitForTimeout(200);
    assert.match(await tip.innerText(), /\d+ (cold|steady) samples: .* to .*, median/);
    const first = await tip.innerText();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await tip.innerText(), first);
    await page.keyboard.press("Escape");
    assert.ok(await tip.isHidden());
  });
});

test("of an even number of samples the median lies between the middle ones", async () => {
  const isShown = (row) => row.row !== "sample" || (row.phase === "steady" && row.block < 2);
  const timed = (row) => (row.row === "sample" ? { ...row, count: 1, wall_ns: row.block === 0 ? 1_000 : 4_000 } : row);
  const file = changed("even", () => rowsOf("cliff").filter(isShown).map(timed));
  await opened(file, {}, async (page) => {
    await page.locator("tr[data-samples]").first().hover();
    await page.locator("#tip:not([hidden])").waitFor();
    assert.match(await page.locator("#tip").innerText(), /[24] steady samples: 1 µs to 4 µs, median 2.5 µs/);
  });
});

test("enter sorts a table and says so", async () => {
  await opened(page(), {}, async (page) => {
    const heading = page.locator("table[data-sort]").first().locator("th:has(button.sort)").last();
    for (const order of ["ascending", "descending"]) {
      await heading.locator("button").press("Enter");
      assert.equal(await heading.getAttribute("aria-sort"), order);
      const values = await heading.evaluate((heading) => {
        const rows = [...heading.closest("table").tBodies[0].rows];
        return rows.map((row) => Number(row.cells[heading.cellIndex].dataset.value));
      });
      assert.ok(values.length > 2);
      const sorted = values.toSorted((a, b) => (order === "ascending" ? a - b : b - a));
      assert.deepEqual(values, sorted);
    }
  });
});

async function tabbed(page, count) {
  const reached = [];
  for (let at = 0; at < count; at++) {
    await page.keyboard.press("Tab");
    reached.push(
      await page.evaluate(() => {
        const { activeElement: element } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && box.width > 0 && box.right > 0;
        return { what: element.outerHTML.slice(0, 120), seen };
      }),
    );
  }
  return reached;
}

function usable() {
  const all = document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']");
  const there = [...all].filter((element) => element.checkVisibility());
  return there.map((element) => element.outerHTML.slice(0, 120));
}
