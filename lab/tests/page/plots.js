// Rules that hold for every plot where it stands: the check runs in the page, and returns what is wrong.

/// Complaints about the plots of an open page.
export const wrongPlots = (page) => page.evaluate(look);

function look() {
  const SMALLEST_LETTER = 11;
  const complaints = [];
  const plots = [...document.querySelectorAll("svg[role=img]")];
  const drawings = [...document.querySelectorAll("main svg")];
  for (const svg of drawings) {
    const complain = (what) => complaints.push(`${named(svg) || svg.outerHTML.slice(0, 80)}: ${what}`);
    sizes(svg, complain);
    numbers(svg, complain);
    letters(svg, complain);
    marks(svg, complain);
    contrasts(svg, complain);
    labels(svg, complain);
    axes(svg, complain);
  }
  for (const svg of plots) {
    const complain = (what) => complaints.push(`${named(svg) || svg.outerHTML.slice(0, 80)}: ${what}`);
    if (!named(svg)) complain("has no name");
    if (drawn(svg).length === 0) complain("is empty");
    if (!hasFigures(svg)) complain("says nothing in words");
  }
  for (const svg of drawings) {
    const hidden = svg.getAttribute("aria-hidden") === "true";
    if (!hidden && svg.getAttribute("role") !== "img") complaints.push(`${svg.outerHTML.slice(0, 80)}: neither hidden nor named`);
  }
  return complaints;

  function named(svg) {
    const ids = (svg.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const said = ids.map((id) => document.getElementById(id)?.textContent.trim() ?? "");
    return ids.length > 0 && said.includes("") ? "" : svg.getAttribute("aria-label")?.trim() || said.join(" ");
  }

  function sizes(svg, complain) {
    const { width, height } = svg.getBoundingClientRect();
    // The mark beside a name in a list is no plot.
    const least = svg.matches(".key") ? 8 : 60;
    if (!(width >= least && height >= 8)) complain(`is ${width} by ${height} pixels`);
  }

  function numbers(svg, complain) {
    const PLACES = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "dx", "dy", "d", "points", "transform"];
    for (const element of [svg, ...svg.querySelectorAll("*")]) {
      for (const name of PLACES) {
        const value = element.getAttribute(name);
        if (value !== null && (value === "" || /nan|inf|undefined|null/i.test(value))) complain(`${name}="${value}"`);
        if (/^(width|height|r)$/.test(name) && parseFloat(value) < 0) complain(`${name}="${value}"`);
      }
    }
  }

  /// Nothing of data stands outside of the box, but for half a mark.
  function marks(svg, complain) {
    const box = svg.getBoundingClientRect();
    const room = 8;
    for (const element of drawn(svg)) {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const inside = left >= box.left - room && right <= box.right + room && top >= box.top - room && bottom <= box.bottom + room;
      if (!inside) complain(`draws ${element.outerHTML.slice(0, 120)} outside of its box`);
    }
  }

  /// Readable, on the screen, and not on top of each other.
  function letters(svg, complain) {
    const all = [...svg.querySelectorAll("text")].map((text) => ({ text, box: text.getBoundingClientRect() }));
    const scroller = svg.closest(".scrolled");
    const [left, right] = scroller ? [-1e9, 1e9] : [0, document.documentElement.clientWidth];
    for (const { text, box } of all) {
      const said = text.textContent;
      const scale = box.height / text.getBBox().height;
      if (parseFloat(getComputedStyle(text).fontSize) * scale < SMALLEST_LETTER) complain(`"${said}" is too small`);
      if (box.left < left - 0.5 || box.right > right + 0.5) complain(`"${said}" is cut off`);
    }
    all.forEach((one, at) => {
      const other = all.slice(at + 1).find((other) => overlap(one.box, other.box));
      if (other) complain(`"${one.text.textContent}" and "${other.text.textContent}" overlap`);
    });
  }

  /// One label alone tells no scale.
  function labels(svg, complain) {
    const count = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim()).length;
    if (svg.matches(".axes, .axis") && count < 2) complain(`has ${count} labels`);
  }

  /// An axis above a column has its labels in the column's head, and none on the first row of data.
  function axes(svg, complain) {
    const cell = svg.matches(".axis") && svg.closest("th, td");
    if (!cell) return;
    const { top, bottom } = cell.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.top < top - 1 || box.bottom > bottom + 1) complain(`"${text.textContent}" is outside of its cell`);
    }
  }

  function overlap(a, b) {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return wide > 1 && high > 3;
  }

  /// WCAG 2.2: 4.5 for letters (1.4.3), 3 for what is needed to understand a graphic (1.4.11).
  function contrasts(svg, complain) {
    const ground = grounded(svg);
    const seen = new Set();
    for (const element of svg.querySelectorAll("text, use, .interval, .series, .bar, .one")) {
      const { fill, stroke } = getComputedStyle(element);
      const ink = element.matches("text, use, .bar") ? fill : stroke;
      const least = element.matches("text") ? 4.5 : 3;
      if (seen.has(ink + least)) continue;
      seen.add(ink + least);
      const ratio = contrast(rgb(ink), ground);
      if (ink === "none" || !(ratio >= least)) complain(`${element.outerHTML.slice(0, 90)} in ${ink} has a contrast of ${ratio.toFixed(2)}`);
    }
  }

  function grounded(element) {
    for (let at = element; at; at = at.parentElement) {
      const [red, green, blue, alpha = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (alpha > 0) return [red, green, blue];
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  }

  function rgb(colour) {
    return (colour.match(/[\d.]+/g) ?? []).map(Number);
  }

  function contrast(a, b) {
    const light = (colour) => {
      const [red, green, blue] = colour.map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [low, high] = [light(a), light(b)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  }

  /// The marks for data, without the grid and its labels.
  function drawn(svg) {
    return [...svg.querySelectorAll("line, rect, circle, path, polyline, polygon, use")].filter(
      (element) => !element.matches(".grid, defs *, .tick"),
    );
  }

  /// The figures of a row, without the line's name, which may have figures of its own, and without the letters of the plot.
  function cells(row, svg) {
    const others = [...row.querySelectorAll("td")].filter((cell) => !cell.contains(svg));
    return others.map((cell) => cell.textContent).join(" ");
  }

  /// In the row of its table, or in a table or list of its own section.
  function hasFigures(svg) {
    const row = svg.closest("tr");
    if (row) return /\d|reference|not held|waited/.test(cells(row, svg));
    const place = svg.closest("figure, section");
    return [...(place?.querySelectorAll("table, dl, ul, ol") ?? [])].some((words) => /\d/.test(words.textContent));
  }
}
