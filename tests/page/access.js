// What axe-core finds, and what it does not look at.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/// Complaints about an open page: all rules of axe-core, those of good practice included.
export async function barriers(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 200)}`),
    );
  });
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
