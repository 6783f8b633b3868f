// The machine of the page: it answers samples with the rules alone. A rule casts its votes less the misses of the tests
// that fail; over images, where it slides, image.js says what it casts.
const nValues = (column) =>
  column.kind === "numeric" ? column.thresholds.length + 1 : column.kind === "category" ? column.categories.length + 1 : 2;

/** The state of a value: the interval, the category (a number, which is its state), false or true, or missing. */
function stateOf(column, value) {
  if (value === null) return nValues(column);
  if (column.kind === "boolean") return value ? 1 : 0;
  if (column.kind === "category") return value;
  let low = 0, high = column.thresholds.length; // the first threshold that is not below the value
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.thresholds[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const holds = (test, states) => test.allowed.some(([first, last]) => first <= states[test.column] && states[test.column] <= last);

const machineOf = ({ columns, outputs, rules }, images) => {
  const isValue = outputs.kind === "value", isLabels = outputs.kind === "labels";
  const used = columns.map((_, j) => rules.some((rule) => rule.tests.some((test) => test.column === j)));

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

  /** What votes add: of a value in its own unit. */
  const added = (votes) => (isValue ? signed((votes * (outputs.high - outputs.low)) / outputs.T, short) : signed(votes));

  /** How strongly a rule speaks for what it does, with so many votes; of a value what it adds. */
  const strength = (rule, votes = 1) =>
    rule.weights.filter((weight) => weight).map((weight) => (isValue ? added(votes * weight) : number(Math.abs(votes * weight)))).join(" ");

  /** Whether a rule speaks for an answer. */
  function speaksFor(rule, answer) {
    if (isValue || isLabels) return rule.weights.some((weight) => weight > 0);
    if (outputs.kind === "two") return rule.weights[0] > 0 === (answer === 1);
    const own = answer - rule.bank * outputs.n_outputs;
    return own >= 0 && own < outputs.n_outputs ? rule.weights[own] > 0 : rule.weights.some((weight) => weight < 0);
  }

  return { isValue, isLabels, used, cast, votesOf, answerOf, plain, named, said, added, strength, speaksFor };
};
