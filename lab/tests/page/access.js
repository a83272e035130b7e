// Barriers that axe-core finds, and tables that it does not look at.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { everyLook } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/// Rules of axe-core that depend on colours: only these can fail in the dark and pass in the light.
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/// Complaints about a page in every look.
export async function barriersInEveryLook(page) {
  const found = await barriers(page, "as it comes");
  await everyLook(page, async (where, scheme) => {
    found.push(...(await barriers(page, where, scheme === "dark" ? { runOnly: OF_COLOURS } : {})));
  });
  return found;
}

/// All default rules of axe-core, those of good practice included, unless `options` says which.
async function barriers(page, where, options = {}) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const complaints = await page.evaluate(async (options) => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...options });
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 200)}`),
    );
  }, options);
  return complaints.map((complaint) => `${where}: ${complaint}`);
}

/// Tables of which a style has made something else: they would no longer be read as tables.
export async function lostTables(page) {
  const shown = await page.evaluate(() => document.querySelectorAll("table").length);
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const of = (role) => nodes.filter((node) => !node.ignored && node.role?.value === role).length;
  const rows = await page.evaluate(() => document.querySelectorAll("tbody tr").length);
  return { tables: shown - of("table"), rows: of("row") < rows ? rows - of("row") : 0 };
}
