// Part of second_checker.mjs: the witnesses "likelihood" and "event", lower bounds of the divergence of some pair of
// neighbouring data sets.
//
// A *test* is {low, P, Q, total, bits, hidden}: lower bounds of the masses at the places low, low + 1, ... of a statistic
// under the two views, in units of 2^-bits, Q having the mass `total` at all places together; `hidden` are the classes of
// outcomes that no other user has, which have no place. Places are BigInts.

import * as r from "./reading.mjs";
import { classesOfFamily, hasTable, namedTable, plainFamily, readOthers } from "./families.mjs";
import { OF_TESTS, binsOfLaplace, withCells } from "./densities.mjs";
import { areTablesOfAsManyMessages, isBundled, isMadeOfOthers, vertexAt } from "./user_pairs.mjs";
import { chargeOf, readLattice, readStep, weightOf } from "./blanket.mjs";
import { commonDenominator, readHistogram, spendScaling, total } from "./randomizers.mjs";
import { innerPart, multiplySeries, sumOf } from "./series.mjs";

const { LIMITS, ONE } = r;

// ---- reading ----

function readPlace(text) {
  const place = r.integer(text);
  if (r.bitLength(place) > LIMITS.placeBits) r.overLimit("a place");
  return place;
}

function readInput({ rows }, text) { return r.between(text, 0, rows.length - 1, "an input"); }

function readWeights({ rows }, value) {
  const weights = r.list(value, "others", rows.length).map(r.rational);
  if (weights.some(({ n }) => n < 0n)) r.malformed("a weight of the others is negative");
  const denominator = commonDenominator(weights);
  spendScaling(weights, denominator);
  const scaled = weights.map(({ n, d }) => n * (denominator / d));
  if (sumOf(scaled) !== denominator) r.malformed("the weights of the others do not sum to 1");
  return { denominator, weights: scaled };
}

/** A likelihood test, with its threshold or (in a composition) without: a function gives the test. */
export function readLikelihood({ randomizer: claimed, n }, said, keys) {
  const [stated, value] = withCells(claimed, said, OF_TESTS);
  const randomizer = stated.absence === "hidden" && !hasTable(stated) ? stated.of ?? stated : stated;
  const [where, read] = hasTable(randomizer) ? [["first", "second"], readClassesOfTable]
    : isMadeOfOthers(randomizer) ? [["pair"], readClassesOfVertex] : [[], readClassesOfFamily];
  const names = [...where, "others", "bits", "length", "at", "step", "cut", ...keys];
  const witness = r.fields(value, names, "likelihood");
  const classes = read(randomizer, witness);
  const lattice = readLattice(witness);
  const at = r.rational(witness.at);
  if (at.n < 0n) r.malformed("at is negative");
  if (Math.max(r.bitLength(at.n), r.bitLength(at.d)) > LIMITS.polynomialBits) r.overLimit("bits of at");
  const step = readStep(witness.step);
  const cut = r.between(witness.cut, 1, lattice.bits, "cut");
  const threshold = keys.length ? readPlace(witness.threshold) : null;
  return { threshold, test: () => likelihoodTest(classes(), n, { ...lattice, at, step, cut }) };
}

function readClassesOfFamily(family, witness) {
  if (family.family === "laplace") return binsOfLaplace(family, witness.others);
  const law = readOthers(family, witness.others);
  return () => classesOfFamily(family, law);
}

function readClassesOfVertex(randomizer, { pair, others }) {
  if (isBundled(randomizer)) r.malformed("a likelihood test of a randomizer that sends more than one message");
  const { find, isLess } = vertexAt(randomizer, pair, others);
  return () => ({ ...find(), isLess });
}

function readClassesOfTable(randomizer, witness) {
  const long = randomizer.rows.some((row) => row.some(({ counts }) => total(counts) > 1));
  if (long) r.malformed("a likelihood test of a randomizer that sends more than one message");
  const [x, y] = [readInput(randomizer, witness.first), readInput(randomizer, witness.second)];
  const weights = readWeights(randomizer, witness.others);
  return () => classesOfTable(randomizer, x, y, weights);
}

/** The classes of a pair of inputs, one for each outcome; R is the mixture of the rows with these weights. */
function classesOfTable({ rows, denominator: unit }, x, y, { denominator, weights }) {
  const outcomes = new Map();
  const scaled = r.bitLength(unit) + r.bitLength(denominator);
  const add = (row, factor, name) => {
    r.spend(2 * row.length, r.bitLength(unit), r.bitLength(factor));
    r.spend(row.length * (row[0].counts.length + 8));
    for (const { counts, weight } of row) {
      const key = counts.join();
      if (!outcomes.has(key)) outcomes.set(key, { P: 0n, Q: 0n, R: 0n, count: 1n });
      outcomes.get(key)[name] += weight * factor;
    }
    r.hold(3 * outcomes.size, scaled);
  };
  add(rows[x], denominator, "P");
  add(rows[y], denominator, "Q");
  weights.forEach((weight, v) => { if (weight > 0n) add(rows[v], weight, "R"); });
  return { denominator: unit * denominator, classes: [...outcomes.values()] };
}

// ---- likelihood tests ----

/** Places and lists of one length for the laws P, Q, R of one message: the floor of (P - at Q) / (R step). */
function baseOf({ denominator, classes }, { bits, at, step }) {
  const scored = classes.map((class_) => {
    const { P, Q, R } = class_;
    const n = (at.d * P - at.n * Q) * step.d;
    const d = at.d * R * step.n;
    r.spendDivision(2, r.bitLength(n), r.bitLength(d));
    return [r.floorDivide(n, d), class_];
  });
  const [low, length] = extent(scored.map(([place]) => place));
  r.hold(3 * length, bits);
  r.spendDivision(3 * length, r.bitLength(denominator) + bits, r.bitLength(denominator));
  const law = (name) => {
    const masses = Array(length).fill(0n);
    for (const [place, class_] of scored) masses[Number(place - low)] += class_.count * class_[name];
    return masses.map((mass) => (mass << BigInt(bits)) / denominator);
  };
  return { low, P: law("P"), Q: law("Q"), R: law("R") };
}

/** The lowest of some places, and how many there are from it to the highest. */
function extent(places) {
  const low = places.reduce((a, b) => (a < b ? a : b));
  const high = places.reduce((a, b) => (a > b ? a : b));
  if (high - low >= BigInt(LIMITS.baseLength)) r.overLimit("places of a lattice");
  return [low, Number(high - low) + 1];
}

function eachLaw({ P, Q, R }, change) { return { P: change(P), Q: change(Q), R: change(R) }; }

/** The place i becomes floor(i / 2). */
function halved(laws) {
  const { low } = laws;
  const odd = Number(low & 1n);
  const length = (odd + laws.R.length + 1) >> 1;
  const pair = (masses, at) => (masses[at] ?? 0n) + (masses[at + 1] ?? 0n);
  const merge = (masses) => Array.from({ length }, (_, i) => pair(masses, 2 * i - odd));
  r.spend(3 * laws.R.length);
  return { low: low >> 1n, ...eachLaw(laws, merge) };
}

/** What lies where R is small at either end goes to the first and the last place that stay. */
function clamped(laws, cut) {
  const [from, to] = innerPart(laws.R, 1, 1n << BigInt(cut));
  const clamp = (masses) => {
    const kept = masses.slice(from, to);
    kept[0] += sumOf(masses.slice(0, from));
    kept[kept.length - 1] += sumOf(masses.slice(to));
    return kept;
  };
  r.spend(3 * laws.R.length);
  return { low: laws.low + BigInt(from), ...eachLaw(laws, clamp) };
}

/** The laws of s messages and one message more, or of twice s. */
function joined(laws, s, others, bits) {
  const shift = BigInt(bits);
  const single = others !== laws;
  const leaves = BigInt(s);
  const both = (name) => {
    const first = multiplySeries(laws.R, others[name]);
    if (!single) return first.map((x) => x >> shift);
    const second = multiplySeries(laws[name], others.R);
    r.spendDivision(2 * first.length, 2 * bits);
    return first.map((x, i) => (leaves * second[i] + x >> shift) / (leaves + 1n));
  };
  const R = multiplySeries(laws.R, others.R).map((x) => x >> shift);
  return { low: laws.low + others.low, P: both("P"), Q: both("Q"), R };
}

function likelihoodTest(list, n, parameters) {
  const { bits, length, cut } = parameters;
  const shown = { ...list, classes: list.classes.filter(({ R }) => R > 0n) };
  const hidden = { ...list, classes: list.classes.filter(({ R }) => R === 0n && !list.isLess) };
  let base = baseOf(shown, parameters);
  let laws = base;
  const shorten = () => {
    while (laws.R.length > length) [laws, base] = [halved(laws), halved(base)];
  };
  shorten();
  let s = 1;
  for (const digit of n.toString(2).slice(1)) {
    laws = clamped(joined(laws, s, laws, bits), cut);
    shorten();
    s *= 2;
    if (digit === "0") continue;
    laws = clamped(joined(laws, s, base, bits), cut);
    shorten();
    s += 1;
  }
  const { low, P, Q } = laws;
  const all = list.isLess ? ONE : { n: weightOf(shown.classes, "Q"), d: list.denominator };
  return { low, P, Q, bits, total: all, hidden };
}

// ---- events ----

/** Of {randomizer, n} or of classes of users. */
export function readEvent({ classes, users, ...alone }, value, keys) {
  const families = classes ? classes.map(({ randomizer }) => plainFamily(randomizer)) : [null];
  const areFamilies = families.every((family) => family !== null);
  const more = [...(classes ? ["user_class"] : []), ...(areFamilies ? ["cuts"] : []), ...keys];
  const witness = r.fields(value, ["first", "second", "others", "scores", "bits", ...more], "event");
  const parts = areFamilies ? readNamed(classes, families, witness) : classes ?? [alone];
  if (!areTablesOfAsManyMessages(parts)) r.malformed("an event of what are no tables of as many messages");
  const own = classes ? r.between(witness.user_class, 0, parts.length - 1, "user_class") : 0;
  if (classes && !users.includes(own)) r.malformed("an event of another class of users");
  const [x, y] = [witness.first, witness.second].map((text) => readInput(parts[own].randomizer, text));
  const lists = classes ? r.list(witness.others, "others", parts.length) : [witness.others];
  const others = lists.map((counts, i) => readHistogram(counts, parts[i].randomizer.rows.length, "others"));
  const scores = r.list(witness.scores, "scores", parts[own].randomizer.messages).map(readPlace);
  const bits = r.between(witness.bits, 16, LIMITS.latticeBits, "bits");
  const threshold = keys.length ? readPlace(witness.threshold) : null;
  return { threshold, test: () => eventTest(parts, own, x, y, others, scores, bits) };
}

/** Classes of users of families of one name, as tables. */
function readNamed(classes, families, witness) {
  const messages = ({ family, inputs, size, buckets }) => [family, inputs, size, buckets].join();
  if (new Set(families.map(messages)).size > 1) r.malformed("an event of different families");
  const cuts = r.list(witness.cuts, "cuts").map((text) => r.between(text, 1, LIMITS.familyInputs, "a cut"));
  if (cuts.length > LIMITS.classes) r.overLimit("cuts");
  if (cuts.some((cut, i) => i > 0 && cut <= cuts[i - 1])) r.malformed("cuts that do not rise");
  const bits = r.between(witness.bits, 16, LIMITS.latticeBits, "bits");
  return classes.map(({ n }, i) => ({ n, randomizer: namedTable(families[i], cuts, bits) }));
}

/** The law of the score of what a row sends: {low, masses}. */
function scoreLaw({ denominator }, row, scores, bits) {
  r.spend(3 * row.length * (scores.length + 4));
  const scored = row.map(({ counts, weight }) => [counts.reduce((s, c, m) => s + BigInt(c) * scores[m], 0n), weight]);
  const [low, length] = extent(scored.map(([place]) => place));
  r.hold(length, bits);
  r.spendDivision(length, r.bitLength(denominator) + bits, r.bitLength(denominator));
  const masses = Array(length).fill(0n);
  for (const [place, weight] of scored) masses[Number(place - low)] += weight;
  return { low, masses: masses.map((mass) => (mass << BigInt(bits)) / denominator) };
}

function multiplied(a, b, bits) {
  const count = a.masses.length + b.masses.length - 1;
  if (count > LIMITS.baseLength) r.overLimit("places of a lattice");
  r.spend(count, 2 * bits);
  return { low: a.low + b.low, masses: multiplySeries(a.masses, b.masses).map((x) => x >> BigInt(bits)) };
}

function trimmed({ low, masses }) {
  const [from, to] = innerPart(masses, 1);
  return { low: low + BigInt(from), masses: masses.slice(from, to) };
}

function eventTest(parts, own, x, y, others, scores, bits) {
  const isFull = (counts, i) => total(counts) === parts[i].n - (i === own ? 1 : 0);
  r.demand(others.every(isFull), "another number of other users");
  const rowLaw = ({ randomizer }, v) => scoreLaw(randomizer, randomizer.rows[v], scores, bits);
  const times = (a, b) => trimmed(multiplied(a, b, bits));
  let law = { low: 0n, masses: [1n << BigInt(bits)] };
  others.forEach((counts, i) => counts.forEach((count, v) => {
    if (count === 0) return;
    const row = rowLaw(parts[i], v);
    let power = row;
    for (const digit of count.toString(2).slice(1)) {
      power = times(power, power);
      if (digit === "1") power = times(power, row);
    }
    law = times(law, power);
  }));
  const [P, Q] = [x, y].map((v) => multiplied(law, rowLaw(parts[own], v), bits));
  const [low, length] = extent([P, Q].flatMap(({ low: start, masses }) => [start, start + BigInt(masses.length - 1)]));
  const placed = ({ low: start, masses }) => {
    const list = Array(length).fill(0n);
    masses.forEach((mass, i) => { list[Number(start - low) + i] = mass; });
    return list;
  };
  return { low, P: placed(P), Q: placed(Q), bits, total: ONE, hidden: { denominator: 1n, classes: [] } };
}

// ---- the check ----

/** A lower bound of the divergence at an upper bound of e^eps, by the event of all places from the threshold on. */
export function boundOfTest({ low, P, Q, bits, total: all, hidden }, threshold, ratio) {
  const start = threshold - low;
  const place = start <= 0n ? 0 : start >= BigInt(P.length) ? P.length : Number(start);
  const first = sumOf(P.slice(place));
  const second = r.ceil({ n: all.n << BigInt(bits), d: all.d }) - sumOf(Q.slice(0, place));
  const gain = { n: ratio.d * first - ratio.n * second, d: ratio.d << BigInt(bits) };
  return r.add(chargeOf(hidden, ratio), gain);
}

/** Demand that a test shows a divergence above delta. */
export function demandTest({ threshold, test }, ratio, delta) {
  r.demand(r.compare(boundOfTest(test(), threshold, ratio), delta) > 0, "no divergence above delta is shown");
}

/** What a test is in a composition: outcomes [P, Q] in units of 2^-precision, bounded from below and from above. */
export function outcomesOfTest({ P, Q, bits, total: all, hidden }, precision) {
  const [from, to] = [BigInt(bits), BigInt(precision)];
  const missing = r.ceil({ n: all.n << from, d: all.d }) - sumOf(Q);
  const { denominator, classes } = hidden;
  r.spendDivision(2 * classes.length, r.bitLength(denominator) + precision, r.bitLength(denominator));
  r.spend(2 * P.length, bits + precision);
  const pairs = P.map((mass, i) => [(mass << to) >> from, r.shiftUp((Q[i] + missing) << to, from)]);
  for (const class_ of classes) {
    const [p, q] = [class_.P * class_.count, class_.Q * class_.count];
    pairs.push([(p << to) / denominator, r.ceilDivide(q << to, denominator)]);
  }
  return { pairs, below: 1n << to, above: 1n << to };
}
