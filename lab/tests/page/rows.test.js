// The page gives back in the console what its results file had, without the spans of the warm-up.

import assert from "node:assert/strict";
import { opened, test } from "./browser.js";
import { fixed, golden, rowsOf } from "./pages.js";

for (const name of fixed) {
  test(`the rows of ${name} come back`, async () => {
    await opened(golden(name), {}, async (page) => {
      const rows = await page.evaluate(() => sealmark.rows("rows"));
      const kept = rowsOf(name).filter((row) => row.row !== "ramp");
      assert.deepEqual(rows.map(known), kept.map(known));
    });
  });
}

/// Without what says as much as its absence.
function known(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const says = ([, member]) => member !== null && member !== "" && member?.length !== 0;
  const members = Object.entries(value).filter(says).map(([name, member]) => [name, known(member)]);
  return Object.fromEntries(members);
}
