// Nobody is kept out: what axe-core finds, in every look of a page, folded and unfolded.

import assert from "node:assert/strict";
import { barriers, lostTables } from "./access.js";
import { PHONE, everyLook, opened, test, unfold } from "./browser.js";
import { every } from "./pages.js";

for (const [name, page] of every) {
  test(`${name} has no barrier`, async () => {
    await opened(page(), {}, async (page) => {
      assert.deepEqual(await barriers(page), [], "folded");
      await unfold(page);
      await everyLook(page, async (where) => assert.deepEqual(await barriers(page), [], where));
    });
  });

  test(`tables of ${name} are tables on a phone`, async () => {
    await opened(page(), { size: PHONE }, async (page) => {
      await unfold(page);
      assert.deepEqual(await lostTables(page), { tables: 0, rows: 0 });
    });
  });
}
