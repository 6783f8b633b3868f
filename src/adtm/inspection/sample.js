// The sample: a form to fill in, or rows of the data to choose from, and what the machine says to it: the answer, the
// votes, the rules that fire and what would change the answer. Images have a form of their own, in image.js.
const sampleOf = ({ data, values, images, machine, table }) => {
  const { columns, outputs, rules } = data;
  const { isValue, isLabels, used, cast, votesOf, answerOf, plain, named, said, added } = machine;
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
    table.mark(new Map());
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
    const otherwise = data.settings.silence === "paper" ? "the second class" : "the more frequent class";
    const silent = outputs.kind === "two" && votes[0] === 0 ? `; the votes do not decide, so ${otherwise}` : "";
    at("verdict").append(make("small", `${number(fired.length)} of ${counted(rules.length, "rule")} fire${fired.length === 1 ? "s" : ""}${silent}`));
    showVotes(votes);
    showFiring(fired, states);
    if (images) images.show(answer);
    else (isValue ? showSpans : showChanges)(states, answer);
    table.mark(new Map(fired));
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
      const link = make("a", `rule ${k + 1}`, { href: `#rule-${k + 1}` });
      link.addEventListener("click", () => table.reveal(k)); // before the browser goes there
      words.append(link, ` ${rule.side}: `);
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
    const { written } = column; // the thresholds, with as many digits as in the rules
    if (other === 0) return `${column.name} <= ${written[0]}`;
    if (other === written.length) return `${column.name} > ${written[other - 1]}`;
    return `${written[other - 1]} < ${column.name} <= ${written[other]}`;
  }

  if (images) at("fields").replaceWith(images.form());
  else columns.forEach((column, j) => { if (used[j]) at("fields").append(fieldOf(column, j)); });
  at("change").hidden = Boolean(images);
  at("missing").hidden = Boolean(images) || !columns.some((column, j) => used[j] && column.may_miss);
  columns.forEach((_, j) => show(j));
  if (data.rows.length) {
    at("choose").hidden = false;
    at("row").max = data.rows.length;
    at("row").addEventListener("input", () => {
      const row = Math.min(data.rows.length, Math.max(1, Math.round(Number(at("row").value)) || 1));
      load(row - 1);
    });
  }

  return { ask, begin: () => (data.rows.length ? load(0) : ask()) };
};
