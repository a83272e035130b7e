// Holds the checks of the other tests to pages that are broken on purpose: each mistake must be told of.

import assert from "node:assert/strict";
import { barriersInEveryLook, lostTables } from "./access.js";
import { PHONE, heard, opened, test } from "./browser.js";
import { broken, golden, tagsWithTwins } from "./pages.js";
import { wrongPlots } from "./plots.js";

const page = () => golden("cliff");
/// Without its policy a page may do more.
const free = (html) => html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
const into = (more) => (html) => html.replace("</main>", () => `${more}</main>`);
/// The first drawing that is told of, with something else in it.
const drawing = (change) => (html) => html.replace(/<svg class="plot[^>]*role="img".*?<\/svg>/s, change);

const unlabelled = (svg) => svg.replace(/<text.*?<\/text>/gs, "");

const PATIENCE_MS = 10_000;

const noises = [
  ["a style that the policy does not know", (html) => html.replace("</style>", " b{}</style>"), /policy: style-src/],
  ["a script that the policy does not know", (html) => html.replace('"use strict"', '"use  strict"'), /policy: script-src/],
  ["a style in an attribute", into('<p style="color:red">x</p>'), /policy: style-src-attr/],
  ["a picture from elsewhere", into('<img src="https://example.com/x.png" alt="">'), /policy: img-src/],
  ["a picture from elsewhere that is allowed", (html) => into('<img src="https://example.com/x.png" alt="">')(free(html)), /request: https/],
  ["a dialog", (html) => into("<script>alert(1)</script>")(free(html)), /dialog: 1/],
  ["an error", (html) => into("<script>nothing.there()</script>")(free(html)), /error: nothing/],
  ["a warning", (html) => into("<script>console.warn('x')</script>")(free(html)), /console: x/],
];

const drawings = [
  ["no name", drawing((svg) => svg.replace(/ aria-label(ledby)?="[^"]*"/, "")), /has no name/],
  ["a name of nothing", drawing((svg) => svg.replace(/ aria-label="[^"]*"/, ' aria-labelledby="gone"')), /has no name/],
  ["nothing in it", drawing((svg) => svg.replace(/>.*</s, "><")), /is empty/],
  ["no role", drawing((svg) => svg.replace(' role="img"', "")), /neither hidden nor named/],
  ["a number that is none", drawing((svg) => svg.replace(/ x="[^"]*"/, ' x="NaN%"')), /x="NaN%"/],
  ["a mark outside", drawing((svg) => svg.replace("</svg>", '<rect x="180%" y="0" width="4" height="4"/></svg>')), /outside of its box/],
  ["tiny letters", drawing((svg) => svg.replace("</svg>", '<text y="9" font-size="4">tiny</text></svg>')), /"tiny" is too small/],
  ["letters on letters", drawing((svg) => svg.replace("</svg>", '<text y="9">one</text><text y="9">two</text></svg>')), /"one" and "two" overlap/],
  ["letters beyond the screen", drawing((svg) => svg.replace("</svg>", '<text x="4000%" y="9">far</text></svg>')), /"far" is cut off/],
  ["pale letters", drawing((svg) => svg.replace("</svg>", '<text y="9" fill="#ccc">pale</text></svg>')), /has a contrast of 1/],
  ["axes with one label", into('<svg class="plot axes" role="img" aria-label="x"><rect width="9" height="9"/><text y="9">1</text></svg>'), /x: has 1 labels/],
  ["an axis on the first row", (html) => html.replace(/(<svg class="plot axis".*? y=)"0"/s, '$1"100%"'), /is outside of its cell/],
  ["an axis without labels", (html) => html.replace(/<svg class="plot axis".*?<\/svg>/s, unlabelled), /has 0 labels/],
  ["no figures in its row", (html) => html.replace(/<tr[^>]*>(?:(?!<\/tr>).)*role="img".*?<\/tr>/s, (row) => row.replace(/(<\/svg><\/td>).*/s, "$1<td>much</td></tr>")), /says nothing in words/],
  ["no figures", into('<section><svg class="plot" role="img" aria-label="x"><rect width="9" height="9"/></svg></section>'), /says nothing in words/],
];

for (const [what, change, complaint] of noises) {
  test(`${what} is heard`, async () => {
    await opened(broken(what, page(), change), {}, async (page, noises) => assert.match(await heardOf(page, noises, complaint), complaint));
  });
}

/// A busy browser tells of it late.
async function heardOf(page, noises, complaint, until = performance.now() + PATIENCE_MS) {
  const told = (await heard(page, noises)).join("\n");
  return complaint.test(told) || performance.now() > until ? told : heardOf(page, noises, complaint, until);
}

for (const [what, change, complaint] of drawings) {
  test(`a plot with ${what} is seen`, async () => {
    await opened(broken(what, page(), change), {}, async (page) => assert.match((await wrongPlots(page)).join("\n"), complaint));
  });
}

test("an attribute that stands twice is found", () => {
  const change = into('<p class="a" title="class class" class="b">x</p>');
  assert.deepEqual(tagsWithTwins(broken("twins", page(), change)), ['<p class="a" title="class class" class="b">']);
});

test("a table that is none is found", async () => {
  const change = (html) => html.replace("<table", '<table role="presentation"');
  await opened(broken("table", page(), change), { size: PHONE }, async (page) => {
    assert.equal((await lostTables(page)).tables, 1);
  });
});

test("a barrier is found in every look that may have one of its own", async () => {
  const pale = "<style>@media (prefers-color-scheme: dark) { #pale { color: #222 } }</style><p id=pale>pale</p>";
  const change = (html) => into(`<img src="data:,">${pale}`)(free(html));
  await opened(broken("barrier", page(), change), {}, async (page) => {
    const found = await barriersInEveryLook(page);
    const where = (rule) => found.filter((barrier) => barrier.includes(`: ${rule}: `)).map((barrier) => barrier.split(":")[0]);
    assert.deepEqual(where("image-alt"), ["as it comes", "360 pixels wide, light", "1280 pixels wide, light"]);
    assert.deepEqual(where("color-contrast"), ["360 pixels wide, dark", "1280 pixels wide, dark"]);
  });
});
