// The sample: a form to fill in, or rows of the data to choose from, and what the machine says to it: the answer, the
// votes, the rules that fire and what would change the answer. Images have a form of their own, in image.js.
const sampleOf = ({ data, values, images, machine, table }) => {
  const { columns, outputs, rules } = data;
  const { isValue, isLabels, used, cast, votesOf, answerOf, plain, said, added } = machine;
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
      if (column.kind === "category") field.append(make("option", choices.length ? "any other" : "any", { value: choices.length }));
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
    else values[j] = column.kind === "boolean" ? field.value === "1" : Number(field.value);
  }

  const isReady = () => (images ? !images.problem() : columns.every((column, j) => column.kind !== "numeric" || values[j] !== undefined));

  function show(j) {
    const column = columns[j], field = fields[j];
    if (!field) return;
    if (column.kind === "numeric") { field.value = values[j] === null ? "" : String(values[j]); field.setAttribute("aria-invalid", false); }
    else field.value = values[j] === null ? "" : String(stateOf(column, values[j]));
  }

  function load(row) {
    data.rows[row].forEach((value, j) => {
      values[j] = value;
      show(j);
    });
    if (images) images.write();
    const truth = data.truth[row]; // in the form of an answer
    at("truth").textContent = truth === undefined ? "" : `its ${isLabels ? "labels" : isValue ? "value" : "label"}: ${said(truth)}`;
    ask();
  }

  const MOST_FIRING = 40, MOST_CHANGES = 5, MOST_WORK = 3e7, MANY_FIELDS = 60;

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
    const states = images ? images.states() : columns.map((column, j) => stateOf(column, values[j]));
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
    showFiring(fired, states, answer);
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
      const told = two && vote ? `${number(Math.abs(vote))} for ${word(outputs.labels[Number(vote > 0)])}` : signed(vote);
      bar.append(make("span", label), track, make("b", told));
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

  /** Tests in words and whether they hold, neighbouring thresholds of one side together: "age <= 18 to 24 (counts 3)". */
  function merged(tests, states) {
    const groups = [];
    for (const test of tests) {
      const hold = holds(test, states), last = groups.at(-1);
      const side = test.misses === 1 && ["<=", ">"].find((sign) => test.text.startsWith(`${columns[test.column].name} ${sign} `));
      const head = side && !/ (or|and) /.test(test.text.slice(columns[test.column].name.length)) && `${columns[test.column].name} ${side} `;
      if (head && last && last.head === head && last.hold === hold) last.ends.push(test.text.slice(head.length));
      else groups.push({ head, hold, text: test.text, ends: head ? [test.text.slice(head.length)] : [] });
    }
    return groups.map(({ head, hold, text, ends }) => {
      if (ends.length < 2) return [text, hold];
      const [first, last] = head.endsWith("> ") ? [ends.at(-1), ends[0]] : [ends[0], ends.at(-1)];
      return [`${head}${first} to ${last} (counts ${ends.length})`, hold];
    });
  }

  function showFiring(fired, states, answer) {
    const weigh = ([k, own]) => own * Math.max(...rules[k].weights.map(Math.abs));
    fired.sort((a, b) => weigh(b) - weigh(a) || a[0] - b[0]);
    for (const [k, own] of fired.slice(0, MOST_FIRING)) {
      const rule = rules[k];
      const item = make("li");
      item.append(make("b", machine.strength(rule, own), { class: machine.speaksFor(rule, answer) ? "pro" : "con" }));
      const words = make("span");
      const link = make("a", `rule ${k + 1}`, { href: `#rule-${k + 1}` });
      link.addEventListener("click", () => table.reveal(k)); // before the browser goes there
      words.append(link, ` ${rule.side}: `);
      if (rule.tests.length === 0) words.append("always");
      if (images) words.append(images.picture(rule), images.placesText(rule));
      else merged(rule.tests, states).forEach(([text, hold], i) => {
        words.append(i ? (rule.votes === 1 ? " and " : ", ") : rule.votes > 1 ? rule.if.slice(0, rule.if.indexOf(": ") + 2) : "");
        words.append(make("span", text, hold ? {} : { class: "gone" }));
      });
      item.append(words);
      at("firing").append(item);
    }
    if (fired.length > MOST_FIRING) at("firing").append(make("li", `and ${number(fired.length - MOST_FIRING)} more`));
    if (!fired.length) at("firing").append(make("li", "none"));
  }

  /** The misses that each state of a column adds to the rules that ask about it: [rule, misses by state]. */
  const missesOf = columns.map((column, j) => rules.flatMap((rule, k) => {
    const own = rule.tests.filter((test) => test.column === j);
    if (!own.length) return [];
    const states = Array.from({ length: nValues(column) + 1 }, (_, state) => state);
    return [[k, states.map((state) => own.reduce((sum, test) => sum + (holds(test, { [j]: state }) ? 0 : test.misses), 0))]];
  }));

  /** Runs of states that act alike and differently from the present one, with their cost, as adtm.explain.flips has them. */
  function optionsOf(j, state) {
    const column = columns[j], table = missesOf[j], found = [];
    const alike = (a, b) => table.every(([, misses]) => misses[a] === misses[b]);
    const last = nValues(column) - (column.kind === "category" && column.categories.length ? 1 : 0); // not a category that nobody has seen
    for (let first = 0, after = 1; after <= last; after++) {
      if (after < last && column.kind === "numeric" && alike(after, first)) continue;
      if (!(first <= state && state < after) && !alike(first, state)) {
        const nearest = Math.min(Math.max(state, first), after - 1), steps = Math.max(1, nValues(column) - 1);
        const cost = column.kind === "numeric" && state < nValues(column) ? Math.abs(nearest - state) / steps : 1;
        found.push({ j, nearest, run: [first, after], cost, added: table.map(([k, misses]) => [k, misses[first] - misses[state]]) });
      }
      first = after;
    }
    return found;
  }

  /** The answer that some options together give; `left` are the votes that each rule has before misses count. */
  function answerWith(options, left) {
    const changed = new Map();
    for (const option of options) for (const [k, misses] of option.added) changed.set(k, (changed.get(k) ?? left[k]) - misses);
    const votes = new Array(outputs.n_banks * outputs.n_outputs).fill(0);
    rules.forEach((rule, k) => {
      const own = Math.max(0, changed.has(k) ? changed.get(k) : left[k]);
      if (own) rule.weights.forEach((weight, i) => { votes[rule.bank * outputs.n_outputs + i] += own * weight; });
    });
    return answerOf(votes);
  }

  /** All changes of one column, or of two where `pairs` asks for it, with the answers they give; null where they are too many. */
  function tried(states, pairs) {
    const options = columns.map((_, j) => (used[j] ? optionsOf(j, states[j]) : [])), all = options.flat();
    const n = pairs ? (all.length ** 2 - options.reduce((sum, own) => sum + own.length ** 2, 0)) / 2 : all.length;
    if (n * rules.length > MOST_WORK) { at("changes").append(make("li", "too many rules to try here")); return null; }
    const both = () => options.flatMap((own, i) => options.slice(i + 1).flatMap((other) => own.flatMap((a) => other.map((b) => [a, b]))));
    const cases = pairs ? both() : all.map((option) => [option]);
    const left = rules.map((rule) => rule.tests.reduce((votes, test) => votes - (holds(test, states) ? 0 : test.misses), rule.votes));
    return cases.map((options) => ({ options, next: answerWith(options, left), cost: options.reduce((sum, option) => sum + option.cost, 0) }));
  }

  function proposal({ options, next }) {
    const item = make("li"), words = options.map((option) => intervalOf(columns[option.j], ...option.run)).join(" and ");
    const button = make("button", "try", { type: "button", "aria-label": `try ${words}` });
    button.addEventListener("click", () => {
      for (const { j, nearest } of options) { values[j] = exampleOf(columns[j], nearest); show(j); }
      ask();
    });
    item.append(button, `${words} gives ${said(next)}`);
    return item;
  }

  const runsOf = (options) => JSON.stringify(options.map((option) => option.run));

  /** Neighbouring runs that give the same answer and are not another's yet, as one. */
  function widened(options, free) {
    const box = options.map((option) => [option.run]);
    const cells = (axis, run) => box.reduce((made, own, i) => made.flatMap((cell) => (i === axis ? [run] : own).map((each) => [...cell, each])), [[]]);
    for (let widest = false; !widest;) {
      widest = true;
      options.forEach((option, axis) => {
        if (columns[option.j].kind !== "numeric") return;
        const others = [...new Set([...free].map((cell) => JSON.stringify(JSON.parse(cell)[axis])))].map((run) => JSON.parse(run)).sort((a, b) => a[0] - b[0]);
        for (const run of others) {
          const own = box[axis];
          if (run[1] !== own[0][0] && run[0] !== own[own.length - 1][1]) continue;
          if (!cells(axis, run).every((cell) => free.has(JSON.stringify(cell)))) continue;
          box[axis] = [...own, run].sort((a, b) => a[0] - b[0]);
          widest = false;
        }
      });
    }
    cells(-1).forEach((cell) => free.delete(JSON.stringify(cell)));
    return options.map((option, axis) => ({ ...option, run: [box[axis][0][0], box[axis][box[axis].length - 1][1]] }));
  }

  /** The smallest changes that give another answer: of one column, or of two where one is not enough. */
  function showChanges(states, answer) {
    let found = [];
    for (const pairs of [false, true]) {
      const all = tried(states, pairs);
      if (!all) return;
      found = all.filter((one) => String(one.next) !== String(answer));
      if (found.length) break;
    }
    const placeOf = ({ options, next }) => `${next} ${options.map((option) => option.j)}`, free = new Map();
    found.forEach((one) => free.set(placeOf(one), (free.get(placeOf(one)) ?? new Set()).add(runsOf(one.options))));
    const cheapest = [];
    for (const one of found.sort((a, b) => a.cost - b.cost)) {
      if (cheapest.length === MOST_CHANGES) break;
      const left = free.get(placeOf(one));
      if (left.has(runsOf(one.options))) cheapest.push({ ...one, options: widened(one.options, left) });
    }
    at("changes").append(...cheapest.map(proposal));
    if (!cheapest.length) at("changes").append(make("li", "no change of one or two columns"));
  }

  /** For each column the state that moves a value farthest; the farthest first. */
  function showSpans(states, answer) {
    const all = tried(states, false);
    if (!all) return;
    const far = (one) => Math.abs(one.next - answer);
    const farthest = columns.flatMap((_, j) => all.filter((one) => one.options[0].j === j && one.next !== answer).sort((a, b) => far(b) - far(a)).slice(0, 1));
    farthest.sort((a, b) => far(b) - far(a));
    at("changes").append(...farthest.slice(0, MOST_CHANGES).map(proposal));
    if (!farthest.length) at("changes").append(make("li", "no single column"));
  }

  function exampleOf(column, other) {
    if (column.kind === "boolean") return other === 1;
    if (column.kind === "category") return other;
    const { thresholds } = column;
    if (!thresholds.length) return 0; // any number
    if (other < thresholds.length) return thresholds[other];
    const last = thresholds[thresholds.length - 1];
    return last + Math.max(1, Math.abs(last) * 0.01);
  }

  /** Neighbouring states, from the first to the one before the second, in the words of the rules. */
  function intervalOf(column, first, after) {
    if (column.kind === "boolean") return first ? column.name : `not ${column.name}`;
    if (first === 0 && after === nValues(column)) return `${column.name} is not missing`;
    if (column.kind === "category") return `${column.name} = ${word(column.categories[first])}`;
    const { written } = column; // the thresholds, with as many digits as in the rules
    if (first === 0) return `${column.name} <= ${written[after - 1]}`;
    return after > written.length ? `${column.name} > ${written[first - 1]}` : `${written[first - 1]} < ${column.name} <= ${written[after - 1]}`;
  }

  if (images) at("fields").replaceWith(images.form());
  else columns.forEach((column, j) => { if (used[j]) at("fields").append(fieldOf(column, j)); });
  if (!images && used.filter(Boolean).length > MANY_FIELDS) {
    const folded = make("details", null, { class: "screen" }), form = at("fields");
    form.replaceWith(folded);
    folded.append(make("summary", `The ${number(used.filter(Boolean).length)} values of the sample`), form);
  }
  at("change").hidden = Boolean(images);
  at("missing").hidden = Boolean(images) || !columns.some((column, j) => used[j] && column.may_miss);
  columns.forEach((_, j) => show(j));
  if (data.rows.length) {
    at("choose").hidden = false;
    at("row").max = data.rows.length;
    at("row").addEventListener("input", () => {
      const row = Number(at("row").value), there = Number.isInteger(row) && row >= 1 && row <= data.rows.length;
      at("row").setAttribute("aria-invalid", !there);
      if (there) load(row - 1);
      else at("truth").textContent = `rows 1 to ${number(data.rows.length)}${data.rows.length < data.n_rows ? ` of ${number(data.n_rows)}` : ""} are here`;
    });
  }

  return { ask, begin: () => (data.rows.length ? load(0) : ask()) };
};
