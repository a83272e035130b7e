// Nobody is kept out: what axe-core finds, in every look of a page, folded and unfolded.

import assert from "node:assert/strict";
import { barriersInEveryLook, lostTables } from "./access.js";
import { PHONE, opened, test } from "./browser.js";
import { every, golden } from "./pages.js";

for (const [name, page] of every) {
  test(`${name} has no barrier`, async () => {
    await opened(page(), {}, async (page) => {
      assert.deepEqual(await barriersInEveryLook(page), []);
    });
  });

  test(`tables of ${name} are tables on a phone`, async () => {
    await opened(page(), { size: PHONE }, async (page) => {
      assert.deepEqual(await lostTables(page), { tables: 0, rows: 0 });
    });
  });
}

test("the dark has other colours, and nothing else that is different", async () => {
  await opened(golden("cliff"), {}, async (page) => {
    const set = await page.evaluate(() => {
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
      const dark = rules.filter((rule) => rule.conditionText?.includes("prefers-color-scheme"));
      return dark.flatMap((rule) => [...rule.cssRules]).flatMap((rule) => [...rule.style]);
    });
    assert.ok(set.length > 10, "no style for the dark");
    assert.deepEqual(set.filter((name) => !name.startsWith("--")), []);
  });
});
