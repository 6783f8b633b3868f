// What every part of the page uses: elements by their names and anew, and numbers as people write them. Texts of the
// model are set as text, never as HTML.
"use strict";
const at = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const signed = (value, write = number) => (value > 0 ? "+" : value < 0 ? "−" : "") + write(Math.abs(value));
const share = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %");
/** How many there are, in words: 1 rule, 1,200 rules. */
const counted = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;
const word = (value) => (value === null ? "missing" : String(value));
/** A number with some four digits, or all before the point; of fifteen and more there the first four. */
const short = (value) => {
  const digits = Math.floor(Math.log10(Math.abs(value) || 1)) + 1;
  return digits > 15 ? String(Number(value.toPrecision(4))) : (value || 0).toLocaleString("en", { maximumSignificantDigits: Math.max(4, digits) });
};

function make(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** A row of a table, its first cell the heading. */
function rowOf(cells) {
  const row = make("tr");
  cells.forEach((cell, i) => row.append(make(i ? "td" : "th", cell, i ? {} : { scope: "row" })));
  return row;
}
