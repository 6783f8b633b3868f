// Draws the page from its JSON, and answers samples with the rules: a rule casts its votes less the misses of the tests
// that fail. Texts of the model are set as text, never as HTML. Rules that slide over images are image.js.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("contents").textContent);
  const { columns, outputs, rules, measures } = data;
  const at = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  const signed = (value, write = number) => (value > 0 ? "+" : value < 0 ? "−" : "") + write(Math.abs(value));
  const share = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %");
  const word = (value) => (value === null ? "missing" : String(value));
  const isValue = outputs.kind === "value", isLabels = outputs.kind === "labels";
  /** A number with some four digits. */
  const short = (value) => value.toLocaleString("en", { maximumSignificantDigits: Math.max(4, Math.floor(Math.log10(Math.abs(value) || 1)) + 1) });
  /** What votes add: of a value in its own unit. */
  const added = (votes) => (isValue ? signed((votes * (outputs.high - outputs.low)) / outputs.T, short) : signed(votes));

  function make(name, text, attributes = {}) {
    const element = document.createElement(name);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  // ---- the machine ------------------------------------------------------------------------------------------------

  const nValues = (column) =>
    column.kind === "numeric" ? column.thresholds.length + 1 : column.kind === "category" ? column.categories.length + 1 : 2;

  /** The state of a value: the interval, the category (or any other), false or true, or missing. */
  function stateOf(column, value) {
    if (value === null) return nValues(column);
    if (column.kind === "boolean") return value ? 1 : 0;
    if (column.kind === "category") {
      const place = column.categories.indexOf(value);
      return place < 0 ? column.categories.length : place;
    }
    let low = 0, high = column.thresholds.length; // the first threshold that is not below the value
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column.thresholds[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const holds = (test, states) => test.allowed.some(([first, last]) => first <= states[test.column] && states[test.column] <= last);

  function cast(rule, states) {
    if (images) return images.cast(rule, states);
    let votes = rule.votes;
    for (const test of rule.tests) if (!holds(test, states)) { votes -= test.misses; if (votes <= 0) return 0; }
    return votes;
  }

  function votesOf(states) {
    const votes = new Array(outputs.n_banks * outputs.n_outputs).fill(0);
    for (const rule of rules) {
      const own = cast(rule, states);
      if (own) rule.weights.forEach((weight, k) => { votes[rule.bank * outputs.n_outputs + k] += own * weight; });
    }
    return votes;
  }

  /** The index of the label; where votes are equal, the first in the order of preference. Of labels 0 or 1 each, or the value. */
  function answerOf(votes) {
    if (isLabels) return votes.map((vote, k) => Number(vote === 0 ? outputs.preference[k] : vote > 0));
    if (isValue) {
      const part = Math.min(Math.max(votes[0], 0), outputs.T) / outputs.T;
      return part === 1 ? outputs.high : outputs.low + part * (outputs.high - outputs.low);
    }
    if (outputs.kind === "two") return votes[0] === 0 ? outputs.preference[0] : Number(votes[0] > 0);
    return outputs.preference.reduce((best, label) => (votes[label] > votes[best] ? label : best));
  }

  /** An answer as the library gives it, and in words. */
  const plain = (answer) => (isLabels || isValue ? answer : outputs.labels[answer]);
  const named = (there) => outputs.labels.filter((_, k) => there[k]).map(word).join(", ") || "none of the labels";
  const said = (answer) => (isLabels ? named(answer) : isValue ? short(answer) : word(outputs.labels[answer]));

  // ---- the sample -------------------------------------------------------------------------------------------------

  const values = data.start.slice();
  const images = data.patch ? imagesOf({ data, values, make, stateOf, nValues, ask }) : null;
  const used = columns.map((_, j) => rules.some((rule) => rule.tests.some((test) => test.column === j)));
  const fields = [];

  function fieldOf(column, j) {
    const id = `value-${j}`;
    const box = make("div");
    box.append(make("label", column.name, { for: id }));
    let field;
    if (column.kind === "numeric") {
      field = make("input", null, { id, type: "number", step: "any" });
    } else {
      field = make("select", null, { id });
      const choices = column.kind === "boolean" ? [false, true] : column.categories;
      choices.forEach((choice, k) => field.append(make("option", word(choice), { value: k })));
      if (column.kind === "category") field.append(make("option", "any other", { value: choices.length }));
      if (column.may_miss) field.append(make("option", "missing", { value: "" }));
    }
    field.addEventListener("input", () => { read(column, field, j); ask(); });
    box.append(field);
    fields[j] = field;
    return box;
  }

  function read(column, field, j) {
    if (column.kind === "numeric") {
      const empty = field.value.trim() === "" && !field.validity.badInput;
      const wrong = field.validity.badInput || (empty && !column.may_miss);
      field.setAttribute("aria-invalid", wrong);
      values[j] = wrong ? undefined : empty ? null : Number(field.value);
    } else if (field.value === "") values[j] = null;
    else if (column.kind === "boolean") values[j] = field.value === "1";
    else values[j] = column.categories[Number(field.value)]; // undefined for any other: see state()
  }

  const state = (column, j) => (values[j] === undefined && column.kind === "category" ? column.categories.length : stateOf(column, values[j]));
  const isReady = () => (images ? !images.problem() : columns.every((column, j) => column.kind !== "numeric" || values[j] !== undefined));

  function show(j) {
    const column = columns[j], field = fields[j];
    if (!field) return;
    if (column.kind === "numeric") { field.value = values[j] === null ? "" : String(values[j]); field.setAttribute("aria-invalid", false); }
    else field.value = values[j] === null ? "" : String(state(column, j));
  }

  function load(row) {
    data.rows[row].forEach((value, j) => {
      values[j] = value;
      show(j);
    });
    if (images) images.write();
    const truth = data.truth[row];
    at("truth").textContent = truth === undefined ? "" : isLabels ? `its labels: ${named(truth)}` : isValue ? `its value: ${short(truth)}` : `its label: ${word(truth)}`;
    ask();
  }

  const MOST_FIRING = 40, MOST_CHANGES = 6, MOST_WORK = 3e7;

  function ask() {
    const ready = isReady();
    at("firing").replaceChildren();
    at("changes").replaceChildren();
    at("votes").replaceChildren();
    document.querySelectorAll("tr.fires").forEach((row) => row.classList.remove("fires"));
    if (!ready) {
      at("verdict").textContent = images ? images.problem() : "Every marked field needs a number.";
      return;
    }
    const states = images ? images.states() : columns.map(state);
    const votes = votesOf(states);
    const answer = answerOf(votes);
    at("verdict").replaceChildren(`Answer: ${said(answer)}`);
    at("verdict").dataset.answer = JSON.stringify(plain(answer));
    at("verdict").dataset.votes = JSON.stringify(votes);
    const fired = rules.map((rule, k) => [k, cast(rule, states)]).filter(([, own]) => own > 0);
    const silent = outputs.kind === "two" && votes[0] === 0 ? "; the votes do not decide, so the more frequent class" : "";
    at("verdict").append(make("small", `${number(fired.length)} of ${number(rules.length)} rules fire${silent}`));
    showVotes(votes);
    showFiring(fired, states);
    if (images) images.show(answer);
    else (isValue ? showSpans : showChanges)(states, answer);
    firing = new Map(fired);
    document.querySelectorAll("#body tr").forEach((row) => row.classList.toggle("fires", firing.has(Number(row.dataset.rule))));
  }

  function showVotes(votes) {
    const two = outputs.kind === "two";
    if (isValue) { showValue(answerOf(votes), votes[0]); return; }
    votes.forEach((vote, k) => {
      const most = Math.max(outputs.T, ...votes.map(Math.abs));
      const bar = make("div", null, { class: "bar" });
      const track = make("div", null, { class: "track" });
      const half = (50 * Math.abs(vote)) / most;
      track.append(make("i", null, { style: `left:${vote < 0 ? 50 - half : 50}%;width:${half}%` }), make("u"));
      const label = two ? `${word(outputs.labels[0])} ↔ ${word(outputs.labels[1])}` : word(outputs.labels[k]);
      bar.append(make("span", label), track, make("b", signed(vote)));
      at("votes").append(bar);
    });
  }

  /** Where a value lies between the ends of its range. */
  function showValue(answer, vote) {
    const bar = make("div", null, { class: "bar" }), track = make("div", null, { class: "track" });
    const part = outputs.high > outputs.low ? (answer - outputs.low) / (outputs.high - outputs.low) : 0;
    track.append(make("i", null, { style: `left:0;width:${100 * part}%` }));
    bar.append(make("span", `${short(outputs.low)} to ${short(outputs.high)}`), track, make("b", added(vote)));
    at("votes").append(bar);
  }

  function showFiring(fired, states) {
    const weigh = ([k, own]) => own * Math.max(...rules[k].weights.map(Math.abs));
    fired.sort((a, b) => weigh(b) - weigh(a) || a[0] - b[0]);
    for (const [k, own] of fired.slice(0, MOST_FIRING)) {
      const rule = rules[k];
      const sum = rule.weights.map((weight) => added(own * weight)).join(" ");
      const item = make("li");
      item.append(make("b", sum, { class: sum.startsWith("−") ? "con" : "pro" }));
      const words = make("span");
      words.append(make("a", `rule ${k + 1}`, { href: `#rule-${k + 1}` }), ` ${rule.side}: `);
      if (rule.tests.length === 0) words.append("always");
      if (images) words.append(images.picture(rule), images.placesText(rule));
      else rule.tests.forEach((test, i) => {
        words.append(i ? (rule.votes === 1 ? " and " : ", ") : "");
        words.append(make("span", test.text, holds(test, states) ? {} : { class: "gone" }));
      });
      item.append(words);
      at("firing").append(item);
    }
    if (fired.length > MOST_FIRING) at("firing").append(make("li", `and ${number(fired.length - MOST_FIRING)} more`));
    if (!fired.length) at("firing").append(make("li", "none"));
  }

  /** Every other state of a single column, and the answer it gives; null where there are too many to try. */
  function alternatives(states) {
    const work = columns.reduce((sum, column, j) => sum + (used[j] ? nValues(column) : 0), 0) * rules.length;
    if (work > MOST_WORK) { at("changes").append(make("li", "too many rules to try here")); return null; }
    const found = [];
    columns.forEach((column, j) => {
      if (!used[j]) return;
      const tried = states.slice();
      for (let other = 0; other < nValues(column); other++) {
        if (other === states[j]) continue;
        tried[j] = other;
        found.push({ j, other, next: answerOf(votesOf(tried)), steps: column.kind === "numeric" ? Math.abs(other - states[j]) : 1 });
      }
    });
    return found;
  }

  function proposal({ j, other, next }) {
    const column = columns[j];
    const value = exampleOf(column, other);
    const item = make("li");
    const button = make("button", "try", { type: "button", "aria-label": `try ${column.name} ${word(value)}` });
    button.addEventListener("click", () => { values[j] = value; show(j); ask(); });
    item.append(button, `${intervalOf(column, other)} gives ${said(next)}`);
    return item;
  }

  /** Single columns whose other states give another answer: nearest states first. */
  function showChanges(states, answer) {
    const all = alternatives(states);
    if (!all) return;
    const found = all.filter((one) => String(one.next) !== String(answer));
    found.sort((a, b) => a.steps - b.steps || a.j - b.j);
    const nearest = found.filter((one, k) => found.findIndex((other) => other.j === one.j && String(other.next) === String(one.next)) === k);
    at("changes").append(...nearest.slice(0, MOST_CHANGES).map(proposal));
    if (!nearest.length) at("changes").append(make("li", "no single column"));
  }

  /** For each column the state that moves a value farthest; the farthest first. */
  function showSpans(states, answer) {
    const all = alternatives(states);
    if (!all) return;
    const far = (one) => Math.abs(one.next - answer);
    const farthest = columns.flatMap((_, j) => all.filter((one) => one.j === j && one.next !== answer).sort((a, b) => far(b) - far(a)).slice(0, 1));
    farthest.sort((a, b) => far(b) - far(a));
    at("changes").append(...farthest.slice(0, MOST_CHANGES).map(proposal));
    if (!farthest.length) at("changes").append(make("li", "no single column"));
  }

  function exampleOf(column, other) {
    if (column.kind === "boolean") return other === 1;
    if (column.kind === "category") return column.categories[other]; // undefined: any other
    const { thresholds } = column;
    if (other < thresholds.length) return thresholds[other];
    const last = thresholds[thresholds.length - 1];
    return last + Math.max(1, Math.abs(last) * 0.01);
  }

  function intervalOf(column, other) {
    if (column.kind === "boolean") return `${column.name} ${other ? "true" : "false"}`;
    if (column.kind === "category") return `${column.name} ${other < column.categories.length ? "= " + word(column.categories[other]) : "any other"}`;
    const { thresholds } = column;
    if (other === 0) return `${column.name} ≤ ${thresholds[0]}`;
    if (other === thresholds.length) return `${column.name} > ${thresholds[other - 1]}`;
    return `${thresholds[other - 1]} < ${column.name} ≤ ${thresholds[other]}`;
  }

  // ---- the table of rules -----------------------------------------------------------------------------------------

  const STEP = 200;
  let firing = new Map(), shown = STEP, sorted = { key: "rule", down: false };
  const largest = (rule) => Math.max(...rule.weights.map(Math.abs)) * rule.votes;
  const keys = [
    { name: "rule", title: "rule", value: (k) => k },
    { name: "side", title: "votes", value: (k) => rules[k].side },
    { name: "weight", title: "weight", value: (k) => largest(rules[k]) },
    { name: "if", title: "if", value: (k) => rules[k].if },
    { name: "conditions", title: "conditions", value: (k) => rules[k].tests.length, minor: true },
  ];
  const written = { lift: (value) => value.toFixed(2), mean: short };
  data.measured.forEach((name, i) => {
    const cell = (k) => (measures[k][i] === null ? "–" : (written[name] ?? share)(measures[k][i]));
    keys.push({ name, title: name, value: (k) => measures[k][i] ?? -Infinity, cell, minor: name === "recall" || name === "lift" });
  });

  function heading(key) {
    const cell = make("th", null, { scope: "col" });
    if (key.minor) cell.className = "minor";
    if (key.name === "if") cell.classList.add("words");
    if (key.name === "side") cell.classList.add("side");
    const button = make("button", key.title, { type: "button" });
    button.addEventListener("click", () => {
      sorted = { key: key.name, down: sorted.key === key.name ? !sorted.down : !["rule", "side", "if"].includes(key.name) };
      draw();
    });
    cell.append(button);
    return cell;
  }

  function line(k) {
    const rule = rules[k];
    const row = make("tr", null, { id: `rule-${k + 1}`, "data-rule": k });
    row.classList.toggle("fires", firing.has(k));
    row.append(make("th", k + 1, { scope: "row" }), make("td", rule.side, { class: "side" }));
    row.append(make("td", rule.weights.filter((weight) => weight).map(added).join(" ")));
    const words = make("td", null, { class: rule.votes > 1 ? "words tolerant" : "words" });
    if (rule.votes > 1) words.append(`up to ${rule.votes} votes, less 1 for each that fails: `);
    rule.tests.forEach((test) => words.append(make("span", test.misses > 1 ? `${test.misses} × (${test.text})` : test.text)));
    if (!rule.tests.length) words.append("always");
    row.append(images ? images.cellOf(rule, words) : words);
    for (const key of keys.slice(4)) row.append(make("td", key.cell ? key.cell(k) : key.value(k), key.minor ? { class: "minor" } : {}));
    return row;
  }

  function draw() {
    const wanted = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const side = at("side").value;
    const key = keys.find((each) => each.name === sorted.key);
    const found = rules.map((_, k) => k).filter((k) => {
      const text = `${rules[k].if} ${rules[k].side}`.toLowerCase();
      return (!side || rules[k].side === side) && wanted.every((each) => text.includes(each));
    });
    const order = (a, b) => {
      const [x, y] = [key.value(a), key.value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (sorted.down ? -1 : 1) || a - b;
    };
    found.sort(order);
    at("body").replaceChildren(...found.slice(0, shown).map(line));
    [...at("head").children].forEach((cell, i) => cell.setAttribute("aria-sort", keys[i].name === sorted.key ? (sorted.down ? "descending" : "ascending") : "none"));
    at("count").textContent = found.length === rules.length ? `${number(rules.length)} rules` : `${number(found.length)} of ${number(rules.length)} rules`;
    at("more").hidden = found.length <= shown;
  }

  // ---- the rest ---------------------------------------------------------------------------------------------------

  /** A step of 1, 2 or 5 times a power of ten, so that up to five make the length. */
  function niceStep(length) {
    const power = 10 ** Math.floor(Math.log10(length / 5 || 1));
    return power * [1, 2, 5, 10].find((times) => times * power * 5 >= length * (1 - 1e-9));
  }

  function drawHistory() {
    const place = at("history");
    const records = data.history.filter(([, train, held]) => train !== null || held !== null);
    if (!records.length) { place.append(make("p", "The model file has no record of its epochs.")); return; }
    const lines = [["training", "train", 1], ["held out", "held", 2]].filter(([, , i]) => records.some((record) => record[i] !== null));
    const all = records.flatMap((record) => lines.map(([, , i]) => record[i])).filter((value) => value !== null);
    // Accuracy ends at 1; the error of a value begins at 0.
    const what = isValue ? "mean absolute error" : isLabels ? "share of rows with all labels right" : "accuracy";
    const length = isValue ? Math.max(...all) : 1 - Math.min(...all);
    const step = isValue ? niceStep(length) : length > 0.4 ? 0.2 : length > 0.2 ? 0.1 : 0.05;
    const ticks = Math.max(1, Math.ceil(length / step - 1e-9)), low = isValue ? 0 : 1 - ticks * step, high = low + ticks * step;
    const figure = (value, digits) => (isValue ? short(value) : value.toFixed(digits));
    const W = 760, H = 280, left = 52, right = 12, top = 12, bottom = 36;
    const x = (k) => left + ((W - left - right) * k) / Math.max(1, records.length - 1);
    const y = (value) => top + ((H - top - bottom) * (high - value)) / (high - low);
    const svgNS = "http://www.w3.org/2000/svg";
    const draw = (name, attributes, text) => {
      const element = document.createElementNS(svgNS, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      if (text !== undefined) element.textContent = text;
      return element;
    };
    const last = records[records.length - 1], title = what[0].toUpperCase() + what.slice(1);
    const words = lines.map(([name, , i]) => `${name} ${what} ${last[i] === null ? "not recorded" : figure(last[i], 3)}`).join(", ");
    const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title} by epoch; after epoch ${last[0]}: ${words}` });
    for (let i = 0; i <= ticks; i++) {
      const value = low + step * i;
      svg.append(draw("line", { class: "grid", x1: left, x2: W - right, y1: y(value), y2: y(value) }));
      svg.append(draw("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, figure(value, 2)));
    }
    [0, Math.floor((records.length - 1) / 2), records.length - 1].filter((k, i, a) => a.indexOf(k) === i).forEach((k) => {
      svg.append(draw("text", { x: x(k), y: H - 14, "text-anchor": k === 0 ? "start" : k === records.length - 1 ? "end" : "middle" }, `epoch ${records[k][0]}`));
    });
    for (const [, name, i] of lines) {
      const points = records.map((record, k) => (record[i] === null ? null : `${x(k).toFixed(1)},${y(record[i]).toFixed(1)}`)).filter(Boolean);
      svg.append(draw("path", { class: name, d: "M" + points.join("L") }));
    }
    place.append(make("p", `${title} after each epoch: ${lines.map(([name, key]) => `${name} (${key === "train" ? "solid" : "dashed"})`).join(", ")}. At the end ${words}.`), svg);
    const details = make("details");
    details.append(make("summary", "Numbers"));
    const scroll = make("div", null, { class: "scroll", tabindex: "0", role: "region", "aria-label": `${title} by epoch` });
    const table = make("table"), head = make("tr"), body = make("tbody"), top_ = make("thead");
    head.append(make("th", "epoch", { scope: "col" }), ...lines.map(([name]) => make("th", name, { scope: "col" })));
    top_.append(head);
    records.forEach((record) => {
      const row = make("tr");
      row.append(make("th", record[0], { scope: "row" }), ...lines.map(([, , i]) => make("td", record[i] === null ? "–" : figure(record[i], 4))));
      body.append(row);
    });
    table.append(top_, body);
    scroll.append(table);
    details.append(scroll);
    place.append(details);
  }

  function fact(value, words) {
    const box = make("div");
    box.append(make("dt", words), make("dd", value));
    return box;
  }

  function rowOf(cells) {
    const row = make("tr");
    cells.forEach((cell, i) => row.append(make(i ? "td" : "th", cell, i ? {} : { scope: "row" })));
    return row;
  }

  document.title = `${data.title}: rules`;
  at("title").textContent = data.title;
  at("facts").append(
    fact(number(rules.length), "rules"), fact(data.conditions.toFixed(1), "conditions each"),
    fact(`${used.filter(Boolean).length} of ${columns.length}`, "columns in use"), isValue ? fact(`${short(outputs.low)} to ${short(outputs.high)}`, "values") : fact(outputs.labels.length, isLabels ? "labels" : "classes"),
    fact(number(data.epochs), "epochs"), fact(number(data.ledger.total), "random numbers"));
  at("reading").textContent = (outputs.kind === "two"
    ? `The weights of all rules that fire are added: above 0 the answer is ${word(outputs.labels[1])}, below 0 it is ${word(outputs.labels[0])}.`
    : isLabels ? "For each label the weights of all rules that fire are added: above 0 the label is there, below 0 it is not."
    : isValue ? `Each vote of a rule that fires adds the rule's weight to ${short(outputs.low)}; the value stays within ${short(outputs.low)} and ${short(outputs.high)}.`
    : "For each class the weights of all rules that fire are added; the class with the largest sum is the answer.")
    + (data.measured.includes("support") ? " Support is the share of the given rows on which a rule fires" : "")
    + (data.measured.includes("precision") ? "; precision, how often it is right there; lift, how much more often than by chance" : "")
    + (data.measured.includes("mean") ? `; mean, that of their values, ${short(data.mean)} over all rows` : "") + (measures ? "." : "");
  if (images) at("reading").append(" Every rule slides over the image and counts at its best place: it wants its blue pixels bright and its brown ones dark.");
  if (images) at("fields").replaceWith(images.form());
  else columns.forEach((column, j) => { if (used[j]) at("fields").append(fieldOf(column, j)); });
  at("change").hidden = at("missing").hidden = Boolean(images);
  columns.forEach((_, j) => show(j));
  if (data.rows.length) {
    at("choose").hidden = false;
    at("row").max = data.rows.length;
    at("row").addEventListener("input", () => {
      const row = Math.min(data.rows.length, Math.max(1, Math.round(Number(at("row").value)) || 1));
      load(row - 1);
    });
  }
  at("side").append(make("option", "for and against", { value: "" }));
  [...new Set(rules.map((rule) => rule.side))].sort().forEach((side) => at("side").append(make("option", side, { value: side })));
  at("search").addEventListener("input", () => { shown = STEP; draw(); });
  at("side").addEventListener("input", () => { shown = STEP; draw(); });
  at("more").addEventListener("click", () => { shown += 5 * STEP; draw(); });
  keys.forEach((key) => at("head").append(heading(key)));
  at("importance-words").textContent = `The share of all votes that hangs on each column${measures ? ", on the given rows" : ", were every rule to fire once"}; the votes of a rule are divided among its columns.`;
  data.importance.forEach(([name, value]) => {
    const row = make("tr"), cell = make("td"), track = make("div", null, { class: "track" });
    track.append(make("i", null, { style: `width:${(100 * value) / data.importance[0][1]}%` }));
    cell.append(track);
    row.append(make("th", name, { scope: "row" }), make("td", share(value)), cell);
    at("columns").append(row);
  });
  drawHistory();
  data.ledger.updates.forEach(([name, offered, skipped]) => at("updates").append(rowOf([name, number(offered), number(skipped)])));
  data.ledger.draws.forEach(([name, drawn]) => at("draws").append(rowOf([name, number(drawn)])));
  Object.entries(data.settings).forEach(([name, value]) => at("parameters").append(fact(value, name)));
  draw();
  if (data.rows.length) load(0);
  else ask();
  document.documentElement.dataset.ready = "yes";
})();
