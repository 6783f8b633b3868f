// Draws the page from its JSON: puts the parts together and fills in what is only to be read.
(() => {
  const data = JSON.parse(at("contents").textContent);
  const { columns, outputs, rules, measures } = data;
  const values = data.start.slice(); // of the sample, changed by its form
  const images = data.patch ? imagesOf({ data, values, ask: () => sample.ask() }) : null;
  const machine = machineOf(data, images), { isValue, isLabels, used } = machine;
  const table = tableOf({ data, images, machine });
  const sample = sampleOf({ data, values, images, machine, table });

  function fact(value, words) {
    const box = make("div");
    box.append(make("dt", words), make("dd", value));
    return box;
  }

  document.title = `${data.title}: rules`;
  at("title").textContent = data.title;
  at("facts").append(
    fact(number(rules.length), rules.length === 1 ? "rule" : "rules"), fact(data.conditions.toFixed(1), "conditions each"),
    fact(`${used.filter(Boolean).length} of ${columns.length}`, "columns in use"), isValue ? fact(`${short(outputs.low)} to ${short(outputs.high)}`, "values") : fact(outputs.labels.length, isLabels ? "labels" : "classes"),
    fact(number(data.epochs), data.epochs === 1 ? "epoch" : "epochs"), fact(number(data.ledger.total), "random numbers"));
  at("reading").textContent = (outputs.kind === "two"
    ? "Every rule that fires speaks for a class, with its strength; the class with the larger sum is the answer."
    : isLabels ? "Every rule that fires speaks for or against a label, with its strength; the larger sum decides whether the label is there."
    : isValue ? `Each vote of a rule that fires adds the rule's weight to ${short(outputs.low)}; the value stays within ${short(outputs.low)} and ${short(outputs.high)}.`
    : "Every rule that fires speaks for or against a class, with its strength; the class with the largest sum is the answer.")
    + (data.measured.includes("support") ? " Support is the share of the given rows on which a rule fires" : "")
    + (data.measured.includes("precision") ? "; precision, how often it is right there; lift, how much more often than by chance" : "")
    + (data.measured.includes("mean") ? `; mean, that of their values, ${short(data.mean)} over all rows` : "") + (measures ? "." : "");
  if (images) at("reading").append(" Every rule slides over the image and counts at its best place: it wants its blue pixels bright and its brown ones dark.");
  at("importance-words").textContent = `The share of all votes that hangs on each column${measures ? ", on the given rows" : ", were every rule to fire once"}; the votes of a rule are divided among its columns.`;
  data.importance.forEach(([name, value]) => {
    const row = make("tr"), cell = make("td"), track = make("div", null, { class: "track" });
    track.append(make("i", null, { style: `width:${(100 * value) / data.importance[0][1]}%` }));
    cell.append(track);
    row.append(make("th", name, { scope: "row" }), make("td", share(value)), cell);
    at("columns").append(row);
  });
  at("columns").closest(".scroll").classList.toggle("tall", data.importance.length > 40);
  drawHistory(data, machine);
  data.ledger.updates.forEach(([name, offered, skipped]) => at("updates").append(rowOf([name, number(offered), number(skipped)])));
  data.ledger.draws.forEach(([name, drawn]) => at("draws").append(rowOf([name, number(drawn)])));
  Object.entries(data.settings).forEach(([name, value]) => at("parameters").append(fact(value, name)));
  table.draw();
  sample.begin();
  document.documentElement.dataset.ready = "yes";
})();
