// Every plot is drawn and labelled, at the width of a phone and of a desk, in the light and in the dark.

import assert from "node:assert/strict";
import { everyLook, opened, test } from "./browser.js";
import { every } from "./pages.js";
import { wrongPlots } from "./plots.js";

for (const [name, page] of every) {
  test(`plots of ${name}`, async () => {
    await opened(page(), {}, async (page) => {
      assert.ok((await page.locator("svg[role=img]").count()) > 0, "has no plot");
      await everyLook(page, async (where) => assert.deepEqual(await wrongPlots(page), [], where));
    });
  });
}
