// Part of second_checker.mjs: the laws of the views of randomizers, and the kinds `shuffle_dp`, `never_dp`,
// `additive_view`, `zero_estimate` and the half of `accuracy` that speaks of a randomizer.
// The law of a view is a Map from a packed vector of message counts to an integer weight over a common denominator.

import * as r from "./reading.mjs";
import {
  commonDenominator, demandSum, readHistogram, readRandomizer, readUsers, spendScaling, total,
} from "./randomizers.mjs";
import { closedDivergence, hasTable, plainFamily, readUsersOf } from "./families.mjs";
import { OF_TESTS, withCells } from "./densities.mjs";
import { readClasses, readUser } from "./user_pairs.mjs";
import { demandBlanket, readBlanket } from "./blanket.mjs";
import { readSwap } from "./swap.mjs";
import { demandEveryDataSet, demandTwoMessages, readEventOfTwo } from "./two_messages.mjs";
import { demandTest, outcomesOfTest, readEvent, readLikelihood } from "./likelihood.mjs";

const { LIMITS, ZERO, ONE } = r;

// ---- laws of sums ----

const STEP_PRICE = 4;  // short products that a look into a Map takes as long as

/** The law of the sum of an outcome of `law` and an independent one of `row`, a list of [key, weight]. */
export function convolve(law, row, bits) {
  if (law.size * row.length > LIMITS.convolution) r.overLimit("steps of a convolution");
  const widest = row.reduce((most, [, weight]) => Math.max(most, r.bitLength(weight)), 1);
  r.spend(STEP_PRICE * row.length);
  r.spend(law.size * row.length, bits, widest);
  r.spend(STEP_PRICE * law.size * row.length);
  const sum = new Map();
  for (const [key, weight] of law) {
    r.hold(sum.size, bits);
    for (const [step, factor] of row) sum.set(key + step, (sum.get(key + step) ?? 0n) + weight * factor);
  }
  if (sum.size * bits > LIMITS.lawBits) r.overLimit("weights of a law");
  return sum;
}

/** Pack count vectors of up to n users: numbers where they are small, else long integers. */
function packer(randomizer, users) {
  const longest = randomizer.rows.flat().reduce((most, { counts }) => Math.max(most, total(counts)), 0);
  const base = BigInt(users) * BigInt(longest) + 1n;
  const small = base ** BigInt(randomizer.messages) < 2n ** 52n;
  const outcomes = randomizer.rows.reduce((sum, row) => sum + row.length, 0);
  r.hold(4 * outcomes, small ? 64 : r.bitLength(base) * randomizer.messages);
  r.spend(4 * outcomes * randomizer.messages, small ? 64 : r.bitLength(base) * randomizer.messages);
  return (counts) => {
    const packed = counts.reduceRight((sum, count) => sum * base + BigInt(count), 0n);
    return small ? Number(packed) : packed;
  };
}

/** A bound of the bits of the common denominator of the law of so many users. */
function denominatorBits({ denominator }, users) {
  const bits = denominator === 1n ? 1 : r.bitLength(denominator) * users;
  if (bits > LIMITS.lawDenominatorBits) r.overLimit("common denominator of a law");
  return bits;
}

export function powerOf(denominator, users) {
  const bits = r.bitLength(denominator) * users;
  if (denominator > 1n) r.spend(4, bits, bits);
  return denominator ** BigInt(users);
}

/** What a sweep over all data sets needs; rows that are equal count once, bystanders also up to a move. */
export function makeViews(randomizer, users, bits = denominatorBits(randomizer, users)) {
  const pack = packer(randomizer, users);
  const packed = (row) => row.map(({ counts, weight }) => [pack(counts), weight]);
  const distinct = (rows) => [...new Map(rows.map((row) => [spelled(row), packed(row)])).values()];
  return {
    users, pack, denominator: randomizer.denominator, rows: randomizer.rows.map(packed),
    total: powerOf(randomizer.denominator, users), nobody: [[pack(Array(randomizer.messages).fill(0)), randomizer.denominator]],
    differing: distinct(randomizer.rows), bystanders: distinct(randomizer.rows.map(moved)),
    bits,
  };
}

function spelled(row) { return row.map(({ counts, weight }) => counts.join() + ":" + weight.toString(16)).sort().join(" "); }

function moved(row) {
  const least = row[0].counts.map((_, m) => row.reduce((low, { counts }) => Math.min(low, counts[m]), Infinity));
  return row.map(({ counts, weight }) => ({ counts: counts.map((c, m) => c - least[m]), weight }));
}

function emptyLaw(views) { return new Map([[views.nobody[0][0], 1n]]); }

/** Visit the law of every multiset of `left` users of these rows, convolving one user after the other. */
function visitMultisets(views, law, rows, left, visit, counts = []) {
  for (let k = 0; k <= left; k += 1) {
    r.spend(STEP_PRICE);
    if (rows.length > 1) visitMultisets(views, law, rows.slice(1), left - k, visit, [...counts, k]);
    else if (k === left) visit(law, [...counts, k]);
    if (k < left) law = convolve(law, rows[0], views.bits);
  }
}

/** Refuse at once a sweep that is bound to be too long: each multiset's law has at least so many outcomes. */
function guardSweep(rows, users, bits) {
  const keys = rows.map((row) => new Set(row.map(([key]) => key)));
  const shared = rows[0].filter(([key]) => keys.every((row) => row.has(key))).length;
  const least = users * Math.max(0, shared - 1) + 1;
  let multisets = 1;
  for (let i = 1; i < rows.length; i += 1) multisets = multisets * (users + i) / i;
  if (multisets * least * r.limbs(bits) > LIMITS.work) r.overLimit("work of a sweep");
}

/** Call visit(P, Q) for the views of every two neighbouring data sets, in both orders. */
export function visitNeighbours(views, neighbors, visit) {
  const { differing, nobody, bystanders, users } = views;
  guardSweep(bystanders, users - 1, views.bits);
  visitMultisets(views, emptyLaw(views), bystanders, users - 1, (law) => {
    const ends = differing.map((row) => convolve(law, row, views.bits));
    if (neighbors === "add-or-remove-one") {
      const without = convolve(law, nobody, views.bits);
      for (const end of ends) { visit(end, without); visit(without, end); }
    } else {
      for (const first of ends) for (const second of ends) if (first !== second) visit(first, second);
    }
  });
}

function payComparison(views, P, Q) {
  r.spend(STEP_PRICE * (P.size + Q.size));
  r.spend(P.size + Q.size, views.bits);
}

/** The hockey-stick divergence at E as a rational. */
function divergence(views, P, Q, E) {
  payComparison(views, P, Q);
  r.spend(2 * P.size + 4, views.bits, r.bitLength(E.n));
  let sum = 0n;
  for (const [key, p] of P) {
    const gain = E.d * p - E.n * (Q.get(key) ?? 0n);
    if (gain > 0n) sum += gain;
  }
  return { n: sum, d: E.d * views.total };
}

// ---- pairs of data sets ----

export const NEIGHBORS = ["replace-one", "add-or-remove-one"];

export function readPair(witness, randomizer) {
  const inputs = randomizer.rows.length;
  const [first, second] = ["first", "second"].map((name) => readHistogram(witness[name], inputs, name));
  return { first, second };
}

/** The views of a pair, after a check that it is one of neighbours. */
export function viewsOfPair(views, { first, second }, neighbors) {
  const sizes = [total(first), total(second)].sort((a, b) => b - a);
  const shared = first.map((count, i) => Math.min(count, second[i]));
  const replace = neighbors === "replace-one";
  r.demand(sizes[0] === views.users && sizes[1] === views.users - (replace ? 0 : 1), "data sets of another size");
  r.demand(total(shared) === views.users - 1, "the data sets are not neighbours");
  let law = emptyLaw(views);
  shared.forEach((count, i) => {
    for (let k = 0; k < count; k += 1) law = convolve(law, views.rows[i], views.bits);
  });
  const end = (counts) => {
    const extra = counts.findIndex((count, i) => count > shared[i]);
    return convolve(law, extra < 0 ? views.nobody : views.rows[extra], views.bits);
  };
  return [end(first), end(second)];
}

// ---- shuffle_dp ----

function readShuffle(value, schema) {
  const keys = ["kind", "neighbors", r.levelKey(value), "delta", "least"];
  if (value.has("classes")) return readShuffleOfClasses(value, keys, schema);
  const claim = r.fields(value, [...keys, "randomizer", "n", "scope"], "shuffle_dp");
  const level = r.readLevel(claim);
  const scope = r.choice(claim.scope, ["this n", "all n from n"], "scope");
  const neighbors = r.choice(claim.neighbors, NEIGHBORS, "neighbors");
  const least = r.choice(claim.least, ["none", "delta", "exp_eps"], "least");
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  if (least !== "none" && level.eps) r.malformed("least with eps");
  if (least === "delta" && scope !== "this n") r.malformed("least delta for all n");
  if (least === "exp_eps" && scope !== "this n" && (neighbors !== "replace-one" || delta.n !== 0n)) {
    r.malformed("least exp_eps for all n, but not for replace-one with delta 0");
  }
  const randomizer = readUser(claim.randomizer, schema);
  const n = readUsersOf(randomizer, claim.n);
  if (randomizer.family && (neighbors !== "replace-one" || least !== "none")) r.malformed("another claim of a family");
  return { schema, randomizer, n, level, scope, neighbors, least, delta };
}

function readShuffleOfClasses(value, keys, schema) {
  r.needSchema(schema, 4, "classes of users");
  const claim = r.fields(value, [...keys, "classes", "user_class"], "shuffle_dp");
  const neighbors = r.choice(claim.neighbors, ["replace-one"], "neighbors");
  const least = r.choice(claim.least, ["none"], "least");
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  return { schema, ...readClasses(claim, schema), level: r.readLevel(claim), neighbors, least, delta };
}

function sweep(claim, E, delta) {
  const views = makeViews(claim.randomizer, claim.n);
  visitNeighbours(views, claim.neighbors, (P, Q) => {
    r.demand(r.compare(divergence(views, P, Q, E), delta) <= 0, "a pair of neighbours has a divergence above delta");
  });
}

/** The first of these forms that a witness has, by their names: they are for replace-one, and for nothing least. */
function formOf({ schema, neighbors, least }, value, forms) {
  const form = Object.keys(forms).find((name) => r.isObject(value) && value.has(name));
  if (!form) return null;
  r.needSchema(schema, forms[form].since, "a witness");
  if (neighbors !== "replace-one" || (least ?? "none") !== "none") r.malformed("a witness for another claim");
  return form;
}

function needTable({ classes, randomizer }) {
  if (classes || !hasTable(randomizer)) r.malformed("a witness for a table, of a family that has none");
}

// ---- what proves at any number of users: read(claim, value) gives a function of e^eps and delta ----

const BOUNDS = {
  blanket: { since: 3, read: readBlanketBound },
  swap: { since: 4, read: readSwap },
  two_messages: { since: 4, read: readTwoMessages },
  closed_bracket: { since: 4, read: readClosedBracket },
};

function readClosedBracket({ classes, randomizer, n }, value) {
  r.fields(value, [], "closed_bracket");
  if (classes || plainFamily(randomizer) === null) r.malformed("a closed bracket of what is no family");
  return (E, delta) => r.demand(r.compare(closedDivergence(randomizer, n, E), delta) <= 0, "the divergence is above delta");
}

function readAboveDelta({ classes, randomizer, n, delta }, value) {
  r.fields(value, [], "closed_bracket");
  if (classes || plainFamily(randomizer) === null) r.malformed("a closed bracket of what is no family");
  return (E) => r.demand(r.compare(closedDivergence(randomizer, n, E), delta) > 0, "the divergence is not above delta");
}

function readBlanketBound({ classes, randomizer: stated, n }, said) {
  if (classes || stated.family === "any") r.malformed("a blanket of what has none");
  const [randomizer, value] = withCells(stated, said, OF_TESTS);
  const blanket = readBlanket(value);
  return (E, delta) => demandBlanket(randomizer, n, E, delta, blanket);
}

function readTwoMessages(claim, value) {
  needTable(claim);
  r.fields(value, [], "two_messages");
  demandTwoMessages(claim);
  return (E, delta) => demandEveryDataSet(claim, E, delta);
}

function proveShuffle(claim, value) {
  const { level, least, delta } = claim;
  const form = formOf(claim, value, BOUNDS);
  if (form) {
    const { witness, terms } = r.readMaybeTerms(level, value, [form]);
    const bound = BOUNDS[form].read(claim, witness[form]);
    return () => bound(r.taylorBound(level, terms, false), delta);
  }
  needTable(claim);
  if (least === "none") {
    const terms = r.readMaybeTerms(level, value, []).terms;
    return () => sweep(claim, r.taylorBound(level, terms, false), delta);
  }
  const nothingSmaller = least === "delta" ? delta.n === 0n : r.compare(level.exact, ONE) === 0;
  if (nothingSmaller) r.fields(value, [], "witness");
  const check = nothingSmaller ? () => {} : proveLeast(claim, value);
  return () => {
    check();
    sweep(claim, level.exact, delta);
  };
}

function proveLeast(claim, value) {
  if (claim.scope !== "this n") return proveVertex(claim, value);
  const pair = readPair(r.fields(value, ["first", "second"], "witness"), claim.randomizer);
  return () => {
    const views = makeViews(claim.randomizer, claim.n);
    const [P, Q] = viewsOfPair(views, pair, claim.neighbors);
    const E = claim.level.exact;
    r.demand(r.compare(divergence(views, P, Q, E), claim.delta) === 0, "delta is not attained");
    if (claim.least === "delta") return;
    const event = [...Q].some(([key, q]) => q > 0n && E.d * (P.get(key) ?? 0n) >= E.n * q);
    r.demand(event, "Q gives the event no probability");
  };
}

function proveVertex({ randomizer, level }, value) {
  const witness = r.fields(value, ["differing", "bystander", "outcome", "functional"], "witness");
  const row = (text) => randomizer.rows[r.between(text, 0, randomizer.rows.length - 1, "an input")];
  const [x, y] = r.list(witness.differing, "differing", 2).map(row);
  const z = row(witness.bystander);
  const count = (text) => r.between(text, 0, LIMITS.tuple, "a count");
  const outcome = r.list(witness.outcome, "outcome", randomizer.messages).map(count).join();
  const functional = r.list(witness.functional, "functional", randomizer.messages).map(r.integer);
  return () => {
    const weight = (table) => table.find(({ counts }) => counts.join() === outcome)?.weight ?? 0n;
    const E = level.exact;
    r.demand(weight(x) * E.d === E.n * weight(y) && weight(y) > 0n, "the ratio at the outcome is not exp_eps");
    r.demand(weight(z) > 0n, "the bystander never gives the outcome");
    const height = (counts) => counts.reduce((sum, c, m) => sum + functional[m] * BigInt(c), 0n);
    const top = height(outcome === "" ? [] : outcome.split(",").map(Number));
    const lower = ({ counts }) => counts.join() === outcome || height(counts) < top;
    r.demand([x, y, z].every((table) => table.every(lower)), "the outcome is not the only maximum");
  };
}

function refuteShuffle(claim, value) {
  if (claim.least !== "none" && r.isObject(value) && value.has("smaller")) return refuteLeast(claim, value);
  const form = formOf(claim, value, REFUTATIONS);
  if (form) return refuteByForm(claim, value, form);
  needTable(claim);
  const { witness, terms } = r.readMaybeTerms(claim.level, value, ["first", "second"]);
  const pair = readPair(witness, claim.randomizer);
  return () => {
    const views = makeViews(claim.randomizer, claim.n);
    const [P, Q] = viewsOfPair(views, pair, claim.neighbors);
    const E = r.taylorBound(claim.level, terms, true);
    r.demand(r.compare(divergence(views, P, Q, E), claim.delta) > 0, "the divergence is not above delta");
  };
}

/** What refutes at any number of users: read(claim, value) gives a function of e^eps. */
const TESTS = { likelihood: { since: 3, read: readLikelihood }, event: { since: 3, read: readEvent } };
const REFUTATIONS = { ...TESTS, two_messages: { since: 4 }, closed_bracket: { since: 4 } };
const READ_REFUTATION = { two_messages: readEventOfTwoMessages, closed_bracket: readAboveDelta };

function refuteByForm(claim, value, form) {
  const { witness, terms } = r.readMaybeTerms(claim.level, value, [form]);
  const demand = (READ_REFUTATION[form] ?? readTest)(claim, witness[form], form);
  return () => demand(r.taylorBound(claim.level, terms, true));
}

function readTest(claim, value, form) {
  if (claim.classes && form !== "event") r.malformed("a witness for one randomizer, of classes of users");
  const test = TESTS[form].read(claim, value, ["threshold"]);
  return (E) => demandTest(test, E, claim.delta);
}

function readEventOfTwoMessages(claim, value) {
  needTable(claim);
  return readEventOfTwo(demandTwoMessages(claim), value);
}

function refuteLeast(claim, value) {
  const smaller = readSmaller(claim, value);
  return () => sweep(claim, ...smaller());
}

/** The smaller level as a thunk that checks that it is one: [E, delta]. */
export function readSmaller({ level, delta, least }, value) {
  const smaller = r.rational(r.fields(value, ["smaller"], "witness").smaller);
  const [floor, old] = least === "delta" ? [ZERO, delta] : [ONE, level.exact];
  if (r.compare(smaller, floor) < 0) r.malformed("a smaller level that is none");
  return () => {
    r.demand(r.compare(smaller, old) < 0, "not a smaller level");
    return least === "delta" ? [level.exact, smaller] : [smaller, delta];
  };
}

// ---- never_dp ----

function readNever(value) {
  const claim = r.fields(value, ["kind", "randomizer", "n", "neighbors", "delta_below"], "never_dp");
  const deltaBelow = r.rationalBetween(claim.delta_below, ZERO, ONE, "delta_below");
  if (deltaBelow.n === 0n) r.malformed("delta_below is 0");
  const neighbors = r.choice(claim.neighbors, NEIGHBORS, "neighbors");
  return { randomizer: readRandomizer(claim.randomizer), n: readUsers(claim.n), neighbors, deltaBelow };
}

/** P(Q = 0). */
function unseen(views, P, Q) {
  payComparison(views, P, Q);
  let sum = 0n;
  for (const [key, p] of P) if (!Q.has(key)) sum += p;
  return { n: sum, d: views.total };
}

function proveNever(claim, value) {
  const pair = readPair(r.fields(value, ["first", "second"], "witness"), claim.randomizer);
  return () => {
    const views = makeViews(claim.randomizer, claim.n);
    const [P, Q] = viewsOfPair(views, pair, claim.neighbors);
    r.demand(r.compare(unseen(views, P, Q), claim.deltaBelow) >= 0, "Q shows too much");
  };
}

function refuteNever(claim, value) {
  r.fields(value, [], "witness");
  return () => {
    const views = makeViews(claim.randomizer, claim.n);
    visitNeighbours(views, claim.neighbors, (P, Q) => {
      r.demand(r.compare(unseen(views, P, Q), claim.deltaBelow) < 0, "a pair of neighbours loses delta_below");
    });
  };
}

// ---- additive_view ----

/** A law written as [["k", "prob"], ...]: {denominator, weights: Map from k}. */
export function readTable(value) {
  const entries = r.list(value, "a table").map((entry) => {
    const [k, probability] = r.list(entry, "an entry of a table", 2);
    return { k: r.integer(k), probability: r.rational(probability) };
  });
  entries.forEach(({ k }, i) => { if (i > 0 && entries[i - 1].k >= k) r.malformed("a table does not ascend"); });
  const probabilities = entries.map(({ probability }) => probability);
  demandSum(probabilities, "a table");
  const denominator = commonDenominator(probabilities);
  return { denominator, weights: new Map(entries.map(({ k, probability: { n, d } }) => [k, n * (denominator / d)])) };
}

function readAdditive(value) {
  const claim = r.fields(value, ["kind", "randomizer", "base", "shifts"], "additive_view");
  const randomizer = readRandomizer(claim.randomizer);
  if (randomizer.messages !== 1) r.malformed("additive_view with another number of messages than one");
  const shifts = r.list(claim.shifts, "shifts", randomizer.rows.length).map(r.integer);
  if (shifts.some((shift) => shift < 0n)) r.malformed("a shift is negative");
  return { randomizer, base: readTable(claim.base), shifts };
}

function isShiftOfBase({ randomizer, base, shifts }, input) {
  const row = randomizer.rows[input];
  const agrees = ({ counts: [count], weight }) => {
    const expected = base.weights.get(BigInt(count) - shifts[input]);
    return expected !== undefined && weight * base.denominator === expected * randomizer.denominator;
  };
  return row.length === base.weights.size && row.every(agrees);
}

function proveAdditive(claim, value) {
  r.fields(value, [], "witness");
  return () => claim.shifts.forEach((_, x) => r.demand(isShiftOfBase(claim, x), "a row is not the base moved"));
}

function refuteAdditive(claim, value) {
  const input = r.between(r.fields(value, ["input"], "witness").input, 0, claim.shifts.length - 1, "input");
  return () => r.demand(!isShiftOfBase(claim, input), "the row is the base moved");
}

// ---- zero_estimate ----

function readZero(value) {
  const claim = r.fields(value, ["kind", "randomizer", "weights", "zero_unless_above", "input"], "zero_estimate");
  const randomizer = readRandomizer(claim.randomizer);
  const weights = r.list(claim.weights, "weights", randomizer.messages).map(r.rational);
  const row = randomizer.rows[r.between(claim.input, 0, randomizer.rows.length - 1, "input")];
  return { randomizer, row, threshold: r.rational(claim.zero_unless_above), ...integerWeights(weights) };
}

/** Whether an estimate exceeds the threshold; the weights stand over their common denominator. */
function exceeds({ unit, integers, threshold }, counts) {
  const bits = r.bitLength(unit) + 64;
  r.spend(2 * counts.length, bits);
  r.spend(4, bits, Math.max(r.bitLength(threshold.n), r.bitLength(threshold.d)));
  const sum = counts.reduce((s, c, m) => (c ? s + BigInt(c) * integers[m] : s), 0n);
  return r.compare({ n: sum, d: unit }, threshold) > 0;
}

function proveZero(claim, value) {
  r.fields(value, [], "witness");
  return () => r.demand(!claim.row.some(({ counts }) => exceeds(claim, counts)), "an outcome exceeds the threshold");
}

function refuteZero(claim, value) {
  const { outcome } = r.fields(value, ["outcome"], "witness");
  const count = (text) => r.between(text, 0, LIMITS.tuple, "a count");
  const counts = r.list(outcome, "outcome", claim.randomizer.messages).map(count);
  return () => {
    r.demand(claim.row.some((entry) => entry.counts.join() === counts.join()), "the outcome is impossible");
    r.demand(exceeds(claim, counts), "the outcome does not exceed the threshold");
  };
}

// ---- accuracy of a randomizer ----

export function readThreshold(text) { return text === "none" ? null : r.rational(text); }

export function readAccuracyLevels(claim) {
  const alpha = r.rational(claim.alpha);
  if (alpha.n < 0n) r.malformed("alpha is negative");
  return { alpha, beta: r.rationalBetween(claim.beta, ZERO, ONE, "beta") };
}

export function readProtocolAccuracy(value) {
  const analyzer = ["weights", "offset", "zero_unless_above"];
  const keys = ["kind", "randomizer", "n", "dataset", ...analyzer, "values", "alpha", "beta"];
  const claim = r.fields(value, keys, "accuracy");
  const randomizer = readRandomizer(claim.randomizer);
  const n = readUsers(claim.n);
  const inputs = randomizer.rows.length;
  const dataset = claim.dataset === "worst" ? null : readDataset(claim.dataset, inputs, n);
  const weights = r.list(claim.weights, "weights", randomizer.messages).map(r.rational);
  const values = r.list(claim.values, "values", inputs).map(r.rational);
  const threshold = readThreshold(claim.zero_unless_above);
  const offset = r.rational(claim.offset);
  return { randomizer, n, dataset, weights, values, threshold, offset, ...readAccuracyLevels(claim) };
}

function readDataset(value, inputs, n) {
  const counts = readHistogram(value, inputs, "dataset");
  if (total(counts) !== n) r.malformed("a data set of another size");
  return counts;
}

/** Each row as a law of the integer sum of its messages' weights over a common denominator. */
export function weightedRows(randomizer, weights) {
  if (weights.some((w) => r.bitLength(w) > LIMITS.messageWeightBits)) r.overLimit("weight of a message");
  return randomizer.rows.map((row) => {
    r.spend(2 * row.length * (weights.length + STEP_PRICE));
    const law = new Map();
    for (const { counts, weight } of row) {
      const sum = counts.reduce((s, c, m) => s + weights[m] * BigInt(c), 0n);
      law.set(sum, (law.get(sum) ?? 0n) + weight);
    }
    return [...law];
  });
}

/** The law of the weighted sum of a data set's messages. */
export function lawOfWeightedSum(randomizer, weights, dataset) {
  const users = total(dataset);
  const bits = denominatorBits(randomizer, users);
  const rows = weightedRows(randomizer, weights);
  let law = new Map([[0n, 1n]]);
  dataset.forEach((count, i) => {
    for (let k = 0; k < count; k += 1) law = convolve(law, rows[i], bits);
  });
  return { weights: law, denominator: powerOf(randomizer.denominator, users) };
}

/** The probability of a wrong estimate; the estimates s/unit, values, offset and alpha over one denominator. */
function errorProbability(claim, law, dataset, unit) {
  const { inputs, scale, threshold, offset, alpha } = claim.scaled ??= scaledNumbers(claim, unit);
  r.spend(2 * law.size + dataset.length, r.bitLength(scale) + 64, r.bitLength(scale));
  const truth = inputs.reduce((sum, v, i) => sum + v * BigInt(dataset[i]), 0n);
  const factor = scale / unit;
  let sum = 0n;
  for (const [s, weight] of law) {
    const value = s * factor;
    const error = (threshold !== null && value <= threshold ? 0n : value + offset) - truth;
    if (error > alpha || -error > alpha) sum += weight;
  }
  return { n: sum, d: claim.total ??= powerOf(claim.randomizer.denominator, claim.n) };
}

function scaledNumbers({ values, offset, alpha, threshold }, unit) {
  const all = [...values, offset, alpha, ...(threshold ? [threshold] : []), { n: 1n, d: unit }];
  const scale = all.reduce((common, { d }) => {
    const bits = [common, d].map(r.bitLength);
    r.spendGcd(1, ...bits);
    r.spend(4, ...bits);
    r.hold(all.length, bits[0] + bits[1]);
    return r.lcm(common, d);
  }, 1n);
  spendScaling(all, scale);
  const integer = ({ n, d }) => n * (scale / d);
  return {
    scale, inputs: values.map(integer), offset: integer(offset), alpha: integer(alpha),
    threshold: threshold && integer(threshold),
  };
}

/** Rationals as integers over their common denominator. */
function integerWeights(weights) {
  const unit = commonDenominator(weights);
  r.hold(weights.length, r.bitLength(unit));
  spendScaling(weights, unit);
  return { unit, integers: weights.map(({ n, d }) => n * (unit / d)) };
}

function errorOf(claim, dataset) {
  const { unit, integers } = integerWeights(claim.weights);
  const law = lawOfWeightedSum(claim.randomizer, integers, dataset);
  return errorProbability(claim, law.weights, dataset, unit);
}

export function proveProtocolAccuracy(claim, value) {
  r.fields(value, [], "witness");
  return () => {
    const demandSmall = (error) => r.demand(r.compare(error, claim.beta) <= 0, "an error is too likely");
    if (claim.dataset) return demandSmall(errorOf(claim, claim.dataset));
    const bits = denominatorBits(claim.randomizer, claim.n);
    const { unit, integers } = integerWeights(claim.weights);
    const rows = weightedRows(claim.randomizer, integers);
    guardSweep(rows, claim.n, bits);
    visitMultisets({ bits }, new Map([[0n, 1n]]), rows, claim.n, (law, dataset) => {
      demandSmall(errorProbability(claim, law, dataset, unit));
    });
  };
}

export function refuteProtocolAccuracy(claim, value) {
  const witness = r.fields(value, claim.dataset ? [] : ["dataset"], "witness");
  const dataset = claim.dataset ?? readDataset(witness.dataset, claim.randomizer.rows.length, claim.n);
  return () => r.demand(r.compare(errorOf(claim, dataset), claim.beta) > 0, "the error is not likely enough");
}

// ---- runs of a composition ----

export function readMechanism(run, schema) {
  const neighbors = r.choice(run.neighbors, NEIGHBORS, "neighbors");
  const randomizer = readUser(run.randomizer, schema);
  if (randomizer.family && neighbors !== "replace-one") r.malformed("another run of a family");
  return { schema, randomizer, n: readUsersOf(randomizer, run.n), neighbors };
}

/** A check of all levels {E, delta} of a privacy curve at once. */
export function proveCurve(run, value) {
  const { randomizer, n, neighbors } = run;
  const form = formOf(run, value, BOUNDS);
  if (form) {
    const bound = BOUNDS[form].read(run, r.fields(value, [form], "witness")[form]);
    return (levels) => levels.forEach(({ E, delta }) => bound(E, delta));
  }
  needTable(run);
  r.fields(value, [], "witness");
  return (levels) => {
    const views = makeViews(randomizer, n);
    visitNeighbours(views, neighbors, (P, Q) => {
      payComparison(views, P, Q);
      r.demandCurve([...P].map(([key, weight]) => [weight, Q.get(key) ?? 0n]), 0n, views.total, levels);
    });
  };
}

/** The outcomes [P, Q] of a pair of data sets, over the denominators `below` and `above`; of a test in units of 2^-bits. */
export function readOutcomes(run, value, bits) {
  const form = formOf(run, value, TESTS);
  if (form) {
    const { test } = TESTS[form].read(run, r.fields(value, [form], "a pair")[form], []);
    return () => outcomesOfTest(test(), bits);
  }
  const { randomizer, n, neighbors } = run;
  needTable(run);
  const pair = readPair(r.fields(value, ["first", "second"], "a pair"), randomizer);
  return () => {
    const views = makeViews(randomizer, n);
    const [P, Q] = viewsOfPair(views, pair, neighbors);
    return { pairs: [...P].map(([key, weight]) => [weight, Q.get(key) ?? 0n]), below: views.total, above: views.total };
  };
}

export const KINDS = {
  shuffle_dp: { read: readShuffle, prove: proveShuffle, refute: refuteShuffle, since: 1 },
  never_dp: { read: readNever, prove: proveNever, refute: refuteNever, since: 1 },
  additive_view: { read: readAdditive, prove: proveAdditive, refute: refuteAdditive, since: 1 },
  zero_estimate: { read: readZero, prove: proveZero, refute: refuteZero, since: 1 },
};
