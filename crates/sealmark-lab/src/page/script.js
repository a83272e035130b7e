"use strict";
/* Everything on the page can be read without this. */

/* The rows of a run as they were in its file: sealmark.rows("rows"). */
const sealmark = {
  rows(id) {
    const { of, order, tables } = JSON.parse(document.getElementById(id).textContent);
    const next = tables.map(() => 0);
    const rows = [];
    for (const [table, count] of order) {
      const { row, columns } = tables[table];
      for (let end = next[table] + count; next[table] < end; next[table]++) {
        const members = { row };
        for (const [name, values] of Object.entries(columns)) {
          const value = Array.isArray(values) ? values[next[table]] : values.all;
          if (name === "of") Object.assign(members, of[value]);
          else members[name] = value;
        }
        rows.push(members);
      }
    }
    return rows;
  },
};
