// Pictures of pages, to be looked at by people: node shots.js PAGE.html... writes them to target/page-shots.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { everyLook, opened, test } from "./browser.js";

const PLACE = join(import.meta.dirname, "../../../target/page-shots");

mkdirSync(PLACE, { recursive: true });
for (const file of process.argv.slice(2)) {
  test(`pictures of ${file}`, async () => {
    await opened(file, {}, async (page) => {
      await everyLook(page, async (where) => {
        const name = `${basename(file, ".html")}-${where.replaceAll(/\W+/g, "-")}.png`;
        await page.screenshot({ path: join(PLACE, name), fullPage: true });
      });
    });
  });
}
