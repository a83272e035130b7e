// A page asks for nothing, complains of nothing, and breaks none of its own rules, whatever is opened or pressed on it.

import assert from "node:assert/strict";
import { heard, opened, test } from "./browser.js";
import { every, tagsWithTwins } from "./pages.js";

for (const [name, page] of every) {
  test(`${name} is quiet`, async () => {
    await opened(page(), {}, async (page, noises) => {
      await pressed(page);
      assert.deepEqual(await heard(page, noises), []);
      assert.deepEqual(await loaded(page), []);
    });
  });
}

for (const [name, page] of every) {
  test(`no tag of ${name} has an attribute twice`, () => assert.deepEqual(tagsWithTwins(page()), []));
}

/// All that can be pressed is pressed, but for links, which lead to other places of the page: the first of each kind by a
/// key, as readers do it, and then all of them, at once.
async function pressed(page) {
  const buttons = page.locator("main button:visible");
  const kinds = await buttons.evaluateAll((buttons) => [...new Set(buttons.map((button) => button.className))]);
  assert.ok(kinds.length > 0, "nothing can be pressed");
  for (const kind of kinds) {
    await page.locator(`main button[class="${kind}"]:visible`).first().press("Enter");
  }
  await buttons.evaluateAll((buttons) => buttons.forEach((button) => button.click()));
}

/// The addresses that the page has loaded by the browser's own account, and those that it could load.
function loaded(page) {
  return page.evaluate(() => {
    const asked = performance.getEntriesByType("resource").map((entry) => entry.name);
    const outside = [...document.querySelectorAll("[href], [src], [action], [srcset], [data]")]
      .flatMap((element) => ["href", "src", "action", "srcset", "data"].map((name) => element.getAttribute(name)))
      .filter((address) => address !== null && !address.startsWith("#"));
    return [...asked, ...outside];
  });
}
