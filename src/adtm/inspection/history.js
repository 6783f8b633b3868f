// How the training went: a chart of accuracy, or of the error of a value, by epoch, and its numbers.
/** A step of 1, 2 or 5 times a power of ten, so that up to five make the length. */
function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length / 5 || 1));
  return power * [1, 2, 5, 10].find((times) => times * power * 5 >= length * (1 - 1e-9));
}

function drawHistory(data, { isValue, isLabels }) {
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
  const W = Math.max(300, Math.min(760, place.clientWidth || 760)), H = 280, left = 52, right = 12, top = 12, bottom = 36;
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
    if (points.length === 1) { // no line to see
      const [cx, cy] = points[0].split(",");
      svg.append(draw("circle", { class: name, cx, cy, r: 4 }));
    }
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
