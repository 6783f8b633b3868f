// Images: the sample of a machine with patches is a picture to draw on or numbers to paste, its rules slide over it, and
// rules are shown as pictures of a patch. Places, states and votes are those of adtm.rules; whoever changes the image
// is answered by `ask`.
const imagesOf = ({ data, values, ask }) => {
  const { columns, outputs, rules } = data;
  const { size, stride, rows: nRows, columns: nColumns, offsets } = data.patch; // offsets: of a patch's pixels, from its corner
  const [height, width, depth] = data.patch.image;
  const nPixels = offsets.length, length = height * width * depth; // of a patch, of an image
  const NONE = [226, 230, 234], HIGH = [11, 90, 138], LOW = [166, 60, 0];
  let problem = "";

  // ---- the machine ------------------------------------------------------------------------------------------------

  /** The tests of a rule as tables over states: about pixels, and about the row and the column of the patch. */
  function tablesOf(rule) {
    return rule.tests.map((test) => {
      const taken = new Int32Array(nValues(columns[test.column]) + 1).fill(test.misses);
      test.allowed.forEach(([first, last]) => taken.fill(0, first, last + 1));
      const isPixel = test.column < nPixels;
      return { taken, isPixel, offset: isPixel ? offsets[test.column] : test.column - nPixels };
    });
  }

  const tables = new Map(rules.map((rule) => [rule, tablesOf(rule)]));

  function castAt(rule, states, row, column) {
    const corner = (row * stride[0] * width + column * stride[1]) * depth;
    let votes = rule.votes;
    for (const { taken, isPixel, offset } of tables.get(rule)) {
      votes -= taken[isPixel ? states[corner + offset] : offset === 0 ? row : column];
      if (votes <= 0) return 0;
    }
    return votes;
  }

  /** What a rule casts at its best place, and all places where it casts that; none where it is silent. */
  function best(rule, states) {
    let most = 0, places = [];
    for (let row = 0; row < nRows; row++) {
      for (let column = 0; column < nColumns; column++) {
        const votes = castAt(rule, states, row, column);
        if (votes > most) { most = votes; places = []; }
        if (votes > 0 && votes === most) places.push([row, column]);
      }
    }
    return { votes: most, places };
  }

  let asked = null, known = new Map(); // the answers to one image: they are asked for more than once

  function bestOf(rule, states) {
    if (states !== asked) { asked = states; known = new Map(); }
    if (!known.has(rule)) known.set(rule, best(rule, states));
    return known.get(rule);
  }

  const cast = (rule, states) => bestOf(rule, states).votes;
  const states = () => Uint16Array.from(values, (value, i) => stateOf(columns[i % depth], value));

  // ---- pictures ---------------------------------------------------------------------------------------------------

  /** For each pixel of a patch what a rule wants: 1 bright, -1 dark, in shares of the channels. */
  function preferred(rule) {
    const low = new Array(nPixels).fill(0), high = new Array(nPixels).fill(0), wanted = new Array(size[0] * size[1]).fill(0);
    rule.tests.filter((test) => test.column < nPixels && columns[test.column].kind !== "category").forEach((test) => {
      const top = nValues(columns[test.column]) - 1;
      const takes = (state) => (test.allowed.some(([first, last]) => first <= state && state <= last) ? 0 : test.misses);
      low[test.column] += takes(0);
      high[test.column] += takes(top);
    });
    low.forEach((taken, column) => { wanted[Math.floor(column / depth)] += Math.sign(taken - high[column]); });
    return wanted;
  }

  const between = (from, to, part) => from.map((value, k) => Math.round(value + (to[k] - value) * part));
  const coloured = (value) => (value >= 0 ? between(NONE, HIGH, value) : between(NONE, LOW, -value));

  function paint(canvas, colours) {
    const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
    colours.forEach((colour, i) => image.data.set([...colour, 255], 4 * i));
    context.putImageData(image, 0, 0);
  }

  const canvasOf = (rows, across, label, attributes = {}) => make("canvas", null, { height: rows, width: across, role: "img", "aria-label": label, ...attributes });

  /** The words of the tests about the place of a patch. */
  const placeWords = (rule) => rule.tests.filter((test) => test.column >= nPixels).map((test) => test.text).join(", ");

  /** A rule as a picture of its patch, with its place in words. */
  function picture(rule) {
    const wanted = preferred(rule), count = (sign) => wanted.filter((each) => Math.sign(each) === sign).length;
    const canvas = canvasOf(size[0], size[1], `patch: ${count(1)} pixels bright, ${count(-1)} dark`, { class: "patch" });
    paint(canvas, wanted.map((each) => coloured(each / depth)));
    const box = make("span", null, { class: "rule-picture" });
    box.append(canvas, make("small", placeWords(rule)));
    return box;
  }

  /** The cell of a rule in a table: its picture, and behind it what stands in the cell of words. */
  function cellOf(rule, words) {
    const own = make("td", null, { class: "pictured" }), details = make("details");
    const text = make("div", null, { class: words.className });
    text.append(...words.childNodes);
    details.append(make("summary", `${rule.tests.length} conditions`), text);
    own.append(picture(rule), details);
    return own;
  }

  /** Where a rule fires on the image that was asked about. */
  function placesText(rule) {
    const { places } = known.get(rule), [row, column] = places[0];
    return ` fires in row ${row}, column ${column}` + (places.length > 1 ? ` and ${places.length - 1} more` : "");
  }

  /** What one vote of a rule counts for an answer: a class, or of several labels 0 or 1 each; of a value, for more. */
  function speaks(rule, answer) {
    const own = rule.weights, first = rule.bank * outputs.n_outputs;
    if (outputs.kind === "two") return answer ? own[0] : -own[0];
    if (outputs.kind === "labels") return own.reduce((sum, weight, k) => sum + (answer[first + k] ? weight : -weight), 0);
    return outputs.kind === "value" ? own[0] : own[answer - first] ?? 0;
  }

  /** The votes for an answer that hang on each pixel, every rule in equal parts where it fires best. */
  function heat(answer) {
    const drawn = new Float64Array(height * width);
    for (const rule of rules) {
      const { votes, places } = known.get(rule);
      const weight = speaks(rule, answer);
      if (!votes || !weight || !rule.tests.length) continue; // one that always fires hangs on no pixel
      const part = (votes * weight) / new Set(rule.tests.map((test) => test.column)).size / places.length;
      const wanted = preferred(rule);
      for (const [row, column] of places) {
        wanted.forEach((each, i) => {
          drawn[(row * stride[0] + Math.floor(i / size[1])) * width + column * stride[1] + (i % size[1])] += part * each;
        });
      }
    }
    return drawn;
  }

  // ---- the sample -------------------------------------------------------------------------------------------------

  const ranges = columns.slice(0, depth).map((column, channel) => {
    if (column.kind === "boolean") return [0, 1];
    const seen = data.rows.flatMap((row) => row.filter((value, i) => i % depth === channel && value !== null));
    const cuts = column.thresholds.length ? column.thresholds : [0], last = cuts[cuts.length - 1];
    const ends = seen.length ? seen : [cuts[0] < 0 ? 1.25 * cuts[0] : 0, last > 1 && last < 255 ? 255 : last > 0 ? 1.25 * last : last + 1];
    return [ends.reduce((a, b) => Math.min(a, b)), ends.reduce((a, b) => Math.max(a, b, cuts[0] + 1e-9))];
  });
  const imageCanvas = canvasOf(height, width, "the image", { id: "image", class: "image" });
  const heatCanvas = canvasOf(height, width, "what speaks for the answer", { id: "heat", class: "image" });
  const numbers = make("textarea", null, { id: "numbers", rows: Math.min(height, 12), spellcheck: "false", wrap: "off" });
  const brush = make("input", null, { id: "brush", type: "number", step: "any" });
  const channel = make("select", null, { id: "channel" });
  const plane = () => Number(channel.value);

  /** One number for each value; a word for a missing one. */
  function write() {
    const line = (row) => values.slice(row * width * depth, (row + 1) * width * depth).map((value) => (value === null ? "missing" : Number(value))).join(" ");
    numbers.value = [...Array(height).keys()].map(line).join("\n");
    problem = "";
    numbers.setAttribute("aria-invalid", false);
  }

  function read() {
    const words = numbers.value.split(/[\s,;]+/).filter(Boolean);
    const mayMiss = columns[0].may_miss;
    const wrong = words.find((word) => !(Number.isFinite(Number(word)) || (mayMiss && /^(missing|nan)$/i.test(word))));
    problem = words.length !== length ? `The image needs ${length} numbers, there are ${words.length}.` : wrong !== undefined ? `The image needs numbers, got ${wrong.slice(0, 20)}.` : "";
    numbers.setAttribute("aria-invalid", problem !== "");
    if (!problem) words.forEach((word, i) => { values[i] = Number.isFinite(Number(word)) ? Number(word) : null; });
    ask();
  }

  function drawAt(event) {
    const box = imageCanvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * width), row = Math.floor(((event.clientY - box.top) / box.height) * height);
    if (row < 0 || column < 0 || row >= height || column >= width || brush.validity.badInput || brush.value === "") return;
    values[(row * width + column) * depth + plane()] = Number(brush.value);
    write();
    ask();
  }

  function form() {
    const box = make("div", null, { class: "drawing" });
    const labelled = (label, field) => { const own = make("div"); own.append(make("label", label, { for: field.id }), field); return own; };
    const tools = make("div", null, { class: "tools" }), pictures = make("div", null, { class: "pictures" });
    columns.slice(0, depth).forEach((_, k) => channel.append(make("option", `channel ${k}`, { value: k })));
    const setBrush = () => { brush.value = String(ranges[plane()][1]); };
    setBrush();
    channel.addEventListener("input", () => { setBrush(); show(); });
    const clear = make("button", "Clear", { type: "button", id: "clear" });
    clear.addEventListener("click", () => { for (let i = 0; i < length; i++) values[i] = ranges[i % depth][0]; write(); ask(); });
    tools.append(labelled("Brush", brush), clear);
    if (depth > 1) tools.prepend(labelled("Channel", channel));
    imageCanvas.addEventListener("pointerdown", (event) => { imageCanvas.setPointerCapture(event.pointerId); drawAt(event); });
    imageCanvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) drawAt(event); });
    numbers.addEventListener("input", read);
    const figure = (canvas, words) => { const own = make("figure"); own.append(canvas, make("figcaption", words)); return own; };
    pictures.append(figure(imageCanvas, "Draw here"), figure(heatCanvas, "What speaks for the answer: blue where it should be bright, brown where dark"));
    box.append(pictures, tools, labelled(`Numbers: ${height} rows of ${width} pixels${depth > 1 ? ` with ${depth} channels` : ""}`, numbers));
    write();
    return box;
  }

  /** Draw the image, and what speaks for the answer. */
  function show(answer) {
    const [low, high] = ranges[plane()];
    const grey = (value) => (value === null ? LOW : Array(3).fill(Math.round((255 * Math.min(Math.max(value - low, 0), high - low)) / (high - low || 1))));
    paint(imageCanvas, [...Array(height * width).keys()].map((i) => grey(values[i * depth + plane()])));
    if (document.activeElement !== numbers) write();
    if (answer === undefined) return;
    const drawn = heat(answer), most = drawn.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);
    paint(heatCanvas, Array.from(drawn, (value) => coloured(value / most)));
    heatCanvas.dataset.votes = JSON.stringify(Array.from(drawn));
  }

  return { states, cast, problem: () => problem, form, write, show, picture, cellOf, placesText };
};
