// Part of second_checker.mjs: the kind `for_all`, claims for whole boxes of parameters.

import * as r from "./reading.mjs";
import * as q from "./polynomials.mjs";
import * as f from "./functions.mjs";
import { readHistogram, readTables, readTuples, readUsers, total } from "./randomizers.mjs";
import {
  convolve, KINDS as PROTOCOL_KINDS, makeViews, NEIGHBORS, powerOf, readPair, viewsOfPair, visitNeighbours, weightedRows,
} from "./protocols.mjs";
import { KINDS as NOISE_KINDS, readShiftAndOrder } from "./noise.mjs";

const { LIMITS, ONE } = r;

// ---- randomizers and laws of functions ----

/** {messages, rows, functions}: rows are lists of {counts, tuple, probability}. */
export function readRandomizerOfFunctions(value, variables) {
  const { messages, tables } = readTables(value, (row, kinds) => {
    const tuples = readTuples(row, kinds).map((entry) => ({ ...entry, probability: f.readProbability(entry.prob, variables) }));
    demandRow(tuples.map(({ probability }) => probability), variables);
    return tuples;
  });
  return { messages, rows: tables, functions: tables.flat().map(({ probability }) => probability) };
}

function demandRow(functions, variables) {
  if (!f.addUpToOne(functions, variables)) r.malformed("probabilities do not add up to 1 identically");
}

const LAWS = {
  finite(value, variables) {
    const entries = r.list(r.fields(value, ["family", "weights"], "a law").weights, "a table").map((entry) => {
      const [k, probability] = r.list(entry, "an entry of a table", 2);
      return { k: r.integer(k), probability: f.readProbability(probability, variables) };
    });
    entries.forEach(({ k }, i) => { if (i > 0 && entries[i - 1].k >= k) r.malformed("a table does not ascend"); });
    const functions = entries.map(({ probability }) => probability);
    demandRow(functions, variables);
    const weigh = (tops) => new Map(entries.map(({ k }, i) => [k, tops[i]]));
    return { functions, users: 1, weigh };
  },
  view(value, variables) {
    const law = r.fields(value, ["family", "randomizer", "dataset", "weights"], "a law");
    const randomizer = readRandomizerOfFunctions(law.randomizer, variables);
    const dataset = readHistogram(law.dataset, randomizer.rows.length, "dataset");
    const integers = r.list(law.weights, "weights", randomizer.messages).map(r.integer);
    const weigh = (tops, bits) => {
      const rows = weightedRows(weighted(randomizer, tops), integers);
      let sum = new Map([[0n, 1n]]);
      dataset.forEach((count, i) => { for (let k = 0; k < count; k += 1) sum = convolve(sum, rows[i], bits); });
      return sum;
    };
    return { functions: randomizer.functions, users: total(dataset), weigh };
  },
  binomial(value, variables) {
    const law = r.fields(value, ["family", "n", "p"], "a law");
    const users = r.between(law.n, 0, LIMITS.exactTrials, "trials");
    const p = f.readFunction(law.p, variables);
    return { functions: [p, f.complementOf(p)], users, weigh: (tops, bits) => binomialWeights(users, tops, bits) };
  },
};

const SHORT_PRODUCTS = 1.58;  // the power of the length that a product takes at least, before Fourier transforms

/** C(n, t) p^t (1 - p)^(n - t). */
function binomialWeights(n, [success, failure], bits) {
  if (n * r.limbs(bits) ** SHORT_PRODUCTS > 4 * LIMITS.work) r.overLimit("work of a binomial law");
  r.hold(3 * n, bits);
  r.spend(4 * n, bits, bits);
  const [powers, others] = [q.powersOf(success, n), q.powersOf(failure, n)];
  const weights = new Map();
  let choices = 1n;
  for (let t = 0; t <= n; t += 1) {
    weights.set(BigInt(t), choices * powers[t] * others[n - t]);
    choices = choices * BigInt(n - t) / BigInt(t + 1);
  }
  return weights;
}

function readLawOfFunctions(value, variables) {
  const family = r.isObject(value) ? value.get("family") : null;
  if (typeof family !== "string" || !Object.hasOwn(LAWS, family)) r.malformed("a law that has no functions");
  return withGroup(LAWS[family](value, variables), variables);
}

/** With group(): the tops of the functions and their common bottom, which comes last. */
function withGroup(law, variables) {
  let made = null;
  const make = () => {
    const { bottom, tops } = f.overOneBottom(law.functions, variables);
    return f.makeGroup([...tops, bottom], variables);
  };
  return { ...law, group: () => { made ??= make(); return made; } };
}

/** A randomizer for a sweep, with weights that are tops: rows of {counts, weight}, each counts once. */
function weighted({ messages, rows }, tops) {
  let next = 0;
  const table = rows.map((row) => {
    const sums = new Map();
    for (const { counts } of row) {
      const key = counts.join();
      sums.set(key, { counts, weight: (sums.get(key)?.weight ?? 0n) + tops[next] });
      next += 1;
    }
    return [...sums.values()];
  });
  return { messages, rows: table };
}

// ---- inner claims: {functions, level, deltas, check(cell, reached), and what refutes at a point} ----
// Delta is the largest one of the functions `deltas`. With least "delta", readEntry(value) reads what shows that one of
// them is reached, and gives a function to the sums of the weights of an event, which check gets for all of them.

function readLevels(claim, variables, deltas = [f.readFunction(claim.delta, variables)]) {
  const level = f.readFunction(claim.exp_eps, variables);
  return { level, deltas, groups: makeGroups(level, deltas, variables) };
}

/** With a call, the top and the bottom of a level, and of other functions the tops and their common bottom. */
function makeGroups({ top, bottom }, functions, variables) {
  let made = null;
  const make = () => {
    const over = f.overOneBottom(functions, variables);
    return [[top, bottom], [...over.tops, over.bottom]].map((all) => f.makeGroup(all, variables));
  };
  return () => { made ??= make(); return made; };
}

function readLargest(value, variables) {
  if (!isLargest(value)) return [f.readFunction(value, variables)];
  const written = r.list(r.fields(value, ["max"], "delta").max, "max");
  if (written.length < 2) r.malformed("the largest of fewer than two");
  if (written.length > LIMITS.deltas) r.overLimit("functions of delta");
  return written.map((part) => f.readFunction(part, variables));
}

function isLargest(value) { return r.isObject(value) && value.has("max"); }

function isLeast({ least }) { return r.choice(least, ["none", "delta"], "least") === "delta"; }

/** The keys of an event: of each outcome what keyOf makes of it, which is then another one for another outcome. */
function readEvent(value, keyOf) {
  const keys = r.list(value, "event").map(keyOf);
  if (new Set(keys).size < keys.length) r.malformed("an outcome stands twice");
  return keys;
}

function sumOver(keys, weightOf, bits) {
  r.spend(2 * keys.length, bits);
  return keys.reduce((sum, key) => sum + (weightOf(key) ?? 0n), 0n);
}

function readInnerShuffle(value, variables) {
  const keys = ["kind", "randomizer", "n", "scope", "neighbors", "exp_eps", "delta", "least"];
  const claim = r.fields(value, keys, "shuffle_dp");
  const scope = r.choice(claim.scope, ["this n", "all n from n"], "scope");
  const neighbors = r.choice(claim.neighbors, NEIGHBORS, "neighbors");
  const least = isLeast(claim);
  if (least && scope !== "this n") r.malformed("least delta for all n");
  const randomizer = readRandomizerOfFunctions(claim.randomizer, variables);
  const users = readUsers(claim.n);
  const law = withGroup({ users, functions: randomizer.functions }, variables);
  const levels = readLevels(claim, variables, readLargest(claim.delta, variables));
  const check = (cell, reached) => {
    const at = packedOn(cell, law, levels.groups());
    const views = makeViews({ ...weighted(randomizer, at.tops), denominator: at.bottom }, users, at.layout.bits);
    reached.forEach((weigh, i) => at.demandReached(i, weigh(views)));
    at.demandBelow([]);  // for delta is >= 0, if there is no pair
    visitNeighbours(views, neighbors, (P, Q) => at.demandBelow([...P].map(([key, p]) => [p, Q.get(key) ?? 0n])));
  };
  const readEntry = (entry) => readPairAndEvent(entry, randomizer, users, neighbors);
  return { ...levels, functions: law.functions, check, readEntry: least ? readEntry : null };
}

function readPairAndEvent(value, randomizer, users, neighbors) {
  const entry = r.fields(value, ["first", "second", "event"], "an entry of reached");
  const pair = readPair(entry, randomizer);
  const longest = randomizer.rows.flat().reduce((most, { tuple }) => Math.max(most, tuple.length), 0);
  const event = readEvent(entry.event, (outcome) => {
    const counts = r.list(outcome, "an outcome", randomizer.messages).map((c) => r.between(c, 0, users * longest, "a count"));
    if (total(counts) > users * longest) r.malformed("an outcome of too many messages");
    return counts.join();
  });
  return (views) => {
    const keys = event.map((counts) => views.pack(counts === "" ? [] : counts.split(",").map(Number)));
    return viewsOfPair(views, pair, neighbors).map((law) => sumOver(keys, (key) => law.get(key), views.bits));
  };
}

function readInnerShift(value, variables) {
  const claim = r.fields(value, ["kind", "law", "shift", "exp_eps", "delta", "least"], "shift_dp");
  const least = isLeast(claim);
  const law = readLawOfFunctions(claim.law, variables);
  const levels = readLevels(claim, variables, readLargest(claim.delta, variables));
  const shift = r.between(claim.shift, 1, LIMITS.shift, "shift");
  const check = (cell, reached) => {
    const at = packedOn(cell, law, levels.groups());
    const weights = law.weigh(at.tops, at.layout.bits);
    reached.forEach((weigh, i) => at.demandReached(i, weigh(weights, at.layout.bits)));
    for (let j = 1; j <= shift; j += 1) {
      for (const step of [BigInt(-j), BigInt(j)]) {
        at.demandBelow([...weights].map(([k, p]) => [p, weights.get(k + step) ?? 0n]));
      }
    }
  };
  const readEntry = (entry) => readShiftAndEvent(entry, shift);
  return { ...levels, functions: law.functions, check, readEntry: least ? readEntry : null };
}

/** Forward, P is the law of Y and Q that of Y + j. */
function readShiftAndEvent(value, shift) {
  const entry = r.fields(value, ["shift", "order", "event"], "an entry of reached");
  const { j, order } = readShiftAndOrder({ shift }, entry);
  const event = readEvent(entry.event, r.integer);
  return (weights, bits) => {
    const sums = [0n, BigInt(j)].map((step) => sumOver(event, (k) => weights.get(k - step), bits));
    return order === "forward" ? sums : sums.reverse();
  };
}

/** A law, E = a/b to powers up to `most`, and delta, the largest c/d, on a cell, packed. */
function packedOn(cell, law, [level, delta], most = 1) {
  const group = law.group();
  const degrees = (j) => f.addDegrees([[group.degrees, law.users], [level.degrees, j], [delta.degrees, 1]]);
  f.guardSize(degrees(most));
  const [tops, levels, deltas] = [group, level, delta].map((part) => f.coefficientsOn(part, cell));
  const [largestLevel, largestDelta] = [levels, deltas].map((all) => all.map(f.sumOfSizes).reduce((x, y) => x + y));
  const largest = powerOf(f.sumOfSizes(tops.at(-1)), law.users) * powerOf(largestLevel, most) * largestDelta;
  const layout = f.makeLayout(degrees(most), largest);
  const packed = (group, values) => values.map((list) => layout.pack(list, group.degrees));
  const [a, b] = packed(level, levels);
  const cs = packed(delta, deltas);
  const d = cs.pop();
  const all = packed(group, tops);
  const bottom = all.pop();
  r.spend(20 + 4 * cs.length, layout.bits, layout.bits);
  const whole = powerOf(bottom, law.users);
  const wholes = cs.map((c) => c * b * whole);
  const goals = wholes.map(layout.values);
  const [up, down] = [d * b, d * a];
  const demandBelow = (pairs) => {
    r.spend(2 * pairs.length, layout.bits, layout.bits);
    demandBelowOne(goals, pairs.map(([p, other]) => () => layout.values(up * p - down * other)), layout.bits);
  };
  const demandReached = (i, [p, other]) => {
    r.spend(4, layout.bits, layout.bits);
    r.demand(up * p - down * other === wholes[i], "an event does not have the gain that delta is");
  };
  return { layout, degrees, tops: all, bottom, whole, a, b, c: cs[0], d, demandBelow, demandReached };
}

const MIXED = 6;  // outcomes of which the signs may be open on a cell

/** Show that the positive parts of gains, each given by a call, are at most the largest goal; all are coefficients. */
function demandBelowOne(goals, gains, bits) {
  const zeros = () => Array(goals[0].length).fill(0n);
  const isBelowOne = (values) => goals.some((goal) => goal.every((g, k) => values[k] <= g));
  const [positive, sure, open] = [zeros(), zeros(), []];  // open: the first ones of mixed signs
  let mixed = 0;
  for (const gain of gains) {
    const values = gain();
    const [below, above] = [values.some((c) => c < 0n), values.some((c) => c > 0n)];
    values.forEach((c, k) => { if (c > 0n) positive[k] += c; });
    if (!below) values.forEach((c, k) => { sure[k] += c; });
    if (!below || !above) continue;
    mixed += 1;
    if (mixed <= MIXED) open.push(values);
  }
  if (isBelowOne(positive)) return;
  r.demand(mixed <= MIXED, "a divergence is not shown to be at most delta on a cell");
  r.spend(2 ** (mixed + 1) * (goals.length + 1), bits);
  const demandAll = (sum, left) => {  // of each set of those that are left, with the sum
    if (left.length === 0) return r.demand(isBelowOne(sum), "an event is not shown to be at most delta on a cell");
    demandAll(sum, left.slice(1));
    demandAll(sum.map((c, k) => c + left[0][k]), left.slice(1));
  };
  demandAll(sure, open);
}

function readInnerSmooth(value, variables) {
  const claim = r.fields(value, ["kind", "law", "k", "exp_eps", "delta"], "smooth");
  const law = readLawOfFunctions(claim.law, variables);
  const levels = readLevels(claim, variables);
  const k = r.between(claim.k, 1, LIMITS.shift, "k");
  const check = (cell) => {
    const at = packedOn(cell, law, levels.groups(), k);
    const { layout, whole, a, b, c, d } = at;
    const weights = law.weigh(at.tops, layout.bits);
    let [up, down] = [1n, 1n];  // a^j, b^j
    for (let j = 1; j <= k; j += 1) {
      r.spend(8 + 8 * weights.size, layout.bits, layout.bits);
      [up, down] = [up * a, down * b];
      for (const step of [BigInt(-j), BigInt(j)]) {
        const isLeftOut = (o, w) => (
          isPositive(layout.values(d * (up * (weights.get(o + step) ?? 0n) - down * w)), layout, at.degrees(j), cell));
        let sum = 0n;
        for (const [o, w] of weights) if (!isLeftOut(o, w)) sum += w;
        demandNone(layout.values(down * (c * whole - d * sum)), "too much mass may have a large ratio on a cell");
      }
    }
  };
  return { ...levels, functions: law.functions, check };
}

function isPositive(values, { strides }, degrees, cell) {
  return values.every((c) => c >= 0n) && q.hasPositiveFaces(values, degrees, strides, f.closedEnds(cell));
}

function demandNone(values, reason) { r.demand(values.every((c) => c >= 0n), reason); }

function readInnerTail(value, variables) {
  const claim = r.fields(value, ["kind", "law", "from", "to", "bound", "probability"], "tail");
  const law = readLawOfFunctions(claim.law, variables);
  const from = claim.from === "-infinity" ? null : r.integer(claim.from);
  const to = claim.to === "infinity" ? null : r.integer(claim.to);
  const bound = r.choice(claim.bound, ["at most", "at least"], "bound");
  const probability = f.readFunction(claim.probability, variables);
  const one = q.constant(ONE, variables);
  const groups = makeGroups({ top: one, bottom: one }, [probability], variables);
  const isIn = (k) => (from === null || from <= k) && (to === null || k <= to);
  const check = (cell) => {
    const at = packedOn(cell, law, groups());
    let sum = 0n;
    for (const [k, w] of law.weigh(at.tops, at.layout.bits)) if (isIn(k)) sum += w;
    const excess = at.c * at.whole - at.d * sum;
    demandNone(at.layout.values(bound === "at most" ? excess : -excess), "a probability is not shown on a cell");
  };
  return { probability, bound, functions: law.functions, check };
}

function readInnerEqual(value, variables) {
  const claim = r.fields(value, ["kind", "first", "second"], "equal_laws");
  const laws = [claim.first, claim.second].map((law) => readLawOfFunctions(law, variables));
  return { functions: laws.flatMap(({ functions }) => functions), check: (cell) => demandSameLaws(laws, cell) };
}

/** As polynomials on a cell; on another one they are the same again. */
function demandSameLaws(laws, cell) {
  const groups = laws.map(({ group }) => group());
  const degrees = f.addDegrees(groups.map((group, i) => [group.degrees, laws[i].users]));
  f.guardSize(degrees);
  const coefficients = groups.map((group) => f.coefficientsOn(group, cell));
  const sizes = coefficients.map((tops, i) => powerOf(f.sumOfSizes(tops.at(-1)), laws[i].users));
  const layout = f.makeLayout(degrees, sizes[0] * sizes[1]);
  const [first, second] = laws.map(({ users, weigh }, i) => {
    const tops = coefficients[i].map((list) => layout.pack(list, groups[i].degrees));
    const whole = powerOf(tops.pop(), users);
    return { weights: weigh(tops, layout.bits), whole };
  });
  const outcomes = new Set([...first.weights.keys(), ...second.weights.keys()]);
  r.spend(2 * outcomes.size, layout.bits, layout.bits);
  for (const o of outcomes) {
    const [left, right] = [first, second].map(({ weights }) => weights.get(o) ?? 0n);
    r.demand(left * second.whole === right * first.whole, "the weights differ");
  }
}

const INNER = {
  shuffle_dp: { read: readInnerShuffle, plain: PROTOCOL_KINDS.shuffle_dp },
  shift_dp: { read: readInnerShift, plain: NOISE_KINDS.shift_dp },
  smooth: { read: readInnerSmooth, plain: NOISE_KINDS.smooth },
  tail: { read: readInnerTail, plain: NOISE_KINDS.tail },
  equal_laws: { read: readInnerEqual, plain: NOISE_KINDS.equal_laws },
};

// ---- for_all ----

function readForAll(value, schema) {
  const claim = r.fields(value, ["kind", "parameters", "box", "claim"], "for_all");
  const { parameters, box } = f.readParameters(claim, LIMITS.boxVariables);
  if (!r.isObject(claim.claim)) r.malformed("a claim is not an object");
  const kind = r.choice(claim.claim.get("kind"), Object.keys(INNER), "the inner claim's kind");
  return { schema, parameters, box, kind, written: claim.claim, inner: INNER[kind].read(claim.claim, parameters) };
}

/** The leaf of a for_all or a monotone. */
export function readEmptyLeaf(value) { return r.fields(value, [], "a leaf"); }

function proveForAll({ parameters, box, inner }, value) {
  const { readEntry, deltas = [] } = inner;
  const witness = readEntry ? r.fields(value, ["cells", "reached"], "witness") : { cells: value };
  let reached = readEntry ? r.list(witness.reached, "reached", deltas.length).map(readEntry) : [];
  const tree = q.readTree(witness.cells, parameters, readEmptyLeaf);
  return () => q.visitLeaves(box, tree, (cell) => {
    f.demandNotNegative(inner.functions, cell);
    for (const other of [inner.level, ...deltas, inner.probability]) {
      if (other) f.demandSignOnCell(other.bottom, cell, true);
    }
    if (inner.level) f.demandSignOnCell(f.topAboveOne(inner.level), cell, false);
    inner.check(cell, reached);
    reached = [];  // polynomials that are the same on one cell are so on all
  });
}

function refuteForAll(claim, value) {
  const alone = r.isObject(value) && !value.has("witness");
  const witness = r.fields(value, alone ? ["point"] : ["point", "witness"], "witness");
  const point = q.readPoint(witness.point, claim.parameters);
  r.demand(f.isInBox(point, claim.box), "the point is outside the box");  // at once, as the claim may mean nothing there
  return alone ? () => demandBadPoint(claim.inner, point) : refuteAt(claim, point, witness.witness);
}

function demandBadPoint({ functions, level, deltas = [], probability, bound }, point) {
  const all = [...functions, level, ...deltas, probability].filter(Boolean);
  const notNegative = functions.map(({ top }) => top);
  if (level) notNegative.push(f.topAboveOne(level));
  if (probability) notNegative.push(bound === "at most" ? probability.top : f.complementOf(probability).top);
  const bad = f.different(all.map(({ bottom }) => bottom)).some((bottom) => f.signAt(bottom, point) <= 0)
    || notNegative.some((top) => f.signAt(top, point) < 0)
    || (deltas.length > 0 && deltas.every(({ top }) => f.signAt(top, point) < 0));
  r.demand(bad, "nothing is out of its range at the point");
}

/** The plain claim at a point. */
function refuteAt({ schema, parameters, kind, written }, point, witness) {
  const { plain } = INNER[kind];
  return plain.refute(plain.read(atPoint(written, point, parameters), schema), witness);
}

const FUNCTIONS = ["exp_eps", "probability", "p"];  // keys of functions, of a claim or a law

/** What is written, with the values of the functions at a point. */
export function atPoint(written, point, parameters) {
  const value = (text) => {
    const found = f.valueAt(f.readFunction(text, parameters), point);
    if (found === null) r.malformed("a bottom is 0 at the point");
    return found;
  };
  const spelled = (text) => f.spelledRational(value(text));
  const largest = (parts) => f.spelledRational(parts.map(value).reduce((x, y) => (r.compare(x, y) < 0 ? y : x)));
  const change = {
    randomizer: (table) => new Map([...table].map(([key, part]) => [key, key === "rows" ? part.map(rowAt) : part])),
    law: (law) => lawAt(law), first: (law) => lawAt(law), second: (law) => lawAt(law),
    delta: (part) => (isLargest(part) ? largest(part.get("max")) : spelled(part)),
    ...Object.fromEntries(FUNCTIONS.map((name) => [name, spelled])),
  };
  const rowAt = (row) => row.filter((entry) => value(entry.get("prob")).n !== 0n).map((entry) => (
    new Map([...entry].map(([key, part]) => [key, key === "prob" ? spelled(part) : part]))));
  const changed = (map) => new Map([...map].map(([key, part]) => [key, change[key] ? change[key](part) : part]));
  const lawAt = (law) => {
    if (law.get("family") !== "finite") return changed(law);
    const weights = law.get("weights").filter(([, prob]) => value(prob).n !== 0n).map(([k, prob]) => [k, spelled(prob)]);
    return new Map([["family", "finite"], ["weights", weights]]);
  };
  return changed(written);
}

export const KINDS = {
  for_all: { read: readForAll, prove: proveForAll, refute: refuteForAll, since: 3 },
};
