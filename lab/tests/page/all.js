// All tests in one process: they share a browser and the pages they look at.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";

const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.js"));
assert.ok(tests.length > 0, "no test is here");
for (const name of tests) {
  await import(`./${name}`);
}
