"use strict";
// All figures can be read without this: it adds the raw samples behind a mark, sorting, and filters.

const sealmark = {
  // The rows of a run as they stood in its file: await sealmark.rows("rows") in the console.
  async rows(id) {
    const text = atob(document.getElementById(id).textContent);
    const packed = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) packed[at] = text.charCodeAt(at);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const lines = await new Response(unpacked).text();
    // All at once: a call for each of a hundred thousand lines takes longer.
    return JSON.parse(`[${lines.trimEnd().replaceAll("\n", ",")}]`);
  },
};

(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Raw samples: nanoseconds of one operation by line and phase, read once the page is there.
  const read = async (id) => {
    const found = new Map();
    for (const row of await sealmark.rows(id)) {
      if (row.row !== "sample") continue;
      const { job, size, operation, engine, parameters, again = false } = row;
      const line = `${job}\t${size}\t${operation}\t${engine}\t${JSON.stringify(parameters)}\t${again}`;
      if (!found.has(line)) found.set(line, { cold: [], unsteady: [], steady: [] });
      found.get(line)[row.phase]?.push(row.wall_ns / Math.max(1, row.count));
    }
    return found;
  };
  const known = new Map();
  const samples = (id) => {
    if (!known.has(id)) known.set(id, read(id));
    return known.get(id);
  };

  addEventListener("load", () => {
    setTimeout(() => document.querySelectorAll("[data-rows]").forEach((run) => samples(run.dataset.rows)));
  });

  const time = (ns) => {
    const [factor, unit] = ns < 999.5 ? [1, "ns"] : ns < 999.5e3 ? [1e3, "µs"] : ns < 999.5e6 ? [1e6, "ms"] : [1e9, "s"];
    return `${Number((ns / factor).toPrecision(3))} ${unit}`;
  };

  // A strip of points on a logarithmic scale; of many samples a thousand evenly chosen ones.
  const MOST = 1000;
  const strip = (times) => {
    // A clock may not have moved on meanwhile.
    const spans = times.map((span) => Math.max(span, 0.001));
    const { namespaceURI: SVG } = document.querySelector("svg");
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "plot strip");
    svg.setAttribute("aria-hidden", "true");
    const low = Math.log(spans[0]);
    const width = Math.max(Math.log(spans[spans.length - 1]) - low, 1e-9);
    const step = Math.max(1, spans.length / MOST);
    for (let at = 0; at < spans.length; at += step) {
      const point = document.createElementNS(SVG, "circle");
      const index = Math.floor(at);
      point.setAttribute("cx", `${(100 * (Math.log(spans[index]) - low)) / width}%`);
      point.setAttribute("cy", `${6 + ((index * 7) % 13)}`);
      point.setAttribute("r", "2");
      svg.append(point);
    }
    return svg;
  };

  const told = (name, unsorted) => {
    const spans = Float64Array.from(unsorted).sort();
    const [before, after] = [Math.ceil(spans.length / 2) - 1, Math.floor(spans.length / 2)];
    const middle = time((spans[before] + spans[after]) / 2);
    const ends = `${time(spans[0])} to ${time(spans[spans.length - 1])}`;
    const text = `${spans.length} ${name} samples: ${ends}, median ${middle}`;
    return make("div", {}, strip(spans), make("p", { textContent: text }));
  };

  const tip = make("div", { id: "tip", hidden: true });
  tip.setAttribute("role", "status");
  document.body.append(tip);
  // The row that is pointed at: it may be another one when the samples have been read.
  let wanted;
  const hide = () => {
    wanted = undefined;
    tip.hidden = true;
  };
  const show = async (row) => {
    wanted = row;
    const run = row.closest("[data-rows]");
    const found = run && (await samples(run.dataset.rows)).get(row.dataset.samples);
    if (wanted !== row) return;
    if (!found) return hide();
    const parts = ["cold", "unsteady", "steady"].filter((phase) => found[phase].length).map((phase) => told(phase, found[phase]));
    tip.replaceChildren(make("strong", { textContent: row.querySelector("th").textContent }), ...parts);
    tip.hidden = false;
    place(row);
  };
  const place = (row) => {
    const box = (row.querySelector(".plotted") ?? row).getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = tip;
    const top = box.bottom + 6 + height < innerHeight ? box.bottom + 6 : Math.max(4, box.top - height - 6);
    tip.style.top = `${top}px`;
    tip.style.left = `${Math.max(4, Math.min(box.left, document.documentElement.clientWidth - width - 4))}px`;
  };

  const sampled = (event) => event.target.closest?.("[data-samples]");
  document.addEventListener("pointerover", (event) => {
    const row = sampled(event);
    if (row) show(row);
    else if (!tip.contains(event.target)) hide();
  });
  document.addEventListener("focusin", (event) => (sampled(event) ? show(sampled(event)) : hide()));
  // A row that is not on the screen scrolls there when it gets the focus: what it shows goes with it.
  document.addEventListener("scroll", () => {
    const row = document.querySelector("[data-samples]:focus, [data-samples]:hover");
    if (!row) hide();
    else if (!tip.hidden) place(row);
  }, { passive: true });

  // One stop of the tab key for each table; arrows go from row to row.
  const stops = (table) => [...table.querySelectorAll("tbody tr[data-samples]:not([hidden])")];
  const settle = (table) => {
    table.querySelectorAll("tr[data-samples]").forEach((row) => row.removeAttribute("tabindex"));
    stops(table).forEach((row, at) => { row.tabIndex = at === 0 ? 0 : -1; });
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const row = event.target.closest?.("tr[data-samples]");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!row || !step) return;
    const rows = stops(row.closest("table"));
    const next = rows[rows.indexOf(row) + step];
    if (!next) return;
    event.preventDefault();
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  // Sorting: by the value of a cell where it has one, else by its text.
  const key = (row, at) => {
    const cell = row.cells[at];
    const value = cell.dataset.value ?? "";
    return value === "" ? cell.textContent.trim() : Number(value);
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
    return typeof a === "number" ? -1 : 1;
  };
  const sort = (table, heading) => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, heading.cellIndex), row]);
    rows.sort(([a], [b]) => (up ? compare(a, b) : compare(b, a)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    settle(table);
  };
  for (const table of document.querySelectorAll("table[data-sort]")) {
    settle(table);
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.classList.contains("plotted") || !heading.textContent.trim()) continue;
      const button = make("button", { type: "button", className: "sort" }, ...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  }

  // Filters: rows of all tables that have an outcome.
  const rows = [...document.querySelectorAll("tbody tr[data-word]")];
  if (rows.length > 1) {
    const words = [...new Set(rows.map((row) => row.dataset.word))].sort();
    const text = make("input", { type: "search", id: "filter-text", placeholder: "engine, cipher, shape" });
    const word = make("select", { id: "filter-word" }, make("option", { value: "", textContent: "any verdict" }));
    word.append(...words.map((each) => make("option", { value: each, textContent: each })));
    const count = make("output", {});
    const texts = rows.map((row) => row.cells[0].textContent.toLowerCase());
    const filter = () => {
      const parts = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      rows.forEach((row, at) => {
        const is = (!word.value || row.dataset.word === word.value) && parts.every((part) => texts[at].includes(part));
        row.hidden = !is;
        left += is;
      });
      count.textContent = `${left} of ${rows.length} rows`;
      document.querySelectorAll("table[data-sort]").forEach(settle);
    };
    text.addEventListener("input", filter);
    word.addEventListener("change", filter);
    const label = (name, field) => make("label", {}, `${name} `, field);
    const tools = make("form", { className: "tools" }, label("Show", text), label("with", word), count);
    tools.addEventListener("submit", (event) => event.preventDefault());
    document.querySelector(".chapter")?.before(tools);
    filter();
  }
})();
