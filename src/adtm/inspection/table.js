// The table of rules: sorted, searched, and marked where a rule fires for the sample at hand.
const tableOf = ({ data, images, machine }) => {
  const { rules, measures } = data;
  const FIRST = 25, MORE = 200, PRINTED = 200; // rules to show, and to add
  let firing = new Map(), shown = FIRST, sorted = { key: "rule", down: false };
  const largest = (rule) => Math.max(...rule.weights.map(Math.abs)) * rule.votes;
  const keys = [
    { name: "rule", title: "rule", value: (k) => k },
    { name: "side", title: "votes", value: (k) => rules[k].side },
    { name: "weight", title: "strength", value: (k) => largest(rules[k]) },
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
    row.append(make("td", machine.strength(rule)));
    const words = make("td", null, { class: rule.votes > 1 ? "words tolerant" : "words" });
    if (rule.votes > 1 || !rule.tests.length) words.append(rule.if);
    else rule.tests.forEach((test) => words.append(make("span", test.text)));
    row.append(images ? images.cellOf(rule, words) : words);
    for (const key of keys.slice(4)) row.append(make("td", key.cell ? key.cell(k) : key.value(k), key.minor ? { class: "minor" } : {}));
    return row;
  }

  /** The rules that are searched for, by their numbers, in the order that was asked for. */
  function order() {
    const wanted = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const side = at("side").value;
    const { value } = keys.find((each) => each.name === sorted.key);
    const found = rules.map((_, k) => k).filter((k) => {
      const text = `${rules[k].if} ${rules[k].side}`.toLowerCase();
      return (!side || rules[k].side === side) && wanted.every((each) => text.includes(each));
    });
    return found.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (sorted.down ? -1 : 1) || a - b;
    });
  }

  function draw() {
    const found = order();
    at("body").replaceChildren(...found.slice(0, shown).map(line));
    [...at("head").children].forEach((cell, i) => cell.setAttribute("aria-sort", keys[i].name === sorted.key ? (sorted.down ? "descending" : "ascending") : "none"));
    at("count").textContent = found.length === rules.length ? counted(rules.length, "rule") : `${number(found.length)} of ${counted(rules.length, "rule")}`;
    at("more").hidden = found.length <= shown;
    at("more").textContent = `Show ${number(Math.min(MORE, found.length - shown))} more`;
  }

  /** Mark the rows of rules that fire: a map from the number of a rule to its votes. */
  function mark(fired) {
    firing = fired;
    document.querySelectorAll("#body tr").forEach((row) => row.classList.toggle("fires", firing.has(Number(row.dataset.rule))));
  }

  /** Have a rule in the table, whatever is searched for and however far down it stands. */
  function reveal(k) {
    if (at(`rule-${k + 1}`)) return;
    at("search").value = at("side").value = "";
    shown = Math.max(shown, order().indexOf(k) + 1);
    draw();
  }

  const again = () => { shown = FIRST; draw(); };
  at("side").append(make("option", "for and against", { value: "" }));
  [...new Set(rules.map((rule) => rule.side))].sort().forEach((side) => at("side").append(make("option", side, { value: side })));
  at("search").addEventListener("input", again);
  at("side").addEventListener("input", again);
  at("more").addEventListener("click", () => { shown += MORE; draw(); });
  window.addEventListener("beforeprint", () => { shown = PRINTED; draw(); }); // paper has no button for more
  keys.forEach((key) => at("head").append(heading(key)));

  return { draw, mark, reveal };
};
