// Pages to look at: the program makes each from a results file, and nothing but the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const GOLDEN = join(ROOT, "lab/core/tests/golden");
const DATA = join(GOLDEN, "../data");
const PROGRAM = resolve(ROOT, process.env.SEALMARK_LAB ?? "target/debug/sealmark-lab");
const PLACE = join(ROOT, "target/page");

assert.ok(existsSync(PROGRAM), `${PROGRAM} is missing; build it: cd lab && cargo build`);
rmSync(PLACE, { recursive: true, force: true });
mkdirSync(PLACE, { recursive: true });

/// Runs with a past: what was measured once, of every kind of job.
export const fixed = readdirSync(GOLDEN)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(".jsonl", ""));
assert.ok(fixed.length >= 8, "the golden runs are elsewhere");

const made = new Map();

/// Makes a page once; `make(path)` is given where it belongs.
function once(name, make) {
  if (!made.has(name)) {
    const path = join(PLACE, `${name}.html`);
    make(path);
    made.set(name, path);
  }
  return made.get(name);
}

export const golden = (name) =>
  once(name, (page) => lab("report", join(GOLDEN, `${name}.jsonl`), "-o", page));

/// A page of rows that `change` made.
export function changed(name, change) {
  return once(name, (page) => {
    const results = join(PLACE, `${name}.jsonl`);
    writeFileSync(results, change().map((row) => `${JSON.stringify(row)}\n`).join(""));
    lab("report", results, "-o", page);
  });
}

export const rowsOf = (name) =>
  readFileSync(join(GOLDEN, `${name}.jsonl`), "utf8").trim().split("\n").map((line) => JSON.parse(line));

/// All that a page can have on it, in one run.
const everySection = () =>
  once("every-section", (page) => lab("report", join(GOLDEN, "../page/every-section.jsonl"), "-o", page));

/// A run held against an earlier one.
const compared = () =>
  once("comparison", (page) => lab("compare", join(DATA, "comparison/base.jsonl"), join(DATA, "comparison/new.jsonl"), "-o", page));

/// Measured here and now, by scripted engines: one is well, one says something wrong, one is never there.
export const measured = () =>
  once("measured", (page) => {
    const results = join(PLACE, "measured-here.jsonl");
    writeFileSync(join(PLACE, "engines.toml"), engines());
    writeFileSync(join(PLACE, "job.toml"), JOB);
    const scratch = join(PLACE, "scratch");
    lab("measure", join(PLACE, "job.toml"), "--engines", join(PLACE, "engines.toml"), "--out", results, "--dir", scratch);
    lab("report", results, "-o", page);
  });

/// The pages that every rule is held to.
export const every = [
  ...fixed.map((name) => [name, () => golden(name)]),
  ["a run of now", measured],
  ["every section", everySection],
  ["a comparison", compared],
];

/// Tags that have an attribute twice: browsers drop the second and say nothing.
export function tagsWithTwins(page) {
  const markup = readFileSync(page, "utf8").replace(/<(style|script)[^>]*>.*?<\/\1>/gs, "");
  const names = (tag) => [...tag.replace(/"[^"]*"/g, '""').matchAll(/\s([^\s=>/]+)/g)].map(([, name]) => name);
  const isTwin = (name, at, all) => all.indexOf(name) !== at;
  return (markup.match(/<[a-z](?:"[^"]*"|[^">])*>/gi) ?? []).filter((tag) => names(tag).some(isTwin));
}

/// A page with something broken in it, to see that it is noticed.
export const broken = (name, page, change) =>
  once(`broken-${name}`, (path) => {
    const before = readFileSync(page, "utf8");
    const after = change(before);
    assert.notEqual(after, before, `${name} breaks nothing`);
    writeFileSync(path, after);
  });

export function lab(...words) {
  return execFileSync(PROGRAM, words, { cwd: PLACE, encoding: "utf8", timeout: 120_000, stdio: ["ignore", "pipe", "pipe"] });
}

const JOB = `name = "test"
about = "a test"
seed = 7
[[job]]
job = "file"
[[job.size]]
bytes = 100_003
blocks = 6
budget_seconds = 30
timeout_seconds = 3
`;

function engines() {
  const engine = (name, role, script) => `[[engine]]
name = "${name}"
about = "scripted"
role = "${role}"
jobs = ["file"]
algorithms = ["X25519"]
serve = ["{lab}-fake", ${script.map((word) => `"${word}"`).join(", ")}]
`;
  return engine("yardstick", "yardstick", ["--times", "2"]) + engine("good", "ours", ["--times", "3"]);
}
