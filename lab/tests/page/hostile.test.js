// Names that someone else chose are text, whatever is in them.

import assert from "node:assert/strict";
import { heard, opened, test } from "./browser.js";
import { changed, rowsOf } from "./pages.js";
import { wrongPlots } from "./plots.js";

const NASTY = [
  `</script><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onfocus=alert(1) autofocus tabindex=0 '`,
  `</title></style></svg><svg onload=alert(1)>`,
  `<!--<script>`,
  `]]>\u2028\u2029{{7*7}}\${7*7}`,
  `\u202Egnp.exe\u2066 right to left`,
  `<a href="javascript:alert(1)">x</a>`,
  `&lt;b&gt;&#0;`,
];
const LONG = `${"w".repeat(5_000)} ${"long ".repeat(1_000)}`;

/// Harmless names, one for each nasty one, give a page with the same elements.
const HARMLESS = NASTY.map((_, at) => `harmless ${"abcdefghi"[at]}`);

/// Each name of an engine, an algorithm or a version, and what is said of them, is one that somebody made up.
function named(rows, texts) {
  const renamed = new Map();
  const name = (old) => {
    const text = renamed.size < texts.length ? texts[renamed.size] : `${texts[renamed.size % texts.length]} ${renamed.size}`;
    return renamed.get(old) ?? renamed.set(old, `${old} ${text}`).get(old);
  };
  const change = (row) => {
    for (const [key, value] of Object.entries(row)) {
      if (value !== null && typeof value === "object") change(value);
      else if (/^(engine|family|algorithm|protocol|suite|group|certificate|about|version|code|why|command|plan|cpu|flags|system|commit)$/.test(key)) {
        if (typeof value === "string") row[key] = name(value);
      }
    }
    return row;
  };
  return rows.map(change);
}

const shape = (page) =>
  page.evaluate(() => {
    const count = {};
    for (const element of document.querySelectorAll("*")) {
      count[element.localName] = (count[element.localName] ?? 0) + 1;
      for (const { name } of element.attributes) count[`@${name}`] = (count[`@${name}`] ?? 0) + 1;
    }
    return count;
  });

for (const name of ["cliff", "growth", "tls-today"]) {
  test(`nobody can write markup into ${name}`, async () => {
    // The lab knows neither name, so it can derive nothing from them.
    const plain = await opened(changed(`harmless-${name}`, () => named(rowsOf(name), HARMLESS)), {}, shape);
    await opened(changed(`hostile-${name}`, () => named(rowsOf(name), NASTY)), {}, async (page, noises) => {
      const there = await shape(page);
      assert.ok(await page.evaluate(() => [...document.links].every((link) => link.getAttribute("href").startsWith("#"))));
      for (const only of ["script", "img", "svg", "style", "title", "table", "tr", "@onerror", "@onload", "@onfocus", "@style", "@src"]) {
        assert.equal(there[only], plain[only], `count of ${only}`);
      }
      const [first] = NASTY;
      assert.ok((await page.evaluate(() => document.body.innerText)).includes(first), "the name itself has gone");
      assert.deepEqual(await heard(page, noises), []);
      assert.deepEqual(await wrongPlots(page), []);
    });
  });
}

test("a name of ten thousand characters leaves the page as wide as it is", async () => {
  const rows = () => rowsOf("cliff").map((row) => (row.engine === "aws-lc-rs" ? { ...row, engine: LONG, family: LONG } : row));
  const long = () => rows().map((row) => (row.reference ? { ...row, reference: { ...row.reference, engine: LONG } } : row));
  await opened(changed("long", long), { size: { width: 320, height: 640 } }, async (page, noises) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    assert.deepEqual(await heard(page, noises), []);
  });
});
