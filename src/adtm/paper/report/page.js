// Makes the page live: charts fitted to the width there is, a button for each of their series, tables that sort, and a
// word where something is wider than its place. Without it the page still has every number, in its tables.
(() => {
  const LEFT = 66, RIGHT = 14, NARROWEST = 250;

  // Charts ----------------------------------------------------------------------------------------------------------

  // Panels share the width; what does not fit goes into a further row. The legend is the row of buttons.
  function fitted(spec, width, shown) {
    const panels = spec.concat, gap = spec.spacing.column, [param] = spec.params, [field] = param.select.fields;
    let columns = Math.min(spec.columns, panels.length);
    const each = () => Math.floor((width - LEFT - RIGHT - gap * (columns - 1)) / columns);
    while (columns > 1 && each() < NARROWEST) columns -= 1;
    return {
      ...spec,
      background: null, // the page's
      columns,
      params: [{...param, value: shown.map((series) => ({[field]: series}))}],
      concat: panels.map((panel) => ({...panel, width: each(), layer: panel.layer.map(withoutLegend)})),
      config: {
        ...spec.config,
        // By default Vega keeps every touch on a chart to itself, and a phone could not scroll past it.
        events: {defaults: {prevent: false}},
      },
    };
  }

  function withoutLegend(layer) {
    const encoding = Object.entries(layer.encoding).map(([channel, how]) =>
      [channel, ["color", "shape", "strokeDash"].includes(channel) ? {...how, legend: null} : how]);
    return {...layer, encoding: Object.fromEntries(encoding)};
  }

  function buttons(place, spec) {
    const first = spec.params[0].value.map((entry) => Object.values(entry)[0]);
    const row = document.createElement("div");
    row.className = "series";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "Series of the chart");
    for (const [name, colour] of spec.usermeta.series) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.series = name;
      button.setAttribute("aria-pressed", String(first.includes(name)));
      button.append(swatch(colour), name);
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        draw(place);
      });
      row.append(button);
    }
    place.before(row);
    return row;
  }

  function swatch(colour) {
    const square = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    square.classList.add("swatch");
    square.setAttribute("fill", colour);
    square.setAttribute("stroke", colour);
    square.append(document.createElementNS("http://www.w3.org/2000/svg", "rect"));
    return square;
  }

  const specs = new Map();
  function prepared(place) {
    if (!specs.has(place)) {
      const spec = JSON.parse(document.getElementById("spec-" + place.dataset.chart).textContent);
      specs.set(place, {spec, row: buttons(place, spec)});
    }
    return specs.get(place);
  }

  // A chart is as wide as its section, also while that is folded.
  const room = () => document.querySelector("main > section").clientWidth;

  async function draw(place) {
    const {spec, row} = prepared(place);
    const shown = [...row.querySelectorAll("[aria-pressed=true]")].map((button) => button.dataset.series);
    const actions = {export: true, source: false, compiled: false, editor: false};
    const options = {mode: "vega-lite", renderer: "svg", actions, downloadFileName: place.dataset.chart};
    const previous = place.view;
    const result = await vegaEmbed(place, fitted(spec, room(), shown), options);
    place.view = result.view;
    place.dataset.width = room();
    place.dataset.shown = shown.length;
    place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
    if (previous) previous.finalize();
  }

  const places = [...document.querySelectorAll("[data-chart]")];
  async function drawAll() {
    for (const place of places) {
      if (place.dataset.width !== String(room())) await draw(place);
    }
    document.documentElement.dataset.charts = "drawn";
  }

  // Paper has all series and nothing folded.
  function forPaper() {
    const closed = [...document.querySelectorAll("details:not([open])")], off = [...document.querySelectorAll(".series [aria-pressed=false]")];
    for (const each of closed) each.open = true;
    for (const button of off) button.setAttribute("aria-pressed", "true");
    for (const place of places) select(place);
    addEventListener("afterprint", () => {
      for (const each of closed) each.open = false;
      for (const button of off) button.setAttribute("aria-pressed", "false");
      for (const place of places) select(place);
    }, {once: true});
  }

  // What the buttons say, in a chart that is drawn already: at once, where drawing anew would come too late for print.
  function select(place) {
    const {spec, row} = prepared(place), [field] = spec.params[0].select.fields;
    const chosen = [...row.querySelectorAll("[aria-pressed=true]")].map((button) => ({
      unit: "", fields: [{type: "E", field}], values: [button.dataset.series],
    }));
    place.view?.data(spec.params[0].name + "_store", chosen).run();
  }
  addEventListener("beforeprint", forPaper);

  // Tables ----------------------------------------------------------------------------------------------------------

  const text = (row, at) => row.cells[at]?.textContent.trim() ?? "";
  const number = (value) => {
    const plain = value.replaceAll("\u2212", "-").replaceAll(",", "").replace("\u221e", "Infinity");
    const found = plain.match(/-?(?:Infinity|\d+(?:\.\d+)?)/);
    return found && /^[^a-z]*$/i.test(plain.slice(0, found.index)) ? Number(found[0]) : NaN;
  };

  function compare(a, b) {
    const x = number(a), y = number(b);
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1; // what has no number comes last
    return Number.isNaN(x) ? a.localeCompare(b) : x - y;
  }

  function sortable(table) {
    const body = table.tBodies[0], original = [...body.rows];
    if (original.length < 3) return;
    for (const head of table.querySelectorAll("th[data-at]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const turn = {none: "ascending", ascending: "descending", descending: "none"}[head.ariaSort ?? "none"];
        for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
        if (turn !== "none") head.setAttribute("aria-sort", turn);
        const at = Number(head.dataset.at), sign = turn === "descending" ? -1 : 1;
        const rows = [...original];
        if (turn !== "none") rows.sort((a, b) => sign * compare(text(a, at), text(b, at)));
        body.append(...rows);
      });
    }
  }

  // What is wider than its place says so.
  function markOverflow() {
    for (const box of document.querySelectorAll(".scroll")) {
      const hidden = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle("more", hidden);
      if (hidden) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    }
  }

  // Sections ---------------------------------------------------------------------------------------------------------

  // A narrow screen has the summary, and a line for each other section to open; a link opens the section it leads to.
  const folds = [...document.querySelectorAll("main > section > details")];
  function unfold() {
    const aim = location.hash && document.getElementById(location.hash.slice(1));
    const fold = aim && folds.find((each) => each.parentElement.contains(aim));
    if (!fold || fold.open) return;
    fold.open = true;
    aim.scrollIntoView();
  }
  if (matchMedia("screen and (max-width: 640px)").matches) for (const each of folds.slice(1)) each.open = false;
  for (const each of folds) each.addEventListener("toggle", markOverflow);
  addEventListener("hashchange", unfold);
  // Asking for the place where one is already changes no address.
  document.querySelector("nav").addEventListener("click", () => setTimeout(unfold));
  unfold();

  for (const table of document.querySelectorAll("main table")) sortable(table);
  markOverflow();
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { markOverflow(); drawAll(); }, 200);
  });
  drawAll();
})();
