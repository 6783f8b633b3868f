// Draws the charts of the page into their places, fitted to the width there is, and again when that changes.
(() => {
  const LEFT = 66, RIGHT = 14, NARROWEST = 250, PER_LETTER = 7.3, SYMBOL = 46;

  // Panels share the width; what does not fit goes into a further row.
  function fitted(spec, width) {
    const panels = spec.concat, gap = spec.spacing.column;
    let columns = Math.min(spec.columns, panels.length);
    const each = () => Math.floor((width - LEFT - RIGHT - gap * (columns - 1)) / columns);
    while (columns > 1 && each() < NARROWEST) columns -= 1;
    const legend = spec.params[0].value.map((entry) => Object.values(entry)[0]);
    const entry = SYMBOL + PER_LETTER * Math.max(...legend.map((text) => text.length));
    const entries = Math.max(1, Math.min(legend.length, Math.floor(width / entry)));
    return {
      ...spec,
      columns,
      concat: panels.map((panel) => ({...panel, width: each()})),
      config: {
        ...spec.config,
        legend: {...spec.config.legend, columns: entries},
        // By default Vega keeps every touch on a chart to itself, and a phone could not scroll past it.
        events: {defaults: {prevent: false}},
      },
    };
  }

  async function draw(place) {
    const spec = JSON.parse(document.getElementById("spec-" + place.dataset.chart).textContent);
    const actions = {export: true, source: false, compiled: false, editor: false};
    const options = {mode: "vega-lite", renderer: "svg", actions, downloadFileName: place.dataset.chart};
    const previous = place.view;
    const result = await vegaEmbed(place, fitted(spec, place.clientWidth), options);
    place.view = result.view;
    place.dataset.width = place.clientWidth;
    if (previous) previous.finalize();
  }

  const places = [...document.querySelectorAll("[data-chart]")];
  async function drawAll() {
    for (const place of places) {
      if (place.dataset.width !== String(place.clientWidth)) await draw(place);
    }
    document.documentElement.dataset.charts = "drawn";
  }

  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 200);
  });
  drawAll();
})();
